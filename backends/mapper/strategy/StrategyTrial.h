// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One strategy of a search: its step, what `require` and the goal say of it, and its rank.
#ifndef PERFC_BACKENDS_MAPPER_STRATEGY_STRATEGYTRIAL_H
#define PERFC_BACKENDS_MAPPER_STRATEGY_STRATEGYTRIAL_H

#include "backends/mapper/strategy/StrategyRanking.h"
#include "backends/mapper/strategy/TrainSearch.h"

namespace perfc::mapper {

class StrategyTrials {
public:
  StrategyTrials(const ir::Module &module, const ir::Operation &train, ProviderSet &providers,
                 const emit::MetricNames &names, RankNetwork &network,
                 DiagnosticEngine &diagnostics)
      : module(module), train(train), providers(providers), names(names), network(network),
        diagnostics(diagnostics), model(module, train, network) {}

  /// False, reported, where there is none.
  bool readGoal();
  /// Runs `strategy`, number `number` of the space; false where algorithms are refused (counted).
  bool run(const passes::Strategy &strategy, size_t number, const training::ModelCosts &costs);
  /// Keeps the fastest of what fits only where no memory is left for what the model does not know.
  void keepTight(const passes::Strategy &strategy, const training::ModelCosts &costs,
                 training::Step step);
  /// Makes the goal's value one that is better the smaller it is.
  double sign() const { return maximizes ? -1 : 1; }

  const ir::Module &module;
  const ir::Operation &train;
  ProviderSet &providers;
  emit::MetricNames names;
  RankNetwork &network;
  DiagnosticEngine &diagnostics;
  training::StepModel model;
  StrategyRanking ranking;
  TrainSearchResult result;
  bool maximizes = false;
  std::string withoutValue; ///< why the goal or a condition has none in a strategy that fits
  llvm::Optional<TrainingSummary> stuck; ///< of one that fits, but that failures leave no time
  bool runs = false;                     ///< one that fits gets somewhere

private:
  bool isRefused();
  bool addEnds(const passes::Strategy &strategy, Outcome &outcome);
  bool fulfils();
  void rank(const passes::Strategy &strategy, size_t place, Outcome &outcome);

  ir::Attribute goal;
  double firstValue = 0;                                  ///< of the goal
  bool goalNeedsEnds = false, conditionsNeedEnds = false; ///< are about ends of intervals
  bool isWorstEnd = false; ///< of the goal's metric, which is no better than its centre
};

} // namespace perfc::mapper

#endif // PERFC_BACKENDS_MAPPER_STRATEGY_STRATEGYTRIAL_H
