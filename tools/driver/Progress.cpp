// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/driver/Progress.h"

#include "llvm/Support/raw_ostream.h"
#include <csignal>
#include <fmt/format.h>

using namespace perfc;
using namespace perfc::driver;
using namespace std::chrono_literals;

void Progress::start(unsigned columns) {
  width = columns;
  began = std::chrono::steady_clock::now();
  drawing = std::thread([this] {
    std::unique_lock<std::mutex> lock(mutex);
    for (auto wait = 1000ms; !ends.wait_for(lock, wait, [this] { return isEnding; }); wait = 250ms)
      draw();
    erase();
  });
}

void Progress::at(llvm::StringRef what) {
  std::lock_guard<std::mutex> lock(mutex);
  activity = what.str();
}

void Progress::count(int64_t now, int64_t all) {
  std::lock_guard<std::mutex> lock(mutex);
  if (now <= done || all != total) { // another work begins
    doneBefore = now;
    countedSince = std::chrono::steady_clock::now();
  }
  done = now;
  total = all;
}

/// "12 of 60 done, 1.5/s, 32 s left"; "" for work without parts.
static std::string countText(int64_t done, int64_t total, int64_t newly, double seconds) {
  if (total == 0)
    return "";
  std::string text = fmt::format("{} of {} done", done, total);
  if (newly == 0 || seconds <= 0)
    return text + "  ";
  double rate = static_cast<double>(newly) / seconds;
  return fmt::format("{}, {:.2g}/s, {:.0f} s left  ", text, rate,
                     static_cast<double>(total - done) / rate);
}

/// What Ctrl-C cancels; null while it ends the process.
static std::atomic<api::Watcher *> searching{nullptr};

extern "C" void perfcOnInterrupt(int) {
  if (api::Watcher *watcher = searching)
    watcher->cancel();
  std::signal(SIGINT, SIG_DFL);
}

void Progress::searchBegins() {
  searching = this;
  std::signal(SIGINT, perfcOnInterrupt);
}

void Progress::searchEnds() {
  std::signal(SIGINT, SIG_DFL);
  searching = nullptr;
}

void Progress::stop() {
  if (!drawing.joinable())
    return;
  {
    std::lock_guard<std::mutex> lock(mutex);
    isEnding = true;
  }
  ends.notify_one();
  drawing.join();
}

void Progress::draw() {
  auto now = std::chrono::steady_clock::now();
  std::chrono::duration<double> counting = now - countedSince;
  std::string line = fmt::format(
      "{} s  {}{}", std::chrono::duration_cast<std::chrono::seconds>(now - began).count(),
      countText(done, total, done - doneBefore, counting.count()), activity);
  if (line.size() >= width)
    line.resize(width - 1);
  llvm::errs() << "\r\x1b[K" << line; // errs() is not buffered
  isDrawn = true;
}

void Progress::erase() {
  if (isDrawn)
    llvm::errs() << "\r\x1b[K";
  isDrawn = false;
}
