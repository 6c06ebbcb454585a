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
# Where float32 is preferred: only what differs is recorded.
PREFERRED = RECORDS["float64"] | RECORDS["float32"]
NEAR = {"float16": 5e-3, "bfloat16": 3e-2, "float32": 3e-6, "complex64": 3e-6}

# Where TensorFlow is not followed: the reasons, with the calls.
KNOWN = {
    "one Python bool for what is not floating": "isinf(i) isinf(b) isinf(c) isposinf(i) isposinf(b) "
    "isposinf(c) isneginf(i) isneginf(b) isneginf(c)",
    "a float of Python for a number": "rad2deg(2)",
    "float32 for halves and truths, by a constant of NumPy": "rad2deg(h) rad2deg(b) deg2rad(h) cbrt(h)",
    "float32 for real numbers of any dtype": "angle(d) angle(i) angle(b) angle(h) angle(2) "
    "angle([1.5,-2.5]) angle(-1.0)",
    "float64 by a constant that NumPy 2 does not take for weak": "log2(p) log2(c) log10(p) log10(c) "
    "hypot(f,1.5) hypot(f,2) hypot(1,2.5) logaddexp2(f,1.5) logaddexp2(f,2) logaddexp2(s,f) "
    "logaddexp2(h,f)",
    "a complex number is true by its real part alone": "logical_not(c) logical_and(c,f) "
    "logical_and(c,d) logical_xor(c,f) logical_xor(c,d) all(c) nonzero(c)",
    "inf - inf is nan": "isclose([inf],[inf])",
    "it multiplies by a rounded 0.1": "around(123.456,-1)",
    "it forgets the dtype": "linspace(1,3,3,dtype=int) linspace(0,1,3,dtype=tnp.float32) "
    "logspace(0,2,3,dtype=tnp.float32)",
    "float64 where float32 is preferred": "concatenate([[1],[2.5]])",
    "an index that NumPy no longer takes for a tuple": "f[[[0,1]]]",
}
NOT_FOLLOWED = {call for calls in KNOWN.values() for call in calls.split()}


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


@pytest.mark.parametrize("call", calls())
@pytest.mark.usefixtures("behavior")
def test_what_tensorflow_gives_where_float32_is_preferred(call: str) -> None:
    tf.experimental.numpy.experimental_enable_numpy_behavior(prefer_float32=True)
    want = PREFERRED[call]
    if not is_known(call, want):
        agree(evaluated(call), want)


def evaluated(call: str) -> Any:
    return eval(call, values(tf))  # our own text


def is_known(call: str, want: Any) -> bool:
    """Whether TensorFlow raised, or is not followed."""
    return raises(want) or plain(call) in NOT_FOLLOWED


def raises(want: Any) -> bool:
    return isinstance(want, dict) and "raises" in want


def plain(call: str) -> str:
    """A call as it stands among those that are known."""
    return call.removeprefix("tnp.").replace(" ", "")


@pytest.mark.usefixtures("behavior")
def test_every_known_difference_is_one() -> None:
    """A call that agrees in both modes is no exception any more."""
    differs = set()
    for prefer_float32, records in ((False, RECORDS["float64"]), (True, PREFERRED)):
        tf.experimental.numpy.experimental_enable_numpy_behavior(prefer_float32)
        for call, want in records.items():
            if plain(call) in NOT_FOLLOWED and not raises(want):
                try:
                    agree(evaluated(call), want)
                except AssertionError:
                    differs.add(plain(call))
    assert differs == NOT_FOLLOWED


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
