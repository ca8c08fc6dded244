// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which kernels each point of a sweep runs, from a few points. An evaluation is the sum of its
// kernels (backends/core/StudySum.h); which these are at a point is known when it is built, since a
// choice may reach a workload by way of any text or function. So kernels are taken to be
//     runs(c) = common + sum over groups g of runs of g at the choices that c makes in it
// where a group is one name of the sweep, or several that act on the same kernels. That is checked
// in whole numbers, kernel by kernel, on points that have any two values of any two names at once
// (a covering array of strength two); where it does not hold, the least set of names at fault
// becomes one group. What three values in different groups do together, and no two of them, shows
// only where a point that was evaluated has them.
#ifndef PERFC_API_SEPARATION_H
#define PERFC_API_SEPARATION_H

#include "backends/core/StudySum.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"

namespace perfc::api {

class Separation {
public:
  /// By name the number of its value.
  using Choice = std::vector<unsigned>;
  /// The kernels of a point; nothing where it is no sum of kernels, which ends the search.
  using Runs = llvm::function_ref<llvm::Optional<KernelRuns>(const Choice &)>;
  /// Names that act together, in order, and what each combination of their values runs besides what
  /// all points do; the last one's values run fastest.
  struct Group {
    std::vector<unsigned> names;
    std::vector<KernelRuns> parts;
  };

  /// Of names with so many values each. Nothing where more than `most` points would be evaluated.
  static llvm::Optional<Separation> find(llvm::ArrayRef<unsigned> sizes, Runs runs, size_t most);

  const KernelRuns &common() const { return shared; }
  /// By their last names.
  llvm::ArrayRef<Group> groups() const { return all; }
  /// Which of the parts of `group` the point has.
  size_t partOf(const Group &group, const Choice &choice) const;
  /// Points that were evaluated.
  llvm::ArrayRef<Choice> evaluated() const { return order; }

private:
  explicit Separation(llvm::ArrayRef<unsigned> sizes) : sizes(sizes.vec()) {}
  bool search(Runs runs, size_t most);
  const KernelRuns *at(const Choice &choice, Runs runs, size_t most);
  bool tabulate(Group &group, Runs runs, size_t most);
  bool holds(const Choice &choice, const KernelRuns &runs) const;
  bool join(const Choice &choice, Runs runs, size_t most);
  void makePositive();

  std::vector<unsigned> sizes;
  KernelRuns shared;
  std::vector<Group> all;
  std::map<Choice, KernelRuns> known;
  std::vector<Choice> order;
};

} // namespace perfc::api

#endif // PERFC_API_SEPARATION_H
