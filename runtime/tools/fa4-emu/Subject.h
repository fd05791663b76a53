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
  std::vector<std::byte> outputs;   // all output tensors
  emulator::Statistics statistics;
};

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

/// The attention forward of a bundle, by the flags of fa4-run.
std::unique_ptr<Subject> makeForwardSubject(const RunOptions &options);

} // namespace fa4
