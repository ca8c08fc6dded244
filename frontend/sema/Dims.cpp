// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which dimensions an attribute accepts, and how a message says so.
#include "frontend/sema/Words.h"

using namespace perfc;

bool perfc::accepts(Dims dims, const Dimension &dimension) {
  using enum BaseUnit;
  auto is = [&](const Dimension &wanted) { return dimension == wanted; };
  switch (dims) {
  case Dims::Any:
    return true;
  case Dims::Number:
    return is({});
  case Dims::Data:
    return is(Byte) || is(Word);
  case Dims::Bandwidth:
    return is(Dimension(Byte) / Second) || is(Dimension(Byte) / Cycle) ||
           is(Dimension(Word) / Second) || is(Dimension(Word) / Cycle);
  case Dims::Time:
    return is(Second) || is(Cycle);
  case Dims::Frequency:
    return is(Dimension() / Second);
  case Dims::AccessEnergy:
    return is(Joule) || is(Dimension(Joule) / Byte) || is(Dimension(Joule) / Word);
  case Dims::OpEnergy:
    return is(Joule) || is(Dimension(Joule) / Flop) || is(Dimension(Joule) / Op);
  case Dims::HopEnergy:
    return is(Joule) || is(Dimension(Joule) / Byte) || is(Dimension(Joule) / Word);
  case Dims::Area:
    return is(Dimension(Metre, 2));
  case Dims::Power:
    return is(Dimension(Joule) / Second);
  case Dims::Rate:
    return is(Dimension() / Second) || is(Dimension() / Cycle) || is(Dimension(Flop) / Second) ||
           is(Dimension(Flop) / Cycle) || is(Dimension(Op) / Second) || is(Dimension(Op) / Cycle);
  case Dims::Money:
    return is(Dollar) || is(Dimension(Dollar) / Second) || is(Dimension(Dollar) / Joule);
  case Dims::RequestRate:
    return dimension == Dimension() / Second || dimension == Dimension(Request) / Second;
  case Dims::Requests:
    return dimension.isNumber() || dimension == Dimension(Request);
  case Dims::Stream:
    return accepts(Dims::Requests, dimension) || is(Second);
  case Dims::Tokens:
    return dimension.isNumber() || dimension == Dimension(Token);
  case Dims::Samples:
    return dimension.isNumber() || dimension == Dimension(Sample) || dimension == Dimension(Image);
  case Dims::Share:
    return is({});
  }
  return false;
}

bool perfc::accepts(const WordSpec &spec, Dimension dimension) {
  for (BaseUnit unit : spec.per)
    if (dimension[unit] == -1)
      dimension = dimension * unit;
  return accepts(spec.dims, dimension);
}

llvm::StringRef perfc::describe(Dims dims) {
  switch (dims) {
  case Dims::Any:
    return "any quantity";
  case Dims::Number:
    return "a plain number";
  case Dims::Data:
    return "an amount of data, such as 108KiB or 224word";
  case Dims::Bandwidth:
    return "a bandwidth, such as 8B/cycle or 2TB/s";
  case Dims::Time:
    return "a time, such as 2us or 20cycle";
  case Dims::Frequency:
    return "a frequency, such as 1.4GHz";
  case Dims::AccessEnergy:
    return "an energy per access, such as 6pJ (per word) or 3.9pJ/b";
  case Dims::OpEnergy:
    return "an energy, such as 1pJ";
  case Dims::HopEnergy:
    return "an energy per transfer, such as 2pJ (per word) or 1.2pJ/b";
  case Dims::Area:
    return "an area, such as 0.35mm2";
  case Dims::Power:
    return "a power, such as 400W";
  case Dims::Rate:
    return "a rate, such as 1024/cycle or 312TFLOP/s";
  case Dims::Money:
    return "money per time or energy, such as 2USD/h";
  case Dims::RequestRate:
    return "a rate of requests, such as 2req/s";
  case Dims::Requests:
    return "a number of requests, such as 100req";
  case Dims::Stream:
    return "a number of requests or a time in which they come, such as 100req or 60s";
  case Dims::Tokens:
    return "a number of tokens, such as 512token";
  case Dims::Samples:
    return "a number of sequences or samples, such as 512";
  case Dims::Share:
    return "a share, such as 25%";
  }
  return "";
}
