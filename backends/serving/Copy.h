// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A copy of the model: a scheduler that makes batches, and the stages that these pass in order. At
// most one batch per stage is under way; a stage works on one at a time, first come first served.
#ifndef PERFC_BACKENDS_SERVING_COPY_H
#define PERFC_BACKENDS_SERVING_COPY_H

#include "backends/core/Serving.h"
#include "backends/serving/BatchShape.h"
#include "backends/serving/Fleet.h"
#include "backends/serving/Scheduler.h"

namespace perfc::serving {

/// A batch that is under way.
struct UnderWay {
  Batch batch;
  BatchShape shape;
  ServedBatch served;
  size_t number = 0; ///< of all batches
};

class Copy {
public:
  explicit Copy(size_t stages) : stages(stages) {}

  std::unique_ptr<Scheduler> scheduler;
  bool isNews = false; ///< a request has come or a batch has ended
  double counted = 0;  ///< s up to which the blocks that it holds are counted

  size_t underWay() const { return batches.size(); }
  bool hasRoom() const { return batches.size() < stages.size(); }
  bool isIdle() const { return batches.empty() && scheduler->outstanding() == 0; }
  /// s when a stage ends next; never for none.
  double nextEnd() const;
  void start(UnderWay batch);
  /// Lets stages that are free begin at `now`; the s that they work.
  double startStages(double now);
  /// Moves on what stages have ended at `now`; a batch that the last one has ended is the result.
  llvm::Optional<UnderWay> finishStages(double now);
  /// Drops what is under way at `now`, in order of their starts. What stages had still to do, in s,
  /// goes to `left`.
  std::vector<UnderWay> drop(double now, double &left);

private:
  /// A batch is known by how many were started before it.
  struct Stage {
    std::deque<size_t> waiting;
    size_t batch = 0;
    double end = never; ///< of the batch that it works on
  };
  UnderWay &at(size_t batch) { return batches[batch - ended]; }

  std::vector<Stage> stages;
  std::vector<UnderWay> batches; ///< in the order in which they end
  size_t ended = 0;
};

} // namespace perfc::serving

#endif // PERFC_BACKENDS_SERVING_COPY_H
