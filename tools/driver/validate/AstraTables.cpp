// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kinds p2p, roofline and remote_memory: single messages, kernels and chains of memory accesses,
// with ASTRA-sim's times.
#include "api/astra/ClusterReader.h"
#include "tools/driver/validate/AstraCase.h"

using namespace perfc;
using namespace perfc::api;
using namespace perfc::driver;
using chakra::Field;
using chakra::NodeType;

static chakra::Trace singleNode(const chakra::Node &node) {
  chakra::Trace trace;
  trace.path = "row";
  trace.add(node, {});
  trace.link();
  return trace;
}

static bool predictMessage(Session &session, const CsvTable &table, const CsvTable::Row &line,
                           ValidationRow &row) {
  static const llvm::StringRef metrics[] = {"cycles_src", "cycles_dst"};
  std::string problem;
  auto cluster = clusterOfRow(table, line, problem);
  auto source = table.count(session, line, "src", 0);
  auto destination = table.count(session, line, "dst", 0);
  auto size = table.count(session, line, "size_bytes", 0);
  if (!source || !destination || !size)
    return false;
  if (!cluster) {
    skipRow(row, metrics, problem);
    return true;
  }
  auto ranks = static_cast<int64_t>(astra::rankCount(cluster->network));
  if (*source >= ranks || *destination >= ranks) {
    skipRow(row, metrics, "src or dst is no rank");
    return true;
  }
  chakra::Trace idle = singleNode(NodeMaker(NodeType::Compute).micros(1).node);
  chakra::Trace send = singleNode(NodeMaker(NodeType::Send)
                                      .set(Field::CommDst, *destination)
                                      .set(Field::CommSize, *size)
                                      .set(Field::CommTag, 0)
                                      .node);
  chakra::Trace receive = singleNode(NodeMaker(NodeType::Receive)
                                         .set(Field::CommSrc, *source)
                                         .set(Field::CommSize, *size)
                                         .set(Field::CommTag, 0)
                                         .node);
  std::vector<const chakra::Trace *> traces(static_cast<size_t>(ranks), &idle);
  traces[static_cast<size_t>(*source)] = &send;
  traces[static_cast<size_t>(*destination)] = &receive;
  astra::SimulationResult result = astra::simulate(*cluster, traces);
  if (skipFailedRow(row, table.cell(line, "status"), result, metrics) ||
      skipRefusedRow(row, result, metrics))
    return true;
  addFigures(row, metrics[0], result.ranks[static_cast<size_t>(*source)].finish,
             table.number(line, metrics[0]));
  addFigures(row, metrics[1], result.ranks[static_cast<size_t>(*destination)].finish,
             table.number(line, metrics[1]));
  return true;
}

bool driver::predictP2p(Session &session, llvm::StringRef path, std::vector<ValidationRow> &rows) {
  auto table = CsvTable::load(session, path, "p2p",
                              {"backend", "topology", "npus_per_dim", "bandwidth_GBps",
                               "latency_ns", "src", "dst", "size_bytes", "status"});
  if (!table)
    return false;
  for (const CsvTable::Row &line : table->rows()) {
    ValidationRow row{std::to_string(rows.size() + 1), {}, {}};
    for (llvm::StringRef column : {"backend", "topology"})
      row.labels.emplace_back(column.str(), table->cell(line, column).str());
    if (!predictMessage(session, *table, line, row))
      return false;
    rows.push_back(std::move(row));
  }
  return true;
}

/// A small cluster for what happens inside one rank.
static astra::Cluster plainCluster(uint32_t ranks) {
  astra::Cluster cluster;
  astra::Dimension dim;
  dim.npus = ranks;
  dim.bandwidth = 50;
  dim.latency = 500;
  cluster.network = {dim};
  cluster.system = defaultSystem(1);
  return cluster;
}

bool driver::predictRoofline(Session &session, llvm::StringRef path,
                             std::vector<ValidationRow> &rows) {
  auto table =
      CsvTable::load(session, path, "roofline",
                     {"num_ops", "tensor_size_bytes", "peak_perf_TFLOPS", "local_mem_bw_GBps"});
  if (!table)
    return false;
  for (const CsvTable::Row &line : table->rows()) {
    ValidationRow row{std::to_string(rows.size() + 1), {}, {}};
    auto operations = table->count(session, line, "num_ops", 0);
    auto size = table->count(session, line, "tensor_size_bytes", 0);
    auto peak = table->number(line, "peak_perf_TFLOPS");
    auto bandwidth = table->number(line, "local_mem_bw_GBps");
    if (!operations || !size)
      return false;
    astra::Cluster cluster = plainCluster(2);
    cluster.system.roofline = true;
    cluster.system.peakPerf = peak ? peak->real : 0;
    cluster.system.localMemBandwidth = bandwidth ? bandwidth->real : 0;
    chakra::Trace trace = singleNode(NodeMaker(NodeType::Compute)
                                         .set(Field::NumOps, *operations)
                                         .set(Field::TensorSize, *size)
                                         .node);
    astra::SimulationResult result = astra::simulate(cluster, {&trace});
    if (!skipFailedRow(row, table->cell(line, "status"), result, {"cycles"}) &&
        !skipRefusedRow(row, result, {"cycles"}))
      addFigures(row, "cycles", result.ranks[0].finish, table->number(line, "cycles"));
    rows.push_back(std::move(row));
  }
  return true;
}

/// Memory access, compute, memory access, compute, …, each waiting for the one before.
static chakra::Trace memoryChain(int64_t size, int64_t accesses, int64_t micros) {
  chakra::Trace trace;
  trace.path = "row";
  for (int64_t at = 0; at < 2 * accesses; ++at) {
    auto id = static_cast<uint64_t>(at);
    NodeMaker node(at % 2 ? NodeType::Compute : NodeType::MemLoad, id);
    at % 2 ? node.micros(micros) : node.set(Field::TensorSize, size);
    std::vector<uint64_t> parents;
    if (at > 0)
      parents.push_back(id - 1);
    trace.add(node.node, parents);
  }
  trace.link();
  return trace;
}

static bool predictAccesses(Session &session, const CsvTable &table, const CsvTable::Row &line,
                            ValidationRow &row) {
  auto value = [&](llvm::StringRef column, int64_t least) {
    return table.count(session, line, column, least);
  };
  auto latency = value("remote_mem_latency_ns", 0), nodes = value("num_nodes", 1);
  auto perNode = value("num_npus_per_node", 1), size = value("tensor_size_bytes", 0);
  auto accesses = value("mem_ops_per_npu", 1), micros = value("comp_us_after_each", 0);
  if (!latency || !nodes || !perNode || !size || !accesses || !micros)
    return false;
  static const llvm::StringRef metrics[] = {"cycles", "exposed"};
  constexpr int64_t most = 1 << 16;
  if (*nodes > most || *perNode > most || *accesses > most || *nodes * *perNode < 2 ||
      *nodes * *perNode > most) {
    skipRow(row, metrics, "counts are from 2 ranks to 65536 ranks and accesses");
    return true;
  }
  astra::Cluster cluster = plainCluster(static_cast<uint32_t>(*nodes * *perNode));
  auto bandwidth = table.number(line, "remote_mem_bw_B_per_ns");
  ClusterReader reader(session.diagnostics, line.place.file, "remote_memory");
  llvm::json::Object memory{{"memory-type", table.cell(line, "memory_type").str()},
                            {"remote-mem-latency", *latency},
                            {"remote-mem-bw", bandwidth ? bandwidth->real : 0.0},
                            {"num-npus-per-node", *perNode}};
  if (!reader.readMemory(memory, cluster.memory))
    return false;
  chakra::Trace trace = memoryChain(*size, *accesses, *micros);
  astra::SimulationResult result = astra::simulate(cluster, {&trace});
  if (skipFailedRow(row, table.cell(line, "status"), result, metrics) ||
      skipRefusedRow(row, result, metrics))
    return true;
  std::vector<int64_t> exposed;
  for (const astra::RankResult &rank : result.ranks)
    exposed.push_back(rank.exposed());
  addFigures(row, metrics[0], finishTimes(result), figuresOf(table.cell(line, "cycles_per_npu")));
  addFigures(row, metrics[1], exposed, figuresOf(table.cell(line, "exposed_per_npu")));
  return true;
}

bool driver::predictRemoteMemory(Session &session, llvm::StringRef path,
                                 std::vector<ValidationRow> &rows) {
  auto table =
      CsvTable::load(session, path, "remote_memory",
                     {"memory_type", "remote_mem_latency_ns", "remote_mem_bw_B_per_ns", "num_nodes",
                      "num_npus_per_node", "tensor_size_bytes", "mem_ops_per_npu",
                      "comp_us_after_each", "cycles_per_npu", "exposed_per_npu"});
  if (!table)
    return false;
  for (const CsvTable::Row &line : table->rows()) {
    ValidationRow row{std::to_string(rows.size() + 1), {}, {}};
    row.labels.emplace_back("memory_type", table->cell(line, "memory_type").str());
    if (!predictAccesses(session, *table, line, row))
      return false;
    rows.push_back(std::move(row));
  }
  return true;
}
