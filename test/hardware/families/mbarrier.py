"""mbarrier: scripted sequences of operations; every wait's answer is recorded."""

from .builder import Family, generated

OUT = 32

# Each script runs in one thread. ('test', parity) records the phase test's answer.
SCRIPTS = {
    "fresh_parities": [("init", 1), ("test", 0), ("test", 1)],
    "one_arrival": [("init", 1), ("arrive", 1), ("test", 0), ("test", 1), ("arrive", 1),
                    ("test", 0), ("test", 1)],
    "three_arrivals": [("init", 3), ("arrive", 1), ("test", 0), ("arrive", 1), ("test", 0),
                       ("arrive", 1), ("test", 0), ("test", 1)],
    "arrive_count": [("init", 5), ("arrive", 2), ("test", 0), ("arrive", 3), ("test", 0),
                     ("test", 1), ("arrive", 5), ("test", 0), ("test", 1)],
    "expect_then_complete": [("init", 1), ("expect", 64), ("arrive", 1), ("test", 0),
                             ("complete", 32), ("test", 0), ("complete", 32), ("test", 0)],
    "complete_before_arrive": [("init", 1), ("expect", 64), ("complete", 64), ("test", 0),
                               ("arrive", 1), ("test", 0)],
    "complete_before_expect": [("init", 1), ("complete", 64), ("test", 0), ("expect", 64),
                               ("test", 0), ("arrive", 1), ("test", 0)],
    "arrive_expect": [("init", 1), ("arriveExpect", 16), ("test", 0), ("complete", 16),
                      ("test", 0), ("test", 1)],
    "arrive_expect_two": [("init", 2), ("arriveExpect", 16), ("complete", 16), ("test", 0),
                          ("arriveExpect", 8), ("test", 0), ("complete", 8), ("test", 0)],
    "expect_zero": [("init", 1), ("arriveExpect", 0), ("test", 0), ("test", 1)],
    "next_phase_expect": [("init", 1), ("arrive", 1), ("expect", 16), ("arrive", 1), ("test", 0),
                          ("test", 1), ("complete", 16), ("test", 0), ("test", 1)],
    "drop": [("init", 3), ("drop", 1), ("arrive", 2), ("test", 0), ("arrive", 2), ("test", 1),
             ("test", 0)],
    "drop_two": [("init", 4), ("drop", 2), ("arrive", 2), ("test", 0), ("arrive", 1),
                 ("test", 1), ("arrive", 1), ("test", 1)],
    "no_complete": [("init", 3), ("noComplete", 2), ("test", 0), ("arrive", 1), ("test", 0)],
    "pending_counts": [("init", 7), ("pending", 1), ("pending", 2), ("pending", 4),
                       ("pending", 3), ("test", 0), ("test", 1)],
    "state_wait": [("init", 2), ("state", 1), ("testState",), ("state", 1), ("testState",),
                   ("state", 1), ("testState",), ("arrive", 1), ("testState",)],
    "large_count": [("init", 1048575), ("arrive", 1048574), ("test", 0), ("arrive", 1),
                    ("test", 0)],
    "large_tx": [("init", 1), ("arriveExpect", 1048575), ("test", 0), ("complete", 1048575),
                 ("test", 0)],
    "init_again": [("init", 1), ("arrive", 1), ("test", 0), ("inval",), ("init", 2), ("test", 0),
                   ("test", 1), ("arrive", 2), ("test", 0)],
    "four_phases": [("init", 1)] + [step for _ in range(4)
                                    for step in (("arrive", 1), ("test", 0), ("test", 1))],
    "try_wait": [("init", 1), ("tryWait", 1), ("arrive", 1), ("tryWait", 0)],
    "relaxed": [("init", 2), ("arriveRelaxed", 1), ("testRelaxed", 0), ("arriveCluster", 1),
                ("testRelaxed", 0), ("testRelaxed", 1)],
}
OPS = {
    "init": "mbarrier.init.shared::cta.b64 [bar], {0};",
    "inval": "mbarrier.inval.shared::cta.b64 [bar];",
    "arrive": "mbarrier.arrive.shared::cta.b64 %d1, [bar], {0};",
    "arriveRelaxed": "mbarrier.arrive.relaxed.cta.shared::cta.b64 %d1, [bar], {0};",
    "arriveCluster": "mbarrier.arrive.release.cluster.shared::cta.b64 %d1, [bar], {0};",
    "drop": "mbarrier.arrive_drop.shared::cta.b64 %d1, [bar], {0};",
    "noComplete": "mbarrier.arrive.noComplete.shared::cta.b64 %d1, [bar], {0};",
    "expect": "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bar], {0};",
    "complete": "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [bar], {0};",
    "arriveExpect": "mbarrier.arrive.expect_tx.shared::cta.b64 %d1, [bar], {0};",
    "test": "mbarrier.test_wait.parity.shared::cta.b64 %p0, [bar], {0};",
    "testRelaxed": "mbarrier.test_wait.parity.relaxed.cta.shared::cta.b64 %p0, [bar], {0};",
    "tryWait": "mbarrier.try_wait.parity.shared::cta.b64 %p0, [bar], {0};",
    "state": "mbarrier.arrive.shared::cta.b64 %d2, [bar], {0};",
    "testState": "mbarrier.test_wait.shared::cta.b64 %p0, [bar], %d2;",
    "pending": "mbarrier.arrive.shared::cta.b64 %d1, [bar], {0};\n"
               "mbarrier.pending_count.b64 %r4, %d1;",
}
RECORDED = {"test", "testRelaxed", "tryWait", "testState"}


def scripts(family):
    for name, steps in SCRIPTS.items():
        body = ".shared .align 8 .b8 bar[8];\nld.param.u64 %d0, [out];\n"
        at = 0
        for step in steps:
            body += OPS[step[0]].format(*step[1:]) + "\n"
            if step[0] in RECORDED:
                body += "selp.u32 %r4, 1, 0, %p0;\n"
            if step[0] in RECORDED or step[0] == "pending":
                body += f"st.global.u32 [%d0+{4 * at}], %r4;\n"
                at += 1
        entry = family.entry(name, {"out": "u64"}, body + "ret;")
        family.case(name, entry, [f"out:u32[{at}]:o.npy"], block=1)


REMOTE_HEAD = """
    .shared .align 8 .b8 bar[8];
    .shared .align 16 .b8 slot[64];
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, %cluster_ctarank;
    mov.u32 %r2, bar;
    mov.u32 %r3, slot;
    setp.ne.u32 %p2, %r0, 0;
    @%p2 bra READY;
    mbarrier.init.shared::cta.b64 [bar], {count};
    st.shared.u32 [%r3], 77;
    st.shared.u32 [%r3+4], 78;
    st.shared.u32 [%r3+8], 79;
    st.shared.u32 [%r3+12], 80;
    {local}
    fence.mbarrier_init.release.cluster;
    READY:
    barrier.cluster.arrive.aligned;
    barrier.cluster.wait.aligned;
    @%p2 bra WAITING;
    xor.b32 %r5, %r1, 1;
    mapa.shared::cluster.u32 %r6, %r2, %r5;
    mapa.shared::cluster.u32 %r7, %r3, %r5;
    {remote}
    WAITING:
    mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p1, [bar], 0;
    @!%p1 bra WAITING;
    ld.param.u64 %d0, [out];
    mov.u32 %r8, %ctaid.x;
    mad.wide.u32 %d0, %r8, 16, %d0;
    ld.shared.v4.u32 {{%r10, %r11, %r12, %r13}}, [slot];
    barrier.cluster.arrive.aligned;
    barrier.cluster.wait.aligned;
    @%p2 bra END;
    st.global.v4.u32 [%d0], {{%r10, %r11, %r12, %r13}};
    END:
    ret;
"""
REMOTE = {
    "remote_arrive": (2, "", "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r6], 2;"),
    "remote_arrive_relaxed": (1, "", "mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [%r6];"),
    "remote_arrive_and_local": (2, "mbarrier.arrive.shared::cta.b64 %d1, [bar];",
                                "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r6];"),
    "remote_arrive_expect": (
        1, "", "mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%r6], 16;\n"
        "mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%r6], 16;"),
    "remote_expect": (1, "", "mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [%r6], 8;\n"
                      "mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%r6], 8;\n"
                      "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r6];"),
    "st_async_b32": (1, "mbarrier.arrive.expect_tx.shared::cta.b64 %d1, [bar], 4;",
                     "add.u32 %r9, %r1, 500;\nst.async.weak.shared::cluster.mbarrier::complete_tx"
                     "::bytes.b32 [%r7], %r9, [%r6];"),
    "st_async_v4": (1, "mbarrier.arrive.expect_tx.shared::cta.b64 %d1, [bar], 16;",
                    "add.u32 %r9, %r1, 500;\nst.async.weak.shared::cluster.mbarrier::complete_tx"
                    "::bytes.v4.b32 [%r7], {%r9, %r5, %r1, %r9}, [%r6];"),
    "red_async_add": (1, "mbarrier.arrive.expect_tx.shared::cta.b64 %d1, [bar], 4;",
                      "add.u32 %r9, %r1, 500;\nred.async.relaxed.cluster.shared::cluster.mbarrier"
                      "::complete_tx::bytes.add.u32 [%r7], %r9, [%r6];"),
    "red_async_max": (1, "mbarrier.arrive.expect_tx.shared::cta.b64 %d1, [bar], 4;",
                      "add.u32 %r9, %r1, 77;\nred.async.relaxed.cluster.shared::cluster.mbarrier"
                      "::complete_tx::bytes.max.s32 [%r7], %r9, [%r6];"),
    "red_async_inc": (1, "mbarrier.arrive.expect_tx.shared::cta.b64 %d1, [bar], 4;",
                      "add.u32 %r9, %r1, 76;\nred.async.relaxed.cluster.shared::cluster.mbarrier"
                      "::complete_tx::bytes.inc.u32 [%r7], %r9, [%r6];"),
    "bulk_to_peer": (1, "mbarrier.arrive.expect_tx.shared::cta.b64 %d1, [bar], 16;",
                     "st.shared.u32 [%r3+32], %r1;\nst.shared.u32 [%r3+36], 5;\n"
                     "st.shared.u32 [%r3+40], 6;\nst.shared.u32 [%r3+44], 7;\n"
                     "fence.proxy.async.shared::cta;\nadd.u32 %r9, %r3, 32;\n"
                     "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes "
                     "[%r7], [%r9], 16, [%r6];"),
}


def remotes(family):
    for name, (count, local, remote) in REMOTE.items():
        entry = family.entry(name, {"out": "u64"},
                             REMOTE_HEAD.format(count=count, local=local, remote=remote))
        family.case(name, entry, ["out:u32[8]:o.npy"], block=32, grid=2, cluster=2)


def threads(family):
    """All threads of a CTA arrive on one barrier, three phases in a row."""
    body = """
    .shared .align 8 .b8 bar[8];
    .shared .align 4 .b8 cells[512];
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, cells;
    mad.lo.u32 %r2, %r0, 4, %r1;
    xor.b32 %r3, %r0, 127;
    mad.lo.u32 %r3, %r3, 4, %r1;
    setp.ne.u32 %p2, %r0, 0;
    @!%p2 mbarrier.init.shared::cta.b64 [bar], 128;
    bar.sync 0;
    mov.u32 %r4, 0;
    mov.u32 %r5, %r0;
    PHASE:
    st.shared.u32 [%r2], %r5;
    mbarrier.arrive.shared::cta.b64 %d1, [bar];
    and.b32 %r6, %r4, 1;
    WAIT:
    mbarrier.try_wait.parity.shared::cta.b64 %p1, [bar], %r6;
    @!%p1 bra WAIT;
    ld.shared.u32 %r7, [%r3];
    mad.lo.u32 %r5, %r5, 3, %r7;
    bar.sync 0;
    add.u32 %r4, %r4, 1;
    setp.lt.u32 %p3, %r4, 3;
    @%p3 bra PHASE;
    ld.param.u64 %d0, [out];
    mad.wide.u32 %d0, %r0, 4, %d0;
    st.global.u32 [%d0], %r5;
    ret;
    """
    family.case("all_threads", family.entry("all_threads", {"out": "u64"}, body),
                ["out:u32[128]:o.npy"])
    body = """
    .shared .align 8 .b8 bar[8];
    .shared .align 16 .b8 tile[2048];
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, tile;
    mad.lo.u32 %r2, %r0, 16, %r1;
    setp.ne.u32 %p2, %r0, 0;
    @!%p2 mbarrier.init.shared::cta.b64 [bar], 128;
    bar.sync 0;
    ld.param.u64 %d0, [source];
    mad.wide.u32 %d0, %r0, 16, %d0;
    cp.async.cg.shared::cta.global [%r2], [%d0], 16;
    cp.async.mbarrier.arrive.noinc.shared::cta.b64 [bar];
    WAIT:
    mbarrier.try_wait.parity.shared::cta.b64 %p1, [bar], 0;
    @!%p1 bra WAIT;
    xor.b32 %r3, %r0, 127;
    mad.lo.u32 %r3, %r3, 16, %r1;
    ld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [%r3];
    ld.param.u64 %d0, [out];
    mad.wide.u32 %d0, %r0, 16, %d0;
    st.global.v4.u32 [%d0], {%r10, %r11, %r12, %r13};
    ret;
    """
    entry = family.entry("cp_async_noinc", {"source": "u64", "out": "u64"}, body)
    family.case("cp_async_noinc", entry, ["in:x.npy:u32", "out:u32[512]:o.npy"],
                {"x.npy": generated("bits", 512, 4, 41)})


def family():
    result = Family("mbarrier")
    scripts(result)
    remotes(result)
    threads(result)
    return result
