// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages on links that lie side by side, whole ones and at most one part of one. They are served
// in the order in which they come: each takes one whole link, or what those before it leave free,
// and more as soon as these end. So what is free never falls as time goes on, and a wider trunk
// serves no message later. With whole links a message has one for itself or waits for one.
#ifndef PERFC_BACKENDS_NETWORK_TRUNK_H
#define PERFC_BACKENDS_NETWORK_TRUNK_H

#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace perfc {
namespace network {

/// When a message is on a link, in ps.
struct Service {
  int64_t start, duration;
};

class Trunk {
public:
  /// `width` links, at least one.
  explicit Trunk(double width) : steps{{0, width}} {}

  /// Serves a message that a whole link would carry in `work` ps and that comes at `now`, not
  /// before the one served last. It ends before `longest`, or at that time.
  Service serve(int64_t now, double work, int64_t longest);

private:
  /// So many links are free from then on, until the next step.
  struct Step {
    int64_t from;
    double free;
  };
  llvm::SmallVector<Step, 2> steps; ///< nothing is free before the first
};

} // namespace network
} // namespace perfc

#endif // PERFC_BACKENDS_NETWORK_TRUNK_H
