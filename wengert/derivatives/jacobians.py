"""Jacobians and what is made of them: hessian, hvp, laplacian, divergence, curl."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any, Final, Literal

import numpy as np

from wengert.api.gradients.gradient_tape import GradientTape, unit_vectors
from wengert.core.context import also_listening
from wengert.derivatives import structures
from wengert.derivatives.arguments import ArgNums, Arguments, check_function, plain_int
from wengert.derivatives.cost import estimate
from wengert.derivatives.forward import jvp
from wengert.derivatives.mapping import for_each
from wengert.derivatives.plan import (
    Derivative,
    DerivativePlan,
    cheaper,
    plan_of_jacobian,
    plan_of_product,
    plan_of_second_derivatives,
    planned,
)
from wengert.derivatives.results import differentiable_result, scalar_result, without_aux
from wengert.derivatives.reverse import grad
from wengert.derivatives.sparse.coloring import KINDS, SYMMETRIC_KINDS
from wengert.derivatives.sparse.products import colored_jacobian
from wengert.derivatives.taylor_mode.laplacian import laplacian_of
from wengert.derivatives.taylor_mode.mode import series_along
from wengert.derivatives.taylor_mode.series import filled, scaled
from wengert.derivatives.trail import Event, Trail
from wengert.inference.public_functions import made_of_function
from wengert.ops.arrays.joining import stack
from wengert.ops.arrays.shaping import reshape, transpose
from wengert.ops.linalg.diagonals import diag_part
from wengert.ops.math.elementwise import zeros_like
from wengert.ops.reductions.reductions import reduce_sum
from wengert.overrides.switches import Kinks, Switches, within_block
from wengert.values.convert import convert
from wengert.values.symbolic import is_certain
from wengert.values.tensor import dims

Mode = Literal["auto", "forward", "reverse", "colored"]
_MODES: Final = ("auto", "forward", "reverse", "colored")
Sparse = bool | Literal["scipy"]


@made_of_function
def jacobian(
    f: Callable[..., Any],
    argnums: ArgNums = 0,
    mode: Mode = "auto",
    chunk_size: int | None = None,
    has_aux: bool = False,
    sparse: Sparse = False,
    coloring: str = "auto",
    strong_zero: bool | None = None,
    kinks: Kinks | None = None,
) -> Derivative:
    """All derivatives of all elements of a result, as a function of the same arguments.

    Args:
        f: The function; its result may be nested.
        argnums: Which arguments; one number, or a tuple.
        mode: "forward" takes a product for each element of the arguments, "reverse" one for each
            element of the result; "auto" takes the fewer. "colored" finds which elements can
            differ from zero at all, and takes as few products as give these.
        chunk_size: How many products are computed at once, where all at once take too much memory.
        has_aux: Whether `f` returns a pair, whose second part is returned after the Jacobian.
        sparse: Whether only the elements that can differ from zero are wanted, as a `SparseTensor`;
            "scipy" gives matrices of `scipy.sparse` in CSR form. The mode is "colored" then.
        coloring: What a product of the mode "colored" computes together: "columns", "rows", "both"
            with the dense lines apart, or "auto", the cheapest of these.
        strong_zero: As in `tf.config.gradient_switches`: a cotangent of zero contributes zero.
        kinks: As in `tf.config.gradient_switches`: the derivative of relu and its kin at kinks.

    Returns:
        The function of the Jacobian: for each result, for each argument, a tensor of the shape of
        the result followed by that of the argument; from SciPy a matrix with a row for each
        element of the result.

    >>> tf.jacobian(lambda x: x * x)(tf.constant([1.0, 2.0])).numpy().tolist()
    [[2.0, 0.0], [0.0, 4.0]]
    >>> tf.jacobian(lambda x: tf.stack([x, x * x, x ** 3.0]), mode="forward")(2.0).numpy().tolist()
    [1.0, 4.0, 12.0]
    >>> tf.jacobian(lambda x: x[1:] * x[:-1], sparse="scipy")(tf.range(1.0, 4.0)).toarray().tolist()
    [[2.0, 1.0, 0.0], [0.0, 3.0, 2.0]]
    """
    check_function(f, "jacobian")
    chunk_size = plain_int(chunk_size)
    _check_options(mode, chunk_size, sparse, coloring, KINDS, "jacobian")
    if sparse or mode == "colored":
        whole = colored_jacobian(f, argnums, chunk_size, has_aux, sparse, coloring)
    else:
        whole = _dense_jacobian(f, argnums, mode, chunk_size, has_aux)

    def plan(*args: Any, **kwargs: Any) -> DerivativePlan:
        given = Arguments(f, args, kwargs, argnums, who="jacobian")
        chosen = "colored" if sparse else mode
        return plan_of_jacobian(given, chosen, has_aux, coloring, "jacobian")

    own = Switches(strong_zero=strong_zero, kinks=kinks)
    return planned(f, within_block(whole, own), plan)


def _dense_jacobian(
    f: Callable[..., Any], argnums: ArgNums, mode: str, chunk_size: int | None, has_aux: bool
) -> Callable[..., Any]:
    chosen: dict[Any, str] = {}  # the cheaper mode, by the shapes of the arguments

    def whole(*args: Any, **kwargs: Any) -> Any:
        given = Arguments(f, args, kwargs, argnums, who="jacobian")
        known = mode
        if mode == "auto":
            key = tuple([dims(x) if is_certain(dims(x)) else None for x in given.leaves])
            known = chosen.get(key, mode)
        value, aux, blocks, taken = _blocks(given, known, chunk_size, has_aux)
        if known == "auto":
            chosen[key] = taken
        found = structures.pack(value, [given.pack(row) for row in blocks])
        return (found, aux) if has_aux else found

    return whole


def _check_options(
    mode: str, chunk_size: Any, sparse: Any, coloring: str, kinds: Sequence[str], who: str
) -> None:
    if mode not in _MODES:
        raise ValueError(f"mode of tf.{who} is one of {', '.join(_MODES)}, got {mode!r}.")
    if chunk_size is not None and (type(chunk_size) is not int or chunk_size < 1):
        raise ValueError(f"chunk_size must be a positive integer or None, got {chunk_size!r}.")
    if sparse not in (False, True, "scipy"):
        raise ValueError(f"sparse of tf.{who} is False, True or 'scipy', got {sparse!r}.")
    if sparse and mode not in ("auto", "colored"):
        raise ValueError(
            f"A sparse result of tf.{who} is computed by mode='colored', not {mode!r}. The lines "
            f"of its products are chosen by coloring: {', '.join(kinds)}."
        )
    if coloring not in kinds:
        raise ValueError(f"coloring of tf.{who} is one of {', '.join(kinds)}, got {coloring!r}.")


def _blocks(
    given: Arguments, mode: str, chunk_size: int | None, has_aux: bool
) -> tuple[Any, Any, list[list[Any]], str]:
    """Value, aux, for each result the Jacobian by each leaf, and the mode that was taken."""
    if mode != "forward":
        tape, trail = GradientTape(persistent=True, watch_accessed_variables=False), Trail()
        with tape, also_listening(trail) if mode == "auto" else nullcontext():
            tape.watch(given.leaves)
            value, aux = without_aux(given.call(), has_aux, "jacobian")
            targets = [differentiable_result(y, "jacobian") for y in structures.flatten(value)]
        if mode == "reverse" or _is_reverse_cheaper(trail.events, given.leaves, targets):
            rows = [_rows(tape, y, given.leaves, chunk_size) for y in targets]
            return value, aux, rows, "reverse"
    return *_columns(given, chunk_size, has_aux), "forward"


def _is_reverse_cheaper(
    events: Sequence[Event], sources: Sequence[Any], targets: Sequence[Any]
) -> bool:
    if any(v.dtype.is_complex for v in (*sources, *targets)):
        return True  # one forward direction does not give both parts of a complex derivative
    shapes = [dims(v) for v in (*sources, *targets)]
    if not all(map(is_certain, shapes)):
        return True  # in a loop of the graph
    width, height = (sum(math.prod(dims(v)) for v in some) for some in (sources, targets))
    return cheaper(estimate(events, sources), width, height) == "reverse"


def _rows(tape: Any, y: Any, sources: Sequence[Any], chunk_size: int | None) -> list[Any]:
    """The Jacobian of one result by reverse mode: a product for each of its elements."""
    size = math.prod(dims(y)) if is_certain(dims(y)) else 0
    if chunk_size is None or size <= chunk_size:
        return tape.jacobian(y, sources, unconnected_gradients="zero")  # type: ignore[no-any-return]
    joined = _mapped(lambda seed: _pulled(tape, y, sources, seed), y, chunk_size)
    return [reshape(g, (*dims(y), *dims(x))) for g, x in zip(joined, sources, strict=True)]


def _pulled(tape: Any, y: Any, sources: Sequence[Any], seed: Any) -> list[Any]:
    found: list[Any] = tape.gradient(
        y, sources, output_gradients=seed, unconnected_gradients="zero"
    )
    return [convert(g) for g in found]


def _columns(
    given: Arguments, chunk_size: int | None, has_aux: bool
) -> tuple[Any, Any, list[list[Any]]]:
    """Every Jacobian by forward mode: a product for each element of the arguments."""
    kept: list[Any] = []

    def along(which: int) -> Callable[[Any], list[Any]]:
        def one(direction: Any) -> list[Any]:
            tangents = [
                zeros_like(x) if i != which else direction for i, x in enumerate(given.leaves)
            ]
            value, pushed, *aux = jvp(
                lambda *leaves: given.call(leaves), given.leaves, tangents, has_aux
            )
            kept[:] = [value, aux[0] if aux else None]
            return structures.flatten(pushed)

        return one

    by_leaf = [_mapped(along(at), x, chunk_size) for at, x in enumerate(given.leaves)]
    value, aux = kept
    return (
        value,
        aux,
        [
            [_behind(columns[k], x) for columns, x in zip(by_leaf, given.leaves, strict=True)]
            for k in range(len(structures.flatten(value)))
        ],
    )


def _behind(columns: Any, x: Any) -> Any:
    """Columns, one for each element of x in front, as the last axes of a Jacobian."""
    rank = len(dims(columns))
    turned = columns if rank == 1 else transpose(columns, (*range(1, rank), 0))
    return reshape(turned, (*dims(columns)[1:], *dims(x)))


def _mapped(one: Callable[[Any], list[Any]], like: Any, chunk_size: int | None = None) -> list[Any]:
    """What a function gives for the unit vectors of a tensor, stacked; `chunk_size` at once."""
    units = unit_vectors(like)
    return for_each(one, dims(units)[0], [units], chunk_size)


# ---- second order -----------------------------------------------------------------------------


@made_of_function
def hessian(
    f: Callable[..., Any],
    argnums: ArgNums = 0,
    chunk_size: int | None = None,
    has_aux: bool = False,
    sparse: Sparse = False,
    coloring: str = "auto",
    strong_zero: bool | None = None,
    kinks: Kinks | None = None,
) -> Derivative:
    """All second derivatives of a function whose result is one number: forward over reverse mode.

    Args:
        f: The function.
        argnums: Which arguments; for a tuple the result is a tuple of tuples.
        chunk_size: How many rows are computed at once.
        has_aux: Whether `f` returns a pair, whose second part is returned after the Hessian.
        sparse: As in `tf.jacobian`.
        coloring: As in `tf.jacobian`; and "star" or "acyclic", which exploit that a Hessian is
            symmetric. An acyclic coloring takes fewer products, and subtracts values from one
            another.
        strong_zero: As in `tf.config.gradient_switches`: a cotangent of zero contributes zero.
        kinks: As in `tf.config.gradient_switches`: the derivative of relu and its kin at kinks.

    >>> tf.hessian(lambda x: x[0] ** 2.0 * x[1])(tf.constant([3.0, 5.0])).numpy().tolist()
    [[10.0, 6.0], [6.0, 0.0]]
    """
    check_function(f, "hessian")
    gradient = grad(f, argnums, has_aux=has_aux)
    chunk_size = plain_int(chunk_size)
    _check_options("auto", chunk_size, sparse, coloring, SYMMETRIC_KINDS, "hessian")
    is_colored = bool(sparse) or coloring != "auto"
    if is_colored:
        whole = colored_jacobian(gradient, argnums, chunk_size, has_aux, sparse, coloring, True)
    else:
        whole = _dense_jacobian(gradient, argnums, "forward", chunk_size, has_aux)

    def plan(*args: Any, **kwargs: Any) -> DerivativePlan:
        given = Arguments(gradient, args, kwargs, argnums, who="hessian")
        chosen = "colored" if is_colored else "forward"
        return plan_of_jacobian(given, chosen, has_aux, coloring, "hessian", True)

    own = Switches(strong_zero=strong_zero, kinks=kinks)
    return planned(f, within_block(whole, own), plan)


@made_of_function
def hvp(
    f: Callable[..., Any],
    argnums: ArgNums = 0,
    strong_zero: bool | None = None,
    kinks: Kinks | None = None,
) -> Derivative:
    """The product of the Hessian with a vector, at the price of a few gradients.

    Args:
        f: A function whose result is one number.
        argnums: Which arguments are differentiated.
        strong_zero: As in `tf.config.gradient_switches`: a cotangent of zero contributes zero.
        kinks: As in `tf.config.gradient_switches`: the derivative of relu and its kin at kinks.

    Returns:
        A function of the arguments of `f`, followed by a vector nested as the differentiated
        arguments are; it gives the product, nested in the same way.

    >>> tf.hvp(lambda x: x[0] ** 2.0 * x[1])(tf.constant([3.0, 5.0]), tf.constant([1.0, 0.0])).numpy().tolist()
    [10.0, 6.0]
    """
    check_function(f, "hvp")

    def product(*args: Any, **kwargs: Any) -> Any:
        if len(args) < 2:
            raise TypeError("tf.hvp(f) is called with the arguments of f, followed by a vector.")
        given = Arguments(f, args[:-1], kwargs, argnums, who="hvp")
        vector = given.flatten(args[-1], "The vector and the arguments of tf.hvp")
        return given.pack(_hessian_product(given, vector))

    def plan(*args: Any, **kwargs: Any) -> DerivativePlan:
        given = Arguments(grad(f, argnums), args[:-1], kwargs, argnums, who="hvp")
        return plan_of_product(given, "hvp")

    own = Switches(strong_zero=strong_zero, kinks=kinks)
    return planned(None, within_block(product, own), plan)


def _hessian_product(given: Arguments, vector: Sequence[Any]) -> list[Any]:
    """The Hessian by the leaves of the arguments times a vector of such leaves."""
    gradient = grad(lambda *leaves: given.call(leaves), range(len(given.leaves)))
    _, pushed = jvp(gradient, given.leaves, vector)
    return list(pushed)


@made_of_function
def hessian_diag(f: Callable[..., Any], argnums: ArgNums = 0) -> Derivative:
    """The second derivative by each element of the arguments: the diagonal of the Hessian.

    >>> tf.hessian_diag(lambda x: x[0] ** 2.0 * x[1] + x[1] ** 3.0)(tf.constant([3.0, 5.0])).numpy().tolist()
    [10.0, 30.0]
    """
    check_function(f, "hessian_diag")

    def diagonal(*args: Any, **kwargs: Any) -> Any:
        given = Arguments(f, args, kwargs, argnums, who="hessian_diag")
        return given.pack(_second_derivatives(given))

    def plan(*args: Any, **kwargs: Any) -> DerivativePlan:
        given = Arguments(f, args, kwargs, argnums, who="hessian_diag")
        return plan_of_second_derivatives(given, "hessian_diag", summed=False)

    return planned(f, diagonal, plan)


def _second_derivatives(given: Arguments) -> list[Any]:
    """For each leaf its second derivatives, element by element: Taylor mode along the unit vectors."""
    found = []
    for at, x in enumerate(given.leaves):

        def one(unit: Any, at: int = at) -> list[Any]:
            directions = [unit if i == at else None for i in range(len(given.leaves))]
            value, (series, *_) = series_along(given, directions, 2, "hessian_diag")
            scalar_result(value, "hessian_diag")
            return [filled(scaled(series[2], 2.0), series[0])]

        (diagonal,) = _mapped(one, x)
        found.append(reshape(diagonal, dims(x)))
    return found


@made_of_function
def laplacian(f: Callable[..., Any], argnums: ArgNums = 0) -> Derivative:
    """The sum of the second derivatives by each element: the trace of the Hessian.

    The function may have any results; the Laplacian of each element is given. The gradient and the
    Laplacian are carried forward through the function with the value: no Hessian is computed.

    >>> tf.laplacian(lambda x: tf.reduce_sum(x ** 3.0))(tf.constant([1.0, 2.0])).numpy()
    np.float32(18.0)
    """
    check_function(f, "laplacian")

    def sum_of_second(*args: Any, **kwargs: Any) -> Any:
        given = Arguments(f, args, kwargs, argnums, who="laplacian")
        return laplacian_of(given, *_units_of(given.leaves))

    def plan(*args: Any, **kwargs: Any) -> DerivativePlan:
        given = Arguments(f, args, kwargs, argnums, who="laplacian")
        return plan_of_second_derivatives(given, "laplacian", summed=True)

    return planned(f, sum_of_second, plan)


def _units_of(leaves: Sequence[Any]) -> tuple[list[Any], int]:
    """For each leaf its part of the unit vectors of all of them, and how many there are."""
    sizes = [math.prod(dims(x)) for x in leaves]
    count, first, parts = sum(sizes), 0, []
    for x, size in zip(leaves, sizes, strict=True):
        unit = np.zeros((count, size), x.dtype.as_numpy_dtype)
        unit[first : first + size] = np.eye(size)
        parts.append(convert(unit.reshape(count, *dims(x))))
        first += size
    return parts, count


# ---- fields -----------------------------------------------------------------------------------


def divergence(
    f: Callable[..., Any],
    argnums: int = 0,
    strong_zero: bool | None = None,
    kinks: Kinks | None = None,
) -> Derivative:
    """The divergence of a vector field, whose result has the shape of its argument.

    `strong_zero` and `kinks` are those of `tf.config.gradient_switches`.

    >>> tf.divergence(lambda x: x * x)(tf.constant([1.0, 2.0])).numpy()
    np.float32(6.0)
    """

    def trace(x: Any, y: Any, j: Any) -> Any:
        if dims(y) != dims(x):
            raise ValueError(
                "tf.divergence needs a field whose result has the shape of its argument, got "
                f"{list(dims(y))} of {list(dims(x))}."
            )
        size = math.prod(dims(x))
        return reduce_sum(diag_part(reshape(j, (size, size))))

    own = Switches(strong_zero=strong_zero, kinks=kinks)
    return _of_field(trace, f, argnums, "divergence", own)


def curl(
    f: Callable[..., Any],
    argnums: int = 0,
    strong_zero: bool | None = None,
    kinks: Kinks | None = None,
) -> Derivative:
    """The curl of a field in three dimensions, a vector, or in two, a number.

    `strong_zero` and `kinks` are those of `tf.config.gradient_switches`.

    >>> tf.curl(lambda x: tf.stack([-x[1], x[0]]))(tf.constant([1.0, 2.0])).numpy()
    np.float32(2.0)
    """

    def rotation(x: Any, y: Any, j: Any) -> Any:
        if dims(x) != dims(y) or dims(x) not in ((2,), (3,)):
            raise ValueError(
                "tf.curl needs a field of two or three dimensions, of shape [2] or [3], got "
                f"{list(dims(y))} of {list(dims(x))}."
            )
        if dims(x) == (2,):
            return j[1, 0] - j[0, 1]
        return stack([j[2, 1] - j[1, 2], j[0, 2] - j[2, 0], j[1, 0] - j[0, 1]])

    own = Switches(strong_zero=strong_zero, kinks=kinks)
    return _of_field(rotation, f, argnums, "curl", own)


def _of_field(
    combined: Callable[[Any, Any, Any], Any], f: Any, argnums: int, who: str, own: Switches
) -> Derivative:
    """What is combined of a field: of its argument, its result and its Jacobian."""
    check_function(f, who)

    def whole(*args: Any, **kwargs: Any) -> Any:
        given = Arguments(f, args, kwargs, argnums, who=who)
        if len(given.leaves) != 1:
            raise TypeError(f"tf.{who} needs one tensor as the argument, got {len(given.leaves)}.")
        value, _, ((j,),) = _columns(given, None, False)
        (y,) = structures.flatten(value)
        return combined(given.leaves[0], y, j)

    def plan(*args: Any, **kwargs: Any) -> DerivativePlan:
        given = Arguments(f, args, kwargs, argnums, who=who)
        return plan_of_jacobian(given, "forward", False, "auto", who)

    return planned(f, within_block(whole, own), plan)
