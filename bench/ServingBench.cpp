// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Batches per second of a stream of requests: schedulers on one copy of a model with times of
// tables, and many copies behind a router.
#include "backends/serving/TableCost.h"
#include "benchmark/benchmark.h"

using namespace perfc;
using namespace perfc::serving;

/// Times of a table of the usual size, in s, of 32 layers.
static std::shared_ptr<study::OpTable> usualTable() {
  auto table = std::make_shared<study::OpTable>();
  auto fill = [](study::TimeGrid &grid, auto time) {
    for (int64_t row : grid.rows)
      for (int64_t column : grid.columns)
        grid.cells.push_back(time(static_cast<double>(row), static_cast<double>(column)));
  };
  for (int64_t kernel = 0; kernel < 9; ++kernel) {
    table->kernels.push_back("kernel_" + std::to_string(kernel));
    table->layer.columns.push_back(kernel);
  }
  for (int64_t tokens = 8; tokens <= 4096; tokens += 8)
    table->layer.rows.push_back(tokens);
  for (int64_t requests = 1; requests <= 128; ++requests)
    table->decode.rows.push_back(requests);
  for (int64_t context = 64; context <= 4096; context += 64) {
    table->decode.columns.push_back(context);
    table->prefill.rows.push_back(context);
  }
  for (int64_t before = 0; before <= 4096; before += 64)
    table->prefill.columns.push_back(before);
  fill(table->layer, [](double tokens, double) { return 2e-5 + 2e-7 * tokens; });
  fill(table->decode,
       [](double requests, double context) { return 1e-5 + 1e-10 * requests * context; });
  fill(table->prefill,
       [](double tokens, double before) { return 1e-5 + 1e-11 * tokens * (tokens + before); });
  return table;
}

static std::vector<Request> poisson(size_t count, double rate, int64_t prompt, int64_t answer) {
  Random random(1);
  std::vector<Request> requests(count);
  double now = 0;
  for (Request &request : requests) {
    request.arrival = now += random.exponential() / rate;
    request.prompt = prompt;
    request.answer = answer;
  }
  return requests;
}

static void serveAll(benchmark::State &state, const char *kind, size_t copies, size_t count,
                     double rate) {
  std::vector<Sample> samples(2);
  samples[1].isDecode = true;
  auto frame = std::make_shared<SampleFrame>(samples);
  auto part = std::make_unique<SampledCost>(
      frame, samples, [](const GraphCost &cost) -> const StepBlock & { return cost.before.block; });
  TableCost cost(usualTable(), std::move(part));
  std::vector<Request> requests = poisson(count, rate, 300, 100);
  Limits limits;
  limits.blocks = 7424;
  limits.reserved = 25;
  int64_t batches = 0;
  for (auto _ : state) {
    PoolSetup pool{schedulerOf(kind), limits, copies, roundRobin()};
    pool.times = [&](const BatchShape &shape, std::vector<double> &seconds) {
      seconds.assign(1, 32 * cost.run(shape.tokens, shape, 32).seconds());
    };
    SimulationResult result = simulate(requests, Setup{{pool}, {}, /*keepsAll=*/false});
    batches += result.pools[0].batches;
    benchmark::DoNotOptimize(result.end);
  }
  state.SetItemsProcessed(batches);
}

static void serveOne(benchmark::State &state, const char *kind) {
  serveAll(state, kind, 1, 10000, 5);
}
BENCHMARK_CAPTURE(serveOne, vllm, "vllm")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(serveOne, vllm_v1, "vllm_v1")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(serveOne, sarathi, "sarathi")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(serveOne, sglang, "sglang")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(serveOne, orca, "orca")->Unit(benchmark::kMillisecond);

/// 20,000 requests on 1,000 copies.
static void serveMany(benchmark::State &state) { serveAll(state, "vllm_v1", 1000, 20000, 5000); }
BENCHMARK(serveMany)->Unit(benchmark::kMillisecond);
