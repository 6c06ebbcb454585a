"""All elementary functions by name, and their code for each type.

Each is a branch-free function of lanes of one floating-point dtype.
"""

from __future__ import annotations

import functools
from typing import Final

import numpy as np

from wengert.engines.native.frontend.lanes import Lane, offer
from wengert.engines.native.frontend.scalar import Code
from wengert.engines.native.mathematics import bessel_functions as _bessel  # noqa: F401
from wengert.engines.native.mathematics import bessel_second_kind as _bessel_k  # noqa: F401
from wengert.engines.native.mathematics import bessel_waves as _bessel_j  # noqa: F401
from wengert.engines.native.mathematics import error_functions as _special  # noqa: F401
from wengert.engines.native.mathematics import exponential_integral as _expint  # noqa: F401
from wengert.engines.native.mathematics import exponentials as _exponentials  # noqa: F401
from wengert.engines.native.mathematics import gamma_functions as _gamma  # noqa: F401
from wengert.engines.native.mathematics import hyperbolic as _hyperbolic  # noqa: F401
from wengert.engines.native.mathematics import inverse_trigonometric as _arcs  # noqa: F401
from wengert.engines.native.mathematics import logarithms as _logarithms  # noqa: F401
from wengert.engines.native.mathematics import powers as _powers  # noqa: F401
from wengert.engines.native.mathematics import quantiles as _quantiles  # noqa: F401
from wengert.engines.native.mathematics import remainders as _remainders  # noqa: F401
from wengert.engines.native.mathematics import trigonometric as _trigonometric
from wengert.engines.native.mathematics.building_blocks import FUNCTIONS

FAR: Final = "_far"  # the end of the names of slow paths


@functools.cache
def body(name: str, kind: str) -> tuple[Code, int]:
    """The code of a function for an element type, and the index of its result."""
    code = Code()
    f = FUNCTIONS[name]
    dtype = np.dtype(kind)
    count = f.__code__.co_argcount
    xs = [Lane(code, code.add("param", kind, (), i), dtype) for i in range(count)]
    if name not in NEAR:
        return code, f(*xs).value
    limit = NEAR[name][kind == "f8"]
    near = FUNCTIONS[f"{name}_near"](*xs)
    return code, code.add("far", kind, (near.value, xs[0].value), (f"{name}{FAR}", limit))


def expanded(code: Code, wanted: list[int], most: int = 8) -> tuple[Code, list[int]]:
    """The code with function calls inlined, except of functions that it calls often."""
    calls: dict[tuple[str, str], int] = {}
    for op, kind, _, extra in code.instructions:
        if op == "call":
            calls[extra, kind] = calls.get((extra, kind), 0) + 1
    if not calls:
        return code, wanted
    result = Code()
    values: list[int] = []
    for op, kind, args, extra in code.instructions:
        given = tuple([values[a] for a in args])
        if op == "call" and calls[extra, kind] <= most:
            values.append(_in_place(result, extra, kind, given))
        else:
            values.append(result.add(op, kind, given, extra))
    return result, [values[w] for w in wanted]


def _in_place(code: Code, name: str, kind: str, args: tuple[int, ...]) -> int:
    inner, result = body(name, kind)
    inner, (result,) = expanded(inner, [result])
    return code.inserted(inner, args)[result]


# Up to these limits, for float32 and float64, the cheap `sin_near` and so on are used. Beyond,
# `sin_far` takes ten times as long, and is computed only where it is needed.
NEAR: Final = dict.fromkeys(("sin", "cos", "tan"), _trigonometric.NEAR)

offer([name for name in FUNCTIONS if not name.endswith(("_near", "_far"))])
offer(("arcsin", "arccos", "arctan", "arctan2", "arcsinh", "arccosh", "arctanh"))
