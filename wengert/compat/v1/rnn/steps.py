"""What the loops over time have in common: checks, initial states, and steps beyond the end."""

from __future__ import annotations

from typing import Any

from wengert.compat.v1.rnn.cells import zeros_of
from wengert.ops.arrays.creation import shape as shape_of
from wengert.ops.arrays.identity import identity
from wengert.ops.arrays.shaping import reshape
from wengert.ops.control.tensor_array import TensorArray
from wengert.ops.math.comparison import where
from wengert.ops.math.elementwise import cast, zeros_like
from wengert.values import nest
from wengert.values.convert import convert
from wengert.values.dtypes import int32
from wengert.values.shapes import TensorShape


def check_cell(name: str, cell: Any) -> None:
    """Raise unless it is a cell, or looks like one."""
    missing = [word for word in ("state_size", "output_size") if not hasattr(type(cell), word)]
    if (missing and not all(hasattr(cell, word) for word in missing)) or not callable(cell):
        raise TypeError(
            f"The argument '{name}' ({cell}) is not an RNNCell: it has no "
            f"'{missing[0] if missing else '__call__'}'. Derive a cell from "
            "tf.compat.v1.nn.rnn_cell.RNNCell."
        )


def batch_size_of(tensors: list[Any], axis: int) -> Any:
    """The size of the batch: a number if one of the tensors knows it."""
    for x in tensors:
        if (x.shape.rank or 0) > axis and x.shape[axis] is not None:
            return x.shape[axis]
    return shape_of(tensors[0])[axis]


def initial_state_of(cell: Any, given: Any, batch_size: Any, dtype: Any, complaint: str) -> Any:
    """The state before the first step."""
    if given is not None:
        return nest.map_structure(whole, given)
    if not dtype:
        raise ValueError(complaint)
    if getattr(cell, "get_initial_state", None) is not None:
        return cell.get_initial_state(inputs=None, batch_size=batch_size, dtype=dtype)
    return cell.zero_state(batch_size, dtype)


def whole(value: Any) -> Any:
    """A tensor; an array of tensors is itself."""
    return value if isinstance(value, TensorArray) else convert(value)


def lengths_of(sequence_length: Any, batch_size: Any) -> Any:
    """The lengths of the sequences as a vector of integers."""
    if sequence_length is None:
        return None
    lengths = cast(convert(sequence_length), int32)
    if lengths.shape.rank not in (None, 1):
        raise ValueError(
            f"sequence_length must be a vector of length batch_size, but saw shape: {lengths.shape}"
        )
    known = lengths.shape[0] if lengths.shape.rank else None
    if isinstance(batch_size, int) and known not in (None, batch_size):
        raise ValueError(
            f"Expected shape for Tensor sequence_length to be [{batch_size}], but saw shape: "
            f"{lengths.shape}"
        )
    return identity(lengths, name="sequence_length")


def zero_outputs(cell: Any, batch_size: Any, dtype: Any) -> Any:
    """What comes out where a sequence has ended."""
    return nest.map_structure(lambda size: zeros_of(size, batch_size, dtype), sizes_of(cell))


def sizes_of(cell: Any) -> Any:
    """The sizes of the output, with shapes as leaves."""
    size = cell.output_size
    return TensorShape(size) if isinstance(size, (int, TensorShape)) else size


def stepped(
    cell: Any, x: Any, state: Any, time: Any, lengths: Any, zero_output: Any = None
) -> tuple[Any, Any]:
    """One step of a cell; sequences that have ended give zeros and keep their state."""
    output, new_state = cell(x, state)
    nest.assert_same_structure(state, new_state)
    if lengths is None:
        return output, new_state
    ended = time >= lengths
    if zero_output is None:
        zero_output = nest.map_structure(zeros_like, output)
    return _chosen(ended, zero_output, output), _chosen(ended, state, new_state)


def _chosen(ended: Any, before: Any, after: Any) -> Any:
    return nest.map_structure(lambda a, b: one_chosen(ended, a, b), before, after)


def one_chosen(ended: Any, before: Any, after: Any) -> Any:
    """Row by row; a scalar or an array belongs to no row."""
    if isinstance(after, TensorArray) or after.shape.rank == 0:
        return after
    rows = reshape(ended, [-1, *[1] * ((after.shape.rank or 1) - 1)])
    result = where(rows, before, after)
    result.set_shape(after.shape)
    return result


def cast_state_dtype(explicit: Any, state: Any) -> Any:
    """The dtype of outputs: the one asked for, or that of the state."""
    if explicit is not None:
        return explicit
    found = {part.dtype for part in nest.flatten(state)}
    if not found:
        raise ValueError("Unable to infer dtype from empty state.")
    if len(found) > 1:
        raise ValueError(
            "State has tensors of different inferred_dtypes. Unable to infer a single "
            f"representative dtype: {sorted(d.name for d in found)}"
        )
    return found.pop()
