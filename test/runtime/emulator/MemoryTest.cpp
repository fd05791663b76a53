// Bounds, alignment, poison, windows; what async copies see.
#include "LaunchHelper.h"

namespace fa4::emulator::test {
namespace {

const std::string registers =
    ".reg .b32 %r, %tid, %a, %b; .reg .b64 %d, %e; .reg .pred %p, %q;\n"
    "mov.u32 %tid, %tid.x;\nmov.u32 %r, 0;\n";

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

TEST(MemoryTest, GlobalAccessBehindTheEndIsReported) {
  BodyRun run;
  const std::string text =
      run.reports(registers + "ld.global.u32 %a, [%out+128];");
  EXPECT_TRUE(contains(text, "4 bytes at global address"));
  EXPECT_TRUE(contains(text, "0 bytes past the end of 'out' (128 bytes)"))
      << text;
}

TEST(MemoryTest, MisalignedAccessIsReported) {
  BodyRun run;
  EXPECT_TRUE(contains(run.reports(registers + "st.global.u32 [%out+2], 0;"),
                       "misaligned write of 4 bytes"));
}

TEST(MemoryTest, SharedAccessOutsideTheWindowIsReported) {
  BodyRun run;
  EXPECT_TRUE(contains(run.reports(registers + R"(
    .shared .align 4 .u32 x[4];
    ld.shared.u32 %a, [x+16];
  )"),
                       "outside the CTA's window [0x400, 0x410)"));
  EXPECT_TRUE(contains(run.reports(registers + R"(
    mov.u32 %a, 0x1000400;
    ld.shared.u32 %a, [%a];
  )"),
                       "window of CTA rank 1, not of rank 0"));
}

TEST(MemoryTest, UnwrittenMemoryIsNan) {
  BodyRun run;
  run.options.checks.init = false;
  auto values = run(registers + R"(
    .shared .align 4 .u32 x[32];
    ld.shared.u32 %r, [x];
  )" + storeByThread,
                    32);
  EXPECT_EQ(values[0], 0xffffffffu);
}

TEST(MemoryTest, GenericAddressesReachEverySpace) {
  BodyRun run;
  auto values = run.clean(registers + R"(
    .shared .align 4 .u32 x;
    .local .align 4 .b8 stack[16];
    mov.u64 %d, x;
    cvta.shared.u64 %d, %d;
    setp.eq.u32 %p, %tid, 0;
    @%p st.u32 [%d], 5;
    bar.warp.sync -1;
    ld.u32 %a, [%d];
    mov.u64 %e, stack;
    cvta.local.u64 %e, %e;
    st.u32 [%e+4], %tid;
    ld.u32 %b, [%e+4];
    add.u32 %r, %a, %b;
    cvta.global.u64 %out, %out;
  )" + storeByThread,
                          32);
  EXPECT_EQ(values[3], 8u);
}

TEST(MemoryTest, VectorsAndWidthsMix) {
  BodyRun run;
  auto values = run.clean(registers + R"(
    .reg .b32 %v<4>; .reg .b16 %h;
    setp.ne.u32 %p, %tid, 0;
    @%p ret;
    st.global.v4.u32 [%out], {1, 2, 3, 0xffff8001};
    ld.global.v2.b64 {%d, %e}, [%out];
    ld.global.s16 %a, [%out+12];
    st.global.b32 [%out+16], %e;
    st.global.u32 [%out+20], %a;
    ld.global.u8 %h, [%out+15];
    cvt.u32.u16 %b, %h;
    st.global.u32 [%out+24], %b;
  )",
                          32);
  EXPECT_EQ(values[4], 3u);
  EXPECT_EQ(values[5], 0xffff8001u);
  EXPECT_EQ(values[6], 0xffu);
}

TEST(MemoryTest, AtomicsOfAllLanesAdd) {
  BodyRun run;
  auto values = run.clean(registers + R"(
    setp.eq.u32 %p, %tid, 0;
    @%p st.global.u32 [%out], 0;
    bar.warp.sync -1;
    atom.add.release.gpu.global.u32 %a, [%out], 2;
    red.relaxed.gpu.global.add.u32 [%out], 1;
  )",
                          32);
  EXPECT_EQ(values[0], 96u);
}

const std::string bulkRoundTrip = registers + R"(
    .shared .align 16 .b8 x[128];
    .shared .align 8 .b64 bar;
    setp.ne.u32 %p, %tid, 0;
    @%p ret;
    st.global.v4.u32 [%out], {1, 2, 3, 4};
    fence.proxy.async;
    mbarrier.init.shared::cta.b64 [bar], 1;
    fence.mbarrier_init.release.cluster;
    mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 16;
    cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [x], [%out], 16, [bar];
  )";

TEST(MemoryTest, BulkCopyRoundTrip) {
  for (Schedule schedule :
       {Schedule::Fifo, Schedule::Late, Schedule::Eager, Schedule::Random}) {
    BodyRun run;
    run.options.schedule = schedule;
    auto values = run.clean(bulkRoundTrip + R"(
    SPIN:
      mbarrier.try_wait.parity.shared::cta.b64 %p, [bar], 0;
      @!%p bra SPIN;
      ld.shared.u32 %a, [x+8];
      add.u32 %a, %a, 10;
      st.shared.u32 [x+8], %a;
      fence.proxy.async.shared::cta;
      cp.async.bulk.global.shared::cta.bulk_group [%out+16], [x], 16;
      cp.async.bulk.commit_group;
      cp.async.bulk.wait_group 0;
    )",
                            32);
    EXPECT_EQ(values[6], 13u);
  }
}

TEST(MemoryTest, LateScheduleShowsAMissingWait) {
  BodyRun run;
  run.options.schedule = Schedule::Late;
  run.options.checks = {false, false, true, false, false, true, false};
  auto values = run(bulkRoundTrip + R"(
    ld.shared.u32 %a, [x+8];
    st.global.u32 [%out+16], %a;
  SPIN:
    mbarrier.try_wait.parity.shared::cta.b64 %p, [bar], 0;
    @!%p bra SPIN;
  )",
                    32);
  EXPECT_EQ(values[4], 0xffffffffu);
}

TEST(MemoryTest, TmemMustBeAllocated) {
  BodyRun run;
  EXPECT_TRUE(contains(run.reports(registers + R"(
    mov.u32 %a, 0;
    tcgen05.ld.sync.aligned.32x32b.x1.b32 {%b}, [%a];
  )"),
                       "column 0 is not allocated"));
}

TEST(MemoryTest, WarpsReachOnlyTheirTmemLanes) {
  BodyRun run;
  EXPECT_TRUE(contains(run.reports(registers + R"(
    .shared .align 4 .u32 slot;
    tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot], 32;
    ld.shared.u32 %a, [slot];
    add.u32 %a, %a, 0x200000;
    tcgen05.ld.sync.aligned.32x32b.x1.b32 {%b}, [%a];
  )"),
                       "warp 0 accesses TMEM lane 32; its lanes are 0..31"));
}

} // namespace
} // namespace fa4::emulator::test
