// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A `trace` to a collective.trace, and the statement `replay`.
#include "frontend/build/StudyBuilder.h"

#include "frontend/build/TraceBuilder.h"
#include "frontend/sema/Written.h"
#include "ir/common/diagnostics/Cluster.h"
#include <set>

using namespace perfc;

/// More ranks would not be written one by one.
static constexpr int64_t mostRanks = 1 << 20;

namespace {

class TraceBuilder {
public:
  TraceBuilder(BuildContext &context, ir::Operation &trace)
      : context(context), diagnostics(context.diagnostics), trace(trace) {}

  void build(const Node &body);

private:
  void group(const Node &node);
  void ranks(const Node &node);
  void node(const Node &line, ir::Region &into);
  void measure(const Node &line, ir::Operation &op);
  llvm::Optional<int64_t> rank(const Quantity &value, SourceRange range);
  llvm::Optional<int64_t> whole(const NodeArg &arg, int64_t least);
  void bad(SourceRange range, const std::string &reason) {
    diagnostics.report(range, diag::BadTraceLine, reason);
  }

  BuildContext &context;
  DiagnosticEngine &diagnostics;
  ir::Operation &trace;
  std::set<int64_t> seen; ///< ranks that have nodes
  std::set<int64_t> ids;  ///< of the ranks at hand
  int64_t next = 0;       ///< id of a node that says none
};

} // namespace

llvm::Optional<int64_t> TraceBuilder::rank(const Quantity &value, SourceRange range) {
  if (value.isInteger() && value.sign() >= 0 && value.toDouble() < static_cast<double>(mostRanks))
    return value.rational().numerator();
  bad(range, fmt::format("ranks are whole numbers from 0 to {}, not {}", mostRanks - 1,
                         written(Value(value))));
  return llvm::None;
}

/// The whole number of `arg`, in units of its dimension; nothing when it is unknown or below
/// `least` (reported).
llvm::Optional<int64_t> TraceBuilder::whole(const NodeArg &arg, int64_t least) {
  const Quantity *value = arg.value.getIf<Quantity>();
  if (!value)
    return llvm::None;
  if (value->isInteger() && value->rational().numerator() >= least)
    return value->rational().numerator();
  bad(arg.range, fmt::format("it is a whole number from {}, not {}", least, written(arg.value)));
  return llvm::None;
}

void TraceBuilder::group(const Node &node) {
  const Node *of = node.find("of");
  if (!of)
    return bad(node.range, "a group says its ranks: `group 1 of 0, 1`");
  auto number = whole(node.args[0], 1);
  ir::AttrList members;
  for (const NodeArg &arg : of->args)
    if (const Quantity *value = arg.value.getIf<Quantity>())
      if (auto member = rank(*value, arg.range))
        members.push_back(*member);
  if (!number)
    return;
  ir::Operation *op = context.builder.create(trace.body(), "collective.group", node.range);
  op->setAttr("number", *number);
  op->setAttr("members", std::move(members));
}

/// What stands behind the word: a time in whole microseconds, as traces have it, or bytes.
void TraceBuilder::measure(const Node &line, ir::Operation &op) {
  const NodeArg &arg = line.args[0];
  const Quantity *value = arg.value.getIf<Quantity>();
  if (!value)
    return;
  bool isTime = line.spec->dims == Dims::Time;
  // Words and cycles are those of a chip, which a trace does not know.
  Dimension wanted(isTime ? BaseUnit::Second : BaseUnit::Byte);
  if (!(value->dimension() == wanted))
    return bad(arg.range, fmt::format("a trace has {}, not {}", isTime ? "seconds" : "bytes",
                                      written(arg.value)));
  if (!isTime) {
    if (auto bytes = whole(arg, 0))
      op.setAttr(line.word == "moves" ? "moves" : "bytes", *bytes);
    return;
  }
  auto micros = value->isExact() ? multiply(value->rational(), Rational(1'000'000)) : llvm::None;
  if (!micros || !micros->isInteger() || value->sign() < 0)
    return bad(arg.range,
               fmt::format("a trace has whole microseconds, not {}", written(arg.value)));
  op.setAttr("micros", micros->numerator());
}

void TraceBuilder::node(const Node &line, ir::Region &into) {
  ir::Operation *op = context.builder.create(into, "collective.node", line.range);
  op->setAttr("kind", line.word);
  measure(line, *op);
  ir::AttrList after;
  int64_t id = next;
  for (const Node *clause : line.children) {
    if (clause->word == "after") {
      for (const NodeArg &arg : clause->args)
        if (auto before = whole(arg, 0))
          after.push_back(*before);
    } else if (clause->word == "time" || clause->word == "moves") {
      measure(*clause, *op);
    } else if (auto number = whole(clause->args[0], clause->word == "group" ? 1 : 0)) {
      if (clause->word == "id")
        id = *number;
      else
        op->setAttr(clause->word == "to" || clause->word == "from" ? "peer" : clause->word,
                    *number);
    }
  }
  bool isMessage = line.word == "send" || line.word == "receive";
  if (isMessage && !op->hasAttr("peer"))
    bad(line.range, line.word == "send" ? "a message says where it goes: `to 3`"
                                        : "a message says where it comes from: `from 3`");
  if (line.word == "collective" && !op->hasAttr("type"))
    bad(line.range, "it says the number of its `type`");
  if (!ids.insert(id).second)
    bad(line.range, fmt::format("there is a node {} already", id));
  op->setAttr("id", id);
  if (!after.empty())
    op->setAttr("after", std::move(after));
  next = id + 1;
}

void TraceBuilder::ranks(const Node &node) {
  ir::AttrList members;
  auto add = [&](const Value &value, SourceRange range) {
    const Quantity *number = value.getIf<Quantity>();
    auto member = number ? rank(*number, range) : llvm::None;
    if (member && !seen.insert(*member).second)
      bad(range, fmt::format("rank {} has its nodes already", *member));
    if (member)
      members.push_back(*member);
  };
  for (const NodeArg &arg : node.args) {
    if (arg.value.is<Quantity>())
      add(arg.value, arg.range);
    else if (!arg.value.isUnknown())
      for (const Value &value : context.evaluator.members(arg.value, arg.range))
        add(value, arg.range);
  }
  ir::Operation *op = context.builder.create(trace.body(), "collective.ranks", node.range);
  op->setAttr("ranks", std::move(members));
  ids.clear();
  next = 0;
  for (const Node *line : node.children)
    this->node(*line, op->body());
}

void TraceBuilder::build(const Node &body) {
  for (const Node *part : body.children) {
    if (part->word == "group")
      group(*part);
    else if (part->word == "rank")
      ranks(*part);
  }
}

llvm::Optional<std::string> perfc::buildTrace(BuildContext &context, const Instance &trace) {
  const Decl &decl = *trace.decl;
  size_t errors = context.diagnostics.errorCount();
  Scope &scope = context.elaborator.newScope(*decl.module);
  if (!context.evaluator.bind(trace, scope, context.allowMissing))
    return llvm::None;
  Node body;
  if (decl.item->block)
    context.elaborator.body(*decl.item->block, BlockKind::Trace, scope, body);
  ir::Operation *op = context.createTop("collective.trace", decl.name, decl.nameRange);
  TraceBuilder(context, *op).build(body);
  if (context.diagnostics.errorCount() != errors)
    return llvm::None;
  return op->symbol().str();
}

bool StudyBuilder::replay(const Node &statement) {
  auto about = subject(statement);
  auto system = about ? target(statement, about->on.front()) : llvm::None;
  auto trace = system ? buildTrace(context, *about->instance) : llvm::None;
  if (!trace)
    return false;
  ir::Operation *op = context.builder.create(region, "study.replay", statement.range);
  nameResult(statement, *op);
  if (about->on.size() > 1)
    markUnsupported(op->body(), statement.find("on")->range, "a list of systems in `replay`");
  std::string label = written(Value(*about->instance));
  ir::AttrDict settings;
  settings.set("label", label + " on " + system->label);
  settings.set("subject_label", label);
  settings.set("on_label", system->label);
  op->setAttr("subject", ir::Attribute::symbol(*trace));
  op->setAttr("on", ir::Attribute::symbol(system->symbol));
  op->setAttr("settings", std::move(settings));
  return outcomes(statement, op->body());
}
