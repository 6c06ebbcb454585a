"""Strong zeros: a cotangent, or a tangent, that is exactly zero contributes exactly zero.

A rule is linear in the cotangent that it is given. While it runs, an interpreter knows which values
come of that cotangent, and carries out products with them strongly: zero times anything is zero,
also times infinity. A strong product is a row of its own, whose rules are those of the
product, run in the same way, with the factor known that is zero strongly. So derivatives of
derivatives have the same zeros, in every mode, in graphs, and in gradients that users wrote.

Only the products differ, and not those within branches and loops of a rule that a user wrote, where they
are added to a graph. Sums, gathers and whatever else is linear keep zeros by themselves; solving
a linear system is left as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from wengert.core.context import activate, thread
from wengert.core.contract import as_list
from wengert.core.forward import push_forward
from wengert.core.layer import Layer
from wengert.core.recorder import Interpreter
from wengert.core.row import Attrs, EachInput, Row, Rule
from wengert.core.table import TABLE
from wengert.values.indexed_slices import IndexedSlices
from wengert.values.symbolic import SymbolicTensor

if TYPE_CHECKING:
    from wengert.values.typing import Array, Namespace

# Of each product the inputs in which it is linear. They are what a zero may come through.
_PRODUCTS: Final[dict[str, tuple[int, ...]]] = {
    "Mul": (0, 1),
    "RealDiv": (0,),
    "SqrtGrad": (1,),
    "RsqrtGrad": (1,),
    "SigmoidGrad": (1,),
    "MatMul": (0, 1),
    "BatchMatMulV2": (0, 1),
    "Einsum": (0, 1),
    "Conv2D": (0, 1),
    "Conv2DBackpropFilter": (0, 1),
    "Conv2DBackpropInput": (0, 1),
    "Conv3D": (0, 1),
    "Conv3DBackpropFilterV2": (0, 1),
    "Conv3DBackpropInputV2": (0, 1),
    "DepthwiseConv2dNative": (0, 1),
    "DepthwiseConv2dNativeBackpropFilter": (0, 1),
    "DepthwiseConv2dNativeBackpropInput": (0, 1),
    "TridiagonalMatMul": (0, 1),
}


# ---- while a rule runs ------------------------------------------------------------------------


class Linear(Layer):
    """Takes the operations of a rule, and knows which values are linear in what it was given."""

    def __init__(self, outer: Interpreter | None) -> None:
        super().__init__(outer)
        self._known: dict[int, Any] = {}  # the values themselves, so that no other gets the id

    def know(self, values: Sequence[Any]) -> None:
        """These values are linear in what the rule was given."""
        for value in values:
            if type(value) is IndexedSlices:
                value = value.values
            self._known[id(value)] = value

    def apply(self, row: Row, inputs: Sequence[Any], attrs: Attrs, name: str | None = None) -> Any:
        """Carry out an operation, strongly where it is a product."""
        which = tuple([i for i, x in enumerate(inputs) if self._is_linear(x)])
        if which:
            row = strong_product(row, which)
        result = super().apply(row, inputs, attrs, name)
        if which:
            self.know(as_list(result))
        return result

    def announce(self, row: Row, inputs: Sequence[Any], attrs: Attrs, result: Any) -> Any:
        """An operation was carried out by other means."""
        result = super().announce(row, inputs, attrs, result)
        if any(map(self._is_linear, inputs)):
            self.know(as_list(result))
        return result

    def _is_linear(self, x: Any) -> bool:
        if id(x) in self._known:
            return True
        # Branches, loops and calls that wait for sizes are added to a graph by other ways.
        added = type(x) is SymbolicTensor and (x.op.row.graphs or x.op.row.overridden is not None)
        if not added or not any(map(self._is_linear, x.op.inputs)):
            return False
        self.know([x])
        return True


@contextmanager
def linear_in(values: Sequence[Any]) -> Iterator[None]:
    """What runs inside is linear in these values: where they are zero, it is."""
    context = thread.context
    active = context.interpreter
    if isinstance(active, Linear):  # a rule within a rule
        active.know(values)
        yield
        return
    linear = Linear(active)
    linear.know(values)
    with activate(context.recorders, linear):
        yield


# ---- rows whose rules keep zeros --------------------------------------------------------------

_ROWS: Final[dict[str, Row]] = {}


def with_strong_zeros(row: Row) -> Row:
    """The row with rules that keep zeros."""
    if TABLE.get(row.name) is not row and id(row) not in _MADE_OF:
        return _with_strong_rules(row)  # one of a kind: a call, or one with other rules
    if row.name not in _ROWS:
        _ROWS[row.name] = _with_strong_rules(row)
    return _ROWS[row.name]


def _with_strong_rules(row: Row) -> Row:
    changes: dict[str, Any] = {"sums_back": row.sums_back}
    if row.joint is not None:
        changes["joint"] = _StrongJoint(row.joint)
    if row.vjp is not None and (row.saves or row.many):  # else the rules know numbers of ours only
        changes["vjp"] = _strong_rules(row.vjp)

    def joint_jvp(ts: Sequence[Any], ys: Any, xs: Sequence[Any], attrs: Attrs) -> Sequence[Any]:
        with linear_in([t for t in ts if t is not None]):
            return push_forward(row, ts, xs, attrs, ys if row.many else ys[0])

    return row.replace(**changes, joint_jvp=joint_jvp)


class _StrongJoint:
    """A joint rule that keeps zeros."""

    def __init__(self, joint: Callable[..., Any]) -> None:
        self._joint = joint

    @property
    def __wrapped__(self) -> Any:
        """So that errors name the user's line; a rule may be looked up for that, or be missing."""
        return getattr(self._joint, "__wrapped__", self._joint)

    def __call__(self, gs: Sequence[Any], ys: Any, xs: Any, attrs: Attrs) -> Any:
        with linear_in([g for g in gs if g is not None]):
            return self._joint(gs, ys, xs, attrs)


def _strong_rules(rules: Any) -> Any:
    if isinstance(rules, EachInput):
        each = rules.rule
        return EachInput(lambda i, g, *rest, **attrs: _strongly(each, (i, g, *rest), attrs, (g,)))
    return tuple([None if rule is None else _strong_rule(rule) for rule in rules])


def _strong_rule(rule: Rule) -> Rule:
    return lambda g, *rest, **attrs: _strongly(rule, (g, *rest), attrs, (g,))


def _strongly(rule: Rule, args: Sequence[Any], attrs: Attrs, known: Sequence[Any]) -> Any:
    flat = [v for one in known if one is not None for v in as_list(one) if v is not None]
    with linear_in(flat):
        return rule(*args, **attrs)


# ---- strong products --------------------------------------------------------------------------

_MADE: Final[dict[tuple[str, tuple[int, ...]], Row]] = {}
_MADE_OF: Final[dict[int, tuple[Row, tuple[int, ...]]]] = {}  # by the id of a strong row


def strong_product(row: Row, which: tuple[int, ...]) -> Row:
    """The row in which zeros of some inputs are strong; the row itself, if it is no product."""
    if id(row) in _MADE_OF:
        row, before = _MADE_OF[id(row)]
        which = (*before, *which)
    factors = _PRODUCTS.get(row.name)
    if factors is None or TABLE.get(row.name) is not row:
        return row
    strong = tuple(sorted(set(which).intersection(factors)))
    if not strong:
        return row
    if (row.name, strong) not in _MADE:
        made = _MADE[row.name, strong] = _product(row, strong)
        _MADE_OF[id(made)] = row, strong
    return _MADE[row.name, strong]


def _product(row: Row, strong: tuple[int, ...]) -> Row:
    """The product with rules that keep the zeros of its factors, too, and of the result."""

    def strongly(rule: Rule) -> Rule:
        def strong_rule(g: Any, y: Any, *xs: Any, **attrs: Any) -> Any:
            return _strongly(rule, (g, y, *xs), attrs, (g, y, *[xs[i] for i in strong]))

        return strong_rule

    def batch(batched: Sequence[bool], size: int, xs: Sequence[Any], attrs: Attrs) -> Any:
        assert row.batch is not None
        with linear_in([xs[i] for i in strong]):
            return row.batch(batched, size, xs, attrs)

    rules: Any = row.vjp
    if isinstance(rules, EachInput):
        vjp: Any = EachInput(lambda i, *args, **attrs: strongly(rules[i])(*args, **attrs))
    else:
        vjp = tuple([None if rule is None else strongly(rule) for rule in rules])
    return row.replace(
        name=f"{row.name}StrongZero{''.join(map(str, strong))}",
        kernel=_elementwise(row, strong) if row.elementwise else _bilinear(row, strong),
        vjp=vjp,
        jvp=None,
        batch=None if row.batch is None else batch,
        large=None,
        integers=None,
        saves="xy",
        called="",
        declared="",
        sums_back=row.sums_back,
    )


def _elementwise(row: Row, strong: tuple[int, ...]) -> Callable[..., Any]:
    def kernel(xp: Namespace, *arrays: Array, **attrs: Any) -> Array:
        value = row.kernel(xp, *arrays, **attrs)
        for i in strong:
            value = xp.where(arrays[i] == 0, xp.zeros_like(value), value)
        return value

    return kernel


def _bilinear(row: Row, strong: tuple[int, ...]) -> Callable[..., Any]:
    """The kernel of a sum of products whose terms are zero where a strong factor is."""

    def kernel(_: Namespace, *arrays: Array, **attrs: Any) -> Array:
        value = row.kernel(np, *arrays, **attrs)
        if len(arrays) != 2 or np.isfinite(value).all():  # no zero has met infinity
            return value
        return _of_terms(lambda a, b: row.kernel(np, a, b, **attrs), *arrays, strong, value.dtype)

    return kernel


def _of_terms(
    times: Callable[[Array, Array], Array], a: Array, b: Array, strong: tuple[int, ...], dtype: Any
) -> Array:
    """A sum of products by the finite terms, and by whether there are infinite ones and NaN."""

    def there(*pairs: tuple[Array, Array]) -> Array:
        """Whether there is a term of such a pair of factors."""
        parts = [times(p.astype(a.dtype), q.astype(b.dtype)) for p, q in pairs if p.any() & q.any()]
        return np.asarray(sum(abs(p) for p in parts) > 0 if parts else False)

    finite = times(np.where(np.isfinite(a), a, 0), np.where(np.isfinite(b), b, 0))
    meets_a = b != 0 if 1 in strong else np.ones(b.shape, bool)
    meets_b = a != 0 if 0 in strong else np.ones(a.shape, bool)
    nan = there((np.isnan(a), meets_a), (meets_b, np.isnan(b)))
    if a.dtype.kind == "c":  # an infinite complex number has no sign
        infinite = there((np.isinf(a), meets_a), (meets_b, np.isinf(b)))
        return np.where(nan | infinite, dtype.type(complex("nan+nanj")), finite)
    nan = nan | there((np.isinf(a), meets_a & (b == 0)), (meets_b & (a == 0), np.isinf(b)))
    up, down = np.isposinf, np.isneginf
    plus = there((up(a), b > 0), (a > 0, up(b)), (down(a), b < 0), (a < 0, down(b)))
    minus = there((up(a), b < 0), (a < 0, up(b)), (down(a), b > 0), (a > 0, down(b)))
    result = np.where(plus, dtype.type(np.inf), np.where(minus, dtype.type(-np.inf), finite))
    return np.where(nan | (plus & minus), dtype.type(np.nan), result)
