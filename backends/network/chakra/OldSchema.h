// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chakra's schema 0.0.1 (proto2, 2023): no metadata, what are attributes now are fields of a node,
// parents instead of two lists of dependencies, types and collectives numbered otherwise. The
// fields are those of eg_def.proto as first published (github.com/mlcommons/chakra).
#ifndef PERFC_BACKENDS_NETWORK_CHAKRA_OLDSCHEMA_H
#define PERFC_BACKENDS_NETWORK_CHAKRA_OLDSCHEMA_H

#include "backends/network/chakra/Trace.h"
#include "ir/common/Wire.h"

namespace perfc::chakra {

/// Whether the file begins with a node and has a field that only schema 0.0.1 has.
bool isOldSchema(llvm::StringRef bytes);

/// Adds the nodes of `bytes` to `trace`; false, with `error` set, when they are no trace. Run times
/// count as microseconds, as in later schemas.
bool readOldTrace(llvm::StringRef bytes, Trace &trace, WireError &error);

} // namespace perfc::chakra

#endif // PERFC_BACKENDS_NETWORK_CHAKRA_OLDSCHEMA_H
