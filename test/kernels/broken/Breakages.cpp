// The catalogue. Patterns go by instruction, not by register name, so that it
// outlives changes of the compiler; roles follow each other in the text as
// softmax, correct, load, mma, store.
#include "test/kernels/broken/Breakage.h"

namespace fa4::test {

#define TRY_WAIT R"(mbarrier\.try_wait\.parity\S* (%p\d+), )"

const std::vector<Breakage> &breakages() {
  using enum Which;
  constexpr const char *correct = R"(setmaxnreg\.dec)";
  constexpr const char *load = R"(shared::cta\.global\.tile)";
  constexpr const char *multiply = R"(tcgen05\.mma)";
  constexpr const char *copyIn =
      R"((cp\.async\.bulk\.tensor\.4d\.shared::cta\.global\S*) \[(\S+)\], \[(%rd\d+), \{(%r\d+), (%r\d+), (%r\d+), (%r\d+)\}\])";
  constexpr const char *alwaysTrue = "setp.eq.b32 $1, 0, 0;";
  static const std::vector<Breakage> all = {
      // Hand-overs that never come.
      {"DropsTheCommitOfTheScores", "deadlock", {{R"(tcgen05\.commit)", ""}}},
      {"DropsTheReleaseOfAKeySlot",
       "deadlock",
       {{R"(tcgen05\.commit)", "", Last}}},
      {"DropsAnArrival",
       "deadlock",
       {{R"(mbarrier\.arrive\.shared)", "", First, correct}}},
      {"ExpectsOneArrivalTooMany",
       "deadlock",
       {{R"(mov\.b32(\s+%r\d+), 4;)", "mov.b32$1, 5;"}}},
      {"ExpectsMoreBytesThanCome",
       "deadlock",
       {{R"((mbarrier\.arrive\.expect_tx\S* \S+ \S+) (%r\d+);)",
         "add.s32 $2, $2, 16; $1 $2;"}}},
      {"RaisesRegistersPastThePool",
       "deadlock",
       {{R"((setmaxnreg\.inc\S*\s+)\d+;)", "$01 248;"}}},
      // Hand-overs that come too early.
      {"SwapsThePhaseOfQ",
       "deadlock",
       {{TRY_WAIT R"((\[shared_memory\]), %r\d+;)",
         "mbarrier.try_wait.parity.shared.b64 $1, $2, 1;"}}},
      {"NeverFlipsThePhaseOfTheScores",
       "tmem",
       {{R"(xor\.b32\s+(%r\d+), \1, 1;)", "", Third}}},
      {"DoesNotWaitForValues",
       "race",
       {{TRY_WAIT R"(\[%r\d+\], %r\d+;)", alwaysTrue, First, multiply}}},
      {"DoesNotWaitForProbabilities",
       "tmem",
       {{TRY_WAIT R"(\[shared_memory\+\d+\], %r\d+;)", alwaysTrue, Second,
         multiply}}},
      {"ExpectsOneArrivalTooFew",
       "tmem",
       {{R"(mov\.b32(\s+%r\d+), 4;)", "mov.b32$1, 3;"}}},
      {"ExpectsFewerBytesThanCome",
       "deadlock",
       {{R"((mbarrier\.arrive\.expect_tx\S* \S+ \S+) (%r\d+);)",
         "add.s32 $2, $2, -16; $1 $2;"}}},
      {"ExpectsNoBytes",
       "race",
       {{R"(mbarrier\.arrive\.expect_tx(\S* \S+ \S+), (%r\d+);)",
         "mbarrier.arrive$1;"}}},
      {"ArrivesTwice",
       "barrier",
       {{R"((mbarrier\.arrive\.shared\S* \s*%rd\d+, \[\S+\];))", "$1 $1",
         First}}},
      {"DropsTheWarpSyncBeforeAnArrival",
       "race",
       {{R"(bar\.warp\.sync)", "", First, R"(st\.shared\.b32)", true}}},
      {"DropsTheBarrierAfterInitialization", "race", {{R"(bar\.sync)", ""}}},
      // Missing waits and fences of one thread.
      {"MissesWaitLd", "strict", {{R"(tcgen05\.wait::ld)", "", Every}}},
      {"MissesWaitSt", "tmem", {{R"(tcgen05\.wait::st)", ""}}},
      {"MissesTheProxyFence", "proxy", {{R"(fence\.proxy\.async)", ""}}},
      {"MissesTheWaitForTheStore",
       "race",
       {{R"(cp\.async\.bulk\.wait_group)", "", Every}}},
      // Wrong numbers.
      {"WrongSwizzleInADescriptor",
       "init",
       {{R"(, 1073758272;)", ", 2147500096;", Every}}},
      {"WrongStrideInADescriptor",
       "wrong result",
       {{R"(, 1073758272;)", ", 1073758240;", Every}}},
      {"WrongTypeInTheInstructionDescriptor",
       "wrong result",
       {{R"(, 136316048;)", ", 136315920;", Every}}},
      {"WrongTransposeInTheInstructionDescriptor",
       "init",
       {{R"(, 135333008;)", ", 135267472;", Every}}},
      {"AccumulatesOntoWhatWasThere",
       "init",
       {{R"(mov\.pred(\s+%p\d+), 0;)", "mov.pred$1, -1;", First, load}}},
      {"WrongTmemColumnOfALoad",
       "wrong result",
       {{R"((tcgen05\.ld.*\[%r\d+)\];)", "$1+1];"}}},
      {"WrongTmemColumnOfProbabilities",
       "wrong result",
       {{R"((tcgen05\.mma.*\[%r\d+\], \[%r\d+)\])", "$1+8]"}}},
      {"LoadsKeysOneRowOff",
       "wrong result",
       {{copyIn, "add.s32 $6, $6, 1; $1 [$2], [$3, {$4, $5, $6, $7}]", Third}}},
      {"LoadsKeysForValues",
       "wrong result",
       {{R"((cvta\.param\.u64\s+%rd\d+), (%rd\d+);)", "$1, %rd_keys;", Second},
        {R"((mov\.b64\s+)(%rd\d+)(, fa4_fwd_param_1;))",
         ".reg .b64 %rd_keys; mov.b64 %rd_keys, fa4_fwd_param_1; $1$2$3"}}},
      {"SwapsHeadAndBatch",
       "wrong result",
       {{copyIn, "$1 [$2], [$3, {$4, $7, $6, $5}]", First}}},
      {"LoadsTheFirstHalfOfQTwice",
       "wrong result",
       {{R"(or\.b32(\s+%r\d+), (%r\d+), 128;)", "mov.b32$1, $2;"}}},
      {"StoresBothHalvesToTheFirst",
       "race",
       {{R"(or\.b32(\s+%r\d+), (%r\d+), 128;)", "mov.b32$1, $2;", Last}}},
      {"DoesNotMaskTheTail",
       "wrong result",
       {{R"(setp\.gt\.s32(\s+%p\d+, %r\d+), (6[4-9]|[7-9]\d|1[01]\d|12[0-7]);)",
         "setp.gt.s32$1, -1000000;", Every}}},
      {"MasksOneKeyTooMany",
       "wrong result",
       {{R"(setp\.gt\.s32(\s+%p\d+, %r\d+), 71;)", "setp.gt.s32$1, 72;",
         Every}}},
      {"DropsARescaledColumn",
       "wrong result",
       {{R"(tcgen05\.st.*x16)", "", First, correct}}},
      {"ForgetsLn2InLse", "wrong result", {{R"(0f3F317218)", "0f3F800000"}}},
      {"StoresLseOneRowOff",
       "wrong result",
       {{R"((st\.global\.b32\s+\[%rd\d+)\])", "$1+4]"}}},
      // Tensor memory.
      {"ForgetsToDeallocate", "tmem", {{R"(tcgen05\.dealloc)", ""}}},
      {"AllocatesTooFewColumns",
       "tmem",
       {{R"(mov\.b32(\s+%r\d+), 512;)", "mov.b32$1, 256;", Every}}}};
  return all;
}
#undef TRY_WAIT

} // namespace fa4::test
