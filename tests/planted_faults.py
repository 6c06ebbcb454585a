"""Right rules of the table of operations, and the same with a planted fault: for the checker's tests.

A plant takes an operation at a point and gives a function whose gradient has one fault, or None where that fault
would change nothing.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numeric import restricted, reverse_over_reverse, tensors
from optable import CASES
from samples import Case

import wengert as tf

Made = tuple[Callable[..., Any], list[Any]]  # a function and its inputs


@dataclass(frozen=True)
class Smooth:
    """An operation as a function of its differentiable inputs."""

    case: Case
    draw: int
    f: Callable[..., list[Any]]
    xs: list[Any]  # arrays

    @property
    def is_complex(self) -> bool:
        return any(x.dtype.kind == "c" for x in self.xs)

    @property
    def ys(self) -> list[Any]:
        return self.f(*tensors(self.xs))


def smooth_at(case: Case, draw: int = 0) -> Smooth:
    given = case.inputs(draw)
    f = restricted(case.call, tensors(given), case.varied)
    return Smooth(case, draw, f, [given[i] for i in case.varied])


def drawn(draws: int, step: int = 1) -> Iterator[Smooth]:
    """Numbers drawn for each operation with a gradient, whose rules are right."""
    smooth = [c for c in CASES if c.varied and not c.line.constant and not c.is_stateful]
    for draw in range(draws):
        yield from (smooth_at(case, draw) for case in smooth[::step])


def candidates() -> list[Case]:
    """Cases with a gradient and some numbers, none of them random, an operation's first cases first."""
    smooth = [
        c
        for c in CASES
        if c.varied and not c.line.constant and not c.is_stateful and c.line.small
        and all(int(np.prod(c.shapes[i])) for i in c.varied)
    ]  # fmt: skip
    number: dict[str, int] = {}
    order = []
    for case in smooth:
        number[case.line.type] = number.get(case.line.type, 0) + 1
        order.append((number[case.line.type], case.name, case))
    return [case for _, _, case in sorted(order, key=lambda o: o[:2])]


# ---- rules ------------------------------------------------------------------------------------


def pulled(f: Callable[..., Any], xs: Any, dys: Any) -> list[Any]:
    """The right gradients, which other tapes can see."""
    with tf.GradientTape() as tape:
        tape.watch(list(xs))
        ys = f(*xs)
    found = tape.gradient(ys, list(xs), output_gradients=list(dys), unconnected_gradients="zero")
    return [tf.convert_to_tensor(g) for g in found]


def ruled(
    s: Smooth,
    change: Callable[[list[Any], Any, Any], Any] = lambda gs, dys, xs: gs,
    before: Callable[[Any], Any] = lambda dys: dys,
    **rules: Any,
) -> Any:
    """The operation with a gradient of its own: the right one, changed."""

    def planted(*xs: Any) -> Any:
        def grad(*dys: Any) -> Any:
            return change(pulled(s.f, xs, before(list(dys))), dys, xs)

        return tuple(s.f(*xs)), grad

    return tf.custom_gradient(planted, **rules)


def one(n: int, change: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """Change the gradient of one input."""
    return lambda gs, dys, xs: [
        change(g, x) if i == n else g for i, (g, x) in enumerate(zip(gs, xs, strict=True))
    ]


def everywhere(change: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    return lambda gs, dys, xs: [change(g, x) for g, x in zip(gs, xs, strict=True)]


def changed(s: Smooth, f: Callable[..., Any]) -> Made | None:
    """The function, if its gradient is another one than that of the operation."""
    rng = np.random.default_rng(5)
    xs = tensors(s.xs)
    dys = [tf.constant(_normal(rng, np.asarray(y))) for y in s.ys]
    want, got = pulled(s.f, xs, dys), pulled(f, xs, dys)
    pairs = [(np.asarray(a), np.asarray(b)) for a, b in zip(want, got, strict=True)]
    size = max(np.max(np.abs(a)) for a, _ in pairs)
    if not 1e-3 < size < 1e6:
        return None
    apart = max(float(np.max(np.abs(a - b))) for a, b in pairs)
    return (f, s.xs) if not apart <= 1e-4 * size else None


def _normal(rng: Any, y: Any) -> Any:
    return rng.normal(size=y.shape) + (1j * rng.normal(size=y.shape) if y.dtype.kind == "c" else 0)


# ---- plants -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Plant:
    """A fault: how it is called, and how it is planted."""

    name: str
    kinds: frozenset[str]
    make: Callable[[Smooth], Made | None]


def times(factor: float) -> Callable[[Smooth], Made | None]:
    return lambda s: changed(s, ruled(s, everywhere(lambda g, x: g * tf.cast(factor, g.dtype))))


def mean_for_sum(s: Smooth) -> Made | None:
    size = s.xs[0].size
    return (
        changed(s, ruled(s, one(0, lambda g, x: g / tf.cast(size, g.dtype)))) if size > 1 else None
    )


def last_sign(s: Smooth) -> Made | None:
    return changed(s, ruled(s, one(len(s.xs) - 1, lambda g, x: -g))) if len(s.xs) > 1 else None


def interchanged(s: Smooth) -> Made | None:
    shape = s.xs[0].shape
    if len(shape) < 2 or shape[-1] != shape[-2] or shape[-1] < 2:
        return None
    return changed(s, ruled(s, one(0, lambda g, x: tf.linalg.matrix_transpose(g))))


def backwards(s: Smooth) -> Made | None:
    def change(g: Any, x: Any) -> Any:
        return tf.reshape(tf.reverse(tf.reshape(g, [-1]), [0]), g.shape)

    return changed(s, ruled(s, one(0, change))) if s.xs[0].size > 1 else None


def term_too_many(s: Smooth) -> Made | None:
    def change(gs: Any, dys: Any, xs: Any) -> Any:
        extra = tf.cast(0.3 * tf.math.real(tf.reduce_sum(dys[0])), gs[0].dtype) * tf.sin(xs[0])
        return [gs[0] + extra, *gs[1:]]

    return changed(s, ruled(s, change))


def term_missing(s: Smooth) -> Made | None:
    """The product rule without its second term."""

    def product(*xs: Any) -> list[Any]:
        factor = tf.reduce_sum(xs[0] * xs[0] + xs[0])
        return [y * tf.cast(factor, y.dtype) for y in s.f(*xs)]

    def wrong(*xs: Any) -> Any:
        def grad(*dys: Any) -> Any:
            factor = tf.stop_gradient(tf.reduce_sum(xs[0] * xs[0] + xs[0]))
            return pulled(lambda *at: [y * tf.cast(factor, y.dtype) for y in s.f(*at)], xs, dys)

        return tuple(product(*xs)), grad

    whole = Smooth(s.case, s.draw, product, s.xs)
    return None if s.is_complex else changed(whole, tf.custom_gradient(wrong))


def with_offset(sum_back: Callable[[Any], Any]) -> Callable[[Smooth], Made | None]:
    """An offset is added to the result along its last axis, and its gradient is summed by a wrong function."""

    def make(s: Smooth) -> Made | None:
        y = np.asarray(s.ys[0])
        if y.ndim < 2 or y.shape[0] < 2 or y.dtype.kind != "f":
            return None

        def planted(*xs: Any) -> Any:
            first, *others = s.f(*xs[:-1])

            def grad(*dys: Any) -> Any:
                return [*pulled(s.f, xs[:-1], dys), sum_back(dys[0])]

            return (first + xs[-1], *others), grad

        return tf.custom_gradient(planted), [*s.xs, np.linspace(0.5, 1.5, y.shape[-1])]

    return make


def first_slice(dy: Any) -> Any:
    return tf.reshape(dy, [-1, dy.shape[-1]])[0]


def conjugated(s: Smooth) -> Made | None:
    return changed(s, ruled(s, everywhere(lambda g, x: tf.math.conj(g)))) if s.is_complex else None


def conjugated_before(s: Smooth) -> Made | None:
    if not s.is_complex:
        return None
    return changed(s, ruled(s, before=lambda dys: [tf.math.conj(d) for d in dys]))


def curved(s: Smooth) -> bool:
    """Whether there is a second derivative to be wrong."""
    xs = tensors(s.xs)
    ones = [tf.ones_like(x) for x in xs]
    found = reverse_over_reverse(s.f, xs, [tf.ones_like(y) for y in s.ys], ones)
    return max(float(np.max(np.abs(np.asarray(h)))) for h in found) > 1e-3


@tf.custom_gradient
def twice_back(x: Any) -> Any:
    return tf.identity(x), lambda dy: 2.0 * dy


def second(stopped: Callable[[Any], Any]) -> Callable[[Smooth], Made | None]:
    def make(s: Smooth) -> Made | None:
        def planted(*xs: Any) -> Any:
            return tuple(s.f(*xs)), lambda *dys: pulled(s.f, [stopped(x) for x in xs], dys)

        return (tf.custom_gradient(planted), s.xs) if not s.is_complex and curved(s) else None

    return make


def masked(where: Callable[[Any], Any]) -> Callable[[Smooth], Made | None]:
    """The gradient of some elements is wrong."""

    def make(s: Smooth) -> Made | None:
        x = s.xs[0]
        mask = where(x)
        if s.is_complex or x.size < 2 or not mask.any() or mask.all():
            return None

        def change(g: Any, at: Any) -> Any:
            return tf.where(tf.constant(mask), 1.5 * g, g)

        s_x = np.asarray(pulled(s.f, tensors(s.xs), [tf.ones_like(y) for y in s.ys])[0])
        right = np.abs(s_x[~mask])
        return changed(s, ruled(s, one(0, change))) if right.size and right.max() > 1e-3 else None

    return make


def first_element(x: Any) -> Any:
    return np.arange(x.size).reshape(x.shape) == 0


def not_linear(change: Callable[[Any], Any]) -> Callable[[Smooth], Made | None]:
    return lambda s: (
        None if s.is_complex else changed(s, ruled(s, before=lambda dys: [change(d) for d in dys]))
    )


def with_state(s: Smooth) -> Made | None:
    count = itertools.count()
    return changed(
        s, ruled(s, everywhere(lambda g, x: g * tf.cast(1.0 + next(count) % 5, g.dtype)))
    )


def noisy(s: Smooth) -> Made | None:
    rng = np.random.default_rng(3)
    return changed(s, ruled(s, everywhere(lambda g, x: g * tf.cast(rng.normal(), g.dtype))))


def random_result(s: Smooth) -> Made | None:
    rng = np.random.default_rng(3)
    return (lambda *xs: [y + tf.cast(0.1 * rng.normal(), y.dtype) for y in s.f(*xs)]), s.xs


def reshaped(make_shape: Callable[[Any], Any]) -> Callable[[Smooth], Made | None]:
    def make(s: Smooth) -> Made | None:
        shape = make_shape(s.xs[0].shape)
        return (
            None if shape is None else (ruled(s, one(0, lambda g, x: tf.reshape(g, shape))), s.xs)
        )

    return make


def cast_down(s: Smooth) -> Made | None:
    low = tf.complex64 if s.xs[0].dtype.kind == "c" else tf.float32
    return ruled(s, one(0, lambda g, x: tf.cast(g, low))), s.xs


def none_for_last(s: Smooth) -> Made | None:
    gs = pulled(s.f, tensors(s.xs), [tf.ones_like(y) for y in s.ys])
    known = float(np.max(np.abs(np.asarray(gs[-1])))) > 1e-3
    return (ruled(s, one(len(s.xs) - 1, lambda g, x: None)), s.xs) if known else None


def wrong_jvp(s: Smooth) -> Made | None:
    def jvp(primals: Any, tangents: Any) -> Any:
        with tf.autodiff.ForwardAccumulator(list(primals), list(tangents)) as acc:
            ys = s.f(*primals)
        return [2.0 * acc.jvp(y, unconnected_gradients="zero") for y in ys]

    return (
        ruled(s, jvp=jvp)
        and changed(s, ruled(s, everywhere(lambda g, x: 2.0 * g)))
        and (ruled(s, jvp=jvp), s.xs)
    )


def wrong_batch(s: Smooth) -> Made | None:
    def planted(*xs: Any) -> Any:
        return tuple(s.f(*xs)), lambda *dys: pulled(s.f, xs, dys)

    made = tf.custom_gradient(planted)

    @made.defbatch
    def batch(*fulls: Any) -> Any:
        ys = tf.vectorized_map(lambda parts: s.f(*parts), tuple(fulls))

        def grad(*dys: Any) -> Any:
            gs = tf.vectorized_map(
                lambda p: pulled(s.f, list(p[0]), list(p[1])), (tuple(fulls), tuple(dys))
            )
            return [3.0 * g for g in gs]

        return tuple(ys), grad

    return (made, s.xs) if changed(s, ruled(s, everywhere(lambda g, x: 3.0 * g))) else None


def writes(s: Smooth) -> Made | None:
    def planted(*xs: Any) -> Any:
        def grad(*dys: Any) -> Any:
            found = pulled(s.f, xs, dys)
            if type(xs[0]._array) is np.ndarray:
                xs[0]._array[...] *= 1.125
            return found

        return tuple(s.f(*xs)), grad

    return tf.custom_gradient(planted), s.xs


def other_in_function(s: Smooth) -> Made | None:
    def change(g: Any, x: Any) -> Any:
        return 2.0 * g if tf.inside_function() else g

    return (
        (ruled(s, everywhere(change)), s.xs)
        if changed(s, ruled(s, everywhere(lambda g, x: 2.0 * g)))
        else None
    )


def other_result_in_function(s: Smooth) -> Made | None:
    return (lambda *xs: [y * 1.5 if tf.inside_function() else y for y in s.f(*xs)]), s.xs


def nan_somewhere(s: Smooth) -> Made | None:
    def change(g: Any, x: Any) -> Any:
        mask = tf.constant(first_element(s.xs[0]))
        return tf.where(mask, tf.cast(np.nan, g.dtype) * tf.ones_like(g), g)

    return changed(s, ruled(s, one(0, change)))


def _plant(name: str, kinds: str, make: Callable[[Smooth], Made | None]) -> Plant:
    return Plant(name, frozenset(kinds.split()), make)


PLANTS = [
    _plant("doubled", "factor", times(2.0)),
    _plant("a thousandth too large", "factor", times(1.001)),
    _plant("pi times", "factor", times(np.pi)),
    _plant("a mean for a sum", "factor", mean_for_sum),
    _plant("minus", "sign", times(-1.0)),
    _plant("minus for the last input", "sign", last_sign),
    _plant("axes interchanged", "transposed", interchanged),
    _plant("backwards", "transposed", backwards),
    _plant("a term too many", "missing-term", term_too_many),
    _plant("half of the product rule", "missing-term", term_missing),
    _plant("not summed", "missing-sum", with_offset(lambda dy: dy)),
    _plant("one slice for the sum", "missing-sum", with_offset(first_slice)),
    _plant("conjugated", "conjugate", conjugated),
    _plant("cotangent conjugated", "conjugate", conjugated_before),
    _plant("stopped inside the rule", "second-order", second(tf.stop_gradient)),
    _plant("second order doubled", "second-order", second(twice_back)),
    _plant("first element", "elements", masked(first_element)),
    _plant("negative elements", "elements", masked(lambda x: x < 0)),
    _plant("large elements", "elements", masked(lambda x: np.abs(x) > np.median(np.abs(x)))),
    _plant("clipped cotangent", "not-linear", not_linear(lambda d: tf.clip_by_value(d, -1.0, 1.0))),
    _plant("a constant added", "not-linear", not_linear(lambda d: d + 0.25)),
    _plant("a counter in the rule", "state", with_state),
    _plant("noise in the rule", "state", noisy),
    _plant("noise in the result", "state", random_result),
    _plant("flattened", "shape", reshaped(lambda shape: [-1] if len(shape) > 1 else None)),
    _plant("an axis too many", "shape", reshaped(lambda shape: [*shape, 1])),
    _plant("float32 for float64", "dtype", cast_down),
    _plant("None for the last input", "none", none_for_last),
    _plant("forward mode doubled", "forward", wrong_jvp),
    _plant("batches tripled", "batch", wrong_batch),
    _plant("an input changed", "mutates", writes),
    _plant("another gradient in functions", "modes", other_in_function),
    _plant("another result in functions", "modes", other_result_in_function),
    _plant("NaN in one place", "not-finite", nan_somewhere),
]  # fmt: skip


def plantings(plant: Plant, count: int) -> Iterator[tuple[Case, Callable[..., Any], list[Any]]]:
    """A fault planted in some operations, each of another type as long as there are any."""
    return itertools.islice(_all_plantings(plant), count)


def _all_plantings(plant: Plant) -> Iterator[tuple[Case, Callable[..., Any], list[Any]]]:
    for case in candidates():
        made = plant.make(smooth_at(case))
        if made is not None:
            yield case, *made
