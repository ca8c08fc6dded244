// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/build/GroupNetwork.h"

#include "frontend/build/LibraryBuilder.h"
#include "ir/common/diagnostics/Hardware.h"
#include "ir/common/diagnostics/Network.h"
#include "ir/common/diagnostics/Systems.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace perfc;

/// The group that a target.members of `group` counts; null where it counts chips.
static const ir::Operation *memberOf(const ir::Operation &members, const ir::Operation &group) {
  for (const ir::Operation &other : *group.parentRegion())
    if (other.symbol() == members.symbolAttr("of") && &other != &group)
      return &other;
  return nullptr;
}

using ChipCounts = llvm::DenseMap<const ir::Operation *, llvm::Optional<int64_t>>;

/// Counts each inner group once.
static llvm::Optional<int64_t> chipsOf(const ir::Operation &group, ChipCounts &known) {
  if (auto found = known.find(&group); found != known.end())
    return found->second;
  int64_t chips = 0;
  for (const ir::Operation &part : group.body()) {
    if (!part.is("target.members"))
      continue;
    const ir::Operation *inner = memberOf(part, group);
    auto each = inner ? chipsOf(*inner, known) : llvm::Optional<int64_t>(1);
    auto total = each ? checkedMultiply(part.intAttr("count"), *each) : llvm::None;
    if (!total || __builtin_add_overflow(chips, *total, &chips))
      return known[&group] = llvm::None;
  }
  return known[&group] = chips;
}

llvm::Optional<int64_t> perfc::chipsOfGroup(const ir::Operation &group) {
  ChipCounts known;
  return chipsOf(group, known);
}

namespace {

class GroupNetwork {
public:
  GroupNetwork(BuildContext &context, const Node &given, ir::Operation &group, DType dtype)
      : context(context), diagnostics(context.diagnostics), given(given), group(group),
        dtype(dtype) {}

  void build();

private:
  /// A kind of chip in the group, and the network of its own links; null without.
  struct Kind {
    llvm::StringRef chip;
    const Instance *link;
  };
  /// Adds the kinds of chips in `of`, each once; `seen` are the groups looked into.
  void addKinds(const ir::Operation &of, std::vector<Kind> &kinds,
                llvm::SmallPtrSetImpl<const ir::Operation *> &seen) const;
  const Instance *declaredNetwork();
  const Instance *commonLink(llvm::ArrayRef<Kind> kinds) const;
  void checkGeneration(const Node &network, llvm::ArrayRef<Kind> kinds);
  const Node *bandwidthOfLinks(llvm::ArrayRef<Kind> kinds);
  void merge(Node &into, const Instance &declared, llvm::ArrayRef<Kind> kinds);
  std::vector<UnitContext::Each> countsOf(const Node &network) const;
  UnitContext::Each nodes() const;
  UnitContext unitsOf(const Node &network);
  void network(const Node &merged);
  void adapters(const Node &network, ir::Operation &op);
  void link(const Node &node);

  BuildContext &context;
  DiagnosticEngine &diagnostics;
  const Node &given;
  ir::Operation &group;
  DType dtype;
};

} // namespace

//===-- Units
//--------------------------------------------------------------------------------------===//

/// True where chips are wired to each other.
static bool isWired(llvm::StringRef topology) {
  static constexpr llvm::StringLiteral wired[] = {"ring", "torus", "mesh", "fully_connected",
                                                  "links"};
  return llvm::is_contained(wired, topology);
}

/// True for topologies whose switches all ranks of a collective meet in.
static bool addsAndCopies(llvm::StringRef topology) {
  return topology.empty() || topology == "switch" || topology == "fat_tree";
}

/// The topology that `network` names, and its arguments; null where it names none.
static const WordValue *topologyOf(const Node &network) {
  const Node *topology = network.find("topology");
  return topology && !topology->args.empty() ? topology->args[0].value.getIf<WordValue>() : nullptr;
}

/// Links that share the bandwidth of a chip, as docs/cost-model.md lays them; nothing where that is
/// not known yet.
static llvm::Optional<Rational> linksOfChip(const Node &network, int64_t members) {
  const WordValue *topology = topologyOf(network);
  llvm::StringRef name = topology ? llvm::StringRef(topology->word) : "switch";
  if (network.find("topology") && !topology)
    return llvm::None;
  if (name == "ring")
    return Rational(members == 2 ? 1 : 2);
  if (name == "fully_connected")
    return Rational(std::max<int64_t>(1, members - 1));
  if (name == "torus" || name == "mesh") {
    int64_t wired = 0;
    for (const Argument &size : topology->arguments) {
      const Quantity *number = size.value->getIf<Quantity>();
      if (!number)
        return llvm::None;
      wired += number->toDouble() > 1;
    }
    return Rational(2 * std::max<int64_t>(1, wired));
  }
  const Quantity *nics = network.quantity("nics");
  if (network.find("nics") && !nics)
    return llvm::None;
  return nics && !isWired(name) ? nics->rational() : Rational(1);
}

/// A node is the group of that name in the group's members, else a member that is a group.
UnitContext::Each GroupNetwork::nodes() const {
  UnitContext::Each each{BaseUnit::Node, llvm::None, ""};
  llvm::Optional<int64_t> chips;
  const ir::Operation *node = nullptr;
  for (const ir::Operation &part : group.body()) {
    const ir::Operation *member = part.is("target.members") ? memberOf(part, group) : nullptr;
    if (part.is("target.members") && !member)
      each.why = "the members of `" + group.symbol().str() + "` are chips, not nodes";
    if (!member)
      continue;
    auto one = chipsOfGroup(*member);
    if (node && one != chips)
      each.why = "the members of `" + group.symbol().str() + "` have different numbers of chips";
    node = member;
    chips = one;
  }
  for (const ir::Operation &inner : *group.parentRegion())
    if (&inner != &group && inner.symbol() == "node" && each.why.empty())
      chips = chipsOfGroup(inner);
  if (each.why.empty() && chips && *chips > 0)
    each.factor = Rational::make(1, *chips);
  return each;
}

std::vector<UnitContext::Each> GroupNetwork::countsOf(const Node &network) const {
  int64_t members = 0;
  for (const ir::Operation &part : group.body())
    members += part.is("target.members") ? part.intAttr("count") : 0;
  const WordValue *topology = topologyOf(network);
  UnitContext::Each hop{BaseUnit::Hop, Rational(1), ""};
  if (llvm::StringRef name = topology ? llvm::StringRef(topology->word) : "switch"; !isWired(name))
    hop = {BaseUnit::Hop, llvm::None,
           "the figures of topology `" + name.str() +
               "` are of the whole way through its switches"};
  return {{BaseUnit::Chip, Rational(1), ""},
          {BaseUnit::Link, linksOfChip(network, members), ""},
          nodes(),
          hop};
}

/// The clock of a network, and what only networks of arrays read.
UnitContext GroupNetwork::unitsOf(const Node &node) {
  UnitContext units{llvm::None, dtype, false, countsOf(node)};
  if (const Quantity *clock = node.quantity("clock"))
    units.clock = *clock;
  else
    units.clockIsUnknown = node.find("clock") != nullptr;
  auto warn = [&](const Node *part, llvm::StringRef word) {
    if (part)
      diagnostics.report(part->range, diag::WordWithoutEffect, word,
                         "it is about the networks of arrays");
  };
  for (llvm::StringRef word : {"carry", "to"})
    warn(node.find(word), word);
  if (const Node *latency = node.find("latency"))
    warn(latency->find("hop"), "hop");
  if (const Node *energy = node.find("energy"))
    for (llvm::StringRef word : {"hop", "multicast", "reduce"})
      warn(energy->find(word), word);
  return units;
}

//===-- Links of chips
//-----------------------------------------------------------------------------===//

void GroupNetwork::addKinds(const ir::Operation &of, std::vector<Kind> &kinds,
                            llvm::SmallPtrSetImpl<const ir::Operation *> &seen) const {
  if (!seen.insert(&of).second)
    return;
  for (const ir::Operation &part : of.body()) {
    if (!part.is("target.members"))
      continue;
    if (const ir::Operation *inner = memberOf(part, of)) {
      addKinds(*inner, kinds, seen);
      continue;
    }
    llvm::StringRef chip = part.symbolAttr("of");
    if (llvm::any_of(kinds, [&](const Kind &kind) { return kind.chip == chip; }))
      continue;
    auto link = context.chipLinks.find(chip);
    kinds.push_back({chip, link == context.chipLinks.end() ? nullptr : &link->second});
  }
}

/// The network of the links of all members, where these are chips and the group says nothing.
const Instance *GroupNetwork::commonLink(llvm::ArrayRef<Kind> kinds) const {
  for (llvm::StringRef word : {"over", "bandwidth", "latency", "topology", "energy", "multicast",
                               "reduce", "nics", "stripe", "active_chunks", "link", "library"})
    if (given.find(word))
      return nullptr;
  for (const ir::Operation &part : group.body())
    if (part.is("target.members") && memberOf(part, group))
      return nullptr;
  for (const Kind &kind : kinds)
    if (!kind.link || kind.link->decl != kinds.front().link->decl)
      return nullptr;
  return kinds.empty() ? nullptr : kinds.front().link;
}

/// What the declaration of `network` says under `word`, as it stands; "" without.
static std::string saidOf(const Node &network, llvm::StringRef word) {
  const Node *node = network.find(word);
  return node && !node->args.empty() ? node->args[0].value.text() : "";
}

/// Warns where `network` is another generation of the links that chips of the group have.
void GroupNetwork::checkGeneration(const Node &network, llvm::ArrayRef<Kind> kinds) {
  const Node *over = given.find("over");
  std::string family = saidOf(network, "family");
  if (!over || family.empty())
    return;
  for (const Kind &kind : kinds) {
    const Node *own =
        kind.link ? context.elaborator.declaration(*kind.link, context.allowMissing) : nullptr;
    if (!own || saidOf(*own, "family") != family ||
        saidOf(*own, "generation") == saidOf(network, "generation"))
      continue;
    diagnostics
        .report(over->range, diag::OtherGeneration, kind.chip, kind.link->decl->name,
                over->args[0].value.get<Instance>().decl->name)
        .help(fmt::format("`over {}`, or no `over` between such chips, is their own",
                          kind.link->decl->name));
    return;
  }
}

/// The bandwidth of the slowest of the chips' own links; null where some have none.
const Node *GroupNetwork::bandwidthOfLinks(llvm::ArrayRef<Kind> kinds) {
  const Node *least = nullptr;
  for (const Kind &kind : kinds) {
    const Node *own =
        kind.link ? context.elaborator.declaration(*kind.link, context.allowMissing) : nullptr;
    const Quantity *bandwidth = own ? own->quantity("bandwidth") : nullptr;
    if (!bandwidth)
      return nullptr;
    const Node *node = own->find("bandwidth");
    if (!least ||
        (compatible(bandwidth->dimension(), least->args[0].value.get<Quantity>().dimension()) &&
         compare(*bandwidth, least->args[0].value.get<Quantity>()) < 0))
      least = node;
  }
  return least;
}

//===-- The network
//--------------------------------------------------------------------------------===//

/// The network behind `over`; null without, and after a report.
const Instance *GroupNetwork::declaredNetwork() {
  const Node *over = given.find("over");
  if (!over || over->args.empty())
    return nullptr;
  const Instance *declared = over->args[0].value.getIf<Instance>();
  if (declared && declared->decl->kind == DeclKind::Network)
    return declared;
  if (!over->args[0].value.isUnknown())
    diagnostics.report(over->range, diag::NotANetwork, "over", over->args[0].value.describe());
  return nullptr;
}

void GroupNetwork::merge(Node &into, const Instance &declared, llvm::ArrayRef<Kind> kinds) {
  into.name = declared.decl->name.str();
  Node *base = context.elaborator.declaration(declared, context.allowMissing);
  checkGeneration(*base, kinds);
  for (Node *child : base->children) {
    // A library of the network that the group names as well is that of the network with what
    // differs.
    auto changed = llvm::find_if(into.children, [&](const Node *other) {
      return child->word == "library" && other->word == "library" && other->name == child->name;
    });
    if (changed != into.children.end()) {
      *changed = context.elaborator.laidOver(*child, **changed);
      continue;
    }
    if (child->word != "library" && child->word != "link" && given.find(child->word))
      continue;
    const Node *own =
        child->word == "bandwidth" && child->find("own_link") ? bandwidthOfLinks(kinds) : nullptr;
    into.children.push_back(own ? const_cast<Node *>(own) : child);
  }
}

void GroupNetwork::build() {
  std::vector<Kind> kinds;
  llvm::SmallPtrSet<const ir::Operation *, 8> seen;
  addKinds(group, kinds, seen);
  Node merged = given;
  merged.word = "network";
  merged.name.clear();
  size_t errors = diagnostics.errorCount();
  const Instance *declared = declaredNetwork();
  if (diagnostics.errorCount() != errors)
    return;
  if (!declared)
    declared = commonLink(kinds);
  if (declared)
    merge(merged, *declared, kinds);
  bool saysAnything = declared != nullptr;
  for (llvm::StringRef word :
       {"over", "bandwidth", "latency", "topology", "nics", "stripe", "active_chunks"})
    saysAnything |= merged.find(word) != nullptr;
  if (saysAnything)
    network(merged);
  for (const Node *child : merged.children)
    if (child->word == "link")
      link(*child);
  buildLibraries(context, merged, group.body(), {llvm::None, dtype, false});
}

void GroupNetwork::network(const Node &merged) {
  ir::Operation &op = *buildNetwork(context, merged, group.body(), unitsOf(merged));
  adapters(merged, op);
  setChunkCount(context, merged.find("active_chunks"), op);
  llvm::StringRef topology = op.stringAttr("topology");
  for (llvm::StringRef word : {"multicast", "reduce"})
    if (const Node *flag = merged.find(word); flag && !addsAndCopies(topology))
      diagnostics.report(flag->range, diag::BadTopology, topology,
                         fmt::format("only a switch or fat tree can have `{}`", word));
  if (const Node *own = given.find("link"); own && topology != "links")
    diagnostics.report(own->range, diag::BadTopology, op.stringAttr("topology", "switch"),
                       "only `topology links` lists its links");
}

/// `nics 4; stripe 2`, where a switch takes messages from any adapter.
void GroupNetwork::adapters(const Node &network, ir::Operation &op) {
  const Node *nics = network.find("nics"), *stripe = network.find("stripe");
  int64_t counts[] = {1, 1};
  const Node *given[] = {nics, stripe};
  for (size_t i = 0; i < 2; ++i) {
    const Quantity *count =
        given[i] && !given[i]->args.empty() ? given[i]->args[0].value.getIf<Quantity>() : nullptr;
    if (!count)
      continue;
    counts[i] = count->rational().numerator();
    if (counts[i] < 1 || counts[i] > 64) {
      diagnostics.report(given[i]->range, diag::BadAdapters, given[i]->word,
                         fmt::format("is a number from 1 to 64, not {}", counts[i]));
      return;
    }
    op.setAttr(given[i]->word, counts[i]);
  }
  if (counts[0] % counts[1] != 0)
    diagnostics.report(stripe->range, diag::BadAdapters, "stripe",
                       fmt::format("divides the {}", counted(counts[0], "adapter")));
  if (counts[0] > 1 && isWired(op.stringAttr("topology")))
    diagnostics.report(nics->range, diag::BadAdapters, "nics",
                       fmt::format("counts the ways into a switch; topology `{}` wires chip to "
                                   "chip, each link by itself",
                                   op.stringAttr("topology")));
}

void GroupNetwork::link(const Node &node) {
  ir::Operation *op = context.builder.create(group.body(), "target.link", node.range);
  static constexpr llvm::StringLiteral ends[] = {"first", "second"};
  for (size_t i = 0; i < 2 && i < node.args.size(); ++i) {
    const Quantity *number = node.args[i].value.getIf<Quantity>();
    op->setAttr(ends[i], number ? number->rational().numerator() : 0);
    if (number && number->rational().numerator() < 0)
      diagnostics.report(node.args[i].range, diag::BadTopology, "link", "members count from 0");
  }
  UnitContext units;
  units.each = {{BaseUnit::Link, Rational(1), ""}};
  setQuantity(context, *op, "bandwidth", node.find("bandwidth"), units);
  setQuantity(context, *op, "latency", node.find("latency"), {});
}

void perfc::buildGroupNetwork(BuildContext &context, const Node &given, ir::Operation &group,
                              DType dtype) {
  GroupNetwork(context, given, group, dtype).build();
}

void perfc::setChunkCount(BuildContext &context, const Node *node, ir::Operation &op) {
  constexpr int64_t most = 1 << 16;
  const Quantity *count =
      node && !node->args.empty() ? node->args[0].value.getIf<Quantity>() : nullptr;
  if (!count)
    return;
  int64_t number = count->rational().numerator();
  if (number < 1 || number > most)
    context.diagnostics.report(node->range, diag::BadChunks, node->word, most, number);
  else
    op.setAttr(node->word, number);
}
