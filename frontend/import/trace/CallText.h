// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a call of an operator of PyTorch is in the language.
#ifndef PERFC_FRONTEND_IMPORT_TRACE_CALLTEXT_H
#define PERFC_FRONTEND_IMPORT_TRACE_CALLTEXT_H

#include "frontend/import/trace/Trace.h"
#include <set>

namespace perfc::trace {

/// The statements of a workload, and what they need.
struct CallText {
  std::string body;
  std::vector<std::string> results;
  std::set<std::string> modules; ///< of std.ops
  std::string traffic; ///< the op of the program that it calls: what is read, "e" for each tensor
                       ///< with as many elements as the result and "o" for each other
  bool isKnown = true;
};

/// The call as ops of the library; nothing for another, or where calls inside say it better.
llvm::Optional<CallText> libraryCall(const Call &call);
/// The call by its elements and bytes; nothing where it has no tensors.
llvm::Optional<CallText> byBytes(const Call &call);
/// True of an operator that only says how elements are seen, or hands on to others.
bool movesNothing(llvm::StringRef op);
/// How many elements a tensor of `dims` has; 0 where no number of 64 bits says it.
int64_t elementsOf(llvm::ArrayRef<int64_t> dims);
/// `aten::add_` as `add`.
llvm::StringRef plainName(llvm::StringRef op);

} // namespace perfc::trace

#endif // PERFC_FRONTEND_IMPORT_TRACE_CALLTEXT_H
