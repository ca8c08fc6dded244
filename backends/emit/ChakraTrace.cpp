// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// emit chakra of a `replay`: the trace that it runs, a file for each rank and the groups.
#include "backends/emit/ChakraNodes.h"
#include "backends/network/chakra/TraceProgram.h"

using namespace perfc;
using namespace perfc::emit;

/// ASTRA-sim's file: { "1": [0, 1], … }.
static std::string groupsText(const ir::Operation &trace) {
  std::string text;
  for (const ir::Operation &part : trace.body()) {
    if (!part.is("collective.group"))
      continue;
    std::string members;
    for (const ir::Attribute &rank : part.listAttr("members"))
      members += fmt::format("{}{}", members.empty() ? "" : ", ", rank.asInt());
    text +=
        fmt::format("{}\n  \"{}\": [{}]", text.empty() ? "" : ",", part.intAttr("number"), members);
  }
  return text.empty() ? "" : "{" + text + "\n}\n";
}

void emit::writeTrace(const ir::Operation &trace, const std::string &prefix,
                      const std::string &groups, FileSink sink) {
  if (std::string text = groupsText(trace); !text.empty() && !sink(groups, text))
    return;
  for (const ir::Operation &part : trace.body()) {
    if (!part.is("collective.ranks"))
      continue;
    std::string bytes = chakra::metadataBytes({});
    for (const ir::Operation &node : part.body())
      bytes += chakra::nodeBytes(chakra::recordOf(chakra::programNode(node)));
    for (uint32_t rank : chakra::ranksOf(part))
      if (!sink(fmt::format("{}.{}.et", prefix, rank), bytes))
        return;
  }
}
