// Staged control flow: loops whose body is recorded, conditions.
#pragma once
#include "dsl/lang/Int.h"
#include <functional>
#include <vector>

namespace tile {

/// What one recording of a loop's body knows of its iterations.
struct Step {
  /// Iteration number, counted from the start of the whole range.
  Int index;
  /// Which piece of the range this recording is for.
  int piece = 0;
};

/// A range of iterations, cut into pieces; `for (Step s : range)` records its
/// body once for each piece that isn't empty on the host: as a loop, or
/// straight where the piece is one iteration (`single`). The body stands for
/// every iteration: `continue` is fine, leaving the loop is diagnosed.
class Range {
public:
  struct Piece {
    Int begin, end;
    bool single = false;
    int id = 0;
  };
  Range(Recorder &recorder, std::vector<Piece> pieces, Where where)
      : recorder(&recorder), pieces(std::move(pieces)), where(where) {}

  class Iterator {
  public:
    Step operator*() const { return step; }
    Iterator &operator++();
    bool operator!=(std::nullptr_t);

  private:
    friend class Range;
    explicit Iterator(const Range &range) : range(&range) {}
    const Range *range;
    Step step;
    std::size_t at = 0;
    /// The recorded loop whose body is open.
    const void *loop = nullptr;
    /// Loops that are open in this one's body, with it; 0 before it is.
    std::size_t depth = 0;
  };
  Iterator begin() const { return Iterator(*this); }
  std::nullptr_t end() const { return nullptr; }

private:
  Recorder *recorder;
  std::vector<Piece> pieces;
  Where where;
};

/// Records `body` under a staged condition; on a host condition it is an if.
void when(Bool condition, const std::function<void()> &body,
          Where where = Where::current());

} // namespace tile
