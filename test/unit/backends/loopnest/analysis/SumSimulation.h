// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An execution of a nest that knows of every partial sum which points are in it, and so which
// update is an element's last: the definition of a finished word.
#ifndef PERFC_TEST_UNIT_BACKENDS_LOOPNEST_ANALYSIS_SUMSIMULATION_H
#define PERFC_TEST_UNIT_BACKENDS_LOOPNEST_ANALYSIS_SUMSIMULATION_H

#include "backends/loopnest/analysis/Nest.h"
#include <map>
#include <set>

namespace perfc {
namespace loopnest {

using Index = std::vector<int64_t>;
using Elements = std::set<Index>;
using Tiles = std::map<Index, Elements>; ///< by instance: the parallel loops outside

struct SimulatedLoop {
  unsigned dim;
  int64_t factor, step;
};

struct SimulatedMemory {
  size_t temporal, parallel; ///< loops outside
  Tiles held;
  std::map<std::pair<Index, Index>, std::set<Index>> sums; ///< instance, element: its points
  int64_t updates = 0, finished = 0, writebacks = 0, finishedWritebacks = 0, merges = 0;
  size_t position = 0; ///< among the memories of the nest
};

/// Executes the result of a nest of plain loops step by step. Only memories that keep it matter.
class Simulation {
public:
  explicit Simulation(const Nest &nest);
  void run();

  std::vector<SimulatedMemory> memories;
  int64_t finishedPoints = 0;

private:
  void addLoops();
  llvm::Optional<Index> pointAt(const Index &when, const Index &lane) const;
  llvm::Optional<Index> elementAt(const Index &point) const;
  Tiles touched(const SimulatedMemory &memory, const Index &when) const;
  Tiles targets(size_t m, const Index &when, const std::map<size_t, Tiles> &outer) const;
  void beginEpochs(const Index &when, const Index *before);
  void send(size_t m, const Tiles &leaving);
  void arrive(SimulatedMemory &memory, const Index &instance, const Index &element,
              const std::set<Index> &points);
  static void forAll(const std::vector<SimulatedLoop> &loops,
                     llvm::function_ref<void(const Index &)> visit);
  Index outside(const Index &instance, size_t m) const {
    return {instance.begin(), instance.begin() + long(memories[m].parallel)};
  }

  const Nest &nest;
  const Tensor *output = nullptr;
  std::vector<SimulatedLoop> temporal, parallel;
  std::map<Index, std::set<Index>> wanted; ///< all points of each element
};

} // namespace loopnest
} // namespace perfc

#endif // PERFC_TEST_UNIT_BACKENDS_LOOPNEST_ANALYSIS_SUMSIMULATION_H
