// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// emit astra_sim: the system of an evaluation as ASTRA-sim's network.yml, system.json and
// memory.json. Its analytical network knows rings, full connections and switches, counts bandwidth
// in GiB/s and latency in ns, and takes two hops through a switch.
#include "backends/emit/Emit.h"
#include "backends/network/InNetwork.h"
#include "backends/network/NetworkLevels.h"
#include "ir/common/diagnostics/Network.h"
#include "ir/study/StudyOps.h"
#include "passes/Names.h"
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

static std::string systemText(llvm::ArrayRef<NetworkLevel> levels, const ir::Operation &system) {
  bool isLatest = system.stringAttr("scheduling") == "lifo";
  int64_t active = levels.front().activeChunks; // one figure for all dimensions
  for (const NetworkLevel &level : levels)
    active = std::min(active, level.activeChunks);
  auto algorithms = [&](bool isAllToAll) {
    Json list = Json::array();
    for (const NetworkLevel &level : levels) {
      bool isDirect = level.topology == Topology::FullyConnected ||
                      (isAllToAll && level.topology == Topology::Switch);
      list.push(isDirect ? "direct" : "ring");
    }
    return list;
  };
  Json json = Json::object();
  json.set("scheduling-policy", isLatest ? "LIFO" : "FIFO")
      .set("endpoint-delay", 0)
      .set("active-chunks-per-dimension", active)
      .set("preferred-dataset-splits", system.intAttr("chunks", 1))
      .set("all-reduce-implementation", algorithms(false))
      .set("all-gather-implementation", algorithms(false))
      .set("reduce-scatter-implementation", algorithms(false))
      .set("all-to-all-implementation", algorithms(true))
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

namespace {
/// Of a program, what ASTRA-sim runs in another way.
struct Collectives {
  std::vector<int64_t> exchanges;                         ///< ranks of each all_to_all
  std::vector<AxisPlace> groups;                          ///< of training
  std::vector<std::pair<std::string, std::string>> named; ///< what, and by which algorithm
};
} // namespace

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

/// The collectives of `result` that its files may not be able to say.
static Collectives collectivesOf(const Result &result, const ir::Operation &statement,
                                 const ir::Operation *program) {
  Collectives found;
  auto add = [&](std::string what, llvm::StringRef algorithm) {
    auto entry = std::make_pair(std::move(what), algorithm.str());
    if (!algorithm.empty() && algorithm != "ring" && !llvm::is_contained(found.named, entry))
      found.named.push_back(std::move(entry));
  };
  auto exchange = [&](int64_t ranks) {
    if (!llvm::is_contained(found.exchanges, ranks))
      found.exchanges.push_back(ranks);
  };
  if (result.cost.training && result.cost.training->program) {
    const StepProgram &step = *result.cost.training->program;
    for (const StepBlock &block : step.blocks)
      for (const StepItem &item : block.items)
        for (const auto &axis : step.axes)
          if (item.kind == "all_to_all" && axis.name == item.axis)
            exchange(axis.place.ranks());
    for (const auto &axis : step.axes)
      if (axis.name != "pipeline" && !llvm::is_contained(found.groups, axis.place))
        found.groups.push_back(axis.place);
    if (const ir::Attribute *list = statement.dictAttr("settings").find("algorithms"))
      for (const ir::Attribute &entry : list->asList())
        add("a collective", entry.asDict().find("name")->asString());
  } else if (program) {
    program->walk([&](const ir::Operation &op) {
      auto kind = network::collectiveKind(op.name());
      if (kind == network::CollectiveKind::AllToAll)
        exchange(op.intAttr("ranks", 1));
      if (kind)
        add(network::nameOf(*kind).str(), op.stringAttr("algorithm"));
    });
  }
  return found;
}

/// Whether ranks of a group differ in their places along several levels, of which a message between
/// two ranks pays for the first one in which they differ.
static bool spansLevels(const AxisPlace &group, llvm::ArrayRef<NetworkLevel> levels) {
  unsigned spanned = 0;
  int64_t below = 1;
  for (const NetworkLevel &level : levels) {
    spanned += llvm::any_of(group.dims(), [&](const AxisDim &dim) {
      int64_t end = dim.stride * dim.ranks;
      return end > below && dim.stride < below * level.members;
    });
    below *= level.members;
  }
  return spanned > 1;
}

/// Warns of what ASTRA-sim has no algorithm for: exchanges that share a chip's bandwidth between
/// the messages of a rank, and switches that add and copy; of algorithms, which are those of the
/// wiring here; and of groups that are one ring on several levels.
static void reportCollectives(const Collectives &collectives, const ir::Operation &system,
                              SourceRange place, DiagnosticEngine &diagnostics) {
  std::string unused;
  auto levels = network::networkLevels(system, unused);
  int64_t all = levels->ranks();
  llvm::erase_if(levels->levels, [](const NetworkLevel &level) { return level.members <= 1; });
  bool isSwitched = llvm::any_of(levels->levels, [](const NetworkLevel &level) {
    return level.topology == Topology::Switch; // where members are fully connected, links are apart
  });
  bool isDirect = llvm::all_of(levels->levels, [](const NetworkLevel &level) {
    return level.topology == Topology::FullyConnected;
  });
  auto warn = [&](std::string reason) {
    diagnostics.report(place, diag::SimplifiedForAstraSim, system.symbol(), std::move(reason));
  };
  for (int64_t ranks : collectives.exchanges) {
    bool isRing = ranks < all && levels->levels.size() > 1; // whatever system.json says
    if (ranks > 2 && (isRing || isSwitched))
      warn(isRing ? fmt::format("all_to_all of {} among its {} runs as a ring",
                                counted(ranks, "rank"), all)
                  : "in all_to_all a rank sends to all others at once, to each at full bandwidth");
  }
  for (const auto &[what, algorithm] : collectives.named) {
    if (algorithm == network::inNetwork)
      warn(what + " runs as a ring: its switches neither add nor copy");
    else if (!levels->levels.empty() && !levels->levels.front().library(algorithm) &&
             (algorithm != "direct" || !isDirect))
      warn(fmt::format("{} by {} runs as its wiring is: in a ring, or directly", what, algorithm));
  }
  for (const AxisPlace &group : collectives.groups)
    if (group.ranks() < all && spansLevels(group, levels->levels))
      warn(fmt::format("{} of {} that stand in several dimensions are one ring there, which pays "
                       "for one of them between two ranks",
                       counted(group.ranks(), "rank"), all));
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

bool emit::astraSimTexts(const ir::Operation &system, llvm::StringRef label, SourceRange place,
                         DiagnosticEngine *diagnostics, FileSink sink) {
  std::string reason;
  auto levels = network::networkLevels(system, reason);
  if (levels) // groups of one are no dimension
    llvm::erase_if(levels->levels, [](const NetworkLevel &level) { return level.members <= 1; });
  if (levels && levels->levels.empty())
    reason = "it runs on one chip";
  if (!levels || levels->levels.empty()) {
    if (diagnostics)
      diagnostics->report(place, diag::CannotEmitTrace, label.str(), reason);
    return false;
  }
  if (diagnostics)
    reportSimplified(levels->levels, place, *diagnostics);
  return sink("network.yml", networkText(levels->levels)) &&
         sink("system.json", systemText(levels->levels, system)) &&
         sink("logical_topology.json", logicalText(levels->levels)) &&
         sink("memory.json", "{\n  \"memory-type\": \"NO_MEMORY_EXPANSION\"\n}\n");
}

void emit::astraSimFiles(const Input &input, FileSink sink) {
  if (input.results.empty())
    return;
  const Result &first = *input.results.front();
  const ir::Operation *statement = statementOf(input);
  if (const ir::Operation *system =
          statement ? input.module->lookup(statement->symbolAttr("on")) : nullptr) {
    bool isWritten = astraSimTexts(*system, first.label, first.place, input.diagnostics, sink);
    auto evaluate = ir::as<study::EvaluateOp>(*statement);
    const ir::Operation *program =
        evaluate ? input.module->lookup(passes::programSymbol(evaluate)) : nullptr;
    if (isWritten && input.diagnostics)
      reportCollectives(collectivesOf(first, *statement, program), *system, first.place,
                        *input.diagnostics);
  } else if (input.diagnostics) {
    input.diagnostics->report(first.place, diag::CannotEmitTrace, first.label,
                              "it runs on one chip");
  }
}
