// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/network/Network.h"

#include "backends/network/Chunks.h"
#include "backends/network/InNetwork.h"
#include "backends/network/NamedForms.h"
#include "backends/network/Sends.h"
#include "backends/network/Simulated.h"
#include "ir/common/diagnostics/Evaluation.h"
#include "ir/common/diagnostics/Network.h"
#include "ir/common/diagnostics/Systems.h"
#include "llvm/ADT/StringExtras.h"

using namespace perfc;
using namespace perfc::network;

bool NetworkProvider::serves(const ir::Operation &op) const {
  return collectiveKind(op.name()).hasValue();
}

/// True when `op` is of all ranks of its system.
static bool isWhole(const ir::Operation &op, const llvm::Optional<NetworkLevels> &system) {
  return op.intAttr("stride", 1) == 1 && !op.hasAttr("dimensions") &&
         (!system || system->ranks() == op.intAttr("ranks", 1));
}

/// The levels that `op` runs over, of those of the whole system; nothing, with a `reason`, when the
/// closed forms do not cover them.
static llvm::Optional<NetworkLevels> levelsOf(const ir::Operation &op,
                                              const llvm::Optional<NetworkLevels> &system,
                                              std::string &reason) {
  if (!system || isWhole(op, system))
    return system;
  int64_t ranks = op.intAttr("ranks", 1), stride = op.intAttr("stride", 1);
  llvm::Optional<NetworkLevels> levels = levelsOfGroup(*system, groupDims(op));
  if (!levels)
    reason = fmt::format("{} that stand {} apart do not lie evenly on its {}",
                         counted(ranks, "rank"), stride, system->ranks());
  return levels;
}

static Figure energyOf(const NetworkLevel &level, double sentBytes, int64_t ranks) {
  return energyOfBytes(level.name, level.energy, sentBytes * static_cast<double>(ranks));
}

/// Adds up the steps: one after another, or at the same time.
static void addSteps(Cost &cost, llvm::ArrayRef<CollectiveStep> steps, bool overlap,
                     int64_t ranks) {
  const CollectiveStep *slowest = nullptr;
  for (const CollectiveStep &step : steps) {
    Figure energy = energyOf(*step.level, step.sentBytes, ranks);
    cost.energy += energy;
    cost.breakdown.children.emplace_back(PartKind::Network, step.label, step.level->location,
                                         step.latency, energy);
    if (!overlap) {
      cost.latency += step.latency;
      cost.addBound("network " + step.level->name, step.latency);
    } else if (!slowest || step.latency.central() > slowest->latency.central()) {
      slowest = &step;
    }
  }
  if (slowest) {
    cost.latency = slowest->latency;
    cost.addBound("network " + slowest->level->name, slowest->latency);
  }
}

/// Chunks that go through `steps`, which are those of one of them; levels work at the same time.
static void addChunks(Cost &cost, std::vector<CollectiveStep> steps, bool overlap,
                      const Chunking &chunking, const NetworkLevels &network) {
  Uncertain latency = chunkedTime(steps, overlap, chunking);
  for (CollectiveStep &step : steps) {
    step.latency = step.latency * Uncertain(static_cast<double>(chunking.count));
    step.sentBytes *= static_cast<double>(chunking.count);
  }
  addSteps(cost, steps, /*overlap=*/true, network.ranks());
  cost.latency = latency;
  if (shareLevels(chunking, network.levels))
    cost.addNote("chunks are taken one at a time in each network");
  if (overtakeOnLines(chunking, network.levels))
    cost.addNote("all ranks of a line are taken to pass chunks on in one order");
}

/// `what` does not go by the chunks of the system.
static void noteOwnChunks(const CostQuery &query, CollectiveKind kind, llvm::StringRef what,
                          Cost &cost) {
  if (chunkingOf(*query.target, kind).count > 1)
    cost.addNote(what.str() + " divides buffers by itself: `chunks` of the system does not count");
}

/// The error of the library's figures is known from measurements where it gives one. Its ratio
/// multiplies times on outer networks that do not have the library, too, which were not measured.
static void addErrors(const Library &library, const NetworkLevels &network, double bytes,
                      MeasuredErrors &errors) {
  std::string name = fmt::format("library `{}` on `{}`", library.name, network.levels.front().name);
  if (library.measured(bytes).isCertain())
    return errors.addUnknown(std::move(name));
  std::vector<std::string> others;
  for (const NetworkLevel &level : llvm::makeArrayRef(network.levels).drop_front())
    if (!level.library(library.name))
      others.push_back("`" + level.name + "`");
  if (!others.empty())
    name += " (taken for its way over " + llvm::join(others, " and ") + ", too)";
  errors.addKnown(std::move(name));
}

/// The parts of a library's time, in order.
static void addLibraryTime(Cost &cost, const Library &library, const LibraryTime &time,
                           const NetworkLevels &network) {
  std::string name = time.protocol->name;
  Figure energy;
  for (size_t i = 0; i < network.levels.size(); ++i)
    energy += energyOf(network.levels[i], time.sentBytes[i], network.ranks());
  auto add = [&](const std::string &label, SourceRange location, const Uncertain &latency) {
    if (latency.central() > 0)
      cost.breakdown.children.emplace_back(PartKind::Network, label, location, latency);
  };
  add("launch of " + library.name, library.location, time.launch);
  add("start of " + name, time.protocol->location, time.start);
  add("steps of " + name, time.protocol->location, time.steps);
  cost.breakdown.children.emplace_back(PartKind::Network, "bytes of " + name,
                                       time.protocol->location, time.transfer, energy);
  add("copies", time.protocol->location, time.copies);
  add("wait for the host", library.location, time.host);
  cost.latency = time.total();
  cost.work->launch = time.launch;
  cost.energy = energy;
  cost.addBound("network " + network.levels[time.slowest].name, cost.latency);
  cost.provenance = {"network", "",
                     "library " + library.name + ", protocol " + name +
                         ": start + steps * latency + bytes sent / bandwidth"};
}

/// True for those that run by the closed forms.
static bool hasClosedForm(llvm::StringRef algorithm) {
  return algorithm == "ring" || algorithm == "direct" || algorithm == inNetwork;
}

/// The library that runs `op`: the one it names, else the first that the network gives. Null where
/// the plain closed form counts; false, reported, when the library cannot run it.
static bool chooseLibrary(const CostQuery &query, const NetworkLevels &network,
                          const Library *&library, DiagnosticEngine &diagnostics) {
  llvm::StringRef wanted = query.op->stringAttr("algorithm");
  if (network.levels.empty() || hasClosedForm(wanted))
    return true;
  library = network.levels.front().library(wanted);
  if (library || wanted.empty() || wanted == ncclLibrary)
    return true;
  diagnostics.report(query.op->range(), diag::NoClosedForm, query.target->symbol(),
                     fmt::format("algorithm `{}` has none", wanted));
  return false;
}

/// What equal sizes would be as long under way as the busiest rank of `pairs` is.
static double evenBytes(const NetworkLevels &network, double bytes, const PairSizes &pairs) {
  if (pairs.isUniform() || network.levels.empty())
    return bytes;
  NetworkLevel flat;
  flat.members = network.ranks();
  double n = static_cast<double>(flat.members);
  CollectiveSteps steps = closedForm(CollectiveKind::AllToAllV, flat, bytes, &pairs);
  return steps.empty() ? 0 : steps.front().sentBytes * n / (n - 1);
}

static bool addTime(const CostQuery &query, CollectiveKind kind, const NetworkLevels &network,
                    double bytes, const PairSizes &pairs, Cost &cost,
                    DiagnosticEngine &diagnostics) {
  const Library *library = nullptr;
  if (!chooseLibrary(query, network, library, diagnostics))
    return false;
  if (library) {
    double even = evenBytes(network, bytes, pairs);
    if (auto time = libraryTime(*library, kind, network.levels, even)) {
      addLibraryTime(cost, *library, *time, network);
      addErrors(*library, network, even, cost.errors);
      noteOwnChunks(query, kind, "a library", cost);
      return true;
    }
    if (!query.op->stringAttr("algorithm").empty()) {
      diagnostics
          .report(query.op->range(), diag::NoProtocol, library->name, network.levels.front().name,
                  nameOf(kind), "none of its protocols serves so many ranks and bytes")
          .note(library->location, "its protocols");
      return false;
    }
    cost.addNote(fmt::format("library `{}` does not run {}: a closed form counts", library->name,
                             nameOf(kind)));
  }
  bool overlap = kind == CollectiveKind::AllToAll || kind == CollectiveKind::AllToAllV;
  Chunking chunking = chunkingOf(*query.target, kind, query.op->stringAttr("algorithm"));
  auto chunks = static_cast<double>(chunking.count);
  std::vector<CollectiveStep> steps =
      closedForm(kind, network.levels, bytes / chunks, &pairs, chunking.count > 1);
  if (chunking.count > 1)
    addChunks(cost, std::move(steps), overlap, chunking, network);
  else
    addSteps(cost, steps, overlap, network.ranks());
  if (!isClosedFormExact(kind, network.levels, &pairs))
    cost.addNote("the closed form is a bound: links that several messages share may take longer");
  cost.provenance = {"network", "",
                     nameOf(kind).str() + inChunks(chunking) +
                         ": messages * latency + bytes sent / bandwidth, by level"};
  cost.breakdown.composition =
      overlap || chunking.count > 1 ? Composition::Overlap : Composition::Sequence;
  return true;
}

/// True when no closed form and no library covers what `query` asks of the ranks that meet on
/// `levels`.
static bool wantsSimulation(const CostQuery &query, CollectiveKind kind,
                            const llvm::Optional<NetworkLevels> &system,
                            const llvm::Optional<NetworkLevels> &levels, const PairSizes &pairs) {
  if (query.op->hasAttr("schedules"))
    return true;
  llvm::StringRef algorithm = query.op->stringAttr("algorithm");
  bool hasLibrary =
      system && !system->levels.empty() && system->levels.front().library(algorithm) != nullptr;
  bool canSimulate = levels || isWhole(*query.op, system);
  return canSimulate && !hasLibrary && needsSimulation(query, kind, levels, pairs);
}

/// Makes `levels` those of an algorithm in the network; false, reported, where that cannot run.
static bool usesNetwork(const CostQuery &query, CollectiveKind kind,
                        llvm::Optional<NetworkLevels> &levels, DiagnosticEngine &diagnostics) {
  std::string reason = "groups of different sizes stand side by side";
  auto able = levels ? levelsInNetwork(kind, levels->levels, reason) : llvm::None;
  if (!able) {
    diagnostics.report(query.op->range(), diag::NotInNetwork, nameOf(kind), reason)
        .help("a network of switches says what they do: `multicast`, `reduce`");
    return false;
  }
  levels->levels = std::move(*able);
  return true;
}

namespace {
/// Algorithms by their formulas.
struct NamedTimes {
  llvm::Optional<NamedTime> fastest;
  std::string name;             ///< of the fastest
  llvm::Optional<double> exact; ///< the least that is no bound
  std::string exactName;
  std::vector<std::string> without; ///< those that have no formula there
};
} // namespace

/// The formulas of the algorithms between `|` in `text`.
static NamedTimes namedTimes(llvm::StringRef text, CollectiveKind kind,
                             const llvm::Optional<NetworkLevels> &levels, double bytes) {
  NamedTimes times;
  llvm::SmallVector<llvm::StringRef, 2> choices;
  text.split(choices, '|');
  for (llvm::StringRef choice : choices) {
    NamedAlgorithm algorithm = NamedAlgorithm::parse(choice);
    auto time = levels ? namedTime(algorithm, kind, levels->levels, bytes) : llvm::None;
    if (!time) {
      times.without.push_back(algorithm.name);
      continue;
    }
    if (time->bound.empty() && (!times.exact || time->seconds < *times.exact)) {
      times.exact = time->seconds;
      times.exactName = algorithm.name;
    }
    if (times.fastest && times.fastest->seconds <= time->seconds)
      continue;
    times.fastest = std::move(time);
    times.name = algorithm.name;
  }
  return times;
}

/// Adds the time of algorithms of the library by their formulas, the fastest of them and of what
/// `cost` has from others by simulation, `simulated` among them, "" for none; false, reported,
/// without one.
static bool addNamedTime(const CostQuery &query, CollectiveKind kind,
                         const llvm::Optional<NetworkLevels> &levels, double bytes,
                         llvm::StringRef simulated, Cost &cost, DiagnosticEngine &diagnostics) {
  NamedTimes times = namedTimes(query.op->stringAttr("algorithm"), kind, levels, bytes);
  bool isSimulated = !simulated.empty();
  if (!times.fastest && !isSimulated) {
    diagnostics.report(query.op->range(), diag::NoClosedForm, query.target->symbol(),
                       fmt::format("algorithm `{}` among {} has none there", times.without.front(),
                                   counted(query.op->intAttr("ranks", 1), "rank")));
    return false;
  }
  if (double seconds = cost.latency.central();
      isSimulated && (!times.exact || seconds < *times.exact)) {
    times.exact = seconds;
    times.exactName = simulated.str();
  }
  bool isFaster =
      times.fastest && !(isSimulated && cost.latency.central() <= times.fastest->seconds);
  if (isFaster) {
    int64_t chips = cost.chips;
    cost = Cost();
    cost.chips = chips;
  }
  for (const std::string &left : times.without)
    cost.addNote(fmt::format("{} has no formula there and is left out", left));
  if (!isFaster)
    return true;
  const NamedTime *time = &*times.fastest;
  const std::string &name = times.name;
  Figure energy;
  for (size_t i = 0; i < levels->levels.size(); ++i)
    energy += energyOf(levels->levels[i], time->sentBytes[i], cost.chips);
  cost.latency = time->seconds;
  cost.energy = energy;
  cost.addBound("network " + levels->levels.back().name, cost.latency);
  cost.breakdown.children.emplace_back(PartKind::Network, "formula of " + name, query.op->range(),
                                       cost.latency, energy);
  if (!time->bound.empty())
    cost.addNote(fmt::format("{}: {} the formula's time, as messages may stand in each other's way "
                             "or fill gaps; too many ranks to follow them",
                             name, time->bound));
  if (!time->bound.empty() && times.exact)
    cost.addNote(fmt::format("chosen by that bound: {}, which takes {}, may be faster",
                             times.exactName, formatEngineering(*times.exact, BaseUnit::Second)));
  cost.provenance = {"network", "", nameOf(kind).str() + " by " + name + ": its formula"};
  return true;
}

/// Adds the time of messages that ranks send at the same time; false where the form does not cover
/// these.
static bool addSends(const CostQuery &query, const llvm::Optional<NetworkLevels> &system,
                     double bytes, Cost &cost) {
  auto pattern = sendPattern(*query.op);
  auto sends = pattern && system ? sendSteps(system->levels, *pattern, bytes) : llvm::None;
  if (!sends)
    return false;
  addSteps(cost, sends->steps, /*overlap=*/false, /*ranks=*/1);
  if (!sends->note.empty())
    cost.addNote(sends->note);
  cost.provenance = {"network", "", "send: links * latency + messages * bytes / bandwidth"};
  cost.breakdown.composition = Composition::Sequence;
  return true;
}

/// NCCL without its parameters, and without schedules that stand for it.
static void noteNoParameters(const CostQuery &query, CollectiveKind kind,
                             const llvm::Optional<NetworkLevels> &system, Cost &cost) {
  if (query.op->stringAttr("algorithm") != ncclLibrary || query.op->hasAttr("schedules"))
    return;
  if (system && !system->levels.empty() && system->levels.front().library(ncclLibrary))
    return;
  cost.addNote("parameters of library `nccl` are not given there: the default pattern counts");
  noteOwnChunks(query, kind, "a library", cost);
}

/// False, reported, where bytes go over a network whose bandwidth nobody gives. `hasLibrary` where
/// the innermost one has parameters of its own.
static bool knowsBandwidth(const CostQuery &query, CollectiveKind kind, double bytes,
                           llvm::ArrayRef<NetworkLevel> levels, bool hasLibrary,
                           DiagnosticEngine &diagnostics) {
  if (kind == CollectiveKind::Barrier || bytes == 0)
    return true;
  for (const NetworkLevel &level : levels.drop_front(hasLibrary ? 1 : 0)) {
    if (level.members <= 1 || level.bandwidth || level.linksGiveBandwidth)
      continue;
    diagnostics.report(query.op->range(), diag::NoBandwidth, nameOf(kind), level.name)
        .note(level.location, "the network")
        .help("such as `over " + level.name + " { bandwidth 50GB/s/chip }`");
    return false;
  }
  return true;
}

/// Adds the time by simulation or by formula; false after a report.
static bool addAnyTime(const CostQuery &query, CollectiveKind kind, double bytes, Cost &cost,
                       DiagnosticEngine &diagnostics) {
  std::string reason;
  llvm::Optional<NetworkLevels> system = networkLevels(*query.target, reason);
  llvm::Optional<NetworkLevels> levels = levelsOf(*query.op, system, reason);
  cost.chips = query.op->intAttr("ranks", 1);
  llvm::StringRef algorithm = query.op->stringAttr("algorithm");
  bool hasLibrary =
      system && !system->levels.empty() && system->levels.front().library(algorithm) != nullptr;
  if (const auto &over = levels ? levels : system;
      over && !knowsBandwidth(query, kind, bytes, over->levels, hasLibrary, diagnostics))
    return false;
  if (!query.op->hasAttr("algorithm") && addSends(query, system, bytes, cost))
    return true;
  if (query.op->stringAttr("algorithm") == inNetwork &&
      !usesNetwork(query, kind, levels, diagnostics))
    return false;
  noteNoParameters(query, kind, system, cost);
  bool isNamed = query.op->stringAttr("algorithm").contains('(');
  if (isNamed || query.op->hasAttr("schedules") || hasClosedForm(query.op->stringAttr("algorithm")))
    noteOwnChunks(query, kind, "an algorithm", cost);
  if (isNamed && !query.op->hasAttr("schedules"))
    return addNamedTime(query, kind, levels, bytes, /*simulated=*/"", cost, diagnostics);
  llvm::Optional<PairSizes> pairs = PairSizes();
  pairs->ranks = static_cast<uint32_t>(std::min<int64_t>(cost.chips, UINT32_MAX));
  if (kind == CollectiveKind::AllToAllV)
    pairs = readPairSizes(*query.op, pairs->ranks, diagnostics);
  if (!pairs)
    return false;
  if (wantsSimulation(query, kind, system, levels, *pairs)) {
    llvm::Optional<std::string> fastest;
    if (!addSimulatedTime(query, kind, levels, bytes, *pairs, cost, fastest, diagnostics))
      return false;
    if (fastest)
      return !isNamed || addNamedTime(query, kind, levels, bytes, *fastest, cost, diagnostics);
    cost.addNote("too many messages to simulate: a closed form counts");
  }
  if (!levels) {
    diagnostics.report(query.op->range(), diag::NoClosedForm, query.target->symbol(), reason);
    return false;
  }
  for (const std::string &note : levels->notes)
    cost.addNote(note);
  for (const NetworkLevel &level : levels->levels)
    if (!level.approximation.empty())
      cost.addNote(level.approximation);
  return addTime(query, kind, *levels, bytes, *pairs, cost, diagnostics);
}

static llvm::Optional<Cost> evaluateOne(const CostQuery &query, DiagnosticEngine &diagnostics) {
  CollectiveKind kind = *collectiveKind(query.op->name());
  double bytes = static_cast<double>(query.op->intAttr("bytes"));
  Cost cost;
  if (!addAnyTime(query, kind, bytes, cost, diagnostics))
    return llvm::None;
  cost.exposed = cost.latency;
  cost.work->network = cost.latency - cost.work->launch;
  cost.exchangeEnergy = cost.energy;
  cost.leavesOutMemories = true;
  if (cost.errors.known.empty() && cost.errors.unknown.empty())
    cost.errors.addUnknown("collectives without a library");
  if (kind != CollectiveKind::Barrier && cost.latency.central() > 0) // a barrier moves nothing
    cost.busBandwidth = Uncertain(busFactor(kind, cost.chips) * bytes) / cost.latency;
  cost.describe(PartKind::Collective, nameOf(kind), query.op->range());
  return cost;
}

std::vector<llvm::Optional<Cost>> NetworkProvider::evaluate(llvm::ArrayRef<CostQuery> queries,
                                                            DiagnosticEngine &diagnostics) {
  std::vector<llvm::Optional<Cost>> costs;
  for (const CostQuery &query : queries)
    costs.push_back(evaluateOne(query, diagnostics));
  return costs;
}
