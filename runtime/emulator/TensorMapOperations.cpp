// tensormap.replace, tensormap.cp_fenceproxy.
#include "runtime/emulator/Addresses.h"
#include "runtime/emulator/Announce.h"
#include "runtime/emulator/Families.h"
#include "runtime/emulator/Lanes.h"
#include "runtime/emulator/Machine.h"
#include "runtime/emulator/TensorMap.h"

#include <fmt/format.h>

#include <cstring>

namespace fa4::emulator {

namespace {

std::byte *mapBytes(Context &c, const Instruction &i, const Operand &o,
                    MemorySpace space, uint32_t lane) {
  uint64_t address = laneValue(c, o, lane);
  if (address % 64)
    fault("bounds", fmt::format("the tensor map at 0x{:x} is not 64-byte "
                                "aligned",
                                address));
  translate(c, lane, {space, address + 127, 1, AccessKind::Write});
  return translate(c, lane, {space, address, 1, AccessKind::Write});
}

void announceMap(Context &c, const Instruction &i, uint32_t operand,
                 MemorySpace space, uint32_t lane, AccessMode mode) {
  if (!checkerOf(c))
    return;
  uint64_t addresses[32];
  addresses[lane] = laneValue(c, c.operand(i, operand), lane);
  Context one{c.machine, c.function, c.cta, c.warp, c.fragment, 1u << lane};
  announceAccess(one, i, space, addresses, sizeof(TensorMap), mode);
}

/// Operands: address, ordinal, value.
Outcome replace(Context &c, const Instruction &i) {
  forEachLane(c.mask, [&](uint32_t lane) {
    std::byte *bytes = mapBytes(c, i, c.operand(i, 0), i.with.space, lane);
    announceMap(c, i, 0, i.with.space, lane, AccessMode::Write);
    TensorMap map;
    std::memcpy(&map, bytes, sizeof(map));
    replaceField(map, static_cast<TensorMapField>(i.with.operation),
                 static_cast<uint32_t>(laneValue(c, c.operand(i, 1), lane)),
                 laneValue(c, c.operand(i, 2), lane));
    std::memcpy(bytes, &map, sizeof(map));
  });
  ++c.machine.progress;
  return Outcome::Next;
}

/// Operands: global destination, shared source.
Outcome copyAndFence(Context &c, const Instruction &i) {
  const auto lane = static_cast<uint32_t>(__builtin_ctz(c.mask));
  std::byte *to = mapBytes(c, i, c.operand(i, 0), MemorySpace::Global, lane);
  const std::byte *from =
      mapBytes(c, i, c.operand(i, 1), MemorySpace::Shared, lane);
  announceAligned(c, i);
  announceMap(c, i, 1, MemorySpace::Shared, lane, AccessMode::Read);
  announceMap(c, i, 0, MemorySpace::Global, lane, AccessMode::Write);
  std::memcpy(to, from, sizeof(TensorMap));
  ++c.machine.progress;
  return Outcome::Next;
}

} // namespace

void decodeTensorMap(Decoding &d) {
  if (d.parts.size() > 1 && d.parts[1] == "cp_fenceproxy") {
    d.expectOperands(3, 3);
    if (d.width(0) != 1 || d.width(1) != 1 || d.constant(2) != 128)
      d.fail("tensormap.cp_fenceproxy copies 128 bytes");
    d.append(0);
    d.append(1);
    d.instruction.convergence = Convergence::Aligned;
    d.instruction.execute = copyAndFence;
    return;
  }
  static constexpr std::pair<std::string_view, TensorMapField> fields[] = {
      {"global_address", TensorMapField::GlobalAddress},
      {"rank", TensorMapField::Rank},
      {"box_dim", TensorMapField::BoxDim},
      {"global_dim", TensorMapField::GlobalDim},
      {"global_stride", TensorMapField::GlobalStride},
      {"element_stride", TensorMapField::ElementStride},
      {"elemtype", TensorMapField::ElementType},
      {"interleave_layout", TensorMapField::InterleaveLayout},
      {"swizzle_mode", TensorMapField::SwizzleMode},
      {"swizzle_atomicity", TensorMapField::SwizzleAtomicity},
      {"fill_mode", TensorMapField::FillMode}};
  for (auto [name, field] : fields) {
    if (!d.has(name))
      continue;
    const bool ordinal = field == TensorMapField::BoxDim ||
                         field == TensorMapField::GlobalDim ||
                         field == TensorMapField::GlobalStride ||
                         field == TensorMapField::ElementStride;
    d.expectOperands(2 + ordinal, 2 + ordinal);
    if (d.width(0) != 1 || d.width(1) != 1)
      d.fail("tensormap.replace takes single values");
    d.append(0);
    if (!ordinal)
      d.appendValue(0);
    d.append(1);
    if (ordinal)
      d.append(2);
    d.instruction.with.operation = static_cast<uint8_t>(field);
    d.instruction.with.space = d.space(MemorySpace::Generic);
    d.instruction.execute = replace;
    return;
  }
  d.unsupported();
}

} // namespace fa4::emulator
