// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/target/LayerFigures.h"

using namespace perfc;
using namespace perfc::target;

static constexpr LayerWorkInfo works[] = {
    {LayerWork::Convolution, "convolution", LayerWorkInfo::Macs, LayerWork::Convolution},
    {LayerWork::Pointwise, "pointwise", LayerWorkInfo::Macs, LayerWork::Convolution},
    {LayerWork::Winograd, "winograd", LayerWorkInfo::Macs, LayerWork::Convolution},
    {LayerWork::First, "first", LayerWorkInfo::Macs, LayerWork::Convolution},
    {LayerWork::Depthwise, "depthwise", LayerWorkInfo::Macs, LayerWork::Convolution},
    {LayerWork::Product, "product", LayerWorkInfo::Macs, LayerWork::Pointwise},
    {LayerWork::Weights, "weights", LayerWorkInfo::Bytes, LayerWork::Weights},
    {LayerWork::Activations, "activations", LayerWorkInfo::Bytes, LayerWork::Activations},
    {LayerWork::Transforms, "transforms", LayerWorkInfo::Bytes, LayerWork::Transforms},
    {LayerWork::Elements, "elements", LayerWorkInfo::Bytes, LayerWork::Activations},
    {LayerWork::Reductions, "reductions", LayerWorkInfo::Bytes, LayerWork::Elements},
    {LayerWork::Moves, "moves", LayerWorkInfo::Bytes, LayerWork::Elements},
    {LayerWork::Op, "op", LayerWorkInfo::Kernels, LayerWork::Op},
};

llvm::ArrayRef<LayerWorkInfo> target::layerWorks() { return works; }

const ir::Attribute *target::layerFigure(const ir::AttrDict &layers, LayerWork work, DType format,
                                         LayerWork *from) {
  for (LayerWork each = work;; each = infoOf(each).otherwise) {
    std::string name = infoOf(each).name.str();
    for (const std::string &key : {name + "." + dtypeName(format).str(), name})
      if (const ir::Attribute *found = layers.find(key)) {
        if (from)
          *from = each;
        return found;
      }
    if (infoOf(each).otherwise == each)
      return nullptr;
  }
}
