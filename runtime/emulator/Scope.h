// The names visible in a PTX block: registers, variables and labels.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace fa4::emulator {

/// One scope for each `{ }`, kept until the end of the function because a
/// label may be used before it is defined.
class Scopes {
public:
  Scopes() { open(); }

  void open();
  void close() { current = scopes[current].parent; }
  size_t currentScope() const { return current; }
  bool outermost() const { return current == 0; }

  /// False if the name is already taken in the current scope.
  bool declareRegister(std::string_view name, uint32_t index);
  /// name0 … name(count-1) as registers index … index+count-1.
  bool declareRegisters(std::string_view prefix, uint32_t count,
                        uint32_t index);
  bool declareVariable(std::string_view name);
  bool declareLabel(std::string_view name, uint32_t statement);

  std::optional<uint32_t> findRegister(std::string_view name) const;
  bool findVariable(std::string_view name) const;
  std::optional<uint32_t> findLabel(std::string_view name, size_t scope) const;

private:
  struct Range {
    uint32_t count, index;
  };
  struct Scope {
    size_t parent;
    std::unordered_map<std::string_view, uint32_t> registers;
    std::unordered_map<std::string_view, Range> ranges;
    std::unordered_map<std::string_view, uint32_t> labels;
    std::set<std::string, std::less<>> variables;
  };
  std::vector<Scope> scopes;
  size_t current = 0;
};

} // namespace fa4::emulator
