// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/build/LibraryBuilder.h"

#include "ir/common/diagnostics/Network.h"

using namespace perfc;

/// The first word of attribute `name` of `node`, "" without one.
static std::string wordOf(const Node &node) {
  const WordValue *word = node.args.empty() ? nullptr : node.args[0].value.getIf<WordValue>();
  return word ? word->word : "";
}

/// `ranks 5` or `ranks 5, 8`.
static void setRanks(BuildContext &context, const Node *ranks, ir::Operation &op) {
  if (!ranks || ranks->args.empty())
    return;
  static constexpr llvm::StringLiteral names[] = {"least_ranks", "most_ranks"};
  for (size_t i = 0; i < ranks->args.size(); ++i)
    if (const Quantity *value = ranks->args[i].value.getIf<Quantity>())
      op.setAttr(names[i], value->rational().numerator());
  if (op.hasAttr("most_ranks") && op.intAttr("most_ranks") < op.intAttr("least_ranks"))
    context.diagnostics.report(ranks->range, diag::BadProtocol, op.stringAttr("name"),
                               "the most ranks are fewer than the least");
}

static void protocol(BuildContext &context, const Node &node, ir::Region &library,
                     const UnitContext &units) {
  ir::Operation *op = context.builder.create(library, "target.protocol", node.range);
  op->setAttr("name", wordOf(node));
  const Node *algorithm = node.find("algorithm");
  if (!algorithm)
    context.diagnostics.report(node.range, diag::BadProtocol, wordOf(node), "it has no algorithm")
        .help("name its pattern: `algorithm ring`");
  else
    op->setAttr("algorithm", wordOf(*algorithm));
  setNames(*op, "serves", node.find("serves"));
  for (llvm::StringRef name : {"start", "latency", "bandwidth", "pair", "copy", "window", "exposed",
                               "least", "up_to", "outer_latency", "outer_share"})
    setQuantity(context, *op, name, node.find(name), units);
  for (llvm::StringRef name : {"bandwidth", "pair", "copy", "outer_share"})
    if (auto value = op->quantityAttr(name); value && value->toDouble() <= 0)
      context.diagnostics.report(node.find(name)->range, diag::BadProtocol, wordOf(node),
                                 "nothing moves without bandwidth");
  if (auto share = op->quantityAttr("outer_share"); share && share->toDouble() > 1)
    context.diagnostics.report(node.find("outer_share")->range, diag::ShareTooLarge, "outer_share");
  setRanks(context, node.find("ranks"), *op);
  if (const Quantity *groups = node.quantity("groups")) {
    op->setAttr("groups", groups->rational().numerator());
    if (op->intAttr("groups") < 1)
      context.diagnostics.report(node.find("groups")->range, diag::BadProtocol, wordOf(node),
                                 "ranks stand in one group at least");
  }
}

void perfc::buildLibraries(BuildContext &context, const Node &network, ir::Region &group,
                           const UnitContext &units) {
  llvm::StringMap<SourceRange> known;
  for (const Node *child : network.children) {
    if (child->word != "library")
      continue;
    std::string name = wordOf(*child);
    if (auto [earlier, isNew] = known.try_emplace(name, child->range); !isNew) {
      context.diagnostics.report(child->range, diag::DuplicateDeclaration, name)
          .note(earlier->second, "the first declaration is here");
      continue;
    }
    ir::Operation *op = context.builder.create(group, "target.library", child->range);
    op->setSymbol(name);
    for (llvm::StringRef attribute : {"launch", "host", "clone", "measured", "measured_small"})
      setQuantity(context, *op, attribute, child->find(attribute), units);
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
