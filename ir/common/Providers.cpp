// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/common/Providers.h"

#include "llvm/ADT/STLExtras.h"
#include <fmt/format.h>

using namespace perfc;

const ProviderInfo *perfc::findProvider(llvm::StringRef name) {
  const auto *found =
      llvm::find_if(allProviders, [&](const ProviderInfo &one) { return name == one.name; });
  return found == std::end(allProviders) ? nullptr : found;
}

const ToolPlace *perfc::findToolPlace(llvm::StringRef name) {
  const auto *found =
      llvm::find_if(allToolPlaces, [&](const ToolPlace &one) { return name == one.name; });
  return found == std::end(allToolPlaces) ? nullptr : found;
}

const ProviderInfo &perfc::providerFor(KernelLevel level) {
  return *llvm::find_if(allProviders,
                        [&](const ProviderInfo &one) { return one.kernels == level; });
}

std::vector<llvm::StringRef> perfc::stepProviders() {
  std::vector<llvm::StringRef> names;
  for (const ProviderInfo &provider : allProviders)
    if (provider.costsSteps)
      names.push_back(provider.name);
  return names;
}

std::string perfc::providerNames(bool (*isMeant)(const ProviderInfo &)) {
  std::string text;
  for (const ProviderInfo &provider : allProviders)
    if (isMeant(provider))
      text += fmt::format("{}`{}`", text.empty() ? "" : " or ", provider.name);
  return text;
}
