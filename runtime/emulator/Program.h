// A decoded module: what the emulator executes.
#pragma once

#include "runtime/emulator/Emulator.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace fa4::emulator {

struct Context;
struct Instruction;

/// Next: go on. Jump: the handler moved the fragment. Block: it waits, see
/// Fragment::wait. Exit: the active lanes are finished.
enum class Outcome : uint8_t { Next, Jump, Block, Exit };
using Handler = Outcome (*)(Context &, const Instruction &);

enum class OperandKind : uint8_t {
  Row32,     // a register of up to 32 bits: 32 lanes of uint32_t
  Row64,     // 64 bits, or the first of two rows for 128
  Predicate, // one bit for each lane
  Immediate, // `index` into Function::constants
  Special,   // `index` is a SpecialRegister
  Shared,    // address of a shared variable: `addend` is its offset
  Parameter, // address of a parameter: `addend` is its offset
  Local,     // address of a local variable
  Global,    // address of module variable `index`
  Sink,      // "_"
};

struct Operand {
  OperandKind kind = OperandKind::Sink;
  bool negated = false; // predicates
  uint32_t index = 0;
  int64_t addend = 0; // "reg+imm"
};

enum class SpecialRegister : uint32_t {
  TidX,
  TidY,
  TidZ,
  NtidX,
  NtidY,
  NtidZ,
  CtaidX,
  CtaidY,
  CtaidZ,
  NctaidX,
  NctaidY,
  NctaidZ,
  LaneId,
  WarpId,
  NwarpId,
  SmId,
  NsmId,
  GridId,
  ClusterIdX,
  ClusterIdY,
  ClusterIdZ,
  NclusterIdX,
  NclusterIdY,
  NclusterIdZ,
  ClusterCtaidX,
  ClusterCtaidY,
  ClusterCtaidZ,
  ClusterNctaidX,
  ClusterNctaidY,
  ClusterNctaidZ,
  ClusterCtaRank,
  ClusterNctaRank,
  IsExplicitCluster,
  LanemaskEq,
  LanemaskLt,
  LanemaskLe,
  LanemaskGt,
  LanemaskGe,
  Clock,
  Clock64,
  GlobalTimer,
  GlobalTimerLo,
  GlobalTimerHi,
  TotalSmemSize,
  DynamicSmemSize,
  AggrSmemSize,
};

enum class MemorySpace : uint8_t {
  Generic,
  Global,
  Shared,
  SharedCluster,
  Local,
  Param,
  Const,
};

/// Which lanes must arrive together before the instruction runs.
enum class Convergence : uint8_t {
  None,
  Aligned,     // every live lane of the warp
  MaskOperand, // the live lanes of the operand at Modifiers::maskOperand
};

/// What the dotted words of an opcode say; each family reads its own fields.
struct Modifiers {
  MemorySpace space = MemorySpace::Generic;
  MemorySpace source = MemorySpace::Generic; // second space of a copy
  uint8_t bytes = 0;                         // of one element
  uint8_t vector = 1;                        // elements
  bool isSigned = false;
  bool inParity = false; // mbarrier: parity, not state
  bool multicast = false;
  bool mode = false;    // family's own flag
  bool cluster = false; // cluster scope
  bool release = false, acquire = false;
  uint8_t operation = 0;  // family's own enumeration
  uint8_t type = 0;       // family's own enumeration
  uint8_t dimensions = 0; // of a tensor copy
  uint8_t ctaGroup = 1;
  uint8_t maskOperand = 0;
  uint16_t count = 0; // registers, columns, ...
  uint16_t shape = 0;
};

struct Instruction {
  Handler execute = nullptr;
  int32_t guard = -1; // predicate
  bool guardNegated = false;
  bool startsAsync = false; // hands work to an async unit
  bool isWgmma = false;
  Convergence convergence = Convergence::None;
  Modifiers with;
  uint32_t operandBegin = 0, operandCount = 0;
  uint32_t target = 0; // of a branch
  uint32_t line = 0, sourceFile = 0, sourceLine = 0;
  uint32_t opcodeClass = 0; // Program::classes
  uint32_t opcode = 0;      // Program::opcodes
};

/// A 32-lane row of the same value, in both widths.
struct Constant {
  alignas(64) std::array<uint32_t, 32> narrow;
  alignas(64) std::array<uint64_t, 32> wide;
};

struct Function {
  EntryInfo info;
  std::vector<Instruction> code; // ends in an exit
  std::vector<Operand> operands;
  std::vector<Constant> constants;
  std::vector<uint32_t> parameterOffsets;
  uint32_t rows32 = 0, rows64 = 0, predicates = 0;
  uint32_t parameterBytes = 0;
  uint32_t localBytes = 0;   // of one thread
  uint32_t staticShared = 0; // bytes behind the reserved ones
  uint32_t dynamicSharedOffset = 0;
  uint32_t registerCap = 0;   // .maxnreg, or 0
  bool capsRegisters = false; // setmaxnreg is honoured

  const Operand &operand(const Instruction &i, uint32_t n) const {
    return operands[i.operandBegin + n];
  }
};

struct GlobalVariable {
  std::string name;
  uint64_t size;
  std::vector<std::byte> initial;
};

struct Program {
  std::string file;
  std::string target;
  std::vector<std::string> sourceFiles;
  std::vector<GlobalVariable> globals;
  std::vector<Function> functions;
  std::vector<EntryInfo> entries;
  std::vector<std::string> classes; // "fma", "tcgen05", ...
  std::vector<std::string> opcodes; // whole opcodes
};

/// The CTA's shared window starts with bytes that belong to the system.
inline constexpr uint32_t reservedShared = 0x400;
inline constexpr uint32_t sharedLimit = 232448; // bytes a CTA may use

} // namespace fa4::emulator
