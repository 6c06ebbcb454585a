"""Decorators of tests: execution modes, conditions, and checks for leaks.

TensorFlow's decorators for features that do not exist here (XLA, GPUs, two kinds of control flow)
leave a test unchanged.
"""

from __future__ import annotations

import functools
import gc
import unittest
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from wengert.api.function.function import function
from wengert.api.session.modes import executing_eagerly
from wengert.core.context import activate, threads_start_eagerly
from wengert.graph.graph import Graph
from wengert.values.tensor import Tensor

Test = Callable[..., Any]
_GENERATIONS = 3


# ---- modes -------------------------------------------------------------------------------------


def starts_eagerly() -> bool:
    """Whether programs start in eager mode, as in TensorFlow 2."""
    return threads_start_eagerly()


@contextmanager
def graph_mode() -> Iterator[None]:
    """Within the block, operations are added to a new graph."""
    with Graph().as_default():
        yield


@contextmanager
def eager_mode() -> Iterator[None]:
    """Within the block, operations run eagerly."""
    with activate((), None):
        yield


def run_in_graph_and_eager_modes(
    func: Test | None = None,
    config: Any = None,
    use_gpu: bool = True,
    assert_no_eager_garbage: bool = False,
) -> Any:
    """Run the test twice: in a graph with a session, and eagerly."""
    if func is None:
        return functools.partial(run_in_graph_and_eager_modes, config=config, use_gpu=use_gpu)
    if func.__name__ in ("setUp", "setUpClass"):
        raise ValueError(
            "`run_in_graph_and_eager_modes` does not support methods named `setUp`: both runs call it. "
            "Decorate the tests."
        )

    @functools.wraps(func)
    def both(self: Any, *args: Any, **kwargs: Any) -> None:
        skipped = _in_graph(func, self, args, kwargs)
        self.tearDown()
        with eager_mode():
            self.setUp()
            func(self, *args, **kwargs)
        if skipped is not None:
            raise skipped

    return both


def _in_graph(func: Test, self: Any, args: Any, kwargs: Any) -> unittest.SkipTest | None:
    """Run a test in graph mode; returns why it was skipped, if it was."""
    try:
        with graph_mode(), self.test_session():
            func(self, *args, **kwargs)
    except unittest.SkipTest as skip:
        return skip
    return None


def _each_test(decorator: Callable[[Test], Test], cls: type) -> type:
    """The class with every test decorated."""
    prefix = unittest.TestLoader.testMethodPrefix
    for name in dir(cls):
        method = getattr(cls, name)
        if name.startswith(prefix) and name != "test_session" and callable(method):
            setattr(cls, name, decorator(method))
    return cls


def run_all_in_graph_and_eager_modes(cls: type) -> type:
    """Run every test of the class twice: in a graph, and eagerly."""
    return _each_test(run_in_graph_and_eager_modes, cls)


def run_deprecated_v1(func: Any = None) -> Any:
    """Run the test, or every test of the class, in a graph."""
    if isinstance(func, type):
        return _each_test(run_deprecated_v1, func)
    if func is None:
        return run_deprecated_v1

    @functools.wraps(func)
    def in_graph(self: Any, *args: Any, **kwargs: Any) -> Any:
        if not executing_eagerly():
            return func(self, *args, **kwargs)
        with graph_mode():
            return func(self, *args, **kwargs)

    return in_graph


deprecated_graph_mode_only = run_deprecated_v1


def _unless(skips: Callable[[], bool], reason: str) -> Callable[..., Any]:
    """A skipping decorator for functions and classes, with or without a reason as its argument."""

    def decorator(what: Any = None, **_: Any) -> Any:
        if isinstance(what, type):
            return _each_test(decorator, what)
        if not callable(what):
            return decorator

        @functools.wraps(what)
        def perhaps(self: Any, *args: Any, **kwargs: Any) -> Any:
            if skips():
                self.skipTest(reason)
            return what(self, *args, **kwargs)

        return perhaps

    return decorator


run_v1_only = _unless(starts_eagerly, "Test is only compatible with v1")
run_v2_only = _unless(lambda: not starts_eagerly(), "Test is only compatible with v2")
run_gpu_only = run_cuda_only = _unless(lambda: True, "Test requires GPU")


def also_run_as_tf_function(f: Test) -> Test:
    """Run the test eagerly, and again inside of a tf.function."""

    @functools.wraps(f)
    def both(self: Any, *args: Any, **kwargs: Any) -> None:
        with eager_mode():
            f(self, *args, **kwargs)
            function(lambda: _nothing(f(self, *args, **kwargs)))()

    return both


def _nothing(_: Any) -> None:
    return None


def build_as_function_and_v1_graph(func: Test | None = None) -> Any:
    """Run the test in a graph, and inside of a tf.function."""
    if func is None:
        return build_as_function_and_v1_graph

    @functools.wraps(func)
    def both(self: Any, *args: Any, **kwargs: Any) -> None:
        with graph_mode():
            func(self, *args, **kwargs)
        with eager_mode():
            function(lambda: _nothing(func(self, *args, **kwargs)))()

    return both


def run_all_in_deprecated_graph_mode_only(cls: type) -> type:
    """Run every test of the class in a graph."""
    return _each_test(run_deprecated_v1, cls)


def for_all_test_methods(decorator: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Apply a decorator to every test of a class."""
    return functools.partial(_each_test, lambda method: decorator(*args, **kwargs)(method))


# ---- what does not exist here ------------------------------------------------------------------


def leave_unchanged(what: Any = None, *_: Any, **__: Any) -> Any:
    """A decorator that changes nothing, with or without arguments."""
    return what if callable(what) else leave_unchanged


def with_eager_op_as_function(cls: Any = None, only_as_function: bool = False) -> Any:
    """Leave a class of tests unchanged: operations are never run as functions here.

    >>> tf.test.with_eager_op_as_function(tf.test.TestCase) is tf.test.TestCase
    True
    """
    return leave_unchanged(cls)


@contextmanager
def no_context(*_: Any, **__: Any) -> Iterator[None]:
    """A context manager that does nothing."""
    yield


def skip_if(condition: Any) -> Callable[[Test], Test]:
    """Skip the test if the condition, or the result of the function, is true."""

    def decorator(func: Test) -> Test:
        @functools.wraps(func)
        def perhaps(self: Any, *args: Any, **kwargs: Any) -> Any:
            if condition() if callable(condition) else condition:
                return None
            return func(self, *args, **kwargs)

        return perhaps

    return decorator


def disable_with_predicate(pred: Callable[[], bool], skip_message: str) -> Callable[[Test], Test]:
    """Skip the test where the predicate holds.

    >>> @tf.test.disable_with_predicate(lambda: False, "never")
    ... def test(self):
    ...     return "ran"
    >>> test(None)
    'ran'
    """
    return _unless(pred, skip_message)


# ---- leaks -------------------------------------------------------------------------------------


def assert_no_new_pyobjects_executing_eagerly(
    func: Test | None = None, warmup_iters: int = 2
) -> Any:
    """Check that after some warmup rounds the test leaves no new Python objects."""
    if not callable(func):
        return functools.partial(
            assert_no_new_pyobjects_executing_eagerly, warmup_iters=warmup_iters
        )

    @functools.wraps(func)
    def counted(self: Any, *args: Any, **kwargs: Any) -> None:
        with eager_mode():
            for _ in range(warmup_iters):
                _once(func, self, args, kwargs)
            before = _objects()
            for _ in range(_GENERATIONS):
                _once(func, self, args, kwargs)
            new = _objects() - before
        self.assertLess(new, _GENERATIONS, f"{new} new objects in {_GENERATIONS} rounds")

    return counted


def _once(func: Test, self: Any, args: Any, kwargs: Any) -> None:
    self.setUp()
    func(self, *args, **kwargs)
    self.tearDown()


def _objects() -> int:
    gc.collect()
    return len(gc.get_objects())


def assert_no_new_tensors(f: Test) -> Test:
    """Check that no tensor outlives the test."""

    @functools.wraps(f)
    def checked(self: Any, *args: Any, **kwargs: Any) -> None:
        before = _tensors()
        f(self, *args, **kwargs)
        left = [t for i, t in _tensors().items() if i not in before]
        self.assertFalse(left, f"{len(left)} tensors are still there: {left[:3]}")

    return checked


def _tensors() -> dict[int, Any]:
    gc.collect()
    return {id(x): x for x in gc.get_objects() if isinstance(x, Tensor)}


def assert_no_garbage_created(f: Test) -> Test:
    """Check that the test makes no reference cycles, which only the garbage collector can free."""

    @functools.wraps(f)
    def checked(self: Any, *args: Any, **kwargs: Any) -> None:
        gc.collect()
        kept, found = gc.get_debug(), len(gc.garbage)
        gc.set_debug(gc.DEBUG_SAVEALL)
        try:
            f(self, *args, **kwargs)
            gc.collect()
            made = gc.garbage[found:]
            del gc.garbage[found:]
        finally:
            gc.set_debug(kept)
        self.assertFalse(made, f"{len(made)} objects in circles: {made[:3]}")

    return checked
