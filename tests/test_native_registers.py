"""Loops of small steps, of which what is carried stays in registers: drawn ones, of all small sizes, are NumPy's.

Functions that become parts of others, arrays of a function's own, and vectors of which a part is stored.
"""

from __future__ import annotations

import ctypes
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import wengert as tf
from wengert.engines.native.codegen.gemm_forms import Function as Written
from wengert.engines.native.codegen.short_accesses import with_short_accesses
from wengert.engines.native.program import loops, modules
from wengert.engines.native.runtime import llvm, llvm_calls

Function = Callable[..., Any]


# Each keeps the shape and the size of a vector; `i` is the counter, `m` a matrix.
STEPS: list[Function] = [
    lambda x, i, m: 0.9 * x + 0.1 * tf.sin(x * 1.5 + 1.0),
    lambda x, i, m: tf.tanh(tf.linalg.matvec(m, x)),
    lambda x, i, m: tf.concat([x[1:], x[:1]], 0),
    lambda x, i, m: x[::-1] * 0.8,
    lambda x, i, m: tf.stack([x[-1] - x[0], *[x[k] * 0.5 for k in range(1, x.shape[0])]])
    if x.shape[0] < 6
    else x * 0.5,
    lambda x, i, m: x / (1.0 + tf.tensordot(x, x, 1) ** 0.5),
    lambda x, i, m: tf.where(x > 0.1, x * 0.5, x + 0.3),
    lambda x, i, m: x - 0.2 * tf.reduce_max(x),
    lambda x, i, m: x * tf.cast(i % 3, x.dtype) * 0.4 + 0.1,
    lambda x, i, m: tf.minimum(x, 0.5) + 0.01 * tf.cast(tf.cast(x * 8.0, tf.int32), x.dtype),
    lambda x, i, m: tf.tensor_scatter_nd_update(x, [[0]], [tf.cos(x[-1])]),
]  # fmt: skip


class Program:
    """A loop that is drawn: what it carries, how it ends, and steps with branches and loops among them."""

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(seed)
        self.size = self._rng.choice([1, 2, 3, 3, 4, 5, 6, 7, 8, 9, 11, 12, 15, 16, 17])
        self.dtype = np.dtype(self._rng.choice(["f4", "f8"]))
        self._steps = [self._part(1) for _ in range(self._rng.randint(1, 4))]
        self._count = self._rng.randint(0, 7)
        self._is_counted = self._rng.random() < 0.6

    def _part(self, depth: int) -> Function:
        kind = self._rng.choice(["step", "step", "step", "branch", "loop"]) if depth else "step"
        if kind == "step":
            return self._rng.choice(STEPS)
        inner, other, count = self._part(0), self._part(0), self._rng.randint(0, 3)
        if kind == "branch":
            return lambda x, i, m: tf.cond(
                tf.equal(i % 2, 0), lambda: inner(x, i, m), lambda: other(x, i, m)
            )
        return lambda x, i, m: tf.while_loop(
            lambda k, a: k < count, lambda k, a: (k + 1, inner(a, k + i, m)), (0, x)
        )[1]

    def run(self, x: Any, m: Any) -> Any:
        """The loop, which carries a vector, a number and truth values beside its counter."""

        def body(i: Any, x: Any, total: Any, signs: Any) -> Any:
            for step in self._steps:
                x = step(x, i, m)
            return i + 1, x, total * 0.5 + x[0], tf.math.logical_xor(signs, x > 0.0)

        def go_on(i: Any, x: Any, total: Any, signs: Any) -> Any:
            return i < self._count if self._is_counted else (i < self._count) & (total < 0.6)

        _, x, total, signs = tf.while_loop(go_on, body, (0, x, x[0] * 0.0, x > 0.2))
        return x + total, tf.cast(signs, tf.int32)


def outcome(program: Program, gradient: bool, **options: Any) -> list[Any]:
    rng = np.random.default_rng(3)
    x = tf.constant(rng.normal(size=program.size), program.dtype)
    m = tf.constant(rng.normal(size=(program.size, program.size)) * 0.4, program.dtype)

    @tf.function(autograph=False, **options)
    def f(x: Any, m: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch([x, m])
            y, signs = program.run(x, m)
        found = tape.gradient(y, [x, m], unconnected_gradients="zero") if gradient else []
        return [y, signs, *found]

    return [np.asarray(y) for y in f(x, m)]


def assert_alike(program: Program, gradient: bool) -> None:
    wanted = outcome(program, gradient, jit_compile=False)
    few = 2e-4 if program.dtype == "f4" else 1e-11
    for y, z in zip(outcome(program, gradient, jit_compile=True), wanted, strict=True):
        np.testing.assert_allclose(y, z, rtol=few, atol=few)


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("gradient", [False, True])
def test_drawn_loops(seed: int, gradient: bool) -> None:
    assert_alike(Program(seed), gradient)


@pytest.mark.parametrize("seed", range(60, 72))
@pytest.mark.parametrize("gradient", [False, True])
def test_where_they_stop_and_go_on(seed: int, gradient: bool, monkeypatch: Any) -> None:
    """After each step, as long ones do to be interrupted: what is carried is given back."""
    monkeypatch.setenv("WENGERT_CACHE_DIR", "")
    monkeypatch.setattr(loops, "_PAUSE", 1)
    assert_alike(Program(seed), gradient)


@pytest.mark.parametrize("seed", range(72, 80))
def test_where_llvm_lacks_the_passes(seed: int, monkeypatch: Any) -> None:
    """Then functions stay calls, and arrays in memory."""
    monkeypatch.setenv("WENGERT_CACHE_DIR", "")
    llvm.load_llvm()
    llvm_calls.calls()  # which are kept
    monkeypatch.setitem(llvm_calls._PASSES, "NoSuchPass", (None,))
    assert_alike(Program(seed), True)


@pytest.mark.parametrize("seed", range(80, 88))
def test_where_a_pass_makes_invalid_code(seed: int, monkeypatch: Any) -> None:
    """As those of LLVM 22 do of some arrays: it is compiled without them."""
    tried: list[int] = []

    def refused(self: Any, module: int, machine: int) -> None:
        tried.append(module)
        raise RuntimeError("Instruction does not dominate all uses!")

    monkeypatch.setenv("WENGERT_CACHE_DIR", "")
    monkeypatch.setattr(llvm_calls.Calls, "_inline", refused)
    assert_alike(Program(seed), True)
    tf.function(logistic, jit_compile=True)(tf.fill([3], 0.3))
    assert tried


# ---- what LLVM is told ---------------------------------------------------------------------------

COUNTED = """\
%v1 = call <4 x float> @llvm.masked.load.v4f32.p0(ptr %a0, i32 4, <4 x i1> <i1 true, i1 true, i1 true, i1 false>, <4 x float> zeroinitializer)
call void @llvm.masked.store.v4f32.p0(<4 x float> %v1, ptr %a1, i32 4, <4 x i1> <i1 true, i1 true, i1 true, i1 false>)"""


def test_short_accesses() -> None:
    """The first elements of a vector as a vector of their own; other masks stay."""
    assert with_short_accesses(COUNTED).splitlines() == [
        "%v1.short = load <3 x float>, ptr %a0, align 4",
        "%v1 = shufflevector <3 x float> %v1.short, <3 x float> zeroinitializer, "
        "<4 x i32> <i32 0, i32 1, i32 2, i32 3>",
        "%short0 = shufflevector <4 x float> %v1, <4 x float> poison, <3 x i32> <i32 0, i32 1, i32 2>",
        "store <3 x float> %short0, ptr %a1, align 4",
    ]
    for other in (
        COUNTED.replace(
            "i1 true, i1 true, i1 true, i1 false", "i1 true, i1 false, i1 true, i1 false"
        ),
        COUNTED.replace("float", "i8"),
        COUNTED.replace("<i1 true, i1 true, i1 true, i1 false>", "%mask"),
    ):
        assert with_short_accesses(other) == other


def written(f: Function, *xs: Any, **options: Any) -> str:
    """The LLVM IR of a function's plans."""
    found: list[str] = []
    usual = modules.module_of

    def kept(*args: Any) -> str:
        found.append(usual(*args))
        return found[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WENGERT_CACHE_DIR", "")
        patch.setattr(modules, "module_of", kept)
        tf.function(f, jit_compile=True, **options)(*xs)
    return "\n".join(found)


def logistic(x: Any) -> Any:
    return tf.while_loop(lambda i, x: i < 9, lambda i, x: (i + 1, 3.7 * x * (1.0 - x)), (0, x))[1]


def long(x: Any) -> Any:
    def body(i: Any, x: Any) -> Any:
        for k in range(200):
            x = tf.sin(x + k / 7) * 0.9
        return i + 1, x

    return tf.while_loop(lambda i, x: i < 9, body, (0, x))[1]


def test_which_arrays_are_the_functions_own() -> None:
    """Small ones of small steps, whose sizes are known."""
    few, many = tf.fill([5], 0.3), tf.fill([400], 0.3)
    assert "%own1 = alloca [4 x i8]" in written(logistic, few)
    assert "%own2 = alloca [20 x i8]" in written(logistic, few)
    assert "alwaysinline" in written(logistic, many)
    assert "[1600 x i8]" not in written(logistic, many)
    assert "alwaysinline" not in written(long, few)
    unknown = [tf.TensorSpec([None])]
    assert "%own1" not in written(logistic, few, input_signature=unknown)


def test_they_are_in_registers(monkeypatch: Any) -> None:
    """What LLVM makes of the logistic map has no array left."""
    binding = pytest.importorskip("llvmlite.binding")
    text = written(logistic, tf.fill([3], 0.3))
    assert "alloca" in text
    llvm.load_llvm()
    module = binding.parse_assembly(text)
    calls = llvm_calls.calls()
    assert calls is not None
    place = ctypes.cast(module._ptr, ctypes.c_void_p).value
    calls._inline(place or 0, llvm._target(llvm.LOOPS).machine)
    module.verify()
    assert "alloca" not in str(module)


def test_functions_that_loops_call_are_internal() -> None:
    """But not those that a plan's steps call, too: the two plans do not share their code."""
    inner, outer = (
        Written("ret void", frozenset(), ()),
        Written("call void @k0(ptr %b, i64 0)\nret void", frozenset(), (), True),
    )
    functions = {"@k0": inner, "@k1": outer}
    alone, both = (modules.module_of(functions, wanted) for wanted in (["@k1"], ["@k0", "@k1"]))
    assert "define internal void @k0(ptr %b, i64 %part) alwaysinline nounwind" in alone
    assert "define void @k0(ptr %b, i64 %part) alwaysinline nounwind" in both
    assert "define void @k1(ptr %b, i64 %part) nounwind" in alone
