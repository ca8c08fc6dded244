// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/search/Descent.h"

using namespace perfc;
using namespace perfc::loopnest;

/// Most combinations of orders that are tried at once.
static constexpr double mostOrdersAtOnce = 20000;

static std::vector<int64_t> primesOf(int64_t number) {
  std::vector<int64_t> primes;
  for (int64_t p = 2; p <= number / p; ++p)
    while (number % p == 0) {
      primes.push_back(p);
      number /= p;
    }
  if (number > 1)
    primes.push_back(number);
  return primes;
}

Descent::Descent(const MapSpace &space, const SlotRules &rules, const SlotChoices &choices,
                 MappingEvaluator &evaluator)
    : space(space), rules(rules), choices(choices), evaluator(evaluator), tables(evaluator, rules) {
  for (const Dim &dim : space.nest.dims) {
    primes.push_back(primesOf(dim.size));
    primes.back().erase(std::unique(primes.back().begin(), primes.back().end()),
                        primes.back().end());
  }
}

bool Descent::isLegalAt(const Mapping &mapping, unsigned slot) const {
  int64_t product = 1;
  for (unsigned d = 0; d < space.dims(); ++d) {
    if (!rules[slot].allows(d, mapping.factor[slot][d]))
      return false;
    product *= mapping.factor[slot][d];
  }
  return !space.slots[slot].isAxis || product <= space.slots[slot].size;
}

bool Descent::isLegal(const Mapping &mapping) const {
  for (unsigned s = 0; s < space.slots.size(); ++s)
    if (!isLegalAt(mapping, s))
      return false;
  return evaluator.fits(mapping);
}

/// Prime factors go to random slots as long as that stays legal, innermost slots first.
llvm::Optional<Mapping> Descent::start(std::mt19937_64 &random) {
  for (unsigned attempt = 0; attempt < 20; ++attempt) {
    Mapping mapping = space.emptyMapping();
    std::vector<std::pair<unsigned, int64_t>> primes;
    for (unsigned d = 0; d < space.dims(); ++d)
      for (int64_t prime : primesOf(space.nest.dims[d].size))
        primes.push_back({d, prime});
    std::shuffle(primes.begin(), primes.end(), random);
    for (unsigned s = 0; s < space.slots.size(); ++s)
      if (!rules[s].orderOpen)
        mapping.order[s] = choices.orders(mapping, s).front();
    for (auto [d, prime] : primes) {
      llvm::SmallVector<unsigned, maxSlots> slots;
      for (unsigned s = 1; s < space.slots.size(); ++s)
        slots.push_back(s);
      std::shuffle(slots.begin(), slots.end(), random);
      for (unsigned s : slots) {
        mapping.factor[0][d] /= prime;
        mapping.factor[s][d] *= prime;
        int64_t product = 1;
        for (unsigned e = 0; e < space.dims(); ++e)
          product *= mapping.factor[s][e];
        bool good = (!space.slots[s].isAxis || product <= space.slots[s].size) &&
                    (rules[s].allows(d, mapping.factor[s][d]) || attempt > 10) &&
                    evaluator.fits(mapping);
        if (good)
          break;
        mapping.factor[0][d] *= prime;
        mapping.factor[s][d] /= prime;
      }
    }
    if (isLegal(mapping))
      return mapping;
  }
  return llvm::None;
}

llvm::Optional<Mapping> Descent::moved(const Mapping &from, unsigned moves,
                                       std::mt19937_64 &random) {
  llvm::SmallVector<unsigned, maxDims> dims; // those that have loops
  for (unsigned d = 0; d < space.dims(); ++d)
    if (space.nest.dims[d].size > 1)
      dims.push_back(d);
  for (unsigned attempt = 0; attempt < 20 && !dims.empty(); ++attempt) {
    Mapping mapping = from;
    for (unsigned done = 0; done < moves;) {
      unsigned d = dims[random() % dims.size()], s = random() % space.slots.size();
      int64_t &factor = mapping.factor[s][d];
      if (factor == 1)
        continue;
      std::vector<int64_t> primes = primesOf(factor);
      int64_t prime = primes[random() % primes.size()];
      factor /= prime;
      mapping.factor[random() % space.slots.size()][d] *= prime;
      ++done;
    }
    if (isLegal(mapping))
      return mapping;
  }
  return llvm::None;
}

/// Moves one prime of one dimension from a slot to another, or swaps it for one of another
/// dimension there.
bool Descent::tryMoves(Mapping &best, Score &score, double &value,
                       const std::function<double(const Score &)> &valueOf,
                       llvm::function_ref<bool()> mayGoOn) {
  bool improved = false, isBest = true;
  Mapping mapping = best;
  auto consider = [&](unsigned from, unsigned to) {
    // What is legal stays so elsewhere.
    if (!isLegalAt(mapping, from) || !isLegalAt(mapping, to) ||
        !fits(mapping, std::min(from, to), std::max(from, to)))
      return;
    Score next = evaluator.evaluate(mapping);
    if (double v = valueOf(next); v < value) {
      best = mapping;
      score = next;
      value = v;
      improved = true;
      isBest = false;
    }
  };
  auto move = [&](unsigned d, int64_t prime, unsigned from, unsigned to) {
    mapping.factor[from][d] /= prime;
    mapping.factor[to][d] *= prime;
  };
  unsigned slots = space.slots.size();
  for (unsigned d = 0; d < space.dims(); ++d)
    for (int64_t prime : primes[d])
      for (unsigned from = 0; from < slots; ++from)
        for (unsigned to = 0; to < slots && mayGoOn(); ++to) {
          if (from == to || mapping.factor[from][d] % prime)
            continue;
          move(d, prime, from, to);
          consider(from, to);
          for (unsigned e = 0; e < space.dims(); ++e)
            for (int64_t other : primes[e]) {
              if (e == d || mapping.factor[to][e] % other)
                continue;
              move(e, other, to, from);
              consider(from, to);
              move(e, other, from, to);
            }
          if (isBest)
            move(d, prime, to, from);
          else
            mapping = best; // the next moves begin there
          isBest = true;
        }
  return improved;
}

/// The best of all orders of all slots.
bool Descent::tryAllOrders(Mapping &best, Score &score, double &value,
                           const std::function<double(const Score &)> &valueOf) {
  Mapping mapping = best;
  bool improved = false;
  tables.forEach(mapping, [&](const Score &next) {
    if (double v = valueOf(next); v < value && fitsInOrder(mapping)) {
      best = mapping;
      score = next;
      value = v;
      improved = true;
    }
    return true;
  });
  return improved;
}

/// Slot by slot where all orders are too many.
bool Descent::tryOrders(Mapping &best, Score &score, double &value,
                        const std::function<double(const Score &)> &valueOf) {
  if (tables.count(best) <= mostOrdersAtOnce)
    return tryAllOrders(best, score, value, valueOf);
  bool improved = false;
  for (unsigned s = 0; s < space.slots.size(); ++s) {
    Mapping mapping = best;
    for (const auto &order : choices.orders(best, s)) {
      mapping.order[s] = order;
      Score next = evaluator.evaluate(mapping);
      if (double v = valueOf(next); v < value && fitsInOrder(mapping)) {
        best = mapping;
        score = next;
        value = v;
        improved = true;
      }
    }
  }
  return improved;
}

Score Descent::improve(Mapping &mapping, const std::function<double(const Score &)> &value,
                       llvm::function_ref<bool()> mayGoOn) {
  Score score = evaluator.evaluate(mapping);
  double best = value(score);
  while (mayGoOn()) {
    bool orders = tryOrders(mapping, score, best, value);
    bool moves = tryMoves(mapping, score, best, value, mayGoOn);
    if (!orders && !moves)
      break;
  }
  return score;
}
