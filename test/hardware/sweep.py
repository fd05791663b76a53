#!/usr/bin/env python3
"""Measures the approximate functions on 4M inputs against fp64; needs numpy and a GPU.

usage: sweep.py OUT_FOLDER      writes OUT_FOLDER/approximate.json
"""

import hashlib
import json
import pathlib
import sys

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import numpy as np  # noqa: E402

import driver  # noqa: E402

COUNT = 1 << 22
FUNCTIONS = {"exp2": np.exp2, "rcp": lambda x: 1.0 / x, "log2": np.log2,
             "rsqrt": lambda x: 1.0 / np.sqrt(x), "sqrt": np.sqrt, "tanh": np.tanh,
             "sin": np.sin, "cos": np.cos, "div": lambda a, b: a / b}


def ulp(reference, mantissaBits, minExponent):
    """The spacing of the target format at each reference value."""
    _, exponent = np.frexp(np.abs(reference))
    return np.ldexp(1.0, np.maximum(exponent - 1, minExponent) - mantissaBits)


def widen(words, kind):
    """Raw 32-bit words as fp64 values of the type."""
    if kind == "f32":
        return words.view(np.float32).astype(np.float64)
    halves = words.view(np.uint16)
    if kind == "f16":
        return halves.view(np.float16).astype(np.float64)
    return (halves.astype(np.uint32) << 16).view(np.float32).astype(np.float64)


def sweepInputs(sweep):
    """f32: evenly spaced over the interval; 16-bit types: every pattern."""
    if sweep["type"] != "f32":
        return [np.arange(1 << 16, dtype=np.uint16).view(np.uint32)]
    step = np.arange(COUNT, dtype=np.float64) / COUNT
    first = (sweep["low"] + (sweep["high"] - sweep["low"]) * step).astype(np.float32)
    if "lowB" not in sweep:
        return [first.view(np.uint32)]
    mixed = (np.arange(COUNT, dtype=np.uint64) * 2654435761 % COUNT).astype(np.float64) / COUNT
    second = (sweep["lowB"] + (sweep["highB"] - sweep["lowB"]) * mixed).astype(np.float32)
    return [first.view(np.uint32), second.view(np.uint32)]


def measure(words, results, sweep):
    kind = sweep["type"]
    bits, low = {"f32": (23, -126), "f16": (10, -14), "bf16": (7, -126)}[kind]
    arguments = [widen(w, kind) for w in words]
    got = widen(results, kind)
    with np.errstate(all="ignore"):
        reference = FUNCTIONS[sweep["function"]](*arguments)
        target = reference
        usable = np.isfinite(reference) & np.isfinite(got)
        error = np.where(usable, np.abs(got - target), 0.0)
        ulps = error / ulp(np.where(usable, reference, 1.0), bits, low)
        normal = usable & (np.abs(reference) >= 2.0 ** low)
        relative = np.where(normal, error / np.abs(reference), 0.0)
    worst, rel, absolute = int(np.argmax(ulps)), int(np.argmax(relative)), int(np.argmax(error))
    mismatch = int(np.sum(np.isfinite(reference) != np.isfinite(got)))
    return {"count": int(got.size), "max_ulp": float(ulps[worst]),
            "max_ulp_at": [float(a[worst]) for a in arguments],
            "max_rel": float(relative[rel]), "max_rel_at": [float(a[rel]) for a in arguments],
            "max_abs": float(error[absolute]),
            "max_abs_at": [float(a[absolute]) for a in arguments],
            "finite_mismatches": mismatch, "sha256": hashlib.sha256(results.tobytes()).hexdigest()}


def main():
    cases = json.loads((HERE / "cases.json").read_text())["cases"]
    gpu = driver.Driver()
    module = gpu.load((HERE / ".cubins" / "approximate.cubin").read_bytes())
    table = {}
    for case in cases:
        if "sweep" not in case:
            continue
        words = sweepInputs(case["sweep"])
        count = words[0].size
        buffers = [gpu.upload(w.tobytes()) for w in words] + [gpu.upload(bytes(4 * count))]
        gpu.launch(gpu.function(module, case["entry"]), case | {"grid": [count // 128, 1, 1]},
                   [b.to_bytes(8, "little") for b in buffers])
        results = np.frombuffer(gpu.download(buffers[-1], 4 * count), np.uint32)
        for buffer in buffers:
            gpu.free(buffer)
        table[case["name"]] = case["sweep"] | measure(words, results, case["sweep"])
        print(case["name"], table[case["name"]]["max_ulp"], table[case["name"]]["max_rel"])
    (pathlib.Path(sys.argv[1]) / "approximate.json").write_text(json.dumps(table, indent=1))


if __name__ == "__main__":
    main()
