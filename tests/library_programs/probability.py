"""Distributions and bijectors of TensorFlow Probability."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import tensorflow as tf
import tensorflow_probability as tfp

tfd, tfb = tfp.distributions, tfp.bijectors
VECTOR = np.array([0.1, 0.2, 0.3], np.float32)
# A distribution, a point, and whether samples are the same numbers as TensorFlow's.
DISTRIBUTIONS: dict[str, tuple[Any, Any, bool]] = {
    "Normal": (lambda: tfd.Normal([0.0, 1.0], [1.0, 2.0]), [0.3, 0.4], True),
    "Gamma": (lambda: tfd.Gamma([1.0, 2.0], [1.0, 3.0]), [0.5, 0.7], False),
    "Beta": (lambda: tfd.Beta(2.0, 3.0), 0.3, False),
    "Bernoulli": (lambda: tfd.Bernoulli(logits=[0.5, -1.0]), [1.0, 0.0], True),
    "Categorical": (lambda: tfd.Categorical(logits=[0.0, 1.0, 2.0]), 1.0, True),
    "MultivariateNormalDiag": (
        lambda: tfd.MultivariateNormalDiag([0.0, 1.0], [1.0, 2.0]), [0.3, 0.4], True),
    "MultivariateNormalTriL": (
        lambda: tfd.MultivariateNormalTriL([0.0, 0.0], [[1.0, 0.0], [0.5, 2.0]]), [0.3, 0.4], True),
    "Poisson": (lambda: tfd.Poisson(3.0), 2.0, False),
    "StudentT": (lambda: tfd.StudentT(3.0, 0.0, 1.0), 0.3, False),
    "Laplace": (lambda: tfd.Laplace(0.0, 1.0), 0.3, True),
    "Cauchy": (lambda: tfd.Cauchy(0.0, 1.0), 0.3, True),
    "Exponential": (lambda: tfd.Exponential(2.0), 0.3, True),
    "Uniform": (lambda: tfd.Uniform(0.0, 2.0), 0.3, True),
    "LogNormal": (lambda: tfd.LogNormal(0.0, 1.0), 0.3, True),
    "Dirichlet": (lambda: tfd.Dirichlet([1.0, 2.0, 3.0]), [0.2, 0.3, 0.5], False),
    "Multinomial": (lambda: tfd.Multinomial(4.0, [0.2, 0.3, 0.5]), [1.0, 2.0, 1.0], False),
    "MixtureSameFamily": (
        lambda: tfd.MixtureSameFamily(
            tfd.Categorical(probs=[0.3, 0.7]), tfd.Normal([-1.0, 1.0], [0.5, 0.5])), 0.3, True),
    "Independent": (lambda: tfd.Independent(tfd.Normal([0.0, 1.0], 1.0), 1), [0.3, 0.4], True),
    "Transformed": (lambda: tfd.TransformedDistribution(tfd.Normal(0.0, 1.0), tfb.Exp()), 0.3, True),
    "WishartTriL": (
        lambda: tfd.WishartTriL(3.0, [[1.0, 0.0], [0.0, 1.0]]), [[2.0, 0.3], [0.3, 1.0]], False),
    "TruncatedNormal": (lambda: tfd.TruncatedNormal(0.0, 1.0, -1.0, 1.0), 0.3, False),
    "HalfNormal": (lambda: tfd.HalfNormal(2.0), 0.3, True),
    "Weibull": (lambda: tfd.Weibull(2.0, 1.0), 0.3, True),
    "Gumbel": (lambda: tfd.Gumbel(0.0, 1.0), 0.3, True),
    "Logistic": (lambda: tfd.Logistic(0.0, 1.0), 0.3, True),
    "Chi2": (lambda: tfd.Chi2(3.0), 1.3, False),
    "InverseGamma": (lambda: tfd.InverseGamma(3.0, 2.0), 0.7, False),
    "Binomial": (lambda: tfd.Binomial(5.0, probs=0.3), 2.0, False),
    "Geometric": (lambda: tfd.Geometric(probs=0.3), 2.0, True),
    "NegativeBinomial": (lambda: tfd.NegativeBinomial(3.0, probs=0.4), 3.0, False),
    "VonMises": (lambda: tfd.VonMises(0.0, 2.0), 0.5, True),
    "Pareto": (lambda: tfd.Pareto(3.0, 1.0), 1.3, True),
    "Kumaraswamy": (lambda: tfd.Kumaraswamy(2.0, 3.0), 0.4, True),
    "LKJ": (
        lambda: tfd.LKJ(3, 1.5), [[1.0, 0.2, 0.1], [0.2, 1.0, 0.3], [0.1, 0.3, 1.0]], False),
    "OneHotCategorical": (lambda: tfd.OneHotCategorical(logits=[0.0, 1.0]), [1.0, 0.0], True),
    "RelaxedBernoulli": (lambda: tfd.RelaxedBernoulli(0.5, logits=[0.3]), [0.4], True),
    "Deterministic": (lambda: tfd.Deterministic(1.0), 1.0, True),
    "HiddenMarkovModel": (
        lambda: tfd.HiddenMarkovModel(
            tfd.Categorical(probs=[0.5, 0.5]), tfd.Categorical(probs=[[0.7, 0.3], [0.2, 0.8]]),
            tfd.Normal([0.0, 3.0], [1.0, 1.0]), 5), [0.1, 0.2, 3.0, 2.0, 1.0], True),
}  # fmt: skip


def of_distribution(name: str) -> Any:
    """Samples, the density with its gradient, and the same in a function."""
    make, point, is_same = DISTRIBUTIONS[name]
    x = tf.constant(point, tf.float32)
    with tf.GradientTape() as tape:
        tape.watch(x)
        density = make().log_prob(x)
    again = tf.function(lambda v: make().log_prob(v))(x)
    samples = make().sample(2, seed=[1, 2])
    return (
        density,
        tape.gradient(density, x),
        again,
        samples if is_same else samples.shape.as_list(),
    )


BIJECTORS: dict[str, Any] = {
    "Exp": tfb.Exp, "Softplus": tfb.Softplus, "Sigmoid": tfb.Sigmoid, "Tanh": tfb.Tanh,
    "Shift": lambda: tfb.Shift(1.0), "Scale": lambda: tfb.Scale(2.0),
    "Chain": lambda: tfb.Chain([tfb.Exp(), tfb.Shift(1.0)]), "FillScaleTriL": tfb.FillScaleTriL,
    "Ascending": tfb.Ascending,
    "Permute": lambda: tfb.Permute([1, 0, 2]), "NormalCDF": tfb.NormalCDF, "Softsign": tfb.Softsign,
    "Reshape": lambda: tfb.Reshape([3, 1]), "Square": tfb.Square,
    "ScaleMatvecTriL": lambda: tfb.ScaleMatvecTriL(np.tril(np.ones((3, 3), np.float32))),
    "Invert": lambda: tfb.Invert(tfb.Exp()), "CorrelationCholesky": tfb.CorrelationCholesky,
    "RationalQuadraticSpline": lambda: tfb.RationalQuadraticSpline([1.0, 1.0], [1.0, 1.0], [1.0]),
}  # fmt: skip


def of_bijector(name: str) -> Any:
    """Forward, its determinant, and back."""
    b = BIJECTORS[name]()
    y = b.forward(VECTOR)
    return (
        y,
        b.forward_log_det_jacobian(VECTOR, b.forward_min_event_ndims),
        b.inverse(tf.identity(y)),
    )


def of_statistics(name: str) -> Any:
    """A statistic of several distributions."""
    names = ("Normal", "Gamma", "Beta", "MultivariateNormalTriL", "Exponential")
    return [getattr(DISTRIBUTIONS[n][0](), name)() for n in names]


PROGRAMS = {
    **{f"distribution {n}": functools.partial(of_distribution, n) for n in DISTRIBUTIONS},
    **{f"bijector {n}": functools.partial(of_bijector, n) for n in BIJECTORS},
    **{n: functools.partial(of_statistics, n) for n in ("mean", "variance", "entropy")},
    "divergence": lambda: tfd.kl_divergence(tfd.Normal(0.0, 1.0), tfd.Normal(1.0, 2.0)),
}
