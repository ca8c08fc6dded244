// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/traces/Traces.h"
#include "frontend/import/trace/Trace.h"
#include "ir/common/diagnostics/Files.h"

using namespace perfc;

bool api::readTorchTrace(Context context, llvm::ArrayRef<std::string> files, const TraceOptions &,
                         std::string &declaration) {
  if (files.size() != 1) {
    context.diagnostics.report({}, diag::WrongArgumentCount, "import torch_trace", "one file");
    return false;
  }
  FileId file = loadOrReport(context.sources, files.front(), context.diagnostics);
  if (!file)
    return false;
  auto recorded = trace::readTrace(file, context.sources, context.diagnostics);
  auto written =
      recorded ? trace::writeTrace(*recorded, file, {}, context.diagnostics) : llvm::None;
  if (written)
    declaration = std::move(written->program);
  return written.hasValue();
}
