// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/build/ServeDeployment.h"

#include "frontend/build/Attributes.h"
#include "frontend/build/FileBeside.h"
#include "frontend/build/ServeValues.h"
#include "frontend/build/TrainOptions.h"
#include "frontend/sema/Written.h"
#include "ir/common/LocatedCsv.h"
#include "ir/common/diagnostics/Serving.h"
#include "ir/study/ServeOps.h"
#include "ir/study/TrainOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace perfc;

/// Guesses of a step at most.
static constexpr int64_t mostGuesses = 64;

namespace {

/// Words that a pool and a `serve` without pools share, into one of them.
class PoolBuilder {
public:
  PoolBuilder(BuildContext &context, ir::Operation &pool)
      : context(context), diagnostics(context.diagnostics), pool(pool) {}

  void run(const Node &words);

private:
  void scheduler(const Node &node);
  void parallel(const Node &node);
  void degree(const Node &node, const NodeArg &arg);
  void draft(const Node &node);
  void recorded(const Node &node, ir::Operation &draft);
  void outage(const Node &node);
  void autoscale(const Node &node);
  void checkDegrees(const Node &words);
  void checkPhase(const Node &words);
  void bad(SourceRange range, const std::string &text) {
    diagnostics.report(range, diag::BadServeValue, text);
  }
  void later(const Node &node, const std::string &what) {
    context.unsupported.push_back({node.range, what});
  }

  BuildContext &context;
  DiagnosticEngine &diagnostics;
  ir::Operation &pool;
};

} // namespace

/// What a choice runs as.
static llvm::StringRef runsAs(llvm::StringRef choice) {
  return llvm::StringSwitch<llvm::StringRef>(choice)
      .Case("chunked", "sarathi")
      .Case("continuous", "orca")
      .Case("faster_transformer", "static")
      .Default(choice);
}

void PoolBuilder::scheduler(const Node &node) {
  ir::Operation &op = partAt<study::SchedulerOp>(pool, node.range);
  const WordValue *word = readChoice(context, node, op);
  if (!word)
    return;
  op.setAttr("kind", runsAs(word->word));
  op.setAttr("label", word->word);
  if (word->word == "lightllm")
    op.setAttr("block", 1);
}

void PoolBuilder::degree(const Node &node, const NodeArg &arg) {
  ir::Operation &strategy = partAt<study::StrategyOp>(pool, node.range);
  const Quantity *degree = arg.value.getIf<Quantity>();
  static constexpr llvm::StringLiteral served[] = {"tensor", "pipeline", "data", "expert"};
  if (!degree)
    later(node, fmt::format("`{} = {}` in `serve`", arg.name, written(arg.value)));
  else if (!meets(*degree, Wants::Count))
    bad(arg.range, fmt::format("`{}` is {}, not {}", arg.name, describe(Wants::Count).str(),
                               written(arg.value)));
  else if (!llvm::is_contained(served, arg.name) && degree->toDouble() != 1)
    later(node, fmt::format("`{}` parallelism in `serve`", arg.name));
  else if (strategy.hasAttr(arg.name))
    bad(arg.range, fmt::format("`{}` is given twice", arg.name));
  else
    strategy.setAttr(arg.name, degree->rational().numerator());
}

void PoolBuilder::parallel(const Node &node) {
  for (const NodeArg &arg : node.args)
    if (!arg.value.isUnknown())
      degree(node, arg);
  if (node.find("over"))
    later(node, "`over` a group in `serve`");
}

/// Experts are divided among whole groups of tensor-parallel ranks.
void PoolBuilder::checkDegrees(const Node &words) {
  study::PoolOp view(&pool);
  int64_t expert = view.degree("expert"), tensor = view.degree("tensor"),
          data = view.degree("data");
  const Node *node = words.find("parallel");
  if (expert <= 1 || !node)
    return;
  if (expert % tensor != 0 || data % view.groups() != 0)
    bad(node->range,
        fmt::format("`expert = {}` is a number of whole groups of `tensor = {}` ranks, "
                    "of which the {} of `data` are several times as many",
                    expert, tensor, data));
  else if (view.degree("pipeline") > 1)
    later(*node, "`expert` parallelism with a pipeline in `serve`");
}

/// `recorded "accepted.csv"`: how many guesses held in each of some steps.
void PoolBuilder::recorded(const Node &node, ir::Operation &draft) {
  SourceManager &sources = context.evaluator.program.sourceManager();
  const std::string *name = node.args.empty() ? nullptr : node.args[0].value.getIf<std::string>();
  if (!name)
    return;
  FileId file = loadBeside(sources, node.args[0].range, *name, diagnostics);
  auto table = file ? LocatedCsv::read(sources, file, diagnostics) : llvm::None;
  if (!table)
    return;
  if (!table->column("accepted") || table->rows().empty())
    return bad(node.args[0].range, "the file has a column `accepted` and at least one line");
  std::vector<int64_t> counts;
  for (const CsvRow &row : table->rows())
    if (const CsvCell *cell = table->find(row, "accepted"))
      if (auto count = wholeNumber(*cell, 0, mostGuesses, "guesses that held", diagnostics))
        counts.push_back(*count);
  draft.setAttr("recorded", ir::Attribute::ints(counts));
}

/// `draft mtp { tokens 1; acceptance 85% }`.
void PoolBuilder::draft(const Node &node) {
  const WordValue *word = node.args.empty() ? nullptr : node.args[0].value.getIf<WordValue>();
  if (!word)
    return;
  ir::Operation &op = partAt<study::DraftOp>(pool, node.range);
  op.setAttr("kind", word->word);
  if (const Quantity *count = node.quantity("tokens")) {
    if (!count->isInteger() || count->sign() <= 0 || count->toDouble() > mostGuesses)
      return bad(node.find("tokens")->range,
                 fmt::format("`tokens` is a whole number from 1 to {}", mostGuesses));
    op.setAttr("tokens", count->rational().numerator());
  } else if (!node.find("tokens")) {
    return bad(node.range, "a draft has `tokens`: how many are guessed in each step");
  }
  if (const Quantity *seed = node.quantity("seed")) {
    if (!meets(*seed, Wants::Seed))
      return bad(node.find("seed")->range,
                 fmt::format("`seed` is {}", describe(Wants::Seed).str()));
    op.setAttr("seed", seed->rational().numerator());
  }
  const Node *chances = node.find("acceptance"), *steps = node.find("recorded");
  if (!chances == !steps)
    return bad(node.range, "a draft has either `acceptance`, the share of guesses that hold, or "
                           "`recorded`, a file of steps");
  if (steps)
    return recorded(*steps, op);
  ir::AttrList list;
  for (const NodeArg &arg : chances->args) {
    const Quantity *chance = arg.value.getIf<Quantity>();
    if (!chance)
      continue;
    if (!(chance->toDouble() >= 0 && chance->toDouble() <= 1))
      return bad(arg.range,
                 fmt::format("`acceptance` is from 0% to 100%, not {}", written(arg.value)));
    list.push_back(*chance);
  }
  if (!list.empty())
    op.setAttr("acceptance", std::move(list));
}

/// `outage copy(number = 0, at = 10s, repair = 60s)`.
void PoolBuilder::outage(const Node &node) {
  ir::Operation &op = *context.builder.create(pool.body(), study::OutageOp::opName, node.range);
  if (!readChoice(context, node, op))
    return;
  int64_t copies = study::PoolOp(&pool).copies();
  if (op.intAttr("number") >= copies)
    bad(node.range,
        fmt::format("copy {} breaks, but there {} only {}", op.intAttr("number"),
                    copies == 1 ? "is" : "are", counted(static_cast<uint64_t>(copies), "copy")));
}

void PoolBuilder::autoscale(const Node &node) {
  ir::Operation &op = partAt<study::ScalingOp>(pool, node.range);
  if (!readChoice(context, node, op))
    return;
  study::ScalingOp scaling(&op);
  int64_t copies = study::PoolOp(&pool).copies();
  if (scaling.least() > copies)
    bad(node.range,
        fmt::format("`min` is {}, but there {} only {}", scaling.least(),
                    copies == 1 ? "is" : "are", counted(static_cast<uint64_t>(copies), "copy")));
  else if (scaling.down() >= scaling.up())
    bad(node.range, "`down` is below `up`");
}

/// Some schedulers cannot take what comes with its cache, or verify guesses.
void PoolBuilder::checkPhase(const Node &words) {
  study::PoolOp view(&pool);
  const Node *node = words.find("scheduler");
  llvm::StringRef kind = view.scheduler().kind();
  if (view.isPart() && (kind == "static" || kind == "lightllm"))
    bad(node->range, fmt::format("`{}` keeps requests from prompt to end: it does not serve one "
                                 "phase of them",
                                 view.scheduler().label().str()));
  if (view.draft().tokens() > 0 && kind == "lightllm")
    bad(node->range, "`lightllm` counts single tokens: it has no draft");
}

void perfc::reportMissing(DiagnosticEngine &diagnostics, const Node &words, llvm::StringRef word) {
  static constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral> needed[] = {
      {"scheduler", "scheduler vllm"},
      {"arrivals", "arrivals poisson(2req/s, seed = 1)"},
      {"lengths", "lengths fixed(512, 128)"},
      {"requests", "requests 100"}};
  std::vector<std::string> names, examples;
  for (const auto &[name, example] : needed) {
    bool comesWithArrivals = (name == "lengths" || name == "requests") && words.find("arrivals");
    bool isMissing = words.word != "pool" && !words.find(name) && !comesWithArrivals;
    if (name != word && !isMissing)
      continue;
    names.push_back(fmt::format("`{}`", name.str()));
    examples.push_back(example.str());
  }
  diagnostics.report(words.range, diag::MissingServeWord, llvm::join(names, ", "))
      .help("such as `" + llvm::join(examples, "; ") + "`");
}

void PoolBuilder::run(const Node &words) {
  size_t errors = diagnostics.errorCount();
  static constexpr std::pair<llvm::StringLiteral, void (PoolBuilder::*)(const Node &)> table[] = {
      {"scheduler", &PoolBuilder::scheduler},
      {"parallel", &PoolBuilder::parallel},
      {"draft", &PoolBuilder::draft},
      {"outage", &PoolBuilder::outage},
      {"autoscale", &PoolBuilder::autoscale}};
  for (const auto &[word, build] : table) // degrees before what counts copies
    for (const Node *child : words.children)
      if (child->word == word)
        (this->*build)(*child);
  if (!words.find("scheduler") && diagnostics.errorCount() == errors)
    reportMissing(diagnostics, words, "scheduler");
  if (diagnostics.errorCount() != errors || !context.unsupported.empty())
    return;
  checkDegrees(words);
  checkPhase(words);
}

//===-- Of the whole statement
//-----------------------------------------------------------------===//

/// `cluster random(seed = 1)`: how requests go to copies of the model.
static void buildCluster(BuildContext &context, const Node &node, ir::Operation &serve) {
  const WordValue *word = node.args.empty() ? nullptr : node.args[0].value.getIf<WordValue>();
  if (!word)
    return;
  serve.setAttr("router", word->word);
  for (const Argument &given : word->arguments)
    if (const Quantity *number = given.value->getIf<Quantity>();
        number && meets(*number, Wants::Seed))
      serve.setAttr("router_seed", number->rational().numerator());
  if (word->word == "random" && !serve.hasAttr("router_seed"))
    context.diagnostics.report(
        node.range, diag::BadServeValue,
        "`random` needs `seed`: of the random numbers, from 0 to 4294967295");
}

/// `kv_transfer infiniband`: where the pools meet.
static void checkTransfer(BuildContext &context, const Node &node, llvm::StringRef on) {
  const Instance *network = node.args.empty() ? nullptr : node.args[0].value.getIf<Instance>();
  const ir::Operation &system = *context.module.lookup(on);
  if (!network || system.regionCount() == 0 || system.body().empty())
    return;
  for (const ir::Operation &part : std::prev(system.body().end())->body())
    if (part.is("target.network") && part.symbol() != network->decl->name)
      context.diagnostics.report(node.range, diag::BadServeValue,
                                 fmt::format("the pools meet in `{}`, not in `{}`",
                                             part.symbol().str(), network->decl->name));
}

/// "prefill" or "decode"; "" where it is something else, which was reported.
static llvm::StringRef phaseOf(const Node &pool) {
  const WordValue *word = pool.args.empty() ? nullptr : pool.args[0].value.getIf<WordValue>();
  return word ? llvm::StringRef(word->word) : llvm::StringRef();
}

/// False, reported, where the pools are not one for each phase, or words stand beside them that
/// belong into them.
static bool checkPools(BuildContext &context, const Node &statement) {
  auto bad = [&](SourceRange range, const std::string &text) {
    context.diagnostics.report(range, diag::BadServeValue, text);
    return false;
  };
  for (llvm::StringRef phase : {"prefill", "decode"})
    if (llvm::count_if(statement.children, [&](const Node *child) {
          return child->word == "pool" && phaseOf(*child) == phase;
        }) != 1)
      return bad(statement.find("pool")->range,
                 "there is one pool `prefill`, for prompts, and one `decode`, for what follows");
  for (llvm::StringRef word : {"scheduler", "parallel", "draft", "outage", "autoscale", "costs"})
    if (const Node *node = statement.find(word))
      return bad(node->range, fmt::format("`{}` stands in the pools where there are some", word));
  return true;
}

static void buildPools(BuildContext &context, const Node &statement, llvm::StringRef on,
                       ir::Operation &serve) {
  if (!checkPools(context, statement))
    return;
  int64_t taken = 0;
  for (const Node *child : statement.children) {
    if (child->word != "pool")
      continue;
    ir::Operation &pool =
        *context.builder.create(serve.body(), study::PoolOp::opName, child->range);
    pool.setSymbol(phaseOf(*child));
    pool.setAttr("first_chip", taken);
    auto system = buildPoolSystem(context, *child, on, phaseOf(*child).str(), taken);
    if (!system)
      return;
    pool.setAttr("on", ir::Attribute::symbol(*system));
    PoolBuilder(context, pool).run(*child);
  }
  // The simulation has that of prompts first.
  for (ir::Operation &pool : serve.body())
    if (pool.is(study::PoolOp::opName) && pool.symbol() == "prefill" &&
        study::ServeOp(&serve).pools().front().symbol() != "prefill") {
      ir::ValueMap map;
      pool.clone(serve.body(), map, &serve.body().front());
      pool.erase();
      break;
    }
}

/// `experts { routing zipf(theta = 0.3, seed = 1); redundant 32 }`.
static void buildExperts(BuildContext &context, const Node &node, ir::Operation &serve) {
  readRouting(context, node, partAt<study::ExpertsOp>(serve, node.range));
  const Quantity *count = node.quantity("redundant");
  if (!count)
    return;
  if (!meets(*count, Wants::Index))
    context.diagnostics.report(
        node.find("redundant")->range, diag::BadServeValue,
        fmt::format("`redundant` is {}, not {}", describe(Wants::Index).str(), count->toDouble()));
  else
    serve.setAttr("redundant_experts", count->rational().numerator());
}

void perfc::buildDeployment(BuildContext &context, const Node &statement, llvm::StringRef on,
                            ir::Operation &serve) {
  if (statement.find("pool"))
    buildPools(context, statement, on, serve);
  else
    PoolBuilder(context, serve).run(statement);
  if (const Node *node = statement.find("cluster"))
    buildCluster(context, *node, serve);
  if (const Node *node = statement.find("kv_transfer")) {
    if (statement.find("pool"))
      checkTransfer(context, *node, on);
    else
      context.diagnostics.report(node->range, diag::BadServeValue,
                                 "`kv_transfer` is between pools, of which there are none");
  }
  if (const Node *node = statement.find("experts"))
    buildExperts(context, *node, serve);
}
