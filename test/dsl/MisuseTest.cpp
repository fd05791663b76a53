// Misuse of the language is a diagnostic at the author's line, never a crash.
#include "dsl/lang/KernelBuilder.h"
#include "dsl/record/Recorded.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tile;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

constexpr RoleSpec oneWarp{.warps = 1};
constexpr RoleSpec warpgroup{.warps = 4, .registers = 128};
using Coords = const std::vector<Int> &;

/// A kernel with one ring of each kind, and a walk.
struct Program {
  KernelBuilder k{{"misuse", "test", {}}};
  Tensor x = k.input("x", DType::bf16, {"m", "k"}, 0);
  Ring<Smem> ring = k.ring("ring", smem(DType::bf16, 128, 64), 2);
  Ring<Rows> stats = k.rowRing("stats", 128, 1, 1);
  Duplex<Tmem> acc =
      k.duplex("acc", tmem(DType::f32, 128, 128), tmem(DType::f32, 128, 128));

  explicit Program(bool walk = true) {
    if (walk)
      k.walk("1", 4, [](Int i) { return std::vector<Int>{i}; });
  }
  /// What is said when the program ends; the kernel must then be invalid.
  std::string end() {
    Kernel kernel = k.build();
    std::string said = testing::internal::GetCapturedStderr();
    EXPECT_EQ(kernel.impl().valid, said.empty());
    return said;
  }
};

class Misuse : public testing::Test {
protected:
  Misuse() { testing::internal::CaptureStderr(); }
};

/// "MisuseTest.cpp:12:...: error: text".
testing::Matcher<std::string> saysAt(int line, const std::string &text) {
  return testing::AllOf(
      HasSubstr("MisuseTest.cpp:" + std::to_string(line) + ":"),
      HasSubstr("error: " + text));
}

TEST_F(Misuse, NothingIsSaidOfARightProgram) {
  Program p;
  p.k.role("load", oneWarp,
           [&](Int, Coords at) { p.ring.put(p.x.at({at[0]})); });
  EXPECT_THAT(p.end(), IsEmpty());
}

TEST_F(Misuse, RoleBeforeTheWalk) {
  Program p(false);
  int line = __LINE__ + 1;
  p.k.role("load", oneWarp, [&](Int, Coords) {});
  EXPECT_THAT(p.end(), saysAt(line, "role 'load' comes before the walk; "
                                    "declare the walk first"));
}

TEST_F(Misuse, KernelWithoutAWalk) {
  KernelBuilder k({"empty", "test", {}});
  int line = __LINE__ - 1;
  EXPECT_FALSE(k.build().impl().valid);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              saysAt(line, "kernel 'empty' has no walk"));
}

TEST_F(Misuse, KernelWithoutARole) {
  Program p;
  EXPECT_THAT(p.end(), HasSubstr("error: kernel 'misuse' has no role"));
}

TEST_F(Misuse, PairAfterTheWalk) {
  Program p;
  int line = __LINE__ + 1;
  p.k.pair();
  p.k.role("load", oneWarp,
           [&](Int, Coords at) { p.ring.put(p.x.at({at[0]})); });
  EXPECT_THAT(p.end(), saysAt(line, "CTAs are paired once, before the walk"));
}

TEST_F(Misuse, OverlayThatDoesNotFit) {
  Program p;
  auto sums =
      p.k.duplex("sums", tmem(DType::f32, 128, 64), tmem(DType::f32, 128, 64));
  int line = __LINE__ + 1;
  p.k.overlay(sums, p.acc, 96);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              saysAt(line, "'sums' has 64 columns and can't lie in 'acc', "
                           "which has 128 of its own, from column 96 on"));
}

TEST_F(Misuse, RowsThatAreNoWholePatterns) {
  Program p;
  int line = 0;
  p.k.role("store", oneWarp, [&](Int, Coords at) {
    auto slot = p.ring.take();
    line = __LINE__ + 1;
    auto part = rowsOf(slot, 100, 28);
    storeTo(p.x.at({at[0]}), part);
  });
  EXPECT_THAT(p.end(), saysAt(line, "takes rows 100 to 128 of a slot with 128; "
                                    "whole groups of 8 can be taken"));
}

TEST_F(Misuse, RowsOfASlotOfPanels) {
  Program p;
  auto wide = p.k.ring("wide", smem(DType::bf16, 128, 128), 1);
  int line = 0;
  p.k.role("store", oneWarp, [&](Int, Coords at) {
    auto slot = wide.take();
    line = __LINE__ + 1;
    auto part = rowsOf(slot, 0, 64);
    storeTo(p.x.at({at[0]}), part);
  });
  EXPECT_THAT(p.end(),
              saysAt(line, "takes rows of a slot of 2 panels, whose rows are "
                           "apart; it can be up to 64 columns wide"));
}

TEST_F(Misuse, SecondWalk) {
  Program p;
  int line = __LINE__ + 1;
  p.k.walk("1", 4, [](Int) { return std::vector<Int>{}; });
  EXPECT_THAT(p.end(),
              saysAt(line, "a kernel has one walk; this is the second"));
}

TEST_F(Misuse, DepthZero) {
  Program p;
  int line = __LINE__ + 1;
  p.k.ring("none", smem(DType::bf16, 128, 64), 0);
  EXPECT_THAT(p.end(), saysAt(line, "pipe 'none' has depth 0 and 1 copies; "
                                    "each must be at least 1"));
}

TEST_F(Misuse, WrongNumberOfCoordinates) {
  Program p;
  int line = 0;
  p.k.role("load", oneWarp, [&](Int, Coords at) {
    line = __LINE__ + 1;
    p.ring.put(p.x.at({at[0], at[0]}));
  });
  EXPECT_THAT(p.end(), saysAt(line, "gives 2 coordinates for a tensor of rank "
                                    "2; every dim but the last takes one"));
}

TEST_F(Misuse, LoadBeyondTheColumns) {
  Program p;
  int line = 0;
  p.k.role("use", warpgroup, [&](Int, Coords) {
    auto slot = p.acc.far().take();
    line = __LINE__ + 1;
    Frag x = load(slot, 112, 32);
    store(x, slot);
  });
  EXPECT_THAT(p.end(),
              saysAt(line, "loads columns 112 to 144 of a slot with 128"));
}

TEST_F(Misuse, LoadAcrossBeyondTheRows) {
  Program p;
  int line = 0;
  p.k.role("use", warpgroup, [&](Int, Coords) {
    auto out = p.acc.far().take();
    auto slot = p.stats.take();
    Frag like = load(out, 0, 32);
    line = __LINE__ + 1;
    store(loadAcross(slot, like, 112), out);
  });
  EXPECT_THAT(p.end(),
              saysAt(line, "takes values 112 to 144 of a slot with 128 rows"));
}

TEST_F(Misuse, StoreBeyondTheColumns) {
  Program p;
  int line = 0;
  p.k.role("use", warpgroup, [&](Int, Coords) {
    auto slot = p.acc.far().take();
    Frag x = load(slot);
    line = __LINE__ + 1;
    store(x, slot, 16);
  });
  EXPECT_THAT(p.end(),
              saysAt(line, "stores columns 16 to 144 of a slot with 128"));
}

TEST_F(Misuse, StoreOfAnotherType) {
  Program p;
  int line = 0;
  p.k.role("use", warpgroup, [&](Int, Coords) {
    auto slot = p.acc.far().take();
    auto out = p.ring.fill();
    Frag x = load(slot, 0, 64);
    line = __LINE__ + 1;
    store(cast(DType::f16, x), out);
  });
  EXPECT_THAT(p.end(), saysAt(line, "stores 'f16' to a slot of 'bf16'"));
}

TEST_F(Misuse, SliceBeyondTheColumns) {
  Program p;
  int line = 0;
  p.k.role("use", warpgroup, [&](Int, Coords) {
    auto slot = p.acc.far().take();
    Frag x = load(slot);
    line = __LINE__ + 1;
    store(slice(x, 96, 64), slot);
  });
  EXPECT_THAT(p.end(),
              saysAt(line, "takes columns 96 to 160 of a fragment with 128"));
}

TEST_F(Misuse, SlotReadAsSomethingLarger) {
  Program p;
  int line = 0;
  p.k.role("load", oneWarp, [&](Int, Coords at) {
    line = __LINE__ + 1;
    p.ring.putAs(smem(DType::bf16, 128, 128), p.x.at({at[0]}));
  });
  EXPECT_THAT(p.end(), saysAt(line, "a slot of 16384 bytes is used as 128x128, "
                                    "which ends at 32768"));
}

TEST_F(Misuse, FragmentsOfDifferentShapes) {
  Program p;
  p.k.role("use", warpgroup, [&](Int, Coords) {
    auto slot = p.acc.far().take();
    Frag x = load(slot), y = load(slot, 0, 32);
    store(x + y, slot);
  });
  EXPECT_THAT(p.end(),
              HasSubstr("error: combines 128x128 of f32 with 128x32 of f32"));
}

TEST_F(Misuse, SlotUsedAfterItsRelease) {
  Program p;
  int line = 0;
  p.k.role("use", warpgroup, [&](Int, Coords) {
    auto slot = p.acc.far().take();
    Frag x = load(slot);
    std::move(slot).release();
    line = __LINE__ + 1;
    store(x, slot); // NOLINT(bugprone-use-after-move): the misuse
  });
  EXPECT_THAT(p.end(),
              saysAt(line, "a slot is used after it was released or moved"));
}

TEST_F(Misuse, ProductOfAReleasedSlot) {
  Program p;
  int line = 0;
  p.k.role("use", oneWarp, [&](Int, Coords) {
    auto d = p.acc.near().take();
    auto a = p.ring.take(), b = p.ring.take();
    std::move(a).release();
    line = __LINE__ + 2;
    // The misuse. NOLINTNEXTLINE(bugprone-use-after-move)
    multiply(d, mma(a, T(b)), false);
  });
  EXPECT_THAT(p.end(),
              saysAt(line, "a slot is used after it was released or moved"));
}

TEST_F(Misuse, SlotReleasedTwice) {
  Program p;
  int line = 0;
  p.k.role("use", oneWarp, [&](Int, Coords) {
    auto slot = p.ring.take();
    std::move(slot).release();
    line = __LINE__ + 1;
    std::move(slot).release(); // NOLINT(bugprone-use-after-move): the misuse
  });
  EXPECT_THAT(p.end(),
              saysAt(line, "a slot is released twice, or after it was moved"));
}

TEST_F(Misuse, StagedLoopLeftByBreak) {
  Program p;
  int line = 0;
  p.k.role("load", oneWarp, [&](Int, Coords at) {
    for (int h = 0; h < 2; ++h) {
      line = __LINE__ + 1;
      for (Step s : p.k.loop(0, at[0])) {
        p.ring.put(p.x.at({s.index}));
        break;
      }
    }
  });
  EXPECT_THAT(p.end(), saysAt(line, "this staged loop is left by break or "
                                    "return; its body stands for every "
                                    "iteration"));
}

TEST_F(Misuse, PeeledPieceLeftByBreak) {
  Program p;
  int line = 0;
  p.k.role("load", oneWarp, [&](Int, Coords at) {
    line = __LINE__ + 1;
    for (Step s : p.k.pieces({{0, 1, true, 0}, {1, at[0], false, 1}}))
      if (s.piece == 0)
        break;
  });
  EXPECT_THAT(p.end(),
              saysAt(line, "this staged loop is left by break or return"));
}

TEST_F(Misuse, ContinueIsFine) {
  Program p;
  p.k.role("load", oneWarp, [&](Int, Coords at) {
    for (Step s : p.k.pieces({{0, 1, true, 0}, {1, at[0], false, 1}})) {
      if (s.piece == 0)
        continue;
      p.ring.put(p.x.at({s.index}));
    }
  });
  EXPECT_THAT(p.end(), IsEmpty());
}

TEST_F(Misuse, ValueOfAnotherRole) {
  Program p;
  std::optional<Frag> leaked;
  int line = 0;
  p.k.role("first", warpgroup,
           [&](Int, Coords) { leaked = load(p.acc.far().claim()); });
  p.k.role("second", warpgroup, [&](Int, Coords) {
    auto slot = p.acc.near().take();
    line = __LINE__ + 1;
    store(*leaked, slot);
  });
  EXPECT_THAT(p.end(),
              saysAt(line, "L5: a value of role 'first' is used in role "
                           "'second'; roles hand values over through pipes"));
}

TEST_F(Misuse, ValueOfTheWalk) {
  Program p(false);
  Int leaked;
  int line = 0;
  p.k.walk("1", 4, [&](Int i) {
    leaked = i * 2;
    return std::vector<Int>{i};
  });
  p.k.role("load", oneWarp, [&](Int, Coords) {
    line = __LINE__ + 1;
    p.ring.put(p.x.at({leaked}));
  });
  EXPECT_THAT(p.end(),
              saysAt(line, "L5: a value of the walk is used outside of it; "
                           "return it from the walk's function"));
}

TEST_F(Misuse, ValueOfALoopAfterIt) {
  Program p;
  int line = 0;
  p.k.role("use", warpgroup, [&](Int, Coords at) {
    auto slot = p.acc.far().take();
    Frag x = load(slot);
    for (Step s : p.k.loop(0, at[0])) {
      (void)s;
      x = x + x;
    }
    line = __LINE__ + 1;
    store(x, slot);
  });
  EXPECT_THAT(p.end(), saysAt(line, "L5: a value of a staged loop or branch is "
                                    "used outside of it; keep it in a "
                                    "Carried"));
}

TEST_F(Misuse, CopyByEveryThread) {
  Program p;
  int line = 0;
  p.k.role("use", warpgroup, [&](Int, Coords at) {
    auto slot = p.ring.take();
    Frag x = load(slot);
    line = __LINE__ + 1;
    storeTo(p.x.at({at[0]}), slot);
    store(x, p.acc.far().take());
  });
  EXPECT_THAT(p.end(),
              saysAt(line, "L6: role 'use' has 4 warps, each thread of which "
                           "would issue this; copies and MMAs belong into a "
                           "role of one warp"));
}

TEST_F(Misuse, RowsInARoleOfOneWarp) {
  Program p;
  int line = 0;
  p.k.role("use", oneWarp, [&](Int, Coords) {
    line = __LINE__ + 1;
    p.stats.put(p.k.rowConstant(0, 128));
  });
  EXPECT_THAT(p.end(), saysAt(line, "L6: role 'use' is one warp; fragments and "
                                    "rows take roles of 4 warps"));
}

TEST_F(Misuse, RowsThatNoWarpgroupHolds) {
  Program p;
  int line = 0;
  p.k.role("use", warpgroup, [&](Int, Coords) {
    auto out = p.stats.fill();
    line = __LINE__ + 1;
    store(p.k.rowConstant(0, 64), out);
  });
  EXPECT_THAT(p.end(), saysAt(line, "stores 64 rows to a slot with 128"));
}

TEST_F(Misuse, RowOfAnOddLength) {
  Program p;
  int line = __LINE__ + 1;
  p.k.ring("odd", smem(DType::bf16, 128, 20), 1);
  EXPECT_THAT(p.end(),
              saysAt(line, "M1: a row of 40 bytes in shared memory needs a "
                           "swizzle of 32, 64 or 128 bytes that divides it"));
}

TEST_F(Misuse, LoadOfAnOddNumberOfRegisters) {
  Program p;
  int line = 0;
  p.k.role("use", warpgroup, [&](Int, Coords) {
    auto slot = p.acc.far().take();
    line = __LINE__ + 1;
    Frag x = load(slot, 0, 48);
    store(x, slot);
  });
  EXPECT_THAT(p.end(),
              saysAt(line, "'tile.load' op moves 48 registers a thread; "
                           "tensor memory moves 1, 2, 4, 8, 16 or "
                           "multiples of 32 in the row layout"));
}

TEST_F(Misuse, TooManyNamedBarriers) {
  Program p;
  p.k.turn(8);
  int line = __LINE__ + 1;
  p.k.turn(8);
  EXPECT_THAT(p.end(),
              saysAt(line, "needs 17 of the 16 named barriers of a CTA"));
}

TEST_F(Misuse, ProductThatDoesNotFit) {
  Program p;
  int line = 0;
  p.k.role("use", oneWarp, [&](Int, Coords) {
    auto d = p.acc.near().take();
    auto a = p.ring.take(), b = p.ring.take();
    line = __LINE__ + 1;
    multiply(d, mma(a, b), false);
  });
  EXPECT_THAT(
      p.end(),
      testing::AllOf(HasSubstr("MisuseTest.cpp:" + std::to_string(line) + ":"),
                     HasSubstr("multiplies K = 64 by K = 128")));
}

} // namespace
