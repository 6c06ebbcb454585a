"""Calls of operations that need more than a few arrays of one shape: indices, a window, a matrix of a kind."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

import numpy as np

from wengert import raw_ops

Call = tuple[Callable[..., Any], tuple[Any, ...]]


def usual_call(name: str) -> Call | None:
    """A function of the float inputs of an operation, with the rest as it is usually given, and such inputs."""
    if name not in _USUAL:
        return None
    inputs, rest = _USUAL[name]
    raw = getattr(raw_ops, name)

    def operation(*xs: Any) -> Any:
        return raw(**dict(zip(inputs, xs, strict=True)), **rest)

    operation.__name__ = name
    return operation, tuple([make() for make in inputs.values()])


def _normal(*shape: int) -> Any:
    return np.random.default_rng(len(shape)).normal(size=shape)


def _positive_definite() -> Any:
    a = _normal(3, 3)
    return a @ a.T + 3 * np.eye(3)


def _triangular() -> Any:
    return np.tril(_normal(3, 3)) + 3 * np.eye(3)


def _with(*shape: int) -> Callable[[], Any]:
    return partial(_normal, *shape)


_IMAGE: Final = _with(2, 4, 4, 2)
_STEPS: Final[dict[str, Any]] = {"strides": [1, 1, 1, 1], "padding": "SAME"}
_WINDOWS: Final[dict[str, Any]] = {
    "ksize": [1, 2, 2, 1],
    "strides": [1, 2, 2, 1],
    "padding": "VALID",
}
_IDS: Final[dict[str, Any]] = {"segment_ids": [0, 0, 1, 2]}

# By the type: the inputs that vary, and how such are made; and what else is given.
_USUAL: Final[dict[str, tuple[dict[str, Callable[[], Any]], dict[str, Any]]]] = {
    "Cholesky": ({"input": _positive_definite}, {}),
    "MatrixTriangularSolve": ({"matrix": _triangular, "rhs": _with(3, 2)}, {}),
    "Qr": ({"input": _with(4, 3)}, {}),
    "Conv2D": ({"input": _IMAGE, "filter": _with(3, 3, 2, 3)}, _STEPS),
    "DepthwiseConv2dNative": ({"input": _IMAGE, "filter": _with(2, 2, 2, 2)}, _STEPS),
    "Conv3D": (
        {"input": _with(1, 3, 3, 3, 2), "filter": _with(2, 2, 2, 2, 2)},
        {"strides": [1, 1, 1, 1, 1], "padding": "SAME"},
    ),
    "MaxPool": ({"input": _IMAGE}, _WINDOWS),
    "AvgPool": ({"value": _IMAGE}, _WINDOWS),
    "BiasAdd": ({"value": _with(3, 2), "bias": _with(2)}, {}),
    "GatherV2": ({"params": _with(4, 2)}, {"indices": [0, 2, 2], "axis": 0}),
    "GatherNd": ({"params": _with(4, 2)}, {"indices": [[0, 1], [2, 0]]}),
    "SegmentSum": ({"data": _with(4, 2)}, _IDS),
    "SegmentMean": ({"data": _with(4, 2)}, _IDS),
    "UnsortedSegmentSum": ({"data": _with(4, 2)}, {**_IDS, "num_segments": 3}),
    "TopKV2": ({"input": _with(2, 5)}, {"k": 2}),
}
