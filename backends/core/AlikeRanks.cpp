// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/core/AlikeRanks.h"

#include "ir/common/Diagnostics.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;

/// Seconds by label of kernels that ranks along `axis` run alike, of `times` runs of `part`.
static void addAlike(const CostPart &part, llvm::StringRef axis, double times,
                     llvm::MapVector<llvm::StringRef, double> &seconds) {
  if (llvm::is_contained(part.alike, axis))
    seconds[part.label] += part.latency.central() * times;
  if (part.kind == PartKind::Repeat || part.kind == PartKind::Program)
    for (const CostPart &child : part.children)
      addAlike(child, axis, times * static_cast<double>(part.count), seconds);
}

void perfc::noteAlikeRanks(Cost &cost, llvm::ArrayRef<CostPart> parts, double seconds,
                           llvm::function_ref<int64_t(llvm::StringRef)> degree) {
  constexpr double leastShare = 0.005;
  constexpr size_t mostNames = 3;
  for (llvm::StringRef axis : {"tensor", "context", "data"}) {
    llvm::MapVector<llvm::StringRef, double> byLabel;
    for (const CostPart &part : parts)
      addAlike(part, axis, 1, byLabel);
    auto kernels = byLabel.takeVector();
    double sum = 0;
    for (const auto &[label, time] : kernels)
      sum += time;
    if (degree(axis) <= 1 || kernels.empty() || sum < leastShare * seconds)
      continue;
    llvm::stable_sort(kernels, [](const auto &a, const auto &b) { return a.second > b.second; });
    std::vector<std::string> names;
    for (const auto &[label, time] : llvm::makeArrayRef(kernels).take_front(mostNames))
      names.push_back(fmt::format("`{}`", label));
    std::string text = fmt::format("{}", fmt::join(names, ", "));
    if (kernels.size() > mostNames)
      text += fmt::format(" and {}",
                          counted(static_cast<uint64_t>(kernels.size() - mostNames), "other"));
    cost.addNote(fmt::format("`{} = {}` does not divide {}: {:.1f} % of the time is what ranks run "
                             "alike",
                             axis, degree(axis), text, 100 * sum / seconds));
  }
}
