// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/Accesses.h"

#include "backends/loopnest/NestEpochs.h"
#include "backends/loopnest/analysis/PartialWords.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace perfc;
using namespace perfc::loopnest;

/// Beyond so many parts of a transfer their number is taken as its mean.
static constexpr double exactParts = 1 << 10;

std::vector<bool> loopnest::memoriesWithWidth(const AdaptedNest &nest) {
  std::vector<bool> result;
  for (size_t p = 0; p < nest.nest.places.size(); ++p)
    if (nest.nest.places[p].kind == PlaceKind::Memory) {
      auto memory = ir::as<target::MemoryOp>(nest.places[p]);
      result.push_back(memory && memory.width());
    }
  return result;
}

/// Bytes of the whole accesses that one transfer takes.
static double wholeAccesses(double bytes, double width) {
  return std::ceil(bytes / width - 1e-9) * width;
}

double loopnest::expectedAccesses(double words, double wordBytes, TransferShare share,
                                  double width) {
  double parts = std::max(1.0, std::round(words / share.part)), there = share.there;
  double each = words / parts * share.words * wordBytes; // bytes of a part
  if (there >= 1 || parts > exactParts)
    return wholeAccesses(parts * there * each, width);
  // As many parts as a binomial number.
  double expected = 0;
  for (double k = 1; k <= parts && there > 0; ++k)
    expected += wholeAccesses(k * each, width) *
                std::exp(std::lgamma(parts + 1) - std::lgamma(k + 1) - std::lgamma(parts - k + 1) +
                         k * std::log(there) + (parts - k) * std::log1p(-there));
  return expected;
}

namespace {

/// The transfers of one tensor at one memory.
class Transfers {
public:
  Transfers(const AdaptedNest &nest, size_t position, size_t tensor, Moved &moved);

  /// Bytes of whole accesses. `sizes`, if given, are those of the transfers without zeros; else all
  /// are taken as of one size, with words of the two kinds in `epochs` of their own, as many as
  /// their share.
  double bytes(int64_t words, int64_t finished, double epochs, const TransferSizes *sizes,
               TransferShare share);

private:
  double meanBytes(int64_t words, double wordBytes, int64_t all, double epochs,
                   TransferShare share) const;

  double wordBytes, partialBytes;
  double width = 0; ///< 0 where none is given
  Moved &moved;
};

} // namespace

Transfers::Transfers(const AdaptedNest &nest, size_t position, size_t tensor, Moved &moved)
    : moved(moved) {
  const Nest &flat = nest.nest;
  wordBytes = bytesOf(flat, flat.tensors[tensor].bitsPerWord);
  partialBytes = bytesOf(flat, movedBits(flat, flat.places[position], tensor));
  if (auto given = ir::as<target::MemoryOp>(nest.places[position]).width())
    width = std::max(0.0, given->toDouble());
}

double Transfers::meanBytes(int64_t words, double wordBytes, int64_t all, double epochs,
                            TransferShare share) const {
  if (width == 0 || words == 0)
    return static_cast<double>(words) * wordBytes;
  // An access serves one transfer, and there is no transfer without a word.
  double dense = std::max(1.0, static_cast<double>(all) / share.kept());
  double transfers = std::min(epochs, dense);
  return expectedAccesses(dense / transfers, wordBytes, share, width) * transfers *
         static_cast<double>(words) / static_cast<double>(all);
}

double Transfers::bytes(int64_t words, int64_t finished, double epochs, const TransferSizes *sizes,
                        TransferShare share) {
  double done = 0, all = 0;
  if (sizes && width > 0) {
    for (const TransferSize &size : *sizes) {
      auto whole = [&](int64_t words, double bytes) {
        return static_cast<double>(size.number) *
               expectedAccesses(static_cast<double>(words), bytes, share, width);
      };
      double ofFinished = whole(size.finished, wordBytes);
      done += ofFinished;
      all += ofFinished + whole(size.words - size.finished, partialBytes);
    }
  } else {
    done = meanBytes(finished, wordBytes, words, epochs, share);
    all = done + meanBytes(words - finished, partialBytes, words, epochs, share);
  }
  moved.finished += done;
  return all;
}

/// Epochs of those that the memory at `position` serves with `tensor`: of the next memory inside
/// that keeps it, else the steps of the lanes, those with zeros too.
static double epochsInside(const Nest &nest, const Counts &counts, size_t position, size_t tensor) {
  for (size_t p = position + 1; p < nest.places.size(); ++p)
    if (nest.places[p].kind == PlaceKind::Memory &&
        llvm::is_contained(nest.places[p].keep, static_cast<unsigned>(tensor)))
      return reuseAt(nest, p, tensor).epochs;
  return static_cast<double>(counts.denseSteps.getValueOr(counts.steps));
}

static const TensorCounts &countsAt(const Nest &nest, const Counts &counts, size_t position,
                                    size_t tensor) {
  auto isMemory = [](const Place &place) { return place.kind == PlaceKind::Memory; };
  auto number = llvm::count_if(llvm::makeArrayRef(nest.places).take_front(position), isMemory);
  return *counts.memories[static_cast<size_t>(number)].tensors[tensor];
}

Moved loopnest::movedBy(const AdaptedNest &nest, const Counts &counts, size_t position,
                        size_t tensor) {
  const Nest &flat = nest.nest;
  const TensorCounts &own = countsAt(flat, counts, position, tensor);
  auto instances = static_cast<double>(workingInstances(flat, position));
  double outside = reuseAt(flat, position, tensor).epochs * instances;
  double inside = epochsInside(flat, counts, position, tensor) * instances;
  Moved moved;
  Transfers transfers(nest, position, tensor, moved);
  TransferShares shares = own.shares.getValueOr(TransferShares());
  auto bytes = [&](int64_t words, int64_t finished, double epochs,
                   TransferSizes TensorTransfers::*way, TransferShare TransferShares::*share) {
    const TransferSizes *sizes = own.transfers ? &((*own.transfers).*way) : nullptr;
    return transfers.bytes(words, std::min(finished, words), epochs, sizes, shares.*share);
  };
  int64_t done = own.finished.getValueOr(0);
  moved.read =
      bytes(own.reads.declared, 0, inside, &TensorTransfers::reads, &TransferShares::reads) +
      bytes(own.writebacks, done, outside, &TensorTransfers::writebacks,
            &TransferShares::writebacks);
  moved.filled = bytes(own.fills, 0, outside, &TensorTransfers::fills, &TransferShares::fills);
  moved.updated = bytes(own.updates.declared, done, inside, &TensorTransfers::updates,
                        &TransferShares::updates);
  return moved;
}
