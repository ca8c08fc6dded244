// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/build/ServeBuilder.h"

#include "frontend/build/Attributes.h"
#include "frontend/build/FileBeside.h"
#include "frontend/build/OpTableFile.h"
#include "frontend/build/RequestTrace.h"
#include "frontend/build/ServeDeployment.h"
#include "frontend/build/ServeValues.h"
#include "frontend/build/TrainBuilder.h"
#include "frontend/build/TrainOptions.h"
#include "frontend/sema/Written.h"
#include "ir/common/diagnostics/Serving.h"
#include "ir/study/ServeOps.h"
#include "ir/study/TrainOps.h"

using namespace perfc;

static constexpr int64_t mostRequests = 10'000'000;

namespace {

class ServeBuilder {
public:
  ServeBuilder(BuildContext &context, const Node &statement, llvm::StringRef chip,
               ir::Operation &serve)
      : context(context), diagnostics(context.diagnostics), statement(statement), chip(chip),
        serve(serve) {}

  bool run();

private:
  void choice(const Node &node);
  ir::Operation &part(const Node &node);
  void trace(const Node &node, const WordValue &word);
  void memory(const Node &node);
  void admission(const Node &node);
  void hostTier(const Node &node);
  void prefixCache(const Node &node);
  void slo(const Node &node);
  void warmUp(const Node &node);
  void costs(const Node &node);
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
  llvm::StringRef chip; ///< the symbol of what it is on
  ir::Operation &serve;
  int64_t rows = -1; ///< of the shorter trace; -1 without one
};

} // namespace

//===-- Words and their arguments
//--------------------------------------------------------------===//

/// The part that the word of `node` fills.
ir::Operation &ServeBuilder::part(const Node &node) {
  if (node.word == "arrivals")
    return partAt<study::ArrivalsOp>(serve, node.range);
  return partAt<study::LengthsOp>(serve, node.range);
}

void ServeBuilder::choice(const Node &node) {
  const WordValue *word = node.args.empty() ? nullptr : node.args[0].value.getIf<WordValue>();
  if (word && word->word == "trace")
    return trace(node, *word);
  ir::Operation &op = part(node);
  if (!readChoice(context, node, op))
    return;
  op.setAttr("kind", word->word);
  auto isGiven = [&](llvm::StringRef name) {
    return llvm::any_of(word->arguments, [&](const Argument &given) { return given.name == name; });
  };
  if (word->word == "burst" && isGiven("size") != isGiven("every"))
    bad(node.args[0].range, "`burst` has `size` and `every`, or neither: all at once");
  if (op.intAttr("min") > op.intAttr("max", INT64_MAX))
    bad(node.args[0].range, "`min` is above `max`");
  if (word->word == "bursts" && op.realAttr("length") > op.realAttr("every"))
    bad(node.args[0].range,
        "`length` of a burst is above `every`, after which the next one begins");
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
  if (!llvm::StringRef(*written).endswith(".csv") && !llvm::StringRef(*written).endswith(".jsonl"))
    return later(node, "a trace that is not a `.csv` or `.jsonl` file");
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
    if (!list->pieceCounts.empty()) {
      arrivals.setAttr("pieces", ir::Attribute::ints(list->pieces));
      arrivals.setAttr("piece_counts", ir::Attribute::ints(list->pieceCounts));
    }
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
      reportMissing(diagnostics, statement, "requests");
    else
      serve.setAttr("requests", rows);
    return;
  }
  const Quantity &count = *node->args[0].value.getIf<Quantity>();
  double number = count.toDouble();
  if (count.dimension() == Dimension(BaseUnit::Second)) {
    auto expected = study::ServeOp(&serve).arrivals().expectedIn(number);
    if (!expected)
      return bad(node->args[0].range,
                 "`requests` is a number where the rate of arrivals is open, users wait for "
                 "answers, or all come at once");
    number = std::round(*expected);
  }
  if (number < 1 || number > static_cast<double>(mostRequests) || number != std::floor(number))
    return bad(node->args[0].range,
               fmt::format("`requests` is a whole number from 1 to {}", mostRequests));
  if (rows >= 0 && number > static_cast<double>(rows))
    return bad(node->args[0].range, fmt::format("the trace has only {}", counted(rows, "request")));
  serve.setAttr("requests", static_cast<int64_t>(number));
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

/// `costs table "prefix"`: what layers take, of which the files are read here.
void ServeBuilder::costs(const Node &node) {
  const WordValue *word = node.args.empty() ? nullptr : node.args[0].value.getIf<WordValue>();
  const std::string *written = word && word->arguments.size() == 1
                                   ? word->arguments[0].value->getIf<std::string>()
                                   : nullptr;
  if (!written)
    return bad(node.range, "the table is a prefix of files: costs table \"profiles/a100_llama\"");
  SourceManager &sources = context.evaluator.program.sourceManager();
  std::string prefix = pathBeside(sources, node.range.file, *written);
  int64_t stages = study::partOf<study::StrategyOp>(serve).degree("pipeline");
  auto table = readOpTable(sources, prefix, stages, node.args[0].range, diagnostics);
  if (!table)
    return;
  ir::Operation &part = study::partToWrite(serve, study::OpTable::opName);
  part.setLocation(node.range);
  table->writeTo(part);
}

/// `admission priority(levels = 3, seed = 1)`, `admission goal(ttft = 1s)`.
void ServeBuilder::admission(const Node &node) {
  const WordValue *word = node.args.empty() ? nullptr : node.args[0].value.getIf<WordValue>();
  if (!word)
    return;
  serve.setAttr("admission", word->word);
  if (word->word == "priority")
    serve.setAttr("priority_levels", 2);
  for (const Argument &given : word->arguments) {
    const Quantity *number = given.value->getIf<Quantity>();
    Wants wants = wantsOf(given.name);
    if (!number)
      continue;
    if (!meets(*number, wants)) {
      bad(given.range, fmt::format("`{}` is {}, not {}", given.name, describe(wants).str(),
                                   written(*given.value)));
    } else if (given.name == "ttft") {
      if (auto seconds = inBaseUnits(context, *number, given.range, {}))
        serve.setAttr("admission_goal", *seconds);
    } else {
      serve.setAttr("priority_" + given.name, number->rational().numerator());
    }
  }
  auto isGiven = [&](llvm::StringRef name) { return serve.hasAttr(name); };
  if (word->word == "goal" && !isGiven("admission_goal"))
    bad(node.range, "`goal` needs `ttft`: from arrival to first token");
  if (word->word == "priority" && !isGiven("priority_seed"))
    bad(node.range, "`priority` needs `seed`: of the random numbers");
}

/// `tier host_dram(capacity = 256GiB, bandwidth = 50GB/s)`.
void ServeBuilder::hostTier(const Node &node) {
  const WordValue *word = node.args.empty() ? nullptr : node.args[0].value.getIf<WordValue>();
  if (!word || word->word == "hbm")
    return;
  if (word->word == "host_dram") { // where it does not say
    serve.setAttr("tier_capacity", Quantity(Rational(256LL << 30), Dimension(BaseUnit::Byte)));
    serve.setAttr("tier_bandwidth",
                  Quantity(Rational(50'000'000'000), Dimension(BaseUnit::Byte) / BaseUnit::Second));
  }
  for (const Argument &given : word->arguments) {
    const Quantity *value = given.value->getIf<Quantity>();
    if (!value)
      continue;
    if (!(value->toDouble() > 0))
      bad(given.range, fmt::format("`{}` is above 0, not {}", given.name, written(*given.value)));
    else if (auto base = inBaseUnits(context, *value, given.range, {}))
      serve.setAttr("tier_" + given.name, *base);
  }
  if (!serve.hasAttr("tier_capacity") || !serve.hasAttr("tier_bandwidth"))
    bad(node.range, "`ssd` needs `capacity` and `bandwidth`, each of a chip");
}

/// `prefix_cache radix { capacity 30% }`: of texts that begin alike, in blocks of the scheduler.
void ServeBuilder::prefixCache(const Node &node) {
  const WordValue *word = node.args.empty() ? nullptr : node.args[0].value.getIf<WordValue>();
  if (!word || word->word == "none")
    return;
  const Node *tier = node.find("tier"), *capacity = node.find("capacity");
  if (tier)
    hostTier(*tier);
  serve.setAttr("prefix_share", Quantity(Rational(1)));
  const Quantity *share =
      capacity && !capacity->args.empty() ? capacity->args[0].value.getIf<Quantity>() : nullptr;
  if (!share)
    return;
  if (share->dimension() != Dimension())
    return later(*capacity, "`capacity` of `prefix_cache` in bytes");
  double number = share->toDouble();
  if (!(number > 0 && number <= 1))
    return bad(capacity->range, fmt::format("`capacity` is above 0 and at most 100%, not {}",
                                            written(capacity->args[0].value)));
  serve.setAttr("prefix_share", *share);
}

/// `slo ttft = 300ms, tpot = 50ms`.
void ServeBuilder::slo(const Node &node) {
  for (const NodeArg &arg : node.args) {
    const Quantity *limit = arg.value.getIf<Quantity>();
    bool isKnown = arg.name == "ttft" || arg.name == "tpot" || arg.name == "latency";
    if (arg.value.isUnknown())
      continue;
    if (!isKnown)
      bad(arg.range, "`slo` sets ttft, tpot or latency: slo ttft = 300ms, tpot = 50ms");
    else if (!limit || limit->dimension() != Dimension(BaseUnit::Second) ||
             !(limit->toDouble() > 0))
      bad(arg.range, fmt::format("`{}` is a time above 0, not {}", arg.name, written(arg.value)));
    else if (auto seconds = inBaseUnits(context, *limit, arg.range, {}))
      serve.setAttr("slo_" + arg.name, *seconds);
  }
}

void ServeBuilder::warmUp(const Node &node) {
  const Quantity *time = node.args.empty() ? nullptr : node.args[0].value.getIf<Quantity>();
  if (!time)
    return;
  if (auto seconds = inBaseUnits(context, *time, node.range, {}))
    serve.setAttr("warm_up", *seconds);
}

bool ServeBuilder::run() {
  size_t errors = diagnostics.errorCount();
  static constexpr std::pair<llvm::StringLiteral, void (ServeBuilder::*)(const Node &)> words[] = {
      {"arrivals", &ServeBuilder::choice},
      {"lengths", &ServeBuilder::choice},
      {"memory_share", &ServeBuilder::memory},
      {"reserve", &ServeBuilder::memory},
      {"admission", &ServeBuilder::admission},
      {"prefix_cache", &ServeBuilder::prefixCache},
      {"slo", &ServeBuilder::slo},
      {"warm_up", &ServeBuilder::warmUp}};
  buildRuntime(context, statement, serve);
  if (const Node *provider = statement.find("using"))
    buildStepProvider(context, *provider, serve);
  for (const Node *child : statement.children) {
    for (const auto &[word, build] : words)
      if (child->word == word)
        (this->*build)(*child);
    if (child->word == "minimize" || child->word == "within")
      later(*child, fmt::format("`{}` in `serve`", child->word.str()));
  }
  buildDeployment(context, statement, chip, serve);
  if (!context.unsupported.empty())
    return diagnostics.errorCount() == errors;
  if (const Node *table = statement.find("costs"); table && diagnostics.errorCount() == errors)
    costs(*table); // after `parallel`
  for (const char *word : {"arrivals", "lengths"})
    if (!study::findPart(serve, std::string("study.") + word) && !statement.find(word) &&
        diagnostics.errorCount() == errors)
      reportMissing(diagnostics, statement, word);
  if (diagnostics.errorCount() == errors)
    requests();
  return diagnostics.errorCount() == errors;
}

bool perfc::buildServeParts(BuildContext &context, const Node &statement, llvm::StringRef chip,
                            ir::Operation &serve) {
  return ServeBuilder(context, statement, chip, serve).run();
}
