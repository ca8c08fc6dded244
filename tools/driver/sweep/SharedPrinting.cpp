// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/driver/sweep/SharedPrinting.h"

using namespace perfc;
using namespace perfc::api;
using namespace perfc::driver;

SharedPrinting::SharedPrinting(Session &session, const Evaluation &evaluation,
                               PointSharing &sharing, RunDocument *document)
    : session(session), document(document), firstStream(first), nextStream(next),
      asFirst(session, evaluation, firstStream), asNext(session, evaluation, nextStream) {
  sharing.takePrinted = [this] {
    asFirst.beginAnew();
    firstStream.flush();
    nextStream.flush();
    PointTexts texts{std::exchange(first, ""), std::exchange(next, ""), {}, {}};
    if (this->document)
      this->document->takeParts(texts.results, texts.searches);
    return texts;
  };
  sharing.onOutcome = [this](const PointOutcome &outcome) {
    const PointTexts &texts = outcome.texts;
    if (this->document)
      return this->document->addParts(texts.results, texts.searches);
    bool isNew = sweep != outcome.statement && !texts.asFirst.empty();
    this->session.out << (isNew ? texts.asFirst : texts.asNext);
    this->session.out.flush();
    if (isNew)
      sweep = outcome.statement;
  };
}

void SharedPrinting::print(const Evaluated &evaluated) {
  if (document)
    return;
  asFirst.print(evaluated);
  asNext.goOnWith(evaluated);
  asNext.print(evaluated);
}
