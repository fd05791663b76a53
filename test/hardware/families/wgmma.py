"""wgmma on small integers, whose sums are exact in every accumulator.

Shared memory holds unstructured values, so the result shows which element each descriptor
addresses. A descriptor argument carries the tile-relative byte offset in its low 32 bits
(the kernel turns it into the address field) and the other fields as they are.
"""

from .builder import Family, generated

TILE_BYTES = 32768
SWIZZLE_CODE = {"none": 0, "128B": 1, "64B": 2, "32B": 3}
SPAN = {"none": 16, "32B": 32, "64B": 64, "128B": 128}


def descriptor(offset, swizzle, lbo, sbo, base=0):
    """A wgmma descriptor with the start address field replaced by a byte offset (bits 0-15)."""
    assert offset < 1 << 16
    return (offset | (lbo // 16) << 16 | (sbo // 16) << 32 | base << 49
            | SWIZZLE_CODE[swizzle] << 62)


def kMajor(swizzle, offset=0, base=0):
    if swizzle == "none":
        return descriptor(offset, swizzle, 128, 256, base)
    return descriptor(offset, swizzle, 16, SPAN[swizzle] * 8, base)


def mnMajor(swizzle, offset=0):
    if swizzle == "none":
        return descriptor(offset, swizzle, 1024, 128)
    return descriptor(offset, swizzle, 4096, SPAN[swizzle] * 8)


HEAD = """
    .shared .align 1024 .b8 tile[32768];
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, tile;
    mad.lo.u32 %r2, %r0, 16, %r1;
    ld.param.u64 %d0, [image];
    mad.wide.u32 %d0, %r0, 16, %d0;
    mov.u32 %r3, 0;
    FILL:
    ld.global.v4.u32 {%r10, %r11, %r12, %r13}, [%d0];
    st.shared.v4.u32 [%r2], {%r10, %r11, %r12, %r13};
    add.u64 %d0, %d0, 2048;
    add.u32 %r2, %r2, 2048;
    add.u32 %r3, %r3, 2048;
    setp.lt.u32 %p0, %r3, 32768;
    @%p0 bra FILL;
    fence.proxy.async.shared::cta;
    bar.sync 0;
"""


def fixDescriptor(name, register):
    """Loads a descriptor argument and puts (address >> 4) & 0x3FFF in its low bits."""
    return f"""
    ld.param.u64 {register}, [{name}];
    cvt.u32.u64 %r4, {register};
    and.b32 %r5, %r4, 65535;
    add.u32 %r5, %r5, %r1;
    shr.u32 %r5, %r5, 4;
    and.b32 %r5, %r5, 16383;
    and.b32 %r4, %r4, 0xFFFF0000;
    or.b32 %r5, %r5, %r4;
    cvt.u64.u32 %d9, %r5;
    and.b64 {register}, {register}, 0xFFFFFFFF00000000;
    or.b64 {register}, {register}, %d9;
    """


def entry(family, n, kinds="f32.bf16.bf16", fromRegisters=False, transA=0, transB=0, signA=1,
          signB=1, steps=1, initial=False, advance=0):
    """`steps` MMAs in a row, each `advance` 16-byte units further in A and B."""
    d = kinds.split(".")[0]
    element = kinds.split(".")[1]
    k = {"f16": 16, "bf16": 16, "tf32": 8}.get(element, 32)
    registers = n // 4 if d == "f16" else n // 2
    name = (f"m64n{n}_{kinds.replace('.', '_')}_{'rs' if fromRegisters else 'ss'}_t{transA}{transB}"
            f"_{'n' if signA < 0 else 'p'}{'n' if signB < 0 else 'p'}_{steps}_{advance}"
            + ("_acc" if initial else ""))
    half = element in ("f16", "bf16")
    integers = d == "s32"
    accumulators = "{" + ", ".join(f"%acc{i}" for i in range(registers)) + "}"
    body = f".reg .b32 %acc<{registers}>;\n" + HEAD + fixDescriptor("descA", "%d1")
    body += fixDescriptor("descB", "%d2")
    if fromRegisters:
        body += """
        mad.lo.u32 %r2, %r0, 16, %r1;
        ld.shared.v4.u32 {%r20, %r21, %r22, %r23}, [%r2];
        """
    for i in range(registers):
        if initial and integers:
            body += f"add.u32 %acc{i}, %r0, {i};\n"
        elif initial and d == "f32":
            body += f"add.u32 %r6, %r0, {i};\ncvt.rn.f32.u32 %acc{i}, %r6;\n"
        else:
            body += f"mov.b32 %acc{i}, {'0' if not initial else '0x3C004000'};\n"
    body += f"setp.ne.u32 %p1, 0, {1 if initial else 0};\nwgmma.fence.sync.aligned;\n"
    for step in range(steps):
        a = "{%r20, %r21, %r22, %r23}" if fromRegisters else "%d1"
        tail = "" if integers else f", {signA}, {signB}"
        if half:
            tail += f", {transB}" if fromRegisters else f", {transA}, {transB}"
        body += (f"wgmma.mma_async.sync.aligned.m64n{n}k{k}.{kinds} {accumulators}, {a}, %d2, "
                 f"%p1{tail};\n")
        if step + 1 < steps:
            body += f"add.u64 %d1, %d1, {advance};\nadd.u64 %d2, %d2, {advance};\n"
            body += "setp.ne.u32 %p1, 0, 1;\n"
    body += """
    wgmma.commit_group.sync.aligned;
    wgmma.wait_group.sync.aligned 0;
    ld.param.u64 %d0, [out];
    """ + f"mad.wide.u32 %d0, %r0, {registers * 4}, %d0;\n"
    for i in range(registers):
        body += f"st.global.b32 [%d0+{4 * i}], %acc{i};\n"
    family.entry(name, {"image": "u64", "descA": "u64", "descB": "u64", "out": "u64"},
                 body + "ret;")
    return name, registers


IMAGES = {"bf16": ("bf16 ints", 2), "f16": ("f16 ints", 2), "tf32": ("f32 ints", 4),
          "e4m3": ("e4m3 ints", 1), "e5m2": ("e5m2 ints", 1)}


def case(family, label, n, a, b, kinds="f32.bf16.bf16", image=None, **options):
    name, registers = entry(family, n, kinds, **options)
    element = kinds.split(".")[1]
    if image is None:
        if element in IMAGES:
            values, width = IMAGES[element]
            image = generated("choice", TILE_BYTES // width, width, 61, values=values)
        else:
            image = generated("bits", TILE_BYTES // 4, 4, 61)
    family.case(label, name, ["in:x.npy:u32", f"u64:{a}", f"u64:{b}",
                              f"out:u32[{registers * 128}]:o.npy"], {"x.npy": image})


def shapes(family):
    for n in (8, 16, 24, 32, 40, 48, 64, 80, 96, 112, 128, 160, 192, 256):
        a, b = kMajor("128B"), kMajor("128B", 0 if n > 128 else 8192)
        if n <= 64 or n in (96, 128, 192, 256):
            case(family, f"shape_n{n}_bf16", n, a, b)
        if n in (8, 24, 64, 80, 160):
            case(family, f"shape_n{n}_f16_accumulate_f16", n, a, b, "f16.f16.f16")
        if n in (16, 48, 112):
            case(family, f"shape_n{n}_f16", n, a, b, "f32.f16.f16")
    for kinds in ("f32.tf32.tf32", "f32.e4m3.e4m3", "f32.e5m2.e4m3", "f16.e4m3.e5m2",
                  "s32.s8.s8", "s32.u8.u8", "s32.s8.u8"):
        label = kinds.replace(".", "_")
        case(family, f"kinds_{label}", 16, kMajor("128B"), kMajor("128B", 16384), kinds)
        case(family, f"kinds_{label}_none", 32, kMajor("none"), kMajor("none", 16384), kinds)
        case(family, f"kinds_{label}_registers", 8, 0, kMajor("64B", 16384), kinds,
             fromRegisters=True)
        case(family, f"kinds_{label}_accumulate", 8, kMajor("32B"), kMajor("32B", 16384), kinds,
             initial=True)


def layouts(family):
    for swizzle in SPAN:
        case(family, f"k_major_{swizzle}", 32, kMajor(swizzle), kMajor(swizzle, 16384))
        case(family, f"mn_major_a_{swizzle}", 32, mnMajor(swizzle), kMajor(swizzle, 16384),
             transA=1)
        case(family, f"mn_major_b_{swizzle}", 64, kMajor(swizzle), mnMajor(swizzle, 16384),
             transB=1)
        case(family, f"mn_major_both_{swizzle}_f16", 64 if swizzle == "32B" else 128, mnMajor(swizzle),
             mnMajor(swizzle, 8192), "f32.f16.f16", transA=1, transB=1)
        case(family, f"registers_k_major_{swizzle}", 32, 0, kMajor(swizzle, 8192),
             fromRegisters=True)
        case(family, f"registers_mn_major_{swizzle}", 32, 0, mnMajor(swizzle, 8192),
             fromRegisters=True, transB=1)
        case(family, f"mixed_strides_{swizzle}", 40, descriptor(512, swizzle, 48, 1232 // 16 * 16),
             descriptor(16384, swizzle, 4112, 784))
        case(family, f"mixed_strides_mn_{swizzle}", 40,
             descriptor(512, swizzle, 1040, 2096), descriptor(16384, swizzle, 2064, 784),
             transA=1, transB=1)
    case(family, "swizzles_differ", 32, kMajor("64B"), kMajor("128B", 8192))
    case(family, "swizzled_lbo_ignored", 32, descriptor(0, "128B", 4096, 1024),
         descriptor(16384, "128B", 0, 1024))


def advances(family):
    for step in (1, 2, 3):
        case(family, f"k_advance_{step}", 16, kMajor("128B", 32 * step),
             kMajor("128B", 16384 + 32 * step))
    case(family, "k_advance_64B", 16, kMajor("64B", 32), kMajor("64B", 16384 + 32))
    case(family, "k_advance_16_bytes", 16, kMajor("128B", 16), kMajor("128B", 16384 + 16))
    case(family, "row_start", 16, kMajor("128B", 128), kMajor("128B", 16384 + 256))
    case(family, "row_start_64B", 16, kMajor("64B", 64), kMajor("64B", 16384 + 128))
    for base in (1, 3):
        case(family, f"base_offset_{base}", 16, kMajor("128B", 128 * base, base),
             kMajor("128B", 16384))
    case(family, "base_offset_aligned", 16, kMajor("128B", 0, 2), kMajor("128B", 16384))
    case(family, "four_steps", 32, kMajor("128B"), kMajor("128B", 16384), steps=4, advance=2)
    case(family, "four_steps_f16", 32, kMajor("128B"), kMajor("128B", 16384), "f16.f16.f16",
         steps=4, advance=2)
    case(family, "four_steps_mn", 64, mnMajor("128B"), mnMajor("128B", 16384), steps=2,
         advance=128, transA=1, transB=1)


def scales(family):
    a, b = kMajor("128B"), kMajor("128B", 16384)
    for signA, signB in ((-1, 1), (1, -1), (-1, -1)):
        for kinds in ("f32.bf16.bf16", "f16.f16.f16"):
            case(family, f"signs_{signA}_{signB}_{kinds[:3]}", 16, a, b, kinds, signA=signA,
                 signB=signB)
    case(family, "sign_a_registers", 16, 0, b, fromRegisters=True, signA=-1)
    case(family, "accumulate", 16, a, b, initial=True)
    case(family, "accumulate_negated", 16, a, b, initial=True, signB=-1)
    case(family, "accumulate_f16", 16, a, b, "f16.f16.f16", initial=True)
    case(family, "accumulate_registers", 16, 0, b, fromRegisters=True, initial=True)


def specials(family):
    """Infinities, NaNs and denormals in the operands."""
    for kinds, values, width in (("f32.bf16.bf16", "bf16", 2), ("f32.f16.f16", "f16", 2),
                                 ("f16.f16.f16", "f16", 2)):
        sparse = generated("rare", TILE_BYTES // width, width, 63, values=values, every=64,
                           others=f"{values} ints")
        case(family, f"specials_{kinds.replace('.', '_')}", 16, kMajor("128B"),
             kMajor("128B", 16384), kinds, image=sparse)


# Values whose sums need rounding: element, format, exponent range, width.
ROUGH = {"bf16": (dict(format=[8, 7], exponent=[117, 131]), 2),
         "f16": (dict(format=[5, 10], exponent=[8, 18]), 2),
         "tf32": (dict(format=[8, 23], exponent=[117, 131]), 4),
         "e4m3": (dict(format=[4, 3], exponent=[1, 14]), 1),
         "e5m2": (dict(format=[5, 2], exponent=[8, 22]), 1)}


def rounding(family):
    def rough(label, kinds, seed, exponent=None, **options):
        element = kinds.split(".")[1]
        options_, width = ROUGH[element]
        image = generated("float", TILE_BYTES // width, width, seed, values=[0], plain=True,
                          **(options_ | ({"exponent": exponent} if exponent else {})))
        case(family, f"rounding_{label}", 16, kMajor("128B"), kMajor("128B", 16384), kinds,
             image=image, **options)
        family.cases[-1]["compare"] = "products"
    rough("bf16", "f32.bf16.bf16", 64, steps=4, advance=2)
    rough("f16", "f32.f16.f16", 65, steps=4, advance=2)
    rough("bf16_wide", "f32.bf16.bf16", 66, exponent=[90, 150], steps=4, advance=2)
    rough("bf16_tiny", "f32.bf16.bf16", 67, exponent=[0, 70])
    rough("f16_denormal", "f32.f16.f16", 68, exponent=[0, 3])
    rough("bf16_accumulate", "f32.bf16.bf16", 69, initial=True)
    rough("f16_into_f16", "f16.f16.f16", 70)
    rough("tf32", "f32.tf32.tf32", 71)
    rough("e4m3", "f32.e4m3.e4m3", 72)
    rough("e4m3_steps", "f32.e4m3.e4m3", 73, steps=4, advance=2)
    rough("e5m2", "f32.e5m2.e5m2", 74)


def family():
    result = Family("wgmma")
    shapes(result)
    layouts(result)
    advances(result)
    scales(result)
    specials(result)
    rounding(result)
    return result
