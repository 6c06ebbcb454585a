"""Calls that are put off until sizes are known, as TensorFlow's operations, which take sizes as tensors.

A size that a call takes is said in plain numbers and words (`Term`); here it becomes nodes that compute it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from wengert.compat.graph_defs.nodes import constant, plain_node
from wengert.graph.graph_def import input_name
from wengert.graph.operation import Operation
from wengert.inference.deferred_calls import Place, Term, call_of
from wengert.ops.arrays.creation import fill, ones, range_, zeros
from wengert.ops.arrays.indexing import getitem, slice_
from wengert.ops.arrays.joining import split
from wengert.ops.arrays.shaping import broadcast_to, reshape, tile
from wengert.ops.arrays.slicing import pad
from wengert.ops.reductions.reductions import argmax, argmin
from wengert.overrides.told_attributes import slice_parts
from wengert.values import nest
from wengert.values.dtypes import DType, int32

Nodes = list[Any]
Said = tuple[str, list[str], dict[str, Any]]  # the type, the inputs, the attributes


class _NotSaid(Exception):  # noqa: N818  # it is no error: our own form says it
    """TensorFlow has no operations for it, or none here."""


class Vector(NamedTuple):
    """Several sizes: the node that has them, and its dtype."""

    name: str
    dtype: DType


def said(op: Operation) -> tuple[Nodes, Said] | None:
    """What a put-off call is in TensorFlow, and the nodes in front of it; None if that would not say the same."""
    deferred = call_of(op.row)
    assert deferred is not None
    function, args, kwargs = deferred
    write = _WRITERS.get(_inner(function))
    if write is None:
        return None
    given = inspect.signature(function).bind(*args, **kwargs)
    given.apply_defaults()
    sizes = _Sizes(op)
    try:
        return sizes.made, write(sizes, **given.arguments)
    except _NotSaid:
        return None


def _inner(function: Any) -> Any:
    """What a public function calls; anything else itself."""
    return getattr(function, "__wrapped__", function)


def _is_known(value: Any) -> bool:
    """Whether it is a whole number."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


class _Sizes:
    """The nodes in front of a call's: they compute what it takes."""

    def __init__(self, op: Operation) -> None:
        self.op = op
        self.made: Nodes = []

    def tensor(self, value: Any) -> tuple[str, Any]:
        """An argument that is a tensor: its name, and itself."""
        if type(value) is not Place or value.whole_shape:
            raise _NotSaid
        x = self.op.inputs[value.index]
        return input_name(x, x.op.name), x

    def add(self, kind: str, inputs: Sequence[str], **attrs: Any) -> str:
        """A node; its name."""
        name = f"{self.op.name}/{kind.lower()}_{len(self.made)}"
        self.made.append(plain_node(kind, name, inputs, **attrs))
        return name

    def constant(self, value: Any, dtype: Any = np.int32) -> str:
        """A constant; its name."""
        self.made.append(constant(f"{self.op.name}/const_{len(self.made)}", np.array(value, dtype)))
        return str(self.made[-1].name)

    def vector(self, value: Any) -> Vector:
        """Sizes in a list, or a tensor of them."""
        if type(value) is Place:
            x = self.op.inputs[value.index]
            name = input_name(x, x.op.name)
            if value.whole_shape:
                return Vector(self.add("Shape", [name], T=x.dtype, out_type=int32), int32)
            if x.shape.rank != 1 or not x.dtype.is_integer:
                raise _NotSaid
            return Vector(name, x.dtype)
        if not isinstance(value, (list, tuple)):
            raise _NotSaid
        flat = nest.flatten(value)
        if flat and all(map(_is_known, flat)):
            return Vector(self.constant(value), int32)
        is_matrix = any(isinstance(n, (list, tuple)) for n in value)
        parts = [self.vector(n).name if is_matrix else self.number(n) for n in value]
        return Vector(self.add("Pack", parts, N=len(parts), T=int32, axis=0), int32)

    def number(self, value: Any) -> str:
        """A whole number of 32 bits."""
        if _is_known(value):
            return self.constant(int(value))
        if type(value) is Term:
            return self._term(value.said)
        name, x = self.tensor(value)
        if x.shape.rank != 0 or not x.dtype.is_integer:
            raise _NotSaid
        return name if x.dtype is int32 else self._cast(name, x.dtype)

    def _cast(self, name: str, dtype: DType) -> str:
        return self.add("Cast", [name], SrcT=dtype, DstT=int32, Truncate=False)

    def _term(self, said: Any) -> str:
        """A constant and products, each a factor and atoms: see `Term`."""
        if isinstance(said, int):
            return self.constant(said)
        total, terms = said
        names = [self.constant(total)] if total or not terms else []
        for factor, atoms in terms:
            parts = [self.constant(factor)] if factor != 1 or not atoms else []
            parts += [self._atom(*atom) for atom in atoms]
            names.append(self._together("Mul", parts))
        return self._together("AddV2", names)

    def _together(self, kind: str, names: Sequence[str]) -> str:
        first, *others = names
        for other in others:
            first = self.add(kind, [first, other], T=int32)
        return first

    def _atom(self, kind: str, *parts: Any) -> str:
        if kind != "input":
            raise _NotSaid
        at, axis, element = parts
        x = self.op.inputs[at]
        name = input_name(x, x.op.name)
        if element is not None:
            flat = self.add("Reshape", [name, self.constant([-1])], T=x.dtype, Tshape=int32)
            found = self._element(flat, element, x.dtype)
            return found if x.dtype is int32 else self._cast(found, x.dtype)
        if axis is None:
            return self.add("Size", [name], T=x.dtype, out_type=int32)
        return self._element(self.add("Shape", [name], T=x.dtype, out_type=int32), axis, int32)

    def _element(self, name: str, at: int, dtype: DType) -> str:
        _, inputs, attrs = self.sliced(name, at, dtype)
        return self.add("StridedSlice", inputs, **attrs)

    def sliced(self, name: str, key: Any, dtype: DType) -> Said:
        """The slice of a tensor by a key."""
        ends, masks = slice_parts(key)
        inputs = [name, *[self.vector(numbers).name for numbers in ends]]
        return "StridedSlice", inputs, {"T": dtype, "Index": int32, **masks}

    def sized(self, kind: str, tensor: Any, wanted: Any, dtype_of: str) -> Said:
        """An operation on a tensor and some sizes, with the attribute that says the dtype of these."""
        x, value = self.tensor(tensor)
        sizes = self.vector(wanted)
        return kind, [x, sizes.name], {"T": value.dtype, dtype_of: sizes.dtype}


# ---- functions ----------------------------------------------------------------------------------


def _reshape(sizes: _Sizes, tensor: Any, shape: Any, name: Any) -> Said:
    if isinstance(shape, (list, tuple)):
        known = [int(n) if _is_known(n) else -1 for n in shape]
        if known.count(-1) <= 1:  # the others say it
            shape = known
    return sizes.sized("Reshape", tensor, shape, "Tshape")


def _broadcast_to(sizes: _Sizes, input: Any, shape: Any, name: Any) -> Said:
    return sizes.sized("BroadcastTo", input, shape, "Tidx")


def _filled(number: float) -> Callable[..., Said]:
    return lambda sizes, shape, dtype, name, layout: _fill(sizes, shape, number, name, layout)


def _fill(sizes: _Sizes, dims: Any, value: Any, name: Any, layout: Any) -> Said:
    wanted, kind = sizes.vector(dims), sizes.op.outputs[0].dtype
    if type(value) is Place:
        content, _ = sizes.tensor(value)
    elif isinstance(value, (int, float, np.generic)) and kind.name != "string":
        content = sizes.constant(value, kind.numpy_dtype)
    else:
        raise _NotSaid
    return "Fill", [wanted.name, content], {"T": kind, "index_type": wanted.dtype}


def _range(sizes: _Sizes, start: Any, limit: Any, delta: Any, dtype: Any, name: Any) -> Said:
    kind = sizes.op.outputs[0].dtype
    first, last = (0, start) if limit is None else (start, limit)
    if kind is int32:
        return "Range", [sizes.number(n) for n in (first, last, delta)], {"Tidx": kind}
    inputs = []
    for n in (first, last, delta):
        if type(n) is not Place:
            inputs.append(sizes.constant(n, kind.numpy_dtype))
            continue
        text, x = sizes.tensor(n)
        if x.dtype is not kind:
            raise _NotSaid
        inputs.append(text)
    return "Range", inputs, {"Tidx": kind}


def _tile(sizes: _Sizes, input: Any, multiples: Any, name: Any) -> Said:
    return sizes.sized("Tile", input, multiples, "Tmultiples")


def _pad(
    sizes: _Sizes, tensor: Any, paddings: Any, mode: Any, constant_values: Any, name: Any
) -> Said:
    if mode.upper() != "CONSTANT" or type(constant_values) is Place or constant_values != 0:
        raise _NotSaid
    return sizes.sized("Pad", tensor, paddings, "Tpaddings")


def _split(
    sizes: _Sizes, value: Any, num_or_size_splits: Any, axis: Any, num: Any, name: Any
) -> Said:
    x, tensor = sizes.tensor(value)
    along, attrs = sizes.number(axis), {"num_split": len(sizes.op.outputs), "T": tensor.dtype}
    if isinstance(num_or_size_splits, int):
        return "Split", [along, x], attrs
    wanted = sizes.vector(num_or_size_splits)
    return "SplitV", [x, wanted.name, along], attrs | {"Tlen": wanted.dtype}


def _extreme(kind: str) -> Callable[..., Said]:
    def write(sizes: _Sizes, input: Any, axis: Any, output_type: Any, name: Any) -> Said:
        x, value = sizes.tensor(input)
        attrs = {"T": value.dtype, "Tidx": int32, "output_type": sizes.op.outputs[0].dtype}
        return kind, [x, sizes.number(0 if axis is None else axis)], attrs

    return write


def _slice(sizes: _Sizes, input_: Any, begin: Any, size: Any, name: Any) -> Said:
    x, value = sizes.tensor(input_)
    first, extent = sizes.vector(begin), sizes.vector(size)
    if first.dtype is not extent.dtype:
        raise _NotSaid
    return "Slice", [x, first.name, extent.name], {"T": value.dtype, "Index": first.dtype}


def _getitem(sizes: _Sizes, x: Any, key: Any) -> Said:
    text, value = sizes.tensor(x)
    return sizes.sliced(text, key, value.dtype)


_PUBLIC: Final[dict[Any, Callable[..., Said]]] = {
    argmax: _extreme("ArgMax"),
    argmin: _extreme("ArgMin"),
    broadcast_to: _broadcast_to,
    fill: _fill,
    getitem: _getitem,
    ones: _filled(1),
    pad: _pad,
    range_: _range,
    reshape: _reshape,
    slice_: _slice,
    split: _split,
    tile: _tile,
    zeros: _filled(0),
}
_WRITERS: Final = {_inner(function): write for function, write in _PUBLIC.items()}
