"""Reads the case list and tells apart cases whose recording still applies."""

import hashlib
import json
import pathlib

HERE = pathlib.Path(__file__).resolve().parent


def load():
    return json.loads((HERE / "cases.json").read_text())


def entryText(case, texts):
    """The PTX of the case's entry."""
    path = case["ptx"]
    if path not in texts:
        texts[path] = (HERE / path).read_text()
    start = texts[path].index(f".visible .entry {case['entry']}(")
    return texts[path][start:texts[path].index("\n}\n", start)]


def keys(catalogue):
    """A digest of everything that decides the hardware's answer, by 'family/name'."""
    texts, result = {}, {}
    for case in catalogue["cases"]:
        facts = [case[k] for k in ("grid", "block", "cluster", "shared", "args", "files")]
        tables = [catalogue["values"][spec["values"]] for spec in case["files"].values()
                  if isinstance(spec.get("values"), str)]
        text = json.dumps([facts, tables, entryText(case, texts)])
        digest = hashlib.sha256(text.encode()).hexdigest()[:16]
        result[f"{case['family']}/{case['name']}"] = digest
    return result
