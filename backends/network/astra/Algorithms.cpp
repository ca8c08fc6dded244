// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the algorithms react to their events. Actions of one NPU that fall due at one time run
// together, when the first of them was scheduled.
#include "backends/network/astra/CollectiveLayer.h"

using namespace perfc;
using namespace perfc::astra;

void CollectiveLayer::schedule(uint32_t npu, int64_t delay, uint32_t subject, int64_t reduction) {
  uint32_t index = unusedActions;
  if (index == ~0u) {
    index = static_cast<uint32_t>(actions.size());
    actions.push_back({subject, ~0u, reduction});
  } else {
    unusedActions = actions[index].next;
    actions[index] = {subject, ~0u, reduction};
  }
  int64_t time = events.now() + delay;
  std::deque<DueList> &dues = npus[npu].dues;
  auto at = dues.end(); // delays are mostly equal: it falls due last
  if (!dues.empty() && dues.back().time >= time)
    at = llvm::partition_point(dues, [&](const DueList &list) { return list.time < time; });
  if (at != dues.end() && at->time == time) {
    actions[at->last].next = index;
    at->last = index;
    return;
  }
  events.after(delay, {EventKind::Due, npu});
  dues.insert(at, {time, index, index});
}

void CollectiveLayer::due(uint32_t npu) {
  // Lists that are added meanwhile are for later times and go behind this one.
  uint32_t index = npus[npu].dues.front().first;
  while (index != ~0u) {
    Action action = actions[index];
    if (action.reduction == isOperation)
      finished(action.subject);
    else if (action.reduction == noReduction)
      releasedPacket(action.subject);
    else
      schedule(npu, action.reduction, action.subject, noReduction);
    uint32_t next = actions[index].next; // the list may have grown
    actions[index].next = unusedActions;
    unusedActions = index;
    index = next;
  }
  npus[npu].dues.pop_front();
}

void CollectiveLayer::after(uint32_t npu, int64_t delay, uint32_t token) {
  schedule(npu, delay, token, isOperation);
}

void CollectiveLayer::arrival(uint32_t index) {
  Channel &channel = channels[index];
  --channel.inFlight;
  if (++channel.balance > 0)
    return; // nobody waits yet
  uint32_t receiver = channel.receiver;
  channels.releaseIfIdle(index);
  receivedPacket(receiver);
}

void CollectiveLayer::received(uint32_t stream) { receivedPacket(stream); }

void CollectiveLayer::send(uint32_t index, uint32_t peer, int64_t size) {
  const Stream &stream = streams[index];
  uint32_t channel = channels.find(stream.number, stream.npu, peer, size);
  ++channels[channel].inFlight;
  if (!links.send(stream.npu, peer, size, {EventKind::Arrival, channel})) {
    abortReason = "a message that occupies its link for 0 ns is sent at time 0";
    events.stop();
  }
}

void CollectiveLayer::receive(uint32_t index, uint32_t peer, int64_t size) {
  const Stream &stream = streams[index];
  uint32_t channel = channels.find(stream.number, peer, stream.npu, size);
  channels[channel].receiver = index;
  if (--channels[channel].balance < 0)
    return;
  channels.releaseIfIdle(channel);
  events.after(0, {EventKind::Received, index});
}

void CollectiveLayer::release(uint32_t index, int64_t size, bool reduce) {
  if (reduce && size != reducedSize) {
    reducedSize = size;
    reduction = system.reductionTime(size);
  }
  const Stream &stream = streams[index];
  schedule(stream.npu, stream.phase.delay, index, reduce ? reduction : noReduction);
}

void CollectiveLayer::begin(uint32_t index) {
  Phase &phase = streams[index].phase;
  if (phase.algorithm.kind != AlgorithmKind::DoubleBinaryTree) {
    for (int64_t packet = 0, width = phase.width; packet < width; ++packet)
      preparePacket(index);
    return;
  }
  if (phase.childCount == 0) {
    phase.tree = Phase::TreeState::Leaf;
    return release(index, phase.size, false);
  }
  phase.tree = Phase::TreeState::Reduce;
  for (unsigned child = 0; child < phase.childCount; ++child)
    receive(index, phase.children[child], phase.size);
}

void CollectiveLayer::receivedPacket(uint32_t index) {
  Phase &phase = streams[index].phase;
  if (phase.algorithm.kind != AlgorithmKind::DoubleBinaryTree) {
    ++phase.received;
    return preparePacket(index);
  }
  if (phase.tree == Phase::TreeState::Reduce)
    return release(index, phase.size, true);
  // From the parent; an inner node pays a reduction here too.
  phase.tree = Phase::TreeState::Down;
  release(index, phase.size, phase.childCount > 0);
}

void CollectiveLayer::preparePacket(uint32_t index) {
  Phase &phase = streams[index].phase;
  if (phase.fresh == 0 && phase.forwarded == 0) {
    phase.fresh = phase.width;
    phase.forwarded = phase.perPass;
    phase.reducingPass = !phase.reducingPass;
  }
  ++phase.packets;
  bool reduce = false;
  if (phase.fresh > 0) {
    --phase.fresh;
  } else {
    reduce = phase.op == Collective::ReduceScatter ||
             (phase.op == Collective::AllReduce && phase.reducingPass);
    --phase.forwarded;
  }
  int64_t message = phase.message;
  if (phase.algorithm.kind == AlgorithmKind::HalvingDoubling) {
    phase.waitingSize = message;
    phase.waitingPeer = phase.target;
    nextPartner(phase);
  }
  release(index, message, reduce);
}

void CollectiveLayer::releasedPacket(uint32_t index) {
  Phase &phase = streams[index].phase;
  if (phase.algorithm.kind == AlgorithmKind::DoubleBinaryTree)
    return treeReleased(index);
  ++phase.idle;
  sendNext(index);
}

/// True when a packet is prepared, released and still to be sent.
static bool hasNext(const Phase &phase) {
  return phase.packets != 0 && phase.remaining != 0 && phase.idle != 0;
}

/// The second half of a direct all-reduce starts only when every packet of the first half is here.
void CollectiveLayer::sendNext(uint32_t index) {
  Phase &phase = streams[index].phase;
  int64_t peers = phase.members.count - 1;
  if (phase.algorithm.kind == AlgorithmKind::Direct && phase.op == Collective::AllReduce &&
      phase.remaining <= peers) {
    if (phase.received < peers)
      return;
    for (int64_t packet = 0, width = phase.width; packet < width && hasNext(phase); ++packet)
      sendOne(index);
  } else {
    sendOne(index);
  }
  if (phase.remaining == 0 && phase.idle == phase.width)
    advance(index);
}

void CollectiveLayer::sendOne(uint32_t index) {
  Phase &phase = streams[index].phase;
  if (!hasNext(phase))
    return;
  --phase.packets;
  --phase.remaining;
  --phase.idle;
  uint32_t target = phase.target, source = phase.source;
  int64_t size = phase.message;
  if (phase.algorithm.kind == AlgorithmKind::Direct) {
    int64_t offset = static_cast<int64_t>(phase.target) * phase.direction;
    target = phase.members.neighbour(offset);
    source = phase.members.neighbour(-offset);
    phase.target = phase.target + 1 == phase.members.count ? 1 : phase.target + 1;
  } else if (phase.algorithm.kind == AlgorithmKind::HalvingDoubling) {
    target = source = phase.waitingPeer;
    size = phase.waitingSize;
  }
  send(index, target, size);
  receive(index, source, size);
}

void CollectiveLayer::treeReleased(uint32_t index) {
  Phase &phase = streams[index].phase;
  if (phase.tree == Phase::TreeState::Down)
    return treeDown(index);
  if (phase.tree == Phase::TreeState::Reduce && ++phase.released < phase.childCount)
    return;
  treeUp(index);
}

void CollectiveLayer::treeUp(uint32_t index) {
  Phase &phase = streams[index].phase;
  if (!phase.hasParent)
    return treeDown(index);
  phase.tree = Phase::TreeState::Parent;
  send(index, phase.parent, phase.size);
  receive(index, phase.parent, phase.size);
}

void CollectiveLayer::treeDown(uint32_t index) {
  Phase &phase = streams[index].phase;
  for (unsigned child = 0; child < phase.childCount; ++child)
    send(index, phase.children[child], phase.size);
  advance(index);
}
