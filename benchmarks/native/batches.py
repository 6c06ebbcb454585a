"""A step of the MLP for twenty batches, each of another size: what compiles for each of them pays."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from benchmarks.native import mlp
from benchmarks.native.workload import FLOAT, Array, Contestant, Run, doubles, find_jax
from benchmarks.peers import find

SIZES = tuple(map(int, np.random.default_rng(0).integers(20, 400, 20)))


def expected() -> list[Array]:
    """The losses of all steps."""
    ps = doubles(mlp.parameters())
    return [np.array([mlp.step_by_hand(ps, *doubles(mlp.data(n))) for n in SIZES])]


def taped(module: str, compiled: bool) -> Run | None:
    tf = find(module)
    if tf is None:
        return None
    batches = [[tf.constant(v) for v in mlp.data(n)] for n in SIZES]
    _, step = mlp.step_in(tf, compiled, mlp.any_batch(tf))
    return Run(lambda: [step(*batch) for batch in batches], losses)


def in_jax() -> Run | None:
    jax = find_jax()
    if jax is None:
        return None
    batches = [[jax.numpy.asarray(v) for v in mlp.data(n)] for n in SIZES]
    _, step = mlp.step_in_jax(jax)
    return Run(lambda: [step(*batch) for batch in batches], losses)


def losses(found: Any) -> list[Array]:
    return [np.array([FLOAT(loss) for loss in found])]


CONTESTANTS: dict[str, Contestant] = {
    "wengert": partial(taped, "wengert", True),
    "TensorFlow graph": partial(taped, "tensorflow", False),
    "TensorFlow XLA": partial(taped, "tensorflow", True),
    "JAX jit": in_jax,
}
