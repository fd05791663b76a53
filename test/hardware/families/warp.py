"""Instructions between the lanes of a warp."""

from .builder import Family, generated

BLOCK = 64


def lanes(family, name, body, seed=81, values=None):
    """Each lane reads x and y and writes two words: %r20 and %r21."""
    text = """
    mov.u32 %r0, %tid.x;
    ld.param.u64 %d0, [x];
    mad.wide.u32 %d0, %r0, 4, %d0;
    ld.global.u32 %r1, [%d0];
    ld.param.u64 %d1, [y];
    mad.wide.u32 %d1, %r0, 4, %d1;
    ld.global.u32 %r2, [%d1];
    mov.u32 %r3, %laneid;
    mov.u32 %r20, 0;
    mov.u32 %r21, 0;
    """ + body + """
    ld.param.u64 %d2, [out];
    mad.wide.u32 %d2, %r0, 8, %d2;
    st.global.v2.u32 [%d2], {%r20, %r21};
    ret;
    """
    family.entry(name, {"x": "u64", "y": "u64", "out": "u64"}, text)
    make = lambda s: (generated("choice", BLOCK, 4, s, values=values) if values
                      else generated("bits", BLOCK, 4, s))
    family.case(name, name, ["in:x.npy:u32", "in:y.npy:u32", f"out:u32[{2 * BLOCK}]:o.npy"],
                {"x.npy": make(seed), "y.npy": make(seed + 1)}, block=BLOCK)


def shuffles(family):
    for mode in ("up", "down", "bfly", "idx"):
        for amount in (0, 1, 3, 5, 16, 31):
            for control in (0, 31, 0x1C1F, 0x181F, 0x1018, 0x0007):
                if (amount, control) not in ((0, 31), (1, 31), (1, 0), (3, 0x1C1F), (5, 0x181F),
                                             (16, 31), (31, 31), (5, 0x1018), (3, 0x0007),
                                             (16, 0), (31, 0)):
                    continue
                lanes(family, f"shfl_{mode}_{amount}_{control:x}",
                      f"shfl.sync.{mode}.b32 %r20|%p0, %r1, {amount}, {control}, 0xFFFFFFFF;\n"
                      "selp.u32 %r21, 1, 0, %p0;")
    lanes(family, "shfl_idx_own_index", "shfl.sync.idx.b32 %r20|%p0, %r1, %r2, 31, 0xFFFFFFFF;\n"
          "selp.u32 %r21, 1, 0, %p0;")
    lanes(family, "shfl_own_amount", "and.b32 %r4, %r2, 15;\n"
          "shfl.sync.bfly.b32 %r20|%p0, %r1, %r4, 31, 0xFFFFFFFF;\nselp.u32 %r21, 1, 0, %p0;")
    lanes(family, "shfl_half_warp", "setp.lt.u32 %p1, %r3, 16;\n@!%p1 bra SKIP;\n"
          "shfl.sync.bfly.b32 %r20|%p0, %r1, 5, 31, 0x0000FFFF;\nselp.u32 %r21, 1, 0, %p0;\n"
          "SKIP:")


def votes(family):
    odd = "and.b32 %r4, %r1, 1;\nsetp.ne.u32 %p1, %r4, 0;\n"
    for mode in ("all", "any", "uni"):
        lanes(family, f"vote_{mode}", odd + f"vote.sync.{mode}.pred %p0, %p1, 0xFFFFFFFF;\n"
              f"selp.u32 %r20, 1, 0, %p0;\nvote.sync.{mode}.pred %p0, !%p1, 0xFFFFFFFF;\n"
              "selp.u32 %r21, 1, 0, %p0;")
        lanes(family, f"vote_{mode}_same", "setp.ge.u32 %p1, %r0, 32;\n"
              f"vote.sync.{mode}.pred %p0, %p1, 0xFFFFFFFF;\nselp.u32 %r20, 1, 0, %p0;")
    lanes(family, "vote_ballot", odd + "vote.sync.ballot.b32 %r20, %p1, 0xFFFFFFFF;\n"
          "vote.sync.ballot.b32 %r21, !%p1, 0xFFFFFFFF;")
    lanes(family, "vote_ballot_part", odd + "setp.lt.u32 %p2, %r3, 20;\n@!%p2 bra SKIP;\n"
          "vote.sync.ballot.b32 %r20, %p1, 0x000FFFFF;\nSKIP:")
    lanes(family, "match_any", "match.any.sync.b32 %r20, %r1, 0xFFFFFFFF;", values=[1, 2, 3, 4])
    lanes(family, "match_any_b64", "mov.b64 %d5, {%r1, %r2};\n"
          "match.any.sync.b64 %r20, %d5, 0xFFFFFFFF;", values=[1, 2])
    lanes(family, "match_all", "match.all.sync.b32 %r20|%p0, %r1, 0xFFFFFFFF;\n"
          "selp.u32 %r21, 1, 0, %p0;", values=[1, 2])
    lanes(family, "match_all_same", "match.all.sync.b32 %r20|%p0, %r1, 0xFFFFFFFF;\n"
          "selp.u32 %r21, 1, 0, %p0;", values=[9])
    lanes(family, "activemask", "setp.lt.u32 %p2, %r3, 13;\n@!%p2 bra SKIP;\nactivemask.b32 %r20;\n"
          "SKIP:")
    lanes(family, "elect", "elect.sync %r20|%p0, 0xFFFFFFFF;\nselp.u32 %r21, 1, 0, %p0;")
    lanes(family, "elect_part", "setp.gt.u32 %p2, %r3, 15;\n@!%p2 bra SKIP;\n"
          "elect.sync %r20|%p0, 0xFFFF0000;\nselp.u32 %r21, 1, 0, %p0;\nSKIP:")
    lanes(family, "lanemasks", "mov.u32 %r4, %lanemask_lt;\nmov.u32 %r5, %lanemask_ge;\n"
          "xor.b32 %r20, %r4, %r5;\nmov.u32 %r4, %lanemask_eq;\nmov.u32 %r5, %lanemask_le;\n"
          "mov.u32 %r6, %lanemask_gt;\nadd.u32 %r21, %r4, %r5;\nxor.b32 %r21, %r21, %r6;")


def reductions(family):
    for operation, kind in (("add", "s32"), ("add", "u32"), ("min", "s32"), ("min", "u32"),
                            ("max", "s32"), ("max", "u32"), ("and", "b32"), ("or", "b32"),
                            ("xor", "b32")):
        lanes(family, f"redux_{operation}_{kind}",
              f"redux.sync.{operation}.{kind} %r20, %r1, 0xFFFFFFFF;\n"
              f"setp.lt.u32 %p2, %r3, 9;\n@!%p2 bra SKIP;\n"
              f"redux.sync.{operation}.{kind} %r21, %r2, 0x000001FF;\nSKIP:")


def family():
    result = Family("warp")
    shuffles(result)
    votes(result)
    reductions(result)
    return result
