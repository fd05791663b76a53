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

/// `count` kernels, each without message or spill.
void expectClean(Arch arch, llvm::StringRef prefix, std::size_t count) {
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
    EXPECT_EQ(assembly->report.spillStores, 0);
    EXPECT_EQ(assembly->report.spillLoads, 0);
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
TEST(Assembler, TakesEveryHopperForwardWithoutMessageOrSpill) {
  expectClean(Arch::sm_90a, "fa3_fwd_sm90a", 20);
}

} // namespace
} // namespace tile
