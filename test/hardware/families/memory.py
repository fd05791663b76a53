"""Loads and stores: widths, extensions, vectors, address spaces, control flow."""

from .builder import Family, generated

HEAD = """
    mov.u32 %r0, %tid.x;
    ld.param.u64 %d0, [x];
    mad.wide.u32 %d1, %r0, 16, %d0;
    ld.param.u64 %d2, [out];
    mad.wide.u32 %d3, %r0, 16, %d2;
"""
STORE = "st.global.v4.u32 [%d3], {%r20, %r21, %r22, %r23};\nret;"
BODIES = {
    "extend": "ld.global.s8 %r20, [%d1];\nld.global.u8 %r21, [%d1+1];\nld.global.s16 %r22, [%d1+2];\n"
              "ld.global.u16 %r23, [%d1+4];\n" + STORE,
    "extend_64": "ld.global.s32 %d4, [%d1];\nld.global.u32 %d5, [%d1+4];\n"
                 "st.global.b64 [%d3], %d4;\nst.global.b64 [%d3+8], %d5;\nret;",
    "narrow_stores": "ld.global.v4.u32 {%r20, %r21, %r22, %r23}, [%d1];\n" + STORE.split("\n")[0]
                     + "\nst.global.u8 [%d3+1], %r23;\nst.global.u16 [%d3+6], %r20;\n"
                       "st.global.b32 [%d3+8], %d1;\nst.global.u32 [%d3+8], %r21;\nret;",
    "nc_and_hints": "ld.global.nc.v2.u32 {%r20, %r21}, [%d1];\nld.global.cg.u32 %r22, [%d1+8];\n"
                    "ld.volatile.global.u32 %r23, [%d1+12];\nst.global.cs.v2.u32 [%d3], "
                    "{%r21, %r20};\nst.global.wt.u32 [%d3+8], %r22;\n"
                    "st.release.gpu.global.u32 [%d3+12], %r23;\nret;",
    "generic": "cvta.to.global.u64 %d4, %d1;\ncvta.global.u64 %d5, %d4;\nld.v4.u32 {%r20, %r21, "
               "%r22, %r23}, [%d5];\nst.v2.u32 [%d3], {%r23, %r22};\nst.v2.u32 [%d3+8], "
               "{%r21, %r20};\nret;",
    "v2_b64": "ld.global.v2.b64 {%d4, %d5}, [%d1];\nst.global.v2.b64 [%d3], {%d5, %d4};\nret;",
    "v4_b16": "ld.global.v4.b16 {%h0, %h1, %h2, %h3}, [%d1];\nld.global.v4.b16 {%h4, %h5, %h6, %h7}, "
              "[%d1+8];\nst.global.v4.b16 [%d3], {%h7, %h6, %h5, %h4};\n"
              "st.global.v4.b16 [%d3+8], {%h3, %h2, %h1, %h0};\nret;",
    "local": ".local .align 16 .b8 stack[64];\nld.global.v4.u32 {%r20, %r21, %r22, %r23}, [%d1];\n"
             "mov.u64 %d4, stack;\nand.b32 %r1, %r20, 3;\nmul.wide.u32 %d5, %r1, 4;\n"
             "add.u64 %d5, %d4, %d5;\nst.local.v4.u32 [stack], {%r20, %r21, %r22, %r23};\n"
             "ld.local.u32 %r20, [%d5];\ncvta.local.u64 %d6, %d5;\nst.u32 [%d6], %r0;\n"
             "ld.local.v4.u32 {%r1, %r21, %r22, %r23}, [stack];\n" + STORE,
    "constant": "and.b32 %r1, %r0, 7;\nmul.wide.u32 %d4, %r1, 4;\nmov.u64 %d5, table;\n"
                "add.u64 %d5, %d5, %d4;\nld.const.u32 %r20, [%d5];\nld.const.u32 %r21, [table+8];\n"
                "ld.global.u32 %r22, [bias+4];\nld.const.u16 %r23, [table+2];\n" + STORE,
    "pack": "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%d1];\nmov.b64 %d4, {%r1, %r2};\n"
            "mov.b32 {%h0, %h1}, %r3;\nmov.b32 %r20, {%h1, %h0};\nmov.b64 {%r21, %r22}, %d4;\n"
            "mov.b64 {%r5, _}, %d4;\nadd.u32 %r23, %r5, %r4;\n" + STORE,
    "shared_vectors": ".shared .align 16 .b8 cells[2048];\nmov.u32 %r1, cells;\n"
                      "mad.lo.u32 %r2, %r0, 16, %r1;\nld.global.v4.u32 {%r20, %r21, %r22, %r23}, "
                      "[%d1];\nst.shared.v4.u32 [%r2], {%r20, %r21, %r22, %r23};\nbar.sync 0;\n"
                      "xor.b32 %r3, %r0, 127;\nmad.lo.u32 %r3, %r3, 16, %r1;\n"
                      "ld.shared.v2.u32 {%r20, %r21}, [%r3+8];\nld.shared.s8 %r22, [%r3+3];\n"
                      "ld.shared.u16 %r23, [%r3+2];\n" + STORE,
    "divergent_loop": "ld.global.u32 %r1, [%d1];\nand.b32 %r1, %r1, 15;\nmov.u32 %r20, 0;\n"
                      "mov.u32 %r21, 1;\nmov.u32 %r22, %r1;\nLOOP:\nsetp.eq.u32 %p0, %r1, 0;\n"
                      "@%p0 bra OUT;\nadd.u32 %r20, %r20, %r1;\nmul.lo.u32 %r21, %r21, 3;\n"
                      "sub.u32 %r1, %r1, 1;\nbra LOOP;\nOUT:\nmov.u32 %r23, %r0;\n" + STORE,
    "call": "ld.global.u32 %r1, [%d1];\n{\n.param .b32 arg;\n.param .b32 res;\n"
            "st.param.b32 [arg], %r1;\ncall (res), twice, (arg);\nld.param.b32 %r20, [res];\n}\n"
            "mov.u32 %r21, 0;\nmov.u32 %r22, 0;\nmov.u32 %r23, %r1;\n" + STORE,
    "branch_table": "and.b32 %r1, %r0, 3;\nmov.u32 %r20, 9;\nmov.u32 %r21, %r1;\nmov.u32 %r22, 0;\n"
                    "mov.u32 %r23, 0;\ntargets: .branchtargets L0, L1, L2, L3;\n"
                    "brx.idx %r1, targets;\nL0:\nmov.u32 %r20, 100;\nbra OUT;\nL1:\n"
                    "mov.u32 %r20, 200;\nL2:\nadd.u32 %r22, %r22, 5;\nbra OUT;\nL3:\n"
                    "mov.u32 %r23, 3;\nOUT:\n" + STORE,
    "predicates": "ld.global.v2.u32 {%r1, %r2}, [%d1];\nsetp.lt.s32 %p0|%p1, %r1, %r2;\n"
                  "and.pred %p2, %p0, %p1;\nor.pred %p3, %p0, %p1;\nxor.pred %p4, %p0, %p3;\n"
                  "not.pred %p5, %p4;\nmov.u32 %r20, 1;\n@%p0 mov.u32 %r20, 2;\n"
                  "@!%p2 add.u32 %r20, %r20, 10;\nselp.u32 %r21, %r1, %r2, %p4;\n"
                  "selp.u32 %r22, %r1, %r2, %p5;\nsetp.hi.or.u32 %p6, %r1, %r2, %p2;\n"
                  "selp.u32 %r23, 1, 0, %p6;\n" + STORE,
}
GLOBALS = """
.const .align 4 .u32 table[8] = {11, 22, 33, 44, 55, 66, 77, 0x12345678};
.global .align 4 .u32 bias[2] = {1000, 2000};
.func (.param .b32 res) twice (.param .b32 arg)
{
  .reg .b32 %r<2>;
  ld.param.b32 %r0, [arg];
  add.u32 %r1, %r0, %r0;
  st.param.b32 [res], %r1;
  ret;
}
"""


def family():
    result = Family("memory")
    result.globals.append(GLOBALS)
    for name, body in BODIES.items():
        result.entry(name, {"x": "u64", "out": "u64"}, HEAD + body)
        result.case(name, name, ["in:x.npy:u32", "out:u32[512]:o.npy"],
                    {"x.npy": generated("bits", 512, 4, 101)})
    return result
