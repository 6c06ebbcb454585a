"""Layers as functions: each call makes a layer, whose variables are shared by name and `reuse`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from wengert.compat.v1.layers.base import Layer
from wengert.compat.v1.layers.convolutional import Conv1D, Conv2D, Conv3D
from wengert.compat.v1.layers.core import Dense, Dropout, Flatten
from wengert.compat.v1.layers.normalization import BatchNormalization
from wengert.compat.v1.layers.pooling import (
    AveragePooling1D,
    AveragePooling2D,
    AveragePooling3D,
    MaxPooling1D,
    MaxPooling2D,
    MaxPooling3D,
)
from wengert.compat.v1.layers.separable import SeparableConv1D, SeparableConv2D
from wengert.compat.v1.layers.transposed import Conv2DTranspose, Conv3DTranspose

_KEYWORD = inspect.Parameter.POSITIONAL_OR_KEYWORD


def _function(
    kind: type[Layer], name: str, example: str, *, called_with: str | None = None
) -> Callable[..., Any]:
    """A function that makes a layer and calls it.

    Its parameters are the inputs, those of the layer, and what the call takes beside the inputs.
    """
    layers = [p for p in inspect.signature(kind).parameters.values() if p.kind is _KEYWORD]
    extra = [inspect.Parameter(called_with, _KEYWORD, default=False)] if called_with else []
    shares = "trainable" in {p.name for p in layers}
    reuse = [inspect.Parameter("reuse", _KEYWORD, default=None)] if shares else []
    at = next(
        i for i, p in enumerate([*layers, None]) if p is None or p.name in ("trainable", "name")
    )
    first = [inspect.Parameter("inputs", _KEYWORD)]
    if "name" not in {p.name for p in layers}:  # among further arguments of the layer
        first.append(inspect.Parameter("name", _KEYWORD, default=None))
    signature = inspect.Signature([*first, *layers[:at], *extra, *layers[at:], *reuse])

    def function(*args: Any, **kwargs: Any) -> Any:
        given = signature.bind(*args, **kwargs).arguments
        x, shared = given.pop("inputs"), given.pop("reuse", None)
        call = {called_with: given.pop(called_with)} if called_with in given else {}
        scope = given.get("name") if shares else None
        return kind(**given, _scope=scope, _reuse=shared)(x, **call)

    function.__name__ = function.__qualname__ = name
    function.__signature__ = signature  # type: ignore[attr-defined]
    function.__doc__ = f"""`tf.compat.v1.layers.{kind.__name__}` as a function.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.layers.{name}({example[: example.index(" -> ")]}).shape.as_list()
    {example[example.index(" -> ") + 4 :]}
    """
    return function


dense = _function(Dense, "dense", "tf.ones([2, 4]), 3 -> [2, 3]")
dropout = _function(Dropout, "dropout", "tf.ones([2, 4]) -> [2, 4]", called_with="training")
flatten = _function(Flatten, "flatten", "tf.ones([2, 3, 4]) -> [2, 12]")
batch_normalization = _function(
    BatchNormalization,
    "batch_normalization",
    "tf.ones([2, 4]) -> [2, 4]",
    called_with="training",
)
conv1d = _function(Conv1D, "conv1d", "tf.ones([1, 5, 4]), 3, 2 -> [1, 4, 3]")
conv2d = _function(Conv2D, "conv2d", "tf.ones([1, 5, 5, 4]), 3, 2 -> [1, 4, 4, 3]")
conv3d = _function(Conv3D, "conv3d", "tf.ones([1, 5, 5, 5, 4]), 3, 2 -> [1, 4, 4, 4, 3]")
separable_conv1d = _function(
    SeparableConv1D, "separable_conv1d", "tf.ones([1, 5, 4]), 3, 2 -> [1, 4, 3]"
)
separable_conv2d = _function(
    SeparableConv2D, "separable_conv2d", "tf.ones([1, 5, 5, 4]), 3, 2 -> [1, 4, 4, 3]"
)
conv2d_transpose = _function(
    Conv2DTranspose, "conv2d_transpose", "tf.ones([1, 5, 5, 4]), 3, 2 -> [1, 6, 6, 3]"
)
conv3d_transpose = _function(
    Conv3DTranspose, "conv3d_transpose", "tf.ones([1, 2, 2, 2, 4]), 3, 2 -> [1, 3, 3, 3, 3]"
)
max_pooling1d = _function(MaxPooling1D, "max_pooling1d", "tf.ones([1, 4, 3]), 2, 2 -> [1, 2, 3]")
max_pooling2d = _function(
    MaxPooling2D, "max_pooling2d", "tf.ones([1, 4, 4, 3]), 2, 2 -> [1, 2, 2, 3]"
)
max_pooling3d = _function(
    MaxPooling3D, "max_pooling3d", "tf.ones([1, 4, 4, 4, 3]), 2, 2 -> [1, 2, 2, 2, 3]"
)
average_pooling1d = _function(
    AveragePooling1D, "average_pooling1d", "tf.ones([1, 4, 3]), 2, 2 -> [1, 2, 3]"
)
average_pooling2d = _function(
    AveragePooling2D, "average_pooling2d", "tf.ones([1, 4, 4, 3]), 2, 2 -> [1, 2, 2, 3]"
)
average_pooling3d = _function(
    AveragePooling3D, "average_pooling3d", "tf.ones([1, 4, 4, 4, 3]), 2, 2 -> [1, 2, 2, 2, 3]"
)
