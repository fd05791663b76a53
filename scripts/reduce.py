#!/usr/bin/env python3
"""Shrinks a failing run of fa4-run or fa4-emu to a small one that fails alike.

usage: scripts/reduce.py PROGRAM ARGUMENTS...

The command must fail. Every flag that takes a number (and every number of a
list such as --head-dim 192,128) is made smaller, every other flag is left out,
as long as the first finding is of the same kind: the same check, or an output
that is too large. Prints the shortest command found.
"""
import re
import subprocess
import sys


def kind(command):
    """What fails: a check's name, "wrong result", or None if nothing does."""
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode == 0:
        return None
    text = run.stdout + run.stderr
    found = re.search(r"^(?:\S+: |--schedule=\S+(?: --seed=\d+)?: |without a mutation: )?"
                      r"(race|init|bounds|proxy|tmem|barrier|strict|divergence|deadlock|limit|invalid): ",
                      text, re.M)
    if found:
        return found.group(1)
    if "TOO LARGE" in text or "outputs differ" in text:
        return "wrong result"
    return None  # bad input is no failure of the kernel


def smaller(value):
    """Candidates below a number, smallest first."""
    return sorted({0, 1, 2, value // 8, value // 2, value - value // 4, value - 1} & set(range(value)))


def numbers(word):
    return [int(n) for n in word.split(",")] if re.fullmatch(r"\d+(,\d+)*", word) else []


def variants(command):
    """Commands one step smaller."""
    for at in range(2, len(command)):
        word, before = command[at], command[at - 1]
        if word.startswith("--"):
            takes = at + 1 < len(command) and not command[at + 1].startswith("--")
            # Without its number a flag means its default, which may be larger.
            if not (takes and numbers(command[at + 1])):
                yield command[:at] + command[at + 1 + takes:]
        elif before.startswith("--"):
            values = numbers(word)
            for n, value in enumerate(values):
                for less in smaller(value):
                    text = ",".join(map(str, values[:n] + [less] + values[n + 1:]))
                    yield command[:at] + [text] + command[at + 1:]


def main():
    command = sys.argv[1:]
    if len(command) < 2:
        sys.exit(__doc__)
    wanted = kind(command)
    if wanted is None:
        sys.exit("reduce.py: the command doesn't fail: " + " ".join(command))
    runs, shrunk = 1, True
    while shrunk:
        shrunk = False
        for candidate in variants(command):
            runs += 1
            if kind(candidate) == wanted:
                command, shrunk = candidate, True
                break
    print(f"{wanted}, after {runs} runs:\n{' '.join(command)}")


if __name__ == "__main__":
    main()
