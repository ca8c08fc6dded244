// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a trace: records `varint length, message`, the first GlobalMetadata and all others Node.
// Works on one record at a time, so that memory is what the nodes take. Fields that the schema does
// not have are skipped, as Protocol Buffers ask; everything else that is wrong names its byte.
#ifndef PERFC_BACKENDS_NETWORK_CHAKRA_TRACEREADER_H
#define PERFC_BACKENDS_NETWORK_CHAKRA_TRACEREADER_H

#include "backends/network/chakra/Trace.h"
#include "ir/common/Wire.h"
#include "llvm/ADT/Optional.h"

namespace perfc::chakra {

/// The trace in `bytes`, linked; nothing, with `error` set, when they are no trace.
llvm::Optional<Trace> readTrace(llvm::StringRef bytes, std::string path, WireError &error);

} // namespace perfc::chakra

#endif // PERFC_BACKENDS_NETWORK_CHAKRA_TRACEREADER_H
