"""NumPy's polynomials on tensors: coefficients, the highest power first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from wengert.api.numpy import creation, elementwise, further, joining, linalg, shapes
from wengert.api.numpy.promotion import as_tensor, in_floats, promoted_floats
from wengert.inference.public_functions import deferrable
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.api.numpy.promotion import Numeric


@deferrable
def polyadd(a1: Numeric, a2: Numeric) -> Tensor:
    a, b = _of_one_length(a1, a2)
    return a + b


@deferrable
def polysub(a1: Numeric, a2: Numeric) -> Tensor:
    a, b = _of_one_length(a1, a2)
    return a - b


def _of_one_length(a1: Numeric, a2: Numeric) -> list[Tensor]:
    both = promoted_floats(a1, a2)
    most = max(dims(x)[0] for x in both)
    return [further.pad(x, [(most - dims(x)[0], 0)]) for x in both]


@deferrable
def polymul(a1: Numeric, a2: Numeric) -> Tensor:
    found: Tensor = further.convolve(a1, a2)
    return found


@deferrable
def polyder(p: Numeric, m: int = 1) -> Tensor:
    found = in_floats(p)
    for _ in range(m):
        powers = np.arange(dims(found)[0] - 1, 0, -1)
        found = found[:-1] * as_tensor(powers, found.dtype)
    return found


@deferrable
def polyint(p: Numeric, m: int = 1, k: Any = None) -> Tensor:
    found = in_floats(p)
    constants = np.broadcast_to(0 if k is None else k, (m,))
    for constant in constants:
        powers = np.arange(dims(found)[0], 0, -1)
        last = as_tensor(np.asarray([constant]), found.dtype)
        found = joining.concatenate([found / as_tensor(powers, found.dtype), last])
    return found


@deferrable
def polyfit(x: Numeric, y: Numeric, deg: int) -> Tensor:
    """The coefficients of least squares; the columns are scaled to one length, as NumPy does."""
    places, heights = promoted_floats(x, y)
    powers = creation.vander(places, int(deg) + 1)
    scale = linalg.norm(powers, axis=0)
    found = linalg.lstsq(powers / scale, heights)[0]
    return found / (scale if len(dims(found)) == 1 else scale[:, None])


@deferrable
def roots(p: Numeric) -> Tensor:
    """The eigenvalues of the companion matrix, as complex numbers; no coefficients, but zeros, may lead."""
    found = in_floats(p)
    count = dims(found)[0] - 1
    if count < 1:
        return as_tensor(np.zeros(0, complex))
    first = shapes.reshape(-found[1:] / found[0], (1, -1))
    below = as_tensor(np.eye(count - 1, count), found.dtype)
    return linalg.eigvals(joining.concatenate([first, below]))  # type: ignore[no-any-return]


@deferrable
def poly(seq_of_zeros: Numeric) -> Tensor:
    """The coefficients of the polynomial with these zeros, or of a matrix's characteristic one."""
    zeros = in_floats(seq_of_zeros)
    is_matrix = len(dims(zeros)) == 2
    if is_matrix:
        zeros = linalg.eigvals(zeros)
    found = as_tensor(np.ones(1), zeros.dtype)
    for k in range(dims(zeros)[0]):
        found = further.convolve(found, joining.stack([as_tensor(1, zeros.dtype), -zeros[k]]))
    # Those of a real matrix lie in pairs.
    return (
        elementwise.real(found)
        if is_matrix and not as_tensor(seq_of_zeros).dtype.is_complex
        else found
    )


@deferrable
def polydiv(u: Numeric, v: Numeric) -> tuple[Tensor, Tensor]:
    """The quotient, and the rest with as many coefficients as the divisor lacks one."""
    rest, divisor = promoted_floats(u, v)
    size = dims(divisor)[0]
    quotient = []
    for _ in range(dims(rest)[0] - size + 1):
        quotient.append(rest[0] / divisor[0])
        rest = joining.concatenate([rest[1:size] - quotient[-1] * divisor[1:], rest[size:]])
    none = as_tensor(np.zeros(1), rest.dtype)
    return joining.stack(quotient) if quotient else none, rest
