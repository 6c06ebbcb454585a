"""SciPy's functions with gradients, by SciPy's names and with its arguments.

SciPy makes arrays of what it is given, which no gradient follows. Here the functions that people differentiate
are made of our operations, so that they have every derivative, in functions and out of them:

special      logsumexp, softmax and the functions of single elements
linalg       solving, factors and functions of matrices
stats        densities and distribution functions
signal       convolutions
integrate    integrals of samples and of functions, differential equations
interpolate  curves through points, and values between those of a grid
ndimage      filters along the axes of images, and values between their elements
spatial      distances between points

>>> from wengert.scipy.stats import norm
>>> print(tf.grad(lambda x: norm.logpdf(x, scale=2.0))(3.0).numpy())
-0.75
"""

import importlib
from typing import Any, Final

_MODULES: Final = (
    "special", "linalg", "stats", "signal", "integrate", "interpolate", "ndimage", "spatial",
)  # fmt: skip


def __getattr__(name: str) -> Any:
    """A module, which is loaded when it is first asked for, as SciPy's are."""
    if name in _MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(
        f"wengert.scipy has no {name!r}. It has {', '.join(_MODULES)}; for scipy.optimize there is "
        "tf.to_scipy, and tf.wrap makes a differentiable function of any other one."
    )
