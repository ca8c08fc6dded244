// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/import/timeloop/ReadInput.h"
#include "frontend/import/timeloop/Templates.h"
#include "tools/driver/timeloop/Timeloop.h"

using namespace perfc;
using namespace perfc::driver;

std::unique_ptr<yaml::Document> driver::loadTimeloop(Session &session,
                                                     llvm::ArrayRef<std::string> paths) {
  std::vector<FileId> files;
  for (FileId file : session.loadAll(paths)) {
    files.push_back(timeloop::expandTemplates(file, session.sources, session.diagnostics));
    if (!files.back())
      return nullptr;
  }
  return files.empty() ? nullptr : timeloop::parseFiles(files, session.diagnostics);
}

bool driver::runTimeloop(Session &session, const Arguments &arguments) {
  std::unique_ptr<yaml::Document> document = loadTimeloop(session, arguments.files());
  if (!document)
    return true;
  if (!timeloop::hasMapping(*document))
    return searchTimeloop(session, arguments, *document);
  llvm::Optional<timeloop::Input> input = timeloop::readInput(*document, session.diagnostics);
  if (!input)
    return true;
  llvm::Optional<timeloop::Result> result = timeloop::evaluate(*input, session.diagnostics);
  if (!result)
    return true;
  if (!arguments.has("json")) {
    if (!session.isQuiet())
      printTimeloop(session, *input, *result);
    return true;
  }
  emit::Json json = timeloopJson(*input, *result);
  json.set("file", session.sources.path(document->file()));
  json.print(session.out);
  session.out << '\n';
  return true;
}
