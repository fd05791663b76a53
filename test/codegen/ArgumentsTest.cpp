#include "codegen/Arguments.h"
#include <gtest/gtest.h>

using namespace tile;

namespace {

const std::vector<Flag> flags = {
    {"causal", Flag::Value::none, "", "mask"},
    {"head-dim", Flag::Value::required, "D", "head dim"},
    {"stages", Flag::Value::optionalNumber, "N", "ring depth"},
    {"o", Flag::Value::required, "FILE", "output"}};

Arguments parsed(llvm::ArrayRef<llvm::StringRef> words) {
  return llvm::cantFail(Arguments::parse(words, flags));
}

std::string errorOf(llvm::ArrayRef<llvm::StringRef> words) {
  auto arguments = Arguments::parse(words, flags);
  return arguments ? "" : llvm::toString(arguments.takeError());
}

TEST(Arguments, ReadsBothSpellingsOfAValue) {
  EXPECT_EQ(parsed({"--head-dim", "64"}).get("head-dim"), "64");
  EXPECT_EQ(parsed({"--head-dim=64"}).get("head-dim"), "64");
  EXPECT_EQ(parsed({"-o", "-"}).get("o"), "-");
}

TEST(Arguments, OptionalNumberIsOneWhereLeftOut) {
  EXPECT_EQ(parsed({"--stages", "--causal"}).get("stages"), "1");
  EXPECT_EQ(parsed({"--stages", "-3"}).get("stages"), "-3");
  Arguments arguments = parsed({"--stages", "file"});
  EXPECT_EQ(arguments.get("stages"), "1");
  EXPECT_EQ(arguments.positional, std::vector<std::string>{"file"});
}

TEST(Arguments, KeepsMlirFlags) {
  Arguments arguments = parsed({"--mlir-timing", "--causal"});
  EXPECT_EQ(arguments.mlirFlags, std::vector<std::string>{"--mlir-timing"});
  EXPECT_TRUE(arguments.has("causal"));
}

TEST(Arguments, NamesWhatIsWrong) {
  EXPECT_EQ(errorOf({"--head-dm", "64"}),
            "unknown flag '--head-dm', nearest is 'head-dim'");
  EXPECT_EQ(errorOf({"--head-dim"}), "--head-dim needs D");
  EXPECT_EQ(errorOf({"--causal=1"}), "--causal takes no value");
  EXPECT_EQ(errorOf({"-o", "a", "-o", "b"}), "-o is given twice");
  EXPECT_EQ(errorOf({"--head-dim="}), "--head-dim needs D, not nothing");
  EXPECT_EQ(errorOf({"-o", ""}), "-o needs FILE, not nothing");
}

TEST(Arguments, NumberRejectsText) {
  auto number = parsed({"--stages=two"}).number("stages", 3);
  ASSERT_FALSE(number);
  EXPECT_EQ(llvm::toString(number.takeError()),
            "--stages needs a number, not 'two'");
}

TEST(NearestHint, IsSilentWhenNothingIsNear) {
  EXPECT_EQ(nearestHint("softmax", {"fa4_fwd", "gemm"}), "");
  EXPECT_EQ(nearestHint("fa4_fw", {"gemm", "fa4_fwd"}),
            ", nearest is 'fa4_fwd'");
}

} // namespace
