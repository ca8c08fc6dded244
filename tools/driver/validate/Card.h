// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scorecard of `perfc validate --card`: what perfc comes to in the five dimensions of a
// multi-dimensional assessment of tools, from predictions of the tables that a file names, and from
// what the command itself does. A file names tables, a line each, and no figures: every figure of
// the card is computed when it is made.
#ifndef PERFC_TOOLS_DRIVER_VALIDATE_CARD_H
#define PERFC_TOOLS_DRIVER_VALIDATE_CARD_H

#include "api/Evaluation.h"
#include "tools/driver/validate/Kind.h"
#include <deque>
#include <variant>

namespace perfc::driver {

/// A part of the card: a table with what its figures are.
struct CardPart {
  using Cell = std::variant<std::monostate, std::string, double>;
  struct Column {
    llvm::StringLiteral key; ///< in the document
    llvm::StringLiteral title;
    bool isText = false;
  };

  llvm::StringLiteral key;   ///< in the document
  llvm::StringLiteral title; ///< "D1 fidelity, by level"
  llvm::StringLiteral about; ///< what is computed
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows = {};
};

/// A line of the file.
struct CardLine {
  std::string table; ///< beside the file
  std::string kind;  ///< or a program beside the file
  std::string level;
  std::string against; ///< the tool that made the figures; "measured"
  /// Those that it is about; once its table is predicted, all of this where the file names none.
  std::vector<std::string> metrics;
  /// Which rows no fit saw: "" for none, "all", or "half=test", the value of a label.
  std::string unseen;
  std::vector<std::string> leaveOut; ///< the labels whose groups fits leave out
  size_t shots = 0;                  ///< measurements of each left-out device that are known
  std::string isNew;                 ///< what of the unseen rows no fit saw
  /// What a prediction is composed of: "TABLE:METRIC", tables of other lines.
  std::vector<std::string> parts;
  SourceRange place;

  /// What is predicted for it: lines of one table and kind share it.
  std::pair<std::string, std::string> key() const { return {table, kind}; }
};

/// The lines of a card's file, and its tables with the predictions of their rows.
class CardTables {
public:
  /// Reads `path` and predicts all tables; false after a report.
  bool read(Session &session, llvm::StringRef path, unsigned threads);

  llvm::ArrayRef<CardLine> lines() const { return all; }
  /// Those of a line's table.
  const std::vector<ValidationRow> &rowsOf(const CardLine &line) const;
  /// The rows of the line that fits predicted without their groups; null where it leaves out none.
  const std::vector<ValidationRow> *leftOutRows(const CardLine &line) const;
  /// The first line with that table of which `metric` is predicted; null where there is none.
  const CardLine *lineOf(llvm::StringRef table, llvm::StringRef metric) const;
  const std::deque<api::PredictedTable> &predicted() const { return tables; }

private:
  bool readLines(Session &session, llvm::StringRef path);
  bool predict(Session &session, const CardLine &line, llvm::StringRef folder, unsigned threads);
  bool leaveOut(Session &session, const CardLine &line, llvm::StringRef kind, llvm::StringRef path,
                unsigned threads);
  bool checkMetrics(Session &session, CardLine &line) const;
  bool checkParts(Session &session) const;

  std::vector<CardLine> all;
  std::deque<api::PredictedTable> tables;                        ///< each once
  std::map<std::pair<std::string, std::string>, size_t> numbers; ///< of them, by key
  std::map<uint32_t, std::vector<ValidationRow>> leftOut;        ///< by where their line begins
};

/// The agreement of some rows in a metric; with only those whose label has a value where `label` is
/// not empty, or, if `others`, without these. Metrics have units of their own: none is summed up
/// with another.
api::GroupStatistics agreementOf(llvm::ArrayRef<ValidationRow> rows, llvm::StringRef metric,
                                 llvm::StringRef label = "", bool others = false);

// The five dimensions, from the tables and from the command itself.
std::vector<CardPart> fidelityParts(const CardTables &tables);
CardPart compositionPart(const CardTables &tables);
CardPart transferPart(const CardTables &tables);
/// `setup`: seconds from a clone to the first results, where they were measured.
CardPart firstResultPart(Session &session, llvm::Optional<double> setup);
CardPart extensionPart(Session &session);

/// Makes the card of `perfc validate --card [CARD.csv]` and prints it as text or JSON and as the
/// page of `--html`.
void printCard(Session &session, const Arguments &arguments);

} // namespace perfc::driver

#endif // PERFC_TOOLS_DRIVER_VALIDATE_CARD_H
