// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/driver/validate/VisionText.h"

#include "tools/driver/validate/ModelText.h"

using namespace perfc;
using namespace perfc::driver;

std::string perfc::driver::visionTransformerText(const llvm::json::Object &arch) {
  int64_t D = intAt(&arch, "d_model"), patch = intAt(&arch, "patch");
  return fmt::format(
      R"(import std.ops.{{conv2d, layernorm, matmul}}
import std.workloads.encoder

op tokens(patch[N, D, P, Q], class[D]: weight, bias[D]: weight, position[T, D]: weight) -> x[N, T, D] {{
  x[n, 0, d]           = class[d] + position[0, d]
  x[n, 1 + p*Q + q, d] = patch[n, d, p, q] + bias[d] + position[1 + p*Q + q, d]
}}

workload model() -> y {{
  p = conv2d(tensor[1, 3, {image}, {image}], weight[{D}, 3, {patch}, {patch}], stride = {patch})
  x = tokens(p, weight[{D}], weight[{D}], weight[{tokens}, {D}])
  repeat {layers} {{
    x = x + self_attention(layernorm(x, weight[{D}], weight[{D}]), {heads})
    x = x + feed_forward(layernorm(x, weight[{D}], weight[{D}]), {F})
  }}
  x = layernorm(x, weight[{D}], weight[{D}])
  w = weight[{D}, {classes}]
  h[b, k] += x[b, 0, d] * w[d, k]
  y = h + weight[{classes}]
}}
)",
      fmt::arg("image", intAt(&arch, "image")), fmt::arg("patch", patch), fmt::arg("D", D),
      fmt::arg("tokens", intAt(&arch, "tokens")), fmt::arg("layers", intAt(&arch, "n_layers")),
      fmt::arg("heads", intAt(&arch, "n_heads")), fmt::arg("F", intAt(&arch, "d_ff")),
      fmt::arg("classes", intAt(&arch, "classes")));
}

std::string perfc::driver::diffusionTransformerText(const llvm::json::Object &arch) {
  const llvm::json::Array *latent = arch.getArray("latent");
  int64_t C = latent && !latent->empty() ? (*latent)[0].getAsInteger().getValueOr(0) : 0;
  int64_t Y = latent && latent->size() > 1 ? (*latent)[1].getAsInteger().getValueOr(0) : 0;
  int64_t D = intAt(&arch, "d_model"), patch = intAt(&arch, "patch"), T = intAt(&arch, "tokens");
  // The timestep enters as 256 sinusoids; classes have one more row for "no class".
  return fmt::format(
      R"(import std.ops.{{conv2d, embedding, gelu, layernorm, matmul, silu}}
import std.workloads.encoder

op tokens(patch[N, D, P, Q], bias[D]: weight, position[T, D]: weight) -> x[N, T, D] {{
  x[n, p*Q + q, d] = patch[n, d, p, q] + bias[d] + position[p*Q + q, d]
}}

op normalise(x[N, T, D]) -> y[N, T, D] {{
  sum[n, t]  += x[n, t, d]
  c[n, t, d] = x[n, t, d] - sum[n, t] / D
  q[n, t, d] = c[n, t, d] * c[n, t, d]
  var[n, t]  += q[n, t, d]
  y[n, t, d] = c[n, t, d] * rsqrt(var[n, t] / D)
}}

op modulate(x[N, T, D], m[N, M, D]) -> y[N, T, D] {{
  y[n, t, d] = x[n, t, d] * m[n, 0, d] + m[n, 1, d]
}}

op conditions(c[N, E], w[E, M, D]: weight, bias[M, D]: weight) -> m[N, M, D] {{
  u[n, k, d] += c[n, e] * w[e, k, d]
  m[n, k, d] = u[n, k, d] + bias[k, d]
}}

workload model() -> y {{
  p = conv2d(tensor[1, {C}, {Y}, {Y}], weight[{D}, {C}, {patch}, {patch}], stride = {patch})
  x = tokens(p, weight[{D}], weight[{T}, {D}])
  t = matmul(silu(matmul(tensor[1, 256], weight[256, {D}]) + weight[{D}]), weight[{D}, {D}]) + weight[{D}]
  c = silu(t + embedding(token[1], weight[{classes}, {D}]))
  repeat {layers} {{
    m = conditions(c, weight[{D}, 6, {D}], weight[6, {D}])
    x = x + self_attention(modulate(normalise(x), m), {heads})
    x = x + feed_forward(modulate(normalise(x), m), {F})
  }}
  f = conditions(c, weight[{D}, 2, {D}], weight[2, {D}])
  y = matmul(modulate(normalise(x), f), weight[{D}, {out}]) + weight[{out}]
}}
)",
      fmt::arg("C", C), fmt::arg("Y", Y), fmt::arg("D", D), fmt::arg("patch", patch),
      fmt::arg("T", T), fmt::arg("classes", intAt(&arch, "classes") + 1),
      fmt::arg("layers", intAt(&arch, "n_layers")), fmt::arg("heads", intAt(&arch, "n_heads")),
      fmt::arg("F", intAt(&arch, "mlp_ratio", 4) * D), fmt::arg("out", patch * patch * 2 * C));
}

static std::vector<int64_t> intsAt(const llvm::json::Object &object, llvm::StringRef key) {
  std::vector<int64_t> values;
  if (const llvm::json::Array *list = object.getArray(key))
    for (const llvm::json::Value &value : *list)
      values.push_back(value.getAsInteger().getValueOr(0));
  return values;
}

/// Fully connected layers with biases, from `width` inputs on; the result is called `name`.
static std::string stack(llvm::StringRef name, int64_t width, llvm::ArrayRef<int64_t> widths) {
  std::string text;
  for (int64_t next : widths) {
    text += fmt::format("  {0} = relu(matmul({0}, weight[{1}, {2}]) + weight[{2}])\n", name.str(),
                        width, next);
    width = next;
  }
  return text;
}

std::string perfc::driver::recommendationText(const llvm::json::Object &arch) {
  std::vector<int64_t> bottom = intsAt(arch, "bottom_mlp"), top = intsAt(arch, "top_mlp"),
                       rows = intsAt(arch, "table_rows");
  int64_t dense = intAt(&arch, "dense_features"), E = intAt(&arch, "embedding_dim");
  int64_t features = static_cast<int64_t>(rows.size()) + 1;
  std::string results = "x, p, z";
  std::string text = fmt::format("  x = tensor[1, {}]\n", dense) + stack("x", dense, bottom);
  for (size_t i = 0; i < rows.size(); ++i) {
    text += fmt::format("  e{} = embedding(token[1], weight[{}, {}])\n", i, rows[i], E);
    results += fmt::format(", e{}", i);
  }
  text += fmt::format("  f = tensor[1, {0}, {1}]\n  p[b, i, j] += f[b, i, d] * f[b, j, d]\n",
                      features, E);
  int64_t inputs = features * (features - 1) / 2 + E;
  text += fmt::format("  z = tensor[1, {}]\n", inputs) + stack("z", inputs, top);
  return "import std.ops.{embedding, matmul, relu}\n\nworkload model() -> " + results + " {\n" +
         text + "}\n";
}

static std::string layerText(llvm::StringRef type, llvm::ArrayRef<int64_t> v) {
  if (type == "conv" && v.size() == 6) // ci, co, k, stride, ho, wo
    return fmt::format("conv2d(tensor[1, {}, {}, {}], weight[{}, {}, {}, {}], stride = {})", v[0],
                       (v[4] - 1) * v[3] + v[2], (v[5] - 1) * v[3] + v[2], v[1], v[0], v[2], v[2],
                       v[3]);
  if (type == "linear" && v.size() == 3) // ci, co, tokens
    return fmt::format("matmul(tensor[{}, {}], weight[{}, {}])", v[2], v[0], v[0], v[1]);
  if (type == "attn" && v.size() == 4) // heads, d_head, q_tokens, kv_tokens
    return fmt::format("cross(tensor[{0}, {2}, {1}], tensor[{0}, {3}, {1}], tensor[{0}, {3}, {1}])",
                       v[0], v[1], v[2], v[3]);
  return "";
}

std::string perfc::driver::layerListText(const llvm::json::Array &layers, std::string &problem) {
  std::string text = R"(import std.ops.{conv2d, matmul}

op cross(q[H, L, D], k[H, S, D], v[H, S, D]) -> o[H, L, D] {
  s[h, i, j] += q[h, i, d] * k[h, j, d]
  m[h, i]    max= s[h, i, j]
  p[h, i, j] = exp(s[h, i, j] - m[h, i])
  z[h, i]    += p[h, i, j]
  u[h, i, e] += p[h, i, j] * v[h, j, e]
  o[h, i, e] = u[h, i, e] / z[h, i]
}

)";
  std::vector<std::string> lines;
  for (size_t i = 0; i < layers.size(); ++i) {
    const llvm::json::Array *fields = layers[i].getAsArray();
    std::vector<int64_t> values;
    for (size_t k = 1; fields && k < fields->size(); ++k)
      values.push_back((*fields)[k].getAsInteger().getValueOr(0));
    std::string call = fields && !fields->empty() && (*fields)[0].getAsString()
                           ? layerText(*(*fields)[0].getAsString(), values)
                           : "";
    if (call.empty()) {
      problem = fmt::format("layer {} has another form", i);
      return "";
    }
    lines.push_back(std::move(call));
  }
  if (layers.empty())
    problem = "the row has no layers";
  return text + layersText(lines);
}
