// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/mapper/strategy/FitAdvice.h"

#include "backends/mapper/strategy/StrategySpace.h"
#include "backends/training/Train.h"

using namespace perfc;
using namespace perfc::mapper;
using passes::Recompute;
using passes::Strategy;

namespace {
struct Change {
  std::string words;
  Strategy strategy;
};
} // namespace

static void addSharding(const Strategy &asked, const std::string &others,
                        std::vector<Change> &changes) {
  Strategy next = asked;
  if (asked.data * asked.context == 1)
    return;
  if (next.shard.ranks > 0) {
    next.shard.ranks = -1;
    changes.push_back({others + "`shard` among all data-parallel ranks", next});
  }
  bool *const parts[] = {&next.shard.optimizer, &next.shard.gradients, &next.shard.parameters};
  const char *const names[] = {"optimizer", "gradients", "parameters"};
  for (int i = 0; i < 3; ++i) {
    bool isNew = !*parts[i];
    *parts[i] = true; // each of them includes those before
    if (isNew)
      changes.push_back({fmt::format("{}`shard {}`", others, names[i]), next});
  }
}

/// In the order in which they cost time, and at last all of them together.
static std::vector<Change> changesOf(const Strategy &asked) {
  std::vector<Change> changes;
  Change all{"", asked};
  auto addToAll = [&](const std::string &words, auto edit) {
    all.words += (all.words.empty() ? "" : ", ") + words;
    edit(all.strategy);
  };
  auto change = [&](const std::string &words, auto edit) {
    changes.push_back({words, asked});
    edit(changes.back().strategy);
    addToAll(words, edit);
  };
  if (asked.tensor > 1 && !asked.sequence)
    change(fmt::format("`parallel sequence = {}`", asked.tensor),
           [](Strategy &strategy) { strategy.sequence = true; });
  addSharding(asked, "", changes);
  bool isInGroups = asked.shard.ranks > 0;
  if (asked.data * asked.context > 1 && (isInGroups || !asked.shard.parameters))
    addToAll(isInGroups ? "`shard parameters` among all data-parallel ranks" : "`shard parameters`",
             [](Strategy &strategy) {
               strategy.shard = {true, true, true};
             });
  if (asked.microbatch > 1)
    change("`microbatch 1`", [](Strategy &strategy) { strategy.microbatch = 1; });
  if (asked.recompute != Recompute::Full) {
    change("`recompute full`", [](Strategy &strategy) { strategy.recompute = Recompute::Full; });
    addSharding(changes.back().strategy, "`recompute full` and ", changes);
  }
  if (!all.words.empty())
    changes.push_back(std::move(all));
  return changes;
}

std::string mapper::adviceToFit(const ir::Module &module, const ir::Operation &train,
                                ProviderSet &providers, const SourceManager &sources) {
  std::vector<Change> changes =
      changesOf(passes::readStrategy(study::TrainOp(const_cast<ir::Operation *>(&train))));
  for (const Change &change : changes) {
    DiagnosticEngine scratch(sources);
    auto lowered = withStrategy(module, train.symbol(), change.strategy, scratch);
    if (!lowered)
      continue;
    if (auto cost = training::evaluateTraining(*lowered, *lowered->lookup(train.symbol()),
                                               providers, scratch))
      return fmt::format("with {} it fits", change.words);
  }
  return "`shard`, `recompute` and a smaller microbatch are not enough together: it takes more "
         "`tensor`, `context` or `pipeline` parallelism, or more memory";
}
