// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The forms that `recognize` looks for: norms, activations and gates (Recognize.cpp), rotations and
// attention (RecognizeAttention.cpp).
#ifndef PERFC_FRONTEND_IMPORT_GRAPH_RECOGNIZER_H
#define PERFC_FRONTEND_IMPORT_GRAPH_RECOGNIZER_H

#include "frontend/import/graph/Recognize.h"

namespace perfc {
namespace graph {

/// Walks from the last operation of a form to what it is made of. An operation belongs to a form
/// when nothing outside uses its result.
class Recognizer {
public:
  explicit Recognizer(Net &net) : net(net) {
    isResult.resize(net.values.size());
    for (int output : net.outputs)
      isResult[output] = true;
  }
  void run();

private:
  /// The operation of one of these types that makes `value`, or null. With `isInner`, all of its
  /// results' uses belong to the form.
  Op *maker(int value, std::initializer_list<llvm::StringRef> types, unsigned uses = 1);
  bool isNumber(int value, double wanted) const;
  /// The operand of `op`, a commutative operation of two, beside the known number `wanted`.
  int besideNumber(const Op &op, double wanted) const;
  int besideStored(const Op &op, int &stored) const;
  bool isLastMean(const Op &op) const;
  void replace(Op &last, llvm::StringRef type, std::vector<int> inputs,
               std::initializer_list<Op *> parts);

  void replaceAll(Op &last, llvm::StringRef type, std::vector<int> inputs,
                  llvm::ArrayRef<Op *> parts);

  bool layerNorm(Op &last);
  bool rmsNorm(Op &last);
  bool gelu(Op &last);
  bool geluTanh(Op &last);
  bool gate(Op &last);
  bool attention(Op &last);
  int groupsOf(int value, std::vector<Op *> &parts);
  int unrepeated(int value, std::vector<Op *> &parts);
  int unturned(int keys, std::vector<Op *> &parts);
  bool isRotatedHalf(int value, int x, std::vector<Op *> &parts);
  bool rotary(Op &last);
  bool groupNorm(Op &last);

  Net &net;
  std::vector<bool> isResult;
};

} // namespace graph
} // namespace perfc

#endif // PERFC_FRONTEND_IMPORT_GRAPH_RECOGNIZER_H
