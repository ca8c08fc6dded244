// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/FusedCapacity.h"

#include "backends/loopnest/analysis/PartialWords.h"
#include "ir/common/diagnostics/Evaluation.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::loopnest;

FusedMeetings::FusedMeetings(FusedOp op, const passes::Chip &places) : op(op), places(places) {
  for (const FusedTensor &tensor : fusedTensors(op))
    memoryOf[tensor.name] = tensor.memory;
}

/// The innermost (or outermost) of two memories; "" is none.
llvm::StringRef FusedMeetings::further(llvm::StringRef a, llvm::StringRef b, bool inward) const {
  if (a.empty() || b.empty())
    return a.empty() ? b : a;
  return (*places.find(a) < *places.find(b)) == inward ? b : a;
}

llvm::StringRef FusedMeetings::of(const FusedPart &part) const {
  llvm::StringRef own, outermost;
  for (const auto &entry : memoryOf) {
    outermost = further(outermost, entry.second, /*inward=*/false);
    if (llvm::any_of(part.adapted.nest.tensors,
                     [&](const Tensor &tensor) { return tensor.name == entry.first(); }))
      own = further(own, entry.second, /*inward=*/true);
  }
  if (own.empty())
    own = outermost;
  // What is finished where it is made meets its reader in no memory.
  return own.empty() ? op.place() : own;
}

static const MemoryCounts *countsAt(const Counts &counts, llvm::StringRef memory) {
  auto found =
      llvm::find_if(counts.memories, [&](const MemoryCounts &one) { return one.name == memory; });
  return found == counts.memories.end() ? nullptr : &*found;
}

static int64_t tileBits(const FusedPart &part, const MemoryCounts &counts, size_t tensor) {
  const auto &held = counts.tensors[tensor];
  if (!held)
    return 0;
  const Nest &nest = part.adapted.nest;
  size_t number = static_cast<size_t>(&counts - part.counts.memories.data());
  int64_t parts = held->maxResident * heldBits(nest, memoryOf(nest, number), tensor, *held);
  return parts / nest.partsPerBit + (parts % nest.partsPerBit != 0);
}

/// What is finished where it is made has two names, which stand side by side: that of the readers
/// comes first.
std::string FusedCapacity::nameOf(const std::string &tensor) const {
  std::vector<std::string> names = op.tensors();
  size_t at = static_cast<size_t>(llvm::find(names, tensor) - names.begin());
  if (at == 0 || at == names.size())
    return tensor;
  for (const FusedPart &part : parts)
    for (const Tensor &read : part.adapted.nest.tensors)
      if (!read.isOutput && read.name == tensor)
        return tensor;
  auto isRead = [&](const FusedPart &part) {
    return llvm::any_of(part.adapted.nest.tensors, [&](const Tensor &read) {
      return !read.isOutput && read.name == names[at - 1];
    });
  };
  return llvm::any_of(parts, isRead) ? names[at - 1] : tensor;
}

/// Tiles of all statements at once. Of a tensor that several of them use the largest; one that is
/// made in smaller tiles than it is read in has the tile in use and the one that is being made.
FusedCapacity::Held FusedCapacity::heldTogether(llvm::StringRef memory) const {
  Held held;
  llvm::StringMap<int64_t> made;
  for (const FusedPart &part : parts)
    if (const MemoryCounts *counts = countsAt(part.counts, memory))
      for (size_t t = 0; t < counts->tensors.size(); ++t) {
        if (!counts->tensors[t])
          continue;
        const Tensor &tensor = part.adapted.nest.tensors[t];
        int64_t bits = tileBits(part, *counts, t);
        std::string name = nameOf(tensor.name);
        if (tensor.isOutput)
          made[name] = bits;
        auto known = llvm::find_if(held, [&](const auto &one) { return one.first == name; });
        if (known == held.end())
          held.push_back({name, bits});
        else
          known->second = std::max(known->second, bits);
      }
  for (auto &[name, bits] : held)
    if (auto found = made.find(name); found != made.end() && found->second < bits)
      bits += found->second;
  return held;
}

/// The tiles of the statement that needs most, and the results of the others.
FusedCapacity::Held FusedCapacity::heldInTurns(llvm::StringRef memory) const {
  Held most;
  int64_t largest = -1;
  for (const FusedPart &own : parts) {
    Held held;
    int64_t sum = 0;
    for (const FusedPart &part : parts)
      if (const MemoryCounts *counts = countsAt(part.counts, memory))
        for (size_t t = 0; t < counts->tensors.size(); ++t)
          if (counts->tensors[t] && (&part == &own || part.adapted.nest.tensors[t].isOutput)) {
            std::string name = nameOf(part.adapted.nest.tensors[t].name);
            if (llvm::any_of(held, [&](const auto &one) { return one.first == name; }))
              continue;
            held.push_back({name, tileBits(part, *counts, t)});
            sum += held.back().second;
          }
    if (sum > largest) {
      largest = sum;
      most = std::move(held);
    }
  }
  return most;
}

bool FusedCapacity::checkMemory(target::MemoryOp memory, const Held &held) {
  auto capacity = memory.capacity();
  int64_t bits = 0;
  for (const auto &[name, own] : held)
    bits += own;
  if (!capacity || static_cast<double>(bits) / 8 <= capacity->toDouble())
    return true;
  auto sizeText = [base = writtenBase(capacity->toDouble())](int64_t bits) {
    return formatSize(static_cast<double>(bits) / 8, base);
  };
  std::string text;
  for (const auto &[name, own] : held)
    text += (text.empty() ? "" : " + ") + name + " " + sizeText(own);
  diagnostics
      .report(op->range(), diag::TileDoesNotFit, memory.symbol(), formatEngineering(*capacity),
              sizeText(bits), text)
      .note(memory->range(), "the memory is declared here");
  return false;
}

bool FusedCapacity::fits(llvm::StringRef memory, const Held &held) const {
  auto capacity = target::MemoryOp(places.places[*places.find(memory)].op).capacity();
  double bits = 0;
  for (const auto &[name, own] : held)
    bits += static_cast<double>(own);
  return !capacity || bits / 8 <= capacity->toDouble();
}

/// Where a memory inside has no room for everything, operands are fetched again for each tile.
bool FusedCapacity::takeTurns() {
  bool isInside = false, takesTurns = false;
  llvm::StringRef innermost = op.place();
  for (const passes::Place &place : places.places) {
    takesTurns |= isInside && !place.isArray && !fits(place.name, heldTogether(place.name));
    isInside |= place.name == innermost;
  }
  if (!takesTurns)
    return false;
  for (FusedPart &part : parts) {
    llvm::StringRef shared = meetings.of(part);
    if (fetchForEachTile(part.adapted, shared, part.counts))
      part.adapted.notes.push_back(
          fmt::format("operands of ragged tiles inside `{}` count as those of whole ones", shared));
  }
  return true;
}

bool FusedCapacity::check() {
  bool fits = true, isInside = false, takesTurns = takeTurns();
  for (const passes::Place &place : places.places) {
    if (place.isArray)
      continue;
    fits &=
        checkMemory(target::MemoryOp(place.op),
                    isInside && takesTurns ? heldInTurns(place.name) : heldTogether(place.name));
    isInside |= place.name == op.place();
  }
  return fits;
}
