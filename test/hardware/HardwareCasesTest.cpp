// Every recorded case on the emulator: the same bits as an H200 gave, or, for
// approximate instructions, within the error that was measured there.
#include "runtime/Error.h"
#include "test/hardware/HardwareCase.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace fa4::hardware {
namespace {

std::vector<uint32_t> words(const std::vector<std::byte> &bytes) {
  std::vector<uint32_t> result(bytes.size() / 4);
  std::memcpy(result.data(), bytes.data(), result.size() * 4);
  return result;
}

void expectSameBits(const std::vector<std::byte> &got,
                    const std::vector<std::byte> &expected) {
  const std::vector<uint32_t> g = words(got), e = words(expected);
  ASSERT_EQ(g.size(), e.size());
  std::size_t wrong = 0;
  std::string first;
  for (std::size_t i = 0; i < g.size(); ++i)
    if (g[i] != e[i] && ++wrong <= 4)
      first += fmt::format("\n  word {}: {:08x}, the hardware gave {:08x}", i,
                           g[i], e[i]);
  EXPECT_EQ(wrong, 0u) << "of " << g.size() << " words" << first;
}

struct Tolerance {
  double relative = 0, absolute = 0;
};

bool isClose(double got, double expected, const Tolerance &tolerance) {
  if (std::isnan(got) || std::isnan(expected))
    return std::isnan(got) && std::isnan(expected);
  if (got == expected)
    return true;
  return std::abs(got - expected) <=
         tolerance.relative * std::abs(expected) + tolerance.absolute;
}

// The values that one 32-bit word holds.
std::vector<double> values(uint32_t word, const std::string &type) {
  if (type == "f32")
    return {std::bit_cast<float>(word)};
  std::vector<double> result;
  for (uint32_t half : {word & 0xFFFF, word >> 16})
    result.push_back(type == "bf16"
                         ? double(std::bit_cast<float>(half << 16))
                         : double(std::bit_cast<_Float16>(uint16_t(half))));
  return result;
}

void expectClose(const std::vector<std::byte> &got,
                 const std::vector<std::byte> &expected,
                 const Tolerance &tolerance, const std::string &type) {
  const std::vector<uint32_t> g = words(got), e = words(expected);
  ASSERT_EQ(g.size(), e.size());
  for (std::size_t i = 0; i < g.size(); ++i) {
    const std::vector<double> have = values(g[i], type),
                              want = values(e[i], type);
    for (std::size_t lane = 0; lane < have.size(); ++lane)
      ASSERT_TRUE(isClose(have[lane], want[lane], tolerance))
          << "word " << i << " lane " << lane << ": " << have[lane]
          << ", the hardware gave " << want[lane];
  }
}

// The hardware's largest measured error, and one rounding of the emulator's.
Tolerance measuredTolerance(const HardwareCase &item, std::string &type) {
  const nlohmann::json &errors =
      measuredErrors().at(item.spec.at("entry").get<std::string>());
  type = errors.at("type");
  const std::string function = errors.at("function");
  const double ulp = type == "f32" ? 0x1p-23 : type == "f16" ? 0x1p-10 : 0x1p-7;
  const double least = type == "f32"   ? 0x1p-126 * 0x1p-22
                       : type == "f16" ? 0x1p-23
                                       : 0x1p-126 * 0x1p-6;
  if (function == "log2" || function == "sin" || function == "cos")
    return {ulp, errors.at("max_abs").get<double>()};
  return {errors.at("max_rel").get<double>() + ulp, least};
}

// Rounding inside an MMA is not specified; 2^-18 of the largest result.
Tolerance productTolerance(const std::vector<std::byte> &expected) {
  double largest = 0;
  for (uint32_t word : words(expected))
    largest = std::max(largest, std::abs(double(std::bit_cast<float>(word))));
  return {0, largest * 0x1p-18};
}

class HardwareCases : public testing::TestWithParam<std::size_t> {};

TEST_P(HardwareCases, MatchTheRecording) {
  const HardwareCase &item = recordedCases()[GetParam()];
  if (item.trap) {
    try {
      EXPECT_FALSE(runOnEmulator(item).result.reports.empty())
          << "the hardware failed with " << *item.trap;
    } catch (const Error &error) {
      EXPECT_EQ(std::string(error.what()).find("unsupported"),
                std::string::npos)
          << error.what();
    }
    return;
  }
  const Outcome outcome = runOnEmulator(item);
  for (const emulator::Report &report : outcome.result.reports)
    ADD_FAILURE() << report.text();
  EXPECT_TRUE(outcome.result.completed);
  const std::string compare = item.spec.at("compare");
  if (compare == "approximate") {
    std::string type;
    const Tolerance tolerance = measuredTolerance(item, type);
    expectClose(outcome.outputs, item.expected, tolerance, type);
  } else if (compare == "products") {
    expectClose(outcome.outputs, item.expected, productTolerance(item.expected),
                "f32");
  } else {
    expectSameBits(outcome.outputs, item.expected);
  }
}

std::string caseName(const testing::TestParamInfo<std::size_t> &info) {
  std::string name = recordedCases()[info.param].title();
  for (char &c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)))
      c = '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(H200, HardwareCases,
                         testing::Range<std::size_t>(0, recordedCases().size()),
                         caseName);

} // namespace
} // namespace fa4::hardware
