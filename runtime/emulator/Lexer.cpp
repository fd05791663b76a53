#include "runtime/emulator/Lexer.h"

#include "runtime/Error.h"

#include <bit>
#include <cctype>
#include <charconv>

namespace fa4::emulator {

namespace {

bool isWordStart(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '$' ||
         c == '%';
}

bool isWordPart(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$';
}

class Lexer {
public:
  Lexer(std::string_view text, const std::string &file)
      : text(text), file(file) {}

  std::vector<Token> run() {
    std::vector<Token> tokens;
    tokens.reserve(text.size() / 4 + 1);
    while (skipBlanks())
      tokens.push_back(next());
    tokens.push_back({TokenKind::End, "end of file", line});
    return tokens;
  }

private:
  char at(size_t index) const { return index < text.size() ? text[index] : 0; }

  [[noreturn]] void fail(const std::string &what) const {
    throw Error(fmt::format("{}:{}: {}", file, line, what));
  }

  /// False at the end of the text.
  bool skipBlanks() {
    while (position < text.size()) {
      char c = text[position];
      if (c == '\n')
        ++line;
      if (std::isspace(static_cast<unsigned char>(c)))
        ++position;
      else if (c == '/' && at(position + 1) == '/')
        position = std::min(text.find('\n', position), text.size());
      else if (c == '/' && at(position + 1) == '*')
        skipComment();
      else
        return true;
    }
    return false;
  }

  void skipComment() {
    size_t end = text.find("*/", position + 2);
    if (end == std::string_view::npos)
      fail("comment without an end");
    for (; position < end + 2; ++position)
      line += text[position] == '\n';
  }

  Token next() {
    size_t start = position;
    char c = text[position];
    if (c == '"')
      return string();
    TokenKind kind = TokenKind::Punctuation;
    if (isWordStart(c) || (c == '.' && isWordPart(at(position + 1)))) {
      kind = TokenKind::Word;
      word();
    } else if (std::isdigit(static_cast<unsigned char>(c))) {
      kind = TokenKind::Number;
      while (isWordPart(at(position)) || at(position) == '.' ||
             ((at(position) == '-' || at(position) == '+') && exponent(start)))
        ++position;
    } else if (std::string_view("[]{}(),;:+-|@!=<>*").find(c) !=
               std::string_view::npos) {
      ++position;
    } else {
      fail(fmt::format("unexpected character 0x{:02x}",
                       static_cast<unsigned char>(c)));
    }
    return {kind, text.substr(start, position - start), line};
  }

  bool exponent(size_t start) const {
    char before = at(position - 1);
    return (before == 'e' || before == 'E') && at(start + 1) != 'x' &&
           at(start + 1) != 'X' && at(start + 1) != 'f' &&
           at(start + 1) != 'F' && at(start + 1) != 'd' && at(start + 1) != 'D';
  }

  void word() {
    ++position;
    for (;;) {
      if (isWordPart(at(position)) || at(position) == '.')
        ++position;
      else if (at(position) == ':' && at(position + 1) == ':')
        position += 2;
      else
        return;
    }
  }

  Token string() {
    size_t start = ++position;
    while (position < text.size() && text[position] != '"' &&
           text[position] != '\n')
      ++position;
    if (at(position) != '"')
      fail("string without an end");
    return {TokenKind::String, text.substr(start, position++ - start), line};
  }

  std::string_view text;
  const std::string &file;
  size_t position = 0;
  uint32_t line = 1;
};

bool parseBase(std::string_view digits, int base, uint64_t &bits) {
  auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), bits, base);
  return error == std::errc() && end == digits.data() + digits.size();
}

} // namespace

std::vector<Token> tokenize(std::string_view text, const std::string &file) {
  return Lexer(text, file).run();
}

bool parseNumber(std::string_view text, Number &result) {
  result.kind = Number::Integer;
  if (text.size() > 2 && text[0] == '0') {
    char tag = static_cast<char>(std::tolower(text[1]));
    if (tag == 'f' && text.size() == 10) {
      result.kind = Number::Float32;
      return parseBase(text.substr(2), 16, result.bits);
    }
    if (tag == 'd' && text.size() == 18) {
      result.kind = Number::Float64;
      return parseBase(text.substr(2), 16, result.bits);
    }
  }
  if (text.find('.') != std::string_view::npos) {
    double value = 0;
    auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), value);
    result.kind = Number::Float64;
    result.bits = std::bit_cast<uint64_t>(value);
    return error == std::errc() && end == text.data() + text.size();
  }
  if (text.size() > 1 && (text.back() == 'U' || text.back() == 'u'))
    text.remove_suffix(1);
  if (text.size() > 2 && text[0] == '0' && std::tolower(text[1]) == 'x')
    return parseBase(text.substr(2), 16, result.bits);
  if (text.size() > 2 && text[0] == '0' && std::tolower(text[1]) == 'b')
    return parseBase(text.substr(2), 2, result.bits);
  if (text.size() > 1 && text[0] == '0')
    return parseBase(text.substr(1), 8, result.bits);
  return parseBase(text, 10, result.bits);
}

} // namespace fa4::emulator
