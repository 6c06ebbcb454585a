"""Single operations on about a million elements: the value, and the gradient in each input.

The same calls run on Wengert and on TensorFlow's eager mode. What is timed of a gradient is the
sweep alone, not the recording. To add an operation, add a line to OPERATIONS.
"""

from __future__ import annotations

import functools
import importlib
import json
import sys
import time
import tracemalloc
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from benchmarks.timing import interleaved
from benchmarks.worker import Worker, several

LIBRARIES = ("wengert", "tensorflow")
BAR = 1.5  # times TensorFlow's eager time, at most


class Operation(NamedTuple):
    """How to call an operation of the library `tf`, and the shapes of its float32 inputs."""

    name: str
    call: Callable[..., Any]  # call(tf, *inputs)
    shapes: Sequence[tuple[int, ...]]
    gradients: Sequence[int] = (0,)  # the inputs in which its gradient is timed


def _conv(size: int, channels: int, made: int, images: int, pixels: int, **given: Any) -> Operation:
    attrs = {"strides": 1, "padding": "SAME", **given}
    said = "".join(f", {k} {v}" for k, v in given.items())
    return Operation(
        f"conv2d {size}x{size}, {channels} to {made} channels{said}",
        lambda tf, x, w: tf.nn.conv2d(x, w, **attrs),
        [(images, pixels, pixels, channels), (size, size, channels, made)],
        (0, 1),
    )


def _pool(name: str, size: int, stride: int) -> Operation:
    return Operation(
        f"{name} {size}x{size}, stride {stride}",
        lambda tf, x: getattr(tf.nn, name)(x, size, stride, "SAME"),
        [(16, 64, 64, 16)],
    )


MILLION = (1000, 1000)


def _elementwise(name: str, call: Callable[..., Any], inputs: int = 1) -> Operation:
    return Operation(name, call, [MILLION] * inputs, tuple(range(inputs)))


def _whole(tf: Any, high: int, count: int) -> Any:
    """The same pseudo-random whole numbers for every library."""
    return tf.constant(np.random.default_rng(0).integers(0, high, count).astype(np.int32))


def _normalised(tf: Any, x: Any) -> Any:
    mean, variance = tf.nn.moments(x, [0])
    return tf.nn.batch_normalization(x, mean, variance, 0.5, 2.0, 1e-3)


def _fused(tf: Any, x: Any, scale: Any, offset: Any) -> Any:
    return tf.compat.v1.nn.fused_batch_norm(x, scale, offset)[0]


COMMON: Sequence[Operation] = [
    _elementwise("add", lambda tf, x, y: x + y, 2),
    _elementwise("multiply", lambda tf, x, y: x * y, 2),
    _elementwise("divide", lambda tf, x, y: x / (y * y + 1.0), 2),
    _elementwise("exp", lambda tf, x: tf.exp(x)),
    _elementwise("log", lambda tf, x: tf.math.log(x * x + 1.0)),
    _elementwise("tanh", lambda tf, x: tf.tanh(x)),
    _elementwise("sigmoid", lambda tf, x: tf.sigmoid(x)),
    _elementwise("sqrt", lambda tf, x: tf.sqrt(x * x + 1.0)),
    _elementwise("relu", lambda tf, x: tf.nn.relu(x)),
    _elementwise("maximum", lambda tf, x, y: tf.maximum(x, y), 2),
    _elementwise("where", lambda tf, x, y: tf.where(x > 0.0, x, y), 2),
    _elementwise("transpose", lambda tf, x: tf.transpose(x)),
    _elementwise("reduce_sum of rows", lambda tf, x: tf.reduce_sum(x, 1)),
    _elementwise("reduce_mean of columns", lambda tf, x: tf.reduce_mean(x, 0)),
    _elementwise("reduce_max of rows", lambda tf, x: tf.reduce_max(x, 1)),
    _elementwise("reduce_logsumexp of rows", lambda tf, x: tf.reduce_logsumexp(x, 1)),
    _elementwise("cumsum", lambda tf, x: tf.cumsum(x, 1)),
    _elementwise("softmax", lambda tf, x: tf.nn.softmax(x)),
    _elementwise("log_softmax", lambda tf, x: tf.nn.log_softmax(x)),
    _elementwise(
        "sparse softmax cross entropy",
        lambda tf, x: tf.nn.sparse_softmax_cross_entropy_with_logits(_whole(tf, 1000, 1000), x),
    ),
    _elementwise(
        "sigmoid cross entropy",
        lambda tf, x, y: tf.nn.sigmoid_cross_entropy_with_logits(y, x),
        2,
    ),
    _elementwise("matmul", lambda tf, x, y: tf.matmul(x, y), 2),
    Operation("gather of rows", lambda tf, x: tf.gather(x, _whole(tf, 10000, 10000)) * 2.0,
              [(10000, 100)]),
    Operation("scatter_nd of rows",
              lambda tf, x: tf.scatter_nd(_whole(tf, 10000, 10000)[:, None], x, [10000, 100]),
              [(10000, 100)]),
    Operation("unsorted_segment_sum",
              lambda tf, x: tf.math.unsorted_segment_sum(x, _whole(tf, 1000, 10000), 1000),
              [(10000, 100)]),
    Operation("unsorted_segment_max",
              lambda tf, x: tf.math.unsorted_segment_max(x, _whole(tf, 1000, 10000), 1000),
              [(10000, 100)]),
    Operation("segment_mean",
              lambda tf, x: tf.math.segment_mean(x, tf.sort(_whole(tf, 1000, 10000))),
              [(10000, 100)]),
    Operation("top_k of rows", lambda tf, x: tf.math.top_k(x, 10)[0], [MILLION]),
    Operation("moments and batch_normalization", _normalised, [(4096, 256)]),
    Operation("fused_batch_norm", _fused, [(16, 32, 32, 64), (64,), (64,)]),
]  # fmt: skip

OPERATIONS: Sequence[Operation] = [
    *COMMON,
    _conv(3, 16, 32, 16, 64),
    _conv(3, 64, 64, 16, 32),
    _conv(3, 4, 16, 16, 128),
    _conv(3, 64, 64, 16, 32, strides=2),
    _conv(5, 16, 32, 16, 64),
    _conv(5, 64, 64, 16, 32),
    _conv(1, 64, 64, 16, 32),
    Operation(
        "depthwise_conv2d 3x3, 32 channels",
        lambda tf, x, w: tf.nn.depthwise_conv2d(x, w, [1, 1, 1, 1], "SAME"),
        [(8, 64, 64, 32), (3, 3, 32, 1)],
        (0, 1),
    ),
    _pool("max_pool2d", 2, 2),
    _pool("max_pool2d", 3, 2),
    _pool("max_pool2d", 3, 1),
    _pool("avg_pool2d", 2, 2),
    _pool("avg_pool2d", 3, 2),
    _pool("avg_pool2d", 3, 1),
    Operation(
        "local_response_normalization",
        lambda tf, x: tf.nn.local_response_normalization(x),
        [(16, 32, 32, 64)],
    ),
]


# ---- in the process of a library ----------------------------------------------------------------


def inputs(operation: Operation) -> list[Any]:
    rng = np.random.default_rng(1)
    return [rng.standard_normal(shape).astype(np.float32) for shape in operation.shapes]


def runs(library: str) -> dict[str, Callable[[], Any]] | None:
    """What can be asked for: each operation by name, and its gradients."""
    try:
        tf = importlib.import_module(library)
    except ImportError:
        return None
    made: dict[str, Callable[[], Any]] = {}
    for operation in OPERATIONS:
        made |= _runs_of(tf, operation)
    return made


def _runs_of(tf: Any, operation: Operation) -> dict[str, Callable[[], Any]]:
    def value() -> Any:
        return operation.call(tf, *held())

    def gradient(i: int, timed: bool) -> Any:
        xs = held()
        with tf.GradientTape() as tape:
            tape.watch(xs[i])
            y = operation.call(tf, *xs)
        g = cotangent(tuple(y.shape))
        began = time.perf_counter()
        found = tape.gradient(y, xs[i], output_gradients=g)
        return time.perf_counter() - began if timed else tf.convert_to_tensor(found)

    @functools.cache
    def cotangent(shape: tuple[int, ...]) -> Any:
        """Not all alike: what sums to zero otherwise is rounding."""
        return tf.constant(np.cos(np.arange(np.prod(shape)), dtype=np.float32).reshape(shape))

    arrays: list[Any] = []

    def held() -> list[Any]:
        if not arrays:
            arrays.extend(tf.constant(x) for x in inputs(operation))
        return arrays

    named = {operation.name: value}
    for i in operation.gradients:
        what = f"{operation.name}: gradient in input {i}"
        named[what] = partial(gradient, i, True)
        named[f"check {what}"] = partial(gradient, i, False)
    return named


def signature(result: Any) -> list[float]:
    """Two numbers that tell results apart: the length, and the length along some direction."""
    flat = np.asarray(result, np.float64).ravel()
    direction = np.cos(np.arange(flat.size))
    size = float(np.linalg.norm(flat))
    return [size, float(flat @ direction) / size]


def extra_memory(run: Callable[[], Any]) -> float:
    """The most bytes held at once beside the result."""
    run()  # inputs are made and modules loaded
    tracemalloc.start()
    result = run()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return float(peak - np.asarray(result).nbytes)


def serve(library: str) -> None:
    """Time what is asked for by name, or describe its result."""
    made = runs(library)
    if made is None:
        print("missing")
        return
    print("ready")
    for line in sys.stdin:
        what = line.strip()
        if what.startswith("signature "):
            name = what.removeprefix("signature ")
            print(json.dumps(signature(made.get(f"check {name}", made[name])())))
        elif what.startswith("memory "):
            name = what.removeprefix("memory ")
            print(extra_memory(made.get(f"check {name}", made[name])))
        else:
            print(float(np.median(several(made[what], 0.02))))


# ---- measuring --------------------------------------------------------------------------------


def measure(rounds: int, only: str = "") -> dict[str, dict[str, float]]:
    """Milliseconds of every operation and gradient in both libraries, after comparing results."""
    workers = {name: Worker(name, "benchmarks.operations") for name in LIBRARIES}
    there = {name: w for name, w in workers.items() if w.installed}
    measured = {}
    for what in _asked(only):
        _compare(what, there)
        timed = interleaved({n: partial(w.seconds, what) for n, w in there.items()}, rounds)
        measured[what] = {n: t.median * 1e3 for n, t in timed.items()}
        if what.startswith("conv2d"):
            measured[what]["extra MB"] = workers["wengert"].seconds(f"memory {what}") / 1e6
        print(_row(what, measured[what]), file=sys.stderr)
    for worker in workers.values():
        worker.close()
    return measured


def _asked(only: str) -> list[str]:
    names = []
    for operation in OPERATIONS:
        names.append(operation.name)
        names += [f"{operation.name}: gradient in input {i}" for i in operation.gradients]
    return [name for name in names if only in name]


def _compare(what: str, workers: dict[str, Worker]) -> None:
    told = [w.ask(f"signature {what}") for w in workers.values()]
    for other in told[1:]:
        np.testing.assert_allclose(other[0], told[0][0], rtol=1e-4, err_msg=what)
        np.testing.assert_allclose(other[1], told[0][1], atol=1e-3, err_msg=what)


def as_table(measured: dict[str, dict[str, float]]) -> list[str]:
    """The measurements as lines of Markdown."""
    lines = [
        f"## Operations on about a million float32, ms (limit {BAR} times TensorFlow's eager)",
        "",
        "| operation | Wengert | TensorFlow | ratio |",
        "| --- | --- | --- | --- |",
    ]
    extra = [times["extra MB"] for times in measured.values() if "extra MB" in times]
    if extra:
        note = [
            f"Beside its result, a convolution or its gradient (with what it keeps) held at most {max(extra):.0f} MB"
            " in arrays, and 1 MiB for each thread.",
            "",
        ]
    else:
        note = []
    return [*lines, *(_row(what, times) for what, times in measured.items()), "", *note]


def _row(what: str, times: dict[str, float]) -> str:
    ours, theirs = times["wengert"], times.get("tensorflow")
    beside = "" if theirs is None else f"{theirs:.2f}"
    ratio = "" if theirs is None else f"{ours / theirs:.2f}"
    return f"| {what} | {ours:.2f} | {beside} | {ratio} |"


def main() -> None:
    """python -m benchmarks.operations measure [PART OF A NAME]: this table alone."""
    only = sys.argv[2] if len(sys.argv) > 2 else ""
    print("\n".join(as_table(measure(5, only))))


if __name__ == "__main__":
    if sys.argv[1] == "measure":
        main()
    else:
        serve(sys.argv[1])
