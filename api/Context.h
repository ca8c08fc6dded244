// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the evaluation of a program works with: the texts, the list of mistakes, and whoever
// watches. Nothing of it is global, so that several programs run in one process.
#ifndef PERFC_API_CONTEXT_H
#define PERFC_API_CONTEXT_H

#include "ir/common/Diagnostics.h"
#include <atomic>

namespace perfc::api {

/// Is told what a run is at, and may end it.
class Watcher {
public:
  virtual ~Watcher() = default;
  /// What the run is at, in words.
  virtual void at(llvm::StringRef what) { (void)what; }
  /// `done` of `total` points of a sweep are done.
  virtual void count(int64_t done, int64_t total) { (void)done, (void)total; }
  /// A search begins, which ends with the best so far once it is cancelled; it has ended.
  virtual void searchBegins() {}
  virtual void searchEnds() {}
  /// Once this is true the run ends soon: a search with the best so far, a sweep before its next
  /// point.
  const std::atomic<bool> &isCancelled() const { return cancelled; }
  void cancel() { cancelled = true; }

private:
  std::atomic<bool> cancelled{false};
};

struct Context {
  SourceManager &sources;
  DiagnosticEngine &diagnostics;
  Watcher &watcher;
};

} // namespace perfc::api

#endif // PERFC_API_CONTEXT_H
