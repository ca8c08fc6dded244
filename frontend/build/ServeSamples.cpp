// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sizes in which a model is costed for serving: numbers of tokens by powers of two up to what a
// batch may have, and contexts at three places, between which costs are interpolated.
#include "frontend/build/ServeBuilder.h"
#include "ir/common/Providers.h"
#include "ir/common/diagnostics/Serving.h"
#include "ir/study/ServeOps.h"
#include "ir/target/TargetOps.h"
#include <set>

using namespace perfc;

namespace {
struct Sizes {
  bool isDecode;
  int64_t batch, tokens, context;
  bool isPiece = false; ///< what depends on contexts is costed
};
} // namespace

/// 1, 2, 4, … and `most`, times `step` between two.
static std::set<int64_t> powers(int64_t most, int64_t step) {
  std::set<int64_t> result{most};
  for (int64_t value = 1; value < most; value *= step)
    result.insert(value);
  return result;
}

/// Sizes of pieces of prompts: few below 64 tokens, which are rows of one block. A piece of one
/// token would run what requests do that make a token.
static bool isPieceSize(int64_t count, int64_t most) {
  return count >= 64 || count == 2 || count == 4 || count == 16 || count == most;
}

/// Numbers of tokens of batches of prompts: up to the most that the scheduler may put together,
/// which the memory is kept for, without those between what the stream can fill and that.
static std::set<int64_t> promptCounts(int64_t most, int64_t longest, int64_t streamed,
                                      bool hasLibraries) {
  std::set<int64_t> counts = powers(std::max<int64_t>(2, most), 2);
  counts.insert(std::min(longest, *counts.rbegin()));
  int64_t largest = *counts.rbegin();
  if (hasLibraries)
    for (int64_t middle = 3; middle < largest; middle *= 2)
      counts.insert(middle);
  auto enough = counts.lower_bound(streamed);
  if (enough != counts.end() && *enough != largest)
    counts.erase(std::next(enough), std::prev(counts.end()));
  return counts;
}

/// Those of a group of ranks of `pool` that has a batch of its own. Kernels of libraries come in
/// blocks, so that their times are no straight lines between powers of two.
static std::vector<Sizes> sizesFor(study::ServeOp serve, study::PoolOp pool, bool hasLibraries) {
  study::SchedulerOp scheduler = pool.scheduler();
  int64_t longest = serve.longest();
  int64_t batch = std::min(scheduler.maxBatch(), serve.requests());
  batch = (batch + pool.groups() - 1) / pool.groups();
  int64_t tokens = batch * longest;
  if (scheduler.makesPieces())
    tokens = std::max(scheduler.chunk(), batch);
  else if (scheduler.boundsPrompts())
    tokens = std::max({scheduler.maxTokens(), longest, batch});
  // What all requests read together, guesses included; prompts are cut where they have more.
  int64_t guesses = pool.draft().tokens(), streamed = serve.requests() * (longest + guesses);
  bool isBehind =
      (scheduler.makesPieces() && streamed > tokens) || serve.prefixShare() >= 0 || guesses > 0;
  std::vector<Sizes> sizes;
  std::set<int64_t> counts = promptCounts(tokens, longest, streamed, hasLibraries);
  for (int64_t count : counts) {
    // No request has more tokens than the longest: more are several of those.
    int64_t several = (count + longest - 1) / longest;
    int64_t each = several > 1 ? longest : count;
    bool isPiece = several == 1 && isPieceSize(count, std::min(longest, *counts.rbegin()));
    sizes.push_back({false, several, each, each, isPiece});
    if (isBehind && isPiece)
      for (int64_t before : {std::max<int64_t>(1, longest / 4), longest})
        sizes.push_back({false, 1, count, count + before, true});
  }
  for (int64_t count : powers(batch, hasLibraries ? 2 : 4))
    for (int64_t context : {int64_t(2), std::max<int64_t>(3, longest / 4), longest + 3})
      sizes.push_back({true, count, 1, context});
  return sizes;
}

/// `model` for a batch; nothing, reported, when it gives these arguments itself.
static llvm::Optional<Instance> sized(BuildContext &context, const Instance &model, Sizes sizes) {
  Instance result = model;
  for (auto [name, value] :
       {std::make_pair("batch", sizes.batch), std::make_pair("T", sizes.tokens),
        std::make_pair("S", sizes.context)}) {
    const Decl *decl = model.decl;
    std::string why;
    if (findArgument(model.arguments, name))
      why = fmt::format("serving sets its `{}` itself", name);
    else if (decl->kind != DeclKind::Workload)
      why = "it is no workload";
    else if (!model.phase.empty())
      why = fmt::format("`{}` is a part of what is served; name the model alone", model.phase);
    else if (decl->item->clauses.empty() && !decl->findParameter(name))
      why = fmt::format("it has no parameter `{}`", name);
    if (!why.empty()) {
      context.diagnostics.report(model.range, diag::CannotBeServed, decl->name, why)
          .help("a model that is served has `batch` sequences of `T` new tokens, each with `S` "
                "tokens in all");
      return llvm::None;
    }
    result.arguments.push_back(makeArgument(name, Value(Quantity(Rational(value))), model.range));
  }
  return result;
}

/// Those of one pool.
static llvm::Optional<std::string> buildPoolSamples(BuildContext &context, const Instance &model,
                                                    DType dtype, study::ServeOp serve,
                                                    study::PoolOp pool) {
  std::string first;
  bool hasTable = study::findPart(*pool, study::OpTable::opName) != nullptr;
  bool isWhole = serve->stringAttr("using") == providerFor(KernelLevel::Whole).name;
  bool hasLibraries =
      !hasTable && !isWhole && llvm::any_of(context.module.body(), [](const ir::Operation &op) {
        return op.is(target::ChipOp::opName) && op.hasAttr("generation");
      });
  for (Sizes sizes : sizesFor(serve, pool, hasLibraries)) {
    auto instance = sized(context, model, sizes);
    auto graph = instance ? buildGraph(context, *instance, dtype) : llvm::None;
    if (!graph)
      return llvm::None;
    if (first.empty())
      first = graph->symbol;
    auto sample = context.builder.create<study::SampleOp>(pool->body(), serve->location());
    sample->setAttr("graph", ir::Attribute::symbol(graph->symbol));
    if (sizes.isDecode)
      sample->setAttr("decode", ir::Attribute::unit());
    if (sizes.isPiece)
      sample->setAttr("piece", ir::Attribute::unit());
    sample->setAttr("batch", sizes.batch);
    sample->setAttr("tokens", sizes.tokens);
    sample->setAttr("context", sizes.context);
  }
  return first;
}

llvm::Optional<std::string> perfc::buildSamples(BuildContext &context, const Instance &model,
                                                DType dtype, ir::Operation &serve) {
  std::string first;
  for (study::PoolOp pool : study::ServeOp(&serve).pools()) {
    auto graph = buildPoolSamples(context, model, dtype, study::ServeOp(&serve), pool);
    if (!graph)
      return llvm::None;
    if (first.empty())
      first = *graph;
  }
  return first;
}
