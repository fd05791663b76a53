#include "runtime/ArgumentSpec.h"
#include "ExpectError.h"

#include <cstring>

namespace fa4 {
namespace {

using testing::HasSubstr;

template <typename T> T scalarOf(const char *text) {
  const auto spec = std::get<ScalarArgument>(parseArgumentSpec(text));
  EXPECT_EQ(spec.bytes.size(), sizeof(T)) << text;
  T value{};
  std::memcpy(&value, spec.bytes.data(),
              std::min(sizeof(T), spec.bytes.size()));
  return value;
}

TensorArgument tensorOf(const char *text) {
  return std::get<TensorArgument>(parseArgumentSpec(text));
}

TensorMapArgument mapOf(const char *text) {
  return std::get<TensorMapArgument>(parseArgumentSpec(text));
}

std::string errorFor(const char *text) {
  return errorOf([&] { parseArgumentSpec(text); });
}

TEST(ArgumentSpec, Scalars) {
  EXPECT_EQ(scalarOf<float>("f32:-1.5e2"), -150.0f);
  EXPECT_EQ(scalarOf<int32_t>("i32:-7"), -7);
  EXPECT_EQ(scalarOf<uint32_t>("u32:0xffffffff"), 0xffffffffu);
  EXPECT_EQ(scalarOf<uint64_t>("u64:18446744073709551615"), ~uint64_t(0));
  EXPECT_EQ(scalarOf<uint64_t>("null"), 0u);
}

TEST(ArgumentSpec, Tensors) {
  const TensorArgument in = tensorOf("in:dir/a.npy:bf16");
  EXPECT_EQ(in.kind, TensorArgument::Kind::In);
  EXPECT_EQ(in.inFile, "dir/a.npy");
  EXPECT_EQ(in.type, ElementType::BF16);
  EXPECT_TRUE(in.outFile.empty());

  const TensorArgument out = tensorOf("out:f16[2, 0,128]:o.npy");
  EXPECT_EQ(out.kind, TensorArgument::Kind::Out);
  EXPECT_EQ(out.type, ElementType::F16);
  EXPECT_EQ(out.dims, (std::vector<int64_t>{2, 0, 128}));
  EXPECT_EQ(out.outFile, "o.npy");

  const TensorArgument both = tensorOf("inout:a.npy:i32:b.npy");
  EXPECT_EQ(both.kind, TensorArgument::Kind::InOut);
  EXPECT_EQ(both.inFile, "a.npy");
  EXPECT_EQ(both.type, ElementType::I32);
  EXPECT_EQ(both.outFile, "b.npy");

  const TensorArgument zeros = tensorOf("zeros:4096");
  EXPECT_EQ(zeros.kind, TensorArgument::Kind::Zeros);
  EXPECT_EQ(zeros.bytes, 4096u);
}

// Names and numbers mean the same; the element type is the tensor's.
TEST(ArgumentSpec, TensorMaps) {
  const TensorMapArgument named = mapOf(
      R"(tmap:{"tensor":"in:a.npy:f16","rank":2,"dim":[64,8],"stride":[128],)"
      R"("box":[64,4],"swizzle":"128B","l2promo":"256B","oobFill":"nan"})");
  EXPECT_EQ(named.tensor.inFile, "a.npy");
  EXPECT_EQ(named.type, 6u);
  EXPECT_EQ(named.dims, (std::vector<uint64_t>{64, 8}));
  EXPECT_EQ(named.strides, std::vector<uint64_t>{128});
  EXPECT_EQ(named.box, (std::vector<uint32_t>{64, 4}));
  EXPECT_EQ(named.elementStrides, (std::vector<uint32_t>{1, 1}));
  EXPECT_EQ(named.swizzle, 3u);
  EXPECT_EQ(named.l2Promotion, 3u);
  EXPECT_EQ(named.fill, 1u);

  const TensorMapArgument numbered =
      mapOf(R"(tmap:{"tensor":"arg:3","dtype":9,"dim":[8],"box":[8],)"
            R"("elemStride":[2],"interleave":0,"swizzle":2})");
  EXPECT_EQ(numbered.tensor.kind, TensorArgument::Kind::SameAs);
  EXPECT_EQ(numbered.tensor.argument, 3u);
  EXPECT_EQ(numbered.type, 9u);
  EXPECT_TRUE(numbered.strides.empty());
  EXPECT_EQ(numbered.elementStrides, std::vector<uint32_t>{2});
  EXPECT_EQ(numbered.swizzle, 2u);
}

TEST(ArgumentSpec, UnknownKind) {
  EXPECT_THAT(errorFor("f64:1"),
              HasSubstr("argument 'f64:1': expected in:, out:, inout:, zeros:, "
                        "f32:, i32:, u32:, u64:, null or tmap:"));
  EXPECT_THAT(errorFor(""), HasSubstr("argument '': expected in:"));
  // Another argument's tensor is of use to tensor maps only.
  EXPECT_THAT(errorFor("arg:0"), HasSubstr("argument 'arg:0': expected in:"));
}

TEST(ArgumentSpec, MalformedScalars) {
  for (const char *text : {"f32:", "i32:1.5", "i32:0x10", "u32:-1",
                           "u32:4294967296", "u64:12 ", "f32:one"})
    EXPECT_THAT(errorFor(text), HasSubstr("a number behind the colon")) << text;
}

TEST(ArgumentSpec, MalformedTensors) {
  for (const char *text :
       {"in:a.npy", "in:a.npy:f32:more", "inout:a.npy:f32", "out:f32[2]:",
        "inout:a.npy:f32:", "zeros:", "zeros:-1", "zeros:99999999999999"})
    EXPECT_THAT(errorFor(text), HasSubstr("expected in:FILE.npy:TYPE, "
                                          "out:TYPE[DIMS]:FILE.npy"))
        << text;
  EXPECT_THAT(errorFor("in:a.npy:fp8"),
              HasSubstr("a type out of bf16, f16, f32, i32, u32, u8"));
  EXPECT_THAT(errorFor("in:a.npy:f64"),
              HasSubstr("a type out of bf16, f16, f32, i32, u32, u8"));
  EXPECT_THAT(errorFor("out:f32:o.npy"),
              HasSubstr("expected out:TYPE[DIMS]:FILE.npy"));
  for (const char *text :
       {"out:f32[]:o.npy", "out:f32[2,x]:o.npy", "out:f32[-1]:o.npy",
        "out:f32[ ]:o.npy", "out:f32[1099511627776,1099511627776]:o.npy"})
    EXPECT_THAT(errorFor(text), HasSubstr("dimensions such as [2,128]"))
        << text;
}

TEST(ArgumentSpec, MalformedTensorMaps) {
  EXPECT_THAT(errorFor("tmap:{"), HasSubstr("a JSON object behind 'tmap:'"));
  EXPECT_THAT(errorFor("tmap:[1]"), HasSubstr("a JSON object behind 'tmap:'"));
  EXPECT_THAT(errorFor(R"(tmap:{"dims":[1]})"),
              HasSubstr("tensor map: unknown key 'dims'"));
  EXPECT_THAT(errorFor(R"(tmap:{"dim":[1],"box":[1]})"),
              HasSubstr("tensor map: 'tensor' is missing"));
  const auto with = [](const std::string &rest) {
    return errorFor((R"(tmap:{"tensor":"arg:0",)" + rest + "}").c_str());
  };
  EXPECT_THAT(with(R"("box":[1])"), HasSubstr("tensor map: 'dim' is missing"));
  EXPECT_THAT(with(R"("dim":[8,8],"box":[8,8])"),
              HasSubstr("tensor map: 'stride' is missing"));
  EXPECT_THAT(with(R"("dim":[-1],"box":[1])"),
              HasSubstr("'dim' is [-1], expected a list of at most 5 unsigned "
                        "numbers"));
  EXPECT_THAT(with(R"("dim":[8],"box":[4294967296])"),
              HasSubstr("'box' is [4294967296], expected a list"));
  EXPECT_THAT(with(R"("dim":[8],"box":[8],"swizzle":"256B")"),
              HasSubstr("'swizzle' is \"256B\", expected one of none, 32B"));
  EXPECT_THAT(with(R"("dim":[8],"box":[8],"swizzle":99)"),
              HasSubstr("'swizzle' is 99, expected one of none, 32B"));
  EXPECT_THAT(with(R"("dim":[8],"box":[8,1])"),
              HasSubstr("1 dims need as many box sizes and element strides "
                        "and one stride less; there are 2, 1 and 0"));
  EXPECT_THAT(with(R"("dim":[8],"box":[8],"rank":2)"),
              HasSubstr("tensor map: rank 2 with 1 dims"));
}

} // namespace
} // namespace fa4
