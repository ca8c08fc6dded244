// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/serving/Requests.h"

#include <cmath>

using namespace perfc;
using namespace perfc::serving;

void Request::startAgain() {
  if (isPrefilled) {
    int64_t all = total();
    prompt = processed;
    answer = all - processed;
  }
  processed = 0;
  isPrefilled = false;
}

void Request::holdNothing() {
  blocks = shared = incoming = 0;
  prefixNode = 0;
  isResident = false;
}

void Request::loseCaches() {
  startAgain();
  holdNothing();
  copy = target = transfer = -1;
  ++reroutes;
}

void serving::shareOut(RequestSpec &request, double total, double promptToAnswer, bool isUniform) {
  double answer = total / (1 + promptToAnswer);
  if (isUniform)
    answer = std::ceil(answer);
  request.answer = static_cast<int64_t>(answer);
  request.prompt = static_cast<int64_t>(total - answer);
}
