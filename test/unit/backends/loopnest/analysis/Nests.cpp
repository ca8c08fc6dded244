// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Nests.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include <algorithm>
#include <gtest/gtest.h>

using namespace perfc;
using namespace perfc::loopnest;

Nest loopnest::parseNest(llvm::StringRef text) {
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(text);
  if (!value) {
    ADD_FAILURE() << llvm::toString(value.takeError());
    return {};
  }
  llvm::Expected<Nest> nest = readCase(*value->getAsObject());
  if (nest)
    return std::move(*nest);
  ADD_FAILURE() << llvm::toString(nest.takeError());
  return {};
}

namespace {

class Generator {
public:
  explicit Generator(std::mt19937 &random) : random(random) {}
  Nest make();
  Nest makeCoupled();
  Nest makeScatter();

private:
  int64_t below(int64_t end) { return std::uniform_int_distribution<int64_t>(0, end - 1)(random); }
  bool chance(int percent) { return below(100) < percent; }
  unsigned dim(const char *name, int64_t most) {
    nest.dims.push_back({name, 1 + below(most)});
    return nest.dims.size() - 1;
  }
  static Subscript plain(unsigned dim) { return {{{dim, 1}}, 0, llvm::None}; }
  Subscript window(unsigned out, unsigned filter);
  void convolution();
  void product();
  void pointwise();
  Subscript affine(int64_t mostTerms);
  void coupled();
  void scatter();
  void places();
  void loops();

  std::mt19937 &random;
  Nest nest;
};

} // namespace

/// stride * out + dilation * filter - padding, with an extent that may cut on both sides.
Subscript Generator::window(unsigned out, unsigned filter) {
  Subscript rank{{{out, 1 + below(3)}, {filter, 1 + below(2)}}, 0, llvm::None};
  int64_t reach = rank.terms[0].coefficient * (nest.dims[out].size - 1) +
                  rank.terms[1].coefficient * (nest.dims[filter].size - 1);
  if (chance(60)) {
    rank.constant = -below(4);
    rank.extent = std::max<int64_t>(1, reach + 1 + rank.constant - below(3));
  }
  return rank;
}

void Generator::convolution() {
  unsigned m = dim("m", 4), c = dim("c", 4), p = dim("p", 8), q = dim("q", 6), r = dim("r", 3),
           s = dim("s", 3);
  bool depthwise = chance(25);
  nest.tensors = {{"I", false, 8, {plain(c), window(p, r), window(q, s)}},
                  {"O", true, 32, {plain(depthwise ? c : m), plain(p), plain(q)}},
                  {"W", false, 16, {plain(c), plain(r), plain(s)}}};
  if (!depthwise)
    nest.tensors[2].ranks.push_back(plain(m));
}

void Generator::product() {
  unsigned i = dim("i", 13), j = dim("j", 13), k = dim("k", 13);
  nest.tensors = {{"A", false, 16, {plain(i), plain(k)}},
                  {"B", false, 16, {plain(k), plain(j)}},
                  {"Z", true, 32, {plain(i), plain(j)}}};
}

void Generator::pointwise() {
  unsigned e = dim("e", 60), f = dim("f", 5);
  nest.tensors = {{"X", false, 16, {plain(e), plain(f)}},
                  {"Y", false, 16, {plain(f)}},
                  {"Z", true, 16, {plain(e), plain(f)}}};
}

Subscript Generator::affine(int64_t mostTerms) {
  Subscript rank;
  int64_t low = 0, high = 0;
  for (int64_t left = 1 + below(mostTerms); left > 0; --left) {
    int64_t coefficient = chance(75) ? 1 : chance(50) ? -1 : 1 + below(3);
    unsigned dim = below(nest.dims.size());
    rank.terms.push_back({dim, coefficient});
    int64_t reach = coefficient * (nest.dims[dim].size - 1);
    (reach < 0 ? low : high) += reach;
  }
  if (chance(25)) {
    rank.constant = -low - below(3);
    rank.extent = std::max<int64_t>(1, high - low - below(3));
  }
  return rank;
}

void Generator::coupled() {
  int64_t dims = 2 + below(3);
  for (int64_t d = 0; d < dims; ++d)
    dim(std::string(1, "ijkl"[d]).c_str(), dims > 3 ? 5 : 9);
  nest.tensors = {{"A", false, 8, {}}, {"B", false, 16, {}}, {"Z", true, 32, {}}};
  bool isWindowed = chance(50);
  for (Tensor &tensor : nest.tensors)
    for (int64_t ranks = 1 + below(3); ranks > 0; --ranks)
      tensor.ranks.push_back(affine(tensor.isOutput && !isWindowed ? 1 : 3));
}

void Generator::scatter() {
  unsigned m = dim("m", 8), c = dim("c", 8), p = dim("p", 48), r = dim("r", 4);
  Subscript window{{{p, 1 + below(2)}, {r, 1 + below(2)}}, 0, llvm::None};
  nest.tensors = {{"X", false, 8, {plain(c), plain(p)}},
                  {"W", false, 8, {plain(c), plain(m), plain(r)}},
                  {"O", true, 32, {plain(m), window}}};
}

void Generator::places() {
  int64_t memories = 2 + below(3);
  for (int64_t m = 0; m < memories; ++m) {
    Place memory{PlaceKind::Memory, "M" + std::to_string(m), {}, {}, {}};
    for (unsigned t = 0; t < nest.tensors.size(); ++t)
      if (m == 0 || chance(70))
        memory.keep.push_back(t);
    nest.places.push_back(memory);
    if (chance(45))
      nest.places.push_back({PlaceKind::Array,
                             "A" + std::to_string(m),
                             {},
                             {{"x", 1, chance(50), chance(50)}, {"y", 1, chance(50), chance(50)}},
                             {}});
  }
}

/// Factors from the inside out; the outermost memory takes what is left.
void Generator::loops() {
  std::vector<int64_t> left;
  for (const Dim &dim : nest.dims)
    left.push_back(dim.size);
  bool ragged = chance(50);
  for (unsigned at = nest.places.size(); at-- > 0;) {
    Place &place = nest.places[at];
    for (unsigned d = 0; d < left.size(); ++d) {
      int64_t factor = at == 0      ? left[d]
                       : chance(50) ? 1 + below(std::min<int64_t>(left[d], 4))
                                    : 1;
      if (!ragged && left[d] % factor)
        continue;
      left[d] = (left[d] + factor - 1) / factor;
      unsigned axis = place.kind == PlaceKind::Array ? below(2) : 0;
      if (place.kind == PlaceKind::Array)
        place.axes[axis].size *= factor;
      place.loops.push_back({{{d, llvm::None}}, factor, axis});
    }
    std::shuffle(place.loops.begin(), place.loops.end(), random);
    for (Axis &axis : place.axes)
      axis.size += below(3);
  }
}

Nest Generator::make() {
  switch (below(4)) {
  case 0:
    pointwise();
    break;
  case 1:
    product();
    break;
  default:
    convolution();
  }
  places();
  loops();
  return std::move(nest);
}

Nest Generator::makeCoupled() {
  coupled();
  places();
  loops();
  return std::move(nest);
}

Nest Generator::makeScatter() {
  scatter();
  places();
  loops();
  return std::move(nest);
}

Nest loopnest::randomScatterNest(std::mt19937 &random) { return Generator(random).makeScatter(); }

Nest loopnest::randomCoupledNest(std::mt19937 &random) { return Generator(random).makeCoupled(); }

Nest loopnest::randomNest(std::mt19937 &random) { return Generator(random).make(); }

Nest loopnest::randomReductionNest(std::mt19937 &random) {
  auto below = [&](int64_t end) { return int64_t(random() % uint64_t(end)); };
  Nest nest;
  std::vector<int64_t> left;
  for (const char *name : {"i", "j", "k", "l"}) {
    nest.dims.push_back({name, 1 + below(name[0] > 'j' ? 9 : 6)});
    left.push_back(nest.dims.back().size);
  }
  auto plain = [](unsigned dim) { return Subscript{{{dim, 1}}, 0, llvm::None}; };
  nest.tensors = {{"A", false, 8, {plain(0), plain(2)}},
                  {"B", false, 8, {plain(2), plain(1), plain(3)}},
                  {"Z", true, 8, {plain(0), plain(1)}}};
  if (below(4) == 0) {
    nest.tensors[2].ranks[0].constant = -below(2);
    nest.tensors[2].ranks[0].extent = std::max<int64_t>(1, nest.dims[0].size - below(3));
  }
  for (int m = 0; m < 3; ++m) {
    Place memory{PlaceKind::Memory, "M" + std::to_string(m), {0, 1}, {}, {}};
    if (m == 0 || below(5) > 0)
      memory.keep.push_back(2);
    nest.places.push_back(memory);
    nest.places.push_back(
        {PlaceKind::Array, "A" + std::to_string(m), {}, {{"x", 81, true, below(2) == 0}}, {}});
  }
  for (size_t p = nest.places.size(); p-- > 0;) {
    Place &place = nest.places[p];
    bool isArray = place.kind == PlaceKind::Array;
    for (unsigned d = 0; d < left.size(); ++d) {
      int64_t most = std::min<int64_t>(left[d], 3);
      int64_t factor = p == 0                                 ? left[d]
                       : below(isArray && d < 2 ? 4 : 2) == 0 ? 1 + below(most)
                                                              : 1;
      left[d] = (left[d] + factor - 1) / factor;
      place.loops.push_back({{{d, llvm::None}}, factor, 0});
    }
    std::shuffle(place.loops.begin(), place.loops.end(), random);
  }
  return nest;
}

void loopnest::setApart(Nest &nest, std::mt19937 &random) {
  for (Place &place : nest.places)
    for (Axis &axis : place.axes)
      if (random() % 10 < 3)
        axis.apart.push_back(random() % nest.tensors.size());
}

std::vector<std::string> loopnest::fixtures() {
  std::vector<std::string> files;
  std::error_code error;
  llvm::sys::fs::directory_iterator end;
  for (llvm::sys::fs::directory_iterator it(PERFC_TEST_DIR "/reference/bruteforce", error);
       !error && it != end; it.increment(error))
    if (llvm::StringRef(it->path()).endswith(".json"))
      files.push_back(it->path());
  std::sort(files.begin(), files.end());
  return files;
}

Fixture loopnest::readFixture(const std::string &file) {
  auto buffer = llvm::MemoryBuffer::getFile(file);
  llvm::json::Value document = llvm::cantFail(llvm::json::parse((*buffer)->getBuffer()));
  const llvm::json::Object &object = *document.getAsObject();
  return {llvm::cantFail(readCase(*object.getObject("case"))), *object.getObject("expected")};
}

static std::string describe(TransferSizes sizes) {
  std::sort(sizes.begin(), sizes.end(), [](const TransferSize &a, const TransferSize &b) {
    return std::tie(a.words, a.finished) < std::tie(b.words, b.finished);
  });
  std::string text;
  for (const TransferSize &size : sizes)
    text += " " + std::to_string(size.number) + "x" + std::to_string(size.words) +
            (size.finished ? "/" + std::to_string(size.finished) : "");
  return text;
}

/// The sizes of transfers that differ, where both know them.
static std::string compareTransfers(const std::string &where,
                                    const llvm::Optional<TensorTransfers> &actual,
                                    const llvm::Optional<TensorTransfers> &expected) {
  std::string text;
  if (!actual || !expected)
    return text;
  auto compareWay = [&](const char *way, TransferSizes TensorTransfers::*sizes) {
    std::string one = describe((*actual).*sizes), other = describe((*expected).*sizes);
    if (one != other)
      text += where + " " + way + ":" + one + ", expected" + other + "\n";
  };
  compareWay("fills", &TensorTransfers::fills);
  compareWay("reads", &TensorTransfers::reads);
  compareWay("updates", &TensorTransfers::updates);
  compareWay("writebacks", &TensorTransfers::writebacks);
  return text;
}

std::string loopnest::compare(const Nest &nest, const Counts &actual, Counts expected) {
  for (unsigned a = 0; a < actual.arrays.size(); ++a)
    for (unsigned t = 0; t < nest.tensors.size(); ++t)
      if (!actual.arrays[a].hops[t])
        expected.arrays[a].hops[t] = llvm::None;
  std::string text;
  for (const std::string &line : differences(writeCounts(nest, expected), nest, actual))
    text += line + "\n";
  for (unsigned m = 0; m < actual.memories.size(); ++m)
    if (actual.memories[m].maxResidentBits != expected.memories[m].maxResidentBits)
      text += actual.memories[m].name + ": bits differ\n";
  for (unsigned m = 0; m < actual.memories.size(); ++m)
    for (unsigned t = 0; t < nest.tensors.size(); ++t)
      if (actual.memories[m].tensors[t] &&
          actual.memories[m].tensors[t]->finished != expected.memories[m].tensors[t]->finished)
        text += actual.memories[m].name + ": finished words differ\n";
  for (unsigned m = 0; m < actual.memories.size(); ++m)
    for (unsigned t = 0; t < nest.tensors.size(); ++t)
      if (actual.memories[m].tensors[t])
        text += compareTransfers(actual.memories[m].name + " " + nest.tensors[t].name,
                                 actual.memories[m].tensors[t]->transfers,
                                 expected.memories[m].tensors[t]->transfers);
  if (nest.hasPartial() && actual.finishedPoints != expected.finishedPoints)
    text += "finished points differ\n";
  return text;
}
