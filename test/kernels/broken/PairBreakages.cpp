// The catalogue for fa4_bwd by pairs of CTAs: what goes wrong between the two.
// Roles follow each other in the text as compute, reduce, mma, load, exchange,
// store.
#include "test/kernels/broken/Breakage.h"

namespace fa4::test {

const std::vector<Breakage> &pairBreakages() {
  using enum Which;
  constexpr const char *reduce = R"(setmaxnreg\.dec)";
  constexpr const char *multiply = R"(tcgen05\.mma)";
  constexpr const char *roles = R"(setmaxnreg\.dec)";
  constexpr const char *loads = R"(cta_group::2 \[shared_memory\+116736\])";
  constexpr const char *send = R"(cp\.async\.bulk\.shared::cluster)";
  constexpr const char *wait =
      R"(mbarrier\.try_wait\.parity\S* (%p\d+), \[\S+\], %r\d+;)";
  constexpr const char *alwaysTrue = "setp.eq.b32 $1, 0, 0;";
  static const std::vector<Breakage> all = {
      // The two CTAs begin and end together.
      {"StartsBeforeThePeerIsSetUp",
       "race",
       {{R"(barrier\.cluster\.arrive\.aligned;)", "bar.sync 0;"},
        {R"(barrier\.cluster\.wait\.aligned;)", ""}}},
      {"LeavesWhileThePeerIsAtWork",
       "race",
       {{R"(barrier\.cluster\.arrive\.aligned;)", "bar.sync 0;", Last},
        {R"(barrier\.cluster\.wait\.aligned;)", "", Last}}},
      {"LeadsFromTheWrongCta",
       "deadlock",
       {{R"(setp\.ne\.b32(\s+%p\d+), (%r\d+), 0;)", "setp.ne.b32$1, $2, 1;",
         First, roles, true}}},
      // Hand-overs from one to the other.
      {"CommitsToTheLeaderAlone",
       "deadlock",
       {{R"((tcgen05\.commit\S*)\.multicast::cluster(\S*\s+\[\S+\]), %rs\d+;)",
         "$1$2;"}}},
      {"ArrivesAtThePeerOfTheLeader",
       "deadlock",
       {{R"((mapa\S*\s+%r\d+, %r\d+), 0;)", "$1, 1;"}}},
      {"CountsTheBytesOfQInThePeer",
       "deadlock",
       {{R"((mapa\S*\s+%r\d+, %r\d+), 0;)", "$1, 1;", Third,
         R"(cta_group::2 \[shared_memory\+2048\])"}}},
      {"WaitsForOneCtaOnly",
       "barrier",
       {{R"(mov\.b32(\s+%r\d+), 8;)", "mov.b32$1, 4;"}}},
      {"MultipliesWithoutThePeersDS",
       "deadlock",
       {{R"(mbarrier\.arrive\.release\.cluster)", "", First, send}}},
      // What travels.
      {"SendsToItself",
       "race",
       {{R"(xor\.b32(\s+%r\d+), (%r\d+), 1;)", "mov.b32$1, $2;", First, loads,
         true}}},
      {"ExpectsFewerBytesThanTravel",
       "deadlock",
       {{R"((mbarrier\.arrive\.expect_tx\S* _, \S+) (%r\d+);)",
         "add.s32 $2, $2, -16; $1 $2; add.s32 $2, $2, 16;", First, loads,
         true}}},
      {"SendsFewerBytesThanExpected",
       "deadlock",
       {{R"((cp\.async\.bulk\.shared::cluster\S* \S+ \S+) (%r\d+),)",
         "add.s32 $2, $2, -16; $1 $2,"}}},
      {"CountsWhatIsSentInItsOwnCta",
       "barrier",
       {{R"((cp\.async\.bulk\.shared::cluster.*), \[%r\d+\];)",
         "$1, [shared_memory+152];"}}},
      {"SendsTheRowsOfItsOwnShare",
       "race",
       {{R"((cp\.async\.bulk\.shared::cluster.*)\[shared_memory\+198656\])",
         "$1[shared_memory+182272]"}}},
      {"SendsBeforeAllHaveStored",
       "init",
       {{wait, alwaysTrue, First, loads, true}}},
      {"DoesNotWaitForThePeersHalf", "race", {{wait, alwaysTrue, First, send}}},
      {"MissesTheFenceForDS",
       "proxy",
       {{R"(fence\.proxy\.async\.shared::cta)", "// "}}},
      // The pair's products.
      {"OverwritesDQBeforeItIsRead",
       "tmem",
       {{R"(mbarrier\.try_wait\.parity\S* (%p\d+), \[shared_memory\+280\], %r\d+;)",
         alwaysTrue, First, multiply}}},
      {"AddsTheRightHalfOfDQToTheLeft",
       "wrong result",
       {{R"((cp\.reduce\S*) (\[%rd\d+, \{)%r\d+,)", "$1 $2 0,", Second}}},
      {"AllocatesForItselfAlone",
       "tmem",
       {{R"(tcgen05\.alloc\.cta_group::2)", "tcgen05.alloc.cta_group::1"}}},
      {"MissesTheFenceForSums",
       "proxy",
       {{R"(fence\.proxy\.async\.shared::cta)", "// ", First, reduce}}},
  };
  return all;
}

} // namespace fa4::test
