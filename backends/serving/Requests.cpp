// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/serving/Requests.h"

#include <algorithm>
#include <cmath>
#include <functional>

using namespace perfc;
using namespace perfc::serving;

double Random::next() {
  auto high = static_cast<double>(engine() >> 5), low = static_cast<double>(engine() >> 6);
  return (high * 67108864.0 + low) / 9007199254740992.0;
}

static Random sourceOf(int64_t seed) { return Random(static_cast<uint32_t>(seed)); }

static void setArrivals(study::ArrivalsOp arrivals, std::vector<Request> &requests) {
  llvm::StringRef kind = arrivals.kind();
  double rate = arrivals.rate(), every = arrivals.every(), now = 0;
  Random random = sourceOf(arrivals.seed());
  auto count = static_cast<int64_t>(requests.size());
  int64_t size = arrivals.size(count);
  for (int64_t i = 0; i < count; ++i) {
    if (kind == "poisson")
      now += -std::log1p(-random.next()) / rate;
    else if (kind == "uniform")
      now += 2 * random.next() / rate;
    else if (kind == "fixed")
      now = static_cast<double>(i) / rate;
    else if (kind == "burst")
      now = static_cast<double>(i / size) * every;
    else
      now = arrivals.times()[i].asQuantity().toDouble();
    requests[i].arrival = now;
  }
}

/// Zipf's law over whole lengths from min to max, by the inversion of Gray et al. (SIGMOD 1994,
/// "Quickly generating billion-record synthetic databases"); like other generators of request
/// lengths it leaves the last term out of the sum.
static std::function<double()> zipf(int64_t least, int64_t most, double theta, Random &random) {
  auto sum = [&](int64_t count) {
    double value = 0;
    for (int64_t i = 1; i < count; ++i)
      value += 1 / std::pow(static_cast<double>(i), theta);
    return value;
  };
  auto items = static_cast<double>(most - least + 1);
  double all = sum(most - least + 1);
  double eta = (1 - std::pow(2 / items, 1 - theta)) / (1 - sum(2) / (all + 1e-8));
  return [=, &random] {
    double u = random.next(), first = static_cast<double>(least);
    if (u * all < 1)
      return first;
    if (u * all < 1 + std::pow(0.5, theta))
      return std::min(first + 1, static_cast<double>(most));
    double place = std::floor(items * std::pow(eta * u - eta + 1, 1 / (1 - theta)));
    return first + std::min(std::max(place, 0.0), items - 1);
  };
}

static void setLengths(study::LengthsOp lengths, std::vector<Request> &requests) {
  llvm::StringRef kind = lengths.kind();
  Random random = sourceOf(lengths.seed());
  int64_t least = lengths.least(), most = lengths.most();
  double ratio = 1 + lengths.promptToAnswer();
  std::function<double()> total;
  if (kind == "zipf")
    total = zipf(least, most, lengths.theta(), random);
  for (size_t i = 0; i < requests.size(); ++i) {
    Request &request = requests[i];
    if (kind == "fixed") {
      request.prompt = lengths.prompt();
      request.answer = lengths.answer();
    } else if (kind == "trace") {
      request.prompt = lengths.prompts()[i].asInt();
      request.answer = lengths.answers()[i].asInt();
    } else if (kind == "zipf") {
      double length = total(), answer = length / ratio;
      request.prompt = static_cast<int64_t>(length - answer);
      request.answer = static_cast<int64_t>(answer);
    } else {
      double length =
          static_cast<double>(least) + static_cast<double>(most - least) * random.next();
      request.answer = static_cast<int64_t>(std::ceil(length / ratio));
      request.prompt = static_cast<int64_t>(length - static_cast<double>(request.answer));
    }
    request.prompt = std::max<int64_t>(1, request.prompt);
    request.answer = std::max<int64_t>(1, request.answer);
  }
}

std::vector<Request> serving::makeRequests(study::ServeOp serve) {
  std::vector<Request> requests(static_cast<size_t>(serve.requests()));
  setArrivals(serve.arrivals(), requests);
  setLengths(serve.lengths(), requests);
  return requests;
}
