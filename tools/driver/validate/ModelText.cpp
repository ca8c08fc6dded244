// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/driver/validate/ModelText.h"

#include "api/Evaluation.h"
#include "api/Providers.h"
#include "tools/driver/validate/JsonFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"

using namespace perfc;
using namespace perfc::api;
using namespace perfc::driver;

/// A chip on which anything runs: only counts are read off.
static constexpr llvm::StringLiteral counterChip = R"(
hardware counter {
  clock 1GHz
  dtype fp16
  memory DRAM { off_chip; bandwidth 1B/cycle }
  array lanes[1] { compute MAC { rate 1/cycle } }
}
)";

ModelTotals perfc::driver::evaluateModel(const std::string &text,
                                         llvm::ArrayRef<std::string> calls) {
  std::string program = text + counterChip.str();
  for (const std::string &call : calls)
    program += "evaluate model(" + call + ") on counter using roofline\n";
  Session inner(llvm::nulls(), llvm::nulls());
  FileId file = inner.sources.add("<model>", std::move(program));
  Evaluation evaluation(inner.context(), defaultProviders());
  evaluation.run(file, {}, [](const Evaluated &) {});
  ModelTotals totals;
  if (inner.diagnostics.hasErrors()) {
    const Diagnostic &first = *llvm::find_if(inner.diagnostics.all(), [](const Diagnostic &one) {
      return one.kind->severity == Severity::Error;
    });
    totals.problem = inner.sources.describe(first.range) + ": " + first.message;
    return totals;
  }
  for (const emit::Result &result : evaluation.results())
    totals.totals.push_back({result.parameters.getValueOr(0), result.cost.macs});
  return totals;
}

llvm::Optional<llvm::json::Array> perfc::driver::readWorkloads(Session &session,
                                                               llvm::StringRef path,
                                                               llvm::StringRef fileName,
                                                               llvm::StringRef kind) {
  std::string file = path.str();
  if (llvm::sys::fs::is_directory(path))
    file += "/" + fileName.str();
  llvm::Optional<llvm::json::Value> document = readJsonFile(session, file, kind);
  if (!document)
    return llvm::None;
  auto fail = [&](const std::string &reason) {
    reportBadTable(session, file, kind, reason);
    return llvm::None;
  };
  llvm::json::Object *root = document->getAsObject();
  llvm::json::Array *rows = root ? root->getArray("workloads") : nullptr;
  if (!rows)
    return fail("it has no list `workloads`");
  for (const llvm::json::Value &row : *rows)
    if (!row.getAsObject() || !row.getAsObject()->getString("name"))
      return fail("each workload needs a `name`");
  return std::move(*rows);
}

llvm::Optional<Number> perfc::driver::numberAt(const llvm::json::Object *object,
                                               llvm::StringRef key) {
  return numberOf(object ? object->get(key) : nullptr);
}

int64_t perfc::driver::intAt(const llvm::json::Object *object, llvm::StringRef key,
                             int64_t otherwise) {
  return object ? object->getInteger(key).getValueOr(otherwise) : otherwise;
}

bool perfc::driver::flagAt(const llvm::json::Object *object, llvm::StringRef key) {
  return object && object->getBoolean(key).getValueOr(false);
}
