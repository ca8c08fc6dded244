// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What goes into a model: shapes as they are declared and given, and stored tensors.
#include "frontend/import/graph/Flattener.h"
#include "llvm/ADT/StringExtras.h"

using namespace perfc;
using namespace perfc::graph;

static std::string written(const GivenShape &given) {
  return fmt::format("{}={}", given.input, fmt::join(given.dims, ","));
}

/// Each given shape belongs to an input of that rank; names of dimensions get the numbers. A single
/// number may also be that of a size which the model names.
bool Flattener::checkGiven() {
  for (const GivenShape &given : shapes) {
    auto input = llvm::find_if(model.graph.inputs,
                               [&](const ValueInfo &info) { return info.name == given.input; });
    auto fail = [&](const std::string &reason) {
      diagnostics.report({}, diag::GraphBadShape, written(given), reason).help(inputNames());
      return false;
    };
    if (llvm::any_of(given.dims, [](int64_t dim) { return dim < 1; }))
      return fail("a dimension is at least 1");
    if (input == model.graph.inputs.end() && given.dims.size() == 1) {
      bound.try_emplace(given.input, given.dims.front());
      continue;
    }
    if (input == model.graph.inputs.end())
      return fail("the model has no such input");
    if (input->hasShape && input->shape.size() != given.dims.size())
      return fail(fmt::format("the input has {}", counted(input->shape.size(), "dimension")));
    for (size_t i = 0; i < given.dims.size(); ++i) {
      if (!input->hasShape)
        continue;
      const DeclaredDim &dim = input->shape[i];
      if (dim.value > 0 && dim.value != given.dims[i])
        return fail(fmt::format("dimension {} is {} in the model", i, dim.value));
      if (dim.value > 0 || dim.name.empty())
        continue;
      auto [known, isNew] = bound.try_emplace(dim.name, given.dims[i]);
      if (!isNew && known->second != given.dims[i])
        return fail(fmt::format("`{}` is {} in another shape", shown(dim.name), known->second));
    }
  }
  return true;
}

/// What was given for a size is used.
bool Flattener::checkSizes() {
  for (const GivenShape &given : shapes) {
    bool isInput = llvm::any_of(model.graph.inputs,
                                [&](const ValueInfo &info) { return info.name == given.input; });
    if (isInput || fixedSizes.contains(given.input))
      continue;
    diagnostics
        .report({}, diag::GraphBadShape, written(given), "the model has no such input or size")
        .help(inputNames());
    return false;
  }
  return true;
}

std::string Flattener::inputNames() const {
  std::string known;
  for (const ValueInfo &info : model.graph.inputs)
    known += (known.empty() ? "`" : ", `") + shown(info.name) + "`";
  return "the inputs are " + known;
}

/// `2*batch*seq + 1`: a sum of products of numbers and names; nothing for another text.
static llvm::Optional<Dim> sumOfProducts(llvm::StringRef text, Dims &dims,
                                         llvm::function_ref<Dim(llvm::StringRef)> named) {
  llvm::SmallVector<llvm::StringRef, 4> terms, factors;
  text.split(terms, " + ");
  Dim sum = 0;
  for (llvm::StringRef term : terms) {
    factors.clear();
    term.split(factors, '*');
    Dim product = 1;
    for (llvm::StringRef factor : factors) {
      int64_t number = 0;
      bool isWord = !factor.empty() &&
                    llvm::all_of(factor, [](char c) { return llvm::isAlnum(c) || c == '_'; });
      if (!isWord)
        return llvm::None;
      bool isNumber = llvm::to_integer(factor, number, 10);
      product = dims.multiply(product, isNumber ? Dim(number) : named(factor));
    }
    sum = dims.add(sum, product);
  }
  return sum;
}

Dim Flattener::declaredDim(const DeclaredDim &dim, llvm::StringRef owner, size_t index) {
  if (dim.value > 0 || (dim.value == 0 && dim.name.empty()))
    return dim.value;
  std::string key = dim.name.empty() ? fmt::format("{}_{}", owner, index) : dim.name.str();
  if (auto known = bound.find(key); known != bound.end()) {
    fixedSizes.insert(key);
    return known->second;
  }
  if (key.find_first_of("*+") != std::string::npos) {
    auto named = [&](llvm::StringRef name) { return declaredDim({-1, name}, owner, index); };
    if (auto sum = sumOfProducts(key, net.dims, named))
      return *sum;
  }
  std::string &parameter = parameters[key];
  if (parameter.empty())
    parameter = parameterNames.add(llvm::StringRef(key).take_front(60), "dim_");
  return net.dims.symbol(parameter);
}

Dim Flattener::parameter(llvm::StringRef owner, size_t index) {
  return declaredDim({}, owner, index);
}

bool Flattener::addInput(const ValueInfo &info, Names &names) {
  if (names.values.count(info.name))
    return true; // an initializer, which is no input to those who run the model
  int id = add();
  names.values[info.name] = id;
  Value &value = net.values[id];
  value.name = info.name;
  value.type = info.type;
  value.hasShape = true;
  auto given = llvm::find_if(shapes, [&](const GivenShape &one) { return one.input == info.name; });
  if (given != shapes.end()) {
    value.shape.assign(given->dims.begin(), given->dims.end());
  } else if (info.hasShape) {
    for (size_t i = 0; i < info.shape.size(); ++i)
      value.shape.push_back(declaredDim(info.shape[i], info.name, i));
  } else {
    diagnostics
        .report(at(info.offset), diag::GraphBroken, model.format,
                fmt::format("the input `{}` has no shape", shown(info.name)))
        .help(fmt::format("give it: --shape {}=1,3,224,224", shown(info.name)));
    return false;
  }
  net.inputs.push_back(id);
  return true;
}

void Flattener::declare(const Graph &graph, Names &names) {
  for (const ValueInfo &info : graph.values)
    names.declared[info.name] = &info;
  for (const ValueInfo &info : graph.outputs)
    if (info.hasShape || !names.declared.count(info.name))
      names.declared[info.name] = &info;
}
