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
  lines.push_back({1, 0, energy, energy, latency});
  lines.push_back({0, 1, latency, energy, latency});
  update();
}

void TangentBounds::add(double weight, double least, double energy, double latency) {
  lines.push_back({1, weight, least, energy, latency});
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
  bool asked = corner.first > 1 && corner.second > 1;
  if (asked) // the chord between what was found: nothing is below it, or there is a new corner
    weight = (q.energy - p.energy) / (p.latency - q.latency);
  if (!std::isfinite(weight) || weight <= 0)
    return llvm::None;
  for (const Line &line : lines)
    if (line.a == 1 && std::abs(line.b - weight) <= sameWeight * weight)
      return llvm::None;
  return weight;
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
