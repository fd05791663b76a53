#include "runtime/Expression.h"

#include "runtime/Error.h"
#include "runtime/ExpressionParser.h"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace fa4 {
namespace {

int64_t floorDivide(int64_t left, int64_t right) {
  if (right == 0)
    fail("division by zero");
  if (right == -1 && left == INT64_MIN)
    fail("overflow");
  int64_t quotient = left / right;
  return left % right != 0 && (left < 0) != (right < 0) ? quotient - 1
                                                        : quotient;
}

int64_t negate(int64_t value) {
  if (value == INT64_MIN)
    fail("overflow");
  return -value;
}

int64_t powerFloor(const Number &operand) {
  const int64_t *integer = std::get_if<int64_t>(&operand);
  if (!integer || *integer < 1)
    fail("pow2floor of {}, not an integer of at least 1", realValue(operand));
  return static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(*integer)));
}

int64_t combineIntegers(Operation operation, int64_t left, int64_t right) {
  int64_t result = 0;
  bool overflow = false;
  switch (operation) {
  case Operation::Add:
    overflow = __builtin_add_overflow(left, right, &result);
    break;
  case Operation::Subtract:
    overflow = __builtin_sub_overflow(left, right, &result);
    break;
  case Operation::Multiply:
    overflow = __builtin_mul_overflow(left, right, &result);
    break;
  case Operation::Divide:
    return floorDivide(left, right);
  case Operation::CeilDivide:
    return negate(floorDivide(negate(left), right));
  case Operation::Minimum:
    return std::min(left, right);
  default:
    return std::max(left, right);
  }
  if (overflow)
    fail("overflow");
  return result;
}

double combineReals(Operation operation, double left, double right) {
  switch (operation) {
  case Operation::Add:
    return left + right;
  case Operation::Subtract:
    return left - right;
  case Operation::Multiply:
    return left * right;
  case Operation::Divide:
    if (right == 0)
      fail("division by zero");
    return left / right;
  case Operation::CeilDivide:
    fail("ceildiv of a real number");
  case Operation::Minimum:
    return std::min(left, right);
  default:
    return std::max(left, right);
  }
}

Number combine(Operation operation, const Number &left, const Number &right) {
  const int64_t *leftInteger = std::get_if<int64_t>(&left);
  const int64_t *rightInteger = std::get_if<int64_t>(&right);
  if (leftInteger && rightInteger)
    return combineIntegers(operation, *leftInteger, *rightInteger);
  return combineReals(operation, realValue(left), realValue(right));
}

template <typename Value>
Value known(std::optional<Value> value, std::string_view what,
            const std::string &name) {
  if (!value)
    fail("unknown {} '{}'", what, name);
  return *value;
}

Number evaluateNode(const Expression::Node &node, const Bindings &bindings) {
  switch (node.operation) {
  case Operation::Constant:
    return node.constant;
  case Operation::Name:
    return known(bindings.valueOf(node.name), "name", node.name);
  case Operation::Stride:
    return known(bindings.strideOf(node.name, std::get<int64_t>(node.constant)),
                 "stride of", node.name);
  case Operation::Elements:
    return known(bindings.elementsOf(node.name), "tensor", node.name);
  case Operation::Negate: {
    Number operand = evaluateNode(*node.operands[0], bindings);
    if (const int64_t *integer = std::get_if<int64_t>(&operand))
      return negate(*integer);
    return -std::get<double>(operand);
  }
  case Operation::PowerFloor:
    return powerFloor(evaluateNode(*node.operands[0], bindings));
  default:
    return combine(node.operation, evaluateNode(*node.operands[0], bindings),
                   evaluateNode(*node.operands[1], bindings));
  }
}

} // namespace

double realValue(const Number &number) {
  const int64_t *integer = std::get_if<int64_t>(&number);
  return integer ? static_cast<double>(*integer) : std::get<double>(number);
}

Expression Expression::parse(std::string_view text) {
  return ExpressionParser(text).parse();
}

Number Expression::evaluate(const Bindings &bindings) const {
  try {
    return evaluateNode(*root, bindings);
  } catch (const Error &error) {
    fail("expression '{}': {}", source, error.what());
  }
}

int64_t Expression::evaluateInteger(const Bindings &bindings) const {
  Number number = evaluate(bindings);
  if (const int64_t *integer = std::get_if<int64_t>(&number))
    return *integer;
  fail("expression '{}': {} is not an integer", source,
       std::get<double>(number));
}

std::optional<std::string> Expression::plainName() const {
  if (root->operation == Operation::Name)
    return root->name;
  return std::nullopt;
}

} // namespace fa4
