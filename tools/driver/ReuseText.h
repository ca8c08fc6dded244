// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `perfc explain FILE --reuse TENSOR@MEMORY`: of each loop nest that runs, how the memory uses the
// tensor again, as relations and with a sentence for each loop.
#ifndef PERFC_TOOLS_DRIVER_REUSETEXT_H
#define PERFC_TOOLS_DRIVER_REUSETEXT_H

#include "backends/emit/Json.h"
#include "backends/loopnest/NestAdapter.h"
#include "backends/loopnest/analysis/FlatNest.h"
#include "ir/core/Module.h"
#include "tools/driver/Session.h"
#include "llvm/ADT/StringSet.h"
#include <set>

namespace perfc::driver {

class ReuseText {
public:
  /// `wanted` is TENSOR@MEMORY, where results have no number: `I@GLB`.
  ReuseText(Session &session, llvm::StringRef wanted, bool asJson)
      : session(session), wanted(wanted), asJson(asJson) {}

  /// Prints about the nests of `module` that keep the tensor in the memory, each once; as JSON,
  /// they are collected.
  void print(const ir::Module &module);
  /// Reports where there was nothing; as JSON, prints the document (docs/output.md).
  void finish(llvm::StringRef file);

private:
  void printNest(loopnest::NestOp nest, target::ChipOp chip);
  void printTensor(loopnest::NestOp nest, const loopnest::FlatNest &flat, loopnest::TensorOp tensor,
                   unsigned memory, unsigned number);

  Session &session;
  passes::NormalForms forms;
  llvm::StringRef wanted;
  bool asJson;
  emit::Json documents = emit::Json::array();
  llvm::StringSet<> printed;
  std::set<std::string> others; ///< tensors in memories, as one could ask for them
  bool isAny = false;
};

} // namespace perfc::driver

#endif // PERFC_TOOLS_DRIVER_REUSETEXT_H
