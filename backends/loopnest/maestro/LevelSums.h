// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The figures of one cluster level for given sizes: sums over the combinations of its loops'
// phases. A level asks the one below for the run time of a sub-cluster; equal questions are
// answered once.
#ifndef PERFC_BACKENDS_LOOPNEST_MAESTRO_LEVELSUMS_H
#define PERFC_BACKENDS_LOOPNEST_MAESTRO_LEVELSUMS_H

#include "backends/loopnest/maestro/Model.h"
#include "backends/loopnest/maestro/Step.h"

namespace perfc::maestro {

/// Delays of steps, before they are averaged.
struct DelaySum {
  llvm::Optional<int64_t> smallest, largest;
  Checked sum = 0;

  void add(int64_t delay, Checked times);
  Delay average(int64_t steps) const;
};

struct Sums {
  Checked runtime = 0;
  Checked macs = 0;
  Checked inputRead = 0, filterRead = 0, outputWrite = 0;
  Checked outputMacs = 0;
  Checked steps = 0;
  double activePes = 0; ///< mean over the steps
  int64_t peakBandwidth = 0;
  Checked bandwidthSum = 0;
  int64_t offchipBandwidth = 0;
  /// Both buffers for the tiles of the first step.
  int64_t firstInputs = 0, firstOutputs = 0;
  DelaySum ingress, egress, compute;
  /// MACs per element of ingress in the last combination; nothing where that has none.
  llvm::Optional<double> lastIntensity;
};

class LevelSums {
public:
  LevelSums(const dataflow::Layer &layer, const dataflow::Hardware &hardware,
            const std::vector<Level> &levels);

  const Sums &ofLevel(size_t depth, const dataflow::Sizes &sizes);
  const Extents &extents(size_t depth) const { return levelExtents[depth]; }
  /// An intermediate figure did not fit 64 bits, so no sum can be trusted.
  bool overflowed() const { return overflow; }

private:
  struct Work {
    int64_t cycles;
    double activePes;
  };
  void add(Sums &sums, size_t depth, const Step &step);
  int64_t stepTime(Sums &sums, size_t depth, const Step &step, int64_t ingress, int64_t egress,
                   int64_t compute) const;
  Work computeTime(size_t depth, const Step &step, int64_t criticalMacs);
  int64_t networkDelay(int64_t words) const;
  int64_t exact(Checked number) {
    overflow |= number.overflowed();
    return number.value();
  }

  const dataflow::Hardware &hardware;
  const std::vector<Level> &levels;
  dataflow::TensorDims tensors;
  std::vector<Extents> levelExtents;
  std::map<std::pair<size_t, dataflow::Sizes>, Sums> known;
  bool overflow = false;
};

} // namespace perfc::maestro

#endif // PERFC_BACKENDS_LOOPNEST_MAESTRO_LEVELSUMS_H
