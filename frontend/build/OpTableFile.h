// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables of measured times as files: PREFIX_ops.csv has a line for each number of tokens with a
// column NAME_ms for each kernel of a layer, PREFIX_attn_decode.csv a line for each number of
// requests with a column for each context, PREFIX_attn_prefill.csv a line for each piece of a
// prompt with a column for each number of tokens before it, PREFIX_ppN_send_recv.csv a message
// between N stages by tokens. Times are in ms; a cell of the prompts' table may be empty.
#ifndef PERFC_FRONTEND_BUILD_OPTABLEFILE_H
#define PERFC_FRONTEND_BUILD_OPTABLEFILE_H

#include "ir/common/Diagnostics.h"
#include "ir/study/OpTable.h"
#include "llvm/ADT/Optional.h"

namespace perfc {

/// Reads the files of `prefix`, a path, for a pipeline of `stages`; nothing after a report. `place`
/// is where the program names them.
llvm::Optional<study::OpTable> readOpTable(SourceManager &sources, llvm::StringRef prefix,
                                           int64_t stages, SourceRange place,
                                           DiagnosticEngine &diagnostics);

} // namespace perfc

#endif // PERFC_FRONTEND_BUILD_OPTABLEFILE_H
