// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/driver/timeloop/Timeloop.h"
#include "backends/loopnest/timeloop/LoopList.h"
#include "frontend/import/timeloop/ReadConstraints.h"
#include "frontend/import/timeloop/ReadInput.h"
#include "frontend/import/timeloop/WritePerf.h"
#include "tools/driver/import/Format.h"

using namespace perfc;
using namespace perfc::driver;

/// An input without a mapping becomes a search.
static llvm::Optional<std::string> searchText(const yaml::Document &document,
                                              DiagnosticEngine &diagnostics) {
  timeloop::ReadOptions options;
  options.needsMapping = false;
  llvm::Optional<timeloop::Input> input = timeloop::readInput(document, diagnostics, options);
  if (!input || !timeloop::checkShape(*input, diagnostics))
    return llvm::None;
  auto constraints = timeloop::readConstraints(document, *input, diagnostics);
  return constraints ? timeloop::writeSearch(*input, *constraints, diagnostics) : llvm::None;
}

bool driver::importTimeloop(Session &session, llvm::ArrayRef<std::string> files,
                            const Arguments & /*arguments*/, std::string &text) {
  auto document = loadTimeloop(session, files);
  if (!document)
    return false;
  llvm::Optional<std::string> program;
  if (!timeloop::hasMapping(*document)) {
    program = searchText(*document, session.diagnostics);
  } else {
    llvm::Optional<timeloop::Input> input = timeloop::readInput(*document, session.diagnostics);
    if (!input || !timeloop::checkInput(*input, session.diagnostics))
      return false;
    program = timeloop::writePerf(*input, session.diagnostics);
  }
  if (program)
    text = std::move(*program);
  return program.hasValue();
}
