"""Integer and bit-field instructions, edge operands included."""

from .builder import Family
from .elementwise import op

LUTS = (0xC0, 0x3C, 0x96, 0xE8, 0xCA, 0x1B)


def arithmetic(family):
    for kind, types in (("u16", ("s16", "u16")), ("u32", ("s32", "u32")), ("u64", ("s64", "u64"))):
        width = {"u16": 2, "u32": 4, "u64": 8}[kind]
        for t in types:
            for name in ("mul.lo", "mul.hi", "div", "rem", "min", "max"):
                op(family, f"{name.replace('.', '_')}_{t}", f"{name}.{t} %o, %a, %b;",
                   f"{kind} {kind}", width)
            op(family, f"mad_lo_{t}", f"mad.lo.{t} %o, %a, %b, %c;", f"{kind} {kind} {kind}", width)
            if width < 8:
                op(family, f"mul_wide_{t}", f"mul.wide.{t} %o, %a, %b;", f"{kind} {kind}",
                   width * 2)
            op(family, f"mad_hi_{t}", f"mad.hi.{t} %o, %a, %b, %c;", f"{kind} {kind} {kind}", width)
            op(family, f"sad_{t}", f"sad.{t} %o, %a, %b, %c;", f"{kind} {kind} {kind}", width)
        signed = types[0]
        op(family, f"abs_{signed}", f"abs.{signed} %o, %a;", kind, width)
        op(family, f"neg_{signed}", f"neg.{signed} %o, %a;", kind, width)
    for t in ("s32", "u32"):
        op(family, f"mad_wide_{t}", f"mad.wide.{t} %o, %a, %b, %c;", "u32 u32 u64", 8)
        for form in ("lo", "hi"):
            op(family, f"mul24_{form}_{t}", f"mul24.{form}.{t} %o, %a, %b;", "bits32 bits32")
        op(family, f"dp4a_{t}", f"dp4a.{t}.{t} %o, %a, %b, %c;", "bits32 bits32 bits32")
        op(family, f"dp2a_{t}", f"dp2a.lo.{t}.{t} %o, %a, %b, %c;", "bits32 bits32 bits32")
    op(family, "dp4a_mixed", "dp4a.s32.u32 %o, %a, %b, %c;", "bits32 bits32 bits32")
    op(family, "add_sat_s32", "add.sat.s32 %o, %a, %b;", "u32 u32")
    op(family, "sub_sat_s32", "sub.sat.s32 %o, %a, %b;", "u32 u32")
    op(family, "min_relu_s32", "min.relu.s32 %o, %a, %b;", "u32 u32")
    op(family, "max_relu_s32", "max.relu.s32 %o, %a, %b;", "u32 u32")
    for t in ("s16x2", "u16x2"):
        op(family, f"min_{t}", f"min.{t} %o, %a, %b;", "bits32 bits32")
        op(family, f"add_{t}", f"add.{t} %o, %a, %b;", "bits32 bits32")
    op(family, "max_relu_s16x2", "max.relu.s16x2 %o, %a, %b;", "bits32 bits32")
    op(family, "add_carry", "add.cc.u32 %r3, %a, %b;\naddc.cc.u32 %r4, %c, %b;\n"
       "addc.u32 %o, 0, 0;\nmad.lo.u32 %o, %o, 17, %r4;", "u32 u32 u32")
    op(family, "sub_borrow", "sub.cc.u32 %r3, %a, %b;\nsubc.cc.u32 %r4, %c, %b;\n"
       "subc.u32 %o, 0, 0;\nmad.lo.u32 %o, %o, 17, %r4;", "u32 u32 u32")
    op(family, "mad_carry", "mad.lo.cc.u32 %r3, %a, %b, %c;\nmadc.hi.u32 %o, %a, %b, %c;\n"
       "xor.b32 %o, %o, %r3;", "u32 u32 u32")


def bits(family):
    for width, kind in ((4, "u32"), (8, "u64")):
        b, u, s = (f"{letter}{width * 8}" for letter in "bus")
        op(family, f"popc_{b}", f"popc.{b} %o, %a;", kind)
        op(family, f"clz_{b}", f"clz.{b} %o, %a;", kind)
        op(family, f"brev_{b}", f"brev.{b} %o, %a;", kind, width)
        for t in (u, s):
            op(family, f"bfind_{t}", f"bfind.{t} %o, %a;", kind)
            op(family, f"bfind_shiftamt_{t}", f"bfind.shiftamt.{t} %o, %a;", kind)
            op(family, f"bfe_{t}", f"bfe.{t} %o, %a, %b, %c;", f"{kind} count count", width)
            op(family, f"shr_{t}", f"shr.{t} %o, %a, %b;", f"{kind} count", width)
        op(family, f"bfi_{b}", f"shr.u32 %r3, %c, 1;\nbfi.{b} %o, %a, 0x1234567, %c, %r3;"
           if width == 4 else f"cvt.u64.u32 %d5, %b;\nshr.u32 %r3, %c, 1;\n"
           f"bfi.{b} %o, %a, %d5, %c, %r3;", f"{kind} u32 count", width)
        op(family, f"shl_{b}", f"shl.{b} %o, %a, %b;", f"{kind} count", width)
        op(family, f"not_{b}", f"not.{b} %o, %a;", kind, width)
        op(family, f"cnot_{b}", f"cnot.{b} %o, %a;", kind, width)
    op(family, "shl_b16", "shl.b16 %o, %a, %b;", "u16 count", 2)
    op(family, "shr_s16", "shr.s16 %o, %a, %b;", "u16 count", 2)
    op(family, "shr_u16", "shr.u16 %o, %a, %b;", "u16 count", 2)
    for direction in "lr":
        for mode in ("clamp", "wrap"):
            op(family, f"shf_{direction}_{mode}", f"shf.{direction}.{mode}.b32 %o, %a, %b, %c;",
               "bits32 bits32 count")
    for mode in ("", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"):
        op(family, "prmt" + mode.replace(".", "_"), f"prmt.b32{mode} %o, %a, %b, %c;",
           "bits32 bits32 bits32")
    for lut in LUTS:
        op(family, f"lop3_{lut:02x}", f"lop3.b32 %o, %a, %b, %c, {lut};", "bits32 bits32 bits32")
    op(family, "bmsk_clamp", "bmsk.clamp.b32 %o, %a, %b;", "count count")
    op(family, "bmsk_wrap", "bmsk.wrap.b32 %o, %a, %b;", "count count")
    op(family, "szext_clamp_s32", "szext.clamp.s32 %o, %a, %b;", "u32 count")
    op(family, "szext_wrap_u32", "szext.wrap.u32 %o, %a, %b;", "u32 count")
    op(family, "fns", "and.b32 %r3, %b, 31;\nshr.s32 %r4, %c, 28;\nfns.b32 %o, %a, %r3, %r4;",
       "bits32 bits32 bits32")


def family():
    result = Family("integer")
    arithmetic(result)
    bits(result)
    return result
