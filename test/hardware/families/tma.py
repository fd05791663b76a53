"""TMA: tensor loads, stores and reductions, and loads that a cluster shares."""

from .builder import Family, generated, tensorMap

DTYPE_BYTES = {"u8": 1, "u16": 2, "u32": 4, "s32": 4, "u64": 8, "s64": 8, "f16": 2, "bf16": 2,
               "f32": 4, "f64": 8, "f32ftz": 4, "tf32": 4, "tf32ftz": 4}
SHARED = ".shared .align 1024 .b8 tile[{bytes}];\n.shared .align 8 .b8 bar[8];\n"

# Every shared-memory word of the tile starts as 0xA5A5A5A5, so untouched places show.
FILL = """
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, tile;
    mad.lo.u32 %r2, %r0, 4, %r1;
    ld.param.u32 %r3, [dump];
    shl.b32 %r4, %r0, 2;
    FILL:
    setp.ge.u32 %p0, %r4, %r3;
    @%p0 bra FILLED;
    st.shared.u32 [%r2], 0xA5A5A5A5;
    add.u32 %r2, %r2, 512;
    add.u32 %r4, %r4, 512;
    bra FILL;
    FILLED:
    fence.proxy.async;
"""
DUMP = """
    mov.u32 %r1, tile;
    mad.lo.u32 %r2, %r0, 4, %r1;
    ld.param.u64 %d0, [out];
    mad.wide.u32 %d0, %r0, 4, %d0;
    shl.b32 %r4, %r0, 2;
    DUMP:
    setp.ge.u32 %p0, %r4, %r3;
    @%p0 bra DONE;
    ld.shared.u32 %r5, [%r2];
    st.global.u32 [%d0], %r5;
    add.u32 %r2, %r2, 512;
    add.u32 %r4, %r4, 512;
    add.u64 %d0, %d0, 512;
    bra DUMP;
    DONE:
    ret;
"""
WAIT = """
    WAIT:
    mbarrier.try_wait.parity.shared::cta.b64 %p1, [bar], 0;
    @!%p1 bra WAIT;
"""


def coordinates(rank):
    return "{" + ", ".join(f"%r{20 + i}" for i in range(rank)) + "}"


def loadCoordinates(rank):
    return "".join(f"ld.param.u32 %r{20 + i}, [c{i}];\n" for i in range(rank))


def loadEntry(family, rank, dumpBytes):
    big = dumpBytes > 8192
    name = f"load_{rank}d" + ("_big" if big else "")
    parameters = {"map": "map", "out": "u64", "bytes": "u32", "dump": "u32", "offset": "u32"}
    parameters |= {f"c{i}": "u32" for i in range(rank)}
    body = SHARED.format(bytes=36864 if big else 8192) + FILL + f"""
    setp.ne.u32 %p2, %r0, 0;
    @%p2 bra SYNC;
    mbarrier.init.shared::cta.b64 [bar], 1;
    fence.mbarrier_init.release.cluster;
    SYNC:
    bar.sync 0;
    @%p2 bra JOIN;
    ld.param.u32 %r6, [bytes];
    mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], %r6;
    ld.param.u32 %r7, [offset];
    add.u32 %r7, %r7, %r1;
    mov.u32 %r8, bar;
    mov.u64 %d1, map;
    cvta.param.u64 %d1, %d1;
    {loadCoordinates(rank)}
    cp.async.bulk.tensor.{rank}d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r7], [%d1, {coordinates(rank)}], [%r8];
    JOIN:
    """ + WAIT + DUMP
    return family.entry(name, parameters, body)


def load(family, name, dtype, dims, box, at, swizzle="none", steps=None, oobFill="zero",
         pitch=None, offset=0, dump=None, generate=None):
    size = DTYPE_BYTES[dtype]
    rank = len(dims)
    strides, total = [], dims[0] * size if pitch is None else pitch
    total = -(-total // 16) * 16
    for dim in dims[1:]:
        strides.append(total)
        total *= dim
    steps = steps or [1] * rank
    boxBytes = size
    for index, (extent, step) in enumerate(zip(box, steps)):
        boxBytes *= -(-extent // step) if index else extent
    dump = dump or -(-(boxBytes + offset) // 512) * 512
    entry = loadEntry(family, rank, dump)
    files = {"x.npy": generate or generated("bits", total // 4, 4, 11)}
    args = [tensorMap("in:x.npy:u32", dtype, dims, strides, box, swizzle, steps, oobFill),
            f"out:u32[{dump // 4}]:o.npy", f"u32:{boxBytes}", f"u32:{dump}", f"u32:{offset}"]
    family.case(name, entry, args + [f"i32:{c}" for c in at], files)


def loads():
    family = Family("tma_load")
    floats = {"f32": "f32", "f32ftz": "f32", "tf32": "f32", "tf32ftz": "f32"}
    formats = {"f32": dict(format=[8, 23], exponent=[0, 140], values="f32"),
               "f16": dict(format=[5, 10], exponent=[0, 20], values="f16"),
               "bf16": dict(format=[8, 7], exponent=[0, 140], values="bf16"),
               "f64": dict(format=[11, 52], exponent=[0, 1040], values="f64")}
    for dtype, size in DTYPE_BYTES.items():
        kind = floats.get(dtype, dtype)
        generate = (generated("float", 512 // size, size, 5, **formats[kind])
                    if kind in formats else generated("bits", 512 // size, size, 5))
        for fill in ("zero", "nan") if kind in formats else ("zero",):
            load(family, f"1d_{dtype}_{fill}", dtype, [512 // size - 8], [256 // size],
                 [304 // size], oobFill=fill, generate=generate)
    load(family, "1d_below", "u32", [128], [64], [-20])
    load(family, "1d_inside", "f32", [128], [64], [32])
    load(family, "1d_offset_16", "f32", [128], [32], [32], offset=16)
    load(family, "1d_offset_64", "f32", [128], [32], [32], offset=64)
    load(family, "1d_far_outside", "u32", [128], [64], [1000])
    for swizzle, span in (("none", 256), ("32B", 32), ("64B", 64), ("128B", 128)):
        for part in (1, 2):
            if span // part < 16:
                continue
            load(family, f"2d_{swizzle}_span_over_{part}", "bf16", [160, 24],
                 [span // part // 2, 16], [8, 5], swizzle)
        load(family, f"2d_{swizzle}_u8", "u8", [320, 24], [min(span, 256), 9], [16, 2], swizzle)
        load(family, f"2d_{swizzle}_oob_low", "bf16", [64, 16], [min(span, 128) // 2, 16],
             [-8, -3], swizzle)
        load(family, f"2d_{swizzle}_oob_high_nan", "bf16", [64, 16], [min(span, 128) // 2, 16],
             [40, 9], swizzle, oobFill="nan")
        if span < 256:
            load(family, f"2d_{swizzle}_offset", "f32", [64, 16], [span // 4, 8], [4, 2], swizzle,
                 offset=384)
            load(family, f"3d_{swizzle}", "f16", [72, 9, 5], [span // 2, 3, 4], [-8, 7, 2],
                 swizzle)
    # The innermost coordinate must be a multiple of 16 bytes.
    load(family, "1d_unaligned", "u32", [128], [64], [6])
    load(family, "2d_unaligned", "bf16", [64, 16], [64, 8], [4, 0], "128B")
    load(family, "2d_row_block_256", "bf16", [64, 300], [64, 256], [0, 50], "128B")
    load(family, "2d_pitch", "u32", [20, 10], [16, 8], [8, 4], pitch=112)
    load(family, "2d_step_1_2", "u32", [64, 32], [16, 8], [4, 1], steps=[1, 2])
    load(family, "2d_step_1_3_oob", "u32", [64, 32], [16, 12], [4, 27], steps=[1, 3])
    load(family, "2d_step_2_1", "u32", [64, 32], [16, 4], [4, 1], steps=[2, 1])
    load(family, "2d_step_swizzled", "bf16", [64, 64], [64, 32], [0, 2], "128B", steps=[1, 4])
    load(family, "2d_step_low", "u32", [64, 32], [16, 8], [0, -3], steps=[1, 2])
    load(family, "2d_far_low", "u32", [64, 32], [16, 8], [-100, -100])
    load(family, "2d_single_row", "bf16", [64, 1], [64, 8], [0, 0], "128B")
    load(family, "2d_partial_row", "bf16", [40, 16], [64, 8], [0, 2], "128B")
    load(family, "3d_none", "u16", [24, 7, 5], [16, 4, 3], [-8, 5, -1])
    load(family, "3d_nan", "f32", [20, 7, 5], [16, 4, 3], [12, 5, 3], oobFill="nan")
    load(family, "4d_none", "u32", [12, 5, 4, 3], [8, 3, 2, 2], [-4, 3, -1, 2])
    load(family, "4d_inside", "bf16", [64, 4, 4, 3], [64, 2, 3, 2], [0, 1, 1, 1], "128B")
    load(family, "4d_64B_oob", "bf16", [40, 4, 4, 3], [32, 2, 3, 2], [16, 3, -1, 2], "64B")
    load(family, "5d_none", "u32", [8, 4, 3, 3, 2], [4, 3, 2, 2, 2], [4, -1, 2, -1, 1])
    load(family, "5d_inside", "bf16", [64, 3, 3, 3, 3], [32, 2, 2, 2, 2], [16, 1, 1, 1, 1], "64B")
    load(family, "5d_step", "u32", [8, 8, 3, 4, 4], [4, 4, 1, 4, 2], [0, 1, 1, 0, 1],
         steps=[1, 2, 1, 2, 1])
    return family


STORE = """
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, tile;
    ld.param.u32 %r3, [bytes];
    mad.lo.u32 %r2, %r0, 4, %r1;
    ld.param.u64 %d0, [source];
    mad.wide.u32 %d0, %r0, 4, %d0;
    shl.b32 %r4, %r0, 2;
    FILL:
    setp.ge.u32 %p0, %r4, %r3;
    @%p0 bra FILLED;
    ld.global.u32 %r5, [%d0];
    st.shared.u32 [%r2], %r5;
    add.u64 %d0, %d0, 512;
    add.u32 %r2, %r2, 512;
    add.u32 %r4, %r4, 512;
    bra FILL;
    FILLED:
    fence.proxy.async.shared::cta;
    bar.sync 0;
    setp.ne.u32 %p2, %r0, 0;
    @%p2 bra DONE;
    mov.u64 %d1, map;
    cvta.param.u64 %d1, %d1;
"""


def store(family, name, dtype, dims, box, at, swizzle="none", steps=None, reduce="", values=None,
          pitch=None):
    size, rank = DTYPE_BYTES[dtype], len(dims)
    op = f"cp.{'reduce.' if reduce else ''}async.bulk.tensor.{rank}d.global.shared::cta"
    suffix = f"{'.' + reduce if reduce else ''}.tile.bulk_group"
    body = SHARED.format(bytes=8192) + STORE + f"""
    {loadCoordinates(rank)}
    {op}{suffix} [%d1, {coordinates(rank)}], [%r1];
    cp.async.bulk.commit_group;
    cp.async.bulk.wait_group 0;
    DONE:
    ret;
    """
    parameters = {"map": "map", "source": "u64", "bytes": "u32"}
    parameters |= {f"c{i}": "u32" for i in range(rank)}
    entry = family.entry(f"{reduce or 'store'}_{rank}d", parameters, body)
    strides, total = [], pitch or -(-dims[0] * size // 16) * 16
    for dim in dims[1:]:
        strides.append(total)
        total *= dim
    boxBytes = size
    for extent in box:
        boxBytes *= extent
    def make(nbytes, seed):
        if values:
            return generated("choice", nbytes // size, size, seed, values=values)
        return generated("bits", nbytes // 4, 4, seed)
    files = {"x.npy": make(-(-boxBytes // 16) * 16, 21), "y.npy": make(total, 22)}
    args = [tensorMap("inout:y.npy:u32:o.npy", dtype, dims, strides, box, swizzle, steps),
            "in:x.npy:u32", f"u32:{boxBytes}"]
    family.case(name, entry, args + [f"i32:{c}" for c in at], files)


def stores():
    family = Family("tma_store")
    store(family, "1d_inside", "u32", [128], [32], [16])
    store(family, "1d_clipped", "u32", [120], [32], [100])
    store(family, "1d_below", "u32", [128], [32], [-8])
    for swizzle, span in (("none", 64), ("32B", 32), ("64B", 64), ("128B", 128)):
        store(family, f"2d_{swizzle}_inside", "bf16", [72, 16], [span // 2, 8], [8, 3], swizzle)
        store(family, f"2d_{swizzle}_clipped", "bf16", [56, 16], [span // 2, 8], [40, 11], swizzle)
    store(family, "2d_half_span", "bf16", [72, 16], [32, 8], [8, 3], "128B")
    store(family, "2d_negative", "u32", [24, 16], [16, 8], [-4, -2])
    store(family, "2d_negative_row", "u32", [24, 16], [16, 8], [0, -2])
    store(family, "2d_unaligned", "u32", [24, 16], [16, 8], [2, 2])
    store(family, "2d_outside", "u32", [24, 16], [16, 8], [32, 20])
    store(family, "2d_pitch", "f32", [20, 10], [16, 8], [8, 4], pitch=112)
    store(family, "2d_step", "u32", [24, 32], [16, 8], [4, 2], steps=[1, 2])
    store(family, "3d_clipped", "u16", [24, 7, 5], [16, 4, 3], [16, 5, 3])
    store(family, "4d_clipped", "u32", [12, 5, 4, 3], [8, 3, 2, 2], [8, 3, 3, 2])
    store(family, "5d_clipped", "u32", [8, 4, 3, 3, 2], [4, 3, 2, 2, 2], [4, 2, 2, 2, 1])
    for reduce in ("add", "min", "max"):
        for dtype in ("u32", "s32", "u64", "s64", "f16", "bf16") + (("f32",) if reduce == "add" else ()):
            if reduce == "add" and dtype == "s64":
                continue
            store(family, f"{reduce}_{dtype}", dtype, [24, 12], [16, 8], [16, 6], reduce=reduce,
                  values=dtype if dtype in ("f16", "bf16", "f32", "u32", "u64") else
                  {"s32": "u32", "s64": "u64"}[dtype])
    for reduce in ("inc", "dec", "and", "or", "xor"):
        store(family, f"{reduce}_u32", "u32", [24, 12], [16, 8], [4, 2], reduce=reduce)
    for reduce in ("and", "or", "xor"):
        store(family, f"{reduce}_u64", "u64", [24, 12], [16, 8], [4, 2], reduce=reduce)
    store(family, "add_bf16_128B", "bf16", [64, 12], [64, 8], [0, 2], "128B", reduce="add",
          values="bf16 ints")
    store(family, "add_f32_128B", "f32", [40, 12], [32, 8], [16, 6], "128B", reduce="add",
          values="f32 ints")
    store(family, "add_f32_3d", "f32", [20, 5, 4], [16, 4, 2], [8, 3, 3], reduce="add",
          values="f32 ints")
    return family


MULTICAST = """
    mov.u32 %r9, %cluster_ctarank;
    setp.ne.u32 %p2, %r0, 0;
    @%p2 bra SYNC;
    mbarrier.init.shared::cta.b64 [bar], 1;
    fence.mbarrier_init.release.cluster;
    SYNC:
    barrier.cluster.arrive.aligned;
    barrier.cluster.wait.aligned;
    ld.param.u32 %r10, [masks];
    ld.param.u32 %r6, [slice];
    mov.u32 %r11, 0;
    mov.u32 %r12, 0;
    COUNT:
    shl.b32 %r13, %r12, 3;
    add.u32 %r13, %r13, %r9;
    shr.u32 %r13, %r10, %r13;
    and.b32 %r13, %r13, 1;
    add.u32 %r11, %r11, %r13;
    add.u32 %r12, %r12, 1;
    setp.lt.u32 %p3, %r12, 4;
    @%p3 bra COUNT;
    setp.eq.u32 %p4, %r11, 0;
    @%p2 bra JOIN;
    mul.lo.u32 %r14, %r11, %r6;
    mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], %r14;
    shl.b32 %r13, %r9, 3;
    shr.u32 %r15, %r10, %r13;
    and.b32 %r15, %r15, 255;
    setp.eq.u32 %p5, %r15, 0;
    @%p5 bra JOIN;
    cvt.u16.u32 %h0, %r15;
    mad.lo.u32 %r7, %r9, %r6, %r1;
    mov.u32 %r8, bar;
    {issue}
    JOIN:
    @%p4 bra GO;
    {wait}
    GO:
    barrier.cluster.arrive.aligned;
    barrier.cluster.wait.aligned;
    mov.u32 %r16, %ctaid.x;
    ld.param.u64 %d0, [out];
    mad.wide.u32 %d0, %r16, %r3, %d0;
    st.param_placeholder;
"""


def multicastBody(issue):
    head, _ = MULTICAST.split("st.param_placeholder;")
    dump = DUMP.replace("ld.param.u64 %d0, [out];", "")
    return (SHARED.format(bytes=8192) + FILL + head.replace("{issue}", issue)
            .replace("{wait}", WAIT) + dump)


def multicasts():
    family = Family("multicast")
    tensor = """
    ld.param.u32 %r20, [c0];
    ld.param.u32 %r21, [c1];
    mad.lo.u32 %r21, %r9, 4, %r21;
    mov.u64 %d1, map;
    cvta.param.u64 %d1, %d1;
    cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%r7], [%d1, {%r20, %r21}], [%r8], %h0;
    """
    family.entry("tensor", {"map": "map", "out": "u64", "dump": "u32", "masks": "u32",
                            "slice": "u32", "c0": "u32", "c1": "u32"}, multicastBody(tensor))
    bulk = """
    ld.param.u64 %d1, [source];
    mad.wide.u32 %d1, %r9, %r6, %d1;
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r7], [%d1], %r6, [%r8], %h0;
    """
    family.entry("bulk", {"source": "u64", "out": "u64", "dump": "u32", "masks": "u32",
                          "slice": "u32"}, multicastBody(bulk))
    masks = {"all_from_0": (4, 0x0000000F), "each_to_all": (4, 0x0F0F0F0F),
             "odd_from_0": (4, 0x0000000A), "self": (4, 0x08040201), "pair": (2, 0x00000303),
             "swap": (2, 0x00000102), "mixed": (4, 0x03090600)}
    for name, (cluster, mask) in masks.items():
        args = [tensorMap("in:x.npy:u32", "bf16", [64, 30], [128], [64, 4], "128B"),
                f"out:u32[{cluster * 512}]:o.npy", "u32:2048", f"u32:{mask}", "u32:512", "i32:0",
                "i32:3"]
        files = {"x.npy": generated("bits", 64 * 30 // 2, 4, 31)}
        family.case(f"tensor_{name}", "tensor", args, files, grid=cluster, cluster=cluster)
        family.case(f"bulk_{name}", "bulk",
                    ["in:x.npy:u32", f"out:u32[{cluster * 512}]:o.npy", "u32:2048", f"u32:{mask}",
                     "u32:512"], files, grid=cluster, cluster=cluster)
    family.case("tensor_two_clusters", "tensor", [
        tensorMap("in:x.npy:u32", "bf16", [64, 30], [128], [64, 4], "128B"),
        f"out:u32[{4 * 512}]:o.npy", "u32:2048", f"u32:{0x303}", "u32:512", "i32:8", "i32:25"],
        files, grid=4, cluster=2)
    return family
