// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/network/astra/Workload.h"

#include "backends/network/astra/ClosedForm.h"

using namespace perfc;
using namespace perfc::astra;
using chakra::Field;
using chakra::Node;
using chakra::NodeType;

/// The groups by ascending id, behind the world.
static std::vector<GroupInfo> groupTable(const Groups &groups) {
  std::vector<GroupInfo> table(1);
  for (const auto &[id, ranks] : groups)
    table.push_back({id, ranks});
  return table;
}

/// A folded run needs no network, but a place for each class.
static Network networkOf(const Cluster &cluster, const Folding *folding) {
  if (!folding)
    return cluster.network;
  Dimension places;
  places.npus = std::max<uint32_t>(2, static_cast<uint32_t>(folding->firsts.size()));
  return {places};
}

Workload::Workload(const Cluster &cluster, Traces traces, const Folding *folding)
    : cluster(cluster), traces(traces), folding(folding), groups(groupTable(cluster.groups)),
      network(networkOf(cluster, folding)), links(events, network, cluster.aware),
      layer(events, links, network, cluster.system, groups,
            [this](uint32_t token) { finish(token); }),
      ranks(folding ? folding->firsts.size() : astra::rankCount(cluster.network)) {
  for (uint32_t group = 1; group < groups.size(); ++group)
    groupByName[std::to_string(groups[group].id)] = group;
}

uint32_t Workload::groupOf(const chakra::Trace &trace, const Node &node) const {
  return node.group ? groupByName.lookup(trace.groupNames[node.group]) : 0;
}

bool Workload::usesRoofline(const Node &node) const {
  return node.type == NodeType::Compute && cluster.system.roofline && !node.onCpu;
}

/// Invalid nodes and roofline nodes without a tensor vanish; what depends on them never starts.
Workload::Slot Workload::slotOf(const Node &node) const {
  switch (node.type) {
  case NodeType::Invalid:
  case NodeType::Metadata:
    return Never;
  case NodeType::Receive:
    return Receive;
  case NodeType::Compute:
    if (usesRoofline(node) && node.value(Field::TensorSize) == 0)
      return Never;
    return node.onCpu ? Cpu : Gpu;
  default:
    return Communication;
  }
}

void Workload::makeReady(uint32_t rank, uint32_t node) {
  Slot slot = slotOf(trace(rank).nodes[node]);
  if (slot != Never)
    ranks[rank].ready[slot].push(node);
}

void Workload::run() {
  for (uint32_t rank = 0; rank < ranks.size(); ++rank) {
    llvm::ArrayRef<uint32_t> parents = trace(rank).parentCounts();
    ranks[rank].waiting.assign(parents.begin(), parents.end());
    for (uint32_t node = 0; node < parents.size(); ++node)
      if (parents[node] == 0)
        makeReady(rank, node);
  }
  for (uint32_t rank = 0; rank < ranks.size(); ++rank)
    issueReady(rank);
  events.run([this](Event event) { handle(event); });
}

void Workload::handle(Event event) {
  switch (event.kind) {
  case EventKind::Arrival:
    return layer.arrival(event.subject);
  case EventKind::Hop: {
    Event arrival;
    if (links.hop(event.subject, arrival))
      handle(arrival);
    return;
  }
  case EventKind::LinkFree:
    return links.freed(event.subject);
  case EventKind::Due:
    return layer.due(event.subject);
  case EventKind::Received:
    return layer.received(event.subject);
  case EventKind::PeerArrival: {
    Exchange &exchange = exchanges[event.subject];
    uint32_t send = exchange.sends.front();
    exchange.sends.pop_front();
    if (exchange.receives.empty()) {
      ++exchange.arrived;
      return finish(send);
    }
    uint32_t receive = exchange.receives.front();
    exchange.receives.pop_front();
    finish(send);
    return finish(receive);
  }
  case EventKind::OperationDone:
    return finish(event.subject);
  }
}

void Workload::issueReady(uint32_t rank) {
  while (true) {
    int chosen = -1;
    for (unsigned slot = 0; slot < slotCount; ++slot) {
      const Rank &state = ranks[rank];
      if (state.ready[slot].empty() || (slot != Receive && state.busy[slot]))
        continue;
      if (chosen < 0 || state.ready[slot].top() < state.ready[chosen].top())
        chosen = static_cast<int>(slot);
    }
    if (chosen < 0)
      return;
    uint32_t node = ranks[rank].ready[chosen].top();
    ranks[rank].ready[chosen].pop();
    ranks[rank].busy[chosen] = chosen != Receive;
    ++ranks[rank].active;
    ranks[rank].lastIssue[chosen] = events.now();
    issue(rank, node, static_cast<Slot>(chosen));
  }
}

uint32_t Workload::newOperation(Operation operation) {
  if (unused.empty()) {
    running.push_back(operation);
    return static_cast<uint32_t>(running.size() - 1);
  }
  uint32_t token = unused.back();
  unused.pop_back();
  running[token] = operation;
  return token;
}

void Workload::issue(uint32_t rank, uint32_t index, Slot slot) {
  const Node &node = trace(rank).nodes[index];
  uint32_t token = newOperation({rank, index, events.now()});
  bool replays = cluster.system.replayOnly && node.communicates();
  if (node.type == NodeType::Compute || replays) {
    int64_t duration = computeTime(node);
    ranks[rank].computeTime += slot == Gpu || replays ? duration : 0;
    return layer.after(rank, duration, token);
  }
  if (node.type == NodeType::Collective)
    return issueCollective(token, node);
  if (node.type == NodeType::MemLoad || node.type == NodeType::MemStore)
    return issueMemory(token, node);
  issueMessage(token, node);
}

int64_t Workload::computeTime(const Node &node) const {
  if (!usesRoofline(node))
    return node.durationMicros ? static_cast<int64_t>(node.durationMicros) * 1000 : 1;
  auto operations = static_cast<double>(node.value(Field::NumOps));
  auto size = static_cast<double>(node.value(Field::TensorSize));
  double memoryRate = cluster.system.localMemBandwidth * 1e9 * (operations / size);
  return static_cast<int64_t>(operations / std::min(memoryRate, cluster.system.peakPerf * 1e12) *
                              1e9);
}

void Workload::issueCollective(uint32_t token, const Node &node) {
  uint32_t rank = running[token].rank;
  Collective op;
  if (!collectiveOf(node.value(Field::CommType), op))
    return layer.after(rank, computeTime(node), token);
  int64_t size = node.value(Field::CommSize);
  uint32_t group = groupOf(trace(rank), node);
  if (folding)
    return layer.after(rank, *closedForm(cluster, op, size, group ? &groups[group].ranks : nullptr),
                       token);
  bool never = size == 0 && op == Collective::AllGather;
  if (never || (group && groups[group].ranks.size() < 2))
    return; // never finishes
  layer.start(rank, op, size, group, token);
}

/// A message between classes: its ends are a class and a distance.
void Workload::issueFolded(uint32_t token, const Node &node) {
  uint32_t rank = running[token].rank, real = realRank(rank);
  int64_t size = node.value(Field::CommSize), tag = node.value(Field::CommTag);
  if (node.type == NodeType::Send) {
    auto peer = static_cast<uint32_t>(node.value(Field::CommDst));
    uint32_t exchange = exchanges.find({tag, rank, peer - real, size});
    exchanges[exchange].sends.push_back(token);
    Distance way = distanceOf(cluster.network, real, peer);
    return events.after(cluster.network[way.dim].messageTime(way.hops, size),
                        {EventKind::PeerArrival, exchange});
  }
  auto peer = static_cast<uint32_t>(node.value(Field::CommSrc));
  receive(token, exchanges[exchanges.find({tag, folding->classOf[peer], real - peer, size})]);
}

void Workload::receive(uint32_t token, Exchange &exchange) {
  if (exchange.arrived == 0)
    return exchange.receives.push_back(token);
  --exchange.arrived;
  events.after(0, {EventKind::OperationDone, token});
}

void Workload::issueMessage(uint32_t token, const Node &node) {
  if (folding)
    return issueFolded(token, node);
  uint32_t rank = running[token].rank;
  int64_t size = node.value(Field::CommSize), tag = node.value(Field::CommTag);
  if (node.type == NodeType::Send) {
    auto peer = static_cast<uint32_t>(node.value(Field::CommDst));
    uint32_t exchange = exchanges.find({tag, rank, peer, size});
    exchanges[exchange].sends.push_back(token);
    if (links.send(rank, peer, size, {EventKind::PeerArrival, exchange}))
      return;
    abortReason = "a message that occupies its link for 0 ns is sent at time 0";
    return events.stop();
  }
  auto peer = static_cast<uint32_t>(node.value(Field::CommSrc));
  receive(token, exchanges[exchanges.find({tag, peer, rank, size})]);
}

void Workload::issueMemory(uint32_t token, const Node &node) {
  const RemoteMemory &memory = cluster.memory;
  int64_t duration =
      memory.latency +
      static_cast<int64_t>(static_cast<double>(node.value(Field::TensorSize)) / memory.bandwidth);
  int64_t start = events.now();
  if (memory.kind != MemoryKind::PerNpu) {
    int64_t rank = running[token].rank;
    int64_t server = memory.kind == MemoryKind::PerNode ? rank / memory.npusPerNode : 0;
    int64_t &freeAt = memoryFreeAt[server];
    start = std::max(start, freeAt);
    freeAt = start + duration;
  }
  events.after(start + duration - events.now(), {EventKind::OperationDone, token});
}

void Workload::finish(uint32_t token) {
  Operation operation = running[token];
  running[token].rank = ~0u;
  unused.push_back(token);
  uint32_t index = operation.rank;
  const chakra::Trace &trace = this->trace(index);
  const Node &node = trace.nodes[operation.node];
  if (node.communicates())
    ranks[index].communication.emplace_back(operation.start, events.now());
  Slot slot = slotOf(node);
  ranks[index].busy[slot] = false;
  --ranks[index].active;
  for (uint32_t child : trace.children(operation.node))
    if (--ranks[index].waiting[child] == 0)
      makeReady(index, child);
  issueReady(index);
  Rank &rank = ranks[index];
  checkTie(rank);
  bool isIdle = rank.active == 0 &&
                llvm::all_of(rank.ready, [](const ReadyHeap &heap) { return heap.empty(); });
  if (isIdle && rank.finish < 0)
    rank.finish = events.now();
}

/// Two nodes of a rank are done at one time, and nodes compete for a slot that was given away then:
/// which of them comes first depends on the order of events, which classes do not have.
void Workload::checkTie(Rank &rank) {
  if (folding && rank.lastFinish == events.now())
    for (unsigned slot = 0; slot < Receive; ++slot)
      hasTie |= rank.lastIssue[slot] == events.now() && !rank.ready[slot].empty();
  rank.lastFinish = events.now();
  if (hasTie)
    events.stop();
}

bool Workload::isUnambiguous() const {
  return !hasTie &&
         (ranks.size() == 1 || llvm::all_of(ranks, [](const Rank &r) { return r.finish >= 0; }));
}

RankResult Workload::result(uint32_t index) const {
  const Rank &rank = ranks[index];
  RankResult result{rank.finish, rank.computeTime, 0};
  std::vector<std::pair<int64_t, int64_t>> intervals = rank.communication;
  llvm::sort(intervals);
  int64_t end = 0;
  for (auto [start, stop] : intervals) {
    result.communicationBusy += std::max<int64_t>(0, stop - std::max(start, end));
    end = std::max(end, stop);
  }
  return result;
}

std::string Workload::abortion() const {
  if (events.overflowed())
    return "a time does not fit 64 bits of nanoseconds";
  return abortReason.empty() ? layer.abortion() : abortReason;
}
