#include "runtime/emulator/Mutate.h"

#include "runtime/emulator/Lanes.h"

#include <fmt/format.h>

namespace fa4::emulator {

namespace {

Outcome skip(Context &, const Instruction &) { return Outcome::Next; }

/// A wait that finds its phase complete at once.
Outcome pass(Context &c, const Instruction &i) {
  writePredicate(c, c.operand(i, 0), ~0u);
  return Outcome::Next;
}

bool startsWithAny(std::string_view opcode,
                   std::initializer_list<std::string_view> prefixes) {
  for (std::string_view prefix : prefixes)
    if (opcode.starts_with(prefix))
      return true;
  return false;
}

bool isMbarrierWait(std::string_view opcode) {
  return startsWithAny(opcode, {"mbarrier.try_wait", "mbarrier.test_wait"});
}

bool synchronizes(std::string_view opcode) {
  return startsWithAny(
      opcode,
      {"bar.", "barrier.", "fence.", "membar", "tcgen05.wait", "tcgen05.fence",
       "tcgen05.commit", "mbarrier.arrive", "mbarrier.expect_tx",
       "mbarrier.complete_tx", "cp.async.bulk.commit_group",
       "cp.async.bulk.wait_group", "cp.async.commit_group", "cp.async.wait",
       "cp.async.mbarrier", "wgmma.fence", "wgmma.commit_group",
       "wgmma.wait_group", "griddepcontrol"});
}

bool isExpectTx(std::string_view opcode) {
  return opcode.starts_with("mbarrier.") &&
         opcode.find("expect_tx") != std::string_view::npos;
}

} // namespace

std::vector<Mutation> mutationsOf(const Program &program,
                                  const Function &function) {
  std::vector<Mutation> result;
  for (uint32_t n = 0; n < function.code.size(); ++n) {
    std::string_view opcode = program.opcodes[function.code[n].opcode];
    if (synchronizes(opcode) || isMbarrierWait(opcode))
      result.push_back({n, MutationKind::Remove});
    if (isMbarrierWait(opcode) &&
        opcode.find(".parity") != std::string_view::npos)
      result.push_back({n, MutationKind::FlipPhase});
    if (isExpectTx(opcode))
      result.push_back({n, MutationKind::MoreBytes});
  }
  return result;
}

Function mutate(const Function &function, const Mutation &mutation) {
  Function result = function;
  Instruction &i = result.code.at(mutation.instruction);
  switch (mutation.kind) {
  case MutationKind::Remove:
    // Only mbarrier waits write a predicate as their first operand.
    i.execute = i.operandCount > 0 &&
                        function.operand(i, 0).kind == OperandKind::Predicate
                    ? pass
                    : skip;
    i.convergence = Convergence::None;
    i.startsAsync = false;
    break;
  case MutationKind::FlipPhase:
    ++result.operands[i.operandBegin + 2].addend;
    break;
  case MutationKind::MoreBytes:
    result.operands[i.operandBegin + i.operandCount - 1].addend += 16;
    break;
  }
  return result;
}

MutationSite siteOfMutation(const Program &program, const Function &function,
                            const Mutation &mutation) {
  const Instruction &i = function.code.at(mutation.instruction);
  MutationSite site;
  site.ptxLine = i.line;
  if (i.sourceLine && i.sourceFile < program.sourceFiles.size()) {
    site.file = program.sourceFiles[i.sourceFile];
    site.line = i.sourceLine;
  }
  const char *what = mutation.kind == MutationKind::Remove ? "remove"
                     : mutation.kind == MutationKind::FlipPhase
                         ? "flip the phase of"
                         : "expect 16 bytes more at";
  site.change = fmt::format("{} {}", what, program.opcodes[i.opcode]);
  return site;
}

} // namespace fa4::emulator
