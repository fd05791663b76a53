// The catalogue for fa4_bwd. Roles follow each other in the text as compute,
// reduce, load, mma, store.
#include "test/kernels/broken/Breakage.h"

namespace fa4::test {

const std::vector<Breakage> &backwardBreakages() {
  using enum Which;
  constexpr const char *reduce = R"(setmaxnreg\.dec)";
  constexpr const char *multiply = R"(tcgen05\.mma)";
  static const std::vector<Breakage> all = {
      {"DropsTheCommitOfTheScores", "deadlock", {{R"(tcgen05\.commit)", ""}}},
      {"DropsTheArrivalOfDS",
       "deadlock",
       {{R"(mbarrier\.arrive\.shared)", "", Second}}},
      {"NeverHandsQBack",
       "deadlock",
       {{R"(tcgen05\.commit.*\[%r\d+\+16\])", "", Third}}},
      {"StoresDQInsteadOfAdding",
       "race",
       {{R"(cp\.reduce(\.async\.bulk\.tensor\.4d\.global\.shared::cta)\.add)",
         "cp$1", Every}}},
      {"AddsDQToTheNextColumns",
       "wrong result",
       {{R"((cp\.reduce\S*) (\[%rd\d+, \{)%r\d+,)", "$1 $2 32,"}}},
      {"MissesTheFenceForDS",
       "proxy",
       {{R"(fence\.proxy\.async\.shared::cta)", "// "}}},
      {"MissesTheFenceForSums",
       "proxy",
       {{R"(fence\.proxy\.async\.shared::cta)", "// ", First, reduce}}},
      {"MissesTheWaitForStoredP", "tmem", {{R"(tcgen05\.wait::st)", "// "}}},
      {"TakesTheWrongKeyForDQ",
       "wrong result",
       {{R"(mov\.b32(\s+%r\d+), 135365776;)", "mov.b32$1, 135333008;"}}},
      {"ReusesDQBeforeItIsRead",
       "tmem",
       {{R"(mbarrier\.try_wait\.parity\S* (%p\d+), \[shared_memory\+248\], %r\d+;)",
         "setp.eq.b32 $1, 0, 0;", Second, multiply}}},
      {"ExpectsFewerBytesThanCome",
       "deadlock",
       {{R"((mbarrier\.arrive\.expect_tx\S* \S+ \S+) (%r\d+);)",
         "add.s32 $2, $2, -16; $1 $2;"}}},
  };
  return all;
}

const std::vector<Breakage> &orderBreakages() {
  static const std::vector<Breakage> all = {
      {"DoesNotWaitForItsTurn",
       "race",
       {{R"(@%p\d+ bra)", "// ", Which::First, R"(ld\.acquire)"}}},
      {"WaitsWithoutAcquire", "race", {{R"(ld\.acquire)", "ld.relaxed"}}},
      {"PostsWithoutRelease", "race", {{R"(red\.release)", "red.relaxed"}}},
      {"PostsBeforeTheSumsAreWritten",
       "race",
       {{R"(cp\.async\.bulk\.wait_group\s+0)", "// "}}},
      {"PostsWhenTheSumsAreRead",
       "race",
       {{R"(cp\.async\.bulk\.wait_group(\s+0))",
         "cp.async.bulk.wait_group.read$1"}}},
      {"NeverPosts", "deadlock", {{R"(red\.release)", "// "}}},
      {"PostsTwice", "deadlock", {{R"((red\.release\S* \S+) 1;)", "$1 2;"}}},
      {"TakesTheNumberOfTheCtaForATicket",
       "deadlock",
       {{R"(atom\.global\.add\.u32(\s+%r\d+),.*)", "mov.u32 $1, %ctaid.x;"}}},
  };
  return all;
}

} // namespace fa4::test
