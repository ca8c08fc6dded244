// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/import/maestro/MappingFile.h"

#include "frontend/import/maestro/LayerReader.h"
#include "ir/common/diagnostics/Maestro.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::maestro;

const dataflow::Layer *MappingFile::find(llvm::StringRef name) const {
  auto found =
      llvm::find_if(layers, [&](const dataflow::Layer &layer) { return layer.name == name; });
  return found == layers.end() ? nullptr : &*found;
}

namespace {

class MappingReader {
public:
  MappingReader(FileId file, DiagnosticEngine &diagnostics) : reader(diagnostics, file) {}

  llvm::Optional<MappingFile> run();

private:
  bool constant();
  bool network();
  void layer();

  TokenReader reader;
  Constants constants;
  MappingFile result;
};

} // namespace

bool MappingReader::constant() {
  llvm::Optional<Token> name = reader.word("the name of a constant");
  if (!name)
    return false;
  llvm::Optional<int64_t> value = readSize(reader, constants);
  if (!value)
    return false;
  if (constants.try_emplace(name->text, *value).second)
    return true;
  reader.diagnostics.report(name->range, diag::DataflowGivenTwice, name->text);
  return false;
}

void MappingReader::layer() {
  llvm::Optional<dataflow::Layer> layer =
      readLayer(reader, constants, result.layers.empty() ? nullptr : &result.layers.back());
  if (layer)
    result.layers.push_back(std::move(*layer));
}

bool MappingReader::network() {
  llvm::Optional<Token> name = reader.word("the name of the network");
  if (!name || !reader.expect("{"))
    return false;
  if (result.network.empty())
    result.network = name->text.str();
  if (reader.peek().text != "Layer") {
    reader.reportExpected("`Layer`");
    return false;
  }
  while (reader.skip("Layer"))
    layer();
  return reader.expect("}");
}

llvm::Optional<MappingFile> MappingReader::run() {
  while (!reader.peek().isEnd()) {
    bool good = false;
    if (reader.skip("Constant"))
      good = constant();
    else if (reader.skip("Network"))
      good = network();
    else
      reader.reportExpected("`Network` or `Constant`");
    if (!good)
      return llvm::None;
  }
  if (!result.network.empty())
    return std::move(result);
  reader.reportExpected("`Network`");
  return llvm::None;
}

llvm::Optional<MappingFile> maestro::readMappingFile(FileId file, DiagnosticEngine &diagnostics) {
  return MappingReader(file, diagnostics).run();
}
