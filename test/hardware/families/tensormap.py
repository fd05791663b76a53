"""Tensor maps that the kernel builds from zeros, or changes, with tensormap.replace."""

from .builder import Family, generated, tensorMap

ELEMENT_TYPES = {"u8": (0, 1), "u16": (1, 2), "u32": (2, 4), "s32": (3, 4), "u64": (4, 8),
                 "s64": (5, 8), "f16": (6, 2), "f32": (7, 4), "f32ftz": (8, 4), "f64": (9, 8),
                 "bf16": (10, 2)}
SWIZZLES = {"none": 0, "32B": 1, "64B": 2, "128B": 3}


def replace(field, width, operands):
    return f"@!%p2 tensormap.replace.tile.{field}.shared::cta.b1024.b{width} [desc], {operands};\n"


def built(dtype, dims, strides, box, swizzle, steps, fill):
    text = replace("global_address", 64, "%d1") + replace("rank", 32, len(dims) - 1)
    for i, extent in enumerate(box):
        text += replace("box_dim", 32, f"{i}, {extent}")
    for i, extent in enumerate(dims):
        text += replace("global_dim", 32, f"{i}, {extent}")
    for i, stride in enumerate(strides):
        text += f"mov.b64 %d6, {stride};\n" + replace("global_stride", 64, f"{i}, %d6")
    for i, step in enumerate(steps):
        text += replace("element_stride", 32, f"{i}, {step}")
    return (text + replace("elemtype", 32, ELEMENT_TYPES[dtype][0])
            + replace("interleave_layout", 32, 0) + replace("swizzle_mode", 32, SWIZZLES[swizzle])
            + replace("fill_mode", 32, fill))


def body(prepare, at, boxBytes):
    rank = len(at)
    moves = "".join(f"mov.u32 %r{20 + i}, {c};\n" for i, c in enumerate(at))
    coordinates = "{" + ", ".join(f"%r{20 + i}" for i in range(rank)) + "}"
    return f"""
    .shared .align 1024 .b8 tile[2048];
    .shared .align 128 .b8 desc[128];
    .shared .align 8 .b8 bar[8];
    mov.u32 %r0, %tid.x;
    setp.ne.u32 %p2, %r0, 0;
    ld.param.u64 %d1, [source];
    ld.param.u64 %d2, [scratch];
    mov.u32 %r1, desc;
    mad.lo.u32 %r1, %r0, 4, %r1;
    {prepare}
    bar.warp.sync 0xFFFFFFFF;
    tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%d2], [desc], 128;
    fence.proxy.tensormap::generic.acquire.gpu [%d2], 128;
    @!%p2 mbarrier.init.shared::cta.b64 [bar], 1;
    @!%p2 fence.mbarrier_init.release.cluster;
    bar.sync 0;
    {moves}
    mov.u32 %r2, tile;
    mov.u32 %r3, bar;
    @%p2 bra WAIT;
    mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], {boxBytes};
    cp.async.bulk.tensor.{rank}d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r2], [%d2, {coordinates}], [%r3];
    WAIT:
    mbarrier.try_wait.parity.shared::cta.b64 %p1, [bar], 0;
    @!%p1 bra WAIT;
    mad.lo.u32 %r2, %r0, 4, %r2;
    ld.param.u64 %d0, [out];
    mad.wide.u32 %d0, %r0, 4, %d0;
    mov.u32 %r4, 0;
    DUMP:
    ld.shared.u32 %r5, [%r2];
    st.global.u32 [%d0], %r5;
    add.u32 %r2, %r2, 128;
    add.u64 %d0, %d0, 128;
    add.u32 %r4, %r4, 128;
    setp.lt.u32 %p0, %r4, {boxBytes};
    @%p0 bra DUMP;
    ret;
    """


def fromZeros(family, name, dtype, dims, box, at, swizzle="none", fill=0):
    size = ELEMENT_TYPES[dtype][1]
    strides, total, boxBytes = [], dims[0] * size, size
    for dim in dims[1:]:
        strides.append(total)
        total *= dim
    for extent in box:
        boxBytes *= extent
    prepare = "st.shared.u32 [%r1], 0;\nbar.warp.sync 0xFFFFFFFF;\n"
    prepare += built(dtype, dims, strides, box, swizzle, [1] * len(dims), fill)
    family.entry(name, {"source": "u64", "scratch": "u64", "out": "u64"},
                 body(prepare, at, boxBytes))
    family.case(name, name, ["in:x.npy:u32", "zeros:128", f"out:u32[{boxBytes // 4}]:o.npy"],
                {"x.npy": generated("bits", total // 4, 4, 121)}, block=32)


def changed(family):
    """A host-made map, copied and given another address, extent and row pitch."""
    prepare = """
    mov.u64 %d4, map;
    cvta.param.u64 %d4, %d4;
    mad.wide.u32 %d4, %r0, 4, %d4;
    ld.u32 %r4, [%d4];
    st.shared.u32 [%r1], %r4;
    bar.warp.sync 0xFFFFFFFF;
    add.u64 %d1, %d1, 256;
    mov.b64 %d6, 192;
    """ + replace("global_address", 64, "%d1") + replace("global_dim", 32, "1, 7")
    prepare += replace("global_stride", 64, "0, %d6")
    family.entry("changed", {"map": "map", "source": "u64", "scratch": "u64", "out": "u64"},
                 body(prepare, [8, 3], 2048 // 2))
    family.case("changed", "changed", [
        tensorMap("in:y.npy:u32", "bf16", [64, 16], [128], [64, 8], "128B"), "in:x.npy:u32",
        "zeros:128", "out:u32[256]:o.npy"],
        {"x.npy": generated("bits", 512, 4, 122), "y.npy": generated("bits", 512, 4, 123)},
        block=32)


def family():
    result = Family("tensormap")
    for dtype, (_, size) in ELEMENT_TYPES.items():
        fill = 1 if dtype.startswith("f") or dtype == "bf16" else 0
        fromZeros(result, f"type_{dtype}", dtype, [128 // size, 8], [64 // size, 8],
                  [96 // size, 3], fill=fill)
    for swizzle, span in (("32B", 32), ("64B", 64), ("128B", 128)):
        fromZeros(result, f"swizzle_{swizzle}", "bf16", [64, 16], [span // 2, 8], [0, 2], swizzle)
    fromZeros(result, "rank_1", "f32", [256], [64], [32])
    fromZeros(result, "rank_3", "f32", [16, 6, 4], [8, 4, 2], [4, 3, 1])
    fromZeros(result, "rank_5", "u32", [8, 3, 3, 2, 2], [4, 2, 2, 2, 2], [4, 1, 2, 0, 1])
    changed(result)
    return result
