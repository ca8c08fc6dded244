// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What several operators of TensorFlow Lite have in common: images whose channels are last, and
// activations behind.
#ifndef PERFC_FRONTEND_IMPORT_TFLITE_EXPAND_H
#define PERFC_FRONTEND_IMPORT_TFLITE_EXPAND_H

#include "frontend/import/graph/Expander.h"

namespace perfc::tflite {

/// `value` [N, sides…, C] as [N, C, sides…], and back. Neither moves anything: only the text has
/// its ranks in another order.
int channelsFirst(graph::Expander &expander, int value);
int channelsLast(graph::Expander &expander, int value);
/// `value` behind the activation of the node.
int activated(graph::Expander &expander, int value);
/// The whole numbers of operand `index`; nothing where they are not known, and the node is left as
/// one that is not known.
llvm::Optional<graph::Shape> need(graph::Expander &expander, size_t index);
/// The same of numbers that depend on no parameter.
llvm::Optional<std::vector<int64_t>> needNumbers(graph::Expander &expander, size_t index);

llvm::ArrayRef<graph::ExpansionEntry> layerExpansions();
llvm::ArrayRef<graph::ExpansionEntry> layoutExpansions();
llvm::ArrayRef<graph::ExpansionEntry> otherExpansions();

} // namespace perfc::tflite

#endif // PERFC_FRONTEND_IMPORT_TFLITE_EXPAND_H
