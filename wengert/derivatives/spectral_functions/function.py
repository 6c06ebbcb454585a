"""tf.spectral_function: functions of Hermitian matrices, exact where eigenvalues coincide, to every order.

The derivatives of f(A) are sums over eigenvalues e and their projections P (Daleckii and Krein),

    T_k(A; E1, ..., Ek) = sum over i0, ..., ik of f[e_i0, ..., e_ik] P_i0 E1 P_i1 E2 ... Ek P_ik,

with divided differences of f, which involve no division by zero. f(A) is T_0; the derivative of T_k
along F is the sum of the T_(k+1) with F in each place between the E. So one operation is its own
derivative.

What f closes over has gradients, too: T_k is linear in f, so its derivative is the T_k of another
function, and the transpose of that is the operation PULLED.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from wengert.core.batch import apply_batched
from wengert.core.context import activate
from wengert.core.contract import same_shape
from wengert.core.dispatch import apply
from wengert.core.reverse import conjugate, pull_through
from wengert.core.row import Attrs, Row
from wengert.derivatives.arguments import check_function
from wengert.derivatives.closures import Closure
from wengert.derivatives.spectral_functions.divided_differences import divided_differences
from wengert.errors import InvalidArgumentError
from wengert.ops.arrays.identity import identity
from wengert.ops.arrays.shaping import reshape
from wengert.ops.linalg.diagonals import diag_part
from wengert.ops.linalg.matrices import adjoint_of, matrix, transpose_last
from wengert.ops.math.complex import real
from wengert.ops.math.elementwise import zeros_like
from wengert.ops.reductions.reductions import reduce_sum
from wengert.ops.support.batch_rules import batch_all
from wengert.ops.support.lapack import numpy_linalg
from wengert.values.bound_ops import bound
from wengert.values.convert import convert
from wengert.values.tensor import Tensor, dims, wrap

if TYPE_CHECKING:
    from wengert.values.typing import Array, Namespace, TensorLike

_WHO: Final = "spectral_function"


def spectral_function(f: Callable[[Any], Any], a: TensorLike) -> Tensor:
    """The function f of a Hermitian matrix: V f(e) V^H, where V e V^H is its eigendecomposition.

    All derivatives are exact, also where eigenvalues coincide or nearly do, where those of
    `tf.linalg.eigh` do not exist. Derivatives of order k cost n^(k + 2) for n rows.

    Args:
        f: An elementwise function of a vector of real numbers, in differentiable operations. It may
            close over tensors and variables, which then have gradients, too.
        a: A Hermitian matrix, or a symmetric one, or a batch of them. Of another matrix the Hermitian
            part (a + a^H) / 2 is taken, so that gradients are Hermitian.

    Returns:
        A tensor of the shape and dtype of `a`.

    >>> a = tf.constant([[2.0, 0.0], [0.0, 2.0]], tf.float64)
    >>> y, pull = tf.vjp(lambda a: tf.spectral_function(tf.math.log, a), a)
    >>> tf.linalg.diag_part(y).numpy().round(4).tolist()
    [0.6931, 0.6931]
    >>> pull(tf.ones([2, 2], tf.float64))[0].numpy().round(4).tolist()
    [[0.5, 0.5], [0.5, 0.5]]
    """
    check_function(f, _WHO)
    x = matrix(a, "SelfAdjointEigV2")
    if x.dtype.name not in ("float32", "float64", "complex64", "complex128"):
        raise TypeError(f"tf.{_WHO} needs float32 or more, got {x.dtype.name}. Use tf.cast.")
    found: Tensor = _of_function(lambda v: [_checked(f(v), v)], (x + adjoint_of(x)) / 2, [])
    return found


def _checked(y: Any, x: Any) -> Any:
    y = convert(y, hint=x.dtype)
    if y.dtype is not x.dtype or not same_shape(dims(y), dims(x)):
        raise TypeError(
            f"tf.{_WHO} takes an elementwise function, which gives for a vector of {x.dtype.name} of "
            f"shape {list(x._array.shape)} one of the same, got {y.dtype.name} of shape "
            f"{list(y._array.shape)}."
        )
    return y


def _of_function(f: Callable[[Any], Sequence[Any]], a: Any, along: Sequence[Any]) -> Any:
    """T_k of a function that may close over any values."""
    closure = Closure(f, _WHO)
    kind = np.dtype(a.dtype.real_dtype.as_numpy_dtype)
    if closure.must_be_traced:
        reads = closure.trace([None], kind)
    else:
        reads = closure.note(wrap(reshape(real(diag_part(a)), (-1,))._array))
    return _term(closure, a, along, reads)


def _term(closure: Closure, a: Any, along: Sequence[Any], reads: Sequence[Any]) -> Any:
    return apply(TERM, (a, *along, *reads), {"closure": closure, "order": len(along)})


# ---- computing ----------------------------------------------------------------------------------


def _each(a: Array, along: Sequence[Array]) -> Any:
    """For each matrix of a batch its place, eigenvalues, eigenvectors, and the E in that basis."""
    for i in np.ndindex(a.shape[:-2]):
        if not np.isfinite(a[i]).all():
            raise InvalidArgumentError(f"tf.{_WHO}: the matrix holds NaN or inf.")
        e, v = numpy_linalg().eigh(a[i])
        yield i, e, v, [v.conj().T @ one[i] @ v for one in along]


def _indices(order: int) -> str:
    return "abcdefghijklmnop"[: order + 1]


def _factors(order: int) -> list[str]:
    every = _indices(order)
    return [every[k : k + 2] for k in range(order)]


def _term_kernel(_: Namespace, a: Array, *inputs: Array, closure: Closure, order: int) -> Array:
    along, reads = inputs[:order], [wrap(r) for r in inputs[order:]]
    result = np.zeros_like(a)
    every = _indices(order)
    formula = ",".join([every, *_factors(order)])
    with activate((), None):
        for i, e, v, turned in _each(a, along):
            found = divided_differences(lambda x: closure(x, reads)[0], e, order)
            table = np.asarray(found).reshape((len(e),) * (order + 1))
            if order:
                middle = np.einsum(
                    f"{formula}->{every[0]}{every[-1]}", table, *turned, optimize=True
                )
            else:
                middle = np.diag(table)
            result[i] = v @ middle @ v.conj().T
    return result


def _pulled_kernel(
    _: Namespace, a: Array, g: Array, *inputs: Array, closure: Closure, order: int
) -> list[Array]:
    """The cotangents of what f reads, if g is that of T_k, transposed."""
    along = inputs[:order]
    reads = closure.reads or [wrap(r) for r in inputs[order:]]
    followed = [r for r in reads if r.dtype.is_differentiable]
    totals = [np.zeros(r._array.shape, r._array.dtype) for r in followed]
    every = _indices(order)
    formula = ",".join([every[-1] + every[0], *_factors(order)])
    with activate((), None):
        for _i, e, _v, (seen, *turned) in _each(a, (g, *along)):
            if order:
                weights = np.einsum(f"{formula}->{every}", seen, *turned, optimize=True)
            else:
                weights = np.diag(seen)
            weights = np.ascontiguousarray(np.real(weights).ravel())

            def table(e: Array = e) -> list[Any]:
                return [divided_differences(lambda x: closure(x, reads)[0], e, order)]

            for total, part in zip(
                totals, pull_through(table, [], [wrap(weights)], followed), strict=True
            ):
                if part is not None:
                    total += np.asarray(bound.to_dense(part))
    return totals


# ---- rules --------------------------------------------------------------------------------------


def _inserted(
    closure: Closure, a: Any, along: Sequence[Any], one: Any, reads: Sequence[Any]
) -> Any:
    """The derivative of T_k by the matrix, along one."""
    found = [_term(closure, a, [*along[:k], one, *along[k:]], reads) for k in range(len(along) + 1)]
    return sum(found[1:], found[0])


def _pushed(ts: Sequence[Any], ys: Sequence[Any], xs: Sequence[Any], attrs: Attrs) -> list[Any]:
    closure, order = attrs["closure"], attrs["order"]
    a, along, reads = xs[0], list(xs[1 : order + 1]), xs[order + 1 :]
    parts = [] if ts[0] is None else [_inserted(closure, a, along, ts[0], reads)]
    for k, t in enumerate(ts[1 : order + 1]):
        if t is not None:
            parts.append(_term(closure, a, [*along[:k], t, *along[k + 1 :]], reads))
    if any(t is not None for t in ts[order + 1 :]):
        moved = _moved(closure, reads, ts[order + 1 :])
        parts.append(_of_function(moved, a, along))
    return [sum(parts[1:], parts[0])]


def _moved(closure: Closure, reads: Sequence[Any], ts: Sequence[Any]) -> Callable[[Any], Any]:
    """How f moves when what it reads moves: a function of the same points."""

    def moved(x: Any) -> list[Any]:
        pushed = closure.pushed(identity(x), reads, [None, *ts])
        return [zeros_like(x) if pushed is None else pushed]

    return moved


def _pulled(gs: Sequence[Any], ys: Sequence[Any], xs: Sequence[Any], attrs: Attrs) -> list[Any]:
    """The trace of g^T T_k(A; E1, ..., Ek) is invariant under cyclic permutation of its factors."""
    closure, order = attrs["closure"], attrs["order"]
    a, along, reads = xs[0], list(xs[1 : order + 1]), xs[order + 1 :]
    g = transpose_last(conjugate(gs[0]))
    around = [_term(closure, a, [*along[k + 1 :], g, *along[:k]], reads) for k in range(order)]
    turned = [[*along[k:], g, *along[:k]] for k in range(order + 1)]
    by_matrix = [_term(closure, a, factors, reads) for factors in turned]
    found = [sum(by_matrix[1:], by_matrix[0]), *around]
    of_reads: Any = iter(())
    if any(r.dtype.is_differentiable for r in reads):
        of_reads = iter(apply(PULLED, (a, g, *along, *reads), attrs))
    return [
        *[conjugate(transpose_last(one)) for one in found],
        *[conjugate(next(of_reads)) if r.dtype.is_differentiable else None for r in reads],
    ]


def _of_pulled(gs: Sequence[Any], ys: Sequence[Any], xs: Sequence[Any], attrs: Attrs) -> list[Any]:
    """PULLED, times directions of what f reads, is a trace with the T_k of another function."""
    closure, order = attrs["closure"], attrs["order"]
    a, g, along, reads = xs[0], xs[1], list(xs[2 : order + 2]), xs[order + 2 :]
    given = iter([conjugate(one) for one in gs])
    ts = [next(given) if r.dtype.is_differentiable else None for r in reads]

    def traced() -> list[Any]:
        term = _of_function(_moved(closure, reads, ts), a, along)
        return [reduce_sum(transpose_last(g) * term)]

    sources = [x for x in xs if x.dtype.is_differentiable]
    one = wrap(np.ones((), a._array.dtype))
    pulled = iter(pull_through(traced, [], [one], sources))
    return [conjugate(next(pulled)) if x.dtype.is_differentiable else None for x in xs]


def _in_front(batched: Sequence[bool], size: int, xs: Sequence[Any], attrs: Attrs) -> Any:
    """Matrices take a batch in front. Where f depends on the example, each is done by itself."""
    count = attrs["order"] + 1
    if any(batched[count:]):
        return apply_batched(TERM.replace(batch=None), batched, size, xs, attrs)
    return apply(TERM, (*batch_all(batched[:count], size, xs[:count]), *xs[count:]), attrs)


TERM: Final[Row] = Row(
    "SpectralTerm",
    _term_kernel,
    joint=_pulled,
    joint_jvp=_pushed,
    shape=lambda a, *rest, **attrs: a,
    batch=_in_front,
    users=True,
)


def _shapes_of_reads(xs: Sequence[Any], attrs: Attrs) -> list[Any]:
    reads = xs[attrs["order"] + 2 :]
    return [(r._array.shape, r._array.dtype) for r in reads if r.dtype.is_differentiable]


PULLED: Final[Row] = Row(
    "SpectralPulled",
    _pulled_kernel,
    joint=_of_pulled,
    forms=_shapes_of_reads,
    many=True,
    users=True,
)
