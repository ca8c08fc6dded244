// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A graph as a program: one workload, with the ops of the library
// where it has them. The program is text, so what is printed, formatted and changed is what runs.
#ifndef PERFC_FRONTEND_IMPORT_GRAPH_GRAPHTEXT_H
#define PERFC_FRONTEND_IMPORT_GRAPH_GRAPHTEXT_H

#include "frontend/import/graph/Net.h"

namespace perfc::graph {

struct ReadOptions {
  SourceRange place; ///< that names the file, or nowhere
  std::vector<GivenShape> shapes;
  bool isStrict = false;        ///< an operator that the library does not have is an error
  bool keepsDecomposed = false; ///< what several operators make of a normalisation stays these
};

/// A node of the graph itself and the shape of its first result, -1 for what depends on parameters.
struct NodeShape {
  std::string op;
  std::vector<int64_t> shape;
};

/// The node that a part of a program's text was written for: its place in the model's file.
struct Origin {
  size_t begin = 0; ///< of the part, which reaches to the next one
  SourceRange place;
  size_t number = 0;
  std::string name, op;
};

struct Program {
  std::string text;
  std::string workload; ///< its name
  std::string format;   ///< of its real numbers: "fp32"; "" where it has none
  /// Parameters of the workload, and those that have no default.
  std::vector<std::string> parameters, open;
  std::vector<NodeShape> nodes;
  /// Elements of stored real tensors of at least one dimension that are used, and of these, what
  /// only operators read that are neither of ONNX nor of the format.
  int64_t stored = 0, storedForOthers = 0;
  std::vector<std::string> inputs; ///< names in the model
  std::vector<Origin> origins;     ///< in order
};

/// Reads the model of `format` in `path`, which `file` stands for. Nothing after a report.
llvm::Optional<Program> readProgram(const FileFormat &format, llvm::StringRef path, FileId file,
                                    const ReadOptions &options, DiagnosticEngine &diagnostics);

/// The same of a model that has been read; the program is called `name`.
llvm::Optional<Program> programOf(const Model &model, llvm::StringRef name, FileId file,
                                  const ReadOptions &options, DiagnosticEngine &diagnostics);

} // namespace perfc::graph

#endif // PERFC_FRONTEND_IMPORT_GRAPH_GRAPHTEXT_H
