// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/import/timeloop/ChipText.h"

#include "frontend/import/timeloop/TimeloopText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace perfc;
using namespace perfc::timeloop;

namespace {

class ChipWriter {
public:
  ChipWriter(const Input &input, llvm::ArrayRef<std::string> roles)
      : input(input), roles(roles), os(text) {}

  std::string write();

private:
  void writeMemory(unsigned memory, const std::string &indent);
  void writeUnit(const std::string &indent);
  PlainLevel plainMemory(unsigned memory) const;

  const Input &input;
  llvm::ArrayRef<std::string> roles;
  std::string text;
  llvm::raw_string_ostream os;
};

} // namespace

std::string timeloop::arrayName(unsigned memory) { return "array" + std::to_string(memory); }

std::string timeloop::blockText(const std::vector<std::string> &lines, const std::string &indent) {
  if (lines.empty())
    return "";
  std::string text = indent + "timeloop {\n";
  for (const std::string &line : lines)
    text += indent + "  " + line + "\n";
  return text + indent + "}\n";
}

bool timeloop::hasArray(const Input &input, unsigned memory) {
  return input.level(memory).instances != input.memories[memory].instances;
}

/// The bits of the smallest number format that holds a word of the arithmetic.
static int64_t wordBits(const Input &input) {
  for (int64_t size : {8, 16, 32})
    if (size >= input.compute.attributes.wordBits)
      return size;
  return 64;
}

/// The roles that a memory keeps, when it keeps all tensors of each or none.
static std::vector<std::string> keptRoles(const Input &input, llvm::ArrayRef<std::string> roles,
                                          unsigned memory) {
  std::vector<std::string> kept;
  for (llvm::StringRef role : {"input", "weight", "output"})
    for (unsigned space = 0; space < roles.size(); ++space)
      if (roles[space] == role && !llvm::is_contained(kept, role) &&
          input.placements[memory].keep[space])
        kept.push_back(role.str());
  return kept;
}

bool timeloop::keepsByRole(const Input &input, llvm::ArrayRef<std::string> roles, unsigned memory) {
  std::vector<std::string> kept = keptRoles(input, roles, memory);
  for (unsigned space = 0; space < roles.size(); ++space)
    if (input.placements[memory].keep[space] != llvm::is_contained(kept, roles[space]))
      return false;
  return !kept.empty();
}

/// What the words of the language say of a memory: energies are those of a word of a block.
PlainLevel ChipWriter::plainMemory(unsigned memory) const {
  const Level &level = input.memories[memory];
  double block = static_cast<double>(level.attributes.blockSize);
  auto perWord = [&](llvm::ArrayRef<llvm::StringRef> actions, double otherwise) {
    llvm::Optional<double> energy = level.energy(actions);
    return energy ? *energy / block : otherwise;
  };
  double read = perWord({"random_read", "read"}, 0);
  double write = perWord({"random_write", "write", "random_fill", "fill"}, 0);
  double update = perWord({"random_update", "update"}, write);
  bool isOutermost = memory + 1 == input.memories.size();
  return {isOutermost && !level.attributes.words ? "DRAM" : "SRAM",
          wordBits(input),
          hasArray(input, memory),
          {{"read", read},
           {"write", write},
           {"update", update},
           {"leak", level.energy({"leak"}).getValueOr(0)}}};
}

/// ` 4word/cycle { read 2word/cycle }`: of both directions together, and of one alone.
static std::string bandwidthText(const Attributes &given) {
  auto rate = [](const char *way, const llvm::Optional<double> &words) {
    return words ? way + decimal(*words) + "word/cycle" : "";
  };
  std::string read = rate(" read ", given.readBandwidth);
  std::string write = rate(" write ", given.writeBandwidth), each = read + write;
  if (!read.empty() && !write.empty())
    each = read + ";" + write;
  return rate(" ", given.sharedBandwidth) + (each.empty() ? "" : " {" + each + " }");
}

void ChipWriter::writeMemory(unsigned memory, const std::string &indent) {
  const Level &level = input.memories[memory];
  const Attributes &attributes = level.attributes;
  os << indent << "memory " << level.name << " {\n";
  if (attributes.words)
    os << indent << "  capacity "
       << decimal(std::floor(static_cast<double>(*attributes.words) / attributes.multipleBuffering))
       << "word\n";
  if (std::string bandwidth = bandwidthText(attributes); !bandwidth.empty())
    os << indent << "  bandwidth" << bandwidth << "\n";
  PlainLevel plain = plainMemory(memory);
  const auto &energies = plain.energies;
  std::vector<std::string> words;
  auto addEnergy = [&](llvm::StringRef word, double value) {
    words.push_back((word + " " + decimal(value) + "pJ").str());
  };
  if (!level.energies.empty()) {
    addEnergy("read", energies[0].second);
    addEnergy("write", energies[1].second);
    if (energies[2].second != energies[1].second)
      addEnergy("update", energies[2].second);
  }
  if (attributes.addressEnergy != 0)
    addEnergy("address", attributes.addressEnergy);
  if (!words.empty())
    os << indent << "  energy { " << llvm::join(words, "; ") << " }\n";
  if (energies[3].second != 0)
    os << indent << "  leak " << decimal(energies[3].second) << "mW\n";
  if (std::vector<std::string> all = keptRoles(input, roles, memory);
      keepsByRole(input, roles, memory) && llvm::is_contained(input.placements[memory].keep, false))
    os << indent << "  keep " << llvm::join(all, ", ") << "\n";
  os << blockText(levelLines(level, plain), indent + "  ");
  os << indent << "}\n";
}

void ChipWriter::writeUnit(const std::string &indent) {
  double energy =
      input.compute.energy({"mac_random", "mult_random", "mac", "mult", "compute"}).getValueOr(0);
  double leak = input.compute.energy({"leak"}).getValueOr(0);
  PlainLevel plain{"intmac", wordBits(input), false, {{"compute", energy}, {"leak", leak}}};
  os << indent << "compute " << input.compute.name << " {\n" << indent << "  rate 1/cycle\n";
  if (!input.compute.energies.empty())
    os << indent << "  energy " << decimal(energy) << "pJ\n";
  if (leak != 0)
    os << indent << "  leak " << decimal(leak) << "mW\n";
  os << blockText(levelLines(input.compute, plain), indent + "  ");
  os << indent << "}\n";
}

std::string ChipWriter::write() {
  os << "hardware chip {\n  clock 1GHz\n  dtype int" << wordBits(input) << "\n\n";
  std::string indent = "  ";
  unsigned open = 0;
  for (size_t index = input.memories.size(); index-- > 0;) {
    unsigned memory = static_cast<unsigned>(index);
    const Level &level = input.memories[memory], &child = input.level(memory);
    writeMemory(memory, indent);
    int64_t x = child.meshX / level.meshX, y = child.meshY / level.meshY;
    if (x * y == 1)
      continue;
    os << indent << "array " << arrayName(memory) << "[x = " << x << ", y = " << y << "] {\n";
    indent += "  ";
    ++open;
    os << indent << "network { multicast x, y; reduce x, y";
    if (level.attributes.hopEnergy > 0)
      os << "; energy { hop " << decimal(level.attributes.hopEnergy) << "pJ }";
    os << " }\n";
  }
  writeUnit(indent);
  for (; open > 0; --open) {
    indent.resize(indent.size() - 2);
    os << indent << "}\n";
  }
  os << "}\n\n";
  os.flush();
  return std::move(text);
}

std::string timeloop::chipText(const Input &input, llvm::ArrayRef<std::string> roles) {
  return ChipWriter(input, roles).write();
}
