// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/import/timeloop/WritePerf.h"

#include "ir/common/diagnostics/Timeloop.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace perfc;
using namespace perfc::timeloop;

namespace {

class PerfWriter {
public:
  PerfWriter(const Input &input, DiagnosticEngine &diagnostics)
      : input(input), diagnostics(diagnostics), os(text) {}

  llvm::Optional<std::string> write();

private:
  bool fail(SourceRange place, const std::string &why) {
    diagnostics.report(place, diag::TimeloopNotModelled, why);
    return false;
  }
  void orderDims();
  bool assignRoles();
  bool checkFactors();
  void writeOp();
  void writeHardware();
  void writeMemory(unsigned memory, const std::string &indent);
  void writeMapping();
  void writeEvaluation();
  std::string index(unsigned dim) const { return llvm::StringRef(dimName(dim)).lower(); }
  std::string dimName(unsigned dim) const { return input.problem.dims[dim]; }
  std::string subscript(const std::vector<Term> &rank) const;
  std::string extent(const std::vector<Term> &rank, unsigned &windows) const;
  std::string access(const Space &space) const;
  std::string keep(unsigned memory) const;
  std::string arrayName(unsigned memory) const { return fmt::format("array{}", memory); }

  const Input &input;
  DiagnosticEngine &diagnostics;
  std::string text;
  llvm::raw_string_ostream os;
  std::vector<unsigned> dims;     ///< in the order in which the equation names them
  std::vector<std::string> roles; ///< by tensor
  unsigned output = 0;
};

} // namespace

/// As figures of the source are written: twelve digits.
static std::string figure(double value) { return fmt::format("{:.12g}", value); }

void PerfWriter::orderDims() {
  auto addSpace = [&](const Space &space) {
    for (const std::vector<Term> &rank : space.ranks)
      for (const Term &term : rank)
        if (!llvm::is_contained(dims, term.dim))
          dims.push_back(term.dim);
  };
  addSpace(input.problem.spaces[output]);
  for (const Space &space : input.problem.spaces)
    addSpace(space);
}

/// Memories keep roles, so tensors of one role are kept together.
bool PerfWriter::assignRoles() {
  unsigned reads = 0, writes = 0;
  for (unsigned space = 0; space < input.spaceCount(); ++space) {
    bool isOutput = input.problem.spaces[space].readWrite;
    roles.push_back(isOutput ? "output" : reads == 1 ? "weight" : "input");
    (isOutput ? writes : reads) += 1;
    if (isOutput)
      output = space;
  }
  if (writes != 1 || reads == 0)
    return fail(input.problem.place, "a problem without exactly one output and an operand");
  for (const Placement &placement : input.placements)
    for (unsigned a = 0; a < roles.size(); ++a)
      for (unsigned b = 0; b < a; ++b)
        if (roles[a] == roles[b] && placement.keep[a] != placement.keep[b])
          return fail(placement.place, "a memory that keeps only one of `" +
                                           input.problem.spaces[b].name + "` and `" +
                                           input.problem.spaces[a].name + "`");
  for (const Placement &placement : input.placements)
    if (!llvm::is_contained(placement.keep, true))
      return fail(placement.place, "a memory that keeps no tensor");
  if (llvm::is_contained(input.placements.back().keep, false))
    return fail(input.placements.back().place, "an outermost memory that is bypassed");
  return true;
}

/// A loop of the language does in its last pass what is left of the size.
bool PerfWriter::checkFactors() {
  for (unsigned dim = 0; dim < input.dimCount(); ++dim) {
    int64_t left = input.problem.bounds[dim];
    for (const Placement &placement : input.placements)
      for (const Nest *nest : {&placement.spatial, &placement.temporal}) {
        const Factor &factor = nest->factors[dim];
        if (factor.residual != (left - 1) % factor.end + 1)
          return fail(nest->place, fmt::format("the last pass of {}={},{}", dimName(dim),
                                               factor.end, factor.residual));
        left = (left + factor.end - 1) / factor.end;
      }
  }
  return true;
}

//===-- The op ------------------------------------------------------------------------------===//

std::string PerfWriter::subscript(const std::vector<Term> &rank) const {
  std::string sum;
  for (const Term &term : rank) {
    std::string product = std::abs(term.coefficient) == 1
                              ? index(term.dim)
                              : fmt::format("{}*{}", std::abs(term.coefficient), index(term.dim));
    sum += sum.empty() ? (term.coefficient < 0 ? "-" : "") : term.coefficient < 0 ? " - " : " + ";
    sum += product;
  }
  return sum.empty() ? "0" : sum;
}

std::string PerfWriter::extent(const std::vector<Term> &rank, unsigned &windows) const {
  if (rank.size() == 1 && rank[0].coefficient == 1)
    return dimName(rank[0].dim);
  return fmt::format("W{}", windows++);
}

std::string PerfWriter::access(const Space &space) const {
  std::vector<std::string> parts;
  for (const std::vector<Term> &rank : space.ranks)
    parts.push_back(subscript(rank));
  return space.name + "[" + llvm::join(parts, ", ") + "]";
}

void PerfWriter::writeOp() {
  unsigned windows = 0;
  std::vector<std::string> operands, factors;
  std::string result;
  for (unsigned space = 0; space < input.spaceCount(); ++space) {
    const Space &tensor = input.problem.spaces[space];
    std::vector<std::string> extents;
    for (const std::vector<Term> &rank : tensor.ranks)
      extents.push_back(extent(rank, windows));
    std::string declared = tensor.name + "[" + llvm::join(extents, ", ") + "]";
    if (space == output) {
      result = declared;
      continue;
    }
    operands.push_back(declared + (roles[space] == "weight" ? ": weight" : ""));
    factors.push_back(access(tensor));
  }
  os << "op " << input.problem.name << "(" << llvm::join(operands, ", ") << ") -> " << result
     << " {\n  " << access(input.problem.spaces[output]) << " += " << llvm::join(factors, " * ")
     << "\n}\n\n";
}

//===-- The chip ----------------------------------------------------------------------------===//

std::string PerfWriter::keep(unsigned memory) const {
  std::vector<std::string> kept;
  bool all = true;
  for (llvm::StringRef role : {"input", "weight", "output"})
    for (unsigned space = 0; space < roles.size(); ++space)
      if (roles[space] == role) {
        if (input.placements[memory].keep[space])
          kept.push_back(role.str());
        else
          all = false;
        break;
      }
  return all ? "" : llvm::join(kept, ", ");
}

void PerfWriter::writeMemory(unsigned memory, const std::string &indent) {
  const Level &level = input.memories[memory];
  const Attributes &attributes = level.attributes;
  os << indent << "memory " << level.name << " {\n";
  if (attributes.words)
    os << indent << "  capacity "
       << figure(std::floor(static_cast<double>(*attributes.words) / attributes.multipleBuffering))
       << "word\n";
  if (attributes.sharedBandwidth)
    os << indent << "  bandwidth " << figure(*attributes.sharedBandwidth) << "word/cycle\n";
  if (attributes.readBandwidth || attributes.writeBandwidth) {
    std::vector<std::string> ways;
    if (attributes.readBandwidth)
      ways.push_back("read " + figure(*attributes.readBandwidth) + "word/cycle");
    if (attributes.writeBandwidth)
      ways.push_back("write " + figure(*attributes.writeBandwidth) + "word/cycle");
    os << indent << "  bandwidth { " << llvm::join(ways, "; ") << " }\n";
  }
  double block = static_cast<double>(attributes.blockSize);
  double read = level.energy({"random_read", "read"}).getValueOr(0) / block;
  double write =
      level.energy({"random_write", "write", "random_fill", "fill"}).getValueOr(0) / block;
  os << indent << "  energy { read " << figure(read) << "pJ; write " << figure(write) << "pJ }\n";
  if (std::string kept = keep(memory); !kept.empty())
    os << indent << "  keep " << kept << "\n";
  os << indent << "}\n";
}

void PerfWriter::writeHardware() {
  static constexpr int64_t sizes[] = {8, 16, 32, 64};
  int64_t bits = 64;
  for (int64_t size : llvm::reverse(sizes))
    if (size >= input.compute.attributes.wordBits)
      bits = size;
  os << "hardware chip {\n  clock 1GHz\n  dtype int" << bits << "\n\n";
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
      os << "; energy { hop " << figure(level.attributes.hopEnergy) << "pJ }";
    os << " }\n";
  }
  double energy = input.compute.energy({"mac", "compute"}).getValueOr(0);
  os << indent << "compute " << input.compute.name << " { rate 1/cycle; energy " << figure(energy)
     << "pJ }\n";
  for (; open > 0; --open) {
    indent.resize(indent.size() - 2);
    os << indent << "}\n";
  }
  os << "}\n\n";
}

//===-- The mapping -------------------------------------------------------------------------===//

void PerfWriter::writeMapping() {
  os << "mapping mapped for " << input.problem.name << " on chip {\n";
  auto writeLoops = [&](const std::string &place, const Nest &nest, unsigned from, unsigned to) {
    std::vector<std::string> loops;
    for (unsigned i = to; i-- > from;)
      if (int64_t end = nest.factors[nest.order[i]].end; end != 1)
        loops.push_back(fmt::format("{} = {}", index(nest.order[i]), end));
    if (!loops.empty())
      os << "  at " << place << " " << llvm::join(loops, ", ") << "\n";
  };
  for (size_t i = input.memories.size(); i-- > 0;) {
    unsigned memory = static_cast<unsigned>(i), count = input.dimCount();
    const Placement &placement = input.placements[memory];
    writeLoops(input.memories[memory].name + " for", placement.temporal, 0, count);
    unsigned split = std::min(placement.spatial.split, count);
    writeLoops(arrayName(memory) + ".x parallel", placement.spatial, 0, split);
    writeLoops(arrayName(memory) + ".y parallel", placement.spatial, split, count);
  }
  os << "}\n\n";
}

void PerfWriter::writeEvaluation() {
  std::vector<std::string> sizes;
  for (unsigned dim : dims)
    sizes.push_back(fmt::format("{} = {}", dimName(dim), input.problem.bounds[dim]));
  os << "evaluate " << input.problem.name << "(" << llvm::join(sizes, ", ")
     << ") on chip with mapped using loopnest\n";
}

llvm::Optional<std::string> PerfWriter::write() {
  if (!assignRoles() || !checkFactors())
    return llvm::None;
  orderDims();
  writeOp();
  writeHardware();
  writeMapping();
  writeEvaluation();
  os.flush();
  return std::move(text);
}

llvm::Optional<std::string> timeloop::writePerf(const Input &input, DiagnosticEngine &diagnostics) {
  Input named = input;
  if (named.problem.name.empty())
    named.problem.name = "problem";
  return PerfWriter(named, diagnostics).write();
}
