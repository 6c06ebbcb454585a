"""The likelihood of a Gaussian mixture with a Wishart prior, in two styles of writing it.

The inverse covariance of a component is Q'Q; a row of `factors` has the logarithms of the diagonal
of Q, then the columns below it.
"""

import math

import tensorflow as tf
from inputs import GAMMA, M, wishart_constant


def batched(alphas, means, factors, x):
    """Each line is about all components and all points."""
    d = x.shape[1]
    return likelihood(alphas, factors, below_diagonal(factors, d), x[:, None, :] - means)


def by_rows(alphas, means, factors, x):
    """Loops over components and over points."""
    d = x.shape[1]
    lower = tf.stack([below_diagonal(factors[k], d) for k in range(factors.shape[0])])
    centered = tf.stack([x[i] - means for i in range(x.shape[0])])
    return likelihood(alphas, factors, lower, centered)


def below_diagonal(factors, d):
    """The part of Q below the diagonal: of one component, or of all of them."""
    columns, begin = [], d
    for size in range(d - 1, -1, -1):
        zeros = tf.zeros([*factors.shape[:-1], d - size], factors.dtype)
        columns.append(tf.concat([zeros, factors[..., begin : begin + size]], -1))
        begin += size
    return tf.stack(columns, -1)


def likelihood(alphas, factors, lower, centered):
    points, components, d = centered.shape
    logarithms = factors[:, :d]
    diagonal, logdet = tf.exp(logarithms), tf.reduce_sum(logarithms, 1)
    turned = diagonal * centered + tf.einsum("kij,nkj->nki", lower, centered)
    inner = alphas + logdet - 0.5 * tf.reduce_sum(turned**2, 2)
    squares = tf.reduce_sum(diagonal**2) + tf.reduce_sum(factors[:, d:] ** 2)
    prior = 0.5 * GAMMA**2 * squares - M * tf.reduce_sum(logdet)
    return (
        -0.5 * points * d * math.log(2 * math.pi)
        + tf.reduce_sum(tf.reduce_logsumexp(inner, 1))
        - points * tf.reduce_logsumexp(alphas)
        + prior
        - components * wishart_constant(d)
    )


def derivative(objective, alphas, means, factors, x):
    """Value and gradient."""
    sources = [alphas, means, factors]
    with tf.GradientTape() as tape:
        tape.watch(sources)
        value = objective(alphas, means, factors, x)
    return value, *tape.gradient(value, sources)
