"""tf.vectorized_map: a function of single examples, computed for a whole batch at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from wengert.core.batch import vectorize
from wengert.core.context import current_graph
from wengert.errors import SymbolicValueError
from wengert.ops.control.map import map_fn
from wengert.values import nest
from wengert.values.convert import convert
from wengert.values.sizes import key_of
from wengert.values.tensor import dims

if TYPE_CHECKING:
    from wengert.values.tensor import Tensor


def vectorized_map(
    fn: Callable[[Any], Any],
    elems: Any,
    fallback_to_while_loop: bool = True,
    warn: bool = True,
) -> Any:
    """`fn` applied to each slice along the first axis, computed for all slices at once.

    >>> x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    >>> tf.vectorized_map(lambda row: tf.reduce_sum(row * row), x).numpy().tolist()
    [5.0, 25.0]
    """
    if current_graph() is None:
        return _at_once(fn, elems)
    try:
        return _at_once(fn, elems)
    except SymbolicValueError:
        return _one_by_one(fn, elems)


def _one_by_one(fn: Callable[[Any], Any], elems: Tensor) -> Tensor:
    """Slice by slice in a loop of the graph, where batching rules would need unknown sizes."""
    with current_graph().looked_at():
        one = fn(nest.map_structure(lambda e: convert(e)[0], elems))
        dtypes = nest.map_structure(lambda r: convert(r).dtype, one)
    result: Tensor = map_fn(fn, elems, fn_output_signature=dtypes)
    return result


def _at_once(fn: Callable[[Any], Any], elems: Any) -> Any:
    fulls = [convert(e) for e in nest.flatten(elems)]
    first = [dims(f)[0] for f in fulls if dims(f)]
    if len(set(map(key_of, first))) > 1 and any(type(size) is not int for size in first):
        raise SymbolicValueError(
            "Whether the first dimensions agree is known only when the graph runs."
        )
    sizes = {dims(f)[0] if dims(f) else None for f in fulls}
    if len(sizes) != 1 or None in sizes:
        raise ValueError(
            "vectorized_map needs arguments with the same first dimension, got the shapes "
            f"{[list(dims(f)) for f in fulls]}."
        )
    returned: list[Any] = []

    def flat(*rows: Tensor) -> list[Any]:
        returned.append(fn(nest.pack_sequence_as(elems, rows)))
        return [convert(r) for r in nest.flatten(returned[0])]

    (size,) = sizes
    assert size is not None
    results = vectorize(flat, size, fulls)
    return nest.pack_sequence_as(returned[0], results)
