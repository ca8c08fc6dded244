// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The inputs that ASTRA-sim reads beside a trace: network (YAML: topology, npus_count, bandwidth
// and latency, one entry per dimension), system (JSON), communicator groups (JSON: id to ranks) and
// remote memory (JSON). Keys that are known to change no simulated time are left alone, a switch of
// what is not modelled is an error, and every other key that nobody reads a warning.
#ifndef PERFC_API_ASTRA_CLUSTERREADER_H
#define PERFC_API_ASTRA_CLUSTERREADER_H

#include "backends/network/astra/Simulation.h"
#include "ir/common/Diagnostics.h"
#include "llvm/ADT/Optional.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"

namespace perfc::api {

/// Reads parts of a cluster from documents that stand in one file. What is wrong is reported at the
/// first place where the file names the key.
class ClusterReader {
public:
  /// `file` may be 0 for documents without a file; `name` is how messages call it.
  ClusterReader(DiagnosticEngine &diagnostics, FileId file, std::string name)
      : diagnostics(diagnostics), file(file), name(std::move(name)) {}

  // False when something is wrong (reported).
  bool readNetwork(const llvm::json::Object &object, astra::Network &network);
  bool readSystem(const llvm::json::Object &object, astra::System &system);
  /// Warns of algorithms for more dimensions than the network has; true.
  bool warnOfUnused(const astra::Cluster &cluster);
  bool readGroups(const llvm::json::Object &object, uint64_t ranks, astra::Groups &groups);
  bool readMemory(const llvm::json::Object &object, astra::RemoteMemory &memory);

private:
  using Value = llvm::json::Value;

  /// The value of `key`, null without one.
  const Value *find(const llvm::json::Object &object, llvm::StringRef key);
  /// Warns of keys that were not looked for and are not among `others`.
  void warnOfUnread(const llvm::json::Object &object,
                    llvm::ArrayRef<llvm::StringLiteral> others = {});
  bool refuseCustom(const llvm::json::Object &object, llvm::StringRef key);
  bool refuse(llvm::StringRef key, const std::string &reason);
  SourceRange placeOf(llvm::StringRef key) const;
  bool readDimension(const llvm::json::Object &object, size_t index, astra::Dimension &dim);
  bool readAlgorithms(const llvm::json::Object &object, astra::Collective op,
                      astra::System &system);
  bool readGroup(llvm::StringRef key, const Value &value, uint64_t ranks, astra::Groups &groups);
  bool number(const llvm::json::Object &object, llvm::StringRef key, double least, double most,
              double &value);
  /// False after a report where there is no `key`.
  bool needs(const llvm::json::Object &object, llvm::StringRef key);
  bool whole(const llvm::json::Object &object, llvm::StringRef key, int64_t least, int64_t most,
             int64_t &value);
  bool flag(const llvm::json::Object &object, llvm::StringRef key, bool &value);
  bool choice(const llvm::json::Object &object, llvm::StringRef key,
              llvm::ArrayRef<llvm::StringRef> words, size_t &index);

  DiagnosticEngine &diagnostics;
  FileId file;
  std::string name;
  std::vector<std::string> known; ///< keys that were looked for
};

} // namespace perfc::api

#endif // PERFC_API_ASTRA_CLUSTERREADER_H
