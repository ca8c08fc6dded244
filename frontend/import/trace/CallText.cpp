// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/import/trace/CallText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"
#include <fmt/format.h>

using namespace perfc;
using namespace perfc::trace;

using Dims = std::vector<int64_t>;

llvm::StringRef trace::plainName(llvm::StringRef op) {
  op = op.rsplit("::").second.empty() ? op : op.rsplit("::").second;
  if (op.size() > 1 && !op.endswith("__"))
    op.consume_back("_");
  return op;
}

bool trace::movesNothing(llvm::StringRef op) {
  // A node of autograd, such as ViewBackward0, hands on to operators.
  if (!op.contains("::") && op.rtrim("0123456789").endswith("Backward"))
    return true;
  return llvm::StringSwitch<bool>(plainName(op))
      .Cases("view", "reshape", "t", "transpose", "permute", "expand", "unsqueeze", "squeeze", true)
      .Cases("slice", "select", "as_strided", "detach", "alias", "split", "chunk", "unbind", true)
      .Cases("narrow", "flatten", "unflatten", "_unsafe_view", "view_as", "expand_as", true)
      .Cases("empty", "empty_like", "empty_strided", "resize", "set", "result_type", true)
      .Cases("lift_fresh", "resolve_conj", "resolve_neg", "is_nonzero", "item", true)
      .Cases("_local_scalar_dense", "cudnn_is_acceptable", "dropout", "to", "contiguous", true)
      .Cases("movedim", "unfold", "real", "view_as_real", "view_as_complex", "numpy_T", true)
      .Cases("split_with_sizes", "broadcast_tensors", "_has_compatible_shallow_copy_type", true)
      .Cases("reshape_as", "matrix_H", "swapaxes", "diagonal", "requires_grad", "type_as", true)
      .Default(false);
}

int64_t trace::elementsOf(llvm::ArrayRef<int64_t> dims) {
  int64_t elements = 1;
  for (int64_t dim : dims)
    if (llvm::MulOverflow(elements, dim, elements))
      return 0;
  return elements;
}

static std::string list(llvm::ArrayRef<int64_t> dims) {
  std::string text;
  for (int64_t dim : dims)
    text += fmt::format("{}{}", text.empty() ? "" : ", ", dim);
  return "[" + text + "]";
}

/// The numbers of `[2, 2]`; nothing for another text.
static llvm::Optional<Dims> numbers(llvm::StringRef text) {
  Dims all;
  if (!text.consume_front("[") || !text.consume_back("]"))
    return llvm::None;
  llvm::SmallVector<llvm::StringRef, 4> parts;
  text.split(parts, ',', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef part : parts)
    if (part.trim().getAsInteger(10, all.emplace_back()))
      return llvm::None;
  return all;
}

namespace {

/// One call as it is read.
class CallReader {
public:
  explicit CallReader(const Call &call) : call(call) {}
  llvm::Optional<CallText> run();

private:
  /// The dimensions of argument `i`; null where it is no single tensor, or has no elements.
  const Dims *tensor(size_t i) const {
    if (i >= call.arguments.size() || call.arguments[i].tensors.size() != 1)
      return nullptr;
    const Dims &dims = call.arguments[i].tensors.front().dims;
    return dims.empty() || elementsOf(dims) == 0 ? nullptr : &dims;
  }
  llvm::StringRef text(size_t i) const {
    return i < call.arguments.size() ? llvm::StringRef(call.arguments[i].text) : "";
  }
  /// `count` numbers of argument `i`, where a single one stands for all.
  llvm::Optional<Dims> numbersOf(size_t i, size_t count) const;
  void set(std::string value, llvm::ArrayRef<const char *> modules) {
    std::string name = made.results.empty() ? "y" : fmt::format("y{}", made.results.size());
    made.body += fmt::format("  {} = {}\n", name, value);
    made.results.push_back(name);
    made.modules.insert(modules.begin(), modules.end());
  }
  bool product2d(const Dims *x, const Dims *w, bool isTurned, const Dims *bias,
                 bool isWeight = true);
  bool batched(const Dims *a, const Dims *b);
  bool convolution(size_t x, size_t w, size_t bias, size_t stride, bool isTransposed, size_t groups,
                   unsigned times);
  bool normalisation(size_t scale, size_t shift);
  bool attention(size_t from, size_t causal, bool isHalf = false);
  bool attentionGradient(size_t causal);
  bool grouped();
  bool recurrent();
  bool pool();
  bool rows(llvm::StringRef op, const char *module);
  bool batchNorm();
  bool embedding();
  bool isTrue(size_t i) const { return text(i).startswith_insensitive("true"); }

  struct Operator {
    llvm::StringLiteral names; ///< with blanks between
    bool (*read)(CallReader &call);
  };
  static const Operator operators[];

  const Call &call;
  CallText made;
};

} // namespace

llvm::Optional<Dims> CallReader::numbersOf(size_t i, size_t count) const {
  auto all = numbers(text(i));
  if (all && all->size() == 1)
    all->resize(count, all->front());
  return all && all->size() == count ? all : llvm::None;
}

/// x times w, of K rows or, turned, of K columns.
bool CallReader::product2d(const Dims *x, const Dims *w, bool isTurned, const Dims *bias,
                           bool isWeight) {
  if (!x || !w || w->size() != 2)
    return false;
  int64_t inner = (*w)[isTurned ? 1 : 0], outer = (*w)[isTurned ? 0 : 1];
  if (x->back() != inner)
    return false;
  std::string value = fmt::format("matmul(tensor[{}, {}], {}[{}, {}])", elementsOf(*x) / inner,
                                  inner, isWeight ? "weight" : "tensor", inner, outer);
  if (bias)
    value += fmt::format(" + weight[{}]", outer);
  set(value, {"matmul"});
  return true;
}

bool CallReader::batched(const Dims *a, const Dims *b) {
  if (!a || !b || a->size() != 3 || b->size() != 3 || (*a)[2] != (*b)[1] || (*a)[0] != (*b)[0])
    return false;
  made.body +=
      fmt::format("  a = tensor{}\n  c = tensor{}\n  y[b, i, j] += a[b, i, k] * c[b, k, j]\n",
                  list(*a), list(*b));
  made.results.push_back("y");
  return true;
}

/// Whether windows slide over an image, whose last dimensions are those of the sides, so that there
/// are results; of a transposed convolution over the results.
static bool isSliding(llvm::ArrayRef<int64_t> image, llvm::ArrayRef<int64_t> window,
                      llvm::ArrayRef<int64_t> stride, llvm::ArrayRef<int64_t> pad,
                      llvm::ArrayRef<int64_t> dilation, bool isTransposed = false) {
  constexpr int64_t most = int64_t(1) << 30;
  auto isIn = [](int64_t value, int64_t least) { return value >= least && value <= most; };
  image = image.take_back(window.size());
  for (size_t i = 0; i < window.size(); ++i) {
    if (!isIn(window[i], 1) || !isIn(stride[i], 1) || !isIn(pad[i], 0) || !isIn(dilation[i], 1))
      return false;
    int64_t reach = (window[i] - 1) * dilation[i],
            last = isTransposed ? (std::min(image[i], most) - 1) * stride[i] + reach - 2 * pad[i]
                                : image[i] - 1 + 2 * pad[i] - reach;
    if (last < 0)
      return false;
  }
  return true;
}

/// `, stride_y = 2` and so on for the sides of `names`.
static std::string ofSides(llvm::StringRef what, llvm::StringRef names,
                           llvm::ArrayRef<int64_t> values) {
  std::string text;
  for (size_t i = 0; i < values.size(); ++i)
    text += fmt::format(", {}_{} = {}", what, names[i], values[i]);
  return text;
}

/// How many gradients a convolution's gradient makes of the image and the weights, as the list
/// `mask` of three says; both where it says nothing.
static unsigned gradientsOf(llvm::StringRef mask) {
  llvm::SmallVector<llvm::StringRef, 3> parts;
  mask.consume_front("[");
  mask.consume_back("]");
  mask.split(parts, ',');
  if (parts.size() != 3)
    return 2;
  return llvm::count_if(llvm::makeArrayRef(parts).take_front(2), [](llvm::StringRef part) {
    return part.trim().equals_insensitive("true");
  });
}

/// Arguments from `stride` on are strides, pads and dilations. `times` it runs: once for each
/// gradient, which has as many products.
bool CallReader::convolution(size_t xAt, size_t wAt, size_t biasAt, size_t strideAt,
                             bool isTransposed, size_t groupsAt, unsigned times) {
  const Dims *x = tensor(xAt), *w = tensor(wAt);
  if (!x || !w || x->size() != w->size() || x->size() < 3 || x->size() > 5)
    return false;
  size_t ranks = x->size() - 2;
  auto stride = numbersOf(strideAt, ranks), pad = numbersOf(strideAt + 1, ranks),
       dilation = numbersOf(strideAt + 2, ranks);
  int64_t groups = 1;
  if (!stride || !pad || !dilation || text(groupsAt).getAsInteger(10, groups) || groups < 1 ||
      (*w)[0] % groups || (*x)[1] != (isTransposed ? (*w)[0] : (*w)[1] * groups))
    return false;
  if (!isSliding(*x, llvm::makeArrayRef(*w).drop_front(2), *stride, *pad, *dilation, isTransposed))
    return false;
  int64_t channels = isTransposed ? (*w)[1] * groups : (*w)[0];
  Dims image = *x, filters = {groups, (*w)[0] / groups, (*w)[1]};
  filters.insert(filters.end(), w->begin() + 2, w->end());
  if (isTransposed && ranks == 1) { // an image of one row
    image.insert(image.begin() + 2, 1);
    filters.insert(filters.begin() + 3, 1);
    for (auto *list : {&stride, &dilation, &pad})
      (*list)->insert((*list)->begin(), list == &pad ? 0 : 1);
  }
  std::string value;
  const char *module = "conv1d";
  if (isTransposed && ranks == 3)
    return false;
  if (ranks == 1 && !isTransposed) {
    value = fmt::format("conv1d(tensor{}, weight{}, stride = {}, pad = {}, dilation = {})",
                        list(image), list(filters), (*stride)[0], (*pad)[0], (*dilation)[0]);
  } else if (ranks == 3) {
    module = "conv3d";
    value = fmt::format("conv3d_groups(tensor{}, weight{}{}{}{})", list(image), list(filters),
                        ofSides("stride", "zyx", *stride), ofSides("dilation", "zyx", *dilation),
                        ofSides("pad", "zyx", *pad));
  } else {
    module = isTransposed ? "transposed" : "grouped";
    value = fmt::format("{}(tensor{}, weight{}{}{}, top = {}, bottom = {}, left = {}, right = {})",
                        isTransposed ? "conv2d_transposed" : "conv2d_groups", list(image),
                        list(filters), ofSides("stride", "yx", *stride),
                        ofSides("dilation", "yx", *dilation), (*pad)[0], (*pad)[0], (*pad)[1],
                        (*pad)[1]);
  }
  if (tensor(biasAt) && ranks == 2 && times == 1)
    value = fmt::format("channel_bias({}, weight[{}])", value, channels);
  for (unsigned i = 0; i < times; ++i)
    set(value, {module, "elementwise"});
  return times > 0;
}

/// Over the last ranks, as many as the scale has.
bool CallReader::normalisation(size_t scaleAt, size_t shiftAt) {
  const Dims *x = tensor(0), *scale = tensor(scaleAt), *shift = tensor(shiftAt);
  int64_t inner = scale ? elementsOf(*scale) : x ? x->back() : 0;
  if (!x || !inner || elementsOf(*x) % inner)
    return false;
  std::string from = fmt::format("tensor[{}, {}]", elementsOf(*x) / inner, inner);
  bool isRms = plainName(call.op).contains("rms");
  if (isRms && scale)
    set(fmt::format("rmsnorm({}, weight[{}])", from, inner), {"rmsnorm"});
  else if (isRms)
    set(fmt::format("rmsnorm_plain({})", from), {"rmsnorm"});
  else if (scale && shift)
    set(fmt::format("layernorm({}, weight[{}], weight[{}])", from, inner, inner), {"layernorm"});
  else if (scale)
    set(fmt::format("layernorm_scaled({}, weight[{}])", from, inner), {"layernorm"});
  else
    set(fmt::format("layernorm_plain({})", from), {"layernorm"});
  return true;
}

/// Queries, keys and values from argument `from` on; of half of them, `isHalf`.
bool CallReader::attention(size_t from, size_t causal, bool isHalf) {
  const Dims *q = tensor(from), *k = tensor(from + 1), *v = tensor(from + 2);
  if (!q || !k || !v || q->size() != 4 || k->size() != 4 || v->size() != 4 || (*q)[3] != (*k)[3] ||
      (*k)[3] != (*v)[3] || (*q)[1] % (*k)[1])
    return false;
  int64_t batch = (*q)[0], groups = (*k)[1], each = (*q)[1] / groups, t = (*q)[2], s = (*k)[2],
          e = (*q)[3];
  if (isHalf) { // of what divides, else about
    int64_t *extents[] = {&batch, &groups, &each};
    auto isEven = [](const int64_t *extent) { return *extent % 2 == 0; };
    auto isLess = [](const int64_t *one, const int64_t *other) { return *one < *other; };
    auto *even = llvm::find_if(extents, isEven);
    int64_t &halved = even != std::end(extents)
                          ? **even
                          : **std::max_element(std::begin(extents), std::end(extents), isLess);
    halved = static_cast<int64_t>(llvm::divideCeil(halved, 2));
  }
  int64_t heads = groups * each;
  bool isCausal = isTrue(causal);
  made.modules.insert("attention");
  if (!isCausal && t == s && heads == groups) {
    std::string one = fmt::format("tensor[{}, {}, {}, {}]", batch, heads, t, e);
    set(fmt::format("attention({0}, {0}, {0})", one), {});
    return true;
  }
  if (isCausal && t <= s)
    set(fmt::format("attend(tensor[{0}, {1}, {2}, {3}, {5}], tensor[{0}, {1}, {4}, {5}], "
                    "tensor[{0}, {1}, {4}, {5}])",
                    batch, groups, each, t, s, e),
        {});
  else
    set(fmt::format("cross_attention(tensor[{0}, {1}, {2}, {4}], tensor[{0}, {1}, {3}, {4}], "
                    "tensor[{0}, {1}, {3}, {4}])",
                    batch, heads, t, s, e),
        {});
  return true;
}

/// Behind the gradient of the results come queries, keys and values. The five products of a
/// gradient, for the two of attention, are two times and a half as many.
bool CallReader::attentionGradient(size_t causal) {
  return attention(1, causal) && attention(1, causal) && attention(1, causal, true);
}

/// Rows of experts, of which each has as many here, and their weights.
bool CallReader::grouped() {
  const Dims *x = tensor(0), *w = tensor(1);
  if (!x || !w || x->size() != 2 || w->size() != 3 || x->back() != (*w)[1])
    return false;
  made.body += fmt::format("  a = tensor[{}, {}, {}]\n  c = weight{}\n"
                           "  y[b, i, j] += a[b, i, k] * c[b, k, j]\n",
                           (*w)[0], llvm::divideCeil((*x)[0], (*w)[0]), (*w)[1], list(*w));
  made.results.push_back("y");
  return true;
}

/// The products of a recurrent network: each matrix of its weights meets each token.
bool CallReader::recurrent() {
  const Dims *x = tensor(0);
  if (!x)
    return false;
  for (size_t i = 1; i < call.arguments.size(); ++i)
    for (const Tensor &weight : call.arguments[i].tensors)
      if (weight.dims.size() == 2 && weight.dims[0] > 0 && weight.dims[1] > 0)
        set(fmt::format("matmul(tensor[{}, {}], weight[{}, {}])", elementsOf(*x) / x->back(),
                        weight.dims[1], weight.dims[1], weight.dims[0]),
            {"matmul"});
  return !made.results.empty();
}

/// Arguments: the image, the window, strides and pads.
bool CallReader::pool() {
  const Dims *x = tensor(0);
  auto window = numbersOf(1, 2), stride = numbersOf(2, 2), pad = numbersOf(3, 2);
  if (text(2) == "[]")
    stride = window;
  if (!x || x->size() != 4 || !window || !stride || !pad || (*stride)[0] != (*stride)[1] ||
      (*pad)[0] != (*pad)[1] || !isSliding(*x, *window, *stride, *pad, {1, 1}))
    return false;
  set(fmt::format("max_pool(tensor{}, R = {}, S = {}, stride = {}, pad = {})", list(*x),
                  (*window)[0], (*window)[1], (*stride)[0], (*pad)[0]),
      {"pooling"});
  return true;
}

/// Over the last rank.
bool CallReader::rows(llvm::StringRef op, const char *module) {
  const Dims *x = tensor(0);
  if (!x)
    return false;
  set(fmt::format("{}(tensor[{}, {}])", op, elementsOf(*x) / x->back(), x->back()), {module});
  return true;
}

/// Channels are the second rank; of images that are none all places stand in a row. In training
/// their means and variances come first.
bool CallReader::batchNorm() {
  const Dims *x = tensor(0);
  if (!x || x->size() < 2)
    return false;
  int64_t channels = (*x)[1];
  Dims image =
      x->size() == 4 ? *x : Dims{(*x)[0], channels, 1, elementsOf(*x) / ((*x)[0] * channels)};
  if (isTrue(5)) {
    made.body += fmt::format("  x = tensor{}\n  y[c] += x[n, c, i, j]\n", list(image));
    made.results.push_back("y");
  }
  set(fmt::format("batchnorm(tensor{}, weight[{}], weight[{}])", list(image), channels, channels),
      {"batchnorm"});
  return true;
}

bool CallReader::embedding() {
  const Dims *table = tensor(0), *tokens = tensor(1);
  if (!table || !tokens || table->size() != 2)
    return false;
  set(fmt::format("embedding(token[{}], weight{})", elementsOf(*tokens), list(*table)),
      {"embedding"});
  return true;
}

static constexpr size_t noArgument = SIZE_MAX;

/// Which arguments of an operator are what.
const CallReader::Operator CallReader::operators[] = {
    {"linear",
     [](CallReader &c) { return c.product2d(c.tensor(0), c.tensor(1), true, c.tensor(2)); }},
    {"mm",
     [](CallReader &c) { return c.product2d(c.tensor(0), c.tensor(1), false, nullptr, false); }},
    {"addmm _addmm_activation",
     [](CallReader &c) { return c.product2d(c.tensor(1), c.tensor(2), false, c.tensor(0)); }},
    {"bmm", [](CallReader &c) { return c.batched(c.tensor(0), c.tensor(1)); }},
    {"baddbmm", [](CallReader &c) { return c.batched(c.tensor(1), c.tensor(2)); }},
    {"conv1d conv2d conv3d", [](CallReader &c) { return c.convolution(0, 1, 2, 3, false, 6, 1); }},
    {"convolution _convolution",
     [](CallReader &c) { return c.convolution(0, 1, 2, 3, c.isTrue(6), 8, 1); }},
    {"convolution_backward",
     [](CallReader &c) {
       return c.convolution(1, 2, noArgument, 4, c.isTrue(7), 9, gradientsOf(c.text(10)));
     }},
    {"layer_norm native_layer_norm", [](CallReader &c) { return c.normalisation(2, 3); }},
    {"rms_norm _fused_rms_norm",
     [](CallReader &c) { return c.normalisation(2, c.call.arguments.size()); }},
    {"batch_norm native_batch_norm cudnn_batch_norm miopen_batch_norm",
     [](CallReader &c) { return c.batchNorm(); }},
    {"max_pool2d max_pool2d_with_indices", [](CallReader &c) { return c.pool(); }},
    {"softmax _softmax log_softmax _log_softmax",
     [](CallReader &c) { return c.rows("softmax", "softmax"); }},
    {"scaled_dot_product_attention", [](CallReader &c) { return c.attention(0, 5); }},
    {"_scaled_dot_product_flash_attention_backward",
     [](CallReader &c) { return c.attentionGradient(11); }},
    {"_scaled_dot_product_efficient_attention_backward",
     [](CallReader &c) { return c.attentionGradient(11); }},
    {"_scaled_dot_product_cudnn_attention_backward",
     [](CallReader &c) { return c.attentionGradient(14); }},
    {"_grouped_mm", [](CallReader &c) { return c.grouped(); }},
    {"lstm gru rnn_tanh rnn_relu", [](CallReader &c) { return c.recurrent(); }},
    {"_cudnn_rnn_backward", [](CallReader &c) { return c.recurrent() && c.recurrent(); }},
    {"gelu", [](CallReader &c) { return c.rows("gelu", "gelu"); }},
    {"relu", [](CallReader &c) { return c.rows("relu", "relu"); }},
    {"silu", [](CallReader &c) { return c.rows("silu", "silu"); }},
    {"embedding", [](CallReader &c) { return c.embedding(); }},
};

llvm::Optional<CallText> CallReader::run() {
  llvm::StringRef name = plainName(call.op);
  for (const Operator &one : operators)
    if (llvm::is_contained(llvm::split(one.names, ' '), name) && one.read(*this))
      return std::move(made);
  return llvm::None;
}

llvm::Optional<CallText> trace::libraryCall(const Call &call) { return CallReader(call).run(); }
