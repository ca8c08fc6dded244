// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/driver/ReuseText.h"

#include "backends/loopnest/exact/Reuse.h"
#include "ir/common/diagnostics/Files.h"
#include "ir/core/Printer.h"

using namespace perfc;
using namespace perfc::driver;
using loopnest::LaneReuse;
using loopnest::LoopReuse;
using loopnest::Reuse;

static std::string amount(int64_t count) {
  return formatEngineering(static_cast<double>(count), {});
}

static std::string howMany(int64_t count, llvm::StringRef noun) {
  return fmt::format("{} {}{}", amount(count), noun, count == 1 ? "" : "s");
}

/// What the steps of a loop in time do to the tile.
static std::string sentence(const LoopReuse &loop, bool isOutput) {
  std::string steps = howMany(loop.steps, "further step"), words = howMany(loop.anew, "word");
  if (loop.words == 0)
    return "nothing: its further steps touch no element";
  if (loop.anew == 0)
    return fmt::format("stays: {} in {}", isOutput ? "the same sums" : "the same tile", steps);
  if (loop.anew == loop.words)
    return fmt::format("anew: {} in {}, {}", isOutput ? "other sums" : "whole tiles", steps, words);
  return fmt::format("a halo: {} of {} anew in {}, the others are there from the step before",
                     amount(loop.anew), howMany(loop.words, "word"), steps);
}

/// What lanes side by side have in common.
static std::string sentence(const LaneReuse &lanes, bool isOutput, llvm::StringRef memory) {
  if (lanes.alike == 0)
    return fmt::format("apart: each of {} has words of its own", howMany(lanes.lanes, "lane"));
  bool isWhole = lanes.alike == lanes.words;
  std::string which = isWhole
                          ? fmt::format("the {} have the same words", howMany(lanes.lanes, "lane"))
                          : fmt::format("neighbours have {} of {} alike", amount(lanes.alike),
                                        howMany(lanes.words, "word"));
  std::string kind = isOutput ? "a reduction" : isWhole ? "multicast" : "a halo";
  std::string how = isOutput ? fmt::format("which arrive one by one and are added in {}", memory)
                             : "which are sent to each by itself";
  if (lanes.isOne)
    how = isOutput ? "which are added on the way" : "which are sent once";
  return fmt::format("{}: {}, {}", lanes.isOne || isOutput || !isWhole ? kind : "the same", which,
                     how);
}

static void printLines(llvm::raw_ostream &out,
                       const std::vector<std::pair<std::string, std::string>> &lines) {
  size_t width = 0;
  for (const auto &line : lines)
    width = std::max(width, line.first.size());
  for (const auto &[loop, text] : lines)
    out << fmt::format("    {:<{}}  {}\n", loop, width, text);
}

static void printLanes(llvm::raw_ostream &out, const std::vector<LaneReuse> &lanes, bool isOutput,
                       llvm::StringRef title, llvm::StringRef memory) {
  std::vector<std::pair<std::string, std::string>> lines;
  for (const LaneReuse &one : lanes)
    lines.push_back({one.loop, sentence(one, isOutput, memory)});
  if (!lines.empty())
    out << "  " << title << '\n';
  printLines(out, lines);
}

static void printReuse(llvm::raw_ostream &out, const Reuse &reuse, bool isOutput,
                       llvm::StringRef memory) {
  out << "  tile  " << reuse.tile << '\n';
  if (reuse.outer.empty()) {
    out << "  it holds all of it from the begin\n";
  } else {
    out << "  anew  " << (reuse.anew.empty() ? "all of it, in each step" : reuse.anew) << '\n'
        << fmt::format("  {} {}, {} in the first step\n", howMany(reuse.entering, "word"),
                       isOutput ? "begin to be held" : "enter", amount(reuse.first));
    std::vector<std::pair<std::string, std::string>> lines;
    for (const LoopReuse &loop : reuse.loops)
      lines.push_back({loop.loop, sentence(loop, isOutput)});
    printLines(out, lines);
    printLanes(out, reuse.from, isOutput,
               (isOutput ? "on the way to " : "on the way from ") + reuse.outer, reuse.outer);
  }
  std::string inner = reuse.inner.empty() ? "the units" : reuse.inner;
  printLanes(out, reuse.to, isOutput, (isOutput ? "on the way from " : "on the way to ") + inner,
             memory);
}

/// True for the tensor itself, or one of several reads of it, which have numbers.
static bool isTensor(llvm::StringRef symbol, llvm::StringRef name) {
  unsigned number;
  return symbol.consume_front(name) &&
         (symbol.empty() || (symbol.consume_front("_") && !symbol.getAsInteger(10, number)));
}

static emit::Json lanesJson(const std::vector<LaneReuse> &lanes) {
  emit::Json list = emit::Json::array();
  for (const LaneReuse &one : lanes)
    list.push(emit::Json::object()
                  .set("loop", one.loop)
                  .set("lanes", one.lanes)
                  .set("words", one.words)
                  .set("alike", one.alike)
                  .set("one", one.isOne));
  return list;
}

static void setReuse(emit::Json &document, const Reuse &reuse) {
  emit::Json loops = emit::Json::array();
  for (const LoopReuse &loop : reuse.loops)
    loops.push(emit::Json::object()
                   .set("loop", loop.loop)
                   .set("steps", loop.steps)
                   .set("words", loop.words)
                   .set("anew", loop.anew));
  document.set("tile", reuse.tile)
      .set("anew", reuse.anew.empty() ? reuse.tile : reuse.anew)
      .set("entering", reuse.entering)
      .set("first", reuse.first)
      .set("loops", std::move(loops))
      .set("from", lanesJson(reuse.from))
      .set("to", lanesJson(reuse.to));
}

void ReuseText::printTensor(loopnest::NestOp nest, const loopnest::FlatNest &flat,
                            loopnest::TensorOp tensor, unsigned memory, unsigned number) {
  llvm::StringRef name = flat.memories[memory]->name;
  auto reuse = loopnest::reuseOf(flat, memory, number);
  if (asJson) {
    emit::Json document = emit::Json::object();
    document.set("kernel", nest.kernel()).set("on", nest.target()).set("mapping", nest.mapping());
    document.set("tensor", tensor.symbol()).set("memory", name).set("access", tensor.access());
    if (reuse)
      setReuse(document, *reuse);
    documents.push(std::move(document));
    return;
  }
  session.out << fmt::format("{} on {}, mapping {}: `{}` at {}\n", nest.kernel(), nest.target(),
                             nest.mapping(), tensor.symbol(), name)
              << "  access  " << tensor.access() << '\n';
  if (reuse)
    printReuse(session.out, *reuse, tensor.isOutput(), name);
  else
    session.out << "  its sets are too large to be counted one by one\n";
  session.out << '\n';
}

void ReuseText::printNest(loopnest::NestOp nest, target::ChipOp chip) {
  std::string reason;
  passes::Chip places(chip);
  llvm::Optional<loopnest::AdaptedNest> adapted = loopnest::adaptNest(nest, places, forms, reason);
  std::vector<loopnest::AnalysisError> errors;
  llvm::Optional<loopnest::FlatNest> flat =
      adapted ? loopnest::flatten(adapted->nest, errors) : llvm::None;
  if (!flat)
    return; // the evaluation has said why
  auto [tensor, memory] = wanted.split('@');
  for (unsigned m = 0; m < flat->memories.size(); ++m)
    for (unsigned t = 0; t < adapted->tensors.size(); ++t) {
      llvm::StringRef symbol = adapted->tensors[t].symbol();
      if (!flat->levels[m].keeps[t])
        continue;
      others.insert(symbol.str() + "@" + flat->memories[m]->name);
      if (!isTensor(symbol, tensor) || flat->memories[m]->name != memory)
        continue;
      isAny = true;
      printTensor(nest, *flat, adapted->tensors[t], m, t);
    }
}

void ReuseText::print(const ir::Module &module) {
  module.walk([&](const ir::Operation &op) {
    auto nest = ir::as<loopnest::NestOp>(op);
    const ir::Operation *chip = nest ? module.lookup(nest.target()) : nullptr;
    if (!chip || !printed.insert(ir::toString(op)).second)
      return;
    printNest(nest, target::ChipOp(const_cast<ir::Operation *>(chip)));
  });
}

void ReuseText::finish(llvm::StringRef file) {
  if (asJson) {
    emit::Json document = emit::Json::object();
    document.set("schema", 1).set("file", file);
    document.set("reuse", std::move(documents)).print(session.out);
    session.out << '\n';
  }
  if (isAny || session.diagnostics.hasErrors())
    return;
  auto &error = session.diagnostics.report({}, diag::UnknownReuse, wanted);
  if (!others.empty())
    error.help(fmt::format("there is {}", fmt::join(others, ", ")));
}
