#include "runtime/emulator/RegistersInFlight.h"

#include <algorithm>

namespace fa4::emulator {

void RegistersInFlight::set(const Operand &o, const Use &use) {
  if (!isRow(o))
    return;
  const size_t key = keyOf(o);
  if (key >= uses.size())
    uses.resize(key + 1);
  count += uses[key].kind == Kind::None;
  loadCount += use.kind == Kind::Load;
  loadCount -= uses[key].kind == Kind::Load;
  uses[key] = use;
}

template <typename Predicate> void RegistersInFlight::clearIf(Predicate done) {
  if (count == 0)
    return;
  for (Use &use : uses) {
    if (use.kind != Kind::None && done(use)) {
      loadCount -= use.kind == Kind::Load;
      use = {};
      --count;
    }
  }
}

void RegistersInFlight::fence() {
  std::fill(touched.begin(), touched.end(), uint8_t(0));
  fenced = true;
}

void RegistersInFlight::loadsDone() {
  if (loadCount == 0)
    return;
  clearIf([](const Use &use) { return use.kind == Kind::Load; });
}

void RegistersInFlight::groupsDone(uint32_t pending) {
  clearIf([&](const Use &use) {
    return use.kind != Kind::Load && use.group + pending < openGroup;
  });
}

} // namespace fa4::emulator
