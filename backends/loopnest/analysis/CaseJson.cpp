// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/analysis/CaseJson.h"
#include <algorithm>
#include <fmt/format.h>

using namespace perfc;
using namespace perfc::loopnest;
using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

namespace {

/// Reads one case; the first mistake is kept and ends the reading.
class Reader {
public:
  explicit Reader(const Object &object) : object(object) {}
  bool read(Nest &nest);
  std::string error;

private:
  bool fail(const std::string &text) {
    if (error.empty())
      error = text;
    return false;
  }
  bool readDims(Nest &nest);
  bool readTensors(Nest &nest);
  bool readSubscript(const Value &value, const Nest &nest, Subscript &rank);
  bool readPlace(const Value &value, const Nest &nest, Place &place);
  bool readAxes(const Object &level, Place &place);
  bool readLoops(const Nest &nest, Place &place);
  bool readLoop(const Value &value, const Nest &nest, Place &place);
  bool readDrive(const Value &value, const Nest &nest, Loop &loop);
  llvm::Optional<unsigned> findTensor(const Nest &nest, llvm::StringRef name) const;

  const Object &object;
};

} // namespace

static std::vector<llvm::StringRef> sortedKeys(const Object &object) {
  std::vector<llvm::StringRef> keys;
  for (const auto &entry : object)
    keys.push_back(entry.first);
  std::sort(keys.begin(), keys.end());
  return keys;
}

static llvm::Optional<unsigned> findDim(const Nest &nest, llvm::StringRef name) {
  for (unsigned d = 0; d < nest.dims.size(); ++d)
    if (nest.dims[d].name == name)
      return d;
  return llvm::None;
}

llvm::Optional<unsigned> Reader::findTensor(const Nest &nest, llvm::StringRef name) const {
  for (unsigned t = 0; t < nest.tensors.size(); ++t)
    if (nest.tensors[t].name == name)
      return t;
  return llvm::None;
}

bool Reader::readDims(Nest &nest) {
  const Object *dims = object.getObject("dims");
  if (!dims)
    return fail("dims: not an object");
  for (llvm::StringRef name : sortedKeys(*dims)) {
    llvm::Optional<int64_t> size = dims->getInteger(name);
    if (!size)
      return fail("dims." + name.str() + ": not an integer");
    nest.dims.push_back({name.str(), *size});
  }
  return true;
}

bool Reader::readSubscript(const Value &value, const Nest &nest, Subscript &rank) {
  const Object *terms = value.getAsObject();
  if (!terms)
    return fail("a subscript is not an object");
  for (llvm::StringRef name : sortedKeys(*terms)) {
    llvm::Optional<int64_t> coefficient = terms->getInteger(name);
    llvm::Optional<unsigned> dim = findDim(nest, name);
    if (!coefficient || (!dim && name != "1"))
      return fail("subscript of '" + name.str() + "': no such dim, or not an integer");
    if (name == "1")
      rank.constant = *coefficient;
    else
      rank.terms.push_back({*dim, *coefficient});
  }
  return true;
}

bool Reader::readTensors(Nest &nest) {
  const Object *tensors = object.getObject("tensors");
  llvm::Optional<llvm::StringRef> output = object.getString("output");
  if (!tensors || !output)
    return fail("tensors or output is missing");
  const Object *extents = object.getObject("extents");
  for (llvm::StringRef name : sortedKeys(*tensors)) {
    const Array *ranks = tensors->getArray(name);
    if (!ranks)
      return fail("tensors." + name.str() + ": not a list");
    Tensor tensor{name.str(), name == *output, 16, {}};
    const Array *cuts = extents ? extents->getArray(name) : nullptr;
    for (size_t r = 0; r < ranks->size(); ++r) {
      Subscript rank;
      if (!readSubscript((*ranks)[r], nest, rank))
        return false;
      if (cuts && r < cuts->size() && (*cuts)[r].getAsInteger())
        rank.extent = *(*cuts)[r].getAsInteger();
      tensor.ranks.push_back(std::move(rank));
    }
    nest.tensors.push_back(std::move(tensor));
  }
  return true;
}

static bool listed(const Object &level, llvm::StringRef key, llvm::StringRef name) {
  const Array *names = level.getArray(key);
  return !names || llvm::any_of(*names, [&](const Value &v) { return v.getAsString() == name; });
}

bool Reader::readAxes(const Object &level, Place &place) {
  const Object *axes = level.getObject("axes");
  if (!axes)
    return true;
  for (llvm::StringRef name : sortedKeys(*axes)) {
    llvm::Optional<int64_t> size = axes->getInteger(name);
    if (!size)
      return fail("axes." + name.str() + ": not an integer");
    place.axes.push_back(
        {name.str(), *size, listed(level, "multicast", name), listed(level, "reduce", name)});
  }
  return true;
}

bool Reader::readDrive(const Value &value, const Nest &nest, Loop &loop) {
  const Object *stepped = value.getAsObject();
  llvm::Optional<llvm::StringRef> name = stepped ? stepped->getString("dim") : value.getAsString();
  llvm::Optional<unsigned> dim = name ? findDim(nest, *name) : llvm::None;
  if (!dim)
    return fail("a loop names no dim");
  Drive drive{*dim, llvm::None};
  if (stepped && stepped->getInteger("step"))
    drive.step = *stepped->getInteger("step");
  loop.drives.push_back(drive);
  return true;
}

bool Reader::readLoop(const Value &value, const Nest &nest, Place &place) {
  const Array *parts = value.getAsArray();
  if (!parts || parts->size() < 2 || !(*parts)[1].getAsInteger())
    return fail("a loop of " + place.name + " is not [dim, factor]");
  Loop loop;
  loop.factor = *(*parts)[1].getAsInteger();
  if (parts->size() > 2)
    for (unsigned a = 0; a < place.axes.size(); ++a)
      if ((*parts)[2].getAsString() == llvm::StringRef(place.axes[a].name))
        loop.axis = a;
  if (const Array *dims = (*parts)[0].getAsArray()) {
    for (const Value &dim : *dims)
      if (!readDrive(dim, nest, loop))
        return false;
  } else if (!readDrive((*parts)[0], nest, loop)) {
    return false;
  }
  place.loops.push_back(std::move(loop));
  return true;
}

bool Reader::readLoops(const Nest &nest, Place &place) {
  const Object *mapping = object.getObject("mapping");
  const Array *loops = mapping ? mapping->getArray(place.name) : nullptr;
  if (!mapping)
    return fail("mapping: not an object");
  if (loops)
    for (const Value &loop : *loops)
      if (!readLoop(loop, nest, place))
        return false;
  return true;
}

bool Reader::readPlace(const Value &value, const Nest &nest, Place &place) {
  const Object *level = value.getAsObject();
  llvm::Optional<llvm::StringRef> memory = level ? level->getString("memory") : llvm::None;
  llvm::Optional<llvm::StringRef> array = level ? level->getString("array") : llvm::None;
  if (!memory && !array)
    return fail("hierarchy: neither a memory nor an array");
  place.kind = memory ? PlaceKind::Memory : PlaceKind::Array;
  place.name = (memory ? *memory : *array).str();
  if (const Array *keep = level->getArray("keep"))
    for (const Value &name : *keep) {
      llvm::Optional<unsigned> tensor = findTensor(nest, name.getAsString().getValueOr(""));
      if (!tensor)
        return fail(place.name + " keeps an unknown tensor");
      place.keep.push_back(*tensor);
    }
  if (!readAxes(*level, place) || !readLoops(nest, place))
    return false;
  if (array && place.axes.empty()) {
    Axis axis{"x"};
    for (const Loop &loop : place.loops)
      if (__builtin_mul_overflow(axis.size, loop.factor, &axis.size))
        return fail(place.name + ": too many positions");
    place.axes.push_back(axis);
  }
  return true;
}

bool Reader::read(Nest &nest) {
  if (!readDims(nest) || !readTensors(nest))
    return false;
  const Array *hierarchy = object.getArray("hierarchy");
  if (!hierarchy)
    return fail("hierarchy: not a list");
  for (const Value &value : *hierarchy) {
    Place place;
    if (!readPlace(value, nest, place))
      return false;
    nest.places.push_back(std::move(place));
  }
  return true;
}

llvm::Expected<Nest> loopnest::readCase(const Object &object) {
  Nest nest;
  Reader reader(object);
  if (reader.read(nest))
    return nest;
  return llvm::createStringError(llvm::inconvertibleErrorCode(), reader.error);
}

static Object writeTensor(const Tensor &tensor, const TensorCounts &counts) {
  Object result{{"fills", counts.fills}, {"max_resident", counts.maxResident}};
  result["reads_declared"] = counts.reads.declared;
  if (!tensor.isOutput) {
    result["reads_multicast"] = counts.reads.shared;
    result["reads_unicast"] = counts.reads.separate;
    return result;
  }
  result["reads_reduced"] = counts.reads.shared;
  result["reads_unreduced"] = counts.reads.separate;
  result["updates_reduced"] = counts.updates.shared;
  result["updates_unreduced"] = counts.updates.separate;
  result["updates_declared"] = counts.updates.declared;
  result["writebacks"] = counts.writebacks;
  return result;
}

Object loopnest::writeCounts(const Nest &nest, const Counts &counts) {
  Object memories, arrays;
  for (const MemoryCounts &memory : counts.memories) {
    Object tensors;
    for (unsigned t = 0; t < nest.tensors.size(); ++t)
      if (memory.tensors[t])
        tensors[nest.tensors[t].name] = writeTensor(nest.tensors[t], *memory.tensors[t]);
    memories[memory.name] =
        Object{{"max_resident", memory.maxResident}, {"tensors", std::move(tensors)}};
  }
  for (const ArrayCounts &array : counts.arrays) {
    Object hops;
    for (unsigned t = 0; t < array.hops.size(); ++t)
      if (const llvm::Optional<NetworkCount> &count = array.hops[t])
        hops[nest.tensors[t].name] = Object{{"shared", count->shared},
                                            {"separate", count->separate},
                                            {"declared", count->declared}};
    arrays[array.name] = std::move(hops);
  }
  return Object{{"macs", counts.macs},
                {"steps", counts.steps},
                {"max_active_lanes", counts.maxActiveLanes},
                {"memories", std::move(memories)},
                {"arrays", std::move(arrays)}};
}

static void compare(const std::string &path, const Value &expected, const Value *actual,
                    std::vector<std::string> &result) {
  if (const Object *object = expected.getAsObject()) {
    const Object *other = actual ? actual->getAsObject() : nullptr;
    for (llvm::StringRef key : sortedKeys(*object)) {
      bool isList = key == "memories" || key == "tensors"; // whose elements say what they are
      compare(isList ? path : path + (path.empty() ? "" : ".") + key.str(), *object->get(key),
              other ? other->get(key) : nullptr, result);
    }
    return;
  }
  auto text = [](const Value *value) {
    llvm::Optional<int64_t> number = value ? value->getAsInteger() : llvm::None;
    return number ? std::to_string(*number) : std::string("nothing");
  };
  if (!actual || *actual != expected)
    result.push_back(fmt::format("{}: {}, not {}", path, text(actual), text(&expected)));
}

std::vector<std::string> loopnest::differences(const Object &expected, const Nest &nest,
                                               const Counts &counts) {
  std::vector<std::string> result;
  Value actual(writeCounts(nest, counts));
  compare("", Value(Object(expected)), &actual, result);
  return result;
}
