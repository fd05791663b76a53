"""CTA and named barriers, warp barriers, register reallocation."""

from .builder import Family

HEAD = """
    .shared .align 16 .b8 cells[1024];
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, cells;
    mad.lo.u32 %r2, %r0, 4, %r1;
    shr.u32 %r3, %r0, 5;
    st.shared.u32 [%r2], 0;
    bar.sync 0;
"""
TAIL = """
    ld.param.u64 %d0, [out];
    mad.wide.u32 %d0, %r0, 4, %d0;
    st.global.u32 [%d0], %r20;
    ret;
"""
BODIES = {
    "sync_all": (128, "st.shared.u32 [%r2], %r0;\nbar.sync 0;\nxor.b32 %r4, %r0, 127;\n"
                 "mad.lo.u32 %r4, %r4, 4, %r1;\nld.shared.u32 %r20, [%r4];"),
    "named_pairs": (128, "st.shared.u32 [%r2], %r0;\nshr.u32 %r5, %r0, 6;\nadd.u32 %r5, %r5, 3;\n"
                    "barrier.sync %r5, 64;\nxor.b32 %r4, %r0, 32;\n"
                    "mad.lo.u32 %r4, %r4, 4, %r1;\nld.shared.u32 %r20, [%r4];"),
    "arrive_sync": (128, "setp.lt.u32 %p0, %r0, 64;\nmov.u32 %r20, 0;\n@!%p0 bra CONSUMER;\n"
                    "st.shared.u32 [%r2], %r0;\nbar.arrive 5, 128;\nbra JOIN;\nCONSUMER:\n"
                    "bar.sync 5, 128;\nxor.b32 %r4, %r0, 64;\nmad.lo.u32 %r4, %r4, 4, %r1;\n"
                    "ld.shared.u32 %r20, [%r4];\nJOIN:"),
    "ring": (128, "setp.lt.u32 %p0, %r0, 64;\nmov.u32 %r20, 0;\nmov.u32 %r6, 0;\nLOOP:\n"
             "@!%p0 bra CONSUMER;\nmad.lo.u32 %r7, %r6, 100, %r0;\nst.shared.u32 [%r2], %r7;\n"
             "bar.arrive 1, 128;\nbar.sync 2, 128;\nbra NEXT;\nCONSUMER:\nbar.sync 1, 128;\n"
             "xor.b32 %r4, %r0, 64;\nmad.lo.u32 %r4, %r4, 4, %r1;\nld.shared.u32 %r8, [%r4];\n"
             "mad.lo.u32 %r20, %r20, 3, %r8;\nbar.arrive 2, 128;\nNEXT:\nadd.u32 %r6, %r6, 1;\n"
             "setp.lt.u32 %p1, %r6, 4;\n@%p1 bra LOOP;"),
    "red_popc": (96, "and.b32 %r4, %r0, 3;\nsetp.eq.u32 %p0, %r4, 0;\n"
                 "bar.red.popc.u32 %r20, 0, %p0;"),
    "red_and_or": (64, "setp.lt.u32 %p0, %r0, 40;\nbar.red.and.pred %p1, 1, %p0;\n"
                   "bar.red.or.pred %p2, 2, %p0;\nselp.u32 %r4, 1, 0, %p1;\n"
                   "selp.u32 %r5, 2, 0, %p2;\nadd.u32 %r20, %r4, %r5;"),
    "red_popc_named": (128, "mov.u32 %r20, 0;\nsetp.lt.u32 %p2, %r0, 64;\n@!%p2 bra SKIP;\n"
                       "and.b32 %r4, %r0, 7;\nsetp.lt.u32 %p0, %r4, 5;\n"
                       "barrier.red.popc.u32 %r20, 7, 64, %p0;\nSKIP:"),
    "warp_sync": (64, "and.b32 %r6, %r0, 31;\nst.shared.u32 [%r2], %r0;\n"
                  "bar.warp.sync 0xFFFFFFFF;\nxor.b32 %r4, %r0, 21;\n"
                  "mad.lo.u32 %r4, %r4, 4, %r1;\nld.shared.u32 %r20, [%r4];"),
    "exited_warps": (128, "setp.ge.u32 %p0, %r0, 96;\nmov.u32 %r20, 7;\n@%p0 bra OUT;\n"
                     "st.shared.u32 [%r2], %r0;\nbarrier.sync 0, 96;\nmul.lo.u32 %r4, %r0, 5;\n"
                     "rem.u32 %r4, %r4, 96;\nmad.lo.u32 %r4, %r4, 4, %r1;\n"
                     "ld.shared.u32 %r20, [%r4];\nOUT:"),
}


def family():
    result = Family("barrier")
    for name, (threads, body) in BODIES.items():
        result.entry(name, {"out": "u64"}, HEAD + body + TAIL)
        result.case(name, name, [f"out:u32[{threads}]:o.npy"], block=threads)
    body = HEAD + """
    setp.lt.u32 %p0, %r0, 128;
    @!%p0 bra CONSUMER;
    setmaxnreg.dec.sync.aligned.u32 40;
    mad.lo.u32 %r20, %r0, 3, 1;
    st.shared.u32 [%r2], %r20;
    bar.arrive 1, 256;
    bra JOIN;
    CONSUMER:
    setmaxnreg.inc.sync.aligned.u32 216;
    bar.sync 1, 256;
    sub.u32 %r4, %r0, 128;
    mad.lo.u32 %r4, %r4, 4, %r1;
    ld.shared.u32 %r20, [%r4];
    add.u32 %r20, %r20, %r0;
    JOIN:
    """ + TAIL
    result.entry("setmaxnreg", {"out": "u64"}, body, directives=".maxntid 256\n.maxnreg 128\n")
    result.case("setmaxnreg", "setmaxnreg", ["out:u32[256]:o.npy"], block=256)
    return result
