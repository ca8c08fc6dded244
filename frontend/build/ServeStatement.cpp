// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The statement `serve` as a whole: its subject and chip, formats, the graphs of its samples and
// what a search for the rate of arrivals is to reach. Its words are those of ServeBuilder.
#include "frontend/build/Attributes.h"
#include "frontend/build/PriceBuilder.h"
#include "frontend/build/ServeBuilder.h"
#include "frontend/build/StudyBuilder.h"
#include "frontend/build/TrainBuilder.h"
#include "frontend/sema/Written.h"
#include "ir/common/diagnostics/Serving.h"
#include "ir/study/SearchOps.h"
#include "ir/study/ServeOps.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace perfc;

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

/// What a search for the rate of arrivals is to reach; false after a report.
bool StudyBuilder::serveGoal(const Node &statement, ir::Operation &op) {
  auto arrivals = study::findPart(op, study::ArrivalsOp::opName);
  bool isOpen = arrivals && study::ServeOp(&op).arrivals().isRateOpen();
  const Node *maximize = statement.find("maximize"), *require = statement.find("require");
  const Node *goal = maximize ? maximize : require;
  auto bad = [&](SourceRange range, const char *text) {
    context.diagnostics.report(range, diag::BadServeValue, text);
    return false;
  };
  if (!isOpen && goal)
    return bad(goal->range, "nothing is open to search for: arrivals poisson(any, seed = 1)");
  if (isOpen && !(maximize && require))
    return bad(statement.range,
               "the highest rate of arrivals needs `maximize requests_per_s` and `require`");
  if (!isOpen)
    return goals(statement);
  if (!buildGoal(statement, op))
    return false;
  auto asked = study::partOf<study::GoalOp>(op);
  static constexpr llvm::StringLiteral rising[] = {"requests_per_s", "tokens_per_s", "goodput"};
  for (const ir::Attribute &metric : asked.maximize())
    if (!metric.is(ir::AttrKind::String) || !llvm::is_contained(rising, metric.asString()))
      return bad(maximize->range,
                 "what rises with the rate of arrivals is requests_per_s, tokens_per_s or goodput");
  return true;
}

ir::Operation *StudyBuilder::serve(const Node &statement, const Subject &about, const NodeArg &on,
                                   ir::Region &into) {
  auto chip = target(statement, on);
  auto format =
      chip ? activationFormat(context, statement, *about.instance, chip->dtype) : llvm::None;
  auto made = std::make_unique<ir::Operation>(*context.builder.ops().find(study::ServeOp::opName),
                                              statement.range);
  ir::Location places(statement.range); // and, for messages about them, its words
  for (const Node *child : statement.children)
    places.fuse(child->range);
  made->setLocation(places);
  if (!format || !buildServeParts(context, statement, chip->symbol, *made))
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
  bool good = libraryWords(statement, *op);
  good &= buildPrice(context, statement, *context.module.lookup(chip->symbol), *op);
  std::string label = written(Value(*about.instance));
  op->setAttr("label", label + " on " + chip->label);
  op->setAttr("subject_label", label);
  op->setAttr("on_label", chip->label);
  return serveGoal(statement, *op) && good ? op : nullptr;
}
