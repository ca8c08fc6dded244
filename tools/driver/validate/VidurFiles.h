// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The files of a folder of runs of VIDUR: a deployment and its stream (a line of results.csv), the
// requests of a run, what its batches held and took, the times of kernels that it used, and
// dimensions of models that VIDUR does not have itself.
#ifndef PERFC_TOOLS_DRIVER_VALIDATE_VIDURFILES_H
#define PERFC_TOOLS_DRIVER_VALIDATE_VIDURFILES_H

#include "backends/serving/Simulation.h"
#include "backends/serving/vidur/Deployment.h"
#include "backends/serving/vidur/Stream.h"
#include "ir/study/OpTable.h"
#include "tools/driver/validate/Csv.h"
#include <map>

namespace perfc::driver {

/// A line of results.csv.
struct VidurRun {
  serving::vidur::Model model;
  double memory = 0; ///< B of a device
  int64_t tensor = 1, stages = 1, mostTokens = 0, cap = 0;
  std::string scheduler, table; ///< as schedulerOf and the tables call it
  serving::PoolSetup setup;
  serving::vidur::Pool pool;
};

/// A request as runs/ID.csv lists it.
struct ListedRequest {
  serving::Request request;
  int64_t restarts;
};

/// A stage of a batch of batches/ID.csv.
struct RecordedStage {
  double seconds;
  std::string content;
};
using VidurTrace = std::map<std::pair<int64_t, int64_t>, RecordedStage>; ///< by batch and stage

/// What is wrong in a file is reported, and the answer is false, null or nothing.
class VidurFiles {
public:
  static constexpr llvm::StringLiteral kindName = "vidur";

  VidurFiles(Session &session, llvm::StringRef path) : session(session), path(path.str()) {}

  /// Of ops/models.csv, where there is one; before `readRun`.
  bool readModels();
  llvm::Optional<CsvTable> readResults();
  /// `problem` says why the run cannot be served again.
  bool readRun(const CsvTable &table, const CsvRow &line, VidurRun &run, std::string &problem);
  llvm::Optional<std::vector<ListedRequest>> readRequests(llvm::StringRef run);
  bool hasTrace(llvm::StringRef run) const;
  llvm::Optional<VidurTrace> readTrace(llvm::StringRef run);
  /// The times that a run used; `place` is its line.
  const study::OpTable *tableOf(const VidurRun &run, SourceRange place);
  /// What a line says of its stream; false where it does not follow from the line.
  static bool readStream(const CsvTable &table, const CsvRow &line, int64_t mostTokens,
                         serving::vidur::StreamSpec &spec);

private:
  Session &session;
  std::string path;
  std::map<std::string, serving::vidur::Model> models;
  std::map<std::string, study::OpTable> tables; ///< by prefix and stages
};

} // namespace perfc::driver

#endif // PERFC_TOOLS_DRIVER_VALIDATE_VIDURFILES_H
