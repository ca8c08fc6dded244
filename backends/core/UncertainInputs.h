// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Uncertain inputs of what is played or simulated. An evaluation adds contributions up as it adds
// costs (ir/common/Uncertain.h); a schedule of stages or a queue of requests has no derivative, so
// these run once more at both ends of each source's interval, everything else at its centre.
#ifndef PERFC_BACKENDS_CORE_UNCERTAININPUTS_H
#define PERFC_BACKENDS_CORE_UNCERTAININPUTS_H

#include "backends/core/Outcome.h"
#include "ir/common/Diagnostics.h"
#include "ir/core/Module.h"

namespace perfc {

/// An end of the interval of a source.
struct UncertainEnd {
  UncertaintySource source;
  double sign; ///< 1 for the upper one, -1 for the lower one
  enum class Moves : uint8_t {
    Kernels, ///< costs of kernels, in any way
    /// Times and energies of kernels of libraries alone, in proportion, and what a runtime says of
    /// all that is measured: costs of the centre have what it moves.
    MeasuredKernels,
    BesideKernels ///< no cost of a kernel: networks between chips, words of a statement
  };
  Moves moves;
};

/// What `evaluate` makes of `statement` in `module`, with `Outcome::ends` for each source that the
/// statement or what it runs (all that is no statement) depends on. At the centre its energy has
/// what each source moves it by. An end at which a positive
/// figure would not be positive, or at which `evaluate`, which gets null at the centre, reports an
/// error, is left out with a note in the result. `slim` takes out of an outcome at an end what no
/// metric asks for, beside its breakdown. Attributes move meanwhile and are as before in the end.
/// Nothing when `evaluate` fails at the centre.
llvm::Optional<Outcome>
withEnds(ir::Module &module, ir::Operation &statement, DiagnosticEngine &diagnostics,
         llvm::function_ref<llvm::Optional<Outcome>(const UncertainEnd *)> evaluate,
         llvm::function_ref<void(Outcome &)> slim = nullptr);

} // namespace perfc

#endif // PERFC_BACKENDS_CORE_UNCERTAININPUTS_H
