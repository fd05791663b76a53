// Makes a case's input bytes from the formula in the case list. The formulas
// are stated in README.md; inputs.py is their other implementation.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <vector>

namespace fa4::hardware {

/// `spec` is one entry of a case's "files"; `tables` the list's "values".
std::vector<std::byte> makeInput(const nlohmann::json &spec,
                                 const nlohmann::json &tables);

} // namespace fa4::hardware
