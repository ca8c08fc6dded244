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
  began = Clock::now();
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
  parts = Work();
}

void Progress::count(Level level, int64_t done, int64_t total) {
  std::lock_guard<std::mutex> lock(mutex);
  Work &work = at(level);
  if (done < work.done || total != work.total) { // another work begins
    work.doneBefore = done;
    work.since = Clock::now();
  }
  work.done = done;
  work.total = total;
}

void Progress::best(Level level, std::string text) {
  std::lock_guard<std::mutex> lock(mutex);
  at(level).best = std::move(text);
}

/// "12 of 60 done, 1.5/s, 32 s left, best 3.200 mJ  "; "" for work without parts that has found
/// nothing.
std::string Progress::Work::text(Clock::time_point now) const {
  std::string text;
  if (total > 0)
    text = fmt::format("{} of {} done", done, total);
  double seconds = std::chrono::duration<double>(now - since).count();
  if (done > doneBefore && seconds > 0) {
    double rate = static_cast<double>(done - doneBefore) / seconds;
    text +=
        fmt::format(", {:.2g}/s, {:.0f} s left", rate, static_cast<double>(total - done) / rate);
  }
  if (!best.empty())
    text += (text.empty() ? "best " : ", best ") + best;
  return text.empty() ? text : text + "  ";
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
  Clock::time_point now = Clock::now();
  std::string line = fmt::format(
      "{} s  {}{}{}", std::chrono::duration_cast<std::chrono::seconds>(now - began).count(),
      points.text(now), parts.text(now), activity);
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
