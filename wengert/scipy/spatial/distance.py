"""scipy.spatial.distance: distances between two points, between the points of two sets, and of one.

The length of a difference has a corner where the points are the same; its slope there is zero here, so that
the distance of a point to itself makes nothing NaN.
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from wengert.api.numpy.promotion import as_tensor, in_floats, promoted_floats
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays.creation import zeros
from wengert.ops.arrays.gathering import gather_densely, gather_nd
from wengert.ops.arrays.joining import concat
from wengert.ops.arrays.shaping import reshape
from wengert.ops.linalg.matmul import matmul
from wengert.ops.linalg.solving import inv
from wengert.ops.math.arithmetic import div_no_nan, xlogy
from wengert.ops.math.comparison import equal, where
from wengert.ops.math.complex import abs as absolute
from wengert.ops.math.elementwise import cast, ones_like, sqrt, square, zeros_like
from wengert.ops.reductions.reductions import reduce_any, reduce_max, reduce_mean, reduce_sum
from wengert.scipy.arguments import no_such
from wengert.values.sizes import certainly
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.api.numpy.promotion import Numeric

# ---- of vectors, along the last axis ------------------------------------------------------------


def _flat_at_zero(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """A function that is zero at zero, with a slope of zero there."""
    is_zero = equal(x, 0.0)
    return where(is_zero, zeros_like(x), function(where(is_zero, ones_like(x), x)))


def _root(x: Tensor) -> Tensor:
    return _flat_at_zero(sqrt, x)


def _weights(w: Numeric, x: Tensor) -> Tensor:
    """The weights of coordinates, if there is one for each, and none is negative."""
    weights, _ = promoted_floats(w, x)
    if len(dims(weights)) != 1:
        raise ValueError("Weights must be a vector (ndim = 1)")
    if certainly(dims(weights)[0] != dims(x)[-1]):
        raise ValueError(
            f"Weights must have same size as input vector. {dims(weights)[0]} vs. {dims(x)[-1]}."
        )
    if type(weights) is Tensor and bool(reduce_any(weights < 0.0)):
        raise ValueError("Input weights should be all non-negative")
    return weights


def _weighted(x: Tensor, w: Numeric | None) -> Tensor:
    return x if w is None else x * _weights(w, x)


def _sqeuclidean(u: Tensor, v: Tensor, w: Numeric | None = None) -> Tensor:
    return reduce_sum(_weighted(square(u - v), w), -1)


def _euclidean(u: Tensor, v: Tensor, w: Numeric | None = None) -> Tensor:
    return _root(_sqeuclidean(u, v, w))


def _cityblock(u: Tensor, v: Tensor, w: Numeric | None = None) -> Tensor:
    return reduce_sum(_weighted(absolute(u - v), w), -1)


def _chebyshev(u: Tensor, v: Tensor, w: Numeric | None = None) -> Tensor:
    away = absolute(u - v)
    return reduce_max(away if w is None else where(_weights(w, away) > 0.0, away, 0.0), -1)


def _minkowski(u: Tensor, v: Tensor, p: Any = 2, w: Numeric | None = None) -> Tensor:
    if isinstance(p, (int, float)):
        if not p > 0:
            raise ValueError("p must be greater than 0")
        if p == 2:
            return _euclidean(u, v, w)
        if np.isinf(p):
            return _chebyshev(u, v, w)
    powers = _flat_at_zero(lambda x: x**p, absolute(u - v))
    total = reduce_sum(_weighted(powers, w), -1)
    return _flat_at_zero(lambda x: x ** (1.0 / p), total)


def _cosine(u: Tensor, v: Tensor, w: Numeric | None = None) -> Tensor:
    products = [reduce_sum(_weighted(a * b, w), -1) for a, b in ((u, v), (u, u), (v, v))]
    return 1.0 - products[0] / sqrt(products[1] * products[2])


def _correlation(u: Tensor, v: Tensor, w: Numeric | None = None, centered: bool = True) -> Tensor:
    if not centered:
        return _cosine(u, v, w)
    if w is None:
        return _cosine(u - reduce_mean(u, -1, keepdims=True), v - reduce_mean(v, -1, keepdims=True))
    weights = _weights(w, u)
    u, v = (x - reduce_sum(weights * x, -1, keepdims=True) / reduce_sum(weights) for x in (u, v))
    return _cosine(u, v, weights)


def _canberra(u: Tensor, v: Tensor, w: Numeric | None = None) -> Tensor:
    shares = div_no_nan(absolute(u - v), absolute(u) + absolute(v))
    return reduce_sum(_weighted(shares, w), -1)


def _braycurtis(u: Tensor, v: Tensor, w: Numeric | None = None) -> Tensor:
    apart, both = (reduce_sum(_weighted(absolute(x), w), -1) for x in (u - v, u + v))
    return div_no_nan(apart, both)


def _seuclidean(u: Tensor, v: Tensor, V: Numeric) -> Tensor:
    variances = promoted_floats(V, u)[0]
    if len(dims(variances)) != 1 or certainly(dims(variances)[0] != dims(u)[-1]):
        raise ValueError(
            "Variance vector V must be of the same dimension as the vectors on which the distances are computed."
        )
    return _root(reduce_sum(square(u - v) / variances, -1))


def _mahalanobis(u: Tensor, v: Tensor, VI: Numeric) -> Tensor:
    inverse, away = promoted_floats(VI, u - v)
    if certainly(dims(inverse)[0] != dims(away)[-1]):
        raise ValueError(f"shapes {dims(u)} and {dims(inverse)} not aligned")
    moved = reshape(matmul(reshape(away, (-1, dims(inverse)[0])), inverse), dims(away))
    return _root(reduce_sum(moved * away, -1))


def _jensenshannon(
    u: Tensor, v: Tensor, base: float | None = None, axis: int = -1, keepdims: bool = False
) -> Tensor:
    p, q = (x / reduce_sum(x, axis, keepdims=True) for x in (u, v))
    middle = (p + q) / 2.0
    entropies = _relative_entropy(p, middle) + _relative_entropy(q, middle)
    both = reduce_sum(entropies, axis, keepdims=keepdims) / 2.0
    return _root(both if base is None else both / np.log(base))


def _relative_entropy(p: Tensor, q: Tensor) -> Tensor:
    return xlogy(p, div_no_nan(p, q))


Distance = Callable[..., Any]
_DISTANCES: Final[dict[str, Distance]] = {
    "braycurtis": _braycurtis,
    "canberra": _canberra,
    "chebyshev": _chebyshev,
    "cityblock": _cityblock,
    "correlation": _correlation,
    "cosine": _cosine,
    "euclidean": _euclidean,
    "jensenshannon": _jensenshannon,
    "mahalanobis": _mahalanobis,
    "minkowski": _minkowski,
    "seuclidean": _seuclidean,
    "sqeuclidean": _sqeuclidean,
}


def _real(*tensors: Tensor) -> Sequence[Tensor]:
    """The same, if they are real: a distance says which of two is greater."""
    if tensors[0].dtype.is_complex:
        raise ValueError(f"Unsupported dtype {tensors[0].dtype.name}: `u` and `v` must be real.")
    return tensors


def _of_two(name: str, distance: Distance) -> Distance:
    """The distance as a function of two vectors."""

    def function(u: Numeric, v: Numeric, *args: Any, **how: Any) -> Tensor:
        a, b = _real(*promoted_floats(u, v))
        if len(dims(a)) != 1 or len(dims(b)) != 1:
            raise ValueError("Input vector should be 1-D.")
        if certainly(dims(a)[0] != dims(b)[0]) and 1 not in (dims(a)[0], dims(b)[0]):
            raise ValueError(
                f"operands could not be broadcast together with shapes {dims(a)} {dims(b)}"
            )
        return distance(a, b, *args, **how)  # type: ignore[no-any-return]

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"The {name} distance of two vectors."
    return deferrable(function)


braycurtis = _of_two("braycurtis", _braycurtis)
canberra = _of_two("canberra", _canberra)
chebyshev = _of_two("chebyshev", _chebyshev)
cityblock = _of_two("cityblock", _cityblock)
correlation = _of_two("correlation", _correlation)
cosine = _of_two("cosine", _cosine)
euclidean = _of_two("euclidean", _euclidean)


@deferrable
def jensenshannon(
    p: Numeric, q: Numeric, base: float | None = None, *, axis: int = 0, keepdims: bool = False
) -> Tensor:
    """The jensenshannon distance of vectors along an axis."""
    a, b = _real(*promoted_floats(p, q))
    return _jensenshannon(a, b, base, axis, keepdims)


mahalanobis = _of_two("mahalanobis", _mahalanobis)
minkowski = _of_two("minkowski", _minkowski)
seuclidean = _of_two("seuclidean", _seuclidean)
sqeuclidean = _of_two("sqeuclidean", _sqeuclidean)

# ---- of sets of points --------------------------------------------------------------------------


def _chosen(metric: str | Distance, points: Tensor, how: dict[str, Any]) -> Distance:
    """The metric as a function of two tensors of vectors; what it needs besides is that of the points."""
    if callable(metric):
        name = getattr(metric, "__name__", "")
        if globals().get(name) is not metric:
            raise ValueError(
                "A metric of your own is not called for pairs here: tf.vectorized_map calls it for all of them."
            )
        metric = name
    if not isinstance(metric, str):
        raise TypeError("2nd argument metric must be a string identifier or a function.")
    metric = metric.lower()
    if metric not in _DISTANCES:
        raise ValueError(
            f"Unknown Distance Metric: {metric}. It is one of {', '.join(_DISTANCES)}."
        )
    if metric == "seuclidean" and how.get("V") is None:
        how["V"] = _covariance(points, along=False)
    if metric == "mahalanobis" and how.get("VI") is None:
        how["VI"] = inv(_covariance(points, along=True))
    if how.pop("out", None) is not None:
        raise NotImplementedError("A tensor is not written to: there is no out here.")
    given = {name: value for name, value in how.items() if value is not None}
    unknown = given.keys() - inspect.signature(_DISTANCES[metric]).parameters
    if unknown:
        raise TypeError(f"{metric}() got an unexpected keyword argument '{min(unknown)}'")
    return functools.partial(_DISTANCES[metric], **given)


def _covariance(points: Tensor, along: bool) -> Tensor:
    """The variances of the coordinates, or all covariances."""
    away = points - reduce_mean(points, 0, keepdims=True)
    count = cast(dims(points)[0] - 1, points.dtype)
    return (matmul(away, away, transpose_a=True) if along else reduce_sum(square(away), 0)) / count


@deferrable
def cdist(XA: Numeric, XB: Numeric, metric: str | Distance = "euclidean", **how: Any) -> Tensor:
    """The distances of the points of one set, in rows, to those of another.

    >>> from wengert.scipy.spatial.distance import cdist
    >>> cdist([[0.0, 0.0]], [[3.0, 4.0], [0.0, 1.0]]).numpy().tolist()
    [[5.0, 1.0]]
    """
    a, b = _real(*promoted_floats(XA, XB))
    for name, x in (("XA", a), ("XB", b)):
        if len(dims(x)) != 2:
            raise ValueError(f"{name} must be a 2-dimensional array.")
    if certainly(dims(a)[1] != dims(b)[1]):
        raise ValueError("XA and XB must have the same number of columns (i.e. feature dimension.)")
    distance = _chosen(metric, concat([a, b], 0), how)
    return distance(a[:, None], b[None])  # type: ignore[no-any-return]


@deferrable
def pdist(X: Numeric, metric: str | Distance = "euclidean", **how: Any) -> Tensor:
    """The distances of the points of one set to each other, one for each pair: see `squareform`."""
    (points,) = _real(in_floats(X))
    if len(dims(points)) != 2:
        raise ValueError(f"A 2-dimensional array must be passed. (Shape was {dims(points)}).")
    first, second = np.triu_indices(dims(points)[0], 1)
    distance = _chosen(metric, points, how)
    pairs = (gather_densely(points, as_tensor(i)) for i in (first, second))
    return distance(*pairs)  # type: ignore[no-any-return]


def _check_matrix(given: Tensor, checks: bool) -> None:
    """Whether a matrix is one of distances, as far as it is known."""
    if certainly(dims(given)[0] != dims(given)[1]):
        raise ValueError("The matrix argument must be square.")
    if not checks or type(given) is not Tensor:
        return
    matrix = np.asarray(given)
    if not np.allclose(matrix, matrix.T):
        raise ValueError("Distance matrix 'X' must be symmetric.")
    if not (np.diagonal(matrix) == 0).all():
        raise ValueError("Distance matrix 'X' diagonal must be zero.")


@deferrable
def squareform(X: Numeric, force: str = "no", checks: bool = True) -> Tensor:
    """The symmetric matrix of the distances of pairs, or the distances of the pairs of such a matrix."""
    given = as_tensor(X)
    rank = len(dims(given))
    if rank not in (1, 2):
        raise ValueError(
            f"The first argument must be one or two dimensional array. A {rank}-dimensional array is not permitted"
        )
    if force.lower() == ("tovector", "tomatrix")[rank - 1]:
        form = (
            "'tovector' but input X is not a distance matrix.",
            "'tomatrix' but input X is not a distance vector.",
        )
        raise ValueError(f"Forcing {form[rank - 1]}")
    if rank == 2:
        _check_matrix(given, checks)
        return gather_nd(given, as_tensor(np.stack(np.triu_indices(dims(given)[0], 1), -1)))
    count = dims(given)[0]
    size = math.ceil(math.sqrt(2 * count)) if count else 1
    if size * (size - 1) // 2 != count:
        raise ValueError(
            "Incompatible vector size. It must be a binomial coefficient n choose 2 for some integer n >= 2."
        )
    places = np.zeros((size, size), int)
    above = np.triu_indices(size, 1)
    places[above] = np.arange(1, count + 1)
    line = concat([zeros([1], given.dtype), given], 0)
    return gather_densely(line, as_tensor(places + places.T))


def __getattr__(name: str) -> Any:
    raise no_such("spatial.distance", name)
