// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A Python function that is told how far a run is. Searches tell it from their own threads, so each
// call takes Python's lock; what it raises ends the run soon and is raised once that has ended.
#ifndef PERFC_BINDINGS_PYTHON_PROGRESSCALL_H
#define PERFC_BINDINGS_PYTHON_PROGRESSCALL_H

#include "bindings/python/module/Loaded.h"
#include <exception>
#include <pybind11/pybind11.h>

namespace perfc::python {

class ProgressCall {
public:
  /// `call` may be None, which is told nothing.
  ProgressCall(Loaded &program, pybind11::object call) : program(program), call(std::move(call)) {}

  Results::Listener listener() {
    if (call.is_none())
      return nullptr;
    return [this](const Progress &progress) { tell(progress); };
  }

  /// Raises what the function has raised.
  void finish() {
    if (raised)
      std::rethrow_exception(raised);
  }

private:
  void tell(const Progress &progress) {
    pybind11::gil_scoped_acquire lock;
    if (raised)
      return;
    Loaded::Telling telling(program);
    try {
      call(progress);
    } catch (const pybind11::error_already_set &) {
      raised = std::current_exception();
      program.cancel();
    }
  }

  Loaded &program;
  pybind11::object call;
  std::exception_ptr raised; ///< guarded by Python's lock
};

} // namespace perfc::python

#endif // PERFC_BINDINGS_PYTHON_PROGRESSCALL_H
