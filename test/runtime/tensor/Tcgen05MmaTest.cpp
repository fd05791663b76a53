#include "runtime/emulator/Tcgen05Mma.h"
#include "ExpectError.h"
#include <bit>
#include <cmath>
#include <cstring>
#include <random>

namespace fa4::emulator {
namespace {

// One or two CTAs with random operands and the plain sum to compare with.
class Fixture {
public:
  explicit Fixture(uint32_t group) : group(group) {
    std::mt19937 random(7);
    for (Memory &cta : ctas) {
      cta.shared.resize(0x40000);
      cta.tmem.resize(tmemCells);
      for (size_t i = 0; i < cta.shared.size(); i += 2) {
        const uint16_t bits = toBf16(float(int(random() % 257) - 128) / 64.0f);
        std::memcpy(&cta.shared[i], &bits, 2);
      }
      for (uint32_t &cell : cta.tmem)
        cell = std::bit_cast<uint32_t>(float(int(random() % 257) - 128) / 64);
    }
  }

  void run(const MmaRequest &request) {
    for (Memory &cta : ctas)
      cta.before = cta.tmem;
    const CtaMemories memories[] = {{ctas[0].shared, ctas[0].tmem},
                                    {ctas[1].shared, ctas[1].tmem}};
    executeMma(request, std::span(memories).first(group));
  }

  float shared(uint32_t cta, uint64_t descriptor, Major major, uint32_t mn,
               uint32_t k) const {
    uint16_t bits;
    std::memcpy(&bits,
                &ctas[cta].shared[operandAddress(
                    decodeUmmaDescriptor(descriptor), major, 2, mn, k)],
                2);
    return fromBf16(bits);
  }

  struct Memory {
    std::vector<std::byte> shared;
    std::vector<uint32_t> tmem, before;
  };
  Memory ctas[2];
  uint32_t group;
};

MmaRequest requestFor(uint32_t m, uint32_t n, uint32_t group) {
  MmaRequest request;
  request.form.ctaGroup = group;
  InstructionDescriptor idesc;
  idesc.m = m;
  idesc.n = n;
  idesc.bMajor = Major::Mn;
  request.idesc = encodeInstructionDescriptor(idesc);
  request.a = encodeUmmaDescriptor({0x2000, 16, 1024, Swizzle::Span128});
  request.b = encodeUmmaDescriptor({0x8000, 8192, 1024, Swizzle::Span128});
  request.d = 32;
  request.accumulate = true;
  return request;
}

void expectProduct(const MmaRequest &request, uint32_t m, uint32_t n) {
  const uint32_t group = request.form.ctaGroup;
  Fixture f(group);
  f.run(request);
  const AccumulatorShape shape{m, n, group, request.form.ws};
  for (const AccumulatorBlock &b : accumulatorBlocks(shape))
    for (uint32_t i = 0; i < b.mCount; ++i)
      for (uint32_t j = 0; j < b.nCount; ++j) {
        const uint32_t row = b.mBegin + i, column = b.nBegin + j;
        const size_t cell = tmemCell(tmemLane(request.d) + b.lane + i,
                                     tmemColumn(request.d) + b.column + j);
        float sum = request.accumulate
                        ? std::bit_cast<float>(f.ctas[b.cta].before[cell])
                        : 0.0f;
        for (uint32_t k = 0; k < 16; ++k) {
          const float left = f.shared(row / (m / group), request.a, Major::K,
                                      row % (m / group), k);
          const float right = f.shared(column / (n / group), request.b,
                                       Major::Mn, column % (n / group), k);
          sum = std::fma(left, right, sum);
        }
        ASSERT_EQ(std::bit_cast<float>(f.ctas[b.cta].tmem[cell]), sum)
            << "row " << row << " column " << column;
      }
}

TEST(Tcgen05Mma, EveryAccumulatorLayout) {
  expectProduct(requestFor(128, 128, 1), 128, 128);
  expectProduct(requestFor(64, 64, 1), 64, 64);
  expectProduct(requestFor(256, 256, 2), 256, 256);
  expectProduct(requestFor(128, 64, 2), 128, 64);
  MmaRequest ws = requestFor(32, 64, 1);
  ws.form.ws = true;
  expectProduct(ws, 32, 64);
}

TEST(Tcgen05Mma, FirstStepOverwrites) {
  MmaRequest request = requestFor(128, 64, 1);
  request.accumulate = false;
  expectProduct(request, 128, 64);
}

TEST(Tcgen05Mma, SecondHalfTileOfM64StartsAtLaneSixteen) {
  MmaRequest request = requestFor(64, 64, 1);
  request.d |= 16u << 16;
  expectProduct(request, 64, 64);
}

TEST(Tcgen05Mma, OperandAFromTmemIsTwoElementsPerCell) {
  Fixture f(1);
  for (uint32_t m = 0; m < 128; ++m)
    for (uint32_t c = 0; c < 8; ++c)
      f.ctas[0].tmem[tmemCell(m, 256 + c)] =
          toBf16(float(m)) | uint32_t(toBf16(float(c))) << 16;
  MmaRequest request = requestFor(128, 64, 1);
  request.form.aInTmem = true;
  request.a = 256;
  request.accumulate = false;
  f.run(request);
  for (uint32_t m : {0u, 1u, 77u, 127u})
    for (uint32_t n : {0u, 63u}) {
      float sum = 0;
      for (uint32_t k = 0; k < 16; ++k)
        sum = std::fma(k % 2 ? float(k / 2) : fromBf16(toBf16(float(m))),
                       f.shared(0, request.b, Major::Mn, n, k), sum);
      EXPECT_EQ(std::bit_cast<float>(f.ctas[0].tmem[tmemCell(m, 32 + n)]), sum);
    }
}

TEST(Tcgen05Mma, DisabledLanesKeepTheirValue) {
  Fixture f(1);
  MmaRequest request = requestFor(128, 64, 1);
  request.disabledLanes = {{0, 1u << 3, 0, 0, 0, 0, 0, 0}};
  f.run(request);
  const auto changed = [&](uint32_t lane) {
    return f.ctas[0].tmem[tmemCell(lane, 40)] !=
           f.ctas[0].before[tmemCell(lane, 40)];
  };
  EXPECT_FALSE(changed(35));
  EXPECT_TRUE(changed(34));
}

TEST(Tcgen05Mma, ScaleInputDHalvesTheAccumulator) {
  Fixture with(1), without(1);
  MmaRequest request = requestFor(128, 64, 1);
  request.accumulate = false;
  without.run(request);
  request.accumulate = true;
  request.scaleInputD = 1;
  with.run(request);
  const size_t cell = tmemCell(9, 40);
  EXPECT_NEAR(std::bit_cast<float>(with.ctas[0].tmem[cell]),
              std::bit_cast<float>(without.ctas[0].tmem[cell]) +
                  std::bit_cast<float>(with.ctas[0].before[cell]) / 2,
              1e-5);
}

TEST(Tcgen05Mma, FootprintNamesOperandsAndAccumulator) {
  MmaRequest request = requestFor(128, 64, 1);
  TensorFootprint footprint[1];
  mmaFootprint(request, footprint);
  EXPECT_EQ(footprint[0].sharedChunks.size(), (128u + 64) * 2);
  ASSERT_EQ(footprint[0].tmemUpdates.size(), 1u);
  EXPECT_EQ(footprint[0].tmemUpdates[0].column, 32u);
  EXPECT_EQ(footprint[0].tmemUpdates[0].columns, 64u);
  EXPECT_TRUE(footprint[0].tmemWrites.empty());
  request.accumulate = false;
  TensorFootprint overwrite[1];
  mmaFootprint(request, overwrite);
  EXPECT_TRUE(overwrite[0].tmemUpdates.empty());
  EXPECT_EQ(overwrite[0].tmemWrites.size(), 1u);
}

TEST(Tcgen05Mma, RefusesAnAccumulatorThatDoesNotFit) {
  Fixture f(1);
  MmaRequest request = requestFor(128, 64, 1);
  request.d = 480;
  expectError([&] { f.run(request); },
              "D at 0x1e0 reaches lane 127, column 543");
  request.d = 1 << 16;
  expectError([&] { f.run(request); }, "D at 0x10000 reaches lane 128");
}

TEST(Tcgen05Copy, ScaleFactorsAreReplicatedToFourPartitions) {
  Fixture f(1);
  CopyRequest request{TmemCopyShape::S32x128bWarpx4, 1, 100,
                      encodeUmmaDescriptor({0x2000, 0, 128, Swizzle::None})};
  const CtaMemories memory{f.ctas[0].shared, f.ctas[0].tmem};
  executeCopy(request, memory);
  for (uint32_t row = 0; row < 32; ++row)
    for (uint32_t word = 0; word < 4; ++word) {
      uint32_t expected;
      std::memcpy(&expected, &f.ctas[0].shared[0x2000 + row * 16 + word * 4],
                  4);
      for (uint32_t part = 0; part < 4; ++part)
        EXPECT_EQ(f.ctas[0].tmem[tmemCell(row + 32 * part, 100 + word)],
                  expected);
    }
  request.tmem = 510;
  expectError([&] { executeCopy(request, memory); },
              "columns 510 to 513 do not exist");
}

} // namespace
} // namespace fa4::emulator
