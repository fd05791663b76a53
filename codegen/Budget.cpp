#include "codegen/Budget.h"
#include "dsl/lang/Limits.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace tile {
namespace {

using llvm::json::Array;
using llvm::json::Object;

int64_t number(const Object &object, llvm::StringRef field) {
  return object.getInteger(field).value_or(0);
}

/// The objects of a table of `resources`.
std::vector<const Object *> rows(const Object &resources,
                                 llvm::StringRef table) {
  std::vector<const Object *> result;
  if (const Array *array = resources.getArray(table))
    for (const llvm::json::Value &value : *array)
      if (const Object *row = value.getAsObject())
        result.push_back(row);
  return result;
}

/// "; no two pipes overlap", or which do: the analysis of hand-overs treats
/// them as separate.
std::string overlaps(const Object &resources, llvm::StringRef table,
                     llvm::StringRef first, llvm::StringRef size) {
  std::vector<std::string> pairs;
  auto all = rows(resources, table);
  for (size_t a = 0; a < all.size(); ++a) {
    for (size_t b = a + 1; b < all.size(); ++b) {
      const int64_t beginA = number(*all[a], first);
      const int64_t beginB = number(*all[b], first);
      if (beginA < beginB + number(*all[b], size) &&
          beginB < beginA + number(*all[a], size))
        pairs.push_back(llvm::formatv("'{0}' and '{1}'",
                                      all[a]->getString("name").value_or(""),
                                      all[b]->getString("name").value_or("")));
    }
  }
  if (pairs.empty())
    return "no two pipes overlap";
  // Rule M3 of tile-verify-protocol looks at columns.
  return llvm::join(pairs, ", ") +
         (table == "tmem_map"
              ? " overlap; their hand-overs order the uses"
              : " overlap; that their lifetimes don't is not checked here");
}

std::string registers(const Object &entry, const Object &resources) {
  int64_t used = 0, warps = 0, last = 0;
  std::vector<std::string> roles;
  for (const Object *role : rows(resources, "roles")) {
    last = number(*role, "registers");
    const int64_t own = number(*role, "warps");
    warps += own;
    used += own * 32 * last;
    roles.push_back(llvm::formatv(
        "{0} {1} x {2}", role->getString("name").value_or(""), own * 32, last));
  }
  const Array *block = entry.getArray("block");
  const int64_t threads =
      block && !block->empty() ? (*block)[0].getAsInteger().value_or(0) : 0;
  if (threads > warps * 32) { // they share the last roles' warpgroup
    roles.push_back(
        llvm::formatv("idle {0} x {1}", threads - warps * 32, last));
    used += (threads - warps * 32) * last;
  }
  return llvm::formatv("budget registers: {0} of {1} ({2})", used,
                       registersOfSm, llvm::join(roles, ", "));
}

} // namespace

std::vector<std::string> budgetLines(const Object &entry) {
  const Object *resources = entry.getObject("resources");
  if (!resources)
    return {};
  std::vector<std::string> lines;
  lines.push_back(
      llvm::formatv("budget shared memory: {0} of {1} bytes; {2}",
                    number(entry, "dynamic_shared_bytes"), sharedBytesOfCta,
                    overlaps(*resources, "smem_map", "offset", "bytes")));
  if (number(*resources, "tmem_columns")) {
    int64_t used = 0;
    for (const Object *pipe : rows(*resources, "tmem_map"))
      used += number(*pipe, "columns");
    lines.push_back(llvm::formatv(
        "budget tensor memory: {0} of {1} columns allocated, {2} used; {3}",
        number(*resources, "tmem_columns"), tmemColumnsOfSm, used,
        overlaps(*resources, "tmem_map", "column", "columns")));
  }
  lines.push_back(registers(entry, *resources));
  lines.push_back(llvm::formatv("budget mbarriers: {0}, {1} bytes",
                                number(*resources, "mbarriers"),
                                8 * number(*resources, "mbarriers")));
  return lines;
}

} // namespace tile
