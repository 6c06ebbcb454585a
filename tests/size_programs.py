"""Programs of sizes that nobody chose: idioms that make shapes, composed at random.

An idiom takes a vector or a matrix to a vector or a matrix. A program is a chain of them. What it
computes eagerly it must compute in every other mode, at every size, to second order; where eager
mode refuses, the others must refuse, too.

    python tests/size_programs.py COUNT [SEED]    # draw programs until COUNT have run
"""

from __future__ import annotations

import random
import sys
import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

import wengert as tf

v1 = tf.compat.v1
SIZES = (0, 1, 2, 3, 5, 11, 12, 13, 24, 25, 47, 100)
Idiom = Callable[[Any, Callable[[int, int], int]], Any]
IDIOMS: dict[str, list[tuple[str, Idiom]]] = {}  # by the ranks of what comes in and goes out
TOO_LARGE = 4000  # elements: products of products grow


def idiom(ranks: str) -> Callable[[Idiom], Idiom]:
    """Enter an idiom: `ranks` is "vv", "vm", "mv" or "mm". It takes a tensor and draws numbers."""

    def enter(function: Idiom) -> Idiom:
        IDIOMS.setdefault(ranks[0], []).append((ranks[1], function))
        return function

    return enter


def count(x: Any, axis: int = 0) -> Any:
    return tf.shape(x)[axis]


def as_float(x: Any) -> Any:
    return tf.cast(x, tf.float64)


# ---- vectors ----------------------------------------------------------------------------------

VECTORS: list[Idiom] = [
    lambda x, d: x[: d(0, 13)],
    lambda x, d: x[-d(1, 13) :],
    lambda x, d: x[d(0, 13) :],
    lambda x, d: x[: -d(1, 13)],
    lambda x, d: x[:: d(1, 30)],
    lambda x, d: x[:: -d(1, 5)],
    lambda x, d: x[d(-13, 13) : d(-13, 13) : d(1, 4)],
    lambda x, d: x[: count(x) // d(1, 4)],
    lambda x, d: x[count(x) // 2 :],
    lambda x, d: x[: tf.minimum(count(x), d(1, 13))],
    lambda x, d: tf.pad(x, [[d(0, 3), d(0, 13)]]),
    lambda x, d: tf.pad(x, [[0, tf.maximum(d(0, 20) - count(x), 0)]]),
    lambda x, d: tf.pad(x, [[1, 1]], "REFLECT"),
    lambda x, d: tf.pad(x, [[1, 0]], "SYMMETRIC"),
    lambda x, d: tf.concat([x[1:], x[:1]], 0),
    lambda x, d: tf.roll(x, d(-3, 3), 0),
    lambda x, d: tf.tile(x, [d(1, 3)]),
    lambda x, d: tf.repeat(x, d(1, 3), axis=0),
    lambda x, d: x + x[::-1],
    lambda x, d: x[1:] * x[:-1],
    lambda x, d: x * as_float(tf.range(count(x))),
    lambda x, d: x - tf.reduce_mean(x),
    lambda x, d: tf.cumsum(x) / 10.0,
    lambda x, d: tf.nn.softmax(x),
    lambda x, d: tf.boolean_mask(x, x > 0.0),
    lambda x, d: x[x > -0.5],
    lambda x, d: tf.gather(x, tf.where(x > 0.0)[:, 0]),
    lambda x, d: tf.gather(x, tf.range(0, count(x), d(1, 4))),
    lambda x, d: tf.gather(x, count(x) - 1 - tf.range(count(x))),
    lambda x, d: tf.gather(x, tf.range(count(x) - 1, count(x))),
    lambda x, d: x[:1] + tf.sin(as_float(tf.range(count(x) - 2, count(x) + d(1, 4), 2))),
    lambda x, d: x[:1] * tf.cos(as_float(tf.range(count(x) + 3, count(x), -1))),
    lambda x, d: tf.reverse(x, [0]),
    lambda x, d: tf.add_n(tf.split(x[: count(x) // 2 * 2], 2)),
    lambda x, d: x * as_float(tf.size(x)),
    lambda x, d: x * as_float(tf.size(x[: d(1, 13)])),
    lambda x, d: tf.reduce_sum(x[: d(1, 13)]) * x,
    lambda x, d: tf.reduce_mean(x[: d(1, 13)]) + x,
    lambda x, d: tf.math.top_k(x, tf.minimum(count(x), 3)).values,
    lambda x, d: tf.sort(x),
    lambda x, d: tf.where(x > 0.0, x, tf.zeros_like(x)),
    lambda x, d: tf.reduce_sum(x[:, None] * x[None, :], 1),
    lambda x, d: tf.reshape(x, [count(x)]),
    lambda x, d: tf.reshape(x[: count(x) // 3 * 3], [-1]),
    lambda x, d: tf.math.unsorted_segment_sum(x, tf.range(count(x)) % 3, 3),
    lambda x, d: tf.scatter_nd(tf.range(count(x))[:, None], x, [count(x) + d(0, 3)]),
    lambda x, d: tf.concat([x, tf.zeros([d(0, 5)], tf.float64)], 0),
    lambda x, d: tf.linspace(x[0], x[-1], d(1, 6)),
    lambda x, d: tf.slice(x, [d(0, 2)], [-1]),
    lambda x, d: tf.strided_slice(x, [0], [d(1, 20)], [2]),
    lambda x, d: tf.fill([count(x)], tf.reduce_sum(x)),
    lambda x, d: tf.broadcast_to(x[:1], [count(x)]) + x,
    lambda x, d: tf.sin(x) / as_float(tf.maximum(count(x), 1)),
    lambda x, d: tf.map_fn(lambda e: e * e, x),
    lambda x, d: tf.cond(count(x) > d(0, 13), lambda: x[: d(1, 5)], lambda: x * 2.0),
    lambda x, d: tf.stack(tf.unstack(tf.pad(x, [[0, 4]])[:4], 4)),
    lambda x, d: tf.nn.conv1d(x[None, :, None], tf.ones([2, 1, 1], tf.float64), 1, "SAME")[0, :, 0],
    lambda x, d: tf.nn.avg_pool1d(x[None, :, None], 2, 2, "SAME")[0, :, 0],
]


def pad_up(x: Any, d: Callable[[int, int], int]) -> Any:
    """The idiom of a batch of a fixed size."""
    most = d(1, 13)
    head = x[:most]
    return tf.concat([head, tf.zeros([most - count(head)], tf.float64)], 0)


VECTORS.append(pad_up)
for one in VECTORS:
    idiom("vv")(one)

TO_MATRICES: list[Idiom] = [
    lambda x, d: tf.reshape(x[: count(x) // 2 * 2], [-1, 2]),
    lambda x, d: tf.reshape(x[: count(x) // 3 * 3], [3, -1]),
    lambda x, d: tf.reshape(x, [count(x), 1]),
    lambda x, d: tf.reshape(tf.pad(x, [[0, 12]])[:12], [3, 4]),
    lambda x, d: x[:, None] - x[None, :],
    lambda x, d: tf.tile(x[None, :], [d(1, 3), 1]),
    lambda x, d: tf.stack([x, x * 2.0], d(0, 1)),
    lambda x, d: tf.stack([x, x[::-1], tf.sin(x)]),
    lambda x, d: tf.linalg.diag(x),
    lambda x, d: tf.signal.frame(x, d(1, 4), d(1, 3)),
    lambda x, d: x[:, None] * tf.one_hot(tf.range(count(x)), d(1, 5), dtype=tf.float64),
    lambda x, d: tf.expand_dims(x, d(0, 1)),
    lambda x, d: tf.transpose(tf.reshape(x, [1, -1])),
    lambda x, d: tf.sequence_mask(tf.range(count(x)), dtype=tf.float64) * x[:, None],
    lambda x, d: tf.broadcast_to(x, [d(1, 3), count(x)]),
    lambda x, d: tf.meshgrid(x, x[: d(1, 4)])[0],
]
for one in TO_MATRICES:
    idiom("vm")(one)

# ---- matrices ---------------------------------------------------------------------------------

TO_VECTORS: list[Idiom] = [
    lambda m, d: tf.reduce_sum(m, d(0, 1)),
    lambda m, d: tf.reduce_mean(m, d(0, 1)),
    lambda m, d: tf.reshape(m, [-1]),
    lambda m, d: m[:, 0],
    lambda m, d: m[-1],
    lambda m, d: tf.linalg.diag_part(m),
    lambda m, d: tf.reshape(m, [count(m) * count(m, 1)]),
    lambda m, d: tf.reduce_max(m, 1),
    lambda m, d: tf.squeeze(m[:, :1], 1),
    lambda m, d: tf.einsum("ij,ij->i", m, m),
    lambda m, d: tf.linalg.matvec(m, m[0]),
    lambda m, d: tf.norm(m + 0.1, axis=1),
]
for one in TO_VECTORS:
    idiom("mv")(one)

TWO_BY_TWO = np.ones([2, 2, 1, 1])
MATRICES: list[Idiom] = [
    lambda m, d: tf.transpose(m),
    lambda m, d: m[: d(1, 13)],
    lambda m, d: m[:, :: d(1, 3)],
    lambda m, d: m[1:] - m[:-1],
    lambda m, d: m[::2, 1:],
    lambda m, d: tf.matmul(m, m, transpose_b=True) / 10.0,
    lambda m, d: tf.matmul(tf.transpose(m), m) / 10.0,
    lambda m, d: tf.pad(m, [[0, d(0, 2)], [d(0, 2), 0]]),
    lambda m, d: tf.concat([m, m], d(0, 1)),
    lambda m, d: tf.linalg.band_part(m, 1, 1),
    lambda m, d: tf.gather(m, [0], axis=1),
    lambda m, d: tf.gather(m, tf.range(count(m, 1))[::-1], axis=1),
    lambda m, d: tf.reverse(m, [d(0, 1)]),
    lambda m, d: m + tf.eye(count(m), count(m, 1), dtype=tf.float64),
    lambda m, d: m - tf.reduce_mean(m, 0, keepdims=True),
    lambda m, d: tf.nn.softmax(m, d(0, 1)),
    lambda m, d: tf.reshape(m, [count(m, 1), count(m)]),
    lambda m, d: tf.reshape(m, tf.shape(m)[::-1]),
    lambda m, d: tf.einsum("ij,kj->ik", m, m) / 10.0,
    lambda m, d: m[: count(m) // 2 + 1],
    lambda m, d: tf.roll(m, [1, -1], [0, 1]),
    lambda m, d: m * as_float(count(m) * 2 - count(m, 1)),
    lambda m, d: tf.boolean_mask(m, m[:, 0] > 0.0),
    lambda m, d: tf.nn.conv2d(m[None, :, :, None], TWO_BY_TWO, 1, "VALID")[0, :, :, 0],
    lambda m, d: tf.nn.max_pool2d(m[None, :, :, None], 2, 2, "SAME")[0, :, :, 0],
    lambda m, d: tf.cumsum(m, d(0, 1)) / 10.0,
]
for one in MATRICES:
    idiom("mm")(one)


# ---- loops and branches ------------------------------------------------------------------------


def repeat(runs: Any, body: Callable[..., Any], x: Any) -> Any:
    """`body(i, x)` some times; the shape stays."""
    return tf.while_loop(lambda i, a: i < runs, lambda i, a: (i + 1, body(i, a)), (0, x))[1]


def kept(x: Any) -> Any:
    """As many rows written as there are, each read again from the end."""
    n = count(x)
    array = tf.TensorArray(tf.float64, n, element_shape=x.shape[1:])
    _, array = tf.while_loop(
        lambda i, array: i < n, lambda i, array: (i + 1, array.write(i, tf.sin(x[i]))), (0, array)
    )
    return repeat(n, lambda i, a: a + array.read(n - 1 - i), tf.zeros_like(x)) + array.stack()


def growing(x: Any, runs: int) -> Any:
    return tf.while_loop(
        lambda i, a: i < runs,
        lambda i, a: (i + 1, tf.concat([a, x[:2] * 0.5], 0)),
        (0, x),
        shape_invariants=(tf.TensorShape([]), tf.TensorShape(None)),
    )[1]


def until(x: Any, limit: float) -> Any:
    """As often as the values ask for."""
    return tf.while_loop(
        lambda i, a: tf.logical_and(tf.reduce_sum(a * a) < limit, i < 6),
        lambda i, a: (i + 1, a * 1.5 + 0.1),
        (0, x),
    )[1]


def chosen(x: Any, by: Any) -> Any:
    return tf.switch_case(
        by % 3, [lambda: tf.sin(x), lambda: x[::-1] * x, lambda: repeat(2, lambda i, a: a * x, x)]
    )


LOOPS: list[Idiom] = [
    lambda x, d: (lambda runs: repeat(runs, lambda i, a: tf.sin(a) + x, x))(d(0, 4)),
    lambda x, d: repeat(tf.minimum(count(x), 4), lambda i, a: a * 0.9 + x, x),
    lambda x, d: repeat(2, lambda i, a: repeat(2, lambda j, b: tf.tanh(b + x), a), x),
    lambda x, d: repeat(3, lambda i, a: repeat(i, lambda j, b: tf.cos(b) * x, a), x),
    lambda x, d: repeat(3, lambda i, a: tf.cond(i < 1, lambda: tf.sin(a), lambda: a * x), x),
    lambda x, d: repeat(2, lambda i, a: a + tf.cast(i, tf.float64) * a[::-1], x),
    lambda x, d: tf.scan(lambda a, e: tf.tanh(a + e), x),
    lambda x, d: tf.scan(lambda a, e: tf.reshape(a + e, []), x, tf.reduce_sum(x), reverse=True),
    lambda x, d: x * tf.foldl(lambda a, e: tf.sin(a + e), x),
    lambda x, d: tf.map_fn(lambda e: tf.reduce_mean(tf.sin(x * e)), x),
    lambda x, d: tf.map_fn(lambda e: repeat(2, lambda i, a: tf.sin(a) * e, e), x),
    lambda x, d: kept(x),
    lambda x, d: growing(x, d(0, 3)),
    lambda x, d: until(x, d(1, 30)),
    lambda x, d: chosen(x, count(x)),
    lambda x, d: repeat(2, lambda i, a: chosen(a, i), x),
    lambda x, d: tf.cond(
        tf.reduce_sum(x) > 0.0,
        lambda: repeat(2, lambda i, a: tf.sin(a) * x, x),
        lambda: tf.scan(lambda a, e: tf.cos(a) + e, x),
    ),
]
for one in LOOPS:
    idiom("vv")(one)

LOOPS_OF_MATRICES: list[Idiom] = [
    lambda m, d: repeat(2, lambda i, a: tf.tanh(tf.matmul(a, a, transpose_b=True) @ m / 10.0), m),
    lambda m, d: tf.map_fn(
        lambda r: tf.scan(lambda a, e: a * 0.5 + e, r), tf.pad(m, [[1, 0], [0, 1]])
    ),
    lambda m, d: tf.scan(lambda a, r: tf.sin(a) + r, m),
    lambda m, d: tf.scan(lambda a, r: repeat(2, lambda i, b: tf.sin(b) + r, a), m),
    lambda m, d: kept(m),
    lambda m, d: chosen(m, count(m, 1)),
    lambda m, d: until(m, d(1, 30)),
]
for one in LOOPS_OF_MATRICES:
    idiom("mm")(one)


# ---- programs ---------------------------------------------------------------------------------


class Program(NamedTuple):
    seed: int
    steps: tuple[tuple[Idiom, int], ...]

    def __call__(self, x: Any) -> Any:
        for function, seed in self.steps:
            rng = random.Random(seed)
            x = function(x, rng.randint)
        return x


def drawn(seed: int) -> Program:
    """The program of a seed: one to six idioms, the first of a vector."""
    rng = random.Random(seed)
    rank, steps = "v", []
    for _ in range(rng.randint(1, 6)):
        rank, function = rng.choice(IDIOMS[rank])
        steps.append((function, rng.randrange(1 << 30)))
    return Program(seed, tuple(steps))


def orders(program: Program, x: Any, more: int) -> list[Any]:
    """A number that the program's result makes, its gradient, and the gradient of that's square."""
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = program(x)
            total = tf.reduce_sum(tf.sin(y) * as_float(tf.size(y)))
        first = tf.convert_to_tensor(tape.gradient(total, x, unconnected_gradients="zero"))
        again = tf.reduce_sum(first * first) if more else first
    if not more:
        return [y, first]
    second = outer.gradient(again, x, unconnected_gradients="zero")
    return [y, first, tf.convert_to_tensor(second)]


def eagerly(program: Program, more: int) -> Callable[[Any], Any]:
    return lambda x: [v.numpy() for v in orders(program, tf.constant(x), more)]


def as_function(shape: Any, compiled: bool) -> Any:
    def mode(program: Program, more: int) -> Callable[[Any], Any]:
        spec = [tf.TensorSpec(shape, tf.float64)]
        run = tf.function(
            lambda x: orders(program, x, more), input_signature=spec, jit_compile=compiled
        )
        return lambda x: [v.numpy() for v in run(x)]

    return mode


def in_session(program: Program, more: int) -> Callable[[Any], Any]:
    with tf.Graph().as_default() as graph:
        place = v1.placeholder(tf.float64, [None])
        found = orders(program, place, more)
    session = v1.Session(graph=graph)
    return lambda x: session.run(found, {place: x})


MODES: dict[str, Any] = {
    "function": as_function([None], False),
    "unknown rank": as_function(None, False),
    "session": in_session,
    "compiled": as_function([None], True),
}


class Refusal(NamedTuple):
    """What stands for the result where the arguments are refused."""

    message: str


def outcome(run: Callable[[Any], Any], x: Any) -> Any:
    try:
        return run(x)
    except (ValueError, IndexError, tf.errors.InvalidArgumentError) as error:
        if isinstance(error, tf.errors.InternalError):
            raise
        return Refusal(str(error))


def difference(a: Any, b: Any) -> str:
    """What is different between two outcomes; "" if nothing is."""
    if isinstance(a, Refusal) or isinstance(b, Refusal):
        return "" if isinstance(a, Refusal) and isinstance(b, Refusal) else f"{a!r} and {b!r}"
    for order, (p, q) in enumerate(zip(a, b, strict=True)):
        p, q = np.asarray(p), np.asarray(q)
        if p.shape != q.shape:
            return f"order {order}: shapes {p.shape} and {q.shape}"
        scale = 1 + np.abs(p[np.isfinite(p)]).max(initial=0)  # some programs overflow
        if not np.allclose(p, q, rtol=1e-8, atol=1e-9 * scale, equal_nan=True):
            return f"order {order}: {p} and {q}"
    return ""


def is_rounding(eager: Callable[[Any], Any], x: Any, want: Any, got: Any) -> bool:
    """Whether the last bits of the input change the outcome about as much as it differs.

    Compiled functions round elsewhere, in each of a dozen operations and not in the input alone, and
    some programs have results of 1e26.
    """
    if isinstance(want, Refusal) or isinstance(got, Refusal):
        return False
    if [v.shape for v in want] != [v.shape for v in got]:
        return False
    changed = [0.0] * len(want)
    for k in range(8):
        near = x * (1 + np.random.default_rng(k).choice([-EPSILON, EPSILON], x.shape))
        found = outcome(eager, near)
        if isinstance(found, Refusal) or [v.shape for v in found] != [v.shape for v in want]:
            return True  # a program whose shapes depend on the last bits
        changed = [max(c, _distance(w, f)) for c, w, f in zip(changed, want, found, strict=True)]
    return all(
        _distance(w, g) <= OPERATIONS * c for c, w, g in zip(changed, want, got, strict=True)
    )


EPSILON = np.finfo(float).eps
OPERATIONS = 12


def _distance(a: Any, b: Any) -> float:
    return float(np.abs(np.subtract(a, b)).max(initial=0))


def differences(
    program: Program, sizes: Sequence[int], modes: Sequence[str], more: int = 1
) -> list[str]:
    """Where a mode differs from eager mode."""
    rng = np.random.default_rng(program.seed)
    inputs = [rng.normal(size=n) for n in sizes]
    eager = eagerly(program, more)
    wanted = [outcome(eager, x) for x in inputs]
    kept = [
        (x, w) for x, w in zip(inputs, wanted, strict=True)
        if isinstance(w, Refusal) or w[0].size < TOO_LARGE
    ]  # fmt: skip
    found = []
    for mode in modes:
        try:
            run = MODES[mode](program, more)
        except (ValueError, IndexError, tf.errors.InvalidArgumentError) as error:
            if not all(isinstance(w, Refusal) for _, w in kept):
                found.append(f"seed {program.seed}, {mode}: cannot be built: {error}")
            continue
        for x, want in kept:
            got: Any = None
            try:
                got = outcome(run, x)
                what = difference(want, got)
            except Exception as error:
                what = f"{type(error).__name__}: {error}"
            if what and not (
                mode == "compiled" and got is not None and is_rounding(eager, x, want, got)
            ):
                found.append(f"seed {program.seed}, {mode}, size {x.size}: {what}")
                break
    return found


def main(amount: int, first: int = 0, modes: Sequence[str] = ("function", "session")) -> None:
    """Draw programs; each in two modes or more, at four sizes, one of them random."""
    warnings.simplefilter("ignore")
    bad = 0
    for seed in range(first, first + amount):
        rng = random.Random(~seed)
        sizes = [*rng.sample(SIZES, 3), rng.randrange(130)]
        try:
            found = differences(drawn(seed), sizes, modes)
        except Exception as error:
            found = [f"seed {seed}: eager {type(error).__name__}: {error}"]
        bad += bool(found)
        for line in found:
            print(line[:400], flush=True)
        if (seed + 1 - first) % 1000 == 0:
            print(f"{seed + 1 - first} programs, {bad} differ", flush=True)
    print(f"{amount} programs, {bad} differ")


if __name__ == "__main__":
    main(int(sys.argv[1]), *map(int, sys.argv[2:3]), *([sys.argv[3].split(",")] if sys.argv[3:] else []))  # type: ignore[arg-type]  # fmt: skip
