"""The objectives of examples/adbench in NumPy's style, for JAX, HIPS autograd and PyTorch.

`xp` is the library's array functions; `log_sum_exp(x, axis)` is its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from benchmarks.adbench.given import inputs

Array = Any
LogSumExp = Callable[[Array, int], Array]


# ---- Gaussian mixture ------------------------------------------------------------------------


def below_diagonal(xp: Any, factors: Array, d: int, zeros: Array) -> Array:
    columns, begin = [], d
    for size in range(d - 1, -1, -1):
        columns.append(
            xp.concatenate([zeros[..., : d - size], factors[..., begin : begin + size]], -1)
        )
        begin += size
    return xp.stack(columns, -1)


def mixture_by_rows(
    xp: Any, log_sum_exp: LogSumExp, alphas: Array, means: Array, factors: Array, x: Array
) -> Array:
    d = x.shape[1]
    rows = [below_diagonal(xp, factors[k], d, x[0] * 0.0) for k in range(factors.shape[0])]
    centered = xp.stack([x[i] - means for i in range(x.shape[0])], 0)
    return likelihood(xp, log_sum_exp, alphas, factors, xp.stack(rows, 0), centered)


def mixture_in_batches(
    xp: Any, log_sum_exp: LogSumExp, alphas: Array, means: Array, factors: Array, x: Array
) -> Array:
    d = x.shape[1]
    lower = below_diagonal(xp, factors, d, factors[:, :d] * 0.0)
    return likelihood(xp, log_sum_exp, alphas, factors, lower, x[:, None, :] - means)


def likelihood(
    xp: Any, log_sum_exp: LogSumExp, alphas: Array, factors: Array, lower: Array, centered: Array
) -> Array:
    points, components, d = centered.shape
    logarithms = factors[:, :d]
    diagonal, logdet = xp.exp(logarithms), xp.sum(logarithms, 1)
    turned = diagonal * centered + xp.einsum("kij,nkj->nki", lower, centered)
    inner = alphas + logdet - 0.5 * xp.sum(turned**2, 2)
    squares = xp.sum(diagonal**2) + xp.sum(factors[:, d:] ** 2)
    prior = 0.5 * inputs.GAMMA**2 * squares - inputs.M * xp.sum(logdet)
    return (
        -0.5 * points * d * math.log(2 * math.pi)
        + xp.sum(log_sum_exp(inner, 1))
        - points * log_sum_exp(alphas, 0)
        + prior
        - components * inputs.wishart_constant(d)
    )


# ---- bundle adjustment -----------------------------------------------------------------------


def bundle(xp: Any, camera: Array, point: Array, weight: Array, seen: Array) -> Array:
    rotation, centre, focal = camera[:, 0:3], camera[:, 3:6], camera[:, 6:7]
    middle, distortion = camera[:, 7:9], camera[:, 9:11]
    moved = rotated(xp, rotation, point - centre)
    flat = moved[:, 0:2] / moved[:, 2:3]
    square = xp.sum(flat**2, 1)[:, None]
    bent = flat * (1.0 + square * (distortion[:, 0:1] + square * distortion[:, 1:2]))
    return weight[:, None] * (bent * focal + middle - seen)


def rotated(xp: Any, rotation: Array, x: Array) -> Array:
    angle = xp.sqrt(xp.sum(rotation**2, 1)[:, None])
    axis = rotation / angle
    along = xp.sum(axis * x, 1)[:, None]
    a, b = [axis[:, i] for i in range(3)], [x[:, i] for i in range(3)]
    cross = xp.stack([a[i - 2] * b[i - 1] - a[i - 1] * b[i - 2] for i in range(3)], -1)
    return x * xp.cos(angle) + cross * xp.sin(angle) + axis * along * (1.0 - xp.cos(angle))


# ---- hand tracking ---------------------------------------------------------------------------


def hand(
    xp: Any,
    theta: Array,
    base: Array,
    inverse: Array,
    corners: Array,
    weights: Array,
    points: Array,
) -> Array:
    turned = rotations(xp, angles(xp, theta))
    absolute: list[Array] = []
    for bone, parent in enumerate(inputs.parents()):
        own = base[bone] @ turned[bone]
        absolute.append(own if parent < 0 else absolute[parent] @ own)
    transforms = xp.stack(absolute, 0) @ inverse
    skin = xp.sum((transforms @ corners)[:, :3] * weights[:, None, :], 0)
    return points - rotation(xp, theta[0:3]) @ skin - theta[3:6, None]


def angles(xp: Any, theta: Array) -> Array:
    none = theta[0] * 0.0
    zero = xp.stack([none, none, none], 0)
    rows = [zero]
    for finger in range(inputs.FINGERS):
        a = theta[6 + 4 * finger : 10 + 4 * finger]
        rows.append(xp.stack([a[0], a[1], none], 0))
        rows += [xp.stack([a[j], none, none], 0) for j in (2, 3)]
        rows += [zero] * (inputs.JOINTS - 3)
    return xp.stack(rows + [zero] * (inputs.BONES - len(rows)), 0)


def rotations(xp: Any, a: Array) -> Array:
    s, c = xp.sin(a), xp.cos(a)
    o = s[:, 0] * 0.0
    i = o + 1.0

    def matrix(*numbers: Array) -> Array:
        return xp.stack(numbers, -1).reshape(-1, 4, 4)

    x = matrix(i, o, o, o, o, c[:, 0], -s[:, 0], o, o, s[:, 0], c[:, 0], o, o, o, o, i)
    y = matrix(c[:, 1], o, s[:, 1], o, o, i, o, o, -s[:, 1], o, c[:, 1], o, o, o, o, i)
    z = matrix(c[:, 2], -s[:, 2], o, o, s[:, 2], c[:, 2], o, o, o, o, i, o, o, o, o, i)
    return z @ (y @ x)


def rotation(xp: Any, axis: Array) -> Array:
    angle = xp.sqrt(xp.sum(axis**2))
    x, y, z = (axis[i] / angle for i in range(3))
    o = x * 0.0
    cross = xp.stack([o, -z, y, z, o, -x, -y, x, o], 0).reshape(3, 3)
    ones = xp.stack([o + 1.0, o, o, o, o + 1.0, o, o, o, o + 1.0], 0).reshape(3, 3)
    return ones + xp.sin(angle) * cross + (1.0 - xp.cos(angle)) * (cross @ cross)


# ---- language model --------------------------------------------------------------------------


def model(xp: Any, main: Array, extra: Array, state: Array, characters: Array) -> Array:
    count, size = characters.shape
    layers = main.shape[0] // 2
    states = [(state[2 * k], state[2 * k + 1]) for k in range(layers)]
    total: Any = 0.0
    for t in range(count - 1):
        x = characters[t] * extra[0]
        for k in range(layers):
            states[k] = cell(xp, main[2 * k], main[2 * k + 1], *states[k], x)
            x = states[k][0]
        guess = x * extra[1] + extra[2]
        logs = guess - xp.log(2.0 + xp.sum(xp.exp(guess)))
        total = total + xp.sum(characters[t + 1] * logs)
    return -total / ((count - 1) * size)


def cell(
    xp: Any, weight: Array, bias: Array, hidden: Array, memory: Array, x: Array
) -> tuple[Array, Array]:
    size = x.shape[0]
    parts = [slice(k * size, (k + 1) * size) for k in range(4)]
    w, b = [weight[p] for p in parts], [bias[p] for p in parts]

    def sigmoid(v: Array) -> Array:
        return 1.0 / (1.0 + xp.exp(-v))

    forget, take = sigmoid(x * w[0] + b[0]), sigmoid(hidden * w[1] + b[1])
    give, change = sigmoid(x * w[2] + b[2]), xp.tanh(hidden * w[3] + b[3])
    memory = memory * forget + take * change
    return give * xp.tanh(memory), memory
