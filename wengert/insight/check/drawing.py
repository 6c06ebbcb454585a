"""Arguments for a function of which nobody said any: arrays of float64 of a few shapes, until it runs."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from wengert.api.gradients.user_gradient import signature_of
from wengert.derivatives import structures
from wengert.values.convert import convert
from wengert.values.tensor import wrap

if TYPE_CHECKING:
    from wengert.values.typing import Array

_SHAPES: Final = ((), (3,), (2, 3), (3, 3))
_RANGES: Final = ((-1.5, 1.5), (0.3, 1.5), (1.2, 3.0))  # anywhere, where roots are, above one
_MOST: Final = 4  # arguments, where their number is not known


def defaults_of(f: Callable[..., Any]) -> tuple[Any, ...] | None:
    """The arguments that a function has by default, if it has one for each."""
    parameters = _positional(f)
    if not parameters or any(p.default is p.empty for p in parameters):
        return None
    return tuple([p.default for p in parameters])


def drawn_arguments(f: Callable[..., Any]) -> tuple[Array, ...] | None:
    """Arrays with which a function runs and gives finite numbers; None if there are none among those tried."""
    rng = np.random.default_rng(0)
    for count in _counts(f):
        for shape in _SHAPES:
            for low, high in _RANGES:
                xs = tuple([rng.uniform(low, high, shape) for _ in range(count)])
                if _runs(f, xs):
                    return xs
    return None


def _positional(f: Callable[..., Any]) -> list[inspect.Parameter]:
    signature = signature_of(f)
    parameters = [] if signature is None else list(signature.parameters.values())
    return [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]


def _counts(f: Callable[..., Any]) -> Iterator[int]:
    needed = sum(p.default is p.empty for p in _positional(f))
    if needed:
        yield needed
    else:
        yield from range(1, _MOST + 1)


def _runs(f: Callable[..., Any], xs: tuple[Array, ...]) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = [convert(y) for y in structures.flatten(f(*[wrap(x) for x in xs]))]
            floating = [np.asarray(y) for y in found if y.dtype.is_differentiable]
    except Exception:  # noqa: BLE001  # it does not take such arguments; others are tried
        return False
    return bool(floating) and all(bool(np.all(np.isfinite(y))) for y in floating)
