"""Tests that run once for each combination of arguments, as absl's parameterized test cases."""

from __future__ import annotations

import functools
import importlib
import inspect
import itertools
import re
import unittest
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from wengert.graph.graph import Graph
from wengert.testing.decorators import eager_mode

Combination = OrderedDict[str, Any]
Test = Callable[..., Any]

# Arguments that say how a test runs; a test takes them only if it asks for them.
MODE = "mode"
VERSION = "tf_api_version"


def combine(**kwargs: Any) -> list[Combination]:
    """Every combination of the arguments, each of which has a list of values, or one.

    >>> from wengert.testing.combinations import combine
    >>> [dict(c) for c in combine(size=[1, 2], dtype="int32")]
    [{'dtype': 'int32', 'size': 1}, {'dtype': 'int32', 'size': 2}]
    """
    names = sorted(kwargs)
    values = [v if isinstance(v, list) else [v] for v in (kwargs[name] for name in names)]
    return [OrderedDict(zip(names, row, strict=True)) for row in itertools.product(*values)]


def times(*combined: Sequence[Combination]) -> list[Combination]:
    """Each combination of one list with each of the others; no two have the same argument."""
    return [functools.reduce(_joined, row, OrderedDict()) for row in itertools.product(*combined)]


def _joined(a: Combination, b: Combination) -> Combination:
    if a.keys() & b.keys():
        raise ValueError(f"Keys need to not overlap: {a.keys()} vs {b.keys()}")
    return OrderedDict([*a.items(), *b.items()])


class NamedObject:
    """A value with the name that it has in the names of tests."""

    def __init__(self, name: str, obj: Any) -> None:
        self._name = name
        self._obj = obj

    def __getattr__(self, name: str) -> Any:
        return getattr(self._obj, name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the value."""
        return self._obj(*args, **kwargs)

    def __iter__(self) -> Any:
        return iter(self._obj)

    def __repr__(self) -> str:
        return self._name


def generate(combinations: Sequence[Combination], test_combinations: Any = ()) -> Any:
    """A decorator of a test, or of a class of tests, which run for each combination."""
    named = {_name_of(combination): combination for combination in combinations}

    def decorated(test: Any) -> Any:
        return _with_tests(test, named) if isinstance(test, type) else _by_absl(test, named)

    return decorated


def _name_of(combination: Combination) -> str:
    words = [
        part
        for at, (key, value) in enumerate(combination.items())
        for part in (key, re.sub("0[xX][0-9a-fA-F]+", str(at), str(value)))
    ]
    return "_".join(["_test", *("".join(filter(str.isalnum, word)) for word in words)])


def _by_absl(test: Test, named: dict[str, Combination]) -> Any:
    """The test as parameterized.TestCase takes it, of which its class is one."""
    parameters: Any = importlib.import_module("absl.testing.parameterized").named_parameters
    rows = [{**combination, "testcase_name": name} for name, combination in named.items()]
    return parameters(*rows)(_as_asked(test))


def _with_tests(cls: type, named: dict[str, Combination]) -> type:
    """The class with a test for each combination in place of each of its tests."""
    prefix = unittest.TestLoader.testMethodPrefix
    for name, test in list(vars(cls).items()):
        if name.startswith(prefix) and inspect.isfunction(test):
            delattr(cls, name)
            for suffix, combination in named.items():
                setattr(cls, name + suffix, functools.partialmethod(_as_asked(test), **combination))
    return cls


def _as_asked(test: Test) -> Test:
    """The test in the mode that its combination asks for."""
    taken = inspect.signature(test).parameters

    @functools.wraps(test)
    def run(self: Any, **kwargs: Any) -> None:
        if kwargs.get(VERSION, 2) != 2:
            self.skipTest("Skipping a TF1.x test when TF2 is enabled.")
        given = {k: v for k, v in kwargs.items() if k in taken or k not in (MODE, VERSION)}
        with _in_mode(kwargs.get(MODE)):
            test(self, **given)

    return run


def _in_mode(mode: str | None) -> AbstractContextManager[Any]:
    if mode not in (None, "eager", "graph"):
        raise ValueError(f"Argument 'mode' must be either 'eager' or 'graph'. Received: {mode}.")
    if mode is None:
        return nullcontext()
    return eager_mode() if mode == "eager" else Graph().as_default()
