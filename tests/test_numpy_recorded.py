"""tf.experimental.numpy against recorded results of TensorFlow 2.21: value, dtype, shape, type."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy_cases import calls, values

import wengert as tf
from wengert.api.numpy.behavior import set_behavior
from wengert.api.numpy.promotion import settings

RECORDS = json.loads(gzip.decompress((Path(__file__).parent / "data" / "numpy.json.gz").read_bytes()))  # fmt: skip
NEAR = {"float16": 5e-3, "bfloat16": 3e-2, "float32": 3e-6, "complex64": 3e-6}

# Where TensorFlow is not followed: by the beginning of the call, the reason.
KNOWN = {
    "tnp.isinf(": "TensorFlow gives one Python bool for what is not floating, and raises for lists",
    "tnp.isposinf(": "the same",
    "tnp.isneginf(": "the same",
    "tnp.rad2deg(": "TensorFlow gives a float of Python for a number, and float32 for halves",
    "tnp.deg2rad(h)": "float32 for halves, by a constant of NumPy",
    "tnp.cbrt(h)": "the same",
    "tnp.angle(": "TensorFlow gives float32 for real numbers of any dtype",
    "tnp.log2(": "float64 by a constant of NumPy that NumPy 2 no longer takes for weak",
    "tnp.log10(": "the same",
    "tnp.hypot(": "the same, and float64 for numbers of Python",
    "tnp.logaddexp2(": "the same",
    "tnp.logical_": "TensorFlow takes a complex number for true by its real part alone",
    "tnp.all(c)": "the same",
    "tnp.nonzero(c)": "the same",
    "tnp.isclose([inf], [inf])": "inf - inf is nan there",
    "tnp.around(123.456, -1)": "TensorFlow multiplies by a rounded 0.1",
    "tnp.linspace(1, 3, 3, dtype=int)": "TensorFlow forgets the dtype",
    "tnp.linspace(0, 1, 3, dtype=tnp.float32)": "the same",
    "tnp.logspace(0, 2, 3, dtype=tnp.float32)": "the same",
    "tnp.concatenate([[1], [2.5]])": "float64 for integers and floats, also where float32 is preferred",
    "f[[[0, 1]]]": "an index that NumPy no longer takes for a tuple",
}


@pytest.fixture
def behavior() -> Iterator[None]:
    """NumPy's behaviour of tensors, for one test."""
    tf.experimental.numpy.experimental_enable_numpy_behavior()
    yield
    settings.prefers_float32 = False
    set_behavior(promotes=False, has_methods=False)


def test_every_call_is_recorded() -> None:
    assert sorted(RECORDS["float64"]) == sorted(calls())


@pytest.mark.parametrize("call", calls())
@pytest.mark.usefixtures("behavior")
def test_what_tensorflow_gives(call: str) -> None:
    want = RECORDS["float64"][call]
    if not is_known(call, want):
        agree(evaluated(call), want)


@pytest.mark.parametrize("call", RECORDS["float32"])
@pytest.mark.usefixtures("behavior")
def test_what_tensorflow_gives_where_float32_is_preferred(call: str) -> None:
    tf.experimental.numpy.experimental_enable_numpy_behavior(prefer_float32=True)
    want = RECORDS["float32"][call]
    if not is_known(call, want):
        agree(evaluated(call), want)


def evaluated(call: str) -> Any:
    return eval(call, values(tf))  # our own text


def is_known(call: str, want: Any) -> bool:
    """Whether TensorFlow raised, or is not followed."""
    raises = isinstance(want, dict) and "raises" in want
    return raises or any(call.startswith(known) for known in KNOWN)


@pytest.mark.usefixtures("behavior")
def test_every_known_difference_is_one() -> None:
    """A call that agrees is no exception any more."""
    for known in KNOWN:
        agrees = []
        for call, want in [*RECORDS["float64"].items(), *RECORDS["float32"].items()]:
            if call.startswith(known) and not (isinstance(want, dict) and "raises" in want):
                try:
                    tf.experimental.numpy.experimental_enable_numpy_behavior(
                        prefer_float32=RECORDS["float64"][call] is not want
                    )
                    agree(evaluated(call), want)
                    agrees.append(True)
                except AssertionError:
                    agrees.append(False)
        assert not all(agrees), known


def agree(found: Any, want: Any) -> None:
    if isinstance(want, list):
        assert isinstance(found, (list, tuple))
        assert len(found) == len(want)
        for one, other in zip(found, want, strict=True):
            agree(one, other)
    elif "sizes" in want:
        assert list(found) == want["sizes"]
    elif "type" in want:
        assert type(found).__name__ == want["type"]
        assert (found.item() if hasattr(found, "item") else str(found)) == want["is"]
    elif "shape" not in want:
        assert found.name == want["dtype"]
    else:
        assert (found.dtype.name, list(found.shape)) == (want["dtype"], want["shape"])
        is_complex = want["dtype"].startswith("complex")
        numbers = [complex(*z) for z in want["is"]] if is_complex else want["is"]
        near = NEAR.get(want["dtype"], 1e-12)
        wide = np.asarray(found).astype(complex if is_complex else float).ravel()
        np.testing.assert_allclose(wide, numbers, near, near)
