"""Reductions in tf.compat.v1: `keep_dims` and `reduction_indices` are accepted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from wengert.compat.v1.functions.arguments import one_of
from wengert.ops.linalg import norms
from wengert.ops.reductions import reductions as now
from wengert.values.dtypes import int64


def _reduction(function: Callable[..., Any], given: str, result: str) -> Callable[..., Any]:
    def reduction(
        input_tensor: Any,
        axis: Any = None,
        keepdims: bool | None = None,
        name: str | None = None,
        reduction_indices: Any = None,
        keep_dims: bool | None = None,
    ) -> Any:
        along = one_of("axis", axis, "reduction_indices", reduction_indices)
        kept = one_of("keepdims", keepdims, "keep_dims", keep_dims)
        return function(input_tensor, along, bool(kept), name=name)

    reduction.__name__ = reduction.__qualname__ = function.__name__
    reduction.__doc__ = f"""tf.{function.__name__} with the arguments of version 1.

    >>> tf.compat.v1.{function.__name__}({given}, reduction_indices=[1], keep_dims=True).numpy()
    {result}
    """
    return reduction


_ONES: Final = "[[1.0, 1.0]]"


def _of_ones(function: Callable[..., Any], result: str) -> Callable[..., Any]:
    return _reduction(function, _ONES, f"array([[{result}]], dtype=float32)")


reduce_sum = _of_ones(now.reduce_sum, "2.")
reduce_mean = _of_ones(now.reduce_mean, "1.")
reduce_prod = _of_ones(now.reduce_prod, "1.")
reduce_max = _of_ones(now.reduce_max, "1.")
reduce_min = _of_ones(now.reduce_min, "1.")
reduce_logsumexp = _of_ones(now.reduce_logsumexp, "1.6931472")
reduce_all = _reduction(now.reduce_all, "[[True, False]]", "array([[False]])")
reduce_any = _reduction(now.reduce_any, "[[True, False]]", "array([[ True]])")


def count_nonzero(
    input_tensor: Any = None,
    axis: Any = None,
    keepdims: bool | None = None,
    dtype: Any = int64,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: bool | None = None,
    input: Any = None,
) -> Any:
    """tf.math.count_nonzero with the arguments of version 1.

    >>> tf.compat.v1.count_nonzero([[0, 1, 2]], keep_dims=True).numpy().tolist()
    [[2]]
    """
    value = one_of("input", input, "input_tensor", input_tensor)
    along = one_of("axis", axis, "reduction_indices", reduction_indices)
    kept = one_of("keepdims", keepdims, "keep_dims", keep_dims)
    return now.count_nonzero(value, along, bool(kept), dtype, name)


def norm(
    tensor: Any,
    ord: Any = "euclidean",
    axis: Any = None,
    keepdims: bool | None = None,
    name: str | None = None,
    keep_dims: bool | None = None,
) -> Any:
    """tf.norm with the arguments of version 1.

    >>> tf.compat.v1.norm([[3.0, 4.0]], axis=1, keep_dims=True).numpy().tolist()
    [[5.0]]
    """
    kept = one_of("keepdims", keepdims, "keep_dims", keep_dims)
    return norms.norm(tensor, ord, axis, bool(kept), name)


def argmax(
    input: Any, axis: Any = None, name: str | None = None, dimension: Any = None,
    output_type: Any = int64,
) -> Any:  # fmt: skip
    """tf.argmax with the arguments of version 1.

    >>> tf.compat.v1.argmax([[1.0, 2.0]], dimension=1).numpy().tolist()
    [1]
    """
    along = one_of("axis", axis, "dimension", dimension)
    return now.argmax(input, 0 if along is None else along, output_type, name)


def argmin(
    input: Any, axis: Any = None, name: str | None = None, dimension: Any = None,
    output_type: Any = int64,
) -> Any:  # fmt: skip
    """tf.argmin with the arguments of version 1.

    >>> tf.compat.v1.argmin([[1.0, 2.0]], dimension=1).numpy().tolist()
    [0]
    """
    along = one_of("axis", axis, "dimension", dimension)
    return now.argmin(input, 0 if along is None else along, output_type, name)


def arg_max(input: Any, dimension: Any, output_type: Any = int64, name: str | None = None) -> Any:
    """An older name of argmax.

    >>> tf.compat.v1.arg_max([[1.0, 2.0]], 1).numpy().tolist()
    [1]
    """
    return now.argmax(input, dimension, output_type, name)


def arg_min(input: Any, dimension: Any, output_type: Any = int64, name: str | None = None) -> Any:
    """An older name of argmin.

    >>> tf.compat.v1.arg_min([[1.0, 2.0]], 1).numpy().tolist()
    [0]
    """
    return now.argmin(input, dimension, output_type, name)
