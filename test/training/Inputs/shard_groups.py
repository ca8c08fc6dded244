"""Each collective of the hybrid step against its formula, the memory of a rank against its share, and the lines of
all tables against the steps."""
import json
import sys

results = {r["name"]: r for r in json.load(open(sys.argv[1]))["results"]}
hybrid = results["hybrid"]["training"]
parts = {c["name"]: c for c in hybrid["communication"]}
parameters = results["hybrid"]["params"]
inside, across = 1e12, 10e9  # B/s per chip


def close(value, expected):
    assert abs(value / expected - 1) < 1e-6, (value, expected)


# Two microbatches, bf16: parameters twice, gradients once; the eighth of a rank once a step.
close(parts["all_gather shard"]["latency"], 2 * 2 * 7 / 8 * parameters * 2 / inside)
close(parts["reduce_scatter shard"]["latency"], 2 * 7 / 8 * parameters * 2 / inside)
close(parts["all_reduce replica"]["latency"], 2 * 7 / 8 * parameters / 8 * 2 / across)
close(results["hybrid"]["metrics"]["memory.parameters"], parameters * 2 / 8)
for result in results.values():
    close(sum(line["latency"] for line in result["kernels"]), result["metrics"]["step_time"])
