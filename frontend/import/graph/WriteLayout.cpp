// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that move elements: those that only rename places change the form in which a value
// stands, the others copy.
#include "frontend/import/graph/Writer.h"

using namespace perfc;
using namespace perfc::graph;

using Groups = std::vector<llvm::SmallVector<unsigned, 2>>;

/// The ranks of `from` in the order of the graph's dimensions, with or without those of one
/// element.
static llvm::SmallVector<unsigned, 4> flatRanks(const Layout &from, bool withOnes) {
  llvm::SmallVector<unsigned, 4> list;
  for (const auto &ranks : from.dims)
    for (unsigned rank : ranks)
      if (withOnes || !from.ranks[rank].is(1))
        list.push_back(rank);
  return list;
}

/// Each dimension of `shape` as a run of the ranks of `source` in the order `flat`; nothing where
/// they do not fit.
static llvm::Optional<Groups> runsOf(Dims &dims, const Shape &ranks, llvm::ArrayRef<unsigned> flat,
                                     llvm::ArrayRef<Dim> shape) {
  Groups groups;
  size_t next = 0;
  auto isOne = [&] { return next < flat.size() && ranks[flat[next]].is(1); };
  for (const Dim &dim : shape) {
    groups.emplace_back();
    if (dim.is(1) && isOne())
      groups.back().push_back(flat[next++]);
    for (Dim extent = 1; extent != dim;) {
      if (next == flat.size())
        return llvm::None;
      if (isOne()) { // a rank of one element is no part of a larger dimension
        ++next;
        continue;
      }
      extent = dims.multiply(extent, ranks[flat[next]]);
      if (!dims.exactQuotient(dim, extent))
        return llvm::None;
      groups.back().push_back(flat[next++]);
    }
  }
  while (isOne())
    ++next;
  return next == flat.size() ? llvm::Optional<Groups>(std::move(groups)) : llvm::None;
}

bool Writer::takeForm(int value, llvm::ArrayRef<Dim> ranks) {
  Layout &at = layout(value);
  Shape form(ranks.begin(), ranks.end());
  llvm::SmallVector<unsigned, 4> flat;
  for (unsigned i = 0; i < ranks.size(); ++i)
    flat.push_back(i);
  auto groups = runsOf(net.dims, form, flat, shapeOf(value));
  if (!at.isUnnamed() || !groups)
    return false;
  at.ranks = std::move(form);
  at.dims = std::move(*groups);
  at.fixed.assign(ranks.size(), 0);
  return true;
}

/// Makes `to` a view of `from` where each dimension of `shape` is a run of its ranks.
bool Writer::viewAs(int from, int to, llvm::ArrayRef<Dim> shape) {
  Layout source = layout(from);
  if (source.isUnnamed() && net.values[from].uses <= 1) {
    Layout &free = layout(to);
    free.ranks.assign(shape.begin(), shape.end());
    if (free.ranks.empty())
      free.ranks.push_back(1);
    free.dims.clear();
    for (unsigned i = 0; i < shape.size(); ++i)
      free.dims.push_back({i});
    free.fixed.assign(free.ranks.size(), 0);
    net.values[to].isStored = true;
    return true;
  }
  auto groups = runsOf(net.dims, source.ranks, flatRanks(source, true), shape);
  if (!groups)
    return false;
  source.name = named(from);
  source.dims = std::move(*groups);
  layout(to) = std::move(source);
  return true;
}

/// A copy whose places are sums over common factors of both shapes.
static bool reshapeCopy(Writer &writer, int from, int to) {
  Dims &dims = writer.net.dims;
  writer.named(from);
  const Layout &source = writer.layout(from);
  auto flat = flatRanks(source, false);
  const Shape &target = writer.shapeOf(to);
  std::vector<std::string> index(source.ranks.size()), places;
  for (size_t r = 0; r < index.size(); ++r)
    index[r] = std::to_string(source.fixed[r]);
  std::string ranks, extents, call, ranges;
  size_t factors = 0, next = 0;
  Dim rest = 1; // of the rank at hand
  for (size_t d = 0; d < target.size(); ++d) {
    std::string place;
    for (Dim left = target[d]; !left.is(1);) {
      bool isNew = rest.is(1);
      if (isNew) {
        if (next == flat.size())
          return false;
        rest = source.ranks[flat[next]];
      }
      unsigned rank = flat[next];
      auto inner = dims.exactQuotient(left, rest), outer = dims.exactQuotient(rest, left);
      if (!inner && !outer)
        return false;
      std::string letter = indexName(factors), scale = fmt::format("*F{}", factors);
      Dim factor = inner ? rest : left;
      auto append = [&](std::string &text, bool isFirst) {
        bool isSum = text.find(' ') != std::string::npos;
        std::string before = isSum ? "(" + text + ")" : text;
        text = isFirst ? letter : fmt::format("{}{} + {}", before, scale, letter);
      };
      append(index[rank], isNew);
      append(place, place.empty());
      call += fmt::format(", F{} = {}", factors, dims.text(factor));
      ranges += fmt::format("  where {} < F{}\n", letter, factors++);
      left = inner ? *inner : Dim(1);
      rest = inner ? Dim(1) : *outer;
      if (rest.is(1))
        ++next;
    }
    places.push_back(place.empty() ? "0" : place);
    extents += fmt::format("{}Y{}", d ? ", " : "", d);
    call += fmt::format(", Y{} = {}", d, dims.text(target[d]));
  }
  if (next != flat.size() || target.empty())
    return false;
  for (size_t r = 0; r < source.ranks.size(); ++r)
    ranks += fmt::format("{}A{}", r ? ", " : "", r);
  std::string numbers;
  for (size_t i = 0; i < factors; ++i)
    numbers += fmt::format(", F{}", i);
  std::string op = writer.privateOp(
      "reshape",
      fmt::format("op NAME(x[{}]{}) -> y[{}] {{\n{}  y[{}] = x[{}]\n}}\n", ranks, numbers, extents,
                  ranges, fmt::join(places, ", "), fmt::join(index, ", ")));
  writer.assign(to, "reshape", fmt::format("{}({}{})", op, source.name, call));
  return true;
}

static bool view(Writer &writer, const Op &op) {
  int from = op.input(0), to = op.outputs[0];
  if (writer.viewAs(from, to, writer.shapeOf(to)) || reshapeCopy(writer, from, to))
    return true;
  writer.writeBytes(op); // places are no sums, such as of 4 x 6 as 6 x 4
  return true;
}

static bool transpose(Writer &writer, const Op &op) {
  int from = op.input(0), to = op.outputs[0];
  if (writer.layout(from).isUnnamed() && writer.net.values[from].uses <= 1)
    return writer.viewAs(from, to, writer.shapeOf(to));
  std::string name = writer.named(from);
  Layout turned = writer.layout(from);
  const Attribute *order = op.node->find("perm");
  size_t rank = turned.dims.size();
  Groups groups;
  for (size_t i = 0; i < rank; ++i) {
    int64_t dim = order ? order->integers[i] : static_cast<int64_t>(rank - 1 - i);
    groups.push_back(turned.dims[static_cast<size_t>(dim < 0 ? dim + int64_t(rank) : dim)]);
  }
  turned.dims = std::move(groups);
  writer.layout(to) = std::move(turned);
  return true;
}

static bool cast(Writer &writer, const Op &op) {
  int from = op.input(0), to = op.outputs[0];
  int32_t before = writer.net.values[from].type, after = writer.net.values[to].type;
  bool isSame = formatOf(before) == formatOf(after) || before == NoType;
  // Stored tensors and integers that are looked up are cast when they are made.
  if (isSame || writer.layout(from).isUnnamed() || !isFloating(after))
    return view(writer, op);
  writer.library("elementwise", "copy");
  std::string name = writer.named(from);
  Layout at = writer.layout(from);
  writer.assign(to, "cast", "copy(" + name + ")", at.ranks, at.dims);
  return true;
}

/// Names of the ranks of a tensor of `count` dimensions: A0, A1, …
static std::string rankNames(size_t count, size_t besides, const std::string &other) {
  std::string text;
  for (size_t i = 0; i < count; ++i)
    text += (i ? ", " : "") + (i == besides ? other : fmt::format("A{}", i));
  return text;
}

static std::string indexNames(size_t count, size_t besides, const std::string &other) {
  std::string text;
  for (size_t i = 0; i < count; ++i)
    text += (i ? ", " : "") + (i == besides ? other : indexName(i));
  return text;
}

/// A place that runs over `extent`, from the last to the first: an index that stood alone would run
/// over its whole rank in the operand and the result, which differ.
static std::string countedDown(size_t index, const std::string &extent, std::string &ranges) {
  ranges += fmt::format("  where {} < {}\n", indexName(index), extent);
  return fmt::format("{} - 1 - {}", extent, indexName(index));
}

static bool concat(Writer &writer, const Op &op) {
  int to = op.outputs[0];
  size_t rank = writer.shapeOf(to).size(), axis = 0;
  Inference attributes = writer.attributes(op);
  axis = *attributes.axis(attributes.integer("axis", 1), rank);
  std::string parameters, arguments, body, offset, ranges;
  size_t parts = 0;
  for (int input : op.inputs) {
    if (writer.shapeOf(input)[axis].is(0))
      continue;
    std::string extent = fmt::format("N{}", parts);
    parameters += fmt::format("{}x{}[{}]", parts ? ", " : "", parts, rankNames(rank, axis, extent));
    arguments += (parts ? ", " : "") + writer.plain(input);
    std::string own = parts ? indexName(rank + parts) : countedDown(rank, "N0", ranges);
    body += fmt::format("  y[{}] = x{}[{}]\n", indexNames(rank, axis, own + offset), parts,
                        indexNames(rank, axis, own));
    offset += " + " + extent;
    ++parts;
  }
  if (parts == 1) {
    writer.assign(to, "copy", arguments);
    return true;
  }
  std::string name = writer.privateOp(
      "concat", fmt::format("op NAME({}) -> y[{}] {{\n{}{}}}\n", parameters,
                            rankNames(rank, axis, "Y =" + offset.substr(2)), ranges, body));
  writer.assign(to, "concat", name + "(" + arguments + ")");
  return true;
}

/// A part of `from`: along each dimension from `first` on, in steps.
static bool part(Writer &writer, int from, int to, llvm::ArrayRef<Dim> firsts,
                 llvm::ArrayRef<int64_t> steps) {
  Dims &dims = writer.net.dims;
  const Shape &shape = writer.shapeOf(from), &result = writer.shapeOf(to);
  std::string name = writer.plain(from), call = name, extents, places, place, numbers, ranges;
  bool isAll = true;
  for (size_t i = 0; i < shape.size(); ++i) {
    std::string index = indexName(i), separator = i ? ", " : "";
    bool isWhole = shape[i] == result[i] && firsts[i].is(0) && steps[i] == 1;
    isAll &= isWhole;
    extents += separator + (isWhole ? fmt::format("A{}", i) : fmt::format("Y{}", i));
    if (!isWhole && firsts[i].is(0) && steps[i] == 1)
      index = countedDown(i, fmt::format("Y{}", i), ranges);
    places += separator + index;
    place += separator + index;
    if (isWhole)
      continue;
    if (steps[i] != 1)
      place += fmt::format("*({})", steps[i]);
    if (!firsts[i].is(0)) {
      numbers += fmt::format(", from{}", i);
      place += fmt::format(" + from{}", i);
      call += fmt::format(", from{} = {}", i, dims.text(firsts[i]));
    }
    call += fmt::format(", Y{} = {}", i, dims.text(result[i]));
  }
  if (isAll)
    return writer.viewAs(from, to, result);
  std::string op =
      writer.privateOp("slice", fmt::format("op NAME(x[{}]{}) -> y[{}] {{\n{}  y[{}] = x[{}]\n}}\n",
                                            rankNames(shape.size(), shape.size(), ""), numbers,
                                            extents, ranges, places, place));
  writer.assign(to, "slice", op + "(" + call + ")");
  return true;
}

static bool slice(Writer &writer, const Op &op) {
  Inference attributes = writer.attributes(op);
  int from = op.input(0), to = op.outputs[0];
  const Shape &shape = writer.shapeOf(from);
  auto starts = attributes.wholes("starts", 1);
  auto axes = attributes.numbers("axes", 3), steps = attributes.numbers("steps", 4);
  if (!starts)
    return false;
  std::vector<Dim> firsts(shape.size(), 0);
  std::vector<int64_t> strides(shape.size(), 1);
  Dims &dims = writer.net.dims;
  for (size_t i = 0; i < starts->size(); ++i) {
    size_t axis = *attributes.axis(axes ? (*axes)[i] : static_cast<int64_t>(i), shape.size());
    Dim first = (*starts)[i];
    if (dims.compare(first, 0) == -1)
      first = dims.larger(dims.add(first, shape[axis]), 0);
    strides[axis] = steps ? (*steps)[i] : 1;
    Dim last = dims.subtract(shape[axis], strides[axis] < 0 ? 1 : 0);
    bool isEnd = first.isNumber() && first.constant >= INT32_MAX;
    firsts[axis] = isEnd ? last : dims.smaller(first, last);
  }
  for (const Dim &dim : writer.shapeOf(to))
    if (dim.is(0))
      return false;
  return part(writer, from, to, firsts, strides);
}

static bool split(Writer &writer, const Op &op) {
  Inference attributes = writer.attributes(op);
  const Shape &shape = writer.shapeOf(op.input(0));
  size_t axis = *attributes.axis(attributes.integer("axis", 0), shape.size());
  std::vector<Dim> firsts(shape.size(), 0);
  std::vector<int64_t> steps(shape.size(), 1);
  for (int output : op.outputs) {
    if (output >= 0 && writer.net.values[output].uses &&
        !part(writer, op.input(0), output, firsts, steps))
      return false;
    if (output >= 0)
      firsts[axis] = writer.net.dims.add(firsts[axis], writer.shapeOf(output)[axis]);
  }
  return true;
}

static bool gather(Writer &writer, const Op &op) {
  int table = op.input(0), chosen = op.input(1), to = op.outputs[0];
  Inference attributes = writer.attributes(op);
  size_t rank = writer.shapeOf(table).size();
  size_t axis = *attributes.axis(attributes.integer("axis", 0), rank);
  bool isFree = writer.layout(table).isUnnamed();
  if (auto number = writer.net.wholeNumber(chosen); number && !isFree) {
    // One place of a dimension, which its ranks are fixed to.
    Layout at = writer.layout(table);
    int64_t place = *number;
    const Dim &extent = writer.shapeOf(table)[axis];
    if (place >= 0 || extent.isNumber()) {
      place = place < 0 ? place + extent.constant : place;
      for (unsigned r : llvm::reverse(at.dims[axis])) {
        bool isLast = r == at.dims[axis].front();
        if (!isLast && !at.ranks[r].isNumber())
          return false;
        at.fixed[r] = isLast ? place : place % at.ranks[r].constant;
        place = isLast ? 0 : place / at.ranks[r].constant;
      }
      at.dims.erase(at.dims.begin() + axis);
      if (!writer.shapeOf(chosen).empty())
        at.dims.insert(at.dims.begin() + axis, llvm::SmallVector<unsigned, 2>());
      writer.layout(to) = std::move(at);
      return true;
    }
  }
  if (writer.shapeOf(chosen).empty()) {
    // One place, which depends on data or differs from round to round: any costs the same.
    if (isFree)
      writer.named(table);
    Layout at = writer.layout(table);
    at.dims.erase(at.dims.begin() + static_cast<std::ptrdiff_t>(axis));
    writer.layout(to) = std::move(at);
    return true;
  }
  if (axis == 0 && rank == 2 && writer.net.values[table].isStored) {
    std::string ids = writer.plain(chosen), rows = writer.plain(table);
    writer.assign(to, "embedding",
                  writer.library("embedding", "embedding") + "(" + ids + ", " + rows + ")");
    return true;
  }
  writer.plain(table);
  writer.plain(chosen);
  std::string rows = writer.named(table), ids = writer.named(chosen), at;
  std::vector<std::string> index, own;
  for (size_t i = 0; i < writer.shapeOf(chosen).size(); ++i)
    own.push_back(indexName(rank + i));
  for (size_t i = 0; i < rank; ++i) {
    if (i == axis)
      llvm::append_range(index, own);
    else
      index.push_back(indexName(i));
    at += (i ? ", " : "") +
          (i == axis ? fmt::format("{}[{}]", ids, fmt::join(own, ", ")) : indexName(i));
  }
  Groups groups;
  for (unsigned i = 0; i < index.size(); ++i)
    groups.push_back({i});
  writer.equation(to, "gather", index, "=", rows + "[" + at + "]", writer.shapeOf(to), groups);
  return true;
}

static bool expand(Writer &writer, const Op &op) {
  int from = op.input(0), to = op.outputs[0];
  const Shape &shape = writer.shapeOf(from), &result = writer.shapeOf(to);
  if (shape == result)
    return writer.viewAs(from, to, result);
  std::string call = writer.plain(from), extents, place;
  size_t offset = result.size() - shape.size();
  for (size_t i = 0; i < result.size(); ++i) {
    extents += fmt::format("{}Y{}", i ? ", " : "", i);
    call += fmt::format(", Y{} = {}", i, writer.net.dims.text(result[i]));
    if (i >= offset)
      place +=
          (i > offset ? ", " : "") + (shape[i - offset].is(1) ? std::string("0") : indexName(i));
  }
  if (shape.empty())
    place = "0";
  std::string name =
      writer.privateOp("expand", fmt::format("op NAME(x[{}]) -> y[{}] {{\n  y[{}] = x[{}]\n}}\n",
                                             rankNames(std::max<size_t>(shape.size(), 1), 99, ""),
                                             extents, indexNames(result.size(), 99, ""), place));
  writer.assign(to, "expand", name + "(" + call + ")");
  return true;
}

static bool pad(Writer &writer, const Op &op) {
  int from = op.input(0), to = op.outputs[0];
  Inference attributes = writer.attributes(op);
  auto pads = attributes.numbers("pads", 1);
  size_t rank = writer.shapeOf(from).size();
  if (!pads || pads->size() != 2 * rank)
    return false;
  if (llvm::all_of(*pads, [](int64_t one) { return one == 0; }))
    return writer.viewAs(from, to, writer.shapeOf(to));
  std::string call = writer.plain(from), extents, places, place, numbers, ranges;
  for (size_t i = 0; i < rank; ++i) {
    int64_t before = (*pads)[i];
    bool isWhole = before == 0 && (*pads)[i + rank] == 0;
    extents += fmt::format("{}{}{}", i ? ", " : "", isWhole ? "A" : "Y", i);
    std::string index =
        isWhole || before ? indexName(i) : countedDown(i, fmt::format("Y{}", i), ranges);
    places += (i ? ", " : "") + index;
    place += (i ? ", " : "") + index;
    if (isWhole)
      continue;
    call += fmt::format(", Y{} = {}", i, writer.net.dims.text(writer.shapeOf(to)[i]));
    if (before == 0)
      continue;
    numbers += fmt::format(", before{}", i);
    place += fmt::format(" - before{}", i);
    call += fmt::format(", before{} = {}", i, before);
  }
  std::string name = writer.privateOp(
      "pad", fmt::format("op NAME(x[{}]{}) -> y[{}] {{\n{}  y[{}] = x[{}]\n}}\n",
                         rankNames(rank, 99, ""), numbers, extents, ranges, places, place));
  writer.assign(to, "pad", name + "(" + call + ")");
  return true;
}

static constexpr EmitterEntry layoutEmitterTable[] = {
    {"Cast", cast},       {"CastLike", cast}, {"Concat", concat},       {"Dropout", view},
    {"Expand", expand},   {"Flatten", view},  {"Gather", gather},       {"Identity", view},
    {"Pad", pad},         {"Reshape", view},  {"Resize", resize},       {"Slice", slice},
    {"Split", split},     {"Squeeze", view},  {"Transpose", transpose}, {"Unsqueeze", view},
    {"Upsample", resize},
};

llvm::ArrayRef<EmitterEntry> graph::layoutEmitters() { return layoutEmitterTable; }
