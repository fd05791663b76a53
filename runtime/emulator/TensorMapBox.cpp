#include "runtime/Error.h"
#include "runtime/emulator/NumberFormats.h"
#include "runtime/emulator/TensorMap.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

namespace fa4::emulator {
namespace {

constexpr uint32_t sharedAlignment = 128;

void checkTraversal(const TensorMapArguments &map, uint32_t shared) {
  if (map.interleave)
    fail("tensor map: interleave {} is not emulated", map.interleave);
  if (map.type >= TensorType::Packed16U4Align8)
    fail("tensor map: packed data type {} is not emulated", uint32_t(map.type));
  if (shared % sharedAlignment)
    fail("tensor copy: shared address {:#x} is not {}-byte aligned", shared,
         sharedAlignment);
}

// Measured on an H200: any other start ends the launch.
void checkInnermost(const TensorMapArguments &map, int32_t coordinate) {
  const int64_t bytes = int64_t(coordinate) * tensorTypeBytes(map.type);
  if (bytes % 16)
    fail("tensor copy: innermost coordinate {} starts at byte {}, must be a "
         "multiple of 16 bytes",
         coordinate, bytes);
}

// Splits [address, address + bytes) where the swizzle breaks contiguity.
void appendSwizzled(Swizzle mode, BoxRun run, std::vector<BoxRun> &runs) {
  const uint32_t chunk = swizzleChunk(mode);
  while (run.bytes) {
    const uint32_t step = std::min(run.bytes, chunk - run.shared % chunk);
    runs.push_back({run.global, swizzle(mode, run.shared), step, run.inBounds});
    run.global += step;
    run.shared += step;
    run.bytes -= step;
  }
}

// One box row: `valid` tells whether its outer coordinates are in bounds and
// `global` is the address of element 0 of that row of the tensor.
void appendRow(const TensorMapArguments &map, int64_t first, uint64_t global,
               bool valid, uint32_t shared, std::vector<BoxRun> &runs) {
  const int64_t size = tensorTypeBytes(map.type);
  const int64_t length = map.box[0];
  const int64_t dim = valid ? int64_t(map.dims[0]) : 0;
  const int64_t begin = std::clamp<int64_t>(-first, 0, length);
  const int64_t end = std::clamp<int64_t>(dim - first, begin, length);
  const auto append = [&](int64_t from, int64_t to, bool inBounds) {
    if (from == to)
      return;
    appendSwizzled(map.swizzle,
                   {global + uint64_t((first + from) * size),
                    shared + uint32_t(from * size),
                    uint32_t((to - from) * size), inBounds},
                   runs);
  };
  if (begin == end)
    return append(0, length, false);
  append(0, begin, false);
  append(begin, end, true);
  append(end, length, false);
}

uint32_t traversed(const TensorMapArguments &map, uint32_t dim) {
  const uint32_t step = dim ? map.elementStrides[dim] : 1;
  return (map.box[dim] + step - 1) / step;
}

template <typename T> T combine(Reduction operation, T a, T b) {
  switch (operation) {
  case Reduction::Add:
    if constexpr (std::is_integral_v<T>)
      return T(std::make_unsigned_t<T>(a) + std::make_unsigned_t<T>(b));
    else
      return a + b;
  case Reduction::Min:
    return std::min(a, b);
  case Reduction::Max:
    return std::max(a, b);
  case Reduction::Inc:
    return T(a >= b ? 0 : a + 1);
  case Reduction::Dec:
    return T(a == 0 || a > b ? b : a - 1);
  default:
    break;
  }
  if constexpr (std::is_integral_v<T>) {
    if (operation == Reduction::And)
      return T(a & b);
    return operation == Reduction::Or ? T(a | b) : T(a ^ b);
  }
  return a;
}

template <typename T>
void reduceAs(Reduction operation, void *destination, const void *source,
              uint32_t bytes) {
  auto *to = static_cast<std::byte *>(destination);
  const auto *from = static_cast<const std::byte *>(source);
  for (uint32_t at = 0; at < bytes; at += sizeof(T)) {
    T a, b;
    std::memcpy(&a, to + at, sizeof a);
    std::memcpy(&b, from + at, sizeof b);
    a = combine(operation, a, b);
    std::memcpy(to + at, &a, sizeof a);
  }
}

// 16-bit types compute in f32 and round to nearest, as red.noftz does.
void reduceHalf(NumberFormat format, Reduction operation, void *destination,
                const void *source, uint32_t bytes) {
  auto *to = static_cast<std::byte *>(destination);
  const auto *from = static_cast<const std::byte *>(source);
  for (uint32_t at = 0; at < bytes; at += 2) {
    uint16_t a, b;
    std::memcpy(&a, to + at, 2);
    std::memcpy(&b, from + at, 2);
    const float value =
        combine(operation, decodeNumber(format, a), decodeNumber(format, b));
    a = uint16_t(encodeNumber(format, value));
    std::memcpy(to + at, &a, 2);
  }
}

bool isReduction(TensorType type, Reduction operation) {
  const bool bitwise = operation >= Reduction::And;
  const bool counter =
      operation == Reduction::Inc || operation == Reduction::Dec;
  const bool order = operation == Reduction::Min || operation == Reduction::Max;
  switch (type) {
  case TensorType::U32:
    return true;
  case TensorType::S32:
    return !counter;
  case TensorType::U64:
  case TensorType::S64:
    return bitwise || order || operation == Reduction::Add;
  case TensorType::F16:
  case TensorType::Bf16:
    return order || operation == Reduction::Add;
  case TensorType::F32:
  case TensorType::F32Ftz:
  case TensorType::F64:
    return operation == Reduction::Add;
  default:
    return false;
  }
}

} // namespace

uint32_t boxBytes(const TensorMapArguments &map) {
  uint32_t bytes = tensorTypeBytes(map.type);
  for (uint32_t dim = 0; dim < map.rank; ++dim)
    bytes *= traversed(map, dim);
  return bytes;
}

void boxRuns(const TensorMapArguments &map,
             std::span<const int32_t> coordinates, uint32_t shared,
             std::vector<BoxRun> &runs) {
  checkTraversal(map, shared);
  if (coordinates.size() != map.rank)
    fail("tensor copy: {} coordinates for a tensor map of rank {}",
         coordinates.size(), map.rank);
  checkInnermost(map, coordinates[0]);
  const uint32_t rowBytes = map.box[0] * tensorTypeBytes(map.type);
  uint32_t rows = 1;
  for (uint32_t dim = 1; dim < map.rank; ++dim)
    rows *= traversed(map, dim);
  for (uint32_t row = 0; row < rows; ++row) {
    uint64_t global = map.address;
    bool valid = true;
    uint32_t rest = row;
    for (uint32_t dim = 1; dim < map.rank; ++dim) {
      const uint32_t count = traversed(map, dim);
      const int64_t position = int64_t(coordinates[dim]) +
                               int64_t(rest % count) * map.elementStrides[dim];
      rest /= count;
      valid &= position >= 0 && position < int64_t(map.dims[dim]);
      global += uint64_t(position) * map.strides[dim - 1];
    }
    appendRow(map, coordinates[0], global, valid, shared + row * rowBytes,
              runs);
  }
}

void gather4Runs(const TensorMapArguments &map, int32_t column,
                 std::span<const int32_t, 4> rows, uint32_t shared,
                 std::vector<BoxRun> &runs) {
  checkTraversal(map, shared);
  if (map.rank != 2 || map.box[1] != 1)
    fail("tile::gather4 and tile::scatter4 need a rank-2 map with a box of one "
         "row, this one has rank {} and {} rows",
         map.rank, map.box[1]);
  checkInnermost(map, column);
  const uint32_t rowBytes = map.box[0] * tensorTypeBytes(map.type);
  for (uint32_t i = 0; i < 4; ++i) {
    const bool valid = rows[i] >= 0 && rows[i] < int64_t(map.dims[1]);
    appendRow(map, column,
              map.address + uint64_t(int64_t(rows[i])) * map.strides[0], valid,
              shared + i * rowBytes, runs);
  }
}

void fillOutOfBounds(const TensorMapArguments &map, void *destination,
                     uint32_t bytes) {
  if (!map.fill) {
    std::memset(destination, 0, bytes);
    return;
  }
  // What an H200 writes, whatever the type.
  constexpr uint64_t pattern = 0x7ff7'7ff7'7ff7'7ff7;
  auto *to = static_cast<std::byte *>(destination);
  for (uint32_t at = 0; at < bytes; at += sizeof pattern)
    std::memcpy(to + at, &pattern, std::min<uint32_t>(8, bytes - at));
}

void reduceElements(TensorType type, Reduction operation, void *destination,
                    const void *source, uint32_t bytes) {
  if (!isReduction(type, operation))
    fail("bulk reduction {} does not exist for data type {}",
         uint32_t(operation), uint32_t(type));
  switch (type) {
  case TensorType::U32:
    return reduceAs<uint32_t>(operation, destination, source, bytes);
  case TensorType::S32:
    return reduceAs<int32_t>(operation, destination, source, bytes);
  case TensorType::U64:
    return reduceAs<uint64_t>(operation, destination, source, bytes);
  case TensorType::S64:
    return reduceAs<int64_t>(operation, destination, source, bytes);
  case TensorType::F64:
    return reduceAs<double>(operation, destination, source, bytes);
  case TensorType::F16:
    return reduceHalf(NumberFormat::F16, operation, destination, source, bytes);
  case TensorType::Bf16:
    return reduceHalf(NumberFormat::Bf16, operation, destination, source,
                      bytes);
  default:
    return reduceAs<float>(operation, destination, source, bytes);
  }
}

} // namespace fa4::emulator
