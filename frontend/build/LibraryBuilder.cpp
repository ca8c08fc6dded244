// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/build/LibraryBuilder.h"

#include "ir/common/diagnostics/Clauses.h"
#include "ir/common/diagnostics/Hardware.h"
#include "ir/common/diagnostics/Names.h"
#include "ir/common/diagnostics/Network.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;

/// The first word of attribute `name` of `node`, "" without one.
static std::string wordOf(const Node &node) {
  const WordValue *word = node.args.empty() ? nullptr : node.args[0].value.getIf<WordValue>();
  return word ? word->word : "";
}

/// `ranks 5`, `ranks 5, 8` or `ranks 5, 8 up_to 1MiB`.
static void setRanks(BuildContext &context, const Node &ranks, ir::Operation &op,
                     const UnitContext &units) {
  static constexpr llvm::StringLiteral names[] = {"least_ranks", "most_ranks"};
  for (size_t i = 0; i < ranks.args.size(); ++i)
    if (const Quantity *value = ranks.args[i].value.getIf<Quantity>())
      op.setAttr(names[i], value->rational().numerator());
  if (op.hasAttr("most_ranks") && op.intAttr("most_ranks") < op.intAttr("least_ranks"))
    context.diagnostics.report(ranks.range, diag::BadProtocol, op.stringAttr("name"),
                               "the most ranks are fewer than the least");
  for (llvm::StringRef size : {"least", "up_to"})
    setQuantity(context, op, size, ranks.find(size), units);
}

/// `channels 8` of a library or protocol `name`.
static void setChannels(BuildContext &context, const Node &node, const std::string &name,
                        ir::Operation &op) {
  const Quantity *count = node.quantity("channels");
  if (!count)
    return;
  if (count->rational().numerator() < 1)
    context.diagnostics.report(node.find("channels")->range, diag::BadProtocol, name,
                               "it has one channel at least");
  else
    op.setAttr("channels", count->rational().numerator());
}

/// What a channel moves counts together with how many there are, and not without.
static void checkChannels(BuildContext &context, const Node &library) {
  const Node *all = library.find("channels");
  bool isUsed = false;
  for (const Node *part : library.children) {
    if (part->word != "protocol")
      continue;
    const Node *own = part->find("channels"), *channel = part->find("channel");
    isUsed |= channel && !own;
    auto warn = [&](const Node &word, llvm::StringRef other) {
      context.diagnostics.report(word.range, diag::WordWithoutEffect, word.word,
                                 fmt::format("`{}` is not given", other));
    };
    if (own && !channel)
      warn(*own, "channel");
    if (channel && !own && !all)
      warn(*channel, "channels");
  }
  if (all && !isUsed)
    context.diagnostics.report(all->range, diag::WordWithoutEffect, all->word,
                               "no protocol says what a `channel` moves and leaves their number "
                               "to the library");
}

/// A protocol, for each of its lines of `ranks`.
static void protocol(BuildContext &context, const Node &node, ir::Region &library,
                     const UnitContext &units) {
  ir::Operation *op = context.builder.create(library, "target.protocol", node.range);
  op->setAttr("name", node.name);
  const Node *algorithm = node.find("algorithm");
  if (!algorithm)
    context.diagnostics.report(node.range, diag::BadProtocol, node.name, "it has no algorithm")
        .help("name its pattern: `algorithm ring`");
  else
    op->setAttr("algorithm", wordOf(*algorithm));
  setNames(*op, "serves", node.find("serves"));
  for (llvm::StringRef name : {"start", "latency", "bandwidth", "pair", "copy", "window", "exposed",
                               "channel", "least", "up_to", "outer_latency", "outer_share"})
    setQuantity(context, *op, name, node.find(name), units);
  for (llvm::StringRef name : {"bandwidth", "pair", "channel", "copy", "outer_share"})
    if (auto value = op->quantityAttr(name); value && value->toDouble() <= 0)
      context.diagnostics.report(node.find(name)->range, diag::BadProtocol, node.name,
                                 "nothing moves without bandwidth");
  if (auto share = op->quantityAttr("outer_share"); share && share->toDouble() > 1)
    context.diagnostics.report(node.find("outer_share")->range, diag::ShareTooLarge, "outer_share");
  setChannels(context, node, node.name, *op);
  if (const Quantity *groups = node.quantity("groups")) {
    op->setAttr("groups", groups->rational().numerator());
    if (op->intAttr("groups") < 1)
      context.diagnostics.report(node.find("groups")->range, diag::BadProtocol, node.name,
                                 "ranks stand in one group at least");
  }
  std::vector<const Node *> ranks;
  llvm::copy_if(node.children, std::back_inserter(ranks),
                [](const Node *child) { return child->word == "ranks"; });
  for (size_t i = 0; i < ranks.size(); ++i) {
    ir::ValueMap noValues;
    bool isLast = i + 1 == ranks.size();
    setRanks(context, *ranks[i], isLast ? *op : op->clone(library, noValues, op), units);
  }
}

void perfc::buildLibraries(BuildContext &context, const Node &network, ir::Region &group,
                           UnitContext units) {
  units.each = {{BaseUnit::Chip, Rational(1), ""}};
  llvm::StringMap<SourceRange> known;
  for (const Node *child : network.children) {
    if (child->word != "library")
      continue;
    const std::string &name = child->name;
    if (auto [earlier, isNew] = known.try_emplace(name, child->range); !isNew) {
      context.diagnostics.report(child->range, diag::DuplicateDeclaration, name)
          .note(earlier->second, "the first declaration is here"); // of a network and a group on it
      continue;
    }
    ir::Operation *op = context.builder.create(group, "target.library", child->range);
    op->setSymbol(name);
    for (llvm::StringRef attribute : {"launch", "host", "clone", "measured", "measured_small"})
      setQuantity(context, *op, attribute, child->find(attribute), units);
    setChannels(context, *child, name, *op);
    checkChannels(context, *child);
    if (auto clone = op->quantityAttr("clone"); clone && clone->toDouble() <= 0)
      context.diagnostics.report(child->find("clone")->range, diag::BadProtocol, name,
                                 "nothing moves without bandwidth");
    for (llvm::StringRef attribute : {"measured", "measured_small"})
      if (auto ratio = op->quantityAttr(attribute); ratio && ratio->toDouble() <= 0)
        context.diagnostics.report(child->find(attribute)->range, diag::BadProtocol, name,
                                   fmt::format("`{}` is above 0", attribute.str()));
    bool isEmpty = true;
    for (const Node *part : child->children)
      if (part->word == "protocol") {
        protocol(context, *part, op->body(), units);
        isEmpty = false;
      }
    if (isEmpty)
      context.diagnostics.report(child->range, diag::BadProtocol, name, "it has no protocol");
  }
}
