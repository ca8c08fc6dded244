// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A search over the strategies of a `train` while it runs: divisions of the model, the families of
// strategies with each, and what is still to be looked at, the least bound first. Private to
// TrainSearch's files.
#ifndef PERFC_BACKENDS_MAPPER_STRATEGY_STRATEGYQUEUE_H
#define PERFC_BACKENDS_MAPPER_STRATEGY_STRATEGYQUEUE_H

#include "backends/mapper/strategy/StrategySpace.h"
#include "backends/mapper/strategy/StrategyTrial.h"
#include <chrono>

namespace perfc::mapper {

class TrainSearch {
public:
  TrainSearch(const ir::Module &module, const ir::Operation &train, ProviderSet &providers,
              const emit::MetricNames &names, const SearchSettings &settings,
              DiagnosticEngine &diagnostics)
      : module(module), train(train), providers(providers), settings(settings),
        diagnostics(diagnostics), asked(passes::readStrategy(ir::as<study::TrainOp>(train))),
        isExhaustive(settings.strategy == loopnest::SearchStrategy::Exhaustive),
        network(*module.lookup(train.symbolAttr("on")), providers, diagnostics),
        space(module, train, asked, network, diagnostics),
        trials(module, train, providers, names, network, diagnostics), result(trials.result) {}

  llvm::Optional<TrainSearchResult> run();

private:
  /// A way to cut the model into kernels.
  struct Division {
    passes::Strategy strategy;
    std::vector<StrategySpace::Family> families;
    size_t firstNumber = 0; ///< of its first strategy, in the order of the space
    bool isLowered = false;
    llvm::Optional<training::ModelCosts> costs; ///< none where the model cannot be cut so
    llvm::Optional<training::ModelCosts> least; ///< the same for bounds
  };
  /// What bounds are about.
  enum class Stage : uint8_t {
    Guess,   ///< a family, by the kernels of larger microbatches or by nothing
    Family,  ///< a family, by its own kernels
    Variant, ///< a strategy
  };
  struct Entry {
    Stage stage = Stage::Guess;
    training::StepBound bound;
    size_t number = 0; ///< of its first strategy
    size_t division = 0, family = 0, variant = 0;
  };

  void countModel(const ir::Region &region, double times);
  bool cannotFit(const passes::Strategy &division) const;
  llvm::Optional<training::ModelCosts> costsOf(const passes::Strategy &strategy);
  void lower(Division &division);
  void addDivisions();
  void guess(llvm::ArrayRef<size_t> alike);
  void push(Entry entry);
  Entry pop();
  size_t sizeOf(const Entry &entry) const;
  void look(Entry entry);
  void expand(const Entry &entry);
  void tryVariant(const Entry &entry);
  void tryStages(const passes::Strategy &strategy, const Entry &entry,
                 llvm::ArrayRef<training::MixedStage> stages);
  bool isStopped() const { return settings.stop && *settings.stop; }
  /// True when that share of the time is over, or it is stopped.
  bool isOutOfTime(double share = 1) const;
  void tryTight();
  void showProgress();
  bool checkSize();
  void finish();
  void reportNothing();
  bool isBefore(const Entry &a, const Entry &b) const;

  const ir::Module &module;
  const ir::Operation &train;
  ProviderSet &providers;
  const SearchSettings &settings;
  DiagnosticEngine &diagnostics;
  passes::Strategy asked;
  bool isExhaustive;
  RankNetwork network;
  StrategySpace space;
  StrategyTrials trials;
  TrainSearchResult &result;
  double weights = 0; ///< elements
  double capacity = 0;
  int64_t layers = 0;
  bool isMonotone = true; ///< larger microbatches take no more for a sample
  std::string memory;
  llvm::Optional<passes::Strategy> refused; ///< one that the model does not allow
  std::vector<Division> divisions;
  std::vector<Entry> entries; ///< a heap
  std::vector<Entry> unfit;   ///< left out for their memory
  double shownTime = 0;       ///< of the best, in s
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
};

} // namespace perfc::mapper

#endif // PERFC_BACKENDS_MAPPER_STRATEGY_STRATEGYQUEUE_H
