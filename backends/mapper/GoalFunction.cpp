// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/mapper/GoalFunction.h"

#include <cmath>

using namespace perfc;
using namespace perfc::mapper;
using namespace perfc::loopnest;

namespace {

class GoalCompiler {
public:
  GoalCompiler(const ir::Module *module, const GoalProbe &probe, Score around)
      : module(module), probe(probe), around(around) {}

  GoalFunction compile(const ir::Attribute &expr, unsigned depth = 0) const;
  llvm::Optional<Score> exponents(const ir::Attribute &expr, unsigned depth = 0) const;

private:
  GoalFunction constant(const ir::Attribute &expr) const;
  GoalFunction operation(llvm::StringRef op, GoalFunction left, GoalFunction right) const;

  const ir::Module *module;
  const GoalProbe &probe;
  Score around;
};

} // namespace

/// What is the same wherever it is looked at.
GoalFunction GoalCompiler::constant(const ir::Attribute &expr) const {
  llvm::Optional<double> first = probe(expr, around);
  if (!first)
    return nullptr;
  for (auto [energy, latency] : {std::pair(0.3, 1.0), {1.0, 0.3}, {7.0, 1.0}, {1.0, 7.0}})
    if (probe(expr, {around.energy * energy, around.latency * latency}) != first)
      return nullptr;
  return [value = *first](const Score &) { return value; };
}

GoalFunction GoalCompiler::operation(llvm::StringRef op, GoalFunction left,
                                     GoalFunction right) const {
  if (op == "+")
    return [=](const Score &s) { return left(s) + right(s); };
  if (op == "-")
    return [=](const Score &s) { return left(s) - right(s); };
  if (op == "*")
    return [=](const Score &s) { return left(s) * right(s); };
  if (op == "/")
    return [=](const Score &s) { return left(s) / right(s); };
  if (op == "^")
    return [=](const Score &s) { return std::pow(left(s), right(s)); };
  if (op == "max")
    return [=](const Score &s) { return std::max(left(s), right(s)); };
  if (op == "min")
    return [=](const Score &s) { return std::min(left(s), right(s)); };
  return nullptr;
}

/// Of energy and of latency in a product of their powers and numbers; nothing for anything else.
llvm::Optional<Score> GoalCompiler::exponents(const ir::Attribute &expr, unsigned depth) const {
  if (depth > 64)
    return llvm::None;
  if (constant(expr))
    return Score{0, 0};
  if (expr.is(ir::AttrKind::String)) {
    llvm::StringRef name = expr.asString();
    if (module)
      if (auto defined = module->lookup<study::MetricOp>(name))
        return exponents(ir::Attribute(defined.expr()), depth + 1);
    bool isBoth = name == "edp";
    if (!isBoth && name != "energy" && name != "latency")
      return llvm::None;
    return Score{isBoth || name == "energy" ? 1.0 : 0.0, isBoth || name == "latency" ? 1.0 : 0.0};
  }
  if (!expr.is(ir::AttrKind::List))
    return llvm::None;
  const ir::AttrList &parts = expr.asList();
  if (parts.size() == 1)
    return exponents(parts[0], depth + 1);
  if (parts.size() != 3 || !parts[0].is(ir::AttrKind::String))
    return llvm::None;
  llvm::Optional<Score> left = exponents(parts[1], depth + 1);
  llvm::Optional<Score> right = exponents(parts[2], depth + 1);
  llvm::StringRef op = parts[0].asString();
  if (!left || !right)
    return llvm::None;
  if (op == "*")
    return Score{left->energy + right->energy, left->latency + right->latency};
  if (op == "/")
    return Score{left->energy - right->energy, left->latency - right->latency};
  if (GoalFunction power = op == "^" ? constant(parts[2]) : nullptr)
    return Score{left->energy * power(around), left->latency * power(around)};
  return llvm::None;
}

GoalFunction GoalCompiler::compile(const ir::Attribute &expr, unsigned depth) const {
  if (depth > 64)
    return nullptr;
  if (GoalFunction number = constant(expr))
    return number;
  if (expr.is(ir::AttrKind::String)) {
    llvm::StringRef name = expr.asString();
    if (module)
      if (auto defined = module->lookup<study::MetricOp>(name))
        return compile(ir::Attribute(defined.expr()), depth + 1);
    if (name == "energy")
      return [](const Score &s) { return s.energy; };
    if (name == "latency")
      return [](const Score &s) { return s.latency; };
    if (name == "edp")
      return [](const Score &s) { return s.energy * s.latency; };
    return nullptr;
  }
  if (!expr.is(ir::AttrKind::List))
    return nullptr;
  const ir::AttrList &parts = expr.asList();
  if (parts.size() == 1)
    return compile(parts[0], depth + 1);
  if (parts.size() != 3 || !parts[0].is(ir::AttrKind::String))
    return nullptr;
  GoalFunction left = compile(parts[1], depth + 1), right = compile(parts[2], depth + 1);
  return left && right ? operation(parts[0].asString(), left, right) : nullptr;
}

GoalFunction mapper::compileGoal(const ir::Attribute &expr, const ir::Module *module,
                                 const GoalProbe &probe, Score around) {
  GoalFunction function = GoalCompiler(module, probe, around).compile(expr);
  if (!function)
    return nullptr;
  // It says what the expression says.
  for (double energy : {0.1, 1.0, 3.0})
    for (double latency : {0.1, 1.0, 3.0}) {
      Score at{around.energy * energy, around.latency * latency};
      llvm::Optional<double> value = probe(expr, at);
      if (!value || std::abs(function(at) - *value) > 1e-9 * std::abs(*value))
        return nullptr;
    }
  return function;
}

bool mapper::isPowerOfProduct(const ir::Attribute &expr, const ir::Module *module,
                              const GoalProbe &probe, Score around) {
  llvm::Optional<Score> exponents = GoalCompiler(module, probe, around).exponents(expr);
  return exponents && exponents->energy > 0 && exponents->energy == exponents->latency;
}
