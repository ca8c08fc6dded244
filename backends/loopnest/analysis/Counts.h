// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What moves when a mapped nest runs, as exact integers. A memory's epoch is one setting of the
// loops in time outside it, its tile the elements that its lanes touch in an epoch. Inputs: what a
// tile newly needs is filled. Output: partial sums that leave a tile go up (writebacks, updates of
// the parent), and come back (fills) when the parent holds them; the first read is elided.
#ifndef PERFC_BACKENDS_LOOPNEST_ANALYSIS_COUNTS_H
#define PERFC_BACKENDS_LOOPNEST_ANALYSIS_COUNTS_H

#include "llvm/ADT/Optional.h"
#include <cstdint>
#include <string>
#include <vector>

namespace perfc {
namespace loopnest {

/// One quantity under three networks between a memory and those it serves.
struct NetworkCount {
  int64_t shared = 0;   ///< every axis multicasts and reduces
  int64_t separate = 0; ///< no axis does
  int64_t declared = 0; ///< the axes do what the nest says
  /// Where networks make no difference.
  static NetworkCount same(int64_t count) { return {count, count, count}; }
  bool operator==(const NetworkCount &other) const {
    return shared == other.shared && separate == other.separate && declared == other.declared;
  }
};

/// Transfers of one size at one instance of a memory.
struct TransferSize {
  int64_t words;
  int64_t finished; ///< of these; the rest are partial sums, or words of an input
  int64_t number;
  bool operator==(const TransferSize &other) const {
    return words == other.words && finished == other.finished && number == other.number;
  }
};
/// By size, each once.
using TransferSizes = std::vector<TransferSize>;

/// The transfers that make up counts under the declared network: per instance, in one epoch of the
/// memory inside or one step of the lanes (fills and writebacks: in one epoch of its own).
struct TensorTransfers {
  TransferSizes fills, reads, updates, writebacks;
};

/// What zeros leave of transfers of one kind, in expectation: they are made of parts of `part`
/// words that are left out by themselves. A share `there` is not, and of each of its words `words`
/// move.
struct TransferShare {
  double there = 1, words = 1, part = 1;
  /// Words that move for each of the dense ones.
  double kept() const { return there * words; }
};
struct TransferShares {
  TransferShare fills, reads, updates, writebacks;
};

/// Counts of one tensor in one memory, summed over the memory's instances.
struct TensorCounts {
  int64_t fills = 0;       ///< words that enter from the parent; output: partial sums read back
  NetworkCount reads;      ///< words read for children and lanes; output: read-backs and merges
  NetworkCount updates;    ///< output only: partial sums that arrive from children and lanes
  int64_t writebacks = 0;  ///< output only: words sent up; each is one more read of this memory
  int64_t maxResident = 0; ///< most words in one instance at one time
  /// Output only, where partial sums are told apart: elements whose whole sum comes together in
  /// some instance of this memory. So many of the updates write a finished word, and so many of
  /// the writebacks send one up; all other words of the output are partial sums.
  llvm::Optional<int64_t> finished;
  /// Where they were asked for and are known.
  llvm::Optional<TensorTransfers> transfers;
  /// What is left of `transfers`, where zeros leave something out.
  llvm::Optional<TransferShares> shares;

  /// Whether what the memory holds of the output is ever a partial sum.
  bool holdsPartial() const { return finished && *finished < updates.declared; }
};

struct MemoryCounts {
  std::string name;
  std::vector<llvm::Optional<TensorCounts>> tensors; ///< by tensor; none where it is not kept
  int64_t maxResident = 0;     ///< most words in one instance at one time, all tensors together
  int64_t maxResidentBits = 0; ///< the same in bits
};

/// Links crossed in the copies of one array. A word enters at (0, middle), middle = floor((n-1)/2)
/// for an axis of size n after the first; it travels along the first axis, then along the second in
/// each column that needs it. Sums take the same tree in reverse; a partial sum that is read back
/// goes to one child.
struct ArrayCounts {
  std::string name;
  /// By tensor; none where they were not asked for or have no closed form: partial sums of a memory
  /// below an array that adds them up, when a ragged loop leaves some of the writers idle early.
  std::vector<llvm::Optional<NetworkCount>> hops;
  /// By tensor, in that one case: the hops if all writers of a sum were done with it at the same
  /// time. Empty when no tensor needs an estimate.
  std::vector<llvm::Optional<NetworkCount>> hopEstimates;
};

enum class AnalysisForm { Closed, Enumerated };

struct Counts {
  AnalysisForm form = AnalysisForm::Closed;
  /// Points executed. All of the iteration space, unless loops drive several dimensions at once or
  /// have steps of their own: those may leave points out or visit them twice.
  int64_t macs = 0;
  int64_t steps = 0; ///< settings of the loops in time in which at least one lane works
  llvm::Optional<int64_t> denseSteps; ///< those without zeros, where `steps` are without them
  int64_t maxActiveLanes = 0;
  /// Points that are all of their element's sum: what these lanes send up is finished. Counted
  /// where partial sums are told apart.
  int64_t finishedPoints = 0;
  std::vector<MemoryCounts> memories; ///< in the order of the nest's memories
  std::vector<ArrayCounts> arrays;    ///< in the order of the nest's arrays
};

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_ANALYSIS_COUNTS_H
