// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops of the library that stay nodes of domain `perfc`, so that they are read back as what they
// are, with a function of the model that says what they compute in operators of ONNX.
#include "backends/emit/onnx/Functions.h"

#include <limits>

using namespace perfc;
using namespace perfc::emit::onnx;

using Numbers = std::vector<int64_t>;

namespace {

/// Adds operators to a function. What they read and make goes by names.
struct Body {
  Function function;

  void add(llvm::StringRef result, llvm::StringRef op, std::vector<std::string> operands,
           std::vector<Attribute> attributes = {}) {
    function.steps.push_back({result.str(), op.str(), std::move(operands), std::move(attributes)});
  }
  void list(llvm::StringRef result, const Numbers &numbers) {
    add(result, "Constant", {}, {{"value_ints", numbers}});
  }
  /// The extent of `tensor` along `axis`, as a list of one and as a number.
  void extent(llvm::StringRef result, llvm::StringRef tensor, int64_t axis) {
    std::string one = result.str() + "_list";
    add(one, "Shape", {tensor.str()}, {{"start", axis}, {"end", axis + 1}});
    add(result, "Squeeze", {one});
  }
};

} // namespace

/// c with n in the place of its last entries along `axis`.
static Function append(int64_t axis) {
  Body body{{{"c", "n"}, {"c_after"}, {}, {}}};
  body.extent("S", "c", axis);
  body.extent("T", "n", axis);
  body.add("kept", "Sub", {"S_list", "T_list"});
  body.list("first", {0});
  body.list("axis", {axis});
  body.add("before", "Slice", {"c", "first", "kept", "axis"});
  body.add("c_after", "Concat", {"before", "n"}, {{"axis", axis}});
  return body.function;
}

/// True for pairs of the new token i and the key j that it sees: j <= i + S - T, and of these the
/// last `window`.
static void addSeen(Body &body, bool hasWindow) {
  body.extent("T", "q", 3);
  body.extent("S", "k", 2);
  body.add("zero", "Constant", {}, {{"value_int", int64_t(0)}});
  body.add("one", "Constant", {}, {{"value_int", int64_t(1)}});
  body.add("j", "Range", {"zero", "S", "one"});
  body.add("earlier", "Sub", {"S", "T"});
  body.add("i", "Range", {"earlier", "S", "one"});
  body.list("columns", {1});
  body.add("last", "Unsqueeze", {"i", "columns"});
  body.add(hasWindow ? "causal" : "seen", "LessOrEqual", {"j", "last"});
  if (!hasWindow)
    return;
  body.add("window_size", "Constant", {}, {{"value_int", Parameter{"window"}}});
  body.add("before", "Sub", {"last", "window_size"});
  body.add("near", "Greater", {"j", "before"});
  body.add("seen", "And", {"causal", "near"});
}

/// softmax(q k') v of q [B, G, H, T, E] and k and v [B, G, S, E] to o [B, T, G, H, E].
static Function attend(bool hasWindow) {
  Body body{{{"q", "k", "v"}, {"o"}, {}, {}}};
  if (hasWindow)
    body.function.parameters = {"window"};
  addSeen(body, hasWindow);
  body.list("heads", {2});
  body.add("turned", "Transpose", {"k"}, {{"perm", Numbers{0, 1, 3, 2}}});
  body.add("keys", "Unsqueeze", {"turned", "heads"});
  body.add("scores", "MatMul", {"q", "keys"});
  body.add("none", "Constant", {}, {{"value_float", -std::numeric_limits<double>::infinity()}});
  body.add("unseen", "CastLike", {"none", "scores"});
  body.add("masked", "Where", {"seen", "scores", "unseen"});
  body.add("weights", "Softmax", {"masked"}, {{"axis", int64_t(-1)}});
  body.add("values", "Unsqueeze", {"v", "heads"});
  body.add("mixed", "MatMul", {"weights", "values"});
  body.add("o", "Transpose", {"mixed"}, {{"perm", Numbers{0, 3, 1, 2, 4}}});
  return body.function;
}

llvm::Optional<Function> emit::onnx::functionOf(llvm::StringRef module, llvm::StringRef op) {
  if (module == "std.ops.attention" && (op == "attend" || op == "attend_window"))
    return attend(op == "attend_window");
  if (module == "std.ops.append" && (op == "append" || op == "append_vectors"))
    return append(op == "append" ? 2 : 1);
  return llvm::None;
}
