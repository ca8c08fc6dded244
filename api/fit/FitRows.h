// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rows of a program's tables, predicted again and again with other values of its constants. The
// program is parsed, checked and its tables are read once for each thread; rows are then predicted
// as `perfc validate` does it, in any order and by any number of threads with the same results.
// While values are tried, a row belongs to one thread, which keeps its graphs and lowers it once
// (api/LoweredRows.h).
#ifndef PERFC_API_FIT_FITROWS_H
#define PERFC_API_FIT_FITROWS_H

#include "api/Agreement.h"
#include "api/Context.h"
#include "frontend/build/Compilation.h"
#include <map>
#include <set>

namespace perfc::api {

/// Values of the constants of all fits, in base units; what has none stays as it is written.
using ConstantValues = std::vector<llvm::Optional<double>>;

class FitRows {
public:
  /// What is asked of the rows: predictions as the program is written, unless all fits are to
  /// families; these alone, and nothing where there are none; or those of one chip, whose table
  /// stands last.
  enum class Wanted : uint8_t { Fits, Families, Chip };
  /// Loads and checks `file`; mistakes go to the diagnostics of the context.
  FitRows(Context context, FileId file, Compilation::Defines defines, unsigned threads,
          Wanted wanted = Wanted::Fits);
  ~FitRows();

  /// What is told how far fits are.
  Watcher &watcher() const { return context.watcher; }
  /// The sound `calibrate` statements of the file.
  llvm::ArrayRef<Fit> fits() const;
  /// The constants of their lines, each line's own before its mean, in order.
  llvm::ArrayRef<const FitConstant *> constants() const;
  /// All rows as they are without a fit.
  llvm::ArrayRef<ValidationRow> rows() const { return asWritten; }
  /// For each row the constants, by index, that what it runs and runs on are made of.
  const std::vector<std::vector<size_t>> &uses();

  /// These rows, by number in rising order, with other values.
  std::vector<ValidationRow> predict(const ConstantValues &values, llvm::ArrayRef<size_t> numbers);
  /// The same values of predictions, without intervals, and of `metrics` alone, or of the first
  /// one.
  std::vector<ValidationRow> attempt(const ConstantValues &values, llvm::ArrayRef<size_t> numbers,
                                     llvm::ArrayRef<std::string> metrics);
  /// The same as the program is written, with modules that `adjust` has changed; threads call it.
  using Adjust = std::function<void(ir::Module &)>;
  std::vector<ValidationRow> predictWith(const Adjust &adjust, llvm::ArrayRef<size_t> numbers);
  /// The first chip with `layers` that the row runs on; without them for none. Its `base` is what
  /// it is `from`, else itself, and `import` the line that makes that visible.
  struct LayeredChip {
    std::string base, import;
    ir::AttrDict layers;
    std::vector<std::string> flags; ///< of target::layerFlags, which a new `layers` says again
  };
  LayeredChip layersOf(size_t number);

private:
  class Worker;
  void forParts(size_t count, llvm::function_ref<void(Worker &, size_t begin, size_t end)> each);
  void onAll(llvm::function_ref<void(Worker &, size_t number)> each);
  void learn(llvm::ArrayRef<size_t> numbers);

  Context context;
  std::vector<std::unique_ptr<Worker>> workers;
  std::vector<ValidationRow> asWritten;
  std::vector<std::vector<size_t>> usesOfRows;
  std::vector<bool> areLearnt; ///< rows of which it is known what depends on constants
  /// Names of results that metrics are of; nothing where these cannot be told apart.
  std::map<std::string, std::set<std::string>> resultsOf;
};

} // namespace perfc::api

#endif // PERFC_API_FIT_FITROWS_H
