"""Makes a case's input bytes from the formula in the case list (README.md states the formulas)."""

import struct

MASK = (1 << 64) - 1


def mix(seed, index):
    """The splitmix64 finalizer over a counter."""
    z = (seed * 0xD1342543DE82EF95 + (index + 1) * 0x9E3779B97F4A7C15) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def floatBits(h, spec):
    """A number with a random sign, mantissa and an exponent field from a range."""
    exponentBits, mantissaBits = spec["format"]
    low, high = spec["exponent"]
    sign = h >> 63
    exponent = low + (h >> 52 & 0x7FF) % (high - low + 1)
    mantissa = h & ((1 << mantissaBits) - 1)
    return sign << (exponentBits + mantissaBits) | exponent << mantissaBits | mantissa


def element(spec, values, others, index):
    h1, h2 = mix(spec["seed"], 2 * index), mix(spec["seed"], 2 * index + 1)
    formula = spec["generate"]
    pick = (h1 >> 8) % len(values) if values else 0
    if formula == "bits":
        return h2
    if formula == "choice":
        return values[pick]
    if formula == "rare":
        return values[pick] if h1 % spec["every"] == 0 else others[h2 % len(others)]
    if formula == "float":
        kind = 2 if spec.get("plain") else h1 % 4
        return values[pick] if kind == 0 else h2 if kind == 1 else floatBits(h2, spec)
    if formula == "integer":
        kind = h1 % 4
        return values[pick] if kind < 2 else h2 if kind == 2 else h2 & 0xFF
    if formula == "sequence":
        value = spec["first"] + index * spec["step"]
        return value % spec["modulus"] if "modulus" in spec else value
    if formula == "uniform":
        value = spec["low"] + (spec["high"] - spec["low"]) * ((h2 >> 40) / 16777216.0)
        return struct.unpack("<I", struct.pack("<f", value))[0]
    raise ValueError(f"unknown formula {formula}")


def make(spec, tables):
    def table(key):
        name = spec.get(key)
        return tables[name] if isinstance(name, str) else name
    values, others = table("values"), table("others")
    width = spec["width"]
    mask = (1 << (8 * width)) - 1
    return b"".join((element(spec, values, others, i) & mask).to_bytes(width, "little")
                    for i in range(spec["count"]))
