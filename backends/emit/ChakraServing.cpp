// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// emit chakra of served requests: on each rank, batch after batch, the kernels between two
// communications as one COMP node, the collectives of the tensor-parallel ranks of its stage, and
// messages: what a stage passes on to the next, and the tokens that the last one gives back to the
// first, which are there when a later batch starts. Where the first stage waits for requests a COMP
// node takes that time. Ranks of a stage differ in their peers only, so that its nodes are encoded
// once.
#include "backends/emit/ChakraNodes.h"
#include <cmath>

using namespace perfc;
using namespace perfc::emit;
using chakra::NodeRecord;
using chakra::NodeType;
using chakra::RecordAttribute;

/// Bytes of a token's number.
static constexpr int64_t tokenBytes = 4;

namespace {

/// The nodes of one stage.
class StageTrace {
public:
  StageTrace(const ServingSummary &summary, size_t stage);

  /// The trace of the stage's rank `rank`, counted from 0.
  std::string of(int64_t rank) const;

private:
  /// Records as they are, or one message without length and peer.
  struct Piece {
    std::string bytes;
    int64_t peer = -1; ///< its stage; below 0 for records
    bool isSend = false;
  };

  void batch(size_t number);
  void compute(std::string name, double seconds, double flops, double bytes);
  void collective(const ServedNode &node, size_t number);
  void message(bool isSend, size_t peer, size_t tag, double bytes, std::string name);
  NodeRecord next(std::string name, NodeType type);
  void records(const NodeRecord &record);
  void before(size_t number);
  double endOf(size_t number, size_t at) const;
  double resultBytes(size_t number) const;
  bool isLast() const { return static_cast<int64_t>(stage) + 1 == summary.pools[0].stages; }

  const ServingSummary &summary;
  size_t stage;
  std::vector<Piece> pieces;
  uint64_t count = 0;
  size_t received = 0; ///< batches whose tokens the first stage has got back
  double time = 0;     ///< s of all kernels so far
};

} // namespace

StageTrace::StageTrace(const ServingSummary &summary, size_t stage)
    : summary(summary), stage(stage) {
  pieces.push_back({chakra::metadataBytes({})});
  for (size_t number = 0; number < summary.batches.size(); ++number)
    batch(number);
}

/// A node behind the last one.
NodeRecord StageTrace::next(std::string name, NodeType type) {
  NodeRecord record;
  record.id = count;
  record.name = std::move(name);
  record.type = type;
  if (count > 0)
    record.dataDependencies = {count - 1};
  ++count;
  return record;
}

void StageTrace::records(const NodeRecord &record) {
  if (pieces.back().peer >= 0)
    pieces.push_back({});
  pieces.back().bytes += chakra::nodeBytes(record);
}

static int64_t wholeNumber(double value) {
  return static_cast<int64_t>(std::max(1.0, std::min(std::ceil(value), 9e18)));
}

/// Whole microseconds, rounded so that sums stay right.
void StageTrace::compute(std::string name, double seconds, double flops, double bytes) {
  NodeRecord record = next(std::move(name), NodeType::Compute);
  double before = std::floor(time * 1e6 + 0.5);
  time += seconds;
  record.durationMicros =
      static_cast<uint64_t>(std::max(0.0, std::floor(time * 1e6 + 0.5) - before));
  record.attributes = {RecordAttribute::boolean("is_cpu_op", false)};
  if (flops >= 1 && bytes >= 1) {
    record.attributes.push_back(RecordAttribute::int64("num_ops", wholeNumber(flops)));
    record.attributes.push_back(RecordAttribute::int64("tensor_size", wholeNumber(bytes)));
  }
  records(record);
}

void StageTrace::collective(const ServedNode &node, size_t number) {
  NodeRecord record = next(fmt::format("batch {} {}", number, node.name), NodeType::Collective);
  record.durationMicros = static_cast<uint64_t>(std::llround(node.seconds * 1e6));
  record.attributes =
      collectiveAttributes(node.kind, wholeNumber(node.bytes), summary.pools[0].tensor);
  if (summary.pools[0].stages > 1)
    record.attributes.push_back(RecordAttribute::text("pg_name", std::to_string(stage + 1)));
  records(record);
}

void StageTrace::message(bool isSend, size_t peer, size_t tag, double bytes, std::string name) {
  NodeRecord record = next(std::move(name), isSend ? NodeType::Send : NodeType::Receive);
  record.attributes = {RecordAttribute::int64("comm_size", wholeNumber(bytes)),
                       RecordAttribute::int32("comm_tag", static_cast<int32_t>(tag))};
  pieces.push_back({chakra::nodeMessage(record), static_cast<int64_t>(peer), isSend});
}

double StageTrace::endOf(size_t number, size_t at) const {
  const ServedBatch &batch = summary.batches[number];
  return batch.starts[at] + batch.seconds[at];
}

/// The last stage gives tokens back, which the first one has before it starts the next batch
/// thereafter. Until requests come it waits.
void StageTrace::before(size_t number) {
  auto stages = static_cast<size_t>(summary.pools[0].stages);
  double start = summary.batches[number].starts[0];
  double ready = number > 0 ? endOf(number - 1, 0) : 0;
  for (; stages > 1 && received < number && endOf(received, stages - 1) <= start; ++received) {
    ready = std::max(ready, endOf(received, stages - 1));
    message(false, stages - 1, 2 * received + 1, resultBytes(received),
            fmt::format("tokens of batch {}", received));
  }
  if (start - ready > 1e-9)
    compute("wait for requests", start - ready, 0, 0);
}

double StageTrace::resultBytes(size_t number) const {
  return static_cast<double>(tokenBytes * std::max<int64_t>(1, summary.batches[number].outputs));
}

/// Tags are 2 k for what stages pass on of batch k, 2 k + 1 for the tokens that it gives back.
void StageTrace::batch(size_t number) {
  const ServedBatch &batch = summary.batches[number];
  double passed =
      static_cast<double>(batch.promptTokens + batch.decodes) * summary.pools[0].boundaryBytes;
  std::string name = fmt::format("batch {}", number);
  if (stage > 0)
    message(false, stage - 1, 2 * number, passed, name + " from before");
  else
    before(number);
  for (const ServedNode &node : summary.nodesOf(number, stage))
    if (node.kind.empty())
      compute(fmt::format("batch {}: {} prompt tokens, {} decodes", number, batch.promptTokens,
                          batch.decodes),
              node.seconds, node.flops, node.bytes);
    else
      collective(node, number);
  bool isRead = summary.batches.back().starts[0] >= endOf(number, stage);
  if (!isLast())
    message(true, stage + 1, 2 * number, passed, name + " to the next stage");
  else if (stage > 0 && isRead)
    message(true, 0, 2 * number + 1, resultBytes(number), name + " gives tokens back");
}

std::string StageTrace::of(int64_t rank) const {
  std::string text;
  for (const Piece &piece : pieces) {
    if (piece.peer < 0) {
      text += piece.bytes;
      continue;
    }
    auto peer = static_cast<int32_t>(piece.peer * summary.pools[0].tensor + rank);
    chakra::appendRecord(text, piece.bytes,
                         chakra::attributeBytes(
                             RecordAttribute::int32(piece.isSend ? "comm_dst" : "comm_src", peer)));
  }
  return text;
}

/// The tensor-parallel ranks of each stage; all ranks together need no group.
static std::string groupsText(const ServingSummary &summary) {
  std::string text = "{";
  if (summary.pools[0].tensor > 1 && summary.pools[0].stages > 1)
    for (int64_t stage = 0; stage < summary.pools[0].stages; ++stage) {
      text += fmt::format("{}\n  \"{}\": [", stage > 0 ? "," : "", stage + 1);
      for (int64_t rank = 0; rank < summary.pools[0].tensor; ++rank)
        text += fmt::format("{}{}", rank > 0 ? ", " : "", stage * summary.pools[0].tensor + rank);
      text += ']';
    }
  return text + "\n}\n";
}

void emit::writeServing(const Input &input, const Result &result, const std::string &prefix,
                        const std::string &groups, FileSink sink) {
  const ServingSummary &summary = *result.serving;
  const ServedPool &pool = summary.pools[0];
  if (summary.batches.empty())
    return refuseTrace(input, result, "there are more batches than are kept");
  if (pool.steps > 0)
    return refuseTrace(input, result, "what guesses tokens is no part of the trace");
  if (summary.pools.size() > 1 || pool.chips > pool.tensor * pool.stages)
    return refuseTrace(input, result, "several copies of the model have no order among each other");
  double nodes = 0;
  for (int64_t stage = 0; stage < summary.pools[0].stages && !summary.batches.empty(); ++stage)
    nodes += static_cast<double>(summary.nodesOf(0, static_cast<size_t>(stage)).size() + 3) *
             static_cast<double>(summary.pools[0].tensor) *
             static_cast<double>(summary.batches.size());
  if (nodes > mostNodes)
    return refuseTrace(
        input, result,
        fmt::format("it has about {:.1e} nodes, more than {:.0e}", nodes, mostNodes));
  for (int64_t stage = 0; stage < summary.pools[0].stages; ++stage) {
    StageTrace trace(summary, static_cast<size_t>(stage));
    for (int64_t rank = 0; rank < summary.pools[0].tensor; ++rank)
      if (!sink(fmt::format("{}.{}.et", prefix, stage * summary.pools[0].tensor + rank),
                trace.of(rank)))
        return;
  }
  sink(groups, groupsText(summary));
}
