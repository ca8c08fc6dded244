// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/NestSparsity.h"

#include "backends/loopnest/NestEpochs.h"

using namespace perfc;
using namespace perfc::loopnest;

static llvm::Optional<unsigned> tensorNamed(const AdaptedNest &nest, llvm::StringRef name) {
  for (unsigned t = 0; t < nest.nest.tensors.size(); ++t)
    if (nest.nest.tensors[t].name == name)
      return t;
  return llvm::None;
}

static Density densityOf(const ir::AttrDict &entry) {
  if (const ir::Attribute *share = entry.find("density"))
    return Density::uniform(share->asQuantity().toDouble());
  if (const ir::Attribute *band = entry.find("band"))
    return Density::banded(band->asInt());
  if (const ir::Attribute *histogram = entry.find("histogram")) {
    const ir::AttrDict &table = histogram->asDict();
    std::vector<int64_t> nonzeros = table.find("nonzeros")->asInts();
    std::vector<int64_t> tiles = table.find("tiles")->asInts();
    std::vector<std::pair<int64_t, double>> rows;
    for (size_t i = 0; i < nonzeros.size(); ++i)
      rows.push_back({nonzeros[i], static_cast<double>(tiles[i])});
    return Density::measured(table.find("elements")->asInt(), std::move(rows));
  }
  const ir::AttrList &groups = entry.find("structured")->asList();
  llvm::Optional<size_t> rank;
  if (groups.size() > 2)
    rank = static_cast<size_t>(groups[2].asInt() - 1);
  return Density::structured(groups[0].asInt(), groups[1].asInt(), rank);
}

llvm::Optional<Sparsity> loopnest::sparsityOf(const AdaptedNest &nest,
                                              const ir::Operation *placement) {
  if (!placement || !(placement->hasAttr("sparsity") || placement->hasAttr("savings")))
    return llvm::None;
  Sparsity sparsity;
  for (const TensorOp &tensor : nest.tensors) {
    std::vector<int64_t> shape = tensor.shape();
    sparsity.tensors.push_back({{shape.begin(), shape.end()}, Density()});
  }
  bool any = false;
  for (const ir::Attribute &value : placement->listAttr("sparsity")) {
    const ir::AttrDict &entry = value.asDict();
    llvm::Optional<unsigned> tensor = tensorNamed(nest, entry.find("tensor")->asString());
    if (!tensor)
      continue;
    any = true;
    sparsity.tensors[*tensor].density = densityOf(entry);
    sparsity.tensors[*tensor].storage = *parseStorage(entry.find("format")->asString());
    if (const ir::Attribute *formats = entry.find("formats"))
      for (const auto &[memory, format] : formats->asDict().entries())
        sparsity.tensors[*tensor].storages.push_back({memory, *parseStorage(format.asString())});
    if (const ir::Attribute *decode = entry.find("decode"))
      sparsity.tensors[*tensor].decodeEnergy = decode->asQuantity().toDouble();
    if (const ir::Attribute *rate = entry.find("decode_rate"))
      sparsity.tensors[*tensor].decodeRate = rate->asQuantity();
  }
  for (const ir::Attribute &value : placement->listAttr("savings")) {
    const ir::AttrDict &entry = value.asDict();
    llvm::Optional<unsigned> tensor = tensorNamed(nest, entry.find("tensor")->asString());
    llvm::Optional<unsigned> when = tensorNamed(nest, entry.find("when")->asString());
    if (tensor && when)
      sparsity.savings.push_back({*tensor, *when, entry.find("kind")->asString() == "skip"});
  }
  return any ? llvm::Optional<Sparsity>(std::move(sparsity)) : llvm::None;
}

/// Position among the places of the `number`-th memory.
static size_t memoryPlace(const Nest &nest, size_t number) {
  size_t place = 0;
  while (nest.places[place].kind != PlaceKind::Memory || number-- > 0)
    ++place;
  return place;
}

llvm::Optional<ResourceCost> loopnest::decoderCost(const CountedNest &nest, const Counts &timed,
                                                   const Sparsity &zeros, size_t tensor) {
  const SparseTensor &sparse = zeros.tensors[tensor];
  if (sparse.decodeEnergy <= 0 && !sparse.decodeRate)
    return llvm::None;
  llvm::Optional<Decoder> powered = decoderOf(zeros, nest.counts, tensor);
  llvm::Optional<Decoder> paced = decoderOf(zeros, timed, tensor);
  if (!powered || !paced)
    return llvm::None;
  ResourceCost cost;
  cost.part =
      CostPart(PartKind::Compute, nest.adapted.nest.tensors[tensor].name, {}, 0,
               Figure(Uncertain(static_cast<double>(powered->words) * sparse.decodeEnergy)));
  if (!sparse.decodeRate)
    return cost;
  int64_t instances =
      workingInstances(nest.adapted.nest, memoryPlace(nest.adapted.nest, paced->memory));
  QuantityError error = QuantityError::None;
  Quantity one = Quantity(Rational(instances));
  auto rate = apply("*", *sparse.decodeRate, one, error);
  if (!rate)
    rate = Quantity(sparse.decodeRate->toUncertain() * static_cast<double>(instances),
                    sparse.decodeRate->dimension());
  cost.time = timeFor(paced->words, *rate, nest.clock);
  cost.part.latency = cost.time.seconds;
  return cost;
}
