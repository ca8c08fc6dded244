// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/network/PairSizes.h"

#include "ir/common/diagnostics/Network.h"

using namespace perfc;
using namespace perfc::network;

/// Shares of the bytes of the rank that sends most.
static void toShares(PairSizes &sizes) {
  double most = 0;
  for (uint32_t from = 0; from < sizes.ranks; ++from) {
    double sum = 0;
    for (uint32_t to = 0; to < sizes.ranks; ++to)
      sum += sizes.share(from, to);
    most = std::max(most, sum);
  }
  for (double &entry : sizes.matrix)
    entry /= most > 0 ? most : 1;
}

llvm::Optional<PairSizes> network::readPairSizes(const ir::Operation &op, uint32_t ranks,
                                                 DiagnosticEngine &diagnostics) {
  PairSizes sizes;
  sizes.ranks = ranks;
  auto wrong = [&](const std::string &reason) {
    diagnostics.report(op.range(), diag::BadPairSizes, reason);
    return llvm::Optional<PairSizes>();
  };
  if (auto load = op.quantityAttr("load"))
    sizes.imbalance = load->toDouble();
  if (sizes.imbalance < 1 || sizes.imbalance > static_cast<double>(ranks))
    return wrong(fmt::format("the busiest of {} gets 1 to {} times the mean, not {:g} times",
                             counted(ranks, "rank"), ranks, sizes.imbalance));
  for (const ir::Attribute &row : op.listAttr("sizes"))
    sizes.matrix.push_back(row.asQuantity().toDouble());
  if (sizes.matrix.empty())
    return sizes;
  if (sizes.matrix.size() != static_cast<size_t>(ranks) * ranks)
    return wrong(fmt::format("the matrix has {}, but {} send to each other",
                             counted(sizes.matrix.size(), "entry"), counted(ranks, "rank")));
  toShares(sizes);
  return sizes;
}
