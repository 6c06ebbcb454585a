"""The gradients of operations as functions: `nn_grad._ReluGrad(op, grad)`, and the registry of all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from wengert.core.reverse import conjugate, joint_gradients
from wengert.core.row import Row
from wengert.core.table import TABLE, complete
from wengert.overrides.argument_forms import Told, with_arguments, without_arguments
from wengert.overrides.registered_gradients import GRADIENTS, gradient_of
from wengert.overrides.row_override import find_version
from wengert.values.bound_ops import bound
from wengert.values.tensor import dims


def own_gradient(row: Row | None) -> Callable[..., Any]:
    """The function (op, *grads) that gives the gradients by a row: by the operation's, without one.

    Of an operation with one input it gives one gradient. An axis and its kin, which are inputs in
    TensorFlow, have none.
    """

    def function(op: Any, *grads: Any) -> Any:
        plain = without_arguments(op)
        used = row or plain.row
        told = with_arguments(plain, plain.type, len(plain.inputs), plain.attrs)
        if not used.differentiable:
            return [None] * len(told.inputs)
        found = _gradients(used, plain, grads)
        if type(told) is Told:
            found = told.of_all_inputs(found)
        return found[0] if len(found) == 1 else found

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
    row = find_version(f"{kind}{version}") or find_version(kind)
    return None if row is None or not row.differentiable else own_gradient(row)


# Types whose gradient is None, and no error: functions say so, and not that there is none.
_FLAT: Final = ("ArgMax", "ArgMin", "Ceil", "Floor", "FloorDiv", "Rint", "Round")


class GradientRegistry:
    """The gradient functions by their names: users' own, and those of the operations."""

    @property
    def _registry(self) -> Mapping[str, dict[str, Any]]:
        return _Entries()

    def lookup(self, name: str) -> Any:
        """The function of a name."""
        try:
            return self._registry[name]["type"]
        except KeyError:
            raise LookupError(f"gradient registry has no entry for: {name}") from None

    def list(self) -> Any:
        """The names."""
        return list(self._registry)


class _Entries(Mapping[str, Any]):
    """What a registry holds by name; its `type` is the function."""

    def __getitem__(self, name: str) -> dict[str, Any]:
        if name in GRADIENTS:
            found = gradient_of(name)
            return {"type": found.function, "location": found.place}
        row = find_version(name)
        if row is None:
            raise KeyError(name)
        has_function = row.differentiable or name in _FLAT
        return {"type": own_gradient(row) if has_function else None, "location": row.declared}

    def __iter__(self) -> Iterator[str]:
        complete()
        yield from GRADIENTS
        yield from (name for name in TABLE if name not in GRADIENTS)

    def __len__(self) -> int:
        return sum(1 for _ in self)
