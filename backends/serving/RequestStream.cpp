// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/serving/RequestStream.h"

#include <algorithm>
#include <cmath>
#include <functional>

using namespace perfc;
using namespace perfc::serving;

//===-- A list ----------------------------------------------------------------------------===//

ListedStream::ListedStream(std::vector<RequestSpec> list)
    : requests(std::move(list)), own(requests.size()) {
  size_t last = size();
  for (size_t i = size(); i-- > 0;) {
    int64_t before = requests[i].after;
    last = own[i] = before < 0 ? i : last;
    if (before < 0)
      continue;
    followers.resize(size());
    followers[static_cast<size_t>(before)] = i;
  }
}

//===-- From draws ------------------------------------------------------------------------===//

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

namespace {

class DrawnStream : public RequestStream {
public:
  explicit DrawnStream(study::ServeOp serve, double late = 0);

  size_t size() const override { return count; }
  RequestSpec next() override;
  size_t ownFrom(size_t number) const override;
  llvm::Optional<size_t> followerOf(size_t number) const override;

private:
  void setLengths(RequestSpec &request);
  double nextArrival();
  void setTurn(RequestSpec &request);
  void setText(RequestSpec &request);
  bool isSessions() const { return kind == "sessions"; }
  bool isClosed() const { return kind == "closed"; }

  double late;              ///< s that each comes later
  size_t count, number = 0; ///< `number` of the next one
  study::ArrivalsOp arrivals;
  study::LengthsOp lengths;
  llvm::StringRef kind; ///< of arrivals
  Random gaps, draws, priorities;
  std::function<double()> total; ///< of `draws`
  double levels, now = 0;
  size_t turns, users;
  std::vector<PrefixPiece> session; ///< its text so far
  std::vector<int64_t> pieces, pieceCounts;
  size_t piece = 0; ///< the next one of `pieces`
};

} // namespace

DrawnStream::DrawnStream(study::ServeOp serve, double late)
    : late(late), count(static_cast<size_t>(serve.requests())), arrivals(serve.arrivals()),
      lengths(serve.lengths()), kind(arrivals.kind()), gaps(sourceOf(arrivals.seed())),
      draws(sourceOf(lengths.seed())), priorities(sourceOf(serve.prioritySeed())),
      total(totalsOf(lengths, draws)), levels(static_cast<double>(serve.priorityLevels())),
      turns(isSessions() ? static_cast<size_t>(arrivals.turns()) : 1),
      users(isClosed() ? static_cast<size_t>(arrivals.users()) : count), pieces(arrivals.pieces()),
      pieceCounts(arrivals.pieceCounts()) {}

size_t DrawnStream::ownFrom(size_t from) const {
  size_t own = (from + turns - 1) / turns * turns;
  return own < users ? std::min(own, count) : count;
}

llvm::Optional<size_t> DrawnStream::followerOf(size_t before) const {
  size_t after = isClosed() ? before + users : before + 1;
  bool follows = isClosed() || after % turns != 0;
  return follows && after < count ? llvm::Optional<size_t>(after) : llvm::None;
}

void DrawnStream::setLengths(RequestSpec &request) {
  llvm::StringRef of = lengths.kind();
  if (of == "fixed") {
    request.prompt = lengths.prompt();
    request.answer = lengths.answer();
  } else if (of == "trace") {
    request.prompt = lengths.prompts()[number].asInt();
    request.answer = lengths.answers()[number].asInt();
  } else {
    shareOut(request, total(), lengths.promptToAnswer(), of == "uniform");
  }
  request.prompt = std::max<int64_t>(1, request.prompt);
  request.answer = std::max<int64_t>(1, request.answer);
}

double DrawnStream::nextArrival() {
  double rate = arrivals.rate();
  if (kind == "poisson")
    return now - std::log1p(-gaps.next()) / rate;
  if (kind == "gamma") {
    double shape = 1 / (arrivals.cv() * arrivals.cv());
    return now + gaps.gamma(shape) / (rate * shape);
  }
  if (kind == "uniform")
    return now + 2 * gaps.next() / rate;
  if (kind == "fixed")
    return static_cast<double>(number) / rate;
  if (kind == "burst")
    return arrivals.every() * static_cast<double>(static_cast<int64_t>(number) /
                                                  arrivals.size(static_cast<int64_t>(count)));
  if (kind == "bursts" || kind == "diurnal")
    return nextOf(arrivals, now, gaps);
  return kind == "trace" ? arrivals.times()[number].asQuantity().toDouble() : now;
}

/// Sessions begin as a Poisson process. A prompt is all that was read and made in its session, and
/// its own tokens.
void DrawnStream::setTurn(RequestSpec &request) {
  if (number % turns == 0) {
    now += -std::log1p(-gaps.next()) / arrivals.rate();
    session.clear();
  } else {
    request.after = static_cast<int64_t>(number) - 1;
    request.think = arrivals.think();
  }
  request.arrival = now;
  int64_t before = 0;
  for (const PrefixPiece &part : session)
    before += part.tokens;
  session.push_back({2 * number + 2, request.prompt});
  session.push_back({2 * number + 3, request.answer});
  request.prompt += before;
  request.text = std::make_shared<std::vector<PrefixPiece>>(session);
}

/// Prompts that are made of numbered pieces.
void DrawnStream::setText(RequestSpec &request) {
  if (number >= pieceCounts.size())
    return;
  std::vector<PrefixPiece> text;
  int64_t left = request.prompt, all = pieceCounts[number];
  for (int64_t i = 0; i < all && left > 0; ++i) {
    int64_t tokens = i + 1 < all ? std::min(arrivals.pieceTokens(), left) : left;
    text.push_back({2 * static_cast<uint64_t>(pieces[piece + static_cast<size_t>(i)]), tokens});
    left -= tokens;
  }
  piece += static_cast<size_t>(all);
  text.push_back({2 * number + 1, request.answer});
  request.text = std::make_shared<std::vector<PrefixPiece>>(std::move(text));
}

RequestSpec DrawnStream::next() {
  RequestSpec request;
  setLengths(request);
  if (isSessions()) {
    setTurn(request);
  } else if (isClosed() && number >= users) { // each user asks again
    request.after = static_cast<int64_t>(number - users);
    request.think = arrivals.think();
  } else if (!isClosed()) {
    request.arrival = now = nextArrival();
  }
  setText(request);
  if (levels > 1)
    request.priority = static_cast<int64_t>(priorities.next() * levels);
  request.arrival += late;
  request.think += late;
  ++number;
  return request;
}

std::unique_ptr<RequestStream> serving::streamOf(study::ServeOp serve, double late) {
  return std::make_unique<DrawnStream>(serve, late);
}

std::vector<RequestSpec> serving::makeRequests(study::ServeOp serve) {
  DrawnStream stream(serve);
  std::vector<RequestSpec> requests;
  while (requests.size() < stream.size())
    requests.push_back(stream.next());
  return requests;
}
