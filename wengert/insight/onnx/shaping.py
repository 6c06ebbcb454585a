"""Where elements go: reshaping, joining, cutting, gathering, scattering."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from wengert.insight.onnx.elementwise import filled, where
from wengert.insight.onnx.site import Rule, Site
from wengert.insight.onnx.terms import NoCounterpartError, Term

_MOST_PLACES: Final = 1 << 20


def reshaped(x: Term, shape: Any) -> Term:
    """The elements in another shape."""
    return x.node("Reshape", x.constant(list(shape)), allowzero=int(0 in shape))


def transposed(x: Term, perm: Any) -> Term:
    """The axes in another order."""
    perm = [int(p) % max(len(perm), 1) for p in perm]
    return x if perm == list(range(len(perm))) else x.node("Transpose", perm=perm)


def picked(x: Term, places: Any, axis: int) -> Term:
    """The elements at these places of an axis."""
    return x.node("Gather", x.constant(places), axis=axis)


def squeezed(x: Term, axes: Any) -> Term:
    """Without these axes of one element."""
    return x.node("Squeeze", x.constant(sorted(axes))) if len(axes) else x


def unsqueezed(x: Term, axes: Any) -> Term:
    """With axes of one element at these places."""
    return x.node("Unsqueeze", x.constant(sorted(axes))) if len(axes) else x


def _squeeze(s: Site) -> Term:
    axis = s.attrs["axis"]
    given = range(s.rank) if axis is None else [axis] if isinstance(axis, int) else axis
    return squeezed(s.x[0], [a % s.rank for a in given if s.size()[a] == 1])


def _pack(s: Site) -> Term:
    axis = s.attrs["axis"] % len(s.made())
    first, *others = [unsqueezed(x, [axis]) for x in s.x]
    return first.node("Concat", *others, axis=axis)


def _parts(x: Term, sizes: Any, axis: int) -> list[Term]:
    return x.nodes("Split", [x.dtype] * len(sizes), x.constant(sizes), axis=axis)


def _unpack(s: Site) -> list[Term]:
    axis = s.attrs["axis"] % s.rank
    return [squeezed(part, [axis]) for part in _parts(s.x[0], [1] * len(s.op.outputs), axis)]


def _split(s: Site) -> list[Term]:
    axis = s.attrs["axis"] % s.rank
    return _parts(s.x[0], [s.made(i)[axis] for i in range(len(s.op.outputs))], axis)


def _slice(s: Site) -> Term:
    """A key of NumPy: slices first, then the axes of numbers go, then new ones come."""
    key = s.attrs["key"]
    keys = list(key) if isinstance(key, tuple) else [key]
    if not all(k is None or k is ... or isinstance(k, (slice, int, np.integer)) for k in keys):
        raise NoCounterpartError("a slice by values")
    missing = s.rank - sum(k is not None and k is not ... for k in keys)
    at = next((i for i, k in enumerate(keys) if k is ...), len(keys))
    keys[at : at + 1] = [slice(None)] * missing
    cuts = [_cut(k, n) for k, n in zip([k for k in keys if k is not None], s.size(), strict=True)]
    starts, ends, steps = zip(*cuts, strict=True) if cuts else ((), (), ())
    x = s.x[0]
    if cuts:
        x = x.node("Slice", *[x.constant(c) for c in (starts, ends, range(len(cuts)), steps)])
    gone = [i for i, k in enumerate(k for k in keys if k is not None) if not isinstance(k, slice)]
    left = [k for k in keys if k is None or isinstance(k, slice)]
    return unsqueezed(squeezed(x, gone), [i for i, k in enumerate(left) if k is None])


def _cut(key: Any, size: int) -> tuple[int, int, int]:
    if not isinstance(key, slice):
        at = int(key) % size
        return at, at + 1, 1
    start, stop, step = key.indices(size)
    return start, stop if stop >= 0 else -size - 1, step  # "before the first" is below all places


def _padded(s: Site, **how: Any) -> Term:
    befores, afters = zip(*s.attrs["paddings"], strict=True)
    x = s.x[0]
    value = x.like(s.attrs["constant"]) if "constant" in s.attrs else None
    return x.node("Pad", x.constant([*befores, *afters]), value, **how)


def _mirror_pad(s: Site) -> Term:
    """Each axis by its places, mirrored: ONNX has one of the two kinds only."""
    x = s.x[0]
    for axis, (n, pair) in enumerate(zip(s.size(), s.attrs["paddings"], strict=True)):
        if any(pair):
            mode: Any = s.attrs["mode"].lower()
            x = picked(x, np.pad(np.arange(n), tuple(map(int, pair)), mode=mode), axis)
    return x


def _reverse(s: Site) -> Term:
    axes = [a % s.rank for a in s.attrs["axis"]]
    x = s.x[0]
    return x.node("Slice", *[
        x.constant(c) for c in ([-1] * len(axes), [-(1 << 62)] * len(axes), axes, [-1] * len(axes))
    ]) if axes else x.node("Identity")  # fmt: skip


def _roll(s: Site) -> Term:
    x = s.x[0]
    for shift, axis in zip(s.attrs["shift"], s.attrs["axis"], strict=True):
        x = picked(x, np.roll(np.arange(s.size()[axis]), shift), axis)
    return x


def _gather(s: Site) -> Term:
    axis, batch = s.attrs["axis"] % s.rank, s.attrs["batch_dims"]
    x, i = s.x
    if not batch:
        return x.node("Gather", i, axis=axis)
    if axis != batch:
        raise NoCounterpartError("a gather along another axis than the first behind the batch")
    places = unsqueezed(i.cast(np.int64), [len(s.size(1))])
    return x.node("GatherND", places, batch_dims=batch)


def _gather_nd(s: Site) -> Term:
    if not s.size(1)[-1]:
        raise NoCounterpartError("places without coordinates")
    return s.x[0].node("GatherND", s.x[1].cast(np.int64), batch_dims=s.attrs["batch_dims"])


def _scatter(how: str, x: Term, places: Term, updates: Term) -> Term:
    return x.node("ScatterND", places.cast(np.int64), updates, reduction=how)


def _scatter_nd(s: Site) -> Term:
    if s.attrs.get("batch_dims") or not s.size(0)[-1]:
        raise NoCounterpartError("a scatter by batches, or without coordinates")
    shape = s.x[0].constant(s.made())
    zero = np.zeros(1, s.x[1].dtype)
    empty = shape.node("ConstantOfShape", dtype=s.x[1].dtype, value=zero)
    return _scatter("add", empty, *s.x)


def _one_hot(s: Site) -> Term:
    axis, rank = s.attrs["axis"] % len(s.made()), len(s.made())
    i = unsqueezed(s.x[0], [axis])
    shape = [s.attrs["depth"] if a == axis else 1 for a in range(rank)]
    places = i.constant(np.arange(s.attrs["depth"]).reshape(shape), i.dtype)
    on, off = (i.constant(s.attrs[which], s.dtype()) for which in ("on", "off"))
    return where(i == places, on, off)


def _depth_to_space(s: Site) -> Term:
    """Blocks of channels become blocks of pixels; the channels come last, or first."""
    b = s.attrs["block_size"]
    if s.attrs["data_format"] == "NHWC":
        n, h, w, c = s.size()
        x = transposed(reshaped(s.x[0], [n, h, w, b, b, c // b**2]), [0, 1, 3, 2, 4, 5])
    else:
        n, c, h, w = s.size()
        x = transposed(reshaped(s.x[0], [n, b, b, c // b**2, h, w]), [0, 3, 4, 1, 5, 2])
    return reshaped(x, s.made())


def _space_to_depth(s: Site) -> Term:
    b = s.attrs["block_size"]
    if s.attrs["data_format"] == "NHWC":
        n, h, w, c = s.size()
        x = transposed(reshaped(s.x[0], [n, h // b, b, w // b, b, c]), [0, 1, 3, 2, 4, 5])
    else:
        n, c, h, w = s.size()
        x = transposed(reshaped(s.x[0], [n, c, h // b, b, w // b, b]), [0, 3, 5, 1, 2, 4])
    return reshaped(x, s.made())


def _moved(s: Site) -> Term:
    """Any kernel that only moves elements, and pads: it moves their numbers, and a gather follows them."""
    count, attrs = int(np.prod(s.size())), dict(s.attrs)
    if max(count, int(np.prod(s.made()))) > _MOST_PLACES:
        raise NoCounterpartError("an array too large for a list of its places")
    fill = attrs.get("padding", 0) if "band" in attrs else 0
    if fill:
        attrs["padding"] = 0
    places = s.op.row.kernel(np, np.arange(1, count + 1).reshape(s.size()), **attrs)
    flat = reshaped(s.x[0], [-1])
    if not np.all(places):
        flat = flat.like(np.full(1, fill)).node("Concat", flat, axis=0)
        places = places + 1
    return reshaped(picked(flat, np.ravel(places) - 1, 0), s.made())


def _reversed_sequences(s: Site) -> Term:
    axes = s.attrs["batch_axis"], s.attrs["seq_axis"]
    if sorted(axes) != [0, 1]:
        raise NoCounterpartError("sequences along other axes than the first two")
    lengths = s.x[1].cast(np.int64)
    return s.x[0].node("ReverseSequence", lengths, batch_axis=axes[0], time_axis=axes[1])


def _where(s: Site) -> Term:
    return s.x[0].node("NonZero", dtype=np.int64).node("Transpose", perm=[1, 0])


RULES: Final[dict[str, Rule]] = {
    "Reshape": lambda s: reshaped(s.x[0], s.made()),
    "Transpose": lambda s: s.x[0].node("Transpose", perm=[p % s.rank for p in s.attrs["perm"]]) if s.rank else s.x[0].node("Identity"),
    "ExpandDims": lambda s: unsqueezed(s.x[0], [s.attrs["axis"] % len(s.made())]),
    "Squeeze": _squeeze,
    "BroadcastTo": lambda s: s.x[0].node("Expand", s.x[0].constant(s.made())),
    "Tile": lambda s: s.x[0].node("Tile", s.x[0].constant(s.attrs["multiples"])),
    "ConcatV2": lambda s: s.x[0].node("Concat", *s.x[1:], axis=s.attrs["axis"]),
    "Pack": _pack,
    "Unpack": _unpack,
    "Split": _split,
    "SplitV": _split,
    "StridedSlice": _slice,
    "Slice": _slice,
    "Pad": lambda s: _padded(s, mode="constant"),
    "PadV2": lambda s: _padded(s, mode="constant"),
    "MirrorPad": _mirror_pad,
    "ReverseV2": _reverse,
    "Roll": _roll,
    "GatherV2": _gather,
    "GatherNd": _gather_nd,
    "ScatterNd": _scatter_nd,
    "TensorScatterUpdate": lambda s: _scatter("none", *s.x),
    "TensorScatterAdd": lambda s: _scatter("add", *s.x),
    "TensorScatterSub": lambda s: _scatter("add", s.x[0], s.x[1], -s.x[2]),
    "TensorScatterMin": lambda s: _scatter("min", *s.x),
    "TensorScatterMax": lambda s: _scatter("max", *s.x),
    "OneHot": _one_hot,
    **dict.fromkeys((
        "MatrixDiagV3", "MatrixDiagPartV3", "MatrixBandPart", "MatrixToBands", "MatrixFromBands", "Diag", "DiagPart", "SpaceToBatchND",
        "BatchToSpaceND", "ExtractImagePatches", "ExtractVolumePatches", "StridedSliceGrad", "Shift",
    ), _moved),
    "ReverseSequence": _reversed_sequences,
    "DepthToSpace": _depth_to_space,
    "SpaceToDepth": _space_to_depth,
    "Where": _where,
    "Shape": lambda s: s.x[0].node("Shape", dtype=np.int64).cast(s.dtype()),
    "Size": lambda s: s.x[0].node("Size", dtype=np.int64).cast(s.dtype()),
    "ZerosLike": lambda s: filled(s.x[0], 0),
    "OnesLike": lambda s: filled(s.x[0], 1),
}  # fmt: skip
