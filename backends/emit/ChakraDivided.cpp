// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// emit chakra of an evaluation that is divided among ranks: the program of its stages as the nodes
// that each rank runs, written as those of a training step are.
#include "backends/emit/ChakraNodes.h"
#include "ir/collective/CollectiveOps.h"
#include "ir/phase/PhaseOps.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::emit;

namespace {

/// Reads the IR beside the lines of its cost, which stand in the same order.
class DividedProgram {
public:
  DividedProgram(const ir::Module &module, llvm::ArrayRef<CostPart> parts) : module(module) {
    lines = parts;
  }

  /// Nothing, with a `problem`, where traces cannot say it.
  llvm::Optional<StepProgram> run(const ir::Operation &program, int64_t ranks,
                                  std::string &problem);

private:
  using Blocks = std::vector<uint32_t>;
  void region(const ir::Region &region, llvm::ArrayRef<CostPart> parts, size_t &next, Blocks &into);
  void operation(const ir::Operation &op, const CostPart &part, Blocks &into);
  void stage(const ir::Region &body, size_t &next);
  void append(StepItem item, Blocks &into);
  void send(const ir::Operation &op, const CostPart &part);

  const ir::Module &module;
  llvm::ArrayRef<CostPart> lines;
  StepProgram made;
  bool isOpen = false; ///< the last block goes on
  bool areSendsEqual = true;
};

} // namespace

/// Items run one after the other.
void DividedProgram::append(StepItem item, Blocks &into) {
  if (!isOpen) {
    into.push_back(static_cast<uint32_t>(made.blocks.size()));
    made.blocks.emplace_back();
    isOpen = true;
  }
  StepBlock &block = made.blocks.back();
  auto number = static_cast<uint32_t>(block.items.size());
  if (number > 0)
    item.after = {number - 1};
  block.items.push_back(std::move(item));
  block.outputs = {number};
}

void DividedProgram::send(const ir::Operation &op, const CostPart &part) {
  auto bytes = static_cast<double>(op.intAttr("bytes"));
  areSendsEqual &= made.boundaryBytes == 0 || made.boundaryBytes == bytes;
  made.boundaryBytes = bytes;
  made.sendSeconds = std::max(made.sendSeconds, part.latency.central());
  made.stageStride = op.intsAttr("senders")[3];
}

void DividedProgram::operation(const ir::Operation &op, const CostPart &part, Blocks &into) {
  if (op.is(phase::RepeatOp::opName) || op.is(collective::RepeatOp::opName)) {
    Blocks once;
    size_t inner = 0;
    isOpen = false;
    region(op.body(), part.children, inner, once);
    isOpen = false;
    for (int64_t i = 0; i < op.intAttr("count"); ++i)
      llvm::append_range(into, once);
    return;
  }
  if (op.is(collective::SendOp::opName))
    return send(op, part);
  StepItem item;
  item.seconds = part.latency.central() / static_cast<double>(part.count);
  item.bytes = static_cast<double>(op.intAttr("bytes"));
  item.name = part.label;
  if (auto kernel = ir::as<phase::KernelOp>(op)) {
    item.count = kernel.count();
    item.flops = part.flops / static_cast<double>(part.count);
    item.bytes =
        static_cast<double>(kernel.inputBytes() + kernel.outputBytes() + kernel.weightBytes());
    return append(std::move(item), into);
  }
  item.kind = op.name().split('.').second.str();
  item.axis = op.stringAttr("group").str();
  auto isKnown = [&](const StepAxis &axis) { return axis.name == item.axis; };
  if (llvm::none_of(made.axes, isKnown))
    made.axes.push_back({item.axis, placeOfCollective(op)});
  append(std::move(item), into);
}

void DividedProgram::region(const ir::Region &body, llvm::ArrayRef<CostPart> parts, size_t &next,
                            Blocks &into) {
  for (const ir::Operation &op : body)
    if (auto run = ir::as<collective::RunOp>(op))
      region(module.lookup(run.phase())->body(), parts, next, into);
    else
      operation(op, parts[next++], into);
}

void DividedProgram::stage(const ir::Region &body, size_t &next) {
  StepStage &stage = made.stages.emplace_back();
  Blocks blocks;
  isOpen = false;
  region(body, lines, next, blocks);
  stage.tasks = {{}};
  stage.forward = {std::move(blocks)};
  stage.backward = {{}};
}

llvm::Optional<StepProgram> DividedProgram::run(const ir::Operation &program, int64_t ranks,
                                                std::string &problem) {
  made.ranks = ranks;
  made.waitsForSends = true;
  size_t next = 0;
  for (const ir::Operation &op : program.body())
    if (op.is(collective::StageOp::opName))
      stage(op.body().back().body(), next);
  if (made.stages.empty())
    stage(program.body(), next);
  if (!areSendsEqual) {
    problem = "its stages hand on different amounts, which cannot be written yet";
    return llvm::None;
  }
  return std::move(made);
}

void emit::writeDivided(const Input &input, const Result &result, const ir::Operation &program,
                        int64_t ranks, const std::string &prefix, const std::string &groups,
                        FileSink sink) {
  std::string problem;
  auto steps =
      DividedProgram(*input.module, result.cost.breakdown.children).run(program, ranks, problem);
  if (!steps)
    return refuseTrace(input, result, problem);
  writeProgram(input, result, std::move(*steps), prefix, groups, sink);
}
