"""Lists under XLA: an array whose rows are the elements, as all of them have one shape."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from wengert.engines.xla.backend import jax, jnp
from wengert.errors import UnimplementedError
from wengert.values.dtypes import VARIANT
from wengert.values.shapes import shape_text
from wengert.values.tensor import TensorList


class Rows:
    """A list whose elements are the rows of an array; of a list of lists, with `depth` 2.

    Of a loop that has a bound, and ends when it runs, only the first `live` rows are elements.
    """

    dtype = VARIANT
    shape = ()

    def __init__(self, array: Any, depth: int = 1, live: Any = None) -> None:
        self.array = array
        self.depth = depth
        self.live = live  # the number of rows, where it is known only when it runs

    def __len__(self) -> int:
        return int(self.array.shape[0])

    def row(self, at: Any) -> Any:
        """An element."""
        found = self.array[at]
        return found if self.depth == 1 else Rows(found, self.depth - 1)


def as_rows(values: Any) -> Any:
    """A list as rows; the list itself if nothing in it says what its elements are."""
    if not isinstance(values, TensorList):
        return values
    if values.dense is not None:
        return Rows(values.dense)
    elements = [as_rows(v) for v in values]
    there = next((v for v in elements if v is not None), None)
    if there is None:
        return values
    if isinstance(there, Rows):
        parts = [jnp.zeros_like(there.array) if v is None else v.array for v in elements]
        return Rows(stacked(parts), there.depth + 1)
    if isinstance(there, TensorList):
        return values
    return Rows(stacked([np.zeros(there.shape, there.dtype) if v is None else v for v in elements]))


def is_uneven(values: Any) -> bool:
    """Whether a list has arrays of several shapes, and is no array: it stays a list, as in Python."""
    if not isinstance(values, TensorList) or values.dense is not None:
        return False
    return len({np.shape(v) for v in values if v is not None and not is_list(v)}) > 1


def is_list(value: Any) -> bool:
    """Whether an element is a list itself."""
    return isinstance(value, (Rows, TensorList))


def handed(value: Any) -> Any:
    """A value as a function of JAX's takes and gives it: lists as rows, if their elements are of one shape."""
    return value if is_uneven(value) else as_rows(value)


def stacked(parts: Any) -> Any:
    """Arrays as the rows of one; NumPy's if all of them are."""
    shapes = {np.shape(p) for p in parts}
    if len(shapes) > 1:
        found = " and ".join(map(shape_text, sorted(shapes)))
        raise UnimplementedError(
            f"XLA cannot compute lists whose elements have several shapes: {found}. Leave the graph to "
            "another engine: tf.function(engine='native'), or tf.config.set_engine(None)."
        )
    return (np if all(isinstance(p, np.ndarray) for p in parts) else jnp).stack(parts)


def as_list(rows: Any) -> Any:
    """A list on the device as a list of arrays for NumPy; an element that is an array as one."""
    if isinstance(rows, TensorList):
        return TensorList([None if v is None else as_list(v) for v in rows])
    if not isinstance(rows, Rows):
        return np.asarray(rows)
    rows = rows if rows.live is None else Rows(rows.array[: int(rows.live)], rows.depth)
    if rows.depth == 1:
        array = np.asarray(rows.array)
        return TensorList(list(map(np.asarray, array))).of_dense(array)
    return TensorList([as_list(Rows(part, rows.depth - 1)) for part in np.asarray(rows.array)])


@functools.cache
def register() -> None:
    """Tell JAX that rows are a structure of arrays, and a list one of its elements."""
    jax.tree_util.register_pytree_node(
        Rows,
        lambda rows: ((rows.array, rows.live), rows.depth),
        lambda depth, parts: Rows(parts[0], depth, parts[1]),
    )
    jax.tree_util.register_pytree_node(
        TensorList, lambda values: (tuple(values), None), lambda _, parts: TensorList(parts)
    )
