// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/driver/validate/JsonFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"

#include "ir/common/diagnostics/Files.h"

using namespace perfc;
using namespace perfc::driver;

void driver::reportBadTable(Session &session, llvm::StringRef path, llvm::StringRef kind,
                            llvm::StringRef reason) {
  session.diagnostics.report({session.sources.find(path), 0, 0}, diag::BadTable, path, kind,
                             reason);
}

llvm::Optional<llvm::json::Value> driver::readJsonFile(Session &session, llvm::StringRef path,
                                                       llvm::StringRef kind) {
  FileId id = session.load(path);
  if (!id)
    return llvm::None;
  JsonProblem problem;
  llvm::Optional<llvm::json::Value> document = parseJson(session.sources.text(id), problem);
  if (!document)
    session.diagnostics.report({id, problem.byte, problem.byte}, diag::BadTable, path, kind,
                               problem.reason);
  return document;
}

std::vector<std::string> driver::filesAt(Session &session, llvm::StringRef path,
                                         llvm::StringRef suffix, llvm::StringRef kind) {
  if (!llvm::sys::fs::is_directory(path))
    return {path.str()};
  std::vector<std::string> files;
  std::error_code error;
  llvm::sys::fs::directory_iterator end;
  for (llvm::sys::fs::directory_iterator it(path, error); !error && it != end; it.increment(error))
    if (llvm::StringRef(it->path()).endswith(suffix))
      files.push_back(it->path());
  llvm::sort(files);
  if (files.empty())
    reportBadTable(session, path, kind, ("the folder has no file that ends in " + suffix).str());
  return files;
}

llvm::Optional<Number> driver::numberOf(const llvm::json::Value *value) {
  if (!value)
    return llvm::None;
  if (llvm::Optional<int64_t> whole = value->getAsInteger())
    return Number(*whole);
  if (llvm::Optional<double> real = value->getAsNumber())
    return Number::fromReal(*real);
  return llvm::None;
}

std::vector<llvm::Optional<Number>> driver::numbersAt(const llvm::json::Object &object,
                                                      llvm::StringRef key) {
  std::vector<llvm::Optional<Number>> numbers;
  if (const llvm::json::Array *list = object.getArray(key))
    for (const llvm::json::Value &value : *list)
      numbers.push_back(numberOf(&value));
  return numbers;
}

std::string driver::problemOf(const DiagnosticEngine &diagnostics) {
  for (const Diagnostic &one : diagnostics.all())
    if (one.kind->severity == Severity::Error)
      return one.message;
  return "it has no result";
}
