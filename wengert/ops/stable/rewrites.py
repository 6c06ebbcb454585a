"""Which operation is carried out in which other form.

Each is exact: for all numbers for which the one as it is written has a value, the other one has the
same, and the same derivatives. What a rewrite calls is itself looked at again, so log(1 - sigmoid(x))
is log(sigmoid(-x)) first, then -softplus(x).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from wengert.core.dispatch import apply
from wengert.core.row import Attrs, Row
from wengert.ops.arrays.identity import identity
from wengert.ops.math.elementwise import expm1, log1p, ones_like, sin, square
from wengert.ops.nn.activations import erf
from wengert.ops.special.gamma import erfc
from wengert.ops.stable import rows
from wengert.ops.stable.facts import Facts, is_number
from wengert.values.tensor import Tensor, dims


def rewritten(facts: Facts, row: Row, inputs: Any, attrs: Attrs) -> Any:
    """The result of an operation by another way; None if there is none."""
    if len(inputs) == 1:
        rule = _OF_ONE.get(row.name)
        return None if rule is None else rule(facts, inputs[0], attrs)
    if len(inputs) == 2:
        of_two = _OF_TWO.get(row.name)
        return None if of_two is None else of_two(facts, *inputs)
    return None


def _opposite(facts: Facts, x: Any) -> Any:
    found = facts.of(x, "negative")
    return -x if found is None else found.of


def _applied(row: Row) -> Callable[[Facts, Any, Attrs], Any]:
    return lambda facts, x, attrs: apply(row, (x,))


def _sigmoid(x: Any) -> Any:
    return apply(rows.SIGMOID, (x,))


def _softplus(x: Any) -> Any:
    return apply(rows.SOFTPLUS, (x,))


# ---- logarithms and roots ---------------------------------------------------------------------


def _log(facts: Facts, u: Any, attrs: Attrs) -> Any:
    fact = facts.of(u, *_LOGARITHMS, "negative")
    if fact is None:
        return None
    if fact.kind != "negative":
        return _LOGARITHMS[fact.kind](facts, fact.of, fact.attrs)
    inner = facts.of(fact.of, "expm1")
    return None if inner is None else apply(rows.LOG1MEXP, (inner.of,))


# By what the logarithm is taken of.
_LOGARITHMS: Final[dict[str, Callable[[Facts, Any, Attrs], Any]]] = {
    "one_plus": lambda facts, x, attrs: log1p(x),
    "one_minus": lambda facts, x, attrs: log1p(_opposite(facts, x)),
    "sigmoid": lambda facts, x, attrs: -_softplus(_opposite(facts, x)),
    "softmax": lambda facts, x, attrs: apply(rows.LOG_SOFTMAX, (x,), attrs),
    "sum_exp": lambda facts, x, attrs: apply(rows.LOGSUMEXP, (x,), attrs),
    "exp": lambda facts, x, attrs: identity(x),
}


def _log1p(facts: Facts, u: Any, attrs: Attrs) -> Any:
    fact = facts.of(u, "exp", "negative")
    if fact is None or fact.kind == "exp":
        return None if fact is None else _softplus(fact.of)
    inner = facts.of(fact.of, "exp", "sigmoid")
    if inner is None:
        return None
    return apply(rows.LOG1MEXP, (inner.of,)) if inner.kind == "exp" else -_softplus(inner.of)


def _sqrt(facts: Facts, u: Any, attrs: Attrs) -> Any:
    fact = facts.of(u, "squares", "one_plus")
    if fact is None:
        return None
    if fact.kind == "squares":
        return apply(rows.HYPOT, (fact.of, fact.also))
    inner = facts.of(fact.of, "square")
    return None if inner is None else apply(rows.HYPOT, (inner.of, ones_like(inner.of)))


# ---- sums and differences with one ------------------------------------------------------------


def _plus(facts: Facts, a: Any, b: Any) -> Any:
    for one, v in ((a, b), (b, a)):
        if is_number(one, 1.0, v):
            return _one_plus(facts, v)
        if is_number(one, -1.0, v):
            return _less_one(facts, v)
    return None


def _one_plus(facts: Facts, v: Any) -> Any:
    fact = facts.of(v, "erf", "tanh", "negative")
    if fact is None:
        return None
    if fact.kind == "erf":
        return erfc(_opposite(facts, fact.of))
    if fact.kind == "tanh":
        return 2.0 * _sigmoid(2.0 * fact.of)
    return _one_minus(facts, fact.of)


def _minus(facts: Facts, a: Any, b: Any) -> Any:
    if is_number(a, 1.0, b):
        return _one_minus(facts, b)
    return _less_one(facts, a) if is_number(b, 1.0, a) else None


def _one_minus(facts: Facts, v: Any) -> Any:
    fact = facts.of(v, *_COMPLEMENTS)
    return None if fact is None else _COMPLEMENTS[fact.kind](facts, fact.of)


_COMPLEMENTS: Final[dict[str, Callable[[Facts, Any], Any]]] = {
    "exp": lambda facts, x: -expm1(x),
    "sigmoid": lambda facts, x: _sigmoid(_opposite(facts, x)),
    "cos": lambda facts, x: _versine(x),
    "erf": lambda facts, x: erfc(x),
    "erfc": lambda facts, x: erf(x),
    "tanh": lambda facts, x: 2.0 * _sigmoid(-2.0 * x),
}


def _less_one(facts: Facts, v: Any) -> Any:
    fact = facts.of(v, "exp", "cos")
    if fact is None:
        return None
    return expm1(fact.of) if fact.kind == "exp" else -_versine(fact.of)


def _versine(x: Any) -> Tensor:
    return 2.0 * square(sin(0.5 * x))


# ---- products and quotients -------------------------------------------------------------------


def _times(facts: Facts, a: Any, b: Any) -> Any:
    for x, v in ((a, b), (b, a)):
        fact = facts.of(v, "log")
        if fact is None:
            continue
        if facts.are_one(fact.of, x):
            return apply(rows.XLOGX, (x,))
        turned = facts.of(x, "negative")
        if turned is not None and facts.are_one(fact.of, turned.of):
            return -apply(rows.XLOGX, (turned.of,))
    return None


def _divided(facts: Facts, a: Any, b: Any) -> Any:
    below = facts.of(b, "one_plus", "sum_exp")
    if below is None:
        return None
    above = facts.of(a, "exp")
    if below.kind == "sum_exp":
        if above is None or not _is_spread(below.attrs) or not facts.are_one(above.of, below.of):
            return None
        return apply(rows.SOFTMAX, (below.of,), {"axis": below.attrs["axis"]})
    inner = facts.of(below.of, "exp")
    if inner is None:
        return None
    if above is not None and facts.are_one(above.of, inner.of):
        return _sigmoid(inner.of)
    share = _sigmoid(_opposite(facts, inner.of))
    return share if is_number(a, 1.0, b) else a * share


def _is_spread(attrs: Attrs) -> bool:
    """Whether a sum stands beneath the elements that were summed, when it is divided by."""
    return bool(attrs["keepdims"]) or attrs["axis"] == tuple(range(len(attrs["axis"])))


def _reciprocal(facts: Facts, u: Any, attrs: Attrs) -> Any:
    fact = facts.of(u, "one_plus")
    inner = None if fact is None else facts.of(fact.of, "exp")
    return None if inner is None else _sigmoid(_opposite(facts, inner.of))


# ---- along an axis ----------------------------------------------------------------------------


def _along(row: Row) -> Callable[[Facts, Any, Attrs], Any]:
    return lambda facts, x, attrs: apply(row, (x,), {"axis": (attrs["axis"] % len(dims(x)),)})


_OF_ONE: Final[dict[str, Callable[[Facts, Any, Attrs], Any]]] = {
    "Log": _log,
    "Log1p": _log1p,
    "Sqrt": _sqrt,
    "Reciprocal": _reciprocal,
    "Sigmoid": _applied(rows.SIGMOID),
    "Softplus": _applied(rows.SOFTPLUS),
    "Tanh": _applied(rows.TANH),
    "Softmax": _along(rows.SOFTMAX),
    "LogSoftmax": _along(rows.LOG_SOFTMAX),
}
_OF_TWO: Final[dict[str, Callable[[Facts, Any, Any], Any]]] = {
    "AddV2": _plus,
    "Sub": _minus,
    "Mul": _times,
    "RealDiv": _divided,
}
