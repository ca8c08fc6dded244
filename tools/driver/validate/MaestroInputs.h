// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The layers that rows of a MAESTRO table name: files of MAESTRO's language beside the table, in
// its folder `inputs` or in its own. A row's dataflow D is in D.m or D_mappings.m; without one, or
// without such a file, the layer is looked for in all files.
#ifndef PERFC_TOOLS_DRIVER_VALIDATE_MAESTROINPUTS_H
#define PERFC_TOOLS_DRIVER_VALIDATE_MAESTROINPUTS_H

#include "frontend/import/maestro/MappingFile.h"
#include "tools/driver/Session.h"

namespace perfc::driver {

class MaestroInputs {
public:
  /// `table` is the path of the CSV file.
  explicit MaestroInputs(llvm::StringRef table);

  /// The layer of a row; null with a reason in `problem`.
  const dataflow::Layer *find(llvm::StringRef dataflow, llvm::StringRef layer,
                              std::string &problem);
  /// The `num_pes` that the tables beside this one give the layer; nothing when they give none, or
  /// several.
  llvm::Optional<int64_t> pesOf(llvm::StringRef layer) const;
  /// What is reported here concerns one row, not the command.
  DiagnosticEngine &diagnostics() { return session.diagnostics; }
  /// The last report, "file:line:column: message".
  std::string lastReport() const;

private:
  void readPes(llvm::StringRef folder);
  /// The layers of a file, read once; null when there is no such file.
  const maestro::MappingFile *read(const std::string &path);

  Session session;
  std::vector<std::string> folders;
  std::vector<std::string> allFiles;
  std::map<std::string, llvm::Optional<maestro::MappingFile>> known;
  llvm::StringMap<int64_t> pes; ///< 0 where tables differ
};

} // namespace perfc::driver

#endif // PERFC_TOOLS_DRIVER_VALIDATE_MAESTROINPUTS_H
