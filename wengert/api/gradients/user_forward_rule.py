"""User-defined forward-mode rules, and the reverse-mode rules derived from them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from wengert.core.reverse import conjugate, pull_through
from wengert.core.row import Attrs, place
from wengert.errors import GradientCountError
from wengert.values import nest
from wengert.values.bound_ops import bound
from wengert.values.convert import convert


class ForwardRule:
    """`rule(primals, tangents)` of a function that was given some number of tensors."""

    def __init__(self, name: str, rule: Callable[..., Any], inputs: int) -> None:
        self._name = name
        self._rule = rule
        self._inputs = inputs
        self.__wrapped__ = rule  # errors name the user's line

    def push(
        self, ts: Sequence[Any], ys: Sequence[Any], xs: Sequence[Any], attrs: Attrs
    ) -> list[Any]:
        """The tangents of the results; a missing tangent of an input is passed as zeros."""
        xs, ts = xs[: self._inputs], ts[: self._inputs]
        filled = [bound.zeros_like(x) if t is None else t for t, x in zip(ts, xs, strict=True)]
        pushed = nest.flatten(self._rule(list(xs), filled))
        if len(pushed) != len(ys):
            raise GradientCountError(
                f"The jvp rule of {self._name} ({place(self._rule)}) returned {len(pushed)} "
                f"tangents for {len(ys)} results: return one for each."
            )
        return [
            None if p is None else convert(p, hint=y.dtype) for p, y in zip(pushed, ys, strict=True)
        ]

    def pull(
        self, gs: Sequence[Any], ys: Sequence[Any], xs: Sequence[Any], attrs: Attrs
    ) -> list[Any]:
        """The reverse-mode rule: the transpose of the forward rule, linear in the tangents."""
        tangents = [bound.zeros_like(x) for x in xs[: self._inputs]]
        cotangents = [conjugate(g) for g in gs]  # the rule itself is the plain Jacobian
        pulled = pull_through(lambda *ts: self.push(ts, ys, xs, attrs), tangents, cotangents)
        return [*map(conjugate, pulled), *[None] * (len(xs) - self._inputs)]
