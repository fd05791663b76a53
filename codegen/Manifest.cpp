#include "codegen/Manifest.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"

namespace tile {
namespace {

llvm::json::Value integerToJson(mlir::IntegerAttr attribute) {
  if (attribute.getType().isInteger(1))
    return attribute.getValue().getBoolValue();
  return attribute.getValue().getSExtValue();
}

llvm::json::Value dictionaryToJson(mlir::DictionaryAttr dictionary) {
  llvm::json::Object object;
  for (mlir::NamedAttribute entry : dictionary)
    object[entry.getName().str()] = toJson(entry.getValue());
  return object;
}

llvm::json::Value printedToJson(mlir::Attribute attribute) {
  std::string text;
  llvm::raw_string_ostream out(text);
  attribute.print(out);
  return text;
}

void addReport(llvm::json::Object &resources, const PtxasReport &report) {
  resources["registers"] = report.registers;
  resources["spill_bytes"] = report.spillStores + report.spillLoads;
  resources["stack_bytes"] = report.stack;
  resources["static_shared_bytes"] = report.staticShared;
}

/// object[field] as an object, made where it is missing.
llvm::json::Object &child(llvm::json::Object &object, llvm::StringRef field) {
  llvm::json::Value &value = object[field];
  if (!value.getAsObject())
    value = llvm::json::Object();
  return *value.getAsObject();
}

} // namespace

llvm::json::Value toJson(mlir::Attribute attribute) {
  return llvm::TypeSwitch<mlir::Attribute, llvm::json::Value>(attribute)
      .Case(dictionaryToJson)
      .Case([](mlir::ArrayAttr array) {
        return llvm::json::Array(llvm::map_range(array, toJson));
      })
      .Case([](mlir::StringAttr text) { return text.str(); })
      .Case(integerToJson)
      .Case([](mlir::FloatAttr number) { return number.getValueAsDouble(); })
      .Case([](mlir::DenseI32ArrayAttr array) {
        return llvm::json::Array(array.asArrayRef());
      })
      .Case([](mlir::DenseI64ArrayAttr array) {
        return llvm::json::Array(array.asArrayRef());
      })
      .Case([](mlir::UnitAttr) { return true; })
      .Default(printedToJson);
}

mlir::DictionaryAttr launchOf(mlir::ModuleOp module) {
  if (auto launch = module->getAttrOfType<mlir::DictionaryAttr>("tile.launch"))
    return launch;
  return mlir::DictionaryAttr::get(module.getContext());
}

std::string entryOf(mlir::ModuleOp module) {
  for (auto function : module.getOps<mlir::LLVM::LLVMFuncOp>())
    if (function->hasAttr(mlir::NVVM::NVVMDialect::getKernelFuncAttrName()))
      return function.getName().str();
  return "";
}

llvm::json::Object manifestEntry(llvm::json::Object launch,
                                 const ManifestInput &input) {
  llvm::json::Object entry = std::move(launch);
  entry["name"] = input.name;
  entry["arch"] = std::string(name(input.arch));
  entry["entry"] = input.entry;
  if (!input.ptxFile.empty())
    entry["ptx"] = input.ptxFile;
  if (!input.cubinFile.empty())
    entry["cubin"] = input.cubinFile;
  llvm::json::Object &key = child(entry, "key");
  for (const auto &part : input.key)
    key.try_emplace(part.first, part.second);
  if (input.report)
    addReport(child(entry, "resources"), *input.report);
  llvm::json::Object &tools = child(entry, "tools");
  tools["fa4-gen"] = FA4_VERSION;
  tools["llvm"] = LLVM_VERSION_STRING;
  if (!input.ptxasVersion.empty())
    tools["ptxas"] = input.ptxasVersion;
  if (!input.ptx.empty())
    entry["hash"] = contentHash(input.ptx);
  return entry;
}

std::string manifestText(std::vector<llvm::json::Object> entries) {
  llvm::json::Array kernels;
  for (llvm::json::Object &entry : entries)
    kernels.push_back(std::move(entry));
  llvm::json::Value manifest =
      llvm::json::Object{{"version", 1}, {"kernels", std::move(kernels)}};
  return llvm::formatv("{0:2}\n", manifest).str();
}

std::string contentHash(llvm::StringRef content) {
  auto bytes = llvm::arrayRefFromStringRef(content);
  return llvm::toHex(llvm::SHA256::hash(bytes), /*LowerCase=*/true);
}

} // namespace tile
