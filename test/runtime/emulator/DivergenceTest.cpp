// Lanes that take different ways, and meet again.
#include "LaunchHelper.h"

namespace fa4::emulator::test {
namespace {

const std::string registers =
    ".reg .b32 %r, %tid, %a, %b, %c; .reg .pred %p, %q;\nmov.u32 %tid, "
    "%tid.x;\n";

TEST(DivergenceTest, BothSidesOfABranchRun) {
  BodyRun run;
  auto values = run.clean(registers + R"(
    setp.lt.u32 %p, %tid, 10;
    @%p bra THEN;
    mov.u32 %r, 2;
    bra DONE;
  THEN:
    mov.u32 %r, 1;
  DONE:
  )" + storeByThread,
                          32);
  EXPECT_EQ(values[9], 1u);
  EXPECT_EQ(values[10], 2u);
}

TEST(DivergenceTest, LanesLoopDifferentlyOften) {
  BodyRun run;
  auto values = run.clean(registers + R"(
    mov.u32 %r, 0;
  LOOP:
    add.u32 %r, %r, %tid;
    setp.lt.u32 %p, %r, 40;
    setp.ne.and.u32 %p, %tid, 0, %p;
    @%p bra LOOP;
  )" + storeByThread,
                          32);
  EXPECT_EQ(values[0], 0u);
  EXPECT_EQ(values[7], 42u);
  EXPECT_EQ(values[31], 62u);
}

TEST(DivergenceTest, OneLaneSpinsUntilAnotherWrites) {
  // Lane 0 polls at a lower program counter than the writer's.
  BodyRun run;
  auto values = run.clean(registers + R"(
    .shared .align 4 .u32 flag;
    setp.eq.u32 %p, %tid, 0;
    @%p st.shared.u32 [flag], 0;
    bar.warp.sync -1;
    mov.u32 %r, 0;
    setp.ne.u32 %q, %tid, 0;
    @%q bra WRITER;
  SPIN:
    ld.volatile.shared.u32 %a, [flag];
    setp.eq.u32 %p, %a, 0;
    @%p bra SPIN;
    mov.u32 %r, %a;
    bra DONE;
  WRITER:
    setp.eq.u32 %p, %tid, 31;
    @%p st.volatile.shared.u32 [flag], 77;
  DONE:
    bar.warp.sync -1;
  )" + storeByThread,
                          32);
  EXPECT_EQ(values[0], 77u);
}

TEST(DivergenceTest, BarWarpSyncMeetsAtDifferentPlaces) {
  BodyRun run;
  auto values = run.clean(registers + R"(
    mov.u32 %r, 0;
    setp.lt.u32 %p, %tid, 16;
    @%p bra A;
    bar.warp.sync -1;
    add.u32 %r, %r, 1;
    bra DONE;
  A:
    bar.warp.sync -1;
    add.u32 %r, %r, 2;
  DONE:
  )" + storeByThread,
                          32);
  EXPECT_EQ(values[3], 2u);
  EXPECT_EQ(values[20], 1u);
}

TEST(DivergenceTest, ShuffleWaitsForItsMembers) {
  BodyRun run;
  auto values = run.clean(registers + R"(
    mov.u32 %a, %tid;
    setp.lt.u32 %p, %tid, 4;
    @%p bra MEET;
    add.u32 %a, %a, 100;
  MEET:
    shfl.sync.idx.b32 %r, %a, 9, 31, -1;
  )" + storeByThread,
                          32);
  EXPECT_EQ(values[0], 109u);
  EXPECT_EQ(values[31], 109u);
}

TEST(DivergenceTest, AlignedInstructionOnOneSideIsReported) {
  BodyRun run;
  EXPECT_NE(run.reports(registers + R"(
    setp.lt.u32 %p, %tid, 4;
    @%p bra SIDE;
    ret;
  SIDE:
    mov.u32 %a, 1;
    setp.eq.u32 %q, %tid, 0;
    @%q bar.sync 0;
  )")
                .find("divergence: line"),
            std::string::npos);
}

TEST(DivergenceTest, ElectsTheLowestLane) {
  BodyRun run;
  auto values = run.clean(registers + R"(
    elect.sync %a|%p, -1;
    selp.u32 %r, 1, 0, %p;
    mad.lo.u32 %r, %a, 2, %r;
  )" + storeByThread,
                          32);
  EXPECT_EQ(values[0], 1u);
  EXPECT_EQ(values[1], 0u);
}

} // namespace
} // namespace fa4::emulator::test
