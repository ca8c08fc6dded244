// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fourier transforms, DFT and STFT of ONNX.
#ifndef PERFC_FRONTEND_IMPORT_GRAPH_SPECTRA_H
#define PERFC_FRONTEND_IMPORT_GRAPH_SPECTRA_H

#include "frontend/import/graph/Writer.h"

namespace perfc::graph {

/// The dimension that a DFT goes along: an operand, from operator set 20 on, or an attribute.
/// Nothing after a report where there is none such.
llvm::Optional<size_t> fourierAxis(Inference &inference);
/// How many points it has: what its second operand says, or as many as there are.
Dim fourierLength(Inference &inference, size_t axis);

bool fourier(Writer &writer, const Op &op);
bool shortFourier(Writer &writer, const Op &op);

} // namespace perfc::graph

#endif // PERFC_FRONTEND_IMPORT_GRAPH_SPECTRA_H
