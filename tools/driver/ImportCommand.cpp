// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// perfc import: a foreign description as a .perf program, formatted.
#include "api/OutputFile.h"
#include "frontend/sema/ModelFormats.h"
#include "frontend/syntax/Parser.h"
#include "ir/common/diagnostics/Files.h"
#include "ir/common/diagnostics/ScaleSim.h"
#include "tools/driver/Command.h"
#include "tools/driver/import/Format.h"
#include "llvm/ADT/StringExtras.h"

using namespace perfc;
using namespace perfc::api;
using namespace perfc::driver;

const ImportFormat *driver::findImportFormat(Session &session, llvm::StringRef text) {
  std::string name = text.str();
  std::replace(name.begin(), name.end(), '-', '_');
  std::vector<llvm::StringRef> names;
  for (const ImportFormat &format : importFormats()) {
    if (format.name == name)
      return &format;
    names.push_back(format.name);
  }
  session.diagnostics.report({}, diag::UnknownImportFormat, name)
      .help("it is one of " + llvm::join(names, ", "));
  return nullptr;
}

bool driver::readForeign(Session &session, const ImportFormat &format,
                         std::vector<std::string> files, const Arguments &arguments,
                         std::string &text) {
  for (llvm::StringRef hardware : arguments.values("hw"))
    files.push_back(hardware.str());
  if (files.size() >= format.minFiles && files.size() <= format.maxFiles)
    return format.read ? format.read(session, files, arguments, text)
                       : importModel(session, format, files, arguments, text);
  session.diagnostics.report({}, diag::WrongArgumentCount, "import " + format.name.str(),
                             format.files.str());
  return false;
}

bool driver::importFile(Session &session, const Arguments &arguments) {
  llvm::ArrayRef<std::string> files = arguments.files();
  // The name of a model alone says its format.
  const ModelFormat *model = files.size() == 1 ? modelFormatOf(files.front()) : nullptr;
  const ImportFormat *format =
      findImportFormat(session, model ? llvm::StringRef(model->name) : files.front());
  std::string text;
  if (!format ||
      !readForeign(session, *format, files.drop_front(model ? 0 : 1).vec(), arguments, text))
    return true;
  FileId file = session.sources.add("import " + format->name.str(), text);
  if (llvm::Optional<std::string> formatted =
          formatFile(session.sources, file, session.diagnostics))
    writeOutput(arguments.value("output", "-"), *formatted, {}, session.diagnostics);
  return true;
}
