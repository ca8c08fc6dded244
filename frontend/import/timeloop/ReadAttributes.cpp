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
  AttributeReader(const Node &node, Level &level, NodeReader &reader)
      : node(node), level(level), attributes(level.attributes), reader(reader) {}

  bool read() {
    bool isRight = readAll();
    warnOfMisspelt();
    return isRight;
  }

private:
  bool readAll() {
    return integer({"datawidth", "word_bits", "word_width"}, 1, attributes.wordBits) &&
           integer({"block_size", "n_words"}, 1, attributes.blockSize) && readClusters() &&
           readCapacity() && readBandwidth() && readNetwork() && readMetadata();
  }
  void warnOfMisspelt() const;
  const Node *find(llvm::ArrayRef<llvm::StringRef> names) {
    known.insert(known.end(), names.begin(), names.end());
    for (llvm::StringRef name : names)
      if (const Node *value = node.find(name))
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
  bool readClusters();
  bool readCapacity();
  bool readBandwidth();
  bool readNetwork();
  bool readMetadata();

  static constexpr int64_t maxValue = int64_t(1) << 40;
  const Node &node;
  Level &level;
  Attributes &attributes;
  NodeReader &reader;
  std::vector<llvm::StringRef> known; ///< names looked for
};

} // namespace

/// Attributes of other tools are many, so that only those are reported that are a letter or two
/// from one that is read.
void AttributeReader::warnOfMisspelt() const {
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

/// Without a cluster size, as many blocks as a row of the memory has make one cluster.
bool AttributeReader::readClusters() {
  if (find({"cluster_size"}))
    return integer({"cluster_size"}, 1, attributes.clusterSize);
  const Node *found = find({"width", "memory_width"});
  int64_t width = 0;
  if (!integer({"width", "memory_width"}, 1, width))
    return false;
  __int128 block = static_cast<__int128>(attributes.wordBits) * attributes.blockSize;
  if (!found || width < block)
    return true;
  if (width % static_cast<int64_t>(block) != 0)
    return reader.fail(
        found->place, diag::YamlNumber, found->text,
        fmt::format("a multiple of a block's {} bits is", static_cast<int64_t>(block)));
  attributes.clusterSize = width / static_cast<int64_t>(block);
  return true;
}

bool AttributeReader::readCapacity() {
  int64_t value = 0;
  if (find({"entries"})) {
    if (!integer({"entries"}, 0, value))
      return false;
    attributes.words = value;
  } else if (find({"depth", "memory_depth"})) {
    if (!integer({"depth", "memory_depth"}, 0, value))
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
  const Node *reduces = find({"reduction_supported"});
  for (llvm::StringRef name : {"per_dataspace_bandwidth_consumption_scale", "power_gated_at"})
    if (const Node *found = node.find(name))
      return reader.fail(found->place, diag::TimeloopNotModelled, "the attribute " + name.str());
  return (!reduces || reader.readFlag(*reduces, attributes.reduces)) &&
         integer({"network_fill_latency"}, 0, attributes.networkFillLatency) &&
         integer({"network_drain_latency"}, 0, attributes.networkDrainLatency) &&
         real({"energy_per_hop"}, 0, attributes.hopEnergy) &&
         real({"router_energy"}, 0, attributes.routerEnergy) &&
         real({"addr_gen_energy"}, 0, attributes.addressEnergy);
}

bool AttributeReader::readMetadata() {
  return integer({"metadata_datawidth"}, 0, attributes.metadataWordBits) &&
         integer({"metadata_block_size"}, 1, attributes.metadataBlockSize) &&
         integer({"metadata_storage_width"}, 0, attributes.metadataWidth);
}

bool timeloop::readAttributes(const Node &node, Level &level, NodeReader &reader) {
  if (!reader.expect(node, yaml::NodeKind::Map, "`attributes`"))
    return false;
  for (const auto &[name, value] : node.entries)
    if (value->isScalar() && name->text != "meshX" && name->text != "meshY")
      level.written.push_back({name->text, value->text});
  return AttributeReader(node, level, reader).read();
}
