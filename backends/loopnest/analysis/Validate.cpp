// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/analysis/Validate.h"
#include "backends/loopnest/analysis/Checked.h"

using namespace perfc;
using namespace perfc::loopnest;
using Kind = AnalysisErrorKind;
using Errors = std::vector<AnalysisError>;

static void checkTensors(const Nest &nest, Errors &errors) {
  int64_t outputs = 0;
  for (const Tensor &tensor : nest.tensors) {
    outputs += tensor.isOutput;
    for (const Subscript &rank : tensor.ranks) {
      if (rank.extent && *rank.extent < 1)
        errors.push_back({Kind::BadSize, tensor.name, "", *rank.extent});
      for (const Term &term : rank.terms)
        if (term.dim >= nest.dims.size())
          errors.push_back({Kind::BadReference, tensor.name, "", int64_t(term.dim)});
    }
  }
  if (outputs != 1)
    errors.push_back({Kind::OneOutput, "", "", outputs});
}

static void checkLoop(const Nest &nest, const Place &place, const Loop &loop, Errors &errors) {
  bool array = place.kind == PlaceKind::Array;
  llvm::SmallVector<bool, 8> driven(nest.dims.size(), false);
  std::string name;
  for (const Drive &drive : loop.drives) {
    if (drive.dim >= nest.dims.size()) {
      errors.push_back({Kind::BadReference, place.name, place.name, int64_t(drive.dim)});
      continue;
    }
    name = name.empty() ? nest.dims[drive.dim].name : name;
    if (driven[drive.dim])
      errors.push_back({Kind::DuplicateDrive, nest.dims[drive.dim].name, place.name});
    driven[drive.dim] = true;
  }
  if (loop.factor < 1)
    errors.push_back({Kind::BadFactor, name, place.name, loop.factor});
  if (!array && loop.drives.size() > 1)
    errors.push_back({Kind::SeveralInTime, name, place.name});
  if (loop.drives.empty() || (array && loop.axis >= place.axes.size()))
    errors.push_back({Kind::BadReference, place.name, place.name, int64_t(loop.axis)});
}

static void checkPlaces(const Nest &nest, Errors &errors) {
  if (nest.places.empty() || nest.places.front().kind != PlaceKind::Memory) {
    errors.push_back({Kind::NoMemory, "", ""});
    return;
  }
  llvm::SmallVector<bool, 8> kept(nest.tensors.size(), false);
  for (unsigned tensor : nest.places.front().keep)
    if (tensor < kept.size())
      kept[tensor] = true;
  for (unsigned t = 0; t < kept.size(); ++t)
    if (!kept[t])
      errors.push_back({Kind::OuterKeep, nest.tensors[t].name, nest.places.front().name});
  for (const Place &place : nest.places) {
    for (unsigned tensor : place.keep)
      if (tensor >= nest.tensors.size())
        errors.push_back({Kind::BadReference, place.name, place.name, int64_t(tensor)});
    for (const Axis &axis : place.axes)
      if (axis.size < 1)
        errors.push_back({Kind::BadSize, axis.name, place.name, axis.size});
    for (const Loop &loop : place.loops)
      checkLoop(nest, place, loop, errors);
  }
}

void loopnest::checkStructure(const Nest &nest, Errors &errors) {
  for (const Dim &dim : nest.dims)
    if (dim.size < 1)
      errors.push_back({Kind::BadSize, dim.name, "", dim.size});
  checkTensors(nest, errors);
  checkPlaces(nest, errors);
}

/// The factors of `dim`, outermost first, without ones.
static llvm::SmallVector<int64_t, 8> loopFactors(const Nest &nest, unsigned dim) {
  llvm::SmallVector<int64_t, 8> factors;
  for (const Place &place : nest.places)
    for (const Loop &loop : place.loops)
      for (const Drive &drive : loop.drives)
        if (drive.dim == dim && !drive.step && loop.factor != 1)
          factors.push_back(loop.factor);
  return factors;
}

static void checkDim(const Nest &nest, unsigned dim, Errors &errors) {
  llvm::SmallVector<int64_t, 8> factors = loopFactors(nest, dim);
  Checked inner = 1;
  for (unsigned i = 1; i < factors.size(); ++i)
    inner *= factors[i];
  int64_t outer = factors.empty() ? 1 : factors.front();
  Checked covered = inner * Checked(outer);
  const Dim &d = nest.dims[dim];
  if (covered.overflowed())
    errors.push_back({Kind::Overflow, d.name, ""});
  else if (covered.value() < d.size)
    errors.push_back({Kind::Uncovered, d.name, "", covered.value(), d.size});
  else if (int64_t start = (outer - 1) * inner.value(); start >= d.size)
    errors.push_back({Kind::Excess, d.name, "", start, d.size});
}

static void checkAxes(const Place &place, Errors &errors) {
  for (unsigned axis = 0; axis < place.axes.size(); ++axis) {
    Checked used = 1;
    for (const Loop &loop : place.loops)
      if (loop.axis == axis)
        used *= loop.factor;
    const Axis &a = place.axes[axis];
    if (used.overflowed())
      errors.push_back({Kind::Overflow, a.name, place.name});
    else if (used.value() > a.size)
      errors.push_back({Kind::AxisTooSmall, a.name, place.name, used.value(), a.size});
  }
}

/// Values of subscripts, also of loops with steps of their own, must leave room for differences.
static void checkRange(const Nest &nest, Errors &errors) {
  for (const Tensor &tensor : nest.tensors)
    for (const Subscript &rank : tensor.ranks) {
      Checked range = rank.constant < 0 ? Checked(0) - Checked(rank.constant) : rank.constant;
      for (const Term &term : rank.terms) {
        Checked c = term.coefficient < 0 ? Checked(0) - Checked(term.coefficient)
                                         : Checked(term.coefficient);
        range += c * Checked(nest.dims[term.dim].size);
      }
      if ((range * Checked(4)).overflowed())
        errors.push_back({Kind::Overflow, tensor.name, ""});
    }
}

void loopnest::checkCoverage(const Nest &nest, Errors &errors) {
  for (unsigned dim = 0; dim < nest.dims.size(); ++dim)
    checkDim(nest, dim, errors);
  for (const Place &place : nest.places)
    checkAxes(place, errors);
  checkRange(nest, errors);
}
