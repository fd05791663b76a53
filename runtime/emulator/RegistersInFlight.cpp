#include "runtime/emulator/RegistersInFlight.h"

namespace fa4::emulator {

void RegistersInFlight::set(const Operand &o, const Use &use) {
  if (!isRow(o))
    return;
  const size_t key = keyOf(o);
  if (key >= uses.size())
    uses.resize(key + 1);
  count += uses[key].kind == Kind::None;
  uses[key] = use;
}

template <typename Predicate> void RegistersInFlight::clearIf(Predicate done) {
  if (count == 0)
    return;
  for (Use &use : uses) {
    if (use.kind != Kind::None && done(use)) {
      use = {};
      --count;
    }
  }
}

void RegistersInFlight::loadsDone() {
  clearIf([](const Use &use) { return use.kind == Kind::Load; });
}

void RegistersInFlight::groupsDone(uint32_t pending) {
  clearIf([&](const Use &use) {
    return use.kind != Kind::Load && use.group + pending < openGroup;
  });
}

} // namespace fa4::emulator
