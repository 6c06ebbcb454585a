"""What holds of each linear operator and the dense matrix that it stands for.

`add_tests` gives a test class a method for each law, dtype, shape and way of making an operator.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Iterator
from typing import Any, Final

from wengert.api.function.function import function
from wengert.api.gradients.graph_gradients import gradients
from wengert.api.variables.module import Module
from wengert.graph.graph import Graph
from wengert.linear_operators.arguments import broadcast_batches, solve_broadcast
from wengert.ops.arrays.joining import concat
from wengert.ops.control.while_loop import while_loop
from wengert.ops.linalg import determinants, diagonals, eigen, solving, svd
from wengert.ops.linalg.matmul import matmul
from wengert.ops.linalg.matrices import adjoint as adjoint_of
from wengert.ops.math.complex import real
from wengert.ops.math.elementwise import cast, ones_like
from wengert.ops.reductions.reductions import reduce_max, reduce_min
from wengert.ops.reductions.sorting import sort
from wengert.saved_model.loading import load
from wengert.saved_model.saving import save
from wengert.state.variable import Variable
from wengert.testing.decorators import eager_mode, run_deprecated_v1
from wengert.values import nest
from wengert.values.convert import convert
from wengert.values.type_spec import TensorSpec

Case = Any
Law = Callable[..., None]
SEED: Final = 87654321  # of graphs of tests, as TestCase has it


@contextlib.contextmanager
def _session(case: Case) -> Iterator[Any]:
    """A session of a graph of its own, whose random numbers are the same in every run."""
    with case.session(graph=Graph()) as session:
        session.graph.seed = SEED
        yield session


def _of_pair(
    compute: Callable[..., tuple[Any, Any]],
    close: Callable[[Any], float] | None = None,
    **made: Any,
) -> Law:
    """A law of two values, one computed by the operator, the other from the matrix.

    They are as close as the case says for their dtype, or at least as close as `close` says.
    """

    def law(case: Case, info: Any, dtype: Any, use_placeholder: bool, *options: Any) -> None:
        with _session(case) as session:
            operator, matrix = case.operator_and_matrix(
                info, dtype, use_placeholder=use_placeholder, **made
            )
            found, expected = compute(case, operator, matrix, *options)
            if not use_placeholder:
                case.assertAllEqual(found.shape, expected.shape)
            found, expected = session.run([found, expected])
            if close is None:
                case.assertAC(found, expected)
            else:
                case.assertAllClose(found, expected, rtol=close(dtype), atol=close(dtype))

    return law


def _of_condition(dtype: Any) -> float:
    """How close condition numbers are: a quotient of the largest and the smallest."""
    return 1e-3 if dtype.real_dtype.size < 8 else 1e-6


def _of_eigenvalues(dtype: Any) -> float:
    """How close eigenvalues are that are found in different ways."""
    return 2e-4 if dtype.real_dtype.size < 8 else 1e-11


# ---- products and systems ---------------------------------------------------------------------


def _multiplied(method: str, with_batch: bool) -> Callable[..., tuple[Any, Any]]:
    """A product, or the solution of a system, with the operator or its adjoint."""

    def pair(
        case: Case, operator: Any, matrix: Any, adjoint: bool, adjoint_arg: bool
    ) -> tuple[Any, Any]:
        is_product = method == "matmul"
        make = case.make_x if is_product else case.make_rhs
        x = make(operator, adjoint=adjoint, with_batch=with_batch)

        def computed(given: Any) -> Any:
            given = nest.map_structure(adjoint_of, given) if adjoint_arg else given
            return getattr(operator, method)(given, adjoint=adjoint, adjoint_arg=adjoint_arg)

        found = computed(x)
        expected = (
            matmul(matrix, x, adjoint_a=adjoint)
            if is_product
            else solve_broadcast(matrix, x, adjoint)
        )
        if not (case.use_blockwise_arg() and len(operator.operators) > 1):
            return found, expected
        parts = computed(_in_blocks(operator, x, adjoint is is_product))
        case.assertEqual(len(parts), len(operator.operators))
        joined = concat(broadcast_batches(parts), -2)
        return concat([found, joined], -1), concat([expected, expected], -1)

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
        with _session(case) as session:
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
    if 0 in matrix.shape[-2:]:  # it has no singular values, and so no condition number
        return matrix, matrix
    s = svd.svd(matrix, compute_uv=False)
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
    """Taken apart into tensors and rebuilt, it is the same operator; functions and loops take it."""
    flat = nest.flatten(operator, expand_composites=True)
    rebuilt = nest.pack_sequence_as(operator, flat, expand_composites=True)
    case.assertIs(type(rebuilt), type(operator))
    case.assertEqual(rebuilt.shape.rank, operator.shape.rank)
    x = case.make_x(operator, adjoint=False)
    called = function(lambda given: given.matmul(x))(rebuilt)
    (carried,) = while_loop(
        lambda _: True,
        lambda given: (type(given)(**given.parameters),),
        (operator,),
        maximum_iterations=3,
    )
    expected = matmul(matrix, x)
    return concat([called, carried.matmul(x)], -1), concat([expected, expected], -1)


def _composite_gradient(case: Case, info: Any, dtype: Any, use_placeholder: bool) -> None:
    """A function of an operator has the gradients of the same function of its tensors."""
    with _session(case) as session:
        operator, _ = case.operator_and_matrix(info, dtype, use_placeholder=use_placeholder)
        flat = nest.flatten(operator, expand_composites=True)
        if not flat:
            return
        x = case.make_x(operator, adjoint=False)
        y = operator.matmul(x)
        rebuilt = nest.pack_sequence_as(operator, flat, expand_composites=True).matmul(x)
        expected = gradients(rebuilt, flat, grad_ys=ones_like(rebuilt))
        (whole,) = gradients(y, operator, grad_ys=ones_like(y))
        if all(g is None for g in expected):
            case.assertIsNone(whole)
            return
        case.assertIsInstance(whole, type(operator))
        found = nest.flatten(whole, expand_composites=True)
        for one, other in zip(found, expected, strict=True):
            if other is not None:  # in the operator, zeros stand where there is none
                case.assertAC(*session.run([one, other]))


def _saved_model(case: Case, info: Any, dtype: Any, use_placeholder: bool) -> None:
    """A function that makes the operator of tensors can be saved, and loaded again."""
    with _session(case) as session:
        operator, matrix = case.operator_and_matrix(info, dtype, use_placeholder=use_placeholder)
        flat = nest.flatten(operator, expand_composites=True)
        x = case.make_x(operator, adjoint=False)
        *values, x, expected = session.run([*flat, x, matmul(matrix, x)])
    with eager_mode():
        given = [convert(value) for value in values]
        model: Any = Module()
        model.x = Variable(x)

        def product(*tensors: Any) -> Any:
            rebuilt = nest.pack_sequence_as(operator, list(tensors), expand_composites=True)
            return rebuilt.matmul(model.x)

        signature = [TensorSpec(t.shape, t.dtype) for t in given]
        model.product = function(product, input_signature=signature)
        folder = case.get_temp_dir()
        save(model, folder)
        case.assertAC(load(folder).product(*given), expected)


# ---- all of them ------------------------------------------------------------------------------

KNOWN: Final[dict[str, Any]] = {"ensure_self_adjoint_and_pd": True}
LAWS: Final[dict[str, Law]] = {
    "add_to_tensor": _of_pair(_add_to_tensor),
    "adjoint": _of_pair(_adjoint),
    "cholesky": _of_pair(_cholesky, **KNOWN),
    "composite_tensor": _of_pair(_composite),
    "composite_tensor_gradient": _composite_gradient,
    "cond": _of_pair(_cond, _of_condition),
    "det": _of_pair(lambda _, o, m: (o.determinant(), determinants.det(m))),
    "diag_part": _of_pair(lambda _, o, m: (o.diag_part(), diagonals.diag_part(m))),
    "eigvalsh": _of_pair(_eigvalsh, _of_eigenvalues, **KNOWN),
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
            test_cls.dtypes_to_test(),
            test_cls.use_placeholder_options(),
            test_cls.operator_shapes_infos(),
            _options(test_cls) if name in WITH_OPTIONS else [{}],
        )
        for dtype, use_placeholder, info, options in made:
            said = {"shape": info.shape, "dtype": dtype, "use_placeholder": use_placeholder}
            title = f"test_{name}__" + ",".join(f"{k}={v}" for k, v in (said | options).items())
            if hasattr(test_cls, title):
                raise RuntimeError(f"Test {title} defined more than once")
            method = _method(LAWS[name], info, dtype, use_placeholder, options.values())
            setattr(test_cls, title, run_deprecated_v1(method))


def _wanted(test_cls: Any) -> Iterator[str]:
    skipped, demanded = set(test_cls.skip_these_tests()), set(test_cls.optional_tests())
    unknown = (skipped | demanded) - set(LAWS)
    if unknown:
        raise ValueError(f"There are no tests {sorted(unknown)}. There are: {sorted(LAWS)}.")
    yield from (n for n in LAWS if n not in skipped and (n not in ON_DEMAND or n in demanded))


def _options(test_cls: Any) -> list[dict[str, bool]]:
    """Whether the operator is the adjoint, and whether its argument is given as its adjoint."""
    options = itertools.product(test_cls.adjoint_options(), test_cls.adjoint_arg_options())
    return [{"adjoint": a, "adjoint_arg": b} for a, b in options]


def _method(law: Law, info: Any, dtype: Any, use_placeholder: bool, options: Any) -> Any:
    def test(self: Any) -> None:
        law(self, info, dtype, use_placeholder, *options)

    return test
