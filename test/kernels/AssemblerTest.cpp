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

/// The arch and PTX file of each kernel whose name starts with fa4_fwd.
std::vector<std::string> forwardKernels() {
  auto manifest = llvm::json::parse(contentOf(FA4_BUNDLE "/manifest.json"));
  std::vector<std::string> files;
  if (!manifest) {
    llvm::consumeError(manifest.takeError());
    return files;
  }
  for (const llvm::json::Value &kernel :
       *manifest->getAsObject()->getArray("kernels")) {
    llvm::StringRef name = *kernel.getAsObject()->getString("name");
    if (name.starts_with("fa4_fwd_sm100a"))
      files.push_back(name.str());
  }
  return files;
}

TEST(Assembler, TakesEveryForwardKernelWithoutMessageOrSpill) {
  std::optional<std::string> ptxas = findPtxas();
  if (!ptxas)
    GTEST_SKIP() << "no ptxas here: registers and spills are not checked";
  std::vector<std::string> kernels = forwardKernels();
  // Two types, four pairs of head dims, two masks.
  EXPECT_EQ(kernels.size(), 16u);
  for (const std::string &name : kernels) {
    SCOPED_TRACE(name);
    auto assembly = assemble(*ptxas, Arch::sm_100a,
                             contentOf(FA4_BUNDLE "/" + name + ".ptx"));
    if (!assembly) {
      ADD_FAILURE() << llvm::toString(assembly.takeError());
      continue;
    }
    EXPECT_TRUE(assembly->report.messages.empty());
    EXPECT_EQ(assembly->report.spillStores, 0);
    EXPECT_EQ(assembly->report.spillLoads, 0);
  }
}

} // namespace
} // namespace tile
