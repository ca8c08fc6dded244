// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/training/RankLabels.h"

#include "passes/training/AttendedRanks.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::passes;

RankLabels::RankLabels(const Operation &graph, int64_t samples, int64_t batch,
                       std::shared_ptr<KnownClasses> known)
    : classes(known ? std::move(known) : std::make_shared<KnownClasses>()), ranks(graph, *classes) {
  findSamples(graph.body());
  for (unsigned cls : attendedRanks(graph, *classes, ranks))
    if (!sampleClasses.contains(cls) && positionClasses.insert(cls).second)
      attendedClasses.insert(cls);
  findExtents(graph.body(), samples, batch);
  visit(graph.body());
  if (batchExtent == 0 ||
      (!readsSamples && (!meetsWeights || (weightsMeetBatch && !weightsHaveBatch))))
    return;
  // What no weight meets, or a weight has a rank of, is no batch, nor is what reads each other.
  one = readsSamples       ? "the data choose which of its rows others read, as of nodes in a graph"
        : weightsHaveBatch ? "a weight has a rank of its samples"
                           : "no product with a weight meets its samples";
  batchExtent = 0;
  if (readsSamples)
    sequenceExtents.clear();
  labels.clear();
  visit(graph.body());
}

void passes::labelPieces(const KernelClasses &classes, int64_t batch,
                         std::vector<RankLabel> &byClass) {
  for (const auto &[rank, index] : classes.pieces())
    if ((byClass[rank] == RankLabel::Batch || byClass[index] == RankLabel::Batch) && batch > 0 &&
        classes.extent(index) % batch == 0)
      byClass[rank] = byClass[index] = RankLabel::Batch;
}

static bool isWeightValue(const Value &value) {
  auto tensor = as<op::TensorOp>(value.definingOp());
  return tensor && tensor.kind() == "weight";
}

/// Notes whether `op` has weights, and samples beside them.
void RankLabels::noteWeights(const Operation &op) {
  bool hasWeights =
      llvm::any_of(op.operands(), [](const Value *value) { return isWeightValue(*value); });
  meetsWeights |= hasWeights;
  weightsMeetBatch |= hasWeights && llvm::any_of(op.operands(), [&](const Value *value) {
                        return llvm::is_contained(of(*value), RankLabel::Batch);
                      });
}

const RankLabels::Labels &RankLabels::of(const Value &value) const {
  static const Labels none;
  auto found = labels.find(&value);
  return found == labels.end() ? none : found->second;
}

unsigned RankLabels::sequenceRanks(const Value &value) const {
  return static_cast<unsigned>(llvm::count(of(value), RankLabel::Sequence));
}

bool RankLabels::isPosition(int64_t extent) const {
  return llvm::is_contained(sequenceExtents, extent);
}

/// Of tokens the first rank is one of samples and the second one of positions, unless the first is
/// one of positions by other tokens.
void RankLabels::findSamples(const Region &region) {
  llvm::SmallVector<const Value *, 4> tokens;
  for (const Operation &op : region)
    if (auto tensor = as<op::TensorOp>(op);
        tensor && tensor.kind() == "token" && op.result().type().shape().size() >= 2)
      tokens.push_back(&op.result());
  for (const Value *token : tokens)
    positionClasses.insert(ranks.of(*token, 1));
  for (const Value *token : tokens)
    if (unsigned first = ranks.of(*token, 0); !positionClasses.contains(first))
      sampleClasses.insert(first);
}

bool RankLabels::isAttended(const Value &value, unsigned rank) {
  return attendedClasses.contains(ranks.of(value, rank));
}

RankLabel RankLabels::notedPosition(int64_t extent) {
  if (!llvm::is_contained(attendedExtents, extent))
    attendedExtents.push_back(extent);
  return RankLabel::Sequence;
}

/// What `rank` of `value` is by what it runs together with; a feature where that says nothing.
RankLabel RankLabels::meaningOf(const Value &value, unsigned rank) {
  unsigned cls = ranks.of(value, rank);
  return sampleClasses.contains(cls)     ? RankLabel::Batch
         : positionClasses.contains(cls) ? RankLabel::Sequence
                                         : RankLabel::Feature;
}

/// The same, else by the extent.
RankLabel RankLabels::labelOf(const Value &value, unsigned rank) {
  int64_t extent = value.type().shape()[rank];
  if (RankLabel label = meaningOf(value, rank); label != RankLabel::Feature)
    return label;
  return isPosition(extent)      ? RankLabel::Sequence
         : extent == batchExtent ? RankLabel::Batch
                                 : RankLabel::Feature;
}

/// The first rank of the first input of three ranks or more; 0 where there is none.
static int64_t imagesOf(const Region &region) {
  for (const Operation &op : region)
    if (auto tensor = as<op::TensorOp>(op); tensor && tensor.kind() == "input")
      if (llvm::ArrayRef<int64_t> shape = op.result().type().shape(); shape.size() >= 3)
        return shape[0];
  return 0;
}

/// Tokens say both; without them the first input says how many samples there are.
void RankLabels::findExtents(const Region &region, int64_t samples, int64_t batch) {
  bool hasSamples = false;
  int64_t known = samples > 0 ? samples : batch;
  int64_t images = imagesOf(region);
  for (const Operation &op : region) {
    auto tensor = as<op::TensorOp>(op);
    if (!tensor)
      continue;
    llvm::ArrayRef<int64_t> shape = op.result().type().shape();
    if (tensor.kind() == "token" && shape.size() >= 2) {
      bool isSquare = shape.size() == 2 && shape[0] == shape[1];
      if ((isSquare && images != 0 && shape[0] != images) ||
          meaningOf(op.result(), 0) == RankLabel::Sequence)
        continue; // distances between positions
      if (sequenceExtents.empty())
        batchExtent = shape[0];
      if (shape[0] == batchExtent && !isPosition(shape[1]))
        sequenceExtents.push_back(shape[1]);
    }
    hasSamples |=
        tensor.kind() == "input" && !shape.empty() && shape.size() <= 2 && shape[0] == known;
  }
  if (sequenceExtents.empty())
    batchExtent = images;
  int64_t each = sequenceExtents.empty() ? samples : batchExtent;
  if (each > 0 && images > each && images % each == 0) {
    batchExtent = each;
    rows = images;
  }
  if (batchExtent == 0 && hasSamples)
    batchExtent = known;
}

void RankLabels::tensor(const Operation &op) {
  llvm::StringRef kind = as<op::TensorOp>(op).kind();
  llvm::ArrayRef<int64_t> shape = op.result().type().shape();
  Labels &own = labels[&op.result()];
  own.assign(shape.size(), RankLabel::Feature);
  if (kind == "weight" || shape.empty())
    return;
  if (kind == "input")
    for (unsigned rank = 0; rank < own.size(); ++rank)
      if (isAttended(op.result(), rank))
        own[rank] = notedPosition(shape[rank]);
  bool isToken = kind == "token" && shape.size() > 1;
  RankLabel first = meaningOf(op.result(), 0);
  bool hasPositions = isToken ? shape[0] != batchExtent || first == RankLabel::Sequence
                              : kind == "input" && shape.size() <= 2;
  if (hasPositions && !sequenceExtents.empty()) {
    // Positions, such as the angles of rotary embeddings and the distances of biased attention, or
    // features of samples beside their tokens, as recommenders have.
    for (unsigned rank = 0; rank < (isToken ? 2 : 1); ++rank)
      if (RankLabel label = labelOf(op.result(), rank);
          label == RankLabel::Sequence || (rank == 0 && shape.size() == 2))
        own[rank] = label;
    return;
  }
  bool hasSamples = shape[0] == batchExtent && first != RankLabel::Sequence;
  if (hasSamples || (shape.size() >= 3 && shape[0] == rows))
    own[0] = RankLabel::Batch;
  if (isToken && isPosition(shape[1]))
    own[1] = RankLabel::Sequence;
}

void RankLabels::apply(const Operation &op) {
  const KernelClasses &known = classes->of(op);
  std::vector<RankLabel> byClass(known.count(), RankLabel::Feature);
  std::vector<op::OperandOp> inputs = known.kernel().inputs(), outputs = known.kernel().outputs();
  for (size_t i = 0; i < op.operandCount() && i < inputs.size(); ++i) {
    const Labels &own = of(op.operand(i));
    for (unsigned rank = 0; rank < own.size(); ++rank)
      if (own[rank] != RankLabel::Feature)
        byClass[known.ofRank(inputs[i].symbol(), rank)] = own[rank];
  }
  labelPieces(known, batchExtent, byClass);
  for (size_t i = 0; i < op.operandCount() && i < inputs.size(); ++i)
    for (unsigned rank = 0; rank < op.operand(i).type().shape().size(); ++rank)
      weightsHaveBatch |= isWeightValue(op.operand(i)) &&
                          byClass[known.ofRank(inputs[i].symbol(), rank)] == RankLabel::Batch;
  for (size_t i = 0; i < op.operandCount() && i < inputs.size(); ++i)
    if (auto rank = known.dataRank(inputs[i].symbol()))
      readsSamples |= byClass[known.ofRank(inputs[i].symbol(), *rank)] == RankLabel::Batch;
  // Inputs that say nothing themselves are what the kernel uses them as.
  for (size_t i = 0; i < op.operandCount() && i < inputs.size(); ++i) {
    auto tensor = as<op::TensorOp>(op.operand(i).definingOp());
    if (!tensor || tensor.kind() != "input")
      continue;
    Labels &own = labels[&op.operand(i)];
    for (unsigned rank = 0; rank < own.size(); ++rank)
      own[rank] = byClass[known.ofRank(inputs[i].symbol(), rank)];
  }
  for (size_t i = 0; i < op.resultCount() && i < outputs.size(); ++i) {
    Labels result;
    for (unsigned rank = 0; rank < op.result(i).type().shape().size(); ++rank) {
      RankLabel label = byClass[known.ofRank(outputs[i].symbol(), rank)];
      bool begins = label == RankLabel::Feature && isAttended(op.result(i), rank);
      result.push_back(begins ? notedPosition(op.result(i).type().shape()[rank]) : label);
    }
    labels[&op.result(i)] = std::move(result);
  }
}

void RankLabels::visit(const Region &region) {
  for (const Operation &op : region) {
    noteWeights(op);
    if (op.is(op::TensorOp::opName)) {
      tensor(op);
    } else if (op.is(op::ApplyOp::opName)) {
      apply(op);
    } else if (op.is(op::CollectiveOp::opName)) {
      Labels own = of(op.operand(0));
      labels[&op.result()] = std::move(own);
    } else if (op.is(op::RepeatOp::opName)) {
      for (size_t i = 0; i < op.operandCount(); ++i) {
        Labels own = of(op.operand(i));
        labels[&op.body().argument(i)] = own;
        labels[&op.result(i)] = std::move(own);
      }
      visit(op.body());
    } else if (op.is(op::FusedOp::opName)) {
      for (size_t i = 0; i < op.operandCount(); ++i) {
        Labels own = of(op.operand(i));
        labels[&op.body().argument(i)] = std::move(own);
      }
      visit(op.body());
      const Operation &yield = op.body().back();
      for (size_t i = 0; i < op.resultCount(); ++i) {
        Labels own = of(yield.operand(i));
        labels[&op.result(i)] = std::move(own);
      }
    }
  }
}
