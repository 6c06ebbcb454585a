"""Which function of ours stands for which of NumPy's."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any, Final

import numpy as np

from wengert.api.numpy import (
    creation,
    elementwise,
    fourier,
    further,
    indexing,
    joining,
    linalg,
    moved,
    pairs,
    polynomials,
    products,
    reductions,
    running,
    shapes,
    statistics,
)
from wengert.ops.reductions.reductions import reduce_logsumexp

Table = dict[Any, Callable[..., Any]]


def _named(names: str, source: ModuleType, space: Any = np) -> Table:
    """The functions of these names; NumPy's older and newer versions lack some."""
    return {getattr(space, n): getattr(source, n) for n in names.split() if hasattr(space, n)}


UFUNCS: Final[Table] = {
    **_named(
        "sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh exp exp2 expm1 "
        "log log2 log10 log1p sqrt cbrt deg2rad rad2deg floor ceil fabs isnan isinf isfinite "
        "absolute negative positive square conjugate signbit logical_not reciprocal sign",
        elementwise,
    ),
    **_named(
        "add subtract multiply divide floor_divide remainder power maximum minimum arctan2 "
        "hypot logaddexp logaddexp2 heaviside nextafter equal not_equal less less_equal greater "
        "greater_equal bitwise_and bitwise_or bitwise_xor gcd lcm logical_and logical_or "
        "logical_xor divmod",
        pairs,
    ),
    **_named("fmax fmin fmod modf copysign float_power ldexp trunc vecdot", further),
    **_named("matmul", products),
    np.degrees: elementwise.rad2deg,
    np.radians: elementwise.deg2rad,
    np.rint: elementwise.around,
    np.invert: elementwise.bitwise_not,
}

REDUCTIONS: Final[Table] = {
    np.add: reductions.sum,
    np.multiply: reductions.prod,
    np.maximum: reductions.max,
    np.minimum: reductions.min,
    np.logical_and: reductions.all,
    np.logical_or: reductions.any,
    np.logaddexp: reduce_logsumexp,
}
ACCUMULATIONS: Final[Table] = {np.add: running.cumsum, np.multiply: running.cumprod}
PARTS: Final[Table] = {getattr(np, name): running.reduceat_of(name) for name in running.OF_PARTS}

_LINALG: Final = (
    "inv det slogdet eig eigvals eigh eigvalsh cholesky svd svdvals qr solve pinv matrix_power "
    "multi_dot norm matrix_transpose lstsq cond tensorsolve tensorinv matrix_norm vector_norm"
)
FUNCTIONS: Final[Table] = {
    **_named("angle around round real imag fix sinc", elementwise),
    **_named("clip isclose polyval", pairs),
    **_named("isposinf isneginf iscomplex isreal", elementwise),
    **_named(
        "sum prod mean var average max min amax amin ptp all any argmax argmin count_nonzero allclose "
        "array_equal nansum nanprod nanmean",
        reductions,
    ),
    **_named("cumsum cumprod", running),
    **_named(
        "reshape ravel transpose expand_dims squeeze swapaxes moveaxis broadcast_to "
        "broadcast_arrays atleast_1d atleast_2d atleast_3d flip fliplr flipud rot90 roll tile "
        "repeat meshgrid",
        shapes,
    ),
    **_named(
        "concatenate stack hstack vstack dstack append split hsplit vsplit dsplit",
        joining,
    ),
    **_named(
        "copy zeros_like ones_like empty_like full_like linspace logspace geomspace vander",
        creation,
    ),
    **_named(
        "take take_along_axis where nonzero compress select ix_ diag diagflat diagonal trace tril "
        "triu sort argsort",
        indexing,
    ),
    **_named("dot inner outer vdot tensordot einsum kron cross", products),
    **_named(
        "nan_to_num interp trapezoid gradient convolve correlate pad column_stack block array_split "
        "ediff1d extract shape ndim piecewise astype array_equiv diff cumulative_sum cumulative_prod "
        "nancumsum unwrap i0",
        further,
    ),
    **_named(
        "partition argpartition searchsorted digitize quantile nanquantile percentile nanpercentile "
        "median nanmedian histogram bincount std cov corrcoef nanmax nanmin nanvar nanstd",
        statistics,
    ),
    **_named("size", shapes),
    **_named("insert delete resize choose apply_along_axis", moved),
    **_named("sliding_window_view", moved, np.lib.stride_tricks),
    **_named("polyadd polysub polymul polydiv polyder polyint polyfit poly roots", polynomials),
    **_named(_LINALG, linalg, np.linalg),
    **_named("outer cross tensordot", products, np.linalg),
    **_named("vecdot", further, np.linalg),
    **_named("diagonal", linalg, np.linalg),
    **fourier.FUNCTIONS,
}

# Whose results are truths, places and counts: through them leads no gradient.
DISCRETE: Final = frozenset(
    getattr(np, name)
    for name in [
        "isnan",
        "isinf",
        "isfinite",
        "signbit",
        "logical_not",
        "logical_and",
        "logical_or",
        "logical_xor",
        "equal",
        "not_equal",
        "less",
        "less_equal",
        "greater",
        "greater_equal",
        "isposinf",
        "isneginf",
        "iscomplex",
        "isreal",
        "isclose",
        "allclose",
        "array_equal",
        "array_equiv",
        "all",
        "any",
        "argmax",
        "argmin",
        "argsort",
        "argpartition",
        "searchsorted",
        "digitize",
        "nonzero",
        "count_nonzero",
        "shape",
        "ndim",
        "size",
        "bitwise_and",
        "bitwise_or",
        "bitwise_xor",
        "invert",
        "gcd",
        "lcm",
        "zeros_like",
        "ones_like",
        "empty_like",
    ]
)
