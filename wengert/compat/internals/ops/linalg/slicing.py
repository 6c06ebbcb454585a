"""tensorflow.python.ops.linalg.slicing: parts of batches of linear operators."""

from __future__ import annotations

from typing import Any

from wengert.linear_operators.slicing import part_of_parameter
from wengert.ops.arrays.shaping import as_shape
from wengert.values.convert import convert


def _slice_single_param(
    param: Any, param_ndims_to_matrix_ndims: int, slices: Any, batch_shape: Any
) -> Any:
    """The part of one parameter."""
    batch = as_shape(batch_shape)
    return part_of_parameter(convert(param), param_ndims_to_matrix_ndims, slices, batch)


def batch_slice(linop: Any, params_overrides: dict[str, Any], slices: Any) -> Any:
    """The operator of a part of a batch, with other values for some of its parameters."""
    part = linop[slices]
    return type(part)(**{**part.parameters, **params_overrides}) if params_overrides else part
