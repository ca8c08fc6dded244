// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The nodes of one stage of a step, in the order in which its ranks run them.
#include "backends/core/StepProgram.h"

#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace perfc;

namespace {

/// Lays the nodes of one stage out. A node that is put off gets a number with `later` set, until
/// all of those follow the others.
class StageLayout {
public:
  StageLayout(const StepProgram &program, size_t stage)
      : program(program), stage(program.stages[stage]), at(static_cast<int64_t>(stage)),
        last(static_cast<int64_t>(program.stages.size()) - 1), sharing(program.sharingAxis()) {}

  std::vector<StepNode> run();

private:
  using Numbers = std::vector<uint32_t>;
  static constexpr uint32_t later = 1u << 31;

  void task(const passes::StageTask &task, bool isLastOfChunk);
  /// Block `which`, the `position`th of its task; `isLast` when its gradients are complete then.
  void block(const passes::StageTask &task, size_t position, uint32_t which, bool isLast);
  Numbers items(const StepBlock &block, const passes::StageTask &task, Numbers &previous);
  uint32_t item(const StepItem &item, const Numbers &reads, double scale, bool isPutOff);
  void message(const passes::StageTask &task, bool isSend);
  uint32_t collective(const char *kind, int64_t axis, double bytes, const Numbers &after,
                      bool isPutOff = false);
  Numbers exchange(const char *kind, const std::string &share, const StepBlock &block, double size,
                   const Numbers &after, bool isPutOff);
  void ring(const StageRing &ring, int64_t firstTag);
  void optimizer();
  uint32_t add(StepNode node, bool isPutOff = false);
  void appendPutOff();
  int64_t axisOf(const std::string &name) const { return program.axisNamed(name); }
  double weightsOf(double StepBlock::*kind) const;

  const StepProgram &program;
  const StepStage &stage;
  int64_t at, last;
  std::string sharing; ///< the axis along which it is
  std::vector<StepNode> nodes, putOff;
  Numbers input;       ///< what the next block waits for
  Numbers blockBefore; ///< what the block before waited for
  Numbers parameters;  ///< what gathers those of the block at hand
  Numbers finished;    ///< gradients that are complete
  Numbers behindSends; ///< exchanges, put off, that would keep the last message from going out
  Numbers lastSend;    ///< the last message, if there is one
  /// The gradients of weights of the microbatch before, by chunk and position: they are added to.
  std::vector<std::vector<Numbers>> sums;
};

} // namespace

uint32_t StageLayout::add(StepNode node, bool isPutOff) {
  std::sort(node.after.begin(), node.after.end());
  node.after.erase(std::unique(node.after.begin(), node.after.end()), node.after.end());
  std::vector<StepNode> &list = isPutOff ? putOff : nodes;
  list.push_back(std::move(node));
  return static_cast<uint32_t>(list.size() - 1) | (isPutOff ? later : 0);
}

void StageLayout::appendPutOff() {
  for (uint32_t number : behindSends) {
    Numbers &after = putOff[number & ~later].after;
    after.insert(after.end(), lastSend.begin(), lastSend.end());
  }
  auto base = static_cast<uint32_t>(nodes.size());
  auto resolve = [&](Numbers &numbers) {
    for (uint32_t &number : numbers)
      if (number & later)
        number = base + (number & ~later);
  };
  for (StepNode &node : putOff) {
    resolve(node.after);
    nodes.push_back(std::move(node));
  }
  putOff.clear();
  resolve(finished);
}

uint32_t StageLayout::item(const StepItem &item, const Numbers &reads, double scale,
                           bool isPutOff) {
  StepNode node;
  node.name = item.name;
  node.seconds = item.seconds * scale;
  node.flops = item.flops * scale;
  node.bytes = item.bytes * scale;
  node.after = reads;
  if (!item.kind.empty()) {
    node.kind = StepNode::Kind::Collective;
    node.collective = item.kind;
    node.axis = static_cast<uint32_t>(axisOf(item.axis));
  }
  uint32_t number = 0;
  for (int64_t run = 0; run < item.count; ++run) {
    number = add(node, isPutOff);
    node.after = {number};
  }
  return number;
}

/// Which items lead to something that goes out of the block.
static std::vector<bool> feeding(const StepBlock &block) {
  std::vector<bool> feeds(block.items.size(), false);
  for (uint32_t output : block.outputs)
    feeds[output] = true;
  for (size_t i = block.items.size(); i-- > 0;)
    if (feeds[i])
      for (uint32_t read : block.items[i].after)
        feeds[read] = true;
  return feeds;
}

/// Adds the items and sets `input` to those that make the outputs; returns those that nothing in
/// the block reads.
StageLayout::Numbers StageLayout::items(const StepBlock &block, const passes::StageTask &task,
                                        Numbers &previous) {
  std::vector<bool> feeds = feeding(block), isRead(block.items.size(), false);
  bool isLast = task.microbatch + 1 == program.microbatches;
  double scale = isLast ? program.lastMicrobatch : 1;
  std::vector<Numbers> made(block.items.size());
  Numbers ends, sumsNow;
  for (size_t i = 0; i < block.items.size(); ++i) {
    const StepItem &entry = block.items[i];
    Numbers reads;
    for (uint32_t read : entry.after) {
      isRead[read] = true;
      reads.insert(reads.end(), made[read].begin(), made[read].end());
    }
    if (reads.empty())
      reads = input;
    reads.insert(reads.end(), parameters.begin(), parameters.end());
    bool isGradient = task.isBackward && !feeds[i] && !block.outputs.empty();
    if (!entry.kind.empty() && axisOf(entry.axis) < 0) {
      made[i] = reads;
      continue;
    }
    if (isGradient && sumsNow.size() < previous.size())
      reads.push_back(previous[sumsNow.size()]);
    made[i] = {item(entry, reads, scale, isGradient && program.defersWeights)};
    if (isGradient)
      sumsNow.push_back(made[i].front());
  }
  previous = std::move(sumsNow);
  Numbers outputs;
  for (size_t i = 0; i < block.items.size(); ++i) {
    bool isOutput = std::count(block.outputs.begin(), block.outputs.end(), i) != 0;
    if (isOutput || (block.outputs.empty() && i + 1 == block.items.size()))
      outputs.insert(outputs.end(), made[i].begin(), made[i].end());
    if (!isRead[i])
      ends.insert(ends.end(), made[i].begin(), made[i].end());
  }
  if (!outputs.empty())
    input = std::move(outputs);
  return ends;
}

uint32_t StageLayout::collective(const char *kind, int64_t axis, double bytes, const Numbers &after,
                                 bool isPutOff) {
  StepNode node;
  node.kind = StepNode::Kind::Collective;
  node.name = kind + (" " + program.axes[axis].name);
  node.collective = kind;
  node.axis = static_cast<uint32_t>(axis);
  node.bytes = bytes;
  node.after = after;
  return add(std::move(node), isPutOff);
}

/// Collectives of the gradients or parameters (`size` bytes an element) of `block` along `share`,
/// or of a rank's part of them.
StageLayout::Numbers StageLayout::exchange(const char *kind, const std::string &share,
                                           const StepBlock &block, double size,
                                           const Numbers &after, bool isPutOff) {
  auto part = [&](const char *name) {
    int64_t axis = share == "replica" ? axisOf(name) : -1;
    return axis < 0 ? 1.0 : 1.0 / static_cast<double>(program.axes[axis].place.ranks());
  };
  const std::pair<std::string, double> shares[] = {
      {share, block.weights * part("shard")},
      {"expert_" + share, block.expertWeights * part("expert_shard")}};
  Numbers added;
  for (const auto &[name, elements] : shares) {
    int64_t axis = axisOf(name);
    if (axis < 0 || elements <= 0)
      continue;
    added.push_back(collective(kind, axis, elements * size, after, isPutOff));
  }
  return added;
}

void StageLayout::block(const passes::StageTask &task, size_t position, uint32_t which,
                        bool isLast) {
  const StepBlock &block = program.blocks[which];
  Numbers waits = input;
  bool perLayer = program.exchange == GradientExchange::PerLayer;
  if (perLayer) { // while the block before runs; blocks of the backward pass have no frozen weights
    const auto &ahead = stage.forward[task.chunk];
    const StepBlock &all =
        task.isBackward ? program.blocks[ahead[ahead.size() - 1 - position]] : block;
    parameters = exchange("all_gather", sharing, all, program.elementBytes, blockBefore, false);
  }
  Numbers none;
  Numbers ends = items(block, task, task.isBackward ? sums[task.chunk][position] : none);
  if (block.items.empty())
    ends = input;
  blockBefore = std::move(waits);
  if (!task.isBackward)
    return;
  Numbers exchanged;
  bool addsUp = isLast && program.exchange != GradientExchange::None;
  bool isPutOff = program.defersWeights || !perLayer;
  if (perLayer || addsUp)
    exchanged =
        exchange(program.exchange == GradientExchange::AllReduce ? "all_reduce" : "reduce_scatter",
                 sharing, block, program.gradientBytes, ends, isPutOff);
  if (!perLayer)
    behindSends.insert(behindSends.end(), exchanged.begin(), exchanged.end());
  if (addsUp && program.isInGroups()) {
    Numbers across = exchange("all_reduce", "replica", block, program.gradientBytes,
                              exchanged.empty() ? ends : exchanged, isPutOff);
    exchanged.insert(exchanged.end(), across.begin(), across.end());
  }
  if (isLast)
    finished.insert(finished.end(), exchanged.empty() ? ends.begin() : exchanged.begin(),
                    exchanged.empty() ? ends.end() : exchanged.end());
}

/// The message that comes before a task, or goes out behind it, for which the next task may wait. A
/// chunk hands on to the next stage, the last stage to the next chunk of the first one; backwards
/// the other way.
void StageLayout::message(const passes::StageTask &task, bool isSend) {
  auto chunks = static_cast<int64_t>(stage.forward.size());
  bool isUp = isSend != task.isBackward; // the other end stands behind this stage
  int64_t peer = isUp ? at + 1 : at - 1, chunk = task.chunk;
  if (peer < 0 || peer > last) {
    peer = isUp ? 0 : last;
    chunk += isUp ? 1 : -1;
  }
  if (chunk < 0 || chunk >= chunks || last == 0)
    return;
  StepNode node;
  node.kind = isSend ? StepNode::Kind::Send : StepNode::Kind::Receive;
  node.name = isSend ? "send" : "receive";
  bool isLast = task.microbatch + 1 == program.microbatches;
  double whole = program.boundaryBytes * (isLast ? program.lastMicrobatch : 1);
  int64_t tensor = program.sendsParts ? axisOf("tensor") : -1;
  node.bytes = tensor < 0 ? whole : whole / static_cast<double>(program.axes[tensor].place.ranks());
  node.seconds = program.sendSeconds;
  node.peer = peer;
  int64_t receiving = isSend ? chunk : task.chunk;
  node.tag = (task.microbatch * chunks + receiving) * 2 + (task.isBackward ? 1 : 0);
  if (isSend)
    node.after = input;
  uint32_t number = add(std::move(node));
  if (!isSend && tensor >= 0)
    number = collective("all_gather", tensor, whole, {number});
  if (isSend)
    lastSend = {number};
  if (!isSend || program.waitsForSends)
    input.push_back(number);
}

void StageLayout::task(const passes::StageTask &task, bool isLastOfChunk) {
  message(task, /*isSend=*/false);
  const auto &list = (task.isBackward ? stage.backward : stage.forward)[task.chunk];
  for (size_t position = 0; position < list.size(); ++position)
    block(task, position, list[position], task.isBackward && isLastOfChunk);
  message(task, /*isSend=*/true);
}

double StageLayout::weightsOf(double StepBlock::*kind) const {
  double sum = 0;
  for (const auto &list : stage.backward)
    for (uint32_t block : list)
      sum += program.blocks[block].*kind;
  return sum;
}

/// In each step a part goes to the next stage of the ring, once the stage's own gradients are
/// complete and what it adds to them has come.
void StageLayout::ring(const StageRing &ring, int64_t firstTag) {
  auto here = std::find(ring.stages.begin(), ring.stages.end(), at);
  if (here == ring.stages.end())
    return;
  auto count = static_cast<int64_t>(ring.stages.size()), place = here - ring.stages.begin();
  Numbers own = input;
  own.insert(own.end(), finished.begin(), finished.end());
  Numbers ready = own;
  for (int64_t step = 0; step < 2 * (count - 1); ++step)
    for (bool isSend : {true, false}) {
      int64_t sender = isSend ? place : (place + count - 1) % count;
      StepNode node;
      node.kind = isSend ? StepNode::Kind::Send : StepNode::Kind::Receive;
      node.name = isSend ? "send gradients" : "receive gradients";
      node.bytes = ring.bytes / static_cast<double>(count);
      node.peer = ring.stages[isSend ? (place + 1) % count : sender];
      node.tag = firstTag + step * count + sender;
      if (isSend)
        node.after = ready;
      uint32_t number = add(std::move(node));
      finished.push_back(number);
      if (!isSend) {
        ready = own;
        ready.push_back(number);
      }
    }
}

void StageLayout::optimizer() {
  StepNode node;
  node.name = "optimizer";
  node.seconds = program.optimizerSeconds;
  node.after = input;
  node.after.insert(node.after.end(), finished.begin(), finished.end());
  uint32_t number = add(std::move(node));
  if (program.exchange != GradientExchange::Scatter)
    return;
  StepBlock all;
  all.weights = weightsOf(&StepBlock::weights);
  all.expertWeights = weightsOf(&StepBlock::expertWeights);
  exchange("all_gather", sharing, all, program.elementBytes, {number}, false);
}

std::vector<StepNode> StageLayout::run() {
  std::vector<size_t> lastOfChunk(stage.forward.size(), 0);
  for (size_t i = 0; i < stage.tasks.size(); ++i)
    if (stage.tasks[i].isBackward)
      lastOfChunk[stage.tasks[i].chunk] = i;
  for (const auto &list : stage.backward)
    sums.emplace_back(list.size());
  for (size_t i = 0; i < stage.tasks.size(); ++i)
    task(stage.tasks[i], lastOfChunk[stage.tasks[i].chunk] == i);
  appendPutOff();
  int64_t tag = program.microbatches * static_cast<int64_t>(stage.forward.size()) * 2;
  for (const StageRing &entry : program.rings) {
    ring(entry, tag);
    tag += 2 * static_cast<int64_t>(entry.stages.size() * entry.stages.size());
  }
  if (llvm::any_of(stage.tasks, [](const passes::StageTask &task) { return task.isBackward; }))
    optimizer();
  return std::move(nodes);
}

std::vector<StepNode> StepProgram::nodesOf(size_t stage) const {
  return StageLayout(*this, stage).run();
}
