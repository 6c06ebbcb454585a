"""A function of tensors that have values, as one operation of a graph or a batch: it is called when that runs.

Its gradient is a function of that kind, too, which calls the function on a tape; so every order follows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from wengert.core.context import activate
from wengert.core.dispatch import apply
from wengert.core.reverse import conjugate, pull_through
from wengert.core.row import Attrs, Row
from wengert.values.bound_ops import bound
from wengert.values.tensor import wrap

if TYPE_CHECKING:
    from wengert.values.typing import Array, Namespace

Function = Callable[..., Sequence[Any]]


def eagerly(function: Function, inputs: Sequence[Any], forms: Callable[..., Any]) -> list[Any]:
    """The results of a function whose derivatives flow to its inputs alone.

    Args:
        function: From tensors to a list of tensors.
        inputs: What it is called with.
        forms: From the inputs to the shape and dtype of each result.
    """
    found: list[Any] = apply(CALLED, inputs, {"function": function, "forms": forms})
    return found


def _kernel(
    _: Namespace, *arrays: Array, function: Function, forms: Callable[..., Any]
) -> list[Array]:
    with activate((), None):
        return [y._array for y in function(*[wrap(a) for a in arrays])]


def _pulled(gs: Sequence[Any], ys: Sequence[Any], xs: Sequence[Any], attrs: Attrs) -> list[Any]:
    function, count = attrs["function"], len(gs)
    places = [i for i, x in enumerate(xs) if x.dtype.is_differentiable]

    def gradients(*values: Any) -> list[Any]:
        seeds, given = values[:count], values[count:]
        pulled = pull_through(function, given, seeds)
        return [
            bound.zeros_like(given[i]) if pulled[i] is None else bound.to_dense(pulled[i])
            for i in places
        ]

    def forms(*values: Any) -> list[Any]:
        return [(values[count + i]._array.shape, values[count + i]._array.dtype) for i in places]

    found = eagerly(gradients, [*map(conjugate, gs), *xs], forms)
    known = dict(zip(places, map(conjugate, found), strict=True))
    return [known.get(i) for i in range(len(xs))]


CALLED: Final[Row] = Row(
    "CalledEagerly",
    _kernel,
    joint=_pulled,
    forms=lambda xs, attrs: attrs["forms"](*xs),
    many=True,
    users=True,
)
