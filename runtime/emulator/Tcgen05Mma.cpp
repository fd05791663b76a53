#include "runtime/emulator/Tcgen05Mma.h"
#include "runtime/Error.h"
#include "runtime/emulator/MatrixMultiply.h"
#include "runtime/emulator/VectorClones.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>

namespace fa4::emulator {
namespace {

// A request with its descriptors decoded and checked.
struct DecodedMma {
  const MmaRequest *request;
  InstructionDescriptor idesc;
  uint32_t depth;
  OperandTile a, b; // what one CTA holds
  AccumulatorShape shape;
};

OperandTile decodeOperand(uint64_t bits, Major major, NumberFormat format,
                          uint32_t rows, uint32_t depth) {
  const MatrixDescriptor descriptor = decodeUmmaDescriptor(bits);
  checkOperandLayout(descriptor, major, storageBytes(format));
  return {descriptor, major, format, rows, depth};
}

DecodedMma decodeMma(const MmaRequest &request) {
  const MmaForm &form = request.form;
  DecodedMma mma;
  mma.request = &request;
  mma.idesc = decodeInstructionDescriptor(request.idesc, form);
  mma.depth = instructionDepth(form.kind);
  mma.shape = {mma.idesc.m, mma.idesc.n, form.ctaGroup, form.ws};
  if (!form.aInTmem)
    mma.a = decodeOperand(request.a, mma.idesc.aMajor, mma.idesc.aFormat,
                          mma.idesc.m / form.ctaGroup, mma.depth);
  mma.b = decodeOperand(request.b, mma.idesc.bMajor, mma.idesc.bFormat,
                        mma.idesc.n / form.ctaGroup, mma.depth);
  return mma;
}

// Where a block lies once the instruction's TMEM address is added.
TmemRect blockRect(const char *what, uint32_t address,
                   const AccumulatorBlock &block) {
  const TmemRect rect = {tmemLane(address) + block.lane, block.mCount,
                         tmemColumn(address) + block.column, block.nCount};
  if (rect.lane + rect.lanes > tmemLanes ||
      rect.column + rect.columns > tmemColumns)
    fail("tcgen05.mma: {} at {:#x} reaches lane {}, column {}; TMEM has {} "
         "lanes and {} columns",
         what, address, rect.lane + rect.lanes - 1,
         rect.column + rect.columns - 1, tmemLanes, tmemColumns);
  return rect;
}

// Spreads the elements of one TMEM column of A over their K rows.
FA4_VECTOR_CLONES
void unpackColumn(const uint32_t *cells, uint32_t lanes, NumberFormat format,
                  float *panel, uint32_t stride) {
  switch (format) {
  case NumberFormat::Bf16:
    for (uint32_t m = 0; m < lanes; ++m) {
      panel[m] = std::bit_cast<float>(cells[m] << 16);
      panel[stride + m] = std::bit_cast<float>(cells[m] & 0xffff0000);
    }
    return;
  case NumberFormat::F16:
    for (uint32_t m = 0; m < lanes; ++m) {
      panel[m] = float(std::bit_cast<_Float16>(uint16_t(cells[m])));
      panel[stride + m] =
          float(std::bit_cast<_Float16>(uint16_t(cells[m] >> 16)));
    }
    return;
  case NumberFormat::Tf32:
    for (uint32_t m = 0; m < lanes; ++m)
      panel[m] = std::bit_cast<float>(cells[m] & 0xffffe000);
    return;
  default:
    for (uint32_t byte = 0; byte < 4; ++byte)
      for (uint32_t m = 0; m < lanes; ++m)
        panel[byte * stride + m] =
            decodeNumber(format, cells[m] >> (8 * byte) & 0xff);
    return;
  }
}

void gatherTmemA(const DecodedMma &mma, std::span<const uint32_t> tmem,
                 float *panel, uint32_t stride) {
  const uint32_t perCell = 4 / storageBytes(mma.idesc.aFormat);
  for (const AccumulatorBlock &block : tmemOperandBlocks(mma.shape)) {
    const TmemRect rect = blockRect("A", uint32_t(mma.request->a), block);
    for (uint32_t column = 0; column < rect.columns; ++column)
      unpackColumn(&tmem[tmemCell(rect.lane, rect.column + column)], rect.lanes,
                   mma.idesc.aFormat,
                   panel + size_t(column) * perCell * stride + block.mBegin,
                   stride);
  }
  if (mma.idesc.negateA)
    for (size_t i = 0; i < size_t(mma.depth) * stride; ++i)
      panel[i] = -panel[i];
}

// Both operands as f32: A by K rows, per CTA; B whole, in its natural order.
struct Panels {
  std::unique_ptr<float[]> a[2], b;
  uint32_t aRows;
  size_t bRowStride, bDepthStride;
};

Panels gatherPanels(const DecodedMma &mma, std::span<const CtaMemories> ctas) {
  const uint32_t group = mma.request->form.ctaGroup;
  Panels panels;
  panels.aRows = mma.idesc.m / group;
  for (uint32_t cta = 0; cta < group; ++cta) {
    panels.a[cta] =
        std::make_unique_for_overwrite<float[]>(panels.aRows * mma.depth);
    float *panel = panels.a[cta].get();
    if (mma.request->form.aInTmem)
      gatherTmemA(mma, ctas[cta].tmem, panel, panels.aRows);
    else
      gatherOperand(mma.a, ctas[cta].shared,
                    {PanelOrder::KRows, panels.aRows, mma.idesc.negateA},
                    panel);
  }
  const bool kMajor = mma.b.major == Major::K;
  panels.bRowStride = kMajor ? mma.depth : 1;
  panels.bDepthStride = kMajor ? 1 : mma.idesc.n;
  panels.b = std::make_unique_for_overwrite<float[]>(mma.idesc.n * mma.depth);
  for (uint32_t cta = 0; cta < group; ++cta)
    gatherOperand(mma.b, ctas[cta].shared,
                  {kMajor ? PanelOrder::MnRows : PanelOrder::KRows,
                   kMajor ? mma.depth : mma.idesc.n, mma.idesc.negateB},
                  panels.b.get() + cta * mma.b.rows * panels.bRowStride);
  return panels;
}

float loadAccumulator(AccumulatorType type, uint32_t cell, float scale) {
  if (type == AccumulatorType::F16)
    return fromF16(uint16_t(cell)) * scale;
  return std::bit_cast<float>(cell) * scale;
}

// Integer sums of one instruction are exact in f32; only D is not.
uint32_t addInteger(float sum, uint32_t cell, bool accumulate, bool saturate) {
  int64_t value = int64_t(sum);
  if (accumulate)
    value += int32_t(cell);
  if (saturate)
    value = std::clamp<int64_t>(value, std::numeric_limits<int32_t>::min(),
                                std::numeric_limits<int32_t>::max());
  return uint32_t(value);
}

bool laneDisabled(const MmaRequest &request, uint32_t cta, uint32_t lane) {
  return request.disabledLanes &&
         (*request.disabledLanes)[4 * cta + lane / 32] >> (lane % 32) & 1;
}

// Accumulators that the multiply cannot update in place.
void multiplyThroughCopy(const DecodedMma &mma, MultiplyArguments multiply,
                         const AccumulatorBlock &block, const TmemRect &rect,
                         std::span<uint32_t> tmem) {
  const MmaRequest &request = *mma.request;
  const AccumulatorType type = mma.idesc.accumulator;
  const bool integer = type == AccumulatorType::S32;
  const float scale =
      request.scaleInputD ? std::ldexp(1.0f, -int(*request.scaleInputD)) : 1.0f;
  std::vector<float> d(size_t(rect.lanes) * rect.columns);
  const auto cell = [&](uint32_t m, uint32_t n) -> uint32_t & {
    return tmem[tmemCell(rect.lane + m, rect.column + n)];
  };
  for (uint32_t n = 0; n < rect.columns; ++n)
    for (uint32_t m = 0; m < rect.lanes; ++m)
      d[n * rect.lanes + m] = loadAccumulator(type, cell(m, n), scale);
  multiply.d = d.data();
  multiply.dStride = rect.lanes;
  multiply.accumulate &= !integer;
  multiplyAccumulate(multiply);
  for (uint32_t n = 0; n < rect.columns; ++n)
    for (uint32_t m = 0; m < rect.lanes; ++m) {
      const float value = d[n * rect.lanes + m];
      if (laneDisabled(request, block.cta, rect.lane + m))
        continue;
      if (integer)
        cell(m, n) = addInteger(value, cell(m, n), request.accumulate,
                                mma.idesc.saturate);
      else
        cell(m, n) = type == AccumulatorType::F16
                         ? toF16(value)
                         : std::bit_cast<uint32_t>(value);
    }
}

void multiplyBlock(const DecodedMma &mma, const Panels &panels,
                   const AccumulatorBlock &block, std::span<uint32_t> tmem) {
  const MmaRequest &request = *mma.request;
  const TmemRect rect = blockRect("D", request.d, block);
  MultiplyArguments multiply;
  multiply.m = block.mCount;
  multiply.n = block.nCount;
  multiply.k = mma.depth;
  multiply.a = panels.a[block.cta].get() + block.mBegin % panels.aRows;
  multiply.aStride = panels.aRows;
  multiply.b = panels.b.get() + block.nBegin * panels.bRowStride;
  multiply.bRowStride = panels.bRowStride;
  multiply.bDepthStride = panels.bDepthStride;
  multiply.accumulate = request.accumulate;
  const bool inPlace = mma.idesc.accumulator == AccumulatorType::F32 &&
                       !request.disabledLanes &&
                       !(request.accumulate && request.scaleInputD);
  if (!inPlace)
    return multiplyThroughCopy(mma, multiply, block, rect, tmem);
  multiply.d =
      reinterpret_cast<float *>(&tmem[tmemCell(rect.lane, rect.column)]);
  multiply.dStride = tmemLanes;
  multiplyAccumulate(multiply);
}

OperandTile copySource(const CopyRequest &request) {
  const uint32_t words = copyRowBytes(request.shape) / 4;
  return {decodeUmmaDescriptor(request.descriptor), Major::K, NumberFormat::F32,
          copyRows(request.shape), words};
}

void checkCopyColumns(const CopyRequest &request, uint32_t words) {
  if (tmemLane(request.tmem))
    fail("tcgen05.cp: TMEM address {:#x} has lane {}, must be 0", request.tmem,
         tmemLane(request.tmem));
  if (tmemColumn(request.tmem) + words > tmemColumns)
    fail("tcgen05.cp: columns {} to {} do not exist, TMEM has {}",
         tmemColumn(request.tmem), tmemColumn(request.tmem) + words - 1,
         tmemColumns);
}

} // namespace

void executeMma(const MmaRequest &request, std::span<const CtaMemories> ctas) {
  const DecodedMma mma = decodeMma(request);
  const Panels panels = gatherPanels(mma, ctas);
  for (const AccumulatorBlock &block : accumulatorBlocks(mma.shape))
    multiplyBlock(mma, panels, block, ctas[block.cta].tmem);
}

void mmaFootprint(const MmaRequest &request,
                  std::span<TensorFootprint> footprints) {
  const DecodedMma mma = decodeMma(request);
  for (uint32_t cta = 0; cta < request.form.ctaGroup; ++cta) {
    TensorFootprint &footprint = footprints[cta];
    const auto append = [&footprint](uint32_t chunk) {
      footprint.sharedChunks.push_back(chunk);
    };
    forEachOperandChunk(mma.b, append);
    if (!request.form.aInTmem) {
      forEachOperandChunk(mma.a, append);
      continue;
    }
    for (const AccumulatorBlock &block : tmemOperandBlocks(mma.shape))
      footprint.tmemReads.push_back(blockRect("A", uint32_t(request.a), block));
  }
  for (const AccumulatorBlock &block : accumulatorBlocks(mma.shape)) {
    const TmemRect rect = blockRect("D", request.d, block);
    TensorFootprint &footprint = footprints[block.cta];
    (request.accumulate ? footprint.tmemUpdates : footprint.tmemWrites)
        .push_back(rect);
  }
}

void executeCopy(const CopyRequest &request, const CtaMemories &cta) {
  const OperandTile source = copySource(request);
  checkCopyColumns(request, source.depth);
  for (uint32_t row = 0; row < source.rows; ++row)
    for (uint32_t word = 0; word < source.depth; ++word) {
      const uint32_t address =
          operandAddress(source.descriptor, Major::K, 4, row, word);
      if (address + 4 > cta.shared.size())
        fail("tcgen05.cp reads shared memory at {:#x}, the CTA has {:#x} bytes",
             address, cta.shared.size());
      uint32_t value;
      std::memcpy(&value, &cta.shared[address], sizeof value);
      for (uint32_t lane : copyLanes(request.shape, row))
        cta.tmem[tmemCell(lane, tmemColumn(request.tmem) + word)] = value;
    }
}

void copyFootprint(const CopyRequest &request, TensorFootprint &footprint) {
  const OperandTile source = copySource(request);
  checkCopyColumns(request, source.depth);
  forEachOperandChunk(source, [&footprint](uint32_t chunk) {
    footprint.sharedChunks.push_back(chunk);
  });
  footprint.tmemWrites.push_back(
      {0, tmemLanes, tmemColumn(request.tmem), source.depth});
}

} // namespace fa4::emulator
