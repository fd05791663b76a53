"""Kernels of one instruction: thread i reads element i of each input and writes result i."""

from .builder import WIDTHS, generated

COUNT = 256

F32_SPECIALS = [
    0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007FFFFF, 0x807FFFFF, 0x00800000,
    0x80800000, 0x3F800000, 0xBF800000, 0x3F800001, 0xBF7FFFFF, 0x7F7FFFFF, 0xFF7FFFFF,
    0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00001, 0x7F800001, 0x3F000000, 0x3FC00000,
    0x40200000, 0xBF000000, 0xC0200000, 0x4F000000, 0xCF000000, 0x4F800000, 0x5F000000,
    0x437F8000, 0x43E00000, 0x477FE000, 0x477FF000, 0x33000000, 0x33800000, 0x387FC000]
F64_SPECIALS = [
    0x0000000000000000, 0x8000000000000000, 0x0000000000000001, 0x000FFFFFFFFFFFFF,
    0x0010000000000000, 0x3FF0000000000000, 0xBFF0000000000001, 0x7FEFFFFFFFFFFFFF,
    0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0x7FF0000000000001,
    0x3FE0000000000000, 0x41DFFFFFFFC00000, 0xC1E0000000000000, 0x47EFFFFFE0000000,
    0x47EFFFFFF0000000, 0x36A0000000000000, 0x3690000000000000]
F16_SPECIALS = [
    0x0000, 0x8000, 0x0001, 0x8001, 0x03FF, 0x83FF, 0x0400, 0x8400, 0x3C00, 0xBC00, 0x3C01,
    0x7BFF, 0xFBFF, 0x7C00, 0xFC00, 0x7E00, 0xFE01, 0x7C01, 0x3800, 0x3E00, 0x4100]
BF16_SPECIALS = [
    0x0000, 0x8000, 0x0001, 0x8001, 0x007F, 0x807F, 0x0080, 0x8080, 0x3F80, 0xBF80, 0x3F81,
    0x7F7F, 0xFF7F, 0x7F80, 0xFF80, 0x7FC0, 0xFFC1, 0x7F81, 0x3F00, 0x3FC0, 0x4020]
U32_SPECIALS = [0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 33, 63, 64, 0x7F, 0x80, 0xFF, 0x100, 0x7FFF,
                0x8000, 0xFFFF, 0x10000, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFE,
                0xFFFFFFFF]
U64_SPECIALS = U32_SPECIALS + [0x100000000, 0x7FFFFFFFFFFFFFFF, 0x8000000000000000,
                               0x8000000000000001, 0xFFFFFFFFFFFFFFFE, 0xFFFFFFFFFFFFFFFF]

# Value lists that the formulas name.
VALUES = {
    "f32": F32_SPECIALS, "f64": F64_SPECIALS, "f16": F16_SPECIALS, "bf16": BF16_SPECIALS,
    "u16": [v for v in U32_SPECIALS if v < 1 << 16], "u32": U32_SPECIALS, "u64": U64_SPECIALS,
    "count": list(range(0, 72)) + [255, 256, 0xFFFFFFFF],
    "bf16 ints": [0, 0x3F80, 0xBF80, 0x4000, 0xC000, 0x4040, 0xC040, 0x4080, 0xC080],
    "f16 ints": [0, 0x3C00, 0xBC00, 0x4000, 0xC000, 0x4200, 0xC200, 0x4400, 0xC400],
    "f32 ints": [0, 0x3F800000, 0xBF800000, 0x40000000, 0xC0000000, 0x40400000, 0xC0400000],
    "e4m3 ints": [0, 0x38, 0xB8, 0x40, 0xC0, 0x44, 0xC4, 0x48, 0xC8],
    "e5m2 ints": [0, 0x3C, 0xBC, 0x40, 0xC0, 0x42, 0xC2, 0x44, 0xC4],
}

# kind of input: element width, elements for each thread, formula
KINDS = {
    "f32": (4, 1, "float", dict(values="f32", format=[8, 23], exponent=[118, 136])),
    "f64": (8, 1, "float", dict(values="f64", format=[11, 52], exponent=[1010, 1040])),
    "f16": (2, 1, "float", dict(values="f16", format=[5, 10], exponent=[10, 20])),
    "bf16": (2, 1, "float", dict(values="bf16", format=[8, 7], exponent=[120, 134])),
    "f16x2": (2, 2, "float", dict(values="f16", format=[5, 10], exponent=[10, 20])),
    "bf16x2": (2, 2, "float", dict(values="bf16", format=[8, 7], exponent=[120, 134])),
    "u16": (2, 1, "integer", dict(values="u16")),
    "u32": (4, 1, "integer", dict(values="u32")),
    "u64": (8, 1, "integer", dict(values="u64")),
    "count": (4, 1, "choice", dict(values="count")),
    "bits16": (2, 1, "bits", {}),
    "bits32": (4, 1, "bits", {}),
    "bits64": (8, 1, "bits", {}),
}


def defineEntry(family, name, body, widths, outWidth, setup=""):
    """Adds the kernel; `body` uses registers %a %b %c (inputs) and %o (result)."""
    names = "abc"[:len(widths)]
    parameters = {f"in_{n}": "u64" for n in names} | {"out": "u64"}
    lines = [f".reg .{WIDTHS[w]} %{n};" for n, w in zip(names, widths)]
    lines += [f".reg .{WIDTHS[outWidth]} %o;", "mov.u32 %r0, %ctaid.x;",
              "mov.u32 %r1, %ntid.x;", "mov.u32 %r2, %tid.x;",
              "mad.lo.u32 %r0, %r0, %r1, %r2;"]
    for n, w in zip(names, widths):
        lines += [f"ld.param.u64 %d0, [in_{n}];", f"mad.wide.u32 %d0, %r0, {w}, %d0;",
                  f"ld.global.{WIDTHS[w]} %{n}, [%d0];"]
    lines += [body, "ld.param.u64 %d0, [out];", f"mad.wide.u32 %d0, %r0, {outWidth}, %d0;",
              f"st.global.{WIDTHS[outWidth]} [%d0], %o;", "ret;"]
    return family.entry(name, parameters, "\n".join(lines))


def op(family, name, body, kinds, outWidth=4, count=COUNT, **extra):
    """One instruction, one kernel, one case."""
    kinds = kinds.split()
    widths = [KINDS[k][0] * KINDS[k][1] for k in kinds]
    entry = defineEntry(family, name, body, widths, outWidth)
    files, args = {}, []
    for letter, kind in zip("abc", kinds):
        width, lanes, formula, options = KINDS[kind]
        seed = sum(map(ord, name)) * 4 + ord(letter) - ord("a")
        files[f"{letter}.npy"] = generated(formula, count * lanes, width, seed, **options)
        args.append(f"in:{letter}.npy:u32")
    args.append(f"out:u32[{count * outWidth // 4}]:o.npy")
    family.case(name, entry, args, files, block=128, grid=count // 128, **extra)
