// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// emit chakra: what each rank of an evaluation runs, as a Chakra trace. Kernels become COMP nodes
// with their time (whole microseconds, rounded so that the sum stays right), operations and bytes;
// collectives COMM_COLL nodes; each waits for the node before. All ranks run the same nodes, so
// that one text serves them all; only of a `send` do they differ.
#include "backends/emit/ChakraNodes.h"
#include "backends/emit/StatementForm.h"
#include "ir/collective/CollectiveOps.h"
#include "ir/common/diagnostics/Network.h"
#include "ir/phase/PhaseOps.h"
#include "passes/Levels.h"
#include "passes/Names.h"
#include <cmath>

using namespace perfc;
using namespace perfc::emit;
using chakra::NodeRecord;
using chakra::NodeType;
using chakra::RecordAttribute;

/// "barrier" of collective.barrier.
static llvm::StringRef wordOf(const ir::Operation &op) {
  return op.name().drop_front(strlen("collective."));
}

namespace {

/// More would not be a trace that anybody reads.
constexpr uint64_t mostNodes = 1u << 24;

/// Appends nodes to the trace of rank `rank`.
class ChakraWriter {
public:
  ChakraWriter(const ir::Module &module, int64_t rank) : module(module), rank(rank) {
    bytes = chakra::metadataBytes({});
  }

  /// The operations of `region`, whose costs are `parts` from `next` on. False when there are too
  /// many nodes.
  bool region(const ir::Region &region, llvm::ArrayRef<CostPart> parts, size_t &next);

  bool isEmpty() const { return count == 0; }

  std::string bytes;
  /// Set when ranks differ.
  bool dependsOnRank = false;
  /// The first collective that the schema lacks; null for none.
  const ir::Operation *unknown = nullptr;
  /// The first of each kind that the schema has and no simulator runs.
  std::vector<const ir::Operation *> notSimulated;

private:
  bool operation(const ir::Operation &op, llvm::ArrayRef<CostPart> parts, size_t &next);
  void kernel(phase::KernelOp op, const CostPart &part);
  void collective(const ir::Operation &op, const CostPart &part);
  void append(NodeRecord node, double seconds);

  const ir::Module &module;
  int64_t rank;
  uint64_t count = 0;
  llvm::Optional<uint64_t> last;
  double time = 0; ///< s of all nodes so far
};

} // namespace

void ChakraWriter::append(NodeRecord node, double seconds) {
  node.id = count++;
  if (last)
    node.dataDependencies = {*last};
  last = node.id;
  double micros = std::floor((time + seconds) * 1e6 + 0.5) - std::floor(time * 1e6 + 0.5);
  node.durationMicros = static_cast<uint64_t>(std::max(0.0, std::min(micros, 1e18)));
  time += seconds;
  bytes += chakra::nodeBytes(node);
}

void ChakraWriter::kernel(phase::KernelOp op, const CostPart &part) {
  NodeRecord node;
  node.name = op.label().str();
  node.type = NodeType::Compute;
  node.attributes = {RecordAttribute::boolean("is_cpu_op", false)};
  auto operations = static_cast<int64_t>(part.flops / static_cast<double>(part.count));
  int64_t moved = op.inputBytes() + op.outputBytes() + op.weightBytes();
  if (operations > 0 && moved > 0) {
    node.attributes.push_back(RecordAttribute::int64("num_ops", operations));
    node.attributes.push_back(RecordAttribute::int64("tensor_size", moved));
  }
  double seconds = part.latency.central() / static_cast<double>(part.count);
  for (int64_t i = 0; i < op.count() && count <= mostNodes; ++i)
    append(node, seconds);
}

/// ASTRA-sim counts the part of one rank for an all-gather, the whole buffer for the others.
void ChakraWriter::collective(const ir::Operation &op, const CostPart &part) {
  NodeRecord node;
  llvm::StringRef name = wordOf(op);
  node.name = name.str();
  int64_t size = op.intAttr("bytes");
  if (name == "send") {
    dependsOnRank = true;
    if (rank > 1)
      return;
    node.type = rank == 0 ? NodeType::Send : NodeType::Receive;
    node.attributes = {RecordAttribute::int32(rank == 0 ? "comm_dst" : "comm_src", 1 - rank),
                       RecordAttribute::int64("comm_size", size),
                       RecordAttribute::int32("comm_tag", static_cast<int32_t>(count))};
  } else {
    node.type = NodeType::Collective;
    if (commType(name) < 0 && !unknown)
      unknown = &op;
    bool isKnown = llvm::any_of(
        notSimulated, [&](const ir::Operation *other) { return other->name() == op.name(); });
    if ((name == "reduce" || name == "barrier") && !isKnown)
      notSimulated.push_back(&op);
    node.attributes = collectiveAttributes(name, size, op.intAttr("ranks"));
  }
  append(node, part.latency.central());
}

bool ChakraWriter::operation(const ir::Operation &op, llvm::ArrayRef<CostPart> parts,
                             size_t &next) {
  if (auto run = ir::as<collective::RunOp>(op)) {
    const ir::Operation *sequence = module.lookup(run.phase());
    return !sequence || region(sequence->body(), parts, next);
  }
  if (next >= parts.size())
    return false;
  const CostPart &part = parts[next++];
  if (auto kernelOp = ir::as<phase::KernelOp>(op)) {
    kernel(kernelOp, part);
  } else if (op.is(phase::RepeatOp::opName) || op.is(collective::RepeatOp::opName)) {
    for (int64_t i = 0; i < op.intAttr("count"); ++i) {
      size_t inner = 0;
      if (!region(op.body(), part.children, inner))
        return false;
    }
  } else {
    collective(op, part);
  }
  return count <= mostNodes;
}

bool ChakraWriter::region(const ir::Region &body, llvm::ArrayRef<CostPart> parts, size_t &next) {
  for (const ir::Operation &op : body)
    if (!operation(op, parts, next))
      return false;
  return true;
}

/// The statement, of the name `opName`, that `result` is of; null when there is none.
static const ir::Operation *statementOf(const Input &input, const Result &result,
                                        llvm::StringRef opName) {
  const ir::Operation *found = nullptr;
  if (input.module)
    for (const ir::Operation &top : input.module->body())
      top.walk([&](const ir::Operation &op) {
        if (op.is(opName) && study::resultName(op) == result.name)
          found = &op;
      });
  return found;
}

/// Warns of what makes the trace of `rank` of `ranks`, which `writer` wrote, one that no simulator
/// runs; of what all ranks have once.
static void reportNotSimulated(const Input &input, const Result &result, const ChakraWriter &writer,
                               int64_t rank, int64_t ranks) {
  if (!input.diagnostics)
    return;
  if (rank == 0)
    for (const ir::Operation *op : writer.notSimulated)
      input.diagnostics->report(op->range(), diag::TraceNotSimulated, result.label,
                                fmt::format("none has the collective `{}`", wordOf(*op)));
  if (rank == 2 && writer.isEmpty()) // all further ranks are alike
    input.diagnostics->report(result.place, diag::TraceNotSimulated, result.label,
                              fmt::format("of its {} ranks only 0 and 1 run anything", ranks));
}

static void refuseNoGraph(const Input &input, const Result &result) {
  refuseTrace(input, result,
              "only what `evaluate`, `train`, `serve` and `replay` run is a graph of kernels and "
              "collectives");
}

void emit::writeReplay(const Input &input, const Result &result, const std::string &prefix,
                       const std::string &groups, FileSink sink) {
  const ir::Operation *op = statementOf(input, result, study::ReplayOp::opName);
  if (!op)
    return refuseNoGraph(input, result);
  writeTrace(*input.module->lookup(op->symbolAttr("subject")), prefix, groups, sink);
}

void emit::writeEvaluation(const Input &input, const Result &result, const std::string &prefix,
                           const std::string &groups, FileSink sink) {
  auto evaluate = ir::as<study::EvaluateOp>(statementOf(input, result, study::EvaluateOp::opName));
  if (!evaluate)
    return refuseNoGraph(input, result);
  const ir::Operation *program = input.module->lookup(passes::programSymbol(evaluate));
  int64_t ranks = std::max<int64_t>(1, passes::chipCount(*input.module, evaluate.on()));
  if (ranks > mostRanks)
    return refuseTrace(input, result,
                       fmt::format("it has {} ranks, more than {}", ranks, mostRanks));
  if (evaluate->hasAttr("whole"))
    return writeDivided(input, result, *program, ranks, prefix, groups, sink);
  std::string shared;
  for (int64_t rank = 0; rank < ranks; ++rank) {
    std::string own;
    if (shared.empty()) {
      ChakraWriter writer(*input.module, rank);
      size_t next = 0;
      if (!program || !writer.region(program->body(), result.cost.breakdown.children, next))
        return refuseTrace(input, result, "it has too many nodes");
      if (writer.unknown)
        return refuseTrace(input, result,
                           fmt::format("the schema has no `{}`", wordOf(*writer.unknown)));
      reportNotSimulated(input, result, writer, rank, ranks);
      (writer.dependsOnRank ? own : shared) = std::move(writer.bytes);
    }
    if (!sink(fmt::format("{}.{}.et", prefix, rank), shared.empty() ? own : shared))
      return;
  }
}

void emit::refuseTrace(const Input &input, const Result &result, const std::string &reason) {
  if (input.diagnostics)
    input.diagnostics->report(result.place, diag::CannotEmitTrace, result.label, reason);
}

void emit::chakraFiles(const Input &input, FileSink sink) {
  for (const Result *result : input.results) {
    bool isAlone = input.results.size() == 1;
    std::string prefix = isAlone ? "trace" : result->name;
    std::string groups = isAlone ? "groups.json" : prefix + ".groups.json";
    result->form->traces(input, *result, prefix, groups, sink);
  }
}
