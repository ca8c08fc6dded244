// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/sema/Value.h"

#include "frontend/sema/Program.h"
#include "frontend/sema/Written.h"

using namespace perfc;

const Argument *perfc::findNamed(llvm::ArrayRef<Argument> arguments, llvm::StringRef name) {
  for (const Argument &argument : arguments)
    if (argument.name == name)
      return &argument;
  return nullptr;
}

const Value *perfc::findArgument(llvm::ArrayRef<Argument> arguments, llvm::StringRef name) {
  const Argument *found = findNamed(arguments, name);
  return found ? found->value.get() : nullptr;
}

std::string Value::describe() const {
  if (is<Unknown>())
    return "an unknown value";
  if (is<Any>())
    return "a hole (`any`)";
  if (is<bool>())
    return "a truth value";
  if (const Quantity *quantity = getIf<Quantity>())
    return quantity->dimension().describe();
  if (const std::string *text = getIf<std::string>())
    return text->empty() ? "an empty string" : "a string";
  if (const WordValue *word = getIf<WordValue>())
    return "the name `" + word->word + "`";
  if (const List *list = getIf<List>())
    return list->isTuple ? "a tuple" : "a list";
  if (is<Record>())
    return "a record";
  if (is<RangeValue>())
    return "a range";
  if (const Instance *instance = getIf<Instance>())
    return "the " + declKindName(instance->decl->kind).str() + " `" + instance->decl->name.str() +
           "`";
  if (is<Multiple>())
    return "a group";
  return "a tensor";
}

static size_t sizeOf(llvm::ArrayRef<Argument> arguments) {
  size_t sum = 1;
  for (const Argument &argument : arguments)
    sum += argument.value->size();
  return sum;
}

size_t Value::size() const {
  size_t sum = 1;
  if (const List *list = getIf<List>())
    for (const Value &element : list->values)
      sum += element.size();
  else if (const Record *record = getIf<Record>())
    sum = sizeOf(record->fields);
  else if (const WordValue *word = getIf<WordValue>())
    sum = sizeOf(word->arguments);
  else if (const Instance *instance = getIf<Instance>())
    sum = sizeOf(instance->arguments);
  else if (const Multiple *multiple = getIf<Multiple>())
    for (const Multiple::Part &part : multiple->parts)
      sum += part.of->size();
  return sum;
}

bool Value::isPlain() const {
  auto arePlain = [](llvm::ArrayRef<Argument> arguments) {
    return llvm::all_of(arguments, [](const Argument &each) { return each.value->isPlain(); });
  };
  if (const List *list = getIf<List>())
    return llvm::all_of(list->values, [](const Value &element) { return element.isPlain(); });
  if (const Record *record = getIf<Record>())
    return arePlain(record->fields);
  if (const WordValue *word = getIf<WordValue>())
    return arePlain(word->arguments);
  return !is<Instance>() && !is<Multiple>() && !is<Tensor>();
}

/// How quantities are printed.
using Notation = std::string (*)(const Quantity &);

static std::string valueText(const Value &value, Notation notation);

static std::string argumentsText(llvm::ArrayRef<Argument> arguments, Notation notation) {
  std::string text;
  for (const Argument &argument : arguments) {
    text += text.empty() ? "" : ", ";
    if (!argument.name.empty())
      text += argument.name + " = ";
    text += valueText(*argument.value, notation);
  }
  return text;
}

static std::string instanceText(const Instance &instance, Notation notation) {
  std::string text = instance.decl->name.str();
  if (!instance.phase.empty())
    text += "." + instance.phase;
  if (!instance.arguments.empty())
    text += "(" + argumentsText(instance.arguments, notation) + ")";
  return text;
}

static std::string tensorText(const Tensor &tensor) {
  std::string name = tensor.kind.empty() ? "%" + std::to_string(tensor.id) : tensor.kind;
  std::string text = fmt::format("{}[{}]", name, fmt::join(tensor.shape, ", "));
  return tensor.hasFormat ? text + ": " + dtypeName(tensor.dtype).str() : text;
}

static std::string multipleText(const Multiple &multiple, Notation notation) {
  std::string text;
  for (const Multiple::Part &part : multiple.parts)
    text += (text.empty() ? "" : " + ") + std::to_string(part.count) + " * " +
            valueText(*part.of, notation);
  return text;
}

static std::string rangeText(const RangeValue &range, Notation notation) {
  std::string text = notation(range.first) + ".." + notation(range.last);
  if (range.step)
    text += " step " + notation(*range.step) + (range.multiplies ? "x" : "");
  return text;
}

static std::string valueText(const Value &value, Notation notation) {
  if (value.is<Value::Unknown>())
    return "?";
  if (value.is<Value::Any>())
    return "any";
  if (const bool *truth = value.getIf<bool>())
    return *truth ? "true" : "false";
  if (const Quantity *quantity = value.getIf<Quantity>())
    return notation(*quantity);
  if (const std::string *string = value.getIf<std::string>())
    return '"' + *string + '"';
  if (const WordValue *word = value.getIf<WordValue>())
    return word->arguments.empty()
               ? word->word
               : word->word + "(" + argumentsText(word->arguments, notation) + ")";
  if (const Value::List *list = value.getIf<Value::List>()) {
    std::string text = list->isTuple ? "(" : "[";
    for (size_t i = 0; i < list->values.size(); ++i)
      text += (i ? ", " : "") + valueText(list->values[i], notation);
    return text + (list->isTuple ? ")" : "]");
  }
  if (const Value::Record *record = value.getIf<Value::Record>())
    return "(" + argumentsText(record->fields, notation) + ")";
  if (const RangeValue *range = value.getIf<RangeValue>())
    return rangeText(*range, notation);
  if (const Instance *instance = value.getIf<Instance>())
    return instanceText(*instance, notation);
  if (const Multiple *multiple = value.getIf<Multiple>())
    return multipleText(*multiple, notation);
  return tensorText(value.get<Tensor>());
}

std::string Value::text() const {
  return valueText(*this, [](const Quantity &quantity) { return quantity.text(); });
}

std::string perfc::written(const Value &value) { return valueText(value, written); }

llvm::Optional<std::vector<Value>> perfc::expandRange(const RangeValue &range, size_t limit) {
  std::vector<Value> values;
  Quantity step = range.step.getValueOr(Quantity(Rational(1), range.first.dimension()));
  bool rising = range.multiplies ? step.toDouble() > 1 : step.sign() > 0;
  if (!rising)
    return llvm::None;
  QuantityError error = QuantityError::None;
  for (Quantity value = range.first; compare(value, range.last) <= 0;) {
    if (values.size() == limit)
      return llvm::None;
    values.push_back(value);
    auto next = apply(range.multiplies ? "*" : "+", value, step, error);
    if (!next || (range.multiplies && compare(*next, value) <= 0))
      return llvm::None;
    value = *next;
  }
  return values;
}

bool perfc::contains(const RangeValue &range, const Quantity &value) {
  bool isInside = compatible(range.first.dimension(), value.dimension()) &&
                  compare(range.first, value) <= 0 && compare(value, range.last) <= 0;
  if (!isInside)
    return false;
  QuantityError error = QuantityError::None;
  Quantity step = range.step.getValueOr(Quantity(Rational(1), range.first.dimension()));
  if (!range.multiplies) {
    auto distance = apply("-", value, range.first, error);
    auto rest = distance ? apply("%", *distance, step, error) : llvm::None;
    return rest && rest->sign() == 0;
  }
  // A step multiplies by more than 1, so few of them are left below `value`.
  Quantity reached = range.first;
  while (compare(reached, value) < 0) {
    auto next = apply("*", reached, step, error);
    if (!next || compare(*next, reached) <= 0)
      return false;
    reached = *next;
  }
  return compare(reached, value) == 0;
}

Value perfc::mapTensors(const Value &value, llvm::function_ref<Value(const Tensor &)> replace) {
  if (const Tensor *tensor = value.getIf<Tensor>())
    return replace(*tensor);
  if (const Value::List *list = value.getIf<Value::List>()) {
    Value::List mapped{{}, list->isTuple};
    for (const Value &element : list->values)
      mapped.values.push_back(mapTensors(element, replace));
    return mapped;
  }
  if (const Value::Record *record = value.getIf<Value::Record>()) {
    Value::Record mapped;
    for (const Argument &field : record->fields)
      mapped.fields.push_back(
          makeArgument(field.name, mapTensors(*field.value, replace), field.range));
    return mapped;
  }
  return value;
}
