// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A `trace` to a collective.trace, and the statement `replay`.
#include "frontend/build/StudyBuilder.h"

#include "frontend/build/TraceBuilder.h"
#include "frontend/sema/Written.h"
#include "ir/collective/TraceLimits.h"
#include "ir/common/diagnostics/Cluster.h"
#include "llvm/ADT/StringSwitch.h"
#include <limits>
#include <set>

using namespace perfc;

namespace {

class TraceBuilder {
public:
  TraceBuilder(BuildContext &context, ir::Operation &trace)
      : context(context), diagnostics(context.diagnostics), trace(trace) {}

  void build(const Node &body);
  void checkMembers();

private:
  void group(const Node &node);
  void ranks(const Node &node);
  void node(const Node &line, ir::Region &into);
  void measure(const Node &line, ir::Operation &op);
  llvm::Optional<int64_t> rank(const Quantity &value, SourceRange range);
  llvm::Optional<int64_t> whole(const NodeArg &arg, int64_t least,
                                int64_t most = std::numeric_limits<int64_t>::max());
  llvm::Optional<int64_t> numberOf(const Node &clause);
  void bad(SourceRange range, const std::string &reason) {
    diagnostics.report(range, diag::BadTraceLine, reason);
  }

  BuildContext &context;
  DiagnosticEngine &diagnostics;
  ir::Operation &trace;
  std::set<int64_t> seen;                               ///< ranks that have nodes
  std::set<int64_t> groups;                             ///< their numbers
  std::vector<std::pair<int64_t, SourceRange>> members; ///< of all groups
  std::set<int64_t> ids;                                ///< of the ranks at hand
  uint64_t next = 0;                                    ///< id of a node that says none
};

} // namespace

llvm::Optional<int64_t> TraceBuilder::rank(const Quantity &value, SourceRange range) {
  if (value.isInteger() && value.sign() >= 0 &&
      value.toDouble() < static_cast<double>(collective::mostTraceRanks))
    return value.rational().numerator();
  bad(range, fmt::format("ranks are whole numbers from 0 to {}, not {}",
                         collective::mostTraceRanks - 1, written(Value(value))));
  return llvm::None;
}

/// The whole number of `arg`, in units of its dimension; nothing when it is unknown or not between
/// `least` and `most` (reported).
llvm::Optional<int64_t> TraceBuilder::whole(const NodeArg &arg, int64_t least, int64_t most) {
  const Quantity *value = arg.value.getIf<Quantity>();
  if (!value)
    return llvm::None;
  if (value->isInteger() && value->rational().numerator() >= least &&
      value->rational().numerator() <= most)
    return value->rational().numerator();
  std::string last = most == std::numeric_limits<int64_t>::max() ? "" : fmt::format(" to {}", most);
  bad(arg.range,
      fmt::format("it is a whole number from {}{}, not {}", least, last, written(arg.value)));
  return llvm::None;
}

/// What a clause of one number says; nothing when it is unknown or out of its bounds (reported).
llvm::Optional<int64_t> TraceBuilder::numberOf(const Node &clause) {
  const NodeArg &arg = clause.args[0];
  const Quantity *value = arg.value.getIf<Quantity>();
  if (value && (clause.word == "to" || clause.word == "from"))
    return rank(*value, arg.range);
  if (clause.word == "tag")
    return whole(arg, 0, collective::mostTraceTag);
  return whole(arg, clause.word == "group" ? 1 : 0);
}

/// Whether the nodes of `line`'s word have a `clause`. Any node may say its group, as records do.
static bool hasClause(const Node &line, llvm::StringRef clause) {
  bool isTime = line.spec->dims == Dims::Time;
  return llvm::StringSwitch<bool>(clause)
      .Case("to", line.word == "send")
      .Case("from", line.word == "receive")
      .Case("tag", line.word == "send" || line.word == "receive")
      .Case("type", line.word == "collective")
      .Cases("operations", "moves", isTime)
      .Case("time", !isTime)
      .Default(true);
}

void TraceBuilder::group(const Node &node) {
  const Node *of = node.find("of");
  if (!of)
    return bad(node.range, "a group says its ranks: `group 1 of 0, 1`");
  auto number = whole(node.args[0], 1);
  if (number && !groups.insert(*number).second)
    bad(node.args[0].range, fmt::format("there is a group {} already", *number));
  ir::AttrList list;
  std::set<int64_t> own;
  for (const NodeArg &arg : of->args) {
    const Quantity *value = arg.value.getIf<Quantity>();
    auto member = value ? rank(*value, arg.range) : llvm::None;
    if (!member)
      continue;
    if (!own.insert(*member).second)
      bad(arg.range, fmt::format("rank {} is in the group already", *member));
    members.emplace_back(*member, arg.range);
    list.push_back(*member);
  }
  if (!number)
    return;
  ir::Operation *op = context.builder.create(trace.body(), "collective.group", node.range);
  op->setAttr("number", *number);
  op->setAttr("members", std::move(list));
}

/// Groups may stand before the ranks that are in them.
void TraceBuilder::checkMembers() {
  for (auto [member, range] : members)
    if (!seen.count(member))
      bad(range, fmt::format("a member of a group has nodes, and rank {} has none", member));
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
  if (micros->numerator() > collective::mostTraceMicros)
    return bad(arg.range, fmt::format("a node takes at most {}us, not {}",
                                      collective::mostTraceMicros, written(arg.value)));
  op.setAttr("micros", micros->numerator());
}

void TraceBuilder::node(const Node &line, ir::Region &into) {
  ir::Operation *op = context.builder.create(into, "collective.node", line.range);
  op->setAttr("kind", line.word);
  measure(line, *op);
  ir::AttrList after;
  llvm::Optional<int64_t> id;
  for (const Node *clause : line.children) {
    if (!hasClause(line, clause->word)) {
      bad(clause->range, fmt::format("`{}` has no `{}`", line.word, clause->word));
    } else if (clause->word == "after") {
      for (const NodeArg &arg : clause->args)
        if (auto before = whole(arg, 0))
          after.push_back(*before);
    } else if (clause->word == "time" || clause->word == "moves") {
      measure(*clause, *op);
    } else if (auto number = numberOf(*clause)) {
      if (clause->word == "id")
        id = number;
      else
        op->setAttr(clause->word == "to" || clause->word == "from" ? "peer" : clause->word,
                    *number);
    }
  }
  bool isMessage = hasClause(line, "tag");
  if (isMessage && !line.find("to") && !line.find("from"))
    bad(line.range, line.word == "send" ? "a message says where it goes: `to 3`"
                                        : "a message says where it comes from: `from 3`");
  if (line.word == "collective" && !line.find("type"))
    bad(line.range, "it says the number of its `type`");
  if (!id && line.find("id"))
    return;
  if (!id && next > uint64_t(std::numeric_limits<int64_t>::max()))
    bad(line.range, "the id after that of the node before does not fit 63 bits: say its `id`");
  else if (!id)
    id = static_cast<int64_t>(next);
  if (!after.empty())
    op->setAttr("after", std::move(after));
  if (!id)
    return;
  if (!ids.insert(*id).second)
    bad(line.range, fmt::format("there is a node {} already", *id));
  op->setAttr("id", *id);
  next = static_cast<uint64_t>(*id) + 1;
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
  TraceBuilder builder(context, *op);
  builder.build(body);
  // Else ranks may be missing.
  if (!context.allowMissing && context.diagnostics.errorCount() == errors)
    builder.checkMembers();
  if (context.diagnostics.errorCount() != errors)
    return llvm::None;
  return op->symbol().str();
}

ir::Operation *StudyBuilder::replay(const Node &statement, const Subject &about, const NodeArg &on,
                                    ir::Region &into) {
  auto system = target(statement, on);
  auto trace = system ? buildTrace(context, *about.instance) : llvm::None;
  if (!trace)
    return nullptr;
  ir::Operation *op = context.builder.create(into, "study.replay", statement.range);
  std::string label = written(Value(*about.instance));
  op->setAttr("label", label + " on " + system->label);
  op->setAttr("subject_label", label);
  op->setAttr("on_label", system->label);
  op->setAttr("subject", ir::Attribute::symbol(*trace));
  op->setAttr("on", ir::Attribute::symbol(system->symbol));
  return op;
}
