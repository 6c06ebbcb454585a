"""Einsums of several arrays as einsums of two, in the order with the fewest multiplications."""

from __future__ import annotations

import functools
import sys
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from wengert.ops.linalg.einsum_products import terms_of
from wengert.values.shapes import Dims


class Pair(NamedTuple):
    """Two operands, by their indices among those given and the results before, and their equation."""

    first: int
    second: int
    equation: str


@functools.lru_cache(maxsize=256)
def pairs_of(equation: str, shapes: tuple[Dims, ...]) -> tuple[Pair, ...]:
    """The products of two operands after which the last one is the result."""
    terms, out = terms_of(equation)
    live, pairs = list(range(len(terms))), []
    for places in _order(equation, shapes):
        chosen = [live[place] for place in places]
        live = [v for v in live if v not in chosen]
        while len(chosen) > 1:
            first, second, *others = chosen
            waiting = [terms[v] for v in (*others, *live)]
            made = _needed(terms[first] + terms[second], [*waiting, out]) if waiting else out
            pairs.append(Pair(first, second, f"{terms[first]},{terms[second]}->{made}"))
            chosen = [len(terms), *others]
            terms.append(made)
        live += chosen
    return tuple(pairs)


def _order(equation: str, shapes: Sequence[Dims]) -> list[tuple[int, ...]]:
    """Which operands are next, by their places; what comes of them is added at the end."""
    nothing = [np.broadcast_to(np.float32(0.0), shape) for shape in shapes]
    # As large as it has to be: a limit of memory would leave several operands to the end.
    found, _ = np.einsum_path(equation, *nothing, optimize=("greedy", sys.maxsize))
    return [tuple(places) for places in found[1:]]


def _needed(labels: str, elsewhere: Sequence[str]) -> str:
    """The labels that others have, too."""
    others = set().union(*elsewhere)
    return "".join(label for label in dict.fromkeys(labels) if label in others)
