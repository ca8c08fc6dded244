// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shapes of operators that few networks have: those whose results depend on data, on random
// numbers, regions of images, spectra and losses. Extents that depend on data are open (-1), and
// where there is a largest one, it is said.
#include "frontend/import/graph/Spectra.h"

using namespace perfc;
using namespace perfc::graph;

static bool open(Inference &inference, Shape shape, size_t output = 0, int32_t type = NoType,
                 const Dim &most = 0) {
  if (!inference.wants(output))
    return true;
  for (const Dim &dim : shape)
    inference.out(output).most.push_back(dim.is(-1) ? most : Dim(0));
  inference.out(output).openShape = std::move(shape);
  if (type != NoType)
    inference.out(output).type = type;
  return true;
}

static bool likeOperand(Inference &inference) {
  return inference.needRank(0, 0) && inference.setShape(inference.shape(0));
}

/// Attribute `dtype` says the format, else the operand.
static bool likeFirst(Inference &inference) {
  if (inference.attribute("dtype") && inference.wants(0))
    inference.out().type = static_cast<int32_t>(inference.integer("dtype", Float));
  return likeOperand(inference);
}

static bool ofAttribute(Inference &inference) {
  const Attribute *shape = inference.attribute("shape");
  if (!shape || shape->integers.size() > 16)
    return inference.fail("it has no shape");
  for (int64_t extent : shape->integers)
    if (extent < 1)
      return inference.fail("an extent of its shape is no positive number");
  inference.out().type = static_cast<int32_t>(inference.integer("dtype", Float));
  return inference.setShape(Shape(shape->integers.begin(), shape->integers.end()));
}

static bool nonZero(Inference &inference) {
  return inference.needRank(0, 0) &&
         open(inference, {static_cast<int64_t>(inference.shape(0).size()), -1}, 0, Int64,
              inference.dims.product(inference.shape(0)));
}

static bool compress(Inference &inference) {
  if (!inference.needRank(0, 1))
    return false;
  Shape shape = inference.shape(0);
  if (!inference.attribute("axis"))
    return open(inference, {-1}, 0, NoType, inference.dims.product(shape));
  auto axis = inference.axis(inference.integer("axis", 0), shape.size());
  if (!axis)
    return false;
  Dim most = std::exchange(shape[*axis], Dim(-1));
  return open(inference, std::move(shape), 0, NoType, most);
}

static bool unique(Inference &inference) {
  if (!compress(inference))
    return false;
  Dim most = inference.dims.product(inference.shape(0));
  for (size_t output : {1, 2, 3})
    open(inference, {-1}, output, Int64, most);
  return true;
}

/// Of scores [images, classes, boxes] so many boxes of each class and image, or as many as there
/// are.
static bool suppression(Inference &inference) {
  Dim most = 0;
  if (inference.has(1) && inference.shape(1).size() == 3) {
    const Shape &scores = inference.shape(1);
    auto wanted = inference.wholes("", 2);
    bool isLimited = wanted && wanted->size() == 1 && wanted->front().isNumber();
    most = inference.dims.product(
        {scores[0], scores[1],
         isLimited ? inference.dims.smaller(scores[2], wanted->front()) : scores[2]});
  }
  return open(inference, {-1, 3}, 0, Int64, most);
}

static bool multinomial(Inference &inference) {
  if (!inference.needRank(0, 2, 2))
    return false;
  inference.out().type = static_cast<int32_t>(inference.integer("dtype", Int32));
  return inference.setShape({inference.shape(0)[0], inference.integer("sample_size", 1)});
}

/// Weights of a window of so many samples, one for each.
static bool window(Inference &inference) {
  auto count = inference.wholes("", 0);
  inference.out().type = static_cast<int32_t>(inference.integer("output_datatype", Float));
  if (!count || count->size() != 1)
    return open(inference, {-1});
  return inference.setShape({count->front()});
}

static bool melWeights(Inference &inference) {
  auto bins = inference.wholes("", 0), length = inference.wholes("", 1);
  inference.out().type = static_cast<int32_t>(inference.integer("output_datatype", Float));
  if (!bins || !length || bins->size() != 1 || length->size() != 1)
    return open(inference, {-1, -1});
  return inference.setShape(
      {inference.dims.add(inference.dims.divide(length->front(), 2), 1), bins->front()});
}

llvm::Optional<size_t> graph::fourierAxis(Inference &inference) {
  bool isGiven = false;
  auto place = inference.numbers("axis", 2, &isGiven);
  return inference.axis(place && place->size() == 1                  ? place->front()
                        : !isGiven && inference.net.operatorSet < 20 ? 1
                                                                     : -2,
                        inference.shape(0).size());
}

Dim graph::fourierLength(Inference &inference, size_t axis) {
  auto length = inference.wholes("", 1);
  return length && length->size() == 1 ? length->front() : inference.shape(0)[axis];
}

/// The last dimension holds real and imaginary parts.
static bool fourierShape(Inference &inference) {
  if (!inference.needRank(0, 2))
    return false;
  Shape shape = inference.shape(0);
  bool isHalf = inference.integer("onesided", 0) != 0;
  llvm::Optional<size_t> axis = fourierAxis(inference);
  if (!axis)
    return false;
  shape[*axis] = fourierLength(inference, *axis);
  if (isHalf)
    shape[*axis] = inference.dims.add(inference.dims.divide(shape[*axis], 2), 1);
  shape.back() = isHalf && inference.integer("inverse", 0) != 0 ? 1 : 2;
  return inference.setShape(std::move(shape));
}

static bool shortFourierShape(Inference &inference) {
  if (!inference.needRank(0, 2))
    return false;
  const Shape &signal = inference.shape(0);
  auto step = inference.wholes("", 1), length = inference.wholes("", 3);
  Dim size = length && length->size() == 1                        ? length->front()
             : inference.has(2) && inference.shape(2).size() == 1 ? inference.shape(2)[0]
                                                                  : Dim(-1);
  if (!step || step->size() != 1 || size.is(-1) || step->front().is(0))
    return open(inference, {signal[0], -1, -1, 2});
  Dims &dims = inference.dims;
  Dim frames = dims.add(dims.divide(dims.subtract(signal[1], size), step->front()), 1);
  Dim bins = inference.integer("onesided", 1) ? dims.add(dims.divide(size, 2), 1) : size;
  return inference.setShape({signal[0], frames, bins, 2});
}

static bool determinant(Inference &inference) {
  if (!inference.needRank(0, 2))
    return false;
  Shape shape = inference.shape(0);
  shape.resize(shape.size() - 2);
  return inference.setShape(std::move(shape));
}

static bool gridSample(Inference &inference) {
  if (!inference.needRank(0, 3) || !inference.needRank(1, 3))
    return false;
  Shape shape = inference.shape(1);
  shape.pop_back();
  shape.insert(shape.begin() + 1, inference.shape(0)[1]);
  return inference.setShape(std::move(shape));
}

static bool affineGrid(Inference &inference) {
  auto size = inference.wholes("", 1);
  if (!size || size->size() < 4)
    return true;
  Shape shape(size->begin(), size->end());
  shape.erase(shape.begin() + 1);
  shape.push_back(static_cast<int64_t>(size->size()) - 2);
  return inference.setShape(std::move(shape));
}

/// Features of regions: one small image of each.
static bool regions(Inference &inference) {
  if (!inference.needRank(0, 4, 4) || !inference.needRank(1, 2, 2))
    return false;
  int64_t height = inference.integer("output_height", 1),
          width = inference.integer("output_width", 1);
  if (const Attribute *pooled = inference.attribute("pooled_shape");
      pooled && pooled->integers.size() == 2) {
    height = pooled->integers[0];
    width = pooled->integers[1];
  }
  if (height < 1 || width < 1)
    return inference.fail("the images of its regions have no size");
  return inference.setShape({inference.shape(1)[0], inference.shape(0)[1], height, width});
}

static bool maxUnpool(Inference &inference) {
  if (!inference.needRank(0, 3))
    return false;
  if (auto size = inference.wholes("", 2))
    return inference.setShape(Shape(size->begin(), size->end()));
  Shape shape = inference.shape(0);
  size_t sides = shape.size() - 2;
  auto kernel = inference.list("kernel_shape", sides, 1),
       strides = inference.list("strides", sides, 1), pads = inference.list("pads", 2 * sides, 0);
  if (!kernel || !strides || !pads)
    return false;
  for (size_t i = 0; i < sides; ++i)
    shape[i + 2] = inference.dims.add(
        inference.dims.multiply(inference.dims.subtract(shape[i + 2], 1), (*strides)[i]),
        (*kernel)[i] - (*pads)[i] - (*pads)[i + sides]);
  return inference.setShape(std::move(shape));
}

static bool loss(Inference &inference) {
  if (!inference.needRank(0, 2) || !inference.needRank(1, 1))
    return false;
  if (inference.wants(1)) {
    inference.out(1).type = inference.in(0).type;
    inference.setShape(inference.shape(0), 1);
  }
  bool isEach = inference.text("reduction", "mean") == "none";
  return inference.setShape(isEach ? inference.shape(1) : Shape());
}

/// Columns back to images.
static bool columns(Inference &inference) {
  auto image = inference.wholes("", 1);
  auto block = inference.numbers("", 2);
  if (!inference.needRank(0, 3, 3) || !image || !block)
    return true;
  Dim size = 1;
  for (int64_t side : *block)
    size = inference.dims.multiply(size, side);
  Shape shape = {inference.shape(0)[0], inference.dims.divide(inference.shape(0)[1], size)};
  shape.append(image->begin(), image->end());
  return inference.setShape(std::move(shape));
}

static bool cropOrPad(Inference &inference) {
  Shape shape = inference.shape(0);
  auto size = inference.wholes("", 1);
  if (!size)
    return true;
  std::vector<int64_t> list;
  if (const Attribute *axes = inference.attribute("axes"))
    list = axes->integers;
  else
    for (size_t i = 0; i < shape.size(); ++i)
      list.push_back(static_cast<int64_t>(i));
  if (list.size() != size->size())
    return inference.fail("it needs a number for each axis");
  for (size_t i = 0; i < list.size(); ++i) {
    auto axis = inference.axis(list[i], shape.size());
    if (!axis)
      return false;
    shape[*axis] = (*size)[i];
  }
  return inference.setShape(std::move(shape));
}

/// Counts of n-grams: one for each index that an attribute names.
static bool countsOfTerms(Inference &inference) {
  const Attribute *indexes = inference.attribute("ngram_indexes");
  int64_t most = 0;
  for (size_t i = 0; indexes && i < indexes->integers.size(); ++i)
    most = std::max(most, indexes->integers[i]);
  Shape shape = inference.shape(0);
  if (shape.empty() || most == INT64_MAX)
    return inference.fail("its operand has no dimension");
  shape.back() = most + 1;
  inference.out().type = Float;
  return inference.setShape(std::move(shape));
}

/// Heads side by side: of queries and, in as many groups, of keys and values, each group with a
/// state.
static bool linearAttention(Inference &inference) {
  for (size_t operand : {0, 1, 2})
    if (!inference.needRank(operand, 3, 3))
      return false;
  int64_t heads = inference.integer("q_num_heads", 0),
          groups = inference.integer("kv_num_heads", 0);
  if (heads < 1 || groups < 1 || heads % groups != 0)
    return inference.fail("its heads are not groups of some");
  Dims &dims = inference.dims;
  const Shape &queries = inference.shape(0), &values = inference.shape(2);
  auto key = dims.exactQuotient(queries[2], Dim(heads)),
       value = dims.exactQuotient(values[2], Dim(groups));
  if (!key || !value)
    return inference.fail("its heads do not divide its operands");
  if (inference.wants(1))
    inference.out(1).type = inference.in(0).type;
  return inference.setShape({queries[0], Dim(groups), *key, *value}, 1) &&
         inference.setShape({queries[0], queries[1], dims.multiply(*value, heads)});
}

static bool strings(Inference &inference) {
  Shape shape = inference.shape(0);
  if (shape.empty())
    return likeOperand(inference);
  shape.back() = -1; // words may go
  return open(inference, std::move(shape), 0, String);
}

static constexpr ShapeEntry rareRuleTable[] = {
    {"AffineGrid", affineGrid},
    {"Bernoulli", likeFirst},
    {"BlackmanWindow", window},
    {"CenterCropPad", cropOrPad},
    {"Col2Im", columns},
    {"Compress", compress},
    {"DFT", fourierShape},
    {"Det", determinant},
    {"GridSample", gridSample},
    {"HammingWindow", window},
    {"HannWindow", window},
    {"LinearAttention", linearAttention},
    {"MaxRoiPool", regions},
    {"MaxUnpool", maxUnpool},
    {"MelWeightMatrix", melWeights},
    {"Multinomial", multinomial},
    {"NegativeLogLikelihoodLoss", loss},
    {"NonMaxSuppression", suppression},
    {"NonZero", nonZero},
    {"RandomNormal", ofAttribute},
    {"RandomNormalLike", likeFirst},
    {"RandomUniform", ofAttribute},
    {"RandomUniformLike", likeFirst},
    {"RegexFullMatch", likeOperand},
    {"RoiAlign", regions},
    {"STFT", shortFourierShape},
    {"SoftmaxCrossEntropyLoss", loss},
    {"StringConcat", likeOperand},
    {"StringNormalizer", strings},
    {"TfIdfVectorizer", countsOfTerms},
    {"Unique", unique},
};

llvm::ArrayRef<ShapeEntry> graph::rareRules() { return rareRuleTable; }
