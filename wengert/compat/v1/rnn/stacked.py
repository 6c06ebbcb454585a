"""Several cells, each of which takes the output of the one before."""

from __future__ import annotations

from typing import Any

from wengert.api.session.modes import name_scope
from wengert.api.variables.variable_scope import variable_scope
from wengert.compat.v1.rnn.cells import RNNCell
from wengert.ops.arrays.joining import concat, split
from wengert.values import nest


class MultiRNNCell(RNNCell):
    """Cells one upon the other; the state is the tuple of their states.

    >>> rnn_cell = tf.compat.v1.nn.rnn_cell
    >>> with tf.Graph().as_default():
    ...     cell = rnn_cell.MultiRNNCell([rnn_cell.GRUCell(2), rnn_cell.GRUCell(3)])
    ...     output, state = cell(tf.ones([1, 4]), cell.zero_state(1, tf.float32))
    ...     output.shape.as_list(), cell.variables[-1].name
    ([1, 3], 'multi_rnn_cell/cell_1/gru_cell/candidate/bias:0')
    """

    def __init__(self, cells: Any, state_is_tuple: bool = True) -> None:
        super().__init__()
        if not cells:
            raise ValueError("Must specify at least one cell for MultiRNNCell.")
        if not isinstance(cells, (list, tuple)):
            raise TypeError(f"cells must be a list or tuple, but saw: {cells}.")
        self._cells = list(cells)
        self._state_is_tuple = state_is_tuple
        nested = [c.state_size for c in cells if nest.is_nested(c.state_size)]
        if nested and not state_is_tuple:
            raise ValueError(
                "Some cells return tuples of states, but the flag state_is_tuple is not set. "
                f"State sizes are: {[cell.state_size for cell in cells]}"
            )

    @property
    def cells(self) -> list[Any]:
        """The cells, that which takes the inputs first."""
        return self._cells

    @property
    def state_size(self) -> Any:
        """The sizes of all states, or of all joined."""
        sizes = tuple(cell.state_size for cell in self._cells)
        return sizes if self._state_is_tuple else sum(sizes)

    @property
    def output_size(self) -> Any:
        """That of the last cell."""
        return self._cells[-1].output_size

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """The zero states of all cells."""
        with name_scope(f"{type(self).__name__}ZeroState"):
            if not self._state_is_tuple:
                return super().zero_state(batch_size, dtype)
            return tuple(cell.zero_state(batch_size, dtype) for cell in self._cells)

    @property
    def trainable_weights(self) -> list[Any]:
        """Those of the cells, each of which says which of its own are trained."""
        return self._of_cells("trainable_weights") if self.trainable else []

    @property
    def non_trainable_weights(self) -> list[Any]:
        """Those of the cells; all of them if the whole is not trainable."""
        fixed = self._of_cells("non_trainable_weights")
        return fixed if self.trainable else [*self._of_cells("trainable_weights"), *fixed]

    def _of_cells(self, which: str) -> list[Any]:
        return [v for cell in self._cells for v in getattr(cell, which, ())]

    def call(self, inputs: Any, state: Any) -> Any:
        """The output of the last cell, and the states of all."""
        states = self._split(state)
        new = []
        for i, (cell, before) in enumerate(zip(self._cells, states, strict=True)):
            with variable_scope(f"cell_{i}"):
                inputs, after = cell(inputs, before)
            new.append(after)
        return inputs, tuple(new) if self._state_is_tuple else concat(new, 1)

    def _split(self, state: Any) -> Any:
        if not self._state_is_tuple:
            return split(state, [cell.state_size for cell in self._cells], 1)
        if not nest.is_nested(state):
            raise ValueError(
                f"Expected state to be a tuple of length {len(self._cells)}, but received: {state}"
            )
        return state
