#include "runtime/emulator/Deadlock.h"

#include "runtime/emulator/Waiting.h"

#include <fmt/format.h>

namespace fa4::emulator {

namespace {

template <typename Visit> void forEachWarp(Machine &machine, Visit visit) {
  for (auto &cluster : machine.resident) {
    for (auto &cta : cluster->ctas)
      for (auto &warp : cta->warps)
        if (!warp->finished())
          visit(*warp);
  }
}

std::string place(const Machine &machine, const Instruction &i) {
  std::string text = fmt::format("line {}", i.line);
  if (i.sourceFile < machine.program.sourceFiles.size() && i.sourceLine)
    text += fmt::format(" ({}:{})", machine.program.sourceFiles[i.sourceFile],
                        i.sourceLine);
  return text;
}

bool mayPoll(const std::string &opcode) {
  for (const char *start : {"ld.", "atom.", "mbarrier.test_wait",
                            "mbarrier.try_wait", "griddepcontrol"})
    if (opcode.starts_with(start))
      return true;
  return false;
}

/// "goes round from line 12 to line 15 and polls by ld.volatile.global.u32 at
/// line 13": the smallest loop around the next instruction.
std::string describeLoop(const Machine &machine, uint32_t pc) {
  const std::vector<Instruction> &code = machine.function.code;
  uint32_t begin = 0, end = ~0U;
  for (uint32_t n = pc; n < code.size(); ++n) {
    const bool jumps =
        machine.program.opcodes[code[n].opcode].starts_with("bra");
    if (jumps && code[n].target <= pc &&
        (end == ~0U || n - code[n].target < end - begin)) {
      begin = code[n].target;
      end = n;
    }
  }
  if (end == ~0U)
    return "is on its way";
  std::string text =
      fmt::format("goes round from {} to {}", place(machine, code[begin]),
                  place(machine, code[end]));
  const char *joint = " and polls by ";
  for (uint32_t n = begin; n <= end; ++n) {
    const std::string &opcode = machine.program.opcodes[code[n].opcode];
    if (!mayPoll(opcode))
      continue;
    text += fmt::format("{}{} at line {}", joint, opcode, code[n].line);
    joint = ", ";
  }
  return text;
}

/// One line for each fragment: where it is, and what it waits for or does.
std::string describeFragments(Machine &machine) {
  std::string text;
  constexpr int limit = 64;
  int count = 0;
  forEachWarp(machine, [&](Warp &warp) {
    for (const Fragment &fragment : warp.fragments) {
      if (++count > limit)
        continue;
      const Instruction &i = machine.function.code[fragment.pc];
      const bool spins = fragment.wait.kind == WaitKind::None;
      text += fmt::format(
          "\n  {}, {}: {}",
          describe(warp, static_cast<uint32_t>(__builtin_ctz(fragment.mask))),
          place(machine, i),
          spins ? describeLoop(machine, fragment.pc)
                : fmt::format("{} waits for {}",
                              machine.program.opcodes[i.opcode],
                              describeWait(machine, warp, fragment)));
      machine.current = &i;
    }
  });
  if (count > limit)
    text += fmt::format("\n  and {} more", count - limit);
  return text;
}

} // namespace

bool expireWaits(Machine &machine) {
  bool any = false;
  forEachWarp(machine, [&](Warp &warp) {
    for (Fragment &fragment : warp.fragments)
      if (fragment.wait.kind == WaitKind::Mbarrier ||
          fragment.wait.kind == WaitKind::Poll)
        any = fragment.wait.expired = true;
  });
  return any;
}

bool anyPolls(Machine &machine) {
  bool any = false;
  forEachWarp(machine, [&](const Warp &warp) {
    for (const Fragment &fragment : warp.fragments)
      any |= fragment.wait.kind == WaitKind::Poll;
  });
  return any;
}

std::string describeDeadlock(Machine &machine) {
  return "nothing can go on" + describeFragments(machine);
}

std::string describeLivelock(Machine &machine) {
  return fmt::format("nothing has changed for {} warp instructions",
                     machine.options.livelockLimit) +
         describeFragments(machine);
}

} // namespace fa4::emulator
