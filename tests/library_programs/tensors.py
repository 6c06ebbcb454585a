"""Libraries of tensor functions that take the arrays of any framework."""

from __future__ import annotations

from typing import Any

import autoray
import eagerpy
import einops
import numpy as np
import tensorflow as tf
import tensorly
from tensorly.decomposition import parafac, tucker

MATRIX = tf.constant(np.arange(6.0).reshape(2, 3))


def of_einops() -> Any:
    x = tf.Variable(np.arange(24.0).reshape(2, 3, 4))
    with tf.GradientTape() as tape:
        rows = einops.rearrange(x, "a b c -> (a c) b")
        y = tf.reduce_sum(rows * einops.reduce(x, "a b c -> b", "mean"))
    products = tf.function(lambda v: einops.einsum(v, v, "a b c, a d c -> b d"))(x)
    return tape.gradient(y, x), products, einops.repeat(x[0], "b c -> (b 2) c")


def of_autoray() -> Any:
    do = autoray.do
    return [
        autoray.infer_backend(MATRIX), do("sum", do("exp", MATRIX)), do("transpose", MATRIX),
        do("tensordot", MATRIX, MATRIX, axes=[[0], [0]]), do("linalg.svd", MATRIX)[1],
    ]  # fmt: skip


def of_tensorly() -> Any:
    tensorly.set_backend("tensorflow")
    x = tensorly.tensor(np.arange(24.0).reshape(2, 3, 4))
    whole = tensorly.cp_to_tensor(parafac(x, rank=2, init="svd", n_iter_max=20))
    core = tensorly.tucker_to_tensor(tucker(x, rank=[2, 2, 2]))
    return tensorly.norm(whole - x) < 1.0, tensorly.norm(core - x), tensorly.unfold(x, 1)


def of_eagerpy() -> Any:
    x = eagerpy.astensor(tf.constant([[1.0, 2.0], [3.0, 4.0]]))
    value, gradient = eagerpy.value_and_grad(lambda z: (z**2).sum(), x)
    labels = eagerpy.astensor(tf.constant([0, 1]))
    return [
        value.raw, gradient.raw, x.softmax().raw, x.norms.l2().raw,
        eagerpy.crossentropy(x, labels).raw,
    ]  # fmt: skip


PROGRAMS = {
    "einops": of_einops,
    "autoray": of_autoray,
    "tensorly": of_tensorly,
    "eagerpy": of_eagerpy,
}
