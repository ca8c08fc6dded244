// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/driver/validate/DecoderText.h"

#include "tools/driver/validate/ModelText.h"

using namespace perfc;
using namespace perfc::driver;

/// Gated experts of which each token uses the K that `slot` names, and latent attention, in which
/// keys have other widths than values (DeepSeek-V2, 2024, eq. 9-19).
static constexpr llvm::StringLiteral ops = R"(
op experts(x[B, T, D], slot[B, T, K], gate[X, D, F]: weight, up[X, D, F]: weight, down[X, F, D]: weight) -> y[B, T, D] {
  g[b, t, k, f] += x[b, t, d] * gate[slot[b, t, k], d, f]
  u[b, t, k, f] += x[b, t, d] * up[slot[b, t, k], d, f]
  h[b, t, k, f] = g[b, t, k, f] * sigmoid(g[b, t, k, f]) * u[b, t, k, f]
  y[b, t, d] += h[b, t, k, f] * down[slot[b, t, k], f, d]
}

op attend_latent(q[B, H, T, E], k[B, H, S, E], v[B, H, S, V]) -> o[B, T, H, V] {
  where j <= i + S - T
  s[b, h, i, j] += q[b, h, i, e] * k[b, h, j, e]
  m[b, h, i]    max= s[b, h, i, j]
  p[b, h, i, j] = exp(s[b, h, i, j] - m[b, h, i])
  z[b, h, i]    += p[b, h, i, j]
  u[b, h, i, f] += p[b, h, i, j] * v[b, h, j, f]
  o[b, i, h, f] = u[b, h, i, f] / z[b, h, i]
}

)";

namespace {

class DecoderWriter {
public:
  explicit DecoderWriter(const llvm::json::Object &arch)
      : arch(arch), D(intAt(&arch, "d_model")), heads(intAt(&arch, "n_heads")),
        groups(intAt(&arch, "n_kv_heads", heads)), E(intAt(&arch, "d_head")),
        F(intAt(&arch, "d_ff")), layers(intAt(&arch, "n_layers")), vocab(intAt(&arch, "vocab")),
        causal(flagAt(&arch, "causal")), allBias(flagAt(&arch, "all_bias")),
        qkvBias(flagAt(&arch, "qkv_bias")),
        rms(arch.getString("norm") == llvm::StringRef("rmsnorm")) {}

  std::string write(std::string &problem);

private:
  void line(const std::string &text) { body += "    " + text + "\n"; }
  std::string norm(const std::string &x, int64_t width) const {
    return rms ? fmt::format("rmsnorm({0}, weight[{1}])", x, width)
               : fmt::format("layernorm({0}, weight[{1}], weight[{1}])", x, width);
  }
  std::string bias(int64_t width) const {
    return allBias ? fmt::format(" + weight[{}]", width) : "";
  }
  void attention();
  void encoderAttention();
  void latentAttention(const llvm::json::Object &mla);
  void feedForward(int64_t width);
  void mixture();
  void addLayers(int64_t count, bool dense);
  void embedding();
  void head();

  const llvm::json::Object &arch;
  int64_t D, heads, groups, E, F, layers, vocab;
  bool causal, allBias, qkvBias, rms;
  /// Declares a result that every layer computes anew, and no other line of it reads.
  void carry(const std::string &name, const std::string &shape);

  std::string body, results = "y";
};

} // namespace

void DecoderWriter::attention() {
  int64_t H = heads / groups;
  line(fmt::format("wq = weight[{}, {}, {}, {}]", D, groups, H, E));
  line(fmt::format("wo = weight[{}, {}, {}, {}]", groups, H, E, D));
  line("u[b, g, h, t, e] += n[b, t, d] * wq[d, g, h, e]");
  if (qkvBias) {
    line(fmt::format("bq = weight[{}, {}, {}]", groups, H, E));
    line("q[b, g, h, t, e] = u[b, g, h, t, e] + bq[g, h, e]");
  }
  std::string weights = fmt::format("weight[{}, {}, {}]", D, groups, E);
  std::string heads =
      qkvBias ? fmt::format("split_heads_bias(n, {}, weight[{}, {}])", weights, groups, E)
              : fmt::format("split_heads(n, {})", weights);
  for (const char *name : {"k", "v"})
    line(fmt::format("{} = append(cache[1, {}, S, {}], {})", name, groups, E, heads));
  line(fmt::format("o = attend({}, k, v)", qkvBias ? "q" : "u"));
  line("a[b, t, d] += o[b, t, g, h, e] * wo[g, h, e, d]");
}

/// Every position attends to every position; nothing is cached.
void DecoderWriter::encoderAttention() {
  std::string weights = fmt::format("weight[{}, {}, {}]", D, heads, E);
  std::string call = qkvBias
                         ? fmt::format("split_heads_bias(n, {}, weight[{}, {}])", weights, heads, E)
                         : fmt::format("split_heads(n, {})", weights);
  for (const char *name : {"q", "k", "v"})
    line(fmt::format("{} = {}", name, call));
  line(fmt::format("a = merge_heads(attention(q, k, v), weight[{}, {}, {}])", heads, E, D));
}

void DecoderWriter::latentAttention(const llvm::json::Object &mla) {
  int64_t Q = intAt(&mla, "q_lora"), K = intAt(&mla, "kv_lora"), rope = intAt(&mla, "rope"),
          nope = intAt(&mla, "nope"), V = intAt(&mla, "v");
  line(fmt::format("cq = {}", norm(fmt::format("matmul(n, weight[{}, {}])", D, Q), Q)));
  line(fmt::format("q = split_heads(cq, weight[{}, {}, {}])", Q, heads, nope + rope));
  line(fmt::format("ck = {}", norm(fmt::format("matmul(n, weight[{}, {}])", D, K), K)));
  line(fmt::format("kr = matmul(n, weight[{}, {}])", D, rope));
  line(fmt::format("kn = split_heads(ck, weight[{}, {}, {}])", K, heads, nope));
  line(fmt::format("vn = split_heads(ck, weight[{}, {}, {}])", K, heads, V));
  line(fmt::format("k = cache[1, {}, S, {}]", heads, nope + rope));
  line(fmt::format("v = append(cache[1, {}, S, {}], vn)", heads, V));
  line(fmt::format("o = attend_latent(q, k, v)"));
  line(fmt::format("wo = weight[{}, {}, {}]", heads, V, D));
  line("a[b, t, d] += o[b, t, h, e] * wo[h, e, d]");
}

void DecoderWriter::feedForward(int64_t width) {
  if (flagAt(&arch, "gated_ffn"))
    line(fmt::format("f = swiglu(n, weight[{0}, {1}], weight[{0}, {1}], weight[{1}, {0}])", D,
                     width));
  else
    line(fmt::format("f = matmul(gelu(matmul(n, weight[{0}, {1}]){2}), weight[{1}, {0}]){3}", D,
                     width, bias(width), bias(D)));
}

/// A router, the experts that each token uses, and those that all tokens share.
void DecoderWriter::mixture() {
  int64_t count = intAt(&arch, "n_experts"), used = intAt(&arch, "experts_per_token"),
          shared = intAt(&arch, "shared_experts");
  // Where experts are shared, as in DeepSeek-V3 (2024, eq. 16), a bias per expert balances the
  // choice.
  line(fmt::format("router = matmul(n, weight[{}, {}]){}", D, count,
                   shared ? fmt::format(" + weight[{}]", count) : ""));
  line(fmt::format("e = experts(n, token[1, T, {3}], weight[{2}, {0}, {1}], weight[{2}, {0}, {1}], "
                   "weight[{2}, {1}, {0}])",
                   D, F, count, used));
  if (shared) {
    feedForward(shared * F);
    line("f = f + e");
  } else {
    line("f = e");
  }
}

void DecoderWriter::carry(const std::string &name, const std::string &shape) {
  if (llvm::is_contained(llvm::split(results, ", "), name))
    return;
  results += ", " + name;
  body += fmt::format("  {} = tensor[{}]\n", name, shape);
}

void DecoderWriter::addLayers(int64_t count, bool dense) {
  if (count <= 0)
    return;
  const llvm::json::Object *mla = arch.getObject("mla");
  if (mla) { // the keys, which the cache has
    carry("kr", fmt::format("1, T, {}", intAt(mla, "rope")));
    carry("kn", fmt::format("1, {}, T, {}", heads, intAt(mla, "nope")));
  }
  if (!dense && intAt(&arch, "n_experts"))
    carry("router", fmt::format("1, T, {}", intAt(&arch, "n_experts")));
  body += fmt::format("  repeat {} {{\n", count);
  line("n = " + (causal ? norm("x", D) : std::string("x")));
  if (mla)
    latentAttention(*mla);
  else if (causal)
    attention();
  else
    encoderAttention();
  line(causal ? "x = x + a" + bias(D) : "x = " + norm("x + a" + bias(D), D));
  line("n = " + (causal ? norm("x", D) : std::string("x")));
  if (!intAt(&arch, "n_experts"))
    feedForward(F);
  else if (dense)
    feedForward(intAt(&arch, "dense_d_ff"));
  else
    mixture();
  line(causal ? "x = x + f" : "x = " + norm("x + f", D));
  body += "  }\n";
}

/// Tokens, learned positions, and the two segments of an encoder.
void DecoderWriter::embedding() {
  body += fmt::format("  table = weight[{}, {}]\n  x = embedding(token[1, T], table)\n", vocab, D);
  if (int64_t positions = intAt(&arch, "learned_positions"))
    body += fmt::format("  x = x + embedding(token[1, T], weight[{}, {}])\n", positions, D);
  if (!causal)
    body +=
        fmt::format("  x = x + embedding(token[1, T], weight[2, {}])\n  x = {}\n", D, norm("x", D));
}

/// The output layer of a decoder; the pooler on the first token of an encoder.
void DecoderWriter::head() {
  if (!causal)
    body += fmt::format("  w = weight[{0}, {0}]\n  f[b, e] += x[b, 0, d] * w[d, e]\n"
                        "  y = tanh(f + weight[{0}])\n",
                        D);
  else if (flagAt(&arch, "tied_embeddings"))
    body += "  n = " + norm("x", D) + "\n  y[b, t, u] += n[b, t, d] * table[u, d]\n";
  else
    body += fmt::format("  y = matmul({}, weight[{}, {}])\n", norm("x", D), D, vocab);
}

std::string DecoderWriter::write(std::string &problem) {
  bool isSound = D > 0 && heads > 0 && groups > 0 && heads % groups == 0 && layers > 0 &&
                 vocab > 0 && F > 0 && (E > 0 || arch.getObject("mla"));
  if (!isSound) {
    problem = "an architecture without sizes";
    return "";
  }
  int64_t dense = intAt(&arch, "n_experts") ? intAt(&arch, "first_dense_layers") : 0;
  embedding();
  addLayers(dense, /*dense=*/true);
  addLayers(layers - dense, /*dense=*/false);
  head();
  return "import std.ops.{append, attention, embedding, gelu, heads, layernorm, matmul, rmsnorm, "
         "swiglu}\n" +
         ops.str() + "workload model(T, S) -> " + results + " {\n" + body + "}\n";
}

std::string perfc::driver::languageModelText(const llvm::json::Object &arch, std::string &problem) {
  return DecoderWriter(arch).write(problem);
}
