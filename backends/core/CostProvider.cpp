// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/core/CostProvider.h"

#include "llvm/ADT/STLExtras.h"

using namespace perfc;

void ProviderSet::add(std::unique_ptr<CostProvider> provider) {
  providers.push_back(std::move(provider));
}

void ProviderSet::replace(llvm::StringRef name, Make make) {
  for (std::unique_ptr<CostProvider> &provider : providers)
    if (provider->info().name == name)
      provider = make(std::move(provider));
}

CostProvider *ProviderSet::providerFor(const CostQuery &query) const {
  llvm::StringRef wanted = query.placement ? query.placement->stringAttr("using") : "";
  for (const std::unique_ptr<CostProvider> &provider : providers)
    if (provider->serves(*query.op) && provider->servesOn(*query.target) &&
        (wanted.empty() || provider->info().name == wanted))
      return provider.get();
  return nullptr;
}

#ifndef NDEBUG
/// Without zeros that are skipped no lane, memory or link is busy for longer than the whole takes.
/// Where a level does not tell parts apart, figures are what a tool says.
static bool isPossible(const Cost &cost, const CostQuery &query) {
  constexpr double whole = 1 + 1e-9;
  if (!cost.work || (query.placement && query.placement->hasAttr("sparsity")))
    return true;
  double most = cost.latency.central() * whole;
  return cost.utilization.central() <= whole && cost.memorySeconds() <= most &&
         cost.work->compute.central() <= most && cost.work->network.central() <= most &&
         (cost.work->launch + cost.idle).central() <= most;
}
#endif

/// What a provider may use of the place.
static StructuralHash placementHash(const ir::Operation *placement) {
  StructuralHash key{0, 0};
  for (llvm::StringRef name : {"finish", "sparsity", "savings", "using"})
    if (placement && placement->hasAttr(name))
      key = combine(key, structuralHash(*placement->attr(name)));
  return key;
}

StructuralHash perfc::queryHash(const CostQuery &query, HashCache &hashes) {
  return combine(combine(hashes.of(*query.op), hashes.of(*query.target)),
                 placementHash(query.placement));
}

const Cost *ProviderSet::evaluate(const CostQuery &query, HashCache &hashes,
                                  DiagnosticEngine &diagnostics) {
  StructuralHash key = queryHash(query, hashes);
  asked.insert(key);
  auto known = memo.find(key);
  if (known != memo.end())
    return &known->second;
  CostProvider *provider = providerFor(query);
  if (!provider)
    return nullptr;
  std::vector<llvm::Optional<Cost>> costs = provider->evaluate(query, diagnostics);
  verified[key] = provider->takeVerified();
  if (!costs.front())
    return nullptr;
  assert(isPossible(*costs.front(), query) && "nothing is busy for longer than the whole takes");
  return &memo.emplace(key, std::move(*costs.front())).first->second;
}

void ProviderSet::forgetSome() {
  constexpr size_t mostKept = 4096;
  if (memo.size() < mostKept)
    return;
  memo.clear();
  verified.clear();
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
