// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A hash of what an operation says, without its name and its place: equal operations have equal
// hashes, and 128 bits make an accidental equality of different ones negligible (2^-64 for 2^32
// operations). Symbols count as what they name, if the module has it.
#ifndef PERFC_BACKENDS_CORE_STRUCTURALHASH_H
#define PERFC_BACKENDS_CORE_STRUCTURALHASH_H

#include "ir/core/Operation.h"
#include <utility>

namespace perfc {

/// Comparable, so that it can be the key of an ordered map.
using StructuralHash = std::pair<uint64_t, uint64_t>;

/// Hash of names, attributes, result types and regions of `op`.
StructuralHash structuralHash(const ir::Operation &op);
/// Hash of one value that names no symbols.
StructuralHash structuralHash(const ir::Attribute &value);
/// The hashes of the operations of one module, each computed once, also where others name them
/// (every kernel its chip). The operations must neither change nor go away while it is in use.
class HashCache {
public:
  StructuralHash of(const ir::Operation &op);
  /// Whether what the operation at hand names counts as its name alone: no chain of symbols that
  /// the IR has meant is as long.
  bool isDeep() const { return depth > maxDepth; }

private:
  static constexpr unsigned maxDepth = 16;
  unsigned depth = 0;
  llvm::DenseMap<const ir::Operation *, StructuralHash> known;
};

/// Hash of an ordered pair.
StructuralHash combine(StructuralHash a, StructuralHash b);

} // namespace perfc

#endif // PERFC_BACKENDS_CORE_STRUCTURALHASH_H
