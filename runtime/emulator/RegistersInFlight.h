// Registers of one warp that an async operation still reads or writes: the
// results of tcgen05.ld until wait::ld, the fragments of wgmma until
// wait_group. PTX leaves open what an instruction finds there meanwhile.
#pragma once

#include "runtime/emulator/Program.h"

#include <cstdint>
#include <vector>

namespace fa4::emulator {

class RegistersInFlight {
public:
  enum class Kind : uint8_t {
    None,
    Load,        // tcgen05.ld writes it
    Accumulator, // wgmma reads and writes it
    Operand,     // wgmma reads it
  };
  struct Use {
    Kind kind = Kind::None;
    uint32_t group = 0; // of wgmma, counted from the warp's first
    uint32_t site = 0;  // the operation's instruction
  };

  bool any() const { return count != 0; }
  bool anyLoad() const { return loadCount != 0; }
  Use of(const Operand &o) const {
    return keyOf(o) < uses.size() ? uses[keyOf(o)] : Use();
  }
  void loads(const Operand &o, uint32_t site) { set(o, {Kind::Load, 0, site}); }
  void loadsDone();
  /// Joins the warp's open group.
  void multiplies(const Operand &o, Kind kind, uint32_t site) {
    set(o, {kind, openGroup, site});
  }
  /// An ordinary instruction reads or writes it: wgmma may do so again only
  /// behind wgmma.fence.
  void touch(const Operand &o) {
    if (!isRow(o))
      return;
    const size_t key = keyOf(o);
    if (key >= touched.size())
      touched.resize(key + 1);
    touched[key] = 1;
  }
  void fence();
  bool needsFence(const Operand &o) const {
    return !fenced || (keyOf(o) < touched.size() && touched[keyOf(o)]);
  }
  void commitGroup() { ++openGroup; }
  /// All groups but the newest `pending` committed ones are done.
  void groupsDone(uint32_t pending);

private:
  static bool isRow(const Operand &o) {
    return o.kind == OperandKind::Row32 || o.kind == OperandKind::Row64;
  }
  static size_t keyOf(const Operand &o) {
    return isRow(o) ? size_t(o.index) * 2 + (o.kind == OperandKind::Row64)
                    : ~size_t(0);
  }
  void set(const Operand &o, const Use &use);
  template <typename Predicate> void clearIf(Predicate done);

  std::vector<Use> uses;        // by keyOf
  std::vector<uint8_t> touched; // by keyOf
  bool fenced = false;          // once at least
  uint32_t count = 0, loadCount = 0, openGroup = 0;
};

} // namespace fa4::emulator
