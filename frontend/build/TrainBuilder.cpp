// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/build/TrainBuilder.h"

#include "frontend/build/Attributes.h"
#include "frontend/build/MetricExpr.h"
#include "frontend/build/TrainOptions.h"
#include "frontend/sema/Written.h"
#include "ir/common/diagnostics/Training.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace perfc;

namespace {

class TrainBuilder {
public:
  TrainBuilder(BuildContext &context, const Node &statement)
      : context(context), diagnostics(context.diagnostics), statement(statement) {}

  bool run();
  ir::AttrDict settings;

private:
  void parallel(const Node &node);
  void schedule(const Node &node);
  void recompute(const Node &node);
  void optimizer(const Node &node);
  void runtime(const Node &node);
  bool isPossible(const Node &word, const Quantity &value);
  void names(const Node &node);
  void order(const Node &node);
  void shard(const Node &node);
  void products(const Node &node);
  void checkSequence();
  void checkStages(const Node &stages);
  void degree(llvm::StringRef key, const Value &value, SourceRange range, bool allowHole = true);
  const WordValue *word(const Node &node) const {
    return node.args.empty() ? nullptr : node.args[0].value.getIf<WordValue>();
  }
  void bad(SourceRange range, const std::string &text) {
    diagnostics.report(range, diag::BadTrainValue, text);
  }

  BuildContext &context;
  DiagnosticEngine &diagnostics;
  const Node &statement;
  ir::AttrDict over;
  SourceRange sequenceRange;
};

} // namespace

/// A whole number >= 1, or 0 for `any`.
void TrainBuilder::degree(llvm::StringRef key, const Value &value, SourceRange range,
                          bool allowHole) {
  llvm::StringRef name = key == "shard_ranks"        ? "ranks"
                         : key == "recompute_layers" ? "layers"
                                                     : key;
  if (value.isUnknown())
    return;
  if (value.is<Value::Any>() && allowHole) {
    settings.set(key, 0);
    return;
  }
  const Quantity *number = value.getIf<Quantity>();
  if (!number || !number->isInteger() || number->sign() <= 0 || !number->dimension().isExtent())
    return bad(range, fmt::format("`{}` is a whole number of at least 1{}, not {}", name,
                                  allowHole ? " or `any`" : "", written(value)));
  settings.set(key, number->rational().numerator());
}

void TrainBuilder::parallel(const Node &node) {
  static constexpr llvm::StringLiteral axes[] = {"tensor",  "pipeline", "data",
                                                 "context", "expert",   "sequence"};
  const Node *where = node.find("over");
  for (const NodeArg &arg : node.args) {
    if (!llvm::is_contained(axes, arg.name))
      continue; // reported with the choices of the word
    if (settings.find(arg.name))
      return bad(arg.range, fmt::format("`{}` is given twice", arg.name));
    degree(arg.name, arg.value, arg.range);
    if (arg.name == "sequence")
      sequenceRange = arg.range;
    if (where && !where->args.empty())
      if (const WordValue *group = where->args[0].value.getIf<WordValue>())
        over.set(arg.name, group->word);
  }
}

void TrainBuilder::schedule(const Node &node) {
  const WordValue *choice = word(node);
  if (!choice)
    return;
  settings.set("schedule", choice->word == "interleaved" ? "interleaved_1f1b" : choice->word);
  for (const Argument &argument : choice->arguments)
    degree(argument.name, *argument.value, argument.range, argument.name == "microbatch");
}

void TrainBuilder::recompute(const Node &node) {
  const WordValue *choice = word(node);
  if (!choice)
    return;
  settings.set("recompute", choice->word);
  for (const Argument &argument : choice->arguments)
    degree("recompute_layers", *argument.value, argument.range, /*allowHole=*/false);
}

void TrainBuilder::optimizer(const Node &node) {
  if (const WordValue *choice = word(node))
    settings.set("optimizer", choice->word);
  if (const Node *master = node.find("master"); master && !master->args.empty()) {
    auto format = context.evaluator.format(master->args[0].value, master->args[0].range);
    if (format)
      settings.set("master", dtypeName(*format));
  }
  if (const Node *offload = node.find("offload"))
    if (const WordValue *place = word(*offload))
      settings.set("offload", place->word == "none" ? "" : place->word);
}

/// False, reported, for a share, a bandwidth or a ratio of a runtime that none can be.
bool TrainBuilder::isPossible(const Node &word, const Quantity &value) {
  static constexpr llvm::StringLiteral speeds[] = {"gemm",      "gemm_fp8", "gemm_fp4", "grouped",
                                                   "attention", "memory",   "network"};
  static constexpr llvm::StringLiteral hidden[] = {
      "overlap_data", "overlap_tensor", "overlap_expert", "overlap_pipeline", "merged_sends"};
  static constexpr llvm::StringLiteral positive[] = {"host", "host_memory", "drives", "measured"};
  bool isSpeed = llvm::is_contained(speeds, word.word);
  bool isShare = isSpeed || llvm::is_contained(hidden, word.word);
  bool divides = isSpeed || llvm::is_contained(positive, word.word);
  double number = value.toDouble();
  if ((!divides || number > 0) && (!isShare || number <= 1))
    return true;
  bad(word.args[0].range, fmt::format("`{}` is {}{}{}, not {}", word.word, divides ? "above 0" : "",
                                      isSpeed ? " and " : "", isShare ? "at most 100%" : "",
                                      written(word.args[0].value)));
  return false;
}

/// The words of a runtime's declaration, in base units.
void TrainBuilder::runtime(const Node &node) {
  const Value *value = node.args.empty() ? nullptr : &node.args[0].value;
  const Instance *instance = value ? value->getIf<Instance>() : nullptr;
  if (!instance || instance->decl->kind != DeclKind::Runtime) {
    if (value && !value->isUnknown())
      bad(node.args[0].range, fmt::format("`runtime` names a runtime, not {}", value->describe()));
    return;
  }
  ir::AttrDict entries;
  for (const Node *child :
       context.elaborator.declaration(*instance, context.allowMissing)->children)
    if (const Quantity *quantity =
            child->args.empty() ? nullptr : child->args[0].value.getIf<Quantity>())
      if (auto base = inBaseUnits(context, *quantity, child->range, {});
          base && isPossible(*child, *quantity))
        entries.set(child->word, *base);
  settings.set("runtime", entries);
  settings.set("runtime_label", written(*value));
}

void TrainBuilder::names(const Node &node) {
  std::vector<std::string> list;
  for (const NodeArg &arg : node.args)
    if (const WordValue *name = arg.value.getIf<WordValue>())
      list.push_back(name->word);
  settings.set(node.word, ir::Attribute::strings(list));
}

void TrainBuilder::order(const Node &node) {
  names(node);
  std::vector<std::string> axes = settings.find("order")->asStrings();
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
        const ir::Attribute *given = settings.find("shard_ranks");
        int64_t before = given ? given->asInt() : -1;
        degree("shard_ranks", *ranks.value, ranks.range);
        if (given && settings.find("shard_ranks")->asInt() != before)
          return bad(ranks.range, "all that is sharded is so among the same `ranks`");
      }
}

void TrainBuilder::products(const Node &node) {
  const WordValue *format = word(node);
  if (!format || !parseDType(format->word))
    diagnostics.report(node.range, diag::NotADType,
                       node.args.empty() ? "nothing" : node.args[0].value.describe());
  else
    settings.set("products", format->word);
}

/// Activations between tensor-parallel parts are divided among the same ranks, so there is no other
/// degree than theirs.
void TrainBuilder::checkSequence() {
  const ir::Attribute *sequence = settings.find("sequence"), *tensor = settings.find("tensor");
  int64_t wanted = sequence ? sequence->asInt() : 1, ranks = tensor ? tensor->asInt() : 1;
  if (wanted > 1 && wanted != ranks)
    bad(sequenceRange, fmt::format("`sequence = {}` divides activations among the tensor-parallel "
                                   "ranks, but `tensor` is {}",
                                   wanted, ranks > 0 ? std::to_string(ranks) : "any"));
}

/// As many stages as pipeline ranks, where their number is given.
void TrainBuilder::checkStages(const Node &stages) {
  const ir::Attribute *pipeline = settings.find("pipeline");
  auto given = static_cast<int64_t>(stages.args.size());
  if (pipeline && pipeline->asInt() > 0 && given != pipeline->asInt())
    bad(stages.range, fmt::format("`stages` has {}, but `pipeline` is {}",
                                  counted(stages.args.size(), "value"), pipeline->asInt()));
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
      degree("batch", child->args[0].value, child->args[0].range, /*allowHole=*/false);
    else if (child->word == "microbatch" && !child->args.empty())
      degree("microbatch", child->args[0].value, child->args[0].range);
  }
  checkSequence();
  if (const Node *stages = statement.find("stages")) {
    ir::AttrList list;
    for (const NodeArg &arg : stages->args) {
      const Quantity *layers = arg.value.getIf<Quantity>();
      if (layers && layers->sign() > 0)
        list.push_back(layers->rational().numerator());
      else if (!arg.value.isUnknown())
        bad(arg.range, "a stage has at least one layer");
    }
    checkStages(*stages);
    settings.set("stages", std::move(list));
  }
  if (!over.empty())
    settings.set("over", over);
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

llvm::Optional<ir::AttrDict> perfc::trainSettings(BuildContext &context, const Node &statement,
                                                  DType dtype) {
  if (!checkFormat(context, statement, dtype))
    return llvm::None;
  TrainBuilder builder(context, statement);
  if (!builder.run() || !readTrainOptions(context, statement, builder.settings))
    return llvm::None;
  builder.settings.set("dtype", dtypeName(dtype));
  return std::move(builder.settings);
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
