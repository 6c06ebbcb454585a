"""Programs to be run as on another machine: python machine_programs.py MACHINE FILE writes what they give."""

from __future__ import annotations

import os
import resource
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import wengert as tf
from wengert.engines.native.runtime import processor
from wengert.host import threads

Function = Callable[..., Any]

# ---- machines -----------------------------------------------------------------------------------


def without(level: str, *features: str) -> None:
    """A processor of an older level, which lacks these features and those that begin so."""
    own = frozenset(f for f in processor.features() if not f.startswith(features))
    replace(processor, "features", lambda: own)
    known = processor.asked()[1].split(",")
    left = ",".join("-" + f[1:] if f[1:].startswith(features) else f for f in known)
    replace(processor, "asked", lambda: (level, left))


def narrow() -> None:
    """Vectors of 16 bytes as ARM has them; LLVM has no multiply-add for x86 without wider ones."""
    replace(processor, "vector_bytes", lambda: 16)
    without("x86-64-v3", "avx512")


def replace(module: Any, name: str, other: Any) -> None:
    setattr(module, name, other)


def of_threads(count: int) -> None:
    """As many threads as on a machine of so many cores."""
    replace(threads, "available", lambda: count)
    tf.config.set_threads(count)


def one_core() -> None:
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def of_memory(size: int) -> None:
    """So many bytes of addresses, of which a process has more than of memory."""
    resource.setrlimit(resource.RLIMIT_AS, (size, size))


MACHINES: dict[str, Callable[[], None]] = {
    "interpreted": lambda: tf.config.set_engine("numpy"),
    "as it is": lambda: None,
    "vectors of 32 bytes": partial(without, "x86-64-v3", "avx512"),
    "vectors of 16 bytes": narrow,
    "no multiply-add": partial(
        without, "x86-64-v2", "avx", "fma", "bmi", "f16c", "vaes", "vpclmul"
    ),
    "one core": one_core,
    "one thread": partial(of_threads, 1),
    "64 threads": partial(of_threads, 64),
    "1 GB": partial(of_memory, 1 << 30),
}

# ---- programs -------------------------------------------------------------------------------------


def normal(*shape: int, kind: str = "f4") -> np.ndarray[Any, Any]:
    return np.random.default_rng(sum(shape)).normal(size=shape).astype(kind)


def differentiated(f: Function) -> Function:
    def value_and_gradient(*xs: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(xs)
            y = f(*xs)
        return y, tape.gradient(y, xs)

    return value_and_gradient


def network(x: Any, w: Any, v: Any) -> Any:
    hidden = tf.nn.relu(x @ w)
    labels = tf.range(x.shape[0]) % 10
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels, hidden @ v)


def images(x: Any, filters: Any) -> Any:
    y = tf.nn.conv2d(x, filters, 1, "SAME") + 0.1
    return tf.nn.max_pool2d(tf.nn.elu(y), 3, 2, "SAME") ** 2


def attention(q: Any, k: Any) -> Any:
    weights = tf.nn.softmax(tf.matmul(q, k, transpose_b=True) / 3.0)
    return weights @ tf.tanh(k)


def recurrent(x: Any, w: Any) -> Any:
    states = tf.TensorArray(x.dtype, x.shape[0])

    def body(i: Any, h: Any, states: Any) -> Any:
        h = tf.tanh(h @ w + x[i])
        return i + 1, h, states.write(i, h)

    start = 0, tf.zeros_like(x[0]), states
    return tf.while_loop(lambda i, *_: i < x.shape[0], body, start)[2].stack()


def ordered(x: Any) -> Any:
    places = tf.argsort(x, stable=True)
    return tf.sort(x) * tf.cumsum(x, -1) + tf.gather(x, places, batch_dims=1), places


def solved(a: Any, b: Any) -> Any:
    spd = tf.matmul(a, a, transpose_b=True) + 9.0 * tf.eye(a.shape[-1], dtype=a.dtype)
    return tf.linalg.cholesky_solve(tf.linalg.cholesky(spd), b)


def drawn(x: Any) -> Any:
    uniform = tf.random.stateless_uniform(x.shape, [1, 2])
    return uniform, tf.where(uniform < 0.3, 0.0, x / 0.7)


def twice(x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(tf.sin(x) * tf.math.softplus(x))
    return tape.gradient(y, x)


def along_axes(x: Any, scale: Any) -> Any:
    scaled = x * scale[:, :, None]
    return [tf.reduce_sum(scaled * tf.sin(scaled), axis) for axis in (0, [1, 2], [0, 2], None)]


def many_small(a: Any, b: Any) -> Any:
    once = tf.matmul(a, b, transpose_b=True)
    turned = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, tf.tanh(a @ y)), (0, once))
    return once, turned[1]


def branches(x: Any) -> Any:
    return tf.cond(tf.reduce_sum(x) > 0.0, lambda: tf.exp(-x * x), lambda: tf.math.erf(x))


PROGRAMS: dict[str, tuple[Function, list[Any]]] = {
    "network": (differentiated(network), [normal(37, 65), normal(65, 33), normal(33, 10)]),
    "images": (differentiated(images), [normal(3, 13, 11, 5), normal(3, 3, 5, 7)]),
    "tiles": (differentiated(images), [normal(4, 23, 21, 32), normal(3, 3, 32, 32) / 9]),
    "long filters": (differentiated(images), [normal(2, 26, 29, 32), normal(5, 5, 32, 32) / 9]),
    "attention": (differentiated(attention), [normal(2, 3, 29, 9), normal(2, 3, 29, 9)]),
    "recurrent": (differentiated(recurrent), [normal(23, 4, 17), normal(17, 17) / 9]),
    "sorted": (ordered, [normal(7, 301)]),
    "solved": (differentiated(solved), [normal(5, 11, 11, kind="f8"), normal(5, 11, 2, kind="f8")]),
    "drawn": (drawn, [normal(1031)]),
    "large": (differentiated(lambda x: tf.math.log1p(tf.exp(x))), [normal(700_001)]),
    "sums": (lambda x: [tf.reduce_logsumexp(x, k) for k in (0, 1)], [normal(999, 501)]),
    "many small": (differentiated(many_small), [normal(5003, 3, 3), normal(5003, 3, 3)]),
    "points": (differentiated(along_axes), [normal(40, 6, 3), normal(40, 6)]),
    "lines": (differentiated(along_axes), [normal(9, 5, 33), normal(9, 5)]),
    "second order": (differentiated(twice), [normal(53)]),
    "branches": (differentiated(branches), [normal(8, 3, kind="f8")]),
}


def main() -> None:
    machine, file = sys.argv[1:]
    MACHINES[machine]()
    found = {}
    for name, (f, given) in PROGRAMS.items():
        function = tf.function(f, jit_compile=machine != "interpreted")
        for k, y in enumerate(tf.nest.flatten(function(*map(tf.constant, given)))):
            found[f"{name} {k}"] = y.numpy()
    np.savez(file, **found)


if __name__ == "__main__":
    main()
