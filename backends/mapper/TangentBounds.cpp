// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/mapper/TangentBounds.h"

#include <cmath>

using namespace perfc;
using namespace perfc::mapper;
using namespace perfc::loopnest;

/// Corners may be below a line by what rounding makes of them.
static constexpr double cornerRounding = 1e-12;
/// Weights that differ by less relatively are the same.
static constexpr double sameWeight = 1e-9;

TangentBounds::TangentBounds(double energy, double latency) {
  lines.push_back({1, 0, energy, energy, latency, false});
  lines.push_back({0, 1, latency, energy, latency, false});
  update();
}

void TangentBounds::add(double weight, double least, double energy, double latency) {
  lines.push_back({1, weight, least, energy, latency, true});
  update();
}

void TangentBounds::add(double weight, double least) {
  lines.push_back({1, weight, least, 0, 0, false});
  update();
}

/// Corners are where two lines meet, above all others.
void TangentBounds::update() {
  bool found = false;
  for (size_t i = 0; i < lines.size(); ++i)
    for (size_t k = i + 1; k < lines.size(); ++k) {
      const Line &p = lines[i], &q = lines[k];
      double determinant = p.a * q.b - q.a * p.b;
      if (determinant == 0)
        continue;
      Found now;
      now.energy = (p.least * q.b - q.least * p.b) / determinant;
      now.latency = (p.a * q.least - q.a * p.least) / determinant;
      now.first = i;
      now.second = k;
      bool above = true;
      for (const Line &line : lines)
        above &= line.a * now.energy + line.b * now.latency >= line.least * (1 - cornerRounding);
      if (above && (!found || now.product() < corner.product())) {
        corner = now;
        found = true;
      }
    }
}

llvm::Optional<double> TangentBounds::nextWeight() const {
  const Line &p = lines[corner.first], &q = lines[corner.second];
  double weight = corner.energy / corner.latency; // of the tangent to all of the same product
  if (p.isMet &&
      q.isMet) // the chord between what was found: nothing is below it, or there is a new corner
    weight = (q.energy - p.energy) / (p.latency - q.latency);
  if (!std::isfinite(weight) || weight <= 0 || isAsked(weight))
    return llvm::None;
  return weight;
}

bool TangentBounds::isAsked(double weight) const {
  return llvm::any_of(lines, [&](const Line &line) {
    return line.a == 1 && std::abs(line.b - weight) <= sameWeight * weight;
  });
}

/// Where energy * latency is the product on a line, the points between have more. Of the line that
/// weighs the latency less, the corner is at the end of more energy.
llvm::Optional<TangentBounds::Cut> TangentBounds::cut(double product) const {
  const Line *less = &lines[corner.first], *more = &lines[corner.second];
  if (less->b * more->a > more->b * less->a)
    std::swap(less, more);
  auto energyAt = [&](const Line &line, double sign) {
    if (line.a == 0)
      return product / line.least;
    return (line.least + sign * std::sqrt(line.least * line.least - 4 * line.b * product)) / 2;
  };
  double first = energyAt(*less, 1), second = energyAt(*more, -1);
  Cut result{first * second / product, first + second};
  if (!(first < second) || !std::isfinite(result.weight) || isAsked(result.weight))
    return llvm::None;
  return result;
}

void NestAnswers::add(double weight, const Candidate &candidate, bool proven) {
  answers.push_back({weight, candidate, proven});
}

const Candidate *NestAnswers::at(double weight) const {
  for (const Answer &below : answers)
    for (const Answer &above : answers)
      if (below.proven && above.proven && below.weight <= weight && weight <= above.weight &&
          below.candidate.score == above.candidate.score)
        return &below.candidate;
  return nullptr;
}

double NestAnswers::least(double weight) const {
  double least = HUGE_VAL;
  for (const Answer &answer : answers)
    least =
        std::min(least, answer.candidate.score.energy + weight * answer.candidate.score.latency);
  return least;
}

std::vector<Candidate> NestAnswers::all() const {
  std::vector<Candidate> result;
  for (const Answer &answer : answers)
    if (llvm::none_of(
            result, [&](const Candidate &other) { return other.score == answer.candidate.score; }))
      result.push_back(answer.candidate);
  return result;
}

bool NestAnswers::areProven() const {
  return llvm::all_of(answers, [](const Answer &answer) { return answer.proven; });
}
