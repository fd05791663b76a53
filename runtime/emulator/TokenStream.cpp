#include "runtime/emulator/TokenStream.h"

#include "runtime/Error.h"

#include <cstring>

namespace fa4::emulator {

const Token &TokenStream::take() {
  const Token &token = peek();
  if (token.kind == TokenKind::End)
    fail("unexpected end of file");
  ++position;
  return token;
}

bool TokenStream::accept(std::string_view text) {
  if (!peek().is(text) || atEnd())
    return false;
  ++position;
  return true;
}

void TokenStream::expect(std::string_view text) {
  if (!accept(text))
    fail(fmt::format("expected '{}' before '{}'", text, peek().text));
}

std::string_view TokenStream::expectWord(std::string_view what) {
  if (peek().kind != TokenKind::Word)
    fail(fmt::format("expected {} before '{}'", what, peek().text));
  return take().text;
}

int64_t TokenStream::expectInteger(std::string_view what) {
  bool negative = accept("-");
  Number number{};
  if (peek().kind != TokenKind::Number || !parseNumber(peek().text, number) ||
      number.kind != Number::Integer)
    fail(fmt::format("expected {} before '{}'", what, peek().text));
  take();
  return static_cast<int64_t>(negative ? 0 - number.bits : number.bits);
}

uint32_t TokenStream::expectUnsigned(std::string_view what, uint64_t limit) {
  int64_t value = expectInteger(what);
  if (value < 0 || static_cast<uint64_t>(value) > limit)
    fail(fmt::format("{} {} is out of range (at most {})", what, value, limit));
  return static_cast<uint32_t>(value);
}

void TokenStream::skipBlock() {
  for (size_t depth = 1; depth > 0;) {
    const Token &token = take();
    if (token.is("{"))
      ++depth;
    else if (token.is("}"))
      --depth;
  }
}

void TokenStream::fail(const std::string &what) const {
  failAt(peek().line, what);
}

void TokenStream::failAt(uint32_t line, const std::string &what) const {
  throw Error(fmt::format("{}:{}: {}", file, line, what));
}

uint32_t typeBytes(std::string_view type) {
  if (type == ".pred" || type == ".b8" || type == ".u8" || type == ".s8")
    return 1;
  if (type == ".b16" || type == ".u16" || type == ".s16" || type == ".f16" ||
      type == ".bf16")
    return 2;
  if (type == ".b32" || type == ".u32" || type == ".s32" || type == ".f32" ||
      type == ".f16x2" || type == ".bf16x2")
    return 4;
  if (type == ".b64" || type == ".u64" || type == ".s64" || type == ".f64")
    return 8;
  return type == ".b128" ? 16 : 0;
}

namespace {

void parseInitializer(TokenStream &in, ast::Variable &variable,
                      uint32_t element) {
  bool list = in.accept("{");
  size_t offset = 0;
  variable.initial.resize(variable.size);
  do {
    bool negative = in.accept("-");
    Number number{};
    if (in.peek().kind != TokenKind::Number ||
        !parseNumber(in.peek().text, number))
      in.fail(fmt::format("unsupported initializer '{}'", in.peek().text));
    in.take();
    uint64_t bits = negative ? 0 - number.bits : number.bits;
    if (offset + element > variable.size)
      in.fail("initializer is longer than its variable");
    std::memcpy(variable.initial.data() + offset, &bits,
                std::min<uint32_t>(element, 8));
    offset += element;
  } while (list && in.accept(","));
  if (list)
    in.expect("}");
}

} // namespace

std::vector<ast::Variable> parseVariables(TokenStream &in, ast::Space space) {
  constexpr uint64_t largest = uint64_t(1) << 31;
  uint32_t alignment = 0;
  std::string_view type = in.expectWord("a type");
  uint32_t vector = 1;
  while (typeBytes(type) == 0) {
    if (type == ".align")
      alignment = in.expectUnsigned("an alignment", 1 << 20);
    else if (type == ".v2" || type == ".v4")
      vector = type == ".v2" ? 2 : 4;
    else if (!type.starts_with(".attribute"))
      in.fail(fmt::format("unknown type '{}'", type));
    type = in.expectWord("a type");
  }
  uint32_t element = typeBytes(type);
  if (alignment == 0)
    alignment = element * vector;
  if ((alignment & (alignment - 1)) != 0)
    in.fail(fmt::format("alignment {} is no power of two", alignment));
  std::vector<ast::Variable> variables;
  do {
    ast::Variable variable{std::string(in.expectWord("a name")),
                           space,
                           uint64_t(element) * vector,
                           alignment,
                           {}};
    while (in.accept("[")) {
      uint64_t count =
          in.peek().is("]") ? 0 : in.expectUnsigned("a size", largest);
      in.expect("]");
      variable.size *= count;
      if (variable.size > largest)
        in.fail(fmt::format("'{}' is larger than {} bytes", variable.name,
                            largest));
    }
    if (in.accept("="))
      parseInitializer(in, variable, element);
    variables.push_back(std::move(variable));
  } while (in.accept(","));
  in.expect(";");
  return variables;
}

} // namespace fa4::emulator
