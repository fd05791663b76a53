// What one party knows of the others: for each actor the time up to which its
// accesses happened before.
#pragma once
#include <cstdint>
#include <vector>

namespace fa4::emulator {

// Warps and async queues. A warp's lanes share its time; a single lane that
// synchronizes alone is known by a lane time above its warp's.
using Actor = uint32_t;
using Time = uint32_t; // 0: nothing

class VectorClock {
public:
  Time time(Actor actor) const {
    return actor < times.size() ? times[actor] : 0;
  }
  Time laneTime(Actor warp, uint32_t lane) const;

  void raise(Actor actor, Time time);
  // Only these lanes of a warp are known up to `time`.
  void raiseLanes(Actor warp, uint32_t lanes, Time time);
  void join(const VectorClock &other);
  bool covers(const VectorClock &other) const;
  void clear();

private:
  struct LaneTime {
    uint32_t thread; // warp * 32 + lane
    Time time;       // above times[warp]
  };
  void raiseLane(uint32_t thread, Time time);

  std::vector<Time> times;
  std::vector<LaneTime> lanes; // sorted by thread
};

// Shared memory is seen through two proxies; edges carry both clocks.
struct ClockPair {
  VectorClock generic;
  VectorClock async; // generic writes that async units may see
  void join(const ClockPair &other) {
    generic.join(other.generic);
    async.join(other.async);
  }
  bool covers(const ClockPair &other) const {
    return generic.covers(other.generic) && async.covers(other.async);
  }
};

} // namespace fa4::emulator
