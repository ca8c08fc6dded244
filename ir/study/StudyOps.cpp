// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/study/StudyOps.h"

#include "ir/core/Verifier.h"
#include "ir/study/SearchOps.h"
#include "ir/study/ServeOps.h"
#include "ir/study/StudyDecls.h"
#include "ir/study/TrainOps.h"
#include <set>

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::study;

Attribute ColumnOp::expr() const {
  const AttrList &expr = op->listAttr("expr");
  return expr.size() == 1 ? expr[0] : Attribute(expr);
}

std::string ColumnOp::title() const {
  if (op->hasAttr("title"))
    return op->stringAttr("title").str();
  return expr().is(AttrKind::String) ? expr().asString().str() : expr().text();
}

std::vector<ColumnOp> ReportOp::columns() const {
  std::vector<ColumnOp> list;
  for (Operation &column : op->body())
    list.push_back(as<ColumnOp>(column));
  return list;
}

AttrDecl study::resultNameAttr() {
  return stringAttr("name", "of the result, where something else has this symbol").optional();
}

llvm::StringRef study::resultName(const Operation &statement) {
  return statement.hasAttr("name") ? statement.stringAttr("name") : statement.symbol();
}

//===-- Parts
//----------------------------------------------------------------------------------===//

void study::walk(Module &module, llvm::function_ref<void(Operation &)> visit) {
  for (Operation &op : module.body())
    if (op.name().startswith("study."))
      op.walk(visit);
}

const Operation *study::findPart(const Operation &statement, llvm::StringRef name) {
  for (const Operation &part : statement.body())
    if (part.is(name))
      return &part;
  return nullptr;
}

static const OpDecl &declOf(llvm::StringRef name) {
  return *llvm::find_if(studyOps(), [&](const OpDecl &decl) { return decl.name == name; });
}

const Operation &study::partOrDefault(const Operation &statement, llvm::StringRef name) {
  static const llvm::StringMap<std::unique_ptr<Operation>> plain = [] {
    llvm::StringMap<std::unique_ptr<Operation>> parts;
    for (const OpDecl &decl : studyOps())
      parts[decl.name] = std::make_unique<Operation>(decl, Location());
    return parts;
  }();
  const Operation *part = findPart(statement, name);
  return part ? *part : *plain.find(name)->second;
}

Operation &study::partToWrite(Operation &statement, llvm::StringRef name) {
  if (const Operation *part = findPart(statement, name))
    return const_cast<Operation &>(*part);
  return statement.body().insert(std::make_unique<Operation>(declOf(name), statement.location()));
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

static bool verifyAgainst(const Operation &op, DiagnosticEngine &diagnostics) {
  const AttrList &pair = op.listAttr("pair");
  bool isGood = pair.size() < 2 || (pair.size() == 2 && pair[1].fits(AttrKind::Quantity));
  return isGood || invalidOp(op, diagnostics, "a pair is a metric and the quantity it came to");
}

//===-- Declarations
//---------------------------------------------------------------------------===//

static const std::vector<llvm::StringRef> requests = {"study.expect",  "study.report",
                                                      "study.emit",    "study.metric",
                                                      "study.against", "study.unsupported"};

RegionDecl study::holding(std::vector<llvm::StringRef> names) {
  names.insert(names.end(), requests.begin(), requests.end());
  return {std::move(names)};
}

std::vector<AttrDecl> study::statementAttrs(std::vector<llvm::StringRef> subjects,
                                            std::vector<AttrDecl> own) {
  std::vector<AttrDecl> attrs = {
      symbolAttr("subject", "what is asked about").oneOf(std::move(subjects)),
      symbolAttr("on", "where it runs").oneOf({"target.chip", "target.system"})};
  attrs.insert(attrs.end(), own.begin(), own.end());
  for (AttrDecl decl :
       {stringAttr("label", "of the row"), stringAttr("subject_label", "the subject as written"),
        stringAttr("on_label", "the chip or system as written"), resultNameAttr()})
    attrs.push_back(std::move(decl));
  return attrs;
}

bool study::verifyParts(const Operation &statement, llvm::ArrayRef<llvm::StringRef> several,
                        DiagnosticEngine &diagnostics) {
  std::set<llvm::StringRef> found;
  for (const Operation &part : statement.body())
    if (!llvm::is_contained(requests, part.name()) && !llvm::is_contained(several, part.name()) &&
        !found.insert(part.name()).second)
      return invalidOp(statement, diagnostics, "a second " + part.name().str());
  return true;
}

static bool verifyEvaluate(const Operation &op, DiagnosticEngine &diagnostics) {
  return verifyParts(op, {"study.place"}, diagnostics);
}

static OpDecl priceDecl() {
  Dimension perSecond = Dimension(BaseUnit::Dollar) / BaseUnit::Second;
  Dimension perJoule = Dimension(BaseUnit::Dollar) / BaseUnit::Joule;
  return {.name = PriceOp::opName,
          .doc = "What chips and energy cost.",
          .attrs = {quantityAttr("chip", perSecond, "for its time").otherwise(0),
                    quantityAttr("energy", perJoule, "for all chips").otherwise(0)}};
}

static std::vector<OpDecl> statementDecls() {
  return {
      {.name = EvaluateOp::opName,
       .doc = "The figures of one subject on one chip or system.",
       .symbol = SymbolUse::Optional,
       .topLevel = true,
       .attrs = statementAttrs(
           {"op.graph", "op.kernel"},
           {listAttr("with", AttrKind::Symbol, "mappings, each for the kernel it is of").optional(),
            stringAttr("using", "the provider of the figures").optional(),
            stringAttr("tool", "another tool that is asked in its place").optional(),
            stringAttr("algorithm", "of its collectives, by name").optional(),
            dictAttr("algorithms", AttrKind::String, "of those of a kind, by kind").optional(),
            listAttr("line_formulas", AttrKind::Dict, "of algorithms that lines of a workload name")
                .optional(),
            listAttr("schedules", AttrKind::Symbol, "of the algorithm; the fastest counts")
                .oneOf({"collective.schedule"})
                .optional(),
            intAttr("count", "how often the subject runs").atLeast(1).otherwise(1),
            listAttr("sparsity", AttrKind::Dict, "tensors with zeros").optional(),
            listAttr("savings", AttrKind::Dict, "what is left out at zeros").optional(),
            listAttr("kernels", AttrKind::Symbol, "libraries that go before the generation's")
                .oneOf({"tile.library"})
                .optional(),
            flagAttr("eager", "the host starts each kernel"),
            flagAttr("alone", "each kernel runs with nothing in a cache"),
            intAttr("copies", "weights that take turns from run to run").atLeast(1).optional(),
            dictAttr("parts", AttrKind::Symbol, "of the chip, by kernel that runs on one")
                .optional(),
            symbolAttr("whole", "the subject before it was divided among ranks")
                .oneOf({"op.graph"})
                .optional()}),
       .regions = {holding({"study.strategy", "study.runtime", PriceOp::opName, "study.place"})},
       .verifier = verifyEvaluate},
      {.name = EnsembleOp::opName,
       .doc = "One question to several providers, weighted by their errors.",
       .symbol = SymbolUse::Optional,
       .topLevel = true,
       .attrs = {stringAttr("label", "of the row"), resultNameAttr()},
       .regions = {holding({EvaluateOp::opName})}},
      {.name = CompareOp::opName,
       .doc = "Results side by side, each against the first.",
       .symbol = SymbolUse::Optional,
       .topLevel = true,
       .attrs = {listAttr("of", AttrKind::String,
                          "names of results, instead of statements of its own")
                     .optional(),
                 resultNameAttr()},
       .regions = {holding({EvaluateOp::opName, EnsembleOp::opName, "study.serve", "study.train",
                            ReplayOp::opName})}},
      {.name = ReplayOp::opName,
       .doc = "A trace on a system.",
       .symbol = SymbolUse::Optional,
       .topLevel = true,
       .attrs = statementAttrs({"collective.trace"}, {}),
       .regions = {holding({})}},
      priceDecl()};
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
       .attrs = {stringAttr("text", "the title, or the metric as written"),
                 listAttr("pair", AttrKind::Any,
                          "the metric in prefix form, and what was measured, as far as known")
                     .optional(),
                 stringAttr("missing", "why there is no metric").optional(),
                 dictAttr("beside", AttrKind::String,
                          "the only group of this prediction, instead of those of the row")
                     .optional()},
       .verifier = verifyAgainst},
      {.name = "study.report",
       .doc = "A table to print.",
       .topLevel = true,
       .attrs = {listAttr("by", AttrKind::String, "what the rows are").optional()},
       .regions = {{{ColumnOp::opName}}}},
      {.name = ColumnOp::opName,
       .doc = "A column of a report.",
       .attrs = {listAttr("expr", AttrKind::Any,
                          "the name of a metric or a result, or a metric in prefix form"),
                 stringAttr("title", "as written").optional()},
       .verifier = verifyExpr},
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
    for (const auto &decls : {trainDecls(), serveDecls(), searchDecls(), requestDecls()})
      all.insert(all.end(), decls.begin(), decls.end());
    return all;
  }();
  return table;
}
