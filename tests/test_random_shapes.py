"""Random shapes, axes and equations: the value is NumPy's, and reverse is adjoint to forward."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, mutually_broadcastable_shapes
from numeric import (
    arrays,
    assert_near,
    assert_same,
    inner,
    length,
    like,
    outcomes,
    pullback,
    pushforward,
    tensors,
)
from numpy_reference import np_gather, np_matmul

import wengert as tf

SEEDS = st.integers(0, 2**32 - 1)
SHAPES = array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=3)
EMPTY_TOO = array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3)
several = settings(max_examples=60, deadline=None)


def normal(seed: int, *shapes: tuple[int, ...]) -> list[Any]:
    rng = np.random.default_rng(seed)
    return [np.asarray(rng.normal(size=s)) for s in shapes]


def check(
    call: Callable[..., Any], reference: Callable[..., Any], xs: list[Any], seed: int
) -> None:
    """The two laws, for a function that is smooth at xs."""
    at = tensors(xs)
    ys = arrays(outcomes(call, at))
    want = reference(*xs)
    assert_same(ys, want if isinstance(want, list) else [np.asarray(want)], 1e-12)
    rng = np.random.default_rng(seed + 1)
    ws, vs = like(rng, ys), like(rng, xs)
    pushed = arrays(pushforward(call, at, tensors(vs)))
    pulled = arrays(pullback(call, at, tensors(ws)))
    assert [p.shape for p in pulled] == [x.shape for x in xs]
    size = length(ws) * length(pushed) + length(pulled) * length(vs)
    assert_near(inner(ws, pushed), inner(pulled, vs), size, 1e-11)


@st.composite
def shape_and_axes(draw: st.DrawFn) -> tuple[tuple[int, ...], tuple[int, ...] | None]:
    shape = draw(EMPTY_TOO)
    if draw(st.booleans()):
        return shape, None
    axes = draw(st.lists(st.integers(0, max(len(shape) - 1, 0)), unique=True, max_size=len(shape)))
    return shape, tuple(a - len(shape) if draw(st.booleans()) else a for a in axes)


BINARY = [
    (tf.add, np.add),
    (tf.subtract, np.subtract),
    (tf.multiply, np.multiply),
    (tf.divide, np.divide),
    (tf.maximum, np.maximum),
    (tf.minimum, np.minimum),
    (tf.atan2, np.arctan2),
    (tf.math.squared_difference, lambda x, y: (x - y) ** 2),
]


@several
@given(
    st.sampled_from(BINARY),
    mutually_broadcastable_shapes(num_shapes=2, min_side=0, max_dims=4, max_side=3),
    SEEDS,
)
def test_broadcasting(pair: Any, shapes: Any, seed: int) -> None:
    """Two inputs of any shapes that broadcast."""
    check(*pair, normal(seed, *shapes.input_shapes), seed)  # type: ignore[call-arg]


@several
@given(mutually_broadcastable_shapes(num_shapes=3, min_side=0, max_dims=3, max_side=3), SEEDS)
def test_where(shapes: Any, seed: int) -> None:
    """A condition and two values of any shapes that broadcast."""
    first, *rest = shapes.input_shapes
    condition = np.random.default_rng(seed).random(first) < 0.5
    check(
        lambda x, y: tf.where(condition, x, y),
        lambda x, y: np.where(condition, x, y),
        normal(seed, *rest),
        seed,
    )


REDUCTIONS = [
    (tf.reduce_sum, np.sum),
    (tf.reduce_prod, np.prod),
    (tf.math.reduce_variance, np.var),
    (tf.reduce_mean, np.mean),
    (tf.reduce_max, np.max),
    (tf.reduce_logsumexp, lambda x, axis, keepdims: np.log(np.exp(x).sum(axis, keepdims=keepdims))),
    (
        tf.math.reduce_euclidean_norm,
        lambda x, axis, keepdims: np.sqrt((x * x).sum(axis, keepdims=keepdims)),
    ),
]


@several
@given(st.sampled_from(REDUCTIONS), shape_and_axes(), st.booleans(), SEEDS)
def test_reductions(pair: Any, drawn: Any, keepdims: bool, seed: int) -> None:
    """Any axes, counted from either end, kept or not."""
    shape, axes = drawn
    reduced = range(len(shape)) if axes is None else axes
    # The others of nothing are not numbers: see test_rules_at_edges.
    assume(all(shape[a] for a in reduced) or pair[0] in (tf.reduce_sum, tf.reduce_prod))
    call, reference = pair
    check(
        lambda x: call(x, axes, keepdims),
        lambda x: reference(x, axis=axes, keepdims=keepdims),
        normal(seed, shape),
        seed,
    )


@several
@given(
    st.sampled_from([(tf.cumsum, np.cumsum), (tf.math.cumprod, np.cumprod)]),
    SHAPES,
    st.data(),
    SEEDS,
)
def test_scans(pair: Any, shape: Any, data: Any, seed: int) -> None:
    """A running sum or product along any axis, in either direction, with or without the element."""
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    exclusive, reverse = data.draw(st.tuples(st.booleans(), st.booleans()))
    call, accumulate = pair

    def reference(x: Any) -> Any:
        x = np.flip(x, axis) if reverse else x
        if exclusive:
            neutral = np.full_like(np.take(x, [0], axis), accumulate is np.cumprod)
            x = np.concatenate([neutral, np.delete(x, -1, axis)], axis)
        y = accumulate(x, axis=axis)
        return np.flip(y, axis) if reverse else y

    check(lambda x: call(x, axis, exclusive, reverse), reference, normal(seed, shape), seed)


@several
@given(
    mutually_broadcastable_shapes(num_shapes=2, min_side=1, max_dims=2, max_side=3),
    st.tuples(*[st.integers(0, 3)] * 3),
    st.tuples(st.booleans(), st.booleans()),
    SEEDS,
)
def test_matmul(batch: Any, sizes: Any, flags: Any, seed: int) -> None:
    """Batch axes that broadcast, either side transposed, sizes down to zero."""
    (n, k, m), (ta, tb) = sizes, flags
    a, b = batch.input_shapes
    shapes = [(*a, k, n) if ta else (*a, n, k), (*b, m, k) if tb else (*b, k, m)]
    check(
        lambda x, y: tf.matmul(x, y, transpose_a=ta, transpose_b=tb),
        lambda x, y: np_matmul(x, y, transpose_a=ta, transpose_b=tb),
        normal(seed, *shapes),
        seed,
    )


@st.composite
def equations(draw: st.DrawFn) -> tuple[str, list[tuple[int, ...]]]:
    """An einsum equation and shapes that fit it: repeated labels, dots, sizes of one, all of it."""
    sizes = {c: draw(st.integers(1, 3)) for c in "abc"}
    dots = draw(st.lists(st.integers(1, 3), max_size=2))
    terms, shapes = [], []
    for _ in range(draw(st.integers(1, 3))):
        term = draw(st.text("abc", max_size=3))
        shape = [sizes[c] for c in term]
        if draw(st.booleans()):
            shown = draw(st.integers(0, len(dots)))
            at = draw(st.integers(0, len(term)))
            stretched = [1 if draw(st.booleans()) else size for size in dots[len(dots) - shown :]]
            shape[at:at] = stretched
            term = f"{term[:at]}...{term[at:]}"
        terms.append(term)
        shapes.append(tuple(shape))
    present = sorted(set("".join(terms)) - {"."})
    out = "".join(draw(st.permutations(present))[: draw(st.integers(0, len(present)))])
    if any("..." in t for t in terms):
        out = "..." + out
    return f"{','.join(terms)}->{out}", shapes


@settings(max_examples=200, deadline=None)
@given(equations(), SEEDS)
def test_einsum(drawn: Any, seed: int) -> None:
    """Random equations."""
    equation, shapes = drawn
    check(
        lambda *xs: tf.einsum(equation, *xs),
        lambda *xs: np.einsum(equation, *xs),
        normal(seed, *shapes),
        seed,
    )


@several
@given(SHAPES, st.integers(1, 3), st.data(), SEEDS)
def test_concat(shape: Any, count: int, data: Any, seed: int) -> None:
    """Parts of different sizes along any axis."""
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    shapes = []
    for _ in range(count):
        part = list(shape)
        part[axis] = data.draw(st.integers(0, 3))
        shapes.append(tuple(part))
    check(
        lambda *xs: tf.concat(xs, axis),
        lambda *xs: np.concatenate(xs, axis),
        normal(seed, *shapes),
        seed,
    )


@several
@given(EMPTY_TOO, st.integers(1, 3), st.data(), SEEDS)
def test_stack_and_unstack(shape: Any, count: int, data: Any, seed: int) -> None:
    """Side by side along any new axis; taken apart again it is the same."""
    axis = data.draw(st.integers(-len(shape) - 1, len(shape)))
    xs = normal(seed, *[shape] * count)
    check(lambda *xs: tf.stack(xs, axis), lambda *xs: np.stack(xs, axis), xs, seed)
    check(lambda *xs: tf.unstack(tf.stack(xs, axis), axis=axis), lambda *xs: list(xs), xs, seed)


@several
@given(SHAPES, st.data(), SEEDS)
def test_split(shape: Any, data: Any, seed: int) -> None:
    """Parts of any sizes, some of them empty."""
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    inner_cuts = data.draw(st.lists(st.integers(0, shape[axis]), max_size=3))
    cuts = [0, *sorted(inner_cuts), shape[axis]]
    sizes = [int(s) for s in np.diff(cuts)]
    check(
        lambda x: tf.split(x, sizes, axis),
        lambda x: np.split(x, cuts[1:-1], axis),
        normal(seed, shape),
        seed,
    )


@several
@given(SHAPES, st.data(), SEEDS)
def test_pad(shape: Any, data: Any, seed: int) -> None:
    """Constant, reflected and symmetric padding of any widths."""
    mode = data.draw(st.sampled_from(["CONSTANT", "REFLECT", "SYMMETRIC"]))
    widths = []
    for size in shape:
        reach = {"CONSTANT": 2, "REFLECT": size - 1, "SYMMETRIC": size}[mode]
        widths.append(data.draw(st.tuples(st.integers(0, reach), st.integers(0, reach))))
    check(
        lambda x: tf.pad(x, widths, mode),
        lambda x: np.pad(x, widths, mode=mode.lower()),
        normal(seed, shape),
        seed,
    )


@several
@given(EMPTY_TOO, st.data(), SEEDS)
def test_tile(shape: Any, data: Any, seed: int) -> None:
    """Any number of copies along each axis, none included."""
    times = data.draw(st.tuples(*[st.integers(0, 3)] * len(shape)))
    check(lambda x: tf.tile(x, times), lambda x: np.tile(x, times), normal(seed, shape), seed)


@several
@given(EMPTY_TOO, st.data(), SEEDS)
def test_transpose_and_reverse(shape: Any, data: Any, seed: int) -> None:
    """Any order of axes, any of them turned round."""
    perm = data.draw(st.permutations(range(len(shape))))
    axes = data.draw(
        st.lists(st.integers(0, len(shape) - 1), unique=True) if shape else st.just([])
    )
    check(
        lambda x: tf.reverse(tf.transpose(x, perm), axes),
        lambda x: np.flip(np.transpose(x, perm), tuple(axes)),
        normal(seed, shape),
        seed,
    )


@st.composite
def keys(draw: st.DrawFn) -> tuple[tuple[int, ...], Any]:
    """A shape and an index of it: integers, slices with any step, new axes, one ellipsis."""
    shape = draw(SHAPES)
    parts: list[Any] = []
    for size in shape[: draw(st.integers(0, len(shape)))]:
        bound = st.none() | st.integers(-size - 1, size + 1)
        step = st.sampled_from([None, 1, 2, -1, -2])
        parts.append(
            draw(
                st.integers(-size, size - 1)
                | st.builds(lambda a, b, s: slice(a, b, s), bound, bound, step)
            )
        )
    if draw(st.booleans()):
        parts.append(Ellipsis)
    if draw(st.booleans()):
        parts.insert(draw(st.integers(0, len(parts))), None)
    return shape, tuple(parts)


@settings(max_examples=100, deadline=None)
@given(keys(), SEEDS)
def test_slices(drawn: Any, seed: int) -> None:
    """Everything square brackets take."""
    shape, key = drawn
    check(lambda x: x[key], lambda x: x[key], normal(seed, shape), seed)


@several
@given(SHAPES, st.data(), SEEDS)
def test_gather(shape: Any, data: Any, seed: int) -> None:
    """Any axis and batch axes, indices of any shape, repeated or not."""
    axis = data.draw(st.integers(0, len(shape) - 1))
    batch_dims = data.draw(st.integers(0, axis))
    behind = data.draw(array_shapes(min_dims=0, max_dims=2, min_side=0, max_side=3))
    rng = np.random.default_rng(seed)
    indices = rng.integers(0, shape[axis], (*shape[:batch_dims], *behind))
    check(
        lambda x: tf.gather(x, indices, axis=axis, batch_dims=batch_dims),
        lambda x: np_gather(x, indices, axis, batch_dims),
        normal(seed, shape),
        seed,
    )


@several
@given(SHAPES, st.data(), SEEDS)
def test_scatter_is_adjoint_to_gather(shape: Any, data: Any, seed: int) -> None:
    """<gather_nd(x), u> = <x, scatter_nd(u)> for any coordinates, repeated or not."""
    depth = data.draw(st.integers(1, len(shape)))
    count = data.draw(st.integers(0, 4))
    rng = np.random.default_rng(seed)
    places = np.stack([rng.integers(0, n, count) for n in shape[:depth]], -1)
    (x,) = normal(seed, shape)
    (u,) = normal(seed + 1, (count, *shape[depth:]))
    gathered = np.asarray(tf.gather_nd(x, places))
    scattered = np.asarray(tf.scatter_nd(places, u, shape))
    assert_near(inner([gathered], [u]), inner([x], [scattered]), length([x]) * length([u]), 1e-13)
