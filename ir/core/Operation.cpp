// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/core/Operation.h"

#include "ir/core/Module.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::ir;

Operation::Operation(const OpDecl &decl, Location location)
    : declaration(&decl), place(std::move(location)) {
  for (size_t i = 0; i < decl.regions.size(); ++i)
    bodies.push_back(std::make_unique<Region>(this));
}

void Operation::setSymbol(llvm::StringRef name) {
  if (parent)
    parent->removeSymbol(*this);
  symbolName = name.str();
  if (parent)
    parent->addSymbol(*this);
}

//===-- Attributes
//-----------------------------------------------------------------------------===//

const Attribute *Operation::attr(llvm::StringRef name) const {
  for (const NamedAttribute &attribute : attributes)
    if (sameName(attribute.name, name))
      return &attribute.value;
  return nullptr;
}

void Operation::setAttr(llvm::StringRef name, Attribute value) {
  constexpr size_t commonCount = 6; // most operations have as many at most
  if (attributes.empty())
    attributes.reserve(std::min(commonCount, declaration->attrs.size()));
  auto it = attributes.begin();
  for (const AttrDecl &declared : declaration->attrs) {
    bool isSet = it != attributes.end() && it->name.data() == declared.name.data();
    if (!sameName(declared.name, name)) {
      it += isSet;
      continue;
    }
    if (isSet)
      it->value = std::move(value);
    else
      attributes.insert(it, {declared.name, std::move(value)});
    return;
  }
  // Undeclared ones, which the verifier rejects, come last.
  it = std::find_if(it, attributes.end(), [&](const auto &other) { return other.name == name; });
  if (it != attributes.end()) {
    it->value = std::move(value);
    return;
  }
  if (!undeclared)
    undeclared = std::make_unique<std::forward_list<std::string>>();
  undeclared->push_front(name.str());
  attributes.push_back({undeclared->front(), std::move(value)});
}

void Operation::removeAttr(llvm::StringRef name) {
  llvm::erase_if(attributes,
                 [&](const NamedAttribute &attribute) { return attribute.name == name; });
}

const Attribute *Operation::valueOf(llvm::StringRef name) const {
  if (const Attribute *value = attr(name))
    return value;
  const AttrDecl *decl = declaration->findAttr(name);
  return decl && decl->byDefault ? &*decl->byDefault : nullptr;
}

int64_t Operation::intAttr(llvm::StringRef name, int64_t otherwise) const {
  const Attribute *value = valueOf(name);
  return value ? value->asInt() : otherwise;
}

llvm::StringRef Operation::stringAttr(llvm::StringRef name, llvm::StringRef otherwise) const {
  const Attribute *value = valueOf(name);
  return value ? value->asString() : otherwise;
}

llvm::StringRef Operation::symbolAttr(llvm::StringRef name) const {
  const Attribute *value = valueOf(name);
  return value ? value->asSymbol() : llvm::StringRef();
}

llvm::Optional<Quantity> Operation::quantityAttr(llvm::StringRef name) const {
  const Attribute *value = valueOf(name);
  if (!value)
    return llvm::None;
  return value->asQuantity();
}

double Operation::realAttr(llvm::StringRef name, double otherwise) const {
  const Attribute *value = valueOf(name);
  return value ? value->asQuantity().toDouble() : otherwise;
}

std::vector<std::string> Operation::symbolsAttr(llvm::StringRef name) const {
  std::vector<std::string> names;
  for (const Attribute &symbol : listAttr(name))
    names.push_back(symbol.asSymbol().str());
  return names;
}

std::vector<std::string> Operation::stringsAttr(llvm::StringRef name) const {
  const Attribute *value = valueOf(name);
  return value ? value->asStrings() : std::vector<std::string>();
}

std::vector<int64_t> Operation::intsAttr(llvm::StringRef name) const {
  const Attribute *value = valueOf(name);
  return value ? value->asInts() : std::vector<int64_t>();
}

const AttrList &Operation::listAttr(llvm::StringRef name) const {
  static const AttrList none;
  const Attribute *value = valueOf(name);
  return value ? value->asList() : none;
}

const AttrDict &Operation::dictAttr(llvm::StringRef name) const {
  static const AttrDict none;
  const Attribute *value = valueOf(name);
  return value ? value->asDict() : none;
}

//===-- Structure
//------------------------------------------------------------------------------===//

Value &Operation::addResult(Type type, llvm::StringRef hint) {
  outputs.push_back(std::make_unique<Value>(*this, outputs.size(), std::move(type)));
  outputs.back()->setHint(hint);
  return *outputs.back();
}

Module *Operation::module() const {
  const Operation *op = this;
  while (Operation *outer = op->parentOp())
    op = outer;
  return op->parent ? op->parent->top : nullptr;
}

void Operation::erase() { parent->take(*this).reset(); }

void Operation::moveBefore(Operation &other) {
  assert(&other != this && other.parent);
  other.parent->insert(parent->take(*this), &other);
}

Operation &Operation::clone(Region &into, ValueMap &map, Operation *before) const {
  auto copy = std::make_unique<Operation>(*declaration, place);
  copy->symbolName = symbolName;
  if (!undeclared)
    copy->attributes = attributes;
  else
    for (const NamedAttribute &attribute : attributes)
      copy->setAttr(attribute.name, attribute.value);
  for (Value *input : inputs) {
    Value *replacement = map.lookup(input);
    copy->addOperand(replacement ? *replacement : *input);
  }
  for (const auto &output : outputs)
    map[output.get()] = &copy->addResult(output->type(), output->hint());
  for (size_t i = 0; i < bodies.size(); ++i) {
    Region &body = copy->region(i);
    for (size_t j = 0; j < bodies[i]->argumentCount(); ++j) {
      const Value &argument = bodies[i]->argument(j);
      map[&argument] = &body.addArgument(argument.type(), argument.hint());
    }
    for (const Operation &op : *bodies[i])
      op.clone(body, map);
  }
  return into.insert(std::move(copy), before);
}

void Operation::walk(llvm::function_ref<void(Operation &)> visit) {
  visit(*this);
  for (auto &body : bodies)
    body->walk(visit);
}

void Operation::walk(llvm::function_ref<void(const Operation &)> visit) const {
  visit(*this);
  for (const auto &body : bodies)
    static_cast<const Region &>(*body).walk(visit);
}
