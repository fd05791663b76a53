#include "runtime/Npy.h"
#include "ExpectError.h"
#include "runtime/AtomicFile.h"

#include <filesystem>
#include <fstream>

namespace fa4 {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

std::string filePath(const std::string &name) {
  return testing::TempDir() + "/fa4_" +
         testing::UnitTest::GetInstance()->current_test_info()->name() + name;
}

void writeText(const std::string &path, const std::string &text) {
  std::ofstream(path, std::ios::binary) << text;
}

std::string headerFile(const std::string &header, const std::string &data) {
  std::string file("\x93NUMPY\x01\x00", 8);
  file += static_cast<char>(header.size());
  file += '\0';
  return file + header + data;
}

// A link stays a link, what it names gets the bytes.
TEST(WriteFile, WritesThroughLinks) {
  const std::string target = filePath(".target"), link = filePath(".link");
  std::filesystem::remove(link);
  writeText(target, "old");
  std::filesystem::create_symlink(target, link);
  writeFile(link, {std::as_bytes(std::span("new", 3))});
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(readTextFile(target), "new");
  writeFile("/dev/null", {std::as_bytes(std::span("new", 3))});
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  EXPECT_EQ(errorOf([] {
              writeFile("/dev/full", {std::as_bytes(std::span("new", 3))});
            }),
            "can't write '/dev/full': No space left on device");
}

// What was written is read back, with scalars, empty and 1-d shapes.
TEST(Npy, RoundTrip) {
  std::string path = filePath(".npy");
  for (std::vector<int64_t> shape :
       {std::vector<int64_t>{}, {1}, {0, 3}, {2, 3}}) {
    int64_t count = 1;
    for (int64_t dim : shape)
      count *= dim;
    std::vector<float> values(static_cast<std::size_t>(count), 1.5f);
    writeNpy(path, ElementType::F32, shape,
             std::as_bytes(std::span<const float>(values)));
    NpyArray array = readNpy(path);
    EXPECT_EQ(array.shape, shape);
    EXPECT_EQ(array.floats(), values);
    EXPECT_EQ(std::filesystem::file_size(path) % 64, values.size() * 4);
  }
}

// bf16 elements become f32 in the file.
TEST(Npy, WidensBF16) {
  std::string path = filePath(".npy");
  std::vector<float> values = {1, -0.5f};
  std::vector<int64_t> shape = {2};
  writeNpy(path, ElementType::BF16, shape,
           encodeElements(ElementType::BF16, values));
  NpyArray array = readNpy(path);
  EXPECT_EQ(array.type, ElementType::F32);
  EXPECT_EQ(array.floats(), values);
  EXPECT_EQ(array.bytesAs(ElementType::BF16),
            encodeElements(ElementType::BF16, values));
}

// The header as NumPy writes it, of version 2.
TEST(Npy, ReadsVersion2) {
  std::string header =
      "{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }\n";
  std::string file("\x93NUMPY\x02\x00", 8);
  file += static_cast<char>(header.size());
  file += std::string(3, '\0') + header + "\x05\x06";
  writeText(filePath(".npy"), file);
  EXPECT_EQ(readNpy(filePath(".npy")).floats(), (std::vector<float>{5, 6}));
}

TEST(Npy, NamesTheMissingFile) {
  EXPECT_EQ(errorOf([] { readNpy("/nonexistent/a.npy"); }),
            "can't read '/nonexistent/a.npy': No such file or directory");
  EXPECT_EQ(errorOf([] { readNpy("/tmp"); }),
            "can't read '/tmp': it is a directory");
  EXPECT_EQ(errorOf([&] { readNpy("/dev/zero"); }),
            "can't read '/dev/zero': it is a device");
}

TEST(Npy, RejectsOtherFiles) {
  std::string path = filePath(".npy");
  writeText(path, "hello");
  EXPECT_THAT(errorOf([&] { readNpy(path); }), EndsWith("is not a .npy file"));
}

TEST(Npy, RejectsTruncation) {
  std::string path = filePath(".npy");
  std::string header =
      "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n";
  writeText(path, headerFile(header, std::string(20, '\0')));
  EXPECT_THAT(errorOf([&] { readNpy(path); }),
              EndsWith("has 20 bytes of data, expected 24 for shape (2, 3)"));
  writeText(path, headerFile(header, "").substr(0, 30));
  EXPECT_THAT(errorOf([&] { readNpy(path); }),
              EndsWith("is truncated in its header"));
}

TEST(Npy, RejectsWhatItDoesNotRead) {
  std::string path = filePath(".npy");
  writeText(path, headerFile("{'descr': '<i8', 'fortran_order': False, "
                             "'shape': (1,), }\n",
                             std::string(8, '\0')));
  EXPECT_THAT(errorOf([&] { readNpy(path); }),
              HasSubstr("has dtype '<i8', expected one of"));
  writeText(path, headerFile("{'descr': '<f4', 'fortran_order': True, "
                             "'shape': (1,), }\n",
                             std::string(4, '\0')));
  EXPECT_THAT(errorOf([&] { readNpy(path); }),
              EndsWith("is in Fortran order, expected C order"));
  writeText(path, headerFile("{'descr': '<f4', 'fortran_order': False, "
                             "'shape': (9999999, 9999999), }\n",
                             ""));
  EXPECT_THAT(errorOf([&] { readNpy(path); }),
              EndsWith("more than 2^40 elements"));
  writeText(path, headerFile("{'fortran_order': False, 'shape': (1,), }", ""));
  EXPECT_THAT(errorOf([&] { readNpy(path); }),
              EndsWith("has no 'descr' in its header"));
  writeText(path, headerFile("{'descr': '<f4', 'fortran_order': False, "
                             "'shape': (-1,), }\n",
                             ""));
  EXPECT_THAT(errorOf([&] { readNpy(path); }),
              EndsWith("has a malformed shape in its header"));
}

TEST(Npy, ChecksShape) {
  NpyArray array{ElementType::F32, {2, 3}, {}};
  std::vector<int64_t> expected = {2, 4};
  EXPECT_EQ(errorOf([&] { expectShape("q.npy", array, expected); }),
            "'q.npy' has shape (2, 3), expected (2, 4)");
}

// A failed write leaves neither the file nor a temporary one.
TEST(Npy, LeavesNoPartialFile) {
  NpyArray array{ElementType::F32, {1}, std::vector<std::byte>(4)};
  EXPECT_EQ(errorOf([&] { writeNpy("/nonexistent/o.npy", array); }),
            "can't write '/nonexistent/o.npy': No such file or directory");
  std::string directory = filePath("_dir");
  std::filesystem::create_directories(directory + "/o.npy");
  EXPECT_THAT(errorOf([&] { writeNpy(directory + "/o.npy", array); }),
              HasSubstr("can't write '"));
  auto files = std::filesystem::directory_iterator(directory);
  EXPECT_EQ(std::distance(begin(files), end(files)), 1);
}

} // namespace
} // namespace fa4
