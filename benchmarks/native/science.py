"""What physicists and statisticians differentiate: an equation, a process, a sampler, a flow.

The programs are written as a user of each library would. What is expected is computed in float64 by
NumPy's engine, operation by operation; that the others agree with it is the proof of both.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from benchmarks.native.libraries import compiling_torch, contestants, named, torch_arrays
from benchmarks.native.workload import (
    BEST,
    FLOAT,
    Array,
    Program,
    Run,
    Workload,
    doubles,
    find_jax,
    normal,
)
from benchmarks.peers import find


def expected_of(program: Program) -> Callable[[], list[Array]]:
    """Value and gradients in float64."""

    def expected() -> list[Array]:
        tf = find("wengert")
        xs = [tf.constant(v) for v in doubles(program.inputs())]
        sources = [xs[i] for i in program.gradients]

        @tf.function(engine="numpy")
        def both() -> Any:
            with tf.GradientTape() as tape:
                tape.watch(sources)
                y = program.taped(tf, *xs)
            return y, *tape.gradient(y, sources)

        return [v.numpy() for v in both()]

    return expected


# ---- Burgers' equation by a network -------------------------------------------------------------

POINTS, UNITS, VISCOSITY = 1000, 20, 0.01 / np.pi


def network_inputs() -> list[Array]:
    """Places and times, and the weights of three layers."""
    shapes = [(2, UNITS), (UNITS,), (UNITS, UNITS), (UNITS,), (UNITS, 1), (1,)]
    places, *weights = normal((2, POINTS), *shapes)
    return [places, *(w * FLOAT(0.5) for w in weights)]


def network(tanh: Callable[[Any], Any], z: Any, weights: Sequence[Any]) -> Any:
    w1, b1, w2, b2, w3, b3 = weights
    return tanh(tanh(z @ w1 + b1) @ w2 + b2) @ w3 + b3


def burgers_taped(tf: Any, places: Any, *weights: Any) -> Any:
    x, t = places[0], places[1]
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch([x, t])
            u = network(tf.tanh, tf.stack([x, t], 1), weights)[:, 0]
        u_x, u_t = inner.gradient(u, [x, t])
    u_xx = outer.gradient(u_x, x)
    return tf.reduce_mean(tf.square(u_t + u * u_x - VISCOSITY * u_xx))


def burgers_of_points(
    array: Any, transforms: Any, tanh: Callable[[Any], Any], places: Any, *weights: Any
) -> Any:
    """By derivatives of a function of a single point, over all points."""

    def u(x: Any, t: Any) -> Any:
        return network(tanh, array.stack([x, t]), weights)[0]

    def residual(x: Any, t: Any) -> Any:
        u_x, u_t = transforms.grad(u, (0, 1))(x, t)
        return u_t + u(x, t) * u_x - VISCOSITY * transforms.grad(transforms.grad(u))(x, t)

    return array.mean(transforms.vmap(residual)(places[0], places[1]) ** 2)


def burgers_jax(jax: Any, *given: Any) -> Any:
    return burgers_of_points(jax.numpy, jax, jax.numpy.tanh, *given)


def burgers_func(torch: Any, *given: Any) -> Any:
    """The form that torch.compile takes."""
    return burgers_of_points(torch, torch.func, torch.tanh, *given)


def burgers_torch(torch: Any, places: Any, *weights: Any) -> Any:
    x, t = (places[i].detach().requires_grad_() for i in range(2))
    u = network(torch.tanh, torch.stack([x, t], 1), weights)[:, 0]
    u_x, u_t = torch.autograd.grad(u.sum(), [x, t], create_graph=True)
    (u_xx,) = torch.autograd.grad(u_x.sum(), x, create_graph=True)
    return (u_t + u * u_x - VISCOSITY * u_xx).square().mean()


BURGERS = Program(network_inputs, burgers_taped, burgers_jax, burgers_torch, gradients=range(1, 7))
COMPILED = contestants(BURGERS._replace(torch=burgers_func))["torch.compile"]

# ---- the likelihood of a Gaussian process -------------------------------------------------------

SAMPLES, FEATURES = 512, 4


def process_inputs() -> list[Array]:
    """Logarithms of the scales, of the signal and of the noise; where, and what was measured."""
    x, y = normal((SAMPLES, FEATURES), (SAMPLES,))
    return [np.zeros(FEATURES, FLOAT), FLOAT(0), FLOAT(-1), x, y]


def process_taped(tf: Any, scales: Any, signal: Any, noise: Any, x: Any, y: Any) -> Any:
    z = x * tf.exp(-scales)
    norms = tf.reduce_sum(z * z, 1)
    distances = norms[:, None] + norms[None, :] - 2.0 * tf.matmul(z, z, transpose_b=True)
    k = tf.exp(2.0 * signal - 0.5 * distances) + tf.exp(2.0 * noise) * tf.eye(
        SAMPLES, dtype=x.dtype
    )
    factor = tf.linalg.cholesky(k)
    solved = tf.linalg.triangular_solve(factor, y[:, None])
    half = tf.reduce_sum(tf.math.log(tf.linalg.diag_part(factor)))
    return 0.5 * tf.reduce_sum(solved * solved) + half


def process_jax(jax: Any, scales: Any, signal: Any, noise: Any, x: Any, y: Any) -> Any:
    jnp = jax.numpy
    z = x * jnp.exp(-scales)
    norms = (z * z).sum(1)
    distances = norms[:, None] + norms[None, :] - 2.0 * z @ z.T
    k = jnp.exp(2.0 * signal - 0.5 * distances) + jnp.exp(2.0 * noise) * jnp.eye(SAMPLES)
    factor = jnp.linalg.cholesky(k)
    solved = jax.scipy.linalg.solve_triangular(factor, y, lower=True)
    return 0.5 * (solved * solved).sum() + jnp.log(jnp.diag(factor)).sum()


def process_torch(torch: Any, scales: Any, signal: Any, noise: Any, x: Any, y: Any) -> Any:
    z = x * torch.exp(-scales)
    norms = (z * z).sum(1)
    distances = norms[:, None] + norms[None, :] - 2.0 * z @ z.T
    k = torch.exp(2.0 * signal - 0.5 * distances) + torch.exp(2.0 * noise) * torch.eye(SAMPLES)
    factor = torch.linalg.cholesky(k)
    solved = torch.linalg.solve_triangular(factor, y[:, None], upper=False)
    return 0.5 * (solved * solved).sum() + torch.log(torch.diag(factor)).sum()


PROCESS = Program(process_inputs, process_taped, process_jax, process_torch, gradients=range(3))

# ---- a differential equation whose right-hand side is a network ---------------------------------

STEPS, BATCH, WIDTH, STEP = 40, 64, 50, 0.05


def flow_inputs() -> list[Array]:
    y, target, w1, b1, w2, b2 = normal(
        (BATCH, 2), (BATCH, 2), (2, WIDTH), (WIDTH,), (WIDTH, 2), (2,)
    )
    return [w1, b1, w2 * FLOAT(0.1), b2 * FLOAT(0.1), y, target]


def advanced(f: Callable[[Any], Any], y: Any) -> Any:
    """A step of the classical method of Runge and Kutta."""
    a = f(y)
    b = f(y + 0.5 * STEP * a)
    c = f(y + 0.5 * STEP * b)
    d = f(y + STEP * c)
    return y + STEP / 6.0 * (a + 2.0 * b + 2.0 * c + d)


def flow_taped(tf: Any, w1: Any, b1: Any, w2: Any, b2: Any, y: Any, target: Any) -> Any:
    f = lambda y: tf.tanh(y @ w1 + b1) @ w2 + b2  # noqa: E731
    once = lambda i, y: (i + 1, advanced(f, y))  # noqa: E731
    # XLA asks for the bound.
    _, y = tf.while_loop(lambda i, _: i < STEPS, once, (0, y), maximum_iterations=STEPS)
    return tf.reduce_mean(tf.square(y - target))


def flow_jax(jax: Any, w1: Any, b1: Any, w2: Any, b2: Any, y: Any, target: Any) -> Any:
    f = lambda y: jax.numpy.tanh(y @ w1 + b1) @ w2 + b2  # noqa: E731
    y, _ = jax.lax.scan(lambda y, _: (advanced(f, y), None), y, None, length=STEPS)
    return jax.numpy.mean((y - target) ** 2)


def flow_torch(torch: Any, w1: Any, b1: Any, w2: Any, b2: Any, y: Any, target: Any) -> Any:
    f = lambda y: torch.tanh(y @ w1 + b1) @ w2 + b2  # noqa: E731
    for _ in range(STEPS):
        y = advanced(f, y)
    return (y - target).square().mean()


FLOW = Program(flow_inputs, flow_taped, flow_jax, flow_torch, gradients=range(4))

# ---- a path of Hamiltonian Monte Carlo ----------------------------------------------------------

EFFECTS = FLOAT([28, 8, -3, 7, -1, 1, 18, 12])  # of coaching in eight schools, and their errors
ERRORS = FLOAT([15, 10, 16, 11, 9, 11, 10, 18])
LEAPS, PACE = 20, 0.05


def path_inputs() -> list[Array]:
    """Place and momentum: the mean, the logarithm of the spread, and eight effects."""
    return normal((10,), (10,))


def density(total: Callable[[Any], Any], exp: Callable[[Any], Any], q: Any, data: Any) -> Any:
    """The logarithm of the posterior density, in the form that is not centred."""
    effects, errors = data
    mean, spread, each = q[0], q[1], q[2:]
    rest = (effects - mean - exp(spread) * each) / errors
    return -0.5 * (total(rest * rest) + total(each * each) + 0.04 * mean * mean + spread * spread)


def leaps(slope: Callable[[Any], Any], q: Any, p: Any) -> tuple[Any, Any]:
    for _ in range(LEAPS):
        p = p + 0.5 * PACE * slope(q)
        q = q + PACE * p
        p = p + 0.5 * PACE * slope(q)
    return q, p


def path_taped(module: str, compiled: bool, exact: bool = False) -> Run | None:
    tf = find(module)
    if tf is None:
        return None
    form = np.float64 if exact else FLOAT
    data = [tf.constant(v.astype(form)) for v in (EFFECTS, ERRORS)]

    def slope(q: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(q)
            y = density(tf.reduce_sum, tf.exp, q, data)
        return tape.gradient(y, q)

    run = tf.function(partial(leaps, slope), jit_compile=compiled)
    inputs = [tf.constant(v.astype(form)) for v in path_inputs()]
    return Run(lambda: run(*inputs))


def path_jax() -> Run | None:
    jax = find_jax()
    if jax is None:
        return None
    jnp = jax.numpy
    data = jnp.asarray(EFFECTS), jnp.asarray(ERRORS)
    slope = jax.grad(lambda q: density(jnp.sum, jnp.exp, q, data))
    run = jax.jit(partial(leaps, slope))
    inputs = [jnp.asarray(v) for v in path_inputs()]
    return Run(lambda: jax.block_until_ready(run(*inputs)))


def path_torch(compiled: bool) -> Run | None:
    torch = compiling_torch() if compiled else find("torch")
    if torch is None:
        return None
    data = torch.tensor(EFFECTS), torch.tensor(ERRORS)
    slope = torch.func.grad(lambda q: density(torch.sum, torch.exp, q, data))
    run: Any = partial(leaps, slope)
    if compiled:
        run = torch.compile(run)
    inputs = [torch.tensor(v) for v in path_inputs()]
    return Run(lambda: run(*inputs), torch_arrays)


def path_expected() -> list[Array]:
    run = path_taped("wengert", False, exact=True)
    assert run is not None
    return [v.numpy() for v in run.call()]


WORKLOADS = [
    Workload(
        f"network for Burgers' equation, {POINTS:,} points",
        contestants(BURGERS) | {"torch.compile": COMPILED},
        expected_of(BURGERS),
        {BEST: 1.0},
    ),
    Workload(
        f"likelihood of a Gaussian process, {SAMPLES} points",
        contestants(PROCESS),
        expected_of(PROCESS),
        {BEST: 1.0},
    ),
    Workload(
        f"neural differential equation, {STEPS} steps, batch {BATCH}",
        contestants(FLOW),
        expected_of(FLOW),
        {BEST: 1.0},
    ),
    Workload(
        f"{LEAPS} leaps of Hamiltonian Monte Carlo",
        named(path_taped, path_jax, partial(path_torch, False), partial(path_torch, True)),
        path_expected,
        {"JAX jit": 0.3},
        "µs",
        1e6,
    ),
]
