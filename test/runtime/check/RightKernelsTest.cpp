// Kernels that are right, however suspicious they look: nothing is reported
// under any schedule.
#include "Harness.h"
#include <gtest/gtest.h>

namespace fa4::emulator::test {
namespace {

struct RightCase {
  const char *name;
  const char *kernel;
  std::vector<Edit> edits;
  bool strictToo = true;
};

void PrintTo(const RightCase &c, std::ostream *out) { *out << c.name; }

class RightKernels : public testing::TestWithParam<RightCase> {};

TEST_P(RightKernels, StaySilent) {
  for (Schedule schedule :
       {Schedule::Fifo, Schedule::Random, Schedule::Eager, Schedule::Late}) {
    for (bool strict : {false, true}) {
      if (strict && !GetParam().strictToo)
        continue;
      const LaunchResult result = runChecked(
          {GetParam().kernel, GetParam().edits, schedule, 3, strict});
      EXPECT_TRUE(result.completed);
      EXPECT_EQ(textOf(result), "");
    }
  }
}

TEST(RightGrids, ReductionsOfManyClustersDoNotConflict) {
  EXPECT_EQ(
      textOf(runChecked({.kernel = "grid", .strict = true, .clusters = 6})),
      "");
}

const RightCase rightCases[] = {
    {"Exchange", "exchange", {}},
    {"Warp", "warp", {}},
    {"Ring", "ring", {}},
    {"Store", "store", {}},
    {"Tmem", "tmem", {}},
    {"Cluster", "cluster", {}},
    {"PeerCopy", "peer", {}},
    {"Wgmma", "wgmma", {}},
    {"Copy", "copy", {}},
    {"Global", "global", {}},
    {"Bulk", "bulk", {}},
    {"Handover", "handover", {}},
    // Every lane arrives for itself.
    {"EveryLaneArrives",
     "handover",
     {{"count", "mbarrier.init.shared.b64 [full], 32;"},
      {"joined", ""},
      {"elect", "// all"}}},
    // The proxy fence may also follow the barrier, in the issuing thread.
    {"FenceByTheIssuerOnly",
     "store",
     {{"fence", ""}, {"before store", "fence.proxy.async.shared::cta;"}}},
    // One fence for all spaces.
    {"FenceOfEverySpace", "store", {{"fence", "fence.proxy.async;"}}},
    // A full wait includes the reads.
    {"WaitForTheWholeStore",
     "store",
     {{"drain", "cp.async.bulk.wait_group 0;"}}},
    // At exit the reads are enough.
    {"ExitBehindReads",
     "bulk",
     {{"drain", "cp.async.bulk.wait_group.read 0;"}}},
    // A thread may read its own writes without any synchronization.
    {"OwnWordTwice",
     "warp",
     {{"own", "ld.shared.b32 %v, [%b]; st.shared.b32 [%b], %v;"}}},
    // The peer stays until its shared memory was read.
    {"PeerStays",
     "cluster",
     {{"read", "ld.shared::cluster.b32 %v, [%remote]; "
               "barrier.cluster.arrive.aligned; "
               "barrier.cluster.wait.aligned;"}}},
    // A relaxed arrive releases what a fence came behind.
    {"RelaxedArriveBehindFence",
     "cluster",
     {{"arrive", "fence.acq_rel.cluster; "
                 "barrier.cluster.arrive.relaxed.aligned;"}}},
    // The mbarrier itself needs no proxy fence, and its init orders nothing
    // but what follows the barrier.
    {"InitFenceLeftOut", "tmem", {{"initFence", ""}}, false},
    // The lanes come together at an .aligned instruction by themselves.
    {"AlignedBringsLanesTogether", "tmem", {{"together", ""}}, false},
    // Waiting twice for the same phase is harmless.
    {"WaitTwice",
     "tmem",
     {{"after loadD", "AGAIN: mbarrier.try_wait.parity.shared.b64 %q, [done], "
                      "%phase; @!%q bra AGAIN;"}}},
    // Loaded registers may be used before the wait; the columns may not.
    {"UseBeforeWaitLoad",
     "tmem",
     {{"waitLoad", "add.u32 %x0, %x0, %x1; tcgen05.wait::ld.sync.aligned;"}},
     false},
    // One lane arrives for its warp, behind bar.warp.sync.
    {"OneLaneArrivesForTmem",
     "tmem",
     {{"readyCount", "mbarrier.init.shared.b64 [ready], 4;"},
      {"ready", "bar.warp.sync -1; elect.sync %j|%e, -1; "
                "@%e mbarrier.arrive.shared.b64 %st, [ready];"}}},
    // tcgen05 instructions are .sync.aligned, which many take for a barrier.
    {"OneLaneArrivesBehindAligned",
     "tmem",
     {{"readyCount", "mbarrier.init.shared.b64 [ready], 4;"},
      {"before", "tcgen05.wait::st.sync.aligned;"},
      {"ready", "elect.sync %j|%e, -1; "
                "@%e mbarrier.arrive.shared.b64 %st, [ready];"}},
     false},
    // One lane arrives for lanes that have seen the phase.
    {"OneLaneArrivesForTheRing",
     "ring",
     {{"empty0", "mbarrier.init.shared.b64 [empty], 2;"},
      {"empty1", "mbarrier.init.shared.b64 [empty+8], 2;"},
      {"release", "bar.warp.sync -1; elect.sync %v|%e, -1; "
                  "@%e mbarrier.arrive.shared.b64 %st, [%bar];"}}},
    // Moves before the wait do not look at the value.
    {"MoveBeforeWaitLoad",
     "tmem",
     {{"waitLoad", "mov.b64 %o, {%x0, %x1}; tcgen05.wait::ld.sync.aligned;"}}},
    // Whatever happens to the fragments before the fence is right.
    {"AccumulatorSetBeforeWgmmaFence",
     "wgmma",
     {{"before registers", "mov.f32 %d2, 0f00000000;"}}},
    // An operand register may be read while wgmma reads it, too.
    {"OperandReadInFlight",
     "wgmma",
     {{"mma", "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 "
              "{%d0, %d1, %d2, %d3}, {%a, %a, %a, %a}, %db, %p, 1, 1, 0;"},
      {"before drain", "add.u32 %j, %a, 1;"}}},
    // Concurrent reductions do not race.
    {"AtomicInsteadOfReduction",
     "global",
     {{"add", "atom.add.relaxed.gpu.global.u32 %r, [%sum], %one;"}}},
    // A flag raised by an atomic exchange with release semantics.
    {"ReleasingStore",
     "global",
     {{"releaseFence", ""},
      {"signal", "st.release.gpu.global.b32 [%flag], %one;"}}},
    {"AcquireByFence",
     "global",
     {{"poll", "ld.relaxed.gpu.global.b32 %f, [%flag]; fence.acq_rel.gpu;"}}},
    // Draining two groups at once.
    {"WaitAllCopies",
     "copy",
     {{"commit", ""}, {"drain", "cp.async.wait_all;"}}},
    // More synchronization than needed.
    {"BarrierTwice", "exchange", {{"after full", "bar.sync 0;"}}},
    // A named barrier does what barrier 0 does.
    {"NamedBarrier",
     "exchange",
     {{"full", "bar.sync 3, 64;"}, {"empty", "barrier.sync 4, 64;"}}},
};

INSTANTIATE_TEST_SUITE_P(All, RightKernels, testing::ValuesIn(rightCases),
                         [](const auto &info) { return info.param.name; });

} // namespace
} // namespace fa4::emulator::test
