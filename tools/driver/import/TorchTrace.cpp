// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Format torch_trace: a workload of each kind of call that PyTorch recorded, with the times that it
// measured beside.
#include "api/OutputFile.h"
#include "frontend/import/trace/Trace.h"
#include "ir/common/diagnostics/Files.h"
#include "tools/driver/import/Format.h"

using namespace perfc;
using namespace perfc::driver;

bool driver::importTorchTrace(Session &session, llvm::ArrayRef<std::string> files,
                              const Arguments &arguments, std::string &text) {
  FileId file = session.load(files.front());
  if (!file)
    return false;
  auto recorded = trace::readTrace(file, session.sources, session.diagnostics);
  trace::WriteOptions options;
  options.table = arguments.value("times").str();
  options.isStrict = arguments.has("strict");
  options.chip = arguments.value("on").str();
  if (!options.table.empty() && (options.chipModule = moduleOfChip(session, options.chip)).empty())
    return false;
  if (recorded && !recorded->isTimed && !options.table.empty()) {
    session.diagnostics.report({}, diag::BadOptionValue, "--times", options.table)
        .note("the trace has no times");
    return false;
  }
  auto written =
      recorded ? trace::writeTrace(*recorded, file, options, session.diagnostics) : llvm::None;
  if (!written)
    return false;
  text = std::move(written->program);
  return options.table.empty() ||
         api::writeOutput(options.table, written->table, {}, session.diagnostics);
}
