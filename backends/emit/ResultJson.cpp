// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Results as JSON. Every figure is in SI units (s, J, m2, B, Hz and products of them);
// docs/output.md is the reference, and its version is `schema`.
#include "backends/emit/StatementForm.h"

#include "llvm/ADT/Twine.h"
#include <algorithm>

using namespace perfc;
using namespace perfc::emit;

static constexpr int schemaVersion = 1;

Json perfc::emit::placeJson(SourceRange range, const SourceManager &sources) {
  if (!range.isValid())
    return Json();
  LineColumn place = sources.lineColumn(range.file, range.begin);
  return Json::object()
      .set("file", sources.path(range.file))
      .set("line", place.line)
      .set("column", place.column);
}

Json perfc::emit::expectationJson(const Expectation &expectation, const SourceManager &sources) {
  Json json = Json::object().set("text", expectation.text).set("holds", expectation.holds);
  if (expectation.probability)
    json.set("probability", *expectation.probability);
  json.set("place", placeJson(expectation.place, sources));
  return json;
}

static Json attributeJson(const ir::Attribute &value) {
  if (value.is(ir::AttrKind::Int))
    return value.asInt();
  if (value.is(ir::AttrKind::Bool))
    return value.asBool();
  if (value.is(ir::AttrKind::Quantity))
    return value.asQuantity().toDouble();
  if (value.is(ir::AttrKind::String))
    return value.asString();
  return value.text();
}

/// Counts are integers; a metric without a value is null.
static Json metricJson(const MetricValue &value) {
  if (!value.text.empty())
    return value.text;
  if (!value.notGiven.empty())
    return Json();
  return value.count ? Json(*value.count) : Json(value.value.central());
}

static void addMetrics(Json &json, const Result &result) {
  Json values = Json::object(), uncertain = Json::object(), missing = Json::object();
  std::vector<std::pair<llvm::StringRef, MetricValue>> all = metricsOf(result);
  all.insert(all.end(), result.own.begin(), result.own.end());
  for (const auto &[name, value] : all) {
    values.set(name, metricJson(value));
    if (!value.notGiven.empty())
      missing.set(name, value.notGiven);
    else if (value.hasNumber() && !value.value.isCertain())
      uncertain.set(name, value.value.halfWidth());
  }
  for (const MetricSpec &spec : perfc::metricsOf(result.kind)) {
    if (spec.form != MetricForm::Distribution)
      continue;
    for (llvm::StringRef member : distributionMembers()) {
      std::string path = (spec.name + "." + member).str();
      llvm::Optional<MetricValue> value = metric(result, path);
      if (value && value->hasNumber() && !value->value.isCertain())
        uncertain.set(path, value->value.halfWidth());
    }
  }
  json.set("metrics", std::move(values));
  if (!uncertain.isEmpty())
    json.set("half_width", std::move(uncertain));
  if (!missing.isEmpty())
    json.set("not_given", std::move(missing));
}

static Json figureJson(const Figure &figure) {
  return figure.isGiven() ? Json(figure.known.central()) : Json();
}

static Json kernelsJson(const Result &result, const SourceManager &sources) {
  Json list = Json::array();
  auto counted = [&](double figure) { return result.isTimesOnly ? Json() : Json(figure); };
  for (const KernelLine &line : flatten(result.cost.breakdown)) {
    const CostPart &part = *line.part;
    Json parts = Json::array();
    for (const CostPart &child : part.children)
      parts.push(Json::object()
                     .set("kind", partKindName(child.kind))
                     .set("label", child.label)
                     .set("latency", child.latency.central()));
    list.push(Json::object()
                  .set("label", part.label)
                  .set("kind", partKindName(part.kind))
                  .set("count", line.count)
                  .set("latency", line.latency.central())
                  .set("energy", figureJson(line.energy))
                  .set("macs", counted(line.macs))
                  .set("flops", counted(line.flops))
                  .set("utilization", counted(part.utilization))
                  .set("bound", part.bound)
                  .set("provider", part.provider)
                  .set("mapping", part.mapping)
                  .set("place", placeJson(part.location, sources))
                  .set("parts", std::move(parts)));
  }
  return list;
}

static Json ensembleJson(llvm::ArrayRef<EnsembleMember> members) {
  Json list = Json::array();
  for (const EnsembleMember &member : members)
    list.push(Json::object()
                  .set("provider", member.name)
                  .set("latency", member.latency.central())
                  .set("half_width", member.latency.halfWidth())
                  .set("weight", member.weight));
  return list;
}

static Json memoriesJson(const Cost &cost) {
  Json list = Json::array();
  for (const MemoryTraffic &memory : cost.traffic)
    list.push(Json::object()
                  .set("name", memory.memory)
                  .set("off_chip", memory.isOffChip)
                  .set("read_bytes", memory.readBytes)
                  .set("write_bytes", memory.writeBytes)
                  .set("latency", memory.latency.central())
                  .set("energy", figureJson(memory.energy)));
  return list;
}

static Json accessesJson(const Cost &cost) {
  Json list = Json::array();
  for (const AccessCounts &counts : cost.accesses) {
    Json entry = Json::object()
                     .set("memory", counts.memory)
                     .set("tensor", counts.tensor)
                     .set("role", counts.role)
                     .set("fills", counts.fills)
                     .set("reads", counts.reads)
                     .set("updates", counts.updates)
                     .set("writebacks", counts.writebacks)
                     .set("max_resident", counts.maxResident)
                     .set("reads_shared", counts.readsShared)
                     .set("reads_separate", counts.readsSeparate)
                     .set("updates_shared", counts.updatesShared)
                     .set("updates_separate", counts.updatesSeparate);
    if (counts.isOutput && counts.partialBits)
      entry = std::move(entry)
                  .set("finished_updates", counts.finishedUpdates)
                  .set("finished_writebacks", counts.finishedWritebacks)
                  .set("word_bits", counts.wordBits)
                  .set("partial_bits", counts.partialBits);
    list.push(std::move(entry));
  }
  return list;
}

Json perfc::emit::resultJson(const Result &result, const SourceManager &sources) {
  const Cost &cost = result.cost;
  Json point = Json::object();
  for (const auto &[name, value] : result.point.entries())
    point.set(name, attributeJson(value));
  Json json =
      Json::object()
          .set("name", result.name)
          .set("label", result.label)
          .set("subject", result.subject)
          .set("on", result.on)
          .set("statement", result.statement)
          .set("point", std::move(point))
          .set("place", placeJson(result.place, sources))
          .set("provider", cost.provenance.provider)
          .set("mapping", cost.provenance.mapping)
          .set("formula", cost.provenance.formula)
          .set("params",
               result.isTimesOnly || !result.parameters ? Json() : Json(*result.parameters));
  addMetrics(json, result);
  json.set("memory_capacity", cost.memoryCapacity ? Json(*cost.memoryCapacity) : Json());
  Json bounds = Json::array();
  for (const BoundTime &bound : cost.bounds)
    bounds.push(
        Json::object().set("resource", bound.resource).set("latency", bound.latency.central()));
  if (!result.ensemble.empty())
    json.set("ensemble", ensembleJson(result.ensemble));
  if (result.verified)
    json.set("verified", Json::object()
                             .set("nests", result.verified->nests)
                             .set("equal", result.verified->equal)
                             .set("too_large", result.verified->tooLarge));
  if (auto add = result.form->json)
    add(result, json);
  json.set("bounds", std::move(bounds))
      .set("memories", memoriesJson(cost))
      .set("accesses", accessesJson(cost))
      .set("kernels", kernelsJson(result, sources));
  Json notes = Json::array(), expectations = Json::array();
  for (const std::string &note : cost.notes)
    notes.push(note);
  for (const Expectation &expectation : result.expectations)
    expectations.push(expectationJson(expectation, sources));
  return json.set("notes", std::move(notes)).set("expectations", std::move(expectations));
}

void perfc::emit::writeJson(const Input &input, llvm::raw_ostream &os) {
  Json results = Json::array();
  for (const Result *result : input.results)
    results.push(resultJson(*result, input.sources));
  Json::object().set("schema", schemaVersion).set("results", std::move(results)).print(os);
  os << '\n';
}
