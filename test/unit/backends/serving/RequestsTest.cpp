// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/serving/Requests.h"
#include "backends/core/Serving.h"
#include "backends/serving/Curve.h"
#include "ir/study/AllOps.h"

#include "gtest/gtest.h"
#include <cmath>

using namespace perfc;
using namespace perfc::serving;

/// The first numbers of numpy.random.RandomState(42).random_sample().
TEST(Random, IsTheTwisterOf53Bits) {
  Random random(42);
  EXPECT_EQ(random.next(), 0.3745401188473625);
  EXPECT_EQ(random.next(), 0.9507143064099162);
  EXPECT_EQ(random.next(), 0.7319939418114051);
}

/// The first numbers of numpy.random.RandomState(42).standard_normal(), and means and variances.
TEST(Random, HasNormalAndGammaNumbers) {
  Random random(42);
  EXPECT_DOUBLE_EQ(random.normal(), 0.4967141530112327);
  EXPECT_DOUBLE_EQ(random.normal(), -0.13826430117118466);
  EXPECT_DOUBLE_EQ(random.normal(), 0.6476885381006925);
  for (double shape : {0.25, 1.0, 4.0}) {
    double sum = 0, squares = 0;
    constexpr int count = 40000;
    for (int i = 0; i < count; ++i) {
      double value = random.gamma(shape);
      sum += value;
      squares += value * value;
    }
    double mean = sum / count;
    EXPECT_NEAR(mean, shape, 5 * std::sqrt(shape / count));
    EXPECT_NEAR(squares / count - mean * mean, shape, 0.1 * shape);
  }
}

static ir::Attribute real(double value) { return Quantity(Uncertain(value), Dimension()); }

static std::vector<RequestSpec> requestsOf(const ir::AttrDict &arrivals,
                                           const ir::AttrDict &lengths, int64_t count) {
  ir::Operation serve(*allOps().find(study::ServeOp::opName), ir::Location());
  serve.setAttr("requests", count);
  for (const auto &[name, entries] : {std::make_pair(study::ArrivalsOp::opName, arrivals),
                                      std::make_pair(study::LengthsOp::opName, lengths)})
    for (const auto &[key, value] : entries.entries())
      study::partToWrite(serve, name).setAttr(key, value);
  return makeRequests(study::ServeOp(&serve));
}

static ir::AttrDict fixedLengths() { return {{"kind", "fixed"}, {"prompt", 10}, {"answer", 3}}; }

TEST(Requests, Arrive) {
  auto arrivals = [](ir::AttrDict block, int64_t count) {
    std::vector<double> times;
    for (const RequestSpec &request : requestsOf(std::move(block), fixedLengths(), count))
      times.push_back(request.arrival);
    return times;
  };
  using Times = std::vector<double>;
  EXPECT_EQ(arrivals({{"kind", "fixed"}, {"rate", real(4)}}, 3), (Times{0, 0.25, 0.5}));
  EXPECT_EQ(arrivals({{"kind", "burst"}}, 3), (Times{0, 0, 0}));
  EXPECT_EQ(arrivals({{"kind", "burst"}, {"size", 2}, {"every", real(5)}}, 5),
            (Times{0, 0, 5, 5, 10}));
  for (const char *kind : {"poisson", "uniform"}) {
    Times times = arrivals({{"kind", kind}, {"rate", real(2)}, {"seed", 1}}, 20000);
    EXPECT_TRUE(std::is_sorted(times.begin(), times.end()));
    EXPECT_NEAR(times.back() / 20000, 0.5, 0.01); // five deviations of the mean
    EXPECT_EQ(times, arrivals({{"kind", kind}, {"rate", real(2)}, {"seed", 1}}, 20000));
    EXPECT_NE(times, arrivals({{"kind", kind}, {"rate", real(2)}, {"seed", 2}}, 20000));
  }
  EXPECT_EQ(arrivals({{"kind", "poisson"}, {"rate", real(2)}, {"seed", 42}}, 1)[0],
            -std::log1p(-0.3745401188473625) / 2);
}

/// VIDUR's lengths of these parameters and this seed.
TEST(Requests, HaveZipfLengths) {
  ir::AttrDict zipf{{"kind", "zipf"},     {"min", 1024},
                    {"max", 4096},        {"prefill_to_decode", real(20)},
                    {"theta", real(0.6)}, {"seed", 7}};
  std::vector<std::pair<int64_t, int64_t>> lengths;
  for (const RequestSpec &request : requestsOf({{"kind", "burst"}}, zipf, 8))
    lengths.push_back({request.prompt, request.answer});
  EXPECT_EQ(lengths, (std::vector<std::pair<int64_t, int64_t>>{{986, 49},
                                                               {2588, 129},
                                                               {1393, 69},
                                                               {2324, 116},
                                                               {3748, 187},
                                                               {1648, 82},
                                                               {1544, 77},
                                                               {985, 49}}));
}

TEST(Requests, HaveLengths) {
  ir::AttrDict uniform{{"kind", "uniform"},
                       {"min", 100},
                       {"max", 200},
                       {"prefill_to_decode", real(4)},
                       {"seed", 42}};
  std::vector<RequestSpec> requests = requestsOf({{"kind", "burst"}}, uniform, 5000);
  // The first length is 137.45…, of which 27.49… is for the answer.
  EXPECT_EQ(requests[0].answer, 28);
  EXPECT_EQ(requests[0].prompt, 109);
  for (const RequestSpec &request : requests) {
    EXPECT_GE(request.total(), 99);
    EXPECT_LE(request.total(), 200);
  }
  ir::AttrDict tiny{
      {"kind", "uniform"}, {"min", 1}, {"max", 2}, {"prefill_to_decode", real(100)}, {"seed", 1}};
  for (const RequestSpec &request : requestsOf({{"kind", "burst"}}, tiny, 100)) {
    EXPECT_EQ(request.prompt, 1);
    EXPECT_EQ(request.answer, 1);
  }
}

TEST(Distribution, Interpolates) {
  Distribution values = Distribution::of({4, 1, 3, 2});
  EXPECT_EQ(values.mean, 2.5);
  EXPECT_EQ(values.p50, 2.5);
  EXPECT_DOUBLE_EQ(values.p90, 3.7);
  EXPECT_EQ(values.least, 1);
  EXPECT_EQ(values.most, 4);
  EXPECT_EQ(Distribution::of({}).count, 0);
}

TEST(Axis, MeetsLinesAndParabolas) {
  Axis axis;
  for (int64_t size : {8, 1, 64, 8, 20})
    axis.add(size);
  EXPECT_EQ(axis.count(), 4u);
  double sizes[] = {1, 8, 20, 64};
  auto line = [](double x) { return 3 * x + 5; };
  auto parabola = [](double x) { return 2 * x * x - 3 * x + 1; };
  for (double x : {0.5, 1.0, 3.0, 8.0, 19.0, 33.0, 64.0, 80.0}) {
    double one = 0, two = 0;
    for (Axis::Weight weight : axis.linear(x))
      one += weight.share * line(sizes[weight.index]);
    for (Axis::Weight weight : axis.quadratic(x))
      two += weight.share * parabola(sizes[weight.index]);
    EXPECT_NEAR(one, line(x), 1e-9);
    EXPECT_NEAR(two, parabola(x), 1e-9);
  }
  Axis single;
  single.add(5);
  EXPECT_EQ(single.linear(9)[0].share, 1);
  EXPECT_EQ(single.quadratic(9)[0].share, 1);
}
