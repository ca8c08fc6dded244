// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Blocks.h"

#include "ir/common/Rational.h"
#include "passes/analysis/Dependences.h"
#include "passes/analysis/Images.h"
#include "passes/analysis/Products.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::passes;

static constexpr int64_t tileRows = 128;
static constexpr int64_t tileColumns = 128;
static constexpr int64_t tileElements = 1024;

static int64_t product(int64_t a, int64_t b) { return checkedMultiply(a, b).getValueOr(INT64_MAX); }

/// Bytes of a tile, the scales of its blocks of elements included.
static int64_t bytesOf(const Access &access, llvm::ArrayRef<int64_t> extents) {
  return ceilDivide(storedBits(access.format, access.elements(extents)).getValueOr(INT64_MAX), 8);
}

/// Tiles of the indices that a grid runs over.
static TileExtents tilesOf(const Blocks &blocks) {
  TileExtents tiles;
  for (size_t i = 0; i < blocks.names.size(); ++i)
    tiles.push_back({blocks.names[i], std::max<int64_t>(1, blocks.tile[i])});
  return tiles;
}

static bool dependsOnData(const Access &access) {
  return llvm::any_of(access.ranks, [](const Subscript &rank) { return rank.dataDependent; });
}

/// Bytes that each of `blocks` moves of a tensor by `accesses` of `statement`: those of its tile
/// or, where conditions leave out points or several accesses touch different elements, the mean of
/// what all blocks touch.
static int64_t bytesPerBlock(const Blocks &blocks, const Statement &statement,
                             llvm::ArrayRef<const Access *> accesses,
                             llvm::ArrayRef<int64_t> tile) {
  bool isPlain = !blocks.withPoints && accesses.size() == 1;
  if (isPlain ||
      llvm::any_of(accesses, [](const Access *access) { return dependsOnData(*access); }))
    return bytesOf(*accesses[0], tile);
  std::vector<AttrDict> maps;
  for (const Access *access : accesses)
    maps.push_back({{"tensor", access->tensor}, {"map", *access->map}});
  std::vector<DomainAccess> touching;
  for (const AttrDict &map : maps)
    touching.push_back({statement.op, &map});
  int64_t elements = touchedInTiles(accesses[0]->shape, touching, tilesOf(blocks));
  int64_t bits = storedBits(accesses[0]->format, elements).getValueOr(INT64_MAX);
  return ceilDivide(ceilDivide(bits, 8), blocks.count());
}

/// What each of `blocks` loads for the reads of `statement`, by tensor.
static void addLoads(Blocks &blocks, const Statement &statement, llvm::ArrayRef<int64_t> tile,
                     llvm::function_ref<bool(const Access &)> isLoaded) {
  llvm::StringSet<> loaded;
  for (const Access &read : statement.reads) {
    if (!isLoaded(read) || !loaded.insert(read.tensor).second)
      continue;
    std::vector<const Access *> same;
    for (const Access &other : statement.reads)
      if (other.tensor == read.tensor)
        same.push_back(&other);
    blocks.loads.push_back({read.tensor.str(), bytesPerBlock(blocks, statement, same, tile)});
  }
}

/// Bytes of all that `access` touches.
static int64_t wholeBytes(const Statement &statement, const Access &access) {
  if (cuttingConditions(statement.op).empty() || dependsOnData(access))
    return bytesOf(access, statement.extents);
  AttrDict map{{"tensor", access.tensor}, {"map", *access.map}};
  int64_t elements = touchedElements(access.shape, {{statement.op, &map}});
  return ceilDivide(storedBits(access.format, elements).getValueOr(INT64_MAX), 8);
}

/// Leaves out blocks of the grid in which no point meets the conditions of `statement`.
static void leaveOutEmpty(Blocks &blocks, const Statement &statement) {
  if (!cuttingConditions(statement.op).empty())
    blocks.withPoints = std::max<int64_t>(1, tilesWithPoints(statement.op, tilesOf(blocks)));
}

int64_t Blocks::count() const {
  if (withPoints)
    return *withPoints;
  int64_t blocks = 1;
  for (int64_t extent : grid)
    blocks = product(blocks, extent);
  return blocks;
}

//===-- Tiles of the output
//--------------------------------------------------------------------===//

/// Nothing for an index of a statement that multiplies no two tensors.
static llvm::Optional<ProductIndex> kindOf(const Statement &statement, unsigned i) {
  if (!statement.op.isMac() || statement.reads.size() < 2)
    return llvm::None;
  return productIndex(statement, i);
}

/// Extent of a block per index: the innermost ranks of the output first. Blocks run side by side,
/// so points that depend on each other are in one.
static std::vector<int64_t> tileExtents(const Statement &statement) {
  std::vector<int64_t> tile;
  Dependences dependences(statement);
  for (unsigned i = 0; i < statement.extents.size(); ++i)
    tile.push_back(statement.isReduction(i) || !dependences.isFree(i)
                       ? std::max<int64_t>(1, statement.extents[i])
                       : 1);
  int64_t rows = tileRows, columns = tileColumns, elements = tileElements;
  for (const Subscript &rank : llvm::reverse(statement.write.ranks))
    for (const auto &term : rank.terms) {
      llvm::Optional<ProductIndex> kind = kindOf(statement, term.first);
      if (kind == ProductIndex::Batch || tile[term.first] > 1)
        continue;
      int64_t &left = kind == ProductIndex::Row      ? rows
                      : kind == ProductIndex::Column ? columns
                                                     : elements;
      tile[term.first] = std::max<int64_t>(1, std::min(statement.extents[term.first], left));
      left /= tile[term.first];
    }
  return tile;
}

/// What the statements besides `main` read and write, spread over all blocks.
static void addOtherStatements(const Kernel &kernel, const Statement &main, Blocks &blocks) {
  int64_t count = blocks.count();
  llvm::StringSet<> loaded, stored;
  for (const BlockTensor &tensor : blocks.loads)
    loaded.insert(tensor.name);
  for (const BlockTensor &tensor : blocks.stores)
    stored.insert(tensor.name);
  for (const Statement &statement : kernel.statements) {
    if (&statement == &main)
      continue;
    for (const Access &read : statement.reads)
      if (read.operand.role() != "intermediate" && read.operand.role() != "output" &&
          loaded.insert(read.tensor).second)
        blocks.loads.push_back({read.tensor.str(), ceilDivide(wholeBytes(statement, read), count)});
    if (statement.write.operand.role() != "intermediate" &&
        stored.insert(statement.write.tensor).second)
      blocks.stores.push_back({statement.write.tensor.str(),
                               ceilDivide(wholeBytes(statement, statement.write), count)});
  }
}

/// The grid over what `main` writes, in tiles of `tile`.
static Blocks gridOf(const Statement &main, llvm::ArrayRef<int64_t> tile) {
  Blocks blocks;
  for (unsigned i = 0; i < tile.size(); ++i) {
    if (main.isReduction(i))
      continue;
    blocks.names.push_back(main.names[i]);
    blocks.tile.push_back(tile[i]);
    blocks.grid.push_back(std::max<int64_t>(1, ceilDivide(main.extents[i], tile[i])));
  }
  return blocks;
}

/// What all statements compute, spread over the blocks.
static void addOperations(const Kernel &kernel, Blocks &blocks) {
  int64_t macs = 0, flops = 0;
  for (const Statement &statement : kernel.statements) {
    int64_t points = statement.points().getValueOr(INT64_MAX / 1024);
    macs += statement.op.isMac() ? points : 0;
    flops += product(points, statement.op.flops());
  }
  blocks.macs = ceilDivide(macs, blocks.count());
  blocks.flops = ceilDivide(flops, blocks.count());
}

Blocks passes::outputBlocks(const Kernel &kernel) {
  const Statement &main = *kernel.main();
  std::vector<int64_t> tile = tileExtents(main);
  Blocks blocks = gridOf(main, tile);
  leaveOutEmpty(blocks, main);
  addLoads(blocks, main, tile, [&](const Access &read) {
    return read.operand.role() != "intermediate" && read.tensor != main.write.tensor;
  });
  if (main.write.operand.role() != "intermediate")
    blocks.stores.push_back(
        {main.write.tensor.str(), bytesPerBlock(blocks, main, {&main.write}, tile)});
  addOtherStatements(kernel, main, blocks);
  addOperations(kernel, blocks);
  return blocks;
}

Blocks passes::streamBlocks(const Kernel &kernel) {
  const Statement &main = *kernel.main();
  Blocks blocks = gridOf(main, tileExtents(main));
  llvm::StringMap<int64_t> read, written;
  for (const Statement &statement : kernel.statements) {
    auto note = [&](llvm::StringMap<int64_t> &into, const Access &access) {
      int64_t &bytes = into[access.tensor];
      bytes = std::max(bytes, bytesOf(access, statement.extents));
    };
    for (const Access &access : statement.reads)
      note(read, access);
    note(written, statement.write);
  }
  for (const op::OperandOp &operand : kernel.operands) {
    llvm::StringRef name = operand.symbol();
    if (operand.role() == "intermediate")
      continue;
    if (written.count(name))
      blocks.stores.push_back({name.str(), ceilDivide(written.lookup(name), blocks.count())});
    else if (read.count(name))
      blocks.loads.push_back({name.str(), ceilDivide(read.lookup(name), blocks.count())});
  }
  addOperations(kernel, blocks);
  return blocks;
}

//===-- Passes of the array
//--------------------------------------------------------------------===//

/// The next operation of the chain of loops inside `region`.
static Operation *innerStep(Region &region) {
  for (Operation &op : region)
    if (!op.is(loopnest::TensorOp::opName))
      return &op;
  return nullptr;
}

Blocks passes::nestBlocks(loopnest::NestOp nest, const Statement &statement) {
  std::vector<int64_t> grid(statement.extents.size(), 1), tile(statement.extents.size(), 1);
  unsigned places = 0;
  for (Operation *op = innerStep(nest->body()); op;
       op = op->regionCount() ? innerStep(op->body()) : nullptr) {
    places += op->is(loopnest::AtOp::opName);
    if (auto loop = as<loopnest::ForOp>(op)) {
      unsigned index = *statement.find(loop.index());
      int64_t &factor = (places == 1 ? grid : tile)[index];
      factor = product(factor, loop.factor());
    } else if (auto loop = as<loopnest::ParallelOp>(op)) {
      for (const std::string &name : loop.indices()) {
        int64_t &factor = tile[*statement.find(name)];
        factor = product(factor, loop.factor());
      }
    }
  }
  Blocks blocks;
  int64_t points = 1;
  for (unsigned i = 0; i < tile.size(); ++i) {
    tile[i] = std::min(tile[i], std::max<int64_t>(1, statement.extents[i]));
    points = product(points, tile[i]);
    blocks.names.push_back(statement.names[i]);
  }
  blocks.grid = grid;
  blocks.tile = tile;
  leaveOutEmpty(blocks, statement);
  if (blocks.withPoints)
    points = ceilDivide(statement.points().getValueOr(INT64_MAX), blocks.count());
  addLoads(blocks, statement, tile, [](const Access &) { return true; });
  blocks.stores.push_back(
      {statement.write.tensor.str(), bytesPerBlock(blocks, statement, {&statement.write}, tile)});
  blocks.macs = statement.op.isMac() ? points : 0;
  blocks.flops = product(points, statement.op.flops());
  return blocks;
}
