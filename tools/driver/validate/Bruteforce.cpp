// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kind bruteforce: mapped nests with the counts that executing them step by step gives, one JSON
// object {"case", "expected"} per file (backends/loopnest/analysis/CaseJson.h). Every figure of
// "expected" is a prediction: macs, steps, max_active_lanes, and per memory and tensor fills,
// max_resident, reads and updates with and without multicast and reduction, writebacks; per array
// and tensor the hops, where they are given. `figures` counts, per case, those that are equal.
#include "backends/loopnest/analysis/Analyse.h"
#include "backends/loopnest/analysis/CaseJson.h"
#include "tools/driver/validate/JsonFile.h"
#include "tools/driver/validate/Kind.h"
#include "llvm/Support/Path.h"

using namespace perfc;
using namespace perfc::driver;
using llvm::json::Object;

static constexpr llvm::StringLiteral bruteforceKind = "bruteforce";

namespace {

/// Walks what is expected of a case beside what was counted.
class Comparison {
public:
  Comparison(ValidationRow &row, const std::string &problem) : row(row), problem(problem) {}

  /// False when something expected is no number.
  bool compare(const Object &expected, const Object *counted, const std::string &part,
               llvm::StringRef prefix = "");
  void addTotal();

private:
  ValidationRow &row;
  const std::string &problem; ///< why nothing was counted, "" when it was
  int64_t equal = 0, total = 0;
};

} // namespace

static std::vector<llvm::StringRef> sortedKeys(const Object &object) {
  std::vector<llvm::StringRef> keys;
  for (const auto &entry : object)
    keys.push_back(entry.first);
  llvm::sort(keys);
  return keys;
}

bool Comparison::compare(const Object &expected, const Object *counted, const std::string &part,
                         llvm::StringRef prefix) {
  for (llvm::StringRef key : sortedKeys(expected)) {
    const llvm::json::Value &value = *expected.get(key);
    const llvm::json::Value *other = counted ? counted->get(key) : nullptr;
    if (const Object *object = value.getAsObject()) {
      bool isList = key == "memories" || key == "tensors" || key == "arrays";
      std::string inner = isList ? part : part + (part.empty() ? "" : ".") + key.str();
      if (!compare(*object, other ? other->getAsObject() : nullptr, inner,
                   key == "arrays" ? "hops_" : prefix))
        return false;
      continue;
    }
    Prediction prediction{
        prefix.str() + key.str(), numberOf(other), numberOf(&value), "", {}, part};
    if (!prediction.reference)
      return false;
    if (!prediction.predicted)
      prediction.skipped = problem.empty() ? "the case has no such memory or tensor" : problem;
    ++total;
    equal += prediction.predicted && prediction.predicted->equals(*prediction.reference);
    row.predictions.push_back(std::move(prediction));
  }
  return true;
}

void Comparison::addTotal() {
  row.predictions.push_back({"figures", Number(equal), Number(total), "", {}, ""});
}

/// True when the factors of each dimension multiply to its size exactly.
static bool isPerfect(const loopnest::Nest &nest) {
  std::vector<double> covered(nest.dims.size(), 1);
  for (const loopnest::Place &place : nest.places)
    for (const loopnest::Loop &loop : place.loops)
      for (const loopnest::Drive &drive : loop.drives)
        if (!drive.step)
          covered[drive.dim] *= static_cast<double>(loop.factor);
  for (size_t d = 0; d < covered.size(); ++d)
    if (covered[d] != static_cast<double>(nest.dims[d].size))
      return false;
  return true;
}

/// The row of one file; nothing, with the reason, when it is laid out differently.
static llvm::Optional<ValidationRow> predictCase(const Object &root, llvm::StringRef name,
                                                 std::string &malformed) {
  const Object *description = root.getObject("case");
  const Object *expected = root.getObject("expected");
  if (!description || !expected) {
    malformed = "it has no objects `case` and `expected`";
    return llvm::None;
  }
  llvm::Expected<loopnest::Nest> nest = loopnest::readCase(*description);
  if (!nest) {
    malformed = llvm::toString(nest.takeError());
    return llvm::None;
  }
  loopnest::AnalysisOptions options;
  options.hops = expected->get("arrays") != nullptr;
  loopnest::AnalysisResult result = loopnest::analyse(*nest, options);
  ValidationRow row{name.str(), {}, {}};
  std::string problem;
  llvm::Optional<Object> counts;
  if (result.counts) {
    counts = loopnest::writeCounts(*nest, *result.counts);
    bool isClosed = result.counts->form == loopnest::AnalysisForm::Closed;
    row.labels.push_back({"form", isClosed ? "closed" : "executed"});
  } else {
    problem = result.errors.empty() ? "not counted" : result.errors.front().message();
    row.labels.push_back({"form", "not counted"});
  }
  row.labels.push_back({"factors", isPerfect(*nest) ? "perfect" : "ragged"});
  Comparison comparison(row, problem);
  if (!comparison.compare(*expected, counts ? counts.getPointer() : nullptr, "")) {
    malformed = "`expected` holds something that is no number";
    return llvm::None;
  }
  comparison.addTotal();
  return row;
}

bool driver::predictBruteforce(Session &session, llvm::StringRef path,
                               std::vector<ValidationRow> &rows) {
  std::vector<std::string> files = filesAt(session, path, ".json", bruteforceKind);
  for (const std::string &file : files) {
    llvm::Optional<llvm::json::Value> document = readJsonFile(session, file, bruteforceKind);
    if (!document)
      continue;
    std::string malformed = "it is no JSON object";
    const Object *root = document->getAsObject();
    llvm::Optional<ValidationRow> row;
    if (root)
      row = predictCase(*root, llvm::sys::path::stem(file), malformed);
    if (row)
      rows.push_back(std::move(*row));
    else
      reportBadTable(session, file, bruteforceKind, malformed);
  }
  return !rows.empty();
}
