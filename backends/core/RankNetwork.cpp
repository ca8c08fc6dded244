// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/core/RankNetwork.h"

#include "ir/collective/CollectiveOps.h"
#include "ir/study/AllOps.h"
#include "ir/study/TrainOps.h"
#include "ir/target/TargetOps.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <numeric>

using namespace perfc;
using passes::ChipSet;
using passes::SystemPath;

RankNetwork::RankNetwork(const ir::Operation &system, ProviderSet &providers,
                         DiagnosticEngine &diagnostics)
    : system(system), providers(providers), diagnostics(diagnostics), paths(system) {}

bool RankNetwork::readFaults(SourceRange where) {
  return paths.readFaults(where, diagnostics) &&
         linkFaults.read(system, chips(), where, diagnostics);
}

RankNetwork::Factors RankNetwork::factorsOf(unsigned path, const ChipSet &chips) const {
  Factors factors;
  if (!hasFaults())
    return factors;
  factors.slowdown = paths.slowdown(chips);
  for (const SystemPath::Level &level : paths.path(path).levels)
    factors.links.push_back(linkFaults.factor(*level.group, chips));
  return factors;
}

/// A system without groups under a new name, `symbol`, for the program to run on.
ir::Operation &RankNetwork::newSystem(std::string &symbol) {
  ir::Builder builder(allOps());
  if (!program) {
    ir::Operation *chip = builder.create(scratch.body(), target::ChipOp::opName, system.location());
    chip->setSymbol("chip");
    chip->setAttr("dtype", "fp16");
    program = builder.create(scratch.body(), collective::ProgramOp::opName, system.location());
    program->setSymbol("program");
  }
  ir::Operation *part = builder.createBefore(*program, target::SystemOp::opName, system.location());
  symbol = scratch.uniqueName("axis");
  part->setSymbol(symbol);
  for (llvm::StringRef word : {"chunks", "scheduling"})
    if (const ir::Attribute *given = system.attr(word))
      part->setAttr(word, *given);
  program->setAttr("system", ir::Attribute::symbol(symbol));
  return *part;
}

/// Adds the group of `level` of a path to `part`, with so many members of the last one.
void RankNetwork::addGroup(ir::Operation &part, unsigned path, size_t level, int64_t members,
                           const Factors &factors) {
  const ir::Operation &from = *paths.path(path).levels[level].group;
  ir::Builder builder(allOps());
  std::string below = part.body().empty() ? "chip" : part.body().back().symbol().str();
  ir::Operation *group = builder.create(part.body(), target::GroupOp::opName, from.location());
  group->setSymbol(from.symbol());
  ir::Operation *entry = builder.create(group->body(), target::MembersOp::opName, from.location());
  entry->setAttr("count", members);
  entry->setAttr("of", ir::Attribute::symbol(below));
  ir::ValueMap ignored;
  for (const ir::Operation &net : from.body())
    if (net.is(target::NetworkOp::opName) || net.is(target::LibraryOp::opName))
      net.clone(group->body(), ignored);
  if (Fitness left = factors.at(level); left.bandwidth < 1)
    for (ir::Operation &inner : group->body())
      slowDown(inner, left);
}

/// How many ranks of a group along `dim` stand in the same group of `chips` chips. Where some reach
/// from one such group into the next, as many as all of them have in each.
static int64_t ranksInside(const AxisDim &dim, int64_t chips, bool isSend) {
  int64_t span = dim.ranks * dim.stride, inside = std::min(dim.ranks, chips / dim.stride);
  if (!isSend && chips % span && span % chips)
    inside = std::gcd(chips, span) / dim.stride;
  return std::max<int64_t>(1, inside);
}

/// The groups of the system with those members that the axis has in them.
ir::Operation &RankNetwork::systemOf(const AxisPlace &place, unsigned path, const Factors &factors,
                                     bool isSend) {
  std::string &symbol = systems[{place, path, factors, isSend}];
  if (!symbol.empty())
    return *scratch.lookup(symbol);
  ir::Operation &part = newSystem(symbol);
  int64_t covered = 1; // chips of the axis so far
  for (size_t level = 0; level < paths.path(path).levels.size(); ++level) {
    int64_t chips = paths.path(path).levels[level].chips, inside = 1;
    for (const AxisDim &dim : place.dims())
      inside *= ranksInside(dim, chips, isSend);
    int64_t members = std::max<int64_t>(1, (inside + covered - 1) / covered);
    if (members == 1)
      continue;
    addGroup(part, path, level, members, factors);
    covered *= members;
  }
  return part;
}

/// True when some network on the path has links that groups of ranks share, as none has where
/// switches with a link for each chip join all.
bool RankNetwork::sharesLinks(unsigned path) {
  bool isShared = false;
  for (const SystemPath::Level &level : paths.path(path).levels)
    for (const ir::Operation &part : level.group->body()) {
      if (part.is(target::LibraryOp::opName))
        return false; // its parameters are for ranks side by side
      if (auto net = ir::as<target::NetworkOp>(part)) {
        llvm::StringRef name = net.topology();
        bool isSwitch = name.empty() || name == "switch" ||
                        (name == "fat_tree" && net.topologyArguments().empty());
        isShared |= !isSwitch;
      }
    }
  return isShared;
}

/// The system as far as its members are those of one path; null where they do not divide.
ir::Operation *RankNetwork::wholeSystem(unsigned path, const Factors &factors) {
  int64_t below = 1;
  for (const SystemPath::Level &level : paths.path(path).levels) {
    if (level.chips % below)
      return nullptr;
    below = level.chips;
  }
  std::string &symbol = wholes[{path, factors}];
  if (!symbol.empty())
    return scratch.lookup(symbol);
  ir::Operation &part = newSystem(symbol);
  below = 1;
  for (size_t level = 0; level < paths.path(path).levels.size(); ++level) {
    int64_t chips = paths.path(path).levels[level].chips;
    addGroup(part, path, level, chips / below, factors);
    below = chips;
  }
  return &part;
}

void RankNetwork::readAlgorithms(const ir::Operation &train) {
  notesUses = !ir::as<study::TrainOp>(train).algorithms().empty();
  ir::ValueMap ignored;
  for (study::AlgorithmOp given : ir::as<study::TrainOp>(train).algorithms()) {
    Algorithm one{given.name().str(), given.isRing(),  given.kinds(),    given.schedules(),
                  given.formulas(),   given.refused(), given.isDefault()};
    for (std::string &symbol : one.schedules) {
      ir::Operation &copy = ir::resolve(train, symbol)->clone(scratch.body(), ignored);
      symbol = scratch.uniqueName(symbol);
      copy.setSymbol(symbol);
    }
    algorithms.push_back(std::move(one));
  }
}

void RankNetwork::readRuntime(const ir::Operation &statement) {
  const ir::Operation *runtime = study::findPart(statement, study::RuntimeOp::opName);
  if (runtime && runtime->hasAttr("all_reduce"))
    algorithms.push_back({runtime->stringAttr("all_reduce").str(), false, {"all_reduce"}});
}

std::string RankNetwork::runtimeNote() const {
  for (const Algorithm &one : algorithms)
    if (one.isMissed && !one.isUsed && !notesUses)
      return fmt::format("sums over ranks run as the network has them of itself: it has no library "
                         "`{}`, which the runtime names",
                         one.name);
  return "";
}

void RankNetwork::forgetUses() {
  refused.clear();
  for (Algorithm &one : algorithms)
    one.isUsed = false;
}

llvm::StringRef RankNetwork::unusedAlgorithm() const {
  for (const Algorithm &one : algorithms)
    if (!one.isUsed)
      return one.name;
  return "";
}

/// True where switches on the way add and copy what `kind` needs.
static bool canAdd(const ir::Operation &part, llvm::StringRef kind) {
  bool can = false;
  for (const ir::Operation &group : part.body())
    for (const ir::Operation &net : group.body())
      can |= net.is(target::NetworkOp::opName) && (kind == "all_gather" || net.hasAttr("reduce")) &&
             (kind == "reduce_scatter" || net.hasAttr("multicast"));
  return can;
}

/// Gives `collective`, of `ranks` ranks over the networks of `part`, the algorithm that the
/// statement chooses for its kind: a library of the network, or a schedule for so many ranks.
void RankNetwork::choose(ir::Operation &collective, llvm::StringRef kind, int64_t ranks,
                         const ir::Operation &part) {
  if (part.body().empty() || ranks <= 1)
    return;
  bool isOneGroup = &part.body().front() == &part.body().back();
  bool isOneSwitch = isOneGroup, hasLibrary = false;
  for (Algorithm &one : algorithms) {
    if (llvm::find(one.kinds, kind) == one.kinds.end())
      continue;
    for (const ir::Operation &inner : part.body().front().body()) {
      hasLibrary |= inner.is(target::LibraryOp::opName) && inner.symbol() == one.name;
      isOneSwitch &= !inner.is(target::NetworkOp::opName) || !inner.hasAttr("topology") ||
                     inner.stringAttr("topology") == "switch";
    }
    ir::AttrList schedules;
    for (const std::string &symbol : one.schedules)
      if (const ir::Operation *schedule = scratch.lookup(symbol);
          schedule->stringAttr("collective") == kind && schedule->intAttr("ranks") == ranks)
        schedules.push_back(ir::Attribute::symbol(symbol));
    bool isPlain = (one.isRing && isOneSwitch) || (one.name == "in_network" && canAdd(part, kind));
    const ir::Attribute *formula = one.formulas.find(std::to_string(ranks));
    bool isChosen = hasLibrary || isPlain || (one.isDefault && !isOneGroup);
    if (const ir::Attribute *why = one.refused.find(std::to_string(ranks)); why && !isChosen)
      refused = why->asString().str();
    if (!isChosen && schedules.empty() && !formula) {
      one.isMissed = true;
      continue;
    }
    one.isUsed = true;
    collective.setAttr("algorithm",
                       !isChosen && formula ? formula->asString() : llvm::StringRef(one.name));
    if (!isChosen && !schedules.empty())
      collective.setAttr("schedules", std::move(schedules));
    return;
  }
}

ir::Operation &RankNetwork::operation(llvm::StringRef kind, double bytes, const ir::Operation &part,
                                      int64_t ranks, SourceRange where) {
  program->setAttr("system", ir::Attribute::symbol(part.symbol()));
  ir::Builder builder(allOps());
  ir::Operation *op =
      builder.create(program->body(), ("collective." + kind.str()), ir::Location(where));
  op->setAttr("bytes", static_cast<int64_t>(std::min(bytes, 9e18)));
  op->setAttr("group", part.body().empty() ? "chip" : part.body().back().symbol());
  op->setAttr("ranks", ranks);
  choose(*op, kind, ranks, part);
  return *op;
}

/// The cost where all groups of the axis run `kind` at the same time on links that they share;
/// null, with nothing reported, where the groups do not lie evenly on the system.
const Cost *RankNetwork::costOfAll(llvm::StringRef kind, const AxisPlace &place, double bytes,
                                   SourceRange where, unsigned path, const Factors &factors) {
  bool &isUneven = uneven[{place, path, kind.str()}];
  ir::Operation *whole = isUneven ? nullptr : wholeSystem(path, factors);
  if (!whole)
    return nullptr;
  ir::Operation &op = operation(kind, bytes, *whole, place.ranks(), where);
  placeCollective(op, place);
  const Cost *found = tryCost(op, *whole);
  isUneven = !found;
  return found;
}

/// The cost of `op`; null, with nothing reported, where no form covers it.
const Cost *RankNetwork::tryCost(ir::Operation &op, ir::Operation &whole) {
  size_t reported = diagnostics.all().size();
  const Cost *found = providers.evaluate({&op, &whole, nullptr}, hashes, diagnostics);
  if (!found)
    diagnostics.truncate(reported);
  return found;
}

/// The cost for all ranks of `part`.
const Cost *RankNetwork::costOn(ir::Operation &part, llvm::StringRef kind, double bytes,
                                SourceRange where) {
  const Cost *ignored = nullptr;
  const Cost *&known = notesUses ? ignored : answersOn[{&part, kind.str(), bytes}];
  if (known)
    return known;
  int64_t ranks = 1;
  for (const ir::Operation &group : part.body())
    ranks *= group.body().front().intAttr("count", 1);
  ir::Operation &op = operation(kind, bytes, part, ranks, where);
  return known = providers.evaluate({&op, &part, nullptr}, hashes, diagnostics);
}

/// The cost of messages over links that they may share; null, with nothing reported, where no form
/// covers these.
const Cost *RankNetwork::costOfSends(const ChipSet &from, int64_t distance, double bytes,
                                     SourceRange where, unsigned path, const Factors &factors) {
  ir::Operation *whole = wholeSystem(path, factors);
  if (!whole)
    return nullptr;
  ir::Operation &op = operation("send", bytes, *whole, 2, where);
  op.setAttr("stride", std::abs(distance));
  op.setAttr("senders", ir::AttrList{from.first, from.count, from.step, distance});
  return tryCost(op, *whole);
}

/// True when some of these have to leave a group of `chips` chips, one behind the other, to reach
/// the chip `distance` further.
static bool leaves(const ChipSet &from, int64_t distance, int64_t chips, int64_t all) {
  // Stretches stand to the groups as those a period before.
  int64_t period = chips / std::gcd(chips, from.step);
  for (int64_t i = 0; i < period && from.first + i * from.step < all; ++i) {
    int64_t low = from.first + i * from.step, high = low + from.count - 1;
    (distance < 0 ? low : high) += distance;
    if (low / chips != high / chips)
      return true;
  }
  return false;
}

const Cost *RankNetwork::sendCost(const ChipSet &from, int64_t distance, double bytes,
                                  SourceRange where) {
  if (notesUses)
    return findSendCost(from, distance, bytes, where);
  const Cost *&known = sendAnswers[{from, distance, bytes}];
  return known ? known : known = findSendCost(from, distance, bytes, where);
}

llvm::Optional<RankNetwork::Handover> RankNetwork::handOver(const ChipSet &from, int64_t distance,
                                                            double bytes, const AxisPlace &parts,
                                                            SourceRange where) {
  Handover result{nullptr, nullptr, bytes / static_cast<double>(parts.ranks())};
  ChipSet to = from;
  to.first += distance;
  result.send = sendCost(from, distance, result.each, where);
  if (parts.ranks() > 1)
    result.gather = cost("all_gather", parts, bytes, where, to);
  if (!result.send || (parts.ranks() > 1 && !result.gather))
    return llvm::None;
  return result;
}

const Cost *RankNetwork::findSendCost(const ChipSet &from, int64_t distance, double bytes,
                                      SourceRange where) {
  const Cost *slowest = nullptr;
  ChipSet to = from;
  to.first += distance;
  for (unsigned path : paths.of(from)) {
    Factors factors = factorsOf(path, from);
    factors.slowTo(factorsOf(path, to));
    const Cost *found =
        sharesLinks(path) ? costOfSends(from, distance, bytes, where, path, factors) : nullptr;
    if (!found) { // over the network where they meet
      int64_t apart = 1;
      for (const SystemPath::Level &level : paths.path(path).levels)
        if (leaves(from, distance, level.chips, chips()))
          apart = std::max(apart, level.chips);
      found = costOn(systemOf({2, apart}, path, factors, /*isSend=*/true), "send", bytes, where);
    }
    if (!found)
      return nullptr;
    if (!slowest || slowest->latency.central() < found->latency.central())
      slowest = found;
  }
  return slowest;
}

const Cost *RankNetwork::cost(const ir::Operation &collective) {
  if (std::vector<int64_t> senders = collective.intsAttr("senders"); !senders.empty())
    return sendCost({senders[0], senders[1], senders[2]}, senders[3],
                    static_cast<double>(collective.intAttr("bytes")), collective.range());
  if (AxisPlace place = placeOfCollective(collective);
      collective.hasAttr("stride") && (place.ranks() < chips() || !algorithms.empty()))
    return cost(collective.name().split('.').second, place,
                static_cast<double>(collective.intAttr("bytes")), collective.range());
  return providers.evaluate({&collective, &system, nullptr}, hashes, diagnostics);
}

const Cost *RankNetwork::cost(llvm::StringRef kind, const AxisPlace &place, double bytes,
                              SourceRange where, llvm::Optional<ChipSet> chips) {
  ChipSet among = isUniform() ? paths.all() : chips.getValueOr(paths.all());
  if (notesUses)
    return findCost(kind, place, bytes, where, among);
  const Cost *&known = answers[{kind.str(), place, bytes, among}];
  return known ? known : known = findCost(kind, place, bytes, where, among);
}

const Cost *RankNetwork::findCost(llvm::StringRef kind, const AxisPlace &place, double bytes,
                                  SourceRange where, const ChipSet &among) {
  const Cost *slowest = nullptr;
  for (unsigned path : paths.of(among)) {
    Factors factors = factorsOf(path, among);
    const Cost *found = nullptr;
    if (place.ranks() > 1 && sharesLinks(path))
      found = costOfAll(kind, place, bytes, where, path, factors);
    if (!found)
      found = costOn(systemOf(place, path, factors, /*isSend=*/false), kind, bytes, where);
    if (!found)
      return nullptr;
    if (!slowest || slowest->latency.central() < found->latency.central())
      slowest = found;
  }
  return slowest;
}
