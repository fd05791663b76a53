// Splits PTX text into tokens.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fa4::emulator {

/// A word keeps its dots and double colons together: `%tid.x`, `.reg`,
/// `cp.async.bulk.tensor.2d.shared::cta.global` are one token each.
enum class TokenKind { Word, Number, String, Punctuation, End };

struct Token {
  TokenKind kind;
  std::string_view text; // into the source text; a string without its quotes
  uint32_t line;

  bool is(std::string_view expected) const {
    return kind != TokenKind::String && text == expected;
  }
};

/// The last token is End. Throws fa4::Error "file:line: what" for a character
/// that PTX doesn't have, an open comment or an open string.
std::vector<Token> tokenize(std::string_view text, const std::string &file);

/// What a number token means.
struct Number {
  enum Kind { Integer, Float32, Float64 } kind;
  uint64_t bits; // two's complement, or the float's bit pattern
};

/// Decimal, 0x, octal, 0b integers with an optional U; 0f and 0d bit patterns;
/// decimal floats (Float64). False if the text is none of these.
bool parseNumber(std::string_view text, Number &result);

} // namespace fa4::emulator
