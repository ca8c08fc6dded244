// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One pool of a `serve`: the model on its ranks, what its memory leaves for the cache, and what of
// that the simulation is told.
#ifndef PERFC_BACKENDS_SERVING_DEPLOYMENT_H
#define PERFC_BACKENDS_SERVING_DEPLOYMENT_H

#include "backends/serving/Model.h"

namespace perfc::serving {

class Deployment {
public:
  Deployment(const ir::Module &module, study::ServeOp serve, study::PoolOp pool,
             ProviderSet &providers, DiagnosticEngine &diagnostics)
      : serve(serve), pool(pool), diagnostics(diagnostics), scheduler(pool.scheduler()),
        model(module, serve, pool, providers, diagnostics) {}

  /// Costs the model; false after a report.
  bool build();
  /// What the memory leaves, into `limits` and `summary`; false, reported, where it is nothing.
  bool findLimits();
  /// False, reported, where `request`, the one with this number, never fits.
  bool check(const RequestSpec &request, size_t number) const;
  /// Iterations that `request` takes at most for its prompt, beside those that make tokens.
  double promptSteps(const RequestSpec &request) const {
    return scheduler.makesPieces() ? static_cast<double>((request.prompt - 1) / limits.chunk) : 0;
  }
  PoolSetup setup();
  /// Words of the strategy.
  std::string strategyText() const;
  /// Starts the totals anew.
  void forget();
  llvm::StringRef kind() const { return scheduler.kind(); }
  /// The cache of a token, on all ranks of a copy: at most, where some hold the same.
  double cacheOfToken() const;
  /// Chips that hold the cache of a request.
  int64_t holders() const { return model.tensor * model.stages; }

  study::ServeOp serve;
  study::PoolOp pool;
  DiagnosticEngine &diagnostics;
  study::SchedulerOp scheduler;
  ServedModel model;
  Limits limits;
  ServedPool summary; ///< what is known before the run

private:
  bool isReserving() const { return scheduler.isReserving(); }
  int64_t largestBatch() const;
  /// Tokens that each request has room for from its start.
  int64_t reservedTokens() const { return scheduler.maxTokens(serve.longest()) + guesses(); }
  int64_t guesses() const { return pool.draft().tokens(); }
  void findHeld();
  bool findPrefixes();
  void reportNoRoom(const StageRoom &room, double logits, double usable);
};

} // namespace perfc::serving

#endif // PERFC_BACKENDS_SERVING_DEPLOYMENT_H
