#include "runtime/emulator/State.h"

#include "runtime/emulator/check/Checker.h"

#include "runtime/emulator/Machine.h"

#include <fmt/format.h>

namespace fa4::emulator {

Cluster::Cluster() = default;
Cluster::~Cluster() = default;

void CopyGroups::commit() {
  committed.push_back(std::move(open));
  open = std::make_shared<CopyGroup>();
}

bool CopyGroups::done(uint32_t allowed, bool readsOnly) {
  while (!committed.empty() && committed.front()->reads == 0 &&
         committed.front()->writes == 0)
    committed.pop_front();
  for (size_t i = 0; i + allowed < committed.size(); ++i)
    if (committed[i]->reads > 0 || (!readsOnly && committed[i]->writes > 0))
      return false;
  return true;
}

std::string describe(const Warp &warp, uint32_t lane) {
  const Dim3 &index = warp.cta->index;
  return fmt::format(
      "cta ({},{},{}) warp {}{} lane {}", index.x, index.y, index.z, warp.index,
      warp.name.empty() ? "" : fmt::format(" ({})", warp.name), lane);
}

} // namespace fa4::emulator
