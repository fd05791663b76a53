#include "runtime/emulator/Scope.h"

#include <charconv>

namespace fa4::emulator {

void Scopes::open() {
  scopes.push_back({current, {}, {}, {}, {}});
  current = scopes.size() - 1;
}

bool Scopes::declareRegister(std::string_view name, uint32_t index) {
  return scopes[current].registers.emplace(name, index).second;
}

bool Scopes::declareRegisters(std::string_view prefix, uint32_t count,
                              uint32_t index) {
  return scopes[current].ranges.emplace(prefix, Range{count, index}).second;
}

bool Scopes::declareVariable(std::string_view name) {
  return scopes[current].variables.emplace(name).second;
}

bool Scopes::declareLabel(std::string_view name, uint32_t statement) {
  return scopes[current].labels.emplace(name, statement).second;
}

std::optional<uint32_t> Scopes::findRegister(std::string_view name) const {
  size_t digits = name.size();
  while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9')
    --digits;
  uint32_t number = 0;
  auto parsed =
      std::from_chars(name.data() + digits, name.data() + name.size(), number);
  bool numbered = digits < name.size() && parsed.ec == std::errc() &&
                  (name[digits] != '0' || digits + 1 == name.size());
  for (size_t scope = current;; scope = scopes[scope].parent) {
    const Scope &s = scopes[scope];
    if (auto found = s.registers.find(name); found != s.registers.end())
      return found->second;
    if (numbered)
      if (auto found = s.ranges.find(name.substr(0, digits));
          found != s.ranges.end() && number < found->second.count)
        return found->second.index + number;
    if (scope == 0)
      return std::nullopt;
  }
}

bool Scopes::findVariable(std::string_view name) const {
  for (size_t scope = current;; scope = scopes[scope].parent) {
    if (scopes[scope].variables.count(name))
      return true;
    if (scope == 0)
      return false;
  }
}

std::optional<uint32_t> Scopes::findLabel(std::string_view name,
                                          size_t scope) const {
  for (;; scope = scopes[scope].parent) {
    const Scope &s = scopes[scope];
    if (auto found = s.labels.find(name); found != s.labels.end())
      return found->second;
    if (scope == 0)
      return std::nullopt;
  }
}

} // namespace fa4::emulator
