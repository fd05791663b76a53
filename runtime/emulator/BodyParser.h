// Parses the body of a PTX entry.
#pragma once

#include "runtime/emulator/Scope.h"
#include "runtime/emulator/TokenStream.h"

#include <set>

namespace fa4::emulator {

class BodyParser {
public:
  /// `moduleNames`: variables and functions of the module.
  BodyParser(TokenStream &in,
             const std::set<std::string, std::less<>> &moduleNames,
             ast::Function &function)
      : in(in), moduleNames(moduleNames), function(function) {}

  /// After the opening brace, up to and with the closing one.
  void run();

private:
  struct Fixup { // a label operand to resolve
    size_t statement, operand, scope;
    uint32_t line;
  };

  void item();
  void directive();
  void registers();
  void variables(ast::Space space);
  void location();
  void statement();
  void resolveLabels();
  ast::Operand operand();
  ast::Operand nameOperand();
  ast::Operand numberOperand();
  ast::Operand addressOperand();
  ast::Operand listOperand(std::string_view close, ast::OperandKind kind);
  int64_t addend();
  void pairOperand(ast::Operand &operand);

  TokenStream &in;
  const std::set<std::string, std::less<>> &moduleNames;
  ast::Function &function;
  Scopes scopes;
  std::vector<Fixup> fixups;
  uint32_t sourceFile = 0, sourceLine = 0;
  int nesting = 0;
};

} // namespace fa4::emulator
