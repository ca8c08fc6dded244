// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/driver/astra/ClusterFiles.h"

#include "api/astra/ClusterTexts.h"
#include "api/traces/ChakraFiles.h"
#include "ir/common/diagnostics/Cluster.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace perfc;
using namespace perfc::api;
using namespace perfc::driver;

llvm::Optional<llvm::json::Value> driver::readYamlFile(Session &session, llvm::StringRef path) {
  FileId file = session.load(path);
  return file ? api::parseYaml(session.diagnostics, file) : llvm::None;
}

bool driver::readCluster(Session &session, const ClusterFiles &files, astra::Cluster &cluster) {
  api::ClusterTexts texts;
  std::pair<const std::string *, FileId *> parts[] = {{&files.network, &texts.network},
                                                      {&files.system, &texts.system},
                                                      {&files.groups, &texts.groups},
                                                      {&files.memory, &texts.memory}};
  for (auto [path, file] : parts)
    if (!path->empty() && !(*file = session.load(*path)))
      return false;
  return api::readClusterTexts(session.diagnostics, texts, cluster);
}

bool driver::readTraces(Session &session, llvm::StringRef prefix, uint64_t ranks,
                        TraceFiles &traces) {
  std::unique_ptr<llvm::MemoryBuffer> first;
  bool allEqual = true;
  for (uint64_t rank = 0; rank < ranks; ++rank) {
    std::string path = fmt::format("{}.{}.et", prefix, rank);
    std::string reason;
    std::unique_ptr<llvm::MemoryBuffer> bytes = readBytes(path, reason);
    if (!bytes) {
      session.diagnostics.report({}, diag::MissingRank, rank,
                                 fmt::format("`{}`: {}", path, reason));
      return false;
    }
    if (first && first->getBuffer() == bytes->getBuffer()) {
      traces.ranks.push_back(traces.ranks.front());
      continue;
    }
    WireError error;
    llvm::Optional<chakra::Trace> trace = chakra::readTrace(bytes->getBuffer(), path, error);
    if (!trace) {
      reportBadTrace(session.context(), path, error);
      return false;
    }
    allEqual = rank == 0;
    traces.owned.push_back(std::make_unique<chakra::Trace>(std::move(*trace)));
    traces.ranks.push_back(traces.owned.back().get());
    if (rank == 0)
      first = std::move(bytes);
  }
  if (allEqual && !traces.ranks.empty())
    traces.ranks.resize(1);
  return true;
}
