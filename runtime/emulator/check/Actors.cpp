#include "runtime/emulator/check/Actors.h"
#include <fmt/format.h>

namespace fa4::emulator {

ActorTable::ActorTable(uint32_t ctas, uint32_t warpsPerCta)
    : warps(warpsPerCta), total(ctas * warpsPerCta), single(ctas == 1) {
  for (ActorKind kind :
       {ActorKind::Warp, ActorKind::TmemLoad, ActorKind::TmemStore,
        ActorKind::FencedLoad, ActorKind::FencedStore})
    for (uint32_t warp = 0; warp < total; ++warp)
      infos.push_back({kind, warp});
}

Actor ActorTable::async(ActorKind kind, uint32_t key) {
  const auto [at, isNew] = byKey.try_emplace(uint64_t(kind) << 32 | key,
                                             static_cast<Actor>(infos.size()));
  if (isNew)
    infos.push_back({kind, key});
  return at->second;
}

std::string ActorTable::warpName(Actor warp) const {
  if (single)
    return fmt::format("warp {}", warp);
  return fmt::format("cta {} warp {}", warp / warps, warp % warps);
}

} // namespace fa4::emulator
