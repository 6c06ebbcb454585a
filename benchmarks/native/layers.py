"""Softmax cross-entropy, layer normalisation and attention, with what each library has for them."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.native.libraries import contestants
from benchmarks.native.workload import BEST, FLOAT, Array, Program, Workload, doubles, normal, whole

# ---- softmax cross-entropy ----------------------------------------------------------------------

ROWS, CLASSES = 4096, 1000


def entropy_taped(tf: Any, logits: Any, labels: Any) -> Any:
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    return tf.reduce_mean(losses)


def entropy_jax(jax: Any, logits: Any, labels: Any) -> Any:
    """Through logsumexp: less than half the time of log_softmax or of one_hot."""
    at_label = jax.numpy.take_along_axis(logits, labels[:, None], 1)[:, 0]
    return jax.numpy.mean(jax.nn.logsumexp(logits, 1) - at_label)


def entropy_torch(torch: Any, logits: Any, labels: Any) -> Any:
    return torch.nn.functional.cross_entropy(logits, labels)


def entropy_expected() -> list[Array]:
    logits, labels = doubles(ENTROPY.inputs())
    e = np.exp(logits)
    total = e.sum(1, keepdims=True)
    rows = np.arange(ROWS)
    gradient = e / total
    gradient[rows, labels] -= 1
    return [np.mean(np.log(total[:, 0]) - logits[rows, labels]), gradient / ROWS]


ENTROPY = Program(
    # PyTorch takes no labels but int64; the others take them too.
    inputs=lambda: [*normal((ROWS, CLASSES)), whole(CLASSES, ROWS).astype(np.int64)],
    taped=entropy_taped,
    jax=entropy_jax,
    torch=entropy_torch,
)

# ---- layer normalisation ------------------------------------------------------------------------

EXAMPLES, FEATURES = 4096, 1024
EPSILON = 1e-5


def norm_inputs() -> list[Array]:
    """What is normalised, scale and offset, and the weights of the results in the sum."""
    return normal((EXAMPLES, FEATURES), (FEATURES,), (FEATURES,), (EXAMPLES, FEATURES))


def norm_taped(tf: Any, x: Any, scale: Any, offset: Any, weights: Any) -> Any:
    mean, variance = tf.nn.moments(x, [-1], keepdims=True)
    y = (x - mean) * tf.math.rsqrt(variance + EPSILON) * scale + offset
    return tf.reduce_sum(y * weights)


def norm_jax(jax: Any, x: Any, scale: Any, offset: Any, weights: Any) -> Any:
    mean, variance = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
    y = (x - mean) * jax.lax.rsqrt(variance + EPSILON) * scale + offset
    return (y * weights).sum()


def norm_torch(torch: Any, x: Any, scale: Any, offset: Any, weights: Any) -> Any:
    y = torch.nn.functional.layer_norm(x, (FEATURES,), scale, offset, EPSILON)
    return (y * weights).sum()


def norm_expected() -> list[Array]:
    x, scale, offset, weights = doubles(norm_inputs())
    factor = 1 / np.sqrt(x.var(1, keepdims=True) + EPSILON)
    unit = (x - x.mean(1, keepdims=True)) * factor
    g = weights * scale
    along = unit * (g * unit).mean(1, keepdims=True)
    dx = (g - g.mean(1, keepdims=True) - along) * factor
    value = ((unit * scale + offset) * weights).sum()
    return [value, dx, (weights * unit).sum(0), weights.sum(0)]


NORM = Program(norm_inputs, norm_taped, norm_jax, norm_torch, gradients=(0, 1, 2))

# ---- attention ----------------------------------------------------------------------------------

BATCH, POSITIONS, WIDTH, HEADS = 8, 128, 512, 8
EACH = WIDTH // HEADS


def attention_inputs() -> list[Array]:
    x, *weights = normal((BATCH, POSITIONS, WIDTH), *[(WIDTH, WIDTH)] * 4)
    return [x, *(w * FLOAT(WIDTH**-0.5) for w in weights)]


def attention_taped(tf: Any, x: Any, wq: Any, wk: Any, wv: Any, wo: Any) -> Any:
    def heads(w: Any) -> Any:
        return tf.transpose(tf.reshape(x @ w, [BATCH, POSITIONS, HEADS, EACH]), [0, 2, 1, 3])

    scores = tf.matmul(heads(wq), heads(wk), transpose_b=True) * EACH**-0.5
    mixed = tf.transpose(tf.nn.softmax(scores) @ heads(wv), [0, 2, 1, 3])
    return tf.reduce_sum(tf.square(tf.reshape(mixed, [BATCH, POSITIONS, WIDTH]) @ wo))


def attention_jax(jax: Any, x: Any, wq: Any, wk: Any, wv: Any, wo: Any) -> Any:
    q, k, v = ((x @ w).reshape(BATCH, POSITIONS, HEADS, EACH) for w in (wq, wk, wv))
    mixed = jax.nn.dot_product_attention(q, k, v)
    return jax.numpy.square(mixed.reshape(BATCH, POSITIONS, WIDTH) @ wo).sum()


def attention_torch(torch: Any, x: Any, wq: Any, wk: Any, wv: Any, wo: Any) -> Any:
    def heads(w: Any) -> Any:
        return (x @ w).view(BATCH, POSITIONS, HEADS, EACH).transpose(1, 2)

    mixed = torch.nn.functional.scaled_dot_product_attention(heads(wq), heads(wk), heads(wv))
    return (mixed.transpose(1, 2).reshape(BATCH, POSITIONS, WIDTH) @ wo).square().sum()


def attention_expected() -> list[Array]:
    x, wq, wk, wv, wo = doubles(attention_inputs())
    q, k, v = (split_heads(x @ w) for w in (wq, wk, wv))
    e = np.exp(q @ k.swapaxes(2, 3) * EACH**-0.5)
    s = e / e.sum(-1, keepdims=True)
    mixed = merge_heads(s @ v)
    y = mixed @ wo
    g = split_heads(2 * y @ wo.T)
    gs = g @ v.swapaxes(2, 3)
    gz = s * (gs - (gs * s).sum(-1, keepdims=True)) * EACH**-0.5
    gq, gk, gv = (merge_heads(d) for d in (gz @ k, gz.swapaxes(2, 3) @ q, s.swapaxes(2, 3) @ g))
    dx = gq @ wq.T + gk @ wk.T + gv @ wv.T
    weights = [across(x, d) for d in (gq, gk, gv)]
    return [np.square(y).sum(), dx, *weights, across(mixed, 2 * y)]


def split_heads(z: Array) -> Array:
    return z.reshape(BATCH, POSITIONS, HEADS, EACH).swapaxes(1, 2)


def merge_heads(z: Array) -> Array:
    return z.swapaxes(1, 2).reshape(BATCH, POSITIONS, WIDTH)


def across(x: Array, g: Array) -> Array:
    """The gradient of a weight matrix, over all positions of the batch."""
    return x.reshape(-1, WIDTH).T @ g.reshape(-1, WIDTH)


ATTENTION = Program(
    attention_inputs, attention_taped, attention_jax, attention_torch, gradients=range(5)
)

WORKLOADS = [
    Workload(
        f"softmax cross-entropy {ROWS} x {CLASSES}",
        contestants(ENTROPY),
        entropy_expected,
        {BEST: 0.9},
    ),
    Workload(
        f"attention {BATCH} x {POSITIONS} x {WIDTH}, {HEADS} heads",
        contestants(ATTENTION),
        attention_expected,
        {BEST: 0.9},
    ),
    Workload(
        f"layer normalisation {EXAMPLES} x {FEATURES}",
        contestants(NORM),
        norm_expected,
        {BEST: 0.9},
    ),
]
