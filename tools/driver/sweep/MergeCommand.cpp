// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// perfc merge: brings the results of several shards of a sweep together, and prints the front.
#include "ir/common/diagnostics/Search.h"
#include "tools/driver/Command.h"
#include "tools/driver/sweep/FrontTable.h"

using namespace perfc;
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
  if (!session.isQuiet()) {
    session.out << fmt::format("{}: {} results\n", files.front(), rows.size());
    printFronts(session.out, fronts(rows), session.width, session.colorOut);
  }
  return true;
}
