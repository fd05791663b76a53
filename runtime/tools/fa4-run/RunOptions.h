// What the command line of fa4-run asks for.
#pragma once
#include "runtime/ElementType.h"
#include "runtime/EmulatorDevice.h"
#include "runtime/Reference.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fa4 {

/// Random: standard normal. The others: every score -3e4; every score +3e4;
/// one key with score +60 among normal ones; integers whose probabilities are
/// powers of two, so that products are exact.
enum class InputPattern {
  Random,
  LargeNegative,
  LargePositive,
  OneKey,
  PowersOfTwo
};

/// Storage order of [batch, seqlen, heads, dim] tensors. Padded: bshd with 8
/// elements between rows.
enum class Layout { Bshd, Bhsd, Padded };

struct RunOptions {
  AttentionShape shape;        // headsKv 0: headsQ
  std::optional<double> scale; // else 1/sqrt(head dim); ln 2: PowersOfTwo
  ElementType type = ElementType::BF16;
  uint64_t seed = 0;
  InputPattern pattern = InputPattern::Random;
  Layout layout = Layout::Bshd;
  /// Guards around every tensor. Always on a GPU; the emulator sees accesses
  /// outside an allocation by itself.
  bool canaries = false;
  bool check = false;
  int repeat = 1;       // runs that must agree in every bit
  unsigned threads = 2; // of the reference
  std::string kernels;  // directory of the bundle
  std::string inputs, out;

  std::string device = "emulator";
  EmulatorSettings emulator;
  bool stats = false;
  bool allowPtx = false; // the GPU driver may compile PTX

  std::string kernel, arch;      // narrow the selection; empty: any
  std::vector<std::string> keys; // NAME=VALUE, more of the same

  bool deterministic = false, twoCta = false, dLse = false; // backward
};

struct BenchOptions {
  bool backward = false;
  std::vector<int64_t> seqlens = {1024, 2048, 4096, 8192, 16384};
  int64_t tokens = 16384; // batch = tokens / seqlen
  int launches = 50;
};

/// Validates the shape and fills in what depends on other options: the scale
/// (1/sqrt(head dim)) and the bundle's directory (../kernels beside the
/// program's own). Throws fa4::Error.
void resolve(RunOptions &options);

/// "batch 1, heads 4 (kv 2), seqlen 256 x 512, head dim 128, bf16, causal,
/// scale 0.0883883"
std::string describe(const RunOptions &options);

} // namespace fa4
