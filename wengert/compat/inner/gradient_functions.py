"""The gradients of operations as functions: `nn_grad._ReluGrad(op, grad)`, and the registry of all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from wengert.core.reverse import conjugate, joint_gradients
from wengert.core.row import Row
from wengert.core.table import TABLE, complete, find
from wengert.overrides.argument_forms import without_arguments
from wengert.overrides.registered_gradients import GRADIENTS, gradient_of
from wengert.values.bound_ops import bound
from wengert.values.tensor import dims


def own_gradient(row: Row | None) -> Callable[..., Any]:
    """The function (op, *grads) that gives the gradients by a row: by the operation's, without one.

    Of an operation with one input it gives one gradient. An axis and its kin, which are inputs for
    those who ask, have none.
    """

    def function(op: Any, *grads: Any) -> Any:
        plain = without_arguments(op)
        found = _gradients(row or plain.row, plain, grads)
        if len(found) == len(op.inputs):
            return found[0] if len(found) == 1 else found
        rest = iter(found)
        return [None if "=" in word else next(rest) for word in op.words]

    return function


def _gradients(row: Row, op: Any, grads: Any) -> list[Any]:
    xs, ys = op.inputs, list(op.outputs)
    gs = list(map(conjugate, grads[: len(ys)]))
    y, g = (ys, gs) if row.many else (ys[0], gs[0])
    if row.vjp is None:
        found = joint_gradients(row, op.attrs, xs, y, g)
    else:
        rules = [row.vjp[i] for i in range(len(xs))]
        found = [None if rule is None else rule(g, y, *xs, **op.attrs) for rule in rules]
    if row.sums_back:
        found = [
            p if p is None else bound.sum_to(p, dims(x)) for p, x in zip(found, xs, strict=True)
        ]
    return list(map(conjugate, found))


def gradient_named(name: str) -> Callable[..., Any] | None:
    """What TensorFlow's modules of gradients have by a name, if it is one: `_ReluGrad` is that of Relu."""
    kind, grad, version = name.removeprefix("_").partition("Grad")
    if not name.startswith("_") or not grad:
        return None
    for known in (f"{kind}{version}", f"{kind}V2", f"{kind}V3"):
        row = find(known)
        if row is not None and row.differentiable:
            return own_gradient(row)
    return None


class GradientRegistry:
    """The gradient functions by their names: users' own, and those of the operations."""

    @property
    def _registry(self) -> Mapping[str, dict[str, Any]]:
        return _Entries()

    def lookup(self, name: str) -> Any:
        """The function of a name."""
        if name not in self._registry:
            raise LookupError(f"gradient registry has no entry for: {name}")
        return self._registry[name]["type"]

    def list(self) -> Any:
        """The names."""
        return list(self._registry)


class _Entries(Mapping[str, Any]):
    """What a registry holds by name; its `type` is the function."""

    def __getitem__(self, name: str) -> dict[str, Any]:
        if name in GRADIENTS:
            found = gradient_of(name)
            return {"type": found.function, "location": found.place}
        row = find(name)
        if row is None or not row.differentiable:
            raise KeyError(name)
        return {"type": own_gradient(row), "location": row.declared}

    def __iter__(self) -> Iterator[str]:
        complete()
        yield from GRADIENTS
        yield from (name for name, row in TABLE.items() if row.differentiable)

    def __len__(self) -> int:
        return sum(1 for _ in self)
