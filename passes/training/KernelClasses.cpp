// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/training/KernelClasses.h"

#include "ir/core/Module.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::passes;

KernelClasses::KernelClasses(op::KernelOp kernel) : model(kernel) {
  for (op::OperandOp operand : model.operands) {
    firstNode[operand.symbol()] = static_cast<unsigned>(parent.size());
    for (size_t i = 0; i < operand.shape().size(); ++i)
      parent.push_back(static_cast<unsigned>(parent.size()));
  }
  for (const Statement &statement : model.statements) {
    firstIndex.push_back(static_cast<unsigned>(parent.size()));
    for (size_t i = 0; i < statement.extents.size(); ++i)
      parent.push_back(static_cast<unsigned>(parent.size()));
  }
  for (const Statement &statement : model.statements) {
    connect(statement, statement.write);
    for (const Access &read : statement.reads)
      connect(statement, read);
  }
  std::map<unsigned, unsigned> numbers;
  for (unsigned node = 0; node < parent.size(); ++node)
    classOf.push_back(
        numbers.try_emplace(find(node), static_cast<unsigned>(numbers.size())).first->second);
  for (auto &[rank, index] : pieceClasses) {
    rank = classOf[rank];
    index = classOf[index];
  }
  rigid.assign(numbers.size(), false);
  extents.assign(numbers.size(), 0);
  for (unsigned node : rigidNodes)
    rigid[classOf[node]] = true;
  for (op::OperandOp operand : model.operands) {
    std::vector<int64_t> shape = operand.shape();
    for (unsigned rank = 0; rank < shape.size(); ++rank) {
      int64_t &extent = extents[ofRank(operand.symbol(), rank)];
      extent = std::max(extent, shape[rank]);
    }
  }
  for (const Statement &statement : model.statements)
    for (unsigned i = 0; i < statement.extents.size(); ++i) {
      int64_t &extent = extents[ofIndex(statement, i)];
      extent = std::max(extent, statement.extents[i]);
    }
}

std::vector<int64_t> KernelClasses::shapeOf(llvm::StringRef tensor) const {
  for (op::OperandOp operand : model.operands)
    if (operand.symbol() == tensor)
      return operand.shape();
  return {};
}

unsigned KernelClasses::find(unsigned node) const {
  while (parent[node] != node)
    node = parent[node] = parent[parent[node]];
  return node;
}

void KernelClasses::join(unsigned a, unsigned b) {
  a = find(a);
  b = find(b);
  parent[std::max(a, b)] = std::min(a, b);
}

/// Notes the index with the largest coefficient, where each coefficient is the product of the
/// extents of all smaller ones and all together reach the end of the rank.
void KernelClasses::notePieces(const Statement &statement, const Access &access, unsigned rank) {
  const Subscript &subscript = access.ranks[rank];
  std::vector<std::pair<int64_t, unsigned>> terms; // coefficient, index
  for (const auto &term : subscript.terms)
    if (statement.extents[term.first] > 1)
      terms.push_back({term.second, term.first});
  llvm::sort(terms);
  int64_t reached = 1;
  for (const auto &[coefficient, index] : terms) {
    if (coefficient != reached || statement.extents[index] > access.shape[rank] / reached)
      return;
    reached *= statement.extents[index];
  }
  if (!terms.empty() && subscript.constant == 0 && reached == access.shape[rank])
    pieceClasses.push_back({firstNode.lookup(access.tensor) + rank,
                            firstIndex[statement.number] + terms.back().second});
}

void KernelClasses::connect(const Statement &statement, const Access &access) {
  unsigned ranks = firstNode.lookup(access.tensor), indices = firstIndex[statement.number];
  for (unsigned rank = 0; rank < access.ranks.size(); ++rank) {
    const Subscript &subscript = access.ranks[rank];
    if (subscript.dataDependent) {
      // What data choose among as many is the same, as in the products of a layer of experts.
      for (const auto &known : dataRanks)
        if (shapeOf(known.first())[known.second] == access.shape[rank])
          join(ranks + rank, firstNode.lookup(known.first()) + known.second);
      dataRanks[access.tensor] = rank;
      continue;
    }
    bool isPlain =
        subscript.terms.size() == 1 && subscript.terms[0].second == 1 && subscript.constant == 0;
    if (isPlain) {
      join(ranks + rank, indices + subscript.terms[0].first);
      continue;
    }
    notePieces(statement, access, rank);
    rigidNodes.push_back(ranks + rank);
    for (const auto &term : subscript.terms)
      rigidNodes.push_back(indices + term.first);
  }
}

unsigned KernelClasses::ofRank(llvm::StringRef tensor, unsigned rank) const {
  return classOf[firstNode.lookup(tensor) + rank];
}

unsigned KernelClasses::ofIndex(const Statement &statement, unsigned index) const {
  return classOf[firstIndex[statement.number] + index];
}

bool KernelClasses::runsOver(const Statement &statement, unsigned cls) const {
  for (unsigned i = 0; i < statement.extents.size(); ++i)
    if (ofIndex(statement, i) == cls)
      return true;
  return false;
}

bool KernelClasses::has(llvm::StringRef tensor, unsigned cls) const {
  for (op::OperandOp operand : model.operands)
    if (operand.symbol() == tensor)
      for (unsigned rank = 0; rank < operand.shape().size(); ++rank)
        if (ofRank(tensor, rank) == cls)
          return true;
  return false;
}

bool KernelClasses::isReduced(const Statement &statement, unsigned cls) const {
  return runsOver(statement, cls) && !has(statement.write.tensor, cls);
}

llvm::Optional<unsigned> KernelClasses::dataRank(llvm::StringRef tensor) const {
  auto found = dataRanks.find(tensor);
  return found == dataRanks.end() ? llvm::None : llvm::Optional<unsigned>(found->second);
}

const KernelClasses &KnownClasses::of(const ir::Operation &apply) {
  ir::Operation *kernel = ir::resolve(apply, as<op::ApplyOp>(apply).kernel());
  return byKernel.try_emplace(kernel, op::KernelOp(kernel)).first->second;
}
