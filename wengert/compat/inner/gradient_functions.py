"""The gradients of operations as functions: `nn_grad._ReluGrad(op, grad)`, and the registry of all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, MutableMapping
from functools import cache
from typing import Any, Final

from wengert.core.reverse import conjugate, joint_gradients
from wengert.core.row import Row, place
from wengert.core.table import TABLE, complete
from wengert.overrides.argument_forms import Told, with_arguments, without_arguments
from wengert.overrides.registered_gradients import GRADIENTS, REPLACED, Registered, gradient_of
from wengert.overrides.row_override import find_version, replace_gradient, restore_gradient
from wengert.values.bound_ops import bound
from wengert.values.tensor import dims


@cache
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
    def _registry(self) -> MutableMapping[str, dict[str, Any]]:
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


class _Entries(MutableMapping[str, dict[str, Any]]):
    """What a registry holds by name; its `type` is the function. What programs change of it holds."""

    def __getitem__(self, name: str) -> dict[str, Any]:
        if name in GRADIENTS:
            found = gradient_of(name)
            return _Entry(name, found.function, found.place)
        row = find_version(name)
        if row is None or name in REPLACED:
            raise KeyError(name)
        return _Entry(name, _function_of(row, name), row.declared)

    def __setitem__(self, name: str, entry: dict[str, Any]) -> None:
        function = entry["type"]
        row = find_version(name)
        if row is not None and not row.users and function is _function_of(row, name):
            restore_gradient(name)  # a program gives back what it took away
        else:
            replace_gradient(
                name, Registered(function, str(entry.get("location") or place(function)))
            )

    def __delitem__(self, name: str) -> None:
        if name not in self:
            raise KeyError(name)
        replace_gradient(name, None)

    def __iter__(self) -> Iterator[str]:
        complete()
        yield from GRADIENTS
        yield from (name for name in TABLE if name not in GRADIENTS and name not in REPLACED)

    def __len__(self) -> int:
        return sum(1 for _ in self)


class _Entry(dict[str, Any]):
    """An entry of the registry, which says so if its function is changed."""

    def __init__(self, name: str, function: Any, location: str) -> None:
        super().__init__(type=function, location=location)
        self._name = name

    def __setitem__(self, key: str, value: Any) -> None:
        super().__setitem__(key, value)
        if key == "type":
            _Entries()[self._name] = self


def _function_of(row: Row, name: str) -> Callable[..., Any] | None:
    """The function that an operation's own gradient is, if it has one."""
    return own_gradient(row) if row.differentiable or name in _FLAT else None
