// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// lower-to-tile: kernels cut into blocks that the units of a chip run in waves, for evaluations at
// the tile level: those of a library's kernel, chosen later by what they take (products on a chip
// with a generation), blocks of their kernels' outputs (other GPUs), or one block per pass of the
// array, from the nests that lower-to-loopnest made.
#include "ir/common/diagnostics/Training.h"
#include "ir/target/GenerationOp.h"
#include "ir/tile/AttentionOps.h"
#include "ir/tile/LayerOps.h"
#include "ir/tile/TileOps.h"
#include "passes/Blocks.h"
#include "passes/KernelUses.h"
#include "passes/Levels.h"
#include "passes/LibraryParts.h"
#include "passes/Names.h"
#include "passes/Pass.h"
#include "passes/UnitChoice.h"
#include "passes/analysis/Attentions.h"
#include "passes/analysis/Products.h"
#include "passes/analysis/Streams.h"
#include "passes/training/Strategy.h"
#include <map>
#include <numeric>

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::passes;

namespace {

class TileLowering {
public:
  TileLowering(Module &module, PassContext &context)
      : module(module), diagnostics(context.diagnostics), builder(context.registry) {}

  bool run(study::EvaluateOp evaluate);
  bool run(study::TrainOp train);
  bool run(study::ServeOp serve);
  bool run(study::ServeOp serve, study::PoolOp pool);

private:
  void readWords(const Operation &statement);
  bool lowerNests(study::EvaluateOp evaluate, const KernelUse &use);
  void lowerOutput(const KernelUse &use);
  bool propose(const KernelUse &use, llvm::StringRef symbol);
  bool proposeLayer(const KernelUse &use, llvm::StringRef symbol);
  bool proposeAttention(const KernelUse &use, llvm::StringRef symbol);
  Operation *choice(const KernelUse &use, llvm::StringRef symbol, llvm::StringRef library);
  void emitProduct(const KernelUse &use, const Product &product, Region &into);
  void choose(target::ChipOp target, Operation &statement);
  Operation *emit(const Blocks &blocks, llvm::StringRef symbol, llvm::StringRef run, int64_t units,
                  llvm::StringRef memory, target::ComputeOp unit, const Location &location);
  struct LibraryStream {
    Stream stream;
    llvm::StringRef kind;
    std::string library;
  };
  llvm::Optional<LibraryStream> libraryStream(const Kernel &kernel);
  void emitStream(const LibraryStream &stream, Operation &tiled);
  std::vector<std::string> libraries();
  std::string streamLibrary(llvm::StringRef kind);
  const Kernel &model(op::KernelOp kernel) {
    return kernels.try_emplace(kernel.op, kernel).first->second;
  }

  Module &module;
  DiagnosticEngine &diagnostics;
  Builder builder;
  std::map<const Operation *, Kernel> kernels;
  std::map<const Operation *, Chip> chips;
  Operation *before = nullptr; ///< where the blocks go
  const Chip *chip = nullptr;
  std::vector<std::string> asked; ///< libraries that the statement names
  bool isEager = false;           ///< the host starts each kernel
  bool isCold = false;            ///< nothing is in a cache before each
  int64_t copies = 0;             ///< weights that take turns; 0 where they come from memory
  bool attends = false;           ///< attention is left to libraries as well
};

AttrDict indexDict(llvm::ArrayRef<std::string> names, llvm::ArrayRef<int64_t> values) {
  AttrDict dict;
  for (size_t i = 0; i < names.size(); ++i)
    dict.set(names[i], values[i]);
  return dict;
}

Operation *TileLowering::emit(const Blocks &blocks, llvm::StringRef symbol, llvm::StringRef run,
                              int64_t units, llvm::StringRef memory, target::ComputeOp unit,
                              const Location &location) {
  Operation *kernel = builder.createBefore(*before, tile::KernelOp::opName, location);
  kernel->setSymbol(symbol);
  kernel->setAttr("run", Attribute::symbol(run));
  kernel->setAttr("target", Attribute::symbol(chip->op.symbol()));
  kernel->setAttr("grid", indexDict(blocks.names, blocks.grid));
  kernel->setAttr("tile", indexDict(blocks.names, blocks.tile));
  kernel->setAttr("blocks", blocks.count());
  kernel->setAttr("units", units);
  kernel->setAttr("waves", (blocks.count() - 1) / units + 1);
  for (const BlockTensor &tensor : blocks.loads) {
    auto load = builder.create<tile::LoadOp>(kernel->body(), location);
    load->setAttr("tensor", tensor.name);
    load->setAttr("bytes", tensor.bytes);
    load->setAttr("from", memory);
  }
  auto compute = builder.create<tile::ComputeOp>(kernel->body(), location);
  compute->setAttr("macs", blocks.macs);
  compute->setAttr("flops", blocks.flops);
  if (unit)
    compute->setAttr("unit", unit.symbol());
  for (const BlockTensor &tensor : blocks.stores) {
    auto store = builder.create<tile::StoreOp>(kernel->body(), location);
    store->setAttr("tensor", tensor.name);
    store->setAttr("bytes", tensor.bytes);
    store->setAttr("to", memory);
  }
  return kernel;
}

/// False when `use` has no nests.
bool TileLowering::lowerNests(study::EvaluateOp evaluate, const KernelUse &use) {
  const Kernel &kernel = model(use.kernel);
  bool found = false;
  for (const Statement &statement : kernel.statements) {
    auto nest = module.lookup<loopnest::NestOp>(
        nestSymbolFor(evaluate, use, statement.number, chip->op.symbol()));
    if (!nest)
      continue;
    found = true;
    std::string symbol = nestTileSymbol(nest.symbol());
    if (!module.lookup<tile::KernelOp>(symbol) && !chip->places.empty())
      emit(nestBlocks(nest, statement), symbol, nest.symbol(), 1, chip->places.front().name,
           unitFor(*chip, statement), nest->location());
  }
  return found;
}

void TileLowering::lowerOutput(const KernelUse &use) {
  const Kernel &kernel = model(use.kernel);
  std::string symbol = tileSymbol(use, chip->op.symbol());
  if (kernel.statements.empty() || chip->places.empty() || module.lookup(symbol) ||
      propose(use, symbol) || (attends && proposeAttention(use, symbol)))
    return;
  // What no library has runs as a whole op; on a chip without libraries all run as blocks.
  bool hasLibraries = chip->op->hasAttr("generation");
  llvm::Optional<LibraryStream> stream;
  if (hasLibraries)
    stream = libraryStream(kernel);
  if (hasLibraries && attends && !stream)
    return;
  // Blocks go to the elements of dispatched arrays, and load from the memory before the first one.
  int64_t units = 1;
  llvm::StringRef memory = chip->places.front().name;
  bool outside = true;
  target::ComputeOp unit = unitFor(*chip, *kernel.main());
  for (const Place &place : chip->places) {
    if (unit && !isOnWay(*place.op, *unit.op))
      continue;
    if (place.isDispatched)
      units *= target::ArrayOp(place.op).instances();
    outside &= !place.isArray;
    if (outside)
      memory = place.name;
  }
  Operation *blocks = emit(stream ? streamBlocks(kernel) : outputBlocks(kernel), symbol,
                           use.kernel.symbol(), units, memory, unit, use.kernel->location());
  if (stream)
    emitStream(*stream, *blocks);
}

/// The libraries that the statement names, and those of the chip's generation.
std::vector<std::string> TileLowering::libraries() {
  std::vector<std::string> names = asked;
  if (auto generation = module.lookup<target::GenerationOp>(chip->op->symbolAttr("generation")))
    llvm::append_range(names, generation.libraries());
  return names;
}

/// The first library that has kernels which stream tensors so; "" for none.
std::string TileLowering::streamLibrary(llvm::StringRef kind) {
  for (const std::string &name : libraries())
    if (auto library = module.lookup<tile::LibraryOp>(name);
        library && tile::streamFor(library, kind))
      return name;
  return "";
}

/// The kernels of a library that stream tensors so; nothing when no library has any.
llvm::Optional<TileLowering::LibraryStream> TileLowering::libraryStream(const Kernel &kernel) {
  llvm::Optional<Stream> stream = streamOf(kernel);
  if (!stream)
    return llvm::None;
  llvm::StringRef kind = streamKindName(stream->kind);
  std::string name = streamLibrary(kind);
  if (name.empty() && stream->kind >= StreamKind::Append)
    name = streamLibrary(kind = streamKindName(StreamKind::Elementwise));
  if (name.empty())
    return llvm::None;
  return LibraryStream{*stream, kind, name};
}

void TileLowering::emitStream(const LibraryStream &stream, Operation &tiled) {
  tiled.setAttr("library", Attribute::symbol(stream.library));
  if (isEager)
    tiled.setAttr("eager", Attribute::unit());
  auto op = builder.create<tile::StreamOp>(tiled.body(), tiled.location());
  op->setAttr("kind", stream.kind);
  op->setAttr("rows", stream.stream.rows);
  op->setAttr("row_length", stream.stream.rowLength);
  op->setAttr("row_bytes", stream.stream.rowBytes);
  op->setAttr("pass_bytes", stream.stream.passBytes);
  op->setAttr("inputs", stream.stream.inputs);
}

/// Leaves the tile of a product to a library of the chip's generation that has kernels for it;
/// false when none has.
bool TileLowering::propose(const KernelUse &use, llvm::StringRef symbol) {
  if (proposeLayer(use, symbol))
    return true;
  auto generation = module.lookup<target::GenerationOp>(chip->op->symbolAttr("generation"));
  if (!generation)
    return false;
  const Kernel &kernel = model(use.kernel);
  // Filters of one channel stream it: as products they would be vectors, one for each channel.
  llvm::Optional<Convolution> convolution = convolutionOf(kernel);
  auto isWeight = [&](const Access &read) { return use.isWeight(read.tensor); };
  llvm::Optional<Product> product = productOf(kernel, isWeight);
  if (!product || (convolution && convolution->isDepthwise()))
    return false;
  for (const std::string &name : libraries()) {
    auto library = module.lookup<tile::LibraryOp>(name);
    if (!library ||
        !tile::gemmFor(library, product->format, product->right.access->format, product->batch > 1))
      continue;
    emitProduct(use, *product, choice(use, symbol, name)->body());
    return true;
  }
  return false;
}

/// A kernel of `library` that waits for its tile.
Operation *TileLowering::choice(const KernelUse &use, llvm::StringRef symbol,
                                llvm::StringRef library) {
  Operation *choice = builder.createBefore(*before, tile::ChoiceOp::opName, use.kernel->location());
  choice->setSymbol(symbol);
  choice->setAttr("run", Attribute::symbol(use.kernel.symbol()));
  choice->setAttr("target", Attribute::symbol(chip->op.symbol()));
  choice->setAttr("library", Attribute::symbol(library));
  if (isEager)
    choice->setAttr("eager", Attribute::unit());
  return choice;
}

/// The same for a layer of experts or a convolution that a library has kernels for as such.
bool TileLowering::proposeLayer(const KernelUse &use, llvm::StringRef symbol) {
  if (!chip->op->hasAttr("generation"))
    return false;
  const Kernel &kernel = model(use.kernel);
  llvm::Optional<Experts> experts = expertsOf(kernel);
  llvm::Optional<Convolution> convolution =
      experts ? llvm::Optional<Convolution>() : convolutionOf(kernel);
  if (!experts && !convolution)
    return false;
  llvm::StringRef kind = experts                      ? "experts"
                         : convolution->isDepthwise() ? "depthwise"
                                                      : "convolution";
  DType format = experts ? experts->format : convolution->format;
  DType weights = experts ? experts->weights : format;
  for (const std::string &name : libraries()) {
    auto library = module.lookup<tile::LibraryOp>(name);
    if (!library || !tile::familyFor(library, kind, format, weights))
      continue;
    Region &body = choice(use, symbol, name)->body();
    if (experts)
      emitExperts(*experts, copies, body, builder, use.kernel->location());
    else
      emitConvolution(*convolution, body, builder, use.kernel->location());
    return true;
  }
  return false;
}

/// The same for attention.
bool TileLowering::proposeAttention(const KernelUse &use, llvm::StringRef symbol) {
  llvm::Optional<Attention> attention = chip->op->hasAttr("generation")
                                            ? attentionOf(model(use.kernel))
                                            : llvm::Optional<Attention>();
  if (!attention)
    return false;
  std::vector<std::string> names = libraries();
  if (names.empty())
    return false;
  Operation *waiting = choice(use, symbol, names.front());
  auto op = builder.create<tile::AttentionOp>(waiting->body(), use.kernel->location());
  emitAttention(*attention, *op);
  // Where no kernel takes short queries, they stay in the 16 bits in which products make them.
  std::vector<DType> formats{op.format()};
  if (bitsOf(op.format()) <= 8)
    formats.push_back(DType::BF16);
  for (DType queries : formats) {
    op->setAttr("format", dtypeName(queries));
    for (const std::string &name : names)
      if (auto library = module.lookup<tile::LibraryOp>(name);
          library && tile::attentionFor(library, op)) {
        waiting->setAttr("library", Attribute::symbol(name));
        return true;
      }
  }
  waiting->erase();
  return false;
}

/// What the bytes of sums and columns, which lie side by side in memory, are a multiple of; 16 at
/// most. Convolutions have their channels there, which libraries pad.
static int64_t alignmentOf(const Product &product) {
  for (const Factor *tensor : {&product.left, &product.right, &product.result})
    for (const Subscript &rank : tensor->access->ranks)
      if (rank.terms.size() > 1)
        return 16;
  auto bytes = [](const Factor &tensor, int64_t elements) -> int64_t {
    bool isVector = elements == 1; // the other side lies side by side
    return isVector ? 0 : storedBits(tensor.access->format, elements).getValueOr(0) / 8;
  };
  // Of a matrix whose columns are the rows of the product these lie side by side.
  const std::vector<Subscript> &ranks = product.result.access->ranks;
  bool isTurned = ranks.size() == 2 && ranks[1].terms.size() == 1 &&
                  !product.right.access->uses(ranks[1].terms[0].first);
  int64_t alignment = std::gcd(int64_t{16}, bytes(product.left, product.k));
  return std::gcd(alignment, bytes(product.result, isTurned ? product.m : product.n));
}

void TileLowering::emitProduct(const KernelUse &use, const Product &product, Region &into) {
  auto op = builder.create<tile::ProductOp>(into, use.kernel->location());
  op->setAttr("batch", product.batch);
  op->setAttr("m", product.m);
  op->setAttr("n", product.n);
  op->setAttr("k", product.k);
  op->setAttr("format", dtypeName(product.format));
  auto factor = [&](llvm::StringRef name, const Factor &tensor) {
    op->setAttr(name, dtypeName(tensor.access->format));
    op->setAttr(name.str() + "_bytes", tensor.bytes);
  };
  factor("left", product.left);
  factor("right", product.right);
  factor("result", product.result);
  op->setAttr("other_bytes", product.otherBytes);
  std::vector<std::string> tensors;
  for (const Factor *tensor : {&product.left, &product.right, &product.result})
    tensors.push_back(tensor->access->tensor.str());
  op->setAttr("tensors", Attribute::strings(tensors));
  if (int64_t alignment = alignmentOf(product); alignment < 16)
    op->setAttr("alignment", alignment);
  if (use.isWeight(product.right.access->tensor))
    op->setAttr("weights", Attribute::unit());
  if (copies > 0)
    op->setAttr("copies", copies);
  if (isCold)
    op->setAttr("cold", Attribute::unit());
}

/// Blocks are cut for `target` from now on and put before `statement`.
void TileLowering::choose(target::ChipOp target, Operation &statement) {
  chip = &chips.try_emplace(target.op, target).first->second;
  before = &statement;
  while (before->parentOp())
    before = before->parentOp();
}

/// Blocks of the products of both graphs of a step, on each kind of chip of its system. Kernels
/// without products stream through memory, divided along what they sum up as well; their roofline
/// is closer than blocks of their output.
bool TileLowering::run(study::TrainOp train) {
  if (!train.usesTiles() || readStrategy(train).hasHoles())
    return true;
  for (target::ChipOp target : chipsOf(module, train.on())) {
    if (!dispatchesBlocks(target)) {
      diagnostics.report(train->range(), diag::NoBlocksForSteps, target.symbol(), "training");
      return false;
    }
    choose(target, *train.op);
    for (const std::string &graph : {forwardSymbol(train.symbol()), backwardSymbol(train.symbol())})
      if (Operation *op = module.lookup(graph))
        op->walk([&](Operation &inner) {
          KernelUse use = kernelUse(inner);
          if (use.kernel && model(use.kernel).main() && model(use.kernel).main()->op.isMac())
            lowerOutput(use);
        });
  }
  return true;
}

/// What `statement` says of the kernels of libraries.
void TileLowering::readWords(const Operation &statement) {
  asked = statement.symbolsAttr("kernels");
  isEager = statement.hasAttr("eager");
  isCold = statement.hasAttr("alone");
  copies = statement.intAttr("copies", 0);
  attends = true;
}

bool TileLowering::run(study::EvaluateOp evaluate) {
  target::ChipOp target = chipOf(evaluate, diagnostics);
  if (!target)
    return false;
  return forEachUse(evaluate, lowerToTilePass.name, diagnostics, [&](const KernelUse &use) {
    target::ChipOp part = chipFor(evaluate, use.kernel.symbol(), target);
    Level level = levelFor(evaluate, part);
    if (level != Level::Tile)
      return;
    choose(part, *evaluate.op);
    readWords(*evaluate.op);
    if (!runsAsNests(level, part) || !lowerNests(evaluate, use))
      lowerOutput(use);
  });
}

/// Blocks of all kernels of a served model, in each of its sizes.
bool TileLowering::run(study::ServeOp serve) {
  for (study::PoolOp pool : serve.pools())
    if (!run(serve, pool))
      return false;
  return true;
}

bool TileLowering::run(study::ServeOp serve, study::PoolOp pool) {
  target::ChipOp target = chipOf(module, pool.on());
  if (!target || levelFor(serve, target) != Level::Tile)
    return true;
  if (!dispatchesBlocks(target)) {
    diagnostics.report(serve->range(), diag::NoBlocksForSteps, target.symbol(), "serving");
    return false;
  }
  choose(target, *serve.op);
  readWords(*serve.op);
  for (study::SampleOp sample : pool.samples())
    module.lookup(sample.graph())->walk([&](Operation &op) {
      bool isMember = op.parentOp() && op.parentOp()->is(op::FusedOp::opName);
      if (KernelUse use = kernelUse(op); use.kernel && !isMember)
        lowerOutput(use);
    });
  return true;
}

} // namespace

static bool runLowerToTile(Module &module, PassContext &context) {
  TileLowering lowering(module, context);
  bool valid = true;
  for (study::EvaluateOp evaluate : namedEvaluations(module))
    valid &= lowering.run(evaluate);
  for (study::TrainOp train : studiesOf<study::TrainOp>(module))
    valid &= lowering.run(train);
  for (study::ServeOp serve : studiesOf<study::ServeOp>(module))
    valid &= lowering.run(serve);
  return valid;
}

const PassInfo passes::lowerToTilePass = {
    "lower-to-tile", "cut kernels into blocks and count their waves",
    "Precondition: graphs without calls; for accelerators, nests (lower-to-loopnest). Before:\n"
    "    study.evaluate @e (subject = @g, on = @gpu, using = \"tile\", …)\n"
    "After, in addition, for each kernel:\n"
    "    tile.kernel @mm__gpu__tile (run = @mm, target = @gpu, grid = {m = 32, n = 32},\n"
    "        tile = {m = 128, n = 128}, blocks = 1024, units = 108, waves = 10) {\n"
    "      tile.load (tensor = \"A\", bytes = 1048576, from = \"L2\")  …\n"
    "      tile.compute (macs = …, flops = …)  tile.store (tensor = \"C\", …) }\n"
    "A product for which a library of the chip's generation has kernels waits for its tile:\n"
    "    tile.choice @mm__gpu__tile (run = @mm, target = @gpu, library = @cublas) {\n"
    "      tile.product (batch = 1, m = 4096, n = 4096, k = 4096, …) }\n"
    "and so does attention, with tile.attention.",
    runLowerToTile};
