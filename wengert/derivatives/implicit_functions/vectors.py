"""Structures of tensors as one vector, and back, in our own operations."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from wengert.derivatives import structures
from wengert.ops.arrays.joining import concat
from wengert.ops.arrays.shaping import reshape
from wengert.values.convert import convert
from wengert.values.symbolic import is_certain
from wengert.values.tensor import Tensor, dims
from wengert.values.value import Value


class Unknowns:
    """What an equation is solved for: tensors of a structure, one after the other as one vector."""

    def __init__(
        self, structure: Any, who: str, beside: Any = None, takes_complex: bool = False
    ) -> None:
        """A number of Python or a list takes the dtype of the tensors `beside` it."""
        hint = _dtype_of(beside)
        leaves = structures.flatten(structure)
        self._who = who
        self._structure = structure
        self._leaves = [_converted(leaf, hint) for leaf in leaves]
        self.dtype = _common_dtype(self._leaves, who, takes_complex)
        self._shapes = [dims(leaf) for leaf in self._leaves]
        if len(leaves) > 1 and not all(map(is_certain, self._shapes)):
            raise ValueError(
                f"tf.{who}: of several unknowns all sizes must be known when the function is traced, "
                f"got {[list(s) for s in self._shapes]}. Give an input_signature with sizes."
            )

    @property
    def start(self) -> Any:
        """The vector of what was given."""
        return _joined(self._leaves)

    def pack(self, vector: Any) -> Any:
        """A vector as what the user's functions take."""
        return self._packed(vector, ())

    def pack_rows(self, table: Any) -> Any:
        """Vectors, one in each row, as the structure with the rows along the first axis."""
        return self._packed(table, dims(table)[:1])

    def _packed(self, values: Any, front: tuple[Any, ...]) -> Any:
        if len(self._shapes) == 1:
            return structures.pack(self._structure, [reshape(values, (*front, *self._shapes[0]))])
        leaves, at = [], 0
        for shape in self._shapes:
            size = math.prod(shape)
            part = values[..., at : at + size]
            leaves.append(reshape(part, (*front, *shape)))
            at += size
        return structures.pack(self._structure, leaves)

    def flat(self, structure: Any, what: str) -> Any:
        """The vector of what a function of the user returned."""
        leaves = [convert(leaf, hint=self.dtype) for leaf in self._parts(structure, what)]
        for leaf in leaves:
            if leaf.dtype is not self.dtype:
                raise TypeError(
                    f"tf.{self._who}: {what} must have the dtype of the unknowns, "
                    f"{self.dtype.name}, got {leaf.dtype.name}. Use tf.cast in the function."
                )
        return _joined(leaves)

    def _parts(self, structure: Any, what: str) -> list[Any]:
        """The leaves of what a function of the user returned, which must be tensors."""
        leaves = structures.flatten(structure)
        if not leaves or any(leaf is None for leaf in leaves):
            raise TypeError(f"tf.{self._who}: {what} must be tensors, got {structure!r}.")
        return leaves

    def checked(self, structure: Any, what: str) -> Any:
        """The vector of what was returned, which must be as many numbers as there are unknowns."""
        vector = self.flat(structure, what)
        shapes = [dims(convert(leaf)) for leaf in self._parts(structure, what)]
        if all(map(is_certain, (*shapes, *self._shapes))):
            count, wanted = (sum(map(math.prod, some)) for some in (shapes, self._shapes))
            if count != wanted:
                raise ValueError(
                    f"tf.{self._who}: {what} must be as many numbers as there are unknowns, {wanted}, "
                    f"got {count}, of shapes {[list(s) for s in shapes]}."
                )
        return vector

    def nested_alike(self, structure: Any, what: str) -> Any:
        """The vector of something that must be nested and shaped as the unknowns are."""
        self._parts(structure, what)
        leaves = structures.flatten_like(self._structure, structure, f"{what} and the unknowns")
        for leaf, shape in zip(leaves, self._shapes, strict=True):
            found = dims(convert(leaf))
            if is_certain(found) and is_certain(shape) and found != shape:
                raise ValueError(
                    f"tf.{self._who}: {what} must have the shape of the unknowns, {list(shape)}, got "
                    f"{list(found)}."
                )
        return self.flat(structure, what)


def _joined(leaves: Sequence[Tensor]) -> Any:
    flat = [reshape(leaf, (-1,)) for leaf in leaves]
    return flat[0] if len(flat) == 1 else concat(flat, 0)


def _converted(leaf: Any, hint: Any) -> Any:
    if isinstance(leaf, Value):
        return convert(leaf)
    return convert(leaf) if hasattr(leaf, "dtype") else convert(leaf, hint=hint)


def _dtype_of(beside: Any) -> Any:
    """The dtype of the first tensor that could be differentiated."""
    for leaf in structures.flatten(beside):
        if hasattr(leaf, "dtype"):
            dtype = convert(leaf).dtype
            if dtype.is_differentiable:
                return dtype
    return None


def _common_dtype(leaves: Sequence[Any], who: str, takes_complex: bool) -> Any:
    dtypes = list(dict.fromkeys(leaf.dtype for leaf in leaves))
    if len(dtypes) == 1 and dtypes[0].name in ("float32", "float64"):
        return dtypes[0]
    if len(dtypes) == 1 and dtypes[0].is_complex:
        if takes_complex:
            return dtypes[0]
        raise TypeError(
            f"tf.{who} solves for real numbers, got {dtypes[0].name}: split complex ones in a real and an "
            "imaginary part."
        )
    raise TypeError(
        f"tf.{who} solves for floating numbers of one dtype, float32 or float64, got "
        f"{', '.join(d.name for d in dtypes) or 'nothing'}. Use tf.cast."
    )
