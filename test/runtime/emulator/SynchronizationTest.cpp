// Barriers, mbarriers, clusters, register pools, deadlocks.
#include "LaunchHelper.h"

namespace fa4::emulator::test {
namespace {

const std::string registers =
    ".reg .b32 %r, %tid, %a, %b, %c; .reg .b64 %d, %e; .reg .pred %p, %q;\n"
    "mov.u32 %tid, %tid.x;\nmov.u32 %r, 0;\n";

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

TEST(SynchronizationTest, NamedBarriersJoinTheirThreads) {
  // Warp 0 only arrives at barrier 3, warp 1 waits there for its value.
  BodyRun run;
  run.block = {64, 1, 1};
  run.options.schedule = Schedule::Late;
  auto values = run.clean(registers + R"(
    .shared .align 4 .u32 x[32];
    mov.u32 %b, x;
    and.b32 %a, %tid, 31;
    mad.lo.u32 %b, %a, 4, %b;
    setp.ge.u32 %p, %tid, 32;
    @%p bra READER;
    st.shared.u32 [%b], %tid;
    bar.arrive 3, 64;
    bra DONE;
  READER:
    bar.sync 3, 64;
    ld.shared.u32 %r, [%b];
  DONE:
  )" + storeByThread,
                          64);
  EXPECT_EQ(values[32 + 7], 7u);
}

TEST(SynchronizationTest, BarrierCountsMustAgree) {
  BodyRun run;
  run.block = {64, 1, 1};
  EXPECT_TRUE(contains(run.reports(registers + R"(
    setp.ge.u32 %p, %tid, 32;
    @%p bra OTHER;
    bar.sync 1, 64;
    ret;
  OTHER:
    bar.sync 1, 96;
  )"),
                       "barrier 1 is used with"));
}

TEST(SynchronizationTest, FreshMbarrierPassesParityOne) {
  BodyRun run;
  auto values = run.clean(registers + R"(
    .shared .align 8 .b64 bar;
    elect.sync _|%p, -1;
    @%p mbarrier.init.shared::cta.b64 [bar], 1;
    bar.warp.sync -1;
    mbarrier.test_wait.parity.shared::cta.b64 %p, [bar], 1;
    mbarrier.test_wait.parity.shared::cta.b64 %q, [bar], 0;
    selp.u32 %r, 1, 0, %p;
    selp.u32 %a, 2, 0, %q;
    or.b32 %r, %r, %a;
  )" + storeByThread,
                          32);
  EXPECT_EQ(values[0], 1u);
}

TEST(SynchronizationTest, MbarrierNeedsBytesAndArrivals) {
  BodyRun run;
  auto values = run.clean(registers + R"(
    .shared .align 8 .b64 bar;
    setp.ne.u32 %p, %tid, 0;
    @%p bra DONE;
    mbarrier.init.shared::cta.b64 [bar], 2;
    mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 16;
    mbarrier.arrive.shared::cta.b64 %d, [bar];
    mbarrier.test_wait.parity.shared::cta.b64 %p, [bar], 0;
    selp.u32 %r, 1, 0, %p;
    mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [bar], 16;
    mbarrier.test_wait.shared::cta.b64 %p, [bar], %d;
    selp.u32 %a, 2, 0, %p;
    or.b32 %r, %r, %a;
  DONE:
  )" + storeByThread,
                          32);
  EXPECT_EQ(values[0], 2u);
}

TEST(SynchronizationTest, UninitializedMbarrierIsReported) {
  BodyRun run;
  EXPECT_TRUE(contains(run.reports(registers + R"(
    .shared .align 8 .b64 bar;
    mbarrier.arrive.shared::cta.b64 _, [bar];
  )"),
                       "no initialized mbarrier at shared address 0x400"));
}

TEST(SynchronizationTest, TooManyArrivalsAreReported) {
  BodyRun run;
  EXPECT_TRUE(
      contains(run.reports(registers + R"(
    .shared .align 8 .b64 bar;
    setp.ne.u32 %p, %tid, 0;
    @%p ret;
    mbarrier.init.shared::cta.b64 [bar], 1;
    mbarrier.arrive.shared::cta.b64 _, [bar], 2;
  )"),
               "arrival of 2 at the mbarrier at 0x400, which has 1 of 1"));
}

TEST(SynchronizationTest, DeadlockNamesWaiterAndBarrier) {
  BodyRun run;
  const std::string text = run.reports(registers + R"(
    .shared .align 8 .b64 bar;
    setp.ne.u32 %p, %tid, 0;
    @%p bra WAIT;
    mbarrier.init.shared::cta.b64 [bar], 3;
    mbarrier.arrive.shared::cta.b64 _, [bar];
  WAIT:
    bar.warp.sync -1;
  SPIN:
    mbarrier.try_wait.parity.shared::cta.b64 %p, [bar], 0;
    @!%p bra SPIN;
  )");
  EXPECT_FALSE(run.result.completed);
  EXPECT_TRUE(contains(text, "deadlock: line"));
  EXPECT_TRUE(contains(text, "2 of 3 arrivals and 0 bytes pending; last "
                             "changed by mbarrier.arrive.shared::cta.b64"))
      << text;
}

TEST(SynchronizationTest, APeekThatFailsIsNoDeadlock) {
  // A single try_wait may return false; the kernel goes on without it.
  BodyRun run;
  auto values = run.clean(registers + R"(
    .shared .align 8 .b64 bar;
    setp.ne.u32 %p, %tid, 0;
    @%p bra DONE;
    mbarrier.init.shared::cta.b64 [bar], 1;
    mbarrier.try_wait.parity.shared::cta.b64 %p, [bar], 0;
    selp.u32 %r, 1, 5, %p;
    mbarrier.arrive.shared::cta.b64 _, [bar];
  DONE:
  )" + storeByThread,
                          32);
  EXPECT_EQ(values[0], 5u);
}

TEST(SynchronizationTest, EndlessLoopMeetsTheStepLimit) {
  BodyRun run;
  run.options.stepLimit = 100000;
  EXPECT_TRUE(contains(run.reports("L: bra L;"), "limit: "));
}

TEST(SynchronizationTest, SetmaxnregWaitsForThePool) {
  // 256 threads with at most 128 registers: 176 fit once a group gave 48 away.
  const std::string text = R"(
.version 8.8
.target sm_100a
.entry k()
.reqntid 256
.maxnreg 128
{
.reg .b32 %w; .reg .pred %p;
mov.u32 %w, %tid.x;
setp.ge.u32 %p, %w, 128;
@%p bra SECOND;
setmaxnreg.inc.sync.aligned.u32 176;
ret;
SECOND:
setmaxnreg.dec.sync.aligned.u32 DOWN;
}
)";
  auto runWith = [&](const std::string &down) {
    std::string source = text;
    source.replace(source.find("DOWN"), 4, down);
    Module module = Module::parse(source, "regs.ptx");
    GlobalMemory memory;
    LaunchConfig config;
    config.entry = "k";
    config.block = {256, 1, 1};
    return launch(module, memory, config);
  };
  EXPECT_TRUE(runWith("80").completed);
  LaunchResult stuck = runWith("88");
  EXPECT_TRUE(contains(reportsOf(stuck), "waits for 176 registers"));
}

TEST(SynchronizationTest, ClusterSharesMemoryAndBarriers) {
  // Each CTA writes its rank into its neighbour's shared memory.
  BodyRun run;
  run.grid = {2, 1, 1};
  run.cluster = {2, 1, 1};
  auto values = run.clean(registers + R"(
    .shared .align 4 .u32 x[32];
    mov.u32 %a, %cluster_ctarank;
    xor.b32 %b, %a, 1;
    mov.u32 %c, x;
    mad.lo.u32 %c, %tid, 4, %c;
    mapa.shared::cluster.u32 %b, %c, %b;
    add.u32 %a, %a, 40;
    barrier.cluster.arrive.aligned;
    barrier.cluster.wait.aligned;
    st.shared::cluster.u32 [%b], %a;
    barrier.cluster.arrive.aligned;
    barrier.cluster.wait.aligned;
    ld.shared.u32 %r, [%c];
    mov.u32 %a, %ctaid.x;
    mad.wide.u32 %out, %a, 128, %out;
  )" + storeByThread,
                          64);
  EXPECT_EQ(values[0], 41u);
  EXPECT_EQ(values[32], 40u);
}

TEST(SynchronizationTest, RemoteArrivalCompletesAPhase) {
  BodyRun run;
  run.grid = {2, 1, 1};
  run.cluster = {2, 1, 1};
  run.options.schedule = Schedule::Random;
  auto values = run.clean(registers + R"(
    .shared .align 8 .b64 bar;
    mov.u32 %a, %cluster_ctarank;
    setp.eq.u32 %p, %tid, 0;
    @%p mbarrier.init.shared::cta.b64 [bar], 1;
    fence.mbarrier_init.release.cluster;
    barrier.cluster.arrive.aligned;
    barrier.cluster.wait.aligned;
    setp.eq.u32 %q, %a, 1;
    @%q bra PEER;
  SPIN:
    mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p, [bar], 0;
    @!%p bra SPIN;
    mov.u32 %r, 9;
    bra DONE;
  PEER:
    mov.u32 %b, bar;
    mapa.shared::cluster.u32 %b, %b, 0;
    @%p mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%b];
  DONE:
    barrier.cluster.arrive.aligned;
    barrier.cluster.wait.aligned;
    mad.wide.u32 %out, %a, 128, %out;
  )" + storeByThread,
                          64);
  EXPECT_EQ(values[0], 9u);
}

/// Every CTA waits until %out[0] has its number, then adds 1.
const std::string inOrder = registers + R"(
    mov.u32 %a, %ctaid.x;
  AGAIN:
    ld.acquire.gpu.global.u32 %b, [%out];
    setp.ne.u32 %p, %a, %b;
    @%p bra AGAIN;
    setp.eq.u32 %p, %tid, 0;
    bar.sync 0;
    @%p red.release.gpu.global.add.u32 [%out], 1;
    ret;
)";

TEST(SynchronizationTest, PollingEndsWhenMemoryChanges) {
  for (Schedule schedule :
       {Schedule::Fifo, Schedule::Eager, Schedule::Late, Schedule::Random}) {
    BodyRun run;
    run.grid = {4, 1, 1};
    run.options.resident = 4;
    run.options.schedule = schedule;
    // The buffer starts as poison; the first CTA to see that clears it.
    auto values = run.clean(registers + R"(
      atom.global.cas.b32 %b, [%out], 0xffffffff, 0;
    )" + inOrder.substr(registers.size()),
                            1);
    EXPECT_EQ(values[0], 4u);
  }
}

/// What is never written is a deadlock, not a hang.
TEST(SynchronizationTest, PollingForNothingIsADeadlock) {
  BodyRun run;
  std::string reports = run.reports(inOrder);
  EXPECT_TRUE(contains(reports, "ld.acquire.gpu.global.u32 waits for a change "
                                "of 0x7f0000000000, offset 0 of 'out'"))
      << reports;
}

/// Who spins without suspending itself is reported with what it polls; who
/// waits for it, too.
TEST(SynchronizationTest, SpinningForNothingIsALivelock) {
  BodyRun run;
  run.options.livelockLimit = 10000;
  const std::string text = run.reports(registers + R"(
    .shared .align 8 .b64 bar;
    setp.ne.u32 %p, %tid, 0;
    @%p bra WAIT;
    mbarrier.init.shared::cta.b64 [bar], 3;
  SPIN:
    atom.global.cas.b32 %b, [%out], 0, 0;
    mbarrier.test_wait.parity.shared::cta.b64 %p, [bar], 0;
    @!%p bra SPIN;
  WAIT:
    bar.warp.sync -1;
  )");
  EXPECT_FALSE(run.result.completed);
  EXPECT_TRUE(contains(text, "livelock: line"));
  EXPECT_TRUE(
      contains(text, "nothing has changed for 10000 warp instructions"));
  EXPECT_TRUE(contains(text, "and polls by atom.global.cas.b32 at line "))
      << text;
  EXPECT_TRUE(
      contains(text, ", mbarrier.test_wait.parity.shared::cta.b64 at line "));
  EXPECT_TRUE(contains(text, "bar.warp.sync waits for"));
}

/// A long computation is none.
TEST(SynchronizationTest, ComputingBetweenStoresIsNoLivelock) {
  BodyRun run;
  run.options.livelockLimit = 10000;
  run.clean(registers + R"(
    mov.b32 %a, 0;
  OUTER:
    mov.b32 %b, 0;
  INNER:
    add.u32 %b, %b, 1;
    setp.lt.u32 %p, %b, 1000;
    @%p bra INNER;
    st.global.b32 [%out], %a;
    add.u32 %a, %a, 1;
    setp.lt.u32 %p, %a, 20;
    @%p bra OUTER;
  )",
            1);
}

/// CUDA promises no order of CTAs: who waits for an earlier one hangs where
/// only one runs at a time and the later one comes first.
TEST(SynchronizationTest, DispatchIsInNoPromisedOrder) {
  for (auto [schedule, ends] :
       {std::pair{Schedule::Fifo, true}, {Schedule::Late, false}}) {
    BodyRun run;
    run.grid = {2, 1, 1};
    run.options.resident = 1;
    run.options.schedule = schedule;
    run(registers + R"(
      atom.global.cas.b32 %b, [%out], 0xffffffff, 0;
    )" + inOrder.substr(registers.size()),
        1);
    EXPECT_EQ(run.result.completed, ends);
    EXPECT_EQ(contains(reportsOf(run.result), "deadlock"), !ends);
  }
}

} // namespace
} // namespace fa4::emulator::test
