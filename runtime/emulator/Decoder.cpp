#include "runtime/emulator/Decoder.h"

#include "runtime/Error.h"
#include "runtime/emulator/Addresses.h"
#include "runtime/emulator/Decoding.h"
#include "runtime/emulator/Families.h"
#include "runtime/emulator/OperandTypes.h"
#include "runtime/emulator/SpecialRegisters.h"

#include <algorithm>

namespace fa4::emulator {

namespace {

uint64_t alignUp(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

uint32_t nameIndex(std::vector<std::string> &names, std::string_view name) {
  auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    found = names.insert(names.end(), std::string(name));
  return static_cast<uint32_t>(found - names.begin());
}

} // namespace

void FunctionDecoder::fail(uint32_t line, const std::string &what) const {
  throw Error(fmt::format("{}:{}: {}", module.file, line, what));
}

Function FunctionDecoder::run() {
  function.info = source.info;
  function.registerCap = source.maxRegisters;
  function.capsRegisters =
      source.maxRegisters > 0 || (source.minCtas > 0 && source.info.block.x);
  layoutRegisters();
  layoutParameters();
  layoutVariables();
  // A branch may go to the implicit exit behind the last statement.
  for (const ast::Statement &statement : source.statements)
    decodeStatement(statement);
  Instruction exit;
  exit.execute = exitLanes;
  exit.line =
      source.statements.empty() ? source.line : source.statements.back().line;
  exit.opcodeClass = nameIndex(program.classes, "exit");
  exit.opcode = nameIndex(program.opcodes, "exit");
  function.code.push_back(exit);
  return std::move(function);
}

void FunctionDecoder::layoutRegisters() {
  for (const ast::Register &r : source.registers) {
    Operand operand;
    if (r.bits == 1)
      operand = {OperandKind::Predicate, false, function.predicates++, 0};
    else if (r.bits <= 32)
      operand = {OperandKind::Row32, false, function.rows32++, 0};
    else {
      operand = {OperandKind::Row64, false, function.rows64, 0};
      function.rows64 += r.bits / 64;
    }
    registerMap.push_back(operand);
  }
}

void FunctionDecoder::layoutParameters() {
  uint64_t offset = 0;
  for (const ParameterInfo &parameter : source.info.parameters) {
    offset = alignUp(offset, parameter.alignment);
    function.parameterOffsets.push_back(static_cast<uint32_t>(offset));
    symbols[parameter.name] = {OperandKind::Parameter, 0,
                               static_cast<int64_t>(offset)};
    offset += parameter.size;
    if (offset > 32764)
      fail(source.line, fmt::format("the parameters of '{}' exceed 32764 bytes",
                                    source.info.name));
  }
  function.parameterBytes = static_cast<uint32_t>(offset);
}

void FunctionDecoder::layoutShared(
    const std::vector<ast::Variable> &variables) {
  for (const ast::Variable &variable : variables) {
    if (variable.space != ast::Space::Shared || variable.size == 0)
      continue;
    uint64_t offset = alignUp(sharedEnd, variable.alignment);
    symbols[variable.name] = {OperandKind::Shared, 0,
                              static_cast<int64_t>(offset)};
    if (offset + variable.size > reservedShared + sharedLimit)
      fail(source.line,
           fmt::format("the shared variables of '{}' exceed {} bytes",
                       source.info.name, sharedLimit));
    sharedEnd = static_cast<uint32_t>(offset + variable.size);
  }
}

void FunctionDecoder::layoutVariables() {
  sharedEnd = reservedShared;
  layoutShared(module.variables);
  layoutShared(source.variables);
  function.staticShared = sharedEnd - reservedShared;
  function.info.staticShared = function.staticShared;
  uint32_t dynamicAlignment = 16;
  auto externs = [&](const std::vector<ast::Variable> &variables, auto visit) {
    for (const ast::Variable &variable : variables)
      if (variable.space == ast::Space::Shared && variable.size == 0)
        visit(variable);
  };
  auto align = [&](const ast::Variable &variable) {
    dynamicAlignment = std::max(dynamicAlignment, variable.alignment);
  };
  externs(module.variables, align);
  externs(source.variables, align);
  function.dynamicSharedOffset =
      static_cast<uint32_t>(alignUp(sharedEnd, dynamicAlignment));
  auto place = [&](const ast::Variable &variable) {
    symbols[variable.name] = {OperandKind::Shared, 0,
                              function.dynamicSharedOffset};
  };
  externs(module.variables, place);
  externs(source.variables, place);
  uint64_t local = 0;
  for (const ast::Variable &variable : source.variables) {
    if (variable.space != ast::Space::Local)
      continue;
    local = alignUp(local, variable.alignment);
    symbols[variable.name] = {OperandKind::Local, 0,
                              static_cast<int64_t>(local)};
    local += variable.size;
    if (local > 512 * 1024)
      fail(source.line, "the local variables exceed 512 KiB");
  }
  function.localBytes = static_cast<uint32_t>(alignUp(local, 16));
  for (size_t i = 0; i < program.globals.size(); ++i)
    symbols[program.globals[i].name] = {OperandKind::Global,
                                        static_cast<uint32_t>(i), 0};
}

void FunctionDecoder::decodeStatement(const ast::Statement &statement) {
  Instruction instruction;
  instruction.line = statement.line;
  instruction.sourceFile = statement.sourceFile;
  instruction.sourceLine = statement.sourceLine;
  instruction.operandBegin = static_cast<uint32_t>(function.operands.size());
  if (statement.guard >= 0) {
    instruction.guard = static_cast<int32_t>(
        registerMap[static_cast<size_t>(statement.guard)].index);
    instruction.guardNegated = statement.guardNegated;
  }
  Decoding decoding(*this, statement, instruction);
  Decode decode = findDecode(decoding.parts[0]);
  if (!decode)
    decoding.unsupported();
  checkOperandTypes(decoding);
  decode(decoding);
  instruction.opcodeClass = nameIndex(program.classes, decoding.parts[0]);
  instruction.opcode = nameIndex(program.opcodes, statement.opcode);
  instruction.operandCount = static_cast<uint32_t>(function.operands.size() -
                                                   instruction.operandBegin);
  function.code.push_back(instruction);
}

Operand FunctionDecoder::registerOperand(uint32_t index) const {
  return registerMap[index];
}

Operand FunctionDecoder::symbolOperand(const ast::Operand &operand,
                                       uint32_t line) const {
  auto found = symbols.find(std::string(operand.name));
  if (found == symbols.end())
    fail(line, fmt::format("'{}' can't be used as an operand", operand.name));
  const Symbol &symbol = found->second;
  return {symbol.kind, false, symbol.index, symbol.offset + operand.addend};
}

void FunctionDecoder::append(Instruction &instruction,
                             const ast::Operand &operand, uint32_t line) {
  switch (operand.kind) {
  case ast::OperandKind::Register: {
    Operand result = registerOperand(operand.index);
    result.addend = operand.addend;
    result.negated = operand.negated;
    function.operands.push_back(result);
    break;
  }
  case ast::OperandKind::Special: {
    auto special = findSpecialRegister(operand.name);
    if (!special)
      fail(line, fmt::format("unknown register '{}'", operand.name));
    function.operands.push_back({OperandKind::Special, false,
                                 static_cast<uint32_t>(*special),
                                 operand.addend});
    break;
  }
  case ast::OperandKind::Symbol:
    function.operands.push_back(symbolOperand(operand, line));
    break;
  case ast::OperandKind::Immediate:
  case ast::OperandKind::Float32:
    appendConstant(instruction, operand.bits,
                   static_cast<uint32_t>(operand.bits));
    break;
  case ast::OperandKind::Float64: {
    // A decimal literal may stand for an f32.
    float narrow = static_cast<float>(std::bit_cast<double>(operand.bits));
    appendConstant(instruction, operand.bits, std::bit_cast<uint32_t>(narrow));
    break;
  }
  case ast::OperandKind::Vector:
  case ast::OperandKind::Address:
    for (const ast::Operand &element : operand.elements)
      append(instruction, element, line);
    return;
  case ast::OperandKind::Sink:
    function.operands.push_back({});
    break;
  case ast::OperandKind::Label:
    fail(line, fmt::format("unexpected label '{}'", operand.name));
  }
  if (operand.pair >= 0)
    function.operands.push_back(
        registerOperand(static_cast<uint32_t>(operand.pair)));
  else if (operand.pairSink)
    function.operands.push_back({});
}

void FunctionDecoder::appendConstant(Instruction &, uint64_t value,
                                     uint32_t narrow) {
  // Both widths follow from the value except for a Float64 literal, whose
  // high half is rarely shared with an integer's.
  uint64_t key = value ^ (uint64_t(narrow) << 32) * 0x9e3779b97f4a7c15;
  auto [found, fresh] = constantIndex.emplace(
      key, static_cast<uint32_t>(function.constants.size()));
  if (!fresh) {
    const Constant &known = function.constants[found->second];
    fresh = known.wide[0] != value || known.narrow[0] != narrow;
    if (fresh)
      found->second = static_cast<uint32_t>(function.constants.size());
  }
  if (fresh) {
    Constant &constant = function.constants.emplace_back();
    constant.wide.fill(value);
    constant.narrow.fill(narrow);
  }
  function.operands.push_back(
      {OperandKind::Immediate, false, found->second, 0});
}

Program decodeModule(const ast::Module &module) {
  Program program;
  program.file = module.file;
  program.target = module.target;
  program.sourceFiles = module.sourceFiles;
  for (const ast::Variable &variable : module.variables) {
    if (variable.space == ast::Space::Global ||
        variable.space == ast::Space::Const)
      program.globals.push_back(
          {variable.name, variable.size, variable.initial});
  }
  for (const ast::Function &function : module.functions)
    program.functions.push_back(
        FunctionDecoder(module, function, program).run());
  for (const Function &function : program.functions)
    program.entries.push_back(function.info);
  return program;
}

} // namespace fa4::emulator
