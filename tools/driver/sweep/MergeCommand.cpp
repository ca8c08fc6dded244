// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// perfc merge: brings the results of several shards of a sweep together, and prints them with the
// front.
#include "api/RunDocument.h"
#include "ir/common/diagnostics/Search.h"
#include "tools/driver/Command.h"
#include "tools/driver/sweep/FrontTable.h"
#include "tools/driver/sweep/PointTable.h"

using namespace perfc;
using namespace perfc::api;
using namespace perfc::driver;
using namespace perfc::mapper;

bool driver::mergeResults(Session &session, const Arguments &arguments) {
  llvm::ArrayRef<std::string> files = arguments.files();
  std::vector<std::unique_ptr<ResultStore>> parts;
  for (const std::string &file : files.drop_front()) {
    parts.push_back(ResultStore::openExisting(file, session.diagnostics));
    if (!parts.back())
      return true;
  }
  std::unique_ptr<ResultStore> all =
      ResultStore::open(files.front(), parts.front()->program(), session.diagnostics);
  for (const auto &part : parts) {
    if (!all || part->program() != all->program()) {
      if (all)
        session.diagnostics.report({}, diag::BadResultsFile, files.front(),
                                   "the files are of different programs");
      return true;
    }
    if (!all->merge(*part, session.diagnostics))
      return true;
  }
  std::vector<StoredRow> rows = all->rows();
  SweepFindings findings = findingsOf(rows);
  std::vector<LeftOut> dropped = findings.leftOut();
  size_t count = rows.size();
  for (const LeftOut &sweep : dropped)
    count -= sweep.count;
  if (arguments.has("json")) {
    emit::Json document = emit::Json::object();
    document.set("schema", 1)
        .set("file", files.front())
        .set("rows", static_cast<int64_t>(count))
        .set("fronts", frontsJson(findings.fronts()))
        .set("left_out", leftOutJson(dropped))
        .print(session.out);
    session.out << '\n';
  } else if (!session.isQuiet()) {
    session.out << fmt::format("{}: {} results\n", files.front(), count);
    printKept(session.out, rows, session.tableWidth(), session.colorOut);
    printLeftOut(session.out, dropped);
    printFronts(session.out, findings.fronts(), session.tableWidth(), session.colorOut);
  }
  return true;
}
