// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/driver/import/ScaleSimConfig.h"

#include "ir/common/diagnostics/ScaleSim.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"

using namespace perfc;
using namespace perfc::driver;

namespace {

struct Entry {
  llvm::StringRef value;
  SourceRange place; ///< of the value
};

class ConfigReader {
public:
  ConfigReader(const SourceManager &sources, FileId file, DiagnosticEngine &diagnostics)
      : text(sources.text(file)), file(file), diagnostics(diagnostics) {}

  llvm::Optional<ScaleSimConfig> read();

private:
  bool readLines();
  bool readLine(size_t begin, llvm::StringRef line, std::string &section);
  SourceRange place(size_t begin, size_t end) const {
    return {file, static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
  }
  void fail(SourceRange where, const std::string &what) {
    diagnostics.report(where, diag::BadScaleSimConfig, what);
  }
  /// The entry `section.key`; null when there is none (reported).
  const Entry *find(llvm::StringRef section, llvm::StringRef key);
  bool whole(llvm::StringRef key, int64_t most, int64_t &into);

  llvm::StringRef text;
  FileId file;
  DiagnosticEngine &diagnostics;
  llvm::StringMap<Entry> entries; ///< by "section.key" in lower case
};

} // namespace

bool ConfigReader::readLine(size_t begin, llvm::StringRef line, std::string &section) {
  llvm::StringRef trimmed = line.trim(" \t\r");
  if (trimmed.empty() || trimmed.front() == '#' || trimmed.front() == ';')
    return true;
  if (trimmed.front() == '[') {
    if (trimmed.back() != ']') {
      fail(place(begin, begin + line.size()), "`[` is not closed on its line");
      return false;
    }
    section = trimmed.drop_front().drop_back().trim().lower();
    return true;
  }
  size_t sign = line.find_first_of("=:");
  if (sign == llvm::StringRef::npos || section.empty()) {
    fail(place(begin, begin + line.size()), sign == llvm::StringRef::npos
                                                ? "a line that is no `key = value`"
                                                : "a key before the first section");
    return false;
  }
  llvm::StringRef value = line.drop_front(sign + 1).trim(" \t\r");
  size_t at = value.empty() ? begin + sign + 1 : static_cast<size_t>(value.data() - text.data());
  llvm::StringRef key = line.take_front(sign).trim(" \t");
  Entry entry{value, place(at, at + value.size())};
  if (entries.try_emplace(section + "." + key.lower(), entry).second)
    return true;
  fail(place(begin, begin + line.size()), fmt::format("`{}` is given twice", key));
  return false;
}

bool ConfigReader::readLines() {
  std::string section;
  size_t byteOrderMark = text.startswith("\xEF\xBB\xBF") ? 3 : 0;
  for (size_t begin = byteOrderMark; begin < text.size();) {
    size_t end = std::min(text.find('\n', begin), text.size());
    if (!readLine(begin, text.slice(begin, end), section))
      return false;
    begin = end + 1;
  }
  return true;
}

const Entry *ConfigReader::find(llvm::StringRef section, llvm::StringRef key) {
  auto found = entries.find(section.str() + "." + key.lower());
  if (found != entries.end())
    return &found->second;
  fail(place(0, 0), fmt::format("it has no `{}` in [{}]", key, section));
  return nullptr;
}

bool ConfigReader::whole(llvm::StringRef key, int64_t most, int64_t &into) {
  const Entry *entry = find("architecture_presets", key);
  if (!entry)
    return false;
  if (!entry->value.getAsInteger(10, into) && into >= 1 && into <= most)
    return true;
  fail(entry->place,
       fmt::format("`{}` is a whole number from 1 to {}, not `{}`", key, most, entry->value));
  return false;
}

llvm::Optional<ScaleSimConfig> ConfigReader::read() {
  if (!readLines())
    return llvm::None;
  ScaleSimConfig config;
  constexpr int64_t largest = 1 << 20;
  bool valid = whole("ArrayHeight", largest, config.rows);
  valid &= whole("ArrayWidth", largest, config.columns);
  valid &= whole("IfmapSramSzkB", largest, config.inputKib);
  valid &= whole("FilterSramSzkB", largest, config.weightKib);
  valid &= whole("OfmapSramSzkB", largest, config.outputKib);
  if (const Entry *dataflow = find("architecture_presets", "Dataflow")) {
    config.stationary = llvm::StringSwitch<std::string>(dataflow->value.lower())
                            .Case("os", "output")
                            .Case("ws", "weight")
                            .Case("is", "input")
                            .Default("");
    if (config.stationary.empty())
      fail(dataflow->place, "`Dataflow` is os, ws or is");
    valid &= !config.stationary.empty();
  } else {
    valid = false;
  }
  auto mode = entries.find("run_presets.interfacebandwidth");
  if (mode != entries.end() && mode->second.value.lower() == "user") {
    const Entry *list = find("architecture_presets", "Bandwidth");
    int64_t words = 0;
    bool isNumber = list && !list->value.split(',').first.trim().getAsInteger(10, words) &&
                    words >= 1 && words <= largest;
    if (list && !isNumber)
      fail(list->place, "`Bandwidth` is a whole number of words per cycle");
    valid &= isNumber;
    config.bandwidth = words;
  } else if (mode != entries.end() && mode->second.value.lower() != "calc") {
    fail(mode->second.place, "`InterfaceBandwidth` is CALC or USER");
    valid = false;
  }
  auto name = entries.find("general.run_name");
  config.name = name != entries.end() ? name->second.value.str() : "scale_sim";
  return valid ? llvm::Optional<ScaleSimConfig>(config) : llvm::None;
}

llvm::Optional<ScaleSimConfig> driver::readScaleSimConfig(const SourceManager &sources, FileId file,
                                                          DiagnosticEngine &diagnostics) {
  return ConfigReader(sources, file, diagnostics).read();
}
