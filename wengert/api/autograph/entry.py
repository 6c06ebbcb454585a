"""What users call: conversion by hand, what is left alone, and options of loops."""

from __future__ import annotations

import ast
import enum
import functools
from collections.abc import Callable, Sequence
from types import FunctionType, MethodType
from typing import Any

from wengert.api.autograph import calls, conversion
from wengert.api.autograph.source_text import NoSourceError


class Feature(enum.Enum):
    """Parts of the conversion that TensorFlow lets one choose. Here all are always on."""

    ALL = "ALL"
    AUTO_CONTROL_DEPS = "AUTO_CONTROL_DEPS"
    ASSERT_STATEMENTS = "ASSERT_STATEMENTS"
    BUILTIN_FUNCTIONS = "BUILTIN_FUNCTIONS"
    EQUALITY_OPERATORS = "EQUALITY_OPERATORS"
    LISTS = "LISTS"
    NAME_SCOPES = "NAME_SCOPES"

    @classmethod
    def all(cls) -> tuple[Feature, ...]:
        """All features."""
        return tuple(cls.__members__.values())

    @classmethod
    def all_but(cls, exclude: Feature | Sequence[Feature]) -> tuple[Feature, ...]:
        """All features but some."""
        left_out = exclude if isinstance(exclude, (list, tuple, set)) else (exclude,)
        return tuple(f for f in cls.all() if f not in left_out)


def do_not_convert(func: Callable[..., Any] | None = None) -> Callable[..., Any]:
    """Leave a function as it is: its branches and loops are Python's.

    >>> @tf.autograph.experimental.do_not_convert
    ... def larger(a, b):
    ...     return a if a > b else b
    >>> tf.function(larger)(1, 2)
    <tf.Tensor: shape=(), dtype=int32, numpy=2>
    """
    if func is None:
        return do_not_convert
    function = func

    def unconverted(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    if isinstance(func, (FunctionType, MethodType)):
        functools.update_wrapper(unconverted, func)
    unconverted.__wengert_unconverted__ = True  # type: ignore[attr-defined]
    return unconverted


def set_loop_options(
    parallel_iterations: int | None = None,
    swap_memory: bool | None = None,
    maximum_iterations: int | None = None,
    shape_invariants: object = None,
) -> None:
    """Set options of the loop on tensors in whose body this stands.

    >>> @tf.function
    ... def grown(x):
    ...     for _ in tf.range(3):
    ...         tf.autograph.experimental.set_loop_options(
    ...             shape_invariants=[(x, tf.TensorShape([None]))]
    ...         )
    ...         x = tf.concat([x, x], 0)
    ...     return x
    >>> grown(tf.constant([1.0])).shape
    TensorShape([8])
    """


def to_graph(
    entity: Callable[..., Any],
    recursive: bool = True,
    experimental_optional_features: object = None,
) -> Callable[..., Any]:
    """The converted function, which takes tensors of graphs where Python wants to know a value.

    >>> larger = tf.autograph.to_graph(lambda a, b: a if a > b else b)
    >>> larger(1, 2)
    2
    """
    function = _plain(entity)
    made: Callable[..., Any] = calls.call(function)
    if made is function:
        raise ValueError(f"{function!r} cannot be converted: {_reason(function)}.")
    return made


def to_code(
    entity: Callable[..., Any],
    recursive: bool = True,
    experimental_optional_features: object = None,
) -> str:
    """The converted function as Python. `ag__` are the operators of the library.

    >>> print(tf.autograph.to_code(lambda a: not a))
    lambda a: ag__.negated(a)
    """
    function = getattr(_plain(entity), "__func__", _plain(entity))
    if not isinstance(function, FunctionType):
        raise TypeError(f"tf.autograph.to_code takes a function, got {entity!r}.")
    try:
        return ast.unparse(ast.fix_missing_locations(conversion.rewritten(function)))
    except NoSourceError as error:
        raise ValueError(f"{function!r} cannot be converted: {error}.") from error


def _plain(entity: object) -> Callable[..., Any]:
    """The function behind a tf.function."""
    made: Callable[..., Any] = getattr(entity, "python_function", entity)  # type: ignore[arg-type]
    return made


def _reason(function: Callable[..., Any]) -> str:
    inner = getattr(function, "__func__", function)
    if isinstance(inner, FunctionType):
        return conversion.kept.of(inner).reason or "it is converted, or left alone, already"
    return "it is not a function written in Python"


def trace(*args: object) -> None:
    """Print values when a function is traced, not when it runs.

    >>> tf.function(lambda x: tf.autograph.trace("tracing") or x)(tf.constant(1.0)).numpy()
    tracing
    np.float32(1.0)
    """
    print(*args)


def set_verbosity(level: int, alsologtostdout: bool = False) -> None:
    """Say which functions are not converted, and why, from level 1 on.

    >>> tf.autograph.set_verbosity(0)
    """
    conversion.verbosity.set(int(level), bool(alsologtostdout))
