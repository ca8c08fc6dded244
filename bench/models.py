# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of ONNX whose reading is timed: ResNet-50, and 50,000 nodes with 100 MB of weights."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "test" / "import" / "onnx" / "Inputs"))
from model import graph, model, node, tensor, text, value


def resnet50(path: str) -> str:
    nodes, stored = [], []

    def conv(x: str, channels: int, filters: int, side: int, stride: int, relu: bool = True) -> str:
        name = f"c{len(stored)}"
        stored.append(tensor(f"w{name}", [filters, channels, side, side]))
        stored.append(tensor(f"b{name}", [filters]))
        nodes.append(node("Conv", f"{x} w{name} b{name}", name, kernel_shape=[side] * 2, strides=[stride] * 2, pads=[side // 2] * 4))
        if relu:
            nodes.append(node("Relu", name, f"r{name}"))
        return f"r{name}" if relu else name

    x = conv("image", 3, 64, 7, 2)
    nodes.append(node("MaxPool", x, "pooled", kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4))
    x, channels = "pooled", 64
    for stage, (count, width) in enumerate([(3, 64), (4, 128), (6, 256), (3, 512)]):
        for block in range(count):
            stride = 2 if stage and block == 0 else 1
            y = conv(conv(conv(x, channels, width, 1, 1), width, width, 3, stride), width, 4 * width, 1, 1, relu=False)
            short = conv(x, channels, 4 * width, 1, stride, relu=False) if block == 0 else x
            nodes.append(node("Add", f"{y} {short}", f"s{len(nodes)}"))
            nodes.append(node("Relu", f"s{len(nodes) - 1}", f"x{len(nodes)}"))
            x, channels = f"x{len(nodes) - 1}", 4 * width
    stored += [tensor("wf", [1000, 2048]), tensor("bf", [1000])]
    nodes += [node("GlobalAveragePool", x, "mean"), node("Flatten", "mean", "flat"), node("Gemm", "flat wf bf", "y", transB=1)]
    Path(path).write_bytes(model(graph(nodes, [value("image", [1, 3, 224, 224])], [value("y")], stored)))
    return path


def large(path: str) -> str:
    """Products and activations in turn, each product with 4 KB of weights."""
    nodes, stored, data = [], [], bytes(4096)
    for i in range(25000):
        stored.append(tensor(f"w{i}", [32, 32]) + text(9, data))
        nodes += [node("MatMul", f"x{i} w{i}", f"m{i}"), node("Relu" if i % 3 else "Tanh", f"m{i}", f"x{i + 1}")]
    Path(path).write_bytes(model(graph(nodes, [value("x0", [8, 32])], [value("x25000")], stored)))
    return path
