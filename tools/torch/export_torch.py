#!/usr/bin/env python3
# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the graph of a PyTorch model for `perfc import torch` and `import torch "m.pt.json"`: operators of ATen, shapes and types. Weights
are not written.

    from export_torch import export
    export(model, (images,), "m.pt.json")
    export(model, (ids,), "m.pt.json", dynamic={"ids": {0: "batch", 1: "seq"}})

or, with FUNCTION returning a model and its arguments, `export_torch.py MODULE:FUNCTION -o m.pt.json`.

The graph is torch.export's where PyTorch has it (2.1 and later); before that, what runs on the example is recorded (torch.fx, from 1.13 on),
and all sizes are those of the example."""
import argparse
import importlib
import json
import operator
import re
import sys

import torch

LEFT_OUT = {"device", "dtype", "layout", "pin_memory", "memory_format", "generator", "non_blocking", "copy", "implicit"}


def stored_tensors(model):
    """Parameters and buffers by all their names, of names for one tensor the first, and the names of parameters."""
    tensors, first, names = {}, {}, {}
    for prefix, module in model.named_modules(remove_duplicate=False):
        for name, tensor in [*module._parameters.items(), *module._buffers.items()]:
            if tensor is not None:
                whole = f"{prefix}.{name}" if prefix else name
                tensors[whole] = tensor
                names[whole] = first.setdefault(id(tensor), whole)
    return tensors, names, {name for name, tensor in tensors.items() if isinstance(tensor, torch.nn.Parameter)}


def exported(model, arguments, dynamic):
    """The module of the graph by torch.export, and the stored tensor that each placeholder is."""
    shapes = None
    if dynamic:
        shapes = {name: {dim: torch.export.Dim(size) for dim, size in sizes.items()} for name, sizes in dynamic.items()}
    program = torch.export.export(model, arguments, dynamic_shapes=shapes)
    signature = program.graph_signature
    constants = getattr(signature, "inputs_to_lifted_tensor_constants", {})
    return program.graph_module, {**signature.inputs_to_parameters, **signature.inputs_to_buffers, **constants}


def recorded(model, arguments):
    """The same by running the model once on tensors without values."""
    from torch.fx.experimental.proxy_tensor import make_fx
    try:
        from torch.func import functional_call
    except ImportError:
        from torch.nn.utils.stateless import functional_call
    tensors, _, _ = stored_tensors(model)

    def run(stored, *inputs):
        return functional_call(model, stored, inputs)

    # Where gradients could be wanted, no layer takes a path of its own for inference.
    module = make_fx(run, tracing_mode="fake")(tensors, *arguments)
    placeholders = [node.name for node in module.graph.nodes if node.op == "placeholder"]
    return module, dict(zip(placeholders, tensors))


def by_names(text, symbols):
    """An extent that is computed of open sizes, `2*s0`, with their names."""
    return re.sub(r"[A-Za-z_]\w*", lambda found: symbols.get(found.group(), found.group()), text)


def called(target):
    """The name of what a node calls, with its overload; of a function that is no operator without where it lies in memory."""
    text = str(target)
    return text if not text.startswith("<") else f"{getattr(target, '__name__', 'function')}.default"


def described(value, symbols):
    """A tensor as the file has it; None for what is none."""
    if not isinstance(value, torch.Tensor):
        return None
    extents = [extent if isinstance(extent, int) else by_names(str(extent), symbols) for extent in value.shape]
    return {"shape": extents, "dtype": str(value.dtype).replace("torch.", "")}


def held(module, node):
    """What a node of attributes in the graph of MODULE gets: a tensor, or the module of a region."""
    found = module
    for part in str(node.target).split("."):
        found = getattr(found, part)
    return found


def region(module, node):
    """The module whose graph NODE, of MODULE, runs once, such as one in another precision or without gradients, its placeholders and what
    they are; None where it runs none, or none that is that simple."""
    def is_module(one):
        return isinstance(one, torch.fx.Node) and one.op == "get_attr" and isinstance(held(module, one), torch.fx.GraphModule)

    modules = [i for i, one in enumerate(node.args) if is_module(one)]
    if len(modules) != 1:
        return None
    inner, operands = held(module, node.args[modules[0]]), node.args[modules[0] + 1:]
    placeholders = [one for one in inner.graph.nodes if one.op == "placeholder"]
    is_simple = len(placeholders) == len(operands) and not any(isinstance(one, (list, tuple)) for one in operands)
    return (inner, placeholders, operands) if is_simple else None


class Writer:
    """Of the graph of MODULE; STORED has the names of the stored tensors that placeholders are, FIRST the first of all names of each of these, and
    PARAMETERS the names of those that a model learns."""

    def __init__(self, module, stored, dynamic, first, parameters):
        self.module, self.stored, self.dynamic, self.first, self.parameters = module, stored, dynamic or {}, first, parameters
        self.references, self.symbols = {}, {}  # of a node how the file refers to it, of a region a list of such
        self.prefix = ""  # of names in a region
        self.document = {"format": "perfc torch 1", "inputs": [], "stored": [], "nodes": [], "outputs": []}

    def reference(self, node):
        """The tensor that NODE is, or the open size."""
        size = {"size": node.name}  # computed from sizes
        if node.target is operator.getitem:
            results = self.references.get(node.args[0], size)
            return results[node.args[1]] if isinstance(results, list) else {**results, "result": node.args[1]}
        found = self.references.get(node, size)
        return found[0] if isinstance(found, list) else found

    def plain(self, value):
        if isinstance(value, torch.fx.Node):
            return self.reference(value)
        if isinstance(value, (list, tuple)):
            return [self.plain(one) for one in value]
        if value is None or isinstance(value, (bool, int, str)):
            return value
        if isinstance(value, float):  # JSON has no infinity
            return value if abs(value) < 3.4e38 else (3.4e38 if value > 0 else -3.4e38)
        return str(value)

    def arguments(self, node):
        named = dict(node.kwargs)
        schema = getattr(node.target, "_schema", None)
        for i, argument in enumerate(schema.arguments if schema else []):
            if i < len(node.args):
                named[argument.name] = node.args[i]
            elif argument.name not in named and argument.has_default_value():
                named[argument.name] = argument.default_value
        if not schema:
            named.update({str(i): one for i, one in enumerate(node.args)})
        return {name: self.plain(value) for name, value in named.items() if name not in LEFT_OUT and value is not None}

    def add(self, kind, node, name, value):
        """A tensor that nothing makes; one that has several names is written once."""
        self.references[node] = {"node": name}
        if any(one["name"] == name for one in self.document[kind]):
            return
        buffer = {"buffer": True} if kind == "stored" and name not in self.parameters else {}
        self.document[kind].append({"name": name, **described(value, self.symbols if kind == "inputs" else {}), **buffer})

    def placeholder(self, node):
        value = node.meta.get("val")
        if node in self.references or not isinstance(value, torch.Tensor):
            return  # an operand of a region, or a size
        if node.name in self.stored:
            return self.add("stored", node, self.first.get(self.stored[node.name], self.stored[node.name]), value)
        for dim, size in self.dynamic.get(node.name, {}).items():
            self.symbols[str(value.shape[dim])] = str(size)
        self.add("inputs", node, node.name, value)

    def call(self, node):
        value = node.meta.get("val")
        results = list(value) if isinstance(value, (list, tuple)) else [value]
        taken = {user.args[1]: user.meta.get("val") for user in node.users if user.target is operator.getitem}
        if value is None and taken:  # several results of which only those that are used are described
            results = [taken.get(i) for i in range(max(taken) + 1)]
        if not any(isinstance(one, torch.Tensor) for one in results):
            return
        name = self.prefix + node.name
        results = [described(one, self.symbols) for one in results]
        self.document["nodes"].append({"name": name, "op": called(node.target), "arguments": self.arguments(node), "results": results})
        self.references[node] = {"node": name}

    def inline(self, node, module, placeholders, operands):
        """The nodes of a region stand in the place of its call."""
        for placeholder, operand in zip(placeholders, operands):
            self.references[placeholder] = self.plain(operand)
        outer, self.prefix = self.prefix, f"{self.prefix}{node.name}."
        self.references[node] = self.nodes(module)
        self.prefix = outer

    def nodes(self, module):
        """Writes the nodes of the graph of MODULE; how the file refers to its results."""
        results = []
        for node in module.graph.nodes:
            if node.op == "placeholder":
                self.placeholder(node)
            elif node.op == "get_attr" and isinstance(held(module, node), torch.Tensor):  # held, but not as a parameter
                self.add("stored", node, self.prefix + node.name, held(module, node))
            elif node.op == "call_function" and node.target is not operator.getitem:
                found = region(module, node)
                self.inline(node, *found) if found else self.call(node)
            elif node.op == "output":
                flat = torch.utils._pytree.tree_flatten(node.args[0])[0]
                results = [self.plain(one) for one in flat]
        return results

    def run(self):
        results = self.nodes(self.module)
        self.document["outputs"] = [one for one in results if isinstance(one, dict) and "size" not in one]
        return self.document


def export(model, arguments, path, dynamic=None):
    """Writes the graph of MODEL on the tuple ARGUMENTS to PATH; DYNAMIC names sizes of inputs that stay open."""
    model = model.eval()
    if hasattr(torch, "export"):
        module, stored = exported(model, arguments, dynamic)
    elif dynamic:
        sys.exit("export_torch.py: open sizes need torch.export, which this PyTorch does not have")
    else:
        module, stored = recorded(model, arguments)
    _, first, parameters = stored_tensors(model)
    document = Writer(module, stored, dynamic, first, parameters).run()
    with open(path, "w") as file:
        json.dump(document, file)
    return document


def main():
    parser = argparse.ArgumentParser(description="Writes the graph of a PyTorch model for perfc.")
    parser.add_argument("what", metavar="MODULE:FUNCTION", help="returns the model and the tuple of its arguments")
    parser.add_argument("-o", "--output", required=True, help="the file, m.pt.json")
    options = parser.parse_args()
    module, _, function = options.what.partition(":")
    sys.path.insert(0, ".")
    model, arguments = getattr(importlib.import_module(module), function)()
    export(model, arguments, options.output)


if __name__ == "__main__":
    main()
