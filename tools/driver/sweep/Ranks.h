// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The processes of an MPI run, as far as a sweep needs them: messages of bytes between the first
// one and each of the others. Built with PERFC_MPI; a build without it knows one process only.
#ifndef PERFC_TOOLS_DRIVER_SWEEP_RANKS_H
#define PERFC_TOOLS_DRIVER_SWEEP_RANKS_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace perfc::driver {

class Ranks {
public:
  /// The processes of this run; null when it has one. Ends with the process.
  static Ranks *world();

  virtual ~Ranks() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// Blocks until `to` can receive it.
  virtual void send(int to, llvm::StringRef bytes) = 0;
  /// The next message from `from`, or from whoever is first when it is negative; sets `from`.
  virtual std::string receive(int &from) = 0;
};

} // namespace perfc::driver

#endif // PERFC_TOOLS_DRIVER_SWEEP_RANKS_H
