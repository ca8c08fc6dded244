// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/import/timeloop/WritePerf.h"

#include "frontend/import/timeloop/ChipText.h"
#include "frontend/import/timeloop/LegalNames.h"
#include "frontend/import/timeloop/MapspaceText.h"
#include "frontend/import/timeloop/TimeloopText.h"
#include "ir/common/diagnostics/Timeloop.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace perfc;
using namespace perfc::timeloop;

namespace {

class PerfWriter {
public:
  PerfWriter(const Input &input, DiagnosticEngine &diagnostics)
      : input(input), diagnostics(diagnostics), os(text) {}

  /// A search where `open` says in what, else an evaluation.
  llvm::Optional<std::string> write(const Constraints *open = nullptr);

private:
  bool fail(SourceRange place, const std::string &why) {
    diagnostics.report(place, diag::TimeloopNotModelled, why);
    return false;
  }
  void orderDims();
  bool assignRoles();
  bool checkFactors();
  void writeOp();
  std::vector<std::string> indices() const;
  void writeMapping();
  bool writeMapspace(const Constraints &constraints);
  std::string subject() const;
  std::string statement(bool isSearch) const;
  std::string index(unsigned dim) const { return llvm::StringRef(dimName(dim)).lower(); }
  std::string dimName(unsigned dim) const { return input.problem.dims[dim]; }
  std::string subscript(const std::vector<Term> &rank) const;
  std::string extent(const std::vector<Term> &rank, unsigned &windows) const;
  std::vector<unsigned> withoutRank() const;
  std::string access(const Space &space) const;
  void writeKeeps();

  const Input &input;
  DiagnosticEngine &diagnostics;
  std::string text;
  llvm::raw_string_ostream os;
  std::vector<unsigned> dims;     ///< in the order in which the equation names them
  std::vector<std::string> roles; ///< by tensor
  unsigned output = 0;
};

} // namespace

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

/// Whether a name says what a data space is.
static bool isNamed(llvm::StringRef name, std::initializer_list<llvm::StringLiteral> words) {
  return llvm::any_of(words, [&](llvm::StringRef word) { return name.contains_insensitive(word); });
}

/// The read tensor that is the weights: one that is called so; else, beside a tensor whose
/// subscripts are windows, one whose subscripts are none; else the second.
static unsigned weightsOf(const Problem &problem, llvm::ArrayRef<unsigned> reads) {
  auto hasWindow = [&](unsigned space) {
    return llvm::any_of(problem.spaces[space].ranks,
                        [](const std::vector<Term> &rank) { return rank.size() > 1; });
  };
  for (unsigned space : reads)
    if (isNamed(problem.spaces[space].name, {"weight", "filter", "kernel"}))
      return space;
  bool isConvolution = llvm::any_of(reads, hasWindow);
  for (unsigned space : reads)
    if ((isConvolution && !hasWindow(space)) ||
        (reads.size() == 2 && space == reads[0] &&
         isNamed(problem.spaces[reads[1]].name, {"input", "ifmap", "activation"})))
      return space;
  return reads[1];
}

/// One tensor is written, one of the others is the weights where there are two or more.
bool PerfWriter::assignRoles() {
  std::vector<unsigned> reads;
  unsigned writes = 0;
  roles.assign(input.spaceCount(), "input");
  for (unsigned space = 0; space < input.spaceCount(); ++space) {
    if (!input.problem.spaces[space].readWrite) {
      reads.push_back(space);
      continue;
    }
    roles[space] = "output";
    output = space;
    ++writes;
  }
  if (reads.size() > 1)
    roles[weightsOf(input.problem, reads)] = "weight";
  if (writes != 1 || reads.empty())
    return fail(input.problem.place, "a problem without exactly one output and an operand");
  if (llvm::is_contained(input.placements.back().keep, false))
    return fail(input.placements.back().place, "an outermost memory that is bypassed");
  return true;
}

/// A loop of the language does in its last pass what is left of the size.
bool PerfWriter::checkFactors() {
  for (unsigned dim = 0; dim < input.dimCount(); ++dim) {
    int64_t left = input.problem.bounds[dim];
    if (left > 1 && !llvm::is_contained(dims, dim))
      return fail(input.problem.place,
                  fmt::format("the dimension {}, which no data space has", dimName(dim)));
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

/// Dimensions that are the extent of no rank: their sizes are parameters of their own.
std::vector<unsigned> PerfWriter::withoutRank() const {
  std::vector<bool> isExtent(input.dimCount(), false);
  for (const Space &space : input.problem.spaces)
    for (const std::vector<Term> &rank : space.ranks)
      if (rank.size() == 1 && rank[0].coefficient == 1)
        isExtent[rank[0].dim] = true;
  std::vector<unsigned> others;
  for (unsigned dim : dims)
    if (!isExtent[dim])
      others.push_back(dim);
  return others;
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
  std::string bounds;
  for (unsigned dim : withoutRank()) {
    operands.push_back(dimName(dim));
    bounds += fmt::format("  where {} < {}\n", index(dim), dimName(dim));
  }
  os << "op " << input.problem.name << "(" << llvm::join(operands, ", ") << ") -> " << result
     << " {\n"
     << bounds << "  " << access(input.problem.spaces[output])
     << " += " << llvm::join(factors, " * ") << "\n}\n\n";
}

//===-- The mapping -------------------------------------------------------------------------===//

/// What the roles of a memory do not say.
void PerfWriter::writeKeeps() {
  for (size_t i = input.memories.size(); i-- > 0;) {
    auto memory = static_cast<unsigned>(i);
    if (keepsByRole(input, roles, memory))
      continue;
    std::vector<std::string> bypassed;
    for (unsigned space = 0; space < input.spaceCount(); ++space)
      if (!input.placements[i].keep[space])
        bypassed.push_back(input.problem.spaces[space].name);
    os << "  bypass " << llvm::join(bypassed, ", ") << " at " << input.memories[i].name << "\n";
  }
}

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
  writeKeeps();
  os << blockText(mappingLines(input, dims, indices()), "  ");
  os << "}\n\n";
}

std::vector<std::string> PerfWriter::indices() const {
  std::vector<std::string> names;
  for (unsigned dim = 0; dim < input.dimCount(); ++dim)
    names.push_back(index(dim));
  return names;
}

bool PerfWriter::writeMapspace(const Constraints &constraints) {
  std::vector<std::string> arrays;
  for (unsigned memory = 0; memory < input.memories.size(); ++memory)
    arrays.push_back(hasArray(input, memory) ? arrayName(memory) : "");
  auto lines = mapspaceLines(input, constraints, indices(), arrays, diagnostics);
  if (!lines)
    return false;
  os << "mapspace open for " << input.problem.name << " on chip {\n  " << llvm::join(*lines, "\n  ")
     << "\n}\n\n";
  return true;
}

/// The op with its sizes.
std::string PerfWriter::subject() const {
  std::vector<std::string> sizes;
  for (unsigned dim : dims)
    sizes.push_back(fmt::format("{} = {}", dimName(dim), input.problem.bounds[dim]));
  return input.problem.name + "(" + llvm::join(sizes, ", ") + ")";
}

/// What is asked for, with the zeros that there are.
std::string PerfWriter::statement(bool isSearch) const {
  std::vector<std::string> lines = zeroLines(input);
  bool hasEnergy = !input.compute.energies.empty();
  std::string head = isSearch
                         ? fmt::format("search {} on chip with open using loopnest minimize {}",
                                       subject(), hasEnergy ? "edp" : "latency")
                         : fmt::format("evaluate {} on chip with mapped using loopnest", subject());
  return head + (lines.empty() ? "\n" : " {\n  " + llvm::join(lines, "\n  ") + "\n}\n");
}

llvm::Optional<std::string> PerfWriter::write(const Constraints *open) {
  if (!assignRoles())
    return llvm::None;
  orderDims();
  if (!checkFactors())
    return llvm::None;
  writeOp();
  os << chipText(input, roles);
  if (open && !writeMapspace(*open))
    return llvm::None;
  if (!open)
    writeMapping();
  os << statement(/*isSearch=*/open != nullptr);
  os.flush();
  return std::move(text);
}

llvm::Optional<std::string> timeloop::writePerf(const Input &input, DiagnosticEngine &diagnostics) {
  Input named = input;
  makeNamesLegal(named);
  return PerfWriter(named, diagnostics).write();
}

llvm::Optional<std::string> timeloop::writeSearch(const Input &input,
                                                  const Constraints &constraints,
                                                  DiagnosticEngine &diagnostics) {
  Input named = input;
  makeNamesLegal(named);
  return PerfWriter(named, diagnostics).write(&constraints);
}
