// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// VIDUR's input of a `serve`: its requests as a trace to replay, and the deployment as words of the
// command line (microsoft/vidur at 7d47513, vidur/config); and what it writes of each request. It
// knows models and devices by name: they are found by their figures, and by the chip's name.
#include "api/tools/RequestTool.h"
#include "backends/serving/vidur/Deployment.h"
#include "backends/serving/vidur/Mode.h"
#include "ir/common/diagnostics/Maestro.h"
#include "passes/Levels.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <cmath>

using namespace perfc;
using namespace perfc::api;
using serving::Request;

namespace {

/// A `serve` as VIDUR is told of it.
class VidurWriter {
public:
  VidurWriter(const RequestQuery &query, DiagnosticEngine &diagnostics)
      : query(query), serve(query.serve), model(query.model), diagnostics(diagnostics) {}

  llvm::Optional<ToolInput> input();

private:
  bool fail(const std::string &what) {
    diagnostics.report(serve->range(), diag::DataflowNotAccepted, "vidur", what);
    return false;
  }
  bool checkStatement();
  bool findDevice();
  bool findModel();
  std::string schedulerWord() const;
  void addScheduler();
  void addPredictor();
  void add(const std::string &name, const std::string &value) {
    arguments.insert(arguments.end(), {"--" + name, value});
  }
  void add(const std::string &name, int64_t value) { add(name, std::to_string(value)); }

  const RequestQuery &query;
  study::ServeOp serve;
  const serving::ServedModel &model;
  DiagnosticEngine &diagnostics;
  std::string device, network, modelName;
  std::vector<std::string> arguments;
};

} // namespace

bool VidurWriter::checkStatement() {
  std::string lacks = serving::vidur::lacks(serve, model.copies);
  if (!lacks.empty())
    return fail("this `serve`: " + lacks);
  std::vector<study::PoolOp> pools = serve.pools();
  if (pools.size() > 1)
    return fail("a pool for prompts and one for tokens");
  if (pools.front().draft().tokens() > 0)
    return fail("speculative decoding");
  if (!pools.front().outages().empty() || pools.front().scaling().least() > 0)
    return fail("copies that break or follow the load");
  if (model.groups > 1)
    return fail("experts on ranks of their own");
  if (bitsOf(serve.dtype()) != 16)
    return fail("weights of other than 2 bytes");
  for (const Request &request : query.requests)
    if (request.after >= 0)
      return fail("requests that follow the answers of others");
  return true;
}

/// Its name, and that of what connects several: switches where the module has no PCIe card's name.
bool VidurWriter::findDevice() {
  target::ChipOp chip = passes::chipOf(query.module, serve.pools().front().on());
  std::string name = chip->symbol().lower();
  for (llvm::StringRef known : {"a100", "h100", "a40"})
    if (llvm::StringRef(name).startswith(known))
      device = known.str();
  auto memory = serving::vidur::deviceMemory(device);
  if (!memory || std::fabs(model.capacity / *memory - 1) > 0.1)
    return fail(fmt::format("the chip `{}`: it has measured a100 and h100 of 80 GB, and a40",
                            chip->symbol().str()));
  bool isPaired = device == "a40" || llvm::StringRef(name).contains("pcie");
  network = device + (isPaired ? "_pairwise_nvlink" : "_dgx");
  return true;
}

bool VidurWriter::findModel() {
  modelName =
      serving::vidur::nameOf({model.layerCount, model.tensor, model.stages, model.matrixBytes,
                              serving::vidur::cacheOf(model), model.boundaryBytes},
                             serve.subjectLabel());
  return !modelName.empty() ||
         fail(fmt::format("the workload `{}`: its sizes are not those of a language model that it "
                          "has measured",
                          serve.subjectLabel().str()));
}

std::string VidurWriter::schedulerWord() const {
  llvm::StringRef kind = serve.scheduler().kind();
  return kind == "static" ? "faster_transformer" : kind.str();
}

void VidurWriter::addScheduler() {
  study::SchedulerOp scheduler = serve.scheduler();
  std::string word = schedulerWord(), prefix = word + "_scheduler_config_";
  add("replica_scheduler_config_type", word);
  add(prefix + "batch_size_cap", scheduler.maxBatch());
  add(prefix + "block_size", scheduler.kind() == "lightllm" ? 1 : scheduler.block());
  if (word == "sarathi")
    add(prefix + "chunk_size", scheduler.chunk());
  if (scheduler.boundsPrompts())
    add(prefix + "max_tokens_in_batch", scheduler.maxTokens());
}

/// Times are predicted before the run, for all sizes that it may come to.
void VidurWriter::addPredictor() {
  study::SchedulerOp scheduler = serve.scheduler();
  std::string prefix = "random_forrest_execution_time_predictor_config_";
  int64_t longest = 4096;
  for (const Request &request : query.requests)
    longest = std::max(longest, request.total());
  int64_t prompts = scheduler.boundsPrompts() ? scheduler.maxTokens() : scheduler.chunk();
  add(prefix + "prediction_max_batch_size", std::max<int64_t>(128, scheduler.maxBatch()));
  add(prefix + "prediction_max_tokens_per_request", (longest + 63) / 64 * 64);
  add(prefix + "prediction_max_prefill_chunk_size", std::max<int64_t>(4096, prompts));
  if (query.data.empty())
    return;
  std::string compute = query.data + "/profiling/compute/{DEVICE}/{MODEL}/",
              links = query.data + "/profiling/network/{NETWORK_DEVICE}/";
  add(prefix + "compute_input_file", compute + "mlp.csv");
  add(prefix + "attention_input_file", compute + "attention.csv");
  add(prefix + "all_reduce_input_file", links + "all_reduce.csv");
  add(prefix + "send_recv_input_file", links + "send_recv.csv");
}

llvm::Optional<ToolInput> VidurWriter::input() {
  if (!checkStatement() || !findDevice() || !findModel())
    return llvm::None;
  int64_t longest = 1;
  std::string trace = "arrived_at,num_prefill_tokens,num_decode_tokens\n";
  for (const Request &request : query.requests) {
    longest = std::max(longest, request.total());
    trace += fmt::format("{},{},{}\n", request.arrival, request.prompt, request.answer);
  }
  add("replica_config_model_name", modelName);
  add("replica_config_device", device);
  add("replica_config_network_device", network);
  add("replica_config_tensor_parallel_size", model.tensor);
  add("replica_config_num_pipeline_stages", model.stages);
  add("cluster_config_num_replicas", model.copies);
  add("global_scheduler_config_type", serve.router() == "least_loaded" ? "lor" : "round_robin");
  addScheduler();
  add("request_generator_config_type", "trace_replay");
  add("trace_request_generator_config_trace_file", "requests.csv");
  add("trace_request_generator_config_max_tokens",
      std::max(longest, serve.scheduler().isReserving()
                            ? serve.scheduler().maxTokens(serve.lengths().longest())
                            : serve.lengths().longest()));
  addPredictor();
  add("metrics_config_output_dir", "results");
  for (const char *option : {"store_plots", "enable_chrome_trace"})
    arguments.push_back(fmt::format("--no-metrics_config_{}", option));
  return ToolInput{{{"requests.csv", trace}}, arguments, serve.symbol().str(), ""};
}

llvm::Optional<ToolInput> api::vidurInput(const RequestQuery &query,
                                          DiagnosticEngine &diagnostics) {
  return VidurWriter(query, diagnostics).input();
}
