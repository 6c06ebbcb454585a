"""Value and gradient of a program, as each library compiles them; the inputs are ready before."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from benchmarks.native.workload import Contestant, Program, Run, find_jax
from benchmarks.peers import find

# What a contestant that is not there lacks.
NEEDS = {
    "TensorFlow graph": "TensorFlow",
    "TensorFlow XLA": "TensorFlow",
    "JAX jit": "JAX",
    "PyTorch": "PyTorch",
    "torch.compile": "PyTorch and a C++ compiler",
    "torch.compile, unrolled": "PyTorch and a C++ compiler",
    "C": "a C compiler with OpenMP",
}
LIMITS = ("C", "NumPy")  # written by hand for one workload: no peers


def contestants(program: Program) -> dict[str, Contestant]:
    """Wengert and the peers, each of which computes value and gradients."""
    return named(
        partial(taped, program), partial(jitted, program), partial(eager, program), _func(program)
    )


def named(
    in_tensorflow: Callable[[str, bool], Run | None],
    in_jax: Contestant,
    in_torch: Contestant,
    in_compiled_torch: Contestant,
) -> dict[str, Contestant]:
    """The contestants by name; what TensorFlow runs is given the module and whether to compile."""
    return {
        "wengert": partial(in_tensorflow, "wengert", True),
        "TensorFlow graph": partial(in_tensorflow, "tensorflow", False),
        "TensorFlow XLA": partial(in_tensorflow, "tensorflow", True),
        "JAX jit": in_jax,
        "PyTorch": in_torch,
        "torch.compile": in_compiled_torch,
    }


def taped(program: Program, module: str, compiled: bool) -> Run | None:
    """With a GradientTape in a tf.function, TensorFlow's or ours."""
    tf = find(module)
    if tf is None:
        return None
    inputs = [tf.constant(v) for v in program.inputs()]

    @tf.function(jit_compile=compiled)
    def both(*xs: Any) -> Any:
        sources = chosen(program, xs)
        with tf.GradientTape() as tape:
            tape.watch(sources)
            y = program.taped(tf, *xs)
        return y, *tape.gradient(y, sources)

    return Run(lambda: both(*inputs))


def jitted(program: Program) -> Run | None:
    jax = find_jax()
    if jax is None:
        return None
    inputs = [jax.numpy.asarray(v) for v in program.inputs()]

    @jax.jit
    def both(*xs: Any) -> Any:
        value = of_chosen(program, partial(program.jax, jax), xs)
        y, pull_back = jax.vjp(value, *chosen(program, xs))
        return y, *pull_back(jax.numpy.ones_like(y))

    return Run(lambda: jax.block_until_ready(both(*inputs)))


def eager(program: Program) -> Run | None:
    torch = find("torch")
    if torch is None:
        return None
    return torch_run(torch, program, partial(program.torch, torch))


def torch_run(torch: Any, program: Program, value: Callable[..., Any]) -> Run:
    """PyTorch's gradient of a value, whatever has been compiled in it."""
    inputs = [torch.tensor(v) for v in program.inputs()]
    sources = [x.requires_grad_() for x in chosen(program, inputs)]

    def both() -> Any:
        y = value(*inputs)
        return y, *torch.autograd.grad(y, sources, torch.ones_like(y))

    return Run(both, torch_arrays)


def _func(program: Program) -> Contestant:
    def make() -> Run | None:
        """The form that torch.compile runs fastest: the gradient is in what is compiled."""
        torch = compiling_torch()
        if torch is None:
            return None
        inputs = [torch.tensor(v) for v in program.inputs()]

        def both(*xs: Any) -> Any:
            value = of_chosen(program, partial(program.torch, torch), xs)
            y, pull_back = torch.func.vjp(value, *chosen(program, xs))
            return y, *pull_back(torch.ones_like(y))

        compiled = torch.compile(both)
        return Run(lambda: compiled(*inputs), torch_arrays)

    return make


def compiling_torch() -> Any:
    """PyTorch, or None where it would find no compiler."""
    return find("torch") if shutil.which(os.environ.get("CXX", "g++")) else None


def torch_arrays(results: Sequence[Any]) -> list[Any]:
    return [v.detach().numpy() for v in results]


def chosen(program: Program, xs: Sequence[Any]) -> list[Any]:
    """The inputs in which the gradient is asked for."""
    return [xs[i] for i in program.gradients]


def of_chosen(program: Program, value: Callable[..., Any], xs: Sequence[Any]) -> Callable[..., Any]:
    """The value as a function of those inputs alone."""

    def function(*sources: Any) -> Any:
        given = dict(enumerate(xs)) | dict(zip(program.gradients, sources, strict=True))
        return value(*given.values())

    return function
