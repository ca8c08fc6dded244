// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One row of a table of ASTRA-sim as a cluster and traces, and what the simulation predicts for it.
// Columns that a table does not have keep the values with which all tables were made.
#ifndef PERFC_TOOLS_DRIVER_VALIDATE_ASTRACASE_H
#define PERFC_TOOLS_DRIVER_VALIDATE_ASTRACASE_H

#include "tools/driver/astra/ClusterFiles.h"
#include "tools/driver/validate/Csv.h"

namespace perfc::driver {

/// Four rings of splits 1, endpoint delay 10 ns, memory of 1,600 GB/s, LIFO, localBWAware.
astra::System defaultSystem(size_t dims);

/// The cluster that a row describes; nothing with the reason in `problem` when there is none such.
llvm::Optional<astra::Cluster> clusterOfRow(const CsvTable &table, const CsvTable::Row &row,
                                            std::string &problem);

/// A node of a trace that is made for a row.
struct NodeMaker {
  chakra::Node node;
  explicit NodeMaker(chakra::NodeType type, uint64_t id = 0) {
    node.type = type;
    node.id = id;
  }
  NodeMaker &set(chakra::Field field, int64_t value) {
    node.values[static_cast<unsigned>(field)] = value;
    node.states[static_cast<unsigned>(field)] = chakra::FieldState::Integer;
    return *this;
  }
  NodeMaker &micros(int64_t duration) {
    node.durationMicros = static_cast<uint64_t>(duration);
    return *this;
  }
};

/// The collective named in a table; nothing for another word (reported).
llvm::Optional<astra::Collective> collectiveNamed(Session &session, SourceRange range,
                                                  llvm::StringRef kind, llvm::StringRef name);

/// Figures "1|2|3" as numbers.
std::vector<llvm::Optional<Number>> figuresOf(llvm::StringRef cell);

/// Adds one prediction per figure, with the index as its part where there are several.
void addFigures(ValidationRow &row, llvm::StringRef metric, llvm::ArrayRef<int64_t> predicted,
                llvm::ArrayRef<llvm::Optional<Number>> reference);

/// Skips `metrics` for that reason.
void skipRow(ValidationRow &row, llvm::ArrayRef<llvm::StringRef> metrics,
             const std::string &reason);
/// For a row on which the tool itself ended early: skips `metrics` with the tool's status and what
/// perfc has to say. True when `status` is not ok.
bool skipFailedRow(ValidationRow &row, llvm::StringRef status,
                   const astra::SimulationResult &result, llvm::ArrayRef<llvm::StringRef> metrics);
/// Skips `metrics` because perfc does not simulate the row; false when it does.
bool skipRefusedRow(ValidationRow &row, const astra::SimulationResult &result,
                    llvm::ArrayRef<llvm::StringRef> metrics);

/// Finish times of all ranks; -1 for those that never finish.
std::vector<int64_t> finishTimes(const astra::SimulationResult &result);

} // namespace perfc::driver

#endif // PERFC_TOOLS_DRIVER_VALIDATE_ASTRACASE_H
