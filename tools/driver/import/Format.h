// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `perfc import FORMAT FILE…`: a foreign description becomes a readable .perf program. A format is
// one file here and one line in Formats.cpp.
#ifndef PERFC_TOOLS_DRIVER_IMPORT_FORMAT_H
#define PERFC_TOOLS_DRIVER_IMPORT_FORMAT_H

#include "tools/driver/Session.h"

namespace perfc::driver {

/// Writes the program to `text`, which is formatted afterwards. False when a file is wrong
/// (reported).
using ReadForeign = bool(Session &session, llvm::ArrayRef<std::string> files,
                         const Arguments &arguments, std::string &text);

struct ImportFormat {
  llvm::StringLiteral name;
  llvm::StringLiteral files; ///< what it reads: "CFG TOPOLOGY.csv"
  llvm::StringLiteral summary;
  unsigned minFiles, maxFiles;
  ReadForeign *read; ///< null for formats of models (frontend/sema/ModelFormats.h)
};

llvm::ArrayRef<ImportFormat> importFormats();
/// The format `text`, in which `-` is accepted for `_`; null when there is none (reported).
const ImportFormat *findImportFormat(Session &session, llvm::StringRef text);
/// Writes the program that `files`, and the one after `--hw`, are. False after a report.
bool readForeign(Session &session, const ImportFormat &format, std::vector<std::string> files,
                 const Arguments &arguments, std::string &text);

/// The module of the library that declares `chip`, the value of `--on`; "" after a report.
std::string moduleOfChip(Session &session, llvm::StringRef chip);
/// The program that evaluates the model at `path` on the chip of `--on`; 0 after a report.
FileId loadModelProgram(Session &session, llvm::StringRef path, const Arguments &arguments);

/// What `format`, one of models, reads.
bool importModel(Session &session, const ImportFormat &format, llvm::ArrayRef<std::string> files,
                 const Arguments &arguments, std::string &text);

// The other formats, one file each.
ReadForeign importAstraSim, importChakra, importMaestro, importScaleSim, importTorchTrace,
    importTimeloop;

} // namespace perfc::driver

#endif // PERFC_TOOLS_DRIVER_IMPORT_FORMAT_H
