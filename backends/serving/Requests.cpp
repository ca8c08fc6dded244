// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/serving/Requests.h"

#include <algorithm>
#include <cmath>
#include <functional>

using namespace perfc;
using namespace perfc::serving;

void Request::startAgain() {
  if (isPrefilled) {
    int64_t all = total();
    prompt = processed;
    answer = all - processed;
  }
  processed = 0;
  isPrefilled = false;
}

void Request::holdNothing() {
  blocks = shared = incoming = 0;
  prefixNode = 0;
  isResident = false;
}

void Request::loseCaches() {
  startAgain();
  holdNothing();
  copy = target = transfer = -1;
  ++reroutes;
}

static Random sourceOf(int64_t seed) { return Random(static_cast<uint32_t>(seed)); }

/// The next arrival of a Poisson process whose rate changes in time, by thinning (Lewis and
/// Shedler, 1979).
static double nextOf(study::ArrivalsOp arrivals, double now, Random &random) {
  bool isDiurnal = arrivals.kind() == "diurnal";
  auto rateAt = [&](double time) {
    if (isDiurnal)
      return arrivals.rate() *
             (1 + arrivals.swing() * std::sin(2 * M_PI * time / arrivals.period()));
    return std::fmod(time, arrivals.every()) < arrivals.length() ? arrivals.peak()
                                                                 : arrivals.rate();
  };
  double most = isDiurnal ? arrivals.rate() * (1 + arrivals.swing())
                          : std::max(arrivals.rate(), arrivals.peak());
  do
    now += random.exponential() / most;
  while (random.next() * most >= rateAt(now));
  return now;
}

static void setArrivals(study::ArrivalsOp arrivals, std::vector<RequestSpec> &requests) {
  llvm::StringRef kind = arrivals.kind();
  double rate = arrivals.rate(), every = arrivals.every(), now = 0;
  Random random = sourceOf(arrivals.seed());
  auto count = static_cast<int64_t>(requests.size());
  int64_t size = arrivals.size(count);
  double shape = 1 / (arrivals.cv() * arrivals.cv()); // of gamma
  for (int64_t i = 0; i < count; ++i) {
    if (kind == "poisson")
      now += -std::log1p(-random.next()) / rate;
    else if (kind == "gamma")
      now += random.gamma(shape) / (rate * shape);
    else if (kind == "uniform")
      now += 2 * random.next() / rate;
    else if (kind == "fixed")
      now = static_cast<double>(i) / rate;
    else if (kind == "burst")
      now = static_cast<double>(i / size) * every;
    else if (kind == "bursts" || kind == "diurnal")
      now = nextOf(arrivals, now, random);
    else if (kind == "trace")
      now = arrivals.times()[i].asQuantity().toDouble();
    requests[i].arrival = now;
  }
}

/// `users` who each ask again when they have thought about an answer: request i follows i - users.
static void setFollowers(study::ArrivalsOp arrivals, std::vector<RequestSpec> &requests) {
  auto count = static_cast<int64_t>(requests.size());
  for (int64_t i = arrivals.users(); i < count; ++i) {
    requests[static_cast<size_t>(i)].after = i - arrivals.users();
    requests[static_cast<size_t>(i)].think = arrivals.think();
  }
}

/// Sessions of `turns` requests that begin as a Poisson process. A prompt is all that was read and
/// made in its session, and its own tokens.
static void setSessions(study::ArrivalsOp arrivals, std::vector<RequestSpec> &requests) {
  Random random = sourceOf(arrivals.seed());
  auto turns = static_cast<size_t>(arrivals.turns());
  double now = 0;
  std::vector<PrefixPiece> text;
  for (size_t i = 0; i < requests.size(); ++i) {
    RequestSpec &request = requests[i];
    if (i % turns == 0) {
      now += -std::log1p(-random.next()) / arrivals.rate();
      text.clear();
    } else {
      request.after = static_cast<int64_t>(i) - 1;
      request.think = arrivals.think();
    }
    request.arrival = now;
    int64_t before = 0;
    for (const PrefixPiece &piece : text)
      before += piece.tokens;
    text.push_back({2 * i + 2, request.prompt});
    text.push_back({2 * i + 3, request.answer});
    request.prompt += before;
    request.text = std::make_shared<std::vector<PrefixPiece>>(text);
  }
}

/// Prompts that are made of numbered pieces.
static void setTexts(study::ArrivalsOp arrivals, std::vector<RequestSpec> &requests) {
  std::vector<int64_t> pieces = arrivals.pieces(), counts = arrivals.pieceCounts();
  size_t at = 0;
  for (size_t i = 0; i < requests.size() && i < counts.size(); ++i) {
    std::vector<PrefixPiece> text;
    int64_t left = requests[i].prompt;
    for (int64_t piece = 0; piece < counts[i] && left > 0; ++piece) {
      int64_t tokens = piece + 1 < counts[i] ? std::min(arrivals.pieceTokens(), left) : left;
      text.push_back({2 * static_cast<uint64_t>(pieces[at + static_cast<size_t>(piece)]), tokens});
      left -= tokens;
    }
    at += static_cast<size_t>(counts[i]);
    text.push_back({2 * i + 1, requests[i].answer});
    requests[i].text = std::make_shared<std::vector<PrefixPiece>>(std::move(text));
  }
}

/// Tokens of a request, prompt and answer, where they are drawn together.
static std::function<double()> totalsOf(study::LengthsOp lengths, Random &random) {
  llvm::StringRef kind = lengths.kind();
  auto least = static_cast<double>(lengths.least()), most = static_cast<double>(lengths.most());
  auto mean = static_cast<double>(lengths.mean()), sigma = lengths.sigma();
  auto deviation = static_cast<double>(lengths.deviation());
  auto deviate = [&random] {
    return std::min(std::max(random.normal(), -study::lengthCut), study::lengthCut);
  };
  if (kind == "zipf")
    return zipf(lengths.least(), lengths.most(), lengths.theta(), random);
  if (kind == "normal")
    return [=] { return std::round(std::max(2.0, mean + deviation * deviate())); };
  if (kind == "lognormal")
    return [=] {
      double length = mean * std::exp(sigma * deviate() - sigma * sigma / 2);
      return std::round(std::min(std::max(2.0, length), 1e7));
    };
  return [=, &random] { return least + (most - least) * random.next(); };
}

void serving::shareOut(RequestSpec &request, double total, double promptToAnswer, bool isUniform) {
  double answer = total / (1 + promptToAnswer);
  if (isUniform)
    answer = std::ceil(answer);
  request.answer = static_cast<int64_t>(answer);
  request.prompt = static_cast<int64_t>(total - answer);
}

static void setLengths(study::LengthsOp lengths, std::vector<RequestSpec> &requests) {
  llvm::StringRef kind = lengths.kind();
  Random random = sourceOf(lengths.seed());
  std::function<double()> total = totalsOf(lengths, random);
  for (size_t i = 0; i < requests.size(); ++i) {
    RequestSpec &request = requests[i];
    if (kind == "fixed") {
      request.prompt = lengths.prompt();
      request.answer = lengths.answer();
    } else if (kind == "trace") {
      request.prompt = lengths.prompts()[i].asInt();
      request.answer = lengths.answers()[i].asInt();
    } else {
      shareOut(request, total(), lengths.promptToAnswer(), kind == "uniform");
    }
    request.prompt = std::max<int64_t>(1, request.prompt);
    request.answer = std::max<int64_t>(1, request.answer);
  }
}

std::vector<RequestSpec> serving::makeRequests(study::ServeOp serve) {
  std::vector<RequestSpec> requests(static_cast<size_t>(serve.requests()));
  study::ArrivalsOp arrivals = serve.arrivals();
  setLengths(serve.lengths(), requests);
  if (arrivals.kind() == "sessions")
    setSessions(arrivals, requests);
  else if (arrivals.kind() == "closed")
    setFollowers(arrivals, requests);
  else
    setArrivals(arrivals, requests);
  setTexts(arrivals, requests);
  Random random = sourceOf(serve.prioritySeed());
  auto levels = static_cast<double>(serve.priorityLevels());
  if (levels > 1)
    for (RequestSpec &request : requests)
      request.priority = static_cast<int64_t>(random.next() * levels);
  return requests;
}
