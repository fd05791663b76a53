#include "codegen/Specialization.h"
#include <gtest/gtest.h>

using namespace tile;

namespace {

/// Two kernels: one over head dims, one without any.
KernelRegistry registry() {
  KernelDefinition attention;
  attention.name = "fa4_fwd";
  attention.archs = {Arch::sm_100a, Arch::sm_90a};
  attention.headDims = {{64, 64}, {128, 128}, {192, 128}};
  attention.schedule = {{"stages", "ring depth"}};
  attention.reject = [](const Request &request) -> std::optional<std::string> {
    if (request.get("stages", 3) > 5)
      return "6 stages need 262144 bytes of shared memory, 232448 are there";
    return std::nullopt;
  };
  KernelDefinition copy;
  copy.name = "copy";
  copy.archs = {Arch::sm_90a};
  return {attention, copy};
}

llvm::Expected<std::vector<Specialization>> lines(const KernelRegistry &kernels,
                                                  llvm::StringRef text) {
  return parseSpecFile(kernels, "specs", text);
}

std::string nameOf(llvm::StringRef line) {
  KernelRegistry kernels = registry();
  return llvm::cantFail(lines(kernels, line)).front().name();
}

std::string errorOf(llvm::StringRef line) {
  KernelRegistry kernels = registry();
  auto result = lines(kernels, line);
  return result ? "" : llvm::toString(result.takeError());
}

TEST(Specialization, NamesVariants) {
  EXPECT_EQ(nameOf("fa4_fwd"), "fa4_fwd_sm100a_bf16_d128");
  EXPECT_EQ(nameOf("fa4_fwd --head-dim 192,128 --causal --dtype f16"),
            "fa4_fwd_sm100a_f16_d192x128_causal");
  EXPECT_EQ(nameOf("fa4_fwd --stages 4"), "fa4_fwd_sm100a_bf16_d128_stages4");
  EXPECT_EQ(nameOf("copy"), "copy_sm90a_bf16");
}

TEST(Specialization, RejectsWhatTheKernelHasNot) {
  EXPECT_EQ(errorOf("fa4_fwd --head-dim 80"),
            "specs:1: kernel 'fa4_fwd' has no head dim '80'; it supports 64, "
            "128, 192,128");
  EXPECT_EQ(errorOf("copy --arch sm_100a"),
            "specs:1: kernel 'copy' has no architecture 'sm_100a'; it supports "
            "sm_90a");
  EXPECT_EQ(errorOf("copy --head-dim 64"),
            "specs:1: kernel 'copy' has no head dim '64'; it supports none");
  EXPECT_EQ(errorOf("fa4_fwd --dtype f8"),
            "specs:1: kernel 'fa4_fwd' has no dtype 'f8'; it supports bf16, "
            "f16");
  EXPECT_EQ(errorOf("fa4_fwd --stages 6"),
            "specs:1: kernel 'fa4_fwd' can't be built: 6 stages need 262144 "
            "bytes of shared memory, 232448 are there");
}

TEST(SpecFile, SkipsCommentsAndNamesTheLine) {
  KernelRegistry kernels = registry();
  auto good = lines(kernels, "# all\n\nfa4_fwd --causal # one\ncopy\n");
  ASSERT_TRUE(static_cast<bool>(good));
  EXPECT_EQ(good->size(), 2u);
  EXPECT_EQ(errorOf("copy\nfa4_fd\n"),
            "specs:2: unknown kernel 'fa4_fd', nearest is 'fa4_fwd'");
}

TEST(AllSpecializations, CoversArchsDtypesDimsAndMasks) {
  KernelRegistry kernels = registry();
  // 2 archs x 2 dtypes x 3 head dims x 2 masks, and 2 dtypes x 2 masks.
  EXPECT_EQ(allSpecializations(kernels).size(), 28u);
  // Each of the 24 of fa4_fwd without and with its form.
  kernels.front().forms = {"stages"};
  EXPECT_EQ(allSpecializations(kernels).size(), 52u);
  EXPECT_EQ(allSpecializations(kernels)[24].name(),
            "fa4_fwd_sm100a_bf16_d64_stages1");
}

} // namespace
