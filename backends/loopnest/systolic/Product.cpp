// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/systolic/Product.h"

#include "backends/loopnest/analysis/Checked.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::loopnest;

static bool uses(const Tensor &tensor, unsigned dim) {
  return llvm::any_of(tensor.ranks, [&](const Subscript &rank) {
    return llvm::any_of(rank.terms,
                        [&](const Term &term) { return term.dim == dim && term.coefficient != 0; });
  });
}

namespace {

/// Positions that one subscript takes.
struct RankExtent {
  int64_t points = 1;   ///< settings of its indices
  int64_t inside = 1;   ///< of these, inside the tensor
  int64_t distinct = 1; ///< different positions among them
};

} // namespace

/// Visits every setting where that is cheap; else all are taken to be inside and different up to
/// the extent.
static llvm::Optional<RankExtent> extentOf(const Nest &nest, const Subscript &rank) {
  constexpr int64_t mostPoints = int64_t(1) << 20;
  Checked points = 1, low = rank.constant, high = rank.constant;
  for (const Term &term : rank.terms) {
    points *= nest.dims[term.dim].size;
    Checked reach = Checked(nest.dims[term.dim].size - 1) * term.coefficient;
    (term.coefficient < 0 ? low : high) += reach;
  }
  if ((points + high - low).overflowed())
    return llvm::None;
  RankExtent result;
  result.points = result.inside = points.value();
  int64_t span = high.value() - low.value() + 1;
  result.distinct = std::min(points.value(), span);
  if (rank.extent)
    result.distinct = std::min(result.distinct, *rank.extent);
  if (points.value() > mostPoints || span > mostPoints)
    return result;
  std::vector<bool> seen(static_cast<size_t>(span), false);
  llvm::SmallVector<int64_t, 4> at(rank.terms.size(), 0);
  result.inside = result.distinct = 0;
  for (int64_t number = 0; number < result.points; ++number) {
    int64_t position = rank.constant, rest = number;
    for (const Term &term : rank.terms) {
      position += rest % nest.dims[term.dim].size * term.coefficient;
      rest /= nest.dims[term.dim].size;
    }
    if (rank.extent && (position < 0 || position >= *rank.extent))
      continue;
    ++result.inside;
    auto slot = static_cast<size_t>(position - low.value());
    result.distinct += !seen[slot];
    seen[slot] = true;
  }
  return result;
}

static bool describe(const Nest &nest, unsigned tensor, ProductOperand &operand) {
  operand.tensor = tensor;
  Checked words = 1;
  for (const Subscript &rank : nest.tensors[tensor].ranks) {
    llvm::Optional<RankExtent> extent = extentOf(nest, rank);
    if (!extent)
      return false;
    words *= extent->distinct;
    operand.inside *= static_cast<double>(extent->inside) /
                      static_cast<double>(std::max<int64_t>(1, extent->points));
  }
  operand.words = words.value();
  return !words.overflowed();
}

/// Finds the tensors: the output, and the two inputs with the weight as the right one.
static bool findOperands(const Nest &nest, llvm::ArrayRef<bool> weights, unsigned &input,
                         unsigned &weight, unsigned &output) {
  llvm::SmallVector<unsigned, 2> inputs;
  bool hasOutput = false;
  for (unsigned t = 0; t < nest.tensors.size(); ++t)
    if (!nest.tensors[t].isOutput) {
      inputs.push_back(t);
    } else {
      output = t;
      hasOutput = true;
    }
  if (inputs.size() != 2 || !hasOutput)
    return false;
  bool swap = weights[inputs[0]] && !weights[inputs[1]];
  input = inputs[swap];
  weight = inputs[!swap];
  return true;
}

llvm::Optional<Product> loopnest::findProduct(const Nest &nest, llvm::ArrayRef<bool> weights) {
  unsigned input = 0, weight = 0, output = 0;
  if (!findOperands(nest, weights, input, weight, output))
    return llvm::None;
  Checked m = 1, n = 1, k = 1, batches = 1;
  bool inputShared = true, weightShared = true;
  for (unsigned d = 0; d < nest.dims.size(); ++d) {
    int64_t size = nest.dims[d].size;
    if (size == 1)
      continue;
    bool left = uses(nest.tensors[input], d), right = uses(nest.tensors[weight], d);
    bool out = uses(nest.tensors[output], d);
    if (left && right && out) {
      batches *= size;
      inputShared = weightShared = false;
    } else if (left && out) {
      m *= size;
    } else if (right && out) {
      n *= size;
    } else if (left && right) {
      k *= size;
    } else {
      return llvm::None;
    }
  }
  Product product;
  product.gemm = {m.value(), n.value(), k.value()};
  product.batches = batches.value();
  if ((m * n * k * batches).overflowed() || !describe(nest, input, product.input) ||
      !describe(nest, weight, product.weight) || !describe(nest, output, product.output))
    return llvm::None;
  product.input.isShared = inputShared;
  product.weight.isShared = weightShared;
  product.output.isShared = false;
  return product;
}
