"""ADBench's objectives at small sizes: eager, graph and compiled, beside independent derivatives."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wengert as tf

Array = Any
Programs = dict[str, Any]
EXAMPLES = Path(__file__).resolve().parent.parent / "examples" / "adbench"
NAMES = ("inputs", "gaussian_mixture", "bundle_adjustment", "hand_tracking", "language_model")
MODES: list[Callable[[Any], Any]] = [
    lambda f: f,
    lambda f: tf.function(f, jit_compile=False),
    lambda f: tf.function(f, jit_compile=True),
]
SIXTH = np.array([-1, 9, -45, 0, 45, -9, 1]) / 60  # order of the central difference
STEP = 1e-3
MIXTURES = [(3, 4, 6), (3, 9, 12), (1, 8, 9), (4, 25, 30)]  # dimensions, components, points


@pytest.fixture(scope="module")
def programs() -> Iterator[Programs]:
    """The modules of the examples, with our library under TensorFlow's name."""
    tf.compat.install()
    sys.path.insert(0, str(EXAMPLES))
    yield {name: importlib.import_module(name) for name in NAMES}
    sys.path.remove(str(EXAMPLES))
    for name in NAMES:
        del sys.modules[name]
    tf.compat.uninstall()


def slope(f: Callable[..., Array], xs: Sequence[Array], directions: Sequence[Array]) -> Array:
    """The derivative of a function in a direction, by differences of the sixth order."""
    total: Array = 0.0
    for k, weight in zip(range(-3, 4), SIXTH, strict=True):
        if weight:
            at = [x + k * STEP * d for x, d in zip(xs, directions, strict=True)]
            total = total + weight * np.asarray(f(*at))
    return total / STEP


def directions(xs: Sequence[Array]) -> list[Array]:
    rng = np.random.default_rng(5)
    return [rng.normal(size=x.shape) for x in xs]


def computed(f: Any, xs: Sequence[Array], mode: Callable[[Any], Any]) -> list[Array]:
    return [np.asarray(v) for v in mode(f)(*map(tf.constant, xs))]


def along(gradients: Sequence[Array], directions: Sequence[Array]) -> float:
    return float(sum((g * d).sum() for g, d in zip(gradients, directions, strict=True)))


# ---- Gaussian mixture ------------------------------------------------------------------------


def by_hand(inputs: Any, alphas: Array, means: Array, factors: Array, x: Array) -> list[Array]:
    """Value and gradient of the mixture."""
    (k, d), n = means.shape, len(x)
    diagonal, logdet = np.exp(factors[:, :d]), factors[:, :d].sum(1)
    columns, rows = np.triu_indices(d, 1)  # below the diagonal, column after column
    lower = np.zeros((k, d, d))
    lower[:, rows, columns] = factors[:, d:]
    z = x[:, None] - means
    y = diagonal * z + np.einsum("kij,nkj->nki", lower, z)
    inner = alphas + logdet - 0.5 * (y**2).sum(2)
    top = inner.max(1, keepdims=True)
    each = np.exp(inner - top)
    share = each / each.sum(1, keepdims=True)
    weights = np.exp(alphas) / np.exp(alphas).sum()
    value = -0.5 * n * d * np.log(2 * np.pi) + (top[:, 0] + np.log(each.sum(1))).sum()
    value -= n * np.log(np.exp(alphas).sum()) + k * inputs.wishart_constant(d)
    value += 0.5 * inputs.GAMMA**2 * ((diagonal**2).sum() + (factors[:, d:] ** 2).sum())
    g = -share[..., None] * y
    d_z = g * diagonal + np.einsum("kij,nki->nkj", lower, g)
    d_lower = np.einsum("nki,nkj->kij", g, z)[:, rows, columns]
    d_diagonal = (g * z).sum(0) * diagonal + share.sum(0)[:, None]
    d_factors = np.concatenate([d_diagonal, d_lower], 1)
    d_factors += inputs.GAMMA**2 * np.concatenate([diagonal**2, factors[:, d:]], 1)
    return [value, share.sum(0) - n * weights, -d_z.sum(0), d_factors]


@pytest.mark.parametrize("sizes", MIXTURES)
@pytest.mark.parametrize("style", ["by_rows", "batched"])
@pytest.mark.parametrize("mode", MODES)
def test_gaussian_mixture(programs: Programs, mode: Any, style: str, sizes: Any) -> None:
    mixture, xs = programs["gaussian_mixture"], programs["inputs"].gaussian_mixture(*sizes)
    f = getattr(mixture, style)
    found = computed(lambda *v: mixture.derivative(f, *v), xs, mode)
    for got, want in zip(found, by_hand(programs["inputs"], *xs), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-10, atol=1e-10)


def test_gradient_of_the_mixture_by_differences(programs: Programs) -> None:
    """What was derived by hand is right, too."""
    xs = programs["inputs"].gaussian_mixture(3, 4, 6)
    ways = directions(xs[:3])
    inputs = programs["inputs"]
    want = slope(lambda a, m, f: by_hand(inputs, a, m, f, xs[3])[0], xs[:3], ways)
    got = along(by_hand(inputs, *xs)[1:], ways)
    np.testing.assert_allclose(got, want, rtol=1e-9)


def test_rows_that_a_program_writes_out_are_whole_arrays_in_its_plan(programs: Programs) -> None:
    """As many steps for many points and components as for few, none of them NumPy's."""
    mixture = programs["gaussian_mixture"]
    counts = []
    for points, components in ((16, 9), (64, 20)):
        f = tf.function(lambda *v: mixture.derivative(mixture.by_rows, *v), jit_compile=True)
        xs = programs["inputs"].gaussian_mixture(4, components, points)
        steps = f.plan(*map(tf.constant, xs)).steps
        assert "NumPy" not in {step["kind"] for step in steps}
        counts.append(len(steps))
    assert abs(counts[0] - counts[1]) <= 4  # a long sum is added up in parts
    assert counts[1] < 50


# ---- the others ------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
def test_bundle_adjustment(programs: Programs, mode: Any) -> None:
    """The blocks of each observation, in a direction of the camera, the point and the weight."""
    module = programs["bundle_adjustment"]
    cameras, points, weights, of_camera, of_point, seen = programs["inputs"].bundle_adjustment(
        3, 5, 11
    )
    found = computed(module.derivative, (cameras, points, weights, of_camera, of_point, seen), mode)
    sources = [cameras[of_camera], points[of_point], weights]
    ways = directions(sources)
    want = slope(lambda *v: module.residuals(*v, seen)[0], sources, ways)
    for row in (0, 1):
        blocks = found[2 + 3 * row : 5 + 3 * row]
        got = sum((b * w).reshape(11, -1).sum(1) for b, w in zip(blocks, ways, strict=True))
        np.testing.assert_allclose(got, want[:, row], rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(found[-1], -2 * weights, rtol=1e-14)


@pytest.mark.parametrize(
    ("how", "mode"),
    [
        *[("derivative", mode) for mode in MODES],
        *[("derivative_by_columns", mode) for mode in MODES[:2]],
        pytest.param("derivative_by_columns", MODES[2], marks=pytest.mark.slow),
    ],
)
def test_hand_tracking(programs: Programs, mode: Any, how: str) -> None:
    module, xs = programs["hand_tracking"], programs["inputs"].hand_tracking(20, 3)
    found = computed(getattr(module, how), xs, mode)
    ways = directions(xs[:1])
    want = slope(lambda theta: module.residuals(theta, *xs[1:]), xs[:1], ways)
    np.testing.assert_allclose(found[1] @ ways[0], want, rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(found[0], module.residuals(*xs), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("mode", MODES)
def test_language_model(programs: Programs, mode: Any) -> None:
    module, xs = programs["language_model"], programs["inputs"].language_model(2, 12, 5)
    value, *gradients = computed(module.derivative, xs, mode)
    ways = directions(xs[:2])
    want = slope(lambda a, b: module.loss(a, b, *xs[2:]), xs[:2], ways)
    np.testing.assert_allclose(along(gradients, ways), want, rtol=1e-9)
    np.testing.assert_allclose(value, module.loss(*xs), rtol=1e-13)
