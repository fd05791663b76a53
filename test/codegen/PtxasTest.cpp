#include "codegen/Ptxas.h"
#include <gtest/gtest.h>

using namespace tile;

namespace {

TEST(PtxasReport, ReadsTheResourceLines) {
  PtxasReport report = parsePtxasReport(
      "ptxas info    : 0 bytes gmem\n"
      "ptxas info    : Compiling entry function 'k' for 'sm_100a'\n"
      "ptxas info    : Function properties for k\n"
      "    8 bytes stack frame, 12 bytes spill stores, 16 bytes spill loads\n"
      "ptxas info    : Used 42 registers, used 2 barriers, 8 bytes cumulative "
      "stack size, 32788 bytes smem\n"
      "ptxas info    : Compile time = 4.219 ms\n");
  EXPECT_EQ(report.registers, 42);
  EXPECT_EQ(report.barriers, 2);
  EXPECT_EQ(report.stack, 8);
  EXPECT_EQ(report.spillStores, 12);
  EXPECT_EQ(report.spillLoads, 16);
  EXPECT_EQ(report.staticShared, 32788);
  EXPECT_TRUE(report.messages.empty());
}

TEST(PtxasReport, KeepsEveryMessage) {
  PtxasReport report = parsePtxasReport(
      "ptxas info    : (C7508) Potential Performance Loss: 'setmaxnreg' "
      "ignored\n"
      "ptxas warning : something\n");
  EXPECT_EQ(report.messages.size(), 2u);
}

TEST(Assemble, ReportsWhatPtxasRejects) {
  std::optional<std::string> ptxas = findPtxas();
  if (!ptxas)
    GTEST_SKIP() << "no ptxas here: its messages are not checked";
  auto assembly = assemble(*ptxas, Arch::sm_100a, ".version 8.8\nnonsense\n");
  ASSERT_FALSE(assembly);
  std::string message = llvm::toString(assembly.takeError());
  EXPECT_NE(message.find("ptxas rejects the kernel"), std::string::npos);
  EXPECT_NE(message.find("line 2"), std::string::npos) << message;
}

} // namespace
