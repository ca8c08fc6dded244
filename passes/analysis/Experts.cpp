// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/analysis/Experts.h"

#include "ir/common/Rational.h"
#include "ir/op/Arithmetic.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace perfc;
using namespace perfc::passes;

static bool isThroughData(const Access &access) {
  return llvm::any_of(access.ranks, [](const Subscript &rank) { return rank.dataDependent; });
}

static bool copiesRows(const Statement &statement) {
  return !statement.reduces() && statement.op.flops() == 0 && statement.reads.size() == 1 &&
         !statement.write.operand.isInPlace() && !isThroughData(statement.reads[0]) &&
         statement.reads[0].ranks.size() + 1 == statement.write.ranks.size();
}

static bool sumsUp(const Statement &statement) {
  auto isOfData = [](const Access &read) {
    return read.operand.role() != "weight" && !isThroughData(read);
  };
  unsigned sums = 0;
  for (unsigned i = 0; i < statement.extents.size(); ++i)
    sums += statement.isReduction(i);
  return sums == 1 && statement.reduces() && llvm::all_of(statement.reads, isOfData);
}

bool passes::bringsRows(const Kernel &kernel) {
  return kernel.statements.size() == 1 && copiesRows(kernel.statements[0]);
}

bool passes::addsResults(const Kernel &kernel) {
  return kernel.statements.size() == 1 && sumsUp(kernel.statements[0]);
}

namespace {

/// Reads the equations of one kernel in their order.
class ExpertReader {
public:
  explicit ExpertReader(const Kernel &kernel) : kernel(kernel) {}
  llvm::Optional<Experts> read();

private:
  bool addProduct(const Statement &statement, const Access &weight);
  bool addResults(const Statement &statement);
  void addBytes();

  const Kernel &kernel;
  Experts found;
  llvm::StringRef left;    ///< rows of the last product
  llvm::StringRef brought; ///< copies of rows
  int64_t copied = 0;      ///< elements of what they are copies of
  bool gathers = false, addsUp = false;
};

} // namespace

/// The weight of a product that data choose; null where `statement` is none.
static const Access *chosenWeight(const Statement &statement) {
  if (!statement.op.isMac() || !statement.op.constraints().empty())
    return nullptr;
  for (const Access &read : statement.reads)
    if (read.operand.role() == "weight" && isThroughData(read) && isFloating(read.format))
      return &read;
  return nullptr;
}

/// False when an extent does not fit.
bool ExpertReader::addProduct(const Statement &statement, const Access &weight) {
  const Access *rows = nullptr;
  for (const Access &read : statement.reads)
    if (&read != &weight && isFloating(read.format)) {
      if (rows)
        return false;
      rows = &read;
    } else if (!isFloating(read.format) && !read.operand.draw().empty()) {
      found.keys = read.operand;
    }
  int64_t chosen = 1, width = 1, depth = 1;
  for (unsigned i = 0; i < statement.extents.size(); ++i) {
    int64_t &into = statement.isReduction(i) ? depth : weight.uses(i) ? width : chosen;
    auto product = checkedMultiply(into, statement.extents[i]);
    if (!product || *product < 1)
      return false;
    into = *product;
  }
  if (!rows || (!found.widths.empty() && chosen != found.rows))
    return false;
  if (found.widths.empty()) {
    found.rows = found.allRows = chosen;
    found.format = op::computeFormat(statement.op);
    found.left = rows->format;
    found.weights = weight.format;
    for (size_t rank = 0; rank < weight.ranks.size(); ++rank)
      if (weight.ranks[rank].dataDependent)
        found.experts = weight.shape[rank];
    gathers = isThroughData(*rows);
    for (size_t rank = 0; gathers && rank < rows->ranks.size(); ++rank)
      if (rows->ranks[rank].dataDependent)
        found.tokens = rows->shape[rank];
    if (rows->tensor == brought) {
      gathers = true;
      found.tokens = copied / depth;
    }
  }
  if (!found.widths.empty() && rows->tensor == left && depth == found.depths.back()) {
    found.widths.back() += width;
    return true;
  }
  left = rows->tensor;
  found.widths.push_back(width);
  found.depths.push_back(depth);
  return true;
}

/// True for the sum of what the experts of a token make, read through data.
bool ExpertReader::addResults(const Statement &statement) {
  for (const Access &read : statement.reads)
    if (read.operand.role() == "intermediate" && isThroughData(read)) {
      int64_t choices = 1;
      for (const Access &keys : statement.reads)
        if (!isFloating(keys.format))
          for (int64_t extent : keys.shape)
            choices = checkedMultiply(choices, extent).getValueOr(INT64_MAX);
      addsUp = true;
      found.allRows = std::max(found.rows, choices);
      return true;
    }
  // What has been brought together goes back to its tokens.
  addsUp = !brought.empty() && !found.widths.empty() && sumsUp(statement);
  return addsUp;
}

/// Results and activations have 16 bits each; rows are brought into the format of the products.
void ExpertReader::addBytes() {
  constexpr double result = 2;
  double own = storedBytes(found.left), bytes = 0;
  for (size_t i = 0; i + 1 < found.widths.size(); ++i)
    bytes += result * static_cast<double>(found.widths[i]) +
             own * static_cast<double>(found.depths[i + 1]);
  double entering = static_cast<double>(found.depths.front()) * (result + own);
  if (gathers) {
    bytes += entering;
    found.tokenBytes = std::llround(entering);
  }
  bytes += (addsUp ? 2 : 1) * result * static_cast<double>(found.widths.back());
  found.rowBytes = std::llround(bytes);
}

llvm::Optional<Experts> ExpertReader::read() {
  for (const Statement &statement : kernel.statements) {
    if (found.widths.empty() && copiesRows(statement)) {
      brought = statement.write.tensor;
      copied = 1;
      for (int64_t extent : statement.reads[0].shape)
        copied *= extent;
    } else if (const Access *weight = chosenWeight(statement)) {
      if (!addProduct(statement, *weight))
        return llvm::None;
    } else if (!addResults(statement) &&
               (statement.op.isMac() || (statement.reduces() && !found.widths.empty()))) {
      return llvm::None;
    }
  }
  if (found.widths.empty())
    return llvm::None;
  addBytes();
  return found;
}

llvm::Optional<Experts> passes::expertsOf(const Kernel &kernel) {
  return ExpertReader(kernel).read();
}
