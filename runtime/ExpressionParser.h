// Turns the text of an expression into its tree.
#pragma once

#include "runtime/Expression.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace fa4 {

enum class Operation {
  Constant,
  Name,
  Negate,
  PowerFloor,
  Add,
  Subtract,
  Multiply,
  Divide,
  CeilDivide,
  Minimum,
  Maximum,
  Stride,
  Elements
};

struct Expression::Node {
  Operation operation;
  Number constant;  // Constant; Stride: the dim
  std::string name; // Name, Stride, Elements
  std::vector<std::shared_ptr<const Node>> operands;
};

class ExpressionParser {
public:
  explicit ExpressionParser(std::string_view text);
  Expression parse();

private:
  using NodePointer = std::shared_ptr<const Expression::Node>;

  NodePointer sum();
  NodePointer product();
  NodePointer unary();
  NodePointer number();
  NodePointer nameOrCall();
  NodePointer call(const std::string &function);
  NodePointer tensorCall(const std::string &function);

  std::string name(std::string_view what);
  void skipSpace();
  bool take(char c);
  void expect(char c);
  [[noreturn]] void failHere(std::string_view what) const;

  std::string text;
  std::size_t at = 0;
  int depth = 0;
  Expression result;
};

} // namespace fa4
