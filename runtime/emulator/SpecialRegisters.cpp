#include "runtime/emulator/SpecialRegisters.h"

#include "runtime/emulator/Machine.h"

#include <unordered_map>

namespace fa4::emulator {

std::optional<SpecialRegister> findSpecialRegister(std::string_view name) {
  using S = SpecialRegister;
  static const std::unordered_map<std::string_view, S> table = {
      {"%tid.x", S::TidX},
      {"%tid.y", S::TidY},
      {"%tid.z", S::TidZ},
      {"%ntid.x", S::NtidX},
      {"%ntid.y", S::NtidY},
      {"%ntid.z", S::NtidZ},
      {"%ctaid.x", S::CtaidX},
      {"%ctaid.y", S::CtaidY},
      {"%ctaid.z", S::CtaidZ},
      {"%nctaid.x", S::NctaidX},
      {"%nctaid.y", S::NctaidY},
      {"%nctaid.z", S::NctaidZ},
      {"%laneid", S::LaneId},
      {"%warpid", S::WarpId},
      {"%nwarpid", S::NwarpId},
      {"%smid", S::SmId},
      {"%nsmid", S::NsmId},
      {"%gridid", S::GridId},
      {"%clusterid.x", S::ClusterIdX},
      {"%clusterid.y", S::ClusterIdY},
      {"%clusterid.z", S::ClusterIdZ},
      {"%nclusterid.x", S::NclusterIdX},
      {"%nclusterid.y", S::NclusterIdY},
      {"%nclusterid.z", S::NclusterIdZ},
      {"%cluster_ctaid.x", S::ClusterCtaidX},
      {"%cluster_ctaid.y", S::ClusterCtaidY},
      {"%cluster_ctaid.z", S::ClusterCtaidZ},
      {"%cluster_nctaid.x", S::ClusterNctaidX},
      {"%cluster_nctaid.y", S::ClusterNctaidY},
      {"%cluster_nctaid.z", S::ClusterNctaidZ},
      {"%cluster_ctarank", S::ClusterCtaRank},
      {"%cluster_nctarank", S::ClusterNctaRank},
      {"%is_explicit_cluster", S::IsExplicitCluster},
      {"%lanemask_eq", S::LanemaskEq},
      {"%lanemask_lt", S::LanemaskLt},
      {"%lanemask_le", S::LanemaskLe},
      {"%lanemask_gt", S::LanemaskGt},
      {"%lanemask_ge", S::LanemaskGe},
      {"%clock", S::Clock},
      {"%clock64", S::Clock64},
      {"%globaltimer", S::GlobalTimer},
      {"%globaltimer_lo", S::GlobalTimerLo},
      {"%globaltimer_hi", S::GlobalTimerHi},
      {"%total_smem_size", S::TotalSmemSize},
      {"%dynamic_smem_size", S::DynamicSmemSize},
      {"%aggr_smem_size", S::AggrSmemSize},
  };
  auto found = table.find(name);
  if (found == table.end())
    return std::nullopt;
  return found->second;
}

namespace {

uint32_t component(const Dim3 &dim, uint32_t which) {
  return which == 0 ? dim.x : which == 1 ? dim.y : dim.z;
}

uint32_t threadComponent(const Context &c, uint32_t lane, uint32_t which) {
  const Dim3 &block = c.machine.config.block;
  uint32_t thread = c.warp.index * 32 + lane;
  if (which == 0)
    return thread % block.x;
  return which == 1 ? thread / block.x % block.y : thread / block.x / block.y;
}

uint32_t laneMask(SpecialRegister which, uint32_t lane) {
  uint32_t equal = 1u << lane;
  switch (which) {
  case SpecialRegister::LanemaskEq:
    return equal;
  case SpecialRegister::LanemaskLt:
    return equal - 1;
  case SpecialRegister::LanemaskLe:
    return (equal - 1) | equal;
  case SpecialRegister::LanemaskGt:
    return ~((equal - 1) | equal);
  default:
    return ~(equal - 1);
  }
}

uint64_t clusterRegister(Context &c, SpecialRegister which) {
  using S = SpecialRegister;
  const Dim3 &size = c.machine.cluster, &grid = c.machine.config.grid;
  auto offset = [&](S first) {
    return static_cast<uint32_t>(which) - static_cast<uint32_t>(first);
  };
  if (which <= S::ClusterIdZ)
    return component(c.cta.cluster->index, offset(S::ClusterIdX));
  if (which <= S::NclusterIdZ)
    return component({grid.x / size.x, grid.y / size.y, grid.z / size.z},
                     offset(S::NclusterIdX));
  if (which <= S::ClusterCtaidZ)
    return component({c.cta.index.x % size.x, c.cta.index.y % size.y,
                      c.cta.index.z % size.z},
                     offset(S::ClusterCtaidX));
  if (which <= S::ClusterNctaidZ)
    return component(size, offset(S::ClusterNctaidX));
  if (which == S::ClusterCtaRank)
    return c.cta.rank;
  return which == S::ClusterNctaRank ? size.count() : size.count() > 1;
}

} // namespace

uint64_t specialRegister(Context &c, uint32_t index, uint32_t lane) {
  using S = SpecialRegister;
  const S which = static_cast<S>(index);
  const LaunchConfig &config = c.machine.config;
  if (which <= S::TidZ)
    return threadComponent(c, lane, index);
  if (which <= S::NtidZ)
    return component(config.block, index - static_cast<uint32_t>(S::NtidX));
  if (which <= S::CtaidZ)
    return component(c.cta.index, index - static_cast<uint32_t>(S::CtaidX));
  if (which <= S::NctaidZ)
    return component(config.grid, index - static_cast<uint32_t>(S::NctaidX));
  if (which >= S::ClusterIdX && which <= S::IsExplicitCluster)
    return clusterRegister(c, which);
  if (which >= S::LanemaskEq && which <= S::LanemaskGe)
    return laneMask(which, lane);
  switch (which) {
  case S::LaneId:
    return lane;
  case S::WarpId:
    return c.warp.index;
  case S::NwarpId:
    return c.cta.warps.size();
  case S::SmId:
    return c.cta.linear % 148;
  case S::NsmId:
    return 148;
  case S::GridId:
    return 1;
  case S::GlobalTimerHi:
    return c.machine.steps >> 32;
  case S::TotalSmemSize:
  case S::AggrSmemSize:
    return c.cta.shared.size();
  case S::DynamicSmemSize:
    return config.dynamicShared;
  default: // clocks count warp instructions
    return c.machine.steps;
  }
}

} // namespace fa4::emulator
