// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/import/timeloop/TimeloopText.h"

#include "ir/common/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <map>

using namespace perfc;
using namespace perfc::timeloop;

std::string timeloop::decimal(double value) { return fmt::format("{:.12g}", value); }

using Energies = std::vector<std::pair<std::string, double>>;

/// True for what can stand as a name in the language.
static bool isName(llvm::StringRef text) {
  static constexpr llvm::StringLiteral reserved[] = {"import", "if", "then", "else",
                                                     "and",    "or", "not",  "in"};
  auto continues = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  return !text.empty() && !llvm::isDigit(text.front()) && llvm::all_of(text, continues) &&
         !llvm::is_contained(reserved, text);
}

/// The energy that the tool takes for the plain action `name`, if only plain actions are given.
static bool saysTheSame(const Energies &given, const Energies &plain) {
  auto find = [](const Energies &list, llvm::StringRef name) {
    return llvm::find_if(list, [&](const auto &one) { return one.first == name; });
  };
  for (const auto &[name, energy] : given)
    if (find(plain, name) == plain.end())
      return false;
  for (const auto &[name, energy] : plain) {
    auto own = find(given, name);
    if (own == given.end() && name == "update")
      own = find(given, "write");
    double value = own == given.end() ? 0 : own->second;
    if ((own == given.end() && name != "leak") || decimal(value) != decimal(energy))
      return false;
  }
  return true;
}

std::vector<std::string> timeloop::levelLines(const Level &level, const PlainLevel &plain) {
  const Attributes &given = level.attributes;
  std::vector<std::string> lines;
  auto whole = [&](llvm::StringRef word, int64_t value, int64_t plainValue) {
    if (value != plainValue)
      lines.push_back(fmt::format("{} {}", word, value));
  };
  auto real = [&](llvm::StringRef word, double value, double plainValue, llvm::StringRef unit) {
    if (decimal(value) != decimal(plainValue))
      lines.push_back(fmt::format("{} {}{}", word, decimal(value), unit));
  };
  if (level.type != plain.type)
    lines.push_back(fmt::format("class \"{}\"", level.type));
  whole("datawidth", given.wordBits, plain.wordBits);
  whole("block_size", given.blockSize, 1);
  whole("cluster_size", given.clusterSize, 1);
  bool isWholeBuffer = given.multipleBuffering == 1;
  if (given.words && !isWholeBuffer)
    whole("entries", *given.words, -1);
  real("multiple_buffering", given.multipleBuffering, 1, "");
  real("min_utilization", given.minUtilization, 0, "");
  whole("network_fill_latency", given.networkFillLatency, 0);
  whole("network_drain_latency", given.networkDrainLatency, 0);
  real("energy_per_hop", given.hopEnergy, plain.hasHops ? given.hopEnergy : 0, "pJ");
  real("router_energy", given.routerEnergy, 0, "pJ");
  if (given.reduces != (level.type.find("DRAM") == std::string::npos))
    lines.push_back(fmt::format("reduction_supported {}", given.reduces ? "yes" : "no"));
  whole("metadata_datawidth", given.metadataWordBits, 0);
  whole("metadata_block_size", given.metadataBlockSize, 1);
  whole("metadata_storage_width", given.metadataWidth, 0);
  if (!saysTheSame(level.energies, plain.energies))
    for (const auto &[action, energy] : level.energies)
      if (isName(action)) // the tool's own actions are; it asks for no others
        lines.push_back(fmt::format("action {} = {}pJ", action, decimal(energy)));
  return lines;
}

//===-- The mapping -------------------------------------------------------------------------===//

namespace {

class MappingText {
public:
  MappingText(const Input &input, llvm::ArrayRef<unsigned> dims,
              llvm::ArrayRef<std::string> indices)
      : input(input), dims(dims), indices(indices) {}

  std::vector<std::string> run();

private:
  void addFlags(llvm::StringRef word, const SpaceFlags &flags, unsigned memory);
  void addOrder(llvm::StringRef word, const Nest &nest, unsigned memory);
  void addForm(const Representation &form);
  void addSavings();
  std::string names(llvm::ArrayRef<unsigned> spaces) const;
  const std::string &space(unsigned number) const { return input.problem.spaces[number].name; }
  const std::string &memory(unsigned number) const { return input.memories[number].name; }

  const Input &input;
  llvm::ArrayRef<unsigned> dims;       ///< in the order of the program
  llvm::ArrayRef<std::string> indices; ///< by dimension
  std::vector<std::string> lines;
};

} // namespace

std::string MappingText::names(llvm::ArrayRef<unsigned> spaces) const {
  std::vector<std::string> list;
  for (unsigned number : spaces)
    list.push_back(space(number));
  return llvm::join(list, ", ");
}

void MappingText::addFlags(llvm::StringRef word, const SpaceFlags &flags, unsigned at) {
  std::vector<unsigned> set;
  for (unsigned number = 0; number < flags.size(); ++number)
    if (flags[number])
      set.push_back(number);
  if (!set.empty())
    lines.push_back(fmt::format("{} {} at {}", word, names(set), memory(at)));
}

/// Only forms of sparse tensors see where the loops of one step stand. Without the line they stand
/// outside the others along x, in the order of the program.
void MappingText::addOrder(llvm::StringRef word, const Nest &nest, unsigned at) {
  std::vector<unsigned> plain;
  unsigned split = std::min(nest.split, input.dimCount());
  auto addLoops = [&](unsigned from, unsigned to) {
    for (unsigned i = from; i < to; ++i)
      if (nest.factors[nest.order[i]].end != 1)
        plain.push_back(nest.order[i]);
  };
  addLoops(0, split);
  for (unsigned dim : dims)
    if (nest.factors[dim].end == 1)
      plain.push_back(dim);
  addLoops(split, input.dimCount());
  if (!input.sparse.optimized || plain == nest.order)
    return;
  std::vector<std::string> names;
  for (unsigned dim : llvm::reverse(nest.order))
    names.push_back(indices[dim]);
  lines.push_back(fmt::format("{} {} at {}", word, llvm::join(names, ", "), memory(at)));
}

void MappingText::addSavings() {
  std::map<unsigned, unsigned> sizes;
  for (const Saving &saving : input.sparse.savings)
    ++sizes[saving.group];
  // Groups of one need no number; the others are numbered as they come.
  std::map<unsigned, unsigned> numbers;
  for (const Saving &saving : input.sparse.savings) {
    std::string group;
    if (sizes[saving.group] > 1)
      group = fmt::format(
          " group {}",
          numbers.try_emplace(saving.group, static_cast<unsigned>(numbers.size())).first->second);
    lines.push_back(fmt::format("{} {} at {} when {}{}", wordOf(saving.kind), space(saving.target),
                                memory(saving.memory), names(saving.leaders), group));
  }
}

/// What a rank has of its own stands in lines after the form, one for each list of dimensions.
void MappingText::addForm(const Representation &form) {
  static constexpr llvm::StringLiteral formats[] = {"UB", "UOP", "B", "RLE", "CP"};
  std::vector<llvm::StringRef> ranks;
  for (const Rank &rank : form.ranks)
    ranks.push_back(formats[static_cast<unsigned>(rank.format)]);
  std::string place = fmt::format("{} at {}", space(form.space), memory(form.memory));
  lines.push_back(fmt::format("format {} ranks {}{}", place, llvm::join(ranks, ", "),
                              form.innermostFirst ? " order innermost_first" : ""));
  size_t number = 0;
  for (const Rank &rank : form.ranks) {
    std::string line = fmt::format("rank {} number {}", place, ++number), bits;
    if (rank.metadataBits)
      bits += fmt::format(" metadata_bits {}", *rank.metadataBits);
    if (rank.payloadBits)
      bits += fmt::format(" payload_bits {}", *rank.payloadBits);
    if (!bits.empty())
      lines.push_back(line + bits);
    for (const std::vector<unsigned> &list : rank.flattened) {
      std::vector<std::string> names;
      for (unsigned dim : list)
        names.push_back(indices[dim]);
      lines.push_back(line + " flatten " + llvm::join(names, ", "));
    }
  }
}

std::vector<std::string> MappingText::run() {
  for (size_t i = input.memories.size(); i-- > 0;) {
    auto at = static_cast<unsigned>(i);
    const Placement &placement = input.placements[i];
    addFlags("no_temporal_reuse", placement.noTemporalReuse, at);
    addFlags("rmw_first_update", placement.rmwFirstUpdate, at);
    addFlags("no_link_transfer", placement.noLinks, at);
    addFlags("no_multicast", placement.noMulticast, at);
    addOrder("temporal_order", placement.temporal, at);
    if (input.level(at).instances != input.memories[at].instances)
      addOrder("spatial_order", placement.spatial, at);
  }
  const SparseInput &sparse = input.sparse;
  for (const Density &density : sparse.densities) {
    bool isFixed = density.distribution == Distribution::FixedStructured;
    lines.push_back(fmt::format("density {} {} {}", space(density.space),
                                isFixed ? "fixed_structured" : "hypergeometric",
                                decimal(density.value)));
  }
  for (size_t i = input.memories.size(); i-- > 0;)
    for (const Representation &form : sparse.representations) {
      if (form.memory == i)
        addForm(form);
    }
  addSavings();
  bool saysNothing = sparse.representations.empty() && sparse.savings.empty();
  if (sparse.compute)
    lines.push_back(*sparse.compute == SavingKind::Skipping ? "arithmetic skip"
                                                            : "arithmetic gate");
  else if (sparse.optimized && saysNothing)
    lines.push_back("arithmetic none");
  return std::move(lines);
}

std::vector<std::string> timeloop::mappingLines(const Input &input, llvm::ArrayRef<unsigned> dims,
                                                llvm::ArrayRef<std::string> indices) {
  return MappingText(input, dims, indices).run();
}
