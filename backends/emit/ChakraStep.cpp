// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// emit chakra of a training step. The ranks of a pipeline stage run the same nodes and differ only
// in the groups of their collectives and the ranks of their peers, which are the last attribute of
// a record: so each stage is encoded once, and a rank is copied together from those pieces. No more
// than one stage and one rank are in memory.
#include "backends/emit/ChakraNodes.h"
#include "ir/common/diagnostics/Network.h"
#include <cmath>
#include <map>

using namespace perfc;
using namespace perfc::emit;
using chakra::NodeRecord;
using chakra::NodeType;
using chakra::RecordAttribute;

/// Kernels become nodes of their own up to so many nodes; beyond, those without communication
/// between them become one.
static constexpr double mostKernels = 4e6;

int64_t emit::commType(llvm::StringRef name) {
  static constexpr std::pair<llvm::StringLiteral, int64_t> types[] = {
      {"all_reduce", 0}, {"reduce", 1},         {"all_gather", 2}, {"broadcast", 5},
      {"all_to_all", 6}, {"reduce_scatter", 7}, {"barrier", 9}};
  for (const auto &[known, type] : types)
    if (known == name)
      return type;
  return -1;
}

std::vector<RecordAttribute> emit::collectiveAttributes(llvm::StringRef name, int64_t bytes,
                                                        int64_t ranks) {
  if (name == "all_gather")
    bytes = (bytes + ranks - 1) / ranks;
  return {RecordAttribute::int64("comm_type", commType(name)),
          RecordAttribute::int64("comm_size", bytes), RecordAttribute::boolean("is_cpu_op", false)};
}

static int64_t wholeBytes(double bytes) {
  return static_cast<int64_t>(std::max(1.0, std::min(std::ceil(bytes), 9e18)));
}

namespace {

/// The groups of all axes, numbered; equal groups of two axes have one number.
class GroupNumbers {
public:
  explicit GroupNumbers(const StepProgram &program);

  /// 0 for the group of all ranks.
  int64_t of(size_t axis, int64_t rank) const;
  /// ASTRA-sim's file: { "1": [0, 1], … }.
  std::string text() const;

private:
  const StepProgram &program;
  std::vector<int64_t> first; ///< number of an axis's first group
  std::vector<size_t> own;    ///< axes that have numbers of their own
};

/// The nodes of a stage in pieces that ranks are put together from.
class StageText {
public:
  StageText(const StepProgram &program, const GroupNumbers &groups, size_t stage);

  /// The trace of rank `rank` of the stage.
  void write(int64_t rank, std::string &text) const;
  /// "" or the collective that a trace cannot hold.
  const std::string &problem() const { return unknown; }

private:
  /// What differs among ranks, at the end of a record.
  struct Tail {
    enum class Kind : uint8_t { None, Group, Destination, Source };
    Kind kind = Kind::None;
    int64_t of = 0; ///< axis, or stage of the peer
    bool operator<(const Tail &other) const {
      return std::make_pair(kind, of) < std::make_pair(other.kind, other.of);
    }
  };
  struct Piece {
    std::string bytes; ///< records as they are, or a message without length and tail
    uint32_t tail = 0; ///< 0: records
  };

  void add(const StepNode &node, uint64_t id);
  Tail fill(const StepNode &node, NodeRecord &record);
  std::string tailBytes(const Tail &tail, int64_t rank) const;
  uint64_t micros(double seconds);

  const StepProgram &program;
  const GroupNumbers &groups;
  std::vector<Piece> pieces;
  std::vector<Tail> tails = {{}};
  std::map<Tail, uint32_t> numbers;
  double time = 0; ///< s of all kernels so far
  std::string unknown;
};

} // namespace

//===-- Groups
//----------------------------------------------------------------------------------===//

GroupNumbers::GroupNumbers(const StepProgram &program) : program(program) {
  int64_t next = 1;
  for (size_t axis = 0; axis < program.axes.size(); ++axis) {
    const StepAxis &entry = program.axes[axis];
    first.push_back(next);
    int64_t ranks = entry.place.ranks();
    bool isKnown = ranks <= 1 || ranks == program.ranks;
    for (size_t other : own)
      if (program.axes[other].place == entry.place) {
        first.back() = first[other];
        isKnown = true;
      }
    if (isKnown)
      continue;
    own.push_back(axis);
    next += program.ranks / ranks;
  }
}

int64_t GroupNumbers::of(size_t axis, int64_t rank) const {
  const StepAxis &entry = program.axes[axis];
  return entry.place.ranks() == program.ranks ? 0 : first[axis] + entry.place.groupOf(rank);
}

std::string GroupNumbers::text() const {
  std::string text = "{";
  for (size_t axis : own) {
    for (int64_t rank = 0; rank < program.ranks; ++rank) {
      std::vector<int64_t> members = program.axes[axis].place.groupFrom(rank);
      if (!members.empty())
        text += fmt::format("{}\n  \"{}\": [{}]", text.size() > 1 ? "," : "", of(axis, rank),
                            fmt::join(members, ", "));
    }
  }
  return text + "\n}\n";
}

//===-- A stage
//---------------------------------------------------------------------------------===//

StageText::StageText(const StepProgram &program, const GroupNumbers &groups, size_t stage)
    : program(program), groups(groups) {
  pieces.push_back({chakra::metadataBytes({}), 0});
  std::vector<StepNode> nodes = program.nodesOf(stage);
  for (size_t i = 0; i < nodes.size(); ++i)
    add(nodes[i], i);
}

/// Whole microseconds, rounded so that sums stay right.
uint64_t StageText::micros(double seconds) {
  double before = std::floor(time * 1e6 + 0.5);
  time += std::max(0.0, seconds);
  return static_cast<uint64_t>(std::min(std::floor(time * 1e6 + 0.5) - before, 1e18));
}

StageText::Tail StageText::fill(const StepNode &node, NodeRecord &record) {
  int64_t bytes = wholeBytes(node.bytes);
  auto own = [](double seconds) { return static_cast<uint64_t>(std::llround(seconds * 1e6)); };
  if (node.kind == StepNode::Kind::Compute) {
    record.type = NodeType::Compute;
    record.durationMicros = micros(node.seconds);
    record.attributes = {RecordAttribute::boolean("is_cpu_op", false)};
    if (node.flops >= 1 && node.bytes >= 1) {
      record.attributes.push_back(RecordAttribute::int64("num_ops", wholeBytes(node.flops)));
      record.attributes.push_back(RecordAttribute::int64("tensor_size", bytes));
    }
    return {};
  }
  if (node.kind == StepNode::Kind::Collective) {
    record.type = NodeType::Collective;
    record.durationMicros = own(node.seconds);
    record.attributes =
        collectiveAttributes(node.collective, bytes, program.axes[node.axis].place.ranks());
    if (commType(node.collective) < 0)
      unknown = node.collective;
    bool isWorld = program.axes[node.axis].place.ranks() == program.ranks;
    return {isWorld ? Tail::Kind::None : Tail::Kind::Group, isWorld ? 0 : int64_t(node.axis)};
  }
  bool isSend = node.kind == StepNode::Kind::Send;
  record.type = isSend ? NodeType::Send : NodeType::Receive;
  record.durationMicros = own(node.seconds);
  record.attributes = {RecordAttribute::int64("comm_size", bytes),
                       RecordAttribute::int32("comm_tag", static_cast<int32_t>(node.tag))};
  return {isSend ? Tail::Kind::Destination : Tail::Kind::Source, node.peer};
}

void StageText::add(const StepNode &node, uint64_t id) {
  NodeRecord record;
  record.id = id;
  record.name = node.name;
  record.dataDependencies.assign(node.after.begin(), node.after.end());
  Tail tail = fill(node, record);
  if (tail.kind == Tail::Kind::None) {
    if (pieces.back().tail != 0)
      pieces.push_back({});
    pieces.back().bytes += chakra::nodeBytes(record);
    return;
  }
  auto [found, isNew] = numbers.insert({tail, static_cast<uint32_t>(tails.size())});
  if (isNew)
    tails.push_back(tail);
  pieces.push_back({chakra::nodeMessage(record), found->second});
}

std::string StageText::tailBytes(const Tail &tail, int64_t rank) const {
  if (tail.kind == Tail::Kind::Group)
    return chakra::attributeBytes(RecordAttribute::text(
        "pg_name", std::to_string(groups.of(static_cast<size_t>(tail.of), rank))));
  int64_t stride = program.stageStride, all = stride * static_cast<int64_t>(program.stages.size());
  int64_t peer = rank / all * all + tail.of * stride + rank % stride;
  bool isSend = tail.kind == Tail::Kind::Destination;
  return chakra::attributeBytes(
      RecordAttribute::int32(isSend ? "comm_dst" : "comm_src", static_cast<int32_t>(peer)));
}

void StageText::write(int64_t rank, std::string &text) const {
  text.clear();
  std::vector<std::string> endings = {""};
  for (size_t i = 1; i < tails.size(); ++i)
    endings.push_back(tailBytes(tails[i], rank));
  for (const Piece &piece : pieces)
    if (piece.tail == 0)
      text += piece.bytes;
    else
      chakra::appendRecord(text, piece.bytes, endings[piece.tail]);
}

//===-- The step
//--------------------------------------------------------------------------------===//

static bool writeRanks(const Input &input, const Result &result, const StepProgram &program,
                       const std::string &prefix, const GroupNumbers &groups, FileSink sink) {
  std::string text;
  for (size_t stage = 0; stage < program.stages.size(); ++stage) {
    StageText pieces(program, groups, stage);
    if (!pieces.problem().empty()) {
      refuseTrace(input, result, "the schema has no `" + pieces.problem() + "`");
      return false;
    }
    for (int64_t rank = 0; rank < program.ranks; ++rank) {
      if (rank / program.stageStride % static_cast<int64_t>(program.stages.size()) !=
          static_cast<int64_t>(stage))
        continue;
      pieces.write(rank, text);
      if (!sink(fmt::format("{}.{}.et", prefix, rank), text))
        return false;
    }
  }
  return true;
}

void emit::writeStep(const Input &input, const Result &result, const std::string &prefix,
                     const std::string &groups, FileSink sink) {
  if (!result.program)
    return refuseTrace(input, result, "its schedule has too many tasks");
  writeProgram(input, result, *result.program, prefix, groups, sink);
}

void emit::writeProgram(const Input &input, const Result &result, StepProgram program,
                        const std::string &prefix, const std::string &groups, FileSink sink) {
  if (program.ranks > mostRanks)
    return refuseTrace(input, result,
                       fmt::format("it has {} ranks, more than {}", program.ranks, mostRanks));
  if (program.nodeCount() > mostKernels)
    program.mergeKernels();
  if (program.nodeCount() > mostNodes)
    return refuseTrace(
        input, result,
        fmt::format("it has about {:.1e} nodes, more than {:.0e}", program.nodeCount(), mostNodes));
  GroupNumbers numbers(program);
  if (writeRanks(input, result, program, prefix, numbers, sink))
    sink(groups, numbers.text());
}
