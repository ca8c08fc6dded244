// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/serving/BatchShape.h"

#include <algorithm>

using namespace perfc;
using namespace perfc::serving;

BatchShape serving::shapeOf(const Batch &batch, const RequestList &requests) {
  BatchShape shape;
  for (const BatchEntry &entry : batch) {
    const Request &request = requests[entry.request];
    shape.tokens += entry.tokens;
    if (!request.isPrefilled) {
      shape.chunks.push_back({entry.tokens, request.processed});
      shape.outputs += request.processed + entry.tokens == request.prompt;
      continue;
    }
    shape.outputs += entry.tokens;
    if (entry.tokens > 1) {
      ++shape.verified;
    } else {
      ++shape.decodes;
      shape.decodeContext += request.processed;
    }
  }
  if (shape.verified > 0)
    for (const BatchEntry &entry : batch)
      if (const Request &request = requests[entry.request]; request.isPrefilled && entry.tokens > 1)
        shape.chunks.push_back({entry.tokens, request.processed - 1});
  return shape;
}

static int64_t partOf(int64_t whole, int64_t ranks) { return (whole + ranks - 1) / ranks; }

BatchShape serving::shareOf(const BatchShape &shape, int64_t ranks) {
  BatchShape share;
  share.decodes = partOf(shape.decodes, ranks);
  if (shape.decodes > 0)
    share.decodeContext = partOf(shape.decodeContext * share.decodes, shape.decodes);
  auto verified = shape.chunks.end() - shape.verified;
  std::vector<BatchShape::Chunk> pieces(shape.chunks.begin(), verified);
  std::stable_sort(pieces.begin(), pieces.end(),
                   [](const auto &a, const auto &b) { return a.tokens > b.tokens; });
  std::vector<int64_t> load(static_cast<size_t>(ranks), 0);
  std::vector<std::vector<BatchShape::Chunk>> dealt(load.size());
  for (const BatchShape::Chunk &piece : pieces) {
    auto least = static_cast<size_t>(std::min_element(load.begin(), load.end()) - load.begin());
    load[least] += piece.tokens;
    dealt[least].push_back(piece);
  }
  auto most = static_cast<size_t>(std::max_element(load.begin(), load.end()) - load.begin());
  share.chunks = std::move(dealt[most]);
  share.tokens = share.decodes + load[most];
  share.verified = partOf(shape.verified, ranks);
  int64_t before = 0, longest = 0;
  for (auto piece = verified; piece != shape.chunks.end(); ++piece) {
    before += piece->before;
    longest = std::max(longest, piece->tokens);
  }
  for (int64_t i = 0; i < share.verified; ++i)
    share.chunks.push_back({longest, before / shape.verified});
  share.tokens += share.verified * longest;
  share.outputs = partOf(shape.outputs, ranks);
  return share;
}
