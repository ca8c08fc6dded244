// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/serving/Copy.h"

#include <algorithm>

using namespace perfc;
using namespace perfc::serving;

double Copy::nextEnd() const {
  double next = never;
  for (const Stage &stage : stages)
    next = std::min(next, stage.end);
  return next;
}

void Copy::start(UnderWay batch) {
  batch.served.starts.resize(stages.size(), -1); // not begun
  stages[0].waiting.push_back(ended + batches.size());
  batches.push_back(std::move(batch));
}

double Copy::startStages(double now) {
  double work = 0;
  for (size_t i = 0; i < stages.size(); ++i) {
    Stage &stage = stages[i];
    if (stage.end != never || stage.waiting.empty())
      continue;
    stage.batch = stage.waiting.front();
    stage.waiting.pop_front();
    ServedBatch &batch = at(stage.batch).served;
    batch.starts[i] = now;
    stage.end = now + batch.seconds[i];
    work += batch.seconds[i];
  }
  return work;
}

llvm::Optional<UnderWay> Copy::finishStages(double now) {
  llvm::Optional<UnderWay> done;
  for (size_t i = 0; i < stages.size(); ++i) {
    Stage &stage = stages[i];
    if (stage.end > now)
      continue;
    stage.end = never;
    if (i + 1 < stages.size()) {
      stages[i + 1].waiting.push_back(stage.batch);
      continue;
    }
    done = std::move(batches.front());
    batches.erase(batches.begin());
    ++ended;
  }
  return done;
}

std::vector<UnderWay> Copy::drop(double now, double &left) {
  for (UnderWay &one : batches) {
    one.served.outputs = 0;
    for (size_t i = 0; i < stages.size(); ++i) {
      bool isHere = stages[i].end != never && &at(stages[i].batch) == &one;
      bool isOver = one.served.starts[i] >= 0 && !isHere;
      if (isHere) {
        left += stages[i].end - now;
        one.served.seconds[i] = now - one.served.starts[i];
      } else if (!isOver) {
        one.served.starts[i] = now;
        one.served.seconds[i] = 0;
      }
    }
  }
  std::vector<UnderWay> dropped(std::make_move_iterator(batches.begin()),
                                std::make_move_iterator(batches.end()));
  ended += batches.size();
  batches.clear();
  for (Stage &stage : stages)
    stage = Stage();
  return dropped;
}
