// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `calibrate "measured.csv"` of a chip with `layers`: its figures as a few measurements of it tell
// them. The table has a line per measurement, with what ran, as `evaluate` would have it
// (`workload`), and how long it took (`latency`, with its unit; empty where it may be measured
// next), and maybe under what (`runtime`). What the figures are before that, and how they go
// together, their intervals say.
#ifndef PERFC_API_FIT_CHIPFIT_H
#define PERFC_API_FIT_CHIPFIT_H

#include "api/fit/FamilyFit.h"

namespace perfc::api {

/// A chip with a table.
struct CalibratedChip {
  std::string label;  ///< as `on` names it: "my_phone"
  std::string table;  ///< as written
  SourceRange place;  ///< of the word
  std::string base;   ///< what it is `from`, as written, else its own name
  std::string import; ///< the line that makes that visible elsewhere
};

/// What stands behind `from` of `decl`, as written; "" for nothing.
std::string baseOf(const Decl &decl, const SourceManager &sources);

/// The chips of the file that have a table.
std::vector<CalibratedChip> calibratedChips(Compilation &program, const SourceManager &sources);

class ChipFit {
public:
  /// Reads the table beside `program`, the file that `chip` is used in, and fits; false after a
  /// report.
  bool fit(Context context, FileId program, Compilation::Defines defines,
           const CalibratedChip &chip, unsigned threads = 1);

  /// `layers` of the chip with what was found: figures whose intervals have common sources.
  ir::AttrDict layers(const ir::AttrDict &written) const;

  struct Figure {
    LayerFigure figure;
    double written, fitted; ///< in base units
    double factor;          ///< its 90 % interval is from `fitted` / factor to `fitted` * factor
  };
  std::vector<Figure> figures() const;
  /// The measurements as they are with the figures found, and each as the others predict it.
  std::vector<ValidationRow> fitted() const, leftOut() const;
  /// What to measure next, of what has no latency yet: the most telling first.
  std::vector<std::string> next(size_t count) const;
  /// `hardware NAME from BASE { … }`, with intervals.
  std::string program(llvm::StringRef name, llvm::StringRef base) const;

private:
  std::vector<size_t> places(bool measured) const;
  std::vector<ValidationRow> predicted(const DevicePosterior &known,
                                       llvm::ArrayRef<size_t> wanted) const;

  CalibratedChip chip;
  std::unique_ptr<FitRows> rows;
  DeviceRows measured;
  DevicePrior prior;
  DevicePosterior posterior;
};

} // namespace perfc::api

#endif // PERFC_API_FIT_CHIPFIT_H
