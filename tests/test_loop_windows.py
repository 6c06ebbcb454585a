"""x[i : i + 4] in loops: how many elements it has, by what is known of the loop's counter; and how fast that is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import wengert as tf
from wengert.inference.symbolic_integers import known_bounds
from wengert.values.sizes import Bounds

RNG = np.random.default_rng(31)
N = 24
X = tf.constant(RNG.normal(size=(N, 3)))
Loss = Callable[[Any, list[Any]], Any]


def added(total: Any, part: Any) -> Any:
    return total * 0.9 + tf.reduce_sum(tf.sin(part) * part)


def over_a_range(begin: int, end: int, step: int, part: Callable[[Any, Any], Any]) -> Loss:
    def loss(x: Any, shapes: list[Any]) -> Any:
        total = tf.constant(0.0, tf.float64)
        for i in tf.range(begin, end, step):
            taken = part(x, i)
            shapes.append(taken.shape)
            total = added(total, taken)
        return total

    return loss


def by_a_counter(
    begin: Any, go: Callable[[Any, Any], Any], step: int, part: Callable[[Any, Any], Any]
) -> Loss:
    def loss(x: Any, shapes: list[Any]) -> Any:
        zero = tf.constant(0.0, tf.float64)
        body = lambda i, a: (i + step, added(a, part(x, i)))  # noqa: E731
        return tf.while_loop(go, body, (begin, zero))[1]

    return loss


def mapped(x: Any, shapes: list[Any]) -> Any:
    found = tf.map_fn(
        lambda i: added(1.0, x[i : i + 4]), tf.range(N - 3), fn_output_signature=x.dtype
    )
    return tf.reduce_sum(found)


def scanned(x: Any, shapes: list[Any]) -> Any:
    zero = tf.constant(0.0, tf.float64)
    return tf.scan(lambda a, i: added(a, x[i : i + 4]), tf.range(N - 3), zero)[-1]


def in_a_loop_in_a_loop(x: Any, shapes: list[Any]) -> Any:
    total = tf.constant(0.0, tf.float64)
    for i in tf.range(6):
        for j in tf.range(3):
            total = added(total, x[3 * i + j : 3 * i + j + 4])
    return total


def in_branches(x: Any, shapes: list[Any]) -> Any:
    total = tf.constant(0.0, tf.float64)
    for i in tf.range(N - 3):
        if total > 1.0:
            total = added(total, x[i : i + 4])
        else:
            total = added(total, x[i + 1 : i + 4] * 2.0)
    return total


def counters_in_counters(x: Any, shapes: list[Any]) -> Any:
    """Windows of windows, by the counters of two loops, in a branch, too."""

    def inner(i: Any, total: Any) -> Any:
        def body(j: Any, total: Any) -> Any:
            part = x[i : i + 4][:, j : j + 2]
            return j + 1, tf.cond(
                total > 0.5, lambda: added(total, part), lambda: added(total, x[i + j : i + j + 2])
            )

        return tf.while_loop(lambda j, a: j < 2, body, (0, total))[1]

    zero = tf.constant(0.0, tf.float64)
    return tf.while_loop(lambda i, a: i < N - 3, lambda i, a: (i + 1, inner(i, a)), (0, zero))[1]


def at_random(x: Any, shapes: list[Any]) -> Any:
    i = tf.random.stateless_uniform([], [3, 5], 0, N - 3, tf.int32)
    return added(tf.constant(0.0, tf.float64), x[i : i + 4])


def from_known_places(x: Any, shapes: list[Any]) -> Any:
    total = tf.constant(0.0, tf.float64)
    for i in tf.constant([5, 0, 17]):
        total = added(total, x[i : i + 4])
    return total


def of_a_shape(x: Any, shapes: list[Any]) -> Any:
    total = tf.constant(0.0, tf.float64)
    for i in tf.range(tf.shape(x)[0] - 3):
        total = added(total, x[i : i + 4])
    return total


def four(x: Any, i: Any) -> Any:
    return x[i : i + 4]


# Never cut: their sizes are known, and they are compiled.
WHOLE: dict[str, Loss] = {
    "range": over_a_range(0, N - 3, 1, four),
    "range in steps": over_a_range(0, N, 4, four),
    "range downwards": over_a_range(N - 4, -1, -1, four),
    "some further on": over_a_range(0, N - 5, 1, lambda x, i: x[i + 2 : i + 6]),
    "pieces after each other": over_a_range(0, N // 4, 1, lambda x, i: x[i * 4 : (i + 1) * 4]),
    "around a place": over_a_range(2, N - 2, 1, lambda x, i: x[i - 2 : i + 2]),
    "from the end": over_a_range(0, N - 3, 1, lambda x, i: x[-i - 4 : -i - 1]),
    "by a remainder": over_a_range(0, 40, 1, lambda x, i: x[i % 5 : i % 5 + 4]),
    "by a quotient": over_a_range(0, 40, 1, lambda x, i: x[i // 3 : i // 3 + 4]),
    "clipped": over_a_range(
        0, 40, 1, lambda x, i: x[tf.minimum(i, N - 4) : tf.minimum(i, N - 4) + 4]
    ),
    "of the last axis": over_a_range(0, 2, 1, lambda x, i: x[..., i : i + 2]),
    "counter": by_a_counter(0, lambda i, a: i < N - 3, 1, four),
    "counter in steps": by_a_counter(1, lambda i, a: i <= N - 4, 3, four),
    "counter downwards": by_a_counter(N - 4, lambda i, a: i >= 0, -2, four),
    "counter and a value": by_a_counter(
        0, lambda i, a: tf.logical_and(a < 50.0, i < N - 3), 1, four
    ),
    "counter of int64": by_a_counter(
        tf.constant(0, tf.int64), lambda i, a: i < N - 3, 1, four
    ),
    "mapped": mapped,
    "scanned": scanned,
    "in a loop in a loop": in_a_loop_in_a_loop,
    "counters in counters": counters_in_counters,
    "in branches": in_branches,
    "at random": at_random,
    "from known places": from_known_places,
    "of a shape": of_a_shape,
}  # fmt: skip

# Some of their parts have fewer elements, or nobody knows how many.
CUT: dict[str, Loss] = {
    "at the end": over_a_range(0, N, 1, four),
    "one at the end": over_a_range(0, N - 2, 1, four),
    "in steps": over_a_range(0, N + 3, 5, four),
    "from the end to the beginning": over_a_range(0, N, 1, lambda x, i: x[-i - 4 : -i]),
    "before the beginning": over_a_range(-3, 3, 1, four),
    "growing": over_a_range(0, N, 1, lambda x, i: x[:i]),
    "counter": by_a_counter(0, lambda i, a: i < N, 1, four),
    "counter that nothing bounds": by_a_counter(0, lambda i, a: a < 9.0, 1, four),
}


def gradient_of(loss: Loss) -> Callable[[Any], Any]:
    def gradient(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = loss(x, [])
        return y, tape.gradient(y, x, unconnected_gradients="zero")

    return gradient


def second_of(loss: Loss) -> Callable[[Any], Any]:
    def second(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            _, g = gradient_of(loss)(x)
            y = tf.reduce_sum(tf.cos(g) * g)
        return tape.gradient(y, x)

    return second


def converted(loss: Loss) -> Loss:
    return tf.autograph.to_graph(loss)


@pytest.mark.parametrize("signature", [None, [tf.TensorSpec([None, 3], tf.float64)]])
@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("name", [*WHOLE, *[f"cut {name}" for name in CUT]])
def test_values_and_gradients(name: str, compiled: bool, signature: Any) -> None:
    loss = CUT[name[4:]] if name.startswith("cut ") else WHOLE[name]
    inside = converted(loss)
    for of in (gradient_of, second_of):
        wanted = tf.nest.flatten(of(loss)(X))
        f = tf.function(of(inside), input_signature=signature, jit_compile=compiled)
        for a, b in zip(tf.nest.flatten(f(X)), wanted, strict=True):
            np.testing.assert_allclose(a, b, 1e-10, 1e-11)


@pytest.mark.parametrize("signature", [None, [tf.TensorSpec([None, 3], tf.float64)]])
@pytest.mark.parametrize("name", WHOLE)
def test_all_of_it_is_compiled(name: str, signature: Any) -> None:
    gradient = gradient_of(converted(WHOLE[name]))
    f: Any = tf.function(gradient, input_signature=signature, jit_compile=True)
    f(X)
    assert "NumPy" not in {step["kind"] for step in f.plan(X).steps}


@pytest.mark.parametrize("name", [n for n in WHOLE if n.startswith(("range", "some", "pieces"))])
def test_static_shapes(name: str) -> None:
    shapes: list[Any] = []
    inside = converted(WHOLE[name])
    tf.function(lambda x: inside(x, shapes)).get_concrete_function(X)
    assert shapes == [[4, 3]]


@pytest.mark.parametrize("name", [n for n in CUT if not n.startswith("counter")])
def test_static_shapes_of_what_may_be_cut(name: str) -> None:
    shapes: list[Any] = []
    inside = converted(CUT[name])
    tf.function(lambda x: inside(x, shapes)).get_concrete_function(X)
    assert [shape.as_list() for shape in shapes] == [[None, 3]]


# ---- tf.roll by a number that is not known --------------------------------------------------------

ROLLED: dict[str, Callable[[Any, Any], Any]] = {
    "the first axis": lambda x, i: tf.roll(x, i, 0),
    "further than the axis is long": lambda x, i: tf.roll(x, 17 * i - 50, 1),
    "the last axis": lambda x, i: tf.roll(x, -i, -1),
    "by the names of arguments": lambda x, i: tf.roll(x, axis=1, shift=i),
    "in a list": lambda x, i: tf.roll(x, [i], [1]),
    "several axes": lambda x, i: tf.roll(x, [i, 1, 2 * i], [1, 0, 0]),
    "int64": lambda x, i: tf.roll(x, tf.cast(i, tf.int64) * 10**12, 0),
}


@pytest.mark.parametrize("signature", [None, [tf.TensorSpec([None, 3], tf.float64)]])
@pytest.mark.parametrize("name", ROLLED)
def test_rolls(name: str, signature: Any) -> None:
    rolled = ROLLED[name]

    def loss(x: Any, shapes: list[Any]) -> Any:
        zero = tf.constant(0.0, tf.float64)
        body = lambda i, a: (i + 1, added(a, rolled(x, i) * x))  # noqa: E731
        return tf.while_loop(lambda i, a: i < 5, body, (-3, zero))[1]

    for of in (gradient_of, second_of):
        f: Any = tf.function(of(loss), input_signature=signature, jit_compile=True)
        for a, b in zip(tf.nest.flatten(f(X)), tf.nest.flatten(of(loss)(X)), strict=True):
            np.testing.assert_allclose(a, b, 1e-10, 1e-11)
    f = tf.function(gradient_of(loss), input_signature=signature, jit_compile=True)
    assert "NumPy" not in {step["kind"] for step in f.plan(X).steps}


# ---- programs that are drawn ----------------------------------------------------------------------


class Drawn:
    """A loop over some places, which takes parts by bounds that follow from its counter."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self._begin, self._step = int(rng.integers(-4, 12)), int(rng.choice([-3, -1, 1, 2, 4]))
        self._end = self._begin + self._step * int(rng.integers(1, 9)) + int(rng.integers(0, 2))
        self._factor, self._apart = int(rng.integers(-1, 4)), int(rng.integers(-5, 6))
        self._size, self._axis = int(rng.integers(1, 6)), int(rng.integers(0, 2))
        self._over_range, self._inner = bool(rng.integers(2)), int(rng.integers(0, 4))
        self._rows = int(rng.integers(5, 30))
        self.x = tf.constant(rng.normal(size=(self._rows, 7)))

    def _place(self, i: Any, j: Any) -> Any:
        return i * self._factor + self._apart + j

    def _part(self, x: Any, i: Any, j: Any) -> Any:
        at = self._place(i, j)
        return x[at : at + self._size] if self._axis == 0 else x[:, at : at + self._size]

    def __call__(self, x: Any, shapes: list[Any]) -> Any:
        def go(i: Any, a: Any) -> Any:
            return i < self._end if self._step > 0 else i > self._end

        def run(i: Any, a: Any) -> Any:
            if not self._inner:
                return added(a, self._part(x, i, 0))
            inside = lambda j, b: (j + 1, added(b, self._part(x, i, j)))  # noqa: E731
            return tf.while_loop(lambda j, b: j < self._inner, inside, (0, a))[1]

        zero = tf.constant(0.0, tf.float64)
        if not self._over_range:
            step = lambda i, a: (i + self._step, run(i, a))  # noqa: E731
            return tf.while_loop(go, step, (self._begin, zero))[1]
        places = tf.range(self._begin, self._end, self._step)
        return tf.foldl(lambda a, i: run(i, a), places, zero)


@pytest.mark.parametrize("seed", range(120))
def test_drawn_loops(seed: int) -> None:
    """In all modes they are what Python computes, whatever is cut."""
    drawn = Drawn(seed)
    wanted = gradient_of(drawn)(drawn.x)
    for compiled in (False, True):
        found = tf.function(gradient_of(drawn), jit_compile=compiled)(drawn.x)
        for a, b in zip(found, wanted, strict=True):
            np.testing.assert_allclose(a, b, 1e-10, 1e-11)


# ---- bounds -------------------------------------------------------------------------------------


def bounds_in(f: Callable[..., Any], *xs: Any) -> list[Any]:
    """Those of the integers of which a function keeps a list."""
    found: list[Any] = []
    tf.function(lambda *xs: f(found, *xs)).get_concrete_function(*xs)
    return [None if b is None else (b.least, b.most) for b in found]


@pytest.mark.parametrize(
    ("of", "bounds"),
    [
        (lambda i: i, (1, 7)),
        (lambda i: 2 * i - 3, (-1, 11)),
        (lambda i: -i, (-7, -1)),
        (lambda i: i % 3, (0, 2)),
        (lambda i: i // 2, (0, 3)),
        (lambda i: tf.minimum(i, 4), (1, 4)),
        (lambda i: tf.maximum(i, 4), (4, 7)),
        (lambda i: tf.cast(i, tf.int64), (1, 7)),
        (lambda i: tf.gather([10, 30, 20], i), (10, 30)),
        (lambda i: tf.identity(i) + tf.constant(1), (2, 8)),
        (lambda i: tf.random.uniform([], 0, i, tf.int32), (0, 6)),
        (lambda i: tf.constant(300, tf.uint16) + tf.cast(i, tf.uint16), (301, 307)),
        (lambda i: tf.cast(i, tf.uint8) * tf.constant(100, tf.uint8), None),  # may wrap
    ],
)
def test_between_what_an_integer_lies(of: Callable[[Any], Any], bounds: Any) -> None:
    def f(found: list[Any]) -> Any:
        def body(i: Any) -> Any:
            found.append(known_bounds(of(tf.gather(tf.range(1, 8), i))))
            return i + 1

        return tf.while_loop(lambda i: i < 4, body, (0,))

    assert bounds_in(f) == [bounds]


def test_what_tells_nothing() -> None:
    """An argument, a size that is none, what another loop may change."""

    def f(found: list[Any], n: Any, v: Any) -> Any:
        found += [known_bounds(n), known_bounds(v), known_bounds(tf.gather(v, 0))]
        return n

    arguments = tf.TensorSpec([], tf.int32), tf.TensorSpec([3], tf.int32)
    assert bounds_in(f, *arguments) == [None, None, None]
    assert Bounds(1, 2) == Bounds(1, 2) != Bounds(1, 3)
    assert len({Bounds(None, 2), Bounds(None, 2)}) == 1


def test_counters_that_wrap_around() -> None:
    """Of those nothing is said, although another counter tells how often the loop runs."""
    for begin, step, size in ((2**31 - 3, 1, None), (-(2**31) + 2, -1, 4), (254, 1, None)):
        dtype = tf.uint8 if begin == 254 else tf.int32

        def loss(x: Any, shapes: list[Any]) -> Any:
            def body(c: Any, i: Any, a: Any) -> Any:
                part = x[i:] if size is None else x[i:size]
                return c + 1, i + tf.constant(step, dtype), a + tf.reduce_sum(part)

            first = 0, tf.constant(begin, dtype), tf.constant(0.0, tf.float64)
            return tf.while_loop(lambda c, i, a: c < 6, body, first)[2]

        with np.errstate(over="ignore"):
            want = gradient_of(loss)(X[:, 0])
            for compiled in (None, False, True):
                found = tf.function(gradient_of(loss), jit_compile=compiled)(X[:, 0])
                for a, b in zip(found, want, strict=True):
                    np.testing.assert_allclose(a, b, 1e-12, 1e-12)


@pytest.mark.parametrize("compiled", [None, False, True])
def test_places_that_are_one_number(compiled: Any) -> None:
    """A counter that takes one value is that value."""

    def loss(x: Any, shapes: list[Any]) -> Any:
        total = tf.constant(0.0, tf.float64)
        for i in tf.range(-1, 0, 3):
            j = i * 1
            total = added(total, x[j : j + 4])
            shapes.append(x[j : j + 4].shape)
        return total

    shapes: list[Any] = []
    inside = converted(loss)
    f = tf.function(lambda x: gradient_of(lambda x, _: inside(x, shapes))(x), jit_compile=compiled)
    for a, b in zip(f(X[:3]), gradient_of(loss)(X[:3]), strict=True):
        np.testing.assert_allclose(a, b, 1e-12)
    assert shapes == [[1, 3]]
