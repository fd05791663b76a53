#!/usr/bin/env python3
"""Merges a recording into expected/: what the hardware answered, case by case.

usage: import.py RECORDING_FOLDER
Keeps what was recorded earlier for cases that did not change; names cases without a recording.
"""

import json
import pathlib
import shutil
import sys

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import catalogue  # noqa: E402

EXPECTED = HERE / "expected"


def earlier():
    """What is stored now: key and answer by 'family/name'."""
    path = EXPECTED / "index.json"
    if not path.exists():
        return {}
    known = json.loads(path.read_text())
    blobs = {p.stem: p.read_bytes() for p in EXPECTED.glob("*.bin")}
    for name, entry in known.items():
        if "bytes" in entry:
            blob = blobs[name.split("/")[0]]
            entry["data"] = blob[entry["offset"]:entry["offset"] + entry["bytes"]]
    return known


def recorded(folder, keys):
    """The answers of one recording that belong to the present cases."""
    blob = (folder / "results.bin").read_bytes()
    found = {}
    for entry in json.loads((folder / "results.json").read_text()):
        name = f"{entry['family']}/{entry['name']}"
        if keys.get(name) != entry["key"]:
            continue
        if entry["status"] == "done":
            data = blob[entry["offset"]:entry["offset"] + entry["bytes"]]
            found[name] = {"key": entry["key"], "data": data}
        elif "CUDA_ERROR_ILLEGAL" in entry["error"] or "MISALIGNED" in entry["error"]:
            found[name] = {"key": entry["key"], "trap": entry["error"].split(": ")[-1]}
    return found


def write(answers):
    blobs, index = {}, {}
    for name, answer in answers.items():
        entry = {"key": answer["key"]}
        if "trap" in answer:
            entry["trap"] = answer["trap"]
        else:
            blob = blobs.setdefault(name.split("/")[0], bytearray())
            entry |= {"offset": len(blob), "bytes": len(answer["data"])}
            blob += answer["data"]
        index[name] = entry
    shutil.rmtree(EXPECTED, ignore_errors=True)
    EXPECTED.mkdir()
    for family, blob in blobs.items():
        (EXPECTED / f"{family}.bin").write_bytes(blob)
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(e)}" for name, e in index.items())
    (EXPECTED / "index.json").write_text("{\n" + lines + "\n}\n")


def main():
    folder = pathlib.Path(sys.argv[1])
    keys = catalogue.keys(catalogue.load())
    known = {name: e for name, e in earlier().items() if keys.get(name) == e["key"]}
    known |= recorded(folder, keys)
    write({name: known[name] for name in keys if name in known})
    if (folder / "approximate.json").exists():
        shutil.copyfile(folder / "approximate.json", HERE / "approximate.json")
    missing = [name for name in keys if name not in known]
    print(f"{len(known)} cases recorded, {len(missing)} not: {' '.join(missing)}")


if __name__ == "__main__":
    main()
