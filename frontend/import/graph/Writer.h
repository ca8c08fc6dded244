// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A net as a workload of the language. A value of the graph stands in the program as a tensor whose
// ranks may be arranged otherwise: a dimension of the graph is any number of ranks, in any order,
// so that reshapes and transposes that only rename places cost nothing. Where an operation needs
// its operand as the graph has it, a copy is written, which costs what it moves.
#ifndef PERFC_FRONTEND_IMPORT_GRAPH_WRITER_H
#define PERFC_FRONTEND_IMPORT_GRAPH_WRITER_H

#include "frontend/import/graph/Inference.h"
#include "frontend/import/graph/Repeats.h"
#include "frontend/import/names/ProgramNames.h"
#include <map>
#include <set>

namespace perfc::graph {

/// How a value stands in the program.
struct Layout {
  std::string name; ///< "" of a stored tensor that has no name yet: it may take any form
  Shape ranks;
  std::vector<llvm::SmallVector<unsigned, 2>> dims; ///< the ranks of each dimension, outer first
  std::vector<int64_t> fixed; ///< of a rank that belongs to no dimension, the place that is meant

  bool isUnnamed() const { return name.empty(); }
};

class Writer {
public:
  /// `format` is what the workload is computed in unless something else is said.
  Writer(Net &net, llvm::StringRef format);

  /// The workload `name` with all that it needs, formatted but for the length of lines.
  std::string run(llvm::StringRef name);

  std::string workload;                              ///< its name
  std::vector<std::pair<size_t, const Op *>> makers; ///< the places of lines in the text, in order
  std::vector<std::string> parameters, openParameters; ///< all; those that have no default
  /// Those that depend on data, whose default is the most that they can be.
  std::vector<std::string> limitedParameters;
  /// Operators that the library does not have, and how many nodes of each.
  std::map<std::string, std::vector<const Op *>> unknown;

  // For the emitters: each writes the lines of one operation, or returns false where it cannot.
  Net &net;
  const Shape &shapeOf(int value) const { return net.values[value].shape; }
  Layout &layout(int value);
  void setLayout(int value, Layout layout) {
    layouts[value] = std::move(layout);
    isLaidOut[value] = true;
  }
  /// `value` as a tensor with one rank for each dimension, in order; copied where it is not.
  std::string plain(int value);
  bool isPlain(const Layout &layout) const;
  /// A stored tensor in the form `ranks`, which has as many elements; only for one without a name
  /// or, where several use it, one of this form.
  std::string weight(int value, llvm::ArrayRef<Dim> ranks);
  /// A stored tensor as one rank of `extent`, whatever dimensions of 1 it has beside; another one
  /// where it stands in another form already.
  std::string vector(int value, const Dim &extent);
  /// True where `weight` has the form `ranks` without a copy.
  bool hasForm(int value, llvm::ArrayRef<Dim> ranks) {
    return layout(value).isUnnamed() || llvm::ArrayRef<Dim>(layout(value).ranks) == ranks;
  }
  /// The tensor of `value` by a name, in whatever form it stands.
  std::string named(int value);
  /// Makes `line` set a new name after `base`, and that the layout of `value`.
  std::string assign(int value, llvm::StringRef base, llvm::StringRef expression);
  /// The same for a tensor of other ranks: `dims` are those of each dimension.
  std::string assign(int value, llvm::StringRef base, llvm::StringRef expression, Shape ranks,
                     std::vector<llvm::SmallVector<unsigned, 2>> dims);
  /// An equation `NAME[indices] sign expression`; `NAME` is new.
  std::string equation(int value, llvm::StringRef base, llvm::ArrayRef<std::string> indices,
                       llvm::StringRef sign, llvm::StringRef expression, Shape ranks,
                       std::vector<llvm::SmallVector<unsigned, 2>> dims);
  /// The format of `value` where that is another one than the workload's, else "".
  llvm::StringRef formatOf(int value) const;
  /// A line that sets `name`, a tensor of `ranks` where that is known.
  void line(std::string name, llvm::StringRef rest, Shape ranks = {}) {
    std::string text = name + rest.str();
    lines.push_back({std::move(name), std::move(text), std::move(ranks), false, op});
  }
  /// A line that no round of equal lines contains: of a loop of the model.
  void fixedLine(const std::string &name, llvm::StringRef rest) {
    lines.push_back({name, name + rest.str(), {}, true, op});
  }
  /// Loops around the operation at hand: the tensors that go from round to round.
  struct Loop {
    std::vector<std::string> states;
    size_t begin = 0;          ///< its line
    std::vector<Line> weights; ///< stored tensors that it reads, which stand before it
  };
  std::vector<Loop> loops;
  /// Sets a new name to a stored tensor, before the loops around: their rounds have the same one.
  /// `value` is what it is of, where several operations may read it.
  std::string newWeight(llvm::StringRef text, int value = -1);
  size_t lineCount() const { return lines.size(); }
  void insertLines(size_t at, std::vector<Line> more) {
    lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(at),
                 std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  }
  std::string newName(llvm::StringRef base);
  /// The op of the program that `text` declares, with NAME in place of its name; it is declared
  /// once.
  std::string privateOp(llvm::StringRef base, const std::string &text);
  /// The name of an op of the library, of `module`.
  std::string library(llvm::StringRef module, llvm::StringRef op) {
    modules.insert(module.str());
    return op.str();
  }
  /// Makes `op` of any module of the library known.
  void useOp(llvm::StringRef module, llvm::StringRef op) {
    if (module.consume_front("std.ops."))
      modules.insert(module.str());
    else
      imports.insert(fmt::format("import {}.{}\n", module, op));
  }
  std::string dimsText(llvm::ArrayRef<Dim> list) const;
  /// The last operation that reads `value`, or null.
  Op *userOf(int value);
  /// Makes room for values that were added to the net.
  void grow();
  /// `op`'s attributes.
  Inference attributes(const Op &op) { return Inference(net, op); }

  bool copyTo(int value); ///< makes the layout of a value plain, by a copy
  void writeUnknown(const Op &op);
  /// Costs an operation by the elements that it reads and writes, each of which counts as one
  /// operation.
  void writeBytes(const Op &op);
  bool viewAs(int from, int to, llvm::ArrayRef<Dim> shape);
  /// Gives a stored tensor without a name these ranks; false where they do not fit its shape.
  bool takeForm(int value, llvm::ArrayRef<Dim> ranks);

private:
  std::string declaration(int value, llvm::ArrayRef<Dim> ranks) const;
  Folded folded(size_t first, std::vector<std::string> &results);
  std::string inFormat(int value, llvm::StringRef call) const;
  /// A line that sets a new name after `base`, which becomes the layout of `value`.
  std::string define(int value, llvm::StringRef base, llvm::StringRef rest, Shape ranks,
                     std::vector<llvm::SmallVector<unsigned, 2>> dims);
  std::string equationCall(llvm::StringRef base, llvm::ArrayRef<std::string> indices,
                           llvm::StringRef sign, llvm::StringRef expression,
                           llvm::ArrayRef<Dim> ranks);
  void write(const Op &op);
  void input(int value);

  std::string format;
  std::vector<Layout> layouts;
  std::vector<bool> isLaidOut;
  std::vector<Op *> users;
  /// Of a value that all which read it read in another order of dimensions, this order.
  std::vector<llvm::ArrayRef<int64_t>> orders;
  std::vector<Line> lines;
  /// A stored tensor that several operations read.
  struct Shared {
    Line line;
    size_t at;   ///< the line of the first of them
    size_t span; ///< operations from the first to the last
  };
  std::vector<Shared> shared;
  const Op *op = nullptr;       ///< the operation at hand
  size_t current = 0;           ///< its number
  std::vector<size_t> lastUses; ///< the last operation that reads each value
  std::vector<std::string> declarations;
  std::map<std::string, std::string> ops; ///< names of declared ops by their texts
  std::set<std::string> modules, imports; ///< of std.ops, and lines of others
  ProgramNames names;
  llvm::StringMap<unsigned> counts;
};

using Emitter = bool (*)(Writer &, const Op &);
struct EmitterEntry {
  llvm::StringLiteral type;
  Emitter emit;
};
llvm::ArrayRef<EmitterEntry> windowEmitters();
llvm::ArrayRef<EmitterEntry> layoutEmitters();
llvm::ArrayRef<EmitterEntry> productEmitters();
llvm::ArrayRef<EmitterEntry> otherEmitters();
llvm::ArrayRef<EmitterEntry> fusedEmitters();
llvm::ArrayRef<EmitterEntry> attentionEmitters();
llvm::ArrayRef<EmitterEntry> loopEmitters();
llvm::ArrayRef<EmitterEntry> rareEmitters();
/// Operators that look at each element of their operands once and write each of their results once,
/// wherever it goes: a selection, or a copy with other elements at some places.
bool streams(Writer &writer, const Op &op);
/// Writes an image or a volume in another size.
bool resize(Writer &writer, const Op &op);
/// Write operators of later sets: DeformConv, TensorScatter and LinearAttention.
bool deformed(Writer &writer, const Op &op);
bool scattered(Writer &writer, const Op &op);
bool linearAttention(Writer &writer, const Op &op);
/// Writes an op of the library, of domain `perfc`; false for others.
bool writeLibraryOp(Writer &writer, const Op &op);
/// Writes an elementwise operation; false for others.
bool writeElementwise(Writer &writer, const Op &op);

/// The format that a declaration of `value` names, ": int8"; "" where that is the workload's.
std::string roleOf(const Value &value);
/// Dimensions that are one rank each, in order.
std::vector<llvm::SmallVector<unsigned, 2>> oneEach(size_t count);
/// The name of the `number`th index of an equation.
std::string indexName(size_t number);
/// A real number as the language has it.
std::string realText(double value);

} // namespace perfc::graph

#endif // PERFC_FRONTEND_IMPORT_GRAPH_WRITER_H
