// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// emit astra_sim: the system of an evaluation as ASTRA-sim's network.yml, system.json and
// memory.json. Its analytical network knows rings, full connections and switches, counts bandwidth
// in GiB/s and latency in ns, and takes two hops through a switch.
#include "backends/emit/AstraNetworks.h"
#include "backends/emit/ChakraNodes.h"
#include "backends/emit/Emit.h"
#include "backends/network/NamedForms.h"
#include "backends/network/NetworkLevels.h"
#include "ir/collective/CollectiveOps.h"
#include "ir/common/diagnostics/Network.h"
#include "ir/phase/PhaseOps.h"
#include "ir/study/TrainOps.h"
#include "passes/Levels.h"
#include "passes/training/StrategyPlace.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::emit;
using network::NetworkLevel;
using network::Topology;

static llvm::StringRef topologyName(Topology topology) {
  switch (topology) {
  case Topology::Switch:
  case Topology::InNetwork:
    return "Switch";
  case Topology::FullyConnected:
    return "FullyConnected";
  case Topology::Ring:
  case Topology::Line: // the nearest that ASTRA-sim has
    return "Ring";
  }
  return "Switch";
}

/// "[ Switch, Ring ]" of a text per level.
static std::string listOf(llvm::ArrayRef<NetworkLevel> levels,
                          llvm::function_ref<std::string(const NetworkLevel &)> text) {
  std::string list;
  for (const NetworkLevel &level : levels)
    list += (list.empty() ? "[ " : ", ") + text(level);
  return list + " ]";
}

static std::string networkText(llvm::ArrayRef<NetworkLevel> levels) {
  std::string text = "topology: " + listOf(levels, [](const NetworkLevel &level) {
                       return topologyName(level.topology).str();
                     });
  text += "\nnpus_count: " +
          listOf(levels, [](const NetworkLevel &level) { return std::to_string(level.members); });
  // ASTRA-sim gives a link of a ring each way what it reads, a fully connected chip each link.
  text += "\nbandwidth: " + listOf(levels, [](const NetworkLevel &level) {
            double bandwidth = level.bandwidth ? level.bandwidth->central() : 1e18;
            bool isRing = level.topology == Topology::Ring && level.members > 2;
            if (isRing || level.topology == Topology::Line)
              bandwidth /= 2;
            if (level.topology == Topology::FullyConnected)
              bandwidth /= static_cast<double>(level.members - 1);
            return fmt::format("{:.10g}", bandwidth / (1 << 30));
          });
  text += "\nlatency: " + listOf(levels, [](const NetworkLevel &level) {
            double hops = level.topology == Topology::Switch ? 2 : 1;
            return fmt::format("{:.10g}", level.latency.central() * 1e9 / hops);
          });
  return text + "\n";
}

static std::string systemText(llvm::ArrayRef<NetworkLevel> levels, const ir::Operation &system,
                              const AstraAlgorithms &algorithms) {
  bool isLatest = system.stringAttr("scheduling") == "lifo";
  auto namesOf = [&](network::CollectiveKind kind) {
    Json list = Json::array();
    for (const std::string &name : algorithms.names[static_cast<unsigned>(kind)])
      list.push(name);
    return list;
  };
  Json json = Json::object();
  json.set("scheduling-policy", isLatest ? "LIFO" : "FIFO")
      .set("endpoint-delay", 0)
      .set("active-chunks-per-dimension", activeChunks(levels))
      .set("preferred-dataset-splits", system.intAttr("chunks", 1))
      .set("all-reduce-implementation", namesOf(network::CollectiveKind::AllReduce))
      .set("all-gather-implementation", namesOf(network::CollectiveKind::AllGather))
      .set("reduce-scatter-implementation", namesOf(network::CollectiveKind::ReduceScatter))
      .set("all-to-all-implementation", namesOf(network::CollectiveKind::AllToAll))
      .set("collective-optimization", "localBWAware")
      .set("local-mem-bw", 1000000)
      .set("boost-mode", 0);
  std::string text;
  llvm::raw_string_ostream stream(text);
  json.print(stream);
  stream << '\n';
  return stream.str();
}

/// The sizes of the dimensions, for its packet-level network.
static std::string logicalText(llvm::ArrayRef<NetworkLevel> levels) {
  std::string text = "{\n  \"logical-dims\": [";
  for (const NetworkLevel &level : levels)
    text += fmt::format("{}\"{}\"", &level == levels.begin() ? "" : ", ", level.members);
  return text + "]\n}\n";
}

/// Warns of what the files cannot say.
static void reportSimplified(llvm::ArrayRef<NetworkLevel> levels, SourceRange place,
                             DiagnosticEngine &diagnostics) {
  for (const NetworkLevel &level : levels) {
    std::string reason = level.approximation;
    if (level.topology == Topology::Line)
      reason = "a line of chips is taken as a ring";
    if (level.faultFactor.central() != 1)
      reason = "its faults slow all of it";
    if (!reason.empty())
      diagnostics.report(place, diag::SimplifiedForAstraSim, level.name, reason);
  }
}

/// Says which algorithm runs `use`: `name`, of which `schedules` are written out where a formula or
/// the networks themselves do not stand for it.
static void setAlgorithm(CollectiveUse &use, llvm::StringRef name, const ir::Operation &from,
                         llvm::ArrayRef<std::string> schedules,
                         llvm::ArrayRef<NetworkLevel> levels) {
  use.algorithm = network::NamedAlgorithm::parse(name).name;
  if (name.empty() || name == network::ncclLibrary || levels.front().library(name))
    return;
  use.family = familyNamed(use.algorithm);
  bool isStandard = !name.contains('|') && llvm::all_of(schedules, [&](const std::string &symbol) {
    const ir::Operation &schedule = *ir::resolve(from, symbol);
    return schedule.stringAttr("algorithm") == use.algorithm &&
           schedule.stringAttr("module") == "std.networks";
  });
  if (!isStandard)
    use.family = AlgorithmFamily::Other;
}

/// The algorithm that `train` chooses for `use`, as RankNetwork does.
static void chooseAlgorithm(CollectiveUse &use, const ir::Operation &train,
                            const ir::Module &module, llvm::ArrayRef<NetworkLevel> levels) {
  for (study::AlgorithmOp one : ir::as<study::TrainOp>(train).algorithms()) {
    if (!llvm::is_contained(one.kinds(), network::nameOf(use.kind)))
      continue;
    std::vector<std::string> schedules = one.schedules();
    bool isWrittenOut = !schedules.empty() || !one.formulas().empty();
    llvm::erase_if(schedules, [&](const std::string &symbol) {
      const ir::Operation &schedule = *module.lookup(symbol);
      return schedule.stringAttr("collective") != network::nameOf(use.kind) ||
             schedule.intAttr("ranks") != use.place.ranks();
    });
    const ir::Attribute *formula = one.formulas().find(std::to_string(use.place.ranks()));
    if (isWrittenOut && schedules.empty() && !formula)
      continue;
    llvm::StringRef name = formula ? formula->asString() : one.name();
    return setAlgorithm(use, name, train, schedules, levels);
  }
}

/// Whether system.json names algorithms for `kind`.
static bool hasAlgorithm(network::CollectiveKind kind) {
  return static_cast<unsigned>(kind) < AstraAlgorithms::kinds;
}

/// The collectives of a step, each kind once for each axis, and its messages.
static Exchanges exchangesOfStep(const StepProgram &step, const ir::Operation &train,
                                 const ir::Module &module, llvm::ArrayRef<NetworkLevel> levels) {
  Exchanges exchanges{/*areKnown=*/true, {}, sendsOfStep(step)};
  for (const auto &[word, axis] : step.collectives()) {
    auto kind = network::collectiveKindNamed(word);
    if (!kind || !hasAlgorithm(*kind))
      continue;
    CollectiveUse use{*kind, step.axes[axis].place, AlgorithmFamily::Wiring, ""};
    chooseAlgorithm(use, train, module, levels);
    if (!llvm::is_contained(exchanges.uses, use))
      exchanges.uses.push_back(std::move(use));
  }
  return exchanges;
}

/// The ranks between which a `send` of a program goes.
static void addSends(const ir::Operation &send, int64_t ranks, Exchanges &exchanges) {
  std::vector<int64_t> senders = send.intsAttr("senders");
  if (senders.empty()) // rank 1 is the neighbour of rank 0
    exchanges.sends = {{0, 1}};
  else
    for (int64_t first = senders[0]; first < ranks; first += senders[2])
      for (int64_t rank = first; rank < first + senders[1]; ++rank)
        exchanges.sends.emplace_back(rank, rank + senders[3]);
}

/// Adds the collective `op` of `kind` among the ranks of `place`.
static void addUse(const ir::Operation &op, network::CollectiveKind kind, const AxisPlace &place,
                   llvm::ArrayRef<NetworkLevel> levels, Exchanges &exchanges) {
  if (!hasAlgorithm(kind))
    return;
  CollectiveUse use{kind, place, AlgorithmFamily::Wiring, ""};
  std::vector<std::string> schedules = op.symbolsAttr("schedules");
  setAlgorithm(use, op.stringAttr("algorithm"), op, schedules, levels);
  if (!llvm::is_contained(exchanges.uses, use))
    exchanges.uses.push_back(std::move(use));
}

/// The collectives and messages of the program of `statement`, with those in what it runs.
static Exchanges exchangesOfProgram(const ir::Operation &program, const ir::Operation &statement,
                                    const ir::Module &module, llvm::ArrayRef<NetworkLevel> levels) {
  Exchanges exchanges{/*areKnown=*/true, {}, {}};
  passes::Strategy strategy;
  if (study::findPart(statement, study::StrategyOp::opName))
    strategy = passes::readDegrees(study::partOf<study::StrategyOp>(statement));
  int64_t ranks = passes::chipCount(module, program.symbolAttr("system"));
  program.walk([&](const ir::Operation &op) {
    if (op.is(collective::SendOp::opName))
      addSends(op, ranks, exchanges);
    if (auto kind = network::collectiveKind(op.name()))
      addUse(op, *kind, placeOfCollective(op), levels, exchanges);
    auto run = ir::as<collective::RunOp>(op);
    const ir::Operation *sequence = run ? module.lookup(run.phase()) : nullptr;
    if (!sequence)
      return;
    sequence->walk([&](const ir::Operation &step) {
      auto part = ir::as<phase::CollectiveOp>(step);
      auto kind = part ? network::collectiveKindNamed(part.kind()) : llvm::None;
      if (kind && !part.axis().empty())
        addUse(step, *kind, placeOf(strategy, part.axis()), levels, exchanges);
    });
  });
  return exchanges;
}

/// The statement of the first result, where it runs on something.
static const ir::Operation *statementOf(const Input &input) {
  const ir::Operation *found = nullptr;
  if (input.module && !input.results.empty())
    for (const ir::Operation &top : input.module->body())
      top.walk([&](const ir::Operation &op) {
        if (op.hasAttr("on") && study::resultName(op) == input.results.front()->name)
          found = &op;
      });
  return found;
}

/// The dimensions of `system`; nothing, reported, where it has none.
static llvm::Optional<network::NetworkLevels> dimensionsOf(const ir::Operation &system,
                                                           llvm::StringRef label, SourceRange place,
                                                           DiagnosticEngine *diagnostics) {
  std::string reason;
  auto levels = network::networkLevels(system, reason);
  if (levels) // groups of one are no dimension
    llvm::erase_if(levels->levels, [](const NetworkLevel &level) { return level.members <= 1; });
  if (levels && !levels->levels.empty())
    return levels;
  if (diagnostics)
    diagnostics->report(place, diag::CannotEmitTrace, label.str(),
                        levels ? "it runs on one chip" : reason);
  return llvm::None;
}

/// Writes the files of `system`, whose ranks exchange `exchanges`.
static bool writeFiles(const ir::Operation &system, llvm::ArrayRef<NetworkLevel> levels,
                       const Exchanges &exchanges, SourceRange place, DiagnosticEngine *diagnostics,
                       FileSink sink) {
  int64_t chunks = system.intAttr("chunks", 1);
  AstraAlgorithms algorithms = astraAlgorithms(levels, exchanges.uses, chunks);
  if (std::string crossing = crossingDifference(levels, exchanges); !crossing.empty())
    algorithms.differences.push_back(std::move(crossing));
  if (diagnostics) {
    reportSimplified(levels, place, *diagnostics);
    for (auto &[name, difference] : networkDifferences(levels, exchanges, chunks))
      diagnostics->report(place, diag::SimplifiedForAstraSim, name, difference);
  }
  bool isWritten = sink("network.yml", networkText(levels)) &&
                   sink("system.json", systemText(levels, system, algorithms)) &&
                   sink("logical_topology.json", logicalText(levels)) &&
                   sink("memory.json", "{\n  \"memory-type\": \"NO_MEMORY_EXPANSION\"\n}\n");
  if (diagnostics && isWritten)
    for (std::string &difference : algorithms.differences)
      diagnostics->report(place, diag::SimplifiedForAstraSim, system.symbol(),
                          std::move(difference));
  return isWritten;
}

bool emit::astraSimTexts(const ir::Operation &system, llvm::StringRef label, SourceRange place,
                         DiagnosticEngine *diagnostics, FileSink sink) {
  auto levels = dimensionsOf(system, label, place, diagnostics);
  return levels && writeFiles(system, levels->levels, {}, place, diagnostics, sink);
}

bool emit::astraSimCollective(const ir::Operation &op, const ir::Operation &system,
                              DiagnosticEngine &diagnostics, FileSink sink) {
  auto refuse = [&](const char *reason) {
    diagnostics.report(op.range(), diag::CannotEmitTrace, op.name(), reason);
    return false;
  };
  auto kind = network::collectiveKind(op.name());
  if (!kind || !hasAlgorithm(*kind))
    return refuse("ASTRA-sim simulates all_reduce, all_gather, reduce_scatter and all_to_all");
  auto levels = dimensionsOf(system, op.name(), op.range(), &diagnostics);
  if (!levels)
    return false;
  int64_t ranks = op.intAttr("ranks", 1);
  if (ranks != levels->ranks() || op.intAttr("stride", 1) != 1 || op.hasAttr("dimensions"))
    return refuse("it is among some of the ranks of its system");
  if (ranks > mostRanks)
    return refuse("it has too many ranks");
  Exchanges exchanges{/*areKnown=*/true, {}, {}};
  addUse(op, *kind, placeOfCollective(op), levels->levels, exchanges);
  if (!writeFiles(system, levels->levels, exchanges, op.range(), &diagnostics, sink))
    return false;
  chakra::NodeRecord node;
  node.name = network::nameOf(*kind).str();
  node.type = chakra::NodeType::Collective;
  node.attributes = collectiveAttributes(network::nameOf(*kind), op.intAttr("bytes"), ranks);
  std::string bytes = chakra::metadataBytes({}) + chakra::nodeBytes(node);
  for (int64_t rank = 0; rank < ranks; ++rank)
    if (!sink(fmt::format("trace.{}.et", rank), bytes))
      return false;
  return true;
}

void emit::astraSimFiles(const Input &input, FileSink sink) {
  if (input.results.empty())
    return;
  const Result &first = *input.results.front();
  const ir::Operation *statement = statementOf(input);
  const ir::Operation *system =
      statement ? input.module->lookup(statement->symbolAttr("on")) : nullptr;
  if (!system) {
    if (input.diagnostics)
      input.diagnostics->report(first.place, diag::CannotEmitTrace, first.label,
                                "it runs on one chip");
    return;
  }
  auto levels = dimensionsOf(*system, first.label, first.place, input.diagnostics);
  if (!levels)
    return;
  const StepProgram *step = first.program.get();
  auto program =
      input.module->lookup<collective::ProgramOp>(passes::stepSymbol(statement->symbol()));
  Exchanges exchanges;
  if (step)
    exchanges = exchangesOfStep(*step, *statement, *input.module, levels->levels);
  else if (program)
    exchanges = exchangesOfProgram(*program, *statement, *input.module, levels->levels);
  writeFiles(*system, levels->levels, exchanges, first.place, input.diagnostics, sink);
}
