// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/build/ServeBuilder.h"

#include "frontend/build/Attributes.h"
#include "frontend/build/FileBeside.h"
#include "frontend/build/PriceBuilder.h"
#include "frontend/build/RequestTrace.h"
#include "frontend/build/StudyBuilder.h"
#include "frontend/build/TrainBuilder.h"
#include "frontend/sema/Written.h"
#include "ir/common/diagnostics/Serving.h"
#include "ir/study/ServeOps.h"
#include "ir/study/TrainOps.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/SaveAndRestore.h"
#include <cmath>

using namespace perfc;

static constexpr int64_t mostRequests = 10'000'000;
static constexpr int64_t mostTokens = 10'000'000;
static constexpr int64_t mostInBatch = 1'000'000;

namespace {

/// The values that an argument may have, within the kind that the word tables give it.
enum class Wants : uint8_t { Count, Tokens, Seed, Positive, Theta };

class ServeBuilder {
public:
  ServeBuilder(BuildContext &context, const Node &statement, ir::Operation &serve)
      : context(context), diagnostics(context.diagnostics), statement(statement), serve(serve) {}

  bool run();

private:
  void choice(const Node &node);
  void argument(const Argument &argument, ir::Operation &into);
  void byDefault(const ChoiceArgument &spec, const WordValue &word, SourceRange range,
                 ir::Operation &into);
  ir::Operation &part(const Node &node);
  void trace(const Node &node, const WordValue &word);
  void parallel(const Node &node);
  void memory(const Node &node);
  void requests();
  void later(const Node &node, const std::string &what) {
    context.unsupported.push_back({node.range, what});
  }
  void bad(SourceRange range, const std::string &text) {
    diagnostics.report(range, diag::BadServeValue, text);
  }

  BuildContext &context;
  DiagnosticEngine &diagnostics;
  const Node &statement;
  ir::Operation &serve;
  int64_t rows = -1; ///< of the shorter trace; -1 without one
};

} // namespace

//===-- Words and their arguments
//--------------------------------------------------------------===//

/// The choices that run, and what each runs as.
static constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral> served[] = {
    {"vllm", "vllm"},       {"sarathi", "sarathi"}, {"chunked", "sarathi"},
    {"orca", "orca"},       {"continuous", "orca"}, {"static", "static"},
    {"poisson", "poisson"}, {"uniform", "uniform"}, {"fixed", "fixed"},
    {"burst", "burst"},     {"zipf", "zipf"},       {"faster_transformer", "static"},
};

static Wants wantsOf(llvm::StringRef argument) {
  return llvm::StringSwitch<Wants>(argument)
      .Cases("max_tokens", "min", "max", "prompt", "answer", Wants::Tokens)
      .Cases("rate", "every", "prefill_to_decode", Wants::Positive)
      .Case("seed", Wants::Seed)
      .Case("theta", Wants::Theta)
      .Default(Wants::Count);
}

static llvm::StringRef describe(Wants wants) {
  switch (wants) {
  case Wants::Count:
    return "a whole number from 1 to 1000000";
  case Wants::Tokens:
    return "a whole number of tokens from 1 to 10000000";
  case Wants::Seed:
    return "a whole number from 0 to 4294967295";
  case Wants::Positive:
    return "from 1e-30 to 1e30";
  case Wants::Theta:
    return "a number from 0 to below 1";
  }
  return "";
}

static bool meets(const Quantity &value, Wants wants) {
  double number = value.toDouble();
  if (!std::isfinite(number))
    return false;
  switch (wants) {
  case Wants::Count:
    return value.isInteger() && number >= 1 && number <= static_cast<double>(mostInBatch);
  case Wants::Tokens:
    return value.isInteger() && number >= 1 && number <= static_cast<double>(mostTokens);
  case Wants::Seed:
    return number >= 0 && number <= 4294967295.0;
  case Wants::Positive:
    return number >= 1e-30 && number <= 1e30;
  case Wants::Theta:
    return number >= 0 && number < 1;
  }
  return false;
}

void ServeBuilder::argument(const Argument &argument, ir::Operation &into) {
  const Quantity *number = argument.value->getIf<Quantity>();
  Wants wants = wantsOf(argument.name);
  if (!number)
    return;
  if (!meets(*number, wants))
    return bad(argument.range, fmt::format("`{}` is {}, not {}", argument.name,
                                           describe(wants).str(), written(*argument.value)));
  if (number->isInteger() && wants != Wants::Positive && wants != Wants::Theta)
    into.setAttr(argument.name, number->rational().numerator());
  else if (auto base = inBaseUnits(context, *number, argument.range, {}))
    into.setAttr(argument.name, *base);
}

/// What an argument is without a value: a number, or what `byDefault` says in words.
void ServeBuilder::byDefault(const ChoiceArgument &spec, const WordValue &word, SourceRange range,
                             ir::Operation &into) {
  llvm::StringRef unit;
  if (spec.byDefault.empty())
    bad(range, fmt::format("`{}` needs `{}`: {}", word.word, spec.name.str(), spec.doc.str()));
  else if (auto number = parseNumber(spec.byDefault, unit))
    argument(makeArgument(spec.name.str(), Value(*number), range), into);
}

/// The part that the word of `node` fills.
ir::Operation &ServeBuilder::part(const Node &node) {
  if (node.word == "scheduler")
    return partAt<study::SchedulerOp>(serve, node.range);
  if (node.word == "arrivals")
    return partAt<study::ArrivalsOp>(serve, node.range);
  return partAt<study::LengthsOp>(serve, node.range);
}

void ServeBuilder::choice(const Node &node) {
  const WordValue *word = node.args.empty() ? nullptr : node.args[0].value.getIf<WordValue>();
  if (!word)
    return;
  if (word->word == "trace")
    return trace(node, *word);
  const auto *runs = llvm::find_if(served, [&](auto &entry) { return entry.first == word->word; });
  if (runs == std::end(served))
    return later(node, fmt::format("`{}` {} in `serve`", word->word, node.word.str()));
  ir::Operation &op = part(node);
  op.setAttr("kind", runs->second);
  if (op.is(study::SchedulerOp::opName))
    op.setAttr("label", runs->first);
  for (const Argument &given : word->arguments)
    argument(given, op);
  auto isGiven = [&](llvm::StringRef name) {
    return llvm::any_of(word->arguments, [&](const Argument &given) { return given.name == name; });
  };
  if (const ChoiceForm *form = findForm(*node.spec, word->word))
    for (const ChoiceArgument &spec : form->arguments)
      if (!isGiven(spec.name))
        byDefault(spec, *word, node.args[0].range, op);
  if (word->word == "burst" && isGiven("size") != isGiven("every"))
    bad(node.args[0].range, "`burst` has `size` and `every`, or neither: all at once");
  if (op.intAttr("min") > op.intAttr("max", INT64_MAX))
    bad(node.args[0].range, "`min` is above `max`");
}

//===-- Requests
//-------------------------------------------------------------------------------===//

/// `arrivals trace "file"` gives times and lengths, `lengths trace "file"` lengths alone.
void ServeBuilder::trace(const Node &node, const WordValue &word) {
  SourceManager &sources = context.evaluator.program.sourceManager();
  const std::string *written =
      word.arguments.size() == 1 ? word.arguments[0].value->getIf<std::string>() : nullptr;
  if (!written)
    return bad(node.args[0].range, "a trace is a file: trace \"requests.csv\"");
  if (!llvm::StringRef(*written).endswith(".csv"))
    return later(node, "a trace that is not a `.csv` file");
  FileId file = loadBeside(sources, node.args[0].range, *written, diagnostics);
  if (!file)
    return;
  bool hasArrivals = node.word == "arrivals";
  // Lengths that stand in the program count instead of those of the file.
  bool hasLengths = !hasArrivals || !statement.find("lengths");
  auto list = readRequestTrace(sources, file, hasArrivals, hasLengths, diagnostics);
  if (!list)
    return;
  auto count = static_cast<int64_t>(hasArrivals ? list->arrivals.size() : list->prompts.size());
  rows = rows < 0 ? count : std::min(rows, count);
  if (hasArrivals) {
    ir::AttrList times;
    for (double time : list->arrivals)
      times.push_back(Quantity(Uncertain(time), BaseUnit::Second));
    ir::Operation &arrivals = part(node);
    arrivals.setAttr("kind", "trace");
    arrivals.setAttr("times", std::move(times));
  }
  if (!hasLengths)
    return;
  ir::AttrList prompts, answers;
  for (size_t i = 0; i < list->prompts.size(); ++i) {
    prompts.push_back(list->prompts[i]);
    answers.push_back(list->answers[i]);
  }
  ir::Operation &lengths = partAt<study::LengthsOp>(serve, node.range);
  lengths.setAttr("kind", "trace");
  lengths.setAttr("prompts", std::move(prompts));
  lengths.setAttr("answers", std::move(answers));
}

void ServeBuilder::requests() {
  const Node *node = statement.find("requests");
  if (!node) {
    if (rows < 0)
      diagnostics.report(statement.range, diag::MissingServeWord, "requests");
    else
      serve.setAttr("requests", rows);
    return;
  }
  const Quantity *count = node->args.empty() ? nullptr : node->args[0].value.getIf<Quantity>();
  if (!count)
    return later(*node, "a hole for `requests` in `serve`");
  double number = count->toDouble();
  if (number < 1 || number > static_cast<double>(mostRequests))
    return bad(node->args[0].range,
               fmt::format("`requests` is a whole number from 1 to {}", mostRequests));
  if (rows >= 0 && number > static_cast<double>(rows))
    return bad(node->args[0].range, fmt::format("the trace has only {}", counted(rows, "request")));
  serve.setAttr("requests", count->rational().numerator());
}

/// `memory_share 95%`, `reserve 1GiB`.
void ServeBuilder::memory(const Node &node) {
  const Quantity *value = node.args.empty() ? nullptr : node.args[0].value.getIf<Quantity>();
  if (!value)
    return;
  bool isShare = node.word == "memory_share";
  double number = value->toDouble();
  if (isShare ? !(number > 0 && number <= 1) : !(number >= 0))
    return bad(node.args[0].range,
               fmt::format("`{}` is {}, not {}", node.word,
                           isShare ? "above 0 and at most 100%" : "not negative", written(*value)));
  if (auto base = inBaseUnits(context, *value, node.range, {}))
    serve.setAttr(node.word, *base);
}

void ServeBuilder::parallel(const Node &node) {
  ir::Operation &strategy = partAt<study::StrategyOp>(serve, node.range);
  for (const NodeArg &arg : node.args) {
    const Quantity *degree = arg.value.getIf<Quantity>();
    bool isServed = arg.name == "tensor" || arg.name == "pipeline";
    if (arg.value.isUnknown())
      continue;
    if (!degree) {
      later(node, fmt::format("`{} = {}` in `serve`", arg.name, written(arg.value)));
    } else if (!meets(*degree, Wants::Count)) {
      bad(arg.range, fmt::format("`{}` is {}, not {}", arg.name, describe(Wants::Count).str(),
                                 written(arg.value)));
    } else if (!isServed && degree->toDouble() != 1) {
      later(node, fmt::format("`{}` parallelism in `serve`", arg.name));
    } else if (strategy.hasAttr(arg.name)) {
      bad(arg.range, fmt::format("`{}` is given twice", arg.name));
    } else {
      strategy.setAttr(arg.name, degree->rational().numerator());
    }
  }
  if (node.find("over"))
    later(node, "`over` a group in `serve`");
}

bool ServeBuilder::run() {
  size_t errors = diagnostics.errorCount();
  static constexpr llvm::StringLiteral notYet[] = {"pool",     "kv_transfer", "prefix_cache",
                                                   "experts",  "cluster",     "minimize",
                                                   "maximize", "within",      "require"};
  for (const Node *child : statement.children) {
    if (child->word == "scheduler" || child->word == "arrivals" || child->word == "lengths")
      choice(*child);
    else if (child->word == "parallel")
      parallel(*child);
    else if (child->word == "memory_share" || child->word == "reserve")
      memory(*child);
    else if (llvm::is_contained(notYet, child->word))
      later(*child, fmt::format("`{}` in `serve`", child->word.str()));
  }
  if (!context.unsupported.empty())
    return diagnostics.errorCount() == errors;
  for (const char *word : {"scheduler", "arrivals", "lengths"})
    if (!study::findPart(serve, std::string("study.") + word) && !statement.find(word) &&
        diagnostics.errorCount() == errors)
      diagnostics.report(statement.range, diag::MissingServeWord, word);
  if (diagnostics.errorCount() == errors)
    requests();
  return diagnostics.errorCount() == errors;
}

bool perfc::buildServeParts(BuildContext &context, const Node &statement, ir::Operation &serve) {
  return ServeBuilder(context, statement, serve).run();
}

//===-- The statement
//--------------------------------------------------------------------------===//

/// The format of what kernels hand on, which the model may give itself (`dtype = bf16`).
static llvm::Optional<DType> activationFormat(BuildContext &context, const Node &statement,
                                              const Instance &model, DType ofChip) {
  const Node *word = statement.find("activations");
  if (word && findArgument(model.arguments, "dtype")) {
    context.diagnostics.report(word->range, diag::BadServeValue,
                               "`activations` is what `dtype` of the model says already");
    return llvm::None;
  }
  auto all = formatOf(context, statement, "dtype", ofChip);
  return all ? formatOf(context, statement, "activations", *all) : llvm::None;
}

/// Sets `format` where the statement gives it; false after a report.
static bool ownFormat(BuildContext &context, const Node &statement, llvm::StringRef word,
                      llvm::Optional<DType> &format) {
  if (!statement.find(word))
    return true;
  format = formatOf(context, statement, word, DType::FP16);
  return format.hasValue();
}

ir::Operation *StudyBuilder::serve(const Node &statement, const Subject &about, const NodeArg &on,
                                   ir::Region &into) {
  auto chip = target(statement, on);
  auto format =
      chip ? activationFormat(context, statement, *about.instance, chip->dtype) : llvm::None;
  auto made = std::make_unique<ir::Operation>(*context.builder.ops().find(study::ServeOp::opName),
                                              statement.range);
  if (!format || !buildServeParts(context, statement, *made))
    return nullptr;
  noteFeeds(statement, chip->symbol);
  llvm::SaveAndRestore<llvm::Optional<DType>> weights(context.weightFormat),
      cache(context.cacheFormat), tables(context.tableFormat);
  if (statement.find("activations")) // weights stay in what `dtype` says
    context.weightFormat = context.tableFormat = formatOf(context, statement, "dtype", chip->dtype);
  if (!ownFormat(context, statement, "weights", context.weightFormat) ||
      !ownFormat(context, statement, "cache", context.cacheFormat))
    return nullptr;
  ir::Operation *op = &into.insert(std::move(made));
  for (const BuildContext::Unsupported &entry : context.unsupported)
    markUnsupported(op->body(), entry.range, entry.what);
  bool isLater = !context.unsupported.empty();
  context.unsupported.clear();
  // What is not run is built all the same, so that it is checked.
  auto plain = isLater ? buildGraph(context, *about.instance, *format) : llvm::None;
  auto graph = isLater ? plain ? llvm::Optional<std::string>(plain->symbol) : llvm::None
                       : buildSamples(context, *about.instance, *format, *op);
  context.unsupported.clear(); // said for the whole statement
  if (!graph) {
    op->erase();
    return nullptr;
  }
  op->setAttr("subject", ir::Attribute::symbol(*graph));
  op->setAttr("on", ir::Attribute::symbol(chip->symbol));
  op->setAttr("dtype", dtypeName(*format)); // of products of activations
  bool good = buildPrice(context, statement, *context.module.lookup(chip->symbol), *op);
  std::string label = written(Value(*about.instance));
  op->setAttr("label", label + " on " + chip->label);
  op->setAttr("subject_label", label);
  op->setAttr("on_label", chip->label);
  return goals(statement) && good ? op : nullptr;
}
