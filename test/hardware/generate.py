#!/usr/bin/env python3
"""Writes ptx/*.ptx and cases.json, the small kernels whose results an H200 recorded."""

import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True

from families import ALL  # noqa: E402
from families.elementwise import VALUES  # noqa: E402


def main():
    folder = HERE / "ptx"
    folder.mkdir(exist_ok=True)
    cases = []
    for make in ALL:
        family = make()
        (folder / f"{family.name}.ptx").write_text(family.text())
        cases += family.cases
    names = [(case["family"], case["name"]) for case in cases]
    assert len(set(names)) == len(names), "two cases share a name"
    lines = ",\n".join(json.dumps(case) for case in cases)
    values = json.dumps(VALUES)
    (HERE / "cases.json").write_text(f'{{"values": {values},\n"cases": [\n{lines}\n]}}\n')
    print(f"{len(cases)} cases")


if __name__ == "__main__":
    main()
