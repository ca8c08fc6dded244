// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The progress line: what a command is at and for how long, on standard error, once it has worked
// for a second. It is drawn over itself, and gone before anything else is printed.
#ifndef PERFC_TOOLS_DRIVER_PROGRESS_H
#define PERFC_TOOLS_DRIVER_PROGRESS_H

#include "api/Context.h"
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace perfc::driver {

class Progress : public api::Watcher {
public:
  ~Progress() override { stop(); }

  /// Shows progress from now on, in lines of up to `width` columns; to be called on a terminal
  /// only.
  void start(unsigned width);
  /// What the command is at; without `start` nobody sees it.
  void at(llvm::StringRef what) override;
  /// `done` of `total` parts of the work are done; 0 of 0 for work without parts.
  void count(int64_t done, int64_t total) override;
  // Ctrl-C during a search cancels: a second one ends the process as ever.
  void searchBegins() override;
  void searchEnds() override;
  /// Takes the line away for good.
  void stop();

  /// While one lives, the line is away: results are being printed.
  class Pause {
  public:
    explicit Pause(Progress &progress) : lock(progress.mutex) { progress.erase(); }

  private:
    std::unique_lock<std::mutex> lock;
  };

private:
  void draw();
  void erase();

  std::mutex mutex; ///< guards all below, and standard error while the thread lives
  std::condition_variable ends;
  std::thread drawing;
  std::chrono::steady_clock::time_point began;
  std::string activity;
  int64_t done = 0, total = 0;
  int64_t doneBefore = 0; ///< when the first of them began, at `countedSince`
  std::chrono::steady_clock::time_point countedSince;
  unsigned width = 80;
  bool isEnding = false, isDrawn = false;
};

} // namespace perfc::driver

#endif // PERFC_TOOLS_DRIVER_PROGRESS_H
