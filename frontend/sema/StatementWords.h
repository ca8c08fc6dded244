// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Words that statements of several kinds share; each table spells out which it has.
#ifndef PERFC_FRONTEND_SEMA_STATEMENTWORDS_H
#define PERFC_FRONTEND_SEMA_STATEMENTWORDS_H

#include "frontend/sema/Words.h"
#include "ir/common/Providers.h"
#include <array>
#include <utility>

namespace perfc::words {

inline constexpr WordSpec onWord{.word = "on",
                                 .kind = ArgKind::Reference,
                                 .maxArgs = anyNumber,
                                 .doc = "the chip or system: 4 * h100_sxm over nvswitch"};
inline constexpr WordSpec overWord{
    .word = "over", .kind = ArgKind::Reference, .doc = "the network between the chips"};
inline constexpr WordSpec asWord{
    .word = "as", .kind = ArgKind::Name, .doc = "a name for the result"};
inline constexpr WordSpec dtypeWord{
    .word = "dtype", .kind = ArgKind::Constant, .byDefault = "the chip's", .doc = "number format"};
inline constexpr WordSpec parallelWord{
    .word = "parallel",
    .kind = ArgKind::Pairs,
    .maxArgs = anyNumber,
    .block = BlockKind::Parallel,
    .choices = "tensor pipeline data context expert sequence",
    .repeats = true,
    .doc = "degrees of parallelism: tensor = 8, pipeline = 4 over node"};
inline constexpr WordSpec expectWord{.word = "expect",
                                     .kind = ArgKind::Metric,
                                     .block = BlockKind::Expect,
                                     .repeats = true,
                                     .doc = "exit status 1 unless it holds"};
inline constexpr WordSpec requireWord{.word = "require",
                                      .kind = ArgKind::Metric,
                                      .repeats = true,
                                      .doc = "drops what does not fulfil it"};
inline constexpr WordSpec reportWord{.word = "report",
                                     .kind = ArgKind::Metric,
                                     .maxArgs = anyNumber,
                                     .block = BlockKind::Report,
                                     .repeats = true,
                                     .doc = "prints a table: report latency, energy by kernel"};
inline constexpr WordSpec emitWord{.word = "emit",
                                   .kind = ArgKind::Text,
                                   .block = BlockKind::Emit,
                                   .repeats = true,
                                   .doc = "writes a file: emit json \"out.json\""};
inline constexpr WordSpec minimizeWord{.word = "minimize",
                                       .kind = ArgKind::Metric,
                                       .maxArgs = anyNumber,
                                       .doc = "what a search makes small"};
inline constexpr WordSpec maximizeWord{.word = "maximize",
                                       .kind = ArgKind::Metric,
                                       .maxArgs = anyNumber,
                                       .doc = "what a search makes large"};
inline constexpr WordSpec withinWord{.word = "within",
                                     .kind = ArgKind::Measure,
                                     .dims = Dims::Time,
                                     .byDefault = "60s",
                                     .doc = "time limit of a search"};

inline constexpr ChoiceArgument toolArguments[] = {
    {.name = "name", .kind = ArgKind::Text, .doc = "of a tool, as `perfc tools` lists them"}};
inline constexpr ChoiceForm toolForm{.choice = "tool", .arguments = toolArguments};
/// Who may compute costs beside one provider.
inline constexpr ChoiceForm answererForms[] = {
    toolForm,
    {.choice = "ensemble",
     .members = "providers and tools, weighted by the error that each one has by "
                "measurements of chips like this: ensemble(tile, roofline)"}};
inline constexpr WordSpec usingWord{.word = "using",
                                    .kind = ArgKind::Choice,
                                    .maxArgs = anyNumber,
                                    .choices = answererChoices,
                                    .forms = answererForms,
                                    .byDefault = "what fits the chip, named in the result",
                                    .doc = "the providers of costs"};
/// The same for what asks providers alone.
inline constexpr WordSpec usingProviderWord{.word = "using",
                                            .kind = ArgKind::Choice,
                                            .maxArgs = anyNumber,
                                            .choices = providerChoices,
                                            .byDefault = usingWord.byDefault,
                                            .doc = usingWord.doc};
/// `using` of a statement that has one row.
inline constexpr WordSpec usingOneWord{.word = "using",
                                       .kind = ArgKind::Choice,
                                       .choices = providerChoices,
                                       .byDefault = usingWord.byDefault,
                                       .doc = "the provider of costs"};
/// What is said of kernels of libraries.
inline constexpr WordSpec kernelsWord{
    .word = "kernels",
    .kind = ArgKind::Reference,
    .maxArgs = anyNumber,
    .byDefault = "those of the chip's generation",
    .doc = "libraries whose kernels go before the generation's, at the tile level"};
inline constexpr WordSpec timingWord{
    .word = "timing",
    .kind = ArgKind::Choice,
    .choices = "graph eager alone",
    .byDefault = "graph",
    .doc = "kernels of libraries follow each other in a graph, the host starts each by itself, or "
           "each runs alone with nothing in a cache, as under a profiler"};
/// For what an evaluation or a batch of requests reads of it.
inline constexpr WordSpec stackWord{.word = "runtime",
                                    .kind = ArgKind::Reference,
                                    .byDefault = "what a compiler fuses from kernel to kernel",
                                    .doc = "the software stack, which says what runs as one "
                                           "kernel: vllm, torch_eager"};
inline constexpr WordSpec runtimeWord{.word = "runtime",
                                      .kind = ArgKind::Reference,
                                      .byDefault = "ideal: all peaks are reached",
                                      .doc = "the software stack: megatron, pytorch_fsdp"};
inline constexpr WordSpec batchWord{.word = "batch",
                                    .kind = ArgKind::Integer,
                                    .dims = Dims::Samples,
                                    .doc = "sequences or samples per step"};

inline constexpr WordSpec priceWord{.word = "price",
                                    .kind = ArgKind::Measure,
                                    .dims = Dims::Money,
                                    .per = perChip,
                                    .minArgs = 0,
                                    .block = BlockKind::Price,
                                    .doc =
                                        "what a chip costs, and in its block energy: price 2USD/h"};

/// The words of every statement that runs a model on one chip or system.
inline constexpr WordSpec runWords[] = {onWord,       overWord,     asWord,     dtypeWord,
                                        parallelWord, expectWord,   reportWord, emitWord,
                                        minimizeWord, maximizeWord, withinWord, requireWord};

template <size_t N, size_t M, size_t... I, size_t... J>
constexpr std::array<WordSpec, N + M> joined(const WordSpec (&first)[N],
                                             const WordSpec (&second)[M], std::index_sequence<I...>,
                                             std::index_sequence<J...>) {
  return {{first[I]..., second[J]...}};
}

/// The entries of two tables in one.
template <size_t N, size_t M>
constexpr auto joined(const WordSpec (&first)[N], const WordSpec (&second)[M]) {
  return joined(first, second, std::make_index_sequence<N>(), std::make_index_sequence<M>());
}

/// How tokens choose experts.
inline constexpr ChoiceArgument zipfArguments[] = {
    {.name = "theta",
     .kind = ArgKind::Measure,
     .dims = Dims::Number,
     .doc = "how uneven: 0 is even"},
    {.name = "seed", .doc = "of the places of the experts"},
};
inline constexpr ChoiceForm routingForms[] = {{.choice = "zipf", .arguments = zipfArguments}};

} // namespace perfc::words

#endif // PERFC_FRONTEND_SEMA_STATEMENTWORDS_H
