// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cutting collectives into chunks, and moving chunks through queues and phases.
#include "backends/network/astra/CollectiveLayer.h"

using namespace perfc;
using namespace perfc::astra;

static constexpr int64_t numbersPerGroup = 1000000;

CollectiveLayer::CollectiveLayer(EventQueue &events, Links &links, const Network &network,
                                 const System &system, llvm::ArrayRef<GroupInfo> groups,
                                 std::function<void(uint32_t)> finished)
    : events(events), links(links), network(network), system(system), groups(groups),
      finished(std::move(finished)), world(rankCount(network)),
      dims(static_cast<uint32_t>(network.size())),
      limit(static_cast<uint32_t>((system.activeChunks - 1) / system.queues + 1)) {
  uint32_t stride = 1;
  for (const Dimension &dim : network) {
    strides.push_back(stride);
    stride *= dim.npus;
  }
  npus.resize(world);
  queues.resize(world * dims * system.queues);
  dealers.resize(world * dims);
  memberships.resize(groups.size());
  for (size_t group = 1; group < groups.size(); ++group) {
    Membership &membership = memberships[group];
    for (uint32_t place = 0; place < groups[group].ranks.size(); ++place)
      membership.places.emplace_back(groups[group].ranks[place], place);
    llvm::sort(membership.places);
    membership.next.assign(membership.places.size(), groups[group].id * numbersPerGroup);
  }
}

bool CollectiveLayer::isSubgroup(uint32_t group) const {
  return group != 0 && groups[group].ranks.size() != world;
}

uint32_t CollectiveLayer::placeOf(uint32_t npu, uint32_t group) const {
  const auto &places = memberships[group].places;
  return llvm::partition_point(places, [&](const auto &entry) { return entry.first < npu; })
      ->second;
}

Algorithm CollectiveLayer::algorithmOf(Collective op, uint32_t group, unsigned dim) const {
  llvm::ArrayRef<Algorithm> algorithms = system.algorithmsOf(op);
  if (isSubgroup(group) && algorithms.size() > 1)
    return Algorithm(); // a subgroup is flat: with several algorithms given, it uses rings
  return algorithms[algorithms.front().flat ? 0 : dim];
}

unsigned CollectiveLayer::dimensionsOf(Collective op, uint32_t group) const {
  return isSubgroup(group) || system.algorithmsOf(op).front().flat ? 1 : dims;
}

Members CollectiveLayer::membersOf(uint32_t npu, uint32_t group, unsigned dim, bool flat) const {
  Members members;
  if (isSubgroup(group)) {
    members.list = groups[group].ranks.data();
    members.count = static_cast<uint32_t>(groups[group].ranks.size());
    members.index = placeOf(npu, group);
    members.subgroup = true;
  } else if (flat) {
    members.count = static_cast<uint32_t>(world);
    members.index = npu;
  } else {
    members.count = network[dim].npus;
    members.stride = strides[dim];
    members.index = npu / strides[dim] % members.count;
    members.first = npu - members.index * members.stride;
  }
  return members;
}

uint32_t CollectiveLayer::newStream() {
  if (!unusedStreams.empty()) {
    uint32_t index = unusedStreams.back();
    unusedStreams.pop_back();
    return index;
  }
  streams.emplace_back();
  return static_cast<uint32_t>(streams.size() - 1);
}

/// The world's counter also counts the chunks of groups.
int64_t CollectiveLayer::nextNumber(uint32_t npu, uint32_t group) {
  int64_t number = npus[npu].nextStream++;
  return group ? memberships[group].next[placeOf(npu, group)]++ : number;
}

void CollectiveLayer::start(uint32_t npu, Collective op, int64_t size, uint32_t group,
                            uint32_t token) {
  Chunks chunks = cutIntoChunks(op, size, world, system);
  uint32_t instance = static_cast<uint32_t>(instances.size());
  if (unusedInstances.empty()) {
    instances.push_back({chunks.count, token});
  } else {
    instance = unusedInstances.back();
    unusedInstances.pop_back();
    instances[instance] = {chunks.count, token};
  }
  int64_t priority = npus[npu].nextPriority;
  npus[npu].nextPriority += system.lifo ? 1 : -1;
  for (int64_t chunk = 0; chunk < chunks.count; ++chunk) {
    uint32_t index = newStream();
    Stream &stream = streams[index];
    stream.plan.clear();
    planPhases(npu, op, group, stream.plan);
    stream.number = nextNumber(npu, group);
    stream.priority = priority;
    stream.npu = npu;
    stream.instance = instance;
    stream.group = group;
    stream.op = op;
    stream.nextPhase = 0;
    stream.queue = ~0u;
    stream.running = false;
    stream.phase.size = chunks.bytes;
    advance(index);
  }
}

/// The next queue of a dimension: of `a`ll, of those `f`orth, of those `b`ack.
PhasePlan CollectiveLayer::deal(uint32_t npu, Collective op, unsigned dim, char way) {
  Dealers &dealer = dealers[npu * dims + dim];
  uint32_t half = system.queues / 2, queue = 0;
  bool backwards = false;
  if (way == 'f') {
    queue = dealer.forth++ % std::max(1u, half);
  } else if (way == 'b') {
    queue = half + dealer.back++ % (system.queues - half);
    backwards = true;
  } else {
    queue = dealer.all++ % system.queues;
    backwards = system.queues > 1 && queue >= half;
  }
  return {op, static_cast<uint8_t>(dim), backwards, false, queue};
}

void CollectiveLayer::planPhases(uint32_t npu, Collective op, uint32_t group,
                                 std::vector<PhasePlan> &plan) {
  unsigned count = dimensionsOf(op, group), last = count - 1;
  if (op == Collective::AllReduce && system.localBwAware) {
    for (unsigned dim = 0; dim < last; ++dim)
      plan.push_back(deal(npu, Collective::ReduceScatter, dim, 'f'));
    plan.push_back(deal(npu, op, last, 'f'));
    for (unsigned dim = last; dim-- > 0;)
      plan.push_back(deal(npu, Collective::AllGather, dim, 'b'));
  } else {
    for (unsigned at = 0; at < count; ++at)
      plan.push_back(deal(npu, op, op == Collective::AllGather ? last - at : at, 'a'));
  }
  for (PhasePlan &phase : plan)
    if (algorithmOf(op, group, phase.dim).kind == AlgorithmKind::DoubleBinaryTree)
      phase.rootIsHighest = ++npus[npu].trees % 2 == 1;
}

void CollectiveLayer::insert(Queue &queue, uint32_t index) {
  size_t at = queue.streams.size();
  for (; at > queue.first; --at) {
    const Stream &other = streams[queue.streams[at - 1]];
    if (other.running || other.priority >= streams[index].priority)
      break;
  }
  queue.streams.insert(queue.streams.begin() + static_cast<ptrdiff_t>(at), index);
}

void CollectiveLayer::Queue::erase(uint32_t stream) {
  auto begin = streams.begin() + first, at = std::find(begin, streams.end(), stream);
  std::move_backward(begin, at, at + 1);
  if (2 * ++first < streams.size())
    return;
  streams.erase(streams.begin(), streams.begin() + first);
  first = 0;
}

void CollectiveLayer::startReady(uint32_t index) {
  Queue &queue = queues[index];
  while (queue.running < std::min<size_t>(limit, queue.streams.size() - queue.first)) {
    uint32_t stream = queue.streams[queue.first + queue.running++];
    streams[stream].running = true;
    begin(stream);
  }
}

void CollectiveLayer::enterPhase(uint32_t index) {
  Stream &stream = streams[index];
  const PhasePlan &plan = stream.plan[stream.nextPhase];
  Phase &phase = stream.phase;
  if (stream.nextPhase > 0)
    phase.size = phase.outputSize();
  phase.algorithm = algorithmOf(stream.op, stream.group, plan.dim);
  phase.op = plan.op;
  phase.members = membersOf(stream.npu, stream.group, plan.dim, phase.algorithm.flat);
  phase.direction = plan.backwards ? -1 : 1;
  phase.delay = phase.members.subgroup ? groupEndpointDelay : system.endpointDelay;
  beginPhase(phase, plan.rootIsHighest);
  stream.queue = (stream.npu * dims + plan.dim) * system.queues + plan.queue;
  stream.running = false;
  ++stream.nextPhase;
}

void CollectiveLayer::advance(uint32_t index) {
  uint32_t left = streams[index].queue;
  bool isDone = streams[index].nextPhase == streams[index].plan.size();
  if (isDone)
    chunkFinished(streams[index].instance); // may start the next collective
  if (left != ~0u)
    queues[left].erase(index);
  if (isDone) {
    unusedStreams.push_back(index);
  } else {
    enterPhase(index);
    insert(queues[streams[index].queue], index);
  }
  uint32_t entered = streams[index].queue;
  if (left != ~0u) {
    --queues[left].running;
    startReady(left);
  }
  if (!isDone)
    startReady(entered);
}

void CollectiveLayer::chunkFinished(uint32_t instance) {
  if (--instances[instance].left != 0)
    return;
  uint32_t token = instances[instance].token;
  unusedInstances.push_back(instance);
  finished(token);
}
