"""Exact floating-point arithmetic: f32, f16x2, bf16x2, f64, comparisons."""

from .builder import Family
from .elementwise import op

COMPARISONS = ("eq ne lt le gt ge equ neu ltu leu gtu geu num nan").split()


def addF32(family):
    for rounding in ("rn", "rz", "rm", "rp"):
        for suffix in ("", ".ftz", ".sat") if rounding != "rn" else ("", ".ftz", ".sat", ".ftz.sat"):
            tag = f"{rounding}{suffix}".replace(".", "_")
            for name in ("add", "sub", "mul"):
                if name == "sub" and suffix:
                    continue
                op(family, f"{name}_{tag}_f32", f"{name}.{rounding}{suffix}.f32 %o, %a, %b;",
                   "f32 f32")
            op(family, f"fma_{tag}_f32", f"fma.{rounding}{suffix}.f32 %o, %a, %b, %c;",
               "f32 f32 f32")
        for suffix in ("", ".ftz"):
            tag = f"{rounding}{suffix}".replace(".", "_")
            op(family, f"div_{tag}_f32", f"div.{rounding}{suffix}.f32 %o, %a, %b;", "f32 f32")
            op(family, f"rcp_{tag}_f32", f"rcp.{rounding}{suffix}.f32 %o, %a;", "f32")
            op(family, f"sqrt_{tag}_f32", f"sqrt.{rounding}{suffix}.f32 %o, %a;", "f32")


def selectF32(family):
    for name in ("min", "max"):
        for suffix in ("", ".ftz", ".NaN", ".ftz.NaN", ".xorsign.abs", ".NaN.xorsign.abs"):
            tag = suffix.replace(".", "_")
            op(family, f"{name}{tag}_f32", f"{name}{suffix}.f32 %o, %a, %b;", "f32 f32")
    for name in ("abs", "neg", "abs.ftz", "neg.ftz"):
        op(family, f"{name.replace('.', '_')}_f32", f"{name}.f32 %o, %a;", "f32")
    op(family, "copysign_f32", "copysign.f32 %o, %a, %b;", "f32 f32")
    op(family, "slct_f32", "slct.f32.f32 %o, %a, %b, %c;", "f32 f32 f32")
    for name in ("finite", "infinite", "number", "notanumber", "normal", "subnormal"):
        op(family, f"testp_{name}", f"testp.{name}.f32 %p0, %a;\nselp.u32 %o, 1, 0, %p0;", "f32")
    every = "\n".join(f"setp.{c}{{ftz}}.f32 %p0, %a, %b;\nselp.u32 %r3, {1 << i}, 0, %p0;\n"
                      "or.b32 %o, %o, %r3;" for i, c in enumerate(COMPARISONS))
    for ftz in ("", ".ftz"):
        op(family, "setp" + ftz.replace(".", "_") + "_f32",
           "mov.u32 %o, 0;\n" + every.replace("{ftz}", ftz), "f32 f32")
    op(family, "set_f32", "set.lt.f32.f32 %o, %a, %b;", "f32 f32")
    op(family, "set_u32", "set.geu.u32.f32 %o, %a, %b;", "f32 f32")
    op(family, "setp_and", "setp.lt.f32 %p1, %a, %c;\nsetp.gt.and.f32 %p0|%p2, %a, %b, %p1;\n"
       "selp.u32 %o, 1, 0, %p0;\nselp.u32 %r3, 2, 0, %p2;\nor.b32 %o, %o, %r3;", "f32 f32 f32")


def halfPairs(family):
    for kind in ("f16", "bf16"):
        pair = kind + "x2"
        f16 = kind == "f16"
        adds = [("add", ""), ("sub", ""), ("mul", ""), ("add", ".rn"), ("mul", ".rn")]
        adds += [(n, s) for n in ("add", "sub", "mul") for s in (".ftz", ".sat", ".ftz.sat")
                 if f16]
        for name, suffix in adds:
            op(family, f"{name}{suffix.replace('.', '_')}_{pair}",
               f"{name}{suffix}.{pair} %o, %a, %b;", f"{pair} {pair}")
        fmas = ["", ".relu"] + ([".ftz", ".sat", ".ftz.relu"] if f16 else [])
        for suffix in fmas:
            op(family, f"fma_rn{suffix.replace('.', '_')}_{pair}",
               f"fma.rn{suffix}.{pair} %o, %a, %b, %c;", f"{pair} {pair} {pair}")
        for name in ("min", "max"):
            for suffix in ["", ".NaN", ".xorsign.abs", ".NaN.xorsign.abs"] + (
                    [".ftz", ".ftz.NaN"] if f16 else []):
                op(family, f"{name}{suffix.replace('.', '_')}_{pair}",
                   f"{name}{suffix}.{pair} %o, %a, %b;", f"{pair} {pair}")
        for name in ("abs", "neg"):
            op(family, f"{name}_{pair}", f"{name}.{pair} %o, %a;", pair)
        op(family, f"fma_rn_{kind}", f"fma.rn.{kind} %o, %a, %b, %c;", f"{kind} {kind} {kind}", 2)
        op(family, f"max_NaN_{kind}", f"max.NaN.{kind} %o, %a, %b;", f"{kind} {kind}", 2)
        both = "\n".join(f"setp.{c}.{pair} %p0|%p1, %a, %b;\nselp.u32 %r3, {1 << i}, 0, %p0;\n"
                         f"selp.u32 %r4, {1 << (i + 16)}, 0, %p1;\nor.b32 %o, %o, %r3;\n"
                         "or.b32 %o, %o, %r4;" for i, c in enumerate(COMPARISONS))
        op(family, f"setp_{pair}", "mov.u32 %o, 0;\n" + both, f"{pair} {pair}")
        op(family, f"set_{pair}", f"set.gt.{pair}.{pair} %o, %a, %b;", f"{pair} {pair}")


def doubles(family):
    for name in ("add", "mul", "sub"):
        op(family, f"{name}_rn_f64", f"{name}.rn.f64 %o, %a, %b;", "f64 f64", 8)
    op(family, "fma_rn_f64", "fma.rn.f64 %o, %a, %b, %c;", "f64 f64 f64", 8)
    op(family, "fma_rz_f64", "fma.rz.f64 %o, %a, %b, %c;", "f64 f64 f64", 8)
    op(family, "div_rn_f64", "div.rn.f64 %o, %a, %b;", "f64 f64", 8)
    op(family, "sqrt_rn_f64", "sqrt.rn.f64 %o, %a;", "f64", 8)
    for name in ("min", "max"):
        op(family, f"{name}_f64", f"{name}.f64 %o, %a, %b;", "f64 f64", 8)


def family():
    result = Family("floating")
    addF32(result)
    selectF32(result)
    halfPairs(result)
    doubles(result)
    return result
