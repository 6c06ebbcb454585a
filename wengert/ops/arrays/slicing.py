"""Slice, pad, reverse and roll."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NoReturn

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.core.table import op
from wengert.errors import InvalidArgumentError, SymbolicValueError
from wengert.inference.public_functions import deferrable
from wengert.inference.stated_shapes import Stated, sizes_of, states
from wengert.inference.symbolic_integers import by_function
from wengert.ops.arrays.shaping import SQUEEZE, as_numbers, as_shape, one_axis, plain, static
from wengert.ops.arrays.unknown_fillers import filled, is_unknown
from wengert.ops.support.batch_rules import shift_axes, with_attrs
from wengert.ops.support.declare import beside
from wengert.ops.support.large_kernels import part_kernel
from wengert.values.convert import convert
from wengert.values.dtypes import string
from wengert.values.shapes import Axes, Dims, shape_text
from wengert.values.sizes import certainly, length
from wengert.values.symbolic import SymbolicTensor
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.values.typing import Array, Integers, Namespace, TensorLike

# ---- slices -----------------------------------------------------------------------------------

_LARGE: Final = 1 << 12  # elements of a part, of which NumPy adds each row by itself
Index = tuple[Any, ...]  # of integers, slices, None and at most one Ellipsis


def _slice_grad_kernel(xp: Namespace, g: Array, *, key: Index, shape: Dims) -> Array:
    out = xp.zeros(shape, g.dtype)
    out[key] = g
    return out


def _add_part(total: Array, g: Array, *, key: Index) -> None:
    part = total[key if Ellipsis in key else (*key, Ellipsis)]  # an array, of no axes, too
    if part.size < _LARGE or part_kernel(part, g) is None:
        np.add(part, g, out=part)


def _sliced_shape(shape: Dims, *, key: Index) -> Dims:
    """The sizes of x[key]: those of slices, of new axes, and of the axes not indexed."""
    consumed = sum(part is not None and part is not Ellipsis for part in key)
    parts = key if Ellipsis in key else (*key, Ellipsis)
    sizes: list[Any] = []
    axis = 0
    for part in parts:
        if part is Ellipsis:
            sizes += shape[axis : axis + len(shape) - consumed]
            axis += len(shape) - consumed
        elif part is None:
            sizes.append(1)
        else:
            if isinstance(part, slice):
                sizes.append(length(part, shape[axis]))
            axis += 1
    return tuple(sizes)


def _slice_rule(g: Tensor, y: Tensor, x: Tensor, *, key: Index) -> Tensor:
    """Zeros around the cotangent; where new axes are all that the index gives, the cotangent without them."""
    shape = dims(x)
    if not all(map(_takes_all, key)):
        result: Tensor = apply(STRIDED_SLICE_GRAD, (g,), {"key": key, "shape": shape})
        return result
    parts = _one_for_each_axis(key, len(shape))
    new = tuple([at for at, part in enumerate(parts) if part is None])
    return apply(SQUEEZE, (g,), {"axis": Axes(new, new)}) if new else g


def _takes_all(part: Any) -> bool:
    """Whether a part of an index leaves out nothing; its bounds may be sizes that are not known yet."""
    if type(part) is not slice:
        return part is None or part is Ellipsis
    start, step = part.start, part.step
    return (
        part.stop is None
        and (start is None or (type(start) is int and start == 0))
        and (step is None or (type(step) is int and step == 1))
    )


def _one_for_each_axis(key: Index, rank: int) -> list[Any]:
    """The index without an ellipsis."""
    parts = list(key) if Ellipsis in key else [*key, Ellipsis]
    at = parts.index(Ellipsis)
    left = rank - sum(part is not None for part in parts) + 1
    return [*parts[:at], *[slice(None)] * left, *parts[at + 1 :]]


def _slice_row(name: str, called: str) -> Row:
    return op(
        name,
        lambda _, x, *, key: x[key],
        shape=_sliced_shape,
        integers=by_function(lambda x, *, key: x[key]),
        vjp=(_slice_rule,),
        linear=(0,),
        batch=with_attrs(name, lambda a, n: {"key": (slice(None), *a["key"])}),
        add_part=_add_part,
        saves="",
        called=called,
    )


STRIDED_SLICE: Row = _slice_row("StridedSlice", "strided_slice")
SLICE: Row = _slice_row("Slice", "Slice")  # tf.slice has an operation of its own
STRIDED_SLICE_GRAD: Row = op(
    "StridedSliceGrad",
    _slice_grad_kernel,
    shape=lambda have, *, key, shape: shape,
    vjp=(lambda g, y, x, *, key, shape: apply(STRIDED_SLICE, (g,), {"key": key}),),
    linear=(0,),
    batch=with_attrs(
        "StridedSliceGrad",
        lambda a, n: {"key": (slice(None), *a["key"]), "shape": (n, *a["shape"])},
    ),
    saves="",
)


def take_part(x: Tensor, key: Index) -> Tensor:
    """A part of a tensor, by an index that is known to be valid."""
    result: Tensor = apply(STRIDED_SLICE, (x,), {"key": key})
    return result


# ---- padding ----------------------------------------------------------------------------------

Paddings = tuple[tuple[int, int], ...]


def _inner(paddings: Paddings, shape: Dims) -> Index:
    return tuple(slice(a, a + size) for (a, _), size in zip(paddings, shape, strict=True))


def _padded_shape(shape: Dims, *, paddings: Paddings, **_: object) -> Dims:
    return tuple([a + size + b for (a, b), size in zip(paddings, shape, strict=True)])


def _pad_kernel(xp: Namespace, x: Array, *, paddings: Paddings, constant: Any = 0) -> Array:
    if type(x) is not getattr(xp, "ndarray", None) or x.dtype == object:
        return xp.pad(x, paddings, constant_values=constant)
    # NumPy's function takes ten times as long for a small array.
    out = xp.full(_padded_shape(x.shape, paddings=paddings), constant, x.dtype)
    out[_inner(paddings, x.shape)] = x
    return out


PAD: Row = op(
    "Pad",
    _pad_kernel,
    shape=_padded_shape,
    vjp=(lambda g, y, x, *, paddings: take_part(g, _inner(paddings, dims(x))),),
    linear=(0,),
    batch=with_attrs("Pad", lambda a, n: {"paddings": ((0, 0), *a["paddings"])}),
    saves="",
)
PAD_WITH: Row = op(
    "PadV2",
    _pad_kernel,
    shape=_padded_shape,
    vjp=(lambda g, y, x, *, paddings, constant: take_part(g, _inner(paddings, dims(x))),),
    jvp=(lambda t, y, x, *, paddings, constant: apply(PAD, (t,), {"paddings": paddings}),),
    batch=with_attrs("PadV2", lambda a, n: {"paddings": ((0, 0), *a["paddings"])}),
    saves="",
)
MIRROR_PAD: Row = op(
    "MirrorPad",
    lambda xp, x, *, paddings, mode: xp.pad(x, paddings, mode=mode),
    shape=_padded_shape,
    vjp=(
        lambda g, y, x, *, paddings, mode: apply(
            MIRROR_PAD_GRAD,
            (g,),
            {"paddings": paddings, "mode": mode, "shape": dims(x)},
        ),
    ),
    linear=(0,),
    batch=with_attrs("MirrorPad", lambda a, n: {"paddings": ((0, 0), *a["paddings"])}),
    saves="",
)


def _mirror_pad_grad_kernel(
    _: Namespace, g: Array, *, paddings: Paddings, mode: Any, shape: Dims
) -> Array:
    """The cotangent of each padded element goes to the element it mirrors, axis by axis."""
    skipped = int(mode == "reflect")  # the edge itself, which is not repeated
    for axis, (pad, size) in enumerate(zip(paddings, shape, strict=True)):
        if pad != (0, 0):
            fold = _folded if max(pad) <= size - skipped else _folded_often
            g = np.moveaxis(fold(np.moveaxis(g, axis, 0), pad, size, skipped), 0, axis)
    return np.ascontiguousarray(g)


def _folded(g: Array, pad: tuple[int, int], size: int, skipped: int) -> Array:
    """What was before and after the elements of the first axis, added to their mirror images."""
    before, after = pad
    out = g[before : before + size].copy("K")
    out[skipped : skipped + before] += g[:before][::-1]
    last = size - skipped
    out[last - after : last] += g[before + size :][::-1]
    return out


def _folded_often(g: Array, pad: tuple[int, int], size: int, skipped: int) -> Array:
    """The same where images are mirrored again, as sizes that are known late may be too small."""
    mirrored = np.pad(np.arange(size), pad, mode="reflect" if skipped else "symmetric")
    out = np.zeros((size, *g.shape[1:]), g.dtype)
    np.add.at(out, mirrored, g)
    return out


MIRROR_PAD_GRAD: Row = op(
    "MirrorPadGrad",
    _mirror_pad_grad_kernel,
    shape=lambda have, *, paddings, mode, shape: shape,
    vjp=(
        lambda g, y, x, *, paddings, mode, shape: apply(
            MIRROR_PAD, (g,), {"paddings": paddings, "mode": mode}
        ),
    ),
    linear=(0,),
    batch=with_attrs(
        "MirrorPadGrad",
        lambda a, n: {"paddings": ((0, 0), *a["paddings"]), "shape": (n, *a["shape"])},
    ),
    saves="",
)


def _stated_padding(tensor: TensorLike, paddings: TensorLike) -> Stated:
    """The rank, from the tensor or from the paddings."""
    x, pairs = sizes_of(tensor), sizes_of(paddings)
    if x is not None:
        return (None,) * len(x)
    return None if pairs is None or len(pairs) != 2 or pairs[0] is None else (None,) * pairs[0]


@deferrable
@states(_stated_padding)
def pad(
    tensor: TensorLike,
    paddings: TensorLike,
    mode: str = "CONSTANT",
    constant_values: TensorLike = 0,
    name: str | None = None,
) -> Tensor:
    """Pad the tensor before and after along each axis.

    `mode` is CONSTANT, REFLECT (without repeating the edge) or SYMMETRIC (repeating it).

    >>> tf.pad([1, 2, 3], [[1, 2]]).numpy().tolist()
    [0, 1, 2, 3, 0, 0]
    >>> tf.pad([1, 2, 3], [[1, 1]], mode="REFLECT").numpy().tolist()
    [2, 1, 2, 3, 2]
    """
    x, widths = beside("PadV2", tensor, constant_values), static(paddings)
    shape = dims(x)
    if widths.ndim != 2 or widths.shape[1] != 2:
        raise InvalidArgumentError(
            f"paddings must be a matrix with 2 columns: {shape_text(widths.shape)} [Op:Pad]"
        )
    if len(widths) != len(shape):
        raise InvalidArgumentError(
            f"The first dimension of paddings must be the rank of inputs: paddings has shape "
            f"{shape_text(widths.shape)}, the input {shape_text(shape)} [Op:Pad]"
        )
    pairs: Paddings = tuple([(a, b) for a, b in widths.tolist()])
    for a, b in pairs:
        if certainly(a < 0) or certainly(b < 0):
            _refuse(x, f"Paddings must be non-negative: {a} {b} [Op:Pad]")
    chosen = mode.upper()
    if not pairs:
        return x  # a scalar has no side
    if chosen == "CONSTANT":
        return _pad_constant(x, pairs, constant_values)
    if chosen not in ("REFLECT", "SYMMETRIC"):
        raise ValueError(
            'Value of argument `mode` expected to be one of "CONSTANT", "REFLECT", or "SYMMETRIC". '
            f"Received `mode` = {mode}"
        )
    reach, must, is_not = (
        (1, "less than", "not less than")
        if chosen == "REFLECT"
        else (0, "no greater than", "greater than")
    )
    for (a, b), size in zip(pairs, shape, strict=True):
        if certainly(a > size - reach) or certainly(b > size - reach):
            raise InvalidArgumentError(
                f"paddings must be {must} the dimension size: {a}, {b} {is_not} {size} "
                "[Op:MirrorPad]"
            )
    mirrored: Tensor = apply(MIRROR_PAD, (x,), {"paddings": pairs, "mode": chosen.lower()})
    return mirrored


def _refuse(x: Tensor, why: str) -> NoReturn:
    """In a graph only what runs is wrong: it may be in a branch that is not taken."""
    raise SymbolicValueError(why) if type(x) is SymbolicTensor else InvalidArgumentError(why)


def _pad_constant(x: Tensor, pairs: Paddings, value: TensorLike) -> Tensor:
    if is_unknown(value, x):
        return filled(lambda part: _pad_constant(part, pairs, 0), x, value)
    if type(value) is int and value == 0:  # the zero of every dtype
        constant = np.asarray(b"" if x.dtype is string else 0, x._array.dtype)
    else:
        constant = plain(value, x.dtype)
    attrs: dict[str, Any] = {"paddings": pairs}
    if constant.ndim or x.dtype is string or constant != np.zeros((), constant.dtype):
        result: Tensor = apply(PAD_WITH, (x,), {**attrs, "constant": constant})
    else:
        result = apply(PAD, (x,), attrs)
    return result


# ---- order ------------------------------------------------------------------------------------

REVERSE: Row = op(
    "ReverseV2",
    lambda xp, x, *, axis: xp.flip(x, axis),
    shape=lambda have, *, axis: have,
    vjp=(lambda g, y, x, *, axis: apply(REVERSE, (g,), {"axis": axis}),),
    linear=(0,),
    batch=shift_axes("ReverseV2"),
    saves="",
)


@deferrable
def reverse(tensor: TensorLike, axis: Integers, name: str | None = None) -> Tensor:
    """Reverse the order of elements along some axes.

    >>> tf.reverse([1, 2, 3], [0]).numpy().tolist()
    [3, 2, 1]
    """
    x = convert(tensor)
    if not dims(x):
        return x
    complaint = "axis {at} is out of valid range [{low}, {rank})"
    axes = tuple(one_axis(a, len(dims(x)), "ReverseV2", complaint) for a in as_shape(axis))
    for i, at in enumerate(axes):
        if at in axes[:i]:
            raise InvalidArgumentError(f"axis {at} specified more than once. [Op:ReverseV2]")
    result: Tensor = apply(REVERSE, (x,), {"axis": axes})
    return result


def _roll_kernel(xp: Namespace, x: Array, *, shift: Dims, axis: Dims) -> Array:
    """Along one axis two parts in the other order, for which NumPy's function takes four times as long."""
    if len(axis) != 1 or not x.size:
        return xp.roll(x, shift, axis)
    along, at = axis[0], -shift[0] % x.shape[axis[0]]
    parts = [(slice(None),) * along + (part,) for part in (slice(at, None), slice(at))]
    return xp.concatenate([x[part] for part in parts], along)


ROLL: Row = op(
    "Roll",
    _roll_kernel,
    shape=lambda have, *, shift, axis: have,
    vjp=(
        lambda g, y, x, *, shift, axis: apply(
            ROLL, (g,), {"shift": tuple(-s for s in shift), "axis": axis}
        ),
    ),
    linear=(0,),
    batch=shift_axes("Roll"),
    saves="",
)


@deferrable
def roll(input: TensorLike, shift: TensorLike, axis: Integers, name: str | None = None) -> Tensor:
    """Roll: shift elements along some axes, circularly.

    >>> tf.roll([1, 2, 3, 4], shift=1, axis=0).numpy().tolist()
    [4, 1, 2, 3]
    """
    x = convert(input)
    if not dims(x):
        raise InvalidArgumentError(
            "input must be 1-D or higher: Shape must be at least rank 1 but is rank 0 [Op:Roll]"
        )
    complaint = "axis {at} is out of range"
    along, axis_given = as_numbers(axis)
    axes = Axes([one_axis(a, len(dims(x)), "Roll", complaint) for a in along], axis_given)
    shifts, shift_given = as_numbers(shift)
    if all(type(s) is int for s in shifts):  # and not computed for each example
        shifts = Axes(shifts, shift_given)
    if len(shifts) != len(axes):
        raise InvalidArgumentError("shift and axis must have the same size [Op:Roll]")
    result: Tensor = apply(ROLL, (x,), {"shift": shifts, "axis": axes})
    return result
