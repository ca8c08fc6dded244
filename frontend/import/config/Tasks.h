// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a model is for, by the class of the library transformers that its configuration names.
#ifndef PERFC_FRONTEND_IMPORT_CONFIG_TASKS_H
#define PERFC_FRONTEND_IMPORT_CONFIG_TASKS_H

#include "llvm/Support/JSON.h"

namespace perfc::config {

/// The task of the class that `object` names first: CausalLM of `LlamaForCausalLM`, Model of a
/// class without a head; "" where it names none.
llvm::StringRef taskOf(const llvm::json::Object &object);

} // namespace perfc::config

#endif // PERFC_FRONTEND_IMPORT_CONFIG_TASKS_H
