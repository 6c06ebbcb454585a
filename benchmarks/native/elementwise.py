"""Workloads of elementwise operations: one on many floats, many on few, and a tiny one."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import chain
from benchmarks.native.libraries import compiling_torch, contestants, named, torch_arrays
from benchmarks.native.workload import (
    BEST,
    FLOAT,
    Array,
    Program,
    Run,
    Workload,
    doubles,
    find_jax,
    normal,
)
from benchmarks.peers import find, steps

FLOATS = 10_000_000
MULTIPLY_ADDS = 500
OPERATIONS = 2 * MULTIPLY_ADDS

# ---- log(1 + exp(x)) ----------------------------------------------------------------------------

SOFTPLUS = Program(
    inputs=lambda: normal((FLOATS,)),
    taped=lambda tf, x: tf.reduce_sum(tf.math.log(1.0 + tf.exp(x))),
    jax=lambda jax, x: jax.numpy.sum(jax.numpy.log(1.0 + jax.numpy.exp(x))),
    torch=lambda torch, x: torch.sum(torch.log(1.0 + torch.exp(x))),
)

# A block's sum is a float, so that the loop is all of one width; the sum of blocks is a double.
SOURCE = """
#include <math.h>
double softplus(const float *x, float *gradient, long count) {
    double total = 0;
    #pragma omp parallel for reduction(+ : total) schedule(static)
    for (long block = 0; block < count; block += 4096) {
        long end = block + 4096 < count ? block + 4096 : count;
        float sum = 0;
        #pragma omp simd reduction(+ : sum)
        for (long i = block; i < end; i++) {
            float e = expf(x[i]), u = 1 + e;
            sum += logf(u);
            gradient[i] = e / u;
        }
        total += sum;
    }
    return total;
}
"""


def softplus_expected() -> list[Array]:
    (x,) = doubles(SOFTPLUS.inputs())
    return [np.log1p(np.exp(x)).sum(), 1 / (1 + np.exp(-x))]


def softplus_in_c() -> Run | None:
    """The limit: one loop over memory that is there already."""
    function = compiled_c()
    if function is None:
        return None
    (x,) = SOFTPLUS.inputs()
    gradient = np.empty_like(x)
    pointers = [v.ctypes.data_as(ctypes.POINTER(ctypes.c_float)) for v in (x, gradient)]

    def both() -> Any:
        return function(*pointers, x.size), gradient

    return Run(both)


def compiled_c() -> Callable[..., float] | None:
    """The function of SOURCE, or None where nothing compiles it."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        source, library = Path(folder) / "softplus.c", Path(folder) / "softplus.so"
        source.write_text(SOURCE)
        options = ["-O3", "-march=native", "-fopenmp", "-ffast-math", "-shared", "-fPIC"]
        command = [compiler, *options, str(source), "-o", str(library), "-lm"]
        if subprocess.run(command, capture_output=True).returncode:
            return None
        function = ctypes.CDLL(str(library)).softplus
    floats = ctypes.POINTER(ctypes.c_float)
    function.argtypes, function.restype = (floats, floats, ctypes.c_long), ctypes.c_double
    return function


# ---- a chain ------------------------------------------------------------------------------------

CHAIN = Program(
    inputs=chain.inputs,
    taped=lambda tf, x, a, b: steps(x, a, b, MULTIPLY_ADDS),
    jax=lambda jax, x, a, b: steps(x, a, b, MULTIPLY_ADDS),
    torch=lambda torch, x, a, b: steps(x, a, b, MULTIPLY_ADDS),
)


def chain_expected() -> list[Array]:
    x, a, b = doubles(chain.inputs())
    return [steps(x, a, b, MULTIPLY_ADDS), a**MULTIPLY_ADDS]


# ---- a tiny gradient ----------------------------------------------------------------------------
# Only the gradient is returned, alone: at this size what wraps and unwraps results is measurable.


def tiny_input() -> Array:
    return np.linspace(0.1, 1.0, 8, dtype=FLOAT)


def tiny_expected() -> list[Array]:
    x = tiny_input().astype(np.float64)
    return [np.cos(x) * x + np.sin(x)]


def tiny_taped(module: str, compiled: bool) -> Run | None:
    tf = find(module)
    if tf is None:
        return None
    given = tf.constant(tiny_input())

    @tf.function(jit_compile=compiled)
    def gradient(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.sin(x) * x)
        return tape.gradient(y, x)

    return Run(lambda: gradient(given), lambda g: [g])


def tiny_jax() -> Run | None:
    jax = find_jax()
    if jax is None:
        return None
    given = jax.numpy.asarray(tiny_input())
    gradient = jax.jit(jax.grad(lambda x: jax.numpy.sum(jax.numpy.sin(x) * x)))
    return Run(lambda: gradient(given).block_until_ready(), lambda g: [g])


def tiny_torch() -> Run | None:
    torch = find("torch")
    if torch is None:
        return None
    x = torch.tensor(tiny_input(), requires_grad=True)
    return Run(lambda: torch.autograd.grad(torch.sum(torch.sin(x) * x), x), torch_arrays)


def tiny_compiled_torch() -> Run | None:
    torch = compiling_torch()
    if torch is None:
        return None
    given = torch.tensor(tiny_input())
    gradient = torch.compile(torch.func.grad(lambda x: torch.sum(torch.sin(x) * x)))
    return Run(lambda: gradient(given), lambda g: torch_arrays([g]))


WORKLOADS = [
    Workload(
        f"log(1 + exp(x)), {FLOATS:,} floats",
        contestants(SOFTPLUS) | {"C": softplus_in_c},
        softplus_expected,
        {BEST: 0.6, "C": 1.3},
    ),
    Workload(
        f"chain of {OPERATIONS:,} operations, 8 floats",
        contestants(CHAIN),
        chain_expected,
        {"JAX jit": 0.8},
        "µs per operation",
        1e6 / OPERATIONS,
    ),
    Workload(
        "call of a tiny gradient, 8 floats",
        named(tiny_taped, tiny_jax, tiny_torch, tiny_compiled_torch),
        tiny_expected,
        {"JAX jit": 0.7},
        "µs",
        1e6,
    ),
]
