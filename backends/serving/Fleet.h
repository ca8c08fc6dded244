// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which copies of a pool take requests. A copy that breaks loses its caches, and its requests go
// elsewhere; it comes back when it has been repaired. Where the number of copies follows the load,
// a copy that is asked for takes requests when it has started, and one that is no longer needed
// ends what it has.
#ifndef PERFC_BACKENDS_SERVING_FLEET_H
#define PERFC_BACKENDS_SERVING_FLEET_H

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace perfc::serving {

inline constexpr double never = std::numeric_limits<double>::infinity();

/// A time in which a copy is broken.
struct Outage {
  size_t copy = 0;
  double from = 0, until = never; ///< s
};

/// Times in which copies are broken: those that are listed, and random ones.
struct Outages {
  std::vector<Outage> listed;
  double between = 0; ///< s from a repair to the next fault of a copy, in the mean; 0 for none
  double repair = 0;  ///< s
  uint64_t seed = 0;
};

/// How the number of copies follows the load, which is looked at each `every`: above `up` requests
/// for each copy that takes some, taken in or not, one more starts; below `down` one stops.
struct Scaling {
  int64_t least = 0; ///< copies at least; 0 for all of them, always
  double up = 0, down = 0;
  double start = 0; ///< s from when a copy is asked for to when it takes requests
  double every = 0; ///< s
};

class Fleet {
public:
  enum class State : uint8_t {
    Off,
    Starting,
    Up,       ///< takes requests
    Draining, ///< ends what it has
    Broken
  };
  Fleet(size_t copies, const Outages &outages, const Scaling &scaling);

  /// Copies that take requests, in order.
  const std::vector<size_t> &up() const { return takers; }
  State state(size_t copy) const { return states[copy].state; }
  bool isBroken(size_t copy) const { return state(copy) == State::Broken; }
  /// s of the next change; never for none.
  double next() const { return upcoming; }
  /// Makes the changes up to `now` and returns copies that have just broken. `load` is the number
  /// of requests of all copies, `idle` says of one whether it has none.
  template <typename Load, typename Idle>
  std::vector<size_t> change(double now, const Load &load, const Idle &idle);
  /// A copy has ended its last request.
  void rest(size_t copy, double now);
  /// Copies times s up to `now` in which they were on, starting and broken ones included.
  double secondsOn(double now) const;

private:
  struct Copy {
    State state = State::Up;
    double ready = never;    ///< s when it has started
    double fails = never;    ///< s of its next fault
    double repaired = never; ///< s
    uint64_t faults = 0;     ///< random ones so far
    size_t listed = 0;       ///< of its listed outages, those that are over
    double since = 0;        ///< s from which on it is on
  };

  void set(size_t copy, State state, double now);
  void setNextFault(size_t copy, double now);
  void scale(double now, int64_t load);
  void finishChange();
  bool begin(size_t copy, double now);

  std::vector<Copy> states;
  std::vector<std::vector<Outage>> listed; ///< by copy, in order
  Outages outages;
  Scaling scaling;
  std::vector<size_t> takers;
  double look = never;     ///< s of the next look at the load
  double upcoming = never; ///< s
  double on = 0;           ///< copies times s, of those that are off now
};

template <typename Load, typename Idle>
std::vector<size_t> Fleet::change(double now, const Load &load, const Idle &idle) {
  std::vector<size_t> broken;
  for (size_t copy = 0; copy < states.size(); ++copy)
    if (begin(copy, now))
      broken.push_back(copy);
  if (look <= now) {
    scale(now, load());
    look = now + scaling.every;
    for (size_t copy = 0; copy < states.size(); ++copy)
      if (states[copy].state == State::Draining && idle(copy))
        rest(copy, now);
  }
  finishChange();
  return broken;
}

} // namespace perfc::serving

#endif // PERFC_BACKENDS_SERVING_FLEET_H
