"""InputSpec: what a layer asks of its inputs."""

from __future__ import annotations

from typing import Any

from wengert.values import nest
from wengert.values.dtypes import as_dtype


class InputSpec:
    """The rank, the dtype and some of the sizes that a layer takes.

    >>> spec = tf.compat.v1.layers.InputSpec(min_ndim=2, axes={-1: 3})
    >>> spec.min_ndim, spec.axes
    (2, {-1: 3})
    """

    def __init__(
        self,
        dtype: Any = None,
        shape: Any = None,
        ndim: int | None = None,
        max_ndim: int | None = None,
        min_ndim: int | None = None,
        axes: dict[int, int | None] | None = None,
        allow_last_axis_squeeze: bool = False,
        name: str | None = None,
    ) -> None:
        self.dtype = None if dtype is None else as_dtype(dtype).name
        self.shape = None if shape is None else tuple(shape)
        self.ndim = ndim if self.shape is None else len(self.shape)
        self.max_ndim, self.min_ndim = max_ndim, min_ndim
        self.axes = {int(axis): size for axis, size in (axes or {}).items()}
        self.allow_last_axis_squeeze = allow_last_axis_squeeze
        self.name = name

    def complaint(self, x: Any) -> str | None:
        """What is wrong with a tensor."""
        rank = x.shape.rank
        if self.dtype is not None and x.dtype.name != self.dtype:
            return f"expected dtype={self.dtype}, found dtype={x.dtype}"
        if rank is None:
            return None
        if self.ndim is not None and rank != self.ndim:
            return f"expected ndim={self.ndim}, found ndim={rank}. Full shape received: {x.shape}"
        if self.max_ndim is not None and rank > self.max_ndim:
            return f"expected max_ndim={self.max_ndim}, found ndim={rank}"
        if self.min_ndim is not None and rank < self.min_ndim:
            return (
                f"expected min_ndim={self.min_ndim}, found ndim={rank}. "
                f"Full shape received: {x.shape}"
            )
        return self._wrong_size(x.shape)

    def _wrong_size(self, shape: Any) -> str | None:
        wanted = dict(enumerate(self.shape or ())) | self.axes
        for axis, size in wanted.items():
            if size is not None and shape[axis] not in (size, None):
                return (
                    f"expected axis {axis} of input shape to have value {size} but received input "
                    f"with shape {shape}"
                )
        return None


def check_inputs(name: str, spec: InputSpec | None, inputs: Any) -> None:
    """Raise if inputs are not what the layer asks for."""
    if spec is None:
        return
    found = nest.flatten(inputs)
    if len(found) != 1:
        raise ValueError(
            f"Layer {name} expects 1 input(s), but it received {len(found)} input tensors."
        )
    complaint = spec.complaint(found[0])
    if complaint is not None:
        raise ValueError(f"Input 0 of layer {name} is incompatible with the layer: {complaint}")
