// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any text as IR with a system: its links are laid, and a message goes from the first chip to each
// other, without a crash.
#include "backends/network/FabricSimulation.h"
#include "ir/core/Parser.h"
#include "ir/core/Verifier.h"
#include "ir/study/AllOps.h"

using namespace perfc;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  SourceManager sources;
  DiagnosticEngine diagnostics(sources);
  FileId file = sources.add("fuzz.ir", std::string(reinterpret_cast<const char *>(data), size));
  auto module = ir::parseModule(file, allOps(), diagnostics);
  if (!module || !ir::verify(*module, diagnostics))
    return 0;
  for (const ir::Operation &op : module->body()) {
    if (!op.is("target.system"))
      continue;
    auto fabric = network::Fabric::build(op, diagnostics);
    if (!fabric || fabric->ranks() > 256)
      continue;
    network::Messages messages;
    for (uint32_t to = 1; to < fabric->ranks(); ++to)
      messages.add(0, to, 1e6, {});
    network::simulateMessages(*fabric, messages, {}, diagnostics);
  }
  return 0;
}
