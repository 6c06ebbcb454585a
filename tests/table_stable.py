"""Lines of the table of samples: the stable forms, which rewritten operations become."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.special
from samples import Line, anywhere, between, distinct, internal, line, positive

import wengert.ops.stable.rows  # noqa: F401  # loaded when somebody asks for it

AXES: Sequence[dict[str, Any]] = [{"axis": (1,)}, {"axis": (0,)}, {"axis": (0, 1)}]
SUMS = [{**attrs, "keepdims": keepdims} for attrs in AXES for keepdims in (False, True)]


def log1mexp(x: Any) -> Any:
    return np.log(-np.expm1(x))


def slope(x: Any) -> Any:
    return scipy.special.expit(x) * scipy.special.expit(-x)


LINES: Sequence[Line] = [
    line("StableSigmoid", internal("StableSigmoid"), scipy.special.expit),
    line("StableSigmoidSlope", internal("StableSigmoidSlope"), slope),
    line("StableTanh", internal("StableTanh"), np.tanh),
    line("StableSoftplus", internal("StableSoftplus"), lambda x: np.logaddexp(0, x)),
    line("StableLog1mexp", internal("StableLog1mexp"), log1mexp, between(-2.5, -0.3)),
    line("StableXlogx", internal("StableXlogx"), lambda x: x * np.log(x), positive),
    line("Hypot", internal("Hypot"), np.hypot, anywhere, anywhere),
    line("HypotCosine", internal("HypotCosine"), lambda x, y: x / np.hypot(x, y), anywhere, anywhere),
    line("StableSoftmax", internal("StableSoftmax"), scipy.special.softmax, distinct,
         shapes=[[(2, 3)]], attrs=AXES),
    line("StableLogSoftmax", internal("StableLogSoftmax"), scipy.special.log_softmax, distinct,
         shapes=[[(2, 3)]], attrs=AXES),
    line("StableLogSumExp", internal("StableLogSumExp"), scipy.special.logsumexp, distinct,
         shapes=[[(2, 3)]], attrs=SUMS),
]  # fmt: skip
