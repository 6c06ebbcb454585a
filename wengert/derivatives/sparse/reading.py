"""The elements of a matrix, read off products of its columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert.derivatives.sparse.coloring import Coloring
from wengert.derivatives.sparse.pattern import Links
from wengert.ops.arrays.gathering import gather, unsorted_segment_sum
from wengert.ops.arrays.joining import concat
from wengert.ops.arrays.shaping import reshape
from wengert.values.tensor import dims


def read_off(coloring: Coloring, links: Links, products: Any) -> Any:
    """The values of some links, of products with the colors in front."""
    flat, height = reshape(products, (-1,)), dims(products)[1]
    if coloring.symmetric == "acyclic":
        return _by_subtraction(coloring, links, flat, height)
    rows, columns = links
    if coloring.symmetric == "star":
        elsewhere = ~_is_alone(coloring, links)
        rows, columns = np.where(elsewhere, columns, rows), np.where(elsewhere, rows, columns)
    return gather(flat, coloring.colors[columns] * height + rows)


def _is_alone(coloring: Coloring, links: Links) -> Any:
    """Whether no other column of the color has an element in the row of a link."""
    places = links.rows * np.int64(coloring.total) + coloring.colors[links.columns]
    _, at, counts = np.unique(places, return_inverse=True, return_counts=True)
    return counts[at] == 1


def _by_subtraction(coloring: Coloring, links: Links, flat: Any, height: int) -> Any:
    """Round after round the values that are alone once those found before are subtracted.

    Each value stands in the product of its column and, mirrored, in that of its row.
    """
    count = links.total
    places = coloring.colors[links.columns] * height + links.rows
    places, at = np.unique(places, return_inverse=True)
    found = gather(flat, places)  # what is left of the products
    keys = links.rows * np.int64(height) + links.columns
    mirror = np.searchsorted(keys, (links.columns * np.int64(height) + links.rows))
    open_ = np.ones(count, bool)
    values, numbers = [], []
    while open_.any():
        left = np.bincount(at[open_], minlength=len(places))
        now = np.flatnonzero(open_ & (left[at] == 1))
        now = now[(now <= mirror[now]) | ~np.isin(mirror[now], now)]
        if not len(now):
            raise AssertionError("The coloring is not acyclic.")
        value = gather(found, at[now])
        twin = mirror[now] != now
        numbers += [now, mirror[now][twin]]
        values += [value, gather(value, np.flatnonzero(twin))]
        open_[now] = open_[mirror[now]] = False
        others = at[mirror[now][twin]]
        found = found - unsorted_segment_sum(values[-1], others, len(places))
    joined = concat(values, 0)
    return gather(joined, np.argsort(np.concatenate(numbers)))
