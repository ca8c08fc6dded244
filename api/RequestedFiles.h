// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The files that the `emit` statements of a program ask for.
#ifndef PERFC_API_REQUESTEDFILES_H
#define PERFC_API_REQUESTEDFILES_H

#include "api/Evaluation.h"
#include "backends/emit/Emit.h"
#include "llvm/ADT/SetVector.h"
#include <map>
#include <set>

namespace perfc::api {

class RequestedFiles {
public:
  /// With `printsJson`, standard output has the document of all results.
  RequestedFiles(Context context, const Evaluation &evaluation, bool printsJson)
      : context(context), evaluation(evaluation), printsJson(printsJson) {}

  /// Writes what the statement asks for; formats of later versions are reported.
  void write(const Evaluated &evaluated);
  /// Points of a sweep that name one path share its file, with the results of all of them: writes
  /// those files again.
  void finish();

private:
  /// A file of results that a point of a sweep has written, and those of later points.
  struct OfPoints {
    const emit::Emitter *emitter;
    SourceRange place;
    llvm::SetVector<const emit::Result *> results; ///< points may ask for the same ones
    bool isShared = false;
  };

  void write(const Evaluated &evaluated, study::EmitOp request);
  /// Writes a file of one program; what another one has written there stays (reported once).
  bool writeOnce(const std::string &path, llvm::StringRef text, SourceRange place);

  Context context;
  const Evaluation &evaluation;
  bool printsJson;
  std::map<std::string, OfPoints> ofPoints;   ///< by path
  std::map<std::string, uint64_t> ofPrograms; ///< what was written, by path
  std::set<std::string> refused;
};

} // namespace perfc::api

#endif // PERFC_API_REQUESTEDFILES_H
