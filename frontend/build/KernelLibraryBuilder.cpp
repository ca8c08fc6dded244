// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/build/KernelLibraryBuilder.h"

#include "frontend/build/Attributes.h"
#include "ir/common/diagnostics/Clauses.h"
#include "ir/common/diagnostics/Gpu.h"
#include "ir/target/GenerationOp.h"
#include "ir/tile/LibraryOps.h"

using namespace perfc;

/// True for a figure that one can be: above 0, or at most 100%, as declared.
static bool isPossible(const Node &word, const ir::AttrDecl &decl) {
  const Quantity *value = word.args.empty() ? nullptr : word.args[0].value.getIf<Quantity>();
  return !value ||
         ((!decl.isPositive || value->sign() > 0) && (!decl.isShare || value->toDouble() <= 1) &&
          (!llvm::StringRef(word.word).endswith("overlap") || value->toDouble() >= 1));
}

/// What `isPossible` asks for, in words.
static std::string possibleRange(const Node &word, const ir::AttrDecl &decl) {
  std::string range = decl.isShare ? "at most 100%" : decl.isPositive ? "above 0" : "1 at least";
  if (decl.isShare && decl.isPositive)
    range = "above 0 and at most 100%";
  return fmt::format("`{}` is {}", word.word, range);
}

namespace {

/// Builds one library.
class KernelLibraryBuilder {
public:
  KernelLibraryBuilder(BuildContext &context, const Decl &decl)
      : context(context), name(decl.name),
        isOpen(context.allowMissing &&
               llvm::any_of(decl.parameters,
                            [](const Parameter &parameter) { return !parameter.byDefault; })) {}

  void family(const Node &node, ir::Region &library);

private:
  void formats(const Node &node, llvm::StringRef word, ir::Operation &op);
  void choice(const Node &word, ir::Operation &op);
  void shapes(const Node &node, ir::Region &family);
  bool isGood(const Node &where, bool condition, const std::string &problem);

  BuildContext &context;
  llvm::StringRef name;
  bool isOpen; ///< a parameter may say what is not there yet
};

bool KernelLibraryBuilder::isGood(const Node &where, bool condition, const std::string &problem) {
  if (!condition)
    context.diagnostics.report(where.range, diag::BadKernelLibrary, name, problem);
  return condition;
}

void KernelLibraryBuilder::formats(const Node &node, llvm::StringRef word, ir::Operation &op) {
  const Node *formats = node.find(word);
  if (!formats)
    return;
  std::vector<std::string> names;
  for (const NodeArg &arg : formats->args)
    if (auto format = context.evaluator.format(arg.value, arg.range))
      names.push_back(dtypeName(*format).str());
  op.setAttr(word, ir::Attribute::strings(names));
}

/// Sets a time as it is written: its cycles are those of the chip that the kernel runs on.
static void setCycleTime(BuildContext &context, const Node &word, ir::Operation &op) {
  const Quantity *value = word.args.empty() ? nullptr : word.args[0].value.getIf<Quantity>();
  if (value && checkRange(context, *value, word.args[0].range))
    op.setAttr(word.word, *value);
}

/// The whole numbers of a value: one, or those of a list or range.
static std::vector<int64_t> wholeNumbers(const Value &value) {
  std::vector<int64_t> numbers;
  auto add = [&](const Value &one) {
    const Quantity *number = one.getIf<Quantity>();
    numbers.push_back(number && number->isInteger() ? number->rational().numerator() : 0);
  };
  if (const auto *list = value.getIf<Value::List>())
    for (const Value &one : list->values)
      add(one);
  else if (const auto *range = value.getIf<RangeValue>())
    for (const Value &one : expandRange(*range, 64).getValueOr(std::vector<Value>{Value()}))
      add(one);
  else
    add(value);
  return numbers;
}

/// `tile m = [64, 128], n = 128 split 1, 2 up_to 256`.
void KernelLibraryBuilder::shapes(const Node &node, ir::Region &family) {
  std::vector<int64_t> rows, columns, splits;
  for (const NodeArg &arg : node.args) {
    if (arg.value.isUnknown())
      return;
    (arg.name == "m" ? rows : columns) = wholeNumbers(arg.value);
  }
  if (const Node *split = node.find("split"))
    for (const NodeArg &arg : split->args)
      llvm::append_range(splits, wholeNumbers(arg.value));
  auto arePositive = [](llvm::ArrayRef<int64_t> numbers) {
    return llvm::all_of(numbers, [](int64_t number) { return number >= 1; });
  };
  bool isFull = !rows.empty() && !columns.empty();
  if (!isGood(node, isFull, "a tile has rows and columns: `tile m = 128, n = [64, 128]`") ||
      !isGood(node, arePositive(rows) && arePositive(columns) && arePositive(splits),
              "rows, columns and splits of a tile are whole numbers from 1"))
    return;
  ir::Operation *op = context.builder.create(family, tile::ShapesOp::opName, node.range);
  op->setAttr("rows", ir::Attribute::ints(rows));
  op->setAttr("columns", ir::Attribute::ints(columns));
  if (!splits.empty())
    op->setAttr("splits", ir::Attribute::ints(splits));
  if (const Quantity *most = node.quantity("up_to");
      most && isGood(node, most->sign() > 0, "`up_to` is a whole number from 1"))
    op->setAttr("up_to", most->rational().numerator());
  if (const Quantity *word = node.quantity("aligned");
      word && isGood(node, word->sign() > 0, "`aligned` is a whole number of bytes from 1"))
    op->setAttr("aligned", word->rational().numerator());
}

/// A word that takes whole numbers from 1, or one of several words.
void KernelLibraryBuilder::choice(const Node &word, ir::Operation &op) {
  std::vector<int64_t> numbers;
  for (const NodeArg &arg : word.args) {
    if (arg.value.isUnknown())
      return;
    if (const WordValue *chosen = arg.value.getIf<WordValue>())
      op.setAttr(word.word, chosen->word);
    else
      llvm::append_range(numbers, wholeNumbers(arg.value));
  }
  bool areGood = llvm::all_of(numbers, [](int64_t number) { return number >= 1; });
  if (numbers.empty() ||
      !isGood(word, areGood, fmt::format("`{}` takes whole numbers from 1", word.word)))
    return;
  if (op.decl().findAttr(word.word)->kind == ir::AttrKind::List)
    op.setAttr(word.word, ir::Attribute::ints(numbers));
  else
    op.setAttr(word.word, numbers.front());
}

void KernelLibraryBuilder::family(const Node &node, ir::Region &library) {
  ir::Operation *op = context.builder.create(library, tile::FamilyOp::opName, node.range);
  const WordValue *kind = node.args.empty() ? nullptr : node.args[0].value.getIf<WordValue>();
  op->setAttr("kind", kind ? kind->word : "gemm");
  bool hasShapes = tile::FamilyOp(op).comesInTiles();
  isGood(node, isOpen || !hasShapes || node.find("formats"),
         "a kernel says which `formats` it multiplies in");
  formats(node, "formats", *op);
  formats(node, "weights", *op);
  formats(node, "caches", *op);
  if (const Node *computes = node.find("computes"); computes && !computes->args.empty())
    if (auto format = context.evaluator.format(computes->args[0].value, computes->args[0].range))
      op->setAttr("computes", dtypeName(*format));
  for (const Node *child : node.children) {
    if (child->spec->kind == ArgKind::Flag)
      op->setAttr(child->word, ir::Attribute::unit());
    else if (child->spec->kind == ArgKind::Integer || child->spec->kind == ArgKind::Choice)
      choice(*child, *op);
    else if (child->spec->dims == Dims::Time)
      setCycleTime(context, *child, *op);
    else if (child->spec->kind == ArgKind::Measure &&
             isGood(*child, isPossible(*child, *op->decl().findAttr(child->word)),
                    possibleRange(*child, *op->decl().findAttr(child->word))))
      setQuantity(context, *op, child->word, child, {});
  }
  bool hasTiles = false;
  for (const Node *child : node.children)
    if (child->word == "tile") {
      shapes(*child, op->body());
      hasTiles = true;
    }
  isGood(node, isOpen || hasTiles || !hasShapes, "a kernel has one `tile` at least");
}

} // namespace

/// The operation of `instance`, which `build` makes where no statement before has made it; kept for
/// others where no parameter changes it. Null after a report.
static ir::Operation *builtOnce(BuildContext &context, const Instance &instance,
                                llvm::function_ref<ir::Operation *()> build) {
  std::string key = "kernels " + instance.decl->module->name + " " + Value(instance).text();
  if (auto known = context.symbols.find(key); known != context.symbols.end())
    return context.module.lookup(known->second);
  ir::Operation *op = nullptr;
  auto kept =
      context.keptChips ? context.keptChips->find(key) : llvm::StringMap<KeptChip>::iterator();
  if (context.keptChips && kept != context.keptChips->end()) {
    ir::ValueMap map;
    op = &kept->second.module.body().front().clone(context.module.body(), map);
    op->setSymbol(context.module.uniqueName(instance.decl->name));
  } else {
    ChipKeeper keeper(context);
    op = build();
    if (op)
      keeper.keep(key, *op);
  }
  if (op)
    context.symbols[key] = op->symbol().str();
  return op;
}

std::string perfc::buildKernelLibrary(BuildContext &context, const Instance &library) {
  BlameScope blame(context.diagnostics, library.range);
  size_t errors = context.diagnostics.errorCount();
  ir::Operation *op = builtOnce(context, library, [&]() -> ir::Operation * {
    Node *node = context.elaborator.declaration(library, context.allowMissing);
    if (context.diagnostics.errorCount() != errors)
      return nullptr;
    ir::Operation *made =
        context.createTop(tile::LibraryOp::opName, library.decl->name, library.decl->nameRange);
    KernelLibraryBuilder builder(context, *library.decl);
    for (const Node *child : node->children)
      if (child->word == "kernel")
        builder.family(*child, made->body());
    return context.diagnostics.errorCount() == errors ? made : nullptr;
  });
  return op ? op->symbol().str() : "";
}

bool perfc::buildKernelLibraries(BuildContext &context, const Node *word,
                                 std::vector<std::string> &symbols) {
  bool good = true;
  for (const NodeArg &arg : word ? llvm::ArrayRef<NodeArg>(word->args) : llvm::None) {
    const Instance *instance = arg.value.getIf<Instance>();
    if (!instance || instance->decl->kind != DeclKind::Library) {
      if (!arg.value.isUnknown())
        context.diagnostics.report(arg.range, diag::NotKernels, word->word, "library",
                                   arg.value.describe());
      good = false;
      continue;
    }
    std::string symbol = buildKernelLibrary(context, *instance);
    good &= !symbol.empty();
    if (!symbol.empty())
      symbols.push_back(symbol);
  }
  return good;
}

/// The energies of a multiply-accumulate by format.
static void setEnergies(BuildContext &context, const Node &energy, ir::Operation &op) {
  ir::AttrDict values;
  for (const Node *entry : energy.children) {
    const Quantity *value = entry->args.empty() ? nullptr : entry->args[0].value.getIf<Quantity>();
    if (!value)
      continue;
    if (!accepts(*energy.spec, value->dimension())) {
      context.diagnostics.report(entry->args[0].range, diag::WrongDimension, entry->word,
                                 describe(energy.spec->dims), value->dimension().describe());
      continue;
    }
    auto normal = energyPerOperation(*value, /*isVector=*/false);
    if (normal && checkRange(context, *normal, entry->args[0].range))
      values.set(entry->word, *normal);
  }
  op.setAttr("energy", values);
}

/// The generation that `node` declares, without its libraries; null after a report.
static ir::Operation *generationOf(BuildContext &context, const Instance &generation,
                                   const Node &node) {
  size_t errors = context.diagnostics.errorCount();
  ir::Operation *op = context.createTop(target::GenerationOp::opName, generation.decl->name,
                                        generation.decl->nameRange);
  for (const Node *child : node.children) {
    const ir::AttrDecl *decl = op->decl().findAttr(child->word);
    if (child->word == "energy")
      setEnergies(context, *child, *op);
    else if (child->word == "measured_over")
      setMeasuredOver(context, child, *op);
    else if (child->spec->dims == Dims::Time)
      setCycleTime(context, *child, *op);
    else if (child->word != "libraries" && isPossible(*child, *decl))
      setQuantity(context, *op, child->word, child, {});
    else if (child->word != "libraries")
      context.diagnostics.report(child->range, diag::BadGeneration, generation.decl->name,
                                 possibleRange(*child, *decl));
  }
  return context.diagnostics.errorCount() == errors ? op : nullptr;
}

/// A copy of the generation that was built for a statement before, with its libraries.
static ir::Operation &copyOf(BuildContext &context, const Instance &generation,
                             const KeptChip &kept) {
  std::vector<std::string> libraries;
  for (const Instance &library : kept.libraries)
    libraries.push_back(buildKernelLibrary(context, library));
  ir::ValueMap map;
  ir::Operation &op = kept.module.body().front().clone(context.module.body(), map);
  op.setSymbol(context.module.uniqueName(generation.decl->name));
  op.setAttr("libraries", ir::Attribute::symbols(libraries));
  return op;
}

std::string perfc::buildGeneration(BuildContext &context, const Instance &generation) {
  BlameScope blame(context.diagnostics, generation.range);
  std::string key = "generation " + generation.decl->module->name + " " + Value(generation).text();
  if (auto known = context.symbols.find(key); known != context.symbols.end())
    return known->second;
  if (context.keptChips)
    if (auto kept = context.keptChips->find(key); kept != context.keptChips->end())
      return context.symbols[key] = copyOf(context, generation, kept->second).symbol().str();
  size_t errors = context.diagnostics.errorCount();
  ChipKeeper keeper(context);
  Node *node = context.elaborator.declaration(generation, context.allowMissing);
  std::vector<std::string> symbols;
  const Node *libraries = node->find("libraries");
  buildKernelLibraries(context, libraries, symbols);
  ir::Operation *op = context.diagnostics.errorCount() == errors
                          ? generationOf(context, generation, *node)
                          : nullptr;
  if (!op)
    return "";
  op->setAttr("libraries", ir::Attribute::symbols(symbols));
  if (KeptChip *kept = keeper.keep(key, *op))
    for (const NodeArg &arg : libraries ? llvm::ArrayRef<NodeArg>(libraries->args) : llvm::None)
      kept->libraries.push_back(arg.value.get<Instance>());
  return context.symbols[key] = op->symbol().str();
}

void perfc::setGeneration(BuildContext &context, ir::Operation &chip) {
  auto generation = context.chipGenerations.find(chip.symbol());
  if (generation == context.chipGenerations.end() || chip.hasAttr("generation"))
    return;
  std::string symbol = buildGeneration(context, generation->second);
  if (!chip.hasAttr("clock") && !context.allowMissing)
    context.diagnostics.report(
        chip.range(), diag::BadGeneration, generation->second.decl->name,
        fmt::format("it counts in cycles, and `{}` has no `clock`", chip.symbol()));
  else if (!symbol.empty())
    chip.setAttr("generation", ir::Attribute::symbol(symbol));
}
