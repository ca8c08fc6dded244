// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chakra traces as records (schema 0.0.4), with everything that they hold, in the order of the
// file: what is written, and what a file is read into to be written again, byte for byte. Trace.h
// has what simulators need of it.
#ifndef PERFC_BACKENDS_NETWORK_CHAKRA_RECORDS_H
#define PERFC_BACKENDS_NETWORK_CHAKRA_RECORDS_H

#include "backends/network/chakra/Trace.h"
#include "ir/common/Wire.h"
#include "llvm/ADT/Optional.h"

namespace perfc::chakra {

/// An attribute: its name, and the member of the oneof that is set, by its field number.
struct RecordAttribute {
  std::string name, doc;
  uint32_t member = 0; ///< 0: none
  WireType type = WireType::Varint;
  uint64_t number = 0;
  std::string bytes;

  static RecordAttribute int64(std::string name, int64_t value);
  static RecordAttribute int32(std::string name, int32_t value);
  static RecordAttribute boolean(std::string name, bool value);
  static RecordAttribute text(std::string name, std::string value);
};

/// A node as it stands in a file. `inputs` and `outputs` are messages that are kept as bytes.
struct NodeRecord {
  uint64_t id = 0;
  std::string name;
  NodeType type = NodeType::Invalid;
  std::vector<uint64_t> controlDependencies, dataDependencies;
  uint64_t startMicros = 0, durationMicros = 0;
  llvm::Optional<std::string> inputs, outputs;
  std::vector<RecordAttribute> attributes;
};

struct MetadataRecord {
  std::string version = "0.0.4";
  std::vector<RecordAttribute> attributes;
};

/// Records, each with its length before it.
std::string metadataBytes(const MetadataRecord &metadata);
std::string nodeBytes(const NodeRecord &node);

/// A node without its length, an attribute as it follows the node's others, and a record of a node
/// that is `message` with the attribute `tail`: what ranks have in common is encoded once.
std::string nodeMessage(const NodeRecord &node);
std::string attributeBytes(const RecordAttribute &attribute);
void appendRecord(std::string &bytes, llvm::StringRef message, llvm::StringRef tail);

/// All records of a file; nothing, with `error` set, for what is no trace of this schema.
struct TraceRecords {
  MetadataRecord metadata;
  std::vector<NodeRecord> nodes;
};
llvm::Optional<TraceRecords> readRecords(llvm::StringRef bytes, WireError &error);

/// The file that holds `records`.
std::string traceBytes(const TraceRecords &records);

} // namespace perfc::chakra

#endif // PERFC_BACKENDS_NETWORK_CHAKRA_RECORDS_H
