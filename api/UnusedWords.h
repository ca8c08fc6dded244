// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Words that nothing reads. Those of a chip that the providers of a result do not read: the
// roofline and the tile model know one memory and no networks between elements (docs/cost-model.md,
// "What each word of a chip does"), and those of a `train` or a `serve` that has nothing for them
// to choose among.
#ifndef PERFC_API_UNUSEDWORDS_H
#define PERFC_API_UNUSEDWORDS_H

#include "backends/core/Cost.h"
#include "ir/core/Module.h"
#include <set>

namespace perfc::api {

/// Warns of words that only loop nests read in the chips of `on`, where `module` has none of these
/// for the chip and `cost` comes from a simpler model; once for each place, which `warned`
/// remembers. Chips of the library are taken as they are.
void warnOfUnusedWords(const Cost &cost, const ir::Module &module, llvm::StringRef on,
                       std::set<std::pair<uint32_t, uint32_t>> &warned,
                       DiagnosticEngine &diagnostics, const SourceManager &sources);

/// Warns of words of `train`, lowered in `module`, that choose among nothing: a goal or conditions
/// without a hole, `experts` of a model that has none.
void warnOfUnusedTrainWords(const ir::Operation &train, const ir::Module &module,
                            std::set<std::pair<uint32_t, uint32_t>> &warned,
                            DiagnosticEngine &diagnostics);

/// Warns of words of `serve` that say something of what it does not have: experts, copies, a
/// capacity, prompts that begin alike.
void warnOfUnusedServeWords(const ir::Operation &serve, const ir::Module &module,
                            std::set<std::pair<uint32_t, uint32_t>> &warned,
                            DiagnosticEngine &diagnostics);

} // namespace perfc::api

#endif // PERFC_API_UNUSEDWORDS_H
