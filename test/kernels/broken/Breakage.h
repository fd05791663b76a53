// Ways to break the text of a kernel, as a slip of the compiler would.
#pragma once
#include <string>
#include <vector>

namespace fa4::test {

/// Which lines of those that match.
enum class Which { First, Second, Third, Fourth, Last, Every };

/// A substitution in one line of PTX: std::regex, its format for the new text.
/// An empty replacement deletes the line. Lines up to and with the first match
/// (afterLast: the last) of `after` are left alone.
struct Edit {
  const char *pattern;
  const char *replacement;
  Which which = Which::First;
  const char *after = "";
  bool afterLast = false;
};

/// `caughtBy`: "wrong result", or the check of the emulator that reports it.
struct Breakage {
  const char *name;
  const char *caughtBy;
  std::vector<Edit> edits;
};

const std::vector<Breakage> &breakages();
/// Of fa4_bwd, of its deterministic form, and of its form by pairs of CTAs.
const std::vector<Breakage> &backwardBreakages();
const std::vector<Breakage> &orderBreakages();
const std::vector<Breakage> &pairBreakages();

/// The broken text. Throws fa4::Error when an edit finds too few lines or
/// leaves the text as it was.
std::string broken(const std::string &ptx, const Breakage &breakage);

} // namespace fa4::test
