"""The kernels of elementwise operations give under JAX what they give under NumPy.

A kernel is written against a namespace that looks like NumPy. That it runs on jax.numpy is what an
engine for accelerators needs.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pytest
from optable import CASES

import wengert as tf
from wengert.core.table import TABLE

jax = pytest.importorskip("jax", reason="JAX, an optional peer, is not installed")

FEW = 4  # calls of a row that are looked at
# So many rows run on jax.numpy; the others ask for SciPy, or write into arrays.
AT_LEAST = 80
PLAIN = (np.float64, np.int32, bool)


class Call(NamedTuple):
    """What a kernel was called with, and what NumPy made of it."""

    kernel: Callable[..., Any]
    arrays: list[Any]
    attrs: dict[str, Any]
    result: Any


def recorder(kernel: Callable[..., Any], found: list[Call]) -> Callable[..., Any]:
    """The kernel, which remembers its first calls on floats of 64 bits, integers and truth."""

    def recording(xp: Any, *arrays: Any, **attrs: Any) -> Any:
        result = kernel(xp, *arrays, **attrs)
        given = [np.asarray(a) for a in arrays]
        if len(found) < FEW and all(a.dtype in PLAIN for a in given):
            found.append(Call(kernel, [a.copy() for a in given], attrs, np.asarray(result).copy()))
        return result

    return recording


@cache
def calls() -> dict[str, list[Call]]:
    """By row, calls of elementwise kernels: in the table of samples, and in gradients."""
    rows = {name: row for name, row in TABLE.items() if row.elementwise}
    kernels = {name: row.kernel for name, row in rows.items()}
    found: dict[str, list[Call]] = {name: [] for name in rows}
    for name, row in rows.items():
        row.kernel = recorder(row.kernel, found[name])
    try:
        for case in CASES:
            if len(found.get(case.line.type, ())) < FEW and case.line.type in rows:
                _run(case)
    finally:
        for name, row in rows.items():
            row.kernel = kernels[name]
    for case in CASES:  # what is a function of NumPy's is called without its kernel
        called = rows.get(case.line.type)
        if called is not None and called.ufunc is not None and not case.attrs:
            made = found[called.name]
            xs = case.inputs()
            if len(made) < FEW and all(x.dtype in PLAIN for x in xs):
                made.append(Call(called.kernel, xs, {}, called.ufunc(*xs)))
    return {name: made for name, made in found.items() if made}


def _run(case: Any) -> None:
    xs = [tf.constant(x) for x in case.inputs()]
    moving = [xs[i] for i in case.varied]
    with tf.GradientTape() as tape:
        tape.watch(moving)
        y = case.call(*xs)
    if moving and not case.line.constant:
        tape.gradient(y, moving, unconnected_gradients="zero")


def under_jax(call: Call) -> Any:
    """The same call on jax.numpy's arrays."""
    result = call.kernel(jax.numpy, *map(jax.numpy.asarray, call.arrays), **call.attrs)
    return None if isinstance(result, np.ndarray) else np.asarray(result)


def agrees(call: Call) -> bool | None:
    """Whether JAX gives NumPy's result; None where the kernel does not run on jax.numpy."""
    with jax.enable_x64(True):
        try:
            got = under_jax(call)
        except Exception:
            return None
    if got is None:
        return None
    if got.dtype != call.result.dtype or got.shape != call.result.shape:
        return False
    if got.dtype.kind != "f":
        return bool(np.array_equal(got, call.result))
    return bool(np.allclose(got, call.result, rtol=1e-11, atol=1e-13, equal_nan=True))


def test_what_runs_agrees() -> None:
    """No kernel runs on jax.numpy and gives something else."""
    found = {name: [agrees(call) for call in made] for name, made in calls().items()}
    wrong = {name: answers for name, answers in found.items() if False in answers}
    assert not wrong
    run = sorted(name for name, answers in found.items() if all(answers))
    rest = sorted(set(found) - set(run))
    assert len(run) >= AT_LEAST, f"{len(run)} rows run on jax.numpy. These do not: {rest}"


def test_a_kernel_can_be_compiled_by_jax() -> None:
    """What runs on its arrays can be traced and compiled as well."""
    x = np.linspace(-2.0, 2.0, 31)
    for name in ("Tanh", "Exp", "Relu", "Expm1", "Softplus", "Square", "Sign", "Abs"):
        row = TABLE[name]
        with jax.enable_x64(True):
            traced = jax.jit(lambda a, row=row: row.kernel(jax.numpy, a))
            got = np.asarray(traced(jax.numpy.asarray(x)))
        np.testing.assert_allclose(got, row.kernel(np, x), rtol=1e-13, atol=1e-14)


def test_a_planted_fault_is_found() -> None:
    """A kernel that computes something else under JAX, in another dtype, or not at all."""

    def kernel(right: Any, wrong: Any) -> Call:
        x = np.arange(4.0)
        chosen = lambda xp, a: right(a) if xp is np else wrong(xp, a)  # noqa: E731
        return Call(chosen, [x], {}, right(x))

    assert agrees(kernel(np.sin, lambda xp, a: xp.sin(a))) is True
    assert agrees(kernel(np.sin, lambda xp, a: xp.sin(a) + 1e-9)) is False
    assert agrees(kernel(np.sin, lambda xp, a: xp.sin(a).astype("float32"))) is False
    assert agrees(kernel(np.sin, lambda xp, a: xp.nothing(a))) is None
    assert agrees(kernel(np.sin, lambda xp, a: np.sin(np.asarray(a)))) is None
