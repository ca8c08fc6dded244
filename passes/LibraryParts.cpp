// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/LibraryParts.h"

#include "ir/tile/LayerOps.h"

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::passes;

void passes::emitAttention(const Attention &attention, Operation &op) {
  op.setAttr("kind", attention.kind());
  op.setAttr("sequences", attention.sequences);
  op.setAttr("heads", attention.heads);
  op.setAttr("group", attention.group);
  op.setAttr("queries", attention.queries);
  op.setAttr("keys", attention.keys);
  op.setAttr("score_features", attention.scoreFeatures);
  op.setAttr("value_features", attention.valueFeatures);
  op.setAttr("window", attention.window);
  if (attention.isCausal)
    op.setAttr("causal", Attribute::unit());
  if (attention.stride > 1)
    op.setAttr("stride", attention.stride);
  if (attention.sharesValues)
    op.setAttr("shared", Attribute::unit());
  op.setAttr("format", dtypeName(attention.query->format));
  op.setAttr("cache", dtypeName(attention.key->format));
  op.setAttr("other_bytes", attention.otherBytes);
  std::vector<std::string> tensors;
  for (const Access *access : {attention.query, attention.key, attention.value, attention.result})
    tensors.push_back(access->tensor.str());
  op.setAttr("tensors", Attribute::strings(tensors));
}

void passes::emitExperts(const Experts &experts, int64_t copies, Region &into, Builder &builder,
                         const Location &location) {
  auto op = builder.create<tile::ExpertsOp>(into, location);
  op->setAttr("experts", experts.experts);
  op->setAttr("rows", experts.rows);
  op->setAttr("all_rows", experts.allRows);
  op->setAttr("tokens", experts.tokens);
  op->setAttr("token_bytes", experts.tokenBytes);
  op->setAttr("row_bytes", experts.rowBytes);
  op->setAttr("widths", Attribute::ints(experts.widths));
  op->setAttr("depths", Attribute::ints(experts.depths));
  op->setAttr("format", dtypeName(experts.format));
  op->setAttr("left", dtypeName(experts.left));
  op->setAttr("weights", dtypeName(experts.weights));
  op->setAttr("spread", experts.keys ? experts.keys.draw() : "uniform");
  if (auto apart = experts.keys ? experts.keys.distinct() : llvm::None)
    op->setAttr("chosen", experts.keys.shape()[*apart]);
  if (copies > 0)
    op->setAttr("copies", copies);
  for (llvm::StringRef figure : {"theta", "most"})
    if (experts.keys && experts.keys->hasAttr(figure))
      op->setAttr(figure, *experts.keys->attr(figure));
}

void passes::emitConvolution(const Convolution &convolution, Region &into, Builder &builder,
                             const Location &location) {
  auto op = builder.create<tile::ConvolutionOp>(into, location);
  op->setAttr("groups", convolution.groups);
  op->setAttr("images", convolution.images);
  op->setAttr("channels", convolution.channels);
  op->setAttr("filters", convolution.filters);
  op->setAttr("positions", Attribute::ints(convolution.positions));
  op->setAttr("window", Attribute::ints(convolution.window));
  op->setAttr("strides", Attribute::ints(convolution.strides));
  if (convolution.isDilated)
    op->setAttr("dilated", Attribute::unit());
  op->setAttr("format", dtypeName(convolution.format));
  op->setAttr("result", dtypeName(convolution.result));
  op->setAttr("input_bytes", convolution.inputBytes);
  op->setAttr("filter_bytes", convolution.filterBytes);
  op->setAttr("result_bytes", convolution.resultBytes);
  op->setAttr("other_bytes", convolution.otherBytes);
}
