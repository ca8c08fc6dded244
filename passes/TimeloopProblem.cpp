// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/TimeloopProblem.h"

#include "ir/core/Module.h"
#include "ir/op/OpOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace perfc;
using namespace perfc::passes;

namespace {

class ProblemReader {
public:
  ProblemReader(loopnest::NestOp nest, std::string &reason) : nest(nest), reason(reason) {}

  llvm::Optional<TimeloopProblem> run() {
    result.problem.place = nest->range();
    if (!readDomain())
      return llvm::None;
    nameDims();
    return readTensors() ? llvm::Optional<TimeloopProblem>(std::move(result)) : llvm::None;
  }

private:
  bool fail(std::string why) {
    reason = std::move(why);
    return false;
  }
  bool readDomain();
  void nameDims();
  bool readTensors();
  void readRank(const AffineExpr &map, timeloop::Space &space);
  llvm::Optional<unsigned> dim(llvm::StringRef name) const;

  loopnest::NestOp nest;
  std::string &reason;
  TimeloopProblem result;
};

} // namespace

llvm::Optional<unsigned> ProblemReader::dim(llvm::StringRef name) const {
  for (unsigned i = 0; i < result.indices.size(); ++i)
    if (result.indices[i] == name)
      return i;
  return llvm::None;
}

bool ProblemReader::readDomain() {
  const ir::Operation *kernel = nest->module() ? nest->module()->lookup(nest.kernel()) : nullptr;
  int64_t number = 0;
  op::StatementOp statement;
  if (kernel)
    for (const ir::Operation &part : kernel->body())
      if (auto one = ir::as<op::StatementOp>(part))
        if (number++ == nest.statement())
          statement = one;
  if (!statement)
    return fail("the kernel has no such statement");
  for (const ir::AttrDict::Entry &index : statement.domain().entries()) {
    result.indices.push_back(index.first);
    result.problem.bounds.push_back(index.second.asInt());
  }
  result.problem.name = kernel->stringAttr("op").str();
  return result.indices.size() <= 52 || fail("there are more than 52 indices");
}

/// Dimensions have one letter there: the index's own in upper case, or one that is free.
void ProblemReader::nameDims() {
  auto isFree = [&](char letter) {
    return !llvm::is_contained(result.problem.dims, std::string(1, letter));
  };
  for (const std::string &index : result.indices) {
    char letter = llvm::toUpper(index[0]);
    if (!llvm::isAlpha(letter) || !isFree(letter))
      for (char other = 'A'; other <= 'z'; ++other)
        if (llvm::isAlpha(other) && isFree(other)) {
          letter = other;
          break;
        }
    result.problem.dims.push_back(std::string(1, letter));
  }
}

void ProblemReader::readRank(const AffineExpr &map, timeloop::Space &space) {
  space.ranks.emplace_back();
  for (const AffineExpr::Term &term : map.terms()) {
    llvm::Optional<unsigned> index = dim(term.name);
    if (!index)
      continue;
    timeloop::Term next{*index, term.coefficient, ""};
    if (term.coefficient != 1) {
      next.name = fmt::format("c{}", term.coefficient < 0 ? "m" + std::to_string(-term.coefficient)
                                                          : std::to_string(term.coefficient));
      if (llvm::none_of(result.problem.coefficients,
                        [&](const timeloop::Coefficient &one) { return one.name == next.name; }))
        result.problem.coefficients.push_back({next.name, term.coefficient});
    }
    space.ranks.back().push_back(std::move(next));
  }
  if (space.ranks.back().empty())
    space.ranks.pop_back();
}

bool ProblemReader::readTensors() {
  for (const ir::Operation &part : nest->body()) {
    auto tensor = ir::as<loopnest::TensorOp>(part);
    if (!tensor)
      continue;
    timeloop::Space space;
    space.name = tensor.symbol().str();
    space.readWrite = tensor.isOutput();
    for (const ir::Attribute &rank : tensor.map()) {
      if (!rank.fits(ir::AttrKind::Affine))
        return fail(fmt::format("which elements of `{}` are read depends on data", space.name));
      readRank(rank.asAffine(), space);
    }
    if (!tensor.partial().empty())
      return fail(fmt::format("partial sums of `{}` are wider than its words", space.name));
    if (tensor.block())
      return fail(fmt::format("elements of `{}` share scales", space.name));
    if (result.wordBits && result.wordBits != tensor.bits())
      return fail("its tensors have words of different sizes");
    result.wordBits = tensor.bits();
    result.roles.push_back(tensor.role().str());
    result.problem.spaces.push_back(std::move(space));
  }
  return true;
}

llvm::Optional<TimeloopProblem> passes::timeloopProblem(loopnest::NestOp nest,
                                                        std::string &reason) {
  return ProblemReader(nest, reason).run();
}
