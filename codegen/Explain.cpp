#include "codegen/Explain.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

namespace tile {
namespace {

using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

/// Columns in the order in which they read best; others follow by name.
const llvm::StringRef preferredColumns[] = {
    "name",  "edge",   "from",    "to",         "kind",  "count",    "offset",
    "bytes", "column", "columns", "first_warp", "warps", "registers"};

std::string cell(const Value &value) {
  if (auto text = value.getAsString())
    return text->str();
  if (const Array *array = value.getAsArray())
    return llvm::join(llvm::map_range(*array, cell), ", ");
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return text;
}

std::vector<std::string> columnsOf(const Array &rows) {
  std::vector<std::string> columns;
  for (const Value &row : rows) {
    if (!row.getAsObject())
      continue;
    for (const auto &field : *row.getAsObject())
      if (!llvm::is_contained(columns, field.first.str()))
        columns.push_back(field.first.str());
  }
  llvm::sort(columns, [](const std::string &a, const std::string &b) {
    auto rank = [](const std::string &column) {
      return std::distance(std::begin(preferredColumns),
                           llvm::find(preferredColumns, column));
    };
    return std::make_pair(rank(a), a) < std::make_pair(rank(b), b);
  });
  return columns;
}

/// "smem_map" as "smem map".
std::string title(llvm::StringRef field) {
  std::string text = field.str();
  llvm::replace(text, '_', ' ');
  return text;
}

struct Column {
  std::vector<std::string> cells;
  size_t width = 0;
  bool numeric = true;
};

Column columnOf(const Array &rows, const std::string &field) {
  Column column;
  column.cells.push_back(title(field));
  for (const Value &row : rows) {
    const Object *object = row.getAsObject();
    const Value *value = object ? object->get(field) : nullptr;
    column.cells.push_back(value ? cell(*value) : "");
    column.numeric &= !value || value->getAsNumber().has_value();
  }
  for (const std::string &text : column.cells)
    column.width = std::max(column.width, text.size());
  return column;
}

std::string table(const Array &rows) {
  std::vector<Column> columns;
  for (const std::string &field : columnsOf(rows))
    columns.push_back(columnOf(rows, field));
  std::string text;
  for (size_t row = 0; row <= rows.size(); ++row) {
    std::string line = " ";
    for (const Column &column : columns) {
      std::string padding(column.width - column.cells[row].size(), ' ');
      line += column.numeric ? " " + padding + column.cells[row]
                             : " " + column.cells[row] + padding;
      line += " ";
    }
    text += llvm::StringRef(line).rtrim().str() + "\n";
  }
  return text;
}

bool isTable(const Value &value) {
  const Array *array = value.getAsArray();
  return array && !array->empty() && array->front().getAsObject();
}

/// "block 512, 1, 1" and the like for those fields that are there.
std::string scalarLines(const Object &object,
                        llvm::ArrayRef<llvm::StringRef> fields) {
  std::string text;
  for (llvm::StringRef field : fields)
    if (const Value *value = object.get(field))
      text += llvm::formatv("  {0,-22} {1}\n", title(field), cell(*value));
  return text;
}

} // namespace

std::string explain(const Object &entry) {
  std::string text;
  if (auto name = entry.getString("name"))
    text += name->str() + "\n";
  text += scalarLines(entry, {"op", "arch", "entry", "block", "cluster", "grid",
                              "dynamic_shared_bytes"});
  const Object *resources = entry.getObject("resources");
  if (!resources)
    return text;
  std::vector<llvm::StringRef> scalars, tables;
  for (const auto &field : *resources)
    (isTable(field.second) ? tables : scalars).push_back(field.first);
  llvm::sort(scalars);
  llvm::sort(tables);
  text += scalarLines(*resources, scalars);
  for (llvm::StringRef field : tables)
    text += "\n" + title(field) + "\n" + table(*resources->getArray(field));
  return text;
}

} // namespace tile
