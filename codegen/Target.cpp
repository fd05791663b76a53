#include "codegen/Target.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include <mutex>

extern "C" {
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

namespace tile {
namespace {

constexpr const char *nvptxTriple = "nvptx64-nvidia-cuda";

/// The lowest PTX version that has every instruction the passes emit:
/// 8.8 brings the three-input max of sm_100a, 8.6 the .shared::cta TMA load.
const char *ptxFeature(Arch arch) {
  return arch == Arch::sm_100a ? "+ptx88" : "+ptx86";
}

/// Switches LLVM's process-wide option for 32-bit shared pointers on.
class ShortPointers {
public:
  ShortPointers() {
    llvm::cl::Option *found =
        llvm::cl::getRegisteredOptions().lookup("nvptx-short-ptr");
    assert(found && "the NVPTX target of LLVM 22 has this option");
    option = static_cast<llvm::cl::opt<bool> *>(found);
    before = option->getValue();
    option->setValue(true);
  }
  ~ShortPointers() { option->setValue(before); }

private:
  llvm::cl::opt<bool> *option;
  bool before;
};

std::mutex &machineMutex() {
  static std::mutex mutex;
  return mutex;
}

} // namespace

const std::vector<Arch> &allArchs() {
  static const std::vector<Arch> archs = {Arch::sm_100a, Arch::sm_90a};
  return archs;
}

std::optional<Arch> parseArch(llvm::StringRef text) {
  for (Arch arch : allArchs())
    if (text == llvm::StringRef(name(arch)))
      return arch;
  return std::nullopt;
}

std::unique_ptr<llvm::TargetMachine> createTargetMachine(Arch arch) {
  std::lock_guard<std::mutex> lock(machineMutex());
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
  llvm::Triple triple(nvptxTriple);
  std::string message;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, message);
  assert(target && "initialized above");
  ShortPointers shortPointers;
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, name(arch), ptxFeature(arch), llvm::TargetOptions(), std::nullopt,
      std::nullopt, llvm::CodeGenOptLevel::Aggressive));
}

void setTarget(mlir::ModuleOp module, const llvm::TargetMachine &machine) {
  mlir::MLIRContext *context = module.getContext();
  module->setAttr(
      mlir::LLVM::LLVMDialect::getDataLayoutAttrName(),
      mlir::StringAttr::get(
          context, machine.createDataLayout().getStringRepresentation()));
  module->setAttr(
      mlir::LLVM::LLVMDialect::getTargetTripleAttrName(),
      mlir::StringAttr::get(context, machine.getTargetTriple().str()));
}

} // namespace tile
