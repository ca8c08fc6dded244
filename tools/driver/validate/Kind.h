// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `perfc validate KIND PATH`: a table of reference figures is read, perfc predicts each row from
// what the row describes (never from its figures), and the agreement is printed. A kind is one file
// here and one line in Kinds.cpp.
#ifndef PERFC_TOOLS_DRIVER_VALIDATE_KIND_H
#define PERFC_TOOLS_DRIVER_VALIDATE_KIND_H

#include "api/Agreement.h"
#include "tools/driver/Session.h"

namespace perfc::driver {

using api::Labels;
using api::Number;
using api::Prediction;
using api::ValidationRow;

/// What tables of training runs are predicted with.
struct TrainOptions {
  std::string runtimes; ///< text that declares runtimes in place of std.runtimes; "" for these
  std::string half;     ///< "fit" or "test": only these rows, and only with runtimes; "" for all
};

struct TableKind {
  llvm::StringLiteral name;
  llvm::StringLiteral summary;
  /// Reads `path` and predicts every row. False when it cannot be read (reported). Null for tables
  /// of training runs.
  bool (*predict)(Session &session, llvm::StringRef path, std::vector<ValidationRow> &rows);
  /// The same for tables of training runs.
  bool (*predictTraining)(Session &session, llvm::StringRef path, const TrainOptions &options,
                          std::vector<ValidationRow> &rows) = nullptr;
};

llvm::ArrayRef<TableKind> tableKinds();

// The kinds, one file each.
bool predictBruteforce(Session &session, llvm::StringRef path, std::vector<ValidationRow> &rows);
bool predictEyeriss(Session &session, llvm::StringRef path, std::vector<ValidationRow> &rows);
bool predictScaleSim(Session &session, llvm::StringRef path, std::vector<ValidationRow> &rows);
bool predictTimeloop(Session &session, llvm::StringRef path, std::vector<ValidationRow> &rows);
bool predictCnnWorkloads(Session &session, llvm::StringRef path, std::vector<ValidationRow> &rows);
bool predictTransformerWorkloads(Session &session, llvm::StringRef path,
                                 std::vector<ValidationRow> &rows);
bool predictOnnxModels(Session &session, llvm::StringRef path, std::vector<ValidationRow> &rows);
bool predictMaestro(Session &session, llvm::StringRef path, std::vector<ValidationRow> &rows);
bool predictMaestroCounts(Session &session, llvm::StringRef path, std::vector<ValidationRow> &rows);
bool predictCollective(Session &session, llvm::StringRef path, std::vector<ValidationRow> &rows);
bool predictCollectivesBusbw(Session &session, llvm::StringRef path,
                             std::vector<ValidationRow> &rows);
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

bool predictLlmFoundry(Session &session, llvm::StringRef path, const TrainOptions &options,
                       std::vector<ValidationRow> &rows);
bool predictMegatron(Session &session, llvm::StringRef path, const TrainOptions &options,
                     std::vector<ValidationRow> &rows);
bool predictMegatronBridge(Session &session, llvm::StringRef path, const TrainOptions &options,
                           std::vector<ValidationRow> &rows);
bool predictSelectiveRecompute(Session &session, llvm::StringRef path, const TrainOptions &options,
                               std::vector<ValidationRow> &rows);
bool predictTorchtitan(Session &session, llvm::StringRef path, const TrainOptions &options,
                       std::vector<ValidationRow> &rows);

} // namespace perfc::driver

#endif // PERFC_TOOLS_DRIVER_VALIDATE_KIND_H
