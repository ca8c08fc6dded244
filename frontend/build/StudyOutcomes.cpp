// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a statement asks about its result: expect, report and emit, goals and conditions.
#include "frontend/build/MetricExpr.h"
#include "frontend/build/StudyBuilder.h"
#include "frontend/sema/OtherNames.h"
#include "frontend/sema/Written.h"
#include "ir/common/diagnostics/Clauses.h"
#include "ir/common/diagnostics/Files.h"
#include "ir/common/diagnostics/Gpu.h"
#include "ir/common/diagnostics/ScaleSim.h"
#include "ir/study/RowKinds.h"
#include "ir/study/SearchOps.h"

using namespace perfc;
using study::rowKinds;

/// What to write for a name that is no metric.
static void helpUnknown(const BuildContext &context, llvm::StringRef name, Diagnostic &error) {
  if (context.isSwept(name)) {
    error.help("rows have a column for each name that a sweep sets");
    return;
  }
  std::vector<llvm::StringRef> names;
  for (ResultKind kind : resultKinds)
    for (const MetricSpec &spec : metricsOf(kind))
      names.push_back(spec.name);
  llvm::StringRef known = metricCalled(name);
  error.suggest(known.empty() ? name : known, names);
}

/// A column of `report`: a metric expression, or outside of statements the name of a result;
/// nothing after a report.
static llvm::Optional<ir::Attribute> reportColumn(BuildContext &context, const ast::Expr &expr,
                                                  const MetricScope &where) {
  bool isName = expr.kind == ast::ExprKind::Name;
  if (isName && context.findResult(expr.text))
    return ir::Attribute(expr.text);
  if (isName && !mentionsMetric(context, expr, where) && !beginsMetric(expr.text)) {
    if (isLost(where.scope->file(), expr.text))
      return llvm::None; // of a statement that a syntax error has dropped
    helpUnknown(context, expr.text,
                context.diagnostics.report(expr.range, diag::UnknownMetricName, expr.text));
    return llvm::None;
  }
  return metricExpr(context, expr, where);
}

bool StudyBuilder::report(const Node &node, const MetricScope &where, ir::Region &into) {
  bool good = true;
  std::vector<std::string> rows;
  ir::Operation *op = context.builder.create(into, study::ReportOp::opName, node.range);
  for (const NodeArg &arg : node.args) {
    auto expr = reportColumn(context, *arg.syntax->value, where);
    good &= expr.hasValue();
    if (!expr)
      continue;
    auto column = context.builder.create<study::ColumnOp>(op->body(), arg.syntax->range);
    column->setAttr("expr", expr->is(ir::AttrKind::List) ? *expr : ir::AttrList{*expr});
    column->setAttr("title", evaluator.program.sourceManager().text(arg.syntax->range));
  }
  const Node *by = node.find("by");
  if (!by)
    return good;
  // At file level the names of any sweep: which rows there are is known when they are printed.
  for (const NodeArg &arg : by->args) {
    const std::string &name = arg.value.get<WordValue>().word;
    rows.push_back(name);
    if (!where.inStatement || llvm::is_contained(rowKinds, name) || context.isSwept(name))
      continue;
    std::vector<llvm::StringRef> known(std::begin(rowKinds), std::end(rowKinds));
    for (const auto &[swept, value] : context.swept)
      known.push_back(swept);
    diagnostics.report(arg.range, diag::UnknownRows, name)
        .suggest(
            name, known,
            fmt::format("rows are by `{}`, or by what a sweep sets", fmt::join(rowKinds, "`, `")));
    good = false;
  }
  op->setAttr("by", ir::Attribute::strings(rows));
  return good;
}

bool StudyBuilder::outcome(const Node &node, ir::Region &into, bool inStatement) {
  MetricScope where{node.scope, inStatement, inStatement ? kind : llvm::None};
  if (node.word == "expect") {
    auto expr = metricCondition(context, *node.args[0].syntax->value, where);
    if (!expr)
      return false;
    ir::Operation *op = context.builder.create(into, "study.expect", node.range);
    op->setAttr("expr", *expr);
    if (const Quantity *confidence = node.quantity("confidence")) {
      if (confidence->toDouble() <= 0 || confidence->toDouble() >= 1)
        diagnostics.report(node.find("confidence")->range, diag::BadConfidence);
      op->setAttr("confidence", *confidence);
    }
    op->setAttr("text", evaluator.program.sourceManager().text(node.args[0].range));
    return true;
  }
  if (node.word == "report")
    return report(node, where, into);
  const ast::Expr &file = *node.args[0].syntax->value;
  if (file.format.empty()) {
    diagnostics.report(file.range, diag::EmitWithoutFormat)
        .help("a format's name stands before the file: `emit json \"out.json\"`");
    return false;
  }
  ir::Operation *op = context.builder.create(into, "study.emit", node.range);
  op->setAttr("format", file.format);
  op->setAttr("path", node.args[0].value.get<std::string>());
  const Node *from = node.find("from");
  if (!from || from->args.empty())
    return true;
  const std::string &result = from->args[0].value.get<WordValue>().word;
  op->setAttr("from", result);
  if (context.findResult(result))
    return true;
  std::vector<llvm::StringRef> known;
  if (context.results)
    for (const ResultName &entry : *context.results)
      known.push_back(entry.name);
  diagnostics.report(from->args[0].range, diag::UnknownResult, result)
      .suggest(result, known, "`evaluate … as " + result + "` gives a result this name");
  return false;
}

/// What a group of `by row.gpu` is called: "gpu"; of other expressions, these.
static std::string groupName(const ast::Expr &expr, const SourceManager &sources) {
  return expr.kind == ast::ExprKind::Member ? expr.text.str() : sources.text(expr.range).str();
}

/// `known` with the groups that `word` of `line` says: value by name.
ir::AttrDict StudyBuilder::groups(const Node &line, llvm::StringRef word, ir::AttrDict known) {
  const Node *groups = line.find(word);
  for (const ast::Arg &arg : groups ? groups->syntaxArgs() : llvm::None) {
    bool isNamed = arg.assigned && arg.value->kind == ast::ExprKind::Name;
    const ast::Expr &expr = isNamed ? *arg.assigned : *arg.value;
    Value value = evaluator.evaluate(expr, *line.scope);
    if (!value.isUnknown())
      known.set(isNamed ? arg.value->text.str()
                        : groupName(expr, evaluator.program.sourceManager()),
                plainText(value));
  }
  return known;
}

/// Where the first cell of a table stands that `expr` reads, `row.seconds`; nowhere for none.
static SourceRange cellOf(const ast::Expr &expr, const Scope &scope) {
  if (expr.kind == ast::ExprKind::Member && expr.operands[0]->kind == ast::ExprKind::Name) {
    const Value *row = scope.find(expr.operands[0]->text);
    const auto *record = row ? row->getIf<Value::Record>() : nullptr;
    const Argument *cell = record ? findNamed(record->fields, expr.text) : nullptr;
    return cell ? cell->range : SourceRange();
  }
  SourceRange found;
  for (const ast::Expr *operand : expr.operands)
    if (!found.isValid())
      found = cellOf(*operand, scope);
  for (const ast::Arg &arg : expr.args)
    if (!found.isValid())
      found = cellOf(*arg.value, scope);
  return found;
}

bool StudyBuilder::against(const Node &node, ir::Operation &row, ir::Region &into) {
  const SourceManager &sources = evaluator.program.sourceManager();
  size_t errors = diagnostics.errorCount();
  ir::AttrDict beside = groups(node, "beside", {});
  if (node.find("by"))
    row.setAttr("by", groups(node, "by", row.dictAttr("by")));
  const Node *titles = node.find("as");
  if (titles && titles->args.size() != node.syntaxArgs().size())
    diagnostics.report(titles->range, diag::BadTableStatement,
                       "a title for each pair of `against`");
  MetricScope where{node.scope, /*inStatement=*/true, kind};
  for (const auto &entry : llvm::enumerate(node.syntaxArgs())) {
    const ast::Arg &arg = entry.value();
    if (arg.assign != "=") {
      diagnostics.report(arg.range, diag::NothingMeasured);
      return false;
    }
    ir::Location place = arg.range;
    place.fuse(cellOf(*arg.assigned, *node.scope));
    ir::Operation *op = context.builder.create(into, "study.against", place);
    bool hasTitle = titles && entry.index() < titles->args.size();
    op->setAttr("text", hasTitle ? titles->args[entry.index()].value.get<WordValue>().word
                                 : sources.text(arg.value->range).str());
    if (!beside.empty())
      op->setAttr("beside", beside);
    if (std::string reason = reasonInstead(context, *arg.value, where); !reason.empty())
      op->setAttr("missing", reason);
    if (auto pair = measuredMetric(context, *arg.value, *arg.assigned, where))
      op->setAttr("pair", std::move(*pair));
  }
  return diagnostics.errorCount() == errors;
}

bool StudyBuilder::rowLine(const Node &node, llvm::StringRef group, ir::Operation &row,
                           ir::Region &into) {
  if (node.word == "against")
    return against(node, row, into);
  if (node.args.empty())
    return false;
  if (node.word == "name") {
    row.setAttr("name", node.args[0].value.get<std::string>());
    return true;
  }
  const Node *as = node.find("as");
  ir::AttrDict by = row.dictAttr("by");
  if (!group.empty())
    by.set(as && !as->args.empty() ? as->args[0].value.get<WordValue>().word : "split",
           group.str());
  row.setAttr("by", std::move(by));
  return true;
}

bool StudyBuilder::goal(const Node &node) {
  MetricScope where{node.scope, /*inStatement=*/true, kind};
  bool good = true;
  for (const ast::Arg &arg : node.syntaxArgs())
    good &= node.word == "require" ? metricCondition(context, *arg.value, where).hasValue()
                                   : metricExpr(context, *arg.value, where).hasValue();
  return good;
}

bool StudyBuilder::addGoals(const Node &node, ir::Operation &goal) {
  MetricScope where{node.scope, /*inStatement=*/true, kind};
  ir::AttrList list = goal.listAttr(node.word);
  std::vector<std::string> texts;
  bool good = true;
  for (const ast::Arg &arg : node.syntaxArgs()) {
    auto expr = node.word == "require" ? metricCondition(context, *arg.value, where)
                                       : metricExpr(context, *arg.value, where);
    good &= expr.hasValue();
    if (!expr)
      continue;
    list.push_back(*expr);
    texts.push_back(evaluator.program.sourceManager().text(arg.range).str());
  }
  bool isSingle = node.word == "minimize" || node.word == "maximize";
  if (!list.empty())
    goal.setAttr(node.word, std::move(list));
  if (texts.empty())
    return good;
  if (isSingle) {
    goal.setAttr("text", texts.front());
    return good;
  }
  std::string name = (node.word + "_text").str();
  std::vector<std::string> all = goal.stringsAttr(name);
  all.insert(all.end(), texts.begin(), texts.end());
  goal.setAttr(name, ir::Attribute::strings(all));
  return good;
}

bool StudyBuilder::pointGoal(const Node &node, ir::Operation &point) {
  ir::Operation &goal = partAt<study::GoalOp>(point, node.range);
  if (node.word != "keep")
    return addGoals(node, goal);
  const Quantity *count = node.args[0].value.getIf<Quantity>();
  if (count && count->sign() <= 0) {
    context.diagnostics.report(node.args[0].range, diag::BadCount, "keep", count->text());
    return false;
  }
  if (count)
    goal.setAttr("keep", count->rational().numerator());
  return true;
}

bool StudyBuilder::goals(const Node &statement) {
  static constexpr llvm::StringLiteral words[] = {"minimize", "maximize", "require", "pareto"};
  bool good = true;
  for (const Node *child : statement.children)
    if (llvm::is_contained(words, child->word))
      good &= goal(*child);
  return good;
}

bool StudyBuilder::outcomes(const Node &statement, ir::Region &into) {
  bool good = true;
  for (const Node *child : statement.children)
    if (child->word == "expect" || child->word == "report" || child->word == "emit")
      good &= child->args.empty() ? false : outcome(*child, into, /*inStatement=*/true);
  return good;
}

bool StudyBuilder::buildGoal(const Node &statement, ir::Operation &op) {
  bool good = true;
  size_t wanted = 0;
  for (const Node *child : statement.children) {
    bool isSingle = child->word == "minimize" || child->word == "maximize";
    if (isSingle && (wanted += child->args.size()) > 1) {
      context.unsupported.push_back({child->range, "several goals of one search"});
      good &= goal(*child);
    } else if (isSingle || child->word == "require" || child->word == "pareto") {
      good &= addGoals(*child, partAt<study::GoalOp>(op, child->range));
    } else if (child->word == "within") {
      if (const Quantity *limit = statement.quantity("within"))
        partAt<study::GoalOp>(op, child->range).setAttr("within", *limit);
    }
  }
  return good;
}
