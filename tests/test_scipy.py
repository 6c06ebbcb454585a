"""SciPy's functions with gradients: values are SciPy's, derivatives those of SciPy's differences."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
import scipy.integrate
import scipy.linalg
import scipy.signal
import scipy.special
import scipy.stats
from scipy_compared import DRAW, assert_same, directional, gradients, parts, same_draws  # noqa: F401

import wengert as tf
import wengert.scipy.integrate as integrate
import wengert.scipy.linalg as linalg
import wengert.scipy.signal as signal
import wengert.scipy.special as special
import wengert.scipy.stats as stats
from wengert.api.numpy.scipy_special import functions
from wengert.errors import GradientWarning
from wengert.scipy.stats.distribution import Continuous, Discrete

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")
COUNT = 40

# ---- what is compared ---------------------------------------------------------------------------


def slopes(f: Callable[..., Any], args: Sequence[Any], at: int) -> Any:
    """The derivative of an elementwise function by one argument, by differences of fourth order."""
    step = 1e-3 * np.maximum(np.abs(args[at]), 0.1)

    def moved(by: float) -> Any:
        return f(*args[:at], args[at] + by * step, *args[at + 1 :])

    return (8.0 * (moved(1) - moved(-1)) - (moved(2) - moved(-2))) / (12.0 * step)


# ---- distributions ------------------------------------------------------------------------------

RANGES = {
    "df": (0.5, 20.0),
    "s": (0.2, 2.0),
    "c": (0.4, 4.0),
    "dfn": (1.0, 9.0),
    "dfd": (1.0, 9.0),
    "kappa": (0.1, 9.0),
    "p": (0.05, 0.95),
    "mu": (0.1, 9.0),
}
WHOLE = {"n": (1, 12), "low": (-3, 2), "high": (3, 9)}
DISTRIBUTIONS = {
    name: d for name, d in vars(stats).items() if isinstance(d, (Continuous, Discrete))
}
OF_CONTINUOUS = ("pdf", "logpdf", "cdf", "sf", "logcdf", "logsf", "ppf", "isf")
OF_DISCRETE = ("pmf", "logpmf", "cdf", "sf", "logcdf", "logsf")
CASES = [
    (name, method)
    for name, d in DISTRIBUTIONS.items()
    for method in (OF_CONTINUOUS if isinstance(d, Continuous) else OF_DISCRETE)
    if {"logcdf": "cdf", "logsf": "sf"}.get(method, method) in d._functions
    or method in ("pdf", "pmf")
]


def drawn_shapes(name: str) -> list[Any]:
    if name == "truncnorm":
        low = DRAW.normal(0.0, 3.0, COUNT)
        return [low, low + DRAW.uniform(0.5, 5.0, COUNT)]
    found = []
    for shape in DISTRIBUTIONS[name]._parameters[: DISTRIBUTIONS[name]._count]:
        if shape in WHOLE:
            found.append(DRAW.integers(*WHOLE[shape], COUNT).astype(float))
        else:
            found.append(DRAW.uniform(*RANGES.get(shape, (0.3, 5.0)), COUNT))
    return found


def drawn(name: str, method: str) -> tuple[list[Any], dict[str, Any]]:
    """The variable and the shapes, and where the distribution is."""
    shapes, loc = drawn_shapes(name), DRAW.normal(0.0, 1.0, COUNT).round()
    if isinstance(DISTRIBUTIONS[name], Discrete):
        return [loc + DRAW.integers(-2, 14, COUNT), *shapes], {"loc": loc}
    scale = DRAW.uniform(0.3, 3.0, COUNT)
    if method in ("ppf", "isf"):
        # Differences are of no use where the step is not small beside the way to 0 or 1.
        return [DRAW.uniform(0.02, 0.98, COUNT), *shapes], {"loc": loc, "scale": scale}
    z = np.where(
        DRAW.random(COUNT) < 0.5, DRAW.normal(0.0, 3.0, COUNT), DRAW.gamma(1.0, 1.0, COUNT)
    )
    if name == "truncnorm":
        z = shapes[0] + DRAW.uniform(-0.1, 1.1, COUNT) * (shapes[1] - shapes[0])
    return [loc + scale * z, *shapes], {"loc": loc, "scale": scale}


@pytest.mark.parametrize(("name", "method"), CASES)
def test_values_are_scipys(name: str, method: str) -> None:
    """Also outside of the support, at its ends, at infinity, of NaN, and where there is no such distribution."""
    args, place = drawn(name, method)
    edges = [0.0, 1.0, -0.1, 1.1] if method in ("ppf", "isf") else [np.inf, -np.inf, 0.5, 0.0]
    args[0][:5] = [*edges, np.nan]
    args[0][3] += place["loc"][3] * (method not in ("ppf", "isf"))
    if "scale" in place:
        place["scale"][6] = -1.0
    ours = getattr(DISTRIBUTIONS[name], method)(*args, **place).numpy()
    theirs = getattr(getattr(scipy.stats, name), method)(*args, **place)
    known = ~(np.isinf(args[0]) & np.isnan(theirs))  # SciPy says NaN where densities vanish
    np.testing.assert_allclose(ours[known], theirs[known], 2e-11, 3e-16)
    density = {"pdf": 0.0, "logpdf": -np.inf, "pmf": 0.0, "logpmf": -np.inf}
    assert method not in density or (ours[:2] == density[method]).all()


@pytest.mark.parametrize(("name", "method"), CASES)
def test_derivatives_are_those_of_scipys_differences(name: str, method: str) -> None:
    """By the variable, location, scale and every shape that is a real number."""
    args, place = drawn(name, method)
    distribution, theirs = DISTRIBUTIONS[name], getattr(getattr(scipy.stats, name), method)
    names = [*distribution._parameters]
    values = [*args, *place.values()]

    def ours(*values: Any) -> Any:
        return getattr(distribution, method)(values[0], **dict(zip(names, values[1:], strict=True)))

    def scipys(*values: Any) -> Any:
        return theirs(values[0], **dict(zip(names, values[1:], strict=True)))

    whole = isinstance(distribution, Discrete)
    given = dict(zip(["x", *names], values, strict=True))
    for at, (what, pulled) in enumerate(zip(given, gradients(ours, values), strict=True)):
        if what in WHOLE or (whole and what in ("x", "loc")):
            continue
        expected = slopes(scipys, values, at)
        assert np.isfinite(pulled.numpy()).all()
        smooth = np.isfinite(expected) & is_far_from_ends(distribution, given)
        np.testing.assert_allclose(pulled.numpy()[smooth], expected[smooth], 2e-5, 1e-8)


def is_far_from_ends(distribution: Any, given: dict[str, Any]) -> Any:
    """Where differences do not reach over the end of the support, or over a corner of the density."""
    shapes = [given[n] for n in distribution._parameters[: distribution._count]]
    if isinstance(distribution, Discrete):
        return np.ones(COUNT, bool)
    z = (given["x"] - given["loc"]) / given["scale"]
    low, high = distribution._support(*shapes)
    return (abs(z - low) > 0.05) & (abs(z - high) > 0.05) & (abs(z) > 0.05)


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_second_derivatives(name: str) -> None:
    """Of the log density, by whatever the distribution has, against differences of the first."""
    args, place = drawn(name, "logpdf")
    distribution = DISTRIBUTIONS[name]
    is_whole = isinstance(distribution, Discrete)
    log = distribution.logpmf if is_whole else distribution.logpdf
    at = len(args) - 1 if is_whole or len(args) > 1 else 0
    if distribution._parameters[at - 1] in WHOLE and at:
        pytest.skip("its shapes are whole numbers")

    def first(*values: Any) -> Any:
        return gradients(lambda *v: log(*v, **place), values)[at].numpy()

    twice = lambda *v: gradients(lambda *u: log(*u, **place), v)[at] + 0.0 * v[at]  # noqa: E731
    pulled = gradients(twice, args)[at]
    expected = slopes(first, args, at)
    smooth = is_far_from_ends(
        distribution,
        {"x": args[0], **dict(zip(distribution._parameters, args[1:], strict=False)), **place},
    )
    np.testing.assert_allclose(pulled.numpy()[smooth], expected[smooth], 1e-4, 1e-7)


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_in_functions_of_sizes_that_are_not_known(name: str) -> None:
    """Compiled, and interpreted."""
    args, place = drawn(name, "logpdf")
    place = {n: values[0] for n, values in place.items()}
    distribution = DISTRIBUTIONS[name]
    log = distribution.logpmf if isinstance(distribution, Discrete) else distribution.logpdf
    total = lambda *values: tf.reduce_sum(tf.where(*finite(log(*values, **place))))  # noqa: E731

    def finite(x: Any) -> Any:
        return tf.math.is_finite(x), x, tf.zeros_like(x)

    spec = [tf.TensorSpec([None], tf.float64)] * len(args)
    expected = [g.numpy() for g in gradients(total, args)]
    for compiled in (True, False):
        inside = tf.function(
            lambda *v: tf.gradients(total(*v), list(v)), input_signature=spec, jit_compile=compiled
        )
        for g, e in zip(inside(*args), expected, strict=True):
            np.testing.assert_allclose(g.numpy(), e, 1e-9, 1e-12)


def test_frozen_and_wrong_arguments() -> None:
    frozen = stats.gamma(2.0, scale=3.0)
    assert_same(frozen.logpdf(1.5), scipy.stats.gamma(2.0, scale=3.0).logpdf(1.5))
    with pytest.raises(
        TypeError, match="The parameters of gamma are a, loc, scale; got 0 by position"
    ):
        stats.gamma.logpdf(1.0)
    with pytest.raises(TypeError, match="got 2 by position, a"):
        stats.gamma.logpdf(1.0, 2.0, 0.0, a=1.0)
    with pytest.raises(AttributeError, match=r"no 'rvs'\. It has cdf, isf, logcdf"):
        stats.norm.rvs(3)
    with pytest.raises(AttributeError, match="gamma has no ppf with a derivative"):
        stats.gamma.ppf(0.5, 2.0)
    assert repr(stats.t) == "<wengert.scipy.stats.t(df, loc, scale)>"


@pytest.mark.parametrize(
    "name", [n for n, d in DISTRIBUTIONS.items() if "isf" in d._functions and n != "truncnorm"]
)
@pytest.mark.parametrize("method", ["isf", "ppf"])
def test_quantiles_in_the_tails(name: str, method: str) -> None:
    """A small probability has all its digits."""
    shapes = [s[:3] for s in drawn_shapes(name)]
    q = np.array([1e-30, 1e-9, 1e-3])
    ours = getattr(DISTRIBUTIONS[name], method)(q, *shapes)
    assert_same(ours, getattr(getattr(scipy.stats, name), method)(q, *shapes), 1e-12)


@pytest.mark.parametrize("x", [np.inf, -np.inf, 1e300])
@pytest.mark.parametrize("name", ["norm", "beta", "gamma", "cauchy", "laplace"])
@pytest.mark.parametrize("method", ["pdf", "logpdf", "cdf", "sf", "logcdf", "logsf"])
def test_no_slope_is_nan_at_infinity(name: str, method: str, x: float) -> None:
    """By location and scale, also where the scale makes the variable infinite."""
    shapes = [np.array(2.0)] * DISTRIBUTIONS[name]._count
    args = [np.array(0.5), np.array(1e-10)]
    call = lambda *place: getattr(DISTRIBUTIONS[name], method)(x, *shapes, *place)  # noqa: E731
    assert not np.isnan(call(*map(tf.constant, args)))
    for pulled in gradients(call, args):
        assert not np.isnan(pulled.numpy())


@pytest.mark.parametrize("name", ["gamma", "chi2", "beta", "weibull_min", "rayleigh"])
def test_densities_that_vanish_at_an_end_have_slopes_by_their_parameters(name: str) -> None:
    shapes = [np.array(3.5)] * DISTRIBUTIONS[name]._count
    x = np.array([0.0, 0.5])
    both = [
        gradients(lambda *s, at=at: DISTRIBUTIONS[name].pdf(at, *s), [*shapes, 0.0, 1.0])
        for at in (x, x[1:])
    ]
    for with_end, without in zip(*both, strict=True):
        np.testing.assert_allclose(with_end, without, 1e-12)


LARGE = [
    ("t", "logpdf", [1.5, 1e6], 1),
    ("t", "logpdf", [0.5, 1e3], 1),
    ("nbinom", "logpmf", [3.0, 1e6, 0.999999], 1),
    ("nbinom", "logpmf", [30.0, 1e5, 0.999], 2),
    ("binom", "logpmf", [3.0, 1e6, 1e-6], 1),
    ("betabinom", "logpmf", [3.0, 10.0, 1e5, 2e5], 2),
    ("f", "logpdf", [1.5, 2.0, 1e6], 1),
    ("beta", "logpdf", [0.01, 0.5, 1e3], 2),
]


@pytest.mark.parametrize(("name", "method", "args", "at"), LARGE)
def test_large_parameters(name: str, method: str, args: list[float], at: int) -> None:
    """Values and slopes are no small differences of large logarithms of the gamma function."""
    ours, theirs = getattr(DISTRIBUTIONS[name], method), getattr(getattr(scipy.stats, name), method)
    wide, narrow = ([np.array(x, d) for x in args] for d in (np.float64, np.float32))
    np.testing.assert_allclose(ours(*wide), theirs(*wide), 1e-7)
    np.testing.assert_allclose(ours(*narrow), ours(*[x.astype(float) for x in narrow]), 1e-5)
    if name != "t":  # whose slope is a difference again
        expected = gradients(ours, [x.astype(float) for x in narrow])[at]
        np.testing.assert_allclose(gradients(ours, narrow)[at], expected, 1e-4)


@pytest.mark.parametrize(
    ("a", "b"), [(0.5, 1e9), (1e5, 2e5), (50.0, 0.01), (12.0, 11.0), (3.0, 15.0)]
)
def test_betaln_of_large_numbers(a: float, b: float) -> None:
    for pair in ([a, b], [b, a]):
        np.testing.assert_allclose(special.betaln(*pair), scipy.special.betaln(*pair), 1e-14)
        slopes = [scipy.special.digamma(x) - scipy.special.digamma(a + b) for x in pair]
        pulled = gradients(special.betaln, [np.array(x) for x in pair])
        np.testing.assert_allclose(pulled, slopes, 1e-5)
        twice = gradients(lambda *x: gradients(special.betaln, x)[0], [np.array(x) for x in pair])
        trigamma = functools.partial(scipy.special.polygamma, 1)
        np.testing.assert_allclose(twice[0], trigamma(pair[0]) - trigamma(a + b), 1e-5)


def test_special_functions_at_the_ends_of_their_range() -> None:
    x = np.array([-0.5, 0.0, 0.5, 2.0, np.inf])
    for name in ("entr", "gamma", "rgamma"):
        at = x[1:] if name == "gamma" else x
        assert_same(getattr(special, name)(at), getattr(scipy.special, name)(at))
    a, b = np.meshgrid([-1.0, 0.0, 0.5, 2.0], [-1.0, 0.0, 0.5])
    for name in ("rel_entr", "kl_div"):
        assert_same(getattr(special, name)(a, b), getattr(scipy.special, name)(a, b))
    assert_same(special.poch(-0.5, 0.25), scipy.special.poch(-0.5, 0.25))


def test_quad_says_that_it_needs_values() -> None:
    area = lambda a: integrate.quad(lambda x: a * x, 0.0, 1.0)[0]  # noqa: E731
    with pytest.raises(tf.errors.SymbolicValueError, match="quad chooses its intervals"):
        tf.function(area)(tf.constant(2.0))
    with pytest.raises(tf.errors.LeakedTensorError, match="call it outside, or integrate samples"):
        tf.vectorized_map(area, tf.constant([2.0, 3.0]))
    found = integrate.solve_ivp(lambda t, y: -y, (0.0, 1.0), [1.0])
    assert (found.status, found.message) == (
        0,
        scipy.integrate.solve_ivp(lambda t, y: -y, (0, 1), [1]).message,
    )
    with pytest.raises(ValueError, match="must be 1-dimensional: a list of one number"):
        integrate.solve_ivp(lambda t, y: -y, (0.0, 1.0), 1.0)


def test_logarithms_of_small_probabilities() -> None:
    assert_same(stats.geom.logsf(900, 0.7), scipy.stats.geom.logsf(900, 0.7))
    assert_same(stats.halfnorm.cdf(1e-10), scipy.stats.halfnorm.cdf(1e-10), 1e-14)
    assert_same(stats.halfnorm.logsf(1e-10), scipy.stats.halfnorm.logsf(1e-10), 1e-14)
    for method in ("cdf", "sf", "pdf"):
        for name, far in (("gumbel_r", -1000.0), ("gumbel_l", 1000.0)):
            (pulled,) = gradients(getattr(getattr(stats, name), method), [np.array(far)])
            assert float(pulled) == 0.0
    assert_same(stats.laplace.logcdf(-900.0), -900.0 - np.log(2.0))
    assert float(gradients(stats.laplace.logsf, [np.array(900.0)])[0]) == -1.0


def test_the_variable_by_its_name() -> None:
    """x, k or q, as in SciPy, also of distributions whose parameters are given."""
    for method in ("pmf", "logpmf", "cdf", "logsf"):
        expected = getattr(scipy.stats.poisson, method)(k=3, mu=2.0)
        assert_same(getattr(stats.poisson, method)(k=3, mu=2.0), expected)
        assert_same(getattr(stats.poisson(2.0), method)(k=3), expected)
    assert_same(stats.norm.logpdf(x=0.3, scale=2.0), scipy.stats.norm.logpdf(x=0.3, scale=2.0))
    assert_same(stats.norm(1.0).ppf(q=0.3), scipy.stats.norm(1.0).ppf(q=0.3))
    with pytest.raises(TypeError, match="logpdf of norm needs x"):
        stats.norm.logpdf()
    with pytest.raises(TypeError, match="multiple values for keyword argument 'loc'"):
        stats.norm(1.0).pdf(0.5, loc=2.0)


@pytest.mark.parametrize("method", ["pdf", "logpdf", "cdf", "sf", "logcdf", "logsf"])
@pytest.mark.parametrize("ends", [(-np.inf, 2.0), (0.5, np.inf), (-np.inf, np.inf)])
def test_truncated_on_one_side_by_a_tensor(method: str, ends: Any) -> None:
    """Also of numbers outside: an infinite end has no NaN for what it came from."""
    x = np.array([-9.0, 0.7, 9.0])

    def of(distribution: Any) -> Callable[..., Any]:
        def found(mean: Any, scale: Any) -> Any:
            bounds = [end - mean for end in ends]
            return getattr(distribution, method)(x, *bounds, mean, scale)

        return found

    place = [np.full(3, 0.4), np.full(3, 1.3)]
    ours = of(stats.truncnorm)(*map(tf.constant, place))
    theirs = of(scipy.stats.truncnorm)(*place)
    assert_same(ours, theirs)
    for at, pulled in enumerate(gradients(of(stats.truncnorm), place)):
        expected = slopes(of(scipy.stats.truncnorm), place, at)
        known = np.isfinite(expected)
        assert np.isfinite(pulled.numpy()).all()
        np.testing.assert_allclose(pulled.numpy()[known], expected[known], 1e-6, 1e-8)


def test_parameters_at_the_end_of_their_range() -> None:
    """Infinitely many degrees of freedom are the normal distribution, kappa of zero the uniform one."""
    x, many = np.array([-3.0, 0.5]), np.array([np.inf, np.inf])
    for method in ("logpdf", "cdf", "logsf"):
        ours = functools.partial(getattr(stats.t, method))
        assert_same(ours(x, many), getattr(scipy.stats.t, method)(x, many))
        for pulled, expected in zip(
            gradients(ours, [x, many]),
            [*gradients(getattr(stats.norm, method), [x]), 0.0],
            strict=True,
        ):
            np.testing.assert_allclose(pulled, expected, 1e-12)
    kappa = np.array([0.0, 0.0])
    assert_same(stats.vonmises.logpdf(x, kappa), scipy.stats.vonmises.logpdf(x, kappa))
    np.testing.assert_allclose(gradients(stats.vonmises.logpdf, [x, kappa])[1], np.cos(x), 1e-12)


def test_vectors_whose_parameters_are_given() -> None:
    x, cov = np.array([0.2, 0.5]), np.array([[2.0, 0.3], [0.3, 1.0]])
    for ours, theirs in zip(
        *(
            [d.multivariate_normal(x, cov), d.multivariate_normal(cov=cov)]
            for d in (stats, scipy.stats)
        ),
        strict=True,
    ):
        assert_same(ours.logpdf([1.0, 2.0]), theirs.logpdf([1.0, 2.0]))
        assert_same(ours.pdf(x=[1.0, 2.0]), theirs.pdf(x=[1.0, 2.0]))
    assert_same(
        stats.multivariate_normal.pdf(x, cov=cov, allow_singular=True),
        scipy.stats.multivariate_normal.pdf(x, cov=cov, allow_singular=True),
    )
    assert_same(
        stats.dirichlet([1.5, 2.0]).pdf([0.4, 0.6]),
        scipy.stats.dirichlet([1.5, 2.0]).pdf([0.4, 0.6]),
    )
    assert_same(
        stats.multinomial(3, p=[0.4, 0.6]).pmf([1, 2]),
        scipy.stats.multinomial(3, [0.4, 0.6]).pmf([1, 2]),
    )
    with pytest.raises(AttributeError, match=r"multinomial has no 'rvs'\. It has logpmf, pmf\."):
        stats.multinomial(3, [0.4, 0.6]).rvs()
    with pytest.raises(TypeError, match="The parameters of dirichlet are alpha; got 2"):
        stats.dirichlet(1.0, 2.0)


def test_dtypes_are_numpys() -> None:
    """A tensor of float32 and numbers of Python's give float32; whole numbers float64."""
    assert stats.norm.logpdf(tf.constant([1.0]), 0.5, 2.0).dtype is tf.float32
    assert stats.poisson.logpmf(3, 2.0).dtype is tf.float64
    assert special.logsumexp(np.float32([1.0, 2.0])).dtype is tf.float32


def test_vectors() -> None:
    a = DRAW.normal(size=(3, 3))
    cov, mean, x = a @ a.T + np.eye(3), DRAW.normal(size=3), DRAW.normal(size=(5, 3))
    theirs = scipy.stats.multivariate_normal
    ours = stats.multivariate_normal
    for given in [(x, mean, cov), (x[0], mean, cov), (x, mean, 2.0), (x[0], mean, np.diag(cov))]:
        assert_same(ours.logpdf(*given), theirs.logpdf(*given))
        assert_same(ours.pdf(*given), theirs.pdf(*given))
    assert_same(ours.logpdf(x[:, 0]), theirs.logpdf(x[:, 0]))
    assert_same(ours.logpdf(0.5, 0.1, 2.0), theirs.logpdf(0.5, 0.1, 2.0))
    assert_same(ours.logpdf(x[:, 0], 0.1, 2.0), theirs.logpdf(x[:, 0], 0.1, 2.0))
    shares = DRAW.dirichlet([1.0, 2.0, 3.0], 4).T
    alpha = [1.5, 0.7, 2.0]
    for given in (shares, shares[:, 0], shares[:2]):
        assert_same(
            stats.dirichlet.logpdf(given, alpha), scipy.stats.dirichlet.logpdf(given, alpha)
        )
    counts = np.array([[1, 2, 3], [6, 0, 0], [1, 1, 1]])
    p = [0.2, 0.3, 0.5]
    assert_same(stats.multinomial.pmf(counts, 6, p), scipy.stats.multinomial.pmf(counts, 6, p))
    assert_same(stats.entropy(counts + 1.0), scipy.stats.entropy(counts + 1.0))
    assert_same(
        stats.entropy(p, [1.0, 1.0, 2.0], base=2.0),
        scipy.stats.entropy(p, [1.0, 1.0, 2.0], base=2.0),
    )
    square = lambda s: s @ tf.transpose(s) + np.eye(3)  # noqa: E731
    assert_close(*directional(lambda x, m, s: ours.logpdf(x, m, square(s)), [x, mean, a]))


def assert_close(a: float, b: float) -> None:
    assert a == pytest.approx(b, rel=1e-6, abs=1e-8)


# ---- matrices -----------------------------------------------------------------------------------

SQUARE = DRAW.normal(size=(4, 4)) + 4.0 * np.eye(4)
POSITIVE = SQUARE @ SQUARE.T + np.eye(4)
TALL = DRAW.normal(size=(6, 3))
SIDES = [DRAW.normal(size=4), DRAW.normal(size=(4, 3))]


@pytest.mark.parametrize(
    "name", ["det", "inv", "norm", "svdvals", "expm", "sqrtm", "cholesky", "pinv", "eigvalsh"]
)
def test_functions_of_a_matrix(name: str) -> None:
    ours = getattr(linalg, name)
    assert_same(
        ours(POSITIVE, check_finite=False) if name == "inv" else ours(POSITIVE),
        getattr(scipy.linalg, name)(POSITIVE),
    )
    assert_close(*directional(lambda s: ours(symmetric(s)), [POSITIVE]))


def symmetric(a: Any) -> Any:
    """The gradient of what takes symmetric matrices is along them, as TensorFlow's."""
    return (a + tf.transpose(a)) / 2.0


@pytest.mark.parametrize("b", SIDES, ids=["vector", "columns"])
@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize(
    "how",
    [
        {},
        {"assume_a": "pos"},
        {"assume_a": "sym"},
        {"assume_a": "her"},
        {"transposed": True},
        {"assume_a": "upper triangular"},
        {"assume_a": "lower triangular"},
    ],
)
def test_systems(how: dict[str, Any], lower: bool, b: Any) -> None:
    a = SQUARE if how.get("transposed") or not how else POSITIVE
    assert_same(
        linalg.solve(a, b, lower=lower, **how), scipy.linalg.solve(a, b, lower=lower, **how)
    )
    met = symmetric if how.get("assume_a") == "pos" else lambda a: a
    assert_close(*directional(lambda a, b: linalg.solve(met(a), b, lower=lower, **how), [a, b]))


@pytest.mark.parametrize("b", SIDES, ids=["vector", "columns"])
@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("trans", [0, 1, 2, "T", "C"])
def test_triangular_systems(trans: Any, lower: bool, b: Any) -> None:
    for unit in (False, True):
        ours, theirs = linalg.solve_triangular, scipy.linalg.solve_triangular
        assert_same(ours(SQUARE, b, trans, lower, unit), theirs(SQUARE, b, trans, lower, unit))
    factor = linalg.cho_factor(POSITIVE, lower)
    assert_same(
        linalg.cho_solve(factor, b), scipy.linalg.cho_solve(scipy.linalg.cho_factor(POSITIVE), b)
    )
    assert_close(
        *directional(lambda a, b: linalg.solve_triangular(a, b, trans, lower), [SQUARE, b])
    )


def test_factors() -> None:
    """Signs of vectors are free."""
    sizes = lambda found: [abs(x) for x in parts(found)]  # noqa: E731
    for mode in ("full", "economic", "r"):
        assert_same(sizes(linalg.qr(TALL, mode=mode)), sizes(scipy.linalg.qr(TALL, mode=mode)))
    assert_same(sizes(linalg.svd(TALL)), sizes(scipy.linalg.svd(TALL)))
    assert_same(sizes(linalg.eigh(POSITIVE)), sizes(scipy.linalg.eigh(POSITIVE)))
    pair = SQUARE + SQUARE.T, POSITIVE
    for lower in (False, True):
        assert_same(
            sizes(linalg.eigh(*pair, lower=lower)), sizes(scipy.linalg.eigh(*pair, lower=lower))
        )
    assert_same(linalg.eigvalsh(*pair), scipy.linalg.eigvalsh(*pair))
    values = lambda a, b: linalg.eigvalsh(symmetric(a), symmetric(b))  # noqa: E731
    assert_close(*directional(values, list(pair)))
    for given in (False, True):
        assert_same(linalg.lu(SQUARE, given), scipy.linalg.lu(SQUARE, given))
    assert_close(*directional(lambda a: linalg.lu(a, True), [SQUARE]))
    for b in SIDES:
        a, sides = np.vstack([SQUARE, SQUARE + 1.0]), np.concatenate([b, b])
        assert_same(linalg.lstsq(a, sides)[:3], scipy.linalg.lstsq(a, sides)[:3])
    with pytest.raises(ValueError, match="mode is full, economic or r, not 'raw'"):
        linalg.qr(TALL, mode="raw")
    with pytest.raises(ValueError, match="lu takes square matrices, and this one is 6 x 3"):
        linalg.lu(TALL)


@pytest.mark.parametrize(
    "shapes", [((2, 3, 4, 4), (4, 2)), ((4, 4), (3, 4, 2)), ((2, 1, 4, 4), (3, 4, 2))]
)
@pytest.mark.parametrize("assumed", [None, "sym", "pos", "lower triangular"])
def test_systems_of_batches(shapes: Any, assumed: str | None) -> None:
    a, b = DRAW.normal(size=shapes[0]), DRAW.normal(size=shapes[1])
    a = a @ np.swapaxes(a, -1, -2) + 4.0 * np.eye(4)
    assert_same(linalg.solve(a, b, assume_a=assumed), scipy.linalg.solve(a, b, assume_a=assumed))
    if assumed is None:
        assert_close(*directional(linalg.solve, [a, b]))
        assert_close(*directional(np.linalg.solve, [a, b]))


@pytest.mark.parametrize("assumed", ["diagonal", "tridiagonal", "banded", "gen", "general"])
def test_systems_of_bands(assumed: str) -> None:
    """SciPy reads no more than what it is told that the matrix has."""
    kept = {"diagonal": 0, "tridiagonal": 1}.get(assumed, 4)
    a = np.triu(np.tril(SQUARE, kept), -kept)
    expected = scipy.linalg.solve(a, SIDES[0], assume_a=assumed)
    assert_same(linalg.solve(SQUARE, SIDES[0], assume_a=assumed), expected)
    assert_same(linalg.solve(a, SIDES[0], assume_a=assumed), expected)


def test_arguments_of_systems_by_scipys_names() -> None:
    """What says how to compute has no influence; of two ways to one solution each may be chosen."""
    a, q, bands = 0.3 * DRAW.normal(size=(4, 4)), np.eye(4), DRAW.normal(size=(3, 4)) + 4.0
    for method in ("direct", "bilinear", "Direct"):
        found = linalg.solve_discrete_lyapunov(a, q, method)
        assert_same(found, scipy.linalg.solve_discrete_lyapunov(a, q, method))
    how: dict[str, Any] = {"overwrite_ab": True, "overwrite_b": True, "check_finite": False}
    found = linalg.solve_banded((1, 1), bands, q, **how)
    assert_same(found, scipy.linalg.solve_banded((1, 1), bands.copy(), q.copy()))
    for name in ("expm", "sqrtm", "logm", "cosm", "sinm", "coshm", "sinhm"):
        assert_same(getattr(linalg, name)(A=q), getattr(scipy.linalg, name)(A=q))
    assert linalg.circulant(3.0).shape == linalg.toeplitz(3.0).shape == (1, 1)
    for expected, call in {
        "Unknown solver other": lambda: linalg.solve_discrete_lyapunov(a, q, "other"),
        "shapes of ab and b are not": lambda: linalg.solve_banded((1, 1), bands, q[:3]),
        "ab and b are not compatible": lambda: linalg.solveh_banded(bands, q[0, :3]),
        "ab has a row for each diagonal": lambda: linalg.solveh_banded(bands[0], q),
    }.items():
        with pytest.raises(ValueError, match=expected):
            call()


def test_wrong_arguments_of_systems() -> None:
    with pytest.raises(ValueError, match="bogus is not a recognized matrix structure"):
        linalg.solve(SQUARE, SIDES[0], assume_a="bogus")
    with pytest.raises(ValueError, match="trans is 0, 1, 2, 'N', 'T' or 'C', not 5"):
        linalg.solve_triangular(SQUARE, SIDES[0], 5)
    with pytest.raises(
        TypeError, match="'pivoting' is no argument of this function: it takes a, mode"
    ):
        linalg.qr(TALL, pivoting=True)
    with pytest.raises(ValueError, match=r"one matrix, not a batch: tf\.linalg\.lstsq"):
        linalg.lstsq(np.zeros((2, 3, 3)), np.zeros(3))


def test_complex_matrices_have_real_norms_and_spectra() -> None:
    a = SQUARE + 1j * SQUARE[::-1]
    a = a + np.conj(a.T)
    for ours, theirs in [
        (linalg.norm(a), scipy.linalg.norm(a)),
        (linalg.eigvalsh(a), scipy.linalg.eigvalsh(a)),
        (linalg.eigh(a)[0], scipy.linalg.eigh(a)[0]),
    ]:
        assert ours.dtype is tf.float64
        assert_same(ours, theirs)


def test_matrices_made_of_others() -> None:
    blocks = [SQUARE, TALL, np.arange(3.0)]
    assert_same(linalg.block_diag(*blocks), scipy.linalg.block_diag(*blocks))
    assert_close(*directional(lambda *b: linalg.block_diag(*b), blocks))
    for pair in ([np.ones((2, 3, 1)), np.ones((2, 1, 2))], [np.zeros((0, 2)), [1.0]]):
        assert_same(linalg.block_diag(*pair), scipy.linalg.block_diag(*pair))
    column, row = np.arange(1.0, 5.0), np.array([9.0, 7.0, 5.0])
    assert_same(linalg.toeplitz(column), scipy.linalg.toeplitz(column))
    for c in (1j * column, np.stack([column, row[0] - column])):
        assert_same(linalg.toeplitz(c), scipy.linalg.toeplitz(c))
    assert_same(linalg.toeplitz(column, row), scipy.linalg.toeplitz(column, row))
    assert_close(*directional(lambda c, r: linalg.toeplitz(c, r), [column, row]))


# ---- signals and integrals ----------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize(
    "sizes", [[(7,), (3,)], [(3,), (6,)], [(4,), (4,)], [(5, 6), (2, 3)], [(3, 4, 5), (2, 2, 2)]]
)
@pytest.mark.parametrize("kind", [float, complex])
def test_convolutions(kind: type, sizes: Any, mode: str) -> None:
    a, b = (
        DRAW.normal(size=s) + (1j * DRAW.normal(size=s) if kind is complex else 0.0) for s in sizes
    )
    names = ["convolve", "fftconvolve", "correlate"]
    for name in [*names, *(["convolve2d", "correlate2d"] if a.ndim == 2 else [])]:
        assert_same(getattr(signal, name)(a, b, mode), getattr(scipy.signal, name)(a, b, mode))
        if kind is float:
            assert_close(*directional(functools.partial(getattr(signal, name), mode=mode), [a, b]))


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("axes", [-1, 0, [1, 2], (2, 0)])
def test_convolutions_along_some_axes(axes: Any, mode: str) -> None:
    a, b = DRAW.normal(size=(4, 5, 6)), DRAW.normal(size=(2, 3, 2))
    chosen = [x % 3 for x in np.atleast_1d(axes)]
    b = b[tuple(slice(None) if i in chosen else slice(1) for i in range(3))]
    for name in ("fftconvolve", "oaconvolve"):
        ours = functools.partial(getattr(signal, name), mode=mode, axes=axes)
        assert_same(ours(a, b), getattr(scipy.signal, name)(a, b, mode, axes))
    assert_close(*directional(ours, [a, b]))
    assert_same(signal.convolve(2.0, 3.0), scipy.signal.convolve(2.0, 3.0))


def test_convolutions_of_long_signals_take_little_memory() -> None:
    a, b = DRAW.normal(size=100_000), DRAW.normal(size=1000)
    assert_same(signal.convolve(a, b, "same"), scipy.signal.convolve(a, b, "same"), 1e-9)


def test_wrong_signals() -> None:
    with pytest.raises(
        ValueError, match="acceptable mode flags are 'valid', 'same', or 'full', not 'half'"
    ):
        signal.convolve([1.0], [2.0], "half")
    with pytest.raises(ValueError, match="same dimensionality"):
        signal.convolve([1.0], [[2.0]])
    with pytest.raises(ValueError, match="at least as large as the other in every dimension"):
        signal.fftconvolve(np.ones((2, 5)), np.ones((3, 3)), "valid")
    with pytest.raises(ValueError, match=r"pad it before, with np\.pad"):
        signal.convolve2d(np.ones((2, 5)), np.ones((3, 3)), "same", "wrap")


@pytest.mark.parametrize("count", [2, 3, 4, 5, 8, 9])
@pytest.mark.parametrize("name", ["trapezoid", "simpson", "cumulative_trapezoid"])
def test_integrals_of_samples(name: str, count: int) -> None:
    ours, theirs = getattr(integrate, name), getattr(scipy.integrate, name)
    y, x = DRAW.normal(size=(3, count)), np.cumsum(DRAW.random(count) + 0.1)
    assert_same(ours(y, x=x), theirs(y, x=x))
    assert_same(ours(y, dx=0.3), theirs(y, dx=0.3))
    assert_same(ours(y.T, x=x, axis=0), theirs(y.T, x=x, axis=0))
    assert_close(*directional(lambda y, x: ours(y, x=x), [y, x]))


def test_cumulative_integrals_may_begin_with_a_number() -> None:
    y = DRAW.normal(size=5)
    ours, theirs = integrate.cumulative_trapezoid, scipy.integrate.cumulative_trapezoid
    assert_same(ours(y, initial=0), theirs(y, initial=0))


INTEGRALS = [
    (np.cos, 0.0, 1.0),
    (np.cos, 2.0, -1.0),
    (lambda x: np.exp(-x * x), -np.inf, np.inf),
    (lambda x: np.exp(-x * x), np.inf, -np.inf),
    (lambda x: np.exp(-x), 0.0, np.inf),
    (lambda x: np.exp(-x), np.inf, 0.0),
    (np.exp, -np.inf, 1.0),
    (lambda x: 1.0 / np.sqrt(x), 0.0, 1.0),
    (lambda x: abs(x - 0.3), 0.0, 1.0),
]


@pytest.mark.parametrize(("f", "a", "b"), INTEGRALS)
def test_integrals_of_functions(f: Any, a: float, b: float) -> None:
    """The derivative by an end is the function there."""
    ours = integrate.quad(f, a, b)
    np.testing.assert_allclose(ours[0], scipy.integrate.quad(f, a, b)[0], 1e-9)
    if np.isfinite(f(b)):
        ends = [tf.constant(a, tf.float64), tf.constant(b, tf.float64)]
        pulled = gradients(
            lambda a, b: integrate.quad(lambda x: tf.abs(x) if f is abs else f(x), a, b)[0], ends
        )
        if np.isfinite(b) and np.isfinite(a):
            np.testing.assert_allclose(pulled[1], f(b), 1e-6)


def test_integrals_by_what_the_function_reads() -> None:
    """Arguments, what it closes over, ends that move along; every order; float32."""
    power = lambda a: integrate.quad(lambda x: x**a, 0.0, 1.0)[0]  # noqa: E731
    a = np.array(2.0)
    for order, expected in enumerate([1 / 3, -1 / 9, 2 / 27, -6 / 81]):
        f = power
        for _ in range(order):
            f = tf.grad(f)
        assert float(f(a)) == pytest.approx(expected, rel=1e-4)
    tail = lambda k: integrate.quad(lambda x, k: tf.exp(-k * x), k, np.inf, args=(k,))[0]  # noqa: E731
    for dtype in (tf.float32, tf.float64):
        pulled = tf.grad(tail)(tf.constant(2.0, dtype))
        assert pulled.dtype is dtype
        assert float(pulled) == pytest.approx(np.exp(-4.0) * (-2.0 - 0.25), rel=1e-5)
    calls: list[Any] = []
    variable = tf.Variable(3.0, dtype=tf.float64)
    with tf.GradientTape() as tape:
        area = integrate.quad(lambda x: variable * (calls.append(x), x)[1], 0.0, 2.0)[0]  # type: ignore[func-returns-value]
    assert_close(float(tape.gradient(area, variable)), 2.0)
    assert len(calls) < 60  # SciPy's 21, ours, and one to see the dtype


def test_integrals_that_have_no_derivative_here() -> None:
    """A weight would have been left out of the derivative."""
    assert integrate.quad(np.exp, 1.0, 1.0)[0].dtype is tf.float64
    for how in ({"weight": "cos", "wvar": 2.0}, {"complex_func": True}, {"full_output": 1}):
        with pytest.raises(ValueError, match=f"takes no {next(iter(how))}"):
            integrate.quad(np.exp, 0.0, 1.0, **how)


def test_how_equations_are_solved_may_be_said_as_in_scipy() -> None:
    decay, times = lambda y, t: -y, np.array([0.0, 1.0])
    for start in (1.0, [1.0]):
        ours = integrate.odeint(decay, start, times, mxstep=5000, Dfun=lambda y, t: [[-1.0]])
        assert_same(ours, scipy.integrate.odeint(decay, start, times), 1e-6)
    found = integrate.solve_ivp(lambda t, y: -y, (0.0, 1.0), [1.0], vectorized=True, rtol=1e-8)
    np.testing.assert_allclose(found.y[0, -1], np.exp(-1.0), 1e-6)
    with pytest.raises(TypeError, match="'events' is no argument of this function: it takes fun"):
        integrate.solve_ivp(lambda t, y: -y, (0.0, 1.0), [1.0], events=abs)


def test_modules_and_names_that_are_not_there() -> None:
    import wengert.scipy as ours

    assert ours.stats is stats
    with pytest.raises(AttributeError, match=r"no 'optimize'\. It has special.*tf\.to_scipy"):
        ours.optimize
    with pytest.raises(AttributeError, match=r"no 'ldl'\. tf\.wrap.*as scipy\.linalg\.ldl is"):
        linalg.ldl
    for module in (stats, signal, integrate):
        with pytest.raises(AttributeError, match=r"no 'bogus'\. Neither has scipy\."):
            module.bogus


def test_differential_equations() -> None:
    turn = lambda y, t, k: [y[1], -k * y[0]]  # noqa: E731
    times = np.array([0.0, 1.0, 2.0])
    start = np.array([1.0, 0.0])
    ours = integrate.odeint(turn, start, times, args=(2.0,))
    assert_same(ours, scipy.integrate.odeint(turn, start, times, args=(2.0,)), 1e-6)
    last = lambda k: integrate.odeint(turn, start, times, args=(k,))[-1, 0]  # noqa: E731
    root = np.sqrt(2.0)
    assert float(tf.grad(last)(np.array(2.0))) == pytest.approx(-np.sin(2 * root) / root, rel=1e-5)
    forward = lambda t, y: [y[1], -y[0]]  # noqa: E731
    for asked in (None, [0.0, 1.0, 2.0], [0.5, 1.0]):
        found = integrate.solve_ivp(forward, (0.0, 2.0), start, t_eval=asked, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(found.y[0], np.cos(found.t), atol=1e-7)
        assert found.success
        assert found.y.shape == (2, len(asked or [0, 2]))


# ---- special functions --------------------------------------------------------------------------


@pytest.mark.parametrize("name", functions())
def test_functions_of_single_elements(name: str) -> None:
    """By their own names, and by SciPy's where they are followed: values and derivatives."""
    theirs = getattr(scipy.special, name)
    args = [DRAW.uniform(0.05, 0.95, COUNT) for _ in range(theirs.nin)]
    assert_same(getattr(special, name)(*args), theirs(*args))
    pulled = gradients(getattr(special, name), args)
    followed = gradients(theirs, args)
    for at, (g, same) in enumerate(zip(pulled, followed, strict=True)):
        np.testing.assert_array_equal(g, same)
        np.testing.assert_allclose(g, slopes(theirs, args, at), 1e-5, 1e-7)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_log_ndtr_far_from_zero(dtype: Any) -> None:
    x = np.concatenate([-np.logspace(-3, 5, 200), np.logspace(-3, 2, 100)]).astype(dtype)
    wide = x.astype(np.float64)
    close = 4e-7 if dtype is np.float32 else 1e-15
    expected = scipy.special.log_ndtr(wide)
    kept = expected < -1e-30  # as far as float32 goes
    np.testing.assert_allclose(special.log_ndtr(x).numpy()[kept], expected[kept], 8 * close)
    ratio = np.exp(-wide * wide / 2.0 - expected) / np.sqrt(2.0 * np.pi)
    pulled = gradients(special.log_ndtr, [x])[0].numpy()
    assert np.isfinite(pulled).all()
    near = abs(wide) < 30.0
    np.testing.assert_allclose(pulled[near & kept], ratio[near & kept], 1000 * close)


@pytest.mark.parametrize("axis", [None, 0, 1, (0, 1)])
def test_functions_of_several_elements(axis: Any) -> None:
    x, b = DRAW.normal(size=(3, 4)), DRAW.normal(size=(3, 4))
    b[0, 0] = 0.0
    ours, theirs = special.logsumexp, scipy.special.logsumexp
    assert_same(ours(x, axis), theirs(x, axis))
    assert_same(ours(x, axis, abs(b), keepdims=True), theirs(x, axis, abs(b), keepdims=True))
    assert_same(ours(x, axis, b, return_sign=True), theirs(x, axis, b, return_sign=True))
    assert_same(special.softmax(x, axis), scipy.special.softmax(x, axis))
    assert_same(special.log_softmax(x, axis), scipy.special.log_softmax(x, axis))
    assert_close(*directional(lambda x, b: ours(x, axis, b * b + 0.1), [x, b]))
    assert_close(*directional(lambda x: special.softmax(x, axis), [x]))
    assert_close(*directional(lambda x: special.log_softmax(x, axis), [x]))


def test_more_special_functions() -> None:
    assert float(special.logsumexp([-np.inf, -np.inf], b=[1.0, 2.0])) == -np.inf
    assert_same(special.multigammaln(5.5, 3), scipy.special.multigammaln(5.5, 3))
    assert_same(special.polygamma(2, [1.5, 2.5]), scipy.special.polygamma(2, [1.5, 2.5]))
    assert_same(special.zeta(3.5), scipy.special.zeta(3.5))
    assert_same(special.zeta(3.5, 2.0), scipy.special.zeta(3.5, 2.0))
    with pytest.raises(
        AttributeError, match=r"wengert.scipy.special has no 'jv'\. It has beta, betainc"
    ):
        special.jv(1.5, 2.0)


# ---- SciPy itself -------------------------------------------------------------------------------

LEAVING = [
    ("scipy.special.logsumexp", lambda x: scipy.special.logsumexp(x)),
    ("scipy.stats.norm.logpdf", lambda x: scipy.stats.norm.logpdf(x).sum()),
    (
        "scipy.stats.multivariate_normal.logpdf",
        lambda x: scipy.stats.multivariate_normal.logpdf(x, np.zeros(3)),
    ),
    ("scipy.integrate.trapezoid", lambda x: scipy.integrate.trapezoid(x)),
]


@pytest.mark.parametrize("how", ["reverse", "forward"])
def test_a_warning_of_what_leaves_the_right_hand_side_of_an_equation(how: str) -> None:
    """Its derivative is asked when the gradient is taken, outside of the function that is differentiated."""
    times = np.array([0.0, 1.0])

    def last(k: Any) -> Any:
        turn = lambda y, t: np.array([y[1], -k * y[0]])  # noqa: E731
        return integrate.odeint(turn, np.array([1.0, 0.0]), times)[-1, 0]

    k = tf.constant(2.0, tf.float64)
    with pytest.warns(
        GradientWarning, match=r"np\.array of a list, where np\.stack would be followed"
    ):
        tf.grad(last)(k) if how == "reverse" else tf.jvp(last, (k,), (tf.ones_like(k),))


@pytest.mark.parametrize(("name", "f"), LEAVING, ids=[name for name, _ in LEAVING])
def test_a_warning_names_what_is_not_followed(name: str, f: Any) -> None:
    """And says where SciPy's functions are that are followed."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        tf.grad(f)(np.ones(3))
    said = [str(w.message) for w in caught if issubclass(w.category, GradientWarning)]
    assert any(s.startswith(f"{name} was given a value") for s in said)
    assert any("Functions of SciPy's that are followed are in wengert.scipy." in s for s in said)
