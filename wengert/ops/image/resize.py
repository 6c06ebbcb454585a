"""Resizes as linear maps along one axis at a time.

Each is a row that multiplies by a matrix of weights along the height and by another along the
width, paired with the row that multiplies by their transposes: each is the other's gradient.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Attrs, Row
from wengert.core.table import op
from wengert.errors import InvalidArgumentError, SymbolicValueError
from wengert.host.parallel import mind_the_load
from wengert.inference.public_functions import deferrable
from wengert.inference.stated_shapes import Stated, numbers_of, sizes_of, states
from wengert.ops.arrays.shaping import as_shape, expand_dims, reshape, squeeze
from wengert.ops.image import resize_weights as weights
from wengert.ops.math.elementwise import cast
from wengert.ops.support.half_precision import widen
from wengert.values import dtypes
from wengert.values.convert import convert
from wengert.values.dtypes import DType
from wengert.values.shapes import Dims
from wengert.values.sizes import certainly
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.values.typing import Array, Namespace, NumpyDType, TensorLike

# ---- rows -------------------------------------------------------------------------------------


# A matrix of weights is nearly all zeros off its diagonal. So it is cut into blocks of rows, each
# with the columns that it needs. For two megapixels that is five to ten times as fast.
Block = tuple[slice, slice, Any]
ROWS_OF_BLOCK: Final = 32
COLUMNS_OF_BLOCK: Final = 64
FEW_CHANNELS: Final = 8


def _blocks_of(matrix: Array, rows: int) -> Iterator[Block]:
    """The row slice, the column slice and the entries of each block."""
    for start in range(0, len(matrix), rows):
        part = matrix[start : start + rows]
        used = np.flatnonzero(part.any(axis=0))
        columns = slice(used[0], used[-1] + 1) if used.size else slice(0, 1)
        yield slice(start, start + len(part)), columns, part[:, columns]


@lru_cache(maxsize=256)
def _blocks(
    find: Callable[..., Any],
    sizes: tuple[int, int],
    axis: int,
    how: tuple[Any, ...],
    back: bool,
    channels: int,
    dtype: NumpyDType,
) -> list[Block]:
    """The blocks of a matrix; with `channels`, of the larger one for interleaved channels."""
    matrix = find(*sizes, axis, **dict(how))
    matrix = matrix.T if back else matrix
    if not channels:
        found = _blocks_of(matrix, ROWS_OF_BLOCK)
        return [(r, c, np.ascontiguousarray(part, dtype)) for r, c, part in found]
    found = _blocks_of(matrix, max(COLUMNS_OF_BLOCK // channels, 4))
    return [
        (
            slice(r.start * channels, r.stop * channels),
            slice(c.start * channels, c.stop * channels),
            np.kron(part.T, np.eye(channels)).astype(dtype),
        )
        for r, c, part in found
    ]


def _along_height(xp: Namespace, x: Array, out: int, blocks: list[Block]) -> Array:
    n, h, w, c = x.shape
    y, flat = xp.empty((n, out, w * c), x.dtype), x.reshape(n, h, w * c)
    for rows, columns, part in blocks:
        y[:, rows] = xp.matmul(part, flat[:, columns])
    return y.reshape(n, out, w, c)


def _along_width(xp: Namespace, x: Array, out: int, blocks: list[Block]) -> Array:
    n, h, w, c = x.shape
    if c > FEW_CHANNELS:
        y, flat = xp.empty((n * h, out, c), x.dtype), x.reshape(n * h, w, c)
        for rows, columns, part in blocks:
            y[:, rows] = xp.matmul(part, flat[:, columns])
    else:
        y, flat = xp.empty((n * h, out * c), x.dtype), x.reshape(n * h, w * c)
        for rows, columns, part in blocks:
            y[:, rows] = xp.matmul(flat[:, columns], part)
    return y.reshape(n, h, out, c)


def _rows(
    name: str, back: str, find: Callable[..., Array], kernel: Callable[..., Array] | None = None
) -> tuple[Row, Row]:
    """A resize and its adjoint. `find(size, out, axis, **how)` returns the matrix along an axis."""

    def along(
        xp: Namespace,
        x: Array,
        axis: int,
        out: int,
        how: tuple[tuple[str, Any], ...],
        transposed: bool,
    ) -> Array:
        sizes = (out, x.shape[1 + axis]) if transposed else (x.shape[1 + axis], out)
        channels = x.shape[3] if axis and x.shape[3] <= FEW_CHANNELS else 0
        blocks = _blocks(find, sizes, axis, how, transposed, channels, x.dtype)
        mind_the_load()
        return (_along_width if axis else _along_height)(xp, x, out, blocks)

    def both(xp: Namespace, x: Array, size: Dims, how: Attrs, transposed: bool) -> Array:
        """First the axis along which the array shrinks more."""
        y, order = widen(x), (0, 1)
        if size[0] * x.shape[2] > size[1] * x.shape[1]:
            order = (1, 0)
        for axis in order:
            y = along(xp, y, axis, size[axis], tuple(sorted(how.items())), transposed)
        return y.astype(x.dtype, copy=False)

    pair = (
        _row(
            name,
            kernel or (lambda xp, x, *, size, **how: both(xp, x, size, how, False)),
            lambda: pair[1],
        ),
        _row(back, lambda xp, g, *, size, **how: both(xp, g, size, how, True), lambda: pair[0]),
    )
    return pair


def _resized_shape(have: Dims, *, size: Dims, **how: Any) -> Dims:
    """The shape of the result, after a check that there are four axes, and two positive sizes."""
    if len(have) != 4:
        raise InvalidArgumentError(
            f"input must be 4-dimensional{list(have)}: Shape must be rank 4 but is rank {len(have)}"
        )
    if len(size) != 2:
        raise InvalidArgumentError(
            f"shape_t must have two elements[{len(size)}]: Dimension must be 2 but is {len(size)}"
        )
    if any(type(n) is int and n <= 0 for n in size):
        raise InvalidArgumentError(f"output dimensions must be positive, not {list(size)}")
    return have[0], *size, have[3]


def _row(name: str, kernel: Callable[..., Array], other: Callable[[], Row]) -> Row:
    def checked(xp: Namespace, x: Array, *, size: Dims, **how: Any) -> Array:
        _resized_shape(x.shape, size=size)
        return kernel(xp, x, size=size, **how)

    return op(
        name,
        checked,
        vjp=(lambda g, y, x, *, size, **how: apply(other(), (g,), {"size": dims(x)[1:3], **how}),),
        shape=_resized_shape,
        linear=(0,),
        batch=lambda batched, n, xs, attrs: _folded(name, n, xs[0], attrs),
        saves="",
    )


def _folded(name: str, count: int, x: Tensor, attrs: Attrs) -> Tensor:
    """The batching rule: merge a batch of batches into one."""
    from_all = reshape(x, (count * dims(x)[1], *dims(x)[2:]))
    y = apply(ROWS[name], (from_all,), attrs)
    return reshape(y, (count, dims(x)[1], *dims(y)[1:]))


def _nearest_kernel(xp: Namespace, x: Array, *, size: Dims, **how: Any) -> Array:
    rows, columns = (weights.nearest_places(x.shape[1 + i], size[i], **how) for i in (0, 1))
    return xp.take(xp.take(x, rows, axis=1), columns, axis=2)


def _scaled(
    size: int,
    out: int,
    axis: int,
    *,
    scale: Sequence[float],
    translation: Sequence[float],
    **how: Any,
) -> Array:
    return weights.scaled(size, out, scale[axis], translation[axis], **how)


BILINEAR, BILINEAR_GRAD = _rows(
    "ResizeBilinear",
    "ResizeBilinearGrad",
    lambda size, out, axis, **how: weights.bilinear(size, out, **how),
)
BICUBIC, BICUBIC_GRAD = _rows(
    "ResizeBicubic",
    "ResizeBicubicGrad",
    lambda size, out, axis, **how: weights.bicubic(size, out, **how),
)
NEAREST, NEAREST_GRAD = _rows(
    "ResizeNearestNeighbor",
    "ResizeNearestNeighborGrad",
    lambda size, out, axis, **how: weights.nearest(size, out, **how),
    _nearest_kernel,
)
AREA, AREA_GRAD = _rows(
    "ResizeArea",
    "ResizeAreaGrad",
    lambda size, out, axis, **how: weights.area(size, out, **how),
)
SCALED, SCALED_GRAD = _rows("ScaleAndTranslate", "ScaleAndTranslateGrad", _scaled)
ROWS: Final[dict[str, Row]] = {
    row.name: row
    for row in (BILINEAR, BILINEAR_GRAD, BICUBIC, BICUBIC_GRAD, NEAREST, NEAREST_GRAD, AREA,
                AREA_GRAD, SCALED, SCALED_GRAD)
}  # fmt: skip

# ---- functions --------------------------------------------------------------------------------


class ResizeMethod:
    """The names of the resize methods.

    >>> tf.image.ResizeMethod.BICUBIC
    'bicubic'
    """

    BILINEAR = "bilinear"
    NEAREST_NEIGHBOR = "nearest"
    BICUBIC = "bicubic"
    AREA = "area"
    LANCZOS3 = "lanczos3"
    LANCZOS5 = "lanczos5"
    GAUSSIAN = "gaussian"
    MITCHELLCUBIC = "mitchellcubic"


def as_floats(image: Tensor) -> Tensor:
    """The image as float32; float64 is kept."""
    wanted: DType = dtypes.float64 if image.dtype is dtypes.float64 else dtypes.float32
    return image if image.dtype is wanted else cast(image, wanted)


def resized(row: Row, images: Tensor, size: Dims, **how: Any) -> Tensor:
    """Resize a batch of images, after checks."""
    if min(size) < 1:
        raise InvalidArgumentError(f"output dimensions must be positive [Op:{row.name}]")
    if any(certainly(s == 0) for s in dims(images)[1:3]):
        raise InvalidArgumentError(f"input image must be of non-zero size [Op:{row.name}]")
    x = images if row is NEAREST else as_floats(images)
    result: Tensor = apply(row, (x,), {"size": size, **how})
    return result


def scaled(images: Tensor, size: Dims, kernel_type: str, antialias: bool) -> Tensor:
    """Resize with a kernel of any width."""
    scale = tuple(out / have for out, have in zip(size, dims(images)[1:3], strict=True))
    how = {"kernel_type": kernel_type, "antialias": bool(antialias)}
    return resized(SCALED, images, size, scale=scale, translation=(0.0, 0.0), **how)


CENTRED: Final = {"align_corners": False, "half_pixel_centers": True}
DIRECT: Final = {"bilinear": BILINEAR, "nearest": NEAREST, "bicubic": BICUBIC}
CURVES: Final = {"bilinear": "triangle", "bicubic": "keyscubic"}


def _resize(images: Tensor, size: Dims, method: str, antialias: bool) -> Tensor:
    if method == "area":
        return resized(AREA, images, size, align_corners=False)
    if method in DIRECT and not (antialias and method in CURVES):
        return resized(DIRECT[method], images, size, **CENTRED)
    if method in (*CURVES, "lanczos3", "lanczos5", "gaussian", "mitchellcubic"):
        return scaled(images, size, CURVES.get(method, method), antialias)
    raise ValueError(
        f"Resize method is not implemented: {method}. It may be 'bilinear', 'nearest', 'bicubic', "
        "'area', 'lanczos3', 'lanczos5', 'gaussian' or 'mitchellcubic'."
    )


def resize_with(
    images: TensorLike,
    size: TensorLike,
    preserve_aspect_ratio: bool,
    method: Callable[[Tensor, Dims], Tensor],
) -> Tensor:
    """Resize by a method, with the checks of ranks and sizes that all methods share."""
    x = convert(images)
    if len(dims(x)) not in (3, 4):
        raise ValueError(
            f"'images' must have either 3 or 4 dimensions. The shape is {dims(x)}: "
            "(batch, height, width, channels), where the batch may be missing."
        )
    wanted = _size(size)
    if preserve_aspect_ratio:
        wanted = _fitting(wanted, dims(x)[-3:-1])
    if len(dims(x)) == 3:
        return squeeze(method(expand_dims(x, 0), wanted), [0])
    return method(x, wanted)


def _size(size: TensorLike) -> Dims:
    try:
        wanted = as_shape(size)
    except SymbolicValueError:
        raise
    except TypeError:
        raise ValueError(f"'size' must be a 1-D int32 Tensor, not {size!r}") from None
    if len(wanted) != 2:
        raise ValueError(
            "'size' must be a 1-D Tensor of 2 elements: new_height, new_width. "
            f"It has {len(wanted)}."
        )
    return wanted


def _fitting(size: Dims, have: Dims) -> Dims:
    """The largest size within `size` with the aspect ratio of `have`, rounded as in TensorFlow."""
    f = np.float32
    scale = min(f(size[0]) / f(have[0]), f(size[1]) / f(have[1]))
    return tuple(int(np.rint(scale * f(n))) for n in have)


def stated_resize(images: TensorLike, size: TensorLike, preserve_aspect_ratio: bool) -> Stated:
    """What is known of the shape of resized images."""
    x, wanted = sizes_of(images), numbers_of(size)
    if x is None or len(x) not in (3, 4):
        return None
    if wanted is None or len(wanted) != 2 or preserve_aspect_ratio:
        wanted = [None, None]
    return (*x[:-3], *wanted, x[-1])


@deferrable
@states(stated_resize)
def resize(
    images: TensorLike,
    size: TensorLike,
    method: str = ResizeMethod.BILINEAR,
    preserve_aspect_ratio: bool = False,
    antialias: bool = False,
    name: str | None = None,
) -> Tensor:
    """Resize images to another height and width.

    The result is float32, except that float64 is kept, and that method "nearest" keeps the dtype.
    `antialias` averages over all pixels when shrinking.

    >>> tf.image.resize([[[0.0], [4.0]]], [1, 4]).numpy().ravel().tolist()
    [0.0, 1.0, 3.0, 4.0]
    """
    return resize_with(
        images,
        size,
        preserve_aspect_ratio,
        lambda x, wanted: _resize(x, wanted, method, antialias),
    )
