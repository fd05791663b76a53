"""Variants of a Hopper kernel that leave one stage out, to place its time:
edits the PTX of a bundle and assembles it. The results are wrong on purpose.

usage: leave_out.py BUNDLE KERNEL OUT [STAGE ...]
  KERNEL  a kernel's name in BUNDLE, e.g. fa3_fwd_sm90a_bf16_d128
  OUT     one folder a stage: a bundle whose other kernels are BUNDLE's
  STAGE   default: all of the kernel's. Prints a line for each.
Then: fa4-run bench --device cuda --kernels OUT/STAGE ..."""
import os
import re
import subprocess
import sys

# A pattern and what each match becomes; a register that loses its source keeps
# the first operand's value, so that products still work on live data.
COPY = r"\1mov.b32 \2, \3;"
EXP2 = [(r"(\s*)ex2\.approx\.ftz\.f32\s+(\S+), (\S+);", COPY)]
MAX = [(r"(\s*)max\.f32\s+(\S+), (\S+), \S+;", COPY),
       (r"(\s*)shfl\.sync\.bfly\.b32\s+(\S+), (\S+),.*;", COPY)]
SUM = [(r"(\s*)add\.rn\.f32\s+(\S+), (\S+), \S+;", COPY)]
SCALE = [(r"(\s*)fma\.rn\.f32\s+(\S+), (\S+), \S+, \S+;", COPY)]
MULTIPLY = [(r"(\s*)mul\.rn\.f32\s+(\S+), (\S+), \S+;", COPY)]
SUBTRACT = [(r"(\s*)sub\.rn\.f32\s+(\S+), (\S+), \S+;", COPY)]
MASK = [(r"(\s*)selp\.f32\s+(\S+), (\S+), 0fFF800000, \S+;", COPY),
        (r"(\s*)selp\.f32\s+(\S+), 0fFF800000, (\S+), \S+;", COPY)]
REDUCE = [(r"\s*cp\.reduce\.async\.bulk\.tensor.*", "")]
STORE = [(r"\s*cp\.async\.bulk\.tensor\.\dd\.global.*", "")]
LOAD_STATISTICS = [(r"(\s*)ld\.shared\.v2\.b32\s+\{(\S+), (\S+)\}.*", r"\1mov.b32 \2, 0;\n\1mov.b32 \3, 0;")]
PRODUCTS = [(r"\s*wgmma\.mma_async.*", "")]
SCORES = [(r"\s*wgmma\.mma_async.*, da, db, p, 1, 1, 0, 0;", "")]
FROM_REGISTERS = [(r"\s*wgmma\.mma_async.*\}, db, p, .*", "")]
DQ = [(r"\s*wgmma\.mma_async.*, da, db, p, 1, 1, 1, 1;", "")]

STAGES = {
    "fa3_fwd": {
        "exp2": EXP2, "maximum": MAX, "sum": SUM, "rescale": MULTIPLY, "mask": MASK,
        "softmax": EXP2 + MAX + SUM + SCALE + MULTIPLY + MASK,
        "turns": [(r"\s*bar\.(sync|arrive)\s+\S+, 256;", "")],
        "store": STORE, "scores": SCORES, "pv": FROM_REGISTERS, "products": PRODUCTS,
    },
    "fa3_bwd": {
        "exp2": EXP2, "mask": MASK, "statistics": LOAD_STATISTICS,
        "softmax": EXP2 + SCALE + MULTIPLY + SUBTRACT + MASK + LOAD_STATISTICS,
        "ds-store": [(r"\s*stmatrix.*", "")],
        "reduce": REDUCE, "dq-store": REDUCE + [(r"\s*st\.shared\.v2\.b32.*", "")],
        "scores": SCORES, "dk-dv": FROM_REGISTERS, "dq": DQ, "products": PRODUCTS,
    },
}


def without(ptx, edits):
    """The text less a stage, and how many lines changed."""
    changed = 0
    lines = []
    for line in ptx.split("\n"):
        for pattern, text in edits:
            edited, count = re.subn("^" + pattern + "$", text, line)
            if count:
                line, changed = edited, changed + 1
                break
        lines.append(line)
    return "\n".join(lines), changed


def make_variant(bundle, kernel, folder, ptx):
    os.makedirs(folder, exist_ok=True)
    for name in os.listdir(bundle):
        if name.endswith((".cubin", ".json")) and name != kernel + ".cubin":
            link = os.path.join(folder, name)
            if not os.path.lexists(link):
                os.symlink(os.path.relpath(os.path.join(bundle, name), folder), link)
    source = os.path.join(folder, kernel + ".ptx")
    with open(source, "w") as out:
        out.write(ptx)
    ptxas = subprocess.run(["ptxas", "-arch=sm_90a", "-v", source, "-o", os.path.join(folder, kernel + ".cubin")],
                           capture_output=True, text=True, check=True)
    spills = re.search(r"(\d+) bytes spill stores", ptxas.stderr).group(1)
    return f"{spills} bytes spilled" + ("; serialized (C7510 to C7512)" if "serialized" in ptxas.stderr else "")


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    bundle, kernel, out = sys.argv[1:4]
    stages = STAGES.get(kernel.split("_sm90a")[0])
    if not stages:
        sys.exit(f"leave_out.py: no stages are known of '{kernel}', expected one of {', '.join(STAGES)}")
    with open(os.path.join(bundle, kernel + ".ptx")) as file:
        ptx = file.read()
    for stage in sys.argv[4:] or stages:
        if stage not in stages:
            sys.exit(f"leave_out.py: unknown stage '{stage}', expected one of {', '.join(stages)}")
        text, changed = without(ptx, stages[stage])
        if not changed:
            sys.exit(f"leave_out.py: stage '{stage}' is nowhere in '{kernel}'")
        print(f"{stage}: {changed} lines, {make_variant(bundle, kernel, os.path.join(out, stage), text)}")


main()
