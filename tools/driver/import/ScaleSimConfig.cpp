// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/driver/import/ScaleSimConfig.h"

#include "ir/common/diagnostics/ScaleSim.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"

using namespace perfc;
using namespace perfc::driver;

namespace {

struct Entry {
  llvm::StringRef section, key; ///< in lower case, and as written
  llvm::StringRef value;
  SourceRange place; ///< of the value
};

/// What becomes of a key.
enum class Use {
  Read,    ///< or it changes no count
  Refused, ///< where it is true: other counts
  LeftOut, ///< where it is true: more time than is counted
};

struct KnownKey {
  llvm::StringLiteral section, key;
  Use use;
  llvm::StringLiteral what; ///< that is not modelled
};

constexpr KnownKey knownKeys[] = {
    {"general", "run_name", Use::Read, ""},
    {"architecture_presets", "ArrayHeight", Use::Read, ""},
    {"architecture_presets", "ArrayWidth", Use::Read, ""},
    {"architecture_presets", "IfmapSramSzkB", Use::Read, ""},
    {"architecture_presets", "FilterSramSzkB", Use::Read, ""},
    {"architecture_presets", "OfmapSramSzkB", Use::Read, ""},
    {"architecture_presets", "IfmapOffset", Use::Read, ""}, // of addresses
    {"architecture_presets", "FilterOffset", Use::Read, ""},
    {"architecture_presets", "OfmapOffset", Use::Read, ""},
    {"architecture_presets", "Bandwidth", Use::Read, ""},
    {"architecture_presets", "Dataflow", Use::Read, ""},
    {"architecture_presets", "MemoryBanks", Use::Read, ""},        // no version uses it
    {"architecture_presets", "ReadRequestBuffer", Use::Read, ""},  // with Ramulator
    {"architecture_presets", "WriteRequestBuffer", Use::Read, ""}, // with Ramulator
    {"layout", "IfmapCustomLayout", Use::LeftOut, "conflicts of banks"},
    {"layout", "FilterCustomLayout", Use::LeftOut, "conflicts of banks"},
    {"layout", "IfmapSRAMBankBandwidth", Use::Read, ""}, // with a custom layout, like the next
    {"layout", "IfmapSRAMBankNum", Use::Read, ""},
    {"layout", "IfmapSRAMBankPort", Use::Read, ""},
    {"layout", "FilterSRAMBankBandwidth", Use::Read, ""},
    {"layout", "FilterSRAMBankNum", Use::Read, ""},
    {"layout", "FilterSRAMBankPort", Use::Read, ""},
    {"sparsity", "SparsitySupport", Use::Refused, "sparse layers are"},
    {"sparsity", "SparseRep", Use::Read, ""}, // with sparse layers, like the next
    {"sparsity", "OptimizedMapping", Use::Read, ""},
    {"sparsity", "BlockSize", Use::Read, ""},
    {"sparsity", "RandomNumberGeneratorSeed", Use::Read, ""},
    {"network_presets", "TopologyCsvLoc", Use::Read, ""}, // the topology is given
    {"run_presets", "InterfaceBandwidth", Use::Read, ""},
    {"run_presets", "UseRamulatorTrace", Use::LeftOut, "latencies of a DRAM"},
};

/// Of a size, or of words per cycle.
constexpr int64_t largest = 1 << 20;

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
  bool checkKey(const Entry &entry);
  bool readBandwidth(ScaleSimConfig &config);

  llvm::StringRef text;
  FileId file;
  DiagnosticEngine &diagnostics;
  llvm::StringMap<Entry> entries;   ///< by "section.key" in lower case
  std::vector<const Entry *> order; ///< as written
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
  auto [found, isNew] = entries.try_emplace(section + "." + key.lower());
  if (isNew) {
    llvm::StringRef path = found->getKey();
    found->second = {path.drop_back(key.size() + 1), key, value, place(at, at + value.size())};
    order.push_back(&found->second);
    return true;
  }
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

/// False for a switch of what would give other counts; warns of what else nobody reads.
bool ConfigReader::checkKey(const Entry &entry) {
  auto isThis = [&](const KnownKey &known) {
    return known.section == entry.section && known.key.equals_insensitive(entry.key);
  };
  const auto *known = llvm::find_if(knownKeys, isThis);
  if (known == std::end(knownKeys)) {
    std::vector<llvm::StringRef> names;
    for (const KnownKey &each : knownKeys)
      if (each.section == entry.section &&
          !entries.count((each.section + "." + each.key.lower()).str()))
        names.push_back(each.key);
    diagnostics
        .report(entry.place, diag::ScaleSimUnread, entry.key.str(), entry.section.str(),
                "nothing reads it")
        .suggest(entry.key, names);
    return true;
  }
  bool isOn = entry.value.equals_insensitive("true") || entry.value == "1" ||
              entry.value.equals_insensitive("yes") || entry.value.equals_insensitive("on");
  if (!isOn || known->use == Use::Read)
    return true;
  if (known->use == Use::LeftOut) {
    diagnostics.report(entry.place, diag::ScaleSimUnread, entry.key.str(), entry.section.str(),
                       known->what.str() + " are not modelled, and take no time here");
    return true;
  }
  fail(entry.place, fmt::format("`{}` is on, and {} not imported", entry.key, known->what));
  return false;
}

bool ConfigReader::readBandwidth(ScaleSimConfig &config) {
  auto mode = entries.find("run_presets.interfacebandwidth");
  if (mode == entries.end() || mode->second.value.lower() == "calc")
    return true;
  if (mode->second.value.lower() != "user") {
    fail(mode->second.place, "`InterfaceBandwidth` is CALC or USER");
    return false;
  }
  const Entry *list = find("architecture_presets", "Bandwidth");
  int64_t words = 0;
  if (!list)
    return false;
  auto [first, others] = list->value.split(',');
  if (first.trim().getAsInteger(10, words) || words < 1 || words > largest) {
    fail(list->place, "`Bandwidth` is a whole number of words per cycle");
    return false;
  }
  if (!others.trim().empty())
    diagnostics.report(list->place, diag::ScaleSimUnread, list->key.str(), list->section.str(),
                       "only the first bandwidth counts, for each operand, as in the tool");
  config.bandwidth = words;
  return true;
}

llvm::Optional<ScaleSimConfig> ConfigReader::read() {
  if (!readLines())
    return llvm::None;
  ScaleSimConfig config;
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
  valid &= readBandwidth(config);
  for (const Entry *entry : order)
    valid &= checkKey(*entry);
  auto name = entries.find("general.run_name");
  config.name = name != entries.end() ? name->second.value.str() : "scale_sim";
  return valid ? llvm::Optional<ScaleSimConfig>(config) : llvm::None;
}

llvm::Optional<ScaleSimConfig> driver::readScaleSimConfig(const SourceManager &sources, FileId file,
                                                          DiagnosticEngine &diagnostics) {
  return ConfigReader(sources, file, diagnostics).read();
}
