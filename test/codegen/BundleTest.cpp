#include "codegen/Bundle.h"
#include "dsl/record/Recorded.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include <gtest/gtest.h>

using namespace tile;

namespace {

/// A kernel that is lowered already; --broken makes one that can't be.
KernelDefinition storeKernel() {
  KernelDefinition kernel;
  kernel.name = "store";
  kernel.archs = {Arch::sm_100a};
  kernel.headDims = {{64, 64}, {128, 128}};
  kernel.schedule = {{"broken", "use an op that LLVM IR has not"},
                     {"invalid", "say that the recording went wrong"}};
  kernel.build = [](const Request &request) {
    auto impl = std::make_unique<Kernel::Impl>();
    impl->context = std::make_unique<mlir::MLIRContext>();
    impl->context->loadDialect<mlir::LLVM::LLVMDialect, mlir::NVVM::NVVMDialect,
                               mlir::arith::ArithDialect>();
    std::string store = R"(
      module attributes {tile.launch = {op = "store"}} {
        llvm.func @store(%p: !llvm.ptr<1>, %x: i32) attributes {nvvm.kernel} {
          BROKEN
          llvm.store %x, %p : i32, !llvm.ptr<1>
          llvm.return
        }
      })";
    store.replace(store.find("BROKEN"), 6,
                  request.get("broken", 0) ? "%y = arith.addi %x, %x : i32"
                                           : "");
    impl->module =
        mlir::parseSourceString<mlir::ModuleOp>(store, impl->context.get());
    impl->valid = !request.get("invalid", 0);
    return Kernel(std::move(impl));
  };
  return kernel;
}

class Bundle : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("fa4-test", folder));
    options.folder = folder.str().str();
    options.jobs = 2;
  }
  void TearDown() override { llvm::sys::fs::remove_directories(folder); }

  std::vector<Specialization> specs(llvm::StringRef text) {
    return llvm::cantFail(parseSpecFile(registry, "specs", text));
  }
  bool exists(const char *file) {
    return llvm::sys::fs::exists(options.folder + "/" + file);
  }
  llvm::json::Value manifest() {
    auto buffer =
        llvm::MemoryBuffer::getFile(options.folder + "/manifest.json");
    return llvm::cantFail(llvm::json::parse((*buffer)->getBuffer()));
  }

  KernelRegistry registry = {storeKernel()};
  llvm::SmallString<128> folder;
  BundleOptions options;
};

TEST_F(Bundle, WritesOneManifestInListOrder) {
  ASSERT_FALSE(writeBundle(specs("store\nstore --head-dim 64"), options));
  EXPECT_TRUE(exists("store_sm100a_bf16_d128.ptx"));
  llvm::json::Value document = manifest();
  const llvm::json::Array &kernels =
      *document.getAsObject()->getArray("kernels");
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[1].getAsObject()->getString("ptx"),
            "store_sm100a_bf16_d64.ptx");
  EXPECT_EQ(kernels[1].getAsObject()->getString("op"), "store");
  EXPECT_EQ(kernels[1].getAsObject()->getString("entry"), "store");
}

TEST_F(Bundle, DropsFilesOfTheFormerBundle) {
  ASSERT_FALSE(writeBundle(specs("store\nstore --head-dim 64"), options));
  ASSERT_FALSE(writeBundle(specs("store"), options));
  EXPECT_TRUE(exists("store_sm100a_bf16_d128.ptx"));
  EXPECT_FALSE(exists("store_sm100a_bf16_d64.ptx"));
}

TEST_F(Bundle, WritesNothingWhenOneKernelFails) {
  llvm::Error error = writeBundle(specs("store\nstore --broken"), options);
  std::string message = llvm::toString(std::move(error));
  EXPECT_NE(message.find("store_sm100a_bf16_d128_broken1: the lowered module "
                         "can't be translated to LLVM IR"),
            std::string::npos)
      << message;
  EXPECT_FALSE(exists("manifest.json"));
  EXPECT_FALSE(exists("store_sm100a_bf16_d128.ptx"));
}

TEST_F(Bundle, NamesAKernelThatCannotBeRecorded) {
  EXPECT_EQ(llvm::toString(writeBundle(specs("store --invalid"), options)),
            "kernel 'store' can't be recorded");
}

TEST_F(Bundle, LeavesNoFolderThatItMade) {
  options.folder += "/new/inner";
  llvm::Error error = writeBundle(specs("store --broken"), options);
  EXPECT_TRUE(bool(error));
  llvm::consumeError(std::move(error));
  EXPECT_FALSE(llvm::sys::fs::exists(folder + "/new"));
  EXPECT_TRUE(llvm::sys::fs::exists(folder));
}

TEST_F(Bundle, RejectsAVariantTwice) {
  EXPECT_EQ(llvm::toString(writeBundle(specs("store\nstore"), options)),
            "'store_sm100a_bf16_d128' is in the bundle twice");
}

} // namespace
