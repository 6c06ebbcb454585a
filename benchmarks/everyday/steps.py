"""Eager gradients and training steps, and a compiled step whose batch is not known, by library."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from benchmarks.everyday import sessions
from benchmarks.everyday.sessions import Run, numbers
from benchmarks.peers import find

LAYERS = (784, 512, 512, 10)
BATCH = 128
RATE = 0.01
IMAGES = (32, 32, 32, 3)
FILTERS = ((3, 3, 3, 16), (3, 3, 16, 32))
TAPE = "a GradientTape around three operations"
PERCEPTRON = "an eager step of a perceptron 784-512-512-10, batch 128"
CONVOLUTIONS = "an eager step of two convolutions, batch 32 of 32 x 32"
KNOWN = "a compiled step of the perceptron, batch 128 known"
UNKNOWN = "the same, the batch not known at tracing"


def perceptron_inputs() -> tuple[Any, Any, list[Any]]:
    weights = [numbers(m, n) for m, n in pairwise(LAYERS)]
    return numbers(BATCH, LAYERS[0]) * 10, np.arange(BATCH) % 10, weights


def image_inputs() -> tuple[Any, Any, list[Any]]:
    labels = np.arange(IMAGES[0]) % 10
    return numbers(*IMAGES) * 50, labels, [*(numbers(*s) for s in FILTERS), numbers(32, 10)]


def runs(library: str) -> Mapping[str, Run] | None:
    """What a library is timed at, by name; None if it is not there."""
    module = find(library)
    if module is None:
        return None
    return in_torch(module) if library == "torch" else in_tensorflow(module)


# ---- TensorFlow's programs, which are ours ----------------------------------------------------------


def in_tensorflow(tf: Any) -> Mapping[str, Run]:
    x = tf.constant(3.0)

    def tape() -> Any:
        with tf.GradientTape() as t:
            t.watch(x)
            y = tf.sin(x) * x + x
        return t.gradient(y, x)

    def perceptron(rows: Any, weights: Any) -> Any:
        for w in weights[:-1]:
            rows = tf.nn.relu(rows @ w)
        return rows @ weights[-1]

    def images(pixels: Any, weights: Any) -> Any:
        y = tf.nn.relu(tf.nn.conv2d(pixels, weights[0], 1, "SAME"))
        y = tf.nn.relu(tf.nn.conv2d(tf.nn.max_pool2d(y, 2, 2, "SAME"), weights[1], 1, "SAME"))
        return tf.reduce_mean(y, [1, 2]) @ weights[2]

    def compiled(size: int | None) -> Run:
        step, given = _step(tf, perceptron, *perceptron_inputs())
        rows, labels = given
        form = [tf.TensorSpec([size, LAYERS[0]], rows.dtype), tf.TensorSpec([size], labels.dtype)]
        function = tf.function(step, input_signature=form, jit_compile=True)
        return lambda: function(*given)

    def eager(network: Any, inputs: Any) -> Run:
        step, given = _step(tf, network, *inputs)
        return lambda: step(*given)

    return {
        TAPE: tape,
        PERCEPTRON: eager(perceptron, perceptron_inputs()),
        CONVOLUTIONS: eager(images, image_inputs()),
        KNOWN: compiled(BATCH),
        UNKNOWN: compiled(None),
        **sessions.runs(tf),
    }


def _step(tf: Any, network: Any, x: Any, labels: Any, weights: Any) -> tuple[Any, Any]:
    variables = [tf.Variable(w) for w in weights]

    def step(x: Any, labels: Any) -> Any:
        with tf.GradientTape() as tape:
            scores = network(x, variables)
            loss = tf.reduce_mean(
                tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=scores)
            )
        for v, g in zip(variables, tape.gradient(loss, variables), strict=True):
            v.assign_sub(RATE * g)
        return loss

    return step, (tf.constant(x), tf.constant(labels))


# ---- PyTorch's ---------------------------------------------------------------------------------------


def in_torch(torch: Any) -> Mapping[str, Run]:
    x = torch.tensor(3.0, requires_grad=True)
    functional = torch.nn.functional

    def tape() -> Any:
        return torch.autograd.grad(torch.sin(x) * x + x, x)

    def perceptron(rows: Any, weights: Any) -> Any:
        for w in weights[:-1]:
            rows = torch.relu(rows @ w)
        return rows @ weights[-1]

    def images(pixels: Any, weights: Any) -> Any:
        y = torch.relu(functional.conv2d(pixels, weights[0], padding=1))
        y = torch.relu(functional.conv2d(functional.max_pool2d(y, 2), weights[1], padding=1))
        return y.mean((2, 3)) @ weights[2]

    pixels, labels, (*filters, last) = image_inputs()
    turned = [np.ascontiguousarray(f.transpose(3, 2, 0, 1)) for f in filters]
    of_images = np.ascontiguousarray(pixels.transpose(0, 3, 1, 2)), labels, [*turned, last]
    return {
        TAPE: tape,
        PERCEPTRON: _torch_step(torch, perceptron, *perceptron_inputs()),
        CONVOLUTIONS: _torch_step(torch, images, *of_images),
    }


def _torch_step(torch: Any, network: Any, x: Any, labels: Any, weights: Any) -> Run:
    rows, targets = torch.tensor(x), torch.tensor(labels)
    parameters = [torch.tensor(w, requires_grad=True) for w in weights]

    def step() -> Any:
        loss = torch.nn.functional.cross_entropy(network(rows, parameters), targets)
        gradients = torch.autograd.grad(loss, parameters)
        with torch.no_grad():
            for p, g in zip(parameters, gradients, strict=True):
                p -= RATE * g
        return loss.detach().numpy()

    return step
