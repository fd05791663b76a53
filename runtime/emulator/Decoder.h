// A parsed module to an executable program.
#pragma once

#include "runtime/emulator/Ast.h"
#include "runtime/emulator/Program.h"

#include <unordered_map>

namespace fa4::emulator {

/// Throws fa4::Error "file:line: what" for unknown or malformed instructions.
Program decodeModule(const ast::Module &module);

class FunctionDecoder {
public:
  FunctionDecoder(const ast::Module &module, const ast::Function &source,
                  Program &program)
      : module(module), source(source), program(program) {}

  Function run();

  void append(Instruction &instruction, const ast::Operand &operand,
              uint32_t line);
  void appendConstant(Instruction &instruction, uint64_t value,
                      uint32_t narrow);
  uint32_t registerBits(uint32_t index) const {
    return source.registers[index].bits;
  }
  [[noreturn]] void fail(uint32_t line, const std::string &what) const;

private:
  struct Symbol {
    OperandKind kind;
    uint32_t index;
    int64_t offset;
  };

  void layoutRegisters();
  void layoutParameters();
  void layoutShared(const std::vector<ast::Variable> &variables);
  void layoutVariables();
  void decodeStatement(const ast::Statement &statement);
  Operand registerOperand(uint32_t index) const;
  Operand symbolOperand(const ast::Operand &operand, uint32_t line) const;

  const ast::Module &module;
  const ast::Function &source;
  Program &program;
  Function function;
  std::vector<Operand> registerMap;
  std::unordered_map<std::string, Symbol> symbols;
  std::unordered_map<uint64_t, uint32_t> constantIndex;
  uint32_t sharedEnd = 0;
};

} // namespace fa4::emulator
