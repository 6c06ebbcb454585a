"""tensorflow.python.layers.pooling: pooling as functions."""

from __future__ import annotations

from typing import Any

from wengert.ops.nn.pool import public

_FORMATS = {
    (3, "channels_last"): "NWC",
    (4, "channels_last"): "NHWC",
    (5, "channels_last"): "NDHWC",
    (3, "channels_first"): "NCW",
    (4, "channels_first"): "NCHW",
    (5, "channels_first"): "NCDHW",
}


def _layer(function: Any, rank: int) -> Any:
    def pooled(
        inputs: Any,
        pool_size: Any,
        strides: Any,
        padding: str = "valid",
        data_format: str = "channels_last",
        name: str | None = None,
    ) -> Any:
        layout = _FORMATS[rank, data_format]
        return function(inputs, pool_size, strides, padding.upper(), layout, name)

    return pooled


max_pooling1d = _layer(public.max_pool1d, 3)
max_pooling2d = _layer(public.max_pool2d, 4)
max_pooling3d = _layer(public.max_pool3d, 5)
average_pooling1d = _layer(public.avg_pool1d, 3)
average_pooling2d = _layer(public.avg_pool2d, 4)
average_pooling3d = _layer(public.avg_pool3d, 5)
