// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/core/CostProvider.h"

using namespace perfc;

void ProviderSet::add(std::unique_ptr<CostProvider> provider) {
  providers.push_back(std::move(provider));
}

CostProvider *ProviderSet::find(llvm::StringRef name) const {
  for (const std::unique_ptr<CostProvider> &provider : providers)
    if (provider->name() == name)
      return provider.get();
  return nullptr;
}

CostProvider *ProviderSet::providerFor(const ir::Operation &op) const {
  for (const std::unique_ptr<CostProvider> &provider : providers)
    if (provider->serves(op))
      return provider.get();
  return nullptr;
}

/// What a provider may use of the place.
static StructuralHash placementHash(const ir::Operation *placement) {
  StructuralHash key{0, 0};
  for (llvm::StringRef name : {"finish", "sparsity", "savings"})
    if (placement && placement->hasAttr(name))
      key = combine(key, structuralHash(*placement->attr(name)));
  return key;
}

const Cost *ProviderSet::evaluate(const CostQuery &query, HashCache &hashes,
                                  DiagnosticEngine &diagnostics) {
  StructuralHash key = combine(combine(hashes.of(*query.op), hashes.of(*query.target)),
                               placementHash(query.placement));
  asked.insert(key);
  auto known = memo.find(key);
  if (known != memo.end())
    return &known->second;
  CostProvider *provider = providerFor(*query.op);
  if (!provider)
    return nullptr;
  std::vector<llvm::Optional<Cost>> costs = provider->evaluate(query, diagnostics);
  verified[key] = provider->takeVerified();
  if (!costs.front())
    return nullptr;
  return &memo.emplace(key, std::move(*costs.front())).first->second;
}

VerifiedNests ProviderSet::takeVerified() {
  VerifiedNests sum;
  for (const StructuralHash &key : asked)
    if (auto found = verified.find(key); found != verified.end()) {
      sum.nests += found->second.nests;
      sum.equal += found->second.equal;
      sum.tooLarge += found->second.tooLarge;
    }
  asked.clear();
  return sum;
}
