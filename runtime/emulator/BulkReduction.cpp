#include "runtime/emulator/BulkReduction.h"

#include "runtime/Error.h"
#include "runtime/emulator/TensorMap.h"

namespace fa4::emulator {

namespace {

std::optional<TensorType> elementType(Type type) {
  switch (type) {
  case Type::U32:
  case Type::B32:
    return TensorType::U32;
  case Type::S32:
    return TensorType::S32;
  case Type::U64:
  case Type::B64:
    return TensorType::U64;
  case Type::S64:
    return TensorType::S64;
  case Type::F16:
    return TensorType::F16;
  case Type::Bf16:
    return TensorType::Bf16;
  case Type::F32:
    return TensorType::F32;
  case Type::F64:
    return TensorType::F64;
  default:
    return std::nullopt;
  }
}

} // namespace

void decodeBulkReduction(Decoding &d) {
  Type type = d.requireType();
  if (!elementType(type))
    d.unsupported();
  d.instruction.with.type = static_cast<uint8_t>(type);
  static constexpr std::string_view reductions[] = {"add", "min", "max", "inc",
                                                    "dec", "and", "or",  "xor"};
  for (uint8_t n = 0; n < std::size(reductions); ++n)
    if (d.has(reductions[n])) {
      d.instruction.with.operation = n;
      return;
    }
  d.unsupported();
}

void reduceBulk(Type type, uint8_t operation, std::byte *target,
                const std::byte *source, uint32_t bytes) {
  reduceElements(*elementType(type), static_cast<Reduction>(operation), target,
                 source, bytes);
}

} // namespace fa4::emulator
