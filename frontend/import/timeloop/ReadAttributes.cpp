// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/import/timeloop/Sections.h"

#include "ir/common/diagnostics/Timeloop.h"

#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace perfc;
using namespace perfc::timeloop;
using yaml::Node;
using yaml::NodeReader;

namespace {

/// Attributes of a component, read by name; what decides another figure is looked at first.
class AttributeReader {
public:
  AttributeReader(llvm::ArrayRef<const Node *> maps, Level &level, NodeReader &reader)
      : maps(maps), level(level), attributes(level.attributes), reader(reader) {}

  bool readMemory() {
    bool isRight = readWords() && readBlocks() && readCapacity() && readBandwidth() &&
                   readNetwork() && readMetadata() && refuseOthers();
    warnOfMisspelt();
    return isRight;
  }
  bool readArithmetic() {
    bool isRight = readWords();
    warnOfMisspelt();
    return isRight;
  }

private:
  bool readWords() {
    return integer({"datawidth", "word_bits", "word_width"}, 1, attributes.wordBits);
  }
  void warnOfMisspelt() const;
  /// The value under the first of `names` that some map has. An empty one is as if it were not
  /// there.
  const Node *find(llvm::ArrayRef<llvm::StringRef> names) {
    known.insert(known.end(), names.begin(), names.end());
    for (const Node *map : maps)
      for (llvm::StringRef name : names)
        if (const Node *value = map->find(name); value && value->kind != yaml::NodeKind::Null)
          return value;
    return nullptr;
  }
  bool integer(llvm::ArrayRef<llvm::StringRef> names, int64_t least, int64_t &value) {
    const Node *found = find(names);
    return !found || (reader.readInteger(*found, least, value) &&
                      (value <= maxValue || reader.fail(found->place, diag::YamlNumber, found->text,
                                                        "a number below 2^40 is")));
  }
  bool real(llvm::ArrayRef<llvm::StringRef> names, double least, double &value) {
    const Node *found = find(names);
    return !found || reader.readReal(*found, least, value);
  }
  bool bandwidth(llvm::StringRef name, llvm::Optional<double> &value) {
    const Node *found = find({name});
    double words = 0;
    if (!found)
      return true;
    if (!reader.readReal(*found, 0, words))
      return false;
    value = words;
    return words > 0 ||
           reader.fail(found->place, diag::YamlNumber, found->text, "a number above 0 is");
  }
  bool readBlocks();
  bool readCapacity();
  bool readBandwidth();
  bool readNetwork();
  bool readMetadata();
  bool refuseOthers();

  static constexpr int64_t maxValue = int64_t(1) << 40;
  llvm::ArrayRef<const Node *> maps; ///< of the component first, then of what it stands in
  Level &level;
  Attributes &attributes;
  NodeReader &reader;
  std::vector<llvm::StringRef> known; ///< names looked for
};

} // namespace

/// Attributes of other tools are many, so that only those are reported that are a letter or two
/// from one that is read.
void AttributeReader::warnOfMisspelt() const {
  const Node &node = *maps.front();
  for (const auto &[name, value] : node.entries) {
    unsigned limit = name->text.size() < 10 ? 1 : 2;
    auto isMeant = [&, &name = name](llvm::StringRef word) {
      return word.edit_distance(name->text, /*AllowReplacements=*/true, limit) <= limit;
    };
    auto meant = value->isRead ? known.end() : llvm::find_if(known, isMeant);
    if (meant == known.end())
      continue;
    Diagnostic &report =
        reader.diagnostics.report(name->place, diag::TimeloopUnread, name->text, level.name);
    if (node.find(*meant) == value) // a second name for what another one says
      report.help(fmt::format("another attribute of {} says the same", level.name));
    else
      report.suggest(name->text, *meant);
  }
}

/// width = cluster_size * block_size * bits of a word. Two of the three give the third; a width
/// alone is one block.
bool AttributeReader::readBlocks() {
  const Node *block = find({"block_size", "n_words"}), *cluster = find({"cluster_size"});
  const Node *given = find({"width", "memory_width", "data_storage_width"});
  int64_t width = 0;
  if ((block && !integer({"block_size", "n_words"}, 1, attributes.blockSize)) ||
      (cluster && !integer({"cluster_size"}, 1, attributes.clusterSize)) ||
      (given && !integer({"width", "memory_width", "data_storage_width"}, 1, width)))
    return false;
  if (!given)
    return true;
  __int128 known =
      static_cast<__int128>(attributes.wordBits) * attributes.blockSize * attributes.clusterSize;
  bool isWhole = width % known == 0;
  if (block && cluster ? width != known : !isWhole)
    return reader.fail(given->place, diag::YamlNumber, given->text,
                       fmt::format("{} {} bits of {} is",
                                   block && cluster ? "the number of" : "a multiple of the",
                                   static_cast<int64_t>(known),
                                   cluster ? "a cluster"
                                   : block ? "a block"
                                           : "a word"));
  (block ? attributes.clusterSize : attributes.blockSize) *= width / static_cast<int64_t>(known);
  return true;
}

bool AttributeReader::readCapacity() {
  int64_t value = 0;
  if (find({"entries"})) {
    if (!integer({"entries"}, 0, value))
      return false;
    attributes.words = value;
  } else if (find({"depth", "memory_depth", "data_storage_depth"})) {
    if (!integer({"depth", "memory_depth", "data_storage_depth"}, 0, value))
      return false;
    __int128 words = static_cast<__int128>(value) * attributes.blockSize;
    attributes.words = words > maxValue ? maxValue : static_cast<int64_t>(words);
  } else if (find({"sizeKB"})) {
    if (!integer({"sizeKB"}, 0, value))
      return false;
    attributes.words = value * 1024 * 8 / attributes.wordBits;
  }
  if (level.type == "DRAM")
    attributes.words = llvm::None;
  if (!real({"multiple_buffering"}, 0, attributes.multipleBuffering) ||
      !real({"min_utilization"}, 0, attributes.minUtilization))
    return false;
  return attributes.multipleBuffering >= 1 ||
         reader.fail(find({"multiple_buffering"})->place, diag::YamlNumber,
                     find({"multiple_buffering"})->text, "a number of at least 1 is");
}

bool AttributeReader::readBandwidth() {
  llvm::Optional<double> both;
  if (!bandwidth("bandwidth", both))
    return false;
  if (both)
    attributes.readBandwidth = attributes.writeBandwidth = *both / 2;
  return bandwidth("read_bandwidth", attributes.readBandwidth) &&
         bandwidth("write_bandwidth", attributes.writeBandwidth) &&
         bandwidth("shared_bandwidth", attributes.sharedBandwidth);
}

bool AttributeReader::readNetwork() {
  const Node *reduces = find({"reduction_supported"}), *technology = find({"technology"});
  if (technology && technology->text == "DRAM")
    attributes.reduces = false;
  return (!reduces || reader.readFlag(*reduces, attributes.reduces)) &&
         integer({"network_fill_latency"}, 0, attributes.networkFillLatency) &&
         integer({"network_drain_latency"}, 0, attributes.networkDrainLatency) &&
         real({"energy_per_hop"}, 0, attributes.hopEnergy) &&
         real({"router_energy"}, 0, attributes.routerEnergy) &&
         real({"addr_gen_energy"}, 0, attributes.addressEnergy);
}

bool AttributeReader::readMetadata() {
  return integer({"metadata_datawidth", "metadata_word_bits"}, 0, attributes.metadataWordBits) &&
         integer({"metadata_block_size"}, 1, attributes.metadataBlockSize) &&
         integer({"metadata_storage_width", "metadata_width"}, 0, attributes.metadataWidth);
}

/// What the tool takes into account and the model here does not.
bool AttributeReader::refuseOthers() {
  if (const Node *gate = find({"power_gated_at"})) {
    if (!reader.readText(*gate, "a memory", level.gatedAt))
      return false;
    level.gatePlace = gate->place;
  }
  for (llvm::StringRef name : {"allow_overbooking", "tile_partition_supported"}) {
    const Node *flag = find({name});
    bool isOn = false;
    if (flag && !reader.readFlag(*flag, isOn))
      return false;
    if (isOn)
      return reader.fail(flag->place, diag::TimeloopNotModelled, "the attribute " + name.str());
  }
  const Node *scale = find({"per_dataspace_bandwidth_consumption_scale"});
  if (scale && !(scale->isMap() && scale->entries.empty()))
    return reader.fail(scale->place, diag::TimeloopNotModelled,
                       "the attribute per_dataspace_bandwidth_consumption_scale");
  if (const Node *own = find({"vector_access_energy"}))
    return reader.fail(own->place, diag::TimeloopNotModelled,
                       "the attribute vector_access_energy, which overrides the ERT");
  return true;
}

bool timeloop::readAttributes(llvm::ArrayRef<const Node *> maps, bool isArithmetic, Level &level,
                              NodeReader &reader) {
  for (const Node *map : maps)
    if (!reader.expect(*map, yaml::NodeKind::Map, "`attributes`"))
      return false;
  if (maps.empty())
    return true;
  AttributeReader attributes(maps, level, reader);
  return isArithmetic ? attributes.readArithmetic() : attributes.readMemory();
}
