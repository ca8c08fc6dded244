// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/driver/validate/MaestroInputs.h"

#include "tools/driver/validate/Csv.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace perfc;
using namespace perfc::driver;

static std::vector<std::string> filesIn(const std::string &folder, llvm::StringRef extension) {
  std::vector<std::string> files;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error))
    if (llvm::sys::path::extension(at->path()) == extension)
      files.push_back(at->path());
  llvm::sort(files);
  return files;
}

MaestroInputs::MaestroInputs(llvm::StringRef table) : session(llvm::nulls(), llvm::nulls()) {
  llvm::StringRef folder = llvm::sys::path::parent_path(table);
  std::string own = folder.empty() ? "." : folder.str();
  folders = {own + "/inputs", own};
  for (const std::string &place : folders)
    llvm::append_range(allFiles, filesIn(place, ".m"));
  readPes(own);
}

void MaestroInputs::readPes(llvm::StringRef folder) {
  for (const std::string &path : filesIn(folder.str(), ".csv")) {
    auto table = CsvTable::load(session, path, "", {"layer", "num_pes"});
    if (!table)
      continue; // another kind of table
    for (const CsvTable::Row &row : table->rows()) {
      int64_t count = 0;
      if (table->cell(row, "num_pes").getAsInteger(10, count))
        continue;
      auto [entry, isNew] = pes.try_emplace(table->cell(row, "layer"), count);
      if (!isNew && entry->second != count)
        entry->second = 0;
    }
  }
}

llvm::Optional<int64_t> MaestroInputs::pesOf(llvm::StringRef layer) const {
  int64_t count = pes.lookup(layer);
  return count ? llvm::Optional<int64_t>(count) : llvm::None;
}

const maestro::MappingFile *MaestroInputs::read(const std::string &path) {
  auto [entry, isNew] = known.try_emplace(path);
  std::string error;
  if (isNew && llvm::sys::fs::exists(path))
    if (FileId file = session.sources.load(path, error))
      entry->second = maestro::readMappingFile(file, session.diagnostics);
  return entry->second ? &*entry->second : nullptr;
}

std::string MaestroInputs::lastReport() const {
  if (session.diagnostics.all().empty())
    return "";
  const Diagnostic &last = session.diagnostics.all().back();
  return session.sources.describe(last.range) + ": " + last.message;
}

const dataflow::Layer *MaestroInputs::find(llvm::StringRef dataflow, llvm::StringRef layer,
                                           std::string &problem) {
  std::vector<std::string> candidates;
  for (const std::string &folder : folders)
    for (llvm::StringRef suffix : {".m", "_mappings.m"})
      if (!dataflow.empty() && llvm::sys::fs::exists(folder + "/" + dataflow.str() + suffix))
        candidates.push_back(folder + "/" + dataflow.str() + suffix.str());
  if (candidates.empty())
    candidates = allFiles;
  for (const std::string &path : candidates)
    if (const maestro::MappingFile *file = read(path))
      if (const dataflow::Layer *found = file->find(layer))
        return found;
  problem = candidates.empty() ? "there are no mapping files beside the table"
                               : fmt::format("no mapping file has the layer `{}`", layer);
  return nullptr;
}
