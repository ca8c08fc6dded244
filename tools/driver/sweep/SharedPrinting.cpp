// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/driver/sweep/SharedPrinting.h"

using namespace perfc;
using namespace perfc::driver;

SharedPrinting::SharedPrinting(Session &session, Evaluation &evaluation)
    : session(session), firstStream(first), nextStream(next),
      asFirst(session, evaluation, firstStream), asNext(session, evaluation, nextStream) {
  evaluation.takePrinted = [this] {
    asFirst.beginAnew();
    firstStream.flush();
    nextStream.flush();
    return std::make_pair(std::exchange(first, ""), std::exchange(next, ""));
  };
  evaluation.onOutcome = [this](const PointOutcome &outcome) {
    bool isNew = sweep != outcome.statement && !outcome.asFirst.empty();
    this->session.out << (isNew ? outcome.asFirst : outcome.asNext);
    this->session.out.flush();
    if (isNew)
      sweep = outcome.statement;
  };
}

void SharedPrinting::print(const Evaluated &evaluated) {
  asFirst.print(evaluated);
  asNext.goOnWith(evaluated);
  asNext.print(evaluated);
}
