// Shortcuts for tests that launch PTX: buffers of values, scalar parameters.
#pragma once

#include "runtime/emulator/Emulator.h"
#include "runtime/emulator/NumberFormats.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace fa4::emulator::test {

template <typename T> std::vector<std::byte> parameter(const T &value) {
  std::vector<std::byte> bytes(sizeof(T));
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}

template <typename T>
uint64_t upload(GlobalMemory &memory, const std::vector<T> &values,
                std::string_view name) {
  uint64_t address = memory.allocate(values.size() * sizeof(T), name);
  memory.write(address, std::as_bytes(std::span(values)));
  return address;
}

template <typename T>
std::vector<T> download(const GlobalMemory &memory, uint64_t address,
                        size_t count) {
  std::vector<T> values(count);
  memory.read(address, std::as_writable_bytes(std::span(values)));
  return values;
}

/// Uniform values in [-1, 1] rounded to bf16.
inline std::vector<float> randomBf16(size_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> values(count);
  for (float &value : values)
    value = fromBf16(toBf16(uniform(generator)));
  return values;
}

inline std::vector<uint16_t> asBf16(const std::vector<float> &values) {
  std::vector<uint16_t> bits;
  for (float value : values)
    bits.push_back(toBf16(value));
  return bits;
}

inline std::string inputPath(const std::string &name) {
  return std::string(FA4_EMULATOR_INPUTS) + "/" + name;
}

inline std::string reportsOf(const LaunchResult &result) {
  std::string text;
  for (const Report &report : result.reports)
    text += report.text() + "\n";
  return text;
}

/// Launches the body of a kernel `k`, which finds the address of `words` 32-bit
/// words in %out.
struct BodyRun {
  Options options;
  Dim3 grid, block{32, 1, 1}, cluster;
  uint32_t shared = 0;
  std::string target = "sm_100a";
  LaunchResult result;

  std::vector<uint32_t> operator()(const std::string &body, size_t words) {
    const std::string text = ".version 8.8\n.target " + target +
                             "\n.address_size 64\n"
                             ".visible .entry k(.param .u64 out)\n{\n"
                             ".reg .b64 %out;\n"
                             "ld.param.u64 %out, [out];\n" +
                             body + "\n}\n";
    Module module = Module::parse(text, "test.ptx");
    GlobalMemory memory;
    uint64_t out = memory.allocate(words * 4, "out");
    LaunchConfig config;
    config.entry = "k";
    config.grid = grid;
    config.block = block;
    config.cluster = cluster;
    config.dynamicShared = shared;
    config.parameters = {parameter(out)};
    result = launch(module, memory, config, options);
    return download<uint32_t>(memory, out, words);
  }

  /// The same, and no report is expected.
  std::vector<uint32_t> clean(const std::string &body, size_t words) {
    auto values = (*this)(body, words);
    EXPECT_TRUE(result.completed);
    EXPECT_EQ(reportsOf(result), "");
    return values;
  }
  /// All reports of a kernel that is wrong.
  std::string reports(const std::string &body) {
    (*this)(body, 32);
    return reportsOf(result);
  }
};

/// Stores %r of every thread of the CTA at %out[tid].
inline const std::string storeByThread = R"(
  mov.u32 %tid, %tid.x;
  mad.wide.u32 %out, %tid, 4, %out;
  st.global.u32 [%out], %r;
)";

} // namespace fa4::emulator::test
