// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Models that rows of a table describe, as programs: `.perf` text that is compiled and evaluated by
// the normal way, from which parameters and MACs are read.
#ifndef PERFC_TOOLS_DRIVER_VALIDATE_MODELTEXT_H
#define PERFC_TOOLS_DRIVER_VALIDATE_MODELTEXT_H

#include "tools/driver/validate/Kind.h"
#include "llvm/Support/JSON.h"

namespace perfc::driver {

/// What a program's evaluations came to, in the order of its statements; or why there is nothing.
struct ModelTotals {
  struct Total {
    int64_t parameters;
    int64_t macs;
  };
  std::vector<Total> totals;
  std::string problem;
};

/// `workload model() -> y0, y1, …`: layers that are told apart by their shapes alone, with all of
/// their results.
std::string layersText(llvm::ArrayRef<std::string> layers);

/// Evaluates `workload model(…)` of `text` for each argument list of `calls` ("T = 1, S = 2").
ModelTotals evaluateModel(const std::string &text, llvm::ArrayRef<std::string> calls);

/// The array `workloads` of a JSON file; `path` may be the folder of `fileName`. Nothing when it
/// cannot be read or is laid out differently (reported).
llvm::Optional<llvm::json::Array> readWorkloads(Session &session, llvm::StringRef path,
                                                llvm::StringRef fileName, llvm::StringRef kind);

/// A whole or real number under `key`; nothing for null and for what is no number.
llvm::Optional<Number> numberAt(const llvm::json::Object *object, llvm::StringRef key);
int64_t intAt(const llvm::json::Object *object, llvm::StringRef key, int64_t otherwise = 0);
bool flagAt(const llvm::json::Object *object, llvm::StringRef key);

} // namespace perfc::driver

#endif // PERFC_TOOLS_DRIVER_VALIDATE_MODELTEXT_H
