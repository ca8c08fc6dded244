// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One `serve`: the model is costed once; its requests are then served as often as a search asks,
// each time with another rate of arrivals.
#ifndef PERFC_BACKENDS_SERVING_SERVING_H
#define PERFC_BACKENDS_SERVING_SERVING_H

#include "backends/core/CostProvider.h"
#include "backends/core/Outcome.h"
#include "backends/serving/Deployment.h"
#include "backends/serving/RequestTally.h"
#include <functional>

namespace perfc::serving {

class Serving {
public:
  Serving(const ir::Module &module, study::ServeOp serve, ProviderSet &providers,
          DiagnosticEngine &diagnostics);

  /// Runs that go on end without an outcome once `flag` is true.
  void stopOn(const std::atomic<bool> &flag) { stop = &flag; }
  /// Is told now and then how many requests of a run are done, and how many there are.
  using Counter = std::function<void(int64_t done, int64_t all)>;
  void countTo(Counter toTell) { counter = std::move(toTell); }
  /// Leaves the kernels what they take in `other`, a prepared one of the same statement.
  void takeKernels(const Serving &other) {
    for (size_t i = 0; i < pools.size(); ++i)
      pools[i]->model.takeKernels(other.pools[i]->model);
  }
  /// Costs the model; false after a report.
  bool prepare();
  /// Serves the requests, at `rate` per second where the program leaves the rate open; nothing
  /// after a report, and where it was stopped.
  llvm::Optional<Outcome> run(llvm::Optional<double> rate = llvm::None);
  /// The same at an end that only costs of kernels depend on.
  llvm::Optional<Outcome> runAt(const UncertainEnd &end) {
    for (const auto &pool : pools)
      pool->model.moveTo(end);
    return run();
  }

  /// What another tool tells of each request: fills in when it was scheduled, had its first token
  /// and was done, and its restarts; false after a report.
  using Teller = llvm::function_ref<bool(const ServedModel &model, std::vector<Request> &requests)>;
  /// The requests as `tell` has them, which is called `name`.
  llvm::Optional<Outcome> runBy(const std::string &name, Teller tell);

private:
  /// Tokens of the longer one of two transfers that are priced.
  static constexpr double transferTokens = 4096;

  bool checkTheta();
  bool checkRequests();
  const Cost *transferCost(double tokens);
  bool findTransfers();
  llvm::Optional<Setup> deployment();
  llvm::Optional<Setup> vidurDeployment(std::vector<RequestSpec> &requests);
  void reportVidur(const std::string &why);
  void summarizeBatches(SimulationResult &result);
  void summarizePools(const SimulationResult &result);
  void summarize(SimulationResult result, RequestTally requests);
  std::string strategyText() const;
  const char *timesNote() const; ///< "" where there is nothing to say
  void noteRuntime(Cost &cost) const;
  Outcome outcome();
  void addTold(Cost &cost) const;
  double addTotals(Cost &cost, const Deployment &pool, const BatchCost &of, llvm::StringRef prefix,
                   Figure &energy) const;
  double addSends(Cost &cost, const Deployment &pool, llvm::StringRef prefix, Figure &energy) const;
  double addStack(Cost &cost, const Deployment &pool, llvm::StringRef prefix,
                  const Figure &energy) const;
  int64_t batchesOf(const Deployment &pool) const;
  void addTransfers(Cost &cost, Figure &energy);
  void addItems(Cost &cost);
  int64_t chips() const;

  const ir::Module &module;
  study::ServeOp serve;
  DiagnosticEngine &diagnostics;
  const std::atomic<bool> *stop = nullptr;
  Counter counter;
  std::vector<std::unique_ptr<Deployment>> pools;
  RankNetwork network;                           ///< of the whole system
  double steps = 0;                              ///< iterations of all requests at most
  double transferLatency = 0, transferToken = 0; ///< s, of a cache between pools
  std::shared_ptr<ServingSummary> summary;
};

} // namespace perfc::serving

#endif // PERFC_BACKENDS_SERVING_SERVING_H
