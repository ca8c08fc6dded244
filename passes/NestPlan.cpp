// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/NestPlan.h"

#include "passes/PartialSums.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::passes;

size_t NestPlan::positionOf(unsigned place) const {
  return static_cast<size_t>(llvm::find(places, place) - places.begin());
}

llvm::SmallVector<int64_t, 8> NestPlan::tile(size_t position) const {
  llvm::SmallVector<int64_t, 8> cover(statement->extents.size(), 1);
  for (const PlannedLoop &loop : loops) {
    if (positionOf(loop.place) < position || loop.numbersTiles)
      continue;
    for (unsigned index : loop.indices)
      cover[index] = checkedMultiply(cover[index], loop.factor).getValueOr(INT64_MAX);
  }
  for (size_t i = 0; i < cover.size(); ++i)
    cover[i] = std::min(cover[i], std::max<int64_t>(1, statement->extents[i]));
  return cover;
}

static void addBits(llvm::SmallVectorImpl<TensorBits> &list, const Access &access,
                    llvm::ArrayRef<int64_t> tile, DType format) {
  double bits = static_cast<double>(access.elements(tile)) * storedBytes(format) * 8;
  for (TensorBits &known : list)
    if (known.tensor == access.tensor) {
      known.bits = std::max(known.bits, bits);
      return;
    }
  list.push_back({access.tensor, bits});
}

llvm::SmallVector<TensorBits, 4> passes::keptBits(const Statement &statement, const Place &place,
                                                  llvm::ArrayRef<int64_t> tile) {
  llvm::SmallVector<TensorBits, 4> list;
  for (const Access &read : statement.reads)
    if (place.keeps(memoryRole(read.operand.role(), false)))
      addBits(list, read, tile, read.format);
  if (place.keeps("output"))
    addBits(list, statement.write, tile, partialFormat(statement, place));
  return list;
}

bool NestPlan::isKept(unsigned place, const Access &access, bool isWritten) const {
  bool kept = chip->places[place].keeps(memoryRole(access.operand.role(), isWritten));
  for (const PlannedKeep &one : keeps)
    if (one.place == place && one.tensor == access.tensor)
      kept = one.keep;
  return kept;
}

llvm::SmallVector<TensorBits, 4> passes::keptBits(const NestPlan &plan, size_t position) {
  llvm::SmallVector<TensorBits, 4> list;
  llvm::SmallVector<int64_t, 8> tile = plan.tile(position);
  for (const Access &read : plan.statement->reads)
    if (plan.isKept(plan.places[position], read, /*isWritten=*/false))
      addBits(list, read, tile, read.format);
  if (plan.isKept(plan.places[position], plan.statement->write, /*isWritten=*/true))
    addBits(list, plan.statement->write, tile, plan.statement->write.format);
  return list;
}

double passes::totalBits(llvm::ArrayRef<TensorBits> tensors) {
  double sum = 0;
  for (const TensorBits &tensor : tensors)
    sum += tensor.bits;
  return sum;
}

std::string passes::sizeText(double bits) {
  std::string text = formatEngineering(bits / 8, Dimension(BaseUnit::Byte), /*digits=*/3);
  size_t space = text.find(' '), end = space;
  // Zeros behind the point say nothing here.
  if (text.find('.') < space)
    while (text[end - 1] == '0' || text[end - 1] == '.')
      if (text[--end] == '.')
        break;
  return text.substr(0, end) + text.substr(space + 1);
}
