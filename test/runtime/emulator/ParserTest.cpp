// Malformed PTX is one error with file and line.
#include "LaunchHelper.h"

#include "runtime/Error.h"

namespace fa4::emulator::test {
namespace {

std::string errorOf(const std::string &text) {
  try {
    Module::parse(text, "bad.ptx");
  } catch (const Error &error) {
    return error.what();
  }
  return "no error";
}

std::string errorInBody(const std::string &body) {
  return errorOf(".version 8.8\n.target sm_100a\n.entry k(.param .u64 p)\n{\n" +
                 body + "\n}\n");
}

TEST(ParserTest, NamesTheLineOfAnUnknownInstruction) {
  EXPECT_EQ(errorInBody("frobnicate.b32 1;"),
            "bad.ptx:5: unsupported instruction 'frobnicate.b32'");
}

TEST(ParserTest, RejectsUndeclaredNames) {
  EXPECT_EQ(errorInBody("mov.b32 %r1, 1;"),
            "bad.ptx:5: unknown register '%r1'");
  EXPECT_EQ(errorInBody("bra nowhere;"), "bad.ptx:5: unknown name 'nowhere'");
  EXPECT_EQ(errorInBody("@%p1 ret;"),
            "bad.ptx:5: '%p1' is no predicate register");
}

TEST(ParserTest, RejectsWrongOperandCounts) {
  EXPECT_EQ(errorInBody(".reg .b32 %r<4>;\nadd.s32 %r1, %r2;"),
            "bad.ptx:6: 'add.s32' takes 3 operands, not 2");
  EXPECT_EQ(errorInBody(".reg .b32 %r<4>;\nadd.s32 %r1, {%r2, %r3}, %r2;"),
            "bad.ptx:6: operand 2 of 'add.s32' must be a single value");
}

TEST(ParserTest, RejectsBrokenText) {
  EXPECT_EQ(errorOf("/* open"), "bad.ptx:1: comment without an end");
  EXPECT_EQ(errorOf(".version 8.8\n.file 1 \"x"),
            "bad.ptx:2: string without an end");
  EXPECT_EQ(errorOf("\x01"), "bad.ptx:1: unexpected character 0x01");
  const std::string head = ".version 8.8\n.target sm_100a\n";
  EXPECT_EQ(errorOf(head + ".entry k() {"),
            "bad.ptx:3: expected an instruction before 'end of file'");
  EXPECT_EQ(errorOf(head + ".entry k(.param .b9 x) { }"),
            "bad.ptx:3: unknown parameter type '.b9'");
  EXPECT_EQ(errorOf(head + "ret;"), "bad.ptx:3: unsupported directive 'ret'");
}

TEST(ParserTest, RejectsAWrongVersionOrTarget) {
  EXPECT_EQ(errorOf(".entry k() {}"),
            "bad.ptx:1: expected '.version' before '.entry'");
  EXPECT_EQ(errorOf(".version 8.8\n.entry k() {}"),
            "bad.ptx:2: expected '.target' before '.entry'");
  EXPECT_EQ(errorOf(".version 12.0\n.target sm_100a"),
            "bad.ptx:1: unsupported version '12.0', at most 9.x is");
  EXPECT_EQ(errorOf(".version new\n.target sm_100a"),
            "bad.ptx:1: malformed version 'new'");
  EXPECT_EQ(errorOf(".version 8.8\n.target sm_77"),
            "bad.ptx:2: unknown target 'sm_77'");
  EXPECT_EQ(errorOf(".version 8.0\n.target sm_100a"),
            "bad.ptx:2: target 'sm_100a' needs version 8.6 or later");
}

TEST(ParserTest, RejectsOperandsOfAnotherWidth) {
  const std::string registers =
      ".reg .b16 %h<4>; .reg .b32 %r<4>; .reg .b64 %d<4>; .reg .pred %p<4>;\n";
  auto error = [&](const std::string &statement) {
    return errorInBody(registers + statement);
  };
  EXPECT_EQ(error("add.s32 %r1, %d2, %r3;"),
            "bad.ptx:6: operand 2 of 'add.s32' is 64 bits wide, not 32 bits "
            "wide");
  EXPECT_EQ(error("mul.wide.u32 %r1, %r2, %r3;"),
            "bad.ptx:6: operand 1 of 'mul.wide.u32' is 32 bits wide, not 64 "
            "bits wide");
  EXPECT_EQ(error("shl.b64 %d1, %d2, %d3;"),
            "bad.ptx:6: operand 3 of 'shl.b64' is 64 bits wide, not 32 bits "
            "wide");
  EXPECT_EQ(error("cvt.u64.u32 %r1, %r2;"),
            "bad.ptx:6: operand 1 of 'cvt.u64.u32' is 32 bits wide, not 64 "
            "bits wide");
  EXPECT_EQ(error("ld.global.v2.b64 {%d1, %r2}, [%d3];"),
            "bad.ptx:6: operand 1 of 'ld.global.v2.b64' is 32 bits wide, not "
            "64 bits wide");
  EXPECT_EQ(error("setp.eq.s32 %r1, %r2, %r3;"),
            "bad.ptx:6: operand 1 of 'setp.eq.s32' is 32 bits wide, not a "
            "predicate");
  EXPECT_EQ(error("selp.b32 %r1, %r2, %r3, %r0;"),
            "bad.ptx:6: operand 4 of 'selp.b32' is 32 bits wide, not a "
            "predicate");
  EXPECT_EQ(error("mbarrier.try_wait.parity.shared.b64 %r1, [%r2], %r3;"),
            "bad.ptx:6: operand 1 of 'mbarrier.try_wait.parity.shared.b64' is "
            "32 bits wide, not a predicate");
  // A load may fill a wider register, a store may read one.
  EXPECT_EQ(error("ld.global.u8 %r1, [%d1]; st.global.b16 [%d1], %r1;"),
            "no error");
}

TEST(ParserTest, RejectsWhatDoesNotFit) {
  EXPECT_EQ(errorInBody(".reg .b32 %r<999999999>;"),
            "bad.ptx:5: a register count 999999999 is out of range (at most "
            "262144)");
  EXPECT_EQ(errorInBody(".shared .b8 s[240000];"),
            "bad.ptx:3: the shared variables of 'k' exceed 232448 bytes");
}

TEST(ParserTest, RejectsAWrongFragmentOfWgmma) {
  EXPECT_EQ(errorInBody(".reg .b32 %r<4>; .reg .b64 %d<2>; .reg .pred %p;\n"
                        "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 "
                        "{%r0,%r1}, %d0, %d1, %p, 1, 1, 0, 0;"),
            "bad.ptx:6: 'wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16' "
            "needs 4 registers, not 2");
}

TEST(ParserTest, KeepsSourceLines) {
  Module module = Module::parse(".version 8.8\n.target sm_100a\n"
                                ".file 1 \"kernel.cpp\"\n.entry k()\n{\n"
                                ".loc 1 42 7\ntrap;\n}\n",
                                "loc.ptx");
  GlobalMemory memory;
  LaunchConfig config;
  config.entry = "k";
  LaunchResult result = launch(module, memory, config);
  ASSERT_EQ(result.reports.size(), 1u);
  EXPECT_EQ(result.reports[0].ptxLine, 7u);
  EXPECT_EQ(result.reports[0].source, "kernel.cpp:42");
}

TEST(ParserTest, AcceptsScopesWithTheirOwnNames) {
  BodyRun run;
  auto values = run.clean(R"(
    .reg .b32 %r, %tid;
    mov.u32 %r, 0;
    { .reg .b32 t; mov.u32 t, 3; L: add.u32 %r, %r, t; bra M; M: }
    { .reg .b32 t; mov.u32 t, 4; bra.uni M; M: add.u32 %r, %r, t; }
  )" + storeByThread,
                          32);
  EXPECT_EQ(values[5], 7u);
}

TEST(ParserTest, AcceptsOffsetsOnValuesAndAddresses) {
  BodyRun run;
  auto values = run.clean(R"(
    .reg .b32 %r<3>, %tid; .reg .b64 %d;
    mov.u32 %r1, 5;
    add.s32 %r2, %r1+7, -2;
    st.global.u32 [ %out + 4 ], %r2;
    mov.b64 %d, %out;
    st.global.u32 [%d+8], 0x10;
  )",
                          32);
  EXPECT_EQ(values[1], 10u);
  EXPECT_EQ(values[2], 16u);
}

} // namespace
} // namespace fa4::emulator::test
