#include "codegen/Explain.h"
#include <gtest/gtest.h>

using namespace tile;

namespace {

llvm::json::Object entry(llvm::StringRef text) {
  return *llvm::cantFail(llvm::json::parse(text)).getAsObject();
}

TEST(Explain, AlignsListsOfObjectsAsTables) {
  std::string text = explain(entry(R"({
    "name": "k", "block": [512, 1, 1],
    "resources": {
      "flops": 4096,
      "smem_map": [{"name": "q", "bytes": 32768, "offset": 0},
                   {"name": "kv", "bytes": 98304, "offset": 32768}]}})"));
  EXPECT_EQ(text, "k\n"
                  "  block                  512, 1, 1\n"
                  "  flops                  4096\n"
                  "\n"
                  "smem map\n"
                  "  name  offset  bytes\n"
                  "  q          0  32768\n"
                  "  kv     32768  98304\n");
}

TEST(Explain, LeavesAMissingFieldBlank) {
  std::string text = explain(entry(R"({
    "resources": {"barriers": [{"name": "full", "count": 1},
                               {"name": "empty", "kind": "mma"}]}})"));
  EXPECT_EQ(text, "\nbarriers\n"
                  "  name   kind  count\n"
                  "  full             1\n"
                  "  empty  mma\n");
}

} // namespace
