// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Words that blocks of several parts of a chip or system share.
#ifndef PERFC_FRONTEND_SEMA_PARTWORDS_H
#define PERFC_FRONTEND_SEMA_PARTWORDS_H

#include "frontend/sema/Words.h"

namespace perfc::words {

inline constexpr llvm::StringLiteral topologies =
    "switch ring fully_connected mesh torus fat_tree dragonfly tree bus links";

inline constexpr ChoiceArgument fatTreeArguments[] = {
    {.name = "radix",
     .byDefault = "as many as there are chips",
     .doc = "ports of a leaf switch, at least 2"},
    {.name = "oversubscription",
     .kind = ArgKind::Measure,
     .dims = Dims::Number,
     .byDefault = "1",
     .doc = "bandwidth of the chips of a leaf over that of its trunk upward, at least 1"},
};
inline constexpr ChoiceArgument treeArguments[] = {
    {.name = "radix", .byDefault = "2", .doc = "links of a switch that lead down, at least 2"},
};
inline constexpr ChoiceArgument dragonflyArguments[] = {
    {.name = "groups", .doc = "groups of routers, all pairs linked"},
    {.name = "routers", .doc = "routers of a group, all pairs linked"},
    {.name = "hosts", .doc = "members at each router"},
};
inline constexpr ChoiceForm topologyForms[] = {
    {.choice = "mesh", .sizes = "members along each dimension; a line without"},
    {.choice = "torus", .sizes = "members along each dimension; a ring without"},
    {.choice = "fat_tree", .arguments = fatTreeArguments},
    {.choice = "dragonfly", .arguments = dragonflyArguments},
    {.choice = "tree", .arguments = treeArguments},
};
/// What the network of a group gives.
inline constexpr BaseUnit perMember[] = {BaseUnit::Chip, BaseUnit::Node, BaseUnit::Link};
inline constexpr BaseUnit perLink[] = {BaseUnit::Link};
inline constexpr BaseUnit perHop[] = {BaseUnit::Hop};

inline constexpr llvm::StringLiteral tensorRoles = "input weight output intermediate cache";

inline constexpr WordSpec fromWord{.word = "from",
                                   .kind = ArgKind::Reference,
                                   .clauseOnly = true,
                                   .doc = "the template it is made from"};
inline constexpr WordSpec afterWord{
    .word = "after", .kind = ArgKind::Name, .clauseOnly = true, .doc = "where it is inserted"};
inline constexpr WordSpec withoutWord{.word = "without",
                                      .kind = ArgKind::Name,
                                      .maxArgs = anyNumber,
                                      .repeats = true,
                                      .doc = "removes parts that `from` brought"};
inline constexpr WordSpec leakWord{.word = "leak",
                                   .kind = ArgKind::Measure,
                                   .dims = Dims::Power,
                                   .per = perChip,
                                   .byDefault = "none",
                                   .doc = "power of one instance that is on, whatever it does"};
inline constexpr WordSpec areaWord{.word = "area",
                                   .kind = ArgKind::Measure,
                                   .dims = Dims::Area,
                                   .per = perChip,
                                   .byDefault = "not given",
                                   .doc = "area of one instance"};
inline constexpr WordSpec linkWord{
    .word = "link",
    .kind = ArgKind::Integer,
    .minArgs = 2,
    .maxArgs = 2,
    .block = BlockKind::Link,
    .repeats = true,
    .doc = "of `topology links`: two members by number, link 0, 1 { bandwidth 25GB/s }"};
inline constexpr WordSpec nicsWord{
    .word = "nics",
    .kind = ArgKind::Integer,
    .byDefault = "1",
    .doc = "adapters of a chip, which share out its bandwidth: a message takes one of them"};
inline constexpr WordSpec stripeWord{.word = "stripe",
                                     .kind = ArgKind::Integer,
                                     .byDefault = "1",
                                     .doc = "adapters that one message is spread over"};
inline constexpr WordSpec activeChunksWord{
    .word = "active_chunks",
    .kind = ArgKind::Integer,
    .byDefault = "1",
    .doc = "chunks of a collective that are under way here at a time (`chunks` of the system)"};
inline constexpr WordSpec libraryWord{
    .word = "library",
    .kind = ArgKind::Syntax,
    .block = BlockKind::Library,
    .repeats = true,
    .isPart = true,
    .doc = "how a communication library runs collectives here: library nccl { … }"};

} // namespace perfc::words

#endif // PERFC_FRONTEND_SEMA_PARTWORDS_H
