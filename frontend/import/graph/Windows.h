// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The windows of a convolution or pool along each side of its images.
#ifndef PERFC_FRONTEND_IMPORT_GRAPH_WINDOWS_H
#define PERFC_FRONTEND_IMPORT_GRAPH_WINDOWS_H

#include "frontend/import/graph/Inference.h"

namespace perfc::graph {

struct Windows {
  std::vector<int64_t> kernel, strides, dilations, before, after;
  bool ceils = false;  ///< a last window that is not whole counts
  bool isSame = false; ///< as many windows as strides fit
};

/// The windows that the attributes of an operation on operand 0 name; nothing with a reason.
llvm::Optional<Windows> windowsOf(Inference &inference, llvm::ArrayRef<int64_t> kernel);
/// How many windows fit along `side`, of images of `extent` there.
Dim windowCount(Dims &dims, const Windows &windows, size_t side, const Dim &extent);

} // namespace perfc::graph

#endif // PERFC_FRONTEND_IMPORT_GRAPH_WINDOWS_H
