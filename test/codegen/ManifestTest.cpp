#include "codegen/Manifest.h"
#include "mlir/AsmParser/AsmParser.h"
#include <gtest/gtest.h>

using namespace tile;

namespace {

class Manifest : public testing::Test {
protected:
  llvm::json::Value json(const char *attribute) {
    return toJson(mlir::parseAttribute(attribute, &context));
  }
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
};

TEST_F(Manifest, ConvertsAttributesByKind) {
  using llvm::json::Array;
  using llvm::json::Object;
  using llvm::json::Value;
  EXPECT_EQ(json("{a = 3 : i64, b = true, c = \"x\", d = unit}"),
            Value(Object{{"a", 3}, {"b", true}, {"c", "x"}, {"d", true}}));
  EXPECT_EQ(json("[1 : i32, -2 : i64, 0.5 : f64]"), Value(Array{1, -2, 0.5}));
  EXPECT_EQ(json("array<i32: 512, 1, 1>"), Value(Array{512, 1, 1}));
  EXPECT_EQ(json("f32"), Value("f32"));
}

TEST(ManifestLifetime, ValuesOutliveTheContext) {
  llvm::json::Value value = nullptr;
  {
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    auto attribute =
        mlir::parseAttribute("{a_long_enough_key = \"a value\"}", &context);
    value = toJson(attribute);
  }
  EXPECT_EQ(value.getAsObject()->getString("a_long_enough_key"), "a value");
}

TEST_F(Manifest, AddsTheGeneratorsFieldsToTheLaunch) {
  llvm::json::Value launch =
      json("{key = {kernel = \"k\"}, resources = {tmem_columns = 512 : i64}}");
  PtxasReport report;
  report.registers = 128;
  ManifestInput input;
  input.name = "k_sm100a";
  input.entry = "k";
  input.ptxFile = "k.ptx";
  input.ptx = "abc";
  input.report = &report;
  input.key = llvm::json::Object{{"kernel", "other"}, {"causal", true}};
  llvm::json::Object entry =
      manifestEntry(std::move(*launch.getAsObject()), input);
  EXPECT_EQ(entry.getString("arch"), "sm_100a");
  EXPECT_EQ(entry.getString("ptx"), "k.ptx");
  EXPECT_FALSE(entry.get("cubin"));
  EXPECT_EQ(entry.getString("hash"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(*entry.getObject("key"),
            (llvm::json::Object{{"kernel", "k"}, {"causal", true}}));
  EXPECT_EQ(entry.getObject("resources")->getInteger("tmem_columns"), 512);
  EXPECT_EQ(entry.getObject("resources")->getInteger("registers"), 128);
}

} // namespace
