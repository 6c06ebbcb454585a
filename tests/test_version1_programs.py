"""Programs of TensorFlow 1, with cells and layers: names, values and gradients as TensorFlow's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from version1_programs import PROGRAMS, Names

import wengert as tf

v1 = tf.compat.v1
NAMES = Names(tf, v1.nn.rnn_cell, v1.nn, v1.layers, v1.layers)
RECORDED = json.loads(
    (Path(__file__).parent / "data" / "version1.json").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_gives_what_it_gives_in_tensorflow(name: str) -> None:
    """Names of variables exactly, numbers to what their dtype holds."""
    with tf.Graph().as_default():
        v1.set_random_seed(1)
        assert_alike(PROGRAMS[name](NAMES), RECORDED[name])


def assert_alike(found: Any, wanted: Any) -> None:
    if isinstance(wanted, dict):
        assert list(found) == list(wanted)
        for key in wanted:
            assert_alike(found[key], wanted[key])
    elif isinstance(wanted, list):
        assert len(found) == len(wanted)
        for one, other in zip(found, wanted, strict=True):
            assert_alike(one, other)
    elif isinstance(wanted, float):
        np.testing.assert_allclose(found, wanted, rtol=2e-5, atol=2e-5)
    else:
        assert found == wanted


def test_a_difference_is_seen() -> None:
    with pytest.raises(AssertionError):
        assert_alike({"a": [1.0, "x"]}, {"a": [1.001, "x"]})
    with pytest.raises(AssertionError):
        assert_alike({"a": [1.0, "x"]}, {"a": [1.0, "y"]})
