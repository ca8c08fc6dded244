// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `perfc validate KIND PATH`: a table of reference figures is read, perfc predicts each row from
// what the row describes (never from its figures), and the agreement is printed. Kinds are programs
// of stdlib/validate; one that compares counts with a tool's own files is one file here and one
// line in Kinds.cpp.
#ifndef PERFC_TOOLS_DRIVER_VALIDATE_KIND_H
#define PERFC_TOOLS_DRIVER_VALIDATE_KIND_H

#include "api/Agreement.h"
#include "tools/driver/Session.h"

namespace perfc::driver {

using api::Labels;
using api::Number;
using api::Prediction;
using api::ValidationRow;

struct TableKind {
  llvm::StringLiteral name;
  llvm::StringLiteral summary;
  /// Reads `path` and predicts every row. False when it cannot be read (reported).
  bool (*predict)(Session &session, llvm::StringRef path, std::vector<ValidationRow> &rows);
};

llvm::ArrayRef<TableKind> tableKinds();

// The kinds, one file each.
bool predictBruteforce(Session &session, llvm::StringRef path, std::vector<ValidationRow> &rows);
bool predictEyeriss(Session &session, llvm::StringRef path, std::vector<ValidationRow> &rows);
bool predictVidur(Session &session, llvm::StringRef path, std::vector<ValidationRow> &rows);
bool predictScaleSim(Session &session, llvm::StringRef path, std::vector<ValidationRow> &rows);
bool predictTimeloop(Session &session, llvm::StringRef path, std::vector<ValidationRow> &rows);
bool predictOnnxModels(Session &session, llvm::StringRef path, std::vector<ValidationRow> &rows);
bool predictTfliteModels(Session &session, llvm::StringRef path, std::vector<ValidationRow> &rows);
bool predictHfConfigs(Session &session, llvm::StringRef path, std::vector<ValidationRow> &rows);
bool predictMaestro(Session &session, llvm::StringRef path, std::vector<ValidationRow> &rows);
bool predictMaestroCounts(Session &session, llvm::StringRef path, std::vector<ValidationRow> &rows);
bool predictCollectives1d(Session &session, llvm::StringRef path, std::vector<ValidationRow> &rows);
bool predictCollectives1dRandom(Session &session, llvm::StringRef path,
                                std::vector<ValidationRow> &rows);
bool predictCollectivesMultidim(Session &session, llvm::StringRef path,
                                std::vector<ValidationRow> &rows);
bool predictCommGroups(Session &session, llvm::StringRef path, std::vector<ValidationRow> &rows);
bool predictP2p(Session &session, llvm::StringRef path, std::vector<ValidationRow> &rows);
bool predictRoofline(Session &session, llvm::StringRef path, std::vector<ValidationRow> &rows);
bool predictRemoteMemory(Session &session, llvm::StringRef path, std::vector<ValidationRow> &rows);
bool predictTable8(Session &session, llvm::StringRef path, std::vector<ValidationRow> &rows);
bool predictTraces(Session &session, llvm::StringRef path, std::vector<ValidationRow> &rows);
bool predictChakraEdgeCases(Session &session, llvm::StringRef path,
                            std::vector<ValidationRow> &rows);

} // namespace perfc::driver

#endif // PERFC_TOOLS_DRIVER_VALIDATE_KIND_H
