"""NumPy's polynomials on tensors: coefficients, the highest power first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from wengert.api.numpy import creation, further, joining, linalg
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
