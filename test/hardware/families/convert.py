"""cvt: every rounding, saturation and packed form the kernels may use."""

from .builder import Family
from .elementwise import op

INTEGER_WIDTH = {"s8": 4, "u8": 4, "s16": 4, "u16": 4, "s32": 4, "u32": 4, "s64": 8, "u64": 8}


def narrow(family):
    for kind in ("f16", "bf16"):
        for suffix in ("rn", "rz", "rn.relu", "rz.relu"):
            tag = suffix.replace(".", "_")
            op(family, f"cvt_{tag}_{kind}_f32", f"cvt.{suffix}.{kind}.f32 %o, %a;", "f32", 2)
            op(family, f"cvt_{tag}_{kind}x2_f32", f"cvt.{suffix}.{kind}x2.f32 %o, %a, %b;",
               "f32 f32")
        op(family, f"cvt_f32_{kind}", f"cvt.f32.{kind} %o, %a;", kind)
    op(family, "cvt_rm_f16_f32", "cvt.rm.f16.f32 %o, %a;", "f32", 2)
    op(family, "cvt_rp_f16_f32", "cvt.rp.f16.f32 %o, %a;", "f32", 2)
    op(family, "cvt_rn_ftz_f16_f32", "cvt.rn.ftz.f16.f32 %o, %a;", "f32", 2)
    op(family, "cvt_rn_sat_f16_f32", "cvt.rn.sat.f16.f32 %o, %a;", "f32", 2)
    op(family, "cvt_ftz_f32_f16", "cvt.ftz.f32.f16 %o, %a;", "f16")
    op(family, "cvt_sat_f32_f16", "cvt.sat.f32.f16 %o, %a;", "f16")
    op(family, "cvt_rni_f16_f16", "cvt.rni.f16.f16 %o, %a;", "f16", 2)
    op(family, "cvt_rna_tf32_f32", "cvt.rna.tf32.f32 %o, %a;", "f32")
    op(family, "cvt_rn_tf32_f32", "cvt.rn.tf32.f32 %o, %a;", "f32")
    op(family, "cvt_rz_tf32_f32", "cvt.rz.tf32.f32 %o, %a;", "f32")
    for kind in ("e4m3x2", "e5m2x2"):
        for relu in ("", ".relu"):
            tag = relu.replace(".", "_")
            op(family, f"cvt_rn_satfinite{tag}_{kind}_f32",
               f"cvt.rn.satfinite{relu}.{kind}.f32 %o, %a, %b;", "f32 f32", 2)
            op(family, f"cvt_rn_satfinite{tag}_{kind}_f16x2",
               f"cvt.rn.satfinite{relu}.{kind}.f16x2 %o, %a;", "f16x2", 2)
            op(family, f"cvt_rn{tag}_f16x2_{kind}", f"cvt.rn{relu}.f16x2.{kind} %o, %a;", "bits16")


def floatToInteger(family):
    for target, width in INTEGER_WIDTH.items():
        for suffix in ("rni", "rzi", "rmi", "rpi"):
            if target not in ("s32", "u32") and suffix in ("rmi", "rpi"):
                continue
            op(family, f"cvt_{suffix}_{target}_f32", f"cvt.{suffix}.{target}.f32 %o, %a;", "f32",
               width)
        op(family, f"cvt_rzi_sat_{target}_f32", f"cvt.rzi.sat.{target}.f32 %o, %a;", "f32", width)
        op(family, f"cvt_rn_f32_{target}", f"cvt.rn.f32.{target} %o, %a;",
           "u64" if width == 8 else "u32" if target[1:] == "32" else "u16")
    op(family, "cvt_rzi_ftz_s32_f32", "cvt.rzi.ftz.s32.f32 %o, %a;", "f32")
    op(family, "cvt_rpi_ftz_s32_f32", "cvt.rpi.ftz.s32.f32 %o, %a;", "f32")
    for rounding in ("rz", "rm", "rp"):
        for source in ("s32", "u32", "s64"):
            op(family, f"cvt_{rounding}_f32_{source}", f"cvt.{rounding}.f32.{source} %o, %a;",
               "u64" if source == "s64" else "u32")
    for source in ("s32", "u16", "s16"):
        kind = "u32" if source == "s32" else "u16"
        op(family, f"cvt_rn_f16_{source}", f"cvt.rn.f16.{source} %o, %a;", kind, 2)
    op(family, "cvt_rn_bf16_s32", "cvt.rn.bf16.s32 %o, %a;", "u32", 2)
    op(family, "cvt_rzi_s32_f16", "cvt.rzi.s32.f16 %o, %a;", "f16")
    op(family, "cvt_rni_s16_f16", "cvt.rni.s16.f16 %o, %a;", "f16", 2)
    op(family, "cvt_rzi_s32_bf16", "cvt.rzi.s32.bf16 %o, %a;", "bf16")


def roundF32(family):
    for suffix in ("rni", "rzi", "rmi", "rpi", "rni.ftz", "rzi.sat", "sat", "ftz.sat"):
        tag = suffix.replace(".", "_")
        op(family, f"cvt_{tag}_f32_f32", f"cvt.{suffix}.f32.f32 %o, %a;", "f32")
    for suffix in ("rn", "rz", "rm", "rp", "rn.ftz", "rn.sat"):
        tag = suffix.replace(".", "_")
        op(family, f"cvt_{tag}_f32_f64", f"cvt.{suffix}.f32.f64 %o, %a;", "f64")
    op(family, "cvt_f64_f32", "cvt.f64.f32 %o, %a;", "f32", 8)
    op(family, "cvt_rzi_s32_f64", "cvt.rzi.s32.f64 %o, %a;", "f64")
    op(family, "cvt_rn_f64_s64", "cvt.rn.f64.s64 %o, %a;", "u64", 8)


def integers(family):
    for body, kind, width in (
            ("s8.s32", "u32", 4), ("u8.s32", "u32", 4), ("s16.s32", "u32", 4),
            ("sat.s8.s32", "u32", 4), ("sat.u8.s32", "u32", 4), ("sat.s16.s32", "u32", 4),
            ("sat.u16.s32", "u32", 4), ("sat.u32.s32", "u32", 4), ("sat.s32.u32", "u32", 4),
            ("sat.s32.s64", "u64", 4), ("u32.u64", "u64", 4), ("s64.s32", "u32", 8),
            ("u64.u32", "u32", 8), ("s32.s16", "u16", 4), ("u32.u16", "u16", 4),
            ("s32.s8", "u16", 4), ("u32.u8", "u16", 4), ("s64.s16", "u16", 8)):
        op(family, "cvt_" + body.replace(".", "_"), f"cvt.{body} %o, %a;", kind, width)
    op(family, "cvt_pack_sat_s8", "cvt.pack.sat.s8.s32.b32 %o, %a, %b, %c;", "u32 u32 u32")
    op(family, "cvt_pack_sat_u16", "cvt.pack.sat.u16.s32 %o, %a, %b;", "u32 u32")


def family():
    result = Family("convert")
    narrow(result)
    floatToInteger(result)
    roundF32(result)
    integers(result)
    return result
