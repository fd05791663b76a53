// One statement on its way to an Instruction.
#pragma once

#include "runtime/emulator/Ast.h"
#include "runtime/emulator/Program.h"
#include "runtime/emulator/Types.h"

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace fa4::emulator {

class FunctionDecoder;

/// Handed to the decode function of an opcode family, which sets the handler
/// and the modifiers and appends the operands.
class Decoding {
public:
  Decoding(FunctionDecoder &decoder, const ast::Statement &statement,
           Instruction &instruction);

  const ast::Statement &statement;
  Instruction &instruction;
  /// The opcode at its dots: "cp", "async", "shared::cta", ...
  std::vector<std::string_view> parts;

  bool has(std::string_view word) const;
  /// The first part that is a type, or nothing.
  std::optional<Type> firstType() const;
  std::optional<Type> lastType() const;
  Type requireType() const; // the last one
  /// ".shared::cta" and so on; `fallback` if the opcode names no space.
  MemorySpace space(MemorySpace fallback) const;

  size_t operandCount() const { return statement.operands.size(); }
  const ast::Operand &ast(size_t n) const;
  void expectOperands(size_t least, size_t most) const;
  /// Appends operand n: vectors and addresses element by element, "a|b" as two.
  void append(size_t n);
  void appendAll();
  /// Exactly `count` operands, none of them a vector of several elements.
  void appendScalars(size_t count);
  /// Bits of the register that operand n names; 0 if it is none.
  uint32_t registerBits(const ast::Operand &operand) const;
  /// Appends an integer constant.
  void appendValue(uint64_t value);
  /// The number behind an operand that must be a constant.
  uint64_t constant(size_t n) const;
  /// Elements that operand n appends.
  uint32_t width(size_t n) const;

  [[noreturn]] void fail(const std::string &what) const;
  [[noreturn]] void unsupported() const;

private:
  FunctionDecoder &decoder;
};

using Decode = void (*)(Decoding &);

/// By the opcode's first word; null if it is unknown.
Decode findDecode(std::string_view word);

} // namespace fa4::emulator
