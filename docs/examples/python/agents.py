# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Five agents on one environment, beside the search of perfc: what each has found after how many evaluations.

    python3 agents.py best_so_far.svg
"""
from __future__ import annotations

import math
import pathlib
import random
import sys
from typing import Any, Callable, Sequence

import numpy

import perfc
from perfc.charts import curves
from perfc.gym import Environment

FOLDER = pathlib.Path(__file__).parent
STEPS = 200
Action = tuple[int, ...]
Points = Any  #: an array of numbers


def drawn(environment: Environment, rng: random.Random) -> Action:
    return tuple(rng.randrange(size) for size in environment.sizes)


def cost(environment: Environment, action: Sequence[int]) -> float:
    """What the environment says of an action: less is better."""
    return -environment.step(action)[1]


def random_walk(environment: Environment, rng: random.Random) -> None:
    for _ in range(environment.steps):
        cost(environment, drawn(environment, rng))


def genetic(environment: Environment, rng: random.Random, size: int = 20) -> None:
    """Each child takes every choice from one of two parents, the better of two drawn ones, and rarely a new one."""
    people = [(cost(environment, action), action) for action in (drawn(environment, rng) for _ in range(size))]
    for _ in range(environment.steps - size):
        mother, father = (min(rng.sample(people, 2))[1] for _ in range(2))
        child = [rng.choice(pair) for pair in zip(mother, father)]
        for i, choices in enumerate(environment.sizes):
            if rng.random() < 1 / len(child):
                child[i] = rng.randrange(choices)
        people.append((cost(environment, child), tuple(child)))
        people.remove(max(people))


def ant_colony(environment: Environment, rng: random.Random, ants: int = 10, evaporation: float = 0.2) -> None:
    """Ants choose by the scent on each value; after a round the best ant so far leaves more of it."""
    scent = [[1.0] * size for size in environment.sizes]
    for _ in range(environment.steps // ants):
        for _ in range(ants):
            cost(environment, [rng.choices(range(len(values)), values)[0] for values in scent])
        for values, choice in zip(scent, environment.best["action"]):
            values[:] = [(1 - evaporation) * value for value in values]
            values[choice] += 1


def hill_climbing(environment: Environment, rng: random.Random) -> None:
    """Moves one choice by one step as long as that is better; else it begins again somewhere else."""
    left = environment.steps
    while left > 0:
        here = drawn(environment, rng)
        least, left = cost(environment, here), left - 1
        moves = [(i, step) for i in range(len(here)) for step in (-1, 1)]
        rng.shuffle(moves)
        while moves and left > 0:
            i, step = moves.pop()
            there = (*here[:i], here[i] + step, *here[i + 1:])
            if not 0 <= there[i] < environment.sizes[i]:
                continue
            value, left = cost(environment, there), left - 1
            if value < least:
                here, least = there, value
                moves = [(i, step) for i in range(len(here)) for step in (-1, 1)]
                rng.shuffle(moves)


def bayesian(environment: Environment, rng: random.Random, first: int = 20, candidates: int = 200) -> None:
    """A Gaussian process over the logarithms of what was seen; next comes what promises the largest improvement."""
    scale = numpy.array(environment.sizes, float)
    actions = [drawn(environment, rng) for _ in range(first)]
    values = [cost(environment, action) for action in actions]
    for _ in range(environment.steps - first):
        finite = [math.log(value) for value in values if math.isfinite(value)] or [0.0]
        worst = max(finite) + 1  # of what cannot be evaluated
        seen = numpy.array([math.log(value) if math.isfinite(value) else worst for value in values])
        tried = numpy.array([drawn(environment, rng) for _ in range(candidates)])
        gain = improvement(numpy.array(actions) / scale, seen, tried / scale)
        actions.append(tuple(int(choice) for choice in tried[numpy.argmax(gain)]))
        values.append(cost(environment, actions[-1]))


def improvement(known: Points, values: Points, asked: Points) -> Points:
    """The expected improvement over the least value, of a process with a squared exponential kernel of width 0.3."""
    def kernel(a: Points, b: Points) -> Points:
        distances: Points = ((a[:, None, :] - b[None, :, :]) ** 2).sum(axis=2)
        closeness: Points = numpy.exp(-distances / (2 * 0.3 ** 2))
        return closeness
    mean, deviation = values.mean(), values.std() or 1.0
    weights = numpy.linalg.inv(kernel(known, known) + 1e-4 * numpy.eye(len(known)))
    across = kernel(asked, known)
    expected = across @ weights @ ((values - mean) / deviation)
    spread = numpy.sqrt(numpy.maximum(1 - ((across @ weights) * across).sum(axis=1), 1e-9))
    below = (values.min() - mean) / deviation - expected
    normal = below / spread
    density = numpy.exp(-normal ** 2 / 2) / math.sqrt(2 * math.pi)
    share = 0.5 * (1 + numpy.vectorize(math.erf)(normal / math.sqrt(2)))
    gain: Points = below * share + spread * density
    return gain


AGENTS: dict[str, Callable[[Environment, random.Random], None]] = {
    "random": random_walk, "genetic": genetic, "ant colony": ant_colony, "Bayesian": bayesian, "hill climbing": hill_climbing,
}


def main(path: str) -> None:
    environment = Environment(perfc.compile(FOLDER / "design_space.perf"), minimize="edp", steps=STEPS)
    histories = {}
    for name, agent in AGENTS.items():
        environment.reset()
        agent(environment, random.Random(1))
        histories[name] = environment.history
        print(f"{name:14} {environment.best['value']:.4g} J s after {len(environment.history)} evaluations: {environment.best['point']}")
    result, = perfc.compile(FOLDER / "design_search.perf").search(threads=1)
    search = result.search
    assert search
    print(f"{'perfc search':14} {search.value:.4g} J s, {'proven' if search.is_proven else 'not proven'}, "
          f"after {search.evaluated} evaluations of the model alone")
    logarithms = {name: [math.log10(value) for value in history] for name, history in histories.items()}
    logarithms["perfc search"] = [math.log10(search.value)] * STEPS
    pathlib.Path(path).write_text(curves(logarithms, "evaluations", "log10 of the least energy-delay product"), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
