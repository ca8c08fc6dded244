// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/NestEpochs.h"

#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::loopnest;

static bool usesAgain(const Nest &nest, const Loop &loop, size_t tensor) {
  return llvm::none_of(loop.drives, [&](const Drive &drive) {
    return llvm::any_of(nest.tensors[tensor].ranks, [&](const Subscript &rank) {
      return llvm::any_of(rank.terms, [&](const Term &term) {
        return term.dim == drive.dim && term.coefficient != 0;
      });
    });
  });
}

Reuse loopnest::reuseAt(const Nest &nest, size_t position, size_t tensor) {
  Reuse result;
  for (size_t p = 0; p < nest.places.size(); ++p) {
    if (nest.places[p].kind != PlaceKind::Memory)
      continue;
    for (const Loop &loop : nest.places[p].loops) {
      if (loop.factor == 1)
        continue;
      bool again = usesAgain(nest, loop, tensor);
      if (!again && p >= position)
        return result;
      if (!again) {
        result.epochs *= result.rounds;
        result.rounds = 1;
      }
      (again ? result.rounds : result.epochs) *= static_cast<double>(loop.factor);
    }
  }
  return result;
}

int64_t loopnest::workingInstances(const Nest &nest, size_t position) {
  int64_t product = 1;
  for (size_t p = 0; p < position; ++p)
    if (nest.places[p].kind == PlaceKind::Array)
      for (const Loop &loop : nest.places[p].loops)
        product *= loop.factor;
  return product;
}
