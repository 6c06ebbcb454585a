"""Lists under XLA: an array whose rows are the elements, as all of them have one shape."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any, Final

import numpy as np

from wengert.engines.xla.backend import jax, jnp
from wengert.errors import UnimplementedError
from wengert.values.dtypes import VARIANT
from wengert.values.shapes import shape_text
from wengert.values.tensor import TensorList


class Rows:
    """A list whose elements are the rows of an array; of a list of lists, with `depth` 2.

    Of a loop that ends when it runs, only the first rows are elements. `lives` has for each depth the numbers of
    elements of the lists there; None where all rows are elements.
    """

    dtype = VARIANT
    shape = ()

    def __init__(self, array: Any, depth: int = 1, lives: Sequence[Any] = ()) -> None:
        self.array = array
        self.depth = depth
        self.lives = tuple(lives) or (None,) * depth

    def __len__(self) -> int:
        return int(self.array.shape[0])

    @property
    def live(self) -> Any:
        """The number of elements, where it is known only when it runs."""
        return self.lives[0]

    def row(self, at: Any) -> Any:
        """An element."""
        space = _namespace(self.array, at)
        return self.element(space.asarray(self.array)[at], lambda lives: space.asarray(lives)[at])

    def element(self, row: Any, picked: Callable[[Any], Any]) -> Any:
        """An element, from its row and what picks its part of the numbers of elements of lists."""
        if self.depth == 1:
            return row
        return Rows(row, self.depth - 1, [v if v is None else picked(v) for v in self.lives[1:]])

    def of(self, array: Any) -> Rows:
        """A list of the same form with other elements."""
        return Rows(array, self.depth, self.lives)

    def counts(self, depth: int) -> Any:
        """The numbers of elements of the lists at a depth, where all rows are elements."""
        return np.full(self.array.shape[:depth], self.array.shape[depth], np.int32)

    def in_form_of(self, like: Rows) -> Rows:
        """The same list in the dtype of another one, saying how many elements there are where that one does."""
        lives = list(self.lives)
        for at, known in enumerate(like.lives):
            if lives[at] is None and known is not None:
                lives[at] = self.counts(at)
            elif lives[at] is not None and known is None:
                raise UnimplementedError(_NOT_FULL)
        return Rows(self.array.astype(like.array.dtype), self.depth, lives)


_OTHERWISE: Final = "Leave the graph to another engine: tf.function(engine='native'), or tf.config.set_engine(None)."
_NOT_FULL: Final = (
    "XLA cannot compute a loop that carries a list whose length is known first, and later only when it "
    f"runs. {_OTHERWISE}"
)


class Unwritten(TensorList):
    """A list of lists into which nothing was written; `live` of them are there, where it is known only when it runs.

    What the lists know themselves has rows, one for each of them.
    """

    __slots__ = ("element", "live")

    def __init__(self, element: TensorList, count: int, live: Any = None) -> None:
        super().__init__([element] * count)
        self.element = element
        self.live = live


def as_stack(elements: Any, live: Any = None) -> Rows:
    """The list of elements that lie behind one another, each part of them in an array."""
    if isinstance(elements, Rows):
        return Rows(elements.array, elements.depth + 1, (live, *elements.lives))
    return Rows(elements, 1, (live,))


def parts_of(stack: Any) -> Any:
    """What has a row for each element of a stack; the element itself, if nothing was written into any."""
    if isinstance(stack, Rows):
        return stack.element(stack.array, lambda lives: lives)
    if isinstance(stack, Unwritten):
        return stack.element
    return stack[0] if stack else stack


def blank_rows(form: Rows, count: int) -> Rows:
    """So many zeros as rows, in the form of others."""
    parts = parts_of(form)
    zeros = jax.tree.map(lambda f: jnp.zeros((count, *f.shape[1:]), f.dtype), parts)
    return as_stack(zeros, None if form.live is None else np.int32(0))


def zeros_in_form(form: Any) -> Any:
    """Zeros for forms of arrays and of lists, which have no elements where that is known only when it runs."""
    return jax.tree.map(lambda f: jnp.zeros(f.shape, f.dtype), form)


def as_rows(values: Any) -> Any:
    """A list as rows; the list itself if nothing in it says what its elements are."""
    if not isinstance(values, TensorList):
        return values
    if values.held is not None:
        return values.held
    if values.dense is not None:
        return Rows(values.dense)
    elements = [as_rows(v) for v in values]
    there = next((v for v in elements if v is not None), None)
    if there is None:
        return values
    if isinstance(there, Rows):
        return _list_of_lists(elements)
    if isinstance(there, TensorList):
        return values
    return Rows(stacked([np.zeros(there.shape, there.dtype) if v is None else v for v in elements]))


def _list_of_lists(elements: Sequence[Any]) -> Rows:
    """Lists as the elements of one; what is none has no elements, or zeros. The longest ones say how much room each has."""
    there = [v for v in elements if isinstance(v, Rows)]
    depth = there[0].depth
    sizes = [max(n) for n in zip(*[rows.array.shape[:depth] for rows in there], strict=True)]
    known = [
        any(rows.lives[k] is not None or rows.array.shape[k] < sizes[k] for rows in there)
        for k in range(depth)
    ]
    wide = [_widened(rows, sizes, known) for rows in there]
    none, rest = jax.tree.map(np.zeros_like, wide[0]), iter(wide)
    lists = [next(rest) if isinstance(v, Rows) else none for v in elements]
    return as_stack(jax.tree.map(lambda *parts: stacked(parts), *lists))


def _widened(rows: Rows, sizes: Sequence[int], known: Sequence[bool]) -> Rows:
    """A list with room for as many elements as others have, that says how many there are."""
    lives = [
        rows.counts(k) if is_known and rows.lives[k] is None else rows.lives[k]
        for k, is_known in enumerate(known)
    ]
    parts = [v if v is None else padded(v, sizes[:k]) for k, v in enumerate(lives)]
    return Rows(padded(rows.array, sizes), rows.depth, parts)


def padded(array: Any, sizes: Sequence[int]) -> Any:
    """An array with zeros behind its elements, for its first axes to have these sizes."""
    missing = [(0, n - m) for n, m in zip(sizes, np.shape(array), strict=False)]
    if not any(more for _, more in missing):
        return array
    return _namespace(array).pad(array, missing + [(0, 0)] * (np.ndim(array) - len(missing)))


def _namespace(*arrays: Any) -> Any:
    """NumPy if all of them are known: outside of a trace JAX has not its 64-bit types."""
    return np if all(isinstance(a, (np.ndarray, np.generic, int)) for a in arrays) else jnp


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
            f"XLA cannot compute lists whose elements have several shapes: {found}. {_OTHERWISE}"
        )
    return _namespace(*parts).stack(parts)


def as_list(rows: Any) -> Any:
    """A list on the device as a list of arrays for NumPy; an element that is an array as one."""
    if isinstance(rows, Unwritten):
        there = range(len(rows) if rows.live is None else int(rows.live))
        return TensorList([as_list(jax.tree.map(itemgetter(at), rows.element)) for at in there])
    if isinstance(rows, TensorList):
        return TensorList([None if v is None else as_list(v) for v in rows])
    if not isinstance(rows, Rows):
        return np.asarray(rows)
    count = len(rows) if rows.live is None else int(rows.live)
    array = np.asarray(rows.array)[:count]
    if rows.depth == 1:
        return TensorList(list(map(np.asarray, array))).of_dense(array)
    found = Rows(array, rows.depth, [v if v is None else np.asarray(v) for v in rows.lives])
    return TensorList([as_list(found.row(at)) for at in range(count)])


def fetched_list(rows: Any) -> Any:
    """A list on the device for NumPy, which comes back as it is: with room that depends on no number of iterations."""
    found = as_list(rows)
    return found.held_by(rows) if isinstance(rows, (Rows, Unwritten)) else found


@functools.cache
def register() -> None:
    """Tell JAX that rows are a structure of arrays, and a list one of its elements."""
    jax.tree_util.register_pytree_node(
        Rows,
        lambda rows: ((rows.array, *rows.lives), rows.depth),
        lambda depth, parts: Rows(parts[0], depth, parts[1:]),
    )
    jax.tree_util.register_pytree_node(
        Unwritten,
        lambda lists: ((lists.element, lists.live), len(lists)),
        lambda count, parts: Unwritten(parts[0], count, parts[1]),
    )
    jax.tree_util.register_pytree_node(
        TensorList, lambda values: (tuple(values), None), lambda _, parts: TensorList(parts)
    )
