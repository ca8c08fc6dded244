// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The providers of costs, each described once: what it serves, on what, at which level of the IR,
// with which formula; and the other tools that may be asked in their place. What `using` may name,
// how far passes refine a kernel for it, what a result says of it and what `perfc doc` prints all
// come from here.
#ifndef PERFC_IR_COMMON_PROVIDERS_H
#define PERFC_IR_COMMON_PROVIDERS_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace perfc {

/// What becomes of a kernel before it is costed.
enum class KernelLevel : uint8_t {
  Whole,    ///< nothing: its equations, operands and results
  LoopNest, ///< loops at the places of a chip
  Tile,     ///< blocks for the units of a chip
  Dataflow, ///< a dataflow that the program gives
  None,     ///< it costs no kernels
};

/// Which words of a chip it reads.
enum class ChipWords : uint8_t {
  All,
  SameSize, ///< but not that partial sums have a size of their own
  Outer,    ///< of its units, of one memory and of the outermost one
};

struct ProviderInfo {
  const char *name; ///< as `using` names it and results show it
  KernelLevel kernels;
  llvm::StringLiteral level;  ///< of the IR
  llvm::StringLiteral serves; ///< operations
  llvm::StringLiteral on;     ///< target operations
  llvm::StringLiteral summary;
  llvm::StringLiteral formula; ///< of the latency, in the terms of docs/cost-model.md
  ChipWords reads = ChipWords::All;
  bool costsSteps = false; ///< `train` and `serve` may take their kernel times from it

  /// Whether `using` may name it.
  constexpr bool isChoice() const { return kernels != KernelLevel::None; }
};

/// In the order of the manual.
inline constexpr ProviderInfo allProviders[] = {
    {"roofline", KernelLevel::Whole, "op", "op.kernel", "target.chip",
     "whole ops: the peak of the units or the bandwidth of the outermost memory limits",
     "max(macs / peak + functions / rate, bytes / bandwidth) + launch", ChipWords::Outer,
     /*costsSteps=*/true},
    {"edge", KernelLevel::Whole, "op", "op.kernel", "target.chip with `layers`",
     "layers of a network by the kind of their work, as a runtime on a device takes them",
     "sum of amount / rate by kind + kernels * op", ChipWords::Outer},
    {"loopnest", KernelLevel::LoopNest, "loopnest", "loopnest.nest, loopnest.fused", "target.chip",
     "loops of a mapping: what each memory, network and unit has to do, and the slowest limits",
     "max(steps / rate + stalls + load + store, bytes / bandwidth of each memory) + first word + "
     "last word + launch"},
    {"tile", KernelLevel::Tile, "tile", "tile.kernel", "target.chip",
     "blocks in waves over the units of a chip",
     "waves * max(block compute, block bytes * units / bandwidth) + launch", ChipWords::Outer,
     /*costsSteps=*/true},
    {"maestro", KernelLevel::Dataflow, "loopnest", "loopnest.dataflow", "target.chip",
     "a dataflow by the tool's own model", "sum of max(compute, ingress, egress) over steps",
     ChipWords::SameSize},
    {"network", KernelLevel::None, "collective", "collectives", "target.system",
     "collectives and messages between chips: by closed form, by a library's parameters, or "
     "simulated message by message",
     "messages * latency + bytes sent / bandwidth, by level"},
};

/// Another tool, and whose place it takes; "" for one that serves requests instead.
struct ToolPlace {
  const char *name; ///< as `tool("…")` and `--tool` name it
  const char *provider;

  constexpr bool serves() const { return *provider == 0; }
};

/// api/tools has what each is given and how it is read.
inline constexpr ToolPlace allToolPlaces[] = {{"timeloop", "loopnest"},
                                              {"maestro", "maestro"},
                                              {"astra_sim", "network"},
                                              {"scale_sim", "loopnest"},
                                              {"vidur", ""}};

/// Null when there is none of that name.
const ProviderInfo *findProvider(llvm::StringRef name);
const ToolPlace *findToolPlace(llvm::StringRef name);
/// The first for kernels at `level`.
const ProviderInfo &providerFor(KernelLevel level);
/// The names of those that `train` and `serve` may take kernel times from.
std::vector<llvm::StringRef> stepProviders();
/// "`roofline` or `tile`": those that fulfil `isMeant`.
std::string providerNames(bool (*isMeant)(const ProviderInfo &));

namespace detail {
constexpr void addWord(char *text, size_t &at, const char *word) {
  if (at > 0 && text)
    text[at] = ' ';
  at += at > 0 ? 1 : 0;
  for (; *word; ++word, ++at)
    if (text)
      text[at] = *word;
}
/// Writes the names to `text`, unless that is null, and returns how long they are.
constexpr size_t writeProviders(char *text) {
  size_t at = 0;
  for (const ProviderInfo &provider : allProviders)
    if (provider.isChoice())
      addWord(text, at, provider.name);
  return at;
}
constexpr size_t writeServers(char *text) {
  size_t at = writeProviders(text);
  addWord(text, at, "tool");
  return at;
}
constexpr size_t writeAnswerers(char *text) {
  size_t at = writeServers(text);
  addWord(text, at, "ensemble");
  return at;
}
/// A tool that has the name of a provider stands there with it.
constexpr size_t writeMembers(char *text) {
  size_t at = writeProviders(text);
  for (const ToolPlace &tool : allToolPlaces)
    if (!tool.serves() && std::string_view(tool.name) != tool.provider)
      addWord(text, at, tool.name);
  return at;
}
template <size_t (*write)(char *)> struct Words {
  char text[write(nullptr) + 1] = {};
  constexpr Words() { write(text); }
};
template <size_t (*write)(char *)> inline constexpr Words<write> words;
} // namespace detail

/// What a statement with one result may name, with blanks between.
inline constexpr llvm::StringLiteral providerChoices = detail::words<detail::writeProviders>.text;
/// What `using` of `evaluate` may name.
inline constexpr llvm::StringLiteral answererChoices = detail::words<detail::writeAnswerers>.text;
/// What `using` of `serve` may name.
inline constexpr llvm::StringLiteral serverChoices = detail::words<detail::writeServers>.text;
/// What a chip may declare the error of: providers and tools.
inline constexpr llvm::StringLiteral memberChoices = detail::words<detail::writeMembers>.text;

} // namespace perfc

#endif // PERFC_IR_COMMON_PROVIDERS_H
