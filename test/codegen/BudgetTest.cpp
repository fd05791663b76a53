#include "codegen/Budget.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using testing::ElementsAre;

namespace tile {
namespace {

std::vector<std::string> linesOf(const char *text) {
  auto entry = llvm::json::parse(text);
  if (!entry) {
    ADD_FAILURE() << llvm::toString(entry.takeError());
    return {};
  }
  return budgetLines(*entry->getAsObject());
}

// Pipes that share columns or bytes are named. Warps without a role have
// registers, too.
TEST(Budget, NamesOverlapsAndIdleWarps) {
  EXPECT_THAT(linesOf(R"({
      "block": [192, 1, 1], "dynamic_shared_bytes": 4096,
      "resources": {
        "tmem_columns": 256, "mbarriers": 3,
        "smem_map": [{"name": "q", "offset": 0, "bytes": 2048},
                     {"name": "o", "offset": 1024, "bytes": 1024}],
        "tmem_map": [{"name": "s", "column": 0, "columns": 128},
                     {"name": "p", "column": 64, "columns": 64}],
        "roles": [{"name": "a", "warps": 4, "registers": 100},
                  {"name": "b", "warps": 1, "registers": 40}]}})"),
              ElementsAre("budget shared memory: 4096 of 232448 bytes; 'q' and "
                          "'o' overlap; that their lifetimes don't is not "
                          "checked here",
                          "budget tensor memory: 256 of 512 columns allocated, "
                          "192 used; 's' and 'p' overlap; their hand-overs "
                          "order the uses",
                          "budget registers: 15360 of 65536 (a 128 x 100, b 32 "
                          "x 40, idle 32 x 40)",
                          "budget mbarriers: 3, 24 bytes"));
}

} // namespace
} // namespace tile
