#include "codegen/Arguments.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace tile {
namespace {

std::string spelled(const std::string &flag) {
  return (flag.size() == 1 ? "-" : "--") + flag;
}

const Flag *findFlag(llvm::ArrayRef<Flag> known, llvm::StringRef name) {
  for (const Flag &flag : known)
    if (flag.name == name)
      return &flag;
  return nullptr;
}

llvm::Error unknownFlag(llvm::StringRef word, llvm::StringRef name,
                        llvm::ArrayRef<Flag> known) {
  std::vector<std::string> names;
  for (const Flag &flag : known)
    names.push_back(flag.name);
  std::string hint = nearestHint(name, names);
  return llvm::createStringError("unknown flag '" + word + "'" + hint);
}

bool isNumber(llvm::StringRef text) {
  int number;
  return llvm::to_integer(text, number, 10);
}

} // namespace

llvm::Expected<Arguments>
Arguments::parse(llvm::ArrayRef<llvm::StringRef> words,
                 llvm::ArrayRef<Flag> known) {
  Arguments result;
  for (size_t i = 0; i < words.size(); ++i) {
    llvm::StringRef word = words[i];
    if (!word.starts_with("-") || word == "-") {
      result.positional.push_back(word.str());
      continue;
    }
    if (word.starts_with("--mlir-")) {
      result.mlirFlags.push_back(word.str());
      continue;
    }
    auto [name, attached] = word.ltrim('-').split('=');
    bool hasAttached = word.contains('=');
    const Flag *flag = findFlag(known, name);
    if (!flag)
      return unknownFlag(word, name, known);
    std::string value = attached.str();
    if (flag->value == Flag::Value::none && hasAttached)
      return llvm::createStringError(spelled(flag->name) + " takes no value");
    bool hasNext = i + 1 < words.size();
    if (flag->value == Flag::Value::required && !hasAttached) {
      if (!hasNext)
        return llvm::createStringError(spelled(flag->name) + " needs " +
                                       flag->placeholder);
      value = words[++i].str();
    } else if (flag->value == Flag::Value::optionalNumber && !hasAttached) {
      value = hasNext && isNumber(words[i + 1]) ? words[++i].str() : "1";
    }
    if (flag->value == Flag::Value::required && value.empty())
      return llvm::createStringError(spelled(flag->name) + " needs " +
                                     flag->placeholder + ", not nothing");
    if (!result.values.try_emplace(flag->name, value).second)
      return llvm::createStringError(spelled(flag->name) + " is given twice");
  }
  return result;
}

std::optional<std::string> Arguments::get(const std::string &flag) const {
  auto found = values.find(flag);
  if (found == values.end())
    return std::nullopt;
  return found->second;
}

llvm::Expected<int> Arguments::number(const std::string &flag,
                                      int fallback) const {
  std::optional<std::string> text = get(flag);
  if (!text)
    return fallback;
  int number;
  if (!llvm::to_integer(*text, number, 10))
    return llvm::createStringError(spelled(flag) + " needs a number, not '" +
                                   *text + "'");
  return number;
}

std::string nearestHint(llvm::StringRef word,
                        llvm::ArrayRef<std::string> candidates) {
  // A third of the word may differ; beyond that a guess only confuses.
  unsigned best = std::max<unsigned>(2, word.size() / 3) + 1;
  std::string nearest;
  for (const std::string &candidate : candidates) {
    unsigned distance = word.edit_distance(candidate, true, best);
    if (distance < best) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest.empty() ? "" : ", nearest is '" + nearest + "'";
}

std::string flagHelp(llvm::ArrayRef<Flag> flags) {
  std::string text;
  for (const Flag &flag : flags) {
    std::string left = spelled(flag.name);
    if (!flag.placeholder.empty())
      left += " " + flag.placeholder;
    text += llvm::formatv("  {0,-26} {1}\n", left, flag.help).str();
  }
  return text;
}

} // namespace tile
