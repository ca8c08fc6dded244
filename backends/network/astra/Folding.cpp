// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/network/astra/Folding.h"

#include "backends/network/astra/ClosedForm.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::astra;
using chakra::Field;
using chakra::Node;
using chakra::NodeType;

namespace {

class Folder {
public:
  Folder(const Cluster &cluster, Traces traces) : cluster(cluster), traces(traces) {}

  llvm::Optional<Folding> run();

private:
  /// What a rank talks to: distances of its peers, and its groups in the order of its trace.
  struct Contacts {
    std::vector<int64_t> distances;
    std::vector<const std::vector<uint32_t> *> groups;
    std::vector<int64_t> ids;
  };

  bool readContacts(uint32_t rank);
  void splitByTrace();
  bool splitByContacts();
  bool groupsAreWhole() const;
  bool haveClosedForms() const;

  const Cluster &cluster;
  Traces traces;
  std::vector<Contacts> contacts;
  Folding folding;
};

} // namespace

static bool isMessage(const Node &node) {
  return node.type == NodeType::Send || node.type == NodeType::Receive;
}

/// A value with ranks as distances from `rank`.
static int64_t relative(const Node &node, unsigned field, uint32_t rank) {
  bool isRank =
      static_cast<Field>(field) == Field::CommSrc || static_cast<Field>(field) == Field::CommDst;
  bool isThere = node.states[field] == chakra::FieldState::Integer;
  return node.values[field] - (isRank && isThere ? rank : 0);
}

static uint64_t hashOf(const chakra::Trace &trace, uint32_t rank) {
  uint64_t hash = trace.nodes.size();
  for (const Node &node : trace.nodes) {
    llvm::hash_code own = llvm::hash_combine(node.id, node.durationMicros, node.type, node.group);
    for (unsigned field = 0; field < chakra::fieldCount; ++field)
      own = llvm::hash_combine(own, relative(node, field, rank));
    hash = llvm::hash_combine(hash, own);
  }
  return hash;
}

static bool sameTrace(const chakra::Trace &a, uint32_t rankA, const chakra::Trace &b,
                      uint32_t rankB) {
  if (a.nodes.size() != b.nodes.size() || a.parentCounts() != b.parentCounts())
    return false;
  for (uint32_t i = 0; i < a.nodes.size(); ++i) {
    const Node &one = a.nodes[i], &two = b.nodes[i];
    if (one.id != two.id || one.durationMicros != two.durationMicros || one.type != two.type ||
        one.onCpu != two.onCpu || one.group != two.group || a.children(i) != b.children(i))
      return false;
    for (unsigned field = 0; field < chakra::fieldCount; ++field)
      if (one.states[field] != two.states[field] ||
          relative(one, field, rankA) != relative(two, field, rankB))
        return false;
  }
  return true;
}

bool Folder::readContacts(uint32_t rank) {
  const chakra::Trace &trace = *traces[rank];
  Contacts &own = contacts[rank];
  for (size_t slot = 1; slot < trace.groupNames.size(); ++slot) {
    int64_t id = 0;
    llvm::StringRef(trace.groupNames[slot]).getAsInteger(10, id);
    auto group = cluster.groups.find(id);
    if (group == cluster.groups.end())
      return false;
    own.groups.push_back(&group->second);
    own.ids.push_back(id);
  }
  for (const Node &node : trace.nodes)
    if (isMessage(node)) {
      bool sends = node.type == NodeType::Send;
      int64_t distance = node.value(sends ? Field::CommDst : Field::CommSrc) - rank;
      if (own.distances.empty() || own.distances.back() != distance)
        own.distances.push_back(distance);
    }
  llvm::sort(own.distances);
  own.distances.erase(std::unique(own.distances.begin(), own.distances.end()), own.distances.end());
  return true;
}

void Folder::splitByTrace() {
  llvm::DenseMap<uint64_t, std::vector<uint32_t>> byHash; // classes
  for (uint32_t rank = 0; rank < traces.size(); ++rank) {
    // Two values are none of DenseMap's keys.
    std::vector<uint32_t> &known = byHash[hashOf(*traces[rank], rank) >> 1];
    auto same = llvm::find_if(known, [&](uint32_t entry) {
      uint32_t first = folding.firsts[entry];
      return sameTrace(*traces[rank], rank, *traces[first], first);
    });
    if (same != known.end()) {
      folding.classOf[rank] = *same;
      continue;
    }
    folding.classOf[rank] = static_cast<uint32_t>(folding.firsts.size());
    known.push_back(folding.classOf[rank]);
    folding.firsts.push_back(rank);
  }
}

/// One round; true when a class was split.
bool Folder::splitByContacts() {
  std::map<std::vector<int64_t>, uint32_t> byKey;
  std::map<std::vector<uint32_t>, int64_t> colours; // of the members of a group
  llvm::DenseMap<const void *, int64_t> ofGroup;
  std::vector<uint32_t> classOf(traces.size()), firsts;
  for (uint32_t rank = 0; rank < traces.size(); ++rank) {
    std::vector<int64_t> key = {folding.classOf[rank]};
    for (int64_t distance : contacts[rank].distances) {
      auto peer = static_cast<uint32_t>(rank + distance);
      Distance way = distanceOf(cluster.network, rank, peer);
      key.insert(key.end(), {folding.classOf[peer], way.dim, way.hops});
    }
    for (const std::vector<uint32_t> *group : contacts[rank].groups) {
      auto [known, isNew] = ofGroup.insert({group, 0});
      if (isNew) {
        std::vector<uint32_t> members;
        for (uint32_t member : *group)
          members.push_back(folding.classOf[member]);
        Distance way = ringDistance(cluster.network, *group);
        members.insert(members.end(), {way.dim, way.hops});
        known->second =
            colours.try_emplace(members, static_cast<int64_t>(colours.size())).first->second;
      }
      key.push_back(known->second);
    }
    auto [entry, isNew] = byKey.try_emplace(key, static_cast<uint32_t>(firsts.size()));
    if (isNew)
      firsts.push_back(rank);
    classOf[rank] = entry->second;
  }
  bool split = firsts.size() != folding.firsts.size();
  folding = {std::move(classOf), std::move(firsts)};
  return split;
}

/// Whether groups lie in a class and all their members use them in one place of their traces.
bool Folder::groupsAreWhole() const {
  std::map<std::pair<int64_t, size_t>, size_t> users; // by group and place
  for (uint32_t rank = 0; rank < traces.size(); ++rank)
    for (size_t place = 0; place < contacts[rank].ids.size(); ++place) {
      ++users[{contacts[rank].ids[place], place}];
      for (uint32_t member : *contacts[rank].groups[place])
        if (folding.classOf[member] != folding.classOf[rank])
          return false;
    }
  return llvm::all_of(users, [&](const auto &entry) {
    return entry.second == cluster.groups.at(entry.first.first).size();
  });
}

bool Folder::haveClosedForms() const {
  for (uint32_t first : folding.firsts)
    for (const Node &node : traces[first]->nodes) {
      Collective op;
      if (node.type != NodeType::Collective || !collectiveOf(node.value(Field::CommType), op))
        continue;
      const std::vector<uint32_t> *group =
          node.group ? contacts[first].groups[node.group - 1] : nullptr;
      bool isWorld = !group || group->size() == traces.size();
      if ((isWorld && folding.firsts.size() > 1) ||
          !closedForm(cluster, op, node.value(Field::CommSize), group))
        return false;
    }
  return true;
}

llvm::Optional<Folding> Folder::run() {
  contacts.resize(traces.size());
  folding.classOf.resize(traces.size());
  for (uint32_t rank = 0; rank < traces.size(); ++rank)
    if (!readContacts(rank))
      return llvm::None;
  splitByTrace();
  while (folding.firsts.size() < traces.size() && splitByContacts()) {
  }
  if (folding.firsts.size() == traces.size() || !groupsAreWhole() || !haveClosedForms())
    return llvm::None;
  return std::move(folding);
}

/// One trace that all ranks run in step: only collectives of the world stand between them.
static bool isInStep(const Cluster &cluster, const chakra::Trace &trace) {
  return llvm::all_of(trace.nodes, [&](const Node &node) {
    Collective op;
    if (node.type == NodeType::Collective && collectiveOf(node.value(Field::CommType), op))
      return node.group == 0 && closedForm(cluster, op, node.value(Field::CommSize)).hasValue();
    return !isMessage(node);
  });
}

llvm::Optional<Folding> astra::foldRanks(const Cluster &cluster, Traces traces) {
  bool hasMemory = llvm::any_of(traces, [](const chakra::Trace *trace) {
    return llvm::any_of(trace->nodes, [](const Node &node) {
      return node.type == NodeType::MemLoad || node.type == NodeType::MemStore;
    });
  });
  if (hasMemory && cluster.memory.kind != MemoryKind::PerNpu)
    return llvm::None;
  if (traces.size() > 1)
    return cluster.aware ? llvm::None : Folder(cluster, traces).run();
  if (!isInStep(cluster, *traces[0]))
    return llvm::None;
  return Folding{std::vector<uint32_t>(rankCount(cluster.network), 0), {0}};
}
