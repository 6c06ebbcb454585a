"""scipy.spatial: distances between points.

distance  Distances between two points, between the points of two sets, and of one
"""

import importlib
from typing import Any

from wengert.scipy.arguments import no_such


def __getattr__(name: str) -> Any:
    """Its module, which is loaded when it is first asked for, as SciPy's are."""
    if name == "distance":
        return importlib.import_module(f"{__name__}.{name}")
    raise no_such("spatial", name)
