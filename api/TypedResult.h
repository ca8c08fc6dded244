// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Results and problems as the library hands them out, in standard types.
#ifndef PERFC_API_TYPEDRESULT_H
#define PERFC_API_TYPEDRESULT_H

#include "api/ReportTable.h"
#include "api/perfc/Program.h"
#include "backends/emit/Result.h"
#include "backends/mapper/StudySearch.h"

namespace perfc::api {

Place typedPlace(SourceRange range, const SourceManager &sources);
Problem typedProblem(const Diagnostic &diagnostic, const SourceManager &sources);
/// `statement` is the operation of the study level that led to it; `search` what it has searched,
/// null for others. The tables of reports come from `typedTable`.
Result typedResult(const emit::Result &result, llvm::StringRef statement,
                   const mapper::SearchSummary *search, const SourceManager &sources);

Table typedTable(const ReportTable &table);

} // namespace perfc::api

#endif // PERFC_API_TYPEDRESULT_H
