// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/study/StudyOps.h"

#include "ir/core/Verifier.h"
#include "ir/study/SearchOps.h"

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::study;

std::vector<std::string> EvaluateOp::with() const {
  std::vector<std::string> names;
  for (const Attribute &name : op->listAttr("with"))
    names.push_back(name.asSymbol().str());
  return names;
}

std::vector<std::string> ReportOp::titles() const {
  if (op->hasAttr("titles"))
    return op->stringsAttr("titles");
  std::vector<std::string> names;
  for (const Attribute &column : columns())
    names.push_back(column.is(AttrKind::String) ? column.asString().str() : column.text());
  return names;
}

AttrDecl study::resultNameAttr() {
  return stringAttr("name", "of the result, where something else has this symbol").optional();
}

llvm::StringRef study::resultName(const Operation &statement) {
  return statement.hasAttr("name") ? statement.stringAttr("name") : statement.symbol();
}

//===-- Rules
//----------------------------------------------------------------------------------===//

/// Each list is an operator or function followed by its arguments.
static bool isPrefixForm(const AttrList &expr) {
  if (expr.size() < 2 || !expr[0].is(AttrKind::String))
    return false;
  for (const Attribute &argument : expr)
    if (argument.is(AttrKind::List) && !isPrefixForm(argument.asList()))
      return false;
  return true;
}

static bool verifyExpr(const Operation &op, DiagnosticEngine &diagnostics) {
  const AttrList &expr = op.listAttr("expr");
  bool single = expr.size() == 1 && !expr[0].is(AttrKind::List);
  return single || isPrefixForm(expr) ||
         invalidOp(op, diagnostics, "expr is an operator's name followed by its arguments");
}

static bool verifyColumns(const Operation &op, DiagnosticEngine &diagnostics) {
  const AttrList &columns = op.listAttr("columns");
  bool isGood = llvm::all_of(columns, [](const Attribute &column) {
    return column.is(AttrKind::String) ||
           (column.is(AttrKind::List) && isPrefixForm(column.asList()));
  });
  if (!isGood)
    return invalidOp(op, diagnostics,
                     "a column is a name, or an operator's name and its arguments");
  return !op.hasAttr("titles") || op.stringsAttr("titles").size() == columns.size() ||
         invalidOp(op, diagnostics, "there is a title for each column");
}

static bool verifyAgainst(const Operation &op, DiagnosticEngine &diagnostics) {
  const AttrList &pair = op.listAttr("pair");
  bool isGood = pair.empty() || (pair.size() == 2 && pair[1].fits(AttrKind::Quantity));
  return isGood || invalidOp(op, diagnostics, "a pair is a metric and the quantity it came to");
}

//===-- Declarations
//---------------------------------------------------------------------------===//

static const std::vector<llvm::StringRef> requests = {"study.expect",  "study.report",
                                                      "study.emit",    "study.metric",
                                                      "study.against", "study.unsupported"};

static RegionDecl holding(std::vector<llvm::StringRef> names) {
  names.insert(names.end(), requests.begin(), requests.end());
  return {std::move(names)};
}

static OpDecl statement(llvm::StringRef name, llvm::StringRef doc,
                        std::vector<llvm::StringRef> subjects = {"op.graph", "op.kernel"}) {
  return {.name = name,
          .doc = doc,
          .symbol = SymbolUse::Optional,
          .topLevel = true,
          .attrs = {symbolAttr("subject", "what is asked about").oneOf(std::move(subjects)),
                    symbolAttr("on", "where it runs").oneOf({"target.chip", "target.system"}),
                    dictAttr("settings", AttrKind::Any, "what the statement's words say"),
                    resultNameAttr()},
          .regions = {holding({})}};
}

static std::vector<OpDecl> statementDecls() {
  std::vector<llvm::StringRef> inPoint = {"study.evaluate", "study.compare", "study.search",
                                          "study.serve",    "study.train",   "study.replay"};
  OpDecl evaluate{.name = "study.evaluate",
                  .doc = "The figures of one subject on one chip or system.",
                  .symbol = SymbolUse::Optional,
                  .topLevel = true,
                  .regions = {holding({"study.place"})}};
  evaluate.attrs = {
      symbolAttr("subject", "what runs").oneOf({"op.graph", "op.kernel"}),
      symbolAttr("on", "where it runs").oneOf({"target.chip", "target.system"}),
      listAttr("with", AttrKind::Symbol, "mappings, each for the kernel it is of").optional(),
      stringAttr("using", "the provider of the figures").optional(),
      stringAttr("algorithm", "of its collectives, by name").optional(),
      dictAttr("algorithms", AttrKind::String, "of those of a kind, by kind").optional(),
      listAttr("line_formulas", AttrKind::Dict, "of algorithms that lines of a workload name")
          .optional(),
      listAttr("schedules", AttrKind::Symbol, "of the algorithm; the fastest counts")
          .oneOf({"collective.schedule"})
          .optional(),
      intAttr("count", "how often the subject runs").atLeast(1).optional(),
      listAttr("sparsity", AttrKind::Dict, "tensors with zeros").optional(),
      listAttr("savings", AttrKind::Dict, "what is left out at zeros").optional(),
      dictAttr("price", AttrKind::Any, "USD for a second of a chip and for a joule").optional(),
      dictAttr("parts", AttrKind::Symbol, "of the chip, by kernel that runs on one").optional(),
      stringAttr("label", "of the row"),
      stringAttr("subject_label", "the subject as written"),
      stringAttr("on_label", "the chip or system as written"),
      resultNameAttr()};
  return {std::move(evaluate),
          {.name = "study.compare",
           .doc = "Results side by side, each against the first.",
           .symbol = SymbolUse::Optional,
           .topLevel = true,
           .attrs = {listAttr("of", AttrKind::String,
                              "names of results, instead of statements of its own")
                         .optional(),
                     resultNameAttr()},
           .regions = {holding({"study.evaluate", "study.serve", "study.train", "study.replay"})}},
          {.name = "study.point",
           .doc = "The statements of a sweep at one of its points, or of one row of a table.",
           .symbol = SymbolUse::Optional,
           .topLevel = true,
           .attrs = {dictAttr("bindings", AttrKind::Any, "the swept names"),
                     listAttr("require", AttrKind::Any, "conditions on a point").optional(),
                     listAttr("require_text", AttrKind::String, "the same as written").optional(),
                     listAttr("pareto", AttrKind::Any, "what a point is to be good at").optional(),
                     listAttr("pareto_text", AttrKind::String, "the same as written").optional(),
                     stringAttr("table", "of measurements, whose row this is").optional(),
                     stringAttr("skipped", "why the row has no statement").optional()},
           .regions = {holding(inPoint)}},
          searchDecl(holding({"study.evaluate"})),
          statement("study.serve", "A stream of requests to a model."),
          statement("study.train", "Training a model."),
          statement("study.replay", "A trace on a system.", {"collective.trace"})};
}

static std::vector<OpDecl> requestDecls() {
  return {
      {.name = "study.place",
       .doc = "Kernels that an evaluation gives to one array or unit of its chip.",
       .attrs = {listAttr("kernels", AttrKind::Symbol, "that stand there").oneOf({"op.kernel"}),
                 stringAttr("at", "the place, after those around it: die.MMA")}},
      {.name = "study.metric",
       .doc = "A metric made of others.",
       .symbol = SymbolUse::Required,
       .topLevel = true,
       .attrs = {listAttr("expr", AttrKind::Any, "prefix form")},
       .verifier = verifyExpr},
      {.name = "study.expect",
       .doc = "A condition on the result around it, or on results by name.",
       .topLevel = true,
       .attrs = {listAttr("expr", AttrKind::Any, "prefix form"),
                 quantityAttr("confidence", {}, "share of outcomes for which it holds").optional(),
                 stringAttr("text", "the condition as written")},
       .verifier = verifyExpr},
      {.name = "study.against",
       .doc = "What was measured of the result around it.",
       .attrs = {stringAttr("text", "the metric as written"),
                 listAttr("pair", AttrKind::Any,
                          "the metric in prefix form and what was measured, where both are known")
                     .optional(),
                 dictAttr("by", AttrKind::String, "the groups of the row: value by name")},
       .verifier = verifyAgainst},
      {.name = "study.report",
       .doc = "Columns to print.",
       .topLevel = true,
       .attrs = {listAttr("columns", AttrKind::Any, "metrics, results, or prefix forms of metrics"),
                 listAttr("titles", AttrKind::String, "the columns as written").optional(),
                 listAttr("by", AttrKind::String, "what the rows are").optional()},
       .verifier = verifyColumns},
      {.name = "study.emit",
       .doc = "A file to write.",
       .topLevel = true,
       .attrs =
           {stringAttr("format", "name of the format"), stringAttr("path", "where to"),
            stringAttr("from", "name of the result, where it is not the statement's").optional()}},
      {.name = "study.unsupported",
       .doc = "A part of the program that cannot be evaluated; the result says so.",
       .topLevel = true,
       .attrs = {stringAttr("what", "the part, in words")}}};
}

llvm::ArrayRef<OpDecl> study::studyOps() {
  static const std::vector<OpDecl> table = [] {
    std::vector<OpDecl> all = statementDecls();
    for (OpDecl decl : requestDecls())
      all.push_back(std::move(decl));
    return all;
  }();
  return table;
}
