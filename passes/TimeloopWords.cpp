// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/TimeloopWords.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <fmt/format.h>

using namespace perfc;
using namespace perfc::passes;

double passes::roundedDecimal(double value) {
  return std::strtod(fmt::format("{:.12g}", value).c_str(), nullptr);
}

static double number(const ir::Attribute &value) {
  return roundedDecimal(value.asQuantity().toDouble());
}

static double picojoules(const ir::Attribute &value) {
  return roundedDecimal(value.asQuantity().toDouble() * 1e12);
}

//===-- Levels ------------------------------------------------------------------------------===//

llvm::StringRef passes::timeloopClass(const ir::Operation &part) {
  const ir::Attribute *type = part.dictAttr("timeloop").find("class");
  return type ? type->asString() : llvm::StringRef();
}

static void addWord(llvm::StringRef word, const ir::Attribute &value, timeloop::Level &level) {
  timeloop::Attributes &attributes = level.attributes;
  int64_t *whole = llvm::StringSwitch<int64_t *>(word)
                       .Case("datawidth", &attributes.wordBits)
                       .Case("block_size", &attributes.blockSize)
                       .Case("cluster_size", &attributes.clusterSize)
                       .Case("network_fill_latency", &attributes.networkFillLatency)
                       .Case("network_drain_latency", &attributes.networkDrainLatency)
                       .Case("metadata_datawidth", &attributes.metadataWordBits)
                       .Case("metadata_block_size", &attributes.metadataBlockSize)
                       .Case("metadata_storage_width", &attributes.metadataWidth)
                       .Default(nullptr);
  if (whole)
    *whole = value.asInt();
  else if (word == "entries")
    attributes.words = value.asInt();
  else if (word == "multiple_buffering")
    attributes.multipleBuffering = number(value);
  else if (word == "min_utilization")
    attributes.minUtilization = number(value);
  else if (word == "energy_per_hop")
    attributes.hopEnergy = picojoules(value);
  else if (word == "router_energy")
    attributes.routerEnergy = picojoules(value);
  else if (word == "reduction_supported")
    attributes.reduces = value.asString() == "yes";
}

void passes::addTimeloopWords(const ir::Operation &part, timeloop::Level &level) {
  for (const auto &[word, value] : part.dictAttr("timeloop").entries()) {
    if (word != "action") {
      addWord(word, value, level);
      continue;
    }
    level.energies.clear();
    for (const auto &[action, energy] : value.asDict().entries())
      level.energies.push_back({action, picojoules(energy)});
  }
}

//===-- Mappings ----------------------------------------------------------------------------===//

static llvm::Optional<timeloop::RankFormat> rankFormat(llvm::StringRef name) {
  return llvm::StringSwitch<llvm::Optional<timeloop::RankFormat>>(name)
      .Case("UB", timeloop::RankFormat::UB)
      .Case("UOP", timeloop::RankFormat::UOP)
      .Case("B", timeloop::RankFormat::B)
      .Case("RLE", timeloop::RankFormat::RLE)
      .Case("CP", timeloop::RankFormat::CP)
      .Default(llvm::None);
}

namespace {

/// One line after the other.
class LineReader {
public:
  LineReader(timeloop::Input &input, llvm::ArrayRef<std::string> indices)
      : input(input), indices(indices), sparse(input.sparse) {}

  void read(const ir::AttrDict &line);

private:
  std::vector<unsigned> spaces(const ir::Attribute *names) const;
  std::vector<unsigned> dims(const std::vector<std::string> &names) const;
  void setFlags(llvm::StringRef word, const std::vector<unsigned> &tensors, unsigned memory);
  void setOrder(const ir::AttrDict &line, timeloop::Nest &nest) const;
  void addSaving(const ir::AttrDict &line, unsigned tensor, unsigned memory);
  void addFormat(const ir::AttrDict &line, unsigned tensor, unsigned memory);
  void addRank(const ir::AttrDict &line, unsigned tensor, unsigned memory);
  void addDensity(const ir::AttrDict &line, unsigned tensor);

  timeloop::Input &input;
  llvm::ArrayRef<std::string> indices;
  timeloop::SparseInput &sparse;
  unsigned groups = 0;
};

} // namespace

std::vector<unsigned> LineReader::spaces(const ir::Attribute *names) const {
  std::vector<unsigned> found;
  for (const std::string &name : names ? names->asStrings() : std::vector<std::string>())
    if (llvm::Optional<unsigned> space = input.findSpace(name))
      found.push_back(*space);
  return found;
}

std::vector<unsigned> LineReader::dims(const std::vector<std::string> &names) const {
  std::vector<unsigned> result;
  for (const std::string &name : names) {
    auto found = llvm::find(indices, name);
    if (found != indices.end())
      result.push_back(static_cast<unsigned>(found - indices.begin()));
  }
  return result;
}

void LineReader::setFlags(llvm::StringRef word, const std::vector<unsigned> &tensors,
                          unsigned memory) {
  timeloop::Placement &placement = input.placements[memory];
  timeloop::SpaceFlags &flags = word == "no_temporal_reuse"  ? placement.noTemporalReuse
                                : word == "rmw_first_update" ? placement.rmwFirstUpdate
                                : word == "no_link_transfer" ? placement.noLinks
                                                             : placement.noMulticast;
  for (unsigned tensor : tensors)
    flags[tensor] = true;
}

/// The dimensions along y stand behind the others, as the builder of the nest left them.
void LineReader::setOrder(const ir::AttrDict &line, timeloop::Nest &nest) const {
  std::vector<unsigned> order = dims(line.find("indices")->asStrings());
  std::reverse(order.begin(), order.end());
  if (order.size() != nest.order.size())
    return;
  llvm::ArrayRef<unsigned> alongY = llvm::makeArrayRef(nest.order).drop_front(nest.split);
  unsigned split = 0;
  while (split < order.size() && !llvm::is_contained(alongY, order[split]))
    ++split;
  nest.order = std::move(order);
  nest.split = split;
}

void LineReader::addDensity(const ir::AttrDict &line, unsigned tensor) {
  bool isFixed = line.find("distribution")->asString() == "fixed_structured";
  sparse.densities.push_back(
      {tensor,
       isFixed ? timeloop::Distribution::FixedStructured : timeloop::Distribution::Hypergeometric,
       number(*line.find("share")), false});
}

void LineReader::addFormat(const ir::AttrDict &line, unsigned tensor, unsigned memory) {
  timeloop::Representation form{memory, tensor, {}, false, input.placements[memory].place};
  for (const std::string &rank : line.find("ranks")->asStrings())
    if (llvm::Optional<timeloop::RankFormat> format = rankFormat(rank))
      form.ranks.push_back({*format, {}, {}, {}});
  form.innermostFirst = line.find("innermost_first") != nullptr;
  sparse.representations.push_back(std::move(form));
}

/// What a rank of a form that stands before has of its own.
void LineReader::addRank(const ir::AttrDict &line, unsigned tensor, unsigned memory) {
  for (timeloop::Representation &form : sparse.representations) {
    size_t at = static_cast<size_t>(line.find("number")->asInt()) - 1;
    if (form.space != tensor || form.memory != memory || at >= form.ranks.size())
      continue;
    timeloop::Rank &rank = form.ranks[at];
    if (const ir::Attribute *bits = line.find("metadata_bits"))
      rank.metadataBits = bits->asInt();
    if (const ir::Attribute *bits = line.find("payload_bits"))
      rank.payloadBits = bits->asInt();
    if (const ir::Attribute *names = line.find("flatten"))
      rank.flattened.push_back(dims(names->asStrings()));
  }
}

void LineReader::addSaving(const ir::AttrDict &line, unsigned tensor, unsigned memory) {
  timeloop::Saving saving;
  saving.memory = memory;
  saving.target = tensor;
  saving.kind = *timeloop::findSavingKind(line.find("word")->asString());
  saving.leaders = spaces(line.find("when"));
  // Groups that are written have numbers of their own, far from those that are counted here.
  const ir::Attribute *group = line.find("group");
  saving.group = group ? static_cast<unsigned>((1u << 30) + group->asInt() % (1 << 30)) : groups++;
  saving.place = input.placements[memory].place;
  sparse.savings.push_back(std::move(saving));
}

void LineReader::read(const ir::AttrDict &line) {
  llvm::StringRef word = line.find("word")->asString();
  if (word == "arithmetic") {
    llvm::StringRef kind = line.find("kind")->asString();
    sparse.optimized = true;
    if (kind != "none")
      sparse.compute = timeloop::findSavingKind(kind);
    return;
  }
  if (word.endswith("_order")) {
    if (llvm::Optional<unsigned> memory = input.findMemory(line.find("at")->asString())) {
      timeloop::Placement &placement = input.placements[*memory];
      setOrder(line, word == "spatial_order" ? placement.spatial : placement.temporal);
    }
    return;
  }
  std::vector<unsigned> tensors = spaces(line.find("tensors"));
  if (tensors.empty())
    return;
  if (word == "density")
    return addDensity(line, tensors.front());
  llvm::Optional<unsigned> memory = input.findMemory(line.find("at")->asString());
  if (!memory)
    return;
  bool isFormat = word == "format", isSaving = timeloop::findSavingKind(word).hasValue();
  if (word == "rank")
    return addRank(line, tensors.front(), *memory);
  if (!isFormat && !isSaving)
    return setFlags(word, tensors, *memory);
  sparse.optimized = true;
  if (isFormat)
    addFormat(line, tensors.front(), *memory);
  else
    addSaving(line, tensors.front(), *memory);
}

void passes::addTimeloopLines(const ir::Operation &nest, llvm::ArrayRef<std::string> indices,
                              timeloop::Input &input) {
  LineReader reader(input, indices);
  for (const ir::Attribute &line : nest.listAttr("timeloop"))
    reader.read(line.asDict());
  if (nest.hasAttr("timeloop"))
    input.sparse.place = nest.range();
}
