// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What MAESTRO would be told about a kernel with a dataflow on a chip: a convolution, a depthwise
// one or a matrix product, its directives in MAESTRO's letters, and the properties of the chip that
// MAESTRO knows. MAESTRO's model and the writer of its files start from here.
#ifndef PERFC_PASSES_DATAFLOWLAYER_H
#define PERFC_PASSES_DATAFLOWLAYER_H

#include "ir/common/Diagnostics.h"
#include "ir/loopnest/Dataflow.h"
#include "ir/loopnest/LoopnestOps.h"
#include "ir/target/TargetOps.h"

namespace perfc {
namespace passes {

/// The tensors of the layer as the kernel calls them.
struct LayerTensors {
  std::string input, filter, output;
  double inputBytes = 0; ///< of an element of the input
};

/// The layer that `dataflow` maps; its name is the kernel's. Nothing when it is none of MAESTRO's
/// types or a directive has no counterpart (reported).
llvm::Optional<dataflow::Layer> layerOf(loopnest::DataflowOp dataflow, LayerTensors &tensors,
                                        DiagnosticEngine &diagnostics);

/// The layer that `nest` runs, without directives; for `tool`, which is the one that cannot express
/// what is none (reported).
llvm::Optional<dataflow::Layer> layerOf(loopnest::NestOp nest, llvm::StringRef tool,
                                        LayerTensors &tensors, DiagnosticEngine &diagnostics);

/// The chip as MAESTRO sees it: PEs are the elements of its array, bandwidths are those of the
/// memory around the array and of the outermost memory, in words of `bytes`. What is not given does
/// not limit. Nothing when the chip is no such accelerator (reported at `where`).
llvm::Optional<dataflow::Hardware> hardwareOf(target::ChipOp chip, double bytes, SourceRange where,
                                              DiagnosticEngine &diagnostics);

} // namespace passes
} // namespace perfc

#endif // PERFC_PASSES_DATAFLOWLAYER_H
