"""A step of gradient descent on a small network of dense layers, parameters updated in place."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from benchmarks.native.libraries import compiling_torch, named
from benchmarks.native.workload import (
    BEST,
    FLOAT,
    Array,
    Run,
    Workload,
    doubles,
    find_jax,
    normal,
    whole,
)
from benchmarks.peers import find

SIZES = (784, 512, 512, 10)
BATCH = 128
RATE = 0.01
ONE_SIZE = "wengert, one size"


def parameters() -> list[Array]:
    """Weight and bias of each layer."""
    made = []
    for seed, (n, m) in enumerate(pairwise(SIZES), 1):
        w, b = normal((n, m), (m,), seed=seed)
        made += [w * FLOAT(np.sqrt(2 / n)), b * FLOAT(0.1)]
    return made


def data(batch: int = BATCH) -> tuple[Array, Array]:
    (x,) = normal((batch, SIZES[0]))
    return x, whole(SIZES[-1], batch)


# ---- by hand ------------------------------------------------------------------------------------


def step_by_hand(ps: Sequence[Array], x: Array, labels: Array) -> Any:
    """The loss; the parameters are changed. The reference too, on float64."""
    w1, b1, w2, b2, w3, b3 = ps
    h1 = np.maximum(x @ w1 + b1, 0)
    h2 = np.maximum(h1 @ w2 + b2, 0)
    logits = h2 @ w3 + b3
    logits -= logits.max(1, keepdims=True)
    e = np.exp(logits)
    total = e.sum(1, keepdims=True)
    rows = np.arange(len(labels))
    loss = np.mean(np.log(total[:, 0]) - logits[rows, labels])
    g = e / total
    g[rows, labels] -= 1
    g /= len(labels)
    g2 = (g @ w3.T) * (h2 > 0)
    g1 = (g2 @ w2.T) * (h1 > 0)
    for p, d in zip(
        ps, (x.T @ g1, g1.sum(0), h1.T @ g2, g2.sum(0), h2.T @ g, g.sum(0)), strict=True
    ):
        p -= RATE * d
    return loss


def expected() -> list[Array]:
    ps = doubles(parameters())
    return [step_by_hand(ps, *doubles(data())), *ps]


def in_numpy() -> Run:
    ps, given = parameters(), data()
    return Run(lambda: step_by_hand(ps, *given), lambda loss: [loss, *ps])


# ---- the libraries ------------------------------------------------------------------------------


def taped(module: str, compiled: bool) -> Run | None:
    """In TensorFlow, or ours: the function is for this batch alone."""
    tf = find(module)
    if tf is None:
        return None
    given = [tf.constant(v) for v in data()]
    variables, step = step_in(tf, compiled)
    return Run(lambda: step(*given), lambda loss: [loss, *(v.numpy() for v in variables)])


def of_any_batch(module: str, compiled: bool) -> Run | None:
    """The same, with a function for batches of any size."""
    tf = find(module)
    if tf is None:
        return None
    given = [tf.constant(v) for v in data()]
    variables, step = step_in(tf, compiled, any_batch(tf))
    return Run(lambda: step(*given), lambda loss: [loss, *(v.numpy() for v in variables)])


def any_batch(tf: Any) -> list[Any]:
    """The signature of a step for batches of any size."""
    return [tf.TensorSpec([None, SIZES[0]], FLOAT), tf.TensorSpec([None], tf.int32)]


def step_in(tf: Any, compiled: bool, signature: Any = None) -> tuple[list[Any], Any]:
    """The variables, and a step that changes them and returns the loss."""
    variables = [tf.Variable(p) for p in parameters()]

    @tf.function(jit_compile=compiled, input_signature=signature)
    def step(x: Any, labels: Any) -> Any:
        w1, b1, w2, b2, w3, b3 = variables
        with tf.GradientTape() as tape:
            h = tf.nn.relu(x @ w1 + b1)
            h = tf.nn.relu(h @ w2 + b2)
            loss = tf.reduce_mean(
                tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=h @ w3 + b3)
            )
        for v, g in zip(variables, tape.gradient(loss, variables), strict=True):
            v.assign_sub(RATE * g)
        return loss

    return variables, step


def in_jax() -> Run | None:
    jax = find_jax()
    if jax is None:
        return None
    given = [jax.numpy.asarray(v) for v in data()]
    held, call = step_in_jax(jax)
    return Run(lambda: call(*given), lambda loss: [loss, *held])


def step_in_jax(jax: Any) -> tuple[list[Any], Any]:
    """The parameters, and a step that replaces them and returns the loss."""
    jnp = jax.numpy
    held = [jnp.asarray(p) for p in parameters()]

    def mean_loss(ps: Any, x: Any, labels: Any) -> Any:
        w1, b1, w2, b2, w3, b3 = ps
        h = jax.nn.relu(x @ w1 + b1)
        h = jax.nn.relu(h @ w2 + b2)
        logits = h @ w3 + b3
        at_label = jnp.take_along_axis(logits, labels[:, None], 1)[:, 0]
        return jnp.mean(jax.nn.logsumexp(logits, 1) - at_label)

    @partial(jax.jit, donate_argnums=0)
    def step(ps: Any, x: Any, labels: Any) -> Any:
        loss, gs = jax.value_and_grad(mean_loss)(ps, x, labels)
        return loss, [p - RATE * g for p, g in zip(ps, gs, strict=True)]

    def call(x: Any, labels: Any) -> Any:
        loss, held[:] = jax.block_until_ready(step(held, x, labels))
        return loss

    return held, call


def torch_loss(torch: Any, ps: Any, x: Any, labels: Any) -> Any:
    w1, b1, w2, b2, w3, b3 = ps
    h = torch.relu(x @ w1 + b1)
    h = torch.relu(h @ w2 + b2)
    return torch.nn.functional.cross_entropy(h @ w3 + b3, labels)


def torch_data(torch: Any) -> Any:
    x, labels = data()
    return torch.tensor(x), torch.tensor(labels.astype(np.int64))


def in_torch() -> Run | None:
    torch = find("torch")
    if torch is None:
        return None
    ps = [torch.tensor(p, requires_grad=True) for p in parameters()]
    given = torch_data(torch)

    def step() -> Any:
        loss = torch_loss(torch, ps, *given)
        gs = torch.autograd.grad(loss, ps)
        with torch.no_grad():
            for p, g in zip(ps, gs, strict=True):
                p.sub_(g, alpha=RATE)
        return loss.detach()

    return Run(step, lambda loss: [loss, *(p.detach() for p in ps)])


def in_compiled_torch() -> Run | None:
    torch = compiling_torch()
    if torch is None:
        return None
    ps = [torch.tensor(p) for p in parameters()]
    given = torch_data(torch)

    @torch.compile
    def step(ps: Any, x: Any, labels: Any) -> Any:
        gs, loss = torch.func.grad_and_value(partial(torch_loss, torch))(ps, x, labels)
        for p, g in zip(ps, gs, strict=True):
            p.sub_(g, alpha=RATE)
        return loss

    return Run(lambda: step(ps, *given), lambda loss: [loss, *ps])


WORKLOADS = [
    Workload(
        f"step of an MLP {'-'.join(map(str, SIZES))}, batch {BATCH}",
        named(taped, in_jax, in_torch, in_compiled_torch) | {"NumPy": in_numpy},
        expected,
        {BEST: 0.9},
    ),
    Workload(
        f"the same step in a function of batches of any size, batch {BATCH}",
        {
            "wengert": partial(of_any_batch, "wengert", True),
            ONE_SIZE: partial(taped, "wengert", True),
            "TensorFlow graph": partial(of_any_batch, "tensorflow", False),
        },
        expected,
        {ONE_SIZE: 1.15},
    ),
]
