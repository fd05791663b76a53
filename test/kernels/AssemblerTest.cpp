// ptxas takes every kernel of the bundle as it is: no message, no spill.
#include "codegen/Ptxas.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include <gtest/gtest.h>

namespace tile {
namespace {

std::string contentOf(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : "";
}

/// The kernels whose name starts with `prefix`.
std::vector<std::string> kernelsOf(llvm::StringRef prefix) {
  auto manifest = llvm::json::parse(contentOf(FA4_BUNDLE "/manifest.json"));
  std::vector<std::string> files;
  if (!manifest) {
    llvm::consumeError(manifest.takeError());
    return files;
  }
  for (const llvm::json::Value &kernel :
       *manifest->getAsObject()->getArray("kernels")) {
    llvm::StringRef name = *kernel.getAsObject()->getString("name");
    if (name.starts_with(prefix))
      files.push_back(name.str());
  }
  return files;
}

/// Bytes that kernels whose names end so spill at most.
using Spills = std::vector<std::pair<llvm::StringRef, int64_t>>;

int64_t allowedSpill(llvm::StringRef name, const Spills &spills) {
  for (const auto &[end, bytes] : spills)
    if (name.ends_with(end))
      return bytes;
  return 0;
}

/// `count` kernels, each without message, and without spill but for `spills`.
void expectClean(Arch arch, llvm::StringRef prefix, std::size_t count,
                 const Spills &spills = {}) {
  std::optional<std::string> ptxas = findPtxas();
  if (!ptxas)
    GTEST_SKIP() << "no ptxas here: registers and spills are not checked";
  std::vector<std::string> kernels = kernelsOf(prefix);
  EXPECT_EQ(kernels.size(), count);
  for (const std::string &name : kernels) {
    SCOPED_TRACE(name);
    auto assembly =
        assemble(*ptxas, arch, contentOf(FA4_BUNDLE "/" + name + ".ptx"));
    if (!assembly) {
      ADD_FAILURE() << llvm::toString(assembly.takeError());
      continue;
    }
    EXPECT_TRUE(assembly->report.messages.empty());
    EXPECT_LE(assembly->report.spillStores, allowedSpill(name, spills));
    EXPECT_LE(assembly->report.spillLoads, allowedSpill(name, spills));
  }
}

// Two types, two masks, and four or five pairs of head dims.
TEST(Assembler, TakesEveryForwardKernelWithoutMessageOrSpill) {
  expectClean(Arch::sm_100a, "fa4_fwd_sm100a", 16);
}
// Two types and three head dims; two masks, deterministic and not. Two head
// dims by pairs of CTAs.
TEST(Assembler, TakesEveryBackwardKernelWithoutMessageOrSpill) {
  expectClean(Arch::sm_100a, "fa4_bwd_sm100a", 40);
  expectClean(Arch::sm_100a, "attn_bwd_preprocess_sm100a", 8);
  expectClean(Arch::sm_100a, "attn_bwd_postprocess_sm100a", 8);
}
// One register, outside of the loop over the keys: walking pairs of tiles is
// faster than the walk that spills nothing (kernels/attention/hopper.md).
TEST(Assembler, TakesEveryHopperForwardWithoutMessageOrSpill) {
  expectClean(Arch::sm_90a, "fa3_fwd_sm90a", 20, {{"d64_causal", 4}});
}
// What spills costs less than the smaller blocks that would not (hopper.md).
TEST(Assembler, TakesEveryHopperBackwardWithoutMessage) {
  expectClean(Arch::sm_90a, "fa3_bwd_sm90a", 16,
              {{"d128", 4},
               {"d128_causal", 12},
               {"d64", 60},
               {"d64_causal", 60},
               {"d64_deterministic1", 24},
               {"d64_causal_deterministic1", 24}});
}

} // namespace
} // namespace tile
