#include "codegen/AtomicFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include <gtest/gtest.h>

using namespace tile;

namespace {

/// An empty folder that goes with the test.
class AtomicFile : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("fa4-test", folder));
  }
  void TearDown() override { llvm::sys::fs::remove_directories(folder); }

  std::string path(const char *file) { return folder.str().str() + "/" + file; }
  int files() {
    std::error_code code;
    int count = 0;
    for (llvm::sys::fs::directory_iterator i(folder, code), end;
         i != end && !code; i.increment(code))
      ++count;
    return count;
  }

  llvm::SmallString<128> folder;
};

TEST_F(AtomicFile, ReplacesAFileAndLeavesNothingElse) {
  ASSERT_FALSE(writeFileAtomically(path("a"), "first"));
  ASSERT_FALSE(writeFileAtomically(path("a"), "second"));
  EXPECT_EQ((*llvm::MemoryBuffer::getFile(path("a")))->getBuffer(), "second");
  EXPECT_EQ(files(), 1);
}

TEST_F(AtomicFile, NamesThePathThatCannotBeWritten) {
  std::string missing = path("no/such/file");
  EXPECT_EQ(llvm::toString(writeFileAtomically(missing, "x")),
            "can't write '" + missing + "': No such file or directory");
  std::string self = folder.str().str();
  EXPECT_EQ(llvm::toString(writeFileAtomically(self, "x")),
            "can't write '" + self + "': Is a directory");
  EXPECT_EQ(files(), 0);
}

TEST_F(AtomicFile, WritesAllFilesOrNone) {
  ASSERT_FALSE(writeFileAtomically(path("a"), "before"));
  std::string missing = path("no/b");
  EXPECT_EQ(llvm::toString(
                writeFilesAtomically({{path("a"), "after"}, {missing, "x"}})),
            "can't write '" + missing + "': No such file or directory");
  EXPECT_EQ((*llvm::MemoryBuffer::getFile(path("a")))->getBuffer(), "before");
  EXPECT_EQ(files(), 1);
}

TEST_F(AtomicFile, WritesThroughToADevice) {
  EXPECT_FALSE(writeFileAtomically("/dev/null", "x"));
  EXPECT_FALSE(llvm::sys::fs::is_regular_file("/dev/null"));
}

} // namespace
