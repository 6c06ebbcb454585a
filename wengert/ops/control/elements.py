"""The elements of what a function is mapped over, and the collection of what it returns.

A tensor's elements are the slices along its first axis. A type made of tensors says how it is one
element after the other in `KINDS`, by the class of its type spec.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from wengert.ops.control.tensor_array import TensorArray
from wengert.values import nest
from wengert.values.dtypes import as_dtype
from wengert.values.shapes import TensorShape
from wengert.values.tensor import dims
from wengert.values.type_spec import DenseSpec, TypeSpec

if TYPE_CHECKING:
    from wengert.values.typing import TensorLike


class Elements:
    """How the values of one kind of type spec are taken apart, and put together, along an axis."""

    def tensors(self, value: Any) -> list[Any]:
        """Tensors whose first axis is that of the elements."""
        raise NotImplementedError

    def read_from(self, value: Any) -> Any:
        """What `element` reads from: tensor arrays, or the value itself."""
        raise NotImplementedError

    def element(self, spec: Any, source: Any, i: TensorLike) -> Any:
        """The element at an index, from what `read_from` returned for a value of a spec."""
        raise NotImplementedError

    def arrays(self, spec: Any, n: TensorLike) -> Any:
        """Tensor arrays, nested, for n results of a spec."""
        raise NotImplementedError

    def write(self, spec: Any, arrays: Any, i: TensorLike, value: Any) -> Any:
        """The arrays with another result in them."""
        raise NotImplementedError

    def stack(self, spec: Any, arrays: Any) -> Any:
        """All results as one value."""
        raise NotImplementedError


class _OfTensors(Elements):
    """The slices of a tensor."""

    def tensors(self, value: Any) -> list[Any]:
        return [value]

    def read_from(self, value: Any) -> Any:
        return TensorArray(value.dtype, size=0, dynamic_size=True).unstack(value)

    def element(self, spec: Any, source: Any, i: TensorLike) -> Any:
        return source.read(i)

    def arrays(self, spec: Any, n: TensorLike) -> Any:
        if isinstance(spec, DenseSpec):
            return TensorArray(spec.dtype, size=n, element_shape=TensorShape(spec.shape))
        return TensorArray(as_dtype(spec), size=n)  # NumPy's dtypes have shapes, of other things

    def write(self, spec: Any, arrays: Any, i: TensorLike, value: Any) -> Any:
        return arrays.write(i, value)

    def stack(self, spec: Any, arrays: Any) -> Any:
        return arrays.stack()


class OfParts(Elements):
    """Values whose parts are batched each by itself, which a batch encoder may change."""

    def tensors(self, value: Any) -> list[Any]:
        """Those of its parts."""
        return [t for part in _encoded(value, 1) for t in kind_of(part).tensors(part)]

    def read_from(self, value: Any) -> Any:
        """Arrays of its parts."""
        return [kind_of(part).read_from(part) for part in _encoded(value, 1)]

    def element(self, spec: Any, source: Any, i: TensorLike) -> Any:
        """One, of an element of each part."""
        wanted = _encoder(spec).encoding_specs(spec)
        pairs = zip(nest.flatten(wanted), source, strict=True)
        read = [kind_of(inner).element(inner, from_, i) for inner, from_ in pairs]
        one = spec._unbatch()
        return _encoder(spec).decode(one, nest.pack_sequence_as(wanted, read))

    def arrays(self, spec: Any, n: TensorLike) -> Any:
        """Arrays for each part."""
        return [kind_of(s).arrays(s, n) for s in nest.flatten(_encoder(spec).encoding_specs(spec))]

    def write(self, spec: Any, arrays: Any, i: TensorLike, value: Any) -> Any:
        """The arrays with the parts of a result."""
        specs = nest.flatten(_encoder(spec).encoding_specs(spec))
        rows = zip(specs, arrays, _encoded(value, 0), strict=True)
        return [kind_of(s).write(s, array, i, part) for s, array, part in rows]

    def stack(self, spec: Any, arrays: Any) -> Any:
        """One value of the stacks of all parts."""
        wanted = _encoder(spec).encoding_specs(spec)
        pairs = zip(nest.flatten(wanted), arrays, strict=True)
        whole = [kind_of(s).stack(s, array) for s, array in pairs]
        count = next((dims(t)[0] for part in whole for t in kind_of(part).tensors(part)), None)
        batch = spec._batch(count if type(count) is int else None)
        return _encoder(spec).decode(batch, nest.pack_sequence_as(wanted, whole))


def _encoder(spec: Any) -> Any:
    return spec.value_type.__batch_encoder__


# How values are batched, by the class of their spec, and for those of its subclasses.
KINDS: dict[type, Elements] = {}
_TENSORS = _OfTensors()
_PARTS = OfParts()


def kind_of(value: Any) -> Elements:
    """How a value, or what has a spec, is batched."""
    if not nest.is_composite(value):
        return _TENSORS
    spec = value if isinstance(value, TypeSpec) else value._type_spec
    for kind in type(spec).__mro__:
        if kind in KINDS:
            return KINDS[kind]
    if hasattr(spec.value_type, "__batch_encoder__"):
        return _PARTS
    raise ValueError(
        f"{spec!r} cannot be batched: functions map over tensors, ragged and sparse tensors, and "
        "types that derive from tf.experimental.BatchableExtensionType."
    )


# ---- all elements at once -----------------------------------------------------------------------


def batched_parts(value: Any) -> list[Any]:
    """The tensors of a value that are batched: a tensor itself, or those of a batchable type."""
    if not nest.is_composite(value):
        return [value]
    if not isinstance(kind_of(value), OfParts):
        raise ValueError(
            f"tf.vectorized_map takes tensors and types that derive from "
            f"tf.experimental.BatchableExtensionType, not {value!r}; tf.map_fn takes it."
        )
    return [t for part in _encoded(value, 1) for t in batched_parts(part)]


def one_of(value: Any, rows: Iterator[Any]) -> Any:
    """One element of a value, from a row of each of its `batched_parts`."""
    if not nest.is_composite(value):
        return next(rows)
    spec = value._type_spec
    return _rebuilt(value, spec._unbatch(), lambda part: one_of(part, rows))


def whole_of(one: Any, results: Iterator[Any]) -> Any:
    """The batch of a result for one element, from the batches of its `batched_parts`."""
    if not nest.is_composite(one):
        return next(results)
    return _rebuilt(one, one._type_spec._batch(None), lambda part: whole_of(part, results))


def _encoded(value: Any, minimum_rank: int) -> list[Any]:
    spec = value._type_spec
    return nest.flatten(_encoder(spec).encode(spec, value, minimum_rank))


def _rebuilt(value: Any, spec: Any, of_part: Callable[[Any], Any]) -> Any:
    """A value of another spec, from what becomes of the parts of this one."""
    own = value._type_spec
    encoded = _encoder(own).encode(own, value, 0)
    return _encoder(own).decode(spec, nest.map_structure(of_part, encoded))
