// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One `serve`: the model is costed once; its requests are then served as often as a search asks,
// each time with another rate of arrivals.
#ifndef PERFC_BACKENDS_SERVING_SERVING_H
#define PERFC_BACKENDS_SERVING_SERVING_H

#include "backends/core/CostProvider.h"
#include "backends/core/Outcome.h"
#include "backends/serving/Model.h"

namespace perfc::serving {

class Serving {
public:
  Serving(const ir::Module &module, study::ServeOp serve, ProviderSet &providers,
          DiagnosticEngine &diagnostics)
      : serve(serve), diagnostics(diagnostics), scheduler(serve.scheduler()),
        model(module, serve, providers, diagnostics) {}

  /// Costs the model; false after a report.
  bool prepare();
  /// Serves the requests, at `rate` per second where the program leaves the rate open; nothing
  /// after a report.
  llvm::Optional<Outcome> run(llvm::Optional<double> rate = llvm::None);
  /// The same at an end that only costs of kernels depend on.
  llvm::Optional<Outcome> runAt(const UncertainEnd &end) {
    model.moveTo(end);
    return run();
  }

private:
  bool isReserving() const { return scheduler.isReserving(); }
  llvm::StringRef kind() const { return scheduler.kind(); }
  /// Tokens that each request has room for from its start.
  int64_t reservedTokens() const { return scheduler.maxTokens(serve.longest()); }
  bool findLimits();
  int64_t largestBatch() const;
  void reportNoRoom(double weights, double logits, double usable);
  bool checkTheta();
  bool checkRequests(const std::vector<Request> &requests);
  struct Deployment {
    Setup setup;
    StageTimes times;
  };
  llvm::Optional<Deployment> deployment(std::vector<Request> &requests);
  llvm::Optional<Deployment> vidurDeployment(std::vector<Request> &requests);
  void reportVidur(const std::string &why);
  void summarizeRequests(llvm::ArrayRef<Request> served, llvm::ArrayRef<Request> original);
  void summarizeBatches(SimulationResult &result);
  void summarize(SimulationResult result, llvm::ArrayRef<Request> original);
  bool meets(const ServedRequest &request) const;
  std::string strategyText() const;
  const char *timesNote() const; ///< "" where there is nothing to say
  void noteRuntime(Cost &cost) const;
  Outcome outcome();
  double addTotals(Cost &cost, Figure &energy) const;
  void addItems(Cost &cost) const;

  study::ServeOp serve;
  DiagnosticEngine &diagnostics;
  study::SchedulerOp scheduler;
  ServedModel model;
  Limits limits;
  std::shared_ptr<ServingSummary> summary;
};

} // namespace perfc::serving

#endif // PERFC_BACKENDS_SERVING_SERVING_H
