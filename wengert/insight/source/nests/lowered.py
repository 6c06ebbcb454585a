"""Operations as arrays that are computed element by element: the front of the native engine, without its limits.

It leaves to NumPy what BLAS or a kernel of its own does better. Here all is written as loops.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from wengert.engines.native.frontend import all_rules as _rules  # noqa: F401
from wengert.engines.native.frontend.arrays import (
    Base,
    Dims,
    Input,
    Literal,
    Product,
    Reduction,
    View,
    broadcast,
    transpose,
    whole,
)
from wengert.engines.native.frontend.lowering import RULES, Lowering
from wengert.engines.native.frontend.scalar import Code, NotLowered, constant, type_of
from wengert.engines.native.frontend.templates import CODES
from wengert.engines.native.mathematics import elementary as _functions  # noqa: F401
from wengert.graph.operation import Operation
from wengert.values.symbolic import is_certain

OWN: dict[str, Callable[..., Any]] = {}


def rule(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """How an operation is computed, where the native engine has no rule for it, or a worse one."""

    def declared(function: Callable[..., Any]) -> Callable[..., Any]:
        OWN.update(dict.fromkeys(names, function))
        return function

    return declared


class Written(Base):
    """An array that loops of its own write; `write(writer, array, views)` adds them."""

    __slots__ = ("views", "write")

    def __init__(
        self,
        shape: Dims,
        kind: str,
        write: Callable[..., None],
        views: Sequence[View],
        place: Any = None,
    ) -> None:
        super().__init__(shape, kind, place)
        self.write = write
        self.views = views

    @property
    def operands(self) -> Sequence[View]:
        """What the loops read."""
        return self.views


class Lowered(Lowering):
    """Arrays, and how each is computed, of operations that are given one after the other."""

    def __init__(self) -> None:
        self.is_body = False
        self.items: list[Any] = []
        self.views: dict[int, View] = {}
        self.checks: list[View] = []
        self.single: dict[Base, tuple[View, View]] = {}
        self._same: dict[Any, View] = {}
        self._kept: list[Any] = []
        self.place: Any = None

    def results(self, op: Operation, views: Sequence[View]) -> Sequence[View]:
        """What an operation computes of these."""
        self.place = op
        attrs = {k: v for k, v in op.attrs.items() if not k.startswith("_")}
        for y in op.outputs:
            type_of(y._array.dtype)
            if not is_certain(y._array.shape):
                raise NotLowered("a size that is not known")
        found = OWN.get(op.type) or RULES.get(op.type)
        if found is not None:
            made = found(self, op, *views, **attrs)
            if self.checks:
                raise NotLowered(f"{op.type} checks what only the run knows")
            return made if op.row.many else [made]
        if op.row.elementwise and not op.row.many:
            return [self.elementwise(op, views)]
        raise NotLowered(op.type)

    def mapped(self, code: Code, result: int, views: Sequence[View], shape: Dims) -> View:
        """An elementwise array; numbers that are known stand in its code, which is simpler then."""
        outer = Code()
        known = [
            outer.add("const", v.kind, (), constant(v.kind, v.base.value))
            if isinstance(v.base, Literal)
            else outer.add("param", v.kind, (), at)
            for at, v in enumerate(views)
        ]
        value = outer.inserted(code, known)[result]
        shared = CODES.setdefault(tuple(outer.instructions), outer)
        return super().mapped(shared, value, views, shape)

    def entered(self, shape: Dims, kind: str) -> View:
        """An array that is there already."""
        return whole(Input(shape, kind))

    def routine(self, function: str, *_: Any, **__: Any) -> list[View]:
        """What the engine has a function of its own for, no source has."""
        raise NotLowered(f"{function} is the native engine's")

    def by_loops(self, shape: Dims, kind: str, write: Callable[..., None], *views: View) -> View:
        """An array that loops of its own write."""
        base = Written(shape, kind, write, views, self.place)
        self.items.append(base)
        return whole(base)

    def reduced(self, how: str, view: View, axes: Sequence[int], keepdims: bool) -> View:
        """Sums, products or extremes along any axes."""
        shape = view.shape
        axes = [a % len(shape) for a in axes]
        kept = [i for i in range(len(shape)) if i not in axes]
        turned = transpose(view, [*kept, *axes])
        dims = tuple([shape[i] for i in kept])
        key = (how, dims, turned.shape, id(view.base), turned.offset, turned.strides)
        total = self._once(key, lambda: Reduction(dims, view.kind, how, turned, "last", self.place))
        result = tuple([1 if i in axes else n for i, n in enumerate(shape)])
        return self.reshape(total, result) if keepdims else total

    def product(self, a: View, b: View) -> View:
        """Products of matrices, with leading axes that broadcast."""
        batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
        views = [broadcast(x, (*batch, *x.shape[-2:])) for x in (a, b)]
        shape = (*batch, a.shape[-2], b.shape[-1])
        key = ("product", *[(v.shape, id(v.base), v.offset, v.strides) for v in views])
        return self._once(key, lambda: Product(shape, a.kind, views, self.place))
