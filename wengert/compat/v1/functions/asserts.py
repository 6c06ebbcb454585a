"""Assertions with the arguments of version 1: `data` is printed if they fail."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wengert.compat.v1.functions.arguments import one_of
from wengert.core.context import current_graph
from wengert.graph.graph_builder import VAR_HANDLE
from wengert.ops.arrays.identity import check_numerics
from wengert.ops.control import asserts as now
from wengert.ops.control.effects import group
from wengert.values.dtypes import float16, float32, float64
from wengert.values.symbolic import SymbolicTensor


def _message(message: Any, data: Any) -> Any:
    """The message, with the data: their values, where they are known already."""
    if data is None:
        return message
    known = (d if isinstance(d, SymbolicTensor) else getattr(d, "_array", d) for d in data)
    shown = ", ".join(map(str, known))
    return f"{message or ''} {shown}".strip()


def _of_two(function: Callable[..., Any], example: str) -> Callable[..., Any]:
    def check(
        x: Any,
        y: Any,
        data: Any = None,
        summarize: int | None = None,
        message: Any = None,
        name: str | None = None,
    ) -> Any:
        return function(x, y, message=_message(message, data), summarize=summarize, name=name)

    return _presented(check, function, example)


def _of_one(function: Callable[..., Any], example: str) -> Callable[..., Any]:
    def check(
        x: Any,
        data: Any = None,
        summarize: int | None = None,
        message: Any = None,
        name: str | None = None,
    ) -> Any:
        return function(x, message=_message(message, data), summarize=summarize, name=name)

    return _presented(check, function, example)


def _presented(check: Any, function: Callable[..., Any], example: str) -> Callable[..., Any]:
    name = function.__name__
    check.__name__ = check.__qualname__ = name
    check.__doc__ = (
        f"tf.debugging.{name} with the arguments of version 1.\n\n"
        f"    >>> tf.compat.v1.{name}({example})\n    "
    )
    result: Callable[..., Any] = check
    return result


assert_equal = _of_two(now.assert_equal, "[1], [1]")
assert_none_equal = _of_two(now.assert_none_equal, "[1], [2]")
assert_less = _of_two(now.assert_less, "[1], [2]")
assert_less_equal = _of_two(now.assert_less_equal, "[1], [1]")
assert_greater = _of_two(now.assert_greater, "[2], [1]")
assert_greater_equal = _of_two(now.assert_greater_equal, "[1], [1]")
assert_positive = _of_one(now.assert_positive, "[1]")
assert_negative = _of_one(now.assert_negative, "[-1]")
assert_non_negative = _of_one(now.assert_non_negative, "[0]")
assert_non_positive = _of_one(now.assert_non_positive, "[0]")


def assert_near(
    x: Any,
    y: Any,
    rtol: Any = None,
    atol: Any = None,
    data: Any = None,
    summarize: int | None = None,
    message: Any = None,
    name: str | None = None,
) -> Any:
    """tf.debugging.assert_near with the arguments of version 1.

    >>> tf.compat.v1.assert_near([1.0], [1.0])
    """
    return now.assert_near(x, y, rtol, atol, _message(message, data), summarize, name)


def assert_rank(
    x: Any,
    rank: Any,
    data: Any = None,
    summarize: int | None = None,
    message: Any = None,
    name: str | None = None,
) -> Any:
    """tf.debugging.assert_rank with the arguments of version 1.

    >>> tf.compat.v1.assert_rank([1], 1)
    """
    return now.assert_rank(x, rank, _message(message, data), name)


def assert_rank_at_least(
    x: Any,
    rank: Any,
    data: Any = None,
    summarize: int | None = None,
    message: Any = None,
    name: str | None = None,
) -> Any:
    """tf.debugging.assert_rank_at_least with the arguments of version 1.

    >>> tf.compat.v1.assert_rank_at_least([1], 1)
    """
    return now.assert_rank_at_least(x, rank, _message(message, data), name)


def assert_rank_in(
    x: Any,
    ranks: Any,
    data: Any = None,
    summarize: int | None = None,
    message: Any = None,
    name: str | None = None,
) -> Any:
    """tf.debugging.assert_rank_in with the arguments of version 1.

    >>> tf.compat.v1.assert_rank_in([1], (1, 2))
    """
    return now.assert_rank_in(x, ranks, _message(message, data), name)


def verify_tensor_all_finite(
    t: Any = None, msg: Any = None, name: str | None = None, x: Any = None, message: Any = None
) -> Any:
    """The tensor, checked for NaN and infinity: see `tf.debugging.assert_all_finite`.

    >>> tf.compat.v1.verify_tensor_all_finite([1.0], "found one").numpy()
    array([1.], dtype=float32)
    """
    tensor, text = one_of("x", x, "t", t), one_of("message", message, "msg", msg)
    return check_numerics(tensor, text, name=name)


assert_all_finite = verify_tensor_all_finite


def add_check_numerics_ops() -> Any:
    """An operation that checks all floats of the graph, in the order in which they are computed.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     y = tf.math.log(tf.constant(-1.0), name="y")
    ...     try:
    ...         session.run(tf.compat.v1.add_check_numerics_ops())
    ...     except tf.errors.InvalidArgumentError as error:
    ...         print("y:0 : Tensor had NaN values" in str(error))
    True
    """
    graph = current_graph()
    if graph is None:
        raise RuntimeError(
            "add_check_numerics_ops() is not compatible with eager execution: call "
            "tf.debugging.enable_check_numerics() before the operations that are to be checked."
        )
    checks: list[Any] = []
    for op in graph.get_operations():
        for i, output in enumerate(() if op.row is VAR_HANDLE else op.outputs):
            if output.dtype in (float16, float32, float64):
                with graph.control_dependencies(checks[-1:]):
                    checks.append(check_numerics(output, f"{op.name}:{i}"))
    return group(*checks[-1:])


def assert_scalar(tensor: Any, name: str | None = None, message: Any = None) -> Any:
    """tf.debugging.assert_scalar with the arguments of version 1.

    >>> tf.compat.v1.assert_scalar(1).numpy().item()
    1
    """
    return now.assert_scalar(tensor, message, name)
