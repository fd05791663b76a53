#include "runtime/ExpressionParser.h"

#include "runtime/Error.h"

#include <cctype>
#include <charconv>

namespace fa4 {
namespace {

constexpr int maximumDepth = 100;
constexpr std::size_t maximumLength = 4096; // bounds the tree's depth, too

bool isNameStart(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || c == '_';
}

bool isNameCharacter(char c) {
  return isNameStart(c) || std::isdigit(static_cast<unsigned char>(c));
}

std::shared_ptr<const Expression::Node>
binary(Operation operation, std::shared_ptr<const Expression::Node> left,
       std::shared_ptr<const Expression::Node> right) {
  return std::make_shared<Expression::Node>(
      Expression::Node{operation, int64_t(0), "", {left, right}});
}

} // namespace

ExpressionParser::ExpressionParser(std::string_view text) : text(text) {}

Expression ExpressionParser::parse() {
  if (text.size() > maximumLength)
    fail("an expression has {} characters, at most {} are possible",
         text.size(), maximumLength);
  result.source = text;
  result.root = sum();
  skipSpace();
  if (at != text.size())
    failHere("unexpected character");
  return std::move(result);
}

ExpressionParser::NodePointer ExpressionParser::sum() {
  if (++depth > maximumDepth)
    failHere("nested too deeply");
  NodePointer left = product();
  while (true) {
    if (take('+'))
      left = binary(Operation::Add, left, product());
    else if (take('-'))
      left = binary(Operation::Subtract, left, product());
    else
      break;
  }
  --depth;
  return left;
}

ExpressionParser::NodePointer ExpressionParser::product() {
  NodePointer left = unary();
  while (true) {
    if (take('*'))
      left = binary(Operation::Multiply, left, unary());
    else if (take('/'))
      left = binary(Operation::Divide, left, unary());
    else
      return left;
  }
}

ExpressionParser::NodePointer ExpressionParser::unary() {
  if (take('-')) {
    if (++depth > maximumDepth)
      failHere("nested too deeply");
    NodePointer operand = unary();
    --depth;
    return std::make_shared<Expression::Node>(
        Expression::Node{Operation::Negate, int64_t(0), "", {operand}});
  }
  if (take('(')) {
    NodePointer inner = sum();
    expect(')');
    return inner;
  }
  if (at < text.size() && isNameStart(text[at]))
    return nameOrCall();
  return number();
}

ExpressionParser::NodePointer ExpressionParser::number() {
  const char *begin = text.data() + at, *end = text.data() + text.size();
  int64_t integer = 0;
  double real = 0;
  auto asInteger = std::from_chars(begin, end, integer);
  auto asReal = std::from_chars(begin, end, real);
  if (begin == end ||
      !(std::isdigit(static_cast<unsigned char>(*begin)) || *begin == '.') ||
      asReal.ec != std::errc())
    failHere("expected a number, a name or '('");
  bool whole = asInteger.ec == std::errc() && asInteger.ptr == asReal.ptr;
  at = static_cast<std::size_t>(asReal.ptr - text.data());
  return std::make_shared<Expression::Node>(Expression::Node{
      Operation::Constant, whole ? Number(integer) : Number(real), "", {}});
}

ExpressionParser::NodePointer ExpressionParser::nameOrCall() {
  std::string word = name("a name");
  if (take('('))
    return call(word);
  result.usedNames.push_back(word);
  return std::make_shared<Expression::Node>(
      Expression::Node{Operation::Name, int64_t(0), word, {}});
}

ExpressionParser::NodePointer
ExpressionParser::call(const std::string &function) {
  if (function == "stride" || function == "elements")
    return tensorCall(function);
  if (function == "pow2floor") {
    NodePointer operand = sum();
    expect(')');
    return std::make_shared<Expression::Node>(
        Expression::Node{Operation::PowerFloor, int64_t(0), "", {operand}});
  }
  Operation operation = Operation::CeilDivide;
  if (function == "min")
    operation = Operation::Minimum;
  else if (function == "max")
    operation = Operation::Maximum;
  else if (function != "ceildiv")
    failHere(fmt::format("unknown function '{}'", function));
  NodePointer left = sum();
  expect(',');
  NodePointer right = sum();
  expect(')');
  return binary(operation, left, right);
}

ExpressionParser::NodePointer
ExpressionParser::tensorCall(const std::string &function) {
  skipSpace();
  std::string tensor = name("a tensor name");
  int64_t dim = -1;
  bool isStride = function == "stride";
  if (isStride) {
    expect(',');
    skipSpace();
    auto [end, code] =
        std::from_chars(text.data() + at, text.data() + text.size(), dim);
    if (code != std::errc() || dim < 0)
      failHere("expected a dim number");
    at = static_cast<std::size_t>(end - text.data());
  }
  expect(')');
  result.usedTensors.emplace_back(tensor, dim);
  return std::make_shared<Expression::Node>(Expression::Node{
      isStride ? Operation::Stride : Operation::Elements, dim, tensor, {}});
}

std::string ExpressionParser::name(std::string_view what) {
  std::size_t begin = at;
  if (at >= text.size() || !isNameStart(text[at]))
    failHere(fmt::format("expected {}", what));
  while (at < text.size() && isNameCharacter(text[at]))
    ++at;
  return text.substr(begin, at - begin);
}

void ExpressionParser::skipSpace() {
  while (at < text.size() && text[at] == ' ')
    ++at;
}

bool ExpressionParser::take(char c) {
  skipSpace();
  if (at >= text.size() || text[at] != c)
    return false;
  ++at;
  skipSpace();
  return true;
}

void ExpressionParser::expect(char c) {
  if (!take(c))
    failHere(fmt::format("expected '{}'", c));
}

void ExpressionParser::failHere(std::string_view what) const {
  fail("expression '{}', column {}: {}", text, at + 1, what);
}

} // namespace fa4
