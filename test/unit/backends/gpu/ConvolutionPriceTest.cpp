// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times in us are written as seconds.
#include "backends/gpu/ConvolutionPrice.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace perfc;
using namespace perfc::gpu;

namespace {

/// Units, TFLOP/s, GB/s, W, MHz, nm.
struct ConvolutionBoard {
  double units, peak, bandwidth, limit, clock, process;
};
/// A convolution of 3 x 3 with a border of one, and its time by an independent program with the
/// same constants.
struct ConvolutionCase {
  ConvolutionBoard board;
  double images, channels, filters, edge, microseconds;
};

} // namespace

static const ConvolutionCase convolutionCases[] = {
    {{108, 19.5, 1935, 300, 1410, 7}, 12, 150, 1256, 11, 358.584638258},
    {{108, 19.5, 1935, 300, 1410, 7}, 42, 1402, 686, 7, 2053.34640383},
    {{108, 19.5, 1935, 300, 1410, 7}, 60, 28, 88, 15, 152.597688548},
    {{56, 9.3, 732, 250, 1303, 16}, 22, 317, 23, 54, 1518.80623292},
    {{56, 9.3, 732, 250, 1303, 16}, 9, 1050, 1212, 5, 2070.37915394},
    {{56, 9.3, 732, 250, 1303, 16}, 55, 1277, 25, 23, 2780.39712728},
    {{20, 5.5, 192, 75, 1063, 16}, 37, 78, 19, 95, 4201.80175096},
    {{80, 14.0, 900, 250, 1380, 12}, 9, 336, 1482, 9, 978.866622205},
    {{80, 14.0, 900, 250, 1380, 12}, 10, 140, 742, 22, 675.303116702},
    {{40, 8.1, 320, 70, 1590, 12}, 43, 354, 104, 8, 402.477557421},
    {{40, 8.1, 320, 70, 1590, 12}, 53, 65, 145, 59, 5238.19880384},
    {{40, 8.1, 320, 70, 1590, 12}, 46, 733, 1182, 6, 4966.61817514},
};

static Design designOf(const ConvolutionBoard &board) {
  Design design;
  design.units = board.units;
  design.bandwidth = board.bandwidth * 1e3;
  design.power = board.limit;
  return design;
}

static ConvolutionWork workOf(const ConvolutionCase &of) {
  ConvolutionWork work;
  work.images = of.images;
  work.channels = of.channels;
  work.filters = of.filters;
  work.rows = work.columns = of.edge;
  work.window = 9;
  work.inputBytes = 4 * of.images * of.channels * of.edge * of.edge;
  work.resultBytes = 4 * of.images * of.filters * of.edge * of.edge;
  work.filterBytes = 4 * of.channels * of.filters * 9;
  work.rate = of.board.peak * 1e6 / 2;
  work.energy = 2 * 4.5 * std::pow(of.board.process / 4, 0.7) * of.board.clock / 1500 * 1e-6;
  return work;
}

static ConvolutionFigures figuresOf(const ConvolutionBoard &board, ConvolutionKind kind) {
  ConvolutionFigures figures;
  double kilocycle = 1e3 / board.clock;
  figures.launch = 30 * kilocycle;
  figures.host = 60;
  figures.powerOverlap = 1.85;
  figures.powerShare = 0.9;
  figures.board = 18.6;
  figures.reached = 0.901601261174981;
  figures.overlap = 2;
  if (kind == ConvolutionKind::Implicit) {
    figures.products = 1 / 0.55;
    figures.edge = 30.9357811694016;
    figures.leastWaves = 2.5;
    figures.inputReads = 1.21076559588867;
  } else if (kind == ConvolutionKind::Winograd) {
    figures.products = 1 / 0.515959881890671;
    figures.leastWaves = 1.12294578757223;
    figures.inputReads = 6;
  } else {
    figures.products = 1 / 0.738204497008024;
    figures.edge = 30.9357811694016;
    figures.leastWaves = 1.5;
    figures.transforms = 0.457176920007714;
  }
  return figures;
}

static TileList tilesOf(ConvolutionKind kind) {
  if (kind == ConvolutionKind::Winograd)
    return {{32}, {128}, {1}, {}};
  TileList list;
  for (double rows : {32, 64, 128})
    for (double columns : {32, 64, 128}) {
      list.rows.push_back(rows);
      list.columns.push_back(columns);
      list.splits.push_back(1);
    }
  return list;
}

TEST(ConvolutionPrice, AgreesWithAnotherProgram) {
  for (const ConvolutionCase &of : convolutionCases) {
    double best = INFINITY;
    for (ConvolutionKind kind :
         {ConvolutionKind::Implicit, ConvolutionKind::Winograd, ConvolutionKind::WinogradSplit}) {
      ConvolutionFigures figures = figuresOf(of.board, kind);
      ConvolutionWork work = workOf(of);
      auto tile = fastestConvolutionTile(kind, designOf(of.board), figures, work, tilesOf(kind));
      ASSERT_TRUE(tile.hasValue());
      best = std::min(best, convolutionPrice(kind, designOf(of.board), figures, work, *tile).total);
    }
    EXPECT_NEAR(best, of.microseconds, 1e-6 * of.microseconds);
  }
}

TEST(ConvolutionPrice, MoreWorkIsNeverFaster) {
  ConvolutionCase of = convolutionCases[0];
  for (ConvolutionKind kind : {ConvolutionKind::Implicit, ConvolutionKind::Winograd,
                               ConvolutionKind::WinogradSplit, ConvolutionKind::Depthwise}) {
    double last = 0;
    for (double images : {1, 2, 7, 30, 200}) {
      of.images = images;
      Design design = designOf(of.board);
      ConvolutionFigures figures = figuresOf(of.board, kind);
      ConvolutionWork work = workOf(of);
      auto tile = fastestConvolutionTile(kind, design, figures, work, tilesOf(kind));
      ASSERT_TRUE(tile.hasValue());
      double time = convolutionPrice(kind, design, figures, work, *tile).total;
      EXPECT_GE(time, last);
      last = time;
    }
  }
}
