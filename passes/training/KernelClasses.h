// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Classes of what runs together in a kernel: the ranks of its tensors and the indices of its
// statements that are always equal. In `C[m, n] += A[m, k] * B[k, n]` rank 0 of C, rank 0 of A and
// the index m are one class. To divide a tensor along a rank is to divide a class; a class that a
// subscript shifts or mixes (`x[p + r]`, `x[e - 64]`) is rigid and stays whole.
#ifndef PERFC_PASSES_TRAINING_KERNELCLASSES_H
#define PERFC_PASSES_TRAINING_KERNELCLASSES_H

#include "passes/analysis/KernelModel.h"
#include <map>

namespace perfc {
namespace passes {

class KernelClasses {
public:
  explicit KernelClasses(op::KernelOp kernel);

  const Kernel &kernel() const { return model; }
  unsigned count() const { return static_cast<unsigned>(rigid.size()); }
  /// The class of a rank of the operand `tensor`, or of an index of a statement.
  unsigned ofRank(llvm::StringRef tensor, unsigned rank) const;
  unsigned ofIndex(const Statement &statement, unsigned index) const;
  bool isRigid(unsigned cls) const { return rigid[cls]; }
  /// The largest extent among its members.
  int64_t extent(unsigned cls) const { return extents[cls]; }
  /// True when `statement` runs over the class.
  bool runsOver(const Statement &statement, unsigned cls) const;
  /// True when a rank of `tensor` is in the class.
  bool has(llvm::StringRef tensor, unsigned cls) const;
  /// True when `statement` runs over the class and its result has no such rank.
  bool isReduced(const Statement &statement, unsigned cls) const;
  /// The rank of `tensor` whose subscript depends on data in some statement; nothing for none.
  llvm::Optional<unsigned> dataRank(llvm::StringRef tensor) const;
  /// Pairs of a class of a rank and that of the index that counts its largest pieces, where the
  /// subscript enumerates the rank: 100 b + m for m below 100. Parts of one are parts of the other,
  /// so that rows of samples are samples.
  llvm::ArrayRef<std::pair<unsigned, unsigned>> pieces() const { return pieceClasses; }

private:
  void notePieces(const Statement &statement, const Access &access, unsigned rank);
  std::vector<int64_t> shapeOf(llvm::StringRef tensor) const;
  unsigned find(unsigned node) const;
  void join(unsigned a, unsigned b);
  void connect(const Statement &statement, const Access &access);

  Kernel model;
  mutable std::vector<unsigned> parent;
  llvm::StringMap<unsigned> firstNode; ///< of an operand's ranks
  std::vector<unsigned> firstIndex;    ///< of a statement's indices
  std::vector<unsigned> rigidNodes;
  std::vector<unsigned> classOf; ///< by node
  std::vector<bool> rigid;       ///< by class
  std::vector<int64_t> extents;  ///< by class
  llvm::StringMap<unsigned> dataRanks;
  std::vector<std::pair<unsigned, unsigned>> pieceClasses; ///< nodes while they are found
};

/// The classes of the kernels that applications run, each found when it is first asked for.
class KnownClasses {
public:
  const KernelClasses &of(const ir::Operation &apply);

private:
  std::map<const ir::Operation *, KernelClasses> byKernel;
};

} // namespace passes
} // namespace perfc

#endif // PERFC_PASSES_TRAINING_KERNELCLASSES_H
