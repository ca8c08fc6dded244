// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The default mapping is legal for every kernel of the library's workloads on its accelerators.
// What legal means is worked out here again from the IR alone.
#include "frontend/build/Compilation.h"
#include "ir/loopnest/LoopnestOps.h"
#include "ir/op/OpOps.h"
#include "ir/study/AllOps.h"
#include "ir/target/TargetOps.h"
#include "passes/PassManager.h"
#include <gtest/gtest.h>
#include <map>
#include <set>

using namespace perfc;

namespace {

using Extents = std::map<std::string, int64_t>;

/// The loops of a nest, outermost first, and which memory each position belongs to.
struct NestLoops {
  struct Step {
    std::string memory; ///< set for a place that is a memory
    std::string axis;   ///< set for a parallel loop
    std::vector<std::string> indices;
    int64_t factor = 1;
    std::vector<int64_t> steps;
  };
  std::vector<Step> steps;

  explicit NestLoops(const ir::Operation &nest) {
    nest.walk([&](const ir::Operation &op) {
      if (auto at = ir::as<loopnest::AtOp>(op))
        steps.push_back({at.place().str(), "", {}, 1, {}});
      if (auto loop = ir::as<loopnest::ForOp>(op))
        steps.push_back({"", "", {loop.index().str()}, loop.factor(), {loop.step()}});
      if (auto loop = ir::as<loopnest::ParallelOp>(op))
        steps.push_back({"", loop.axis().str(), loop.indices(), loop.factor(), loop.steps()});
    });
  }

  /// What the loops from `first` on cover.
  Extents cover(size_t first, const Extents &extents) const {
    Extents result;
    for (const auto &index : extents)
      result[index.first] = 1;
    for (size_t i = first; i < steps.size(); ++i)
      for (const std::string &index : steps[i].indices)
        result[index] *= steps[i].factor;
    return result;
  }
};

/// Different values of `subscript` in a tile, by trying all points.
int64_t values(const AffineExpr &subscript, const Extents &tile) {
  std::set<int64_t> reached{0};
  for (const AffineExpr::Term &term : subscript.terms()) {
    std::set<int64_t> next;
    for (int64_t value : reached)
      for (int64_t i = 0; i < tile.at(term.name); ++i)
        next.insert(value + term.coefficient * i);
    reached = std::move(next);
  }
  return static_cast<int64_t>(reached.size());
}

int64_t elements(loopnest::TensorOp tensor, const Extents &tile) {
  int64_t product = 1;
  std::vector<int64_t> shape = tensor.shape();
  for (size_t r = 0; r < shape.size(); ++r)
    if (!tensor.map()[r].is(ir::AttrKind::String))
      product *= std::min(values(tensor.map()[r].asAffine(), tile), shape[r]);
  return product;
}

class Checker {
public:
  explicit Checker(const ir::Module &module) : module(module) {}

  void check(loopnest::NestOp nest) {
    SCOPED_TRACE(nest.symbol().str());
    NestLoops loops(*nest);
    Extents extents = extentsOf(nest);
    Extents all = loops.cover(0, extents);
    for (const auto &index : extents)
      EXPECT_GE(all[index.first], index.second) << index.first;
    checkSteps(loops, extents);
    checkAxes(loops, module.lookup(nest.target()));
    for (size_t i = 0; i < loops.steps.size(); ++i)
      if (!loops.steps[i].memory.empty())
        checkMemory(nest, loops.steps[i].memory, loops.cover(i, extents), extents);
    ++count;
  }

  size_t count = 0;
  size_t full = 0; ///< memories with more than half of their capacity in use

private:
  Extents extentsOf(loopnest::NestOp nest) {
    int64_t number = nest.statement();
    Extents extents;
    for (const ir::Operation &part : module.lookup(nest.kernel())->body())
      if (auto statement = ir::as<op::StatementOp>(part))
        if (number-- == 0)
          for (const auto &index : statement.domain().entries())
            extents[index.first] = index.second.asInt();
    return extents;
  }

  /// Each step is what the loops further in cover, and the last pass starts inside.
  void checkSteps(const NestLoops &loops, const Extents &extents) {
    for (size_t i = 0; i < loops.steps.size(); ++i)
      for (size_t j = 0; j < loops.steps[i].indices.size(); ++j) {
        const std::string &index = loops.steps[i].indices[j];
        EXPECT_EQ(loops.steps[i].steps[j], loops.cover(i + 1, extents)[index]) << index;
        EXPECT_LT((loops.steps[i].factor - 1) * loops.steps[i].steps[j], extents.at(index))
            << index;
      }
  }

  void checkAxes(const NestLoops &loops, const ir::Operation *chip) {
    std::map<std::string, int64_t> lanes;
    for (const NestLoops::Step &step : loops.steps)
      if (!step.axis.empty())
        lanes.emplace(step.axis, 1).first->second *= step.factor;
    chip->walk([&](const ir::Operation &op) {
      if (auto array = ir::as<target::ArrayOp>(op))
        for (const auto &axis : array.axes().entries()) {
          auto used = lanes.find(array.symbol().str() + "." + axis.first);
          if (used == lanes.end())
            continue;
          EXPECT_LE(used->second, axis.second.asInt());
          lanes.erase(used);
        }
    });
    EXPECT_TRUE(lanes.empty());
  }

  void checkMemory(loopnest::NestOp nest, const std::string &name, Extents tile,
                   const Extents &extents) {
    target::MemoryOp memory;
    module.lookup(nest.target())->walk([&](const ir::Operation &op) {
      if (op.symbol() == name && op.is(target::MemoryOp::opName))
        memory = ir::as<target::MemoryOp>(op);
    });
    if (!memory || !memory.capacity())
      return;
    for (auto &index : tile)
      index.second = std::min(index.second, extents.at(index.first));
    // Of a tensor that is read in several ways, the further ways are `x_1`, `x_2`: they share its
    // room.
    std::map<std::string, int64_t> bits;
    for (const ir::Operation &part : nest->body())
      if (auto tensor = ir::as<loopnest::TensorOp>(part))
        if (memory.keeps(tensor.role())) {
          int64_t &most = bits[tensorOf(nest, tensor)];
          most = std::max(most, elements(tensor, tile) * tensor.bits());
        }
    double sum = 0;
    for (const auto &tensor : bits)
      sum += static_cast<double>(tensor.second);
    double capacity = memory.capacity()->toDouble() * 8;
    full += sum > capacity / 2;
    EXPECT_LE(sum, capacity) << name;
  }

  /// The kernel's name of a tensor of the nest.
  std::string tensorOf(loopnest::NestOp nest, loopnest::TensorOp tensor) {
    llvm::StringRef name = tensor.symbol();
    while (!module.lookup(nest.kernel())->body().find(name))
      name = name.rsplit('_').first;
    return name.str();
  }

  const ir::Module &module;
};

TEST(DefaultMapping, isLegalForTheLibrary) {
  std::string program = "import std.workloads.{resnet50, vgg16, mobilenet_v2, bert, llama2}\n"
                        "import std.hardware.{eyeriss, simba, tpu_v1, nvdla}\n";
  for (const char *workload : {"resnet50(batch = 2)", "vgg16", "mobilenet_v2", "bert_base",
                               "llama2_7b.prefill", "llama2_7b.decode(context = 1000)"})
    program += std::string("evaluate ") + workload + " on eyeriss, simba, tpu_v1, nvdla\n";
  SourceManager sources;
  DiagnosticEngine diagnostics(sources);
  Compilation compilation(sources, diagnostics, allOps());
  ASSERT_TRUE(compilation.load(sources.add("library.perf", program), {}));
  size_t units = 0, nests = 0, full = 0;
  compilation.forEachUnit([&](ir::Module &module) {
    passes::PassContext context{diagnostics, allOps()};
    passes::PassOptions options;
    options.verifyEach = true;
    EXPECT_TRUE(passes::PassManager(*passes::pipelineTo("loopnest"), options).run(module, context));
    Checker checker(module);
    for (ir::Operation &op : module.body())
      if (auto nest = ir::as<loopnest::NestOp>(op))
        checker.check(nest);
    ++units;
    nests += checker.count;
    full += checker.full;
    return true;
  });
  for (const Diagnostic &diagnostic : diagnostics.all())
    ADD_FAILURE() << diagnostic.message;
  EXPECT_EQ(units, 6u);
  EXPECT_GT(nests, 200u);
  // Tiles are not just one element each.
  EXPECT_GT(full, nests / 2);
}

} // namespace
