"""The distributions of vectors, and the entropy of shares."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

from wengert.api.numpy import linalg
from wengert.api.numpy.promotion import in_floats, promoted_floats
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays.creation import eye
from wengert.ops.arrays.joining import concat
from wengert.ops.arrays.shaping import expand_dims, reshape
from wengert.ops.linalg.diagonals import diag
from wengert.ops.linalg.triangular import cholesky, triangular_solve
from wengert.ops.math.arithmetic import xlogy
from wengert.ops.math.comparison import where
from wengert.ops.math.elementwise import exp, floor, log
from wengert.ops.reductions.reductions import reduce_all, reduce_sum
from wengert.ops.special.gamma import lgamma
from wengert.scipy.arguments import as_in_scipy
from wengert.scipy.stats.distribution import Frozen, has_no
from wengert.values.tensor import dims

if TYPE_CHECKING:
    from wengert.api.numpy.promotion import Numeric
    from wengert.values.tensor import Tensor

_LOG_2_PI: Final = math.log(2.0 * math.pi)


def _covariance(cov: Tensor, size: int) -> Tensor:
    """The matrix that a number, the variances or the matrix itself stand for."""
    rank = len(dims(cov))
    if rank == 0:
        return cov * eye(size, dtype=cov.dtype)
    return diag(cov) if rank == 1 else cov


class OfVectors:
    """A distribution of vectors. Called, it is one whose parameters are given."""

    name: str
    _parameters: tuple[str, ...]

    def __call__(self, *args: Any, **kwargs: Any) -> Frozen:
        """The distribution with these parameters."""
        if len(args) > len(self._parameters):
            raise TypeError(
                f"The parameters of {self.name} are {', '.join(self._parameters)}; got {len(args)}."
            )
        return Frozen(self, dict(zip(self._parameters, args, strict=False)) | kwargs)

    def __getattr__(self, name: str) -> Any:
        raise has_no(self, name)


class MultivariateNormal(OfVectors):
    """The normal distribution of vectors."""

    name, _parameters = "multivariate_normal", ("mean", "cov")

    @staticmethod
    @as_in_scipy
    def logpdf(x: Numeric, mean: Numeric | None = None, cov: Numeric = 1.0) -> Tensor:
        """The logarithm of the density; the covariance must be positive definite.

        >>> from wengert.scipy.stats import multivariate_normal as normal
        >>> log_density = lambda x: normal.logpdf(x, cov=[[2.0, 0.0], [0.0, 1.0]])
        >>> print(tf.grad(log_density)(tf.constant([2.0, 3.0])).numpy())
        [-1. -3.]
        """
        point, center, matrix = promoted_floats(x, 0.0 if mean is None else mean, cov)
        size = max((dims(x) or (1,))[-1] for x in (center, matrix))
        if size == 1 and (not dims(point) or dims(point)[-1] != 1):
            point = expand_dims(point, -1)
        factor = cholesky(_covariance(matrix, size))
        rows = reshape(point - center, (-1, size))
        white = triangular_solve(factor, linalg.matrix_transpose(rows))
        squares = reshape(reduce_sum(white * white, 0), dims(point)[:-1])
        volume = 2.0 * reduce_sum(log(linalg.diagonal(factor)))
        return (squares + volume + size * _LOG_2_PI) / -2.0

    def pdf(self, x: Numeric, *args: Any, **kwargs: Any) -> Tensor:
        """The density."""
        return exp(self.logpdf(x, *args, **kwargs))


class Dirichlet(OfVectors):
    """The distribution of shares whose sum is one, in the rows of x as in SciPy's: a vector is a column."""

    name, _parameters = "dirichlet", ("alpha",)

    @staticmethod
    @deferrable
    def logpdf(x: Numeric, alpha: Numeric) -> Tensor:
        """The logarithm of the density; the last share may be left out."""
        shares, powers = promoted_floats(x, alpha)
        if dims(shares)[0] == dims(powers)[0] - 1:
            last = 1.0 - reduce_sum(shares, 0, keepdims=True)
            shares = concat([shares, last], 0)
        rank = len(dims(shares))
        along = reshape(powers, (-1, *[1] * (rank - 1)))
        norm = reduce_sum(lgamma(powers)) - lgamma(reduce_sum(powers))
        return reduce_sum(xlogy(along - 1.0, shares), 0) - norm

    def pdf(self, x: Numeric, alpha: Numeric) -> Tensor:
        """The density."""
        return exp(self.logpdf(x, alpha))


class Multinomial(OfVectors):
    """The distribution of counts of n draws."""

    name, _parameters = "multinomial", ("n", "p")

    @staticmethod
    @deferrable
    def logpmf(x: Numeric, n: Numeric, p: Numeric) -> Tensor:
        """The logarithm of the probability of counts, in the last axis."""
        counts, draws, shares = promoted_floats(x, n, p)
        found = lgamma(draws + 1.0) + reduce_sum(xlogy(counts, shares) - lgamma(counts + 1.0), -1)
        is_possible = reduce_all((counts >= 0.0) & (floor(counts) == counts), -1)
        return where(is_possible & (reduce_sum(counts, -1) == draws), found, -math.inf)

    def pmf(self, x: Numeric, n: Numeric, p: Numeric) -> Tensor:
        """The probability of counts."""
        return exp(self.logpmf(x, n, p))


multivariate_normal: Final = MultivariateNormal()
dirichlet: Final = Dirichlet()
multinomial: Final = Multinomial()


@deferrable
def entropy(
    pk: Numeric, qk: Numeric | None = None, base: float | None = None, axis: int = 0
) -> Tensor:
    """The entropy of shares, or relative to others; both are divided by their sums first."""
    p, q = (in_floats(pk), None) if qk is None else promoted_floats(pk, qk)
    p = p / reduce_sum(p, axis, keepdims=True)
    if q is None:
        found = -reduce_sum(xlogy(p, p), axis)
    else:
        found = reduce_sum(xlogy(p, p * (reduce_sum(q, axis, keepdims=True) / q)), axis)
    return found if base is None else found / math.log(base)
