// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/build/ServeValues.h"

#include "llvm/ADT/StringSwitch.h"
#include <cmath>

using namespace perfc;

static constexpr double mostTokens = 1e7;
static constexpr double mostInBatch = 1e6;

Wants perfc::wantsOf(llvm::StringRef argument) {
  return llvm::StringSwitch<Wants>(argument)
      .Cases("max_tokens", "min", "max", "prompt", "answer", Wants::Tokens)
      .Cases("mean", "deviation", Wants::Tokens)
      .Cases("rate", "every", "prefill_to_decode", "cv", "sigma", Wants::Positive)
      .Cases("peak", "length", "period", "ttft", "swap", Wants::Positive)
      .Cases("think", "swing", Wants::NotNegative)
      .Case("seed", Wants::Seed)
      .Case("theta", Wants::Theta)
      .Default(Wants::Count);
}

llvm::StringRef perfc::describe(Wants wants) {
  switch (wants) {
  case Wants::Count:
    return "a whole number from 1 to 1000000";
  case Wants::Tokens:
    return "a whole number of tokens from 1 to 10000000";
  case Wants::Seed:
    return "a whole number from 0 to 4294967295";
  case Wants::Positive:
    return "from 1e-30 to 1e30";
  case Wants::NotNegative:
    return "from 0 to 1e30";
  case Wants::Theta:
    return "a number from 0 to below 1";
  }
  return "";
}

bool perfc::meets(const Quantity &value, Wants wants) {
  double number = value.toDouble();
  if (!std::isfinite(number))
    return false;
  switch (wants) {
  case Wants::Count:
    return value.isInteger() && number >= 1 && number <= mostInBatch;
  case Wants::Tokens:
    return value.isInteger() && number >= 1 && number <= mostTokens;
  case Wants::Seed:
    return number >= 0 && number <= 4294967295.0;
  case Wants::Positive:
    return number >= 1e-30 && number <= 1e30;
  case Wants::NotNegative:
    return number >= 0 && number <= 1e30;
  case Wants::Theta:
    return number >= 0 && number < 1;
  }
  return false;
}
