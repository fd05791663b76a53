#include "runtime/emulator/Decoding.h"

#include "runtime/Error.h"
#include "runtime/emulator/Decoder.h"

#include <algorithm>

namespace fa4::emulator {

Decoding::Decoding(FunctionDecoder &decoder, const ast::Statement &statement,
                   Instruction &instruction)
    : statement(statement), instruction(instruction), decoder(decoder) {
  std::string_view rest = statement.opcode;
  for (;;) {
    size_t dot = rest.find('.');
    parts.push_back(rest.substr(0, dot));
    if (dot == std::string_view::npos)
      return;
    rest.remove_prefix(dot + 1);
  }
}

bool Decoding::has(std::string_view word) const {
  return std::find(parts.begin() + 1, parts.end(), word) != parts.end();
}

std::optional<Type> Decoding::firstType() const {
  for (size_t i = 1; i < parts.size(); ++i)
    if (auto type = parseType(parts[i]))
      return type;
  return std::nullopt;
}

std::optional<Type> Decoding::lastType() const {
  for (size_t i = parts.size(); i-- > 1;)
    if (auto type = parseType(parts[i]))
      return type;
  return std::nullopt;
}

Type Decoding::requireType() const {
  auto type = lastType();
  if (!type)
    fail(fmt::format("'{}' has no type", statement.opcode));
  return *type;
}

MemorySpace Decoding::space(MemorySpace fallback) const {
  for (std::string_view part : parts) {
    if (part == "global")
      return MemorySpace::Global;
    if (part == "shared" || part == "shared::cta")
      return MemorySpace::Shared;
    if (part == "shared::cluster")
      return MemorySpace::SharedCluster;
    if (part == "local")
      return MemorySpace::Local;
    if (part == "param" || part == "param::entry")
      return MemorySpace::Param;
    if (part == "const")
      return MemorySpace::Const;
  }
  return fallback;
}

const ast::Operand &Decoding::ast(size_t n) const {
  if (n >= statement.operands.size())
    fail(fmt::format("'{}' lacks operand {}", statement.opcode, n + 1));
  return statement.operands[n];
}

void Decoding::expectOperands(size_t least, size_t most) const {
  if (operandCount() < least || operandCount() > most)
    fail(fmt::format("'{}' takes {} operands, not {}", statement.opcode,
                     least == most ? fmt::format("{}", least)
                                   : fmt::format("{} to {}", least, most),
                     operandCount()));
}

void Decoding::append(size_t n) {
  decoder.append(instruction, ast(n), statement.line);
}

void Decoding::appendAll() {
  for (size_t n = 0; n < operandCount(); ++n)
    append(n);
}

void Decoding::appendScalars(size_t count) {
  expectOperands(count, count);
  for (size_t n = 0; n < count; ++n) {
    if (width(n) != 1)
      fail(fmt::format("operand {} of '{}' must be a single value", n + 1,
                       statement.opcode));
    append(n);
  }
}

uint32_t Decoding::registerBits(const ast::Operand &operand) const {
  return operand.kind == ast::OperandKind::Register
             ? decoder.registerBits(operand.index)
             : 0;
}

void Decoding::appendValue(uint64_t value) {
  decoder.appendConstant(instruction, value, static_cast<uint32_t>(value));
}

uint64_t Decoding::constant(size_t n) const {
  const ast::Operand &operand = ast(n);
  if (operand.kind != ast::OperandKind::Immediate)
    fail(fmt::format("operand {} of '{}' must be a constant", n + 1,
                     statement.opcode));
  return operand.bits;
}

uint32_t Decoding::width(size_t n) const {
  const ast::Operand &operand = ast(n);
  if (operand.kind == ast::OperandKind::Vector ||
      operand.kind == ast::OperandKind::Address)
    return static_cast<uint32_t>(operand.elements.size());
  return operand.pair >= 0 || operand.pairSink ? 2 : 1;
}

void Decoding::fail(const std::string &what) const {
  decoder.fail(statement.line, what);
}

void Decoding::unsupported() const {
  fail(fmt::format("unsupported instruction '{}'", statement.opcode));
}

} // namespace fa4::emulator
