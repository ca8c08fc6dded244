# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes ONNX models field by field (onnx.proto), without weights: a stored tensor has dimensions and a type alone
unless it is a list of numbers."""
import struct

FLOAT, UINT8, INT8, INT32, INT64, BOOL, FLOAT16 = 1, 2, 3, 6, 7, 9, 10


def varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out + bytes([value]))


def number(field: int, value: int) -> bytes:
    return varint(field << 3) + varint(value)


def text(field: int, value) -> bytes:
    data = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(data)) + data


def real(field: int, value: float) -> bytes:
    return varint(field << 3 | 5) + struct.pack("<f", value)


def tensor(name: str, dims=(), type=FLOAT, values=None) -> bytes:
    """A stored tensor; VALUES, whole or real numbers, are kept in it."""
    out = b"".join(number(1, dim) for dim in dims) + number(2, type) + text(8, name)
    if values is not None:
        form = {FLOAT: "f", INT64: "q", INT32: "i", INT8: "b", UINT8: "B", BOOL: "B"}[type]
        out += text(9, struct.pack(f"<{len(values)}{form}", *values))
    return out


def attribute(name: str, value) -> bytes:
    out = text(1, name)
    if isinstance(value, bytes):  # a graph or a tensor is given as (field, bytes)
        raise TypeError(name)
    if isinstance(value, tuple):
        return out + text(value[0], value[1])
    if isinstance(value, str):
        return out + text(4, value)
    if isinstance(value, float):
        return out + real(2, value)
    if isinstance(value, int):
        return out + number(3, value)
    if value and isinstance(value[0], float):
        return out + b"".join(real(7, one) for one in value)
    return out + b"".join(number(8, one) for one in value)


def node(op: str, inputs, outputs, name="", domain="", **attributes) -> bytes:
    """An operation; INPUTS and OUTPUTS are names with spaces between, "-" for one that is left out."""
    names = lambda list: ["" if one == "-" else one for one in list.split()]
    return (b"".join(text(1, one) for one in names(inputs)) + b"".join(text(2, one) for one in names(outputs))
            + text(3, name) + text(4, op) + b"".join(text(5, attribute(key, one)) for key, one in attributes.items())
            + text(7, domain))


def value(name: str, shape=None, type=FLOAT) -> bytes:
    """An input or output: extents are numbers, names or None."""
    if shape is None:
        return text(1, name)
    dims = b"".join(text(1, b"" if dim is None else text(2, dim) if isinstance(dim, str) else number(1, dim)) for dim in shape)
    return text(1, name) + text(2, text(1, number(1, type) + text(2, dims)))


def graph(nodes, inputs=(), outputs=(), stored=(), values=()) -> bytes:
    return (b"".join(text(1, one) for one in nodes) + text(2, "g") + b"".join(text(5, one) for one in stored)
            + b"".join(text(11, one) for one in inputs) + b"".join(text(12, one) for one in outputs)
            + b"".join(text(13, one) for one in values))


def model(body: bytes, opset=17, functions=(), domains=()) -> bytes:
    sets = [("", opset), *((domain, 1) for domain in domains)]
    return (number(1, 8) + text(2, "test") + text(7, body)
            + b"".join(text(8, text(1, domain) + number(2, version)) for domain, version in sets)
            + b"".join(text(25, one) for one in functions))
