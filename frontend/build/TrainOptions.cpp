// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/build/TrainOptions.h"

#include "frontend/build/Attributes.h"
#include "frontend/build/PriceBuilder.h"
#include "frontend/build/ToolChoice.h"
#include "frontend/sema/Written.h"
#include "ir/common/Providers.h"
#include "ir/common/diagnostics/Serving.h"
#include "ir/common/diagnostics/Training.h"
#include "ir/study/TrainOps.h"

using namespace perfc;

namespace {

class TrainOptions {
public:
  TrainOptions(BuildContext &context, ir::Operation &train)
      : context(context), diagnostics(context.diagnostics), train(train) {}

  void experts(const Node &node);
  void adapters(const Node &node);
  void checkpoint(const Node &node);
  void length(const Node &node);

private:
  /// What a value has to be.
  enum class Least { AboveZero, Zero, One };

  void measure(const Node &block, llvm::StringRef word, Least least, ir::Operation &into);
  void bad(SourceRange range, const std::string &text) {
    diagnostics.report(range, diag::BadTrainValue, text);
  }

  BuildContext &context;
  DiagnosticEngine &diagnostics;
  ir::Operation &train;
};

} // namespace

/// The number of `word` in `block`, in base units, unless it is out of bounds.
void TrainOptions::measure(const Node &block, llvm::StringRef word, Least least,
                           ir::Operation &into) {
  const Node *node = block.find(word);
  const Quantity *value =
      node && !node->args.empty() ? node->args[0].value.getIf<Quantity>() : nullptr;
  if (!value)
    return;
  double number = value->toDouble();
  bool isGood = least == Least::AboveZero ? number > 0
                : least == Least::Zero    ? number >= 0
                                          : number >= 1;
  if (!isGood)
    return bad(node->args[0].range, fmt::format("`{}` is {}, not {}", word,
                                                least == Least::AboveZero ? "above 0"
                                                : least == Least::Zero    ? "not negative"
                                                                          : "at least 1",
                                                written(*value)));
  UnitContext units;
  units.each = {{BaseUnit::Chip, Rational(1), ""}};
  if (auto base = inBaseUnits(context, *value, node->range, units))
    into.setAttr(word, *base);
}

void perfc::readRouting(BuildContext &context, const Node &experts, ir::Operation &into) {
  const Node *node = experts.find("routing");
  const WordValue *choice =
      node && !node->args.empty() ? node->args[0].value.getIf<WordValue>() : nullptr;
  if (!choice)
    return;
  into.setAttr("routing", choice->word);
  bool hasSeed = false;
  for (const Argument &argument : choice->arguments) {
    hasSeed |= argument.name == "seed";
    if (const Quantity *number = argument.value->getIf<Quantity>())
      into.setAttr(argument.name, *number);
  }
  if (choice->word == "zipf" && !hasSeed)
    context.diagnostics.report(node->args[0].range, diag::BadTrainValue,
                               "`zipf` needs a seed, which places the experts: zipf(theta = 0.3, "
                               "seed = 1)");
}

void TrainOptions::experts(const Node &node) {
  ir::Operation &op = partAt<study::ExpertsOp>(train, node.range);
  readRouting(context, node, op);
  measure(node, "imbalance", Least::One, op);
  measure(node, "capacity", Least::AboveZero, op);
  int64_t ranks = study::partOf<study::StrategyOp>(train).degree("expert");
  // Of one rank it says nothing, which is a warning.
  if (ranks > 1 && op.realAttr("imbalance") > static_cast<double>(ranks))
    bad(node.find("imbalance")->args[0].range,
        fmt::format("`imbalance` is at most {0}: one of {0} ranks has all tokens then, not {1}",
                    ranks, written(node.find("imbalance")->args[0].value)));
}

void TrainOptions::adapters(const Node &node) {
  const WordValue *choice = node.args.empty() ? nullptr : node.args[0].value.getIf<WordValue>();
  if (!choice || choice->word == "none")
    return;
  ir::Operation &op = partAt<study::AdaptersOp>(train, node.range);
  const Quantity *rank = nullptr;
  for (const Argument &argument : choice->arguments) {
    if (const bool *isOnly = argument.value->getIf<bool>(); isOnly && *isOnly)
      op.setAttr("of_attention", ir::Attribute::unit());
    else if (!isOnly)
      rank = argument.value->getIf<Quantity>();
  }
  if (!rank || rank->sign() <= 0)
    return bad(node.args[0].range, "adapters need a rank of at least 1: lora(rank = 16)");
  op.setAttr("rank", rank->rational().numerator());
}

void TrainOptions::checkpoint(const Node &node) {
  ir::Operation &op = partAt<study::CheckpointOp>(train, node.range);
  for (const char *word : {"mtbf", "chip_mtbf", "every", "bandwidth"})
    measure(node, word, Least::AboveZero, op);
  measure(node, "restart", Least::Zero, op);
  if (node.find("mtbf") && node.find("chip_mtbf"))
    return bad(node.find("chip_mtbf")->range, "either `mtbf` or `chip_mtbf`, not both");
  bool fails = node.find("mtbf") || node.find("chip_mtbf");
  if (!fails && !node.find("every"))
    return bad(node.range, "`checkpoint` needs `mtbf` or `every`");
  if (!node.find("bandwidth"))
    return bad(node.range, "`checkpoint` needs the `bandwidth` of writing: bandwidth 100GB/s");
  const Node *bandwidth = node.find("bandwidth");
  const Quantity *rate =
      bandwidth->args.empty() ? nullptr : bandwidth->args[0].value.getIf<Quantity>();
  if (rate && rate->dimension() != rate->dimension().withoutCounts())
    op.setAttr("per_chip", ir::Attribute::unit());
}

/// The length of the run, in steps or in tokens.
void TrainOptions::length(const Node &node) {
  const Quantity *value = node.args.empty() ? nullptr : node.args[0].value.getIf<Quantity>();
  if (!value)
    return;
  if (value->sign() <= 0)
    return bad(node.range, fmt::format("`{}` is above 0", node.word));
  if (train.hasAttr("steps") || train.hasAttr("tokens"))
    return bad(node.range, "a run is given in `steps` or in `tokens`, not in both");
  if (auto base = inBaseUnits(context, *value, node.range, {}))
    train.setAttr(node.word, *base);
}

bool perfc::buildStepProvider(BuildContext &context, const Node &node, ir::Operation &made) {
  bool trains = made.is(study::TrainOp::opName);
  auto bad = [&](SourceRange range, const std::string &text) {
    std::string statement = trains ? "`train` takes its" : "`serve` takes its";
    context.diagnostics.report(range, trains ? diag::BadTrainValue : diag::BadServeValue,
                               statement + " kernel times from " + text);
    return false;
  };
  if (node.args.size() > 1)
    return bad(node.args[1].range, "one provider");
  const WordValue *name = node.args.empty() ? nullptr : node.args[0].value.getIf<WordValue>();
  if (!name)
    return true;
  if (name->word == "tool")
    return chooseTool(*name, node.range, made, context.diagnostics);
  if (const ProviderInfo *provider = findProvider(name->word); !provider || !provider->costsSteps)
    return bad(node.args[0].range,
               fmt::format("{}, not from `{}`",
                           providerNames([](const ProviderInfo &one) { return one.costsSteps; }),
                           name->word));
  made.setAttr("using", name->word);
  return true;
}

bool perfc::buildTrainOptions(BuildContext &context, const Node &statement,
                              const ir::Operation &target, ir::Operation &train) {
  size_t errors = context.diagnostics.errorCount();
  TrainOptions options(context, train);
  for (const Node *child : statement.children) {
    if (child->word == "experts")
      options.experts(*child);
    else if (child->word == "adapters")
      options.adapters(*child);
    else if (child->word == "checkpoint")
      options.checkpoint(*child);
    else if (child->word == "steps" || child->word == "tokens")
      options.length(*child);
    else if (child->word == "using")
      buildStepProvider(context, *child, train);
  }
  buildPrice(context, statement, target, train);
  return context.diagnostics.errorCount() == errors;
}
