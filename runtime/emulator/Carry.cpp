// add, sub and mad with carry in (addc, subc, madc) and carry out (.cc).
#include "runtime/emulator/Families.h"
#include "runtime/emulator/Lanes.h"

#include <fmt/format.h>

namespace fa4::emulator {

namespace {

enum class CarryForm : uint8_t { Add, Subtract, MultiplyLow, MultiplyHigh };

template <typename T>
using Wide = std::conditional_t<sizeof(T) == 4, uint64_t, unsigned __int128>;
template <typename T>
using Product = std::conditional_t<
    sizeof(T) == 4, std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>,
    std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>>;

/// The sum or difference with one bit more than T: the carry or borrow.
template <typename T> Wide<T> extended(CarryForm form, T a, T b, T c, bool in) {
  using U = std::make_unsigned_t<T>;
  if (form == CarryForm::Add)
    return Wide<T>(U(a)) + U(b) + in;
  if (form == CarryForm::Subtract)
    return Wide<T>(U(a)) - U(b) - in;
  const auto product = static_cast<Product<T>>(static_cast<Product<T>>(a) *
                                               static_cast<Product<T>>(b));
  const U part = form == CarryForm::MultiplyHigh
                     ? static_cast<U>(product >> (8 * sizeof(T)))
                     : static_cast<U>(product);
  return Wide<T>(part) + U(c) + in;
}

/// `inParity`: takes the carry; `mode`: leaves one.
template <typename T> Outcome withCarry(Context &c, const Instruction &i) {
  const auto form = static_cast<CarryForm>(i.with.operation);
  ScratchOf<T> scratch[3], result;
  const LaneBits<T> *rows[3] = {};
  for (uint32_t n = 1; n < i.operandCount; ++n)
    rows[n - 1] = rowOf<T>(c, c.operand(i, n), scratch[n - 1]);
  uint32_t carries = 0;
  for (uint32_t lane = 0; lane < 32; ++lane) {
    auto value = [&](int n) {
      return rows[n] ? fromLane<T>(rows[n][lane]) : T(0);
    };
    const bool in = i.with.inParity && (c.warp.carry >> lane & 1);
    const Wide<T> sum = extended<T>(form, value(0), value(1), value(2), in);
    result.lane[lane] = static_cast<LaneBits<T>>(sum);
    carries |= uint32_t(sum >> (8 * sizeof(T)) & 1) << lane;
  }
  if (i.with.mode)
    c.warp.carry = (c.warp.carry & ~c.mask) | (carries & c.mask);
  writeRow<T>(c, c.operand(i, 0), result.lane);
  return Outcome::Next;
}

} // namespace

void decodeCarry(Decoding &d) {
  auto &with = d.instruction.with;
  const std::string_view name = d.parts[0];
  const bool multiplies = name.starts_with("mad");
  const CarryForm form = name.starts_with("add")   ? CarryForm::Add
                         : name.starts_with("sub") ? CarryForm::Subtract
                         : d.has("hi")             ? CarryForm::MultiplyHigh
                                                   : CarryForm::MultiplyLow;
  with.operation = static_cast<uint8_t>(form);
  with.inParity = name.ends_with("c");
  with.mode = d.has("cc");
  const Type type = d.requireType();
  d.instruction.execute = type == Type::U32   ? withCarry<uint32_t>
                          : type == Type::S32 ? withCarry<int32_t>
                          : type == Type::U64 ? withCarry<uint64_t>
                          : type == Type::S64 ? withCarry<int64_t>
                                              : nullptr;
  if (!d.instruction.execute)
    d.unsupported();
  d.appendScalars(multiplies ? 4 : 3);
}

} // namespace fa4::emulator
