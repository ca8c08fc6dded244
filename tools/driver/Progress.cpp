// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/driver/Progress.h"

#include "llvm/Support/raw_ostream.h"
#include <fmt/format.h>

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
  auto elapsed = std::chrono::steady_clock::now() - began;
  std::string line = fmt::format(
      "{} s  {}", std::chrono::duration_cast<std::chrono::seconds>(elapsed).count(), activity);
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
