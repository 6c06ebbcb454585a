"""Decorators that run a test in two modes, or make two of it, and what such tests ask for."""

from __future__ import annotations

import functools
import itertools
import unittest
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from wengert.api.function.python_functions import numpy_function
from wengert.api.session.modes import inside_function
from wengert.compat.v1.functions.switches import disable_v2_behavior, enable_v2_behavior
from wengert.testing.decorators import eager_mode
from wengert.values import nest
from wengert.values.value import Value

Test = Callable[..., Any]
PREFIX = unittest.TestLoader.testMethodPrefix


def run_in_v1_v2(
    device_to_use: str | None = None, assert_no_eager_garbage: bool = False
) -> Callable[[Test], Test]:
    """Run the test twice: with the behaviour of version 1, and with that of version 2."""

    def decorator(func: Test) -> Test:
        if hasattr(func, "wrapped_with_v1_v2_decorator"):
            return func

        @functools.wraps(func)
        def both(self: Any, *args: Any, **kwargs: Any) -> None:
            try:
                with self.subTest("V1_mode"):
                    disable_v2_behavior()
                    func(self, *args, **kwargs)
            except unittest.SkipTest:
                pass
            finally:
                enable_v2_behavior()
            with self.subTest("V2_mode"), eager_mode():
                self.tearDown()
                self.setUp()
                func(self, *args, **kwargs)

        both.wrapped_with_v1_v2_decorator = True  # type: ignore[attr-defined]
        return both

    return decorator


def run_class_in_v1_v2(cls: Any) -> Any:
    """The same for every test of a class."""
    for name in dir(cls):
        eager_only = name.startswith(("testSkipEager", "test_skip_eager"))
        if (
            name.startswith(PREFIX)
            and not eager_only
            and name not in ("test_session", "test_scope")
        ):
            test = getattr(cls, name)
            if callable(test):
                setattr(cls, name, run_in_v1_v2()(test))
    return cls


def run_in_async_and_sync_mode(func: Test) -> Any:
    """Make two tests of one: operations run when they are called in both."""
    from absl.testing import parameterized

    @parameterized.named_parameters([("Async", True), ("", False)])  # type: ignore[untyped-decorator,no-untyped-call,unused-ignore]
    @functools.wraps(func)
    def decorated(self: Any, async_mode: bool, *args: Any, **kwargs: Any) -> None:
        func(self, *args, **kwargs)

    return decorated


def add_graph_building_optimization_tests(cls: Any) -> Any:
    """Add each test again under a second name: graphs are built one way here."""
    for name, value in dict(cls.__dict__).items():
        if callable(value) and name.startswith((PREFIX, "benchmark")):
            setattr(cls, f"{name}WithGraphBuildingOptimization", value)
    return cls


def generate_combinations_with_testcase_name(**kwargs: Any) -> list[OrderedDict[str, Any]]:
    """Each choice of one of the values of every argument, with a name for its test."""
    listed = {
        key: value if isinstance(value, list) else [value] for key, value in sorted(kwargs.items())
    }
    found = []
    for values in itertools.product(*listed.values()):
        chosen = OrderedDict(zip(listed, values, strict=True))
        words = [f"_{_letters(key)}_{_letters(str(value))}" for key, value in chosen.items()]
        chosen["testcase_name"] = f"_test{''.join(words)}"
        found.append(chosen)
    return found


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))


@contextmanager
def skip_if_error(test_obj: Any, error_type: Any, messages: Any = None) -> Iterator[None]:
    """Skip the test where its block raises this error, with one of the messages if any are given."""
    wanted = nest.flatten(messages) if messages else []
    try:
        yield
    except error_type as error:
        if wanted and not any(message in str(error) for message in wanted):
            raise
        test_obj.skipTest(f"Skipping error: {type(error)}: {error}")


def py_func_if_in_function(func: Test) -> Test:
    """Call a function as Python where it is called in a tf.function."""

    @functools.wraps(func)
    def decorated(*args: Any, **kwargs: Any) -> Any:
        if not inside_function():
            return func(*args, **kwargs)
        places = [i for i, arg in enumerate(args) if isinstance(arg, Value)]

        def inner(*arrays: Any) -> Any:
            given = list(args)
            for i, array in zip(places, arrays, strict=True):
                given[i] = array
            return func(*given, **kwargs)

        return numpy_function(inner, [args[i] for i in places], [])

    return decorated


def run_gpu_or_tpu(func: Test) -> Test:
    """Skip the test: there is neither."""

    @functools.wraps(func)
    def decorated(self: Any, *args: Any, **kwargs: Any) -> None:
        self.skipTest("Test requires GPU or TPU")

    return decorated


def assert_ops_in_graph(expected_ops: dict[str, str], graph: Any) -> dict[str, Any]:
    """The nodes of these names, after a check that each is there and of its type."""
    found = {}
    for node in graph.as_graph_def().node:
        if node.name in expected_ops:
            if expected_ops[node.name] != node.op:
                raise ValueError(
                    f"Expected op for node {node.name} is different. "
                    f"{expected_ops[node.name]} vs {node.op}"
                )
            found[node.name] = node
    if set(expected_ops) != set(found):
        raise ValueError(
            f"Not all expected ops are present. Expected {set(expected_ops)}, found {set(found)}"
        )
    return found


def get_node_def_from_graph(node_name: str, graph_def: Any) -> Any:
    """The node of a name in a message; None if there is none."""
    return next((node for node in graph_def.node if node.name == node_name), None)
