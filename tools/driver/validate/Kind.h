// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `perfc validate KIND PATH`: a table of reference figures is read, perfc predicts each row from
// what the row describes (never from its figures), and the agreement is printed. A kind is one file
// here and one line in Kinds.cpp.
#ifndef PERFC_TOOLS_DRIVER_VALIDATE_KIND_H
#define PERFC_TOOLS_DRIVER_VALIDATE_KIND_H

#include "tools/driver/Session.h"
#include "llvm/ADT/Optional.h"

namespace perfc::driver {

/// A figure: exact when it is whole, else real.
struct Number {
  Number(int64_t whole) : real(static_cast<double>(whole)), whole(whole) {}
  static Number fromReal(double value);
  /// Equal integers, or reals that differ by at most 1e-9 of the larger.
  bool equals(const Number &other) const;
  std::string text() const;

  double real;
  llvm::Optional<int64_t> whole;

private:
  Number(double value, llvm::Optional<int64_t> whole) : real(value), whole(whole) {}
};

using Labels = std::vector<std::pair<std::string, std::string>>;

/// One metric of a row.
struct Prediction {
  std::string metric;
  llvm::Optional<Number> predicted;
  llvm::Optional<Number> reference;
  /// Why there is no prediction, "" when there is one.
  std::string skipped;
  /// Set for a second reference of the same metric: it forms groups of its own, outside the others.
  Labels apart;
  /// What of the row this is about where a metric occurs several times: "GLB.W"; "" for all of it.
  std::string part;
  /// Half of the prediction's 90 % interval; 0 for none.
  double halfWidth = 0;
};

/// One row of the table: its labels make the groups.
struct ValidationRow {
  std::string name;
  Labels labels;
  std::vector<Prediction> predictions;
};

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
