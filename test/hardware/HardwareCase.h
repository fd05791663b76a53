// The recorded cases: kernel, launch, arguments and the hardware's answer.
#pragma once

#include "runtime/emulator/Emulator.h"

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace fa4::hardware {

struct HardwareCase {
  std::string family, name;
  nlohmann::json spec;             // the case list's entry
  std::vector<std::byte> expected; // outputs in argument order
  std::optional<std::string> trap; // what the launch failed with instead
  std::string title() const { return family + "/" + name; }
};

/// Cases that have a recording, in the order of the list, without those that
/// left_out.json names with the reason.
const std::vector<HardwareCase> &recordedCases();

/// cases.json and approximate.json, as read.
const nlohmann::json &caseList();
const nlohmann::json &measuredErrors();

struct Outcome {
  emulator::LaunchResult result;
  std::vector<std::byte> outputs; // laid out as HardwareCase::expected
};

/// Runs the case on the emulator; throws fa4::Error for a refused launch.
Outcome runOnEmulator(const HardwareCase &item,
                      const emulator::Options &options = {});

} // namespace fa4::hardware
