// Branches, exits and the instructions that do nothing here.
#include "runtime/emulator/Families.h"
#include "runtime/emulator/Lanes.h"
#include "runtime/emulator/Machine.h"

#include <fmt/format.h>

namespace fa4::emulator {

namespace {

Outcome branch(Context &c, const Instruction &i) {
  Fragment &fragment = c.fragment;
  if (i.target <= fragment.pc)
    ++fragment.backward;
  if (c.mask == fragment.mask) {
    fragment.pc = i.target;
    return Outcome::Jump;
  }
  Fragment rest = fragment;
  rest.mask &= ~c.mask;
  ++rest.pc;
  fragment.mask = c.mask;
  fragment.pc = i.target;
  c.warp.fragments.push_back(rest);
  return Outcome::Jump;
}

Outcome trap(Context &c, const Instruction &) {
  fault("invalid", fmt::format("trap in {}",
                               describe(c.warp, static_cast<uint32_t>(
                                                    __builtin_ctz(c.mask)))));
}

Outcome nothing(Context &, const Instruction &) { return Outcome::Next; }

/// The warp's share of the register file, in registers of 32 lanes.
Outcome setMaxRegisters(Context &c, const Instruction &i) {
  if (!c.function.capsRegisters)
    return Outcome::Next; // ptxas ignores it without a register cap
  const uint32_t wanted = i.with.count, held = c.warp.registers;
  if (wanted > held && c.cta.registerPool < wanted - held) {
    c.fragment.wait = {};
    c.fragment.wait.kind = WaitKind::Registers;
    c.fragment.wait.id = wanted;
    return Outcome::Block;
  }
  c.cta.registerPool += held;
  c.cta.registerPool -= wanted;
  c.warp.registers = wanted;
  ++c.machine.progress;
  return Outcome::Next;
}

} // namespace

Outcome exitLanes(Context &, const Instruction &) { return Outcome::Exit; }

void decodeBranch(Decoding &d) {
  d.expectOperands(1, 1);
  if (d.ast(0).kind != ast::OperandKind::Label)
    d.unsupported();
  d.instruction.target = d.ast(0).index;
  d.instruction.execute = branch;
}

void decodeExit(Decoding &d) {
  d.expectOperands(0, 0);
  d.instruction.execute = exitLanes;
}

void decodeTrap(Decoding &d) { d.instruction.execute = trap; }

void decodeNothing(Decoding &d) { d.instruction.execute = nothing; }

void decodeSetMaxRegisters(Decoding &d) {
  d.expectOperands(1, 1);
  uint64_t count = d.constant(0);
  if (count < 24 || count > 256 || count % 8)
    d.fail(fmt::format("setmaxnreg takes a multiple of 8 from 24 to 256, not "
                       "{}",
                       count));
  d.instruction.with.count = static_cast<uint16_t>(count);
  d.instruction.convergence = Convergence::Aligned;
  d.instruction.execute = setMaxRegisters;
}

} // namespace fa4::emulator
