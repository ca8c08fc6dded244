// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/emit/onnx/Subscripts.h"

#include "ir/common/Rational.h"
#include "llvm/ADT/STLExtras.h"
#include <cstdlib>
#include <limits>

using namespace perfc;
using namespace perfc::emit::onnx;

/// The most places that a list of a Gather has, and that one dimension may be filled up to.
static constexpr int64_t mostPlaces = 1 << 20;
static constexpr int64_t mostExtent = int64_t(1) << 40;

using Terms = std::vector<AffineExpr::Term>;

/// The terms of a subscript that make dimensions, those of the largest steps first. An index of one
/// value makes one where it stands alone.
static Terms termsOf(const AffineExpr &subscript, ExtentOf extent) {
  if (!subscript.asVariable().empty())
    return subscript.terms().vec();
  Terms terms;
  for (const AffineExpr::Term &term : subscript.terms())
    if (extent(term.name) > 1)
      terms.push_back(term);
  llvm::stable_sort(terms, [](const auto &a, const auto &b) {
    return std::abs(a.coefficient) > std::abs(b.coefficient);
  });
  return terms;
}

//===-- Reads
//---------------------------------------------------------------------------------------===//

namespace {

/// Takes the subscripts of a value apart, one dimension after the other.
class Reader {
public:
  Reader(Model &model, Value value, llvm::ArrayRef<AffineExpr> subscripts, ExtentOf extent)
      : model(model), value(std::move(value)), subscripts(subscripts.vec()), extent(extent) {}

  llvm::Optional<Part> run();

private:
  bool fill(size_t axis);
  bool joinShared(size_t axis);
  void joinAxes(size_t outer, size_t inner);
  bool take(size_t axis);
  bool takeTerms(size_t axis, int64_t first, llvm::ArrayRef<AffineExpr::Term> terms);
  bool takeListed(size_t axis, int64_t first, llvm::ArrayRef<AffineExpr::Term> terms);
  void slice(size_t axis, int64_t first, int64_t count, int64_t step);
  int64_t &extentAt(size_t axis) { return value.type.shape[axis]; }

  Model &model;
  Value value;
  std::vector<AffineExpr> subscripts; ///< of dimensions that are not yet taken apart
  ExtentOf extent;
  Indices indices; ///< of those that are
};

} // namespace

void Reader::slice(size_t axis, int64_t first, int64_t count, int64_t step) {
  if (first == 0 && count == extentAt(axis) && step == 1)
    return;
  Type type = value.type;
  type.shape[axis] = count;
  int64_t last = first + (count - 1) * step;
  // Downwards to the first place, the end is before it: no number but a very small one says so.
  int64_t end = step > 0 ? last + 1 : last == 0 ? std::numeric_limits<int64_t>::min() : last - 1;
  value = model.node("Slice",
                     {value, model.wholes(first), model.wholes(end),
                      model.wholes(static_cast<int64_t>(axis)), model.wholes(step)},
                     std::move(type));
}

/// Zeros around the dimension, so that all that is read lies inside.
bool Reader::fill(size_t axis) {
  llvm::Optional<AffineBounds> range = bounds(subscripts[axis], extent);
  if (!range || range->low < -mostExtent || range->high > mostExtent)
    return false;
  int64_t before = std::max<int64_t>(0, -range->low);
  value = model.pad(value, axis, before, std::max<int64_t>(0, range->high - extentAt(axis) + 1));
  subscripts[axis] = *add(subscripts[axis], AffineExpr(before));
  return true;
}

/// Makes one dimension of `outer` and of `inner`, which stands somewhere behind it.
void Reader::joinAxes(size_t outer, size_t inner) {
  std::vector<int64_t> order;
  for (size_t i = 0; i < value.rank(); ++i)
    if (i != inner)
      order.push_back(static_cast<int64_t>(i));
  order.insert(order.begin() + outer + 1, static_cast<int64_t>(inner));
  value = model.transpose(value, order);
  std::vector<int64_t> shape = value.shape().vec();
  shape[outer] *= shape[outer + 1];
  shape.erase(shape.begin() + outer + 1);
  value = model.reshape(value, shape);
}

/// An index of two dimensions, as in x[i, i + j], is one of the dimension that both make.
bool Reader::joinShared(size_t axis) {
  for (size_t other = axis + 1; other < subscripts.size(); ++other) {
    Terms own = termsOf(subscripts[axis], extent), others = termsOf(subscripts[other], extent);
    bool isShared = llvm::any_of(own, [&](const AffineExpr::Term &term) {
      return llvm::any_of(others, [&](const auto &one) { return one.name == term.name; });
    });
    if (!isShared)
      continue;
    llvm::Optional<AffineExpr> outer = scale(subscripts[axis], extentAt(other));
    llvm::Optional<AffineExpr> sum = outer ? add(*outer, subscripts[other]) : llvm::None;
    if (!sum || !checkedMultiply(extentAt(axis), extentAt(other)))
      return false;
    joinAxes(axis, other);
    subscripts[axis] = *sum;
    subscripts.erase(subscripts.begin() + other);
    other = axis;
  }
  return true;
}

/// Overlapping windows, by the list of their places.
bool Reader::takeListed(size_t axis, int64_t first, llvm::ArrayRef<AffineExpr::Term> terms) {
  std::vector<int64_t> places = {first}, shape;
  for (const AffineExpr::Term &term : terms) {
    int64_t count = extent(term.name);
    if (count > mostPlaces / static_cast<int64_t>(places.size()))
      return false;
    std::vector<int64_t> next;
    for (int64_t place : places)
      for (int64_t i = 0; i < count; ++i)
        next.push_back(place + i * term.coefficient);
    places = std::move(next);
    shape.push_back(count);
    indices.push_back(term.name);
  }
  Type type = value.type;
  type.shape[axis] = static_cast<int64_t>(places.size());
  value = model.node("Gather", {value, model.wholes(places)}, type,
                     Attribute{"axis", static_cast<int64_t>(axis)});
  type.shape.erase(type.shape.begin() + axis);
  type.shape.insert(type.shape.begin() + axis, shape.begin(), shape.end());
  value = model.reshape(value, type.shape);
  return true;
}

/// `terms` have rising places: of the largest step c, a dimension [extent, c] says the first and
/// the second takes the rest.
bool Reader::takeTerms(size_t axis, int64_t first, llvm::ArrayRef<AffineExpr::Term> terms) {
  const AffineExpr::Term &outer = terms.front();
  int64_t count = extent(outer.name), step = outer.coefficient, rest = 0;
  if (terms.size() == 1) {
    slice(axis, first, count, step);
    indices.push_back(outer.name);
    return true;
  }
  for (const AffineExpr::Term &term : terms.drop_front())
    rest += term.coefficient * (extent(term.name) - 1);
  if (rest >= step)
    return takeListed(axis, first, terms);
  value = model.pad(value, axis, 0, std::max<int64_t>(0, first + count * step - extentAt(axis)));
  slice(axis, first, count * step, 1);
  std::vector<int64_t> shape = value.shape().vec();
  shape[axis] = count;
  shape.insert(shape.begin() + axis + 1, step);
  value = model.reshape(value, shape);
  indices.push_back(outer.name);
  return takeTerms(axis + 1, 0, terms.drop_front());
}

/// Takes one dimension apart; those before it are.
bool Reader::take(size_t axis) {
  AffineExpr subscript = subscripts.front();
  subscripts.erase(subscripts.begin());
  Terms terms = termsOf(subscript, extent);
  int64_t first = subscript.constant();
  if (terms.empty()) {
    Type type = value.type;
    type.shape.erase(type.shape.begin() + axis);
    value = model.node("Gather", {value, model.whole(first)}, std::move(type),
                       Attribute{"axis", static_cast<int64_t>(axis)});
    return true;
  }
  if (terms.size() == 1) { // also downwards
    slice(axis, first, extent(terms[0].name), terms[0].coefficient);
    indices.push_back(terms[0].name);
    return true;
  }
  // Counted from their end, indices of negative steps have positive ones.
  size_t begin = indices.size();
  Indices turned;
  for (AffineExpr::Term &term : terms)
    if (term.coefficient < 0) {
      first += term.coefficient * (extent(term.name) - 1);
      term.coefficient = -term.coefficient;
      turned.push_back(term.name);
    }
  if (!takeTerms(axis, first, terms))
    return false;
  for (size_t i = begin; i < indices.size(); ++i)
    if (llvm::is_contained(turned, indices[i]))
      slice(axis + i - begin, extent(indices[i]) - 1, extent(indices[i]), -1);
  return true;
}

llvm::Optional<Part> Reader::run() {
  for (size_t axis = 0; axis < subscripts.size(); ++axis)
    if (!fill(axis))
      return llvm::None;
  for (size_t axis = 0; axis < subscripts.size(); ++axis)
    if (!joinShared(axis))
      return llvm::None;
  while (!subscripts.empty())
    if (!take(indices.size()))
      return llvm::None;
  return Part{value, indices};
}

llvm::Optional<Part> emit::onnx::readAt(Model &model, const Value &value,
                                        llvm::ArrayRef<AffineExpr> subscripts, ExtentOf extent) {
  return Reader(model, value, subscripts, extent).run();
}

//===-- Writes
//--------------------------------------------------------------------------------------===//

llvm::Optional<Target> emit::onnx::targetOf(llvm::ArrayRef<AffineExpr> subscripts,
                                            llvm::ArrayRef<int64_t> shape, ExtentOf extent) {
  Target target;
  for (auto [subscript, all] : llvm::zip(subscripts, shape)) {
    Terms terms = termsOf(subscript, extent);
    int64_t count = 1;
    for (const AffineExpr::Term &term : llvm::reverse(terms)) {
      if (term.coefficient != count || llvm::is_contained(target.indices, term.name))
        return llvm::None;
      count *= extent(term.name);
    }
    if (subscript.constant() < 0 || subscript.constant() > all - count)
      return llvm::None;
    for (const AffineExpr::Term &term : terms)
      target.indices.push_back(term.name);
    target.box.first.push_back(subscript.constant());
    target.box.shape.push_back(count);
  }
  return target;
}

/// The only dimension along which the boxes differ, or that of one box: 0.
static llvm::Optional<size_t> axisOf(llvm::ArrayRef<Piece> pieces) {
  size_t axis = 0, differing = 0;
  for (size_t i = 0; i < pieces.front().box.first.size(); ++i) {
    bool isSame = llvm::all_of(pieces, [&](const Piece &piece) {
      return piece.box.first[i] == pieces.front().box.first[i] &&
             piece.box.shape[i] == pieces.front().box.shape[i];
    });
    if (isSame)
      continue;
    axis = i;
    ++differing;
  }
  return differing == (pieces.size() > 1) ? llvm::Optional<size_t>(axis) : llvm::None;
}

llvm::Optional<Value> emit::onnx::join(Model &model, std::vector<Piece> pieces,
                                       llvm::ArrayRef<int64_t> shape) {
  llvm::Optional<size_t> axis = axisOf(pieces);
  if (!axis)
    return llvm::None;
  if (shape.empty())
    return pieces.front().value;
  llvm::sort(pieces, [&](const Piece &a, const Piece &b) {
    return a.box.first[*axis] < b.box.first[*axis];
  });
  std::vector<Value> parts;
  int64_t end = 0; // of what is written along `axis`
  for (const Piece &piece : pieces) {
    int64_t first = piece.box.first[*axis];
    if (first < end)
      return llvm::None;
    int64_t next = first + piece.box.shape[*axis];
    bool isLast = parts.size() + 1 == pieces.size();
    parts.push_back(model.pad(piece.value, *axis, first - end, isLast ? shape[*axis] - next : 0));
    end = next;
  }
  Value whole = parts.front();
  if (parts.size() > 1) {
    Type type = whole.type;
    type.shape[*axis] = shape[*axis];
    whole = model.node("Concat", parts, std::move(type),
                       Attribute{"axis", static_cast<int64_t>(*axis)});
  }
  const Box &box = pieces.front().box;
  for (size_t i = 0; i < shape.size(); ++i)
    if (i != *axis)
      whole = model.pad(whole, i, box.first[i], shape[i] - box.first[i] - box.shape[i]);
  return whole;
}
