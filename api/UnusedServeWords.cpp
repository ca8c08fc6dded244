// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Words of a `serve` that say something of what it does not have: of experts on ranks that all have
// each, of routers and of copies that come and go where there is one, of caches without an end.
#include "api/UnusedWords.h"

#include "backends/core/Chip.h"
#include "ir/common/diagnostics/Hardware.h"
#include "ir/study/ServeOps.h"
#include "ir/study/TrainOps.h"
#include "passes/Levels.h"
#include "passes/training/Strategy.h"
#include "passes/training/StrategyPlace.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::api;

namespace {

class ServeWords {
public:
  ServeWords(const ir::Operation &serve, const ir::Module &module,
             std::set<std::pair<uint32_t, uint32_t>> &warned, DiagnosticEngine &diagnostics)
      : op(serve), serve(const_cast<ir::Operation *>(&serve)), module(module), warned(warned),
        diagnostics(diagnostics) {}

  void run();

private:
  void warn(SourceRange place, llvm::StringRef word, const std::string &why) {
    if (warned.insert({place.file, place.begin}).second)
      diagnostics.report(place, diag::WordWithoutEffect, word, why);
  }
  /// The same where the statement says `word`.
  void warnOfGiven(llvm::StringRef word, const std::string &why) {
    SourceRange place = passes::rangeOf(op, word, diagnostics);
    if (place != op.range())
      warn(place, word, why);
  }
  bool promptsBeginAlike() const;
  bool hasCapacity(llvm::StringRef on) const;
  void experts();
  void copies();
  void ofPool(study::PoolOp pool);
  void ofDraft(study::PoolOp pool, study::DraftOp draft);

  const ir::Operation &op;
  study::ServeOp serve;
  const ir::Module &module;
  std::set<std::pair<uint32_t, uint32_t>> &warned;
  DiagnosticEngine &diagnostics;
};

} // namespace

bool ServeWords::promptsBeginAlike() const {
  return serve.arrivals().turns() > 1 || serve.arrivals()->hasAttr("pieces");
}

bool ServeWords::hasCapacity(llvm::StringRef on) const {
  const Chip chip(*passes::chipOf(module, on));
  const ChipMemory *outer = chip.outermost();
  return outer && outer->view.capacity();
}

/// Experts are divided among groups of tensor-parallel ranks; without several of them each group
/// has all.
void ServeWords::experts() {
  std::string why;
  for (study::PoolOp pool : serve.pools()) {
    if (pool.groups() > 1)
      return;
    int64_t expert = pool.degree("expert");
    why = expert == 1
              ? "`expert` is 1, so each rank has all experts and runs all of its tokens"
              : fmt::format("`expert = {}` is one group of `tensor = {}` ranks, which divide "
                            "each expert; `data` is the number of groups",
                            expert, pool.degree("tensor"));
    if (expert > 1)
      warn(study::partOf<study::StrategyOp>(*pool)->range(), "expert", why);
  }
  if (!passes::hasExperts(*module.lookup(serve.samples().front().whole())))
    why = fmt::format("the data choose no weights of `{}`", serve.subjectLabel());
  warnOfGiven("experts", why);
}

/// What chooses among copies of the model, or among texts that they keep.
void ServeWords::copies() {
  std::vector<study::PoolOp> pools = serve.pools();
  if (llvm::all_of(pools, [](study::PoolOp pool) { return pool.copies() == 1; }))
    warnOfGiven("cluster", "there is one copy of the model");
  if (serve.prefixShare() >= 0 && !promptsBeginAlike())
    warnOfGiven("prefix_cache", "no two prompts begin alike; those of `arrivals sessions` and of "
                                "traces with `hash_ids` do");
  if (serve.admission() == "priority" && serve.priorityLevels() == 1)
    warnOfGiven("admission", "all requests have the one priority");
}

void ServeWords::ofDraft(study::PoolOp pool, study::DraftOp draft) {
  if (pool.phase() == "prefill" && draft.kind() == "ngram")
    warn(draft->range(), "draft", "this pool makes first tokens alone, which nothing guesses");
  else if (auto places = static_cast<int64_t>(draft.acceptance().size()); places > draft.tokens())
    warn(draft->range(), "acceptance",
         fmt::format("it has {} for {}", counted(static_cast<uint64_t>(places), "place"),
                     counted(static_cast<uint64_t>(draft.tokens()), "guessed token")));
}

void ServeWords::ofPool(study::PoolOp pool) {
  if (study::ScalingOp scaling = pool.scaling(); scaling.least() == pool.copies())
    warn(scaling->range(), "autoscale",
         scaling.least() == 1 ? "there is one copy of the model"
                              : fmt::format("`min` is all {} copies", scaling.least()));
  if (study::DraftOp draft = pool.draft(); draft.tokens() > 0)
    ofDraft(pool, draft);
}

void ServeWords::run() {
  experts();
  copies();
  bool isLimited = false;
  for (study::PoolOp pool : serve.pools()) {
    ofPool(pool);
    isLimited = isLimited || hasCapacity(pool.on());
  }
  for (llvm::StringRef word : {"memory_share", "reserve"})
    if (!isLimited)
      warnOfGiven(word, "the memory has no capacity, so that nothing limits the cache");
  // What a stack makes of the peak is read by `train`: kernels here are those of libraries.
  auto runtime = study::partOf<study::RuntimeOp>(op);
  if (runtime->attr("gemm"))
    warn(
        runtime->range(), "gemm",
        fmt::format("shares of the peak count in `train`; of `{}` only what it adds beside kernels "
                    "does in `serve`",
                    runtime.label()));
}

void api::warnOfUnusedServeWords(const ir::Operation &serve, const ir::Module &module,
                                 std::set<std::pair<uint32_t, uint32_t>> &warned,
                                 DiagnosticEngine &diagnostics) {
  ServeWords(serve, module, warned, diagnostics).run();
}
