// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constant evaluation: expression and scope to value. Integers are exact, quantities carry their
// dimension, `+-` makes an uncertainty source. What only a workload's body gives a meaning
// (tensors) is asked of a TensorSemantics, so that this file knows no graph.
#ifndef PERFC_FRONTEND_SEMA_EVALUATOR_H
#define PERFC_FRONTEND_SEMA_EVALUATOR_H

#include "frontend/sema/Program.h"
#include "frontend/sema/Value.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"
#include <memory>

namespace perfc {

/// Names of one block; looked up from the inside out, then in the file.
class Scope {
public:
  explicit Scope(const Module &module) : module(&module) {}
  explicit Scope(const Scope &parent) : module(parent.module), parent(&parent) {}

  /// Sets `name` here; a name set again is the newer value.
  void set(llvm::StringRef name, Value value);
  const Value *find(llvm::StringRef name) const;
  bool hasLocal(llvm::StringRef name) const;
  const Module &file() const { return *module; }
  void names(std::vector<llvm::StringRef> &out) const;

private:
  llvm::Optional<size_t> indexOf(llvm::StringRef name) const;

  const Module *module;
  const Scope *parent = nullptr;
  llvm::SmallVector<std::pair<llvm::StringRef, Value>, 1> values; // of a loop: there are many
  /// By name, where there are so many values that a search would take long; else null.
  std::unique_ptr<llvm::StringMap<size_t>> indices;
};

/// What tensors mean in the body of a workload.
class TensorSemantics {
public:
  virtual ~TensorSemantics() = default;
  /// `weight[…]`, `cache[…]`, `tensor[…]`, `token[…]`, in a format of its own where it has one.
  virtual Value make(llvm::StringRef kind, const Value::List &shape, llvm::Optional<DType> format,
                     SourceRange range) = 0;
  /// A call of an op, workload or collective.
  virtual Value apply(const Instance &callee, SourceRange range) = 0;
  /// An operator or element function on tensors (and numbers).
  virtual Value elementwise(llvm::StringRef function, llvm::ArrayRef<Value> operands,
                            SourceRange range) = 0;
};

/// True for `weight[…]`, `cache[…]`, `tensor[…]` and `token[…]`, as they are written.
bool makesTensor(const ast::Expr &expr);

class Evaluator {
public:
  explicit Evaluator(Program &program) : program(program), diagnostics(program.diags()) {}

  Value evaluate(const ast::Expr &expr, const Scope &scope);
  /// The value of a `let`, `param` or other declaration named at file level.
  Value valueOf(const Decl &decl, SourceRange use);
  /// The whole number that `expr` is, or nothing (reported, unless it is unknown).
  llvm::Optional<int64_t> integer(const ast::Expr &expr, const Scope &scope, llvm::StringRef what);
  /// The number format that `value` names; nothing after a report, or if it is unknown.
  llvm::Optional<DType> format(const Value &value, SourceRange range);
  /// The extents of a tensor of `kind`; nothing after a report, or if one is unknown.
  llvm::Optional<llvm::SmallVector<int64_t, 6>>
  extents(llvm::StringRef kind, const Value::List &shape, SourceRange range);
  /// Evaluates arguments of a call: `x`, `name = x`.
  std::vector<Argument> arguments(llvm::ArrayRef<ast::Arg> args, const Scope &scope);
  /// Binds `instance`'s arguments and the defaults of its declaration to names in `scope`.
  /// Parameters without either are Unknown if `allowMissing`, else reported; false then.
  bool bind(const Instance &instance, Scope &scope, bool allowMissing);
  /// The members of what `for` and `sweep` run over; empty after a report.
  std::vector<Value> members(const Value &domain, SourceRange range);
  /// True when `value` is a member of `domain`; a range is not expanded for it.
  bool isMember(const Value &value, const Value &domain, SourceRange range);
  /// `text` of a string with its escapes and `{name}` replaced; `isKnown` becomes false where what
  /// a name stands for is not known yet.
  std::string string(const ast::Expr &expr, const Scope &scope, bool *isKnown = nullptr);
  /// The same as a value; unknown where a name is.
  Value text(const ast::Expr &expr, const Scope &scope);

  /// While it lives, what is reported in the library is about this call.
  class InCall {
  public:
    InCall(Evaluator &evaluator, SourceRange call) : evaluator(evaluator) {
      evaluator.calls.push_back(call);
    }
    ~InCall() { evaluator.calls.pop_back(); }
    InCall(const InCall &) = delete;
    InCall &operator=(const InCall &) = delete;

  private:
    Evaluator &evaluator;
  };
  /// Whether `require condition, "words"` in the block of `instance`'s declaration holds for what
  /// `scope` has; false after a report. What is not known yet may hold.
  bool fulfils(const Instance &instance, const ast::Item &item, const Scope &scope);
  /// Runs the block of a function; nothing when no `return` is reached, unknown after a report.
  llvm::Optional<Value> functionBody(const Decl &function, const ast::Body &body, Scope &scope);
  /// What is wrong with `decl` has been reported: what uses it is unknown.
  void setMistaken(const Decl &decl) { mistaken.insert(&decl); }
  /// Sets a parameter for one point of a sweep, or for the runs that follow; `Unknown` takes it
  /// back. Returns what was set before.
  Value overrideParam(const Decl &param, Value value);
  /// Values in place of expressions of the program, in all that is evaluated from now on.
  using Constants = llvm::DenseMap<const ast::Expr *, Value>;
  /// True where the same expressions had values before.
  bool setConstants(Constants values);
  /// How often a value was used that follows from a parameter of a file: what is made without one
  /// is the same whatever these are set to.
  size_t parameterUses() const { return uses.parameters; }
  /// The same of values that were set in place of expressions.
  size_t constantUses() const { return uses.constants; }

  Program &program;
  DiagnosticEngine &diagnostics;
  /// Choices of words are values, `[vllm, orca]`: where a sweep or parameter takes its values.
  bool choicesAreValues = false;
  /// What is reported is dropped: help for it need not be searched.
  bool isSpeculative = false;
  TensorSemantics *tensors = nullptr;
  /// Without `tensors`: what is evaluated is passed to an op or a workload, which will make the
  /// tensors in it.
  bool tensorsAreLater = false;

private:
  Value dispatch(const ast::Expr &expr, const Scope &scope);
  Value number(const ast::Expr &expr);
  Value name(const ast::Expr &expr, const Scope &scope);
  Value unknownName(const ast::Expr &expr, const Scope &scope);
  Value member(const ast::Expr &expr, const Scope &scope);
  Value call(const ast::Expr &expr, const Scope &scope);
  Value callInstance(Instance instance, const ast::Expr &call, const Scope &scope);
  Value callFunction(const Decl &function, const ast::Expr &call, const Scope &scope);
  bool canCall(const Decl &function, SourceRange call);
  Value callBody(const Instance &instance, Scope &inner);
  /// `value`, or unknown after a report where it has grown beyond all use.
  Value bounded(Value value, SourceRange range);

  Value builtin(llvm::StringRef name, llvm::ArrayRef<Argument> arguments, SourceRange range,
                const Scope &scope);
  /// A function of strings; nothing where `operands` are not what it takes.
  llvm::Optional<Value> textFunction(llvm::StringRef name, llvm::ArrayRef<Value> operands,
                                     SourceRange range, const Scope &scope);
  Value shares(int64_t whole, int64_t count, SourceRange range);
  Value embedded(llvm::StringRef path, SourceRange range, const Scope &scope);
  Value index(const ast::Expr &expr, const Scope &scope);
  Value makeTensor(const ast::Expr &expr, const Scope &scope);
  Value unary(const ast::Expr &expr, const Scope &scope);
  Value binary(const ast::Expr &expr, const Scope &scope);
  Value arithmetic(llvm::StringRef op, const Value &left, const Value &right,
                   const ast::Expr &expr);
  Value multiply(const Value &left, const Value &right, const ast::Expr &expr);
  Value addGroups(const Value &left, const Value &right);
  Value comparison(llvm::StringRef op, const Value &left, const Value &right,
                   const ast::Expr &expr);
  Value logical(const ast::Expr &expr, const Scope &scope);
  Value plusMinus(const Value &left, const Value &right, const ast::Expr &expr);
  Value rangeOf(const ast::Expr &expr, const Scope &scope);
  Value list(const ast::Expr &expr, const Scope &scope);
  Value quantityError(QuantityError error, llvm::StringRef op, const Value &left,
                      const Value &right, const ast::Expr &expr);
  llvm::Optional<bool> condition(const ast::Expr &expr, const Scope &scope);

  void reportRecursion(const Decl &function, SourceRange range);
  void reportNoReturn(const Decl &function, const Scope &scope);
  bool isFulfilled(const Decl &function, const ast::Item &item, const Scope &scope);

  struct Uses {
    size_t parameters = 0, constants = 0;
  };
  struct Known {
    Value value;
    bool usesParameter, usesConstant;
  };
  /// `value`, which took what `before` does not count yet.
  Known known(Value value, Uses before) const {
    return {std::move(value), uses.parameters != before.parameters,
            uses.constants != before.constants};
  }
  /// Forgets the values that follow from what has changed.
  void forget(bool Known::*uses);
  const Value &valueIn(const Known &known) {
    uses.parameters += known.usesParameter;
    uses.constants += known.usesConstant;
    return known.value;
  }
  llvm::DenseMap<const Decl *, Known> cache;
  /// Results of functions by their arguments: what calls a function twice takes no longer.
  llvm::StringMap<Known> called;
  Uses uses;
  llvm::DenseMap<const ast::Expr *, Quantity> numbers; ///< that are written in the program
  size_t callsMade = 0;                                ///< in the outermost expression at hand
  llvm::DenseSet<const Decl *> mistaken;
  llvm::DenseSet<const Decl *> recursive; ///< functions of reported cycles
  llvm::DenseMap<const Decl *, Value> paramOverrides;
  Constants constants;
  llvm::SmallVector<const Decl *, 8> busy; ///< being evaluated, to find cycles and recursion
  llvm::SmallVector<SourceRange, 8> calls; ///< of functions and declarations that are being made
  unsigned depth = 0;                      ///< of evaluations inside each other
  friend class Elaborator;
};

/// The names that every file has without an import: dtypes, roles, `any`, `rest`, true, false.
llvm::Optional<Value> builtinName(llvm::StringRef name);
bool isElementFunction(llvm::StringRef name);
/// How many arguments the element function `name` takes.
size_t elementArity(llvm::StringRef name);
/// What the built-in function of strings `name` takes; nothing for other names.
llvm::Optional<llvm::StringRef> textFunctionArguments(llvm::StringRef name);
/// All built-in function names, for suggestions and documentation.
llvm::ArrayRef<llvm::StringRef> builtinFunctions();

} // namespace perfc

#endif // PERFC_FRONTEND_SEMA_EVALUATOR_H
