"""The native engine computes what the reference engine computes: every operation, to second order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numeric import restricted, tensors
from optable import CASES
from samples import Case

import wengert as tf


def derivatives(case: Case, xs: list[Any]) -> Any:
    """The results, a combination of the gradients, and one of the gradients of that."""
    chosen = case.varied
    call = restricted(case.call, xs, chosen)

    def f(*at: Any) -> list[Any]:
        with tf.GradientTape() as outer:
            outer.watch(at)
            with tf.GradientTape() as inner:
                inner.watch(at)
                ys = call(*at)
            ys = [y for y in ys if y.dtype.is_differentiable]
            gs = inner.gradient(ys, at, unconnected_gradients="zero") if ys else []
        hs = outer.gradient(gs, at, unconnected_gradients="zero") if gs else []
        return [tf.convert_to_tensor(v) for v in (*ys, *gs, *hs)]

    return f, [xs[i] for i in chosen]


# A function is given an array where this operation wants a variable.
CHOSEN = [c for c in CASES if not c.is_stateful and c.line.type != "ReadVariableOp"]


@pytest.mark.parametrize("case", CHOSEN, ids=repr)
def test_every_operation(case: Case) -> None:
    """Values, gradients and second derivatives of both engines agree."""
    f, at = derivatives(case, tensors(case.inputs()))
    native = tf.function(f, jit_compile=True)(*at)
    reference = tf.function(f, jit_compile=False)(*at)
    assert len(native) == len(reference)
    for got, want in zip(native, reference, strict=True):
        assert_alike(got.numpy(), want.numpy())


def assert_alike(got: Any, want: Any, relative: float = 1e-10) -> None:
    """Equal but for rounding; NaN and infinity in the same places."""
    assert got.dtype == want.dtype
    assert np.shape(got) == np.shape(want)
    if want.dtype.kind not in "fc":
        np.testing.assert_array_equal(got, want)
        return
    finite = np.abs(want)[np.isfinite(want)]
    size = float(finite.max()) if finite.size else 1.0
    np.testing.assert_allclose(got, want, rtol=relative, atol=relative * (1 + size))
