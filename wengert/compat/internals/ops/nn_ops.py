"""tensorflow.python.ops.nn_ops: its names that are not public."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from wengert.ops.arrays.window_geometry import chosen_format
from wengert.ops.nn.conv.dilated import check_not_both, convolution
from wengert.ops.nn.dropout import general_dropout as general_dropout
from wengert.ops.nn.dropout import stateless_dropout as stateless_dropout
from wengert.ops.reductions.order_statistic import nth_element as nth_element
from wengert.values.shapes import TensorShape

if TYPE_CHECKING:
    from wengert.values.tensor import Tensor
    from wengert.values.typing import Array, Integers, ShapeLike, TensorLike


def convert_padding(padding: Any, expected_length: int = 4) -> tuple[str, list[int]]:
    """A padding as operations take it: its name, and the widths that are given, one by one."""
    if padding == "EXPLICIT":
        raise ValueError(
            "'EXPLICIT' is not a valid value for `padding`. To use explicit padding, `padding` "
            "must be a list."
        )
    if not isinstance(padding, (list, tuple)):
        return padding, []
    for at, pair in enumerate(padding):
        if not isinstance(pair, (list, tuple)) or len(pair) != 2:
            what = f"size {len(pair)}" if isinstance(pair, (list, tuple)) else f"type {type(pair)}"
            raise ValueError(
                "When `padding` is a list, each element of `padding` must be a list/tuple of size "
                f"2. Received: padding={padding} with element at index {at} of {what}"
            )
    if len(padding) != expected_length:
        raise ValueError(
            f"When padding is a list, it must be of size {expected_length}. Received: "
            f"padding={padding} of size {len(padding)}"
        )
    return "EXPLICIT", [width for pair in padding for width in pair]


class Convolution:
    """A convolution whose shapes are checked before there are values."""

    def __init__(
        self,
        input_shape: ShapeLike,
        filter_shape: ShapeLike,
        padding: str,
        strides: Integers | None = None,
        dilation_rate: Integers | None = None,
        name: str | None = None,
        data_format: str | None = None,
        num_spatial_dims: int | None = None,
    ) -> None:
        self.input_shape, self.filter_shape = TensorShape(input_shape), TensorShape(filter_shape)
        self.num_spatial_dims = self._spatial(num_spatial_dims)
        self.padding, self.data_format, self.name = padding, data_format, name
        self.strides, self.dilation_rate = self._each(strides), self._each(dilation_rate)
        check_not_both(strides, dilation_rate)
        chosen_format(data_format, self.num_spatial_dims)
        self._check_channels()

    def _spatial(self, given: int | None) -> int:
        x, w = self.input_shape, self.filter_shape
        if given is not None and w.rank is not None and w.rank != given + 2:
            raise ValueError(
                f"`filters.shape.rank` must be `num_spatial_dims + 2`. Received: filters.shape={w} "
                f"of rank {w.rank} and num_spatial_dims={given}"
            )
        known = [rank for rank in (w.rank, x.rank) if rank is not None]
        if given is None and not known:
            raise ValueError(
                "When `num_spatial_dims` is not set, one of `input.shape.rank` or "
                f"`filters.shape.rank` must be known. Received: input.shape={x} of rank {x.rank} "
                f"and `filters.shape={w}` of rank {w.rank}"
            )
        spatial = known[0] - 2 if given is None else given
        if x.rank is not None and x.rank < spatial + 2:
            raise ValueError(
                f"`input.shape.rank` must be >= than `num_spatial_dims + 2`. Received: "
                f"input.shape={x} of rank {x.rank} and num_spatial_dims={spatial}"
            )
        return spatial

    def _each(self, given: Integers | None) -> Array:
        """A number for each spatial axis."""
        one = np.asarray(1 if given is None else given, np.int32)
        return np.broadcast_to(one, self.num_spatial_dims)

    def _check_channels(self) -> None:
        x, w = self.input_shape, self.filter_shape
        first = (self.data_format or "").startswith("NC")
        have = None if x.rank is None else x[-1 - self.num_spatial_dims if first else -1]
        taken = None if w.rank is None else w[-2]
        if have is not None and taken and have % taken:
            raise ValueError(
                "The number of input channels is not divisible by the corresponding number of "
                f"output filters. Received: input.shape={x} with {have} channels and "
                f"filters.shape={w} with {taken} output filters."
            )

    def __call__(self, inp: TensorLike, filter: TensorLike) -> Tensor:
        """The convolution of an input with a filter."""
        steps, rates = self.strides.tolist(), self.dilation_rate.tolist()
        return convolution(inp, filter, steps, self.padding, self.data_format, rates, self.name)
