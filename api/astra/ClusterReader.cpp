// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/astra/ClusterReader.h"

#include "ir/common/diagnostics/Cluster.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace perfc;
using namespace perfc::api;
using llvm::json::Array;
using llvm::json::Object;

/// The first place where the file names `key`.
SourceRange ClusterReader::placeOf(llvm::StringRef key) const {
  if (!file)
    return {};
  llvm::StringRef text = diagnostics.sourceManager().text(file);
  size_t at = text.find(("\"" + key + "\"").str());
  size_t begin = at == llvm::StringRef::npos ? text.find(key) : at + 1;
  if (begin == llvm::StringRef::npos)
    return {file, 0, 0};
  return {file, static_cast<uint32_t>(begin), static_cast<uint32_t>(begin + key.size())};
}

bool ClusterReader::refuse(llvm::StringRef key, const std::string &reason) {
  std::string subject = file ? key.str() : fmt::format("{}` of `{}", key, name);
  diagnostics.report(placeOf(key), diag::BadClusterValue, subject, reason);
  return false;
}

const ClusterReader::Value *ClusterReader::find(const Object &object, llvm::StringRef key) {
  known.push_back(key.str());
  return object.get(key);
}

void ClusterReader::warnOfUnread(const Object &object, llvm::ArrayRef<llvm::StringLiteral> others) {
  std::vector<llvm::StringRef> missing, given;
  for (const std::string &key : known)
    if (!object.get(key))
      missing.push_back(key);
  for (const auto &entry : object)
    if (!llvm::is_contained(known, entry.first.str()) &&
        !llvm::is_contained(others, llvm::StringRef(entry.first)))
      given.push_back(entry.first);
  llvm::sort(given);
  for (llvm::StringRef key : given) {
    Diagnostic &report = diagnostics.report(placeOf(key), diag::UnreadClusterKey, key.str());
    if (std::string meant = nearestName(key, missing); !meant.empty())
      report.help("did you mean `" + meant + "`?");
  }
}

bool ClusterReader::number(const Object &object, llvm::StringRef key, double least, double most,
                           double &value) {
  const Value *given = find(object, key);
  if (!given)
    return true;
  llvm::Optional<double> real = given->getAsNumber();
  if (!real || !(*real >= least) || !(*real <= most))
    return refuse(key, fmt::format("is a number from {:.15g} to {:.15g}", least, most));
  value = *real;
  return true;
}

bool ClusterReader::whole(const Object &object, llvm::StringRef key, int64_t least, int64_t most,
                          int64_t &value) {
  double real = static_cast<double>(value);
  if (!number(object, key, static_cast<double>(least), static_cast<double>(most), real))
    return false;
  if (real != std::floor(real))
    return refuse(key, fmt::format("is a whole number, not {:.15g}", real));
  value = static_cast<int64_t>(real);
  return true;
}

bool ClusterReader::flag(const Object &object, llvm::StringRef key, bool &value) {
  const Value *given = find(object, key);
  if (!given)
    return true;
  if (llvm::Optional<bool> truth = given->getAsBoolean())
    value = *truth;
  else if (llvm::Optional<double> real = given->getAsNumber())
    value = *real != 0;
  else
    return refuse(key, "is 0 or 1");
  return true;
}

bool ClusterReader::choice(const Object &object, llvm::StringRef key,
                           llvm::ArrayRef<llvm::StringRef> words, size_t &index) {
  const Value *given = find(object, key);
  if (!given)
    return true;
  auto word = llvm::find(words, given->getAsString().getValueOr(""));
  if (word == words.end())
    return refuse(key, "is " + llvm::join(words, " or "));
  index = static_cast<size_t>(word - words.begin());
  return true;
}

bool ClusterReader::readNetwork(const Object &object, astra::Network &network) {
  const Array *counts = object.getArray("npus_count");
  if (!counts || counts->empty() || counts->size() > 8)
    return refuse("npus_count", "is a list with the number of NPUs in each dimension, 1 to 8");
  for (llvm::StringRef key : {"topology", "bandwidth", "latency"}) {
    const Array *list = object.getArray(key);
    if (!list || list->size() != counts->size())
      return refuse(key,
                    fmt::format("is a list with one entry per dimension, here {}", counts->size()));
  }
  network.clear();
  for (size_t index = 0; index < counts->size(); ++index) {
    astra::Dimension dim;
    if (!readDimension(object, index, dim))
      return false;
    network.push_back(dim);
  }
  for (llvm::StringRef key : {"npus_count", "topology", "bandwidth", "latency"})
    find(object, key);
  warnOfUnread(object);
  return true;
}

bool ClusterReader::readDimension(const Object &object, size_t index, astra::Dimension &dim) {
  static constexpr llvm::StringLiteral topologies[] = {"Ring", "Switch", "FullyConnected"};
  llvm::StringRef word = (*object.getArray("topology"))[index].getAsString().getValueOr("");
  const auto *topology = llvm::find(topologies, word);
  if (topology == std::end(topologies))
    return refuse("topology", "holds Ring, Switch or FullyConnected" +
                                  (word.empty() ? "" : ", not " + word.str()));
  dim.topology = static_cast<astra::Topology>(topology - std::begin(topologies));
  auto at = [&](llvm::StringRef key) { return (*object.getArray(key))[index].getAsNumber(); };
  llvm::Optional<double> count = at("npus_count"), bandwidth = at("bandwidth"),
                         latency = at("latency");
  if (!count || *count < 2 || *count > 1 << 20 || *count != std::floor(*count))
    return refuse("npus_count", "holds whole numbers from 2 to 1048576" +
                                    (count ? fmt::format(", not {:.15g}", *count) : ""));
  if (!bandwidth || !(*bandwidth >= 1e-6) || !(*bandwidth <= 1e12))
    return refuse("bandwidth", "holds positive numbers of GB/s" +
                                   (bandwidth ? fmt::format(", not {:.15g}", *bandwidth) : ""));
  if (!latency || !(*latency >= 0) || !(*latency <= 1e12))
    return refuse("latency", "holds numbers of ns that are not negative" +
                                 (latency ? fmt::format(", not {:.15g}", *latency) : ""));
  dim.npus = static_cast<uint32_t>(*count);
  dim.bandwidth = *bandwidth;
  dim.latency = *latency;
  return true;
}

bool ClusterReader::readAlgorithms(const Object &object, astra::Collective op,
                                   astra::System &system) {
  std::string key = astra::collectiveWord(op).str() + "-implementation";
  if (!refuseCustom(object, key + "-custom"))
    return false;
  const Value *given = find(object, key);
  if (!given)
    return true;
  const Array *list = given->getAsArray();
  if (!list || list->empty())
    return refuse(key, "is a list of algorithms, one per network dimension");
  auto &algorithms = system.algorithms[static_cast<unsigned>(op)];
  algorithms.clear();
  for (const Value &entry : *list) {
    llvm::StringRef word = entry.getAsString().getValueOr("");
    algorithms.emplace_back();
    if (!astra::parseAlgorithm(word, algorithms.back()))
      return refuse(key, fmt::format("holds ring, direct, directN, halvingDoubling, "
                                     "doubleBinaryTree or oneX of these, not `{}`",
                                     word));
  }
  return true;
}

/// A collective that is a trace of its own wins over a native one.
bool ClusterReader::refuseCustom(const Object &object, llvm::StringRef key) {
  return !find(object, key) ||
         refuse(key, "replaces the native collectives by traces, which are not modelled");
}

/// Keys of the system that change no simulated time: of logs, of the shared bus, which is refused,
/// and one that no version reads.
static constexpr llvm::StringLiteral withoutEffect[] = {"L",
                                                        "o",
                                                        "g",
                                                        "G",
                                                        "local-reduction-delay",
                                                        "trace-enabled",
                                                        "track-local-mem",
                                                        "local-mem-trace-filename",
                                                        "boost-mode"};

bool ClusterReader::readSystem(const Object &object, astra::System &system) {
  bool hasBus = false;
  if (!refuseCustom(object, "per-node-custom-implementation") ||
      !flag(object, "model-shared-bus", hasBus))
    return false;
  if (hasBus)
    return refuse("model-shared-bus", "is not modelled: it is 0");
  for (unsigned op = 0; op < astra::collectiveCount; ++op)
    if (!readAlgorithms(object, static_cast<astra::Collective>(op), system))
      return false;
  size_t policy = system.lifo ? 0 : 1, optimization = system.localBwAware ? 0 : 1;
  int64_t queues = system.queues;
  bool fine =
      choice(object, "scheduling-policy", {"LIFO", "FIFO"}, policy) &&
      choice(object, "collective-optimization", {"localBWAware", "baseline"}, optimization) &&
      whole(object, "endpoint-delay", 0, int64_t(1) << 40, system.endpointDelay) &&
      whole(object, "active-chunks-per-dimension", 1, 1 << 20, system.activeChunks) &&
      whole(object, "preferred-dataset-splits", 1, 1 << 20, system.splits) &&
      whole(object, "num-queues-per-dim", 1, astra::mostQueues, queues) &&
      number(object, "local-mem-bw", 0, 1e12, system.localMemBandwidth) &&
      number(object, "peak-perf", 0, 1e12, system.peakPerf) &&
      flag(object, "roofline-enabled", system.roofline) &&
      flag(object, "replay-only", system.replayOnly);
  system.lifo = policy == 0;
  system.localBwAware = optimization == 0;
  system.queues = static_cast<uint32_t>(queues);
  if (fine)
    warnOfUnread(object, withoutEffect);
  return fine;
}

bool ClusterReader::warnOfUnused(const astra::Cluster &cluster) {
  size_t dimensions = cluster.network.size();
  for (unsigned op = 0; op < astra::collectiveCount; ++op) {
    auto collective = static_cast<astra::Collective>(op);
    std::string key = astra::collectiveWord(collective).str() + "-implementation";
    if (cluster.system.algorithmsOf(collective).size() > dimensions)
      diagnostics
          .report(placeOf(key), diag::UnreadClusterKey, fmt::format("{}[{}]", key, dimensions))
          .help(fmt::format("it holds an algorithm per network dimension, and here {}",
                            dimensions == 1 ? "is one" : fmt::format("are {}", dimensions)));
  }
  return true;
}

bool ClusterReader::readGroup(llvm::StringRef key, const Value &value, uint64_t ranks,
                              astra::Groups &groups) {
  auto refuseGroup = [&](const std::string &reason) {
    diagnostics.report(placeOf(key), diag::BadGroup, key.str(), reason);
    return false;
  };
  int64_t id = 0;
  if (key.getAsInteger(10, id) || id <= 0 || id > 1'000'000'000'000)
    return refuseGroup("has no positive number as its id");
  const Array *list = value.getAsArray();
  if (!list)
    return refuseGroup("is no list of ranks");
  std::vector<uint32_t> members;
  llvm::DenseSet<uint32_t> isMember;
  for (const Value &entry : *list) {
    llvm::Optional<int64_t> rank = entry.getAsInteger();
    if (!rank || *rank < 0 || *rank >= static_cast<int64_t>(ranks))
      return refuseGroup(fmt::format("holds something that is no rank from 0 to {}", ranks - 1));
    if (!isMember.insert(static_cast<uint32_t>(*rank)).second)
      return refuseGroup(fmt::format("names rank {} twice", *rank));
    members.push_back(static_cast<uint32_t>(*rank));
  }
  if (members.empty())
    return refuseGroup("has no member");
  if (!groups.try_emplace(id, std::move(members)).second)
    return refuseGroup(fmt::format("is group {} again", id));
  return true;
}

bool ClusterReader::readGroups(const Object &object, uint64_t ranks, astra::Groups &groups) {
  std::vector<llvm::StringRef> keys;
  for (const auto &entry : object)
    keys.push_back(entry.first);
  llvm::sort(keys);
  return llvm::all_of(
      keys, [&](llvm::StringRef key) { return readGroup(key, *object.get(key), ranks, groups); });
}

bool ClusterReader::needs(const Object &object, llvm::StringRef key) {
  return object.get(key) || refuse(key, "is not given");
}

bool ClusterReader::readMemory(const Object &object, astra::RemoteMemory &memory) {
  if (!needs(object, "memory-type"))
    return false;
  size_t kind = static_cast<size_t>(memory.kind);
  if (!choice(object, "memory-type",
              {"NO_MEMORY_EXPANSION", "PER_NPU_MEMORY_EXPANSION", "PER_NODE_MEMORY_EXPANSION",
               "MEMORY_POOL"},
              kind))
    return false;
  memory.kind = static_cast<astra::MemoryKind>(kind);
  if (memory.kind != astra::MemoryKind::None &&
      (!needs(object, "remote-mem-latency") || !needs(object, "remote-mem-bw")))
    return false;
  if (memory.kind == astra::MemoryKind::PerNode && !needs(object, "num-npus-per-node"))
    return false;
  bool fine = whole(object, "remote-mem-latency", 0, int64_t(1) << 40, memory.latency) &&
              number(object, "remote-mem-bw", 1e-6, 1e12, memory.bandwidth) &&
              whole(object, "num-npus-per-node", 1, 1 << 20, memory.npusPerNode);
  static constexpr llvm::StringLiteral others[] = {"num-nodes"}; // follows from the NPUs
  if (fine)
    warnOfUnread(object, others);
  return fine;
}
