// One mistake each in a kernel that is otherwise right, and the report it gets.
#include "Harness.h"
#include <gtest/gtest.h>

namespace fa4::emulator::test {
namespace {

struct WrongCase {
  const char *name;
  const char *kernel;
  std::vector<Edit> edits;
  const char *check;
  const char *text; // part of the report
  bool strict = false;
};

void PrintTo(const WrongCase &c, std::ostream *out) { *out << c.name; }

class WrongKernels : public testing::TestWithParam<WrongCase> {};

TEST_P(WrongKernels, AreReported) {
  const WrongCase &wrong = GetParam();
  const LaunchResult result =
      runChecked({wrong.kernel, wrong.edits, Schedule::Fifo, 1, wrong.strict});
  bool found = false;
  for (const Report &report : result.reports)
    found |= report.check == wrong.check &&
             report.message.find(wrong.text) != std::string::npos;
  EXPECT_TRUE(found) << "expected " << wrong.check << ": " << wrong.text
                     << "\nreported:\n"
                     << textOf(result);
  // Another order may show another symptom first, but never none.
  for (Schedule schedule : {Schedule::Random, Schedule::Eager, Schedule::Late})
    EXPECT_NE(textOf(runChecked(
                  {wrong.kernel, wrong.edits, schedule, 1, wrong.strict})),
              "");
}

const WrongCase threads[] = {
    {"ReadBeforeBarrier",
     "exchange",
     {{"full", ""}},
     "race",
     "are not ordered; missing: an mbarrier arrive and wait, or a barrier"},
    {"OverwriteBeforeBarrier",
     "exchange",
     {{"empty", ""}},
     "race",
     "the read by warp 1 lane 0"},
    {"NoBarrierAtAll",
     "exchange",
     {{"full", ""}, {"empty", ""}},
     "race",
     "shared memory 0x"},
    {"WarpSyncInsteadOfBarrier",
     "exchange",
     {{"full", "bar.warp.sync -1;"}},
     "race",
     "st.shared.b32"},
    {"BarrierIdsDiffer",
     "exchange",
     {{"full", "bar.arrive 1, 128;"}},
     "race",
     "st.shared.b32"},
    {"NothingWritten",
     "exchange",
     {{"write", ""}},
     "init",
     "which nothing has written (4 of 4 bytes)"},
    {"NoWarpSync",
     "warp",
     {{"sync", ""}},
     "race",
     "missing: bar.warp.sync between them"},
    {"NoWarpSyncBeforeRewrite",
     "warp",
     {{"collect", ""}},
     "race",
     "the read by warp 0 lane"},
    {"PartialWarpSync",
     "warp",
     {{"sync", "bar.warp.sync %t;"}},
     "divergence",
     "bar.warp.sync with mask"},
    {"ClusterArriveRelaxed",
     "cluster",
     {{"arrive", "barrier.cluster.arrive.relaxed.aligned;"}},
     "race",
     "shared memory 0x400 of cta"},
    {"ClusterWithoutWait",
     "cluster",
     {{"firstWait", ""}},
     "race",
     "st.shared::cluster.b32"},
    {"RemoteReadTooEarly",
     "cluster",
     {{"arrive", ""}, {"wait", ""}},
     "race",
     "of cta"},
    {"PeerHasLeft",
     "cluster",
     {{"read", "ld.shared::cluster.b32 %v, [%remote];"}},
     "race",
     "uses its shared memory at line 27 ld.shared::cluster.b32; missing: a "
     "cluster barrier between the access and the end of cta"},
};

const WrongCase handovers[] = {
    {"OneLaneArrivesForTheWarp",
     "handover",
     {{"joined", ""}},
     "race",
     "the write by warp 0 lane 1 at line 25 st.shared.b32"},
    {"ShuffleIsNoBarrier",
     "handover",
     {{"joined", "shfl.sync.idx.b32 %j, %l, 0, 31, -1;"}},
     "race",
     "the write by warp 0 lane 1 at line 25 st.shared.b32"},
    {"OneLaneWaitsForTheWarp",
     "handover",
     {{"wait", "setp.eq.u32 %q, 0, 0; setp.ne.u32 %p, %l, 0; @%p bra SKIP; "
               "POLL: mbarrier.try_wait.parity.shared.b64 %q, [full], 0; "
               "@!%q bra POLL; SKIP:"}},
     "race",
     "ld.shared.b32"},
};

const WrongCase globals[] = {
    {"FlagWithoutRelease",
     "global",
     {{"releaseFence", ""}},
     "race",
     "global memory 0x7f"},
    {"FlagWithoutAcquire",
     "global",
     {{"poll", "ld.relaxed.gpu.global.b32 %f, [%flag];"}},
     "race",
     "the write by warp 0 lane 0"},
    {"PlainAdd",
     "global",
     {{"add", "st.global.b32 [%sum], %one;"}},
     "race",
     "st.global.b32"},
    {"FlagNotCleared", "global", {{"cleared", ""}}, "race", "st.global.b32"},
};

const WrongCase copies[] = {
    {"ConsumerDoesNotWait",
     "ring",
     {{"waitFull", ""}},
     "init",
     "reads shared memory 0x800, which nothing has written"},
    {"ProducerDoesNotWait",
     "ring",
     {{"waitEmpty", ""}},
     "barrier",
     "has 0 of 1 arrivals pending"},
    {"EmptyCountTooSmall",
     "ring",
     {{"empty0", "mbarrier.init.shared.b64 [empty], 32;"},
      {"empty1", "mbarrier.init.shared.b64 [empty+8], 32;"}},
     "barrier",
     "takes the parity of a later phase for its own"},
    {"InitNotPublished",
     "ring",
     {{"initialized", ""}},
     "race",
     "the write by warp 0 lane 0 at line 22 mbarrier.init.shared.b64"},
    {"ReleaseBeforeRead",
     "ring",
     {{"read", "mbarrier.arrive.shared.b64 %st, [%bar];"},
      {"release", "ld.shared.b32 %v, [%tile];"}},
     "race",
     "ld.shared.b32"},
    {"OneArrivalTooMany",
     "ring",
     {{"after release", "mbarrier.arrive.shared.b64 %st, [%bar];"}},
     "barrier",
     "completes while a warp still waits for phase 0"},
    {"ExpectTooFewBytes",
     "ring",
     {{"expect", "mbarrier.arrive.expect_tx.shared.b64 %st, [%fbar], 4096;"}},
     "deadlock",
     "bytes pending"},
    {"ExpectTooManyBytes",
     "ring",
     {{"expect", "mbarrier.arrive.expect_tx.shared.b64 %st, [%fbar], 16384;"}},
     "deadlock",
     "8192 bytes pending"},
    {"NothingExpected",
     "ring",
     {{"expect", "mbarrier.arrive.shared.b64 %st, [%fbar];"}},
     "race",
     "bulk copy onto the mbarrier"},
    {"NeverReleased",
     "ring",
     {{"release", ""}},
     "deadlock",
     "nothing can go on"},
    {"StoreWithoutFence",
     "store",
     {{"fence", ""}},
     "proxy",
     "missing: fence.proxy.async after the write, by the writing threads"},
    {"StoreBeforeAllWrote",
     "store",
     {{"written", ""}},
     "race",
     "the read by a bulk store of warp 0 lane 0"},
    {"OverwriteWhileStoring",
     "store",
     {{"drain", ""}},
     "race",
     "missing: cp.async.bulk.commit_group and wait_group.read"},
    {"StoreNotCommitted",
     "store",
     {{"commit", ""}},
     "race",
     "exits while a bulk store that it issued"},
    {"DrainNotPassedOn", "store", {{"stored", ""}}, "race", "st.shared.v4.b32"},
    {"BulkReadTooEarly",
     "bulk",
     {{"wait", ""}},
     "race",
     "the write by a bulk copy onto the mbarrier"},
    {"BulkStoreWithoutFence",
     "bulk",
     {{"fence", ""}},
     "proxy",
     "cp.async.bulk.global.shared::cta.bulk_group"},
    {"BulkExitInFlight",
     "bulk",
     {{"drain", ""}},
     "race",
     "warp 1 lane 0 exits while a bulk store"},
    {"MbarrierOverwritten",
     "bulk",
     {{"inval", ""}},
     "barrier",
     "overwrites a live mbarrier"},
    {"MbarrierInitializedTwice",
     "bulk",
     {{"after init", "mbarrier.init.shared.b64 [bar], 1;"}},
     "barrier",
     "on a live mbarrier: it needs an mbarrier.inval first"},
    {"UseAfterInval",
     "bulk",
     {{"reuse", "mbarrier.arrive.shared.b64 %st, [bar];"}},
     "barrier",
     "no initialized mbarrier"},
    {"CopyNotDrained",
     "copy",
     {{"drain", ""}},
     "race",
     "missing: cp.async.wait_group"},
    {"CopyNotCommitted", "copy", {{"commit", ""}}, "race", "cp.async"},
    {"CopyNotPassedOn", "copy", {{"copied", ""}}, "race", "cp.async"},
};

const WrongCase tensors[] = {
    {"NoWaitStore",
     "tmem",
     {{"waitStore", ""}},
     "tmem",
     "missing: tcgen05.wait::st before the arrive"},
    {"NoWaitLoad",
     "tmem",
     {{"waitLoad", ""}},
     "tmem",
     "missing: tcgen05.wait::ld before the arrive"},
    {"OperandWithoutFence",
     "tmem",
     {{"fence", ""}},
     "proxy",
     "the read by the tensor core for warp 4 lane 0"},
    {"AccumulatorReadTooEarly",
     "tmem",
     {{"waitDone", ""}},
     "init",
     "(tcgen05.ld) reads tmem column 0"},
    {"IssuerDoesNotWait",
     "tmem",
     {{"waitReady", ""}},
     "tmem",
     "the tensor core for warp 4 lane 0"},
    {"NoCommit", "tmem", {{"commit", ""}}, "deadlock", "nothing can go on"},
    {"ArriveInsteadOfCommit",
     "tmem",
     {{"commit", "mbarrier.arrive.shared.b64 %st, [done];"}},
     "tmem",
     "missing: tcgen05.commit"},
    {"CommitBeforeMma",
     "tmem",
     {{"mma", "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::"
              "cluster.b64 [done];"},
      {"commit", "tcgen05.mma.cta_group::1.kind::f16 [%d], [%pa], %desc, "
                 "%idesc, %acc;"}},
     "tmem",
     "missing: tcgen05.commit"},
    {"OperandNotWritten",
     "tmem",
     {{"storeB", ""}},
     "init",
     "the tensor core for warp 4 lane 0 reads shared memory"},
    {"TmemOperandNotWritten",
     "tmem",
     {{"storeP", ""}},
     "init",
     "reads tmem column 32, lanes 0 to 15, which nothing has written"},
    {"AccumulatesOnNothing",
     "tmem",
     {{"before mma", "setp.eq.u32 %acc, %t, %t;"}},
     "init",
     "reads tmem column 0"},
    {"DeallocTooEarly",
     "tmem",
     {{"drained", ""}},
     "tmem",
     "column 0 is not allocated"},
    {"AddressReadTooEarly",
     "tmem",
     {{"allocated", ""}},
     "init",
     "reads shared memory 0xc10, which nothing has written"},
    {"NoFenceBefore",
     "tmem",
     {{"before", ""}},
     "strict",
     "missing: tcgen05.fence::before_thread_sync",
     true},
    {"NoFenceAfter",
     "tmem",
     {{"after", ""}},
     "strict",
     "missing: tcgen05.fence::after_thread_sync",
     true},
    {"NoFenceAfterOfTheIssuer",
     "tmem",
     {{"issuerAfter", ""}},
     "strict",
     "missing: tcgen05.fence::after_thread_sync",
     true},
    {"WgmmaWithoutFence",
     "wgmma",
     {{"fence", ""}},
     "proxy",
     "the read by a wgmma of warpgroup 0"},
    {"WgmmaBeforeAllWrote",
     "wgmma",
     {{"stored", ""}},
     "race",
     "a wgmma of warpgroup 0"},
    {"OverwriteUnderWgmma",
     "wgmma",
     {{"drain", ""}},
     "race",
     "missing: wgmma.commit_group and wait_group behind it"},
    {"WgmmaDrainNotPassedOn",
     "wgmma",
     {{"drain", ""}, {"done", ""}},
     "race",
     "wgmma"},
};

// Rules of --strict, which kernels of others need not follow.
const WrongCase strictRules[] = {
    {"NoInitFence",
     "tmem",
     {{"initFence", ""}},
     "strict",
     "whose init is not behind a fence; missing: fence.mbarrier_init",
     true},
    {"AlignedBringsLanesTogether",
     "tmem",
     {{"together", ""}},
     "strict",
     "that are elsewhere (here are 0xfffffffe); missing: bar.warp.sync",
     true},
    {"UseBeforeWaitLoad",
     "tmem",
     {{"waitLoad", "add.u32 %x0, %x0, %x1; tcgen05.wait::ld.sync.aligned;"}},
     "strict",
     "add.u32 touches a register that the load at line 54",
     true},
    {"MovedBeforeWaitLoad",
     "tmem",
     {{"waitLoad", "mov.b64 %o, {%x0, %x1}; add.u64 %o, %o, 1; "
                   "tcgen05.wait::ld.sync.aligned;"}},
     "strict",
     "add.u64 touches a register that the load at line 54",
     true},
    {"OneLaneArrivesBehindAligned",
     "tmem",
     {{"readyCount", "mbarrier.init.shared.b64 [ready], 4;"},
      {"ready", "elect.sync %j|%e, -1; "
                "@%e mbarrier.arrive.shared.b64 %st, [ready];"}},
     "tmem",
     "bar.warp.sync behind it where one lane arrives for its warp",
     true},
    {"SlowLaneMissesAPhase",
     "ring",
     {{"empty0", "mbarrier.init.shared.b64 [empty], 2;"},
      {"empty1", "mbarrier.init.shared.b64 [empty+8], 2;"},
      {"read", ""},
      {"release", "elect.sync %v|%e, -1; "
                  "@%e mbarrier.arrive.shared.b64 %st, [%bar];"}},
     "strict",
     "the parity would turn back under its wait; missing: bar.warp.sync",
     true},
};

const WrongCase fragments[] = {
    {"NoWgmmaFence",
     "wgmma",
     {{"registers", ""}},
     "race",
     "missing: wgmma.fence between them"},
    {"AccumulatorSetBehindWgmmaFence",
     "wgmma",
     {{"after registers", "mov.f32 %d2, 0f00000000;"}},
     "race",
     "a fragment register that other instructions used goes to wgmma"},
    {"AccumulatorReadInFlight",
     "wgmma",
     {{"before drain", "add.f32 %d0, %d0, %d0;"}},
     "race",
     "add.f32 touches an accumulator register of the product at line 42"},
    {"AccumulatorMovedInFlight",
     "wgmma",
     {{"before drain", "mov.f32 %d1, %d0;"}},
     "race",
     "mov.f32 touches an accumulator register"},
    {"OperandChangedInFlight",
     "wgmma",
     {{"mma", "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 "
              "{%d0, %d1, %d2, %d3}, {%a, %a, %a, %a}, %db, %p, 1, 1, 0;"},
      {"before drain", "mov.u32 %a, %i; add.u32 %a, %a, 77;"}},
     "race",
     "changes an operand register of the product at line 42"},
};

std::string nameOf(const testing::TestParamInfo<WrongCase> &info) {
  return info.param.name;
}

TEST(WrongGrids, PlainStoresOfTwoClustersConflict) {
  const LaunchResult result =
      runChecked({.kernel = "grid",
                  .edits = {{"add", "st.global.b32 [%o], %one;"}},
                  .clusters = 2});
  EXPECT_NE(textOf(result).find("the write by cluster 0 at line 17"),
            std::string::npos)
      << textOf(result);
}

TEST(WrongGrids, AccessBeforeThePreviousGridHasEnded) {
  const LaunchResult result = runChecked(
      {.kernel = "grid",
       .edits = {{"previous", ""}, {"after add", "griddepcontrol.wait;"}},
       .strict = true});
  EXPECT_NE(textOf(result).find("missing: griddepcontrol.wait before it"),
            std::string::npos)
      << textOf(result);
}

INSTANTIATE_TEST_SUITE_P(Threads, WrongKernels, testing::ValuesIn(threads),
                         nameOf);
INSTANTIATE_TEST_SUITE_P(Handover, WrongKernels, testing::ValuesIn(handovers),
                         nameOf);
INSTANTIATE_TEST_SUITE_P(Global, WrongKernels, testing::ValuesIn(globals),
                         nameOf);
INSTANTIATE_TEST_SUITE_P(Copies, WrongKernels, testing::ValuesIn(copies),
                         nameOf);
INSTANTIATE_TEST_SUITE_P(Strict, WrongKernels, testing::ValuesIn(strictRules),
                         nameOf);
INSTANTIATE_TEST_SUITE_P(Fragments, WrongKernels, testing::ValuesIn(fragments),
                         nameOf);
INSTANTIATE_TEST_SUITE_P(Tensor, WrongKernels, testing::ValuesIn(tensors),
                         nameOf);

} // namespace
} // namespace fa4::emulator::test
