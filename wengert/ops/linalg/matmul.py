"""Matrix products and tensor contractions: matmul, matvec, tensordot, einsum."""

from __future__ import annotations

import functools
import math
import re
import string
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

from wengert.core.batch import align
from wengert.core.context import current_graph
from wengert.core.dispatch import apply
from wengert.core.row import Attrs, EachInput, Row
from wengert.core.table import op
from wengert.errors import InvalidArgumentError
from wengert.host.parallel import mind_the_load
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays.creation import ones
from wengert.ops.arrays.shaping import expand_dims, reshape, squeeze, static, transpose
from wengert.ops.linalg.einsum_order import pairs_of
from wengert.ops.linalg.einsum_products import as_product, terms_of
from wengert.ops.math.complex import conj
from wengert.ops.math.elementwise import cast
from wengert.ops.support.declare import convert_alike, without_kernel, wrong_dtype
from wengert.ops.support.half_precision import in_precision, widen
from wengert.ops.support.large_kernels import matmul_kernel
from wengert.state.variable import Variable
from wengert.values import dtypes
from wengert.values.bound_ops import bound
from wengert.values.convert import convert
from wengert.values.dtypes import as_dtype
from wengert.values.shapes import Dims, broadcastable, normal_axis, shape_text
from wengert.values.sizes import certainly, common_shape, key_of
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.values.dtypes import DType
    from wengert.values.typing import Array, DTypeLike, Namespace, TensorLike

# ---- matrix products --------------------------------------------------------------------------


def _matmul_kernel(
    xp: Namespace, a: Array, b: Array, *, transpose_a: bool, transpose_b: bool
) -> Array:
    if _are_small(a, b):
        left, right = a.T if transpose_a else a, b.T if transpose_b else b
        if left.shape[1] == right.shape[0]:
            return np.matmul(left, right)
    if transpose_a:
        a = xp.swapaxes(a, -1, -2)
    if transpose_b:
        b = xp.swapaxes(b, -1, -2)
    if a.shape[-1] != b.shape[-2]:
        raise InvalidArgumentError(
            f"Matrix size-incompatible: In[0]: {shape_text(a.shape)}, In[1]: {shape_text(b.shape)} "
            "(after transposition) [Op:MatMul]"
        )
    if a.ndim + b.ndim > 4 and not broadcastable(a.shape[:-2], b.shape[:-2]):
        raise InvalidArgumentError(
            "In[0] and In[1] must have compatible batch dimensions: "
            f"{shape_text(a.shape)} vs. {shape_text(b.shape)} [Op:BatchMatMulV2]"
        )
    if (
        type(a) is np.ndarray
        and a.ndim == 3
        and b.shape[:-2] in ((), (1,))
        and a.flags.c_contiguous
    ):
        # The right matrix is the same for all: one product of all rows, which BLAS does better.
        n, rows, inner = a.shape
        below = _multiplied(xp, a.reshape(n * rows, inner), b.reshape(b.shape[-2:]))
        return below.reshape(n, rows, b.shape[-1])
    return _multiplied(xp, a, b)


def _are_small(a: Array, b: Array) -> bool:
    """Whether these are two matrices of single or double numbers, whose product takes less than asking about them."""
    return (
        type(a) is type(b) is np.ndarray
        and a.ndim == b.ndim == 2
        and a.size * b.size <= _SMALL
        and a.dtype.char in "fd"
    )


_SMALL: Final = 1 << 20  # elements of one times those of the other


def _multiplied(xp: Namespace, a: Array, b: Array) -> Array:
    if type(a) is not np.ndarray or type(b) is not np.ndarray:
        return xp.matmul(widen(a), widen(b)).astype(a.dtype, copy=False)
    wide, other, found = widen(a), widen(b), None
    if a.size * b.shape[-1] > (_LARGE_WHOLE if a.dtype.kind == "i" else _LARGE):
        found = matmul_kernel(wide, other)
        if found is None:
            mind_the_load()
    return in_precision(np.matmul(wide, other) if found is None else found, a.dtype)


# The number of multiplications from which on NumPy's BLAS uses several threads, which then spin.
_LARGE: Final = 1 << 18
_LARGE_WHOLE: Final = 1 << 12  # of integers, for which there is no BLAS: 1 ns each


def _row_for(a: Tensor, b: Tensor) -> Row:
    return MATMUL if len(dims(a)) == len(dims(b)) == 2 else BATCH_MATMUL


def _product(a: Tensor, b: Tensor, ta: bool, tb: bool) -> Tensor:
    result: Tensor = apply(_row_for(a, b), (a, b), {"transpose_a": ta, "transpose_b": tb})
    return result


def _of_matrices(a: Tensor, b: Tensor, ta: bool, tb: bool) -> Tensor:
    """The same for two matrices, which need not be asked for their axes."""
    result: Tensor = apply(MATMUL, (a, b), {"transpose_a": ta, "transpose_b": tb})
    return result


_Product: TypeAlias = Callable[[Tensor, Tensor, bool, bool], Tensor]


def _pulled_to_a(multiply: _Product, g: Tensor, b: Tensor, ta: bool, tb: bool) -> Tensor:
    return multiply(b, g, tb, True) if ta else multiply(g, b, False, not tb)


def _pulled_to_b(multiply: _Product, g: Tensor, a: Tensor, ta: bool, tb: bool) -> Tensor:
    return multiply(g, a, True, ta) if tb else multiply(a, g, not ta, False)


def _rule_a(
    g: Tensor, y: Tensor | None, a: Tensor, b: Tensor, *, transpose_a: bool, transpose_b: bool
) -> Tensor:
    return bound.sum_to(_pulled_to_a(_product, g, b, transpose_a, transpose_b), dims(a))


def _rule_b(
    g: Tensor, y: Tensor | None, a: Tensor, b: Tensor, *, transpose_a: bool, transpose_b: bool
) -> Tensor:
    if (
        len(dims(b)) == 2 < len(dims(a))
        and not transpose_a
        and _are_sizes(dims(a)[-1], dims(g)[-1])
    ):
        a, g = _as_rows(a), _as_rows(g)  # one product, not one for each matrix and their sum
    return bound.sum_to(_pulled_to_b(_product, g, a, transpose_a, transpose_b), dims(b))


def _are_sizes(*sizes: Any) -> bool:
    """Whether they are known, and an axis of -1 stands for all others."""
    return all(type(size) is int and size for size in sizes)


def _as_rows(x: Tensor) -> Tensor:
    """All rows of some matrices, as one matrix."""
    return reshape(x, (-1, dims(x)[-1]))


def _batched_matmul(batched: Sequence[bool], size: int, xs: Sequence[Any], attrs: Attrs) -> Tensor:
    """Align the batch axes of one example, then let matrix products broadcast over the batch."""
    if not batched[0] and len(dims(xs[0])) == 2 and _is_column(xs[1], attrs["transpose_b"]):
        return _times_columns(size, *xs, **attrs)
    result: Tensor = apply(BATCH_MATMUL, align(batched, xs), attrs)
    return result


def _is_column(b: Tensor, is_transposed: bool) -> bool:
    """Whether each example has one column."""
    shape = dims(b)
    columns = shape[-2 if is_transposed else -1]
    return len(shape) == 3 and type(columns) is int and columns == 1


def _times_columns(size: int, a: Tensor, b: Tensor, transpose_a: bool, transpose_b: bool) -> Tensor:
    """One matrix times many columns: those as rows times the transposed matrix, which is one product."""
    rows = reshape(b, (size, 1, dims(b)[2 if transpose_b else 1]))
    attrs = {"transpose_a": False, "transpose_b": not transpose_a}
    product = apply(BATCH_MATMUL, align([True, False], [rows, a]), attrs)
    return reshape(product, (size, dims(product)[2], 1))


def _matmul_shape(a: Dims, b: Dims, *, transpose_a: bool, transpose_b: bool) -> Dims:
    """The rows of a and the columns of b, if the inner sizes can be equal."""
    rows, inner_a = (a[-1], a[-2]) if transpose_a else (a[-2], a[-1])
    inner_b, columns = (b[-1], b[-2]) if transpose_b else (b[-2], b[-1])
    if type(inner_a) is int and type(inner_b) is int and inner_a != inner_b:
        raise InvalidArgumentError(
            f"Dimensions must be equal, but are {inner_a} and {inner_b}: Matrix size-incompatible: "
            f"In[0]: {shape_text(a)}, In[1]: {shape_text(b)} [Op:MatMul]"
        )
    return (*common_shape((a[:-2], b[:-2]), "BatchMatMulV2"), rows, columns)


MATMUL: Row = op(
    "MatMul",
    _matmul_kernel,
    shape=_matmul_shape,
    vjp=(
        lambda g, y, a, b, *, transpose_a, transpose_b: _pulled_to_a(
            _of_matrices, g, b, transpose_a, transpose_b
        ),
        lambda g, y, a, b, *, transpose_a, transpose_b: _pulled_to_b(
            _of_matrices, g, a, transpose_a, transpose_b
        ),
    ),
    linear=(0, 1),
    batch=_batched_matmul,
    saves="x",
)
BATCH_MATMUL: Row = op(
    "BatchMatMulV2",
    _matmul_kernel,
    shape=_matmul_shape,
    vjp=(_rule_a, _rule_b),
    linear=(0, 1),
    batch=_batched_matmul,
    saves="x",
    called="MatMul",
)

_PLAIN: Final = (np.dtype(np.float32), np.dtype(np.float64))  # without checks or casts
_WITHOUT_PRODUCTS: Final = frozenset((dtypes.bool_, dtypes.int8, dtypes.string))
_UNSIGNED: Final = frozenset((dtypes.uint8, dtypes.uint16, dtypes.uint32, dtypes.uint64))


def _check_products(row: Row, dtype: DType) -> None:
    """Refuse what TensorFlow has no product of: a dtype it does not list, or one without a kernel."""
    if dtype in _WITHOUT_PRODUCTS or (dtype is dtypes.int16 and row is MATMUL):
        raise wrong_dtype(row, dtype)
    if dtype in _UNSIGNED:
        raise without_kernel(row, dtype)


@deferrable
def matmul(
    a: TensorLike,
    b: TensorLike,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    output_type: DTypeLike | None = None,
    grad_a: bool = False,
    grad_b: bool = False,
    name: str | None = None,
) -> Tensor:
    """Matrix product, with leading batch axes that broadcast.

    >>> tf.matmul([[1.0, 2.0]], [[3.0], [4.0]]).numpy().tolist()
    [[11.0]]
    """
    if (transpose_a and adjoint_a) or (transpose_b and adjoint_b):
        side = "a" if transpose_a and adjoint_a else "b"
        raise ValueError(
            f"Only one of `transpose_{side}` and `adjoint_{side}` can be True. "
            f"Received `transpose_{side}`=True, `adjoint_{side}`=True."
        )
    x, y = convert_alike("MatMul", a, b)
    for i, tensor in enumerate((x, y)):
        if len(dims(tensor)) < 2:
            raise InvalidArgumentError(
                f"In[{i}] ndims must be >= 2 [Op:MatMul]. "
                "Use tf.linalg.matvec or tf.tensordot for vectors."
            )
    x, y = conj(x) if adjoint_a else x, conj(y) if adjoint_b else y
    wanted = None if output_type is None else as_dtype(output_type)
    if wanted is not None and wanted.size > x.dtype.size:
        x, y = cast(x, wanted), cast(y, wanted)  # before the sums, which may overflow
    if x._array.dtype not in _PLAIN:
        _check_products(_row_for(x, y), x.dtype)
    result: Tensor = _product(x, y, transpose_a or adjoint_a, transpose_b or adjoint_b)
    return result if wanted is None else cast(result, wanted)


def product(a: TensorLike, b: TensorLike) -> Tensor:
    """What `a @ b` is: the product of matrices; a vector is a row on the left, a column on the right."""
    if type(a) is Variable:
        a = a.read_value()
    if type(b) is Variable:
        b = b.read_value()
    if type(a) is Tensor and type(b) is Tensor and min(a._array.ndim, b._array.ndim) > 1:
        if current_graph() is None and a._array.dtype is b._array.dtype in _PLAIN:
            are_matrices = a._array.ndim == b._array.ndim == 2
            return (_of_matrices if are_matrices else _product)(a, b, False, False)
        return matmul(a, b)
    return _of_any_rank(a, b)


@deferrable
def _of_any_rank(a: TensorLike, b: TensorLike) -> Tensor:
    x, y = convert_alike("MatMul", a, b)
    ranks = len(dims(x)), len(dims(y))
    if ranks == (1, 1):
        return tensordot(x, y, 1)
    if ranks[1] == 1 and ranks[0]:
        return matvec(x, y)
    if ranks[0] == 1 and ranks[1]:
        return matvec(y, x, transpose_a=True)
    return matmul(x, y)


@deferrable
def matvec(
    a: TensorLike,
    b: TensorLike,
    transpose_a: bool = False,
    adjoint_a: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Tensor:
    """Matrix-vector product, with leading batch axes.

    >>> tf.linalg.matvec([[1.0, 2.0], [3.0, 4.0]], [1.0, 1.0]).numpy().tolist()
    [3.0, 7.0]
    """
    x, y = convert_alike("MatMul", a, b)
    if len(dims(x)) == 2 <= len(dims(y)):  # one product, not one for each vector
        matrix = conj(x) if adjoint_a else x
        return matmul(y, matrix, transpose_b=not (transpose_a or adjoint_a))
    return squeeze(matmul(x, expand_dims(y, -1), transpose_a, adjoint_a=adjoint_a), -1)


@deferrable
def tensordot(a: TensorLike, b: TensorLike, axes: TensorLike, name: str | None = None) -> Tensor:
    """Tensor contraction: the product of two tensors, summed over pairs of axes.

    `axes` is a number (the last axes of a with the first of b) or two lists of axes.

    >>> tf.tensordot([1.0, 2.0], [3.0, 4.0], 1).numpy()
    np.float32(11.0)
    """
    x, y = convert_alike("Tensordot", a, b)
    left, right = _tensordot_axes(axes, len(dims(x)), len(dims(y)))
    free_x = [i for i in range(len(dims(x))) if i not in left]
    free_y = [i for i in range(len(dims(y))) if i not in right]
    outer_x, outer_y = [dims(x)[i] for i in free_x], [dims(y)[i] for i in free_y]
    inner_x, inner_y = [dims(x)[i] for i in left], [dims(y)[i] for i in right]
    if inner_x != inner_y:
        raise InvalidArgumentError(
            f"Matrix size-incompatible: In[0]: {shape_text((math.prod(outer_x), math.prod(inner_x)))}, "
            f"In[1]: {shape_text((math.prod(inner_y), math.prod(outer_y)))}: axes {left} of "
            f"{shape_text(dims(x))} against axes {right} of {shape_text(dims(y))} [Op:MatMul]"
        )
    product = matmul(_as_matrix(x, free_x, left), _as_matrix(y, right, free_y))
    return product if len(outer_x) == len(outer_y) == 1 else reshape(product, (*outer_x, *outer_y))


def _as_matrix(x: Tensor, rows: list[int], columns: list[int]) -> Tensor:
    """A tensor with some axes as the rows of a matrix, and the others as its columns."""
    order, sizes = [*rows, *columns], dims(x)
    turned = x if order == sorted(order) else transpose(x, order)
    if len(rows) == len(columns) == 1:
        return turned
    return reshape(turned, [math.prod(sizes[i] for i in axes) for axes in (rows, columns)])


def _tensordot_axes(axes: Any, rank_a: int, rank_b: int) -> tuple[list[int], list[int]]:
    if not isinstance(axes, (list, tuple)) and static(axes).ndim == 0:
        count = int(static(axes))
        if count < 0:
            raise ValueError(f"`axes` must be at least 0. Received: {count}.")
        if count > min(rank_a, rank_b):
            raise ValueError(
                "`axes` must not be larger than the number of dimensions of tensor: "
                f"received {count} for ranks {rank_a} and {rank_b}."
            )
        return list(range(rank_a - count, rank_a)), list(range(count))
    if len(axes) != 2:
        raise ValueError(f"`axes` must be an integer or have length 2. Received {axes!r}.")
    left, right = ([int(v) for v in np.ravel(static(part))] for part in axes)
    if len(left) != len(right):
        raise ValueError(
            f"Different number of contraction axes `a` and `b`, {len(left)} != {len(right)}."
        )
    return [normal_axis(i, rank_a) for i in left], [normal_axis(i, rank_b) for i in right]


# ---- einsum -----------------------------------------------------------------------------------
#
# Public equations are rewritten so that kernels and rules only see explicit ones without "...".


def _einsum_kernel(xp: Namespace, *xs: Array, equation: str) -> Array:
    product = as_product(equation, *[x.shape for x in xs]) if len(xs) == 2 else None
    ordered = is_ordered([x.size for x in xs])
    if product is not None and all(type(x) is np.ndarray for x in xs):
        found = product.in_place(*xs) if product.work > _LARGE else None
        if found is None and (ordered or product.work > _LARGE):
            found = product.finished(_multiplied(xp, *product.operands(*xs)))
        if found is not None:
            return found
    mind_the_load()
    is_in_order = len(xs) == 2 and product is None  # what is no product has no better order
    found = xp.einsum(equation, *[widen(x) for x in xs], optimize=ordered and not is_in_order)
    return found.astype(xs[0].dtype, copy=False)


def is_ordered(sizes: Sequence[int]) -> bool:
    """Whether the best order is looked for: for few numbers that takes longer than the sums."""
    return len(sizes) > 1 and math.prod(sizes) > _LONG


def _einsum_rule(i: int, g: Tensor, y: Tensor | None, *xs: Tensor, equation: str) -> Tensor:
    """An einsum of the cotangent with the other operands.

    An axis of this operand that appears nowhere else is filled by a vector of ones; a label it
    repeats gets a second name, tied to the first by an identity matrix.
    """
    terms, out = terms_of(equation)
    others = [(t, x) for j, (t, x) in enumerate(zip(terms, xs, strict=True)) if j != i]
    operands = [(out, g), *others]
    spare = iter(c for c in string.ascii_letters if c not in equation)
    wanted = ""
    for axis, label in enumerate(terms[i]):
        size = dims(xs[i])[axis]
        if label in wanted:
            fresh = next(spare)
            operands.append((label + fresh, convert(np.eye(size, dtype=g._array.dtype))))
            label = fresh
        elif not any(label in term for term, _ in operands):
            operands.append((label, ones((size,), g.dtype)))
        wanted += label
    left = ",".join(term for term, _ in operands)
    pulled = apply(EINSUM, [x for _, x in operands], {"equation": f"{left}->{wanted}"})
    return bound.sum_to(pulled, dims(xs[i]))


def _batched_einsum(batched: Sequence[bool], size: int, xs: Sequence[Any], attrs: Attrs) -> Any:
    terms, out = terms_of(attrs["equation"])
    label = next(c for c in string.ascii_letters if c not in attrs["equation"])
    left = ",".join(label + t if b else t for t, b in zip(terms, batched, strict=True))
    return apply(EINSUM, xs, {"equation": f"{left}->{label}{out}"})


def _einsum_shape(*shapes: Dims, equation: str) -> Dims:
    """The sizes of the output's labels; those of an ellipsis broadcast."""
    terms, out = terms_of(equation)
    sizes: dict[str, list[Any]] = {}
    for term, shape in zip(terms, shapes, strict=True):
        for label, size in zip(term, shape, strict=True):
            sizes.setdefault(label, []).append(size)
    return tuple([_in_common(sizes[label]) for label in out])


def _in_common(sizes: Sequence[Any]) -> Any:
    """The size to which sizes broadcast; None if it is not known."""
    known = [s for s in sizes if type(s) is int and s != 1]
    unknown = {key_of(s): s for s in sizes if type(s) is not int}
    if known or not unknown:
        return known[0] if known else 1
    return next(iter(unknown.values())) if len(unknown) == 1 else None


EINSUM: Row = op(
    "Einsum",
    _einsum_kernel,
    shape=_einsum_shape,
    vjp=EachInput(_einsum_rule),
    linear="each",
    batch=_batched_einsum,
    saves="x",
)


@deferrable
def einsum(equation: str, *inputs: Any, **kwargs: Any) -> Tensor:
    """Einstein summation: products of tensors, summed over named axes.

    >>> tf.einsum("ij,jk->ik", [[1.0, 2.0]], [[3.0], [4.0]]).numpy().tolist()
    [[11.0]]
    """
    unknown = set(kwargs) - {"name", "optimize"}
    if unknown:
        raise TypeError(
            f"Invalid keyword arguments for this function: {', '.join(sorted(unknown))}. "
            "Expected: name, optimize."
        )
    xs = convert_alike("Einsum", *inputs)
    shapes = tuple([dims(x) for x in xs])
    known = all(type(size) is int for shape in shapes for size in shape)
    explicit = (_explicit_once if known else _explicit)(equation, shapes)
    if len(xs) < 3 or not known:
        result: Tensor = apply(EINSUM, xs, {"equation": explicit})
        return result
    operands = list(xs)
    for pair in pairs_of(explicit, shapes):
        given = operands[pair.first], operands[pair.second]
        operands.append(apply(EINSUM, given, {"equation": pair.equation}))
    return operands[-1]


_LONG: Final = 1 << 14  # pairs of numbers
_TERM: Final = r"[A-Za-z]*(\.\.\.)?[A-Za-z]*"


def _explicit(equation: str, shapes: Sequence[Dims]) -> str:
    """The equation with an explicit output, and with letters in place of ellipses."""
    compact = equation.replace(" ", "")
    if not re.fullmatch(rf"{_TERM}(,{_TERM})*(->{_TERM})?", compact):
        raise ValueError(f"Subscripts have incorrect format: {equation}")
    terms, out = terms_of(compact)
    if len(terms) != len(shapes):
        raise ValueError(
            f'Got {len(shapes)} inputs for equation "{equation}", expecting {len(terms)}.'
        )
    if "->" not in compact:
        labels = "".join(terms).replace(".", "")
        out = "".join(sorted(c for c in set(labels) if labels.count(c) == 1))
        out = "..." * ("..." in compact) + out
    spare = [c for c in string.ascii_letters if c not in compact]
    longest = max(
        (_dots(t, s) for t, s in zip(terms, shapes, strict=True) if "..." in t),
        default=0,
    )
    dots = "".join(spare[:longest])
    filled = [
        t.replace("...", dots[longest - _dots(t, s) :]) for t, s in zip(terms, shapes, strict=True)
    ]
    explicit = f"{','.join(filled)}->{out.replace('...', dots)}"
    _check_einsum(equation, explicit, shapes)
    return explicit


_explicit_once = functools.lru_cache(maxsize=256)(_explicit)


def _dots(term: str, shape: Dims) -> int:
    """The number of axes that the ellipsis of a term represents."""
    return len(shape) - len(term.replace("...", ""))


def _check_einsum(equation: str, explicit: str, shapes: Sequence[Dims]) -> None:
    terms, out = terms_of(explicit)
    sizes: dict[str, int] = {}
    for i, (term, shape) in enumerate(zip(terms, shapes, strict=True)):
        if len(term) != len(shape):
            raise InvalidArgumentError(
                f"Expected input {i} to have rank {len(term)} but got: {len(shape)} in einsum "
                f'equation "{equation}" [Op:Einsum]'
            )
        for label, size in zip(term, shape, strict=True):
            known = sizes.setdefault(label, size)
            broadcasts = label not in equation  # it comes from an ellipsis
            if broadcasts and type(known) is int and known == 1:
                sizes[label] = size
            elif certainly(size != known) and not (broadcasts and not certainly(size != 1)):
                raise InvalidArgumentError(
                    f"Expected dimension {known} at axis {term.index(label)} of the input shaped "
                    f'{shape_text(shape)} but got dimension {size} (label "{label}") [Op:Einsum]'
                )
    for label in out:
        if out.count(label) > 1:
            raise ValueError(
                f"Output subscripts contain a label appearing more than once: {equation}"
            )
        if label not in sizes:
            raise ValueError(
                f"Output subscripts contain the label {label} not present in the input subscripts."
            )
