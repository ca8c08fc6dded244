// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/target/TargetOps.h"

#include "ir/core/Verifier.h"
#include "ir/target/GenerationOp.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::target;

ChipOp ChipOp::whole() const {
  llvm::StringRef of = op->symbolAttr("of");
  ChipOp found = of.empty() ? ChipOp() : as<ChipOp>(resolve(*op, of));
  return found ? found : *this;
}

bool MemoryOp::keeps(llvm::StringRef role) const {
  return !op->hasAttr("keep") || llvm::is_contained(keep(), role);
}

int64_t ArrayOp::instances() const {
  int64_t product = 1;
  for (const AttrDict::Entry &axis : axes().entries())
    product *= axis.second.asInt();
  return product;
}

static llvm::Optional<Quantity> valueFor(const AttrDict &values, llvm::StringRef dtype) {
  const Attribute *value = values.find(dtype);
  if (!value)
    value = values.find("any");
  if (!value)
    return llvm::None;
  return value->asQuantity();
}

llvm::StringRef ComputeOp::dtype() const {
  for (const Operation *outer = op; outer; outer = outer->parentOp())
    if (outer->hasAttr("dtype"))
      return outer->stringAttr("dtype");
  return "";
}

llvm::Optional<Quantity> ComputeOp::rateFor(llvm::StringRef dtype) const {
  return valueFor(rate(), dtype);
}

llvm::Optional<Quantity> ComputeOp::energyFor(llvm::StringRef dtype) const {
  return valueFor(energy(), dtype);
}

llvm::Optional<PartialFormat> target::partialFormat(const Operation &memory, DType result) {
  for (const Operation *part = &memory; part; part = part->parentOp()) {
    if (!part->is(MemoryOp::opName) && !part->is(ChipOp::opName))
      continue;
    for (const std::string &name : part->stringsAttr("partial"))
      if (auto format = parseDType(name); format && isFloating(*format) == isFloating(result))
        return PartialFormat{*format, part};
  }
  return llvm::None;
}

NetworkOp target::feedOf(const Operation &array) {
  for (const Operation &before : *array.parentRegion()) {
    if (&before == &array)
      break;
    if (before.is(MemoryOp::opName))
      return {};
  }
  NetworkOp found;
  for (const Operation &other : *array.parentRegion())
    if (&other != &array)
      other.walk([&](const Operation &part) {
        auto network = as<NetworkOp>(part);
        if (network && !found && network.to() == array.symbol())
          found = network;
      });
  return found;
}

bool target::feedsArrays(ChipOp chip) {
  return llvm::any_of(
      chip->body(), [](const Operation &part) { return part.is(ArrayOp::opName) && feedOf(part); });
}

//===-- Rules
//----------------------------------------------------------------------------------===//

/// Places are named without a path, so the parts of a chip bear different names at any depth.
static bool verifyChip(const Operation &op, DiagnosticEngine &diagnostics) {
  if (!parseDType(as<ChipOp>(op).dtype()))
    return invalidOp(op, diagnostics, "dtype is no number format");
  for (const std::string &format : op.stringsAttr("partial"))
    if (!parseDType(format))
      return invalidOp(op, diagnostics, "`" + format + "` is no number format");
  llvm::StringMap<const Operation *> parts;
  bool valid = true;
  op.body().walk([&](const Operation &part) {
    if (part.symbol().empty() || parts.try_emplace(part.symbol(), &part).second)
      return;
    valid = invalidOp(part, diagnostics, "another part of the chip has this name");
  });
  return valid;
}

static bool verifyMemory(const Operation &op, DiagnosticEngine &diagnostics) {
  for (const std::string &format : op.stringsAttr("partial"))
    if (!parseDType(format))
      return invalidOp(op, diagnostics, "`" + format + "` is no number format");
  return true;
}

llvm::Optional<int64_t> target::copiesIn(const Operation &array) {
  llvm::Optional<int64_t> product = 1;
  for (const Operation *outer = &array; outer; outer = outer->parentOp())
    if (outer->is(ArrayOp::opName))
      for (const AttrDict::Entry &axis : outer->dictAttr("axes").entries())
        product = product ? checkedMultiply(*product, axis.second.asInt()) : llvm::None;
  return product;
}

static bool verifyArray(const Operation &op, DiagnosticEngine &diagnostics) {
  if (!copiesIn(op))
    return invalidOp(op, diagnostics, "the number of copies does not fit 64 bits");
  if (op.hasAttr("systolic") && op.dictAttr("axes").entries().size() != 2)
    return invalidOp(op, diagnostics, "a systolic array has two axes, columns and rows");
  return true;
}

static bool verifyCompute(const Operation &op, DiagnosticEngine &diagnostics) {
  for (llvm::StringRef name : {"rate", "energy"})
    for (const AttrDict::Entry &entry : op.dictAttr(name).entries())
      if (entry.first != "any" && !parseDType(entry.first))
        return invalidOp(op, diagnostics, "`" + entry.first + "` is no number format");
  return true;
}

static bool verifySystem(const Operation &op, DiagnosticEngine &diagnostics) {
  return !op.body().empty() || invalidOp(op, diagnostics, "a system has at least one group");
}

/// Groups are made of chips and of the groups before them.
static bool verifyMembers(const Operation &op, DiagnosticEngine &diagnostics) {
  llvm::StringRef name = op.symbolAttr("of");
  const Operation *group = op.parentOp();
  const Operation *found = resolve(op, name);
  if (!found || !found->is(GroupOp::opName))
    return true;
  for (const Operation &other : *group->parentRegion()) {
    if (&other == group)
      break;
    if (&other == found)
      return true;
  }
  return invalidOp(op, diagnostics, "`@" + name.str() + "` does not stand before this group");
}

//===-- Declarations
//---------------------------------------------------------------------------===//

static const Dimension second(BaseUnit::Second);
static const Dimension byte(BaseUnit::Byte);
static const Dimension joule(BaseUnit::Joule);
static const Dimension squareMetre(BaseUnit::Metre, 2);
static const Dimension perSecond(BaseUnit::Second, -1);
static const Dimension bytesPerSecond = byte / second;
static const Dimension joulesPerByte = joule / byte;
static const Dimension watt = joule / second;

static AttrDecl partialAttr() {
  return listAttr("partial", AttrKind::String,
                  "number formats of partial sums, of whole and of floating results")
      .optional();
}

static std::vector<AttrDecl> memoryAttrs() {
  return {quantityAttr("capacity", byte, "size of one instance").optional(),
          quantityAttr("bandwidth", bytesPerSecond, "of reads and of writes").optional(),
          quantityAttr("read_bandwidth", bytesPerSecond, "of reads").optional(),
          quantityAttr("write_bandwidth", bytesPerSecond, "of writes").optional(),
          quantityAttr("latency", second, "of one access").optional(),
          quantityAttr("read_energy", joulesPerByte, "of reads").optional(),
          quantityAttr("write_energy", joulesPerByte, "of writes").optional(),
          quantityAttr("update_energy", joulesPerByte, "of partial sums that arrive").optional(),
          quantityAttr("address_energy", joule, "of one access").optional(),
          quantityAttr("leak", watt, "of one instance").optional(),
          stringAttr("buffering", "when tiles come in").oneOf({"single", "double"}).optional(),
          quantityAttr("area", squareMetre, "of one instance").optional(),
          quantityAttr("width", byte, "bytes of one access").optional(),
          listAttr("keep", AttrKind::String, "roles of the tensors it holds; all when not given")
              .optional(),
          partialAttr(),
          flagAttr("off_chip", "not part of the chip's area"),
          dictAttr("timeloop", AttrKind::Any, "words that only Timeloop's model knows").optional()};
}

static std::vector<AttrDecl> networkAttrs() {
  return {
      listAttr("multicast", AttrKind::String, "axes along which reads are shared").optional(),
      listAttr("reduce", AttrKind::String, "axes along which partial sums are added").optional(),
      quantityAttr("hop_energy", joulesPerByte, "per hop").optional(),
      quantityAttr("multicast_energy", joulesPerByte, "per receiver after the first").optional(),
      quantityAttr("reduce_energy", joulesPerByte, "per partial sum added on the way").optional(),
      quantityAttr("energy", joulesPerByte, "per transfer").optional(),
      quantityAttr("bandwidth", bytesPerSecond, "of one link").optional(),
      quantityAttr("latency", second, "of one traversal").optional(),
      listAttr("bandwidths", AttrKind::Quantity, "of a chip in each dimension of a torus or mesh")
          .in(bytesPerSecond)
          .atLeast(0)
          .optional(),
      listAttr("latencies", AttrKind::Quantity, "of one traversal in each dimension")
          .in(second)
          .atLeast(0)
          .optional(),
      quantityAttr("hop_latency", second, "of one link of an array").optional(),
      listAttr("carry", AttrKind::String, "roles of the tensors it carries").optional(),
      stringAttr("to", "where it leads").optional(),
      stringAttr("topology", "name of the topology").optional(),
      dictAttr("topology_arguments", AttrKind::Any, "of the topology").optional(),
      intAttr("nics", "adapters of a chip, which share out the bandwidth; 1 when not given")
          .atLeast(1)
          .optional(),
      intAttr("stripe", "adapters that one message is striped over; 1 when not given")
          .atLeast(1)
          .optional(),
      intAttr("active_chunks", "chunks of a collective under way at a time; 1 when not given")
          .atLeast(1)
          .optional()};
}

static std::vector<OpDecl> chipDecls() {
  RegionDecl parts{{"target.memory", "target.array", "target.network", "target.compute"}};
  return {
      {.name = "target.chip",
       .doc = "A chip: memories, arrays, networks and compute units, outermost first.",
       .symbol = SymbolUse::Required,
       .topLevel = true,
       .attrs =
           {stringAttr("dtype", "number format of tensors that name none"), partialAttr(),
            quantityAttr("clock", perSecond, "cycles per second").optional(),
            quantityAttr("boost", perSecond, "the highest clock; `clock` when not given")
                .positive()
                .optional(),
            quantityAttr("launch", second, "start of one kernel").optional(),
            quantityAttr("tdp", watt, "thermal design power").optional(),
            quantityAttr("area", squareMetre, "of the whole chip").optional(),
            dictAttr("price", AttrKind::Any, "USD for a second of it and for a joule").optional(),
            dictAttr("layers", AttrKind::Quantity, "what kinds of layers take, as rates or times")
                .atLeast(0)
                .optional(),
            measuredOverAttr(),
            dictAttr("calibrate", AttrKind::String,
                     "the table that its figures are fitted to, and what the chip is called")
                .optional(),
            flagAttr("each_group", "groups of a convolution run one after the other"),
            flagAttr("unrolls", "windows of convolutions are copied before they are multiplied"),
            flagAttr("each_step", "steps of a convolution or product are kernels of their own"),
            symbolAttr("generation", "what kernels take beside their work")
                .oneOf({"target.generation"})
                .optional(),
            symbolAttr("of", "the chip that this is a part of").oneOf({"target.chip"}).optional()},
       .regions = {parts},
       .verifier = verifyChip},
      {.name = "target.memory",
       .doc = "A memory, one instance per copy of the arrays around it.",
       .symbol = SymbolUse::Required,
       .attrs = memoryAttrs(),
       .verifier = verifyMemory},
      {.name = "target.array",
       .doc = "Identical copies of what its region lists, along named axes.",
       .symbol = SymbolUse::Required,
       .attrs =
           {dictAttr("axes", AttrKind::Int, "extent per axis").atLeast(1),
            flagAttr("dispatch", "blocks are handed to the copies at run time"),
            stringAttr("systolic", "the operand that stays in the elements")
                .oneOf({"output", "weight", "input"})
                .optional(),
            flagAttr("overlap_folds", "folds of a systolic array overlap"),
            stringAttr("dtype", "number format inside, when it differs from the chip's").optional(),
            quantityAttr("clock", perSecond, "when it differs from the chip's").optional()},
       .regions = {parts},
       .verifier = verifyArray},
      {.name = "target.network",
       .doc = "What joins the copies of an array or the members of a group.",
       .symbol = SymbolUse::Optional,
       .attrs = networkAttrs()},
      {.name = "target.compute",
       .doc = "A compute unit: multiply-accumulates of one instance, per number format or \"any\".",
       .symbol = SymbolUse::Required,
       .attrs = {dictAttr("rate", AttrKind::Quantity, "per second").in(perSecond).atLeast(0),
                 dictAttr("energy", AttrKind::Quantity, "of each").in(joule).atLeast(0).optional(),
                 listAttr("ops", AttrKind::String, "functions it computes").optional(),
                 quantityAttr("leak", watt, "of one instance").optional(),
                 quantityAttr("area", squareMetre, "of one instance").optional(),
                 dictAttr("timeloop", AttrKind::Any, "words that only Timeloop's model knows")
                     .optional()},
       .verifier = verifyCompute}};
}

static std::vector<AttrDecl> protocolAttrs() {
  return {
      stringAttr("name", "as results show it"),
      stringAttr("algorithm", "its pattern")
          .oneOf({"ring", "tree", "in_network", "one_shot", "two_shot", "direct"}),
      listAttr("serves", AttrKind::String, "collectives; all it can when not given").optional(),
      quantityAttr("start", second, "before the first step").optional(),
      quantityAttr("latency", second, "of a step that moves nothing").optional(),
      quantityAttr("bandwidth", bytesPerSecond, "of one rank, one way").optional(),
      quantityAttr("pair", bytesPerSecond, "the same with two ranks").optional(),
      quantityAttr("channel", bytesPerSecond, "of one channel, at most").optional(),
      intAttr("channels", "of it; as many as the library has when not given").atLeast(1).optional(),
      quantityAttr("copy", bytesPerSecond, "of a rank's own part").optional(),
      quantityAttr("window", byte, "most bytes of a step under way").optional(),
      quantityAttr("exposed", {}, "share of the window that is waited for").optional(),
      intAttr("least_ranks", "it needs").atLeast(1).optional(),
      intAttr("most_ranks", "it serves").atLeast(1).optional(),
      intAttr("groups", "of its network that it needs").atLeast(1).optional(),
      quantityAttr("outer_latency", second, "of a step on outer networks").optional(),
      quantityAttr("outer_share", {}, "of their bandwidth").optional(),
      quantityAttr("least", byte, "the smallest buffer").optional(),
      quantityAttr("up_to", byte, "the largest buffer").optional()};
}

static std::vector<OpDecl> systemDecls() {
  return {
      {.name = "target.system",
       .doc = "Groups of chips, each made of chips and earlier groups; the last one is the system.",
       .symbol = SymbolUse::Required,
       .topLevel = true,
       .attrs = {intAttr("chunks", "parts of a collective's buffer; 1 when not given")
                     .atLeast(1)
                     .optional(),
                 stringAttr("scheduling", "which chunk goes next; fifo when not given")
                     .oneOf({"fifo", "lifo"})
                     .optional()},
       .regions = {{{"target.group"}}},
       .verifier = verifySystem},
      {.name = "target.group",
       .doc = "Members and the network that joins them.",
       .symbol = SymbolUse::Required,
       .regions = {{{"target.members", "target.network", "target.link", "target.library",
                     "target.fault"}}}},
      {.name = "target.members",
       .doc = "So many copies of a chip or group.",
       .attrs = {intAttr("count", "how many").atLeast(1),
                 symbolAttr("of", "what").oneOf({"target.chip", "target.group"})},
       .verifier = verifyMembers},
      {.name = "target.link",
       .doc = "A link between two members of a group, both ways.",
       .attrs = {intAttr("first", "member").atLeast(0), intAttr("second", "member").atLeast(0),
                 quantityAttr("bandwidth", bytesPerSecond, "one way").optional(),
                 quantityAttr("latency", second, "of a message").optional()}},
      {.name = "target.library",
       .doc = "How a communication library runs collectives over the group's network.",
       .symbol = SymbolUse::Required,
       .attrs =
           {quantityAttr("launch", second, "of every call").optional(),
            quantityAttr("host", second, "the least that a call takes").optional(),
            quantityAttr("clone", bytesPerSecond, "of a copy before the call").optional(),
            intAttr("channels", "of its protocols; they do not limit when not given")
                .atLeast(1)
                .optional(),
            quantityAttr("measured", {}, "times over these figures', from 1 MiB on").optional(),
            quantityAttr("measured_small", {}, "the same below 1 MiB").optional()},
       .regions = {{{"target.protocol"}}}},
      {.name = "target.protocol",
       .doc = "One way in which a library moves data.",
       .attrs = protocolAttrs()},
      {.name = "target.fault",
       .doc = "A link or chip that is slower than the others.",
       .attrs = {stringAttr("kind", "what is slow").oneOf({"link", "chip"}),
                 listAttr("ends", AttrKind::String, "the chip, or both ends of the link"),
                 quantityAttr("bandwidth_factor", {}, "share of the bandwidth left").optional(),
                 quantityAttr("slowdown", {}, "times as slow").optional()}}};
}

llvm::ArrayRef<OpDecl> target::targetOps() {
  static const std::vector<OpDecl> table = [] {
    std::vector<OpDecl> all = chipDecls();
    all.push_back(generationDecl());
    for (OpDecl decl : systemDecls())
      all.push_back(std::move(decl));
    return all;
  }();
  return table;
}
