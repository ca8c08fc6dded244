// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/build/TimeloopBuilder.h"

#include "frontend/build/Attributes.h"
#include "ir/common/diagnostics/Clauses.h"
#include "ir/common/diagnostics/Mappings.h"
#include "ir/common/diagnostics/Timeloop.h"
#include "ir/timeloop/Sparse.h"

using namespace perfc;

//===-- Memories and units ------------------------------------------------------------------===//

/// `action read = 12pJ, leak = 0pJ`.
static void readActions(BuildContext &context, const Node &line, ir::AttrDict &actions) {
  for (const ast::Arg &arg : line.syntaxArgs()) {
    if (arg.assign != "=" || arg.value->kind != ast::ExprKind::Name) {
      context.diagnostics.report(arg.range, diag::ExpectedPair, line.word);
      continue;
    }
    Value value = context.evaluator.evaluate(*arg.assigned, *line.scope);
    const Quantity *energy = value.getIf<Quantity>();
    if (value.isUnknown())
      continue;
    if (!energy || energy->dimension() != Dimension(BaseUnit::Joule) || energy->sign() < 0) {
      context.diagnostics.report(arg.range, diag::WrongDimension, line.word,
                                 "an energy, such as 12pJ", value.describe());
      continue;
    }
    actions.set(arg.value->text, *energy);
  }
}

static ir::Attribute valueOf(const Value &value, bool isWhole) {
  if (const WordValue *word = value.getIf<WordValue>())
    return word->word;
  if (const Quantity *number = value.getIf<Quantity>())
    return isWhole ? ir::Attribute(number->rational().numerator()) : ir::Attribute(*number);
  const std::string *text = value.getIf<std::string>();
  return text ? ir::Attribute(*text) : ir::Attribute();
}

void perfc::setTimeloopLevel(BuildContext &context, const Node &part, ir::Operation &op) {
  const Node *block = part.find("timeloop");
  if (!block)
    return;
  ir::AttrDict words, actions;
  for (const Node *line : block->children) {
    if (line->word == "action")
      readActions(context, *line, actions);
    else if (line->word == "energy_per_hop" || line->word == "router_energy") {
      if (const Quantity *value = block->quantity(line->word))
        words.set(line->word, value->withDimension(BaseUnit::Joule));
    } else if (const Quantity *value = block->quantity(line->word); value && value->sign() < 0) {
      context.diagnostics.report(line->range, diag::NegativeValue, line->word);
    } else if (!line->args.empty() && !line->args[0].value.isUnknown())
      words.set(line->word, valueOf(line->args[0].value, line->spec->kind == ArgKind::Integer));
  }
  if (!actions.empty())
    words.set("action", std::move(actions));
  op.setAttr("timeloop", std::move(words));
}

//===-- Mappings ----------------------------------------------------------------------------===//

bool perfc::checkMemoryName(BuildContext &context, const BuiltTarget &chip, llvm::StringRef name,
                            SourceRange range) {
  std::vector<std::string> names;
  ir::Operation *target = context.module.lookup(chip.symbol);
  bool found = target->name() != "target.chip"; // a system's chips may have any
  target->walk([&](const ir::Operation &part) {
    if (!part.is("target.memory"))
      return;
    names.push_back(part.symbol().str());
    found |= part.symbol() == name;
  });
  if (found)
    return true;
  std::vector<llvm::StringRef> known(names.begin(), names.end());
  context.diagnostics.report(range, diag::TimeloopUnknown, "memory", name).suggest(name, known);
  return false;
}

std::vector<llvm::StringRef> perfc::tensorsOf(const OpStatement &statement) {
  std::vector<llvm::StringRef> names{statement.write.tensor};
  for (const OpAccess &read : statement.reads)
    names.push_back(read.tensor);
  return names;
}

bool perfc::checkTensorName(BuildContext &context, llvm::ArrayRef<llvm::StringRef> known,
                            llvm::StringRef name, SourceRange range) {
  if (llvm::is_contained(known, name))
    return true;
  context.diagnostics.report(range, diag::TimeloopUnknown, "tensor", name).suggest(name, known);
  return false;
}

namespace {

/// One line of the block of a mapping.
class LineBuilder {
public:
  LineBuilder(BuildContext &context, const OpStatement &statement, const BuiltTarget &chip,
              const Node &line)
      : context(context), statement(statement), chip(chip), line(line) {}

  bool build(ir::AttrDict &entry);

private:
  bool need(llvm::StringRef clause) const {
    if (line.find(clause))
      return true;
    context.diagnostics.report(line.range, diag::YamlMissing, clause,
                               "a line `" + line.word.str() + "`");
    return false;
  }
  bool isIndex(llvm::StringRef name) const {
    return llvm::any_of(statement.domain, [&](const auto &one) { return one.first == name; });
  }
  bool readTensors(const Node &from, llvm::StringRef key, ir::AttrDict &entry);
  bool readIndices(ir::AttrDict &entry);
  bool readMemory(ir::AttrDict &entry);
  bool readDensity(ir::AttrDict &entry);
  bool readForm(ir::AttrDict &entry);
  bool readRank(ir::AttrDict &entry);

  BuildContext &context;
  const OpStatement &statement;
  const BuiltTarget &chip;
  const Node &line;
};

} // namespace

bool LineBuilder::readTensors(const Node &from, llvm::StringRef key, ir::AttrDict &entry) {
  std::vector<std::string> names;
  for (const NodeArg &arg : from.args) {
    names.push_back(arg.value.get<WordValue>().word);
    if (!checkTensorName(context, tensorsOf(statement), names.back(), arg.range))
      return false;
  }
  entry.set(key, ir::Attribute::strings(names));
  return true;
}

/// All indices of the equation, each once.
bool LineBuilder::readIndices(ir::AttrDict &entry) {
  std::vector<std::string> names;
  for (const NodeArg &arg : line.args) {
    const std::string &name = arg.value.get<WordValue>().word;
    bool known = isIndex(name);
    if (known && !llvm::is_contained(names, name)) {
      names.push_back(name);
      continue;
    }
    context.diagnostics.report(arg.range, known ? diag::YamlDuplicate : diag::UnknownIndex, name);
    return false;
  }
  for (const auto &[name, extent] : statement.domain)
    if (!llvm::is_contained(names, name)) {
      context.diagnostics.report(line.range, diag::YamlMissing, name,
                                 "a line `" + line.word.str() + "`");
      return false;
    }
  entry.set("indices", ir::Attribute::strings(names));
  return true;
}

bool LineBuilder::readMemory(ir::AttrDict &entry) {
  if (!need("at"))
    return false;
  const NodeArg &at = line.find("at")->args[0];
  const std::string &name = at.value.get<WordValue>().word;
  entry.set("at", name);
  return checkMemoryName(context, chip, name, at.range);
}

bool LineBuilder::readDensity(ir::AttrDict &entry) {
  bool isFixed = line.find("fixed_structured") != nullptr;
  if (!isFixed && !need("hypergeometric"))
    return false;
  const Quantity *share = line.quantity(isFixed ? "fixed_structured" : "hypergeometric");
  if (!share)
    return false;
  if (share->toDouble() > 1) {
    context.diagnostics.report(line.range, diag::ShareTooLarge, "density");
    return false;
  }
  entry.set("share", *share);
  entry.set("distribution", isFixed ? "fixed_structured" : "hypergeometric");
  return true;
}

bool LineBuilder::readForm(ir::AttrDict &entry) {
  std::vector<std::string> ranks;
  if (!need("ranks"))
    return false;
  for (const NodeArg &rank : line.find("ranks")->args)
    ranks.push_back(rank.value.get<WordValue>().word);
  entry.set("ranks", ir::Attribute::strings(ranks));
  const Node *order = line.find("order");
  if (order && order->args[0].value.get<WordValue>().word == "innermost_first")
    entry.set("innermost_first", true);
  return true;
}

/// The number is one of a rank of the form that stands before: setTimeloopMapping sees to that.
bool LineBuilder::readRank(ir::AttrDict &entry) {
  if (!need("number"))
    return false;
  for (llvm::StringRef word : {"number", "metadata_bits", "payload_bits"}) {
    const Quantity *value = line.quantity(word);
    if (!value)
      continue;
    entry.set(word, value->rational().numerator());
    if (value->sign() < 0) {
      context.diagnostics.report(line.range, diag::NegativeValue, word);
      return false;
    }
    if (word != "number" && value->toDouble() > static_cast<double>(timeloop::maxRankBits)) {
      context.diagnostics.report(line.range, diag::TimeloopTooLarge,
                                 "a word of more than 65536 bits");
      return false;
    }
  }
  const Node *flatten = line.find("flatten");
  if (!flatten)
    return true;
  std::vector<std::string> names;
  for (const NodeArg &arg : flatten->args) {
    names.push_back(arg.value.get<WordValue>().word);
    if (!isIndex(names.back())) {
      context.diagnostics.report(arg.range, diag::UnknownIndex, names.back());
      return false;
    }
  }
  entry.set("flatten", ir::Attribute::strings(names));
  return true;
}

bool LineBuilder::build(ir::AttrDict &entry) {
  entry.set("word", line.word);
  if (line.args.empty())
    return false;
  if (line.word == "arithmetic") {
    entry.set("kind", line.args[0].value.get<WordValue>().word);
    return true;
  }
  if (line.word.endswith("_order"))
    return readIndices(entry) && readMemory(entry);
  if (!readTensors(line, "tensors", entry))
    return false;
  if (line.word == "density")
    return readDensity(entry);
  if (!readMemory(entry))
    return false;
  if (line.word == "format")
    return readForm(entry);
  if (line.word == "rank")
    return readRank(entry);
  if (line.word != "skip" && line.word != "gate" && line.word != "skip_lanes")
    return true;
  if (const Quantity *group = line.quantity("group"))
    entry.set("group", group->rational().numerator());
  return need("when") && readTensors(*line.find("when"), "when", entry);
}

/// Whether a format among `lines` has the rank that `entry` tells of.
static bool hasRank(const ir::AttrList &lines, const ir::AttrDict &entry) {
  return llvm::any_of(lines, [&](const ir::Attribute &line) {
    const ir::AttrDict &form = line.asDict();
    int64_t number = entry.find("number")->asInt();
    return form.find("word")->asString() == "format" &&
           *form.find("tensors") == *entry.find("tensors") &&
           *form.find("at") == *entry.find("at") && number >= 1 &&
           number <= static_cast<int64_t>(form.find("ranks")->asStrings().size());
  });
}

bool perfc::setTimeloopMapping(BuildContext &context, const Node &node,
                               const OpStatement &statement, const BuiltTarget &chip,
                               ir::Operation &op) {
  ir::AttrList lines;
  for (const Node *line : node.children) {
    ir::AttrDict entry;
    if (!LineBuilder(context, statement, chip, *line).build(entry))
      return false;
    if (line->word == "rank" && !hasRank(lines, entry)) {
      context.diagnostics
          .report(line->range, diag::TimeloopUnknown, "rank",
                  std::to_string(entry.find("number")->asInt()))
          .help("the `format` of the tensor at the memory stands before, with as many ranks");
      return false;
    }
    lines.push_back(std::move(entry));
  }
  op.setAttr("timeloop", std::move(lines));
  return true;
}
