// wgmma.mma_async, fence, commit_group, wait_group.
//
// Each of the four warps of a warpgroup computes its own 16 rows, as an async
// operation of its own: registers are read and written when it acts.
#include "runtime/emulator/Announce.h"
#include "runtime/emulator/Families.h"
#include "runtime/emulator/Lanes.h"
#include "runtime/emulator/Machine.h"
#include "runtime/emulator/MatrixDescriptor.h"
#include "runtime/emulator/MatrixMultiply.h"
#include "runtime/emulator/WgmmaLayout.h"

#include <fmt/format.h>

#include <charconv>

namespace fa4::emulator {

namespace {

constexpr uint32_t warpRows = 16;

/// What is known at issue. Operands: D registers, A, B descriptor, scale-d,
/// and as constants negate-a, negate-b, transpose-a, transpose-b.
struct Request {
  const Instruction *instruction;
  Warp *warp;
  uint64_t a = 0, b = 0; // descriptors
  bool accumulate = false;
  AsyncToken token = 0;
};

struct Shape {
  uint32_t n, depth, registersD, registersA; // A registers: 0 for a descriptor
  NumberFormat format;
  bool halfAccumulator, negateA, negateB, transposeA, transposeB;
};

enum ShapeFlags : uint8_t {
  NegateA = 1,
  NegateB = 2,
  TransposeA = 4,
  TransposeB = 8,
};

Shape shapeOf(const Instruction &i) {
  Shape shape;
  shape.format = static_cast<NumberFormat>(i.with.type);
  shape.n = i.with.count;
  shape.depth = 32 / storageBytes(shape.format);
  shape.halfAccumulator = i.with.isSigned;
  shape.registersD = shape.n / (shape.halfAccumulator ? 4 : 2);
  shape.registersA = i.with.mode ? 4 : 0;
  shape.negateA = i.with.operation & NegateA;
  shape.negateB = i.with.operation & NegateB;
  shape.transposeA = i.with.operation & TransposeA;
  shape.transposeB = i.with.operation & TransposeB;
  return shape;
}

uint32_t *registerRow(const Function &function, Warp &warp,
                      const Instruction &i, uint32_t n) {
  return warp.row32(function.operand(i, n).index);
}

/// The operand tiles that one warp reads from shared memory: its rows of A (all
/// of them where M is contiguous), and B.
OperandTile tileOfA(const Request &request, const Shape &shape) {
  OperandTile tile;
  tile.descriptor = decodeWgmmaDescriptor(request.a);
  tile.major = shape.transposeA ? Major::Mn : Major::K;
  tile.format = shape.format;
  tile.depth = shape.depth;
  tile.rows = 4 * warpRows;
  checkOperandLayout(tile.descriptor, tile.major, storageBytes(shape.format));
  if (tile.major == Major::K) {
    tile.rows = warpRows;
    tile.descriptor.start +=
        request.warp->index % 4 * 2 * tile.descriptor.strideOffset;
  }
  return tile;
}

OperandTile tileOfB(const Request &request, const Shape &shape) {
  OperandTile tile;
  tile.descriptor = decodeWgmmaDescriptor(request.b);
  tile.major = shape.transposeB ? Major::Mn : Major::K;
  tile.format = shape.format;
  tile.rows = shape.n;
  tile.depth = shape.depth;
  checkOperandLayout(tile.descriptor, tile.major, storageBytes(tile.format));
  return tile;
}

void announceOperands(const Request &request, const Shape &shape) {
  const Cta &cta = *request.warp->cta;
  Checker *checker = cta.cluster->checker.get();
  if (!checker)
    return;
  std::vector<uint32_t> chunks;
  const auto append = [&chunks](uint32_t chunk) { chunks.push_back(chunk); };
  if (!shape.registersA)
    forEachOperandChunk(tileOfA(request, shape), append);
  forEachOperandChunk(tileOfB(request, shape), append);
  checker->asyncSharedChunks(request.token, cta.rank, chunks);
  checker->finish(request.token);
}

/// A as panel[k * 16 + row].
void gatherA(const Machine &machine, const Request &request, const Shape &shape,
             float *panel) {
  Warp &warp = *request.warp;
  const uint32_t bytes = storageBytes(shape.format);
  const uint32_t group = warp.index % 4;
  if (shape.registersA) {
    for (uint32_t j = 0; j < 4; ++j) {
      const uint32_t *row = registerRow(
          machine.function, warp, *request.instruction, shape.registersD + j);
      for (uint32_t lane = 0; lane < 32; ++lane) {
        const FragmentPosition at = wgmmaOperandA(lane, j, bytes);
        for (uint32_t e = 0; e < 4 / bytes; ++e) {
          float value =
              decodeNumber(shape.format, row[lane] >> (8 * bytes * e));
          panel[(at.column + e) * warpRows + at.row] =
              shape.negateA ? -value : value;
        }
      }
    }
    return;
  }
  const OperandTile tile = tileOfA(request, shape);
  if (tile.major == Major::K) {
    gatherOperand(tile, warp.cta->shared,
                  {PanelOrder::KRows, warpRows, shape.negateA}, panel);
    return;
  }
  std::vector<float> whole(size_t(tile.rows) * tile.depth);
  gatherOperand(tile, warp.cta->shared,
                {PanelOrder::KRows, tile.rows, shape.negateA}, whole.data());
  for (uint32_t k = 0; k < tile.depth; ++k)
    std::copy_n(whole.data() + k * tile.rows + group * warpRows, warpRows,
                panel + k * warpRows);
}

void gatherB(const Request &request, const Shape &shape, float *panel) {
  gatherOperand(tileOfB(request, shape), request.warp->cta->shared,
                {PanelOrder::MnRows, shape.depth, shape.negateB}, panel);
}

/// Between registers and panel[column * 16 + row].
void loadAccumulator(const Machine &machine, const Request &request,
                     const Shape &shape, float *panel) {
  for (uint32_t n = 0; n < shape.registersD; ++n) {
    const uint32_t *row =
        registerRow(machine.function, *request.warp, *request.instruction, n);
    for (uint32_t lane = 0; lane < 32; ++lane) {
      if (!shape.halfAccumulator) {
        const FragmentPosition at = wgmmaAccumulator(lane, n);
        panel[at.column * warpRows + at.row] = std::bit_cast<float>(row[lane]);
        continue;
      }
      for (uint32_t e = 0; e < 2; ++e) {
        const FragmentPosition at = wgmmaAccumulator(lane, 2 * n + e);
        panel[at.column * warpRows + at.row] =
            fromF16(static_cast<uint16_t>(row[lane] >> (16 * e)));
      }
    }
  }
}

void storeAccumulator(const Machine &machine, const Request &request,
                      const Shape &shape, const float *panel) {
  for (uint32_t n = 0; n < shape.registersD; ++n) {
    uint32_t *row =
        registerRow(machine.function, *request.warp, *request.instruction, n);
    for (uint32_t lane = 0; lane < 32; ++lane) {
      if (!shape.halfAccumulator) {
        const FragmentPosition at = wgmmaAccumulator(lane, n);
        row[lane] =
            std::bit_cast<uint32_t>(panel[at.column * warpRows + at.row]);
        continue;
      }
      uint32_t value = 0;
      for (uint32_t e = 0; e < 2; ++e) {
        const FragmentPosition at = wgmmaAccumulator(lane, 2 * n + e);
        value |= uint32_t(toF16(panel[at.column * warpRows + at.row]))
                 << (16 * e);
      }
      row[lane] = value;
    }
  }
}

void run(Machine &machine, const Request &request) {
  const Shape shape = shapeOf(*request.instruction);
  announceOperands(request, shape);
  std::vector<float> a(size_t(warpRows) * shape.depth),
      b(size_t(shape.n) * shape.depth), d(size_t(warpRows) * shape.n);
  gatherA(machine, request, shape, a.data());
  gatherB(request, shape, b.data());
  if (request.accumulate)
    loadAccumulator(machine, request, shape, d.data());
  MultiplyArguments product;
  product.m = warpRows;
  product.n = shape.n;
  product.k = shape.depth;
  product.a = a.data();
  product.aStride = warpRows;
  product.b = b.data();
  product.bRowStride = shape.depth;
  product.d = d.data();
  product.dStride = warpRows;
  product.accumulate = request.accumulate;
  multiplyAccumulate(product);
  storeAccumulator(machine, request, shape, d.data());
  machine.statistics.mmaFlops += uint64_t(2) * warpRows * shape.n * shape.depth;
  // The four warps share B.
  machine.statistics.mmaSharedBytes +=
      32 * (uint64_t(shape.registersA ? 0 : warpRows) + shape.n / 4);
}

uint64_t queueOf(const Warp &warp) {
  return uint64_t(1) << 62 | (warp.cta->linear * 32 + warp.index);
}

/// Both fragments belong to the operation until its group is waited for.
void holdRegisters(Context &c, const Instruction &i, const Shape &shape) {
  using Kind = RegistersInFlight::Kind;
  for (uint32_t n = 0; n < shape.registersD + shape.registersA; ++n) {
    const Operand &o = c.operand(i, n);
    if (c.warp.inFlight.needsFence(o)) {
      c.machine.report("race", "a fragment register that other instructions "
                               "used goes to wgmma; missing: wgmma.fence "
                               "between them");
    }
    c.warp.inFlight.multiplies(
        o, n < shape.registersD ? Kind::Accumulator : Kind::Operand,
        siteOf(c, i));
  }
}

Outcome fence(Context &c, const Instruction &) {
  c.warp.inFlight.fence();
  return Outcome::Next;
}

Outcome mma(Context &c, const Instruction &i) {
  Machine &machine = c.machine;
  const Shape shape = shapeOf(i);
  const uint32_t next = shape.registersD;
  const uint32_t b = next + (shape.registersA ? shape.registersA : 1);
  Request request{&i, &c.warp};
  if (!shape.registersA)
    request.a = uniformValue(c, c.operand(i, next));
  request.b = uniformValue(c, c.operand(i, b));
  request.accumulate = predicateMask(c, c.operand(i, b + 1)) & 1;
  if (Checker *checker = checkerOf(c))
    request.token = checker->issue(whoOf(c, i, c.mask), AsyncKind::Wgmma);
  if (machine.options.checks.race)
    holdRegisters(c, i, shape);
  auto group = c.warp.wgmmaGroups.open;
  ++group->writes;
  machine.async.issue(queueOf(c.warp), {&i, &c.cta, [&machine, request, group] {
                                          run(machine, request);
                                          --group->writes;
                                        }});
  return Outcome::Next;
}

Outcome commit(Context &c, const Instruction &i) {
  if (Checker *checker = checkerOf(c))
    checker->commitGroup(whoOf(c, i, c.mask), AsyncKind::Wgmma);
  c.warp.wgmmaGroups.commit();
  c.warp.inFlight.commitGroup();
  return Outcome::Next;
}

Outcome wait(Context &c, const Instruction &i) {
  if (c.warp.wgmmaGroups.done(i.with.count, false)) {
    c.warp.inFlight.groupsDone(i.with.count);
    if (Checker *checker = checkerOf(c))
      checker->waitGroup(whoOf(c, i, c.mask), AsyncKind::Wgmma, i.with.count);
    return Outcome::Next;
  }
  c.fragment.wait = {};
  c.fragment.wait.kind = WaitKind::WgmmaGroup;
  c.fragment.wait.resume = true;
  c.fragment.wait.id = i.with.count;
  return Outcome::Block;
}

/// "m64n128k16": N and K.
bool parseShape(std::string_view part, uint32_t &n, uint32_t &k) {
  if (!part.starts_with("m64n"))
    return false;
  part.remove_prefix(4);
  auto [end, error] = std::from_chars(part.begin(), part.end(), n);
  if (error != std::errc() || end == part.end() || *end != 'k')
    return false;
  auto rest = std::from_chars(end + 1, part.end(), k);
  return rest.ec == std::errc() && rest.ptr == part.end();
}

std::optional<NumberFormat> operandFormat(std::string_view word) {
  static constexpr std::pair<std::string_view, NumberFormat> formats[] = {
      {"f16", NumberFormat::F16},
      {"bf16", NumberFormat::Bf16},
      {"tf32", NumberFormat::Tf32},
      {"e4m3", NumberFormat::E4m3},
      {"e5m2", NumberFormat::E5m2}};
  for (auto [name, format] : formats)
    if (word == name)
      return format;
  return std::nullopt;
}

void readShape(Decoding &d) {
  auto &with = d.instruction.with;
  uint32_t n = 0, k = 0;
  const size_t parts = d.parts.size();
  // wgmma.mma_async.sync.aligned.shape.dtype.atype.btype
  if (parts < 8 || !parseShape(d.parts[4], n, k) || n < 8 || n > 256 || n % 8)
    d.unsupported();
  auto a = operandFormat(d.parts[6]), b = operandFormat(d.parts[7]);
  const bool half = d.parts[5] == "f16";
  if (!a || a != b || (!half && d.parts[5] != "f32") ||
      k != 32 / storageBytes(*a))
    d.unsupported();
  with.type = static_cast<uint8_t>(*a);
  with.count = static_cast<uint16_t>(n);
  with.isSigned = half;
}

/// Registers must be rows: they are read after the instruction.
void requireRegisters(Decoding &d, size_t n, uint32_t count) {
  const ast::Operand &list = d.ast(n);
  if (d.width(n) != count)
    d.fail(fmt::format("'{}' needs {} registers, not {}", d.statement.opcode,
                       count, d.width(n)));
  for (const ast::Operand &element : list.elements)
    if (d.registerBits(element) != 32)
      d.fail("wgmma fragments are 32-bit registers");
}

void decodeMma(Decoding &d) {
  readShape(d);
  auto &with = d.instruction.with;
  d.expectOperands(6, 8);
  with.mode = d.ast(1).kind == ast::OperandKind::Vector;
  const Shape shape = shapeOf(d.instruction);
  requireRegisters(d, 0, shape.registersD);
  if (with.mode)
    requireRegisters(d, 1, shape.registersA);
  for (size_t n = 0; n < 4; ++n) {
    if (n > 1 && d.width(n) != 1)
      d.fail("wgmma takes a descriptor and a predicate");
    d.append(n);
  }
  auto flag = [&](size_t n, uint64_t value, uint8_t bit) {
    if (d.operandCount() > n && d.constant(n) == value)
      with.operation |= bit;
  };
  flag(4, ~uint64_t(0), NegateA);
  flag(5, ~uint64_t(0), NegateB);
  if (with.mode) {
    flag(6, 1, TransposeB);
  } else {
    flag(6, 1, TransposeA);
    flag(7, 1, TransposeB);
  }
  if ((with.operation & (TransposeA | TransposeB)) &&
      storageBytes(shape.format) != 2)
    d.fail("only 16-bit operands may be transposed");
  d.instruction.startsAsync = true;
  d.instruction.execute = mma;
}

} // namespace

void decodeWgmma(Decoding &d) {
  std::string_view name = d.parts.size() > 1 ? d.parts[1] : "";
  d.instruction.convergence = Convergence::Aligned;
  d.instruction.isWgmma = true;
  if (name == "mma_async")
    return decodeMma(d);
  if (name == "fence") {
    d.expectOperands(0, 0);
    d.instruction.execute = fence;
  } else if (name == "commit_group") {
    d.expectOperands(0, 0);
    d.instruction.execute = commit;
  } else if (name == "wait_group") {
    d.expectOperands(1, 1);
    d.instruction.with.count =
        static_cast<uint16_t>(std::min<uint64_t>(d.constant(0), 65535));
    d.instruction.execute = wait;
  } else {
    d.unsupported();
  }
}

} // namespace fa4::emulator
