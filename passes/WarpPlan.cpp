#include "passes/WarpPlan.h"
#include "dsl/lang/Limits.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tile {

static LogicalResult assignRegisters(ir::KernelOp kernel, WarpPlan &plan) {
  plan.launchRegisters =
      std::min<int64_t>(registersOfSm / plan.threads / 8 * 8, 248);
  for (WarpPlan::Group &group : plan.groups)
    plan.reallocates |= group.registers > plan.launchRegisters;
  if (!plan.reallocates)
    return success();
  int64_t pool = plan.launchRegisters * plan.threads, used = 0;
  for (WarpPlan::Group &group : plan.groups)
    used += group.registers * group.warps * 32;
  if (used > pool)
    return kernel.emitError("registers overflow: the roles ask for ")
           << used << " of the " << pool << " that " << plan.threads
           << " threads get at launch";
  // What is left over goes to the warpgroup that the small roles share.
  WarpPlan::Group &last = plan.groups.back();
  int64_t spare = (pool - used) / (last.warps * 32) / 8 * 8;
  if (last.roles.front().getWarps() % 4)
    last.registers = std::min(last.registers + spare, plan.launchRegisters);
  return success();
}

FailureOr<WarpPlan> planWarps(ir::KernelOp kernel) {
  WarpPlan plan;
  WarpPlan::Group shared{0, 0, 0, {}};
  int64_t warp = 0;
  for (ir::RoleOp role : kernel.getBody().getOps<ir::RoleOp>()) {
    int64_t warps = role.getWarps() * role.getCopies();
    if (role.getWarps() % 4) {
      shared.registers =
          std::max<int64_t>(shared.registers, role.getRegisters());
      shared.roles.push_back(role);
      continue;
    }
    role.setFirstWarp(warp);
    plan.groups.push_back({warp, warps, int64_t(role.getRegisters()), {role}});
    warp += warps;
  }
  shared.firstWarp = warp;
  for (ir::RoleOp role : shared.roles) {
    role.setFirstWarp(warp);
    warp += role.getWarps() * role.getCopies();
  }
  int64_t total = llvm::alignTo(warp, 4);
  shared.warps = total - shared.firstWarp;
  if (shared.warps)
    plan.groups.push_back(shared);
  plan.threads = total * 32;
  if (plan.threads == 0)
    return kernel.emitError("L2: the kernel has no role");
  if (plan.threads > threadsOfCta)
    return kernel.emitError("too many warps: ")
           << total << " of the " << threadsOfCta / 32
           << " that a CTA may have";
  if (failed(assignRegisters(kernel, plan)))
    return failure();
  return plan;
}

} // namespace tile
