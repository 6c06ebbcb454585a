"""What holds of each linear operator and the dense matrix that it stands for.

`add_tests` gives a test class a method for each law, dtype, shape and way of making an operator.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any, Final

from wengert.api.function.function import function
from wengert.api.gradients.gradient_tape import GradientTape
from wengert.graph.graph import Graph
from wengert.linear_operators.arguments import broadcast_batches, solve_broadcast
from wengert.ops.arrays.joining import concat
from wengert.ops.linalg import determinants, diagonals, eigen, solving, svd
from wengert.ops.linalg.matmul import matmul
from wengert.ops.linalg.matrices import adjoint as adjoint_of
from wengert.ops.math.complex import real
from wengert.ops.math.elementwise import cast
from wengert.ops.reductions.reductions import reduce_max, reduce_min
from wengert.ops.reductions.sorting import sort
from wengert.testing.decorators import run_deprecated_v1
from wengert.values import nest

Case = Any
Law = Callable[..., None]


def _of_pair(compute: Callable[..., tuple[Any, Any]], **made: Any) -> Law:
    """A law of two values, one computed by the operator, the other from the matrix."""

    def law(case: Case, info: Any, dtype: Any, use_placeholder: bool, *options: Any) -> None:
        with case.session(graph=Graph()) as session:
            operator, matrix = case.operator_and_matrix(
                info, dtype, use_placeholder=use_placeholder, **made
            )
            found, expected = compute(case, operator, matrix, *options)
            if not use_placeholder:
                case.assertAllEqual(found.shape, expected.shape)
            found, expected = session.run([found, expected])
            case.assertAC(found, expected)

    return law


# ---- products and systems ---------------------------------------------------------------------


def _multiplied(method: str, with_batch: bool) -> Callable[..., tuple[Any, Any]]:
    """A product, or the solution of a system, with the operator or its adjoint."""

    def pair(
        case: Case, operator: Any, matrix: Any, adjoint: bool, adjoint_arg: bool, in_blocks: bool
    ) -> tuple[Any, Any]:
        is_product = method == "matmul"
        make = case.make_x if is_product else case.make_rhs
        x = make(operator, adjoint=adjoint, with_batch=with_batch)
        given = _in_blocks(operator, x, adjoint is is_product) if in_blocks else x
        given = nest.map_structure(adjoint_of, given) if adjoint_arg else given
        found = getattr(operator, method)(given, adjoint=adjoint, adjoint_arg=adjoint_arg)
        found = concat(broadcast_batches(found), -2) if in_blocks else found
        if is_product:
            return found, matmul(matrix, x, adjoint_a=adjoint)
        return found, solve_broadcast(matrix, x, adjoint)

    return pair


def _in_blocks(operator: Any, x: Any, of_rows: bool) -> list[Any]:
    """An argument in the blocks of a block operator."""
    blocks = [b[-1] if isinstance(b, list) else b for b in operator.operators]
    counts = [b.shape_tensor()[-2 if of_rows else -1] for b in blocks]
    ends = itertools.accumulate(counts)
    return [x[..., end - count : end, :] for count, end in zip(counts, ends, strict=True)]


def _with_operator(method: str) -> Law:
    """A product with, or the solution for, another operator of the same kind."""

    def law(case: Case, info: Any, dtype: Any, use_placeholder: bool) -> None:
        with case.session(graph=Graph()) as session:
            (one, a), (other, b) = (
                case.operator_and_matrix(info, dtype, use_placeholder=use_placeholder)
                for _ in range(2)
            )
            found = getattr(one, method)(other).to_dense()
            expected = matmul(a, b) if method == "matmul" else solve_broadcast(a, b, False)
            found, expected = session.run([found, expected])
            case.assertAC(found, expected)

    return law


# ---- numbers and other operators --------------------------------------------------------------


def _cond(case: Case, operator: Any, matrix: Any) -> tuple[Any, Any]:
    s = svd.svd(matrix, compute_uv=False)
    if 0 in matrix.shape[-2:]:  # it has no singular values
        case.skipTest("A matrix without elements has no condition number.")
    expected = reduce_max(s, -1) / reduce_min(s, -1)
    return operator.cond(), cast(expected, operator.dtype)


def _log_abs_det(case: Case, operator: Any, matrix: Any) -> tuple[Any, Any]:
    return operator.log_abs_determinant(), determinants.slogdet(matrix)[1]


def _eigvalsh(case: Case, operator: Any, matrix: Any) -> tuple[Any, Any]:
    """In order: an operator gives its eigenvalues in any."""
    found = sort(real(operator.eigvals()), -1)
    return found, sort(real(eigen.eigvalsh(matrix)), -1)


def _cholesky(case: Case, operator: Any, matrix: Any) -> tuple[Any, Any]:
    """Its product with its adjoint: circulant operators have one that is not triangular."""
    factor = operator.cholesky().to_dense()
    return matmul(factor, factor, adjoint_b=True), matrix


def _add_to_tensor(case: Case, operator: Any, matrix: Any) -> tuple[Any, Any]:
    return operator.add_to_tensor(matrix), matrix + matrix


def _adjoint(case: Case, operator: Any, matrix: Any) -> tuple[Any, Any]:
    case.assertEqual(operator.H.parameters.keys(), operator.adjoint().parameters.keys())
    return operator.adjoint().to_dense(), adjoint_of(matrix)


def _slicing(case: Case, operator: Any, matrix: Any) -> tuple[Any, Any]:
    """Parts of a batch; without one, the whole."""
    part = {3: (slice(None, 1),), 4: (slice(1), 0)}.get(len(matrix.shape), (Ellipsis,))
    rest = (slice(None), slice(None)) if part != (Ellipsis,) else ()
    return operator[part].to_dense(), matrix[part + rest]


# ---- as a composite value ---------------------------------------------------------------------


def _composite(case: Case, operator: Any, matrix: Any) -> tuple[Any, Any]:
    """Taken apart into tensors and rebuilt, it is the same operator; a function takes it, too."""
    flat = nest.flatten(operator, expand_composites=True)
    rebuilt = nest.pack_sequence_as(operator, flat, expand_composites=True)
    case.assertIs(type(rebuilt), type(operator))
    case.assertEqual(rebuilt.shape.rank, operator.shape.rank)
    return function(lambda given: given.to_dense())(rebuilt), matrix


def _composite_gradient(case: Case, info: Any, dtype: Any, use_placeholder: bool) -> None:
    """A function of an operator has the gradients of the same function of its tensors."""
    with case.session(graph=Graph()) as session:
        operator, _ = case.operator_and_matrix(info, dtype, use_placeholder=use_placeholder)
        flat = nest.flatten(operator, expand_composites=True)
        x = case.make_x(operator, adjoint=False)
        with GradientTape(persistent=True) as tape:
            tape.watch(flat)
            direct = operator.matmul(x)
            rebuilt = nest.pack_sequence_as(operator, flat, expand_composites=True)
            called = function(lambda given: given.matmul(x))(rebuilt)
        pairs = zip(tape.gradient(direct, flat), tape.gradient(called, flat), strict=True)
        for expected, found in pairs:
            case.assertEqual(expected is None, found is None)
            if found is not None:
                case.assertAC(*session.run([found, expected]))


def _saved_model(case: Case, info: Any, dtype: Any, use_placeholder: bool) -> None:
    case.skipTest("There are no saved models here.")


# ---- all of them ------------------------------------------------------------------------------

KNOWN = {"ensure_self_adjoint_and_pd": True}
LAWS: Final[dict[str, Law]] = {
    "add_to_tensor": _of_pair(_add_to_tensor),
    "adjoint": _of_pair(_adjoint),
    "cholesky": _of_pair(_cholesky, **KNOWN),
    "composite_tensor": _of_pair(_composite),
    "composite_tensor_gradient": _composite_gradient,
    "cond": _of_pair(_cond),
    "det": _of_pair(lambda _, o, m: (o.determinant(), determinants.det(m))),
    "diag_part": _of_pair(lambda _, o, m: (o.diag_part(), diagonals.diag_part(m))),
    "eigvalsh": _of_pair(_eigvalsh, **KNOWN),
    "inverse": _of_pair(lambda _, o, m: (o.inverse().to_dense(), solving.inv(m))),
    "log_abs_det": _of_pair(_log_abs_det),
    "matmul": _of_pair(_multiplied("matmul", True)),
    "matmul_with_broadcast": _of_pair(_multiplied("matmul", False)),
    "operator_matmul_with_same_type": _with_operator("matmul"),
    "operator_solve_with_same_type": _with_operator("solve"),
    "saved_model": _saved_model,
    "slicing": _of_pair(_slicing),
    "solve": _of_pair(_multiplied("solve", True)),
    "solve_with_broadcast": _of_pair(_multiplied("solve", False)),
    "to_dense": _of_pair(lambda _, o, m: (o.to_dense(), m)),
    "trace": _of_pair(lambda _, o, m: (o.trace(), diagonals.trace(m))),
}
WITH_OPTIONS = frozenset(["matmul", "matmul_with_broadcast", "solve", "solve_with_broadcast"])
ON_DEMAND = frozenset(["operator_matmul_with_same_type", "operator_solve_with_same_type"])


def add_tests(test_cls: Any) -> None:
    """Give a test class its methods: one for each law, dtype, shape and way to make an operator."""
    for name in _wanted(test_cls):
        made = itertools.product(
            enumerate(test_cls.operator_shapes_infos()),
            test_cls.dtypes_to_test(),
            test_cls.use_placeholder_options(),
            _options(test_cls) if name in WITH_OPTIONS else [()],
        )
        for (i, info), dtype, use_placeholder, options in made:
            said = "_".join([f"{option}" for option in (use_placeholder, *options)])
            title = f"test_{name}_shape_{i}_{dtype.name}_{said}"
            if hasattr(test_cls, title):
                raise RuntimeError(f"{test_cls.__name__} has a method {title} already.")
            method = _method(LAWS[name], info, dtype, use_placeholder, options)
            setattr(test_cls, title, run_deprecated_v1(method))


def _wanted(test_cls: Any) -> Iterator[str]:
    skipped, demanded = set(test_cls.skip_these_tests()), set(test_cls.optional_tests())
    unknown = (skipped | demanded) - set(LAWS)
    if unknown:
        raise ValueError(f"There are no tests {sorted(unknown)}. There are: {sorted(LAWS)}.")
    yield from (n for n in LAWS if n not in skipped and (n not in ON_DEMAND or n in demanded))


def _options(test_cls: Any) -> list[tuple[bool, bool, bool]]:
    """Adjoint, adjoint argument, argument in blocks."""
    blocks = [False, True] if test_cls.use_blockwise_arg() else [False]
    options = itertools.product(test_cls.adjoint_options(), test_cls.adjoint_arg_options(), blocks)
    return list(options)


def _method(law: Law, info: Any, dtype: Any, use_placeholder: bool, options: Any) -> Any:
    def test(self: Any) -> None:
        law(self, info, dtype, use_placeholder, *options)

    return test
