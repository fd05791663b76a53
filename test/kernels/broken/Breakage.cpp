#include "test/kernels/broken/Breakage.h"

#include "runtime/Error.h"

#include <regex>
#include <sstream>

namespace fa4::test {
namespace {

std::vector<std::string> linesOf(const std::string &text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line);
  return lines;
}

std::vector<std::size_t> matches(const std::vector<std::string> &lines,
                                 const Edit &edit) {
  std::regex pattern(edit.pattern), after(edit.after);
  bool passed = *edit.after == '\0';
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (passed && std::regex_search(lines[i], pattern))
      found.push_back(i);
    if (*edit.after == '\0' || (passed && !edit.afterLast) ||
        !std::regex_search(lines[i], after))
      continue;
    passed = true;
    found.clear();
  }
  return found;
}

std::vector<std::size_t> chosen(const std::vector<std::size_t> &found,
                                Which which) {
  if (found.empty() || which == Which::Every)
    return found;
  if (which == Which::Last)
    return {found.back()};
  std::size_t index = static_cast<std::size_t>(which);
  return index < found.size() ? std::vector{found[index]}
                              : std::vector<std::size_t>{};
}

void apply(std::vector<std::string> &lines, const Edit &edit) {
  std::vector<std::size_t> at = chosen(matches(lines, edit), edit.which);
  if (at.empty())
    fail("no line to edit for '{}'", edit.pattern);
  for (std::size_t i : at) {
    std::string line =
        *edit.replacement
            ? std::regex_replace(lines[i], std::regex(edit.pattern),
                                 edit.replacement)
            : std::string();
    if (line == lines[i])
      fail("'{}' changes nothing in '{}'", edit.pattern, lines[i]);
    lines[i] = line;
  }
}

} // namespace

std::string broken(const std::string &ptx, const Breakage &breakage) {
  std::vector<std::string> lines = linesOf(ptx);
  for (const Edit &edit : breakage.edits)
    apply(lines, edit);
  std::string text;
  for (const std::string &line : lines)
    text += line + "\n";
  return text;
}

} // namespace fa4::test
