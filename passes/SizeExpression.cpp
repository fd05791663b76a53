#include "passes/SizeExpression.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tile {
namespace {

using Number = std::optional<int64_t>;

Number divided(Number a, Number b) {
  if (!a || !b || *b == 0)
    return std::nullopt;
  return llvm::divideFloorSigned(*a, *b);
}

Number call(StringRef name, Number a, Number b) {
  if (name == "pow2floor")
    return a && *a > 0 ? Number(llvm::bit_floor(uint64_t(*a))) : std::nullopt;
  if (!a || !b)
    return std::nullopt;
  if (name == "min")
    return std::min(*a, *b);
  if (name == "max")
    return std::max(*a, *b);
  if (name == "ceildiv")
    return *b ? Number(llvm::divideCeilSigned(*a, *b)) : std::nullopt;
  return std::nullopt;
}

/// Recursive descent over what is left of the text. A syntax error leaves
/// text, which makes the whole without value.
struct Reader {
  StringRef rest;
  const Sizes &sizes;

  bool eat(char c) {
    rest = rest.ltrim();
    return rest.consume_front(StringRef(&c, 1));
  }

  Number sum() {
    Number value = product();
    while (true) {
      bool plus = eat('+');
      if (!plus && !eat('-'))
        return value;
      Number other = product();
      value = value && other ? Number(plus ? *value + *other : *value - *other)
                             : std::nullopt;
    }
  }

  Number product() {
    Number value = unary();
    while (true) {
      if (eat('*')) {
        Number other = unary();
        value = value && other ? Number(*value * *other) : std::nullopt;
      } else if (eat('/')) {
        value = divided(value, unary());
      } else {
        return value;
      }
    }
  }

  Number unary() {
    if (eat('-')) {
      Number value = unary();
      return value ? Number(-*value) : std::nullopt;
    }
    if (eat('(')) {
      Number value = sum();
      eat(')');
      return value;
    }
    StringRef word = rest.take_while(
        [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; });
    rest = rest.drop_front(word.size());
    if (eat('(')) {
      Number a = sum(), b = eat(',') ? sum() : Number();
      eat(')');
      return call(word, a, b);
    }
    int64_t literal;
    if (!word.getAsInteger(10, literal))
      return literal;
    auto found = sizes.find(word);
    return found == sizes.end() ? Number() : Number(found->second);
  }
};
} // namespace

void collectNames(StringRef text, llvm::SetVector<StringRef> &names) {
  auto inWord = [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; };
  while (!text.empty()) {
    StringRef word = text.take_while(inWord);
    text = text.drop_front(std::max<size_t>(word.size(), 1));
    if (!word.empty() && !llvm::isDigit(word[0]) &&
        !text.ltrim().starts_with("("))
      names.insert(word);
  }
}

std::optional<int64_t> evaluate(StringRef text, const Sizes &sizes) {
  Reader reader{text, sizes};
  Number value = reader.sum();
  return reader.rest.trim().empty() ? value : std::nullopt;
}

} // namespace tile
