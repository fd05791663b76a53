#include "runtime/emulator/OperandTypes.h"

#include "runtime/emulator/Decoding.h"

#include <fmt/format.h>

#include <string_view>
#include <unordered_map>

namespace fa4::emulator {
namespace {

/// What each operand of a family is, a letter for one, the last for all that
/// follow:
///   t  of the instruction's only type; unchecked if it names two
///   d  of its first type, s  of its last
///   D  a register at least as wide as the first type, S  as the last
///   w  of twice the type's width for .wide, else as t
///   u  32 bits
///   p  a predicate
///   -  anything
std::string_view rulesOf(const Decoding &decoding) {
  static const std::unordered_map<std::string_view, std::string_view> table = {
      {"abs", "t"},    {"add", "t"},     {"addc", "t"},   {"and", "t"},
      {"bfe", "ttu"},  {"bfi", "tttu"},  {"bfind", "ut"}, {"brev", "t"},
      {"clz", "ut"},   {"cnot", "t"},    {"cos", "t"},    {"copysign", "t"},
      {"cvt", "DSS-"}, {"div", "t"},     {"ex2", "t"},    {"fma", "t"},
      {"ld", "S-"},    {"ldu", "S-"},    {"lg2", "t"},    {"lop3", "tttt-"},
      {"mad", "wttw"}, {"madc", "t"},    {"max", "t"},    {"min", "t"},
      {"mov", "t"},    {"mul", "wt"},    {"mul24", "t"},  {"neg", "t"},
      {"not", "t"},    {"or", "t"},      {"popc", "ut"},  {"prmt", "u"},
      {"rcp", "t"},    {"rem", "t"},     {"rsqrt", "t"},  {"selp", "tttp"},
      {"set", "dssp"}, {"setp", "pttp"}, {"shf", "u"},    {"shl", "ttu"},
      {"shr", "ttu"},  {"slct", "ddds"}, {"sin", "t"},    {"sqrt", "t"},
      {"st", "-S-"},   {"sub", "t"},     {"subc", "t"},   {"tanh", "t"},
      {"xor", "t"}};
  if (decoding.parts[0] == "cvt" && decoding.has("pack"))
    return "";
  if (decoding.parts[0] == "mbarrier")
    return decoding.has("try_wait") || decoding.has("test_wait") ? "p-" : "";
  auto found = table.find(decoding.parts[0]);
  return found == table.end() ? "" : found->second;
}

class OperandChecker {
public:
  explicit OperandChecker(const Decoding &decoding)
      : decoding(decoding), first(decoding.firstType()),
        last(decoding.lastType()) {}

  void run() {
    std::string_view rules = rulesOf(decoding);
    for (size_t n = 0; !rules.empty() && n < decoding.operandCount(); ++n)
      check(n, rules[std::min(n, rules.size() - 1)]);
  }

private:
  uint32_t bitsOf(char rule) const {
    const bool one = first && first == last;
    switch (rule) {
    case 'p':
      return 1;
    case 'u':
      return 32;
    case 'd':
    case 'D':
      return first ? typeBits(*first) : 0;
    case 's':
    case 'S':
      return last ? typeBits(*last) : 0;
    case 'w':
      return one ? typeBits(*last) * (decoding.has("wide") ? 2 : 1) : 0;
    case 't':
      return one ? typeBits(*last) : 0;
    default:
      return 0;
    }
  }

  void check(size_t n, char rule) const {
    const ast::Operand &operand = decoding.ast(n);
    const uint32_t wanted = bitsOf(rule);
    if (wanted == 0)
      return;
    if (rule == 'S' && operand.kind == ast::OperandKind::Vector)
      for (const ast::Operand &element : operand.elements)
        checkWidth(n, element, wanted, true);
    checkWidth(n, operand, wanted, rule == 'S' || rule == 'D');
  }

  void checkWidth(size_t n, const ast::Operand &operand, uint32_t wanted,
                  bool mayBeWider) const {
    const uint32_t bits = decoding.registerBits(operand);
    if (bits == 0 || bits == wanted ||
        (mayBeWider && bits > wanted && wanted > 1))
      return;
    const auto name = [](uint32_t width) {
      return width == 1 ? std::string("a predicate")
                        : fmt::format("{} bits wide", width);
    };
    decoding.fail(fmt::format("operand {} of '{}' is {}, not {}", n + 1,
                              decoding.statement.opcode, name(bits),
                              name(wanted)));
  }

  const Decoding &decoding;
  std::optional<Type> first, last;
};

} // namespace

void checkOperandTypes(const Decoding &decoding) {
  OperandChecker(decoding).run();
}

} // namespace fa4::emulator
