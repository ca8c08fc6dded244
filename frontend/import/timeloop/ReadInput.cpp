// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/import/timeloop/ReadInput.h"

#include "frontend/import/timeloop/Sections.h"

using namespace perfc;
using namespace perfc::timeloop;

llvm::Optional<Input> timeloop::readInput(const yaml::Document &document,
                                          DiagnosticEngine &diagnostics, ReadOptions options) {
  yaml::NodeReader reader(diagnostics);
  const yaml::Node &root = *document.root();
  Input input;
  input.place = {document.file(), root.place.begin, root.place.begin};
  auto section = [&](llvm::StringRef key) { return reader.need(root, key, "a Timeloop input"); };
  const yaml::Node *architecture = section("architecture");
  const yaml::Node *energies = architecture ? section("ERT") : nullptr;
  const yaml::Node *problem = energies ? section("problem") : nullptr;
  if (!problem || !readArchitecture(*architecture, input, reader) ||
      !readEnergies(*energies, input, reader) || !readProblem(*problem, input, reader))
    return llvm::None;
  input.placements = emptyPlacements(input);
  if (options.needsMapping || root.find("mapping")) {
    const yaml::Node *mapping = section("mapping");
    if (!mapping || !readMapping(*mapping, input, reader))
      return llvm::None;
  }
  if (!readSparse(root, input, reader))
    return llvm::None;
  return input;
}

llvm::Optional<Input> timeloop::readInput(llvm::ArrayRef<FileId> files,
                                          DiagnosticEngine &diagnostics, ReadOptions options) {
  std::unique_ptr<yaml::Document> document = yaml::parse(files, diagnostics);
  if (!document)
    return llvm::None;
  return readInput(*document, diagnostics, options);
}
