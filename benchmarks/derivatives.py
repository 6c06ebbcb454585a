"""Derivatives of functions: Jacobians, Hessians, products, sparse ones, Taylor mode, beside JAX, TensorFlow, PyTorch.

python -m benchmarks derivatives
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from benchmarks.peers import find
from benchmarks.timing import Contestants, interleaved
from benchmarks.worker import Worker, serve_runs

Runs = dict[str, Callable[[], Any]]

# ---- the workloads, in NumPy --------------------------------------------------------------------

DENSE, SQUARE, POINTS, BATCH, UNKNOWNS = 512, 256, 4096, 256, 100_000
CAMERAS, LANDMARKS, OBSERVATIONS = 49, 7776, 31_843


def weights(*sizes: int) -> list[Any]:
    rng = np.random.default_rng(0)
    return [(rng.normal(size=p) / np.sqrt(p[0])).astype(np.float32) for p in pairwise(sizes)]


def point(*shape: int) -> Any:
    return np.random.default_rng(1).normal(size=shape).astype(np.float32)


class Bar(NamedTuple):
    """A share of the time of a peer, or of another run of ours, that we keep to."""

    beside: str
    share: float


# For each workload what it is, and what it is held to: (library or another workload, share).
WORKLOADS: dict[str, tuple[str, list[Bar]]] = {
    "jacobian": ("Jacobian 512 x 512 of a tanh network of 3 layers, compiled", [Bar("jax", 1.0)]),
    "jacobian, eager": ("the same, eager", [Bar("tensorflow", 0.5)]),
    "hessian": ("Hessian 256 x 256 of the same, compiled", [Bar("jax", 0.8)]),
    "hvp": ("Hessian times a vector, compiled", [Bar("wengert: gradient", 2.5)]),
    "gradient": ("its gradient, compiled", []),
    "per example": ("gradients of each example of a batch of 256, compiled", [Bar("jax", 0.7)]),
    "pinn": ("step of a PINN: heat equation, 4 x 64, 4,096 points, compiled", [Bar("jax", 0.7)]),
    "taylor": (
        "10 derivatives of 5 tanh layers, 256 x 64, eager",
        [Bar("wengert: function", 60.0)],
    ),
    "nested": ("the same by 10 nested tapes", []),
    "function": ("those layers alone", []),
    "laplacian": ("Laplacian by 64 unknowns, 4 x 256, compiled", [Bar("wengert: products", 1 / 3)]),
    "products": ("64 Hessian-vector products instead, compiled", []),
    "band": ("Jacobian of a band, 100,000 unknowns, eager, found anew", []),
    "bundle": ("Jacobian of a bundle adjustment, 31,843 observations, eager", []),
    "bundle, found anew": ("the same, its pattern included", []),
}


# ---- Wengert and TensorFlow ---------------------------------------------------------------------


def network(tf: Any, matrices: list[Any]) -> Callable[[Any], Any]:
    def f(x: Any) -> Any:
        for w in matrices:
            x = tf.tanh(tf.linalg.matvec(w, x, transpose_a=True))
        return x

    return f


def wengert() -> Runs:
    import wengert as tf

    dense = network(tf, [tf.constant(w) for w in weights(*[DENSE] * 4)])
    square = network(tf, [tf.constant(w) for w in weights(*[SQUARE] * 4)])

    def loss(x: Any) -> Any:
        return tf.reduce_sum(square(x) ** 2)

    compiled = partial(tf.function, jit_compile=True)
    x, s, v = tf.constant(point(DENSE)), tf.constant(point(SQUARE)), tf.ones([SQUARE])
    runs: Runs = {
        "jacobian": partial(compiled(tf.jacobian(dense)), x),
        "jacobian, eager": partial(tf.jacobian(dense), x),
        "hessian": partial(compiled(tf.hessian(loss)), s),
        "hvp": partial(compiled(tf.hvp(loss)), s, v),
        "gradient": partial(compiled(tf.grad(loss)), s),
    }
    return runs | _batches(tf) | _orders(tf) | _sparse(tf)


def _batches(tf: Any) -> Runs:
    w = [tf.constant(m) for m in weights(64, 128, 128, 1)]
    xs, ys = tf.constant(point(BATCH, 64)), tf.constant(point(BATCH, 1))

    def loss(w: Any, x: Any, y: Any) -> Any:
        for m in w[:-1]:
            x = tf.tanh(tf.linalg.matvec(m, x, transpose_a=True))
        return tf.reduce_sum((tf.linalg.matvec(w[-1], x, transpose_a=True) - y) ** 2)

    each = tf.function(tf.per_example_gradients(loss), jit_compile=True)
    p = [tf.constant(m) for m in weights(2, 64, 64, 64, 64, 1)]
    points = tf.constant(point(POINTS, 2))

    def u(p: Any, tx: Any) -> Any:
        for m in p[:-1]:
            tx = tf.tanh(tx @ m)
        return (tx @ p[-1])[:, 0]

    t_axis = tf.constant(np.tile(np.float32([1, 0]), (POINTS, 1)))
    x_axis = tf.constant(np.tile(np.float32([0, 1]), (POINTS, 1)))

    def residual(p: Any) -> Any:
        f = partial(u, p)
        u_t = tf.jvp(f, (points,), (t_axis,))[1]
        u_xx = tf.taylor(f, points, x_axis, 2)[2]
        return tf.reduce_mean((u_t - 0.1 * u_xx) ** 2)

    step = tf.function(tf.value_and_grad(residual), jit_compile=True)
    return {"per example": partial(each, w, xs, ys), "pinn": partial(step, p)}


def _orders(tf: Any) -> Runs:
    layers = [tf.constant(w.astype(np.float64)) for w in weights(*[64] * 6)]
    x, v = (tf.constant(point(256, 64).astype(np.float64)) for _ in range(2))

    def f(x: Any) -> Any:
        for w in layers:
            x = tf.tanh(x @ w)
        return x

    def nested(f: Callable[[Any], Any], order: int) -> Callable[[Any], Any]:
        if not order:
            return f
        lower = nested(f, order - 1)

        def derivative(x: Any) -> Any:
            with tf.autodiff.ForwardAccumulator(x, v) as forward:
                y = lower(x)
            return forward.jvp(y)

        return derivative

    wide = [tf.constant(w) for w in weights(64, 256, 256, 256, 256)]

    def loss(x: Any) -> Any:
        x = x[None]
        for w in wide:
            x = tf.tanh(x @ w)
        return tf.reduce_sum(x**2)

    z, units = tf.constant(point(64)), tf.eye(64)
    product = tf.function(tf.hvp(loss), jit_compile=True)
    rows = [units[i] for i in range(64)]
    return {
        "taylor": lambda: tf.taylor(f, x, v, 10),
        "function": partial(f, x),
        "nested": partial(nested(f, 10), x),
        "laplacian": partial(tf.function(tf.laplacian(loss), jit_compile=True), z),
        "products": lambda: [product(z, row) for row in rows],
    }


def band(tf: Any, x: Any) -> Any:
    p = tf.pad(x, [[2, 2]])
    return (3.0 - 2.0 * x) * x - p[:-4] * p[1:-3] - 2.0 * p[3:-1] + p[4:] * 0.5


def projection(tf: Any, camera: Any, landmark: Any) -> Any:
    """Where cameras see points: rotation, distortion, focal length."""
    r, x = camera[:, :3], landmark - camera[:, 3:6]
    squared = tf.reduce_sum(r * r, 1, keepdims=True) + 1e-12
    angle = tf.sqrt(squared)
    axis = r / angle
    along = tf.reduce_sum(axis * x, 1, keepdims=True) * axis
    turned = (
        x * tf.cos(angle) + tf.linalg.cross(axis, x) * tf.sin(angle) + along * (1.0 - tf.cos(angle))
    )
    u = turned[:, :2] / turned[:, 2:3]
    r2 = tf.reduce_sum(u * u, 1, keepdims=True)
    return (
        u * (1.0 + camera[:, 9:10] * r2 + camera[:, 10:11] * r2 * r2) * camera[:, 6:7]
        + camera[:, 7:9]
    )


def _sparse(tf: Any) -> Runs:
    rng = np.random.default_rng(2)
    seen_by, seen = rng.integers(0, CAMERAS, OBSERVATIONS), rng.integers(0, LANDMARKS, OBSERVATIONS)
    features = tf.constant(rng.normal(size=(OBSERVATIONS, 2)))
    unknowns = [
        tf.constant(rng.normal(size=shape))
        for shape in ((CAMERAS, 11), (LANDMARKS, 3), (OBSERVATIONS,))
    ]

    def residuals(cameras: Any, landmarks: Any, w: Any) -> Any:
        where = projection(tf, tf.gather(cameras, seen_by), tf.gather(landmarks, seen))
        return w[:, None] * (where - features), 1.0 - w * w

    def jacobian() -> Any:
        return tf.jacobian(residuals, (0, 1, 2), sparse="scipy")

    x = tf.constant(rng.normal(size=UNKNOWNS))
    return {
        "band": lambda: tf.jacobian(partial(band, tf), sparse="scipy")(x),
        "bundle": partial(jacobian(), *unknowns),
        "bundle, found anew": lambda: jacobian()(*unknowns),
    }


def tensorflow() -> Runs | None:
    tf = find("tensorflow")
    if tf is None:
        return None
    dense = network(tf, [tf.constant(w) for w in weights(*[DENSE] * 4)])
    x = tf.constant(point(DENSE))

    def jacobian() -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = dense(x)
        return tape.jacobian(y, x)

    return {"jacobian, eager": jacobian, "jacobian": tf.function(jacobian, jit_compile=True)}


# ---- JAX, PyTorch -------------------------------------------------------------------------------


def jax() -> Runs | None:
    if find("jax") is None:
        return None
    import jax
    import jax.numpy as jnp

    def done(f: Callable[..., Any], *args: Any) -> Callable[[], Any]:
        jitted = jax.jit(f)
        return lambda: jax.block_until_ready(jitted(*args))

    def chain(w: Any, x: Any) -> Any:
        for m in w:
            x = jnp.tanh(x @ m)
        return x

    dense = [jnp.asarray(w) for w in weights(*[DENSE] * 4)]
    square = [jnp.asarray(w) for w in weights(*[SQUARE] * 4)]
    s, v = jnp.asarray(point(SQUARE)), jnp.ones(SQUARE)

    def loss(x: Any) -> Any:
        return jnp.sum(chain(square, x) ** 2)

    w = [jnp.asarray(m) for m in weights(64, 128, 128, 1)]
    xs, ys = jnp.asarray(point(BATCH, 64)), jnp.asarray(point(BATCH, 1))

    def one(w: Any, x: Any, y: Any) -> Any:
        return jnp.sum((chain(w[:-1], x) @ w[-1] - y) ** 2)

    p = [jnp.asarray(m) for m in weights(2, 64, 64, 64, 64, 1)]
    points = jnp.asarray(point(POINTS, 2))

    def residual(p: Any) -> Any:
        def u(tx: Any) -> Any:
            return (chain(p[:-1], tx) @ p[-1])[0]

        def at(tx: Any) -> Any:
            u_t = jax.jvp(u, (tx,), (jnp.array([1.0, 0.0]),))[1]
            along = lambda tx: jax.jvp(u, (tx,), (jnp.array([0.0, 1.0]),))[1]  # noqa: E731
            return u_t - 0.1 * jax.jvp(along, (tx,), (jnp.array([0.0, 1.0]),))[1]

        return jnp.mean(jax.vmap(at)(points) ** 2)

    return {
        "jacobian": done(jax.jacobian(partial(chain, dense)), jnp.asarray(point(DENSE))),
        "hessian": done(jax.hessian(loss), s),
        "hvp": done(lambda x, v: jax.jvp(jax.grad(loss), (x,), (v,))[1], s, v),
        "gradient": done(jax.grad(loss), s),
        "per example": done(jax.vmap(jax.grad(one), (None, 0, 0)), w, xs, ys),
        "pinn": done(jax.value_and_grad(residual), p),
    }


def torch() -> Runs | None:
    torch = find("torch")
    if torch is None:
        return None
    w = [torch.tensor(m) for m in weights(*[DENSE] * 4)]
    x = torch.tensor(point(DENSE))

    def f(x: Any) -> Any:
        for m in w:
            x = torch.tanh(x @ m)
        return x

    return {"jacobian, eager": lambda: torch.func.jacrev(f)(x)}


LIBRARIES: dict[str, Callable[[], Runs | None]] = {
    "wengert": wengert,
    "jax": jax,
    "tensorflow": tensorflow,
    "torch": torch,
}

# ---- the choice of the mode ---------------------------------------------------------------------


def choices(tf: Any) -> list[tuple[str, Callable[[Any], Any], int]]:
    """40 functions of different shapes: name, function, number of arguments."""
    found: list[tuple[str, Callable[[Any], Any], int]] = []
    rng = np.random.default_rng(3)

    def matrix(m: int, n: int) -> Any:
        return tf.constant(rng.normal(size=(m, n)) / np.sqrt(n))

    def mlp(n: int, m: int) -> Callable[[Any], Any]:
        return network(tf, [matrix(a, b) for a, b in ((n, 128), (128, 128), (128, m))])

    def early(n: int, m: int) -> Callable[[Any], Any]:
        a = matrix(m, n)
        return lambda x: tf.linalg.matvec(a, tf.sin(x) * tf.exp(-x * x) + x**2)

    def late(n: int, m: int) -> Callable[[Any], Any]:
        a = matrix(m, n)

        def f(x: Any) -> Any:
            y = tf.linalg.matvec(a, x)
            return tf.sin(y) * tf.exp(-y * y) + y**2

        return f

    def square(n: int, m: int) -> Callable[[Any], Any]:
        return lambda x: tf.reshape(tf.reshape(x, [-1, 4]) @ tf.reshape(x, [4, -1]), [-1])[:m]

    def soft(n: int, m: int) -> Callable[[Any], Any]:
        a = matrix(m, n)
        return lambda x: tf.nn.softmax(tf.linalg.matvec(a, tf.nn.log_softmax(x)))

    shapes = [(8, 64), (64, 8), (16, 512), (512, 16), (96, 160), (160, 96), (40, 400), (400, 40)]
    for name, make in (
        ("mlp", mlp),
        ("early", early),
        ("late", late),
        ("square", square),
        ("soft", soft),
    ):
        found += [(f"{name} {n} to {m}", make(n, m), n) for n, m in shapes]
    return found


def share_of_right_choices() -> float:
    """How often mode="auto" takes the faster mode, or one that is not a tenth slower."""
    import wengert as tf

    right = 0
    table = choices(tf)
    for _, f, n in table:
        x = tf.constant(point(n).astype(np.float64))
        taken = tf.jacobian(f).plan(x).mode
        times = {
            mode: _seconds(partial(tf.jacobian(f, mode=mode), x)) for mode in ("forward", "reverse")
        }
        right += times[taken] <= 1.1 * min(times.values())
    return right / len(table)


def _seconds(run: Callable[[], Any], rounds: int = 7) -> float:
    run()
    found = []
    for _ in range(rounds):
        start = time.perf_counter()
        run()
        found.append(time.perf_counter() - start)
    return sorted(found)[rounds // 2]


# ---- measuring ----------------------------------------------------------------------------------


def measure(rounds: int) -> dict[str, Any]:
    """Milliseconds for each workload and library, and the standing beside the bars."""
    workers = {name: Worker(name, "benchmarks.derivatives") for name in LIBRARIES}
    there = {name: w for name, w in workers.items() if w.installed}
    rows = {}
    names = {name: w.ask("names") for name, w in there.items()}
    for what in WORKLOADS:
        own: Contestants = {
            n: partial(w.seconds, what) for n, w in there.items() if what in names[n]
        }
        sizes = [there[n].ask(f"size: {what}") for n in own if len(own) > 1]
        np.testing.assert_allclose(sizes, sizes[:1] * len(sizes), rtol=1e-3, err_msg=what)
        timed = interleaved(own, rounds, warm_up=1)
        rows[what] = {n: 1000.0 * t.median for n, t in timed.items()}
    for worker in workers.values():
        worker.close()
    return {"rows": rows, "bars": _standings(rows), "right choices": share_of_right_choices()}


def _standings(rows: dict[str, dict[str, float]]) -> list[dict[str, Any]]:
    found = []
    for what, (_, bars) in WORKLOADS.items():
        for bar in bars:
            library, _, other = bar.beside.partition(": ")
            beside = rows[other or what].get(library)
            ratio = None if beside is None else rows[what]["wengert"] / beside
            found.append({"workload": what, "beside": bar.beside, "bar": bar.share, "ratio": ratio})
    return found


def as_markdown(measured: dict[str, Any]) -> str:
    lines = [
        "| milliseconds | " + " | ".join(LIBRARIES) + " |",
        "| --- " * (len(LIBRARIES) + 1) + "|",
    ]
    for what, (words, _) in WORKLOADS.items():
        times = measured["rows"][what]
        cells = [f"{times[n]:.3g}" if n in times else "" for n in LIBRARIES]
        lines.append(f"| {words} | " + " | ".join(cells) + " |")
    lines += ["", "| workload | beside | share | bar |", "| --- | --- | --- | --- |"]
    for s in measured["bars"]:
        ratio = "not measured" if s["ratio"] is None else f"{s['ratio']:.2f}"
        lines.append(
            f"| {WORKLOADS[s['workload']][0]} | {s['beside']} | {ratio} | {s['bar']:.2g} |"
        )
    lines += [
        "",
        f'mode="auto" takes the faster mode in {measured["right choices"]:.0%} of 40 shapes.',
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    made = LIBRARIES[sys.argv[1]]()
    serve_runs(made)
