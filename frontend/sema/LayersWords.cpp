// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/sema/WordTables.h"

using namespace perfc;

using enum ArgKind;

/// A rate of multiply-accumulates of `layers`.
static constexpr WordSpec layerRate(llvm::StringLiteral word, llvm::StringLiteral byDefault,
                                    llvm::StringLiteral doc) {
  return {.word = word,
          .kind = Measure,
          .dims = Dims::Rate,
          .per = perChip,
          .minArgs = 0,
          .block = BlockKind::ByDtype,
          .byDefault = byDefault,
          .doc = doc};
}

/// A bandwidth of `layers`.
static constexpr WordSpec layerBandwidth(llvm::StringLiteral word, llvm::StringLiteral byDefault,
                                         llvm::StringLiteral doc) {
  return {.word = word,
          .kind = Measure,
          .dims = Dims::Bandwidth,
          .per = perChip,
          .byDefault = byDefault,
          .doc = doc};
}

static constexpr WordSpec layerFlag(llvm::StringLiteral word, llvm::StringLiteral doc) {
  return {.word = word, .kind = Flag, .minArgs = 0, .maxArgs = 0, .doc = doc};
}

static constexpr WordSpec figuresOfLayers[] = {
    layerRate("convolution", "not given",
              "convolutions that no other word is for; a block gives rates by the format of the "
              "weights"),
    layerRate("pointwise", "that of `convolution`", "convolutions of one point"),
    layerRate("winograd", "none: they are convolutions",
              "those of 3 x 3 without strides, as minimal filtering F(4x4, 3x3) multiplies"),
    layerRate("first", "that of `convolution`", "convolutions of at most four channels"),
    layerRate("depthwise", "that of `convolution`", "convolutions of each channel by itself"),
    layerRate("product", "that of `pointwise`",
              "linear layers with their weights, and products of activations"),
    layerBandwidth("weights", "unlimited", "weights of convolutions"),
    layerBandwidth("activations", "unlimited", "what convolutions and products read and write"),
    layerBandwidth("transforms", "unlimited", "the same of `winograd`, besides"),
    layerBandwidth("elements", "that of `activations`", "layers that compute elements"),
    layerBandwidth("reductions", "that of `elements`",
                   "layers that reduce elements, as pooling does"),
    layerBandwidth("moves", "that of `elements`", "layers that compute nothing"),
    {.word = "op", .kind = Measure, .dims = Dims::Time, .byDefault = "none", .doc = "each kernel"},
    {.word = "power",
     .kind = Measure,
     .dims = Dims::Power,
     .byDefault = "unknown",
     .doc = "what the device takes as long as it computes"},
    layerFlag("each_group", "the groups of a convolution are kernels of their own"),
    layerFlag("unrolls", "windows of `convolution` are copied side by side before they are "
                         "multiplied, which `moves`"),
    layerFlag("each_step", "padding, transforms of `winograd` and the last sums of a product of "
                           "one row are kernels of their own"),
    {.word = "measured",
     .kind = Measure,
     .dims = Dims::Number,
     .byDefault = "1",
     .doc = "measured times over those of the other figures: 1 +- 15%"},
};

llvm::ArrayRef<WordSpec> perfc::layersWords() { return figuresOfLayers; }
