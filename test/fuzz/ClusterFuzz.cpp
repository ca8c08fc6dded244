// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any bytes as the inputs that ASTRA-sim reads beside a trace: network, system, communicator groups
// and remote memory, cut at lines of `---`. They are read, or refused with diagnostics within the
// text; on what is small enough one collective of each kind runs.
#include "api/astra/ClusterTexts.h"
#include <cstdlib>

using namespace perfc;
using namespace perfc::api;

static constexpr llvm::StringLiteral names[] = {"n.yml", "s.json", "g.json", "m.json"};

static void runCollectives(const astra::Cluster &cluster) {
  constexpr uint64_t mostRanks = 16;
  constexpr int64_t bytes = 4096, mostChunks = 64;
  if (astra::rankCount(cluster.network) > mostRanks || cluster.system.splits > mostChunks)
    return;
  for (unsigned op = 0; op < astra::collectiveCount; ++op) {
    chakra::Trace trace = astra::collectiveTrace(static_cast<astra::Collective>(op), bytes);
    astra::simulate(cluster, {&trace}, astra::Fidelity::Events);
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef rest(reinterpret_cast<const char *>(data), size);
  SourceManager sources;
  DiagnosticEngine diagnostics(sources);
  FileId files[4];
  for (size_t i = 0; i < 4; ++i) {
    auto [part, behind] = rest.split("\n---\n");
    files[i] = sources.add(names[i].str(), part.str());
    rest = behind;
  }
  astra::Cluster cluster;
  bool good = readClusterTexts(diagnostics, {files[0], files[1], files[2], files[3]}, cluster);
  if (good == diagnostics.hasErrors())
    std::abort();
  for (const Diagnostic &diagnostic : diagnostics.all())
    if (diagnostic.range.begin > diagnostic.range.end || diagnostic.range.end > size)
      std::abort();
  if (good)
    runCollectives(cluster);
  return 0;
}
