"""scipy.spatial.distance: distances are SciPy's, and have finite slopes where points are the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.spatial.distance as theirs
from scipy_compared import DRAW, assert_same, gradients, same_draws  # noqa: F401

import wengert as tf
import wengert.scipy.spatial.distance as ours

ALONE = ("mahalanobis", "seuclidean", "jensenshannon")  # no weights
OPTIONS: dict[str, list[dict[str, Any]]] = {
    "minkowski": [{"p": 1.5}, {"p": 3, "w": DRAW.random(4)}, {"p": np.inf}],
    "seuclidean": [{"V": DRAW.random(4)}],
    "mahalanobis": [{"VI": np.eye(4) + 0.1 * DRAW.random((4, 4))}],
}
CASES = [
    (name, how)
    for name in ours._DISTANCES
    for how in [{}, *([] if name in ALONE else [{"w": DRAW.random(4)}]), *OPTIONS.get(name, [])]
]


@pytest.mark.parametrize(
    ("name", "how"), CASES, ids=lambda part: part if isinstance(part, str) else "-".join(part)
)
def test_distances(name: str, how: dict[str, Any]) -> None:
    a, b = DRAW.random((9, 4)), DRAW.random((3, 4))
    assert_same(ours.cdist(a, b, name, **how), theirs.cdist(a, b, name, **how), 1e-9)
    assert_same(ours.pdist(a, name, **how), theirs.pdist(a, name, **how), 1e-9)
    if how or name not in ("mahalanobis", "seuclidean"):
        of_two = getattr(ours, name)
        assert_same(of_two(a[0], b[0], **how), getattr(theirs, name)(a[0], b[0], **how), 1e-9)
        assert_same(ours.cdist(a, b, of_two, **how), theirs.cdist(a, b, name, **how), 1e-9)


@pytest.mark.parametrize("name", [n for n in ours._DISTANCES if n not in ("cosine", "correlation")])
def test_slopes_are_finite_where_points_are_the_same(name: str) -> None:
    x = DRAW.random((6, 3))
    for f in (lambda x: ours.cdist(x, x, name), lambda x: ours.cdist(x, x, name) ** 2):
        (pulled,) = gradients(f, [x])
        assert np.isfinite(pulled).all()


def test_the_form_of_a_matrix() -> None:
    x = DRAW.random((5, 3))
    pairs = theirs.pdist(x)
    assert_same(ours.squareform(pairs), theirs.squareform(pairs))
    assert_same(ours.squareform(theirs.squareform(pairs)), pairs)
    assert_same(ours.squareform(np.zeros(0)), theirs.squareform(np.zeros(0)))
    with pytest.raises(ValueError, match="must be a binomial coefficient n choose 2"):
        ours.squareform(np.zeros(5))
    with pytest.raises(ValueError, match="'tomatrix' but input X is not a distance vector"):
        ours.squareform(np.eye(3), force="tomatrix")


def test_wrong_arguments() -> None:
    with pytest.raises(ValueError, match=r"Unknown Distance Metric: manhattan\. It is one of bray"):
        ours.cdist(np.eye(2), np.eye(2), "manhattan")
    with pytest.raises(ValueError, match=r"A metric of your own .* tf.vectorized_map"):
        ours.cdist(np.eye(2), np.eye(2), lambda u, v: 0.0)
    with pytest.raises(ValueError, match="the same number of columns"):
        ours.cdist(np.eye(2), np.eye(3))
    with pytest.raises(ValueError, match="XA must be a 2-dimensional array"):
        ours.cdist(np.zeros(2), np.eye(2))
    with pytest.raises(ValueError, match="Input vector should be 1-D"):
        ours.euclidean(np.eye(2), np.eye(2))
    with pytest.raises(AttributeError, match="no 'hamming'"):
        ours.hamming
    assert tf.vectorized_map(lambda x: ours.euclidean(x, 0.0 * x), tf.eye(3)).shape == (3,)


def test_what_has_no_effect_and_other_forms() -> None:
    a, b, w = DRAW.random((5, 3)), DRAW.random((4, 3)), DRAW.random(3)
    for name in ("mahalanobis", "seuclidean", "jensenshannon"):
        assert_same(ours.cdist(a, b, name, w=None, out=None), theirs.cdist(a, b, name), 1e-9)
    how: dict[str, Any] = {"p": np.inf, "w": [1.0, 0.0, 1.0]}
    assert_same(ours.cdist(a, b, "minkowski", **how), theirs.cdist(a, b, "minkowski", **how))
    for weights in (None, w):
        found = ours.correlation(a[0], b[0], weights, centered=False)
        assert_same(found, theirs.correlation(a[0], b[0], weights, centered=False))
    for axis in (0, 1):
        found = ours.jensenshannon(p=a[:4], q=b, base=2.0, axis=axis, keepdims=True)
        assert_same(found, theirs.jensenshannon(a[:4], b, 2.0, axis=axis, keepdims=True))
    with pytest.raises(NotImplementedError, match="there is no out"):
        ours.cdist(a, b, out=np.zeros((5, 4)))


def test_what_was_a_wrong_number() -> None:
    """Complex points, weights and matrices of another size, and matrices that are none of distances."""
    a, square = np.ones((5, 3)), np.ones((3, 3)) - np.eye(3)
    for expected, call in {
        "Unsupported dtype complex128": lambda: ours.cdist(a + 1j, a),
        "`u` and `v` must be real": lambda: ours.euclidean(a[0] + 1j, a[0]),
        "same size as input vector. 1 vs. 3": lambda: ours.cdist(a, a, "cosine", w=[1.0]),
        "Weights must be a vector": lambda: ours.cdist(a, a, w=2.0),
        "should be all non-negative": lambda: ours.euclidean(a[0], a[0], [1.0, -1.0, 1.0]),
        "p must be greater than 0": lambda: ours.minkowski(a[0], a[0], -1),
        "not aligned": lambda: ours.cdist(a[:4], a[:4], "mahalanobis", VI=np.eye(2)),
        "V must be of the same": lambda: ours.cdist(a, a, "seuclidean", V=[1.0]),
        "could not be broadcast": lambda: ours.euclidean(a[0], a[0, :2]),
        "must be square": lambda: ours.squareform(square[:2]),
        "must be symmetric": lambda: ours.squareform(square * [1.0, 2.0, 3.0]),
        "diagonal must be zero": lambda: ours.squareform(np.eye(3)),
        r"\(Shape was \(3,\)\)": lambda: ours.pdist(a[0]),
    }.items():
        with pytest.raises(ValueError, match=expected):
            call()
    with pytest.raises(TypeError, match=r"euclidean\(\) got an unexpected keyword argument 'p'"):
        ours.cdist(a, a, p=3)
    with pytest.raises(TypeError, match="must be a string identifier or a function"):
        ours.cdist(a, a, None)  # type: ignore[arg-type]
    assert_same(ours.squareform(np.eye(3), checks=False), np.zeros(3))
