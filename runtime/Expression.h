// The manifest's expressions: grids, scalar parameters, tensor dims.
//
//   sum     = product { ("+" | "-") product }
//   product = unary { ("*" | "/") unary }
//   unary   = "-" unary | number | name | call | "(" sum ")"
//   call    = ("ceildiv" | "min" | "max") "(" sum "," sum ")"
//           | "pow2floor" "(" sum ")"
//           | "stride" "(" tensor "," integer ")" | "elements" "(" tensor ")"
//
// pow2floor: the largest power of two that is not above its operand, which
// is an integer of at least 1. Integers are 64 bits wide and checked for
// overflow; "/" of two integers rounds down; an operation with a real operand
// is real (double).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace fa4 {

using Number = std::variant<int64_t, double>;
double realValue(const Number &number);

/// What names mean. Unknown names and tensors are nullopt.
class Bindings {
public:
  virtual ~Bindings() = default;
  virtual std::optional<Number> valueOf(std::string_view name) const = 0;
  /// In elements.
  virtual std::optional<int64_t> strideOf(std::string_view tensor,
                                          int64_t dim) const = 0;
  virtual std::optional<int64_t> elementsOf(std::string_view tensor) const = 0;
};

class Expression {
public:
  /// Throws fa4::Error "expression 'text', column N: what".
  static Expression parse(std::string_view text);

  /// Throws fa4::Error "expression 'text': what" for an unknown name, a
  /// division by zero or an overflow.
  Number evaluate(const Bindings &bindings) const;
  /// The same; a real result is an error.
  int64_t evaluateInteger(const Bindings &bindings) const;

  const std::string &text() const { return source; }
  /// The name, if the expression is nothing else.
  std::optional<std::string> plainName() const;
  const std::vector<std::string> &names() const { return usedNames; }
  /// Each stride(tensor, dim); elements(tensor) appears with dim -1.
  const std::vector<std::pair<std::string, int64_t>> &tensors() const {
    return usedTensors;
  }

  struct Node;

private:
  friend class ExpressionParser;
  std::string source;
  std::shared_ptr<const Node> root;
  std::vector<std::string> usedNames;
  std::vector<std::pair<std::string, int64_t>> usedTensors;
};

} // namespace fa4
