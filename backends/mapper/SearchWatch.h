// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a search of a program has come to while it runs: how many of its nests are done, and the
// best program that the mappings found so far make.
#ifndef PERFC_BACKENDS_MAPPER_SEARCHWATCH_H
#define PERFC_BACKENDS_MAPPER_SEARCHWATCH_H

#include "backends/mapper/NestSpace.h"
#include <mutex>

namespace perfc::mapper {

/// How far a search is.
struct SearchProgress {
  int64_t done = 0, all = 0; ///< nests, or strategies of a `train`
  /// The best program so far, or the fastest step (without an energy), where it is new: J and s.
  /// Nothing while a nest has no mapping.
  llvm::Optional<loopnest::Score> best;
};
using ProgressListener = std::function<void(const SearchProgress &)>;

class SearchWatch {
public:
  /// `firstEqual` has by space the first one with the same answer, `fixed` is the cost of what is
  /// not searched, and `value` that of a program, which is better the smaller it is. `listener` is
  /// told of every step, from whatever thread makes it, one at a time.
  SearchWatch(llvm::ArrayRef<NestSpace> spaces, llvm::ArrayRef<unsigned> firstEqual,
              loopnest::Score fixed, std::function<double(const loopnest::Score &)> value,
              ProgressListener listener);

  /// So many nests are searched from now on.
  void begin(int64_t nests);
  /// A mapping of nest `space`, the first of those that are equal, costs that.
  void found(unsigned space, const loopnest::Score &score);
  /// One nest more is done.
  void finish();

private:
  struct Nest {
    double count = 0; ///< how often it runs, with those that are equal
    llvm::Optional<loopnest::Score> best;
  };
  loopnest::Score total() const;

  std::mutex mutex;        ///< guards all below
  std::vector<Nest> nests; ///< by space; those that repeat another run never
  loopnest::Score fixed;
  std::function<double(const loopnest::Score &)> value;
  ProgressListener listener;
  SearchProgress progress;
};

} // namespace perfc::mapper

#endif // PERFC_BACKENDS_MAPPER_SEARCHWATCH_H
