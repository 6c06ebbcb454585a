"""Functions applied along the first axis: tf.map_fn, tf.scan, tf.foldl, tf.foldr."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from wengert.core.context import current_graph
from wengert.inference.public_functions import nameable
from wengert.ops.arrays.creation import shape
from wengert.ops.control.elements import kind_of
from wengert.ops.control.tensor_array import TensorArray
from wengert.ops.control.while_loop import followed, while_loop
from wengert.ops.math.comparison import equal
from wengert.values import nest
from wengert.values.bound_ops import bound
from wengert.values.convert import convert
from wengert.values.indexed_slices import IndexedSlices
from wengert.values.symbolic import is_certain
from wengert.values.tensor import dims
from wengert.values.type_spec import TensorSpec

if TYPE_CHECKING:
    from wengert.values.tensor import Tensor
    from wengert.values.typing import Structure, TensorLike


@nameable
def map_fn(
    fn: Callable[[Any], Any],
    elems: Structure,
    dtype: Structure = None,
    parallel_iterations: int | None = None,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    name: str | None = None,
    fn_output_signature: Structure = None,
) -> Any:
    """Apply a function to each element along the first axis, and stack the results.

    >>> tf.map_fn(lambda x: x * x, tf.constant([1.0, 2.0, 3.0])).numpy().tolist()
    [1.0, 4.0, 9.0]
    """
    if not callable(fn):
        raise TypeError(f"The provided function {fn!r} is not callable.")
    tensors = nest.map_structure(_converted, elems)
    signature = fn_output_signature if fn_output_signature is not None else dtype
    if signature is None:
        signature = nest.map_structure(_kind_of_elements, tensors)
    n = _length(tensors)
    walk = _Elements(tensors)
    outputs = [kind_of(spec).arrays(spec, n) for spec in nest.flatten(signature)]

    def body(i: Tensor, arrays: Sequence[Any]) -> Any:
        result = fn(walk.element(i))
        _check_structure(signature, result)
        flat = zip(nest.flatten(signature), arrays, nest.flatten(result), strict=True)
        return i + 1, [kind_of(spec).write(spec, array, i, v) for spec, array, v in flat]

    _, arrays = while_loop(lambda i, _: i < n, body, (0, outputs))
    flat = zip(nest.flatten(signature), arrays, strict=True)
    found = [kind_of(spec).stack(spec, array) for spec, array in flat]
    return followed(nest.pack_sequence_as(signature, found), back_prop)


def _converted(value: Any) -> Any:
    return (
        value
        if nest.is_composite(value) and not isinstance(value, IndexedSlices)
        else convert(value)
    )


def _kind_of_elements(value: Any) -> Any:
    """What results are like if nothing is said: as the elements are."""
    if not nest.is_composite(value):
        return value.dtype
    kind_of(value)  # raises where it cannot be batched
    return value._type_spec._unbatch()


class _Elements:
    """The elements of nested values, by their index."""

    def __init__(self, values: Structure) -> None:
        self._structure = values
        self._values = nest.flatten(values)
        self._sources = [kind_of(v).read_from(v) for v in self._values]

    def element(self, i: TensorLike) -> Any:
        """The elements at an index, nested as the values are."""
        pairs = zip(self._values, self._sources, strict=True)
        found = [
            kind_of(v).element(v._type_spec if nest.is_composite(v) else v, s, i) for v, s in pairs
        ]
        return nest.pack_sequence_as(self._structure, found)


def _check_structure(signature: Structure, result: Structure) -> None:
    try:
        nest.assert_same_structure(signature, result)
    except (TypeError, ValueError) as error:
        raise type(error)(
            "The two structures don't have the same nested structure: what fn returned is not "
            f"nested as fn_output_signature is. Give fn_output_signature. {error}"
        ) from None


@nameable
def scan(
    fn: Callable[[Any, Any], Any],
    elems: Structure,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    reverse: bool = False,
    name: str | None = None,
) -> Any:
    """Apply `fn(accumulated, element)` along the first axis; returns all accumulated values.

    >>> tf.scan(lambda a, x: a + x, tf.constant([1, 2, 3])).numpy().tolist()
    [1, 3, 6]
    """
    if not callable(fn):
        raise TypeError(f"{fn!r} is not callable: please provide a callable function")
    walk = _Walk(elems, initializer, reverse)
    outputs = nest.map_structure(lambda a: _steps_of(a, walk.n, infer_shape), walk.first)
    if initializer is None:
        flat = zip(nest.flatten(outputs), nest.flatten(walk.first), strict=True)
        outputs = nest.pack_sequence_as(outputs, [ta.write(walk.begin, v) for ta, v in flat])

    def body(i: Tensor, accumulated: Tensor, arrays: TensorArray) -> Any:
        result = nest.map_structure(convert, fn(accumulated, walk.element(i)))
        nest.assert_same_structure(walk.first, result, check_types=False)
        flat = zip(nest.flatten(arrays), nest.flatten(result), strict=True)
        return (
            i + walk.step,
            result,
            nest.pack_sequence_as(arrays, [t.write(i, v) for t, v in flat]),
        )

    _, _, arrays = while_loop(
        lambda i, a, _: walk.goes_on(i), body, (walk.start, walk.first, outputs)
    )
    return followed(nest.map_structure(lambda ta: ta.stack(), arrays), back_prop)


def _steps_of(first: Any, n: TensorLike, infer_shape: bool) -> Any:
    """Arrays for what is accumulated in n steps; of the first one's shape, which no step may tell."""
    spec = TensorSpec(first.shape, first.dtype) if infer_shape else first.dtype
    return kind_of(first).arrays(spec, n)


@nameable
def foldl(
    fn: Callable[[Any, Any], Any],
    elems: Structure,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """Apply `fn(accumulated, element)` from the first element to the last.

    >>> tf.foldl(lambda a, x: a - x, tf.constant([10, 2, 3])).numpy()
    np.int32(5)
    """
    return followed(_folded(fn, elems, initializer, reverse=False), back_prop)


@nameable
def foldr(
    fn: Callable[[Any, Any], Any],
    elems: Structure,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """Apply `fn(accumulated, element)` from the last element to the first.

    >>> tf.foldr(lambda a, x: a - x, tf.constant([3, 2, 10])).numpy()
    np.int32(5)
    """
    return followed(_folded(fn, elems, initializer, reverse=True), back_prop)


def _folded(
    fn: Callable[[Any, Any], Any], elems: Structure, initializer: Any, reverse: bool
) -> Any:
    if not callable(fn):
        raise TypeError(
            f"{fn.__class__.__name__} is not callable: please provide a callable function"
        )
    walk = _Walk(elems, initializer, reverse)

    def body(i: Tensor, accumulated: Tensor) -> tuple[Tensor, Tensor]:
        return i + walk.step, nest.map_structure(convert, fn(accumulated, walk.element(i)))

    return while_loop(lambda i, a: walk.goes_on(i), body, (walk.start, walk.first))[1]


class _Walk:
    """A pass along the first axis, in either direction, from an initial value or an element."""

    def __init__(self, elems: Structure, initializer: Any, reverse: bool) -> None:
        tensors = nest.map_structure(_converted, elems)
        self.n = _length(tensors)
        self._elements = _Elements(tensors)
        self.step = -1 if reverse else 1
        self.begin = self.n - 1 if reverse else 0
        self._reverse = reverse
        if initializer is None:
            self.first = self.element(self.begin)
            self.start = self.begin + self.step
        else:
            self.first = nest.map_structure(convert, initializer)
            self.start = self.begin

    def element(self, i: TensorLike) -> Any:
        return self._elements.element(i)

    def goes_on(self, i: Tensor) -> Tensor:
        return i >= 0 if self._reverse else i < self.n


def _length(tensors: Tensor) -> Tensor | int:
    """The size of the first axis, which all have in common."""
    flat = [t for v in nest.flatten(tensors) for t in kind_of(v).tensors(v)]
    if not flat:
        raise ValueError("elems must be a Tensor or (possibly nested) sequence of Tensors. Got []")
    for t in flat:
        if t.shape.rank == 0:
            raise ValueError(
                "Elements in elems must be 1+ dimensional Tensors, not scalars: there is no first "
                "axis to walk along."
            )
    known = next((dims(t)[0] for t in flat if t.shape.rank and t.shape[0] is not None), None)
    for t in flat:
        if known is not None and t.shape.rank and t.shape[0] not in (None, known):
            raise ValueError(
                f"The first axis of all elems must be of one size, got {[t.shape[0] for t in flat]}."
            )
    if current_graph() is not None:
        _check_lengths(flat)
    return shape(flat[0])[0] if known is None else known


def _check_lengths(tensors: list[Any]) -> None:
    """Check at run time that all have the same number of elements."""
    if len(tensors) > 1 and not all(is_certain(dims(t)) for t in tensors):
        first, *others = [shape(t)[0] for t in tensors]
        for other in others:
            bound.provided(
                None, equal(first, other), "The first axis of all elems must be of one size."
            )
