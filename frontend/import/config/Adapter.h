// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adapters of PEFT: a folder with adapter_config.json, which says of which model and which of its
// modules, and the adapters' weights. Low-rank ones (LoRA) become ranks of std.families.adapters;
// the others leave their base model, as all do once they are merged with it.
#ifndef PERFC_FRONTEND_IMPORT_CONFIG_ADAPTER_H
#define PERFC_FRONTEND_IMPORT_CONFIG_ADAPTER_H

#include "frontend/import/config/Config.h"
#include "frontend/import/config/FamilyTable.h"

namespace perfc::config {

constexpr llvm::StringLiteral adapterName = "adapter_config.json";
/// The key of an adapter that names its base model: a folder, or one of the hub.
constexpr llvm::StringLiteral baseKey = "base_model_name_or_path";

/// True of files with weights of adapters: adapter_model.safetensors.
bool isAdapterWeights(llvm::StringRef path);
/// The folder of the base model of `adapter`, whose file is in `folder`: `folder` itself where it
/// has config.json, the one that the adapter names, or one beside of that name; "" where none is.
std::string baseFolder(const Config &adapter, llvm::StringRef folder);
/// "low_ranks(q = 16, v = 16)" for an instance of `chain`; "" after a warning where the library
/// cannot say what this adapter costs.
std::string lowRanks(const Config &adapter, FamilyTable &table, llvm::ArrayRef<Row> chain,
                     DiagnosticEngine &diagnostics);

} // namespace perfc::config

#endif // PERFC_FRONTEND_IMPORT_CONFIG_ADAPTER_H
