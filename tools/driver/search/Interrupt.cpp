// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/driver/search/Interrupt.h"

#include <csignal>

using namespace perfc::driver;

static std::atomic<bool> interrupted{false};

extern "C" void perfcOnInterrupt(int) {
  interrupted = true;
  std::signal(SIGINT, SIG_DFL);
}

Interrupt::Interrupt() { std::signal(SIGINT, perfcOnInterrupt); }

Interrupt::~Interrupt() { std::signal(SIGINT, SIG_DFL); }

const std::atomic<bool> &Interrupt::flag() { return interrupted; }
