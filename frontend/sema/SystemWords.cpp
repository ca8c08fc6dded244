// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/sema/PartWords.h"
#include "frontend/sema/WordTables.h"

using namespace perfc;
using namespace perfc::words;

using enum ArgKind;

static constexpr WordSpec systemWords[] = {
    {.word = "fault",
     .kind = Syntax,
     .block = BlockKind::Fault,
     .repeats = true,
     .doc = "breaks a part, or slows it: fault link(node[3], switch[0])"},
    {.word = "chunks",
     .kind = Integer,
     .byDefault = "1",
     .doc = "parts of a collective's buffer, each of which goes through the networks by itself"},
    {.word = "scheduling",
     .kind = Choice,
     .choices = "fifo lifo",
     .byDefault = "fifo",
     .doc = "which waiting chunk a network takes next: the one that came first, or last"},
};

static constexpr WordSpec faultWords[] = {
    {.word = "bandwidth",
     .kind = Measure,
     .dims = Dims::Number,
     .byDefault = "0%",
     .doc = "the share of its bandwidth that a link keeps"},
    {.word = "slowdown",
     .kind = Measure,
     .dims = Dims::Number,
     .byDefault = "broken",
     .doc = "how much slower a chip is: 1.2x"},
};

static constexpr WordSpec groupWords[] = {
    {.word = "over",
     .kind = Reference,
     .clauseOnly = true,
     .doc = "the network between the members"},
    {.word = "bandwidth",
     .kind = Measure,
     .dims = Dims::Bandwidth,
     .per = perMember,
     .maxArgs = anyNumber,
     .byDefault = "the network's",
     .doc = "what each chip moves, one way; along each dimension of a torus or mesh where there "
            "are several values"},
    {.word = "latency",
     .kind = Measure,
     .dims = Dims::Time,
     .per = perHop,
     .maxArgs = anyNumber,
     .byDefault = "the network's",
     .doc = "time of one traversal, or one for each dimension of a torus or mesh"},
    {.word = "topology",
     .kind = Choice,
     .choices = topologies,
     .forms = topologyForms,
     .byDefault = "the network's",
     .doc = "how nodes are linked"},
    {.word = "energy",
     .kind = Measure,
     .dims = Dims::HopEnergy,
     .per = perHop,
     .byDefault = "not given",
     .doc = "energy per bit or byte moved"},
    {.word = "multicast",
     .kind = Flag,
     .minArgs = 0,
     .maxArgs = 0,
     .byDefault = "the network's",
     .doc = "switches copy what goes to several chips"},
    {.word = "reduce",
     .kind = Flag,
     .minArgs = 0,
     .maxArgs = 0,
     .byDefault = "the network's",
     .doc = "switches add what comes from several chips"},
    nicsWord,
    stripeWord,
    activeChunksWord,
    linkWord,
    libraryWord,
};

static constexpr WordSpec siblingWord{.word = "from",
                                      .kind = Name,
                                      .clauseOnly = true,
                                      .doc =
                                          "another one of its block, whose lines it begins with"};

static constexpr WordSpec systemLibraryWords[] = {
    {.word = "launch",
     .kind = Measure,
     .dims = Dims::Time,
     .byDefault = "none",
     .doc = "time of every call, whatever it moves"},
    {.word = "host",
     .kind = Measure,
     .dims = Dims::Time,
     .byDefault = "none",
     .doc = "time that the caller needs per call: the least that a call takes"},
    {.word = "clone",
     .kind = Measure,
     .dims = Dims::Bandwidth,
     .byDefault = "the buffer is not copied",
     .doc = "bandwidth at which the buffer is read and written again before a call"},
    {.word = "channels",
     .kind = Integer,
     .byDefault = "they do not limit",
     .doc = "channels of its protocols; `channel` of a protocol says what one moves"},
    {.word = "measured",
     .kind = Measure,
     .dims = Dims::Number,
     .byDefault = "1",
     .doc = "measured times over those of the other figures, from 1 MiB on: 1 +- 13%"},
    {.word = "measured_small",
     .kind = Measure,
     .dims = Dims::Number,
     .byDefault = "1",
     .doc = "the same below 1 MiB"},
    {.word = "protocol",
     .kind = Syntax,
     .block = BlockKind::Protocol,
     .repeats = true,
     .isPart = true,
     .doc = "a way to move data; the fastest that may run is taken"},
    siblingWord,
    withoutWord,
};

static constexpr WordSpec leastWord{.word = "least",
                                    .kind = Measure,
                                    .dims = Dims::Data,
                                    .byDefault = "any size",
                                    .doc = "the smallest buffer"};
static constexpr WordSpec upToWord{.word = "up_to",
                                   .kind = Measure,
                                   .dims = Dims::Data,
                                   .byDefault = "any size",
                                   .doc = "the largest buffer"};

static constexpr WordSpec rankWords[] = {leastWord, upToWord};

static constexpr WordSpec protocolWords[] = {
    {.word = "algorithm",
     .kind = Choice,
     .choices = "ring tree in_network one_shot two_shot direct",
     .doc = "its pattern"},
    {.word = "serves",
     .kind = Choice,
     .maxArgs = anyNumber,
     .choices = "all_reduce all_gather reduce_scatter all_to_all broadcast reduce barrier send",
     .byDefault = "what its pattern can do",
     .doc = "the collectives that it runs"},
    {.word = "start",
     .kind = Measure,
     .dims = Dims::Time,
     .byDefault = "none",
     .doc = "time before the first step"},
    {.word = "latency",
     .kind = Measure,
     .dims = Dims::Time,
     .byDefault = "the network's latency",
     .doc = "time of a step that moves nothing"},
    {.word = "bandwidth",
     .kind = Measure,
     .dims = Dims::Bandwidth,
     .per = perChip,
     .byDefault = "the network's",
     .doc = "what one rank sends, one way"},
    {.word = "pair",
     .kind = Measure,
     .dims = Dims::Bandwidth,
     .per = perChip,
     .byDefault = "no lower",
     .doc = "the same between only two ranks"},
    {.word = "channel",
     .kind = Measure,
     .dims = Dims::Bandwidth,
     .per = perChip,
     .byDefault = "does not limit",
     .doc = "what one of its channels moves, one way; all together move `channels` times that"},
    {.word = "channels",
     .kind = Integer,
     .byDefault = "the library's",
     .doc = "how many channels it has"},
    {.word = "copy",
     .kind = Measure,
     .dims = Dims::Bandwidth,
     .per = perChip,
     .byDefault = "at no cost",
     .doc = "bandwidth at which a rank copies its own part"},
    {.word = "window",
     .kind = Measure,
     .dims = Dims::Data,
     .byDefault = "none",
     .doc = "most bytes of a step that are under way at one time, over all channels"},
    {.word = "exposed",
     .kind = Measure,
     .dims = Dims::Number,
     .byDefault = "none",
     .doc = "share of a step's window that the next step waits for"},
    {.word = "ranks",
     .kind = Integer,
     .maxArgs = 2,
     .block = BlockKind::ProtocolRanks,
     .repeats = true,
     .byDefault = "any number",
     .doc =
         "how many ranks it needs: least and most; with sizes of their own: ranks 2, 2 up_to 8MiB"},
    {.word = "groups",
     .kind = Integer,
     .byDefault = "1",
     .doc = "how many groups of its network the ranks stand in at least: 2 where it runs between "
            "nodes only"},
    {.word = "outer_latency",
     .kind = Measure,
     .dims = Dims::Time,
     .byDefault = "the network's latency",
     .doc = "time of a step on an outer network that does not have the library, where that is no "
            "slower"},
    {.word = "outer_share",
     .kind = Measure,
     .dims = Dims::Share,
     .byDefault = "100%",
     .doc = "share of the bandwidth of such a network that it reaches: outer_share 50% where half "
            "of the bytes are flags"},
    leastWord,
    upToWord,
    siblingWord,
    withoutWord,
};

static constexpr WordSpec linkWords[] = {
    {.word = "bandwidth",
     .kind = Measure,
     .dims = Dims::Bandwidth,
     .per = perLink,
     .byDefault = "the network's",
     .doc = "one way"},
    {.word = "latency",
     .kind = Measure,
     .dims = Dims::Time,
     .byDefault = "the network's",
     .doc = "time of a message"},
};

llvm::ArrayRef<WordSpec> perfc::systemWordsOf(BlockKind kind) {
  switch (kind) {
  case BlockKind::System:
    return systemWords;
  case BlockKind::Group:
    return groupWords;
  case BlockKind::Fault:
    return faultWords;
  case BlockKind::Link:
    return linkWords;
  case BlockKind::Library:
    return systemLibraryWords;
  case BlockKind::Protocol:
    return protocolWords;
  case BlockKind::ProtocolRanks:
    return rankWords;
  default:
    return {};
  }
}
