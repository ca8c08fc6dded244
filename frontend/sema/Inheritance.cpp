// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Templates: `hardware B from A { … }`, `memory GLB from sram(108KiB)`. An attribute replaces, a
// part with the same name merges, `array SM[160]` without a block changes the size only, `without
// L2` removes, `memory L3 after HBM` inserts. `library eager from graph` begins as a sibling,
// another part of its block.
#include "frontend/sema/Elaborator.h"
#include "frontend/sema/HandedOn.h"
#include "ir/common/diagnostics/Clauses.h"
#include "ir/common/diagnostics/Names.h"
#include "ir/common/diagnostics/Systems.h"

#include "frontend/sema/Written.h"
#include "ir/common/diagnostics/Hardware.h"
#include "llvm/ADT/StringExtras.h"

using namespace perfc;

/// The name and the axes of a part: `GLB`, `PE[x = 14, y = 12]`.
void Elaborator::part(Node &node, const ast::Arg &head, const Scope &scope) {
  const ast::Expr &expr = *head.value;
  bool indexed = expr.kind == ast::ExprKind::Index &&
                 expr.operands[0]->kind == ast::ExprKind::Name && node.word == "array";
  if (!indexed && expr.kind != ast::ExprKind::Name) {
    diagnostics.report(head.range, diag::BadPartName, node.word);
    return;
  }
  node.args.clear();
  node.name = (indexed ? expr.operands[0]->text : expr.text).str();
  if (!indexed)
    return;
  for (const Argument &axis : evaluator.arguments(expr.args, scope)) {
    const Quantity *size = axis.value->getIf<Quantity>();
    bool isCount = size && size->isInteger() && size->sign() > 0 && size->dimension().isExtent();
    if (!axis.value->isUnknown() && !isCount) {
      diagnostics.report(axis.range, diag::BadAxisSize, node.name, written(*axis.value));
      continue;
    }
    std::string name = axis.name.empty() ? "x" : axis.name;
    if (llvm::any_of(node.args, [&](const NodeArg &other) { return other.name == name; })) {
      diagnostics.report(axis.range, diag::DuplicateArgument, name)
          .help("name the axes: `" + node.name + "[x = 14, y = 12]`");
      continue;
    }
    node.args.push_back({name, *axis.value, nullptr, axis.range});
  }
}

static BlockKind blockOf(DeclKind kind) {
  switch (kind) {
  case DeclKind::Hardware:
    return BlockKind::Hardware;
  case DeclKind::Memory:
    return BlockKind::Memory;
  case DeclKind::Array:
    return BlockKind::Array;
  case DeclKind::Network:
    return BlockKind::Network;
  case DeclKind::Compute:
    return BlockKind::Compute;
  case DeclKind::System:
    return BlockKind::System;
  case DeclKind::Runtime:
    return BlockKind::Runtime;
  case DeclKind::Generation:
    return BlockKind::Generation;
  case DeclKind::Library:
    return BlockKind::KernelLibrary;
  default:
    return BlockKind::None;
  }
}

/// The name of the other part of its block that a part is made `from`; null for none, or a
/// template.
static const NodeArg *siblingOf(const Node &node) {
  const Node *from = node.find("from");
  bool isName = from && from->spec->kind == ArgKind::Name && !from->args.empty();
  return isName ? &from->args.front() : nullptr;
}

/// The declaration of a cycle that stands first, so that each cycle is reported at one place.
const Decl *perfc::earliest(llvm::ArrayRef<const Decl *> cycle) {
  return *std::min_element(cycle.begin(), cycle.end(), [](const Decl *a, const Decl *b) {
    return std::make_pair(a->nameRange.file, a->nameRange.begin) <
           std::make_pair(b->nameRange.file, b->nameRange.begin);
  });
}

/// True when `text` has `name` as a word where it is no part's name after `memory` or the like.
static bool isUsed(llvm::StringRef text, llvm::StringRef name) {
  llvm::SmallVector<llvm::StringRef, 0> lines;
  text.split(lines, '\n');
  auto isWord = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  for (llvm::StringRef line : lines) {
    line = line.split("//").first;
    for (size_t at = line.find(name); at != llvm::StringRef::npos; at = line.find(name, at + 1)) {
      llvm::StringRef before = line.take_front(at), after = line.drop_front(at + name.size());
      bool isPart =
          (!before.empty() && isWord(before.back())) || (!after.empty() && isWord(after.front()));
      before = before.rtrim();
      bool declares = before.endswith("memory") || before.endswith("array");
      if (!isPart && !declares)
        return true;
    }
  }
  return false;
}

/// Warns of memories and arrays that `from` did not bring, and that neither `after` nor a use in
/// the file shows to be meant: a name that is spelled otherwise adds a part.
void Elaborator::warnOfAdded(const Node &base, const Node &made) {
  std::vector<llvm::StringRef> known;
  for (const Node *child : base.children)
    if (child->word == "memory" || child->word == "array")
      known.push_back(child->name);
  for (const Node *child : made.children) {
    if (child->word != "memory" && child->word != "array")
      continue;
    auto same = llvm::find_if(base.children, [&](const Node *other) {
      return other->word == child->word && other->name == child->name;
    });
    if (same != base.children.end()) {
      warnOfAdded(**same, *child);
      continue;
    }
    llvm::StringRef file = evaluator.program.sourceManager().text(child->range.file);
    if (!child->find("after") && !isUsed(file, child->name))
      diagnostics.report(child->range, diag::PartAdded, child->word, child->name)
          .suggest(
              child->name, known,
              fmt::format("`{} {} after …` says that one more is meant", child->word, child->name));
  }
}

/// Declarations and templates that are made from each other, and parts inside them.
static constexpr unsigned maxChain = 256;
/// Of a declaration with all that it is made of: templates that hold others twice grow fast.
static constexpr size_t mostNodes = 200'000;

Node *Elaborator::declaration(const Instance &instance, bool allowMissing) {
  BlockKind kind = blockOf(instance.decl->kind);
  const Decl &decl = *instance.decl;
  Node &node = newNode();
  node.word = declKindName(decl.kind);
  node.name = decl.name.str();
  node.wordRange = decl.nameRange;
  node.range = instance.range;
  node.item = decl.item;
  if (llvm::is_contained(instantiating, &decl)) {
    auto cycle = llvm::makeArrayRef(llvm::find(instantiating, &decl), instantiating.end());
    const Decl *first = earliest(cycle);
    diagnostics.report(first->nameRange, diag::InheritanceCycle, first->name);
    return &node;
  }
  if (instantiating.size() == maxChain) {
    diagnostics.report(decl.nameRange, diag::EvaluationTooDeep, maxChain);
    return &node;
  }
  if (instantiating.empty()) {
    firstNode = nodes.size();
    isTooLarge = false;
  }
  if (nodes.size() - firstNode > mostNodes) {
    if (!isTooLarge)
      diagnostics.report(decl.nameRange, diag::TooManyParts, mostNodes);
    isTooLarge = true;
    return &node;
  }
  BlameScope blame(diagnostics, instance.range);
  instantiating.push_back(&decl);
  evaluator.calls.push_back(instance.range);
  Scope &scope = newScope(*decl.module);
  node.scope = &scope;
  bool bound = evaluator.bind(instance, scope, allowMissing);
  for (const ast::Clause &clause : decl.item->clauses) {
    if (clause.word != "from" || clause.args.size() != 1)
      continue;
    Value base = evaluator.evaluate(*clause.args[0].value, scope);
    const Instance *origin = base.getIf<Instance>();
    if (origin && origin->decl->kind == decl.kind) {
      Node *inherited = declaration(withHandedOn(decl, scope, *origin), allowMissing);
      node.children = inherited->children;
      node.args = inherited->args;
    } else if (!base.isUnknown()) {
      diagnostics.report(clause.args[0].range, diag::WrongBase, declKindName(decl.kind),
                         base.describe());
    }
  }
  const Node base = node;
  if (decl.kind == DeclKind::Array && !decl.item->args.empty() &&
      decl.item->args[0].value->kind == ast::ExprKind::Index)
    part(node, decl.item->args[0], scope);
  if (bound && decl.item->block) {
    Node &overlay = newNode();
    overlay.isOpen = true;
    body(*decl.item->block, kind, scope, overlay);
    for (Node *child : overlay.children)
      add(node, child);
  }
  settle(node);
  if (instantiating.size() == 1)
    layOverSiblings(node);
  if (kind == BlockKind::Hardware && !base.children.empty())
    warnOfAdded(base, node);
  evaluator.calls.pop_back();
  instantiating.pop_back();
  return &node;
}

/// `memory GLB from sram(108KiB)`: the part begins as what the template holds.
void Elaborator::instantiate(Node &node) {
  const Node *from = node.find("from");
  node.isOpen = !from || siblingOf(node);
  if (node.isOpen || from->args.empty() || from->args[0].value.isUnknown())
    return;
  const Instance *origin = from->args[0].value.getIf<Instance>();
  if (!origin || declKindName(origin->decl->kind) != node.word) {
    diagnostics.report(from->range, diag::WrongBase, node.word, from->args[0].value.describe());
    return;
  }
  Node *base = declaration(*origin, /*allowMissing=*/false);
  node.children.insert(node.children.end(), base->children.begin(), base->children.end());
  if (node.args.empty())
    node.args = base->args;
}

void Elaborator::remove(Node &into, const Node &without) {
  for (const NodeArg &arg : without.args) {
    const std::string &name = arg.value.get<WordValue>().word;
    auto matches = [&](const Node *child) {
      return child->name == name || (child->name.empty() && child->word == name);
    };
    size_t before = into.children.size();
    llvm::erase_if(into.children, matches);
    if (into.children.size() == before)
      diagnostics.report(arg.range, diag::NothingToRemove, name);
  }
}

/// Lays out the parts that nothing came below, now that this is known.
void Elaborator::settle(Node &node) {
  for (Node *child : node.children) {
    if (child->isOpen && !siblingOf(*child)) {
      child->isOpen = false;
      std::vector<Node *> parts = std::move(child->children);
      child->children.clear();
      for (Node *part : parts)
        add(*child, part);
    }
    settle(*child);
  }
}

/// Lays the parts of `block` that are made from a sibling over it. This waits for the declaration
/// to be whole: where it is made from another one and changes the sibling, they follow.
void Elaborator::layOverSiblings(Node &block) {
  for (size_t part = 0; part < block.children.size(); ++part)
    layOverSibling(block, part, {});
  for (Node *child : block.children)
    layOverSiblings(*child);
}

/// `waiting` are the parts that will be laid over this one.
void Elaborator::layOverSibling(Node &block, size_t part, llvm::ArrayRef<const Node *> waiting) {
  Node &overlay = *block.children[part];
  const NodeArg *name = siblingOf(overlay);
  if (!name)
    return;
  Node &made = newNode();
  made = overlay;
  made.isOpen = false;
  made.children.clear();
  auto base = llvm::find_if(block.children, [&](const Node *other) {
    return other->word == overlay.word && other->name == name->value.get<WordValue>().word;
  });
  if (base == block.children.end()) {
    diagnostics.report(name->range, diag::NoSibling, overlay.word, written(name->value));
  } else if (*base == &overlay || llvm::is_contained(waiting, *base)) {
    diagnostics.report(name->range, diag::InheritanceCycle, overlay.name);
  } else if (waiting.size() == maxChain || nodes.size() - firstNode > mostNodes) {
    if (!isTooLarge)
      diagnostics.report(name->range, diag::TooManyParts, mostNodes);
    isTooLarge = true;
  } else {
    llvm::SmallVector<const Node *, 4> chain(waiting.begin(), waiting.end());
    chain.push_back(&overlay);
    layOverSibling(block, static_cast<size_t>(base - block.children.begin()), chain);
    made.children = (*base)->children;
  }
  for (Node *child : overlay.children)
    if (child->word != "from")
      add(made, child);
  settle(made);
  block.children[part] = &made;
}

/// `energy { read 6pJ }` of a memory or network after `energy 9pJ` or `energy { read 5pJ; write 7pJ
/// }`, which stays that of the rest.
static bool givesParts(const Node &into, const Node &attribute) {
  return (into.word == "memory" || into.word == "network") && attribute.word == "energy" &&
         attribute.args.empty();
}

/// True for what has a name of its own in its block: memories, arrays, groups of a system.
static bool isPart(const Node &node) { return !node.name.empty() || node.word == "network"; }

/// Notes with the report of `child` where the block has it already.
static void noteEarlier(Diagnostic &error, const Node &child, const Node &earlier) {
  if (earlier.item && earlier.item == child.item)
    error.note("each round of the `for` around it gives it again");
  else
    error.note(earlier.range, "it is given here already");
}

void Elaborator::add(Node &into, Node *child) {
  if (into.isOpen && (child->word == "without" || child->find("after"))) {
    into.children.push_back(child);
    return;
  }
  if (child->word == "without")
    return remove(into, *child);
  if (isPart(*child))
    return merge(into, child);
  if (!child->spec || child->spec->repeats) {
    into.children.push_back(child);
    return;
  }
  for (Node *&other : into.children) {
    if (other->word != child->word)
      continue;
    bool sameBlock = other->home == child->home || (other->clause && child->item);
    if (!sameBlock && givesParts(into, *child))
      return merge(into, child);
    if (sameBlock)
      noteEarlier(diagnostics.report(child->range, diag::GivenTwice, child->word), *child, *other);
    other = child;
    return;
  }
  into.children.push_back(child);
}

/// Of memories, arrays, networks and units in a block, or groups of a system: each is looked for
/// among all others.
static constexpr size_t mostParts = 4096;

/// Adds a part; one with the same word and name that `from` brought takes over what is new.
void Elaborator::merge(Node &into, Node *overlay) {
  for (Node *&other : into.children) {
    if (other->word != overlay->word || other->name != overlay->name)
      continue;
    if (other->home == overlay->home) {
      llvm::StringRef what = overlay->spec ? overlay->word : "group";
      noteEarlier(diagnostics.report(overlay->range, diag::DuplicatePart, what, overlay->name),
                  *overlay, *other);
      return;
    }
    Node &merged = newNode();
    merged = *other;
    merged.home = overlay->home;
    merged.isOpen = into.isOpen || siblingOf(*other) || siblingOf(*overlay);
    merged.range = overlay->range;
    if (!overlay->args.empty())
      merged.args = overlay->args;
    if (!overlay->spec) { // a group of a system: its members are the new ones
      merged.item = overlay->item;
      merged.scope = overlay->scope;
    }
    for (Node *child : overlay->children)
      add(merged, child);
    other = &merged;
    return;
  }
  size_t parts = llvm::count_if(into.children, [](const Node *child) { return isPart(*child); });
  if (parts >= mostParts) {
    if (!into.isFull)
      diagnostics.report(overlay->range, diag::TooManyParts, mostParts);
    into.isFull = true;
    return;
  }
  const Node *after = overlay->find("after");
  if (!after || after->args.empty()) {
    into.children.push_back(overlay);
    return;
  }
  const std::string &name = after->args[0].value.get<WordValue>().word;
  for (size_t i = 0; i < into.children.size(); ++i)
    if (into.children[i]->name == name) {
      into.children.insert(into.children.begin() + i + 1, overlay);
      return;
    }
  diagnostics.report(after->range, diag::NothingToFollow, name);
}

Node *Elaborator::laidOver(Node &base, Node &overlay) {
  Node &block = newNode();
  block.children = {&base};
  merge(block, &overlay);
  return block.children.front();
}
