// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program as Python holds it: used by one thread at a time, and run without Python's lock.
#ifndef PERFC_BINDINGS_PYTHON_LOADED_H
#define PERFC_BINDINGS_PYTHON_LOADED_H

#include "bindings/python/module/Results.h"
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <variant>

namespace perfc::python {

/// A value of a parameter: a number in base units, or as it is written.
using Given = std::variant<double, std::string>;
/// A parameter with the values that it takes in turn.
using Axis = std::pair<std::string, std::vector<Given>>;

/// Runs one after the other: a call waits for those of other threads. From the function that a run
/// tells how far it is, all but `cancel` throws std::runtime_error: it would wait for itself.
class Loaded {
public:
  explicit Loaded(api::Program program) : program(std::move(program)) {}

  /// As long as it lives, this thread is in that function.
  class Telling {
  public:
    explicit Telling(const Loaded &program) : program(program), outer(innermost) {
      innermost = this;
    }
    ~Telling() { innermost = outer; }
    Telling(const Telling &) = delete;
    Telling &operator=(const Telling &) = delete;

  private:
    friend class Loaded;
    const Loaded &program;
    const Telling *outer; ///< of another program, whose function runs this one
    static thread_local const Telling *innermost;
  };

  /// The problems of the load.
  Findings findings();
  /// With those that statements have, too.
  Findings check();
  std::vector<api::Parameter> parameters();
  std::optional<std::string> format();
  /// With what is wrong, where there is none.
  std::pair<std::optional<std::string>, Findings> ir(const std::string &level);
  /// A run for each point of `axes`, the last one running fastest; without axes one. Parameters are
  /// then as before. With `endsOnInterrupt`, Ctrl-C ends it soon, with what it has found.
  /// `listener` is told how far it is.
  std::shared_ptr<Results> sweep(const std::vector<Axis> &axes, const api::RunSettings &settings,
                                 bool endsOnInterrupt, Results::Listener listener);
  /// Ends a run soon, from any thread.
  void cancel() {
    isCancelled = true;
    program.cancel();
  }

private:
  std::unique_lock<std::mutex> waitForOthers();
  void runPoint(Results &results, const std::vector<Axis> &axes, size_t number,
                const api::RunSettings &settings);

  api::Program program;
  std::mutex busy;
  std::atomic<bool> isCancelled{false}; ///< the run at hand
};

} // namespace perfc::python

#endif // PERFC_BINDINGS_PYTHON_LOADED_H
