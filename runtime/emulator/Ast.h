// A parsed PTX module: registers and labels are resolved, opcodes are text.
#pragma once

#include "runtime/emulator/Emulator.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fa4::emulator::ast {

/// Width in bits; 1 is a predicate.
struct Register {
  uint32_t bits;
};

enum class OperandKind {
  Register,  // `index`; `pair` for "%r|%p"
  Special,   // "%tid.x", in `name`
  Symbol,    // a variable, parameter or function, in `name`
  Label,     // statement number in `index`
  Immediate, // `bits`
  Float32,   // `bits`
  Float64,   // `bits`
  Vector,    // `elements`
  Address,   // "[base+addend, more]": `elements`, the base first
  Sink,      // "_"
};

struct Operand {
  OperandKind kind = OperandKind::Sink;
  std::string_view name;
  uint32_t index = 0;
  int32_t pair = -1; // register, -1: none
  bool pairSink = false;
  bool negated = false; // "!%p"
  int64_t addend = 0;   // "%rd1+16", "symbol-4"
  uint64_t bits = 0;
  std::vector<Operand> elements;
};

struct Statement {
  std::string_view opcode;
  std::vector<Operand> operands;
  int32_t guard = -1; // predicate register
  bool guardNegated = false;
  uint32_t line = 0;
  uint32_t sourceFile = 0, sourceLine = 0; // .loc
};

enum class Space { Shared, Global, Const, Local, Param };

struct Variable {
  std::string name;
  Space space;
  uint64_t size; // bytes; 0: dynamic shared memory
  uint32_t alignment;
  std::vector<std::byte> initial;
};

struct Function {
  EntryInfo info;
  std::vector<Register> registers;
  std::vector<Variable> variables; // declared in the body
  std::vector<Statement> statements;
  uint32_t maxRegisters = 0;    // .maxnreg, 0: not stated
  uint32_t minCtas = 0;         // .minnctapersm
  bool explicitCluster = false; // .explicitcluster
  uint32_t line = 0;
};

struct Module {
  std::string file;
  std::string target;
  std::vector<std::string> sourceFiles; // by .file number
  std::vector<Variable> variables;
  std::vector<Function> functions;
};

} // namespace fa4::emulator::ast
