// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where an operation comes from: a list of source ranges, the place itself first and then the
// places that were fused into it (the declarations it was made from, the operations it replaces).
#ifndef PERFC_IR_CORE_LOCATION_H
#define PERFC_IR_CORE_LOCATION_H

#include "ir/common/Source.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace perfc {
namespace ir {

class Location {
public:
  Location(SourceRange range = {}) : list{range} {}

  /// The place to show first; may be nowhere.
  SourceRange primary() const { return list.front(); }
  /// Never empty.
  llvm::ArrayRef<SourceRange> ranges() const { return list; }
  /// Adds what `other` knows and this does not.
  Location &fuse(const Location &other) {
    for (SourceRange range : other.list)
      fuseRange(range);
    return *this;
  }
  bool operator==(const Location &other) const { return list == other.list; }

private:
  void fuseRange(SourceRange range) {
    if (!range.isValid())
      return;
    if (!list.front().isValid()) {
      list.front() = range;
      return;
    }
    for (SourceRange known : list)
      if (known == range)
        return;
    list.push_back(range);
  }

  llvm::SmallVector<SourceRange, 1> list;
};

} // namespace ir
} // namespace perfc

#endif // PERFC_IR_CORE_LOCATION_H
