"""Who computes an objective and its derivative: a call that is ready to be timed, or None."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.adbench import formulas
from benchmarks.adbench.given import drawn, inputs, taped
from benchmarks.peers import find

Call = Callable[[], Sequence[Any]]
EAGER, GRAPH, COMPILED = "eager", "graph", "compiled"


def in_tensorflow(module: str, mode: str, name: str) -> Call | None:
    tf = find(module)
    if tf is None:
        return None
    program, arrays = drawn(name)
    derivative = taped(module, program)
    if mode != EAGER:
        derivative = tf.function(derivative, jit_compile=mode == COMPILED)
    given = [tf.constant(v) for v in arrays]
    last = {"bundle": -1, "hand": -1}.get(program, 0)
    return lambda: ready(derivative(*given), last)


def ready(results: Sequence[Any], at: int) -> Sequence[Any]:
    """Results that have been computed, wherever that is done in the background."""
    results[at].numpy()
    return results


def in_jax(name: str) -> Call | None:
    jax = find("jax")
    if jax is None:
        return None
    jax.config.update("jax_enable_x64", True)
    program, arrays = drawn(name)
    derivative = jax.jit(_derivative_in_jax(jax, program))
    given = [jax.numpy.asarray(v) for v in arrays]
    return lambda: flat(jax.block_until_ready(derivative(*given)))


def _derivative_in_jax(jax: Any, program: str) -> Any:
    xp = jax.numpy
    if program in ("rows", "batches"):
        value = partial(_mixture(program), xp, lambda x, k: jax.nn.logsumexp(x, axis=k))
        return jax.value_and_grad(value, (0, 1, 2))
    if program == "model":
        return jax.value_and_grad(partial(formulas.model, xp), (0, 1))
    if program == "hand":
        value = partial(formulas.hand, xp)
        return lambda *xs: (value(*xs), jax.jacfwd(value)(*xs))
    return partial(_bundle, lambda f, xs: jax.vjp(f, *xs), xp)


def _mixture(program: str) -> Callable[..., Any]:
    return formulas.mixture_by_rows if program == "rows" else formulas.mixture_in_batches


def _bundle(vjp: Any, xp: Any, *xs: Any) -> Any:
    """The residuals, and the blocks of their Jacobian."""
    cameras, points, weights, of_camera, of_point, seen = xs
    sources = (cameras[of_camera], points[of_point], weights)
    errors, back = vjp(lambda c, p, w: formulas.bundle(xp, c, p, w, seen), sources)
    one, zero = xp.ones_like(errors[:, 0]), xp.zeros_like(errors[:, 0])
    rows = [g for pair in ((one, zero), (zero, one)) for g in back(xp.stack(pair, -1))]
    return errors, 1.0 - weights**2, *rows, -2.0 * weights


def in_autograd(name: str) -> Call | None:
    if find("autograd") is None:
        return None
    xp = find("autograd.numpy")
    differential = find("autograd.differential_operators")
    special = find("autograd.scipy.special")
    program, arrays = drawn(name)
    if program == "hand":
        return None  # it has no forward mode over all directions at once
    if program == "bundle":

        def vjp(f: Any, sources: Any) -> Any:
            back, value = differential.make_vjp(lambda s: f(*s))(sources)
            return value, back

        return lambda: flat(_bundle(vjp, xp, *arrays))
    count = 2 if program == "model" else 3
    value = partial(formulas.model, xp)
    if program != "model":
        value = partial(_mixture(program), xp, lambda x, k: special.logsumexp(x, axis=k))
    both = differential.value_and_grad(lambda s: value(*s, *arrays[count:]))
    return lambda: flat(both(tuple(arrays[:count])))


def in_torch(name: str) -> Call | None:
    torch = find("torch")
    if torch is None:
        return None
    program, arrays = drawn(name)
    given = [torch.tensor(v) for v in arrays]
    if program == "hand":
        value = partial(formulas.hand, torch)
        return lambda: [value(*given), torch.func.jacfwd(value)(*given)]
    if program == "bundle":
        given[3:5] = [v.long() for v in given[3:5]]
        return lambda: flat(_bundle(lambda f, xs: torch.func.vjp(f, *xs), torch, *given))
    count = 2 if program == "model" else 3
    value = partial(formulas.model, torch)
    if program != "model":
        value = partial(_mixture(program), torch, torch.logsumexp)
    sources = [x.requires_grad_() for x in given[:count]]

    def both() -> Sequence[Any]:
        y = value(*given)
        return [v.detach() for v in (y, *torch.autograd.grad(y, sources))]

    return both


def by_hand(name: str) -> Call | None:
    """The mixture's gradient in C++, on one core."""
    compiler = shutil.which(os.environ.get("CXX", "g++"))
    program, arrays = drawn(name)
    if compiler is None or program not in ("rows", "batches"):
        return None
    source = Path(__file__).with_name("mixture.cpp")
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "mixture.so"
        options = ["-O3", "-march=native", "-ffast-math", "-shared", "-fPIC"]
        subprocess.run([compiler, *options, str(source), "-o", str(library)], check=True)
        function = ctypes.CDLL(str(library)).mixture
    function.restype = ctypes.c_double
    given = [np.ascontiguousarray(v) for v in arrays]
    gradients = [np.empty_like(v) for v in given[:3]]
    sizes = [ctypes.c_int(v) for v in (given[1].shape[1], len(given[1]), len(given[3]))]
    constant = ctypes.c_double(inputs.wishart_constant(given[1].shape[1]))
    prior = [ctypes.c_double(inputs.GAMMA), ctypes.c_int(inputs.M), constant]

    def call() -> Sequence[Any]:
        pointers = [ctypes.c_void_p(v.ctypes.data) for v in (*given, *gradients)]
        value = function(*sizes, *pointers[:4], *prior, *pointers[4:])
        return [value, *gradients]

    return call


def flat(results: Any) -> list[Any]:
    """Nested results as a list."""
    if isinstance(results, (tuple, list)):
        return [v for r in results for v in flat(r)]
    return [results]


CONTESTANTS: dict[str, Callable[[str], Call | None]] = {
    "wengert": partial(in_tensorflow, "wengert", COMPILED),
    "wengert graph": partial(in_tensorflow, "wengert", GRAPH),
    "wengert eager": partial(in_tensorflow, "wengert", EAGER),
    "TensorFlow XLA": partial(in_tensorflow, "tensorflow", COMPILED),
    "TensorFlow graph": partial(in_tensorflow, "tensorflow", GRAPH),
    "TensorFlow eager": partial(in_tensorflow, "tensorflow", EAGER),
    "JAX jit": in_jax,
    "PyTorch": in_torch,
    "autograd": in_autograd,
    "C++": by_hand,
}
# Of the package that each needs: another Python may have it, which an environment variable names.
PACKAGES = {"JAX jit": "jax", "PyTorch": "torch", "autograd": "autograd", "C++": "wengert"}
