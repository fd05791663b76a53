// A cursor over tokens with the checks that every parser needs.
#pragma once

#include "runtime/emulator/Ast.h"
#include "runtime/emulator/Lexer.h"

#include <string>
#include <vector>

namespace fa4::emulator {

/// Every failing call throws fa4::Error "file:line: what".
class TokenStream {
public:
  TokenStream(std::string_view text, const std::string &file)
      : file(file), tokens(tokenize(text, file)) {}

  const Token &peek(size_t ahead = 0) const {
    return tokens[std::min(position + ahead, tokens.size() - 1)];
  }
  const Token &take();
  bool atEnd() const { return peek().kind == TokenKind::End; }
  bool accept(std::string_view text);
  void expect(std::string_view text);
  std::string_view expectWord(std::string_view what);
  /// An integer, with an optional minus sign.
  int64_t expectInteger(std::string_view what);
  /// An integer from 0 to `limit`.
  uint32_t expectUnsigned(std::string_view what, uint64_t limit);

  /// After an opening brace: moves behind its closing one.
  void skipBlock();
  [[noreturn]] void fail(const std::string &what) const;
  [[noreturn]] void failAt(uint32_t line, const std::string &what) const;

private:
  const std::string &file;
  std::vector<Token> tokens;
  size_t position = 0;
};

/// Bytes of a fundamental type such as ".b32" or ".f16x2"; 0 if it isn't one.
uint32_t typeBytes(std::string_view type);

/// After a space: ".align 16 .b8 name[4] = {...}" up to and with the ";".
/// Several names may share one declaration.
std::vector<ast::Variable> parseVariables(TokenStream &in, ast::Space space);

} // namespace fa4::emulator
