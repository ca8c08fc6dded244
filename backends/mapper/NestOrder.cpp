// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/mapper/NestOrder.h"

#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::mapper;

std::shared_ptr<const NestOrder> NestOrder::of(const loopnest::AdaptedNest &adapted,
                                               loopnest::NestOp nest) {
  if (!passes::readsWhatItSets(adapted.statement))
    return nullptr;
  auto order = std::make_shared<const NestOrder>(
      ir::as<op::KernelOp>(adapted.statement->parentOp()), nest.statement());
  return order->dependences.empty() ? nullptr : order;
}

/// Whether loops over one index each run `first` before `second`.
static bool isBefore(llvm::ArrayRef<int64_t> first, llvm::ArrayRef<int64_t> second,
                     llvm::ArrayRef<passes::OrderedLoop> loops) {
  for (const passes::OrderedLoop &loop : loops) {
    auto [index, step] = loop.drives.front();
    int64_t a = first[index] / step % loop.factor, b = second[index] / step % loop.factor;
    if (a != b)
      return !loop.isParallel && a < b;
  }
  return false;
}

bool NestOrder::isKeptBy(const loopnest::Nest &nest) const {
  std::vector<passes::OrderedLoop> loops;
  std::vector<int64_t> cover(nest.dims.size(), 1); // by the loops further in
  for (const loopnest::Place &place : llvm::reverse(nest.places))
    for (const loopnest::Loop &loop : llvm::reverse(place.loops)) {
      passes::OrderedLoop next{{}, loop.factor, place.kind == loopnest::PlaceKind::Array};
      for (const loopnest::Drive &drive : loop.drives) {
        next.drives.push_back({drive.dim, cover[drive.dim]});
        cover[drive.dim] *= loop.factor;
      }
      loops.push_back(std::move(next));
    }
  std::reverse(loops.begin(), loops.end());
  bool isPlain =
      llvm::all_of(loops, [](const passes::OrderedLoop &loop) { return loop.drives.size() == 1; });
  if (std::lock_guard<std::mutex> lock(mutex); isPlain)
    for (const auto &[first, second] : known)
      if (!isBefore(first, second, loops))
        return false;
  auto broken = dependences.firstBroken(loops);
  if (broken && !broken->first.empty()) {
    std::lock_guard<std::mutex> lock(mutex);
    known.emplace_back(std::move(broken->first), std::move(broken->second));
  }
  return !broken;
}
