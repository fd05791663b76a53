#!/usr/bin/env python3
"""Cycles of an SM by resource for one block of the inner loop, from what the emulator counted while it ran the build's
kernels, beside FlashAttention-4's published roofline. A block is the difference between a launch and a longer one.
usage: scripts/roofline.py [--check FILE]   prints the table; with FILE, fails unless the file has it"""
import os
import re
import subprocess
import sys

RUN = os.path.join(os.environ.get("FA4_BUILD", "build"), "bin/fa4-run")
MMA, SHARED, EXPONENTIALS = 8192, 128, 16  # FLOPs, bytes, exponentials a clock
BLOCKS = 4  # of 128 keys or queries, more in the longer launch


def counts(mode, kernel, seqlen_q, seqlen_k):
    """What the launch of `kernel` did: name -> number."""
    command = [RUN, mode, "--heads", "1", "--seqlen-q", str(seqlen_q), "--seqlen-k", str(seqlen_k), "--head-dim", "128",
               "--checks", "none", "--stats"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    part = re.search(rf"^{kernel}_sm100a\S* on emulator[^\n]*\n((?:.*[0-9]\n?)*?)(?=^\S+ on emulator|\Z)", text, re.M)
    return {name.strip(): int(value) for name, value in re.findall(r"^(\S.*?)\s{2,}(\d+)$", part.group(1), re.M)}


def block(mode, kernel, short, long):
    before, after = counts(mode, kernel, *short), counts(mode, kernel, *long)
    return lambda name: (after[name] - before[name]) / BLOCKS


def forward():
    """Of 256 queries and 128 keys."""
    of = block("fwd", "fa4_fwd", (256, 512), (256, 512 + 128 * BLOCKS))
    return {"MMA": of("MMA FLOPs") / MMA, "smem operands": of("MMA shared operand bytes") / SHARED,
            "exponentials": of("exponentials") / EXPONENTIALS}


def backward():
    """Of 128 keys and 128 queries. dQ crosses shared memory twice: from registers, and to the TMA reduction."""
    of = block("bwd", "fa4_bwd", (512, 128), (512 + 128 * BLOCKS, 128))
    sums = of("TMA store bytes")
    return {"MMA": of("MMA FLOPs") / MMA, "smem operands": of("MMA shared operand bytes") / SHARED,
            "dS write": (of("shared store bytes") - sums) / SHARED, "DSMEM": of("DSMEM bytes") / SHARED,
            "dQ": 2 * sums / SHARED, "exponentials": of("exponentials") / EXPONENTIALS}


def table():
    tile = forward()
    half = {name: value / 2 for name, value in tile.items()}
    rows = [("forward 128 x 128 x 128", half, {"MMA": 1024, "smem operands": 768, "exponentials": 1024}),
            ("forward 256 x 128 x 128", tile, {"MMA": 2048, "smem operands": 1536, "exponentials": 2048}),
            ("backward, 1-CTA, M 128", backward(),
             {"MMA": 2560, "smem operands": 2048, "dS write": 256, "DSMEM": 0, "dQ": 1024})]
    lines = ["| block | resource | counted | published |", "| --- | --- | --- | --- |"]
    for name, counted, published in rows:
        for resource, cycles in counted.items():
            lines.append(f"| {name} | {resource} | {cycles:.0f} | {published.get(resource, '')} |")
    return "\n".join(lines) + "\n"


made = table()
if sys.argv[1:2] == ["--check"]:
    with open(sys.argv[2]) as file:
        if made not in file.read():
            sys.exit(f"{sys.argv[2]} hasn't this table:\n{made}")
else:
    print(made, end="")
