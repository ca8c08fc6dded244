# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes Chakra traces for tests: write_chakra.py PREFIX RANK [RANK ...].

A RANK is a list of nodes separated by blanks, PREFIX.<position>.et holds it:
    comp:US  cpu:US  load:BYTES  store:BYTES  bcast:BYTES:US  ar:BYTES[:GROUP]  ag:BYTES[:GROUP]  send:DST:BYTES:TAG  recv:SRC:BYTES:TAG  meta  invalid
(GROUP `some`: of the world, but not of all dimensions) with `@ID` behind it for each node that it waits for; ids count from 0. `cut` as a first word cuts off the last byte.
"""
import sys


def varint(value):
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def sized(number, payload):
    return varint(number << 3 | 2) + varint(len(payload)) + payload


def integer(name, value):
    return sized(10, sized(1, name.encode()) + varint(9 << 3) + varint(value))


def text(name, value):
    return sized(10, sized(1, name.encode()) + sized(29, value.encode()))


def node(number, word):
    word, *parents = word.split("@")
    kind, *values = word.split(":")
    types = {"invalid": 0, "meta": 1, "load": 2, "store": 3, "comp": 4, "cpu": 4, "send": 5, "recv": 6, "ar": 7, "ag": 7, "bcast": 7}
    out = varint(1 << 3) + varint(number) + varint(3 << 3) + varint(types[kind])
    out += sized(5, b"".join(varint(int(parent)) for parent in parents)) if parents else b""
    if kind in ("comp", "cpu", "bcast"):
        out += varint(7 << 3) + varint(int(values[-1]))
    if kind == "cpu":
        out += integer("is_cpu_op", 1)
    elif kind == "bcast":
        out += integer("comm_type", 5) + integer("comm_size", int(values[0]))
    elif kind in ("load", "store"):
        out += integer("tensor_size", int(values[0]))
    elif kind in ("ar", "ag"):
        out += integer("comm_type", 0 if kind == "ar" else 2) + integer("comm_size", int(values[0]))
        out += text("pg_name", values[1]) if len(values) > 1 and values[1] != "some" else b""
        out += sized(10, sized(1, b"involved_dim") + sized(28, sized(1, b"\1\0"))) if values[-1] == "some" else b""
    elif kind in ("send", "recv"):
        out += integer("comm_dst" if kind == "send" else "comm_src", int(values[0]))
        out += integer("comm_size", int(values[1])) + integer("comm_tag", int(values[2]))
    return out


for rank, line in enumerate(sys.argv[2:]):
    words = line.split()
    records = [sized(1, b"0.0.4"), *(node(i, word) for i, word in enumerate(w for w in words if w != "cut"))]
    data = b"".join(varint(len(record)) + record for record in records)
    with open(f"{sys.argv[1]}.{rank}.et", "wb") as file:
        file.write(data[:-1] if words[0] == "cut" else data)
