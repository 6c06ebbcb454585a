"""tf.experimental: NumPy's functions on tensors, and exchange of arrays with other libraries."""

import importlib as _importlib
import typing as _typing
from typing import Any as _Any

from wengert.experimental import dlpack as dlpack

if _typing.TYPE_CHECKING:
    from wengert.experimental import numpy as numpy
else:

    def __getattr__(name: str) -> _Any:
        if name == "numpy":  # a few hundred functions, loaded when somebody asks for them
            return _importlib.import_module("wengert.experimental.numpy")
        raise AttributeError(f"module 'wengert.experimental' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), "numpy"})
