"""Cells around another cell: dropout, residual connections, devices."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

from wengert.api.session.modes import device
from wengert.compat.v1.functions.nn_random import dropout
from wengert.compat.v1.rnn.cells import LSTMStateTuple, RNNCell
from wengert.ops.control.tensor_array import TensorArray
from wengert.ops.math.elementwise import floor
from wengert.ops.random.stateful import uniform
from wengert.values import nest
from wengert.values.dtypes import as_dtype
from wengert.values.shapes import TensorShape


class Wrapper(RNNCell):
    """A cell that calls another one, in whose scope the variables are."""

    def __init__(self, cell: Any, **kwargs: Any) -> None:
        if not hasattr(cell, "state_size") or not hasattr(cell, "output_size"):
            raise TypeError(f"The parameter cell is not an RNNCell: it is {type(cell).__name__}.")
        super().__init__(**kwargs)
        self.cell = cell

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        """The output and the next state."""
        given = {} if scope is None else {"scope": scope}
        return self._around(inputs, state, lambda x, s: self.cell(x, s, **given))

    def call(self, inputs: Any, state: Any) -> Any:
        """What the wrapper makes of the cell's own `call`."""
        return self._around(inputs, state, self.cell.call)

    def _around(self, inputs: Any, state: Any, call: Callable[[Any, Any], Any]) -> Any:
        raise NotImplementedError

    @property
    def wrapped_cell(self) -> Any:
        """The cell inside."""
        return self.cell

    @property
    def state_size(self) -> Any:
        """That of the cell."""
        return self.cell.state_size

    @property
    def output_size(self) -> Any:
        """That of the cell."""
        return self.cell.output_size

    def build(self, inputs_shape: Any) -> None:
        """Build the cell."""
        self.cell.build(inputs_shape)
        self.built = True

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """That of the cell."""
        return self.cell.zero_state(batch_size, dtype)


class DropoutWrapper(Wrapper):
    """Sets some of a cell's inputs, outputs and states to zero, and scales up the others.

    >>> rnn_cell = tf.compat.v1.nn.rnn_cell
    >>> with tf.Graph().as_default():
    ...     cell = rnn_cell.DropoutWrapper(rnn_cell.GRUCell(2), output_keep_prob=0.5)
    ...     output, _ = cell(tf.ones([1, 3]), cell.zero_state(1, tf.float32))
    ...     output.shape.as_list()
    [1, 2]
    """

    def __init__(
        self,
        cell: Any,
        input_keep_prob: Any = 1.0,
        output_keep_prob: Any = 1.0,
        state_keep_prob: Any = 1.0,
        variational_recurrent: bool = False,
        input_size: Any = None,
        dtype: Any = None,
        seed: int | None = None,
        dropout_state_filter_visitor: Callable[[Any], Any] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(cell, dtype=dtype, **kwargs)
        visitor = dropout_state_filter_visitor
        if visitor is not None and not callable(visitor):
            raise TypeError("dropout_state_filter_visitor must be callable")
        self._visitor = visitor or _all_but_cells
        self._seed = seed
        self._keep = {
            "input": _probability("input", input_keep_prob),
            "state": _probability("state", state_keep_prob),
            "output": _probability("output", output_keep_prob),
        }
        self._noise: dict[str, list[Any]] | None = None
        if variational_recurrent:
            self._noise = self._noises(input_size, dtype)

    def _noises(self, input_size: Any, dtype: Any) -> dict[str, list[Any]]:
        """One draw for all times, and for all examples of a batch."""
        if dtype is None:
            raise ValueError("When variational_recurrent=True, dtype must be provided")
        if _drops(self._keep["input"]) and input_size is None:
            raise ValueError(
                "When variational_recurrent=True and input_keep_prob < 1.0 or is unknown, "
                "input_size must be provided"
            )
        sizes = {"input": input_size, "state": self.state_size, "output": self.output_size}
        return {
            what: [
                uniform(
                    _with_batch_of_one(size), seed=self._seed_of(what, i), dtype=as_dtype(dtype)
                )
                for i, size in enumerate(_sizes(sizes[what]))
            ]
            for what in sizes
            if _drops(self._keep[what])
        }

    def _seed_of(self, what: str, index: int) -> int | None:
        """A seed of its own for each tensor."""
        if self._seed is None:
            return None
        text = f"{self._seed}_{what}_{index}".encode()
        return int(hashlib.md5(text, usedforsecurity=False).hexdigest()[:8], 16) & 0x7FFFFFFF

    def _around(self, inputs: Any, state: Any, call: Callable[[Any, Any], Any]) -> Any:
        output, new_state = call(self._dropped("input", inputs, True), state)
        kept = _filtered(self._visitor, new_state)
        return self._dropped("output", output, True), self._dropped("state", new_state, kept)

    def _dropped(self, what: str, values: Any, where: Any) -> Any:
        """The values, dropped where a structure of truths that may end earlier says so."""
        keep = self._keep[what]
        if not _drops(keep):
            return values
        leaves = nest.flatten(values)
        chosen = _spread(where, values)
        dropped = [
            self._one(what, i, x, keep) if taken else x
            for i, (x, taken) in enumerate(zip(leaves, chosen, strict=True))
        ]
        return nest.pack_sequence_as(values, dropped)

    def _one(self, what: str, index: int, x: Any, keep: Any) -> Any:
        if self._noise is None:
            return dropout(x, keep_prob=keep, seed=self._seed_of(what, index))
        kept = floor(keep + self._noise[what][index])
        result = x / keep * kept
        result.set_shape(x.shape)
        return result


def _probability(what: str, value: Any) -> Any:
    if isinstance(value, (int, float)) and not 0.0 <= value <= 1.0:
        raise ValueError(f"Parameter {what}_keep_prob must be between 0 and 1: {value}")
    return float(value) if isinstance(value, int) else value


def _drops(keep: Any) -> bool:
    return not isinstance(keep, float) or keep < 1


def _sizes(structure: Any) -> list[Any]:
    return [structure] if isinstance(structure, (TensorShape, int)) else nest.flatten(structure)


def _with_batch_of_one(size: Any) -> list[int]:
    return [1, *([size] if isinstance(size, int) else TensorShape(size).as_list())]


def _all_but_cells(state: Any) -> Any:
    """What is dropped by default: all but the memories of cells, and arrays."""
    if isinstance(state, LSTMStateTuple):
        return LSTMStateTuple(c=False, h=True)
    return not isinstance(state, TensorArray)


def _filtered(visitor: Callable[[Any], Any], state: Any) -> Any:
    """A structure of truths: what the visitor says of the state, or of its parts."""
    said = visitor(state)
    if said is True and nest.is_nested(state):
        return nest.map_parts(lambda part: _filtered(visitor, part), state)
    return said


def _spread(where: Any, values: Any) -> list[bool]:
    """A truth for each leaf."""
    if isinstance(where, bool):
        return [where] * len(nest.flatten(values))
    parts = zip(nest.parts(where), nest.parts(values), strict=True)
    return [truth for inner, value in parts for truth in _spread(inner, value)]


class ResidualWrapper(Wrapper):
    """Adds a cell's inputs to its outputs.

    >>> rnn_cell = tf.compat.v1.nn.rnn_cell
    >>> with tf.Graph().as_default():
    ...     cell = rnn_cell.ResidualWrapper(rnn_cell.BasicRNNCell(3))
    ...     output, _ = cell(tf.ones([1, 3]), cell.zero_state(1, tf.float32))
    ...     output.shape.as_list()
    [1, 3]
    """

    def __init__(
        self, cell: Any, residual_fn: Callable[[Any, Any], Any] | None = None, **kwargs: Any
    ) -> None:
        super().__init__(cell, **kwargs)
        self._residual_fn = residual_fn or _sums

    def _around(self, inputs: Any, state: Any, call: Callable[[Any, Any], Any]) -> Any:
        output, new_state = call(inputs, state)
        result = self._residual_fn(inputs, output)
        for given, made in zip(nest.flatten(output), nest.flatten(result), strict=True):
            given.shape.assert_is_compatible_with(made.shape)
        return result, new_state


def _sums(inputs: Any, outputs: Any) -> Any:
    nest.assert_same_structure(inputs, outputs)
    for x, y in zip(nest.flatten(inputs), nest.flatten(outputs), strict=True):
        x.shape.assert_is_compatible_with(y.shape)
    return nest.map_structure(lambda x, y: x + y, inputs, outputs)


class DeviceWrapper(Wrapper):
    """Asks for a device for a cell's operations.

    >>> rnn_cell = tf.compat.v1.nn.rnn_cell
    >>> rnn_cell.DeviceWrapper(rnn_cell.GRUCell(2), "/cpu:0").output_size
    2
    """

    def __init__(self, cell: Any, device: Any, **kwargs: Any) -> None:
        super().__init__(cell, **kwargs)
        self._device = device

    def _around(self, inputs: Any, state: Any, call: Callable[[Any, Any], Any]) -> Any:
        with device(self._device):
            return call(inputs, state)

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """That of the cell, on the device."""
        with device(self._device):
            return super().zero_state(batch_size, dtype)
