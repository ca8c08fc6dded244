// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of constant evaluation: what an expression of `.perf` is worth once parameters are known.
// `Unknown` stands for a parameter without an argument (a declaration is checked before anybody
// uses it) and for the result of an expression that was already reported; anything computed from it
// is unknown as well, so that one mistake is one message.
#ifndef PERFC_FRONTEND_SEMA_VALUE_H
#define PERFC_FRONTEND_SEMA_VALUE_H

#include "frontend/syntax/AST.h"
#include "ir/common/DType.h"
#include "ir/common/Quantity.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace perfc {

struct Decl;
class Value;

/// An argument after evaluation: `x`, or `name = x`.
struct Argument {
  std::string name; ///< "" when given by position
  std::shared_ptr<const Value> value;
  SourceRange range;
  bool isMistaken = false; ///< reported already: what it was for counts as given
};

/// A built-in name or an enumerator (`fp16`, `input`, `fat_tree`), with arguments when it was
/// called: `fat_tree(radix = 64)`.
struct WordValue {
  std::string word;
  std::vector<Argument> arguments;
};

/// A declaration with some of its parameters given: `eyeriss(pes = 84)`, `tiny.decode(batch = 8)`.
struct Instance {
  const Decl *decl = nullptr;
  std::string phase; ///< of a workload, or ""
  std::vector<Argument> arguments;
  SourceRange range;
};

/// Members of a group of chips, `48 * fast + 16 * slow`, or a workload run several times.
struct Multiple {
  struct Part {
    int64_t count;
    std::shared_ptr<const Value> of;
  };
  std::vector<Part> parts;
};

/// A tensor of the workload being built; `id` is the builder's. One that a subject is given,
/// `net(x = tensor[4, 8])`, is made when that is built: until then it has no `id`, but a `kind`.
struct Tensor {
  unsigned id;
  llvm::SmallVector<int64_t, 6> shape;
  DType dtype;
  std::string kind = {};  ///< tensor, token, weight or cache; "" for one that is there
  bool hasFormat = false; ///< of one with a `kind`: `dtype` is its own, else that of the workload
};

/// a .. b [step s]; `multiplies` for `step 2x`.
struct RangeValue {
  Quantity first, last;
  llvm::Optional<Quantity> step;
  bool multiplies = false;
};

class Value {
public:
  struct Unknown {};
  struct Any {};
  struct List {
    std::vector<Value> values;
    bool isTuple = false;
  };
  struct Record {
    std::vector<Argument> fields;
  };

  Value() = default;
  Value(const Value &) = default;
  Value &operator=(const Value &) = default;
  // Lists grow by moving their values, not by copying them.
  Value(Value &&) noexcept = default;
  Value &operator=(Value &&) noexcept = default;
  template <typename T> Value(T content) : content(std::move(content)) {}

  bool isUnknown() const { return is<Unknown>(); }
  template <typename T> bool is() const { return std::holds_alternative<T>(content); }
  template <typename T> const T *getIf() const { return std::get_if<T>(&content); }
  template <typename T> const T &get() const { return std::get<T>(content); }

  /// "a quantity (B/s)", "a string", "a workload" …, for messages.
  std::string describe() const;
  /// Elements of this, with those of all that it holds; 1 for a value without elements.
  size_t size() const;
  /// True for numbers, strings, words and what is made of them alone: equal texts are equal values.
  bool isPlain() const;
  /// Exact, with the source of each `+-`: what makes two instances the same.
  std::string text() const;
  bool operator==(const Value &other) const { return text() == other.text(); }

private:
  std::variant<Unknown, Any, bool, Quantity, std::string, WordValue, List, Record, RangeValue,
               Instance, Multiple, Tensor>
      content;
};

inline Argument makeArgument(std::string name, Value value, SourceRange range) {
  return {std::move(name), std::make_shared<const Value>(std::move(value)), range};
}

/// `value` with `replace` of each of its tensors, those in lists and records too.
Value mapTensors(const Value &value, llvm::function_ref<Value(const Tensor &)> replace);

/// The argument called `name`, or null; and its value.
const Argument *findNamed(llvm::ArrayRef<Argument> arguments, llvm::StringRef name);
const Value *findArgument(llvm::ArrayRef<Argument> arguments, llvm::StringRef name);

/// The members of a range: at most `limit` of them, nothing when there are more or the step does
/// not lead from first to last.
llvm::Optional<std::vector<Value>> expandRange(const RangeValue &range, size_t limit);

/// True when one of the steps of `range` hits `value`.
bool contains(const RangeValue &range, const Quantity &value);

} // namespace perfc

#endif // PERFC_FRONTEND_SEMA_VALUE_H
