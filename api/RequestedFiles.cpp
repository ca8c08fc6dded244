// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/RequestedFiles.h"

#include "api/Emitted.h"
#include "api/OutputFile.h"
#include "api/RunDocument.h"
#include "ir/common/diagnostics/Evaluation.h"
#include "ir/common/diagnostics/Files.h"
#include "llvm/Support/xxhash.h"

using namespace perfc;
using namespace perfc::api;

void RequestedFiles::write(const Evaluated &evaluated, study::EmitOp request) {
  const emit::Emitter *emitter = emit::findEmitter(request.format());
  if (!emitter) {
    context.diagnostics
        .report(request->range(), diag::NotSupportedYet, "emit " + request.format().str())
        .help(knownFormats());
    return;
  }
  if (printsJson && request.path() == "-") {
    if (request.format() != "json") // it is there already
      context.diagnostics.report(request->range(), diag::CannotWrite, "-",
                                 "standard output has the document of `--json`");
    return;
  }
  emit::Input input{evaluated.results, &evaluated.module, context.sources, &context.diagnostics};
  llvm::StringRef from = request->stringAttr("from");
  if (!from.empty()) {
    input.results = evaluation.named(from);
    if (input.results.empty()) {
      context.diagnostics.report(request->range(), diag::UnknownResult, from.str());
      return;
    }
  } else if (input.results.empty()) {
    for (const emit::Result &result : evaluation.results())
      input.results.push_back(&result);
  }
  bool isOfResults =
      emitter->needsResults && emitter->write && (emitter->files || !request.path().endswith("/"));
  if (evaluated.point && isOfResults) {
    auto [known, isNew] = ofPoints.insert({request.path().str(), {emitter, request->range(), {}}});
    known->second.results.insert(input.results.begin(), input.results.end());
    known->second.isShared |= !isNew;
    if (!isNew)
      return;
  }
  if (isOfResults) {
    input.findings = findingsJson(evaluation);
    writeEmitted(*emitter, input, request.path(), request->range());
    return;
  }
  writeEmitted(*emitter, input, request.path(), request->range(),
               [&](const std::string &path, llvm::StringRef text) {
                 return writeOnce(path, text, request->range());
               });
}

bool RequestedFiles::writeOnce(const std::string &path, llvm::StringRef text, SourceRange place) {
  auto [known, isNew] = ofPrograms.try_emplace(path, llvm::xxHash64(text));
  if (isNew || path == "-")
    return writeOutput(path, text, place, context.diagnostics);
  if (known->second == llvm::xxHash64(text))
    return true;
  if (refused.insert(path).second)
    context.diagnostics
        .report(place, diag::CannotWrite, path, "it has what was written there before")
        .help("a path may hold what a sweep sets: `emit onnx \"net_{n}.onnx\"`");
  return false;
}

void RequestedFiles::write(const Evaluated &evaluated) {
  if (auto request = ir::as<study::EmitOp>(evaluated.op))
    return write(evaluated, request);
  if (evaluated.op.regionCount() == 0)
    return;
  for (const ir::Operation &op : evaluated.op.body())
    if (auto request = ir::as<study::EmitOp>(op))
      write(evaluated, request);
}

void RequestedFiles::finish() {
  for (const auto &[path, file] : ofPoints)
    if (file.isShared)
      writeEmitted(*file.emitter,
                   {file.results.getArrayRef().vec(), nullptr, context.sources,
                    &context.diagnostics, findingsJson(evaluation)},
                   path, file.place);
}
