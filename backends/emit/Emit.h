// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Output formats, by name: `emit json "out.json"` in a file, `perfc emit --to json` on the command
// line. An emitter sees results and IR only, builds a document and prints it.
#ifndef PERFC_BACKENDS_EMIT_EMIT_H
#define PERFC_BACKENDS_EMIT_EMIT_H

#include "backends/emit/Json.h"
#include "backends/emit/Result.h"
#include "ir/common/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"

namespace perfc::emit {

/// What there is to write.
struct Input {
  std::vector<const Result *> results;
  /// The program as built; may be null where only results are written.
  const ir::Module *module = nullptr;
  const SourceManager &sources;
  /// Takes what cannot be written; may be null.
  DiagnosticEngine *diagnostics = nullptr;
  /// What a run has found besides, as fields of the document of `perfc run --json`: fronts, what
  /// `require` has left out, and predicted tables.
  Json findings = Json::object();
  /// What a page without results is called.
  llvm::StringRef title = "report";
};

/// Takes the files of a folder one after the other, so that no more than one is in memory; false
/// when it could not be written (reported).
using FileSink = llvm::function_ref<bool(const std::string &name, llvm::StringRef text)>;

struct Emitter {
  llvm::StringLiteral name;
  llvm::StringLiteral summary;
  bool needsResults; ///< false: the program alone will do, nothing is evaluated
  /// Null where only a folder of files makes sense.
  void (*write)(const Input &input, llvm::raw_ostream &os);
  /// The level that the program is lowered to first; "" for as it is built.
  llvm::StringLiteral level = "";
  /// What a path that ends in `/` gets; null where only one file makes sense.
  void (*files)(const Input &input, FileSink sink) = nullptr;
};

llvm::ArrayRef<Emitter> emitters();
/// Null when there is none of that name.
const Emitter *findEmitter(llvm::StringRef name);

/// One result as docs/output.md describes it, in SI units.
Json resultJson(const Result &result, const SourceManager &sources);
/// {file, line, column}; null for nowhere.
Json placeJson(SourceRange range, const SourceManager &sources);
Json expectationJson(const Expectation &expectation, const SourceManager &sources);

void writeJson(const Input &input, llvm::raw_ostream &os);
void writeCsv(const Input &input, llvm::raw_ostream &os);
void writeHtml(const Input &input, llvm::raw_ostream &os);
void writeSvg(const Input &input, llvm::raw_ostream &os);
void svgFiles(const Input &input, FileSink sink);
void writeMarkdown(const Input &input, llvm::raw_ostream &os);
void writeLatex(const Input &input, llvm::raw_ostream &os);
void writeDot(const Input &input, llvm::raw_ostream &os);
void writeOnnx(const Input &input, llvm::raw_ostream &os);
void onnxFiles(const Input &input, FileSink sink);
void writeTimeloop(const Input &input, llvm::raw_ostream &os);
void timeloopFiles(const Input &input, FileSink sink);
void writeMaestro(const Input &input, llvm::raw_ostream &os);
void writePerfetto(const Input &input, llvm::raw_ostream &os);
void chakraFiles(const Input &input, FileSink sink);
void astraSimFiles(const Input &input, FileSink sink);
/// What ASTRA-sim runs the collective `op` of all ranks of `system` from: the files of the system
/// and trace.RANK.et of each rank; false where it does not simulate it (reported).
bool astraSimCollective(const ir::Operation &op, const ir::Operation &system,
                        DiagnosticEngine &diagnostics, FileSink sink);
/// ASTRA-sim's description of `system`, a target.system or target.chip, file by file; nothing is
/// written, and false comes back, where it has none (reported at `place` as of `label`).
bool astraSimTexts(const ir::Operation &system, llvm::StringRef label, SourceRange place,
                   DiagnosticEngine *diagnostics, FileSink sink);

} // namespace perfc::emit

#endif // PERFC_BACKENDS_EMIT_EMIT_H
