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

/// Reads `path` and predicts every row. False when it cannot be read (reported).
using PredictTable = bool(Session &session, llvm::StringRef path, std::vector<ValidationRow> &rows);

struct TableKind {
  llvm::StringLiteral name;
  llvm::StringLiteral summary;
  PredictTable *predict;
};

llvm::ArrayRef<TableKind> tableKinds();

// The kinds, one file each.
PredictTable predictBruteforce, predictEyeriss, predictVidur, predictScaleSim, predictTimeloop,
    predictOnnxModels, predictTfliteModels, predictHfConfigs, predictMaestro, predictMaestroCounts,
    predictCollectives1d, predictCollectives1dRandom, predictCollectivesMultidim, predictCommGroups,
    predictP2p, predictRoofline, predictRemoteMemory, predictTable8, predictTraces,
    predictChakraEdgeCases;

} // namespace perfc::driver

#endif // PERFC_TOOLS_DRIVER_VALIDATE_KIND_H
