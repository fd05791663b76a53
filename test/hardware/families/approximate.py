"""Approximate functions: their error was measured on 4M inputs, a sample is kept."""

from .builder import Family, generated
from .elementwise import defineEntry

COUNT = 1024
# name, instruction, exact function, swept interval, edge values
SPECIAL = [0x00000000, 0x80000000, 0x00000001, 0x807FFFFF, 0x00800000, 0x7F800000, 0xFF800000,
           0x7FC00000, 0x3F800000, 0xBF800000, 0x7F7FFFFF, 0xFF7FFFFF, 0x42FE0000, 0xC2FC0000,
           0xC3150000, 0xC3000000, 0x43000000]
F32 = (
    ("ex2", "ex2.approx.f32", "exp2", (-150.0, 128.0)),
    ("ex2_ftz", "ex2.approx.ftz.f32", "exp2", (-126.0, 0.0)),
    ("rcp", "rcp.approx.f32", "rcp", (2.0**-20, 2.0**20)),
    ("rcp_ftz", "rcp.approx.ftz.f32", "rcp", (1.0, 2.0)),
    ("lg2", "lg2.approx.f32", "log2", (2.0**-10, 2.0**20)),
    ("lg2_ftz", "lg2.approx.ftz.f32", "log2", (0.5, 2.0)),
    ("rsqrt", "rsqrt.approx.f32", "rsqrt", (1.0, 4.0)),
    ("rsqrt_ftz", "rsqrt.approx.ftz.f32", "rsqrt", (2.0**-20, 2.0**20)),
    ("sqrt", "sqrt.approx.f32", "sqrt", (1.0, 4.0)),
    ("sqrt_ftz", "sqrt.approx.ftz.f32", "sqrt", (2.0**-20, 2.0**20)),
    ("tanh", "tanh.approx.f32", "tanh", (-10.0, 10.0)),
    ("sin", "sin.approx.f32", "sin", (-3.1415926, 3.1415926)),
    ("cos", "cos.approx.f32", "cos", (-3.1415926, 3.1415926)),
)
HALVES = (
    ("ex2_f16x2", "ex2.approx.f16x2", "exp2", "f16"),
    ("tanh_f16x2", "tanh.approx.f16x2", "tanh", "f16"),
    ("ex2_bf16x2", "ex2.approx.ftz.bf16x2", "exp2", "bf16"),
    ("tanh_bf16x2", "tanh.approx.bf16x2", "tanh", "bf16"),
)


def family():
    result = Family("approximate")
    for name, instruction, function, (low, high) in F32:
        defineEntry(result, name, f"{instruction} %o, %a;", [4], 4)
        result.case(name, name, ["in:a.npy:u32", f"out:u32[{COUNT}]:o.npy"],
                    {"a.npy": generated("uniform", COUNT, 4, 111, low=low, high=high)},
                    grid=COUNT // 128, compare="approximate",
                    sweep={"function": function, "low": low, "high": high, "type": "f32"})
        result.case(f"{name}_specials", name, ["in:a.npy:u32", "out:u32[128]:o.npy"],
                    {"a.npy": generated("choice", 128, 4, 112, values=SPECIAL)},
                    compare="approximate")
    for name, instruction, function, kind in HALVES:
        defineEntry(result, name, f"{instruction} %o, %a;", [4], 4)
        result.case(name, name, ["in:a.npy:u32", f"out:u32[{COUNT}]:o.npy"],
                    {"a.npy": generated("bits", COUNT, 4, 113)}, grid=COUNT // 128,
                    compare="approximate", sweep={"function": function, "type": kind})
    defineEntry(result, "div_approx", "div.approx.f32 %o, %a, %b;", [4, 4], 4)
    defineEntry(result, "div_full", "div.full.f32 %o, %a, %b;", [4, 4], 4)
    for name in ("div_approx", "div_full"):
        result.case(name, name, ["in:a.npy:u32", "in:b.npy:u32", f"out:u32[{COUNT}]:o.npy"],
                    {"a.npy": generated("uniform", COUNT, 4, 114, low=-100.0, high=100.0),
                     "b.npy": generated("uniform", COUNT, 4, 115, low=0.01, high=50.0)},
                    grid=COUNT // 128, compare="approximate",
                    sweep={"function": "div", "low": -100.0, "high": 100.0, "lowB": 0.01,
                           "highB": 50.0, "type": "f32"})
    return result
