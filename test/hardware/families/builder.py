"""Collects the PTX entries and the cases of one family."""

HEADER = ".version 8.6\n.target sm_90a\n.address_size 64\n"
REGISTERS = (
    ".reg .pred %p<8>;",
    ".reg .b16 %h<16>;",
    ".reg .b32 %r<48>;",
    ".reg .b64 %d<32>;",
)
WIDTHS = {1: "b8", 2: "b16", 4: "b32", 8: "b64"}


def generated(generate, count, width=4, seed=1, **options):
    """An input file: `count` elements of `width` bytes made by a formula from a seed."""
    assert count * width % 4 == 0
    return {"generate": generate, "count": count, "width": width, "seed": seed, **options}


def tensorMap(tensor, dtype, dims, strides, box, swizzle="none", elementStrides=None,
              oobFill="zero"):
    """The SPEC of a by-value tensor map; sizes are innermost first, strides in bytes."""
    import json
    return "tmap:" + json.dumps({
        "tensor": tensor, "dtype": dtype, "dims": dims, "strides": strides, "box": box,
        "elementStrides": elementStrides or [1] * len(dims), "interleave": "none",
        "swizzle": swizzle, "l2Promotion": "none", "oobFill": oobFill}, separators=(",", ":"))


def signed(argument):
    """Scalars travel as i32; larger unsigned values wrap."""
    if not argument.startswith("u32:"):
        return argument
    value = int(argument[4:])
    return f"i32:{value - (1 << 32) if value >> 31 else value}"


class Family:
    """One PTX file with many entries, and the cases that launch them."""

    def __init__(self, name):
        self.name = name
        self.entries = {}
        self.globals = []
        self.cases = []

    def entry(self, name, parameters, body, directives=""):
        """Adds a kernel; `parameters` holds PTX types by name, 'map' for a tensor map."""
        if name in self.entries:
            return name
        def declare(item):
            key, kind = item
            return (f".param .align 64 .b8 {key}[128]" if kind == "map"
                    else f".param .{kind} {key}")
        text = ",\n  ".join(map(declare, parameters.items()))
        lines = [line.strip() for line in body.strip().splitlines()]
        registers = "".join(f"  {line}\n" for line in REGISTERS)
        statements = "".join(f"  {line}\n" for line in lines if line)
        self.entries[name] = (f".visible .entry {name}(\n  {text})\n{directives}"
                              f"{{\n{registers}{statements}}}\n")
        return name

    def case(self, name, entry, args, files=None, block=128, grid=1, cluster=1, shared=0,
             compare="bits", **extra):
        args = [signed(argument) for argument in args]
        triple = lambda value: [value, 1, 1] if isinstance(value, int) else list(value)
        self.cases.append({
            "name": name, "family": self.name, "ptx": f"ptx/{self.name}.ptx", "entry": entry,
            "grid": triple(grid), "block": triple(block), "cluster": triple(cluster),
            "shared": shared, "args": args, "files": files or {}, "compare": compare, **extra})

    def text(self):
        return HEADER + "\n".join(self.globals) + "\n" + "\n".join(self.entries.values())
