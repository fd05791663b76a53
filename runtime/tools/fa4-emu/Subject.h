// A launch that can be repeated under other schedules and mutations.
#pragma once

#include "runtime/emulator/Emulator.h"
#include "runtime/tools/fa4-emu/LaunchOptions.h"
#include "runtime/tools/fa4-run/RunOptions.h"

#include <memory>
#include <string>
#include <vector>

namespace fa4 {

struct Trial {
  std::vector<std::string> reports; // empty: ran to the end without a finding
  std::vector<std::byte> outputs;   // tensors that no schedule may change
  std::vector<float> sums; // added up in an order that schedules choose
  emulator::Statistics statistics;
};

/// What differs, or nothing. Sums of up to 128 numbers in another order stay
/// within 2^-16 of the largest.
std::string difference(const Trial &trial, const Trial &baseline);

class Subject {
public:
  virtual ~Subject() = default;
  /// The same inputs each time.
  virtual Trial run(const emulator::Options &options) = 0;
  /// What the command line asked for.
  virtual emulator::Options options() const = 0;
  virtual const emulator::Module &module() const = 0;
  virtual const std::string &entry() const = 0;
};

std::unique_ptr<Subject> makePtxSubject(const LaunchOptions &options);

/// Kernels of an attention run, by op, in order.
struct AttentionOps {
  std::vector<std::string> before; // make the inputs of the others
  std::vector<std::string> tested;
};

/// Kernels of a bundle, by the flags of fa4-run.
std::unique_ptr<Subject> makeAttentionSubject(const RunOptions &options,
                                              const AttentionOps &ops);

} // namespace fa4
