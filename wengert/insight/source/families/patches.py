"""Patches of images, morphology, pooling that says where its maxima are, and over random regions."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from wengert.core.row import Attrs
from wengert.insight.source.families.windows import filled, steps_of
from wengert.insight.source.kernels import Symbol
from wengert.insight.source.text import Text, call
from wengert.ops.arrays.window_geometry import Windows, windows
from wengert.ops.nn.pool.rows import pool_windows
from wengert.values.shapes import Dims


def _standing(shape: Dims, kernel: Dims, attrs: Attrs) -> Windows:
    """Windows over all axes, of which only those between the first and the last are wide."""
    ones = (1,) * len(shape)
    inner = windows(
        tuple(shape[1:-1]), kernel, attrs["strides"][1:-1], attrs.get("rates", ones)[1:-1],
        attrs["padding"], (), "Patches",
    )  # fmt: skip
    return Windows(
        tuple(shape), (1, *inner.kernel, 1), (1, *inner.stride, 1), (1, *inner.rate, 1),
        (0, *inner.before, 0), (shape[0], *inner.out, shape[-1]),
    )  # fmt: skip


# ---- patches ----------------------------------------------------------------------------------


def _patches(x: Symbol, *, ksizes: Dims, **attrs: Any) -> Text:
    at = _standing(x.shape, tuple(ksizes[1:-1]), attrs)
    return call("_patches", x.text, at.kernel, **steps_of(at))


def _patches_back(g: Symbol, *, input_shape: Dims, ksizes: Dims, **attrs: Any) -> Text:
    at = _standing(tuple(map(int, input_shape)), tuple(ksizes[1:-1]), attrs)
    return call("_patches_back", g.text, at.size, at.kernel, **steps_of(at))


# ---- morphology -------------------------------------------------------------------------------


def _morphology(name: str) -> Any:
    def template(x: Symbol, w: Symbol, *others: Symbol, **attrs: Any) -> Text:
        at = _standing(x.shape, w.shape[:2], attrs)
        given = [v.text for v in (x, w, *others)]
        return call(name, *given, **filled(x, steps_of(at)))

    return template


# ---- maxima and where they are --------------------------------------------------------------------


def _with_places(x: Symbol, *, include_batch_in_index: bool, **attrs: Any) -> Text:
    at = pool_windows(x.shape, attrs)
    named = {"in_batch": True} if include_batch_in_index else {}
    kind = np.dtype(attrs["Targmax"].numpy_dtype)
    steps = filled(x, steps_of(at))
    return call("_max_pool_with_places", x.text, at.kernel, kind, **named, **steps)


def _put(g: Symbol, at: Symbol, *, shape: Dims, include_batch_in_index: bool) -> Text:
    places = _flat(at, int(np.prod(shape[1:])), include_batch_in_index)
    return call("_put_flat", g.text, places, tuple(map(int, shape)))


def _taken(u: Symbol, at: Symbol, *, include_batch_in_index: bool) -> Text:
    places = _flat(at, int(np.prod(u.shape[1:])), include_batch_in_index)
    return call("np.take", u.text, places)


def _flat(at: Symbol, size: int, in_batch: bool) -> Text:
    return at.text if in_batch or at.shape[0] == 1 else call("_in_batch", at.text, size)


# ---- random regions ---------------------------------------------------------------------------


def _regions(name: str) -> Any:
    def template(*xs: Symbol, overlapping: bool, shape: Any = None) -> Text:
        named = {"overlapping": True} if overlapping else {}
        sizes = [] if shape is None else [tuple(map(int, shape))]
        return call(name, *[x.text for x in xs], *sizes, **named)

    return template


TEMPLATES: Final = {
    **dict.fromkeys(("ExtractImagePatches", "ExtractVolumePatches"), _patches),
    **dict.fromkeys(("ExtractImagePatchesGrad", "ExtractVolumePatchesGrad"), _patches_back),
    "Dilation2D": _morphology("_dilated"),
    "Dilation2DBackpropInput": _morphology("_dilated_to_input"),
    "Dilation2DBackpropFilter": _morphology("_dilated_to_filter"),
    "Dilation2DGradGradInput": _morphology("_dilated_from_input"),
    "Dilation2DGradGradFilter": _morphology("_dilated_from_filter"),
    "MaxPoolWithArgmax": _with_places,
    "MaxPoolGradWithArgmax": _put,
    "MaxPoolGradGradWithArgmax": _taken,
    "FractionalMaxPool": _regions("_regions_max"),
    "FractionalMaxPoolGrad": _regions("_regions_max_back"),
    "FractionalMaxPoolGradGrad": _regions("_at_regions_max"),
    "FractionalAvgPool": _regions("_regions_mean"),
    "FractionalAvgPoolGrad": _regions("_regions_mean_back"),
}

HELPERS: Final = {
    "_patches": """
def _patches(x, kernel, **steps):
    seen = _windows(x, kernel, **steps)
    seen = np.moveaxis(seen, x.ndim - 1, -1)
    return seen.reshape(*seen.shape[: x.ndim - 1], -1)
""",
    "_patches_back": """
def _patches_back(g, shape, kernel, **steps):
    parts = g.reshape(*g.shape[:-1], *kernel, shape[-1])
    parts = np.moveaxis(parts, -1, g.ndim - 1)
    return _laid_back(parts, shape, kernel, (*g.shape[:-1], shape[-1]), **steps)
""",
    "_sums_with_filter": """
def _sums_with_filter(x, w, **steps):
    seen = _windows(x, (1, *w.shape[:2], 1), **steps)[..., 0, :, :, 0]
    return seen + np.moveaxis(w, -1, 0)[:, :, :]
""",
    "_dilated": """
def _dilated(x, w, **steps):
    return np.max(_sums_with_filter(x, w, **steps), axis=(-2, -1))
""",
    "_dilation_hits": """
def _dilation_hits(x, w, **steps):
    sums = _sums_with_filter(x, w, **steps)
    first = np.argmax(sums.reshape(*sums.shape[:-2], -1), -1)[..., None, None]
    return first == np.arange(w[..., 0].size).reshape(w.shape[:2])
""",
    "_dilated_to_input": """
def _dilated_to_input(x, w, g, fill=0, **steps):
    hits = _dilation_hits(x, w, fill=fill, **steps)
    parts = np.where(hits, g[..., None, None], 0)[..., None, :, :, None]
    return _laid_back(parts, x.shape, (1, *w.shape[:2], 1), g.shape, **steps)
""",
    "_dilated_to_filter": """
def _dilated_to_filter(x, w, g, **steps):
    parts = np.where(_dilation_hits(x, w, **steps), g[..., None, None], 0)
    return np.moveaxis(parts.sum(axis=(0, 1, 2)), 0, -1)
""",
    "_dilated_from_input": """
def _dilated_from_input(x, w, u, fill=0, **steps):
    hits = _dilation_hits(x, w, fill=fill, **steps)
    seen = _windows(u, (1, *w.shape[:2], 1), **steps)[..., 0, :, :, 0]
    return np.sum(np.where(hits, seen, 0), axis=(-2, -1))
""",
    "_dilated_from_filter": """
def _dilated_from_filter(x, w, u, **steps):
    hits = _dilation_hits(x, w, **steps)
    return np.sum(np.where(hits, np.moveaxis(u, -1, 0), 0), axis=(-2, -1))
""",
    "_max_pool_with_places": """
def _max_pool_with_places(x, kernel, dtype, in_batch=False, fill=0, **steps):
    numbers = np.arange(x.size).reshape(x.shape)
    if not in_batch:
        numbers = numbers % x[0].size
    at = _at_maxima(x, numbers, kernel, fill=fill, **steps)
    return _max_pool(x, kernel, fill=fill, **steps), at.astype(dtype)
""",
    "_in_batch": """
def _in_batch(places, size):
    first = np.arange(len(places)) * size
    return places + first.reshape(-1, *[1] * (places.ndim - 1))
""",
    "_put_flat": """
def _put_flat(g, places, shape):
    x = np.zeros(shape, g.dtype)
    np.add.at(x.reshape(-1), places, g)
    return x
""",
    "_region_cells": """
def _region_cells(edges, overlapping):
    ends = np.minimum(edges[1:] + overlapping, edges[-1])
    for step in range(np.max(ends - edges[:-1], initial=0)):
        there = np.flatnonzero(edges[:-1] + step < ends)
        yield there, edges[:-1][there] + step
""",
    "_regions": """
def _regions(rows, columns, overlapping):
    for a, r in _region_cells(rows, overlapping):
        for b, c in _region_cells(columns, overlapping):
            yield np.s_[:, a[:, None], b], np.s_[:, r[:, None], c]
""",
    "_regions_max": """
def _regions_max(x, rows, columns, overlapping=False):
    shape = (len(x), len(rows) - 1, len(columns) - 1, x.shape[-1])
    lowest = -np.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).min
    y = np.full(shape, lowest, x.dtype)
    for out, met in _regions(rows, columns, overlapping):
        y[out] = np.maximum(y[out], x[met])
    return y
""",
    "_first_of_regions": """
def _first_of_regions(x, rows, columns, overlapping):
    y = _regions_max(x, rows, columns, overlapping)
    free = np.ones(y.shape, bool)
    for out, met in _regions(rows, columns, overlapping):
        hit = (x[met] == y[out]) & free[out]
        free[out] ^= hit
        yield out, met, hit
""",
    "_regions_max_back": """
def _regions_max_back(x, g, rows, columns, overlapping=False):
    back = np.zeros(x.shape, g.dtype)
    for out, met, hit in _first_of_regions(x, rows, columns, overlapping):
        back[met] += np.where(hit, g[out], 0)
    return back
""",
    "_at_regions_max": """
def _at_regions_max(x, u, rows, columns, overlapping=False):
    y = np.zeros((len(x), len(rows) - 1, len(columns) - 1, x.shape[-1]), u.dtype)
    for out, met, hit in _first_of_regions(x, rows, columns, overlapping):
        y[out] = np.where(hit, u[met], y[out])
    return y
""",
    "_region_sizes": """
def _region_sizes(rows, columns, overlapping, dtype):
    high, wide = (
        np.minimum(e[1:] + overlapping, e[-1]) - e[:-1] for e in (rows, columns)
    )
    return (high[:, None, None] * wide[:, None]).astype(dtype)
""",
    "_regions_mean": """
def _regions_mean(x, rows, columns, overlapping=False):
    y = np.zeros((len(x), len(rows) - 1, len(columns) - 1, x.shape[-1]), x.dtype)
    for out, met in _regions(rows, columns, overlapping):
        y[out] += x[met]
    return y / _region_sizes(rows, columns, overlapping, x.dtype)
""",
    "_regions_mean_back": """
def _regions_mean_back(g, rows, columns, shape, overlapping=False):
    share = g / _region_sizes(rows, columns, overlapping, g.dtype)
    back = np.zeros(shape, g.dtype)
    for out, met in _regions(rows, columns, overlapping):
        back[met] += share[out]
    return back
""",
}
