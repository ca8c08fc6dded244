// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/mapper/SearchRounds.h"

#include "backends/loopnest/search/Floors.h"
#include <cmath>
#include <thread>

using namespace perfc;
using namespace perfc::mapper;
using namespace perfc::loopnest;

/// Most weights of the latency that are tried.
static constexpr unsigned mostTangents = 40;
/// Random descents of the rounds that follow the first: they begin with what that has found.
static constexpr unsigned laterRoundDescents = 4;
/// How far a line that is asked for has to be below what was found, where less than the best is
/// enough.
static constexpr double cutMargin = 0.01;

SearchRounds::SearchRounds(const std::vector<NestSpace> &spaces,
                           llvm::ArrayRef<unsigned> firstEqual, Score fixed,
                           const SearchOptions &options, SearchWatch &watch)
    : spaces(spaces), firstEqual(firstEqual), fixed(fixed), options(options), watch(watch),
      results(spaces.size()), settled(spaces.size(), 0), enough(spaces.size(), HUGE_VAL),
      tables(spaces.size()) {
  for (unsigned i = 0; i < spaces.size(); ++i)
    if (firstEqual[i] == i)
      distinct.push_back(i);
  // Those with few factors first: the time that they leave is for the others.
  auto factors = [&](unsigned i) {
    double product = 1;
    for (const Dim &dim : spaces[i].space.nest.dims)
      product *= static_cast<double>(divisors(dim.size).size());
    return product;
  };
  llvm::stable_sort(distinct, [&](unsigned a, unsigned b) { return factors(a) < factors(b); });
}

/// Nest after nest, as long as there are any.
void SearchRounds::work(const SearchGoal &goal, Clock::time_point end, unsigned descents,
                        unsigned workers, std::atomic<unsigned> &next) {
  for (unsigned k = next++; k < distinct.size(); k = next++) {
    unsigned space = distinct[k];
    if (settled[space])
      continue;
    // Time that easy nests leave is for those that follow.
    Clock::duration rest = std::max(Clock::duration::zero(), end - Clock::now());
    SearchOptions own = options;
    own.descents = descents;
    own.threads = std::max(1u, options.threads / workers);
    auto left = static_cast<int64_t>(distinct.size() - k);
    own.deadline =
        Clock::now() + (left < workers ? rest : Clock::duration(rest.count() / left * workers));
    own.known = results[space].found.front;
    own.tables = keepTables ? &tables[space] : nullptr;
    own.onBetter = [this, space](const Score &score) { watch.found(space, score); };
    SearchGoal ownGoal = goal;
    ownGoal.enough = enough[space];
    results[space] = searchNest(spaces[space], ownGoal, own);
    watch.finish();
  }
}

/// Searches each space once that differs from those before it and is not settled.
bool SearchRounds::round(const SearchGoal &goal, Clock::time_point end, unsigned descents) {
  watch.begin(llvm::count_if(distinct, [&](unsigned i) { return !settled[i]; }));
  // Nests side by side; the threads that are left over work together on each.
  unsigned workers = std::min<unsigned>(options.threads, distinct.size());
  std::atomic<unsigned> next{0};
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < workers; ++i)
    threads.emplace_back([&] { work(goal, end, descents, workers, next); });
  work(goal, end, descents, workers, next);
  for (std::thread &thread : threads)
    thread.join();
  for (unsigned i : distinct) {
    evaluations += settled[i] ? 0 : results[i].found.evaluated;
    if (results[i].found.front.empty()) {
      refused = &spaces[i];
      isRefused = results[i].found.isProven();
      return false;
    }
  }
  return true;
}

/// Whether no nest is known to have no mapping: else the others are not searched.
bool SearchRounds::mayHaveMappings() {
  for (unsigned i : distinct)
    if (admitsNothing(spaces[i])) {
      refused = &spaces[i];
      isRefused = true;
      return false;
    }
  return true;
}

bool SearchRounds::search(const SearchGoal &goal, Clock::time_point end) {
  if (!mayHaveMappings() || !round(goal, end, options.descents))
    return false;
  for (unsigned i : distinct)
    proven += results[i].found.isProven() ? 1 : 0;
  return true;
}

double SearchRounds::mappings() const {
  double sum = 0;
  for (unsigned i : distinct) {
    const SearchResult &found = results[i].found;
    if (found.mappings == 0 && !found.isProven())
      return 0;
    sum += found.mappings;
  }
  return sum;
}

/// Whether a nest is one space whose mappings the closed form weighs: only there does `leastScore`
/// bound all that is open.
static bool isOneClosedSpace(const NestSpace &nest) {
  return nest.keeps.size() == 1 && !nest.asLowered && nest.hasClosedForm() && nest.space.isFlat;
}

bool SearchRounds::canSearchProduct() const {
  return options.strategy == SearchStrategy::Bound && llvm::all_of(spaces, isOneClosedSpace);
}

/// What no mapping of each nest is below, in energy and in latency. Tables know how many lanes the
/// factors leave busy.
std::vector<Score> SearchRounds::leastScores() const {
  std::vector<Score> least;
  for (unsigned i = 0; i < spaces.size(); ++i) {
    least.push_back(leastScore(spaces[i].space, spaces[i].weights));
    if (const auto &floors = tables[firstEqual[i]])
      least.back().latency = std::max(least.back().latency, floors->leastLatency());
  }
  return least;
}

/// What all nests have together.
Score SearchRounds::sumOf(llvm::ArrayRef<Score> scores) const {
  Score sum = fixed;
  for (unsigned i = 0; i < spaces.size(); ++i) {
    sum.energy += static_cast<double>(spaces[i].count) * scores[i].energy;
    sum.latency += static_cast<double>(spaces[i].count) * scores[i].latency;
  }
  return sum;
}

/// Nests whose answer for a weight follows from those for others are not searched again.
void SearchRounds::settle(llvm::ArrayRef<NestAnswers> answers, double weight) {
  for (unsigned i : distinct) {
    const Candidate *answer = answers[i].at(weight);
    settled[i] = answer != nullptr;
    if (answer)
      results[i].found = {{*answer}, {}, 0};
  }
}

/// Shares out among the nests what is enough for a line; false where what was found for them is not
/// clearly above it.
bool SearchRounds::setEnough(llvm::ArrayRef<NestAnswers> answers, const TangentBounds::Cut &cut) {
  double left = cut.least - (fixed.energy + cut.weight * fixed.latency), found = 0;
  for (unsigned i = 0; i < spaces.size(); ++i) {
    const NestAnswers &own = answers[firstEqual[i]];
    double least = static_cast<double>(spaces[i].count) * own.least(cut.weight);
    (own.at(cut.weight) ? left : found) += own.at(cut.weight) ? -least : least;
  }
  if (left > found * (1 - cutMargin))
    return false;
  for (unsigned i : distinct)
    if (!answers[i].at(cut.weight))
      enough[i] = answers[i].least(cut.weight) * (left / found);
  return true;
}

/// One weight of the latency after the other, for all nests alike.
bool SearchRounds::searchProduct(Clock::time_point end) {
  if (!mayHaveMappings())
    return false;
  keepTables = true;
  std::vector<Score> leastOf = leastScores();
  llvm::Optional<TangentBounds> bounds;
  std::vector<NestAnswers> answers(spaces.size());
  bool isCut = false;
  double least = HUGE_VAL, weight = sumOf(leastOf).energy / sumOf(leastOf).latency;
  for (unsigned tangent = 0; tangent < mostTangents; ++tangent) {
    SearchGoal goal{SearchGoal::Scalar,
                    [=](const Score &s) { return s.energy + weight * s.latency; }};
    settle(answers, weight);
    if (!round(goal, end, tangent == 0 ? options.descents : isCut ? 0 : laterRoundDescents))
      return false;
    if (!bounds) { // tables know more
      leastOf = leastScores();
      bounds.emplace(sumOf(leastOf).energy, sumOf(leastOf).latency);
    }
    Score sum = fixed;
    double line = goal.value(fixed);
    for (unsigned i = 0; i < spaces.size(); ++i) {
      const SearchResult &result = results[firstEqual[i]].found;
      const Score &score = result.front.front().score;
      double bound = std::min(goal.value(score), enough[firstEqual[i]]);
      for (const Score &rest : result.open)
        bound = std::min(bound, goal.value(rest));
      auto times = static_cast<double>(spaces[i].count);
      sum = {sum.energy + times * score.energy, sum.latency + times * score.latency};
      line += times * bound;
    }
    for (unsigned i : distinct) {
      const Candidate &answer = results[i].found.front.front();
      bool isProven = results[i].found.isProven();
      if (!isProven || goal.value(answer.score) <= enough[i])
        answers[i].add(weight, answer, isProven);
      if (isProven && !isCut && answer.score.latency <= leastOf[i].latency)
        answers[i].add(HUGE_VAL, answer, true);  // nothing is faster
      results[i].found.front = answers[i].all(); // the next round begins with them
    }
    if (isCut) {
      bounds->add(weight, line);
    } else {
      bounds->add(weight, line, sum.energy, sum.latency);
      least = std::min(least, sum.energy * sum.latency);
    }
    if (bounds->leastCorner().product() >= least * (1 - proofTolerance) || Clock::now() >= end ||
        (options.stop && *options.stop))
      break;
    enough.assign(spaces.size(), HUGE_VAL);
    llvm::Optional<TangentBounds::Cut> cut = bounds->cut(least);
    llvm::Optional<double> next = bounds->nextWeight();
    isCut = cut && setEnough(answers, *cut);
    if (!isCut && !next)
      break;
    weight = isCut ? cut->weight : *next;
  }
  for (unsigned i : distinct) {
    results[i].found = {answers[i].all(), {}, 0};
    proven += answers[i].areProven() ? 1 : 0;
  }
  best = bounds->leastCorner();
  return true;
}
