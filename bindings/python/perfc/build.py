# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Objects of the language built from Python: each is a piece of text, with the pieces that it needs.

    product = perfc.einsum("mk,kn->mn")
    chip = perfc.hardware("npu", perfc.memory("DRAM", bandwidth="12.8GB/s"), perfc.unit("MAC", rate="256/cycle"), clock="1GHz")
    perfc.compile(perfc.evaluate(product(M=64, N=64, K=64), chip)).run()

Attributes are the words of the language (`perfc doc`): texts and numbers as they are, True for a flag, a dictionary for
a block, a list for several values.
"""
from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Iterator, Mapping, Sequence, Union

from . import _native
from ._native import Declaration

#: What an attribute or an argument may be.
Attribute = Union[str, float, "Use", Mapping[str, "Attribute"], Sequence["Attribute"]]


class Source:
    """A declaration or a statement. As a text it is a whole program: itself after all that it needs."""

    def __init__(self, name: str, text: str, needs: Sequence[Source] = ()) -> None:
        self.name = name
        self.text = text
        self.needs = tuple(needs)

    def __call__(self, **arguments: Attribute) -> Use:
        """A use of it with arguments: `product(M=64)`."""
        given = ", ".join(f"{name} = {_value(value)}" for name, value in arguments.items())
        return Use(f"{self.name}({given})", (self, *_needs(arguments)))

    def __str__(self) -> str:
        return "\n".join(dict.fromkeys(piece.text for piece in self._pieces()))

    def _pieces(self) -> Iterator[Source]:
        for need in self.needs:
            yield from need._pieces()
        yield self


@dataclass(frozen=True)
class Use:
    """An expression with the declarations that its names stand for."""

    text: str
    needs: tuple[Source, ...] = ()


def join(*pieces: Source) -> Source:
    """Several pieces as one program."""
    return Source("", "", pieces)


def library(kind: str = "") -> list[Declaration]:
    """What the library declares, or of one kind: "op", "workload", "hardware", "system", "network"."""
    return [entry for entry in _all() if kind in ("", entry.kind)]


@functools.lru_cache(maxsize=None)
def _all() -> list[Declaration]:
    """Read once."""
    return _native.library()


def std(name: str) -> Source:
    """A declaration of the library by its name: `std("h100_sxm")`. Families of models are tables for files: others go first."""
    found = [entry for entry in _all() if entry.name == name]
    found = [entry for entry in found if not entry.module.startswith("std.families.")] or found
    if not found:
        raise LookupError(f"the library has no `{name}`; perfc.library() lists what it has")
    if len(found) > 1:
        raise LookupError(f"several modules have `{name}`: {', '.join(entry.module for entry in found)}")
    return Source(name, f"import {found[0].module}.{name}")


def einsum(equation: str, *, name: str = "einsum", roles: Sequence[str] = ()) -> Source:
    """An op that is a product of tensors, summed over the indices that the result does not have.

    `einsum("mk,kn->mn")` has extents M, N and K; its operands are in0, in1, …, its result is out. `roles` are those of
    the operands: `("input", "weight")`.
    """
    sides = equation.replace(" ", "").split("->")
    operands = sides[0].split(",")
    if len(sides) != 2 or not all(part.isalpha() and part.isascii() and part.islower() for part in [*operands, sides[1]]):
        raise ValueError(f"`{equation}` is no equation such as mk,kn->mn: indices are small letters, and a result has some")
    result = sides[1]
    if len(set(result)) != len(result) or not set(result) <= set("".join(operands)):
        raise ValueError(f"each index of the result of `{equation}` stands there once, and in an operand")
    if len(roles) not in (0, len(operands)):
        raise ValueError(f"`{equation}` has {len(operands)} operands, but {len(roles)} roles are given")
    inputs = [f"in{i}[{', '.join(part.upper())}]" + (f": {roles[i]}" if roles else "") for i, part in enumerate(operands)]
    product = " * ".join(f"in{i}[{', '.join(part)}]" for i, part in enumerate(operands))
    sign = "=" if set(result) == set("".join(operands)) else "+="
    return Source(name, f"op {name}({', '.join(inputs)}) -> out[{', '.join(result.upper())}] {{\n"
                        f"  out[{', '.join(result)}] {sign} {product}\n}}")


def hardware(name: str, *parts: Source, **attributes: Attribute) -> Source:
    """A chip, its parts from the farthest memory inward."""
    return _block(f"hardware {name}", name, parts, attributes)


def memory(name: str, **attributes: Attribute) -> Source:
    """A memory of a chip."""
    return _block(f"memory {name}", name, (), attributes)


def unit(name: str, **attributes: Attribute) -> Source:
    """A unit of a chip that computes."""
    return _block(f"compute {name}", name, (), attributes)


def array(name: str, sizes: Union[int, Mapping[str, int]], *parts: Source, **attributes: Attribute) -> Source:
    """An array of a chip that repeats its parts: `array("PE", {"x": 16, "y": 16}, …)`."""
    axes = ", ".join(f"{axis} = {size}" for axis, size in sizes.items()) if isinstance(sizes, Mapping) else str(sizes)
    return _block(f"array {name}[{axes}]", name, parts, attributes)


def network(name: str = "", **attributes: Attribute) -> Source:
    """The network of an array, or one of several."""
    return _block(f"network {name}".rstrip(), name, (), attributes)


class WorkloadBuilder:
    """A workload that grows by one tensor after the other; `returns` completes it."""

    def __init__(self, name: str, parameters: Mapping[str, Attribute]) -> None:
        self._name = name
        self._head = ", ".join(f"{parameter} = {_value(value)}" for parameter, value in parameters.items())
        self._lines: list[str] = []
        self._needs: list[Source] = list(_needs(parameters))

    def tensor(self, *shape: Union[int, str], kind: str = "tensor", dtype: str = "") -> Use:
        """A tensor: an input ("tensor"), a "weight", a "cache", or a "token". Extents may be parameters."""
        return self._add(Use(f"{kind}[{', '.join(map(str, shape))}]" + (f": {dtype}" if dtype else "")))

    def weight(self, *shape: Union[int, str], dtype: str = "") -> Use:
        """A tensor of weights."""
        return self.tensor(*shape, kind="weight", dtype=dtype)

    def call(self, op: Source, *operands: Attribute, **arguments: Attribute) -> Use:
        """What an op makes of tensors."""
        given = [_value(operand) for operand in operands]
        given += [f"{name} = {_value(value)}" for name, value in arguments.items()]
        return self._add(Use(f"{op.name}({', '.join(given)})", (op, *_needs([operands, arguments]))))

    def add(self, expression: str) -> Use:
        """Any expression over tensors: `add(f"{x.text} + {y.text}")`."""
        return self._add(Use(expression))

    def returns(self, *results: Use) -> Source:
        """The workload with these results."""
        head = f"workload {self._name}({self._head}) -> {', '.join(result.text for result in results)}"
        return Source(self._name, "\n".join([head + " {", *self._lines, "}"]), self._needs)

    def _add(self, value: Use) -> Use:
        name = f"t{len(self._lines)}"
        self._lines.append(f"  {name} = {value.text}")
        self._needs += value.needs
        return Use(name)


def workload(name: str, **parameters: Attribute) -> WorkloadBuilder:
    """Begins a workload with these parameters and their defaults."""
    return WorkloadBuilder(name, parameters)


def evaluate(subject: Union[Source, Use], on: Union[Source, Use], **attributes: Attribute) -> Source:
    """The statement that evaluates a workload or an op on a chip or system."""
    return statement("evaluate", subject, on, **attributes)


def statement(word: str, subject: Union[Source, Use], on: Union[Source, Use], **attributes: Attribute) -> Source:
    """Any statement of a subject on a target: `statement("search", product(M=8), chip, minimize="energy")`."""
    needs = [need for side in (subject, on) for need in ((side,) if isinstance(side, Source) else side.needs)]
    return _block(f"{word} {_value(subject)} on {_value(on)}", "", (), attributes, needs)


def _block(head: str, name: str, parts: Sequence[Source], attributes: Mapping[str, Attribute],
           needs: Sequence[Source] = ()) -> Source:
    lines = [f"  {line}" for word, value in attributes.items() for line in [_attribute(word, value)]]
    lines += [f"  {line}" for part in parts for line in part.text.split("\n")]
    text = "\n".join([head + " {", *lines, "}"]) if lines else head
    return Source(name, text, [*needs, *_needs(attributes), *(need for part in parts for need in part.needs)])


def _attribute(word: str, value: Attribute) -> str:
    if value is True:
        return word
    if isinstance(value, Mapping):
        return f"{word} {{ {'; '.join(_attribute(*entry) for entry in value.items())} }}"
    if isinstance(value, (list, tuple)):
        return f"{word} {', '.join(_value(item) for item in value)}"
    return f"{word} {_value(value)}"


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Source):
        return value.name
    if isinstance(value, Use):
        return value.text
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(_value(item) for item in value)}]"
    return str(value)


def _needs(values: object) -> Iterator[Source]:
    if isinstance(values, Source):
        yield values
    elif isinstance(values, Use):
        yield from values.needs
    elif isinstance(values, Mapping):
        yield from _needs(list(values.values()))
    elif isinstance(values, (list, tuple)):
        for value in values:
            yield from _needs(value)
