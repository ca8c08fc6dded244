// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a caller may give a workload of the library by name: `batch`, and `context` of a phase.
#ifndef PERFC_FRONTEND_IMPORT_CONFIG_CALLNAMES_H
#define PERFC_FRONTEND_IMPORT_CONFIG_CALLNAMES_H

#include "frontend/import/config/FamilyTable.h"

namespace perfc::config {

struct PhaseNames {
  std::string name;
  std::vector<std::string> parameters; ///< of its own, beside those of the workload
};

struct CallNames {
  std::vector<std::string> parameters; ///< of the workload, in the order in which they stand
  std::vector<PhaseNames> phases;

  bool hasPhase(llvm::StringRef name) const;
  bool hasParameter(llvm::StringRef name) const;
};

/// A workload of a program that is written for a file.
struct NamedModel {
  std::string workload;
  std::string format; ///< of its activations: "bf16"; "" where it is not said
  CallNames names;    ///< what it may be given; keys of a configuration are the file's to say
  std::string family; ///< of the library that it is an instance of, or ""

  /// True where tokens follow others.
  bool isDecoder() const { return names.hasPhase("prefill"); }
  /// True where it takes the length of a text.
  bool hasContext() const { return names.hasParameter("context"); }
};

/// Of a workload and what it is made `from`, `chain`: parameters that no `from` gives, and the
/// phases that set none of those that one gives.
CallNames callNames(llvm::ArrayRef<Row> chain);

} // namespace perfc::config

#endif // PERFC_FRONTEND_IMPORT_CONFIG_CALLNAMES_H
