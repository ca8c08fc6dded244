// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chakra's schemas 0.0.2 and 0.0.3 (proto2, 2023): attributes with a type and a field per kind of
// value, one list of parents, collectives numbered ALL_REDUCE, ALL_TO_ALL, ALL_GATHER,
// REDUCE_SCATTER, BROADCAST. 0.0.2 has no METADATA node, so that its node types are one lower, and
// no record of metadata; the numbers of value fields grew between the two, which is why a value
// counts by its wire type. Files do not say which they are; what their nodes do does.
#ifndef PERFC_BACKENDS_NETWORK_CHAKRA_ATTRIBUTESCHEMA_H
#define PERFC_BACKENDS_NETWORK_CHAKRA_ATTRIBUTESCHEMA_H

#include "backends/network/chakra/Trace.h"
#include "ir/common/Wire.h"

namespace perfc::chakra {

/// Whether a node of the file has attributes where these schemas have them.
bool isAttributeSchema(llvm::StringRef bytes);

/// Adds the nodes of `bytes` to `trace`; false, with `error` set, when they are no trace. Run times
/// (`runtime`) count as microseconds.
bool readAttributeTrace(llvm::StringRef bytes, Trace &trace, WireError &error);

} // namespace perfc::chakra

#endif // PERFC_BACKENDS_NETWORK_CHAKRA_ATTRIBUTESCHEMA_H
