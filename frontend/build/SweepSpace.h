// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The points of a sweep, of which any can be built: a point is a choice of one value for each name
// that the sweep sets. Their order is that of the file, the last name running fastest.
#ifndef PERFC_FRONTEND_BUILD_SWEEPSPACE_H
#define PERFC_FRONTEND_BUILD_SWEEPSPACE_H

#include "frontend/build/Compilation.h"

namespace perfc {

/// A name that a sweep sets, and its values.
struct SweepAxis {
  std::string name;
  const Decl *param = nullptr; ///< null where the name is the sweep's own
  std::vector<Value> values;
};

class SweepSpace {
public:
  /// By axis the number of its value.
  using Choice = std::vector<unsigned>;

  /// `axes` have a value at least.
  SweepSpace(Compilation &compilation, const ast::Item &item, const Scope &scope,
             std::vector<SweepAxis> axes);
  /// Parameters are then as before.
  ~SweepSpace();
  SweepSpace(const SweepSpace &) = delete;
  SweepSpace &operator=(const SweepSpace &) = delete;

  llvm::ArrayRef<SweepAxis> names() const { return axes; }
  SourceRange place() const { return item.range; }
  size_t pointCount() const;
  Choice first() const { return Choice(axes.size(), 0); }
  /// Makes `choice` that of the next point; false, and it is the first one again, after the last.
  bool advance(Choice &choice) const;
  /// What the point sets, as the attribute `bindings` of its study.point.
  ir::AttrDict bindings(const Choice &choice) const;
  /// Builds the point into `module`; false after a report.
  bool build(const Choice &choice, ir::Module &module);

private:
  Compilation &compilation;
  const ast::Item &item;
  const Scope &scope;
  std::vector<SweepAxis> axes;
  size_t named; ///< results of the statements before
  Choice last;  ///< what the parameters are set to; empty before the first point
};

} // namespace perfc

#endif // PERFC_FRONTEND_BUILD_SWEEPSPACE_H
