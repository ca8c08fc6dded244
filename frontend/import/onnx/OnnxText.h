// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An ONNX model (operator sets 7 to 21) as a program: one workload, with the ops of the library
// where it has them. The program is text, so what is printed, formatted and changed is what runs.
#ifndef PERFC_FRONTEND_IMPORT_ONNX_ONNXTEXT_H
#define PERFC_FRONTEND_IMPORT_ONNX_ONNXTEXT_H

#include "frontend/import/onnx/Net.h"

namespace perfc::onnx {

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

struct Program {
  std::string text;
  std::string workload; ///< its name
  std::string format;   ///< of its real numbers: "fp32"; "" where it has none
  /// Parameters of the workload that have no default.
  std::vector<std::string> open;
  std::vector<NodeShape> nodes;
  int64_t stored = 0; ///< elements of stored real tensors of at least one dimension that are used
};

/// Reads the model in `path`, which `file` stands for. Nothing after a report.
llvm::Optional<Program> readProgram(llvm::StringRef path, FileId file, const ReadOptions &options,
                                    DiagnosticEngine &diagnostics);

/// The same of a model that has been read; the program is called `name`.
llvm::Optional<Program> programOf(const Model &model, llvm::StringRef name, FileId file,
                                  const ReadOptions &options, DiagnosticEngine &diagnostics);

/// True for a model of ONNX, by its name.
inline bool isModelFile(llvm::StringRef path) { return path.endswith_insensitive(".onnx"); }

} // namespace perfc::onnx

#endif // PERFC_FRONTEND_IMPORT_ONNX_ONNXTEXT_H
