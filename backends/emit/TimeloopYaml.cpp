// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/emit/Timeloop.h"

#include "ir/common/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include <fmt/format.h>

using namespace perfc;
using namespace perfc::emit;
using namespace perfc::timeloop;

namespace {

/// Prints one document, section by section.
class YamlWriter {
public:
  YamlWriter(const timeloop::Input &input, llvm::raw_ostream &os) : input(input), os(os) {}

  void architecture();
  void energies();
  void problem();
  void mapping();
  void sparse();

private:
  void line(unsigned indent, const std::string &text) { os.indent(indent) << text << '\n'; }
  void component(const Level &level, bool isMemory, unsigned indent);
  void attributes(const Level &level, bool isMemory, unsigned indent);
  void number(unsigned indent, llvm::StringRef name, double value) {
    line(indent, fmt::format("{}: {}", name, value));
  }
  void densities();
  void space(const Space &space);
  void nest(const Placement &placement, unsigned memory, bool spatial);
  void flags(const SpaceFlags &flags, llvm::StringRef name);
  void rank(const Rank &rank);
  void target(unsigned memory);
  void saving(const Saving &saving);
  std::string names(const SpaceFlags &flags, bool wanted) const;

  const timeloop::Input &input;
  llvm::raw_ostream &os;
};

} // namespace

//===-- Architecture ------------------------------------------------------------------------===//

void YamlWriter::attributes(const Level &level, bool isMemory, unsigned indent) {
  const Attributes &given = level.attributes;
  auto whole = [&](llvm::StringRef name, int64_t value) {
    line(indent, fmt::format("{}: {}", name, value));
  };
  auto optional = [&](llvm::StringRef name, const llvm::Optional<double> &value) {
    if (value)
      number(indent, name, *value);
  };
  whole("datawidth", given.wordBits);
  whole("meshX", level.meshX);
  if (!isMemory)
    return;
  whole("width", given.wordBits * given.blockSize * given.clusterSize);
  whole("block_size", given.blockSize);
  if (given.clusterSize != 1)
    whole("cluster_size", given.clusterSize);
  if (given.words && *given.words % given.blockSize == 0)
    whole("depth", *given.words / given.blockSize);
  else if (given.words)
    whole("entries", *given.words);
  if (given.multipleBuffering != 1)
    number(indent, "multiple_buffering", given.multipleBuffering);
  if (given.minUtilization != 0)
    number(indent, "min_utilization", given.minUtilization);
  optional("read_bandwidth", given.readBandwidth);
  optional("write_bandwidth", given.writeBandwidth);
  optional("shared_bandwidth", given.sharedBandwidth);
  if (given.networkFillLatency || given.networkDrainLatency) {
    whole("network_fill_latency", given.networkFillLatency);
    whole("network_drain_latency", given.networkDrainLatency);
  }
  if (given.hopEnergy != 0)
    number(indent, "energy_per_hop", given.hopEnergy);
  if (given.routerEnergy != 0)
    number(indent, "router_energy", given.routerEnergy);
  if (given.addressEnergy != 0)
    number(indent, "addr_gen_energy", given.addressEnergy);
  if (given.reduces != (level.type.find("DRAM") == std::string::npos))
    line(indent, fmt::format("reduction_supported: {}", given.reduces));
  if (given.metadataWordBits) {
    whole("metadata_datawidth", given.metadataWordBits);
    whole("metadata_block_size", given.metadataBlockSize);
    whole("metadata_storage_width", given.metadataWidth);
  }
}

void YamlWriter::component(const Level &level, bool isMemory, unsigned indent) {
  line(indent, "- name: " + level.name);
  line(indent + 2, "class: " + level.type);
  line(indent + 2, "attributes:");
  attributes(level, isMemory, indent + 4);
}

/// A part of the chip begins where there are more instances than outside.
void YamlWriter::architecture() {
  line(0, "architecture:");
  line(2, "version: 0.4");
  line(2, "subtree:");
  unsigned indent = 2, part = 0;
  int64_t instances = 0;
  for (size_t index = input.memories.size() + 1; index-- > 0;) {
    const Level &level = input.level(static_cast<unsigned>(index));
    if (level.instances != instances) {
      int64_t copies = instances ? level.instances / instances : 1;
      if (instances) {
        line(indent, "subtree:");
      }
      std::string range = copies > 1 ? fmt::format("[0..{}]", copies - 1) : "";
      line(indent,
           fmt::format("- name: {}{}", part ? fmt::format("part{}", part) : "system", range));
      indent += 2;
      line(indent, "local:");
      instances = level.instances;
      ++part;
    }
    component(level, index > 0, indent);
  }
}

/// Levels whose energies are not known have no table.
void YamlWriter::energies() {
  bool isEmpty = true;
  for (unsigned index = 0; index <= input.memories.size(); ++index)
    isEmpty &= input.level(index).energies.empty();
  if (isEmpty)
    return;
  line(0, "ERT:");
  line(2, "version: 0.4");
  line(2, "tables:");
  for (size_t index = input.memories.size() + 1; index-- > 0;) {
    const Level &level = input.level(static_cast<unsigned>(index));
    if (level.energies.empty())
      continue;
    line(2, "- name: " + level.name);
    line(4, "actions:");
    for (const auto &[action, energy] : level.energies) {
      line(4, "- name: " + action);
      number(6, "energy", energy);
    }
  }
}

//===-- Problem -----------------------------------------------------------------------------===//

void YamlWriter::space(const Space &space) {
  line(4, "- name: " + space.name);
  std::vector<std::string> ranks;
  for (const std::vector<Term> &rank : space.ranks) {
    std::vector<std::string> terms;
    for (const Term &term : rank)
      terms.push_back("[" + input.problem.dims[term.dim] +
                      (term.name.empty() ? "" : ", " + term.name) + "]");
    ranks.push_back("[" + llvm::join(terms, ", ") + "]");
  }
  line(6, "projection: [" + llvm::join(ranks, ", ") + "]");
  if (space.readWrite)
    line(6, "read_write: true");
}

void YamlWriter::densities() {
  if (input.sparse.densities.empty())
    return;
  line(4, "densities:");
  for (const Density &density : input.sparse.densities) {
    const std::string &name = input.problem.spaces[density.space].name;
    if (density.bare) {
      number(6, name, density.value);
      continue;
    }
    bool isFixed = density.distribution == timeloop::Distribution::FixedStructured;
    line(6, name + ":");
    line(8, fmt::format("distribution: {}", isFixed ? "fixed_structured" : "hypergeometric"));
    number(8, "density", density.value);
  }
}

void YamlWriter::problem() {
  line(0, "problem:");
  line(2, "version: 0.4");
  line(2, "shape:");
  if (!input.problem.name.empty())
    line(4, "name: " + input.problem.name);
  line(4, "dimensions: [" + llvm::join(input.problem.dims, ", ") + "]");
  if (!input.problem.coefficients.empty())
    line(4, "coefficients:");
  for (const Coefficient &coefficient : input.problem.coefficients)
    line(4, fmt::format("- {{name: {}, default: {}}}", coefficient.name, coefficient.value));
  line(4, "data_spaces:");
  for (const Space &one : input.problem.spaces)
    space(one);
  line(2, "instance:");
  for (unsigned dim = 0; dim < input.dimCount(); ++dim)
    line(4, fmt::format("{}: {}", input.problem.dims[dim], input.problem.bounds[dim]));
  densities();
}

//===-- Mapping -----------------------------------------------------------------------------===//

std::string YamlWriter::names(const SpaceFlags &flags, bool wanted) const {
  std::vector<std::string> list;
  for (unsigned space = 0; space < flags.size(); ++space)
    if (flags[space] == wanted)
      list.push_back(input.problem.spaces[space].name);
  return "[" + llvm::join(list, ", ") + "]";
}

void YamlWriter::flags(const SpaceFlags &flags, llvm::StringRef name) {
  if (llvm::is_contained(flags, true))
    line(2, fmt::format("{}: {}", name, names(flags, true)));
}

void YamlWriter::nest(const Placement &placement, unsigned memory, bool spatial) {
  const Nest &nest = spatial ? placement.spatial : placement.temporal;
  line(0, "- target: " + input.memories[memory].name);
  line(2, fmt::format("type: {}", spatial ? "spatial" : "temporal"));
  std::vector<std::string> factors;
  for (unsigned dim = 0; dim < input.dimCount(); ++dim) {
    const Factor &factor = nest.factors[dim];
    factors.push_back(
        fmt::format("{}={}{}", input.problem.dims[dim], factor.end,
                    factor.residual == factor.end ? "" : "," + std::to_string(factor.residual)));
  }
  line(2, "factors: " + llvm::join(factors, " "));
  std::string order;
  for (unsigned dim : nest.order)
    order += input.problem.dims[dim];
  line(2, "permutation: " + order);
  if (spatial)
    line(2, fmt::format("split: {}", nest.split));
}

void YamlWriter::mapping() {
  line(0, "mapping:");
  for (size_t index = input.memories.size(); index-- > 0;) {
    unsigned memory = static_cast<unsigned>(index);
    const Placement &placement = input.placements[memory];
    if (llvm::is_contained(placement.keep, false)) {
      line(0, "- target: " + input.memories[memory].name);
      line(2, "type: bypass");
      line(2, "keep: " + names(placement.keep, true));
      line(2, "bypass: " + names(placement.keep, false));
    }
    nest(placement, memory, false);
    flags(placement.noTemporalReuse, "no_temporal_reuse");
    flags(placement.rmwFirstUpdate, "rmw_first_update");
    if (!placement.spatial.given)
      continue;
    nest(placement, memory, true);
    flags(placement.noLinks, "no_link_transfer");
    flags(placement.noMulticast, "no_reuse");
  }
}

//===-- Sparse optimizations ----------------------------------------------------------------===//

static llvm::StringRef formatName(RankFormat format) {
  static constexpr llvm::StringLiteral names[] = {"UB", "UOP", "B", "RLE", "CP"};
  return names[static_cast<unsigned>(format)];
}

void YamlWriter::saving(const Saving &saving) {
  line(6, fmt::format("- target: {}", input.problem.spaces[saving.target].name));
  std::vector<std::string> leaders;
  for (unsigned leader : saving.leaders)
    leaders.push_back(input.problem.spaces[leader].name);
  line(8, "condition_on: [" + llvm::join(leaders, ", ") + "]");
}

void YamlWriter::rank(const Rank &rank) {
  line(8, fmt::format("- format: {}", formatName(rank.format)));
  if (rank.metadataBits)
    line(10, fmt::format("metadata_word_bits: {}", *rank.metadataBits));
  if (rank.payloadBits)
    line(10, fmt::format("payload_word_bits: {}", *rank.payloadBits));
  std::vector<std::string> lists;
  for (const std::vector<unsigned> &list : rank.flattened) {
    std::vector<std::string> names;
    for (unsigned dim : list)
      names.push_back(input.problem.dims[dim]);
    lists.push_back("[" + llvm::join(names, ", ") + "]");
  }
  if (!lists.empty())
    line(10, "flattened_rankIDs: [" + llvm::join(lists, ", ") + "]");
}

void YamlWriter::target(unsigned memory) {
  bool hasFormats = false, hasSavings = false;
  auto open = [&](bool &isOpen, llvm::StringRef word) {
    if (!hasFormats && !hasSavings)
      line(2, "- name: " + input.memories[memory].name);
    if (!isOpen)
      line(4, word.str());
    isOpen = true;
  };
  for (const Representation &form : input.sparse.representations) {
    if (form.memory != memory)
      continue;
    if (!hasFormats)
      open(hasFormats, "representation_format:\n      data_spaces:");
    line(6, "- name: " + input.problem.spaces[form.space].name);
    if (form.innermostFirst)
      line(8, "rank_application_order: inner_to_outer");
    line(8, "ranks:");
    for (const Rank &one : form.ranks)
      rank(one);
  }
  llvm::Optional<unsigned> group;
  for (const Saving &one : input.sparse.savings) {
    if (one.memory != memory)
      continue;
    open(hasSavings, "action_optimization:");
    if (group != one.group) {
      line(4, fmt::format("- type: {}", toolWordOf(one.kind)));
      line(6, "options:");
    }
    group = one.group;
    saving(one);
  }
}

void YamlWriter::sparse() {
  if (!input.sparse.optimized)
    return;
  line(0, "sparse_optimizations:");
  line(2, "targets:");
  for (size_t memory = input.memories.size(); memory-- > 0;)
    target(static_cast<unsigned>(memory));
  if (!input.sparse.compute)
    return;
  line(2, "- name: " + input.compute.name);
  line(4, "compute_optimization:");
  line(4, fmt::format("- type: {}", toolWordOf(*input.sparse.compute)));
}

void emit::writeTimeloopInput(const timeloop::Input &input, llvm::raw_ostream &os) {
  YamlWriter writer(input, os);
  writer.architecture();
  writer.energies();
  writer.problem();
  writer.mapping();
  writer.sparse();
}
