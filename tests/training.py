"""TensorFlow's numbers for optimizers and schedules, and what they are compared with."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import wengert as tf

PATH = Path(__file__).parent / "data" / "optimizers.json"
# Rounding after six steps, relative to numbers of size one.
TOLERANCES = {"float32": 1e-6, "float64": 1e-13}


@cache
def reference() -> Any:
    return json.loads(PATH.read_text("utf-8"))


def name_of(case: dict[str, Any]) -> str:
    what = case.get("optimizer") or case["schedule"]
    args = ",".join(f"{k}={v}" for k, v in case["args"].items() if not isinstance(v, dict))
    return "-".join([case["api"], what, args, case.get("dtype", ""), case.get("kind", "")])


def optimizer_of(case: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """The optimizer of a case, and what `apply_gradients` is given besides."""
    args = dict(case["args"])
    rate = args.get("learning_rate")
    space = tf.optimizers if case["api"] == "v2" else tf.compat.v1.train
    kind = getattr(space, case["optimizer"])
    if not isinstance(rate, dict):
        return kind(**args), {}
    schedule = getattr(tf.optimizers.schedules, rate["schedule"])(*rate["args"])
    if case["api"] == "v2":
        return kind(**{**args, "learning_rate": schedule}), {}
    step = tf.Variable(np.int64(0))
    return kind(**{**args, "learning_rate": lambda: schedule(step)}), {"global_step": step}


def trained(case: dict[str, Any], steps: int) -> tuple[Any, list[Any]]:
    """The optimizer and the variables after some steps with the given gradients."""
    optimizer, more = optimizer_of(case)
    dtype = case["dtype"]
    if case["kind"] == "dense":
        data = reference()["dense"]
        variables = [tf.Variable(np.array(x, dtype)) for x in data["initial"]]
        gradients: Any = [[tf.constant(np.array(g, dtype)) for g in gs] for gs in data["steps"]]
    else:
        data = reference()[case["kind"].replace(" ", "_")]
        variables = [tf.Variable(np.array(data["initial"], dtype))]
        gradients = [
            [tf.IndexedSlices(tf.constant(np.array(g, dtype)), i, variables[0].shape)]
            for i, g in data["steps"]
        ]
    for gs in gradients[:steps]:
        optimizer.apply_gradients(zip(gs, variables, strict=True), **more)
    return optimizer, variables


def assert_as(case: dict[str, Any], got: Any, want: Any) -> None:
    """Equal but for rounding."""
    tolerance = TOLERANCES[case["dtype"]]
    assert got.dtype == case["dtype"]
    np.testing.assert_allclose(got, np.array(want, got.dtype), rtol=tolerance, atol=tolerance / 10)
