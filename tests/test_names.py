"""Public names: those of TensorFlow, with its parameters, or a reason."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest


def _tool() -> Any:
    path = Path(__file__).parent.parent / "tools" / "names.py"
    spec = importlib.util.spec_from_file_location("names", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


NAMES = _tool()
COMPLETE = [
    "tf.autodiff",
    "tf.bitwise",
    "tf.debugging",
    "tf.dtypes",
    "tf.errors",
    "tf.experimental.numpy",
    "tf.experimental.numpy.random",
    "tf.linalg",
    "tf.math",
    "tf.nest",
    "tf.signal",
]
COVERED = [*COMPLETE, "tf", "tf.nn", "tf.random", "tf.image", "tf.sets", "tf.sparse"]


@pytest.mark.parametrize("module", COMPLETE)
def test_every_name_is_there(module: str) -> None:
    """Nothing of these modules is missing."""
    assert NAMES.coverage(module).missing == []


@pytest.mark.parametrize("module", COVERED)
def test_parameters_are_those_of_tensorflow(module: str) -> None:
    """Names, order and defaults; what is ours comes after."""
    assert NAMES.coverage(module).different == []


@pytest.mark.parametrize("module", COVERED)
def test_what_is_missing_has_a_reason(module: str) -> None:
    """Nothing is forgotten."""
    for name in NAMES.coverage(module).missing:
        assert NAMES.reason(f"{module}.{name}") != "not written yet", f"{module}.{name}"


def test_a_difference_is_found() -> None:
    """The tool itself: other names, another order, another default."""

    def f(x: Any, axis: int = 0) -> None: ...

    assert NAMES._difference(f, [["x", None], ["axis", "0"]]) is None
    assert "parameters" in NAMES._difference(f, [["y", None], ["axis", "0"]])
    assert "default of axis" in NAMES._difference(f, [["x", None], ["axis", "-1"]])
