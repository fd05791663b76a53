#include "runtime/Manifest.h"
#include "ExpectError.h"

#include <filesystem>
#include <fstream>

namespace fa4 {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

constexpr const char *kernelText = R"json({
  "name": "scale_d64", "op": "scale", "arch": "sm_100a",
  "key": {"kernel": "scale", "head_dim": 64, "causal": true},
  "entry": "scale", "ptx": "scale.ptx", "block": [128, 1, 1],
  "cluster": [2, 1, 1], "dynamic_shared_bytes": 1024,
  "grid": ["ceildiv(rows, 2)", "1", "1"],
  "tensors": [
    {"name": "x", "role": "input", "dtype": "bf16", "dims": ["rows", "64"]},
    {"name": "y", "role": "output", "dtype": "f32", "dims": ["rows", "64"]},
    {"name": "t", "role": "scratch", "dtype": "f32", "dims": ["rows * 2"],
     "zeroed": true}],
  "scalars": ["factor"],
  "params": [
    {"kind": "tensor_map", "tensor": "x", "order": [1, 0], "box": [64, 2],
     "swizzle": "128B", "l2_promotion": "256B"},
    {"kind": "pointer", "tensor": "y"},
    {"kind": "scalar", "type": "f32", "value": "factor * 2"}]
})json";

/// A bundle directory with one manifest, made of the text above with `from`
/// replaced by `to`.
std::string bundleWith(const std::string &from = "",
                       const std::string &to = "") {
  std::string text = kernelText;
  if (!from.empty())
    text.replace(text.find(from), from.size(), to);
  std::string directory =
      testing::TempDir() + "/fa4_manifest_" +
      testing::UnitTest::GetInstance()->current_test_info()->name();
  std::filesystem::create_directories(directory);
  std::ofstream(directory + "/manifest.json")
      << R"({"version": 1, "kernels": [)" << text << "]}";
  return directory;
}

std::string loadError(const std::string &from, const std::string &to) {
  return errorOf([&] { Bundle::load(bundleWith(from, to)); });
}

TEST(Manifest, ReadsEveryField) {
  std::string directory = bundleWith();
  Bundle bundle = Bundle::load(directory);
  ASSERT_EQ(bundle.kernels().size(), 1u);
  const KernelEntry &kernel = bundle.kernels()[0];
  EXPECT_EQ(kernel.name, "scale_d64");
  EXPECT_EQ(kernel.ptxPath, directory + "/scale.ptx");
  EXPECT_EQ(kernel.cubinPath, "");
  EXPECT_EQ(kernel.block[0], 128u);
  EXPECT_EQ(kernel.cluster[0], 2u);
  EXPECT_EQ(kernel.dynamicShared, 1024u);
  EXPECT_EQ(keyText(kernel.key), "causal=true, head_dim=64, kernel=scale");
  EXPECT_EQ(kernel.grid[0].text(), "ceildiv(rows, 2)");
  EXPECT_EQ(kernel.findTensor("y")->type, ElementType::F32);
  EXPECT_TRUE(kernel.findTensor("t")->zeroed);
  EXPECT_EQ(kernel.findTensor("z"), nullptr);
  auto &map = std::get<TensorMapParameter>(kernel.params[0]);
  EXPECT_EQ(map.order, (std::vector<int>{1, 0}));
  EXPECT_EQ(map.box, (std::vector<uint32_t>{64, 2}));
  EXPECT_EQ(map.swizzle, MapSwizzle::Bytes128);
  EXPECT_EQ(map.l2Promotion, 256u);
}

TEST(Manifest, SelectsByKeyAndArch) {
  Bundle bundle = Bundle::load(bundleWith());
  Selection selection{"scale", {{"head_dim", int64_t(64)}}, {"sm_100a"}, {}};
  EXPECT_EQ(bundle.select(selection).name, "scale_d64");
  selection.key["deterministic"] = false;
  EXPECT_EQ(bundle.select(selection).name, "scale_d64");
  selection.key["causal"] = int64_t(1);
  EXPECT_EQ(bundle.select(selection).name, "scale_d64");
}

// Of two that match: what is preferred, else the one that says less.
TEST(Manifest, RanksKernels) {
  std::string plain = kernelText, tuned = kernelText;
  tuned.replace(tuned.find("scale_d64"), 9, "tuned");
  tuned.replace(tuned.find("\"causal\""), 8, "\"two-cta\": 1, \"causal\"");
  std::string directory = bundleWith();
  std::ofstream(directory + "/manifest.json")
      << R"({"version": 1, "kernels": [)" << tuned << "," << plain << "]}";
  Bundle bundle = Bundle::load(directory);
  Selection selection{"scale", {}, {"sm_90a", "sm_100a"}, {}};
  EXPECT_EQ(bundle.select(selection).name, "scale_d64");
  selection.preferred = {{"two_cta", true}};
  EXPECT_EQ(bundle.select(selection).name, "tuned");
  selection.preferred = {};
  selection.key = {{"two_cta", true}};
  EXPECT_EQ(bundle.select(selection).name, "tuned");
}

TEST(Manifest, NamesTheNearestKernel) {
  Bundle bundle = Bundle::load(bundleWith());
  Selection selection{
      "scale", {{"head_dim", int64_t(72)}, {"causal", true}}, {"sm_100a"}, {}};
  EXPECT_THAT(
      errorOf([&] { bundle.select(selection); }),
      testing::MatchesRegex("no kernel for scale with causal=true, head_dim=72 "
                            "in '.*/manifest.json'; the nearest is "
                            "'scale_d64' \\(head_dim 64 instead of 72\\)"));
  selection.key = {{"deterministic", true}};
  EXPECT_THAT(errorOf([&] { bundle.select(selection); }),
              EndsWith("(deterministic absent instead of true)"));
  selection.archs = {"sm_90a"};
  EXPECT_THAT(errorOf([&] { bundle.select(selection); }),
              EndsWith("; none there is for sm_90a"));
  selection.op = "shift";
  EXPECT_THAT(errorOf([&] { bundle.select(selection); }),
              EndsWith("; it has no kernel for shift at all"));
}

TEST(Manifest, RejectsMissingAndMalformedFiles) {
  EXPECT_EQ(errorOf([] { Bundle::load("/nonexistent"); }),
            "can't read '/nonexistent/manifest.json': No such file or "
            "directory");
  EXPECT_THAT(loadError("\"op\": \"scale\",", "\"op\" \"scale\","),
              HasSubstr("is not JSON: error at byte"));
}

TEST(Manifest, SaysWhichFieldIsWrong) {
  EXPECT_THAT(loadError("\"op\": \"scale\",", ""),
              EndsWith("kernel 'scale_d64': no field 'op'"));
  EXPECT_THAT(loadError("[128, 1, 1]", "[128, 1]"),
              EndsWith(".block: expected three integers, found [128,1]"));
  EXPECT_THAT(loadError("[128, 1, 1]", "[2000, 1, 1]"),
              EndsWith(".block[0]: expected an integer in 1..1024, found "
                       "2000"));
  EXPECT_THAT(loadError("\"128B\"", "\"96B\""),
              EndsWith(".params[0].swizzle: expected one of none 32B 64B 128B, "
                       "found \"96B\""));
  EXPECT_THAT(loadError("\"bf16\"", "\"fp8\""),
              EndsWith(".tensors[0].dtype: expected one of bf16 f16 f32 f64 "
                       "i32 u32 u8, found \"fp8\""));
  EXPECT_THAT(loadError("ceildiv(rows, 2)", "ceildiv(rows 2)"),
              EndsWith(".grid[0]: expression 'ceildiv(rows 2)', column 14: "
                       "expected ','"));
  EXPECT_THAT(loadError("\"ptx\": \"scale.ptx\",", ""),
              EndsWith("neither 'ptx' nor 'cubin' is there"));
}

TEST(Manifest, ChecksNamesAgainstEachOther) {
  EXPECT_THAT(loadError("ceildiv(rows, 2)", "columns"),
              EndsWith("'columns' in expression 'columns' is no dim, scalar or "
                       "sm_count"));
  EXPECT_THAT(loadError("factor * 2", "stride(z, 0)"),
              EndsWith("no tensor is called 'z'"));
  EXPECT_THAT(loadError("factor * 2", "stride(x, 2)"),
              EndsWith("tensor 'x' in expression 'stride(x, 2)' has no dim 2"));
  EXPECT_THAT(loadError("\"pointer\", \"tensor\": \"y\"",
                        "\"pointer\", \"tensor\": \"z\""),
              EndsWith(".params[1]: no tensor is called 'z'"));
  EXPECT_THAT(loadError("[1, 0]", "[1, 1]"),
              EndsWith(".params[0].order: not a permutation of the 2 dims of "
                       "'x'"));
  EXPECT_THAT(loadError("[64, 2]", "[64]"),
              EndsWith(".params[0].box: 1 sizes for a tensor of 2 dims"));
  EXPECT_THAT(loadError("\"name\": \"y\"", "\"name\": \"x\""),
              EndsWith("two tensors are called 'x'"));
}

} // namespace
} // namespace fa4
