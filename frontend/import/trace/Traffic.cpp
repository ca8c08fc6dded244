// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls that cost what they read and write.
#include "frontend/import/trace/CallText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"
#include <fmt/format.h>

using namespace perfc;
using namespace perfc::trace;

/// True of an operator whose cost is what it moves.
static bool isTraffic(llvm::StringRef name) {
  return llvm::StringSwitch<bool>(name)
      .Cases("add", "sub", "rsub", "mul", "div", "pow", "neg", "abs", "exp", "log", true)
      .Cases("sqrt", "rsqrt", "reciprocal", "cos", "sin", "tanh", "sigmoid", "erf", "square", true)
      .Cases("clamp", "clamp_min", "clamp_max", "where", "masked_fill", "maximum", "minimum", true)
      .Cases("copy", "clone", "_to_copy", "cat", "stack", "fill", "zero", "arange", "gather", true)
      .Cases("index_select", "index", "sum", "mean", "max", "min", "amax", "amin", "var", true)
      .Cases("eq", "ne", "lt", "le", "gt", "ge", "logical_and", "logical_or", "logical_not", true)
      .Cases("bitwise_and", "bitwise_or", "bitwise_not", "any", "all", "triu", "tril", true)
      .Cases("hardtanh", "leaky_relu", "hardswish", "hardsigmoid", "elu", "softplus", "mish", true)
      .Cases("gelu_backward", "threshold_backward", "silu_backward", "tanh_backward", true)
      .Cases("native_dropout", "native_dropout_backward", "addcmul", "addcdiv", "lerp", true)
      .Cases("floor_divide", "remainder", "floor", "ceil", "round", "sign", "repeat", true)
      .Cases("_fused_adamw", "_fused_adam", "_fused_sgd", true)
      .Cases("norm", "linalg_vector_norm", "bernoulli", "uniform", "normal", "random", true)
      .Cases("nll_loss_forward", "nll_loss_backward", "embedding_dense_backward", true)
      .Cases("_softmax_backward_data", "_log_softmax_backward_data", true)
      .Cases("native_layer_norm_backward", "_fused_rms_norm_backward", true)
      .Cases("native_batch_norm_backward", "cudnn_batch_norm_backward", true)
      .Cases("max_pool2d_with_indices_backward", "cumsum", "index_put", "_index_put_impl", true)
      .Cases("topk", "sort", "argsort", "scatter", "scatter_add", "index_add", "roll", "flip", true)
      .Cases("native_group_norm", "native_group_norm_backward", "glu", "glu_backward", true)
      .Cases("sigmoid_backward", "softplus_backward", "hardswish_backward", "mish_backward", true)
      .Cases("elu_backward", "leaky_relu_backward", "hardsigmoid_backward", "hardtanh_backward",
             true)
      .Cases("_embedding_bag", "_embedding_bag_dense_backward", "avg_pool2d", true)
      .Cases("avg_pool2d_backward", "_adaptive_avg_pool2d", "_adaptive_avg_pool2d_backward", true)
      .Cases("_adaptive_avg_pool3d", "_adaptive_avg_pool3d_backward", true)
      .Cases("max_pool3d_with_indices", "max_pool3d_with_indices_backward", true)
      .Cases("_prelu_kernel", "_prelu_kernel_backward", "grid_sampler_2d", true)
      .Cases("grid_sampler_2d_backward", "constant_pad_nd", "reflection_pad2d", "im2col", true)
      .Default(name.startswith("_foreach_") || name.startswith("upsample_") ||
               name.startswith("_upsample_"));
}

namespace {

/// How many elements a call reads of each tensor, and how many it writes.
struct Elements {
  std::vector<int64_t> read;
  int64_t written = 0;
};

} // namespace

/// The elements of the whole table whose gradient `call` makes of rows: argument 2 is how many rows
/// it has. 0 where that is not said.
static int64_t tableOf(const Call &call) {
  int64_t rows = 0, elements = 0;
  if (call.arguments.size() < 3 || call.arguments[0].tensors.empty() ||
      call.arguments[0].tensors[0].dims.empty() ||
      llvm::StringRef(call.arguments[2].text).getAsInteger(10, rows) || rows < 1)
    return 0;
  bool isTooMany = llvm::MulOverflow(rows, call.arguments[0].tensors[0].dims.back(), elements);
  return isTooMany ? 0 : elements;
}

static llvm::Optional<Elements> trafficOf(const Call &call, llvm::StringRef name) {
  Elements made;
  int64_t largest = 0, all = 0;
  for (const Argument &argument : call.arguments)
    for (const Tensor &tensor : argument.tensors) {
      int64_t elements = tensor.dims.empty() ? 0 : elementsOf(tensor.dims);
      if (elements <= 0)
        continue;
      made.read.push_back(elements);
      largest = std::max(largest, elements);
      if (llvm::AddOverflow(all, elements, all))
        return llvm::None;
    }
  for (const Tensor &tensor : call.results)
    made.written = std::max(made.written, elementsOf(tensor.dims));
  if (made.written == 0)
    made.written = name == "cat" ? all : largest;
  if (name == "fill" || name == "zero")
    made.read.clear();
  if (made.read.size() >= 2 && name == "nll_loss_forward") { // one element of each row
    made.read[0] = made.written = made.read[1];
  } else if (made.read.size() >= 2 && name == "nll_loss_backward") { // rows are not read
    made.read.erase(llvm::find(made.read, largest));
  } else if (name == "embedding_dense_backward") {
    made.written = std::max(made.written, tableOf(call));
  }
  if (made.read.size() >= 2 && name.endswith("batch_norm_backward")) // sums first, then results
    made.read.insert(made.read.begin(), {made.read[0], made.read[1]});
  return made;
}

llvm::Optional<CallText> trace::byBytes(const Call &call) {
  llvm::StringRef name = plainName(call.op);
  auto elements = trafficOf(call, name);
  if (!elements || elements->written == 0)
    return llvm::None;
  CallText made;
  std::string given;
  for (int64_t each : elements->read) {
    made.traffic += each == elements->written ? 'e' : 'o';
    given += fmt::format("{}tensor[{}]", given.empty() ? "" : ", ", each);
  }
  if (!llvm::StringRef(made.traffic).contains('e'))
    given += fmt::format("{}{}", given.empty() ? "" : ", ", elements->written);
  if (made.traffic.empty())
    made.traffic = "none";
  made.body = fmt::format("  y = moves_{}({})\n", made.traffic, given);
  made.results.push_back("y");
  made.isKnown = isTraffic(name);
  return made;
}
