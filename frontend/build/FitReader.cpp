// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/build/Fit.h"
#include "frontend/sema/Elaborator.h"
#include "frontend/sema/Written.h"
#include "ir/common/diagnostics/Evaluation.h"
#include "ir/common/diagnostics/Values.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"
#include <set>

using namespace perfc;

namespace {

/// Reads one statement.
class FitReader {
public:
  FitReader(Evaluator &evaluator, const Scope &scope)
      : evaluator(evaluator), diagnostics(evaluator.diagnostics), elaborator(evaluator),
        scope(scope) {}

  llvm::Optional<Fit> read(const ast::Item &statement);

private:
  void line(const Node &node, Fit &fit);
  bool constants(const Node &node, FitLine &line);
  bool constant(const ast::Arg &arg, const ast::Expr *last, FitLine &line);
  bool bounds(const Node &node, const ast::Expr &domain, FitLine &line);
  void prior(const Node &node, FitLine &line);
  void interval(const Node &node, Fit &fit);
  RowGroups groups(const Node &node);
  void loss(const Node &node, Fit &fit);
  void tables(const Node &node, Fit &fit);
  void weight(const Node &node, Fit &fit);
  Fit::OfGroup ofGroup(const Node &statement, llvm::StringRef word);
  void family(const Node &node, Fit &fit);

  Evaluator &evaluator;
  DiagnosticEngine &diagnostics;
  Elaborator elaborator;
  const Scope &scope;
};

} // namespace

/// The names behind `word`; none where it is not given.
static std::vector<std::string> namesOf(const Node &node, llvm::StringRef word) {
  std::vector<std::string> names;
  if (const Node *child = node.find(word))
    for (const NodeArg &arg : child->args)
      if (const WordValue *name = arg.value.getIf<WordValue>())
        names.push_back(name->word);
  return names;
}

/// The name behind `word`; "" where it is not given.
static std::string nameOf(const Node &node, llvm::StringRef word) {
  std::vector<std::string> names = namesOf(node, word);
  return names.empty() ? "" : names.front();
}

static double numberOf(const Value &value) {
  const Quantity *quantity = value.getIf<Quantity>();
  return quantity ? quantity->toDouble() : 0;
}

/// The constants of `parameter a.b, c.d in low..high`.
bool FitReader::constants(const Node &node, FitLine &line) {
  llvm::ArrayRef<ast::Arg> args = node.syntaxArgs();
  const ast::Expr *last = nullptr;
  if (!args.empty())
    last = args.back().assigned ? args.back().assigned : args.back().value;
  if (!last || last->kind != ast::ExprKind::Binary || last->text != "in") {
    diagnostics.report(node.range, diag::BadFit,
                       "the bounds of a constant: `parameter my_gpu.launch in 1us..20us`");
    return false;
  }
  for (const ast::Arg &arg : args)
    if (!constant(arg, last, line))
      return false;
  return bounds(node, *last->operands[1], line);
}

/// `a.share`, `a.share / 1.1`, `a.share = b.share`; the last one has bounds.
bool FitReader::constant(const ast::Arg &arg, const ast::Expr *last, FitLine &line) {
  auto withoutBounds = [&](const ast::Expr *expr) {
    return expr == last ? expr->operands[0] : expr;
  };
  const ast::Expr *path = withoutBounds(arg.value);
  double divisor = 1;
  if (path->kind == ast::ExprKind::Binary && path->text == "/") {
    divisor = numberOf(evaluator.evaluate(*path->operands[1], scope));
    if (!(divisor > 0)) {
      diagnostics.report(path->operands[1]->range, diag::BadFit, "a number above 0 to divide by");
      return false;
    }
    path = path->operands[0];
  }
  std::vector<FitConstant> found = findConstants(evaluator, *path, scope);
  if (found.empty())
    return false;
  if (arg.assigned) {
    std::vector<FitConstant> others = findConstants(evaluator, *withoutBounds(arg.assigned), scope);
    if (others.empty())
      return false;
    if (found.size() != others.size()) {
      diagnostics.report(arg.range, diag::BadFit,
                         fmt::format("as many constants on both sides of `=`, not {} and {}",
                                     found.size(), others.size()));
      return false;
    }
    for (auto [one, other] : llvm::zip(found, others))
      one.others.push_back(std::move(other));
  }
  line.divisors.insert(line.divisors.end(), found.size(), divisor);
  llvm::move(found, std::back_inserter(line.constants));
  return true;
}

bool FitReader::bounds(const Node &node, const ast::Expr &domain, FitLine &line) {
  Value value = evaluator.evaluate(domain, scope);
  const RangeValue *range = value.getIf<RangeValue>();
  if (!range || range->step) {
    if (!value.isUnknown())
      diagnostics.report(domain.range, diag::BadFit,
                         fmt::format("bounds `low..high`, not {}", value.describe()));
    return false;
  }
  line.low = range->first.toDouble();
  line.high = range->last.toDouble();
  line.isLog = line.low > 0;
  if (std::string scale = nameOf(node, "scale"); !scale.empty())
    line.isLog = scale == "log";
  if (!line.isLog && llvm::any_of(line.divisors, [](double divisor) { return divisor != 1; })) {
    diagnostics.report(node.range, diag::BadFit, "a logarithmic scale for quotients");
    return false;
  }
  if (!(line.low < line.high) || (line.isLog && line.low <= 0)) {
    diagnostics.report(domain.range, diag::BadFit,
                       line.low < line.high ? "bounds above 0 for a logarithmic scale"
                                            : "a lower bound below the upper one");
    return false;
  }
  std::vector<const FitConstant *> all;
  for (const FitConstant &constant : line.constants) {
    all.push_back(&constant);
    for (const FitConstant &other : constant.others)
      all.push_back(&other);
  }
  for (const FitConstant *each : all) {
    const FitConstant &constant = *each;
    for (const Quantity &end : {range->first, range->last})
      if (end.dimension() != constant.dimension) {
        diagnostics.report(domain.range, diag::BadFit,
                           fmt::format("bounds of `{}`, {}, not {}", constant.path,
                                       constant.dimension.describe(), written(end)));
        return false;
      }
    if (constant.written < line.low || constant.written > line.high) {
      diagnostics.report(domain.range, diag::BadFit,
                         fmt::format("bounds with what `{}` is now between them, {}", constant.path,
                                     constant.text(constant.written, 4)));
      return false;
    }
  }
  return true;
}

void FitReader::prior(const Node &node, FitLine &line) {
  const Node *prior = node.find("prior");
  const Quantity *value =
      prior && !prior->args.empty() ? prior->args[0].value.getIf<Quantity>() : nullptr;
  if (!value)
    return;
  line.prior = value->toDouble();
  line.priorWidth = value->toUncertain().halfWidth();
  bool isInside = llvm::all_of(line.divisors, [&](double divisor) {
    return *line.prior * divisor >= line.low && *line.prior * divisor <= line.high;
  });
  if (!isInside || line.priorWidth <= 0 || value->dimension() != line.constants[0].dimension)
    diagnostics.report(prior->range, diag::BadFit,
                       "a prior between the bounds, with its interval: `prior 5us +- 50%`");
}

void FitReader::line(const Node &node, Fit &fit) {
  FitLine line;
  line.range = node.range;
  if (!constants(node, line))
    return;
  prior(node, line);
  if (const Quantity *alike = node.quantity("alike"))
    line.alike = alike->toDouble();
  if (const Node *mean = node.find("mean"); mean && mean->syntaxArgs().size() == 1) {
    auto found = findConstants(evaluator, *mean->syntaxArgs()[0].value, scope);
    if (found.size() == 1)
      line.mean = std::move(found.front());
    else if (!found.empty())
      diagnostics.report(mean->range, diag::BadFit, "one constant as the mean of a line");
  }
  std::set<const ast::Expr *> known;
  for (const FitLine &other : fit.lines)
    for (const FitConstant &constant : other.constants)
      known.insert(constant.place);
  for (const FitConstant &constant : line.constants)
    if (!known.insert(constant.place).second)
      diagnostics.report(node.range, diag::BadFit,
                         fmt::format("`{}` once, in one line", constant.path));
  fit.lines.push_back(std::move(line));
}

/// `dtype = "fp16", device = "A*"`.
RowGroups FitReader::groups(const Node &node) {
  RowGroups groups;
  for (const ast::Arg &arg : node.syntaxArgs()) {
    Value value = arg.assigned ? evaluator.evaluate(*arg.assigned, scope) : Value();
    if (arg.assign == "=" && arg.value->kind == ast::ExprKind::Name) {
      if (!value.isUnknown())
        groups.emplace_back(arg.value->text.str(), plainText(value));
      continue;
    }
    diagnostics.report(arg.range, diag::BadFit,
                       fmt::format("a group and its value: `{} dtype = \"fp16\"`", node.word));
  }
  return groups;
}

void FitReader::interval(const Node &node, Fit &fit) {
  FitInterval interval;
  interval.range = node.range;
  for (const ast::Arg &arg : node.syntaxArgs())
    llvm::move(findConstants(evaluator, *arg.value, scope), std::back_inserter(interval.constants));
  for (const FitConstant &constant : interval.constants)
    if (constant.written <= 0)
      diagnostics.report(node.range, diag::BadFit,
                         fmt::format("`{}` above 0 for its interval", constant.path));
  if (const Node *of = node.find("of"))
    interval.of = groups(*of);
  fit.intervals.push_back(std::move(interval));
}

void FitReader::loss(const Node &node, Fit &fit) {
  const WordValue *loss = node.args.empty() ? nullptr : node.args[0].value.getIf<WordValue>();
  if (!loss)
    return;
  fit.isRobust = loss->word != "squares";
  fit.isRelative = loss->word == "relative";
  fit.scale = fit.isRobust ? 0.04 : 0.1;
  if (!loss->arguments.empty())
    fit.scale = numberOf(*loss->arguments[0].value);
  if (fit.scale <= 0)
    diagnostics.report(node.range, diag::BadFit, "an error above 0 in its loss");
}

/// "gemm" of std.validate.gemm, and of gemm.perf.
static llvm::StringRef lastNameOf(const Module &module) {
  llvm::StringRef name = module.name;
  return name.endswith(".perf") ? llvm::sys::path::stem(name) : name.rsplit('.').second;
}

/// `tables train_megatron, train_torchtitan`.
void FitReader::tables(const Node &node, Fit &fit) {
  for (const NodeArg &arg : node.args) {
    const WordValue *name = arg.value.getIf<WordValue>();
    if (!name)
      continue;
    const Module *module = nullptr;
    for (const Import &import : scope.file().imports)
      if (import.module && lastNameOf(*import.module) == name->word)
        module = import.module;
    if (module)
      fit.tables.push_back(module);
    else
      diagnostics.report(arg.range, diag::BadFit,
                         fmt::format("`import std.validate.{}` for its table", name->word));
  }
}

/// `weight 64 by device`, `weight sqrt(rows) by device`.
void FitReader::weight(const Node &node, Fit &fit) {
  fit.weightBy = nameOf(node, "by");
  const ast::Expr *value = node.syntaxArgs().empty() ? nullptr : node.syntaxArgs()[0].value;
  if (value)
    fit.weight = [&evaluator = evaluator, &file = scope.file(), value](double rows) {
      Scope ofRows(file);
      ofRows.set("rows", Quantity(Uncertain(rows), Dimension()));
      return numberOf(evaluator.evaluate(*value, ofRows));
    };
  if (!value || fit.weightBy.empty() || !(fit.weight(1) > 0))
    diagnostics.report(node.range, diag::BadFit,
                       "a number of rows and groups: `weight 64 by device`");
}

/// `sample 64 by device`.
Fit::OfGroup FitReader::ofGroup(const Node &statement, llvm::StringRef word) {
  Fit::OfGroup result;
  const Node *node = statement.find(word);
  if (!node)
    return result;
  result.rows = node->args.empty() ? 0 : numberOf(node->args[0].value);
  result.by = nameOf(*node, "by");
  if (result.rows <= 0 || result.by.empty())
    diagnostics.report(node->range, diag::BadFit,
                       fmt::format("a number of rows and groups: `{} 64 by device`", word));
  return result;
}

/// `family run { sheet clock, threads; work model }`.
void FitReader::family(const Node &node, Fit &fit) {
  Fit::Family family;
  family.range = node.range;
  if (const WordValue *by = node.args.empty() ? nullptr : node.args[0].value.getIf<WordValue>())
    family.by = by->word;
  family.sheet = namesOf(node, "sheet");
  family.work = nameOf(node, "work");
  family.learnsWork = node.find("learn_work") != nullptr;
  for (auto [word, share] :
       {std::make_pair("ridge", &family.ridge), std::make_pair("apart", &family.apart),
        std::make_pair("least_error", &family.leastError)})
    if (const Quantity *given = node.quantity(word))
      *share = given->toDouble();
  if (family.learnsWork && family.work.empty())
    diagnostics.report(node.range, diag::BadFit, "works to learn: `work model`");
  fit.family = std::move(family);
}

llvm::Optional<Fit> FitReader::read(const ast::Item &statement) {
  size_t errors = diagnostics.errorCount();
  Fit fit;
  fit.range = statement.range;
  const Node *node = elaborator.statement(statement, BlockKind::File, scope);
  if (!node)
    return llvm::None;
  if (const WordValue *name = node->args.empty() ? nullptr : node->args[0].value.getIf<WordValue>())
    fit.name = name->word;
  for (const Node *child : node->children) {
    if (child->word == "parameter")
      line(*child, fit);
    else if (child->word == "family")
      family(*child, fit);
    else if (child->word == "tables")
      tables(*child, fit);
    else if (child->word == "weight")
      weight(*child, fit);
    else if (child->word == "only")
      fit.only = groups(*child);
    else if (child->word == "interval")
      interval(*child, fit);
    else if (child->word == "loss")
      loss(*child, fit);
  }
  fit.leaveOut = namesOf(*node, "leave_out");
  fit.metrics = namesOf(*node, "against");
  fit.sample = ofGroup(*node, "sample");
  if (fit.family && !fit.lines.empty())
    diagnostics.report(fit.family->range, diag::BadFit, "either `parameter` or `family`");
  if (fit.family && !fit.intervals.empty())
    diagnostics.report(fit.intervals.front().range, diag::BadFit, "no `interval` with a family");
  if (fit.family && fit.metrics.size() > 1)
    diagnostics.report(fit.family->range, diag::BadFit, "one metric for a family");
  if (fit.lines.empty() && fit.intervals.empty() && !fit.family &&
      diagnostics.errorCount() == errors)
    diagnostics.report(statement.range, diag::BadFit,
                       "a constant: `parameter my_gpu.launch in 1us..20us`");
  return diagnostics.errorCount() == errors ? llvm::Optional<Fit>(std::move(fit)) : llvm::None;
}

llvm::Optional<Fit> perfc::readFit(Evaluator &evaluator, const ast::Item &statement,
                                   const Scope &scope) {
  return FitReader(evaluator, scope).read(statement);
}
