"""What a derivative will cost, and the ways to compute it, before anything runs."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, Protocol, cast

from wengert.core.context import activate, also_listening
from wengert.derivatives import structures
from wengert.derivatives.arguments import Arguments
from wengert.derivatives.cost import Estimate, Work, estimate
from wengert.derivatives.results import differentiable_result, without_aux
from wengert.derivatives.sparse.coloring import color
from wengert.derivatives.sparse.pattern import Pattern, pattern_of
from wengert.derivatives.trail import Trail
from wengert.errors import SymbolicValueError
from wengert.graph.function_graph import FunctionGraph
from wengert.host.memory_size import written
from wengert.values.symbolic import is_certain
from wengert.values.tensor import dims


class Choice(NamedTuple):
    """One way to a derivative."""

    mode: str
    products: str  # how many, and of which kind
    work: Work


class DerivativePlan:
    """The ways to a derivative, the chosen one first, with what each costs. Print it."""

    def __init__(
        self, what: str, choices: Sequence[Choice], function: Work, notes: Sequence[str]
    ) -> None:
        self.what = what
        self.choices = list(choices)
        self.function = function  # the work of the function itself
        self.notes = list(notes)

    @property
    def mode(self) -> str:
        """The way that is taken."""
        return self.choices[0].mode

    def __repr__(self) -> str:
        rows = [("", "products", "arithmetic", "memory traffic")]
        rows += [
            (c.mode, c.products, _flops(c.work.flops), written(c.work.bytes)) for c in self.choices
        ]
        rows.append(("(function)", "", _flops(self.function.flops), written(self.function.bytes)))
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        marks = ["  ", "* ", *["  "] * len(rows)]
        lines = [
            (mark + "  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True))).rstrip()
            for mark, row in zip(marks, rows, strict=False)
        ]
        return "\n".join([self.what, *lines, *self.notes])


def _flops(number: float) -> str:
    return written(number, "flop")


# ---- a derivative with a plan -------------------------------------------------------------------


class Derivative(Protocol):
    """A function that is a derivative; `plan`, of the same arguments, says what it will cost."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The derivative."""

    def plan(self, *args: Any, **kwargs: Any) -> DerivativePlan:
        """What it costs."""


def planned(
    f: Callable[..., Any] | None,
    whole: Callable[..., Any],
    plan: Callable[..., DerivativePlan],
) -> Derivative:
    """The derivative of a function, with its plan; it has the signature of `f`."""
    if f is not None:
        functools.update_wrapper(whole, f, updated=())
    whole.plan = plan  # type: ignore[attr-defined]
    return cast(Derivative, whole)


# ---- the operations of a function ---------------------------------------------------------------


class Outline(NamedTuple):
    """A function as it was traced."""

    sources: list[Any]
    targets: list[Any]
    estimate: Estimate
    pattern: Pattern | None
    notes: list[str]


def outline_of(given: Arguments, has_aux: bool, who: str, with_pattern: bool = False) -> Outline:
    """Trace a function. One that branches on values has no plan: it would have to be run."""
    graph = FunctionGraph(f"plan_of_{who}")
    graph.only_traced = True
    try:
        with activate((), graph):
            leaves = [graph.input_like(x) for x in given.leaves]
            return _listened(given.with_leaves(leaves), has_aux, who, with_pattern)
    except (SymbolicValueError, AttributeError) as error:  # such as of x.numpy()
        raise SymbolicValueError(
            f"A plan of tf.{who} runs nothing, and the function decides by values: {error}"
        ) from error


def _listened(given: Arguments, has_aux: bool, who: str, with_pattern: bool) -> Outline:
    trail = Trail()
    with also_listening(trail):
        value, _ = without_aux(given.call(), has_aux, who)
        targets = [differentiable_result(y, who) for y in structures.flatten(value)]
    found = estimate(trail.events, given.leaves)
    pattern, notes = _pattern(trail, given.leaves, targets) if with_pattern else (None, [])
    return Outline(given.leaves, targets, found, pattern, notes)


def _pattern(
    trail: Trail, sources: Sequence[Any], targets: Sequence[Any]
) -> tuple[Pattern | None, list[str]]:
    try:
        return pattern_of(trail.events, sources, targets), []
    except SymbolicValueError:
        return None, ["Which elements can differ from zero follows from values."]


# ---- the plans ----------------------------------------------------------------------------------


def plan_of_gradient(given: Arguments, has_aux: bool, who: str) -> DerivativePlan:
    """One product in reverse mode; forward mode would take one for each element."""
    line = outline_of(given, has_aux, who)
    cost, width = line.estimate, _elements(line.sources)
    choices = [
        Choice("reverse", "1", cost.function.plus(cost.reverse)),
        Choice("forward", f"{width}", cost.function.plus(cost.forward, width)),
    ]
    return DerivativePlan(
        f"{who} by {_count(width, 'element')}", choices, cost.function, line.notes
    )


def plan_of_jacobian(
    given: Arguments, mode: str, has_aux: bool, coloring: str, who: str, symmetric: bool = False
) -> DerivativePlan:
    """All columns forward, all rows in reverse, or by the colors of the pattern."""
    line = outline_of(given, has_aux, who, with_pattern=True)
    cost, width, height = line.estimate, _elements(line.sources), _elements(line.targets)
    chosen = mode if mode != "auto" else cheaper(cost, width, height)
    forward = Choice("forward", f"{width}", cost.function.plus(cost.forward, width))
    reverse = Choice("reverse", f"{height}", cost.function.plus(cost.reverse, height))
    colored, note = _colored(line.pattern, cost, coloring, symmetric, chosen == "colored")
    choices = [c for c in (forward, reverse, colored) if c is not None]
    choices.sort(key=lambda c: (c.mode != chosen, c.work.weight))
    what = f"{who}: {_count(height, 'result')} by {_count(width, 'element')}"
    return DerivativePlan(what, choices, cost.function, [*line.notes, *note])


_LIFTING: Final = 40_000.0  # nanoseconds that a batch of tangents takes beside its products,
_LIFTED: Final = 4_000.0  # and for each operation


def cheaper(cost: Estimate, width: int, height: int) -> str:
    """Whether all columns forward or all rows in reverse are less work."""
    forward = cost.function.plus(cost.forward, width).weight
    forward += _LIFTING + _LIFTED * cost.forward.operations
    reverse = cost.function.plus(cost.reverse, height).weight
    return "reverse" if reverse <= forward else "forward"


def _colored(
    pattern: Pattern | None, cost: Estimate, coloring: str, symmetric: bool, is_chosen: bool
) -> tuple[Choice | None, list[str]]:
    if pattern is None:
        return None, []
    found, size = pattern.links.total, pattern.width * pattern.height
    note = f"{found} of {size} elements can differ from zero"
    if 2 * found > size and not is_chosen:
        return None, [f"{note}: it is dense."]
    split = color(pattern, coloring, symmetric)
    rows, columns = split.rows.total, split.columns.total
    work = cost.function.plus(cost.reverse, rows)
    if columns:
        work = work.plus(cost.function).plus(cost.forward, columns)
    kinds = [f"{n} {kind}" for n, kind in ((rows, "reverse"), (columns, "forward")) if n]
    products = " + ".join(kinds) or "0"
    return Choice("colored", products, work), [
        f"{note}{': it is dense' if 2 * found > size else ''}."
    ]


def plan_of_product(given: Arguments, who: str) -> DerivativePlan:
    """A Hessian times a vector: the gradient, pushed forward once."""
    line = outline_of(given, False, who)
    cost, width = line.estimate, _elements(line.sources)
    once = cost.function.plus(cost.forward)
    choices = [
        Choice("forward over reverse", "1", once),
        Choice("reverse over reverse", "1", cost.function.plus(cost.reverse)),
    ]
    what = f"{who} by {_count(width, 'element')}; the function is the gradient"
    return DerivativePlan(what, choices, cost.function, line.notes)


def plan_of_second_derivatives(given: Arguments, who: str, summed: bool) -> DerivativePlan:
    """Second derivatives along each unit vector, without the mixed ones."""
    line = outline_of(given, False, who)
    cost, width = line.estimate, _elements(line.sources)
    each = 1.5 if summed else 2.5  # products for each direction: the second order is summed, or not
    taylor = cost.function.plus(cost.forward, each * width + summed)
    once = cost.function.plus(cost.forward, 1.0).plus(cost.reverse, 2.0)
    hessian = cost.function.plus(once, width)
    choices = [
        Choice("forward Laplacian" if summed else "Taylor mode", f"{width}", taylor),
        Choice("Hessian by products", f"{width}", hessian),
    ]
    what = f"{who} by {_count(width, 'element')}"
    return DerivativePlan(what, choices, cost.function, line.notes)


def _elements(values: Sequence[Any]) -> int:
    shapes = [dims(v) for v in values]
    if not all(map(is_certain, shapes)):
        raise SymbolicValueError("A plan needs arguments whose sizes are known.")
    return sum(map(math.prod, shapes))


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
