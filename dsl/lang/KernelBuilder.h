// Declares a kernel: its parameters, pipes, walk and roles.
#pragma once
#include "dsl/lang/Carried.h"
#include "dsl/lang/Counters.h"
#include "dsl/lang/Kernel.h"
#include "dsl/lang/Limits.h"
#include "dsl/lang/Loop.h"
#include "dsl/lang/Pipe.h"
#include "dsl/lang/Warpgroup.h"
#include <functional>
#include <initializer_list>
#include <string>

namespace tile {

/// The warps of a role. `registers` is what each thread may use (setmaxnreg);
/// roles of less than 4 warps share a warpgroup, and the largest value counts.
/// `leader`: of a pair of CTAs only the first has the role; it multiplies for
/// both.
struct RoleSpec {
  int warps = 1;
  int registers = fewestRegisters;
  int copies = 1;
  bool leader = false;
};

/// How the runtime names a variant: goes into the manifest.
struct KernelInfo {
  std::string name;
  std::string op;
  Request request;
};

/// Records one kernel. Declare parameters and pipes, then the walk, then the
/// roles; build() ends the recording.
class KernelBuilder {
public:
  explicit KernelBuilder(const KernelInfo &info,
                         Where where = Where::current());
  ~KernelBuilder();
  KernelBuilder(const KernelBuilder &) = delete;

  /// A tensor with named or numeric dims, outermost first; tiles take their
  /// rows from dim `rowDim`.
  Tensor input(const std::string &name, DType type,
               const std::vector<std::string> &dims, int rowDim = 1,
               Where where = Where::current());
  Tensor output(const std::string &name, DType type,
                const std::vector<std::string> &dims, int rowDim = 1,
                Where where = Where::current());
  /// Read and written, like sums that several CTAs add to.
  Tensor inout(const std::string &name, DType type,
               const std::vector<std::string> &dims, int rowDim = 1,
               Where where = Where::current());
  RowTensor rowInput(const std::string &name,
                     const std::vector<std::string> &dims,
                     Where where = Where::current());
  RowTensor rowOutput(const std::string &name,
                      const std::vector<std::string> &dims,
                      Where where = Where::current());
  /// Counters that the runtime provides and clears before each launch.
  Counters counters(const std::string &name,
                    const std::vector<std::string> &dims,
                    Where where = Where::current());
  /// A parameter that the host computes (manifest expression).
  Int size(const std::string &expression, Where where = Where::current());
  Scalar scalar(const std::string &expression, Where where = Where::current());
  Row rowConstant(double value, int rows);
  Frag constant(double value, int rows, int cols);

  /// `copies` > 1: one ring for each copy of a role, ring[copy].
  Ring<Smem> ring(const std::string &name, SlotSpec spec, int depth,
                  int copies = 1, Where where = Where::current());
  Ring<Rows> rowRing(const std::string &name, int rows, int depth, int copies,
                     Where where = Where::current());
  /// `chunks`: the far side gives the buffer back in column ranges of these
  /// widths; the near side may start on the first ones.
  Duplex<Tmem> duplex(const std::string &name, SlotSpec out, SlotSpec back,
                      int copies = 1, const std::vector<int> &chunks = {},
                      Where where = Where::current());

  /// `handOvers[i]`: what owner i gives to the next, for reports.
  Cycle<Smem> smemCycle(const std::string &name, SlotSpec spec,
                        const std::vector<std::string> &handOvers, int depth,
                        Where where = Where::current());
  Cycle<Tmem> tmemCycle(const std::string &name, SlotSpec spec,
                        const std::vector<std::string> &handOvers,
                        Where where = Where::current());

  /// Puts `inner`'s slot into columns of `outer`'s, from `column` on. The two
  /// are handed over apart: the roles see to it that their uses don't meet.
  void overlay(const Duplex<Tmem> &inner, const Duplex<Tmem> &outer, int column,
               Where where = Where::current());

  /// Two CTAs of a cluster walk each tile together. Each has every pipe. Roles
  /// run in both, or lead: what a leading role takes, both CTAs hand to it, and
  /// what it hands over goes to both. Returns the rank of a CTA, 0 or 1; no
  /// trip count may depend on it. Before the walk, whose `grid` counts pairs.
  Int pair(Where where = Where::current());

  /// A turn that the `copies` of a role take in order.
  Turn turn(int copies, Where where = Where::current());

  /// How a linear tile index becomes what the roles know of a tile. `grid` is
  /// the manifest's expression for the number of CTAs.
  void walk(const std::string &grid, Int count,
            const std::function<std::vector<Int>(Int index)> &coords,
            Where where = Where::current());
  /// The same with one CTA a tile, `tiles` of them; each has the tile whose
  /// number it draws when it starts, so that tiles begin in the order of their
  /// indices whatever the order of CTAs.
  void walkByTicket(const std::string &tiles,
                    const std::function<std::vector<Int>(Int index)> &coords,
                    Where where = Where::current());
  /// Adds a role; `body` is recorded once.
  using Body = std::function<void(Int copy, const std::vector<Int> &coords)>;
  void role(const std::string &name, RoleSpec spec, const Body &body,
            Where where = Where::current());

  /// The launch may begin, and set itself up, while the kernel before it in the
  /// stream still runs; the roles begin when that has ended (programmatic
  /// dependent launch). The next kernel may do the same.
  void overlapLaunch();

  /// A staged loop over [begin, end).
  Range loop(Int begin, Int end, Where where = Where::current());
  /// A staged range in pieces, each recorded on its own.
  Range pieces(std::vector<Range::Piece> pieces,
               Where where = Where::current());
  Kernel build();

private:
  Handle declarePipe(const std::string &name, SlotSpec spec, int depth,
                     int copies, const std::vector<std::string> &edges,
                     std::vector<int> parts, Where where);
  Tensor tensor(const std::string &name, const char *role, DType type,
                const std::vector<std::string> &dims, int rowDim, Where where);
  RowTensor rowTensor(const std::string &name, const char *role,
                      const std::vector<std::string> &dims, Where where);
  Handle cleared(const std::string &name, const std::vector<std::string> &dims,
                 Where where);
  void recordWalk(const std::string &grid, Int count, Handle tickets,
                  const std::function<std::vector<Int>(Int index)> &coords,
                  Where where);
  std::unique_ptr<Recorder> rec;
  int namedBarriers = 1; // 0 is the CTA's
};

} // namespace tile
