// bmsk, szext, fns.
#include "runtime/emulator/Families.h"
#include "runtime/emulator/Lanes.h"

#include <fmt/format.h>

namespace fa4::emulator {

namespace {

/// `width` ones from bit `position`; .wrap takes both modulo 32.
Outcome bitMask(Context &c, const Instruction &i) {
  const bool clamp = i.with.mode;
  return mapLanes<uint32_t, uint32_t, uint32_t>(
      c, i, [&](uint32_t position, uint32_t width) {
        if (!clamp) {
          position &= 31;
          width &= 31;
        }
        if (position > 31)
          return 0u;
        const uint64_t ones =
            width > 31 ? ~uint64_t(0) : (uint64_t(1) << width) - 1;
        return static_cast<uint32_t>(ones << position);
      });
}

/// The low `bits` bits of a, extended by sign or zero.
Outcome extend(Context &c, const Instruction &i) {
  const bool clamp = i.with.mode, isSigned = i.with.isSigned;
  return mapLanes<uint32_t, uint32_t, uint32_t>(
      c, i, [&](uint32_t a, uint32_t bits) {
        if (clamp && bits > 31)
          return a;
        bits &= 31;
        if (bits == 0)
          return 0u;
        const uint32_t shift = 32 - bits;
        return isSigned ? static_cast<uint32_t>(
                              static_cast<int32_t>(a << shift) >> shift)
                        : a << shift >> shift;
      });
}

/// The position of the |n|-th set bit from `base`, upward for n > 0, downward
/// for n < 0; for n = 0 `base` itself if that bit is set. All ones if none.
uint32_t findSet(uint32_t mask, uint32_t base, int32_t n) {
  if (base > 31)
    return ~0u;
  if (n == 0)
    return mask >> base & 1 ? base : ~0u;
  int64_t left = std::abs(int64_t(n));
  for (auto at = static_cast<int32_t>(base); at >= 0 && at < 32;
       at += n > 0 ? 1 : -1)
    if ((mask >> at & 1) && --left == 0)
      return static_cast<uint32_t>(at);
  return ~0u;
}
Outcome findNthSet(Context &c, const Instruction &i) {
  return mapLanes<uint32_t, uint32_t, uint32_t, int32_t>(c, i, findSet);
}

} // namespace

void decodeBitMask(Decoding &d) {
  const std::string_view name = d.parts[0];
  d.instruction.with.mode = d.has("clamp");
  d.instruction.with.isSigned = isSigned(d.requireType());
  d.appendScalars(name == "fns" ? 4 : 3);
  d.instruction.execute = name == "fns"    ? findNthSet
                          : name == "bmsk" ? bitMask
                                           : extend;
}

} // namespace fa4::emulator
