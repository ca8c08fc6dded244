// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ctrl-C while a program runs: the run ends with what it has found, where Python, which does not
// see the signal before the call is over, would throw that away.
#ifndef PERFC_BINDINGS_PYTHON_INTERRUPT_H
#define PERFC_BINDINGS_PYTHON_INTERRUPT_H

#include "api/perfc/Program.h"
#include <csignal>

namespace perfc::python {

/// As long as it lives, an interrupt cancels `program`, and the programs whose progress functions
/// run it. Active ones are of the main thread.
class Interrupt {
public:
  Interrupt(api::Program &program, bool isActive);
  ~Interrupt();
  Interrupt(const Interrupt &) = delete;
  Interrupt &operator=(const Interrupt &) = delete;

  /// Whether one has come.
  bool hasCome() const;

private:
  bool isActive;
  api::Program *outer = nullptr;
  struct sigaction before = {};
};

} // namespace perfc::python

#endif // PERFC_BINDINGS_PYTHON_INTERRUPT_H
