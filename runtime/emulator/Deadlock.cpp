#include "runtime/emulator/Deadlock.h"

#include "runtime/emulator/Waiting.h"

#include <fmt/format.h>

namespace fa4::emulator {

namespace {

template <typename Visit> void forEachWarp(Machine &machine, Visit visit) {
  for (auto &cluster : machine.resident)
    for (auto &cta : cluster->ctas)
      for (auto &warp : cta->warps)
        if (!warp->finished())
          visit(*warp);
}

std::string place(const Machine &machine, const Instruction &i) {
  std::string text = fmt::format("line {}", i.line);
  if (i.sourceFile < machine.program.sourceFiles.size() && i.sourceLine)
    text += fmt::format(" ({}:{})", machine.program.sourceFiles[i.sourceFile],
                        i.sourceLine);
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
  std::string text = "nothing can go on";
  constexpr int limit = 64;
  int count = 0;
  forEachWarp(machine, [&](Warp &warp) {
    for (const Fragment &fragment : warp.fragments) {
      if (++count > limit)
        continue;
      const Instruction &i = machine.function.code[fragment.pc];
      text += fmt::format(
          "\n  {}, {}: {} waits for {}",
          describe(warp, static_cast<uint32_t>(__builtin_ctz(fragment.mask))),
          place(machine, i), machine.program.opcodes[i.opcode],
          describeWait(machine, warp, fragment));
      machine.current = &i;
    }
  });
  if (count > limit)
    text += fmt::format("\n  and {} more", count - limit);
  return text;
}

} // namespace fa4::emulator
