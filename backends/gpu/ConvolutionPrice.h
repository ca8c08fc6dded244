// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The time of a convolution as a library runs it. Blocks compute tm positions of tn filters; P
// positions (of all images), C channels and F filters of each of G groups, w = window points:
//     blocks(x, y, z) = ceil(x / tm) ceil(y / tn) z / units
//     multiply(x, y, k, z) = max(least_waves, (blocks + ceil(blocks)) / 2)
//                            tm tn k products / rate of a unit (1 + edge (tm + tn) / (tm tn))
//     limited(a, macs) = (a^q + (macs energy / power limit)^q)^(1/q),  q = power_overlap
// Implicit product: the factors are read from the image on the way, some of it again.
//     limited((multiply(P, F, C w to eights, G)^p + (bytes / bandwidth)^p)^(1/p), P F C w G)
// Winograd's minimal filtering F(2x2, 3x3) in one kernel, 16 products for tiles of four positions:
//     limited((waves 16 tm tn C / rate^p + bytes^p)^(1/p)), and the filters are transformed before
// F(4x4, 3x3) in three kernels, 36 products for tiles of 16 positions in a batch:
//     limited(multiply(P/16, F, C, 36), …) + transforms bytes of all that is transformed /
//     bandwidth
// Depthwise: each channel by itself, products on the lanes and bytes as the two limits.
// `input_reads` counts how often an image is read. Sources: Lavin and Gray, CVPR 2016 (minimal
// filtering); Chetlur et al., cuDNN, 2014 (implicit product). Constants: docs/cost-model.md.
#ifndef PERFC_BACKENDS_GPU_CONVOLUTIONPRICE_H
#define PERFC_BACKENDS_GPU_CONVOLUTIONPRICE_H

#include "backends/gpu/ProductPrice.h"

namespace perfc {
namespace gpu {

enum class ConvolutionKind { Implicit, Winograd, WinogradSplit, Depthwise };

struct ConvolutionWork {
  double groups = 1, images = 1, channels = 1, filters = 1; ///< channels and filters of a group
  double rows = 1, columns = 1;                             ///< positions of an image
  double window = 1;                                        ///< points of it
  double inputBytes = 0, filterBytes = 0, resultBytes = 0, otherBytes = 0;
  double size = 4;             ///< bytes of an element
  double rate = 0, energy = 0; ///< as of ProductWork
  double positions() const { return images * rows * columns; }
};

/// What kernels of one kind take, beside what all products do.
struct ConvolutionFigures : FamilyFigures {
  double leastWaves = 1;
  double inputReads = 1;
  double transforms = 0;
};

/// In s.
struct ConvolutionPrice {
  double total = 0;
  double units = 0, memory = 0, power = 0, transforms = 0;
  double body = 0, launch = 0;
  double macs = 0;   ///< that are computed, transformed where they are
  double blocks = 1; ///< of the largest kernel
};

ConvolutionPrice convolutionPrice(ConvolutionKind kind, const Design &design,
                                  const ConvolutionFigures &figures, const ConvolutionWork &work,
                                  const Tile &tile);
/// The fastest of `tiles`, of which none is twice as large as the work.
llvm::Optional<Tile> fastestConvolutionTile(ConvolutionKind kind, const Design &design,
                                            const ConvolutionFigures &figures,
                                            const ConvolutionWork &work, const TileList &tiles);

} // namespace gpu
} // namespace perfc

#endif // PERFC_BACKENDS_GPU_CONVOLUTIONPRICE_H
