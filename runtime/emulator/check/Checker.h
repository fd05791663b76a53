// Happens-before checks of one cluster: who may touch which memory when.
//
// The core announces what warps and async units do, in the order in which it
// executes them; the checker keeps vector clocks and shadow memories and
// reports unordered conflicts whichever order they happened to run in. The
// rules are the twelve of design section 8. Calls cost nothing but a null
// check when no checker exists.
//
// Addresses: shared memory by shared::cluster address (rank << 24 | offset),
// TMEM by rectangle in one CTA, global memory by its 64-bit address.
#pragma once
#include "runtime/emulator/TmemLayout.h"
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

namespace fa4::emulator {

// Which families of findings are reported.
struct CheckFamilies {
  bool race = true, init = true, proxy = true, tmem = true, barrier = true;
  bool strict = false;
  bool order = false; // of reductions by several clusters
};

// The lanes of a warp that execute instruction `site` together. `site` is
// opaque to the checker, it comes back in findings.
struct Who {
  uint32_t cta = 0;  // rank in the cluster
  uint32_t warp = 0; // in the CTA
  uint32_t lanes = ~0u;
  uint32_t site = 0;
};

struct Finding {
  std::string check; // race, init, proxy, tmem, barrier
  std::string message;
  uint32_t site = 0;
};

class GlobalShadow;

struct CheckerSetup {
  uint32_t ctas = 1;
  uint32_t warps = 1;                 // per CTA
  uint32_t lastWarpLanes = 32;        // lanes of a CTA's last warp
  std::vector<std::string> warpNames; // of a CTA's warps; may be too short
  uint32_t sharedBytes = 0; // of each CTA's window, reserved bytes included
  CheckFamilies families;
  uint32_t cluster = 0;                 // its number in the grid
  std::shared_ptr<GlobalShadow> global; // of the launch; null: not checked
  bool waitsForGrid = false; // the kernel contains griddepcontrol.wait
  // Describes a site for a message: "line 120 (gemm.cpp:40) st.shared".
  std::function<std::string(uint32_t site)> describe;
  std::function<void(Finding)> report;
};

enum class MemoryKind : uint8_t { Shared, Global };
// Update: a read and a write of the same units by one operation.
enum class AccessMode : uint8_t { Read, Write, Update, Atomic };
struct MemoryAccess {
  MemoryKind memory = MemoryKind::Shared;
  AccessMode mode = AccessMode::Read;
  uint32_t bytes = 4; // of each lane
};

enum class FenceKind : uint8_t {
  Memory,           // fence.acq_rel / .sc, membar: any scope
  ProxyAsync,       // fence.proxy.async
  ProxyAsyncShared, // fence.proxy.async.shared::{cta,cluster}
  ProxyAsyncGlobal,
  TensormapAcquire, // fence.proxy.tensormap::generic.acquire
  MbarrierInit,
  TcgenBefore, // tcgen05.fence::before_thread_sync
  TcgenAfter,
};

// Order of an atomic or of a strong load or store.
struct SyncOrder {
  bool acquire = false;
  bool release = false;
};

// An operation that outlives its instruction. The token remembers what the
// issuer knew; accesses and completions name it when the unit acts.
using AsyncToken = uint64_t;
enum class AsyncKind : uint8_t {
  Transaction, // bulk copy that completes bytes of an mbarrier
  BulkStore,   // bulk copy or reduction in the issuer's open bulk group
  Tensor,      // tcgen05.mma, .cp, .shift and .commit: one queue per thread
  Wgmma,       // one warp's share of a warpgroup's wgmma
  CopyAsync,   // cp.async, generic proxy
};

class Checker {
public:
  explicit Checker(CheckerSetup setup);
  ~Checker();

  // --- generic accesses: addresses[lane] for each lane of who.lanes
  void access(const Who &who, const MemoryAccess &what,
              const uint64_t *addresses);
  // After access() of an atomic, ld.acquire/relaxed/volatile or st.release/...
  void synchronize(const Who &who, const MemoryAccess &what,
                   const uint64_t *addresses, SyncOrder order);

  // --- threads among themselves
  void warpSync(const Who &who); // bar.warp.sync
  // A .sync.aligned tcgen05 instruction: joins the lanes, unless strict.
  void alignedSync(const Who &who);
  void fence(const Who &who, FenceKind kind);
  void gridWait(const Who &who); // griddepcontrol.wait
  // bar.sync: barrierArrive, then barrierPass when the warp goes on.
  // bar.arrive: barrierArrive. barrierComplete between the last arrival and the
  // first pass.
  void barrierArrive(const Who &who, uint32_t id);
  void barrierComplete(uint32_t cta, uint32_t id);
  void barrierPass(const Who &who, uint32_t id);
  void clusterArrive(const Who &who, bool relaxed);
  void clusterComplete();
  void clusterWait(const Who &who); // when the lanes go on
  // The lanes leave; what they still have in flight is reported.
  void exitLanes(const Who &who);

  // --- mbarriers. Counts stay with the core, which announces completions.
  void mbarrierInit(const Who &who, uint32_t address);
  void mbarrierInvalidate(const Who &who, uint32_t address);
  void mbarrierExpect(const Who &who, uint32_t address);
  // Before the arrival takes effect.
  void mbarrierArrive(const Who &who, uint32_t address);
  // The phase completes, by whichever operation announced before.
  void mbarrierComplete(uint32_t address);
  // Every test_wait/try_wait, with its outcome.
  void mbarrierTest(const Who &who, uint32_t address, bool passed);

  // --- async operations
  AsyncToken issue(const Who &who, AsyncKind kind);
  // For Transaction, `mbarrier` is the barrier that this piece completes on.
  void asyncShared(AsyncToken token, AccessMode mode, uint32_t address,
                   uint32_t bytes, uint32_t mbarrier = 0);
  // 16-byte chunks at window offsets of one CTA, as TensorFootprint has them.
  void asyncSharedChunks(AsyncToken token, uint32_t cta,
                         std::span<const uint32_t> chunks);
  void asyncGlobal(AsyncToken token, AccessMode mode, uint64_t address,
                   uint64_t bytes, uint32_t mbarrier = 0);
  void asyncTmem(AsyncToken token, AccessMode mode, uint32_t cta,
                 const TmemRect &rect);
  // A tcgen05.commit, a cp.async.mbarrier.arrive or the complete_tx of a copy,
  // before it takes effect on the barrier.
  void asyncArrive(AsyncToken token, uint32_t mbarrier);
  // No more calls with this token.
  void finish(AsyncToken token);

  // Groups: kind is BulkStore, Wgmma or CopyAsync.
  void commitGroup(const Who &who, AsyncKind kind);
  void waitGroup(const Who &who, AsyncKind kind, uint32_t pending,
                 bool readsOnly = false);

  // --- TMEM of the warp's CTA
  void tmemAccess(const Who &who, AccessMode mode,
                  std::span<const TmemRect> rects); // tcgen05.ld, tcgen05.st
  void tmemWait(const Who &who, AccessMode mode);   // wait::ld, wait::st
  void tmemAllocate(const Who &who, uint32_t column, uint32_t columns);
  void tmemDeallocate(const Who &who, uint32_t column, uint32_t columns);

  // A pending cluster end: TMEM left allocated, copies nobody waited for.
  void finishCluster();

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace fa4::emulator
