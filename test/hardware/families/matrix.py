"""ldmatrix, stmatrix, movmatrix and mma.sync."""

from .builder import Family, generated

SHARED = """
    .shared .align 128 .b8 tile[2048];
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, tile;
    mad.lo.u32 %r2, %r0, 64, %r1;
    ld.param.u64 %d0, [image];
    mad.wide.u32 %d1, %r0, 64, %d0;
"""
FILL = "".join(f"""
    ld.global.v4.u32 {{%r10, %r11, %r12, %r13}}, [%d1+{16 * i}];
    st.shared.v4.u32 [%r2+{16 * i}], {{%r10, %r11, %r12, %r13}};
""" for i in range(4)) + """
    bar.sync 0;
    ld.param.u64 %d0, [rows];
    mad.wide.u32 %d0, %r0, 4, %d0;
    ld.global.u32 %r4, [%d0];
    mad.lo.u32 %r4, %r4, 16, %r1;
"""


def registers(count, first=20):
    return "{" + ", ".join(f"%r{first + i}" for i in range(count)) + "}"


def loads(family):
    for count in (1, 2, 4):
        for trans in ("", ".trans"):
            name = f"ldmatrix_x{count}{trans.replace('.', '_')}"
            stores = "".join(f"st.global.u32 [%d0+{128 * i}], %r{20 + i};\n" for i in range(count))
            body = SHARED + FILL + f"""
            ldmatrix.sync.aligned.m8n8.x{count}{trans}.shared::cta.b16 {registers(count)}, [%r4];
            ld.param.u64 %d0, [out];
            mad.wide.u32 %d0, %r0, 4, %d0;
            {stores}
            ret;
            """
            family.entry(name, {"image": "u64", "rows": "u64", "out": "u64"}, body)
            for label, first, step in (("rows", 0, 1), ("scattered", 5, 37)):
                files = {"x.npy": generated("bits", 512, 4, 71),
                         "r.npy": generated("sequence", 32, 4, 0, first=first, step=step,
                                            modulus=128)}
                family.case(f"{name}_{label}", name, [
                    "in:x.npy:u32", "in:r.npy:u32", f"out:u32[{32 * count}]:o.npy"], files,
                    block=32)


def stores(family):
    for count in (1, 2, 4):
        for trans in ("", ".trans"):
            name = f"stmatrix_x{count}{trans.replace('.', '_')}"
            fragment = "".join(f"ld.global.u32 %r{20 + i}, [%d1+{4 * i}];\n" for i in range(count))
            dump = "".join(f"""
            ld.shared.v4.u32 {{%r10, %r11, %r12, %r13}}, [%r2+{16 * i}];
            st.global.v4.u32 [%d0+{16 * i}], {{%r10, %r11, %r12, %r13}};
            """ for i in range(4))
            body = SHARED + FILL + f"""
            {fragment}
            bar.sync 0;
            stmatrix.sync.aligned.m8n8.x{count}{trans}.shared::cta.b16 [%r4], {registers(count)};
            bar.sync 0;
            ld.param.u64 %d0, [out];
            mad.wide.u32 %d0, %r0, 64, %d0;
            {dump}
            ret;
            """
            family.entry(name, {"image": "u64", "rows": "u64", "out": "u64"}, body)
            for label, first, step in (("rows", 0, 1), ("scattered", 5, 37)):
                files = {"x.npy": generated("bits", 512, 4, 72),
                         "r.npy": generated("sequence", 32, 4, 0, first=first, step=step,
                                            modulus=128)}
                family.case(f"{name}_{label}", name, [
                    "in:x.npy:u32", "in:r.npy:u32", "out:u32[512]:o.npy"], files, block=32)


FRAGMENT = """
    mov.u32 %r0, %tid.x;
    ld.param.u64 %d0, [image];
    mad.wide.u32 %d0, %r0, 48, %d0;
    ld.global.v4.u32 {%r20, %r21, %r22, %r23}, [%d0];
    ld.global.v4.u32 {%r24, %r25, %r26, %r27}, [%d0+16];
    ld.global.v4.u32 {%r28, %r29, %r30, %r31}, [%d0+32];
    ld.param.u64 %d1, [out];
    mad.wide.u32 %d1, %r0, 16, %d1;
"""
# shape, types, registers of A, B, C/D, value list, width
MMAS = (("m16n8k16", "f32.bf16.bf16.f32", 4, 2, 4, "bf16 ints", 2),
        ("m16n8k8", "f32.bf16.bf16.f32", 2, 1, 4, "bf16 ints", 2),
        ("m16n8k16", "f32.f16.f16.f32", 4, 2, 4, "f16 ints", 2),
        ("m16n8k16", "f16.f16.f16.f16", 4, 2, 2, "f16 ints", 2),
        ("m16n8k8", "f32.tf32.tf32.f32", 4, 2, 4, "f32 ints", 4),
        ("m16n8k32", "s32.s8.s8.s32", 4, 2, 4, None, 4),
        ("m16n8k32", "f32.e4m3.e4m3.f32", 4, 2, 4, "e4m3 ints", 1))


def mmas(family):
    for shape, kinds, a, b, c, values, width in MMAS:
        name = f"mma_{shape}_{kinds.replace('.', '_')}"
        integer = kinds.startswith("s32")
        clean = "" if integer or c == 2 else "".join(
            f"and.b32 %r3, %r{28 + i}, 31;\ncvt.rn.f32.u32 %r{28 + i}, %r3;\n" for i in range(4))
        results = "".join(f"st.global.u32 [%d1+{4 * i}], %r{32 + i};\n" for i in range(c))
        zeros = "".join(f"st.global.u32 [%d1+{4 * i}], 0;\n" for i in range(c, 4))
        body = FRAGMENT + clean + f"""
        mma.sync.aligned.{shape}.row.col.{kinds} {registers(c, 32)}, {registers(a)}, {registers(b, 24)}, {registers(c, 28)};
        {results}
        {zeros}
        ret;
        """
        family.entry(name, {"image": "u64", "out": "u64"}, body)
        image = (generated("choice", 384 * 4 // width, width, 73, values=values) if values
                 else generated("bits", 384, 4, 73))
        family.case(name, name, ["in:x.npy:u32", "out:u32[128]:o.npy"], {"x.npy": image},
                    block=32)
    for kind, mantissa, seed in (("bf16", dict(format=[8, 7], exponent=[117, 131]), 75),
                                 ("f16", dict(format=[5, 10], exponent=[8, 18]), 76)):
        image = generated("float", 768, 2, seed, values=[0], plain=True, **mantissa)
        family.case(f"mma_rounding_{kind}", f"mma_m16n8k16_f32_{kind}_{kind}_f32",
                    ["in:x.npy:u32", "out:u32[128]:o.npy"], {"x.npy": image}, block=32,
                    compare="products")
    family.entry("movmatrix", {"image": "u64", "out": "u64"}, FRAGMENT + """
        movmatrix.sync.aligned.m8n8.trans.b16 %r32, %r20;
        st.global.v4.u32 [%d1], {%r32, %r20, %r21, %r22};
        ret;
        """)
    family.case("movmatrix", "movmatrix", ["in:x.npy:u32", "out:u32[128]:o.npy"],
                {"x.npy": generated("bits", 384, 4, 74)}, block=32)


def family():
    result = Family("matrix")
    loads(result)
    stores(result)
    mmas(result)
    return result
