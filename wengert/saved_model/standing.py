"""Inputs of functions that stand for what their graph does not use, or computes in another way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

from wengert.compat.graph_defs.draws import stream_of
from wengert.values.dtypes import DType, int32


class Stand:
    """An input of a function that is no tensor of its graph."""

    value_index = 0

    def __init__(self, name: str, dtype: DType = int32, shape: Any = ()) -> None:
        self.dtype, self.shape = dtype, shape
        self.op = SimpleNamespace(name=name)


def standing(own: Mapping[int, Any], given: Sequence[Any]) -> list[Any]:
    """The inputs of a graph by their places among all that are given, with stands for the others.

    Streams of random numbers are left out: files have none.
    """
    return [
        own[n] if n in own else Stand(f"unused_{n}", x.dtype, x.shape)
        for n, x in enumerate(given)
        if not stream_of(x)
    ]


def at_places(graph: Any, places: Sequence[int], given: Sequence[Any]) -> list[Any]:
    """The same for a graph that says the places of what it captured."""
    return standing(dict(zip(places, graph.captured_inputs, strict=True)), given)
