// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/import/graph/Writer.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include <cmath>

using namespace perfc;
using namespace perfc::graph;

/// Letters of indices, which no tensor is called by.
static constexpr llvm::StringLiteral indexLetters = "ijklmnpqrstuvwxyz";

std::string graph::indexName(size_t number) {
  std::string name(1, indexLetters[number % indexLetters.size()]);
  return number < indexLetters.size() ? name : name + std::to_string(number / indexLetters.size());
}

std::string graph::realText(double value) {
  // What no number is stands in masks: the largest of single precision.
  if (!std::isfinite(value))
    value = value < 0 ? -3.4028234663852886e38 : 3.4028234663852886e38;
  if (std::abs(value) < 1e15 && value == std::trunc(value))
    return std::to_string(static_cast<int64_t>(value));
  auto single = static_cast<float>(value);
  return static_cast<double>(single) == value ? fmt::format("{}", single)
                                              : fmt::format("{}", value);
}

Writer::Writer(Net &net, llvm::StringRef format) : net(net), format(format) {
  for (char letter : indexLetters)
    names.takeOwn(llvm::StringRef(&letter, 1));
  for (llvm::StringRef word : {"weight", "tensor", "token", "cache", "phase", "repeat", "let"})
    names.takeOwn(word);
  for (const std::string &symbol : net.dims.symbols())
    names.takeOwn(symbol);
  grow();
  orders.resize(net.values.size());
  std::vector<bool> isRead(net.values.size());
  size_t number = 0;
  for (Op &op : net.ops) {
    for (int input : op.inputs) {
      if (input < 0 || op.isGone)
        continue;
      users[input] = &op;
      lastUses[input] = number;
      llvm::ArrayRef<int64_t> order;
      if (op.type == "Transpose" && op.node->find("renames"))
        order = op.node->find("perm")->integers;
      if (isRead[input] && orders[input] != order)
        order = {};
      orders[input] = order;
      isRead[input] = true;
    }
    ++number;
  }
}

void Writer::grow() {
  layouts.resize(net.values.size());
  isLaidOut.resize(net.values.size());
  users.resize(net.values.size());
  lastUses.resize(net.values.size());
}

Op *Writer::userOf(int value) { return users[value]; }

std::string Writer::newName(llvm::StringRef base) {
  std::string lower = base.lower();
  return names.add(lower + std::to_string(++counts[lower]), "t_");
}

std::string Writer::dimsText(llvm::ArrayRef<Dim> list) const {
  std::string text;
  for (const Dim &dim : list)
    text += (text.empty() ? "" : ", ") + net.dims.text(dim);
  return text;
}

std::vector<llvm::SmallVector<unsigned, 2>> graph::oneEach(size_t count) {
  std::vector<llvm::SmallVector<unsigned, 2>> dims;
  for (unsigned i = 0; i < count; ++i)
    dims.push_back({i});
  return dims;
}

Layout &Writer::layout(int value) {
  Layout &result = layouts[value];
  if (isLaidOut[value])
    return result;
  isLaidOut[value] = true;
  result.ranks = shapeOf(value);
  if (result.ranks.empty())
    result.ranks.push_back(1); // a number is a tensor of one element
  result.dims = oneEach(shapeOf(value).size());
  result.fixed.assign(result.ranks.size(), 0);
  return result;
}

bool Writer::isPlain(const Layout &layout) const {
  if (layout.ranks.size() != layout.dims.size())
    return false;
  for (unsigned i = 0; i < layout.dims.size(); ++i)
    if (layout.dims[i].size() != 1 || layout.dims[i][0] != i)
      return false;
  return true;
}

std::string Writer::plain(int value) {
  Layout &at = layout(value);
  if (at.isUnnamed()) {
    std::string text = weight(value, at.ranks);
    if (llvm::all_of(text, [](char c) { return llvm::isAlnum(c) || c == '_'; }))
      at.name = text;
    return text;
  }
  if (!isPlain(at) && !(at.dims.empty() && at.ranks.size() == 1))
    copyTo(value);
  return layout(value).name;
}

std::string Writer::define(int value, llvm::StringRef base, llvm::StringRef rest, Shape ranks,
                           std::vector<llvm::SmallVector<unsigned, 2>> dims) {
  std::string name = newName(base);
  line(name, rest, ranks);
  Layout &at = layout(value);
  at.name = name;
  at.fixed.assign(ranks.size(), 0);
  at.ranks = std::move(ranks);
  at.dims = std::move(dims);
  return name;
}

std::string Writer::assign(int value, llvm::StringRef base, llvm::StringRef expression, Shape ranks,
                           std::vector<llvm::SmallVector<unsigned, 2>> dims) {
  return define(value, base, " = " + inFormat(value, expression), std::move(ranks),
                std::move(dims));
}

std::string Writer::assign(int value, llvm::StringRef base, llvm::StringRef expression) {
  const Shape &shape = shapeOf(value);
  return assign(value, base, expression, shape, oneEach(shape.size()));
}

std::string Writer::equation(int value, llvm::StringRef base, llvm::ArrayRef<std::string> indices,
                             llvm::StringRef sign, llvm::StringRef expression, Shape ranks,
                             std::vector<llvm::SmallVector<unsigned, 2>> dims) {
  if (!formatOf(value).empty())
    return assign(value, base, equationCall(base, indices, sign, expression, ranks), ranks, dims);
  return define(value, base, fmt::format("[{}] {} {}", fmt::join(indices, ", "), sign, expression),
                std::move(ranks), std::move(dims));
}

llvm::StringRef Writer::formatOf(int value) const {
  const Value &one = net.values[value];
  switch (one.type) {
  case Int8:
  case Uint8:
  case Int16:
  case Uint16:
  case Int4:
  case Uint4:
    return graph::formatOf(one.type);
  case Int32: {
    // Sums of products of whole numbers; other numbers of this size are indices.
    llvm::StringRef maker = one.maker < 0 ? "" : net.ops[one.maker].type;
    return maker == "Conv" || maker == "MatMul" || maker == "Gemm" ? "int32" : "";
  }
  default:
    llvm::StringRef own = isFloating(one.type) ? graph::formatOf(one.type) : "";
    return own == format ? "" : own;
  }
}

/// `call` with the format of `value` where it is another one than the workload's. Names and tensors
/// that are declared have one already.
std::string Writer::inFormat(int value, llvm::StringRef call) const {
  llvm::StringRef own = formatOf(value);
  if (own.empty() || call.back() != ')')
    return call.str();
  return fmt::format("{}, dtype = {})", call.drop_back(), own);
}

/// An equation as the call of an op, which can have a format of its own.
std::string Writer::equationCall(llvm::StringRef base, llvm::ArrayRef<std::string> indices,
                                 llvm::StringRef sign, llvm::StringRef expression,
                                 llvm::ArrayRef<Dim> ranks) {
  std::vector<std::string> tensors;
  std::string body, parameters, arguments, extents;
  auto isWord = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  while (!expression.empty()) {
    llvm::StringRef word = expression.take_while(isWord);
    llvm::StringRef rest = expression.drop_front(word.size());
    if (word.empty() || !rest.startswith("[")) {
      size_t size = std::max<size_t>(word.size(), 1);
      body += expression.take_front(size).str();
      expression = expression.drop_front(size);
      continue;
    }
    auto known = llvm::find(tensors, word.str());
    auto number = static_cast<size_t>(known - tensors.begin());
    if (known == tensors.end()) {
      tensors.push_back(word.str());
      size_t count = 1, depth = 0;
      for (char c : rest) {
        depth += c == '[';
        depth -= c == ']';
        count += c == ',' && depth == 1;
        if (depth == 0)
          break;
      }
      parameters += fmt::format("{}x{}[", number ? ", " : "", number);
      for (size_t r = 0; r < count; ++r)
        parameters += fmt::format("{}A{}_{}", r ? ", " : "", number, r);
      parameters += "]";
      arguments += (number ? ", " : "") + word.str();
    }
    body += fmt::format("x{}", number);
    expression = rest;
  }
  for (size_t r = 0; r < ranks.size(); ++r) {
    extents += fmt::format("{}Y{}", r ? ", " : "", r);
    arguments += fmt::format(", Y{} = {}", r, net.dims.text(ranks[r]));
  }
  std::string name =
      privateOp(base, fmt::format("op NAME({}) -> y[{}] {{\n  y[{}] {} {}\n}}\n", parameters,
                                  extents, fmt::join(indices, ", "), sign, body));
  return fmt::format("{}({})", name, arguments);
}

std::string Writer::privateOp(llvm::StringRef base, const std::string &text) {
  std::string &name = ops[text];
  if (name.empty()) {
    // Operators that others have made may be called anything.
    std::string word = "_" + base.take_front(40).lower();
    std::replace_if(
        word.begin(), word.end(), [](char c) { return !llvm::isAlnum(c); }, '_');
    unsigned number = ++counts[word];
    name = word + (number > 1 ? std::to_string(number) : "");
    std::string declared = text;
    declared.replace(declared.find("NAME"), 4, name);
    declarations.push_back(std::move(declared));
  }
  return name;
}

/// Copies a value into the form that the graph has: each dimension is the ranks that it is made of,
/// the last of them fastest.
bool Writer::copyTo(int value) {
  Layout &at = layout(value);
  std::string from, ranks, to, extents;
  std::vector<std::string> index(at.ranks.size());
  for (size_t i = 0; i < at.ranks.size(); ++i)
    ranks += fmt::format("{}A{}", i ? ", " : "", i);
  std::string call;
  size_t next = 0;
  for (size_t d = 0; d < at.dims.size(); ++d) {
    std::string place, scale;
    for (unsigned rank : llvm::reverse(at.dims[d])) {
      index[rank] = indexName(next++);
      place = fmt::format("{}{}{}{}", index[rank], scale, place.empty() ? "" : " + ", place);
      scale += fmt::format("*A{}", rank);
    }
    to += (d ? ", " : "") + (place.empty() ? "0" : place);
    extents += fmt::format("{}Y{}", d ? ", " : "", d);
    call += fmt::format(", Y{} = {}", d, net.dims.text(shapeOf(value)[d]));
  }
  for (size_t i = 0; i < index.size(); ++i) {
    if (index[i].empty())
      index[i] = std::to_string(at.fixed[i]);
    from += (i ? ", " : "") + index[i];
  }
  if (at.dims.empty()) {
    to = "0";
    extents = "Y0";
    call = ", Y0 = 1";
  }
  std::string op =
      privateOp("layout", fmt::format("op NAME(x[{}]) -> y[{}] {{\n  y[{}] = x[{}]\n}}\n", ranks,
                                      extents, to, from));
  std::string expression = fmt::format("{}({}{})", op, at.name, call);
  Shape shape = shapeOf(value);
  if (shape.empty())
    shape.push_back(1);
  auto dims = oneEach(shapeOf(value).size());
  assign(value, "copy", expression, shape, dims);
  return true;
}

bool graph::streams(Writer &writer, const Op &op) {
  writer.writeBytes(op);
  return true;
}

void Writer::writeUnknown(const Op &op) {
  unknown[op.type.str()].push_back(&op);
  writeBytes(op);
}

void Writer::writeBytes(const Op &op) {
  std::string parameters, arguments, body, sum;
  size_t next = 0;
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    // Whole numbers that are known, such as axes and sizes, say what it does.
    bool isOption = op.inputs[i] >= 0 && net.isKnown(op.inputs[i]) &&
                    !isFloating(net.values[op.inputs[i]].type);
    if (op.inputs[i] < 0 || isOption)
      continue;
    std::string tensor = fmt::format("x{}", i), extents, indices;
    const Layout &at = layout(op.inputs[i]);
    for (size_t r = 0; r < at.ranks.size(); ++r) {
      extents += fmt::format("{}A{}_{}", r ? ", " : "", i, r);
      indices += (r ? ", " : "") + indexName(next++);
    }
    parameters += fmt::format("{}{}[{}]", parameters.empty() ? "" : ", ", tensor, extents);
    arguments += (arguments.empty() ? "" : ", ") + named(op.inputs[i]);
    body += fmt::format("  sum{} += {}[{}]\n", i, tensor, indices); // no index is called so
    sum += fmt::format("{}sum{}", sum.empty() ? "" : " + ", i);
  }
  // The first result that something reads is made of all operands; the others only have to be
  // written.
  auto isRead = [&](int output) { return output >= 0 && net.values[output].uses > 0; };
  bool isFirst = true, isAnyRead = llvm::any_of(op.outputs, isRead);
  for (int output : op.outputs) {
    if (output < 0 || (isAnyRead && !isRead(output)) || (!isAnyRead && !isFirst))
      continue;
    std::string extents, indices, call = isFirst ? arguments : "";
    const Layout &at = layout(output);
    for (size_t r = 0; r < at.ranks.size(); ++r) {
      extents += fmt::format("{}Y{}", r ? ", " : "", r);
      indices += (r ? ", " : "") + indexName(next + r);
      call += fmt::format("{}Y{} = {}", call.empty() ? "" : ", ", r, net.dims.text(at.ranks[r]));
    }
    std::string name =
        privateOp(op.type, fmt::format("// {}'s {}, costed by what it {}writes.\n"
                                       "op NAME({}) -> y[{}] {{\n{}  y[{}] = {}\n}}\n",
                                       net.format, shown(op.type), isFirst ? "reads and " : "",
                                       isFirst ? parameters : "", extents, isFirst ? body : "",
                                       indices, isFirst && !sum.empty() ? sum : "0"));
    layout(output).name = newName(op.type);
    line(layout(output).name, fmt::format(" = {}({})", name, call), at.ranks);
    isFirst = false;
  }
}

void Writer::input(int value) {
  const Value &one = net.values[value];
  bool isEmpty = llvm::any_of(one.shape, [](const Dim &dim) { return dim.is(0); });
  if (one.uses == 0 || isEmpty)
    return;
  Layout &at = layout(value);
  bool isIndex = one.type == Int64 || one.type == Int32;
  for (size_t i = 0; i < orders[value].size(); ++i) {
    auto dim = static_cast<size_t>(orders[value][i]);
    at.ranks[i] = one.shape[dim];
    at.dims[dim] = {static_cast<unsigned>(i)};
  }
  at.name = names.add(one.name.take_front(40), "input_");
  line(at.name,
       fmt::format(" = {}[{}]{}", isIndex ? "token" : "tensor", dimsText(at.ranks),
                   isIndex ? "" : roleOf(one)),
       at.ranks);
}

void Writer::write(const Op &op) {
  static const llvm::StringMap<Emitter> emitters = [] {
    llvm::StringMap<Emitter> map;
    for (llvm::ArrayRef<EmitterEntry> table :
         {windowEmitters(), layoutEmitters(), productEmitters(), otherEmitters(), fusedEmitters(),
          attentionEmitters(), loopEmitters(), rareEmitters()})
      for (const EmitterEntry &entry : table)
        map[entry.type] = entry.emit;
    return map;
  }();
  // Where nothing is left there is nothing to do.
  bool isEmpty = !op.outputs.empty() && llvm::all_of(op.outputs, [&](int output) {
    return output < 0 || llvm::any_of(shapeOf(output), [](const Dim &dim) { return dim.is(0); });
  });
  if (isEmpty)
    return;
  if (op.domain == "perfc" && writeLibraryOp(*this, op))
    return;
  if (op.domain == streamedDomain)
    return writeBytes(op);
  bool isForeign = !op.domain.empty() && op.domain != "com.microsoft";
  if (Emitter emit = isForeign ? nullptr : emitters.lookup(op.type); emit && emit(*this, op))
    return;
  if (!isForeign && !emitters.count(op.type) && writeElementwise(*this, op))
    return;
  writeUnknown(op);
}

std::string Writer::run(llvm::StringRef name) {
  workload = names.add(name, "net_");
  for (int value : net.inputs)
    input(value);
  size_t first = lines.size();
  for (const Op &one : net.ops) {
    op = &one;
    if (!one.isGone)
      write(one);
    ++current;
  }
  op = nullptr;
  std::vector<std::string> results;
  std::vector<bool> used;
  for (int output : net.outputs) {
    std::string result = named(output);
    if (!llvm::is_contained(results, result))
      results.push_back(result);
  }
  Folded body = folded(first, results);
  auto collect = [&](llvm::ArrayRef<int> values) {
    for (int value : values)
      if (value >= 0)
        for (const Dim &dim : net.values[value].shape)
          net.dims.collect(dim, used);
  };
  collect(net.outputs);
  for (const Op &one : net.ops) {
    if (one.isGone)
      continue;
    collect(one.inputs);
    collect(one.outputs);
    net.dims.collect(one.rounds, used);
  }
  std::string head;
  for (size_t i = 0; i < used.size(); ++i) {
    llvm::StringRef symbol = net.dims.symbols()[i];
    bool isParameter = llvm::all_of(symbol, [](char c) { return llvm::isAlnum(c) || c == '_'; });
    if (!used[i] || !isParameter)
      continue;
    bool isBatch = symbol.contains_insensitive("batch") || symbol == "N";
    const llvm::Optional<Dim> &most = net.dims.most(i);
    parameters.push_back(symbol.str());
    head += (head.empty() ? "" : ", ") + symbol.str() +
            (most      ? " = " + net.dims.text(*most)
             : isBatch ? " = 1"
                       : "");
    if (most)
      limitedParameters.push_back(symbol.str());
    else if (!isBatch)
      openParameters.push_back(symbol.str());
  }
  std::string text = fmt::format("{}", fmt::join(imports, ""));
  if (!modules.empty())
    text += modules.size() == 1 ? fmt::format("import std.ops.{}\n", *modules.begin())
                                : fmt::format("import std.ops.{{{}}}\n", fmt::join(modules, ", "));
  text += text.empty() ? "" : "\n";
  for (const std::string &declaration : declarations)
    text += declaration + "\n";
  text += fmt::format("workload {}({}) -> {} {{\n", workload, head, fmt::join(results, ", "));
  for (const auto &[place, maker] : body.makers)
    makers.emplace_back(text.size() + place, maker);
  return text + body.text + "}\n";
}
