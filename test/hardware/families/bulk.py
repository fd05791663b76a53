"""cp.async.bulk between global and shared memory, bulk reductions, and cp.async."""

from .builder import Family, generated

SHARED = ".shared .align 128 .b8 tile[4096];\n.shared .align 8 .b8 bar[8];\n"
COPY_IN = """
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, tile;
    mad.lo.u32 %r2, %r0, 16, %r1;
    ld.param.u64 %d0, [source];
    mad.wide.u32 %d0, %r0, 16, %d0;
    ld.global.v4.u32 {%r10, %r11, %r12, %r13}, [%d0];
    st.shared.v4.u32 [%r2], {%r10, %r11, %r12, %r13};
    fence.proxy.async;
    bar.sync 0;
    setp.ne.u32 %p2, %r0, 0;
"""
COPY_OUT = """
    ld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [%r2];
    ld.param.u64 %d0, [out];
    mad.wide.u32 %d0, %r20, 16, %d0;
    st.global.v4.u32 [%d0], {%r10, %r11, %r12, %r13};
    ret;
"""
REDUCTIONS = {
    "add": "u32 s32 u64 f32 f64 f16 bf16", "min": "u32 s32 u64 s64 f16 bf16",
    "max": "u32 s32 u64 s64 f16 bf16", "inc": "u32", "dec": "u32", "and": "b32 b64",
    "or": "b32 b64", "xor": "b32 b64"}
WIDTH = {"u32": 4, "s32": 4, "b32": 4, "f32": 4, "u64": 8, "s64": 8, "b64": 8, "f64": 8,
         "f16": 2, "bf16": 2}
VALUES = {"u32": "u32", "s32": "u32", "u64": "u64", "s64": "u64", "f32": "f32", "f64": "f64",
          "f16": "f16", "bf16": "bf16"}


def loads(family):
    body = SHARED + COPY_IN + """
    mov.u32 %r20, %r0;
    @!%p2 mbarrier.init.shared::cta.b64 [bar], 1;
    @!%p2 fence.mbarrier_init.release.cluster;
    bar.sync 0;
    @%p2 bra JOIN;
    ld.param.u32 %r3, [bytes];
    mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], %r3;
    ld.param.u32 %r4, [offset];
    add.u32 %r4, %r4, %r1;
    ld.param.u64 %d1, [from];
    mov.u32 %r5, bar;
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r4], [%d1], %r3, [%r5];
    JOIN:
    WAIT:
    mbarrier.try_wait.parity.shared::cta.b64 %p1, [bar], 0;
    @!%p1 bra WAIT;
    """ + COPY_OUT
    entry = family.entry("load", {"source": "u64", "from": "u64", "out": "u64", "bytes": "u32",
                                  "offset": "u32"}, body)
    for size, offset in ((16, 0), (48, 16), (512, 128), (1040, 32), (2048, 0),
                         (24, 0), (16, 8)):
        files = {"x.npy": generated("bits", 512, 4, 51), "y.npy": generated("bits", 512, 4, 52)}
        family.case(f"load_{size}_at_{offset}", entry, [
            "in:x.npy:u32", "in:y.npy:u32", "out:u32[512]:o.npy", f"u32:{size}",
            f"u32:{offset}"], files)


def stores(family):
    def entry(name, instruction):
        body = SHARED + COPY_IN + f"""
        @%p2 bra END;
        ld.param.u64 %d1, [to];
        ld.param.u32 %r3, [bytes];
        ld.param.u32 %r4, [offset];
        add.u32 %r5, %r4, %r1;
        cvt.u64.u32 %d2, %r4;
        add.u64 %d1, %d1, %d2;
        {instruction} [%d1], [%r5], %r3;
        cp.async.bulk.commit_group;
        cp.async.bulk.wait_group 0;
        END:
        ret;
        """
        return family.entry(name, {"source": "u64", "to": "u64", "bytes": "u32",
                                   "offset": "u32"}, body)

    def case(name, entryName, width, values, size, offset):
        make = lambda seed: (generated("choice", 2048 // width, width, seed, values=values)
                             if values else generated("bits", 512, 4, seed))
        files = {"x.npy": make(53), "y.npy": make(54)}
        family.case(name, entryName, ["in:x.npy:u32", "inout:y.npy:u32:o.npy", f"u32:{size}",
                                      f"u32:{offset}"], files)

    name = entry("store", "cp.async.bulk.global.shared::cta.bulk_group")
    for size, offset in ((16, 0), (64, 48), (2048, 0)):
        case(f"store_{size}_at_{offset}", name, 4, None, size, offset)
    for operation, types in REDUCTIONS.items():
        for kind in types.split():
            noftz = ".noftz" if operation == "add" and kind in ("f16", "bf16") else ""
            name = entry(f"{operation}_{kind}", "cp.reduce.async.bulk.global.shared::cta"
                         f".bulk_group.{operation}{noftz}.{kind}")
            case(f"{operation}_{kind}", name, WIDTH[kind], VALUES.get(kind), 1024, 64)
    for kind in ("f32", "f16", "bf16"):
        case(f"add_ints_{kind}", f"add_{kind}", WIDTH[kind], f"{kind} ints", 2048, 0)


def peers(family):
    for operation, kind in (("copy", "b8"), ("add", "u32"), ("add", "s32"), ("add", "u64"),
                            ("min", "u32"), ("min", "s32"), ("max", "u32"), ("max", "s32"),
                            ("inc", "u32"), ("dec", "u32"), ("and", "b32"), ("or", "b32"),
                            ("xor", "b32")):
        head = "cp.async.bulk" if operation == "copy" else "cp.reduce.async.bulk"
        tail = "" if operation == "copy" else f".{operation}.{kind}"
        body = SHARED + COPY_IN + f"""
        mov.u32 %r6, %ctaid.x;
        mad.lo.u32 %r20, %r6, 128, %r0;
        mov.u32 %r7, %cluster_ctarank;
        mad.lo.u32 %r8, %r7, 3, %r10;
        add.u32 %r11, %r11, %r7;
        st.shared.v4.u32 [%r2], {{%r8, %r11, %r12, %r13}};
        st.shared.v4.u32 [%r2+2048], {{%r13, %r12, %r11, %r8}};
        fence.proxy.async;
        @!%p2 mbarrier.init.shared::cta.b64 [bar], 1;
        @!%p2 mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 1024;
        @!%p2 fence.mbarrier_init.release.cluster;
        barrier.cluster.arrive.aligned;
        barrier.cluster.wait.aligned;
        @%p2 bra WAIT;
        xor.b32 %r9, %r7, 1;
        mov.u32 %r5, bar;
        mapa.shared::cluster.u32 %r5, %r5, %r9;
        mapa.shared::cluster.u32 %r4, %r1, %r9;
        add.u32 %r4, %r4, 256;
        add.u32 %r3, %r1, 2048;
        {head}.shared::cluster.shared::cta.mbarrier::complete_tx::bytes{tail} [%r4], [%r3], 1024, [%r5];
        WAIT:
        mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p1, [bar], 0;
        @!%p1 bra WAIT;
        barrier.cluster.arrive.aligned;
        barrier.cluster.wait.aligned;
        """ + COPY_OUT
        name = family.entry(f"peer_{operation}_{kind}", {"source": "u64", "out": "u64"}, body)
        width = WIDTH.get(kind, 4)
        values = VALUES.get(kind, "u32")
        family.case(name, name, ["in:x.npy:u32", "out:u32[1024]:o.npy"],
                    {"x.npy": generated("choice", 2048 // width, width, 55, values=values)},
                    grid=2, cluster=2)


def small(family):
    """cp.async with its zero fill for short sources."""
    for size, cache in ((4, "ca"), (8, "ca"), (16, "ca"), (16, "cg")):
        body = SHARED + COPY_IN.replace("setp.ne.u32 %p2, %r0, 0;", "") + f"""
        mov.u32 %r20, %r0;
        ld.param.u64 %d1, [from];
        mad.wide.u32 %d1, %r0, 16, %d1;
        rem.u32 %r3, %r0, {size + 1};
        cp.async.{cache}.shared::cta.global [%r2], [%d1], {size}, %r3;
        cp.async.commit_group;
        cp.async.wait_group 0;
        bar.sync 0;
        """ + COPY_OUT
        name = family.entry(f"cp_async_{cache}_{size}",
                            {"source": "u64", "from": "u64", "out": "u64"}, body)
        files = {"x.npy": generated("bits", 512, 4, 56), "y.npy": generated("bits", 512, 4, 57)}
        family.case(name, name, ["in:x.npy:u32", "in:y.npy:u32", "out:u32[512]:o.npy"], files)


def family():
    result = Family("bulk")
    loads(result)
    stores(result)
    peers(result)
    small(result)
    return result
