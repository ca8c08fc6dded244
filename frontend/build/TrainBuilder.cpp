// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/build/TrainBuilder.h"

#include "frontend/build/Attributes.h"
#include "frontend/build/JoinRules.h"
#include "frontend/build/MetricExpr.h"
#include "frontend/build/ScheduleBuilder.h"
#include "frontend/build/TrainOptions.h"
#include "frontend/sema/Written.h"
#include "ir/common/diagnostics/Ops.h"
#include "ir/common/diagnostics/Training.h"
#include "ir/study/TrainOps.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace perfc;

namespace {

class TrainBuilder {
public:
  TrainBuilder(BuildContext &context, const Node &statement, ir::Operation &train)
      : context(context), diagnostics(context.diagnostics), statement(statement), train(train) {}

  bool run();
  /// One of these words alone.
  void runParallel();
  void runRuntime();

private:
  void parallel(const Node &node);
  void schedule(const Node &node);
  void recompute(const Node &node);
  void optimizer(const Node &node);
  void runtime(const Node &node);
  void library(const Node &word, ir::Operation &runtime);
  bool isPossible(const ir::AttrDecl &decl, const Node &word, const Quantity &value);
  void names(const Node &node);
  void order(const Node &node);
  void shard(const Node &node);
  void products(const Node &node);
  void checkSequence();
  void checkStages(const Node &stages);
  void degree(ir::Operation &op, llvm::StringRef name, const Value &value, SourceRange range,
              bool allowHole = true, llvm::StringRef word = "");
  ir::Operation &strategy(SourceRange range) { return partAt<study::StrategyOp>(train, range); }
  const WordValue *word(const Node &node) const {
    return node.args.empty() ? nullptr : node.args[0].value.getIf<WordValue>();
  }
  void bad(SourceRange range, const std::string &text) {
    diagnostics.report(range, diag::BadTrainValue, text);
  }

  BuildContext &context;
  DiagnosticEngine &diagnostics;
  const Node &statement;
  ir::Operation &train;
  SourceRange sequenceRange;
};

} // namespace

/// A whole number >= 1, or 0 for `any`, which the program calls `word`.
void TrainBuilder::degree(ir::Operation &op, llvm::StringRef name, const Value &value,
                          SourceRange range, bool allowHole, llvm::StringRef word) {
  if (value.isUnknown())
    return;
  if (value.is<Value::Any>() && allowHole)
    return op.setAttr(name, 0);
  const Quantity *number = value.getIf<Quantity>();
  if (!number || !number->isInteger() || number->sign() <= 0 || !number->dimension().isExtent())
    return bad(range, fmt::format("`{}` is a whole number of at least 1{}, not {}",
                                  word.empty() ? name : word, allowHole ? " or `any`" : "",
                                  written(value)));
  op.setAttr(name, number->rational().numerator());
}

void TrainBuilder::parallel(const Node &node) {
  static constexpr llvm::StringLiteral axes[] = {"tensor",  "pipeline", "data",
                                                 "context", "expert",   "sequence"};
  const Node *where = node.find("over");
  ir::Operation &op = strategy(node.range);
  ir::AttrDict over = op.dictAttr("over");
  for (const NodeArg &arg : node.args) {
    if (!llvm::is_contained(axes, arg.name))
      continue; // reported with the choices of the word
    if (op.hasAttr(arg.name))
      return bad(arg.range, fmt::format("`{}` is given twice", arg.name));
    degree(op, arg.name, arg.value, arg.range);
    if (arg.name == "sequence")
      sequenceRange = arg.range;
    if (where && !where->args.empty())
      if (const WordValue *group = where->args[0].value.getIf<WordValue>())
        over.set(arg.name, group->word);
  }
  if (!over.empty())
    op.setAttr("over", std::move(over));
}

void TrainBuilder::schedule(const Node &node) {
  const WordValue *choice = word(node);
  if (!choice)
    return;
  ir::Operation &op = strategy(node.range);
  op.setAttr("schedule", choice->word == "interleaved" ? "interleaved_1f1b" : choice->word);
  for (const Argument &argument : choice->arguments)
    degree(op, argument.name, *argument.value, argument.range, argument.name == "microbatch");
}

void TrainBuilder::recompute(const Node &node) {
  const WordValue *choice = word(node);
  if (!choice)
    return;
  ir::Operation &op = strategy(node.range);
  op.setAttr("recompute", choice->word);
  for (const Argument &argument : choice->arguments)
    degree(op, "recompute_layers", *argument.value, argument.range, /*allowHole=*/false, "layers");
}

void TrainBuilder::optimizer(const Node &node) {
  ir::Operation &op = partAt<study::OptimizerOp>(train, node.range);
  if (const WordValue *choice = word(node))
    op.setAttr("kind", choice->word);
  if (const Node *master = node.find("master"); master && !master->args.empty()) {
    auto format = context.evaluator.format(master->args[0].value, master->args[0].range);
    if (format)
      op.setAttr("master", dtypeName(*format));
  }
  if (const Node *offload = node.find("offload"))
    if (const WordValue *place = word(*offload); place && place->word != "none")
      op.setAttr("offload", place->word);
}

/// False, reported, for a share, a bandwidth or a ratio of a runtime that none can be.
bool TrainBuilder::isPossible(const ir::AttrDecl &decl, const Node &word, const Quantity &value) {
  double number = value.toDouble();
  if ((!decl.isPositive || number > 0) && (!decl.isShare || number <= 1))
    return true;
  bad(word.args[0].range,
      fmt::format("`{}` is {}{}{}, not {}", word.word, decl.isPositive ? "above 0" : "",
                  decl.isPositive && decl.isShare ? " and " : "",
                  decl.isShare ? "at most 100%" : "", written(word.args[0].value)));
  return false;
}

static std::vector<std::string> namesIn(const Node &node) {
  std::vector<std::string> list;
  for (const NodeArg &arg : node.args)
    if (const WordValue *name = arg.value.getIf<WordValue>())
      list.push_back(name->word);
  return list;
}

/// The words of a runtime's declaration, in base units.
void TrainBuilder::library(const Node &word, ir::Operation &runtime) {
  const Value &value = word.args[0].value;
  const Instance *algorithm = value.getIf<Instance>();
  if (algorithm && algorithm->decl->kind == DeclKind::Algorithm && isOfLibrary(*algorithm))
    return runtime.setAttr(word.word, algorithm->decl->name);
  if (!value.isUnknown())
    bad(word.args[0].range,
        fmt::format("`{}` names a library of networks, such as std.networks.vllm_graph, not {}",
                    word.word, written(value)));
}

void TrainBuilder::runtime(const Node &node) {
  const Value *value = node.args.empty() ? nullptr : &node.args[0].value;
  const Instance *instance = value ? value->getIf<Instance>() : nullptr;
  if (!instance || instance->decl->kind != DeclKind::Runtime) {
    if (value && !value->isUnknown())
      bad(node.args[0].range, fmt::format("`runtime` names a runtime, not {}", value->describe()));
    return;
  }
  ir::Operation &op = partAt<study::RuntimeOp>(train, node.range);
  for (const Node *child :
       context.elaborator.declaration(*instance, context.allowMissing)->children)
    if (child->args.empty())
      op.setAttr(child->word, ir::Attribute::unit());
    else if (word(*child))
      op.setAttr(child->word, ir::Attribute::strings(namesIn(*child)));
    else if (child->word == "joins")
      op.setAttr(child->word, ir::Attribute::strings(joinsIn(context, *child)));
    else if (child->word == "all_reduce")
      library(*child, op);
    else if (const Quantity *quantity = child->args[0].value.getIf<Quantity>())
      if (auto base = inBaseUnits(context, *quantity, child->range, {});
          base && isPossible(*op.decl().findAttr(child->word), *child, *quantity))
        op.setAttr(child->word, *base);
  op.setAttr("label", written(*value));
}

void TrainBuilder::names(const Node &node) {
  strategy(node.range).setAttr(node.word, ir::Attribute::strings(namesIn(node)));
}

void TrainBuilder::order(const Node &node) {
  names(node);
  std::vector<std::string> axes = strategy(node.range).stringsAttr("order");
  for (size_t i = 0; i < axes.size(); ++i)
    if (axes[i] == "any"
            ? axes.size() > 1
            : std::count(axes.begin(), axes.begin() + static_cast<ptrdiff_t>(i), axes[i]) > 0)
      return bad(node.args[i].range,
                 axes[i] == "any"
                     ? "`order any` leaves the whole order open, next to it stands no axis"
                     : fmt::format("`order` names `{}` twice", axes[i]));
}

void TrainBuilder::shard(const Node &node) {
  names(node);
  for (const NodeArg &arg : node.args)
    if (const WordValue *choice = arg.value.getIf<WordValue>())
      for (const Argument &ranks : choice->arguments) {
        ir::Operation &op = strategy(node.range);
        int64_t before = op.intAttr("shard_ranks", -1);
        degree(op, "shard_ranks", *ranks.value, ranks.range, /*allowHole=*/true, "ranks");
        if (before >= 0 && op.intAttr("shard_ranks") != before)
          return bad(ranks.range, "all that is sharded is so among the same `ranks`");
      }
}

void TrainBuilder::products(const Node &node) {
  const WordValue *format = word(node);
  if (!format || !parseDType(format->word))
    diagnostics.report(node.range, diag::NotADType,
                       node.args.empty() ? "nothing" : node.args[0].value.describe());
  else
    train.setAttr("products", format->word);
}

/// Activations between tensor-parallel parts are divided among the same ranks, so there is no other
/// degree than theirs.
void TrainBuilder::checkSequence() {
  auto given = study::partOf<study::StrategyOp>(train);
  int64_t wanted = given.degree("sequence"), ranks = given.degree("tensor");
  if (wanted > 1 && wanted != ranks)
    bad(sequenceRange, fmt::format("`sequence = {}` divides activations among the tensor-parallel "
                                   "ranks, but `tensor` is {}",
                                   wanted, ranks > 0 ? std::to_string(ranks) : "any"));
}

/// As many stages as pipeline ranks, where their number is given.
void TrainBuilder::checkStages(const Node &stages) {
  auto given = study::partOf<study::StrategyOp>(train);
  int64_t pipeline = given.degree("pipeline");
  if (given->hasAttr("pipeline") && pipeline > 0 &&
      static_cast<int64_t>(stages.args.size()) != pipeline)
    bad(stages.range, fmt::format("`stages` has {}, but `pipeline` is {}",
                                  counted(stages.args.size(), "value"), pipeline));
}

void TrainBuilder::runParallel() {
  for (const Node *child : statement.children)
    if (child->word == "parallel")
      parallel(*child);
  checkSequence();
}

void TrainBuilder::runRuntime() {
  if (const Node *node = statement.find("runtime"))
    runtime(*node);
}

bool TrainBuilder::run() {
  size_t errors = diagnostics.errorCount();
  for (const Node *child : statement.children) {
    if (child->word == "parallel")
      parallel(*child);
    else if (child->word == "schedule")
      schedule(*child);
    else if (child->word == "recompute")
      recompute(*child);
    else if (child->word == "optimizer")
      optimizer(*child);
    else if (child->word == "shard")
      shard(*child);
    else if (child->word == "order")
      order(*child);
    else if (child->word == "runtime")
      runtime(*child);
    else if (child->word == "products")
      products(*child);
    else if (child->word == "batch" && !child->args.empty())
      degree(train, "batch", child->args[0].value, child->args[0].range, /*allowHole=*/false);
    else if (child->word == "microbatch" && !child->args.empty())
      degree(strategy(child->range), "microbatch", child->args[0].value, child->args[0].range);
  }
  checkSequence();
  if (const Node *stages = statement.find("stages")) {
    ir::AttrList list;
    for (const NodeArg &arg : stages->args) {
      const Quantity *layers = arg.value.getIf<Quantity>();
      bool hasOthers = &arg == &stages->args.front() || &arg == &stages->args.back();
      if (layers && layers->sign() >= (hasOthers ? 0 : 1))
        list.push_back(layers->rational().numerator());
      else if (!arg.value.isUnknown())
        bad(arg.range, "a stage has at least one layer, but for the first and the last, which have "
                       "what stands before and behind the layers");
    }
    checkStages(*stages);
    strategy(stages->range).setAttr("stages", std::move(list));
  }
  return diagnostics.errorCount() == errors;
}

/// False, reported, for formats without gradients.
static bool checkFormat(BuildContext &context, const Node &statement, DType format) {
  if (isFloating(format))
    return true;
  const Node *node = statement.find("dtype");
  context.diagnostics
      .report(
          node && !node->args.empty() ? node->args[0].range : statement.range, diag::BadTrainValue,
          fmt::format("nothing trains in {}: whole numbers have no gradients", dtypeName(format)))
      .help("name the format of weights and activations: `dtype bf16`");
  return false;
}

void perfc::buildStrategy(BuildContext &context, const Node &statement, ir::Operation &evaluate) {
  TrainBuilder(context, statement, evaluate).runParallel();
}

void perfc::buildRuntime(BuildContext &context, const Node &statement, ir::Operation &made) {
  TrainBuilder(context, statement, made).runRuntime();
}

bool perfc::buildTrainParts(BuildContext &context, const Node &statement, DType dtype,
                            const ir::Operation &target, ir::Operation &train) {
  train.setAttr("dtype", dtypeName(dtype));
  return checkFormat(context, statement, dtype) && TrainBuilder(context, statement, train).run() &&
         buildTrainOptions(context, statement, target, train);
}

bool perfc::checkContext(BuildContext &context, const Node &statement, const Instance &subject) {
  const Node *node = statement.find("context");
  const Quantity *tokens = node ? statement.quantity("context") : nullptr;
  if (!tokens)
    return true;
  auto refuse = [&](const std::string &why) {
    context.diagnostics.report(node->range, diag::BadTrainValue, why);
    return false;
  };
  if (tokens->sign() <= 0)
    return refuse(fmt::format("`context` is at least 1, not {}", written(Value(*tokens))));
  const Decl &decl = *subject.decl;
  const Value *given = findArgument(subject.arguments, "T");
  const Quantity *already = given ? given->getIf<Quantity>() : nullptr;
  if (already && compare(*already, *tokens) != 0)
    return refuse(fmt::format("`context` is {}, but `{}` has T = {} here", written(Value(*tokens)),
                              decl.name, written(*given)));
  if (!decl.findParameter("T") && decl.item->clauses.empty())
    return refuse(fmt::format("`context` is the T of a workload, but `{}` has none", decl.name));
  return true;
}

Instance perfc::trainSubject(const Node &statement, const Instance &subject, int64_t batch) {
  Instance result = subject;
  auto give = [&](llvm::StringRef name, Quantity value, SourceRange range) {
    const Decl *decl = subject.decl;
    // A model of a family takes what its base has.
    bool has = decl->findParameter(name) || !decl->item->clauses.empty();
    if (has && !findArgument(result.arguments, name))
      result.arguments.push_back(makeArgument(name.str(), Value(std::move(value)), range));
  };
  if (const Node *node = statement.find("batch"))
    give("batch", Quantity(Rational(batch)), node->range);
  if (const Node *node = statement.find("context"))
    if (const Quantity *tokens = statement.quantity("context"))
      give("T", *tokens, node->range);
  return result;
}

llvm::Optional<DType> perfc::formatOf(BuildContext &context, const Node &statement,
                                      llvm::StringRef word, DType otherwise) {
  const Node *node = statement.find(word);
  if (!node || node->args.empty())
    return otherwise;
  return context.evaluator.format(node->args[0].value, node->args[0].range);
}
