"""tf.experimental.numpy against recorded results of TensorFlow 2.21: value, dtype, shape, type."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wengert as tf
from numpy_cases import calls, values
from wengert.api.numpy.behavior import set_behavior
from wengert.api.numpy.promotion import settings

RECORDS = json.loads(gzip.decompress((Path(__file__).parent / "data" / "numpy.json.gz").read_bytes()))  # fmt: skip
NEAR = {"float16": 5e-3, "bfloat16": 3e-2, "float32": 3e-6, "complex64": 3e-6}


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
    agree(eval(call, values(tf)), RECORDS["float64"][call])  # noqa: S307  # our own text


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
