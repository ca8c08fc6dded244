// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bindings/python/module/Interrupt.h"

#include <atomic>

using namespace perfc;
using namespace perfc::python;

// What a signal handler can see.
static std::atomic<api::Program *> running{nullptr};
static std::atomic<bool> interrupted{false};

static void cancelRunning(int) {
  interrupted = true;
  if (api::Program *program = running)
    program->cancel();
}

Interrupt::Interrupt(api::Program &program, bool isActive) : isActive(isActive) {
  if (!isActive)
    return;
  outer = running.exchange(&program);
  if (!outer)
    interrupted = false;
  struct sigaction action = {};
  action.sa_handler = cancelRunning;
  sigaction(SIGINT, &action, &before);
}

Interrupt::~Interrupt() {
  if (!isActive)
    return;
  sigaction(SIGINT, &before, nullptr);
  running = outer;
  if (outer && interrupted)
    outer->cancel();
}

bool Interrupt::hasCome() const { return isActive && interrupted; }
