// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The goal of a search as a plain function of energy and latency: metric expressions are walked
// once, and what depends on neither is a number. A search evaluates it millions of times.
#ifndef PERFC_BACKENDS_MAPPER_GOALFUNCTION_H
#define PERFC_BACKENDS_MAPPER_GOALFUNCTION_H

#include "backends/emit/MetricExpression.h"
#include "backends/loopnest/search/MappingEvaluator.h"

namespace perfc::mapper {

using GoalFunction = std::function<double(const loopnest::Score &)>;
/// The value of an expression for a program of some energy and latency; nothing when it has none.
using GoalProbe = std::function<llvm::Optional<double>(const ir::Attribute &, loopnest::Score)>;

/// `expr` as a function, with `module` for the metrics that the file defines. Null when some part
/// is neither arithmetic nor independent of energy and latency.
GoalFunction compileGoal(const ir::Attribute &expr, const ir::Module *module,
                         const GoalProbe &probe, loopnest::Score around);

/// Whether `expr` is a power above 0 of energy * latency, times a number: over sums it is best
/// where that product is.
bool isPowerOfProduct(const ir::Attribute &expr, const ir::Module *module, const GoalProbe &probe,
                      loopnest::Score around);

} // namespace perfc::mapper

#endif // PERFC_BACKENDS_MAPPER_GOALFUNCTION_H
