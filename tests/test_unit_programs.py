"""What TensorFlow's own tests cover, in programs of ours: values and errors as TensorFlow's."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from unit_programs.common import outcome
from unit_programs.differing import KNOWN
from unit_programs.families import FAMILIES

import wengert as tf
from wengert.compat import redirect

RECORDED = json.loads(
    (Path(__file__).parent / "data" / "unit_programs.json").read_text(encoding="utf-8")
)
CASES = [(family, name) for family, results in RECORDED.items() for name in results]


@pytest.fixture(scope="module", autouse=True)
def _redirected() -> Iterator[None]:
    """Programs import TensorFlow's own modules, which are Wengert's meanwhile."""
    redirect.install()
    yield
    redirect.uninstall()


@pytest.fixture(scope="module")
def made() -> dict[str, Any]:
    """The programs of each family."""
    found = {}
    for family, programs in FAMILIES.items():
        tf.random.set_seed(1)  # as when they were recorded: some draw what they work on
        found[family] = programs(tf)
    return found


@pytest.mark.parametrize(("family", "name"), CASES, ids=[f"{f}-{n}" for f, n in CASES])
def test_a_program_gives_what_it_gives_in_tensorflow(
    family: str, name: str, made: dict[str, Any]
) -> None:
    """Text and whole numbers exactly, others to what float16 holds."""
    tf.random.set_seed(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = differences(outcome(made[family][name]), RECORDED[family][name])
    assert found == KNOWN.get(f"{family}/{name}", [])


def differences(found: Any, wanted: Any, at: str = "") -> list[str]:
    """The places where two results differ; a part that is alike has none."""
    if wanted == "raises NotFoundError":  # a kernel that TensorFlow lacks for the dtype
        return []
    if wanted == "ValueError" and found == "InvalidArgumentError":  # which is a ValueError here
        return []
    if isinstance(wanted, dict) and isinstance(found, dict) and list(found) == list(wanted):
        return [d for k in wanted for d in differences(found[k], wanted[k], f"{at}[{k}]")]
    if isinstance(wanted, list) and isinstance(found, list) and len(found) == len(wanted):
        if wanted and isinstance(wanted[0], str):
            near = 1e-2 if wanted[0] in ("float16", "bfloat16") else 2e-5
            return [] if is_alike(found, wanted, near) else [at]
        pairs = enumerate(zip(found, wanted, strict=True))
        return [d for i, (one, other) in pairs for d in differences(one, other, f"{at}[{i}]")]
    return [] if is_alike(found, wanted, 2e-5) else [at]


def is_alike(found: Any, wanted: Any, near: float) -> bool:
    """Whether two results are the same: numbers to what their dtype holds."""
    if wanted == "ValueError" and found == "InvalidArgumentError":
        return True
    if isinstance(wanted, list) and isinstance(found, list):
        pairs = zip(found, wanted, strict=False)
        return len(found) == len(wanted) and all(is_alike(a, b, near) for a, b in pairs)
    if isinstance(wanted, float) and isinstance(found, (int, float)):
        return bool(np.isclose(found, wanted, rtol=near, atol=near))
    return type(found) is type(wanted) and bool(found == wanted)


def test_every_program_is_recorded(made: dict[str, Any]) -> None:
    assert {f: list(p) for f, p in made.items()} == {f: list(r) for f, r in RECORDED.items()}


def test_a_difference_is_seen() -> None:
    one = {"a": ["float32", [1.0]], "b": ["ValueError", True]}
    assert differences(one, one) == []
    assert differences({**one, "a": ["float32", [1.001]]}, one) == ["[a]"]
    assert differences({**one, "b": ["TypeError", True]}, one) == ["[b]"]


def test_what_is_known_to_differ_is_in_a_program(made: dict[str, Any]) -> None:
    assert set(KNOWN) <= {f"{family}/{name}" for family in made for name in made[family]}
