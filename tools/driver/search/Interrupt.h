// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ctrl-C during a search: the first one stops it with the best found so far; a second one ends the
// process as ever.
#ifndef PERFC_BACKENDS_MAPPER_INTERRUPT_H
#define PERFC_BACKENDS_MAPPER_INTERRUPT_H

#include <atomic>

namespace perfc::driver {

/// Catches SIGINT as long as it lives; one at a time.
class Interrupt {
public:
  Interrupt();
  ~Interrupt();
  /// Set once the signal came, and from then on.
  static const std::atomic<bool> &flag();
};

} // namespace perfc::driver

#endif // PERFC_BACKENDS_MAPPER_INTERRUPT_H
