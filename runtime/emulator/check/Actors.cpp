#include "runtime/emulator/check/Actors.h"
#include <fmt/format.h>

namespace fa4::emulator {

ActorTable::ActorTable(uint32_t ctas, uint32_t warpsPerCta,
                       std::vector<std::string> warpNames)
    : warps(warpsPerCta), total(ctas * warpsPerCta), single(ctas == 1),
      names(std::move(warpNames)) {
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
  const uint32_t index = warp % warps;
  std::string text = single ? "" : fmt::format("cta {} ", warp / warps);
  text += fmt::format("warp {}", index);
  if (index < names.size() && !names[index].empty())
    text += fmt::format(" ({})", names[index]);
  return text;
}

} // namespace fa4::emulator
