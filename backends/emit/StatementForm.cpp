// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/emit/StatementForm.h"

using namespace perfc;
using namespace perfc::emit;

const StatementForm &emit::formOf(ResultKind kind) {
  static const std::pair<ResultKind, StatementForm> table[] = {
      {ResultKind::Evaluation, evaluationForm()},
      {ResultKind::Training, trainingForm()},
      {ResultKind::Serving, servingForm()},
      {ResultKind::Replay, replayForm()}};
  return llvm::find_if(table, [&](const auto &row) { return row.first == kind; })->second;
}
