# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a graph of perfc's IR computes, statement by statement over all points of its domain: a reference for small tensors.

A read outside its tensor is 0, a write outside is left out, and elements of a result that nothing sets are 0."""
import itertools
import math
import re

import numpy as np

TOKEN = re.compile(r'\s*("(?:[^"\\]|\\.)*"|[\[\]{}(),=]|[^\[\]{}(),="]+)')
FUNCTIONS = {"+": lambda a, b: a + b, "-": lambda a, b=None: -a if b is None else a - b, "*": lambda a, b: a * b,
             "/": lambda a, b: a / b, "^": lambda a, b: a ** b, "pow": lambda a, b: a ** b, "max": max, "min": min,
             "rsqrt": lambda a: 1 / math.sqrt(a), "sigmoid": lambda a: 1 / (1 + math.exp(-a)), "abs": abs,
             **{name: getattr(math, name) for name in ["exp", "log", "sqrt", "tanh", "erf", "sin", "cos", "floor", "ceil"]}}
REDUCTIONS = {"+": lambda a, b: a + b, "max": max, "min": min}


class Reader:
    """Attributes as Python has them: numbers and expressions of indices stay text."""

    def __init__(self, text):
        self.tokens, self.at = TOKEN.findall(text), 0

    def take(self):
        self.at += 1
        return self.tokens[self.at - 1].strip()

    def peek(self):
        return self.tokens[self.at].strip()

    def value(self):
        token = self.take()
        if token == "[":
            return self.items("]", self.value)
        if token == "{":
            return dict(self.items("}", self.pair))
        return ("text", token[1:-1]) if token[0] == '"' else token

    def items(self, close, item):
        found = []
        while self.peek() != close:
            found.append(item())
            if self.peek() == ",":
                self.take()
        self.take()
        return found

    def pair(self):
        name = self.take()
        if self.peek() != "=":
            return name, True
        self.take()
        return name, self.value()


def attributes(line):
    """Of an operation without a region: what stands between its outermost parentheses."""
    start = line.find(" (")
    if start < 0:
        return {}
    reader = Reader(line[start + 2:])
    return dict(reader.items(")", reader.pair))


def text(value):
    return value[1] if isinstance(value, tuple) else value


class Statement:
    def __init__(self, line):
        read = attributes(line)
        self.write, self.reads = self.access(read["write"]), [self.access(one) for one in read["reads"]]
        self.domain = {name: int(size) for name, size in read["domain"].items()}
        self.constraints = [self.affine(one) for one in read.get("constraints", [])]
        self.reduce, self.value = text(read.get("reduce", "")), read["value"]

    @staticmethod
    def affine(written):
        return None if isinstance(written, tuple) else compile(written, "subscript", "eval")

    def access(self, read):
        return text(read["tensor"]), [self.affine(one) for one in read["map"]]

    def element(self, tensors, number, point, keys):
        """The value of a read; a subscript that depends on data is the read before it."""
        name, subscripts = self.reads[number]
        place = tuple(keys.pop(0) if one is None else eval(one, {}, point) for one in subscripts)
        tensor = tensors[name]
        isInside = all(0 <= at < size for at, size in zip(place, tensor.shape))
        return tensor[place].item() if isInside else 0

    def computed(self, node, values):
        if isinstance(node, dict):
            return values[int(node["read"])]
        if not isinstance(node, list):
            return float(node)
        if not isinstance(node[0], tuple):
            return self.computed(node[0], values)
        return FUNCTIONS[text(node[0])](*(self.computed(operand, values) for operand in node[1:]))

    def run(self, tensors):
        name, subscripts = self.write
        target, seen = tensors[name], set()
        for place in itertools.product(*(range(size) for size in self.domain.values())):
            point = dict(zip(self.domain, place))
            if any(eval(one, {}, point) < 0 for one in self.constraints):
                continue
            values = []
            for number in range(len(self.reads)):
                several = sum(one is None for one in self.reads[number][1])
                keys = [int(value) for value in values[len(values) - several:]] if several else []
                values.append(self.element(tensors, number, point, keys))
            value, at = self.computed(self.value, values), tuple(eval(one, {}, point) for one in subscripts)
            if not all(0 <= one < size for one, size in zip(at, target.shape)):
                continue
            target[at] = REDUCTIONS[self.reduce](target[at].item(), value) if self.reduce and at in seen else value
            seen.add(at)


class Module:
    """Kernels and graphs of a module that `perfc ir` has printed."""

    def __init__(self, printed):
        self.kernels, self.graphs, into = {}, {}, None
        for line in printed.splitlines():
            head = re.match(r"op\.(kernel|graph) @(\S+)", line)
            if head:
                into = (self.kernels if head[1] == "kernel" else self.graphs)[head[2]] = []
            elif line.startswith("}"):
                into = None
            elif into is not None:
                into.append(line.strip())

    def apply(self, kernel, operands):
        tensors, results, rest = {}, [], list(operands)
        for line in self.kernels[kernel]:
            operand = re.match(r"op\.operand @(\S+)", line)
            if operand:
                read = attributes(line)
                role, shape = text(read["role"]), [int(size) for size in read["shape"]]
                isGiven = role not in ("output", "intermediate")
                tensors[operand[1]] = rest.pop(0).copy() if isGiven else np.zeros(shape)
                if role == "output" or "in_place" in read:
                    results.append(operand[1])
            else:
                Statement(line).run(tensors)
        return [tensors[name] for name in results]

    def kinds(self, graph):
        """Where the tensors come from that the graph makes, in their order."""
        return [text(attributes(line)["kind"]) for line in self.graphs[graph] if " = op.tensor" in line]

    def run(self, graph, inputs):
        """The results of a graph without repeats on the tensors that it makes, in their order."""
        values, rest, isInside = {}, list(inputs), False
        for line in self.graphs[graph]:
            names = re.findall(r"%[\w.]+", line.split("(")[0].split(" : ")[0])
            if isInside:
                isInside = line != "}"
            elif " = op.tensor" in line:
                values[names[0]] = rest.pop(0)
            elif line.startswith("op.return"):
                return [values[name] for name in names]
            elif "op.apply" in line or "op.fused" in line: # a group has its members as one kernel
                isInside = "op.fused" in line
                made = line.split(" = ")[0].count("%")
                results = self.apply(re.search(r"kernel = @(\w+)", line)[1], [values[name] for name in names[made:]])
                values.update(zip(names[:made], results))
        raise ValueError(f"{graph} has no end")
