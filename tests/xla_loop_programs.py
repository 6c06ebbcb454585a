"""Loops that end when they run, in loops, branches and functions, drawn at random: derivatives with XLA beside NumPy's.

A program of its own, as xla_programs.py is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

import numpy as np
from mesh_programs import program, refused, run_programs

import wengert as tf
from wengert.engines.xla.tracing import Trace

PROGRAMS: Final[dict[str, Callable[[], None]]] = {}
CLOSE: Final = {"rtol": 1e-9, "atol": 1e-9}
# Seeds that found mistakes.
FOUND: Final = {"forward over reverse": [16], "reverse over forward": [47]}

Step = Callable[[Any], Any]


# ---- programs that are drawn ----------------------------------------------------------------------


class Drawn:
    """A function of a vector of float64, drawn from a seed; its loops end after some iterations."""

    def __init__(self, seed: int) -> None:
        self._rng = np.random.default_rng(seed)
        self.variable = tf.Variable(self._rng.normal(size=3))
        self.steps = [self._step(3) for _ in range(2)]

    def __call__(self, x: Any) -> Any:
        for step in self.steps:
            x = step(x)
        return x

    def _step(self, depth: int) -> Step:
        inner = [
            self._until,
            self._branches,
            self._bounded,
            self._broken,
            self._written,
            self._called,
        ]
        simple = [self._smooth, self._scaled, self._changed]
        ways = inner + simple if depth else simple
        return ways[self._rng.integers(len(ways))](depth - 1)

    def _several(self, depth: int) -> Step:
        steps = [self._step(depth) for _ in range(self._rng.integers(1, 3))]

        def run(x: Any) -> Any:
            for step in steps:
                x = step(x)
            return x

        return run

    def _count(self) -> Step:
        """A number of iterations that depends on what is given: from none to five."""
        scale = self._rng.uniform(1.0, 30.0)
        return lambda x: tf.cast(tf.abs(tf.reduce_sum(tf.sin(x * scale))) * 2.0, tf.int32)

    # ---- without anything inside ------------------------------------------------------------------

    def _smooth(self, depth: int) -> Step:
        a, b = self._rng.normal(size=(2, 3))
        return lambda x: tf.tanh(x * a + tf.roll(x, 1, 0) * b) * 1.3

    def _scaled(self, depth: int) -> Step:
        return lambda x: x * self.variable + tf.sin(x)

    def _changed(self, depth: int) -> Step:
        def run(x: Any) -> Any:
            self.variable.assign(tf.cos(self.variable))
            return x * tf.cos(self.variable)

        return run

    # ---- with something inside --------------------------------------------------------------------

    def _until(self, depth: int) -> Step:
        step, count = self._several(depth), self._count()

        def run(x: Any) -> Any:
            n = count(x)
            return tf.while_loop(lambda i, _: i < n, lambda i, x: (i + 1, step(x)), (0, x))[1]

        return run

    def _bounded(self, depth: int) -> Step:
        step, bound = self._several(depth), int(self._rng.integers(1, 4))

        def run(x: Any) -> Any:
            goes_on = lambda x: tf.reduce_sum(x * x) < 2.0  # noqa: E731
            return tf.while_loop(goes_on, lambda x: (step(x),), [x], maximum_iterations=bound)[0]

        return run

    def _branches(self, depth: int) -> Step:
        first, second = self._several(depth), self._several(depth)
        limit = self._rng.normal() * 0.5

        def run(x: Any) -> Any:
            return tf.cond(tf.reduce_sum(x) > limit, lambda: first(x), lambda: second(x))

        return run

    def _broken(self, depth: int) -> Step:
        step, count = self._several(depth), self._count()

        def run(x: Any) -> Any:
            for i in tf.range(count(x)):
                x = step(x) * tf.cast(i + 1, tf.float64) * 0.5
                if tf.reduce_sum(x) > 1.0:
                    break
            return x

        return tf.autograph.to_graph(run)

    def _written(self, depth: int) -> Step:
        """Each iteration's value is written into a list of a length that the loop need not reach."""
        step, count = self._several(depth), self._count()

        def run(x: Any) -> Any:
            n = count(x)

            def body(i: Any, x: Any, rows: Any) -> Any:
                return i + 1, step(x), rows.write(i, x * x)

            rows = tf.TensorArray(tf.float64, 6, element_shape=[3])
            found = tf.while_loop(lambda i, *_: i < n, body, (0, x, rows))
            return found[1] + tf.reduce_sum(tf.sin(found[2].stack()), 0)

        return run

    def _called(self, depth: int) -> Step:
        return tf.function(self._several(depth))


def gradient_of(f: Step) -> Step:
    def gradient(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.sin(f(x)))
        return tape.gradient(y, x, unconnected_gradients="zero")

    return gradient


def along(f: Step) -> Step:
    def product(x: Any) -> Any:
        with tf.autodiff.ForwardAccumulator(x, tf.cos(x)) as accumulator:
            y = f(x)
        return accumulator.jvp(y, unconnected_gradients="zero")

    return product


WAYS: Final[dict[str, Callable[[Step, str], Step]]] = {
    "first order, inside": lambda f, engine: tf.function(gradient_of(f), engine=engine),
    "first order, outside": lambda f, engine: gradient_of(tf.function(f, engine=engine)),
    "second order, inside": lambda f, engine: tf.function(
        gradient_of(gradient_of(f)), engine=engine
    ),
    "second order, outside": lambda f, engine: gradient_of(
        gradient_of(tf.function(f, engine=engine))
    ),
    "forward over reverse": lambda f, engine: tf.function(along(gradient_of(f)), engine=engine),
    "reverse over forward": lambda f, engine: tf.function(gradient_of(along(f)), engine=engine),
}


def derivatives(seed: int, way: str, engine: str) -> list[Any]:
    """A derivative at several points, and what became of the variable."""
    drawn = Drawn(seed)
    f = WAYS[way](drawn, engine)
    points = np.random.default_rng(seed).normal(size=(3, 3))
    return [*[np.asarray(f(tf.constant(x))) for x in points], drawn.variable.numpy()]


def same(seed: int, way: str) -> None:
    found = [derivatives(seed, way, engine) for engine in ("xla", "numpy")]
    for got, want in zip(*found, strict=True):
        np.testing.assert_allclose(got, want, err_msg=f"seed {seed}, {way}", **CLOSE)


def draw(way: str, seeds: Sequence[int]) -> None:
    for seed in seeds:
        same(seed, way)


for number, name in enumerate(WAYS):
    PROGRAMS[f"drawn, {name}"] = partial(
        draw, name, [number, number + len(WAYS), *FOUND.get(name, [])]
    )


# ---- room for iterations ----------------------------------------------------------------------------


def growing(x: Any) -> Any:
    """A loop of some 700 iterations at 0.01, and none at 10."""
    step = lambda v: (v * 1.01 + 1e-4 * tf.sin(v),)  # noqa: E731
    return tf.while_loop(lambda v: v < 9.0, step, [x])[0]


class Traces:
    """How often plans are traced for XLA."""

    def __init__(self) -> None:
        self.count = 0
        self._run = Trace.run

    def __enter__(self) -> Traces:
        def run(trace: Trace, plan: Any, values: Any) -> Any:
            self.count += not trace._plans
            return self._run(trace, plan, values)

        Trace.run = run  # type: ignore[method-assign, assignment]
        return self

    def __exit__(self, *_: object) -> None:
        Trace.run = self._run  # type: ignore[method-assign]


@program(PROGRAMS)
def there_is_room_for_more_iterations_later() -> None:
    """A call that lacks room is made again, once for each loop of its plan; those after it find room."""
    for outside in (False, True):
        slopes = []
        for engine in ("numpy", "xla"):
            f = tf.function(growing, engine=engine)
            slope = gradient_of(f) if outside else tf.function(gradient_of(growing), engine=engine)
            with Traces() as traces:
                few = traces.count, slope(tf.constant(8.0))
                many = traces.count, slope(tf.constant(0.01))
                after = traces.count
                slopes.append(
                    [few[1], many[1], *[slope(tf.constant(x)) for x in (0.02, 0.5, 10.0)]]
                )
                if engine == "xla":
                    assert after > many[0] > few[0] == 0
                    assert traces.count == after
        np.testing.assert_allclose(*slopes, rtol=2e-4)  # float32, after 700 products


@program(PROGRAMS)
def memory_is_that_of_the_iterations_there_are() -> None:
    """And not of those that there may be: these would be 800 GB."""

    def f(x: Any) -> Any:
        return tf.while_loop(
            lambda v: tf.reduce_sum(v) < 1e4, lambda v: (v * v,), [x], maximum_iterations=10**8
        )[0]

    x = np.full(1000, 1.5)
    slopes = [tf.function(gradient_of(f), engine=e)(tf.constant(x)) for e in ("xla", "numpy")]
    np.testing.assert_allclose(*slopes, **CLOSE)


@program(PROGRAMS)
def what_a_call_changes_is_changed_once() -> None:
    """Variables, draws and Python, also of calls that are made again for more room."""

    def outcome(engine: str) -> tuple[list[Any], list[float]]:
        tf.random.set_seed(1)
        said: list[float] = []
        limit, count = tf.Variable(1.0), tf.Variable(0)

        def say(x: Any) -> Any:
            said.append(float(x))
            return np.float32(0.5)

        def body(x: Any) -> Any:
            limit.assign_add(0.1)
            count.assign_add(1)
            half = tf.numpy_function(say, [x], tf.float32)
            half.set_shape([])
            return (x * (0.6 + half) + 0.001 * tf.random.uniform([]),)

        @tf.function(engine=engine)
        def step(x: Any) -> Any:
            with tf.GradientTape() as tape:
                tape.watch(x)
                (y,) = tf.while_loop(lambda x: x < limit, body, [x])
            return y, tape.gradient(y, x)

        found = [step(tf.constant(x)) for x in (0.9, 0.01, 0.1, 0.001)]
        return [*tf.nest.flatten(found), limit.numpy(), count.numpy()], said

    (got, heard), (want, said) = outcome("xla"), outcome("numpy")
    assert len(said) > 2 * 32  # there was no room for as many at first
    np.testing.assert_allclose(heard, said, rtol=1e-4)
    for a, b in zip(got, want, strict=True):
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-4)


@program(PROGRAMS)
def a_loop_ends_where_a_check_fails() -> None:
    """Its values mean nothing from there on, and the condition may hold for ever."""

    def count(i: Any) -> Any:
        def body(i: Any) -> Any:
            tf.debugging.assert_less(i, 10)
            return (i + tf.cast(tf.random.uniform([]) < 2.0, tf.int32),)

        return tf.while_loop(lambda i: i >= 0, body, [i])[0]

    refused(
        tf.errors.InvalidArgumentError,
        "assertion failed",
        lambda: tf.function(count, engine="xla")(tf.constant(0)),
    )


@program(PROGRAMS)
def ranges_of_unknown_length() -> None:
    """A loop over one counts; the range need not be made."""

    def f(x: Any, n: Any) -> Any:
        for i in tf.range(n):
            x = x * 0.9 + tf.cast(i, tf.float64)
        for i in tf.range(1, limit=2 * n, delta=3, dtype=tf.int64):
            x = tf.sin(x) * tf.cast(i, tf.float64)
        for i in tf.range(n, -2, -2):
            for j in range(i):
                x += tf.cast(j, tf.float64) * tf.cos(x)
        return x

    def value_and_slope(engine: str, n: int) -> list[Any]:
        g = tf.function(f, engine=engine)
        x = tf.constant(0.3, tf.float64)
        return [np.asarray(h(x)) for h in (with_count(g, n), gradient_of(with_count(g, n)))]

    for n in (1, 4, 5):
        want = float(f(tf.constant(0.3, tf.float64), tf.constant(n)))
        for engine in ("xla", "numpy", "native"):
            got = value_and_slope(engine, n)
            np.testing.assert_allclose(got, [want, value_and_slope("numpy", n)[1]], **CLOSE)


@program(PROGRAMS)
def windows_at_places_that_are_not_known() -> None:
    """x[i : i + 4] where it cannot be cut at the end, and tf.slice."""
    x = tf.constant(np.random.default_rng(4).normal(size=(24, 3)))
    zero = tf.constant(0.0, tf.float64)

    def looped(part: Callable[[Any, Any], Any]) -> Step:
        step = lambda x, i, a: (i + 1, a * 0.9 + tf.reduce_sum(tf.sin(part(x, i))))  # noqa: E731
        return lambda x: tf.while_loop(lambda i, a: i < 20, lambda i, a: step(x, i, a), (0, zero))[
            1
        ]

    parts: list[Callable[[Any, Any], Any]] = [
        lambda x, i: x[i : i + 4],
        lambda x, i: x[None, i + 1 : i + 4, 1] * x[i, None],
        lambda x, i: x[..., i % 2 : i % 2 + 2],
        lambda x, i: x[-i - 4 : -i - 1],
        lambda x, i: tf.slice(x, [i, i % 2], [4, 2]),
    ]
    for part in parts:
        f = looped(part)
        for g in (f, gradient_of(f)):
            got, want = (tf.function(g, engine=e)(x) for e in ("xla", "numpy"))
            np.testing.assert_allclose(got, want, **CLOSE)


def with_count(f: Callable[[Any, Any], Any], n: int) -> Step:
    return lambda x: f(x, tf.constant(n))


if __name__ == "__main__":
    run_programs(PROGRAMS)
