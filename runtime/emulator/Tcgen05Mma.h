// One tcgen05.mma (dense, kinds f16, tf32, f8f6f4) or tcgen05.cp from decoded
// operands to changed TMEM, and the memory that it touches.
#pragma once
#include "runtime/emulator/InstructionDescriptor.h"
#include "runtime/emulator/TmemLayout.h"
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace fa4::emulator {

// The memories of one CTA. shared is indexed by window offset, tmem has
// tmemCells values.
struct CtaMemories {
  std::span<const std::byte> shared;
  std::span<uint32_t> tmem;
};

struct MmaRequest {
  MmaForm form;
  uint32_t d = 0; // TMEM address
  uint64_t a = 0; // descriptor, or TMEM address when form.aInTmem
  uint64_t b = 0; // descriptor
  uint32_t idesc = 0;
  bool accumulate = false;             // enable-input-d
  std::optional<uint32_t> scaleInputD; // D enters as D * 2^-scale
  // Bit = that lane of D is not written; 4 words, 8 for cta_group::2.
  std::optional<std::array<uint32_t, 8>> disabledLanes;
};

// Memory that a request touches, per CTA of the pair.
struct TensorFootprint {
  std::vector<uint32_t> sharedChunks; // window offsets of 16-byte chunks read
  std::vector<TmemRect> tmemReads;
  std::vector<TmemRect> tmemWrites;
  std::vector<TmemRect> tmemUpdates; // read, then written
};

// Executes on ctas[0] (and ctas[1], the odd CTA, for cta_group::2). Throws
// Error for illegal descriptors and for memory that does not exist.
void executeMma(const MmaRequest &request, std::span<const CtaMemories> ctas);
// Appends to footprints[i] what CTA i of the pair touches.
void mmaFootprint(const MmaRequest &request,
                  std::span<TensorFootprint> footprints);

struct CopyRequest {
  TmemCopyShape shape = TmemCopyShape::S128x256b;
  uint32_t ctaGroup = 1;
  uint32_t tmem = 0;       // TMEM address
  uint64_t descriptor = 0; // read K-major, 16-byte chunks
};
// Executes on one CTA; cta_group::2 does the same in both.
void executeCopy(const CopyRequest &request, const CtaMemories &cta);
void copyFootprint(const CopyRequest &request, TensorFootprint &footprint);

} // namespace fa4::emulator
