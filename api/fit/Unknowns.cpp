// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/fit/Unknowns.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace perfc;
using namespace perfc::api;

double Unknowns::unknownOf(const FitLine &line, double value) const {
  return line.isLog ? std::log(value) : (value - line.low) / (line.high - line.low);
}

double Unknowns::valueOf(size_t unknown, double at) const {
  const FitLine &line = *places[unknown].line;
  return line.isLog ? std::exp(at) : line.low + at * (line.high - line.low);
}

Unknowns::Unknowns(const Fit &fit, size_t firstConstant, const ConstantValues &values) : fit(fit) {
  size_t constant = firstConstant;
  for (const FitLine &line : fit.lines) {
    size_t begin = unknowns.size();
    for (size_t i = 0; i < line.constants.size(); ++i) {
      Unknown unknown;
      double start = line.prior ? *line.prior * line.divisors[i]
                                : values[constant].getValueOr(line.constants[i].written);
      unknown.low = unknownOf(line, line.low);
      unknown.high = unknownOf(line, line.high);
      unknown.start = std::clamp(unknownOf(line, start), unknown.low, unknown.high);
      unknowns.push_back(unknown);
      places.push_back({&line, constant++, i});
    }
    if (line.mean)
      means.push_back({constant++, begin, unknowns.size()});
  }
}

void Unknowns::startAt(llvm::ArrayRef<const FitConstant *> written) {
  for (size_t i = 0; i < places.size(); ++i) {
    double start = unknownOf(*places[i].line, written[places[i].constant]->written);
    unknowns[i].start = std::clamp(start, unknowns[i].low, unknowns[i].high);
  }
}

double Unknowns::expectedOf(size_t unknown) const {
  const Place &place = places[unknown];
  return place.line->isLog ? std::log(place.line->divisors[place.number]) : 0;
}

void Unknowns::set(llvm::ArrayRef<double> at, ConstantValues &values) const {
  for (size_t i = 0; i < places.size(); ++i)
    values[places[i].constant] = valueOf(i, at[i]);
  for (const Mean &mean : means) {
    double sum = std::accumulate(at.begin() + mean.begin, at.begin() + mean.end, 0.0);
    for (size_t i = mean.begin; i < mean.end; ++i)
      sum -= expectedOf(i);
    values[mean.constant] = valueOf(mean.begin, sum / static_cast<double>(mean.end - mean.begin));
  }
}

/// What is known before: of each constant or, where those of a line are alike, of their mean, and
/// of how far each is from that.
std::vector<LinearTerm> Unknowns::terms() const {
  std::vector<LinearTerm> terms;
  for (size_t begin = 0, end = 0; begin < places.size(); begin = end) {
    const FitLine &line = *places[begin].line;
    while (end < places.size() && places[end].line == &line)
      ++end;
    // A share of the value is so much of a logarithm.
    double range = line.isLog ? 1 : line.high - line.low;
    auto count = static_cast<double>(end - begin);
    double spread = line.isLog ? line.alike : line.alike * line.prior.getValueOr(line.high) / range;
    bool isAlike = line.alike > 0 && end - begin > 1;
    for (size_t i = begin; isAlike && i < end; ++i) {
      LinearTerm term;
      for (size_t j = begin; j < end; ++j) {
        double factor = ((i == j ? 1 : 0) - 1 / count) * endOfInterval / spread;
        term.factors.emplace_back(j, factor);
        term.offset += factor * expectedOf(j);
      }
      terms.push_back(std::move(term));
    }
    if (!line.prior)
      continue;
    double width = line.isLog ? line.priorWidth / *line.prior : line.priorWidth / range;
    double known = unknownOf(line, *line.prior) * endOfInterval / width;
    LinearTerm ofMean;
    ofMean.offset = known;
    for (size_t i = begin; i < end; ++i) {
      double offset = expectedOf(i) * endOfInterval / width;
      ofMean.factors.emplace_back(i, endOfInterval / width / count);
      ofMean.offset += offset / count;
      if (!isAlike)
        terms.push_back({{{i, endOfInterval / width}}, known + offset});
    }
    if (isAlike)
      terms.push_back(std::move(ofMean));
  }
  return terms;
}
