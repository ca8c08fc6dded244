// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times in us are written as seconds.
#include "backends/gpu/ExpertPrice.h"
#include "gtest/gtest.h"

using namespace perfc;
using namespace perfc::gpu;

namespace {

struct ExpertBoard {
  double units, bandwidth, reached, power, core, rate, energy, narrow;
};
struct Kernels {
  double launch, step, stepTime, blockTime, loss, reached, overlap, moves, tokenMoves;
};
struct Layer {
  double experts, rows, moved, tokens, tokenBytes, rowBytes, width, hidden, inner, leftSize,
      weightSize, theta, most;
};
/// A layer and its time by an independent program with the same constants.
struct ExpertCase {
  ExpertBoard board;
  Kernels kernels;
  Layer layer;
  double microseconds;
};

} // namespace

static const ExpertCase expertCases[] = {
    // triton:16
    {{108, 2039000, 0.727386931148424, 400, 2887680, 156000000, 1.78611210149029e-06, 1},
     {11.8650911945644, 128, 1.04783753923829, 0.524845438470331, 0.732097040421728,
      1.0958560872327, 8, 0.699266283209227, 2.92575757091981},
     {128, 32768, 32768, 4096, 16384, 35072, 768, 4096, 384, 2, 2, 1.01, 3276.8},
     3434.80130776346},
    // triton:4w
    {{132, 3352000, 0.874905264798337, 700, 8110080, 535249180.327869, 1.34277054929788e-06, 1},
     {11.8650911945644, 128, 0.357620151091624, 0.373753569819781, 0.49163904149081,
      0.924215643113085, 8, 0.699266283209227, 2.92575757091981},
     {16, 24576, 24576, 6144, 11520, 40320, 5760, 2880, 2880, 2, 0.53, 1.2, 4915.2},
     2358.86246176447},
    // triton:8b
    {{132, 3352000, 0.874905264798337, 700, 8110080, 1070552459.01639, 8.3664959208228e-07, 2},
     {11.8650911945644, 128, 0.846789856822075, 0.373753569819781, 0.834254976858094,
      1.00259569764874, 8, 0.699266283209227, 2.92575757091981},
     {128, 32768, 32768, 4096, 12288, 30592, 768, 4096, 384, 1, 1, 1.01, 3276.8},
     897.61767495968},
    // ficut:8h
    {{132, 3352000, 0.874905264798337, 700, 8110080, 1070552459.01639, 8.3664959208228e-07, 2},
     {20.6540862659248, 128, 0.451963314939288, 0.373753569819781, 0.779894599402708,
      0.214104464436924, 8, 0.699266283209227, 1.45031433788361},
     {128, 32768, 32768, 4096, 12288, 30592, 768, 4096, 384, 1, 1, 1.01, 3276.8},
     2439.42833140154},
    // ficut:8b
    {{132, 3352000, 0.874905264798337, 700, 8110080, 1070552459.01639, 8.3664959208228e-07, 2},
     {20.6540862659248, 128, 0.367337898001374, 0.373753569819781, 1.69779119167414,
      0.887006225717066, 8, 0.699266283209227, 1.45031433788361},
     {8, 12477.3815016758, 12477.3815016758, 12288, 21504, 60416, 4096, 7168, 2048, 1, 1, 1.01,
      9830.4},
     1922.57395987836},
    // marlin:4w
    {{132, 3352000, 0.874905264798337, 700, 8110080, 535249180.327869, 1.34277054929788e-06, 1},
     {14.2248722035496, 128, 0.541441825087423, 0.373753569819781, 0.265396256059341,
      1.02191377737852, 8, 0.699266283209227, 2.51888529641853},
     {112, 176.200746648478, 176.200746648478, 64, 14336, 47104, 6144, 3584, 3072, 2, 0.53, 1.2,
      51.2},
     1287.94999947292},
    // ficut:8h
    {{132, 3352000, 0.874905264798337, 700, 8110080, 1070552459.01639, 8.3664959208228e-07, 2},
     {20.6540862659248, 128, 0.451963314939288, 0.373753569819781, 0.779894599402708,
      0.214104464436924, 8, 0.699266283209227, 1.45031433788361},
     {8, 4096, 4096, 2048, 12288, 100352, 28672, 4096, 14336, 1, 1, 0, 1638.4},
     2903.58983614443},
    // triton:8
    {{142, 864000, 0.780012330816652, 350, 2580480, 366500000, 1.70131890274583e-06, 2},
     {11.8650911945644, 128, 0.63216030948503, 0.293663519144114, 0.742623949806624,
      1.02673136434854, 8, 0.699266283209227, 2.92575757091981},
     {128, 32768, 32768, 4096, 12288, 30592, 768, 4096, 384, 1, 1, 1.01, 3276.8},
     2424.14272940842},
    // gen:4w
    {{148, 7700000, 0.775443170924524, 1000, 16097280, 1191711590.2965, 1.1076033994634e-06, 1},
     {18.3147201126803, 128, 0.202389183389815, 0.376606650505428, 0.849980314826201,
      0.883965712813288, 8, 0.699266283209227, 6.7985466664235},
     {16, 24576, 24576, 6144, 11520, 40320, 5760, 2880, 2880, 2, 0.53, 1.2, 4915.2},
     1363.08289316945},
    // gen:4w
    {{148, 7700000, 0.775443170924524, 1000, 16097280, 1191711590.2965, 1.1076033994634e-06, 1},
     {18.3147201126803, 128, 0.202389183389815, 0.376606650505428, 0.849980314826201,
      0.883965712813288, 8, 0.699266283209227, 6.7985466664235},
     {2, 8, 8, 32, 11520, 40320, 5760, 2880, 2880, 2, 0.53, 0, 25.6},
     37.8207994243376},
    // gen:8b
    {{148, 7700000, 0.775443170924524, 1000, 16097280, 2383423180.59299, 6.90122324200921e-07, 2},
     {18.3147201126803, 128, 0.37607871048883, 0.376606650505428, 3.00089683321548,
      1.01436618148218, 8, 0.699266283209227, 6.7985466664235},
     {128, 32768, 32768, 4096, 12288, 30592, 768, 4096, 384, 1, 1, 1.01, 3276.8},
     624.115585637571},
    // gen:8
    {{148, 7700000, 0.775443170924524, 1000, 16097280, 2383423180.59299, 6.90122324200921e-07, 2},
     {18.3147201126803, 128, 0.160041040843053, 0.376606650505428, 0.281358113666074,
      1.18602930968218, 8, 0.699266283209227, 6.7985466664235},
     {128, 32768, 32768, 4096, 12288, 30592, 768, 4096, 384, 1, 1, 1.01, 3276.8},
     343.296567533981},
    // gen:16
    {{148, 7700000, 0.775443170924524, 1000, 16097280, 1191711590.2965, 1.1076033994634e-06, 1},
     {18.3147201126803, 128, 0.137739097905586, 0.376606650505428, 0.432510428262609,
      1.23303877760735, 8, 0.699266283209227, 6.7985466664235},
     {128, 32768, 32768, 4096, 16384, 35072, 768, 4096, 384, 2, 2, 1.01, 3276.8},
     513.443553927988},
    // gen:4
    {{148, 7700000, 0.775443170924524, 1000, 16097280, 4766846361.18598, 3.54433087828288e-07, 4},
     {18.3147201126803, 72, 0.138690737124286, 0.376606650505428, 0.472364858069824,
      1.17235302064019, 8, 0.699266283209227, 6.7985466664235},
     {128, 32768, 32768, 4096, 10496, 28632, 768, 4096, 384, 0.5625, 0.5625, 1.01, 3276.8},
     272.751124116473},
    // ficut:16
    {{148, 7700000, 0.775443170924524, 1000, 16097280, 1191711590.2965, 1.1076033994634e-06, 1},
     {20.6540862659248, 128, 0.400002103885767, 0.376606650505428, 0.986969016711922,
      1.04235632377865, 8, 0.699266283209227, 1.45031433788361},
     {1, 2664.14437446344, 2664.14437446344, 4096, 11264, 26752, 1408, 2816, 704, 2, 2, 1.01,
      3276.8},
     78.0728006385089},
    // gen:48
    {{148, 7700000, 0.775443170924524, 1000, 16097280, 2383423180.59299, 6.90122324200921e-07, 2},
     {18.3147201126803, 128, 0.19946153799013, 0.376606650505428, 0.657926220640886,
      1.05770475523147, 8, 0.699266283209227, 6.7985466664235},
     {384, 384, 384, 64, 21504, 51136, 384, 7168, 192, 1, 0.53, 0, 51.2},
     233.325838619423},
    // ficut:8
    {{148, 7700000, 0.775443170924524, 1000, 16097280, 2383423180.59299, 6.90122324200921e-07, 2},
     {20.6540862659248, 128, 0.665263378602536, 0.376606650505428, 1.31753174299378,
      1.02146633298127, 8, 0.699266283209227, 1.45031433788361},
     {128, 12288, 12288, 1536, 8448, 19822, 44, 2816, 22, 1, 1, 1.01, 1228.8},
     102.211670636091},
    // gen:48
    {{148, 7700000, 0.775443170924524, 1000, 16097280, 2383423180.59299, 6.90122324200921e-07, 2},
     {18.3147201126803, 128, 0.19946153799013, 0.376606650505428, 0.657926220640886,
      1.05770475523147, 8, 0.699266283209227, 6.7985466664235},
     {384, 49152, 49152, 8192, 21504, 65536, 6144, 7168, 3072, 1, 0.53, 1.01, 6553.6},
     5304.61263882784},
    // gen:16
    {{148, 7700000, 0.775443170924524, 1000, 16097280, 1191711590.2965, 1.1076033994634e-06, 1},
     {18.3147201126803, 128, 0.137739097905586, 0.376606650505428, 0.432510428262609,
      1.23303877760735, 8, 0.699266283209227, 6.7985466664235},
     {2, 1.375, 1.375, 16, 8192, 47104, 10240, 2048, 5120, 2, 2, 0, 12.8},
     37.7087984093779},
    // ficut:4
    {{188, 1597000, 0.924980963915465, 600, 2488320, 935500000, 5.25620769815254e-07, 4},
     {20.6540862659248, 72, 0.802111237082892, 0.304539945779081, 0.255916408892193,
      0.9067921589413, 8, 0.699266283209227, 1.45031433788361},
     {128, 32768, 32768, 4096, 10496, 28632, 768, 4096, 384, 0.5625, 0.5625, 1.01, 3276.8},
     1004.51701343496},
    // cutlass:16
    {{132, 3352000, 0.874905264798337, 700, 8110080, 535249180.327869, 1.34277054929788e-06, 1},
     {21.1889577546753, 128, 0.158876185607332, 0.373753569819781, 0.440629273363017,
      1.0022469193287, 8, 0.699266283209227, 4.04014095469861},
     {32, 201.627856690014, 201.627856690014, 64, 8192, 18688, 768, 2048, 384, 2, 2, 1.2, 51.2},
     72.6939620363288},
    // cutlass:8b
    {{132, 3352000, 0.874905264798337, 700, 8110080, 1070552459.01639, 8.3664959208228e-07, 2},
     {21.1889577546753, 128, 0.224205158529635, 0.373753569819781, 1.50443050719823,
      0.93557998808295, 8, 0.699266283209227, 4.04014095469861},
     {32, 201.627856690014, 201.627856690014, 64, 6144, 16256, 768, 2048, 384, 1, 1, 1.2, 51.2},
     49.3300795277317},
    // cutlass:8
    {{132, 3352000, 0.874905264798337, 700, 8110080, 1070552459.01639, 8.3664959208228e-07, 2},
     {21.1889577546753, 128, 0.25934288420542, 0.373753569819781, 0.563082460633152,
      0.910210193543666, 8, 0.699266283209227, 4.04014095469861},
     {32, 201.627856690014, 201.627856690014, 64, 6144, 16256, 768, 2048, 384, 1, 1, 1.2, 51.2},
     50.1152822086984},
    // cutlass:4w
    {{132, 3352000, 0.874905264798337, 700, 8110080, 535249180.327869, 1.34277054929788e-06, 1},
     {21.1889577546753, 128, 0.379511078649379, 0.373753569819781, 0.694134174226363,
      0.923492951604328, 8, 0.699266283209227, 4.04014095469861},
     {16, 24576, 24576, 6144, 11520, 40320, 5760, 2880, 2880, 2, 0.53, 1.2, 4915.2},
     2653.26832092589},
};

static Design designOf(const ExpertBoard &board) {
  Design design;
  design.units = board.units;
  design.bandwidth = board.bandwidth;
  design.reached = board.reached;
  design.power = board.power;
  design.core = board.core;
  return design;
}

static ExpertFigures figuresOf(const Kernels &kernels) {
  ExpertFigures figures;
  figures.launch = kernels.launch;
  figures.step = kernels.step;
  figures.stepTime = kernels.stepTime;
  figures.blockTime = kernels.blockTime;
  figures.loss = kernels.loss;
  figures.reached = kernels.reached;
  figures.overlap = kernels.overlap;
  figures.moves = kernels.moves;
  figures.tokenMoves = kernels.tokenMoves;
  figures.lastWave = 0.5;
  return figures;
}

static ExpertWork workOf(const ExpertBoard &board, const Layer &layer) {
  ExpertWork work;
  llvm::StringRef spread = layer.theta == 0 ? "balanced" : "power_law";
  work.loads = passes::expertLoads({spread, layer.theta, layer.most}, layer.rows,
                                   static_cast<int64_t>(layer.experts), layer.tokens);
  work.products = {{layer.width, layer.hidden}, {layer.hidden, layer.inner}};
  work.rows = layer.rows;
  work.moved = layer.moved;
  work.tokens = layer.tokens;
  work.tokenBytes = layer.tokenBytes;
  work.rowBytes = layer.rowBytes;
  work.leftSize = layer.leftSize;
  work.weightSize = layer.weightSize;
  work.rate = board.rate;
  work.energy = board.energy;
  work.narrow = board.narrow;
  return work;
}

static TileList tiles() {
  return {{16, 32, 64, 128, 256}, {128, 128, 128, 128, 128}, {1, 1, 1, 1, 1}, {}};
}

TEST(ExpertPrice, AgreesWithAnotherProgram) {
  for (const ExpertCase &of : expertCases) {
    Design design = designOf(of.board);
    ExpertFigures figures = figuresOf(of.kernels);
    ExpertWork work = workOf(of.board, of.layer);
    auto tile = fastestExpertTile(design, figures, work, tiles());
    ASSERT_TRUE(tile.hasValue());
    EXPECT_NEAR(expertPrice(design, figures, work, *tile).total, of.microseconds,
                1e-6 * of.microseconds);
  }
}

TEST(ExpertPrice, UnevenLoadsTakeLonger) {
  const ExpertCase &of = expertCases[0];
  Design design = designOf(of.board);
  ExpertFigures figures = figuresOf(of.kernels);
  ExpertWork work = workOf(of.board, of.layer);
  work.loads = {{4, 512}};
  work.rows = 2048;
  double even = expertPrice(design, figures, work, {128, 128, 1}).total;
  work.loads = {{1, 1802}, {3, 82}};
  EXPECT_GE(expertPrice(design, figures, work, {128, 128, 1}).total, even);
}

/// Of units that multiply in no time, at 1 B/s of memory and 4 B/s of a cache of 1000 B.
static ExpertPrice priceOfBytes(double weights, double copies) {
  Design design;
  design.bandwidth = 1;
  design.cache = 1000;
  design.cacheBandwidth = 4;
  ExpertFigures figures;
  ExpertWork work;
  work.loads = {{1, 1}};
  work.products = {{weights, 1}};
  work.leftSize = 0;
  work.weightSize = 1;
  work.copies = copies;
  return expertPrice(design, figures, work, {16, 128, 1});
}

TEST(ExpertPrice, WeightsOfABenchmarkStayInTheCache) {
  EXPECT_DOUBLE_EQ(priceOfBytes(400, 0).body, 400); // from memory
  EXPECT_NEAR(priceOfBytes(400, 1).body, 100, 1);
  EXPECT_DOUBLE_EQ(priceOfBytes(400, 1).cache, 100); // which is what bounds it then
  EXPECT_NEAR(priceOfBytes(400, 4).body, 391, 1);    // 1 / (1 + 1.6^8) of them are held
  EXPECT_NEAR(priceOfBytes(4000, 1).body, 4000, 1);
}

/// Rows of other ranks take blocks that multiply nothing, and choices are sorted by themselves.
TEST(ExpertPrice, OtherRanksAndChoices) {
  const ExpertCase &of = expertCases[0];
  Design design = designOf(of.board);
  ExpertFigures figures = figuresOf(of.kernels);
  figures.moves = 0;
  ExpertWork work = workOf(of.board, of.layer);
  work.loads = {{8, 10}, {2, 70}};
  work.rows = work.moved = 220;
  Tile tile{64, 128, 1};
  ExpertPrice alone = expertPrice(design, figures, work, tile);
  figures.otherTime = 0.5;
  figures.choiceTime = 0.001;
  work.moved = 11 * 220;
  work.choices = 100000;
  ExpertPrice all = expertPrice(design, figures, work, tile);
  // 8 + 2 * 2 tiles of rows here, ten times as many on the other ranks, by ceil(768 / 128) = 6 and
  // ceil(4096 / 128) = 32 of columns, on 108 units.
  EXPECT_NEAR(all.units - alone.units, 0.5 * 120 * (6 + 32) / 108, 1e-6);
  EXPECT_NEAR(all.choices, 100, 1e-9);
  EXPECT_NEAR(all.total, all.launch + all.body + all.moves + 100, 1e-6);
}
