// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/import/maestro/HardwareFile.h"

#include "frontend/import/maestro/LayerReader.h"
#include "ir/common/diagnostics/Maestro.h"

using namespace perfc;
using namespace perfc::maestro;
using dataflow::Hardware;

/// Where the number of a property goes; null for a property that there is not. The tool's files and
/// its command line name some differently.
static int64_t *fieldOf(Hardware &hardware, llvm::StringRef name) {
  struct Field {
    llvm::StringLiteral name;
    int64_t Hardware::*member;
  };
  static const Field fields[] = {{"num_pes", &Hardware::pes},
                                 {"num_simd_lanes", &Hardware::simd},
                                 {"noc_bw_cstr", &Hardware::nocBandwidth},
                                 {"NoC_NumHops", &Hardware::nocHops},
                                 {"noc_hops", &Hardware::nocHops},
                                 {"noc_hop_latency", &Hardware::hopLatency},
                                 {"offchip_bw_cstr", &Hardware::offchipBandwidth}};
  for (const Field &field : fields)
    if (field.name == name)
      return &(hardware.*field.member);
  for (auto [size, key] :
       {std::pair(&hardware.l1Size, "l1_size_cstr"), std::pair(&hardware.l2Size, "l2_size_cstr")})
    if (name == key) {
      size->emplace(0);
      return size->getPointer();
    }
  return nullptr;
}

llvm::Optional<Hardware> maestro::readHardwareFile(FileId file, DiagnosticEngine &diagnostics) {
  TokenReader reader(diagnostics, file);
  Hardware hardware;
  llvm::StringMap<bool> given;
  while (!reader.peek().isEnd()) {
    llvm::Optional<Token> name = reader.word("a property of the hardware");
    if (!name)
      return llvm::None;
    int64_t *field = fieldOf(hardware, name->text);
    if (!field) {
      diagnostics.report(name->range, diag::UnknownHardwareKey, name->text);
      return llvm::None;
    }
    if (!given.try_emplace(name->text, true).second) {
      diagnostics.report(name->range, diag::DataflowGivenTwice, name->text);
      return llvm::None;
    }
    // A hop may take no time.
    if (name->is("noc_hop_latency") && reader.skip("0")) {
      *field = 0;
      continue;
    }
    llvm::Optional<int64_t> value = readSize(reader, {});
    if (!value)
      return llvm::None;
    *field = *value;
  }
  return hardware;
}
