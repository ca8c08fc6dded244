# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exports small models with the script that ships with perfc, and prints how many parameters each has. usage: models.py FOLDER"""
import json
import operator
import sys

import torch
from torch import fx, nn

sys.path.insert(0, sys.argv[1])
from export_torch import Writer, export


class Words(nn.Module):
    """The table of words is that of the result, too."""

    def __init__(self):
        super().__init__()
        self.words, self.norm, self.inner, self.head = nn.Embedding(50, 16), nn.LayerNorm(16), nn.Linear(16, 32), nn.Linear(16, 50, bias=False)
        self.outer = nn.Linear(32, 16)
        self.head.weight = self.words.weight

    def forward(self, ids):
        x = self.words(ids)
        return self.head(x + self.outer(nn.functional.gelu(self.inner(self.norm(x)))))


images = nn.Sequential(nn.Conv2d(3, 8, 3, stride=2, padding=1, bias=False), nn.BatchNorm2d(8, affine=False, track_running_stats=True), nn.ReLU(),
                       nn.Conv2d(8, 8, 3, padding=1, groups=8), nn.MaxPool2d(2), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 5))
for name, model, argument in (("words", Words(), torch.zeros(2, 7, dtype=torch.long)), ("images", images, torch.zeros(1, 3, 16, 16))):
    export(model, (argument,), f"{name}.pt.json")
    print(name, sum(parameter.numel() for parameter in model.parameters()))


def described(node, *shape):
    node.meta["val"] = torch.empty(shape)
    return node


def region():
    """A graph as torch.export writes it where a part runs in another precision: the part is a module that is called. A constant of the model
    is no input."""
    inner, outer, owner = fx.Graph(), fx.Graph(), nn.Module()
    x, w = inner.placeholder("x"), inner.placeholder("w")
    inner.output((described(inner.call_function(torch.ops.aten.mm.default, (x, w)), 2, 4),))
    owner.part = fx.GraphModule({}, inner)
    x, w, c = (described(outer.placeholder(name), *shape) for name, shape in (("x", (2, 3)), ("p_w", (3, 4)), ("c_lifted", (4,))))
    call = outer.call_function(print, ("cpu", outer.get_attr("part"), x, w))
    mm = outer.call_function(torch.ops.aten.mul.Tensor, (outer.call_function(operator.getitem, (call, 0)), c))
    outer.output((described(mm, 2, 4),))
    module = fx.GraphModule(owner, outer)
    return Writer(module, {"p_w": "w", "c_lifted": "c"}, None, {}, {"w"}).run()


with open("region.pt.json", "w") as file:
    json.dump(region(), file)
