// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What exchanges between ranks of a system take: the one place that prices them, for all
// statements, with one memo. A collective of all ranks goes to the network provider as it is. An
// axis of parallelism of n ranks, s apart, has min(n, M / s) of them in a group of M chips and the
// rest in other groups; where groups of ranks reach over the end of one of M chips, gcd(M, n s) /
// s, as all of them have. Where switches join the chips, groups do not meet, and the network
// provider answers for the part of the system that is left; where groups share links (rings, tori,
// leaves with few uplinks) it answers for all groups of the axis at the same time. In a system of
// unlike members the slowest of the places in question counts.
#ifndef PERFC_BACKENDS_CORE_RANKNETWORK_H
#define PERFC_BACKENDS_CORE_RANKNETWORK_H

#include "backends/core/CostProvider.h"
#include "backends/core/LinkFaults.h"
#include "passes/analysis/AxisPlace.h"
#include "passes/analysis/SystemPaths.h"
#include <algorithm>
#include <tuple>
#include <vector>

namespace perfc {

class RankNetwork {
public:
  /// `system` is a target.system or a target.chip.
  RankNetwork(const ir::Operation &system, ProviderSet &providers, DiagnosticEngine &diagnostics);

  /// The cost of `collective`, an operation of a program, in one of the groups of ranks that it is
  /// of, or from one of the ranks that send; null after a report.
  const Cost *cost(const ir::Operation &collective);
  /// The cost of `kind` of a buffer of `bytes` (the larger one of a rank) for ranks among `chips`,
  /// all of them without; null after a report.
  const Cost *cost(llvm::StringRef kind, const AxisPlace &place, double bytes, SourceRange where,
                   llvm::Optional<passes::ChipSet> chips = llvm::None);
  /// The cost of one of the messages that all of `from` send at the same time, each to the chip
  /// `distance` further (before it where that is negative): of the slowest. Null after a report.
  const Cost *sendCost(const passes::ChipSet &from, int64_t distance, double bytes,
                       SourceRange where);
  /// What ranks that all have the same bytes take to pass them on.
  struct Handover {
    const Cost *send;   ///< of each
    const Cost *gather; ///< of those that get a part each; null where each gets all
    double each;        ///< B that each sends

    double seconds() const {
      return send->latency.central() + (gather ? gather->latency.central() : 0);
    }
  };
  /// That of `bytes`, which each of `from` has, to the chip `distance` further: all of it, or where
  /// `parts` has several ranks one part of so many, which these gather there, placed so (Narayanan
  /// et al., SC 2021, section 4.1). Nothing after a report.
  llvm::Optional<Handover> handOver(const passes::ChipSet &from, int64_t distance, double bytes,
                                    const AxisPlace &parts, SourceRange where);
  /// Reads the algorithms that `train` chooses `with`.
  void readAlgorithms(const ir::Operation &train);
  /// Reads what the runtime of an evaluation or a `serve` says of collectives.
  void readRuntime(const ir::Operation &statement);
  /// Says that the networks do not have what the runtime names; "" where they do, or nothing asked.
  std::string runtimeNote() const;
  /// Forgets which collectives ran these.
  void forgetUses();
  /// The first of these that no collective has run since then; "" for none.
  llvm::StringRef unusedAlgorithm() const;
  /// Why one of these has no form for the ranks of a collective since then; "" where all have.
  llvm::StringRef refusedAlgorithm() const { return refused; }
  int64_t chips() const { return paths.chips(); }
  /// Reads what is slow or broken in the system; false, reported, where a fault leaves no way to
  /// train.
  bool readFaults(SourceRange where);
  bool hasFaults() const { return !linkFaults.empty() || paths.hasSlowChips(); }
  passes::SystemPaths &places() { return paths; }
  /// True where a collective among ranks that stand alike takes as long wherever these are.
  bool isUniform() { return !hasFaults() && paths.of(paths.all()).size() == 1; }

private:
  /// What faults leave of each level of a path, for ranks among some chips.
  struct Factors {
    std::vector<double> links; ///< of their bandwidth, by level
    double slowdown = 1;       ///< of the slowest chip, whose links are slow at all levels

    Fitness at(size_t level) const {
      return {(level < links.size() ? links[level] : 1) / slowdown, slowdown};
    }
    /// To the pace of the slower of both.
    void slowTo(const Factors &other) {
      slowdown = std::max(slowdown, other.slowdown);
      for (size_t i = 0; i < links.size(); ++i)
        links[i] = std::min(links[i], other.links[i]);
    }
    bool operator<(const Factors &other) const {
      return std::tie(links, slowdown) < std::tie(other.links, other.slowdown);
    }
  };
  struct Algorithm {
    std::string name;
    bool isRing = false; ///< of std, which one switch runs as its closed form says
    std::vector<std::string> kinds;
    std::vector<std::string> schedules; ///< copies in `scratch`
    ir::AttrDict formulas;              ///< of what is not written out, by the number of ranks
    ir::AttrDict refused;               ///< why there is neither, by the number of ranks
    bool isDefault = false;             ///< over several levels it is what they do of themselves
    bool isUsed = false;
    bool isMissed = false; ///< a collective of its kind ran without it
  };
  void choose(ir::Operation &collective, llvm::StringRef kind, int64_t ranks,
              const ir::Operation &part);
  ir::Operation &newSystem(std::string &symbol);
  void addGroup(ir::Operation &part, unsigned path, size_t level, int64_t members,
                const Factors &factors);
  ir::Operation &systemOf(const AxisPlace &place, unsigned path, const Factors &factors,
                          bool isSend);
  ir::Operation *wholeSystem(unsigned path, const Factors &factors);
  bool sharesLinks(unsigned path);
  ir::Operation &operation(llvm::StringRef kind, double bytes, const ir::Operation &part,
                           int64_t ranks, SourceRange where);
  const Cost *costOfAll(llvm::StringRef kind, const AxisPlace &place, double bytes,
                        SourceRange where, unsigned path, const Factors &factors);
  const Cost *costOfSends(const passes::ChipSet &from, int64_t distance, double bytes,
                          SourceRange where, unsigned path, const Factors &factors);
  const Cost *costOn(ir::Operation &part, llvm::StringRef kind, double bytes, SourceRange where);
  const Cost *findSendCost(const passes::ChipSet &from, int64_t distance, double bytes,
                           SourceRange where);
  const Cost *findCost(llvm::StringRef kind, const AxisPlace &place, double bytes,
                       SourceRange where, const passes::ChipSet &among);
  const Cost *tryCost(ir::Operation &op, ir::Operation &whole);
  Factors factorsOf(unsigned path, const passes::ChipSet &chips) const;

  const ir::Operation &system;
  ProviderSet &providers;
  DiagnosticEngine &diagnostics;
  passes::SystemPaths paths;
  LinkFaults linkFaults;
  ir::Module scratch;
  HashCache hashes;
  std::map<std::tuple<AxisPlace, unsigned, Factors, bool>, std::string> systems;
  std::map<std::pair<unsigned, Factors>, std::string> wholes;
  /// Answers so far, by all that decides them: kind, place, bytes and chips; senders, distance and
  /// bytes; system, kind and bytes. None where uses of algorithms are noted.
  std::map<std::tuple<std::string, AxisPlace, double, passes::ChipSet>, const Cost *> answers;
  std::map<std::tuple<passes::ChipSet, int64_t, double>, const Cost *> sendAnswers;
  std::map<std::tuple<const ir::Operation *, std::string, double>, const Cost *> answersOn;
  std::map<std::tuple<AxisPlace, unsigned, std::string>, bool> uneven; ///< no form for all groups
  std::vector<Algorithm> algorithms;
  bool notesUses = false;
  std::string refused;
  ir::Operation *program = nullptr;
};

} // namespace perfc

#endif // PERFC_BACKENDS_CORE_RANKNETWORK_H
