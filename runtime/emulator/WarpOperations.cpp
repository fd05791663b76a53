// shfl, vote, elect, redux, match, activemask.
#include "runtime/emulator/Families.h"
#include "runtime/emulator/Lanes.h"
#include "runtime/emulator/Machine.h"

#include <fmt/format.h>

#include <algorithm>

namespace fa4::emulator {

namespace {

/// The lanes that take part: those of the mask operand that are still alive.
/// Faults when an executing lane isn't in the mask.
uint32_t members(Context &c, const Instruction &i) {
  const auto mask =
      static_cast<uint32_t>(uniformValue(c, c.operand(i, i.with.maskOperand)));
  if (c.mask & ~mask)
    fault("divergence",
          fmt::format("lanes 0x{:x} execute {} with the member mask 0x{:x}",
                      c.mask, c.machine.program.opcodes[i.opcode], mask));
  return mask & c.warp.live;
}

enum class Shuffle : uint8_t { Up, Down, Butterfly, Index };

struct ShuffleSource {
  uint32_t lane;
  bool valid;
};

ShuffleSource shuffleSource(Shuffle mode, uint32_t lane, uint32_t b,
                            uint32_t control) {
  const auto clamp = control & 31, segment = (control >> 8) & 31;
  const uint32_t last = (lane & segment) | (clamp & ~segment);
  const uint32_t first = lane & segment;
  const auto signedLane = static_cast<int32_t>(lane);
  const auto delta = static_cast<int32_t>(b & 31);
  int32_t from = 0;
  bool valid = false;
  switch (mode) {
  case Shuffle::Up:
    from = signedLane - delta;
    valid = from >= static_cast<int32_t>(last);
    break;
  case Shuffle::Down:
    from = signedLane + delta;
    valid = from <= static_cast<int32_t>(last);
    break;
  case Shuffle::Butterfly:
    from = signedLane ^ delta;
    valid = from <= static_cast<int32_t>(last);
    break;
  case Shuffle::Index:
    from = static_cast<int32_t>(first | (b & 31 & ~segment));
    valid = from <= static_cast<int32_t>(last);
    break;
  }
  return {valid ? static_cast<uint32_t>(from) : lane, valid};
}

/// Operands: d, p or a sink, a, b, c, mask.
Outcome shuffle(Context &c, const Instruction &i) {
  members(c, i);
  Scratch32 values, selectors, controls, result;
  const uint32_t *a = row32(c, c.operand(i, 2), values);
  const uint32_t *b = row32(c, c.operand(i, 3), selectors);
  const uint32_t *control = row32(c, c.operand(i, 4), controls);
  uint32_t valid = 0;
  for (uint32_t lane = 0; lane < 32; ++lane) {
    auto source = shuffleSource(static_cast<Shuffle>(i.with.operation), lane,
                                b[lane], control[lane]);
    result.lane[lane] = a[source.lane];
    valid |= uint32_t(source.valid) << lane;
  }
  write32(c, c.operand(i, 0), result.lane);
  writePredicate(c, c.operand(i, 1), valid);
  return Outcome::Next;
}

enum class Vote : uint8_t { All, Any, Uniform, Ballot };

/// Operands: d, predicate, mask.
Outcome vote(Context &c, const Instruction &i) {
  const uint32_t mask = members(c, i) & c.mask;
  const uint32_t holds = predicateMask(c, c.operand(i, 1)) & mask;
  bool result = false;
  switch (static_cast<Vote>(i.with.operation)) {
  case Vote::Ballot: {
    Scratch32 ballot;
    std::fill(std::begin(ballot.lane), std::end(ballot.lane), holds);
    write32(c, c.operand(i, 0), ballot.lane);
    return Outcome::Next;
  }
  case Vote::All:
    result = holds == mask;
    break;
  case Vote::Any:
    result = holds != 0;
    break;
  case Vote::Uniform:
    result = holds == 0 || holds == mask;
    break;
  }
  writePredicate(c, c.operand(i, 0), result ? ~0u : 0);
  return Outcome::Next;
}

/// Operands: d, p, mask. The lowest lane is the leader.
Outcome elect(Context &c, const Instruction &i) {
  const uint32_t mask = members(c, i);
  const auto leader = static_cast<uint32_t>(__builtin_ctz(mask));
  Scratch32 result;
  std::fill(std::begin(result.lane), std::end(result.lane), leader);
  write32(c, c.operand(i, 0), result.lane);
  writePredicate(c, c.operand(i, 1), 1u << leader);
  return Outcome::Next;
}

enum class Redux : uint8_t { Add, Min, Max, And, Or, Xor };

uint32_t reduceIntegers(Redux operation, bool isSigned, uint32_t a,
                        uint32_t b) {
  const auto x = static_cast<int32_t>(a), y = static_cast<int32_t>(b);
  switch (operation) {
  case Redux::Add:
    return a + b;
  case Redux::Min:
    return isSigned ? static_cast<uint32_t>(std::min(x, y)) : std::min(a, b);
  case Redux::Max:
    return isSigned ? static_cast<uint32_t>(std::max(x, y)) : std::max(a, b);
  case Redux::And:
    return a & b;
  case Redux::Or:
    return a | b;
  case Redux::Xor:
    return a ^ b;
  }
  return 0;
}

uint32_t reduceFloats(Redux operation, bool keepNan, uint32_t a, uint32_t b) {
  const auto x = std::bit_cast<float>(a), y = std::bit_cast<float>(b);
  if (x != x || y != y) {
    if (keepNan || (x != x && y != y))
      return 0x7fffffff;
    return x != x ? b : a;
  }
  const bool takeA = operation == Redux::Min ? x < y : x > y;
  return takeA ? a : b;
}

/// Operands: d, a, mask. `type`: 0 unsigned, 1 signed, 2 float.
Outcome reduce(Context &c, const Instruction &i) {
  const uint32_t mask = members(c, i) & c.mask;
  const auto operation = static_cast<Redux>(i.with.operation);
  Scratch32 values, result;
  const uint32_t *a = row32(c, c.operand(i, 1), values);
  uint32_t sum = 0;
  bool first = true;
  forEachLane(mask, [&](uint32_t lane) {
    uint32_t value = i.with.inParity ? a[lane] & 0x7fffffff : a[lane];
    if (first)
      sum = value;
    else if (i.with.type == 2)
      sum = reduceFloats(operation, i.with.mode, sum, value);
    else
      sum = reduceIntegers(operation, i.with.type == 1, sum, value);
    first = false;
  });
  std::fill(std::begin(result.lane), std::end(result.lane), sum);
  write32(c, c.operand(i, 0), result.lane);
  return Outcome::Next;
}

/// Operands: d, p or a sink, a, mask.
Outcome match(Context &c, const Instruction &i) {
  const uint32_t mask = members(c, i) & c.mask;
  Scratch64 values;
  Scratch32 result;
  const uint64_t *a = row64(c, c.operand(i, 2), values);
  bool all = true;
  for (uint32_t lane = 0; lane < 32; ++lane) {
    uint32_t same = 0;
    forEachLane(mask, [&](uint32_t other) {
      same |= uint32_t(a[lane] == a[other]) << other;
    });
    result.lane[lane] = same;
    if ((mask >> lane) & 1)
      all &= same == mask;
  }
  if (i.with.mode)
    std::fill(std::begin(result.lane), std::end(result.lane), all ? mask : 0);
  write32(c, c.operand(i, 0), result.lane);
  writePredicate(c, c.operand(i, 1), all ? ~0u : 0);
  return Outcome::Next;
}

Outcome activeMask(Context &c, const Instruction &i) {
  Scratch32 result;
  std::fill(std::begin(result.lane), std::end(result.lane), c.fragment.mask);
  write32(c, c.operand(i, 0), result.lane);
  return Outcome::Next;
}

/// Appends "d|p" or "d" and a sink.
void appendPair(Decoding &d) {
  d.append(0);
  if (d.width(0) == 1)
    d.appendValue(0);
}

void appendFrom(Decoding &d, size_t first) {
  for (size_t n = first; n < d.operandCount(); ++n) {
    if (d.width(n) != 1)
      d.fail(fmt::format("operand {} of '{}' must be a single value", n + 1,
                         d.statement.opcode));
    d.append(n);
  }
}

void converge(Decoding &d, uint8_t maskOperand) {
  d.instruction.convergence = Convergence::MaskOperand;
  d.instruction.with.maskOperand = maskOperand;
}

void requireSync(Decoding &d) {
  if (!d.has("sync"))
    d.unsupported();
}

} // namespace

void decodeShuffle(Decoding &d) {
  requireSync(d);
  d.expectOperands(5, 5);
  appendPair(d);
  appendFrom(d, 1);
  d.instruction.with.operation =
      static_cast<uint8_t>(d.has("up")     ? Shuffle::Up
                           : d.has("down") ? Shuffle::Down
                           : d.has("bfly") ? Shuffle::Butterfly
                                           : Shuffle::Index);
  converge(d, 5);
  d.instruction.execute = shuffle;
}

void decodeVote(Decoding &d) {
  requireSync(d);
  d.appendScalars(3);
  d.instruction.with.operation =
      static_cast<uint8_t>(d.has("all")   ? Vote::All
                           : d.has("any") ? Vote::Any
                           : d.has("uni") ? Vote::Uniform
                                          : Vote::Ballot);
  converge(d, 2);
  d.instruction.execute = vote;
}

void decodeElect(Decoding &d) {
  requireSync(d);
  d.expectOperands(2, 2);
  if (d.width(0) != 2)
    d.fail("elect.sync needs 'd|p'");
  d.append(0);
  appendFrom(d, 1);
  converge(d, 2);
  d.instruction.execute = elect;
}

void decodeReduce(Decoding &d) {
  requireSync(d);
  static constexpr std::string_view names[] = {"add", "min", "max",
                                               "and", "or",  "xor"};
  auto &with = d.instruction.with;
  for (uint8_t n = 0; n < std::size(names); ++n)
    if (d.has(names[n]))
      with.operation = n;
  Type type = d.requireType();
  with.type = type == Type::F32 ? 2 : isSigned(type) ? 1 : 0;
  with.mode = d.has("NaN");
  with.inParity = d.has("abs");
  d.appendScalars(3);
  converge(d, 2);
  d.instruction.execute = reduce;
}

void decodeMatch(Decoding &d) {
  requireSync(d);
  d.expectOperands(3, 3);
  appendPair(d);
  appendFrom(d, 1);
  d.instruction.with.mode = d.has("all");
  converge(d, 3);
  d.instruction.execute = match;
}

void decodeActiveMask(Decoding &d) {
  d.appendScalars(1);
  d.instruction.execute = activeMask;
}

} // namespace fa4::emulator
