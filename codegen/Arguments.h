// The flags of one subcommand. Kernels add flags of their own at run time, so
// the set of known flags is data.
#pragma once
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tile {

struct Flag {
  enum class Value { none, required, optionalNumber };
  std::string name;
  Value value = Value::none;
  /// How the usage text calls the value.
  std::string placeholder;
  std::string help;
};

/// Parsed arguments. `--name value`, `--name=value`; one dash for flags of one
/// letter. An optional number is 1 where it is left out. Flags that begin with
/// --mlir- belong to MLIR and are kept as they are.
class Arguments {
public:
  /// Errors: an unknown flag (with the nearest known one), a missing or
  /// superfluous value, a flag given twice.
  static llvm::Expected<Arguments> parse(llvm::ArrayRef<llvm::StringRef> words,
                                         llvm::ArrayRef<Flag> known);

  bool has(const std::string &flag) const { return values.count(flag) != 0; }
  std::optional<std::string> get(const std::string &flag) const;

  /// The flag's value as a number, `fallback` where it was not given.
  llvm::Expected<int> number(const std::string &flag, int fallback) const;

  std::vector<std::string> positional;
  std::vector<std::string> mlirFlags;

private:
  std::map<std::string, std::string> values;
};

/// The candidate nearest to `word` in edits, in quotes after ", nearest is ";
/// empty when none is near.
std::string nearestHint(llvm::StringRef word,
                        llvm::ArrayRef<std::string> candidates);

/// One line for each flag, aligned.
std::string flagHelp(llvm::ArrayRef<Flag> flags);

} // namespace tile
