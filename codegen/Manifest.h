// Manifest entries: the contract with the runtime (manifest.md).
#pragma once
#include "codegen/Ptxas.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/JSON.h"

namespace tile {

/// What the generator knows of a kernel beside the `tile.launch` attribute.
struct ManifestInput {
  std::string name;
  Arch arch = Arch::sm_100a;
  std::string entry;
  /// File names relative to the manifest's folder; empty: not written.
  std::string ptxFile, cubinFile;
  /// The PTX text, for the content hash.
  llvm::StringRef ptx;
  const PtxasReport *report = nullptr;
  std::string ptxasVersion;
  /// Parts of the specialization key that `tile.launch` may leave out.
  llvm::json::Object key;
};

/// Attributes as JSON: dictionaries, arrays, strings, integers, booleans,
/// floats and units (true); anything else as its printed form. The result
/// outlives the attribute's context.
llvm::json::Value toJson(mlir::Attribute attribute);

/// The module's `tile.launch`, or an empty dictionary.
mlir::DictionaryAttr launchOf(mlir::ModuleOp module);

/// The name of the module's one kernel function, or "".
std::string entryOf(mlir::ModuleOp module);

/// One entry: `tile.launch` as JSON with the generator's fields added.
llvm::json::Object manifestEntry(llvm::json::Object launch,
                                 const ManifestInput &input);

/// {"version": 1, "kernels": [...]}, pretty-printed with a final newline.
std::string manifestText(std::vector<llvm::json::Object> entries);

/// Hex SHA-256.
std::string contentHash(llvm::StringRef content);

} // namespace tile
