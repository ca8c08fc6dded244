// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kind timeloop: a folder of cases, each a folder with input.yaml and the tool's expected.json
// (levels, networks and compute by name). Every input is read and evaluated in Timeloop's mode.
// Groups: the kind of the case (its mapping by hand, random with perfect or ragged factors, or a
// sparse input) and its architecture, the first part of a name such as arch__problem__mapping;
// cases with other names are in no group.
#include "tools/driver/timeloop/Timeloop.h"
#include "frontend/import/timeloop/ReadInput.h"
#include "tools/driver/validate/JsonFile.h"
#include "tools/driver/validate/Kind.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include <cmath>

using namespace perfc;
using namespace perfc::driver;
namespace json = llvm::json;

namespace {

/// The figures of one case beside the reference.
class CaseRow {
public:
  explicit CaseRow(ValidationRow &row) : row(row) {}

  void compare(llvm::StringRef metric, Number predicted, const json::Object *reference,
               llvm::StringRef key, llvm::StringRef part = "");
  void compareLevels(const timeloop::Input &input, const timeloop::Result &result,
                     const json::Object &reference);
  void compareNetworks(const timeloop::Input &input, const timeloop::Result &result,
                       const json::Object &reference);
  void compareTotals(const timeloop::Result &result, const json::Object &reference);
  void addTally();

private:
  void compareSpace(const timeloop::SpaceCounts &counts, const json::Object *reference,
                    llvm::StringRef part, bool isSparse);

  ValidationRow &row;
  int64_t counts = 0, equal = 0;
};

} // namespace

static llvm::Optional<Number> figure(const json::Object *object, llvm::StringRef key) {
  if (!object)
    return llvm::None;
  if (llvm::Optional<int64_t> whole = object->getInteger(key))
    return Number(*whole);
  if (llvm::Optional<double> real = object->getNumber(key))
    return Number::fromReal(*real);
  return llvm::None;
}

static const json::Object *named(const json::Array *list, llvm::StringRef name) {
  if (list)
    for (const json::Value &one : *list)
      if (const json::Object *object = one.getAsObject())
        if (object->getString("name") == name)
          return object;
  return nullptr;
}

static const json::Object *space(const json::Object *owner, llvm::StringRef name) {
  const json::Object *spaces = owner ? owner->getObject("dataspaces") : nullptr;
  return spaces ? spaces->getObject(name) : nullptr;
}

static Number number(uint64_t count) {
  return count <= static_cast<uint64_t>(INT64_MAX) ? Number(static_cast<int64_t>(count))
                                                   : Number::fromReal(static_cast<double>(count));
}

void CaseRow::compare(llvm::StringRef metric, Number predicted, const json::Object *reference,
                      llvm::StringRef key, llvm::StringRef part) {
  Prediction prediction;
  prediction.metric = metric.str();
  prediction.part = part.str();
  prediction.predicted = predicted;
  prediction.reference = figure(reference, key);
  if (!part.empty() && prediction.reference) {
    ++counts;
    equal += prediction.predicted->equals(*prediction.reference);
  }
  row.predictions.push_back(std::move(prediction));
}

void CaseRow::compareSpace(const timeloop::SpaceCounts &counts, const json::Object *reference,
                           llvm::StringRef part, bool isSparse) {
  compare("reads", number(counts.reads), reference, "scalar_reads", part);
  compare("fills", number(counts.fills), reference, "scalar_fills", part);
  compare("updates", number(counts.updates), reference, "scalar_updates", part);
  compare("temporal_reductions", number(counts.reductions), reference, "temporal_reductions", part);
  compare("address_generations", number(counts.addresses), reference, "address_generations", part);
  compare("tile_size", counts.tileSize, reference, "tile_size", part);
  compare("partition_size", counts.partitionSize, reference, "partition_size", part);
  compare("instances", Number::fromReal(counts.instances), reference, "utilized_instances", part);
  if (!isSparse)
    return;
  const std::pair<const char *, const timeloop::Outcome *> outcomes[] = {
      {"reads", &counts.readOutcome},
      {"fills", &counts.fillOutcome},
      {"updates", &counts.updateOutcome},
  };
  for (const auto &[name, outcome] : outcomes) {
    std::string random = std::string("random_") + name, gated = std::string("gated_") + name,
                skipped = std::string("skipped_") + name;
    compare(random, number(outcome->random), reference, random, part);
    compare(gated, number(outcome->gated), reference, gated, part);
    compare(skipped, number(outcome->skipped), reference, skipped, part);
  }
}

void CaseRow::compareLevels(const timeloop::Input &input, const timeloop::Result &result,
                            const json::Object &reference) {
  for (const timeloop::LevelResult &level : result.levels) {
    const json::Object *theirs = named(reference.getArray("levels"), level.name);
    for (unsigned index = 0; index < level.spaces.size(); ++index) {
      const std::string &tensor = input.problem.spaces[index].name;
      compareSpace(level.spaces[index], space(theirs, tensor), level.name + "." + tensor,
                   result.isSparse);
    }
  }
}

void CaseRow::compareNetworks(const timeloop::Input &input, const timeloop::Result &result,
                              const json::Object &reference) {
  for (const timeloop::NetworkResult &network : result.networks) {
    const json::Object *theirs = named(reference.getArray("networks"), network.name);
    for (unsigned index = 0; index < network.spaces.size(); ++index) {
      const timeloop::Transfers &one = network.spaces[index];
      const std::string &tensor = input.problem.spaces[index].name;
      std::string part = network.name + "." + tensor;
      const json::Object *figures = space(theirs, tensor);
      compare("multicast", one.multicast, figures, "multicast_factor", part);
      // The tool prints these with two decimals.
      compare("ingresses", Number::fromReal(std::round(one.ingresses * 100) / 100), figures,
              "ingresses", part);
      compare("link_transfers", number(one.links), figures, "link_transfers", part);
      compare("spatial_reductions", Number::fromReal(one.spatialReductions), figures,
              "spatial_reductions", part);
    }
  }
}

/// The tool prints the energy of a network with two decimals, and its sum is over what it prints;
/// the energy per instance is given in full, so the sum is made with that.
static llvm::Optional<Number> fullEnergy(const timeloop::Input &input,
                                         const timeloop::Result &result,
                                         const json::Object &reference) {
  llvm::Optional<double> sum = reference.getNumber("energy_pJ_sum");
  if (!sum)
    return llvm::None;
  double exact = *sum;
  for (unsigned memory = 0; memory < result.networks.size(); ++memory)
    for (unsigned index = 0; index < input.spaceCount(); ++index) {
      const json::Object *theirs =
          space(named(reference.getArray("networks"), result.networks[memory].name),
                input.problem.spaces[index].name);
      llvm::Optional<double> printed =
          theirs ? theirs->getNumber("energy_total_printed_pJ") : llvm::Optional<double>();
      llvm::Optional<double> one = theirs ? theirs->getNumber("energy") : llvm::Optional<double>();
      if (printed && one)
        exact += *one * result.levels[memory].spaces[index].instances - *printed;
    }
  return Number::fromReal(exact);
}

void CaseRow::compareTotals(const timeloop::Result &result, const json::Object &reference) {
  const json::Object *compute = reference.getObject("compute");
  compare("cycles", Number::fromReal(result.cycles), &reference, "cycles");
  compare("computes", Number::fromReal(result.compute.actual), compute, "actual_computes");
}

/// One figure for "all counts equal": how many of them are.
void CaseRow::addTally() {
  Prediction all;
  all.metric = "equal_counts";
  all.predicted = Number(equal);
  all.reference = Number(counts);
  row.predictions.push_back(std::move(all));
}

static std::string kindOf(llvm::StringRef name, const timeloop::Input &input) {
  llvm::StringRef mapping = name.rsplit("__").second;
  if (input.sparse.optimized)
    return "sparse";
  if (mapping.startswith("rand_p"))
    return "rand_perfect";
  return mapping.startswith("rand_i") ? "rand_imperfect" : "hand";
}

static void skip(ValidationRow &row, const std::string &reason) {
  for (const char *metric : {"cycles", "energy", "equal_counts"}) {
    Prediction prediction;
    prediction.metric = metric;
    prediction.skipped = reason;
    row.predictions.push_back(std::move(prediction));
  }
}

static void predictCase(const std::string &folder, const json::Object &reference,
                        ValidationRow &row) {
  Session inner(llvm::nulls(), llvm::nulls());
  FileId file = inner.load(folder + "/input.yaml");
  llvm::Optional<timeloop::Input> input;
  if (file)
    input = timeloop::readInput(file, inner.diagnostics);
  llvm::Optional<timeloop::Result> result;
  if (input) {
    if (llvm::StringRef(row.name).contains("__"))
      row.labels = {{"kind", kindOf(row.name, *input)},
                    {"architecture", llvm::StringRef(row.name).split("__").first.str()}};
    result = timeloop::evaluate(*input, inner.diagnostics);
  }
  if (!result)
    return skip(row, inner.diagnostics.all().empty() ? "no result"
                                                     : inner.diagnostics.all().front().message);
  CaseRow figures(row);
  figures.compareTotals(*result, reference);
  Prediction energy;
  energy.metric = "energy";
  if (result->withoutEnergy.empty())
    energy.predicted = Number::fromReal(result->energy);
  else
    energy.skipped = energyReason(*result);
  energy.reference = fullEnergy(*input, *result, reference);
  row.predictions.push_back(std::move(energy));
  figures.compareLevels(*input, *result, reference);
  figures.compareNetworks(*input, *result, reference);
  figures.addTally();
}

static std::vector<std::string> caseFolders(llvm::StringRef path) {
  std::string root = path.str();
  if (llvm::sys::fs::is_directory(root + "/cases"))
    root += "/cases";
  std::vector<std::string> folders;
  std::error_code error;
  llvm::sys::fs::directory_iterator end;
  for (llvm::sys::fs::directory_iterator it(root, error); !error && it != end; it.increment(error))
    if (llvm::sys::fs::exists(it->path() + "/input.yaml"))
      folders.push_back(it->path());
  llvm::sort(folders);
  return folders;
}

bool driver::predictTimeloop(Session &session, llvm::StringRef path,
                             std::vector<ValidationRow> &rows) {
  std::vector<std::string> folders = caseFolders(path);
  if (folders.empty()) {
    reportBadTable(session, path, "timeloop", "no folder in it has an input.yaml");
    return false;
  }
  for (const std::string &folder : folders) {
    ValidationRow row;
    row.name = llvm::sys::path::filename(folder).str();
    std::string expected = folder + "/expected.json";
    auto document = readJsonFile(session, expected, "timeloop");
    if (!document)
      return false;
    if (!document->getAsObject()) {
      reportBadTable(session, expected, "timeloop", "it is no JSON object");
      return false;
    }
    predictCase(folder, *document->getAsObject(), row);
    rows.push_back(std::move(row));
  }
  return true;
}
