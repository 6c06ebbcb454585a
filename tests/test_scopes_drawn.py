"""Overrides by name scope in programs drawn at random: eager, in functions, in functions that call others.

Each time that a scope is entered its operations have the rule as a whole. Which they are must not
depend on how the program is run: not on the names that a graph makes unique, not on the scopes that a
graph adds for loops, not on functions being traced apart.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest

import wengert as tf
from wengert.errors import OverrideError

Statement = tuple[Any, ...]

_OPERATIONS: dict[str, Callable[[Any], Any]] = {
    "sin": tf.sin, "tanh": tf.tanh, "scaled": lambda x: x * 1.5,
}  # fmt: skip


def drawn(random: random.Random, depth: int) -> list[Statement]:
    """Some statements, nested at most so deep."""
    return [_statement(random, depth) for _ in range(random.randint(1, 3))]


def _statement(random: random.Random, depth: int) -> Statement:
    kinds = ["operation"] * 2 + ["scope"] * 3
    if depth:
        kinds += ["call", "call", "loop", "module", "cond"]
    match random.choice(kinds):
        case "scope":
            inner = drawn(random, depth - 1) if depth else [("operation", "sin")]
            return "scope", random.choice("abc"), inner
        case "call":
            return "call", random.randint(0, 1), random.randint(1, 2)
        case "loop":
            return "loop", random.randint(1, 3), drawn(random, depth - 1)
        case "module":
            return "module", random.randint(1, 2)
        case "cond":
            return "cond", drawn(random, depth - 1), drawn(random, depth - 1)
    return "operation", random.choice(list(_OPERATIONS))


class Layer(tf.Module):
    @tf.Module.with_name_scope
    def __call__(self, x: Any) -> Any:
        return tf.sin(x) + x * x


class Program:
    """Statements, with two functions that they may call; of these the second may call the first."""

    def __init__(self, seed: int) -> None:
        draw = random.Random(seed)
        first, second = drawn(draw, 0), drawn(draw, 1)
        self.functions = [first, [s for s in second if s[:2] != ("call", 1)]]
        self.main = drawn(draw, 3)

    def scopes(self) -> list[str]:
        """The names of all scopes that are written in it."""
        return sorted(set(self._scopes(self.main, "")))

    def _scopes(self, block: list[Statement], around: str) -> Iterator[str]:
        for kind, *parts in block:
            if kind == "scope":
                yield around + parts[0]
                yield from self._scopes(parts[1], f"{around}{parts[0]}/")
            elif kind == "call":
                yield from self._scopes(self.functions[parts[0]], around)
            elif kind == "module":
                yield "layer"
            elif kind != "operation":
                for inner in parts:
                    yield from self._scopes(inner, around) if isinstance(inner, list) else ()

    def runner(self, unrolls: bool, traces: bool) -> Callable[[Any], Any]:
        """The program: loops of Python or of the graph, functions as they are or traced apart."""
        layer = Layer(name="layer")

        def run(block: list[Statement], x: Any) -> Any:
            for statement in block:
                x = one(x, *statement)
            return x

        def one(x: Any, kind: str, *parts: Any) -> Any:
            if kind == "operation":
                return _OPERATIONS[parts[0]](x)
            if kind == "scope":
                with tf.name_scope(parts[0]):
                    return run(parts[1], x)
            if kind == "cond":
                return tf.cond(
                    tf.reduce_sum(x) > 0.3, lambda: run(parts[0], x), lambda: run(parts[1], x)
                )
            if kind == "loop" and not unrolls:
                return tf.while_loop(
                    lambda i, x: i < parts[0], lambda i, x: (i + 1, run(parts[1], x)), (0, x)
                )[1]
            for _ in range(parts[1] if kind == "call" else parts[0]):
                if kind == "loop":
                    x = run(parts[1], x)
                else:
                    x = layer(x) if kind == "module" else functions[parts[0]](x)
            return x

        functions: list[Any] = [lambda x, f=f: run(f, x) for f in self.functions]
        if traces:
            functions = [tf.function(f, autograph=False) for f in functions]
        return lambda x: run(self.main, x)


def _rule(region: Any, *grads: Any) -> list[Any]:
    whole = sum(tf.reduce_sum(g) for g in grads)
    return [3.0 * (n + 1) * whole * tf.ones_like(x) for n, x in enumerate(region.inputs)]


def _gradient(f: Callable[[Any], Any], x: Any, overrides: Any = None) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(f(x))
    return tape.gradient(y, x, overrides=overrides)


def _function(f: Callable[[Any], Any]) -> Any:
    return tf.function(f, autograph=False)


def _ways(program: Program, scope: str) -> Iterator[tuple[str, Callable[[Any], Any]]]:
    """The gradient of a program with a rule for a scope, by the way that the program is run."""
    eager, calls = program.runner(True, False), program.runner(True, True)
    flat, apart = program.runner(False, False), program.runner(False, True)
    runners = {
        "eager": eager, "calls of functions": calls, "one function": _function(flat),
        "functions in one": _function(apart),
    }  # fmt: skip
    overrides = {("scope", scope): _rule}
    for way, run in runners.items():
        yield way, partial(_gradient, run, overrides=overrides)
    inner = _function(apart)
    yield "tape in a function", _function(lambda x: _gradient(inner, x, overrides))


def _unless_it_matches_nothing(gradient: Callable[[Any], Any], x: Any) -> Any:
    """An eager tape does not know what a branch that is not run has."""
    try:
        return gradient(x)
    except OverrideError as error:
        if "matched no operation" in str(error):
            return None
        raise


@pytest.mark.parametrize("seed", [0, 1, 4, 9, 19, 36, *range(100, 112)])
def test_what_lies_in_a_scope_does_not_depend_on_the_mode(seed: int) -> None:
    program = Program(seed)
    x = tf.constant([0.3, 0.7], tf.float64)
    plain = _gradient(program.runner(True, False), x)
    for scope in program.scopes():
        found = {way: _unless_it_matches_nothing(g, x) for way, g in _ways(program, scope)}
        expected = plain if found["eager"] is None else found["eager"]
        for way, gradient in found.items():
            if gradient is not None:
                np.testing.assert_allclose(gradient, expected, 1e-9, err_msg=f"{scope}: {way}")


def test_a_scope_that_goes_on_is_one_region() -> None:
    seen: list[int] = []

    def rule(region: Any, *grads: Any) -> Any:
        seen.append(len(region.operations))
        return grads

    def f(x: Any) -> Any:
        with tf.name_scope("part") as scope:
            x = tf.sin(x)
        with tf.name_scope(scope):
            return tf.tanh(x)

    x = tf.constant(0.5)
    for run in f, tf.function(f):
        seen.clear()
        assert _gradient(run, x, {"part": rule}).numpy() == 1.0
        assert seen == [2]


def test_names_that_a_graph_made_unique_mean_one_of_them() -> None:
    @tf.function
    def f(x: Any) -> Any:
        for _ in range(2):
            with tf.name_scope("part"):
                x = 2.0 * x
        return x

    x = tf.constant(1.0)
    hundred = lambda region, g: 100.0 * g  # noqa: E731
    assert _gradient(f, x, {"part": hundred}).numpy() == 10_000.0
    assert _gradient(f, x, {"part_1": hundred}).numpy() == 200.0
