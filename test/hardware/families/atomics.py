"""Atomics and reductions in global and shared memory."""

from .builder import Family, WIDTHS, generated
from .elementwise import KINDS

COUNT = 128
ATOMS = (
    ("add", "u32", "u32"), ("add", "s32", "u32"), ("add", "u64", "u64"), ("add", "f32", "f32"),
    ("add", "f64", "f64"), ("add.noftz", "f16", "f16"), ("add.noftz", "f16x2", "f16x2"),
    ("add.noftz", "bf16", "bf16"), ("add.noftz", "bf16x2", "bf16x2"), ("min", "u32", "u32"),
    ("min", "s32", "u32"), ("min", "u64", "u64"), ("min", "s64", "u64"), ("max", "u32", "u32"),
    ("max", "s32", "u32"), ("max", "s64", "u64"), ("inc", "u32", "u32"), ("dec", "u32", "u32"),
    ("and", "b32", "u32"), ("or", "b32", "u32"), ("xor", "b32", "u32"), ("and", "b64", "u64"),
    ("xor", "b64", "u64"), ("exch", "b32", "u32"), ("exch", "b64", "u64"))


def own(family, space):
    """Each thread works on its own element and records what the operation returned."""
    for operation, kind, values in ATOMS:
        tag = f"{operation.replace('.', '_')}_{kind}"
        width = KINDS[values][0] * KINDS[values][1]
        b = WIDTHS[width]
        if space == "shared":
            where = (f"mov.u32 %r3, cells;\nmad.lo.u32 %r3, %r0, {width}, %r3;\n"
                     f"ld.global.{b} %o, [%d1];\nst.shared.{b} [%r3], %o;\nbar.sync 0;")
            target, back = "[%r3]", f"bar.sync 0;\nld.shared.{b} %o, [%r3];\nst.global.{b} [%d1], %o;"
        else:
            where, target, back = "", "[%d1]", ""
        body = f"""
        .shared .align 16 .b8 cells[1024];
        .reg .{b} %a;
        .reg .{b} %o;
        mov.u32 %r0, %tid.x;
        ld.param.u64 %d0, [x];
        mad.wide.u32 %d0, %r0, {width}, %d0;
        ld.global.{b} %a, [%d0];
        ld.param.u64 %d1, [y];
        mad.wide.u32 %d1, %r0, {width}, %d1;
        {where}
        atom.{space}.{operation}.{kind} %a, {target}, %a;
        {back}
        ld.param.u64 %d2, [out];
        mad.wide.u32 %d2, %r0, {width}, %d2;
        st.global.{b} [%d2], %a;
        ret;
        """
        name = family.entry(f"{space}_{tag}", {"x": "u64", "y": "u64", "out": "u64"}, body)
        unit, lanes, formula, options = KINDS[values]
        make = lambda seed: generated(formula, COUNT * lanes, unit, seed, **options)
        family.case(name, name, ["in:x.npy:u32", "inout:y.npy:u32:z.npy",
                                 f"out:u32[{COUNT * width // 4}]:o.npy"],
                    {"x.npy": make(91), "y.npy": make(92)})


def shared(family):
    """All threads of two CTAs update the same few words; only commutative exact operations."""
    for operation, kind in (("add", "u32"), ("add", "f32"), ("min", "s32"), ("max", "u32"),
                            ("xor", "b32"), ("inc", "u32")):
        operand = {"f32": "cvt.rn.f32.u32 %r3, %r3;"}.get(kind, "")
        if operation == "inc":
            operand = "mov.u32 %r3, 200;"
        body = f"""
        mov.u32 %r0, %tid.x;
        mov.u32 %r1, %ctaid.x;
        mad.lo.u32 %r2, %r1, 128, %r0;
        mul.lo.u32 %r3, %r2, 37;
        and.b32 %r3, %r3, 255;
        {operand}
        and.b32 %r4, %r0, 3;
        ld.param.u64 %d0, [y];
        mad.wide.u32 %d0, %r4, 4, %d0;
        red.relaxed.gpu.global.{operation}.{kind} [%d0], %r3;
        ret;
        """
        name = family.entry(f"contended_{operation}_{kind}", {"y": "u64"}, body)
        family.case(name, name, ["inout:y.npy:u32:o.npy"],
                    {"y.npy": generated("sequence", 4, 4, 0, first=0, step=0)}, grid=2)


VECTORS = (("v2.f32", 2, "f32", 4, "f32 ints"), ("v4.f32", 4, "f32", 4, "f32 ints"),
           ("noftz.v2.f16x2", 2, "b32", 2, "f16 ints"), ("noftz.v4.bf16x2", 4, "b32", 2, "bf16 ints"))


def vectors(family):
    for suffix, count, kind, width, values in VECTORS:
        operands = "{" + ", ".join(f"%r{20 + i}" for i in range(count)) + "}"
        loads = "".join(f"ld.global.b32 %r{20 + i}, [%d0+{4 * i}];\n" for i in range(count))
        form = suffix.replace("noftz.", "")
        ftz = ".noftz" if "noftz" in suffix else ""
        vector, element = form.split(".")
        body = f"""
        mov.u32 %r0, %tid.x;
        ld.param.u64 %d0, [x];
        mad.wide.u32 %d0, %r0, {4 * count}, %d0;
        {loads}
        ld.param.u64 %d1, [y];
        and.b32 %r1, %r0, 31;
        mad.wide.u32 %d1, %r1, {4 * count}, %d1;
        red.relaxed.gpu.global.add{ftz}.{vector}.{element} [%d1], {operands};
        ret;
        """
        name = family.entry(f"red_{vector}_{element}", {"x": "u64", "y": "u64"}, body)
        make = lambda n, seed: generated("choice", n * count * 4 // width, width, seed,
                                         values=values)
        family.case(name, name, ["in:x.npy:u32", "inout:y.npy:u32:o.npy"],
                    {"x.npy": make(128, 93), "y.npy": make(32, 94)})


def compareAndSwap(family):
    for kind, width in (("b32", 4), ("b64", 8), ("b16", 2)):
        b = WIDTHS[width]
        body = f"""
        .reg .{b} %a;
        .reg .{b} %b;
        mov.u32 %r0, %tid.x;
        ld.param.u64 %d0, [x];
        mad.wide.u32 %d0, %r0, {width}, %d0;
        ld.global.{b} %a, [%d0];
        ld.param.u64 %d1, [y];
        mad.wide.u32 %d1, %r0, {width}, %d1;
        ld.global.{b} %b, [%d1];
        and.b32 %r1, %r0, 1;
        setp.eq.u32 %p0, %r1, 0;
        @%p0 mov.{b} %b, %a;
        atom.global.cas.{kind} %b, [%d1], %b, %a;
        ld.param.u64 %d2, [out];
        mad.wide.u32 %d2, %r0, {width}, %d2;
        st.global.{b} [%d2], %b;
        ret;
        """
        name = family.entry(f"global_cas_{kind}", {"x": "u64", "y": "u64", "out": "u64"}, body)
        make = lambda seed: generated("bits", COUNT, width, seed)
        family.case(name, name, ["in:x.npy:u32", "inout:y.npy:u32:z.npy",
                                 f"out:u32[{COUNT * width // 4}]:o.npy"],
                    {"x.npy": make(95), "y.npy": make(96)})


def family():
    result = Family("atomics")
    own(result, "global")
    own(result, "shared")
    shared(result)
    vectors(result)
    compareAndSwap(result)
    return result
