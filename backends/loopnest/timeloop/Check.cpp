// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/timeloop/LoopList.h"

#include "ir/common/diagnostics/Timeloop.h"

using namespace perfc;
using namespace perfc::timeloop;

static constexpr unsigned maxDims = 64;

static bool checkMeshes(const Input &input, DiagnosticEngine &diagnostics) {
  for (unsigned memory = 0; memory < input.memories.size(); ++memory) {
    const Level &child = input.level(memory), &parent = input.memories[memory];
    if (child.meshX % parent.meshX == 0 && child.meshY % parent.meshY == 0)
      continue;
    diagnostics.report(
        child.place, diag::TimeloopMesh,
        fmt::format("the mesh of `{}`, {} x {}, is no multiple of that of `{}`, {} x {}",
                    child.name, child.meshX, child.meshY, parent.name, parent.meshX, parent.meshY));
    return false;
  }
  return true;
}

/// Where the innermost loops over `dim` are written, else the first directive with loops.
static SourceRange placeOfFactors(const Input &input, unsigned dim) {
  SourceRange place;
  for (const Placement &placement : input.placements)
    for (const Nest *nest : {&placement.spatial, &placement.temporal}) {
      if (nest->place.isValid() && nest->factors[dim].end > 1)
        return nest->place;
      if (nest->place.isValid() && !place.isValid())
        place = nest->place;
    }
  return place.isValid() ? place : input.place;
}

/// What the factors of one dimension cover, from the outermost loop inward.
static bool checkFactors(const Input &input, unsigned dim, DiagnosticEngine &diagnostics) {
  const std::string &name = input.problem.dims[dim];
  __int128 covered = 1;
  for (size_t memory = input.memories.size(); memory-- > 0;) {
    const Placement &placement = input.placements[memory];
    for (const Nest *nest : {&placement.temporal, &placement.spatial}) {
      const Factor &factor = nest->factors[dim];
      if (factor.residual < 1 || factor.residual > factor.end) {
        diagnostics.report(nest->place, diag::TimeloopFactor,
                           fmt::format("{}={},{}", name, factor.end, factor.residual),
                           fmt::format("the last pass does 1 to {}", factor.end));
        return false;
      }
      covered = (covered - 1) * factor.end + factor.residual;
      if (covered > (__int128(1) << 62)) {
        diagnostics.report(nest->place, diag::TimeloopCover, name, "more than 2^62",
                           input.problem.bounds[dim]);
        return false;
      }
    }
  }
  if (covered == input.problem.bounds[dim])
    return true;
  diagnostics
      .report(placeOfFactors(input, dim), diag::TimeloopCover, name,
              std::to_string(static_cast<int64_t>(covered)), input.problem.bounds[dim])
      .help("a factor of 0 stands for the whole dimension");
  return false;
}

static bool checkSpatial(const Input &input, DiagnosticEngine &diagnostics) {
  __int128 usedX = 1, usedY = 1;
  for (size_t memory = input.memories.size(); memory-- > 0;) {
    const Nest &nest = input.placements[memory].spatial;
    const Level &child = input.level(static_cast<unsigned>(memory));
    for (unsigned place = 0; place < nest.order.size(); ++place) {
      __int128 &used = place < nest.split ? usedX : usedY;
      int64_t factor = nest.factors[nest.order[place]].end;
      used *= factor;
      // Where lanes are skipped, what is left of an array has to fit (`skipLanes`).
      bool isSkipped = input.sparse.skipsLanes() &&
                       (factor == 1 || child.instances > input.memories[memory].instances);
      if (isSkipped || (usedX <= child.meshX && usedY <= child.meshY))
        continue;
      diagnostics.report(nest.place, diag::TimeloopMeshUse, child.name, child.meshX, child.meshY,
                         static_cast<int64_t>(std::min(usedX, __int128(1) << 62)),
                         static_cast<int64_t>(std::min(usedY, __int128(1) << 62)));
      return false;
    }
  }
  return true;
}

/// Tensors must have fewer than 2^53 elements, so that volumes and positions are exact.
static bool checkTensors(const Input &input, DiagnosticEngine &diagnostics) {
  for (const Space &space : input.problem.spaces) {
    double volume = 1;
    for (const std::vector<Term> &rank : space.ranks) {
      double extent = 1;
      for (const Term &term : rank)
        extent += std::abs(static_cast<double>(term.coefficient)) *
                  static_cast<double>(input.problem.bounds[term.dim]);
      volume *= extent;
    }
    if (volume >= exactLimit) {
      diagnostics.report(input.problem.place, diag::TimeloopTooLarge,
                         "the tensor `" + space.name + "` has 2^53 elements or more");
      return false;
    }
  }
  return true;
}

bool timeloop::checkShape(const Input &input, DiagnosticEngine &diagnostics) {
  if (input.dimCount() == 0 || input.dimCount() > maxDims || input.spaceCount() == 0 ||
      input.memories.empty()) {
    diagnostics.report(input.place, diag::TimeloopTooLarge,
                       fmt::format("a problem has 1 to {} dimensions and at least one tensor, an "
                                   "architecture at least one memory",
                                   maxDims));
    return false;
  }
  for (unsigned dim = 0; dim < input.dimCount(); ++dim)
    if (input.problem.bounds[dim] < 1) {
      diagnostics.report(input.problem.place, diag::TimeloopSize, input.problem.dims[dim],
                         input.problem.bounds[dim]);
      return false;
    }
  return checkMeshes(input, diagnostics) && checkTensors(input, diagnostics);
}

bool timeloop::checkInput(const Input &input, DiagnosticEngine &diagnostics) {
  if (!checkShape(input, diagnostics))
    return false;
  for (unsigned dim = 0; dim < input.dimCount(); ++dim)
    if (!checkFactors(input, dim, diagnostics))
      return false;
  return checkSpatial(input, diagnostics);
}
