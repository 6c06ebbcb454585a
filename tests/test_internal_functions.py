"""TensorFlow's internal functions of operations; what they give is recorded from TensorFlow 2.21."""

from __future__ import annotations

import copy
import functools
import pickle
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import wengert as tf
from wengert import errors
from wengert.compat import resolver
from wengert.compat.graph_defs import descriptions
from wengert.compat.inner import gradient_parts, handle_data, lookups, meta_graphs, optionals
from wengert.compat.internals.eager import backprop, forwardprop, forwardprop_util
from wengert.compat.internals.framework import (
    func_graph,
    ops,
    test_ops,
    test_util,
    type_spec,
)
from wengert.compat.internals.framework.function import Defun
from wengert.compat.internals.keras import backend
from wengert.compat.internals.ops import (
    array_ops,
    cond_v2,
    control_flow_ops,
    control_flow_util,
    control_flow_util_v2,
    ctc_ops,
    custom_gradient,
    functional_ops,
    gen_array_ops,
    gen_functional_ops,
    gen_math_ops,
    math_ops,
    nn_ops,
    parsing_ops,
    resource_variable_ops,
    weights_broadcast_ops,
)
from wengert.compat.internals.ops.linalg.sparse import sparse, sparse_csr_matrix_ops
from wengert.compat.internals.ops.parallel_for.test_util import PForTestCase
from wengert.compat.internals.util import nest, numpy_compat, tf_decorator, tf_inspect

G = np.array([[1.0, 2.0], [3.0, 4.0]])
PLACES, SEGMENTS = np.array([4, 1, 4, 0]), np.array([0, 0, 1, 1])
X = np.array([[1, 0, 0], [1, 0, 0], [2, 0, 0]])


def rows(kind: str, *more: str) -> Any:
    function = getattr(math_ops, f"sparse_segment_{kind}_grad{''.join(more)}")
    return function(G, PLACES, SEGMENTS, 6)


VALUES: dict[str, tuple[Callable[[], Any], Any]] = {
    "segment sum": (lambda: rows("sum"), [[3, 4], [1, 2], [0, 0], [0, 0], [4, 6], [0, 0]]),
    "segment mean": (lambda: rows("mean"), [[1.5, 2], [0.5, 1], [0, 0], [0, 0], [2, 3], [0, 0]]),
    "segment root": (
        lambda: rows("sqrt_n"),
        np.array([[3, 4], [1, 2], [0, 0], [0, 0], [4, 6], [0, 0]]) / np.sqrt(2.0),
    ),
    "rows of sum": (lambda: rows("sum", "_v2"), ([[3, 4], [1, 2], [4, 6]], [0, 1, 4])),
    "rows of mean": (lambda: rows("mean", "_v2"), ([[1.5, 2], [0.5, 1], [2, 3]], [0, 1, 4])),
    "more segments": (
        lambda: math_ops.sparse_segment_sum_with_num_segments(G, [1, 0], [0, 2], 4),
        [[3, 4], [0, 0], [1, 2], [0, 0]],
    ),
    "buckets": (
        lambda: math_ops._bucketize([[-5, 10000], [150, 10], [5, 100]], [0, 10, 100]),
        [[0, 3], [3, 2], [1, 3]],
    ),
    "reduced shape": (lambda: math_ops.reduced_shape([2, 3, 5], [0, -1]), [1, 3, 1]),
    "unique rows": (lambda: gen_array_ops.unique_v2(X, [0]), ([[1, 0, 0], [2, 0, 0]], [0, 0, 1])),
    "unique columns": (
        lambda: gen_array_ops.unique_with_counts_v2(X, [1]),
        ([[1, 0], [1, 0], [2, 0]], [0, 1, 1], [1, 2]),
    ),
    "unique": (lambda: gen_array_ops.unique_v2([3, 1, 3], np.zeros(0, int)), ([3, 1], [0, 1, 0])),
}


@pytest.mark.parametrize("name", VALUES)
def test_values(name: str) -> None:
    compute, expected = VALUES[name]
    found = compute()
    parts = (found, expected) if isinstance(expected, tuple) else ([found], [expected])
    for one, other in zip(*parts, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)


def test_the_gradient_of_a_segment_gradient() -> None:
    """It is linear in the cotangent: its gradient is the sum of the segments again."""
    g = tf.constant(G)
    with tf.GradientTape() as tape:
        tape.watch(g)
        y = math_ops.sparse_segment_mean_grad(g, PLACES, SEGMENTS, 6)
        loss = tf.reduce_sum(y * tf.reshape(tf.range(12, dtype=tf.float64), [6, 2]))
    expected = [[(8 + 2) / 2, (9 + 3) / 2], [(8 + 0) / 2, (9 + 1) / 2]]
    np.testing.assert_allclose(tape.gradient(loss, g), expected)


@pytest.mark.parametrize("value", [0, 1, 0.0, 2.5, "", "a", [], [1], [[0]], False, True])
def test_truth(value: Any) -> None:
    """A scalar is true unless it is zero or empty, another tensor unless it has no elements."""
    assert bool(gen_functional_ops.to_bool(tf.constant(value))) == bool(value)


# ---- counts, bytes, weights, labels -----------------------------------------------------------

SPARSE: dict[str, Any] = {
    "indices": [[0, 0], [0, 1], [1, 0]],
    "values": [1, 1, 2],
    "dense_shape": [2, 2],
}
RAGGED: dict[str, Any] = {"splits": [0, 2, 2, 3], "values": [1, 1, 2]}
HALF = [0.5, 1.0, 2.0]
ROWS = tf.constant([[3.0, 1.0, 1.0, 2.0], [5.0, 5.0, 0.0, 5.0]])
BYTES = ["AaBb", "CcDd"]
MORE: dict[str, tuple[Callable[[], Any], Any]] = {
    "sparse": (
        lambda: gen_math_ops.sparse_bincount(**SPARSE, size=3, weights=[]),
        [[0, 2, 0], [0, 0, 1]],
    ),
    "sparse weights": (
        lambda: gen_math_ops.sparse_bincount(**SPARSE, size=3, weights=HALF),
        [[0, 1.5, 0], [0, 0, 2]],
    ),
    "sparse vector": (
        lambda: gen_math_ops.sparse_bincount([[0], [1], [4]], [1, 1, 9], [5], 4, []),
        [0, 2, 0, 0],
    ),
    "ragged": (
        lambda: gen_math_ops.ragged_bincount(**RAGGED, size=3, weights=[]),
        [[0, 2, 0], [0, 0, 0], [0, 0, 1]],
    ),
    "ragged weights": (
        lambda: gen_math_ops.ragged_bincount(**RAGGED, size=3, weights=HALF),
        [[0, 1.5, 0], [0, 0, 0], [0, 0, 2]],
    ),
    "ragged binary": (
        lambda: gen_math_ops.ragged_bincount(**RAGGED, size=2, weights=[], binary_output=True),
        [[0, 1], [0, 0], [0, 0]],
    ),
    "second": (lambda: nn_ops.nth_element(ROWS, 1), [1, 5]),
    "largest": (lambda: nn_ops.nth_element(ROWS, 0, reverse=True), [3, 5]),
    "bytes": (
        lambda: parsing_ops.decode_raw(BYTES, tf.uint8),
        [[65, 97, 66, 98], [67, 99, 68, 100]],
    ),
    "words": (lambda: parsing_ops.decode_raw(BYTES, tf.uint16), [[24897, 25154], [25411, 25668]]),
    "words the other way": (
        lambda: parsing_ops.decode_raw(BYTES, tf.uint16, little_endian=False),
        [[16737, 16994], [17251, 17508]],
    ),
    "bytes of a length": (
        lambda: parsing_ops.decode_raw(["Aa", "C", "xyzw"], tf.uint8, fixed_length=3),
        [[65, 97, 0], [67, 0, 0], [120, 121, 122]],
    ),
    "no bytes": (lambda: parsing_ops.decode_raw(["", ""], tf.uint8), [[], []]),
    "weights": (
        lambda: weights_broadcast_ops.broadcast_weights([[1.0], [2.0]], tf.ones([2, 3])),
        [[1, 1, 1], [2, 2, 2]],
    ),
    "labels": (
        lambda: ctc_ops.dense_labels_to_sparse([[1, 2, 0], [3, 4, 5]], [2, 3]).values,
        [1, 2, 3, 4, 5],
    ),
}


@pytest.mark.parametrize("name", MORE)
def test_more_values(name: str) -> None:
    compute, expected = MORE[name]
    np.testing.assert_array_equal(compute(), expected)


MISTAKES: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "beyond": (
        lambda: nn_ops.nth_element(ROWS, 4),
        tf.errors.InvalidArgumentError,
        "dimension > n = 4",
    ),
    "negative": (lambda: nn_ops.nth_element(ROWS, -1), tf.errors.InvalidArgumentError, "but is -1"),
    "odd": (
        lambda: parsing_ops.decode_raw(["AaB"], tf.uint16),
        tf.errors.InvalidArgumentError,
        "not a multiple of 2",
    ),
    "sizes": (
        lambda: parsing_ops.decode_raw(["Aa", "B"], tf.uint8),
        tf.errors.InvalidArgumentError,
        "element 1 has size 1 != 2",
    ),
    "splits": (
        lambda: gen_math_ops.ragged_bincount([0, 2, 5], [1, 1, 2], 2, []),
        tf.errors.InvalidArgumentError,
        "got 5 instead of 3",
    ),
    "numbers": (
        lambda: gen_math_ops.sparse_bincount([[0]], [-1], [5], 4, []),
        tf.errors.InvalidArgumentError,
        "must be non-negative",
    ),
    "rank": (
        lambda: weights_broadcast_ops.broadcast_weights([1.0, 2.0], tf.ones([2, 3])),
        ValueError,
        "values.rank=2",
    ),
    "size": (
        lambda: weights_broadcast_ops.assert_broadcastable(tf.ones([2, 2]), tf.ones([2, 3])),
        ValueError,
        "Mismatch at dim 1",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(name: str) -> None:
    compute, kind, message = MISTAKES[name]
    with pytest.raises(kind, match=message):
        compute()


def test_equal_elements_share_a_cotangent() -> None:
    with tf.GradientTape() as tape:
        tape.watch(ROWS)
        y = nn_ops.nth_element(ROWS, 1)
    found = tape.gradient(y, ROWS, tf.constant([1.0, 6.0]))
    np.testing.assert_allclose(found, [[0.0, 0.5, 0.5, 0.0], [2.0, 2.0, 0.0, 2.0]])


def test_losses_of_labels_in_rows() -> None:
    logits = np.random.RandomState(0).randn(5, 2, 4).astype(np.float32)
    labels = [[1, 2], [3, 0]]
    found = ctc_ops.ctc_loss_dense(labels, logits, [2, 1], [5, 4])
    np.testing.assert_allclose(found, [3.80387, 3.86266], rtol=1e-5)
    other = logits.transpose(1, 0, 2)
    found = ctc_ops.ctc_loss_dense(labels, other, [2, 1], [5, 4], logits_time_major=False)
    np.testing.assert_allclose(found, [3.80387, 3.86266], rtol=1e-5)
    found = ctc_ops.ctc_loss_dense([[1, 2], [2, 0]], logits, [2, 1], [5, 4], blank_index=3)
    np.testing.assert_allclose(found, [4.80310, 4.32178], rtol=1e-5)


CHANGES = [
    ("add", [1.0, 1.0], [2.0, 4.0]),
    ("sub", [1.0, 1.0], [0.0, 2.0]),
    ("mul", [3.0, 3.0], [3.0, 9.0]),
    ("div", [2.0, 2.0], [0.5, 1.5]),
    ("max", [2.0, 9.0], [2.0, 9.0]),
    ("min", [2.0, 0.0], [1.0, 0.0]),
    ("update", [7.0, 7.0], [7.0, 7.0]),
]


@pytest.mark.parametrize(("change", "update", "expected"), CHANGES, ids=[c for c, _, _ in CHANGES])
def test_changes_of_rows(change: str, update: Any, expected: Any) -> None:
    variable = tf.Variable([[1.0, 3.0], [4.0, 5.0]])
    getattr(resource_variable_ops, f"resource_scatter_{change}")(variable.handle, [0], [update])
    assert variable.numpy().tolist() == [expected, [4.0, 5.0]]


# ---- control flow by functions ----------------------------------------------------------------


@Defun(tf.float32)
def double(x: Any) -> Any:
    return x * 2.0


@Defun(tf.float32)
def affine(x: Any) -> Any:
    return x * 3.0 + 1.0


@Defun(tf.float32, tf.float32)
def positive(n: Any, total: Any) -> Any:
    return n > 0.0


@Defun(tf.float32, tf.float32)
def counted_down(n: Any, total: Any) -> Any:
    return n - 1.0, total + n


@Defun(tf.int32, tf.float32)
def grown(i: Any, x: Any) -> Any:
    return x + tf.cast(i, tf.float32) * x


CALLS: dict[str, tuple[Callable[[Any], Any], float, float]] = {
    "If": (lambda x: functional_ops.If(x > 0.0, [x], double, affine)[0], 6.0, 2.0),
    "If not": (lambda x: functional_ops.If(x < 0.0, [x], double, affine)[0], 10.0, 3.0),
    "If of a number": (lambda x: functional_ops.If(x, [x], double, affine)[0], 6.0, 2.0),
    "While": (lambda x: functional_ops.While([x, 0.0], positive, counted_down)[1], 6.0, 3.0),
    "For": (lambda x: functional_ops.For(0, 3, 1, [x], grown)[0], 18.0, 6.0),
    "For back": (lambda x: functional_ops.For(2, -1, -1, [x], grown)[0], 18.0, 6.0),
    "remote": (
        lambda x: functional_ops.remote_call("/CPU:0", [x], [tf.float32], double)[0],
        6.0,
        2.0,
    ),
    "case": (
        lambda x: gen_functional_ops.case(1, [x], [tf.float32], [double, affine])[0],
        10.0,
        3.0,
    ),
    "case beyond": (
        lambda x: gen_functional_ops.case(7, [x], [tf.float32], [double, affine])[0],
        10.0,
        3.0,
    ),
    "Gradient": (lambda x: functional_ops.Gradient([x * x, x], affine)[0], 9.0, 3.0),
}


@pytest.fixture(params=["eager", "graph"])
def run(request: pytest.FixtureRequest) -> Any:
    """The value and the gradient of a function of one number."""

    def now(f: Any, x: float) -> Any:
        given = tf.constant(x)
        with tf.GradientTape() as tape:
            tape.watch(given)
            y = f(given)
        return y.numpy(), tape.gradient(y, given).numpy()

    def later(f: Any, x: float) -> Any:
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            given = tf.compat.v1.placeholder_with_default(x, [])
            y = f(given)
            return session.run((y, tf.gradients(y, given)[0]))

    return now if request.param == "eager" else later


@pytest.mark.parametrize("name", CALLS)
def test_control_flow(name: str, run: Any) -> None:
    compute, value, gradient = CALLS[name]
    assert run(compute, 3.0) == (value, gradient)


def test_cotangents_that_are_missing() -> None:
    with pytest.raises(ValueError, match="a cotangent for each of its results"):
        functional_ops.Gradient([tf.constant(1.0)], affine)


def test_in_a_function() -> None:
    """A function is traced in a graph of its own."""
    inside: list[bool] = []
    tf.function(lambda: inside.append(control_flow_util_v2.in_defun()))()
    assert inside == [True]
    assert not control_flow_util_v2.in_defun()
    with tf.Graph().as_default():
        assert not control_flow_util_v2.in_defun()


def test_no_operation_is_a_part_of_a_branch() -> None:
    with tf.Graph().as_default():
        y = tf.cond(tf.constant(True), lambda: tf.constant(1.0), lambda: tf.constant(2.0))
    assert not control_flow_util.IsCondSwitch(y.op)
    assert not control_flow_util.IsLoopMerge(y.op)


def test_loops_that_are_compared() -> None:
    """The base of tests of vectorized loops sees a loop that is not alike, and one that is."""
    case = PForTestCase("run")
    x = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    case._test_loop_fn(lambda i: tf.reduce_sum(tf.gather(x, i) ** 2), 3)
    calls: list[Any] = []

    def other_when_called_again(i: Any) -> Any:
        calls.append(i)
        return tf.gather(x, i) + float(len(calls))

    with pytest.raises(AssertionError):
        case._test_loop_fn(other_when_called_again, 3)


@pytest.mark.parametrize(
    ("path", "advice"),
    [
        ("python.ops.control_flow_ops.enter", "tf.while_loop"),
        ("python.ops.gen_control_flow_ops.enter", "tf.while_loop"),
        ("python.ops.image_ops.decode_jpeg2000", "Pillow"),
        ("python.ops.io_ops.read_lmdb", "np.load"),
        ("python.framework.load_library.load_op_library", "tf.register_op"),
    ],
)
def test_what_to_use_instead(path: str, advice: str) -> None:
    space, _, name = path.rpartition(".")
    with pytest.raises(resolver.NotFoundError):
        resolver.find(space, name)
    error = resolver.missing(space, name).error(name, "here")
    assert advice in str(error)


# ---- decorators ----------------------------------------------------------------------------------


def plain(x: int, y: int = 2) -> int:
    """Of one."""
    return x + y


def test_decorators_are_unwrapped() -> None:
    """Each tells its name, what it decorates, and the parameters that it gives."""
    spec = tf_inspect.getfullargspec(lambda q, *rest, r=3: q)
    inner = tf_decorator.make_decorator(plain, lambda *args: 7, "inner", "Of seven.")
    outer = tf_decorator.make_decorator(inner, lambda *args: inner(*args), "outer", "", spec)
    found, target = tf_decorator.unwrap(outer)
    assert [d.decorator_name for d in found] == ["outer", "inner"]
    assert target is plain
    assert (outer.__name__, inner.__doc__, outer.__doc__) == ("plain", "Of seven.", "Of seven.")
    assert tf_inspect.getfullargspec(outer) == spec
    assert tf_inspect.getfullargspec(inner).args == ["x", "y"]
    assert tf_inspect.getcallargs(inner, 1) == {"x": 1, "y": 2}
    assert "def plain" in tf_inspect.getsource(outer)
    tf_decorator.rewrap(outer, plain, max)
    assert tf_decorator.unwrap(outer)[1] is max


def test_what_is_a_method_behind_a_decorator() -> None:
    class Owner:
        def method(self) -> None: ...

    bound = Owner().method
    assert tf_inspect.isanytargetmethod(tf_decorator.TFDecorator("named", bound))
    assert tf_inspect.ismethod(tf_decorator.TFDecorator("named", bound))
    assert not tf_inspect.isanytargetmethod(plain)


@pytest.mark.parametrize(
    ("given", "expected"),
    [({"a": 1}, {"a": 1}), ({("a", ("b",)): (1, [2])}, {"a": 1, "b": 2}), ({}, {})],
)
def test_dictionaries_are_flattened(given: Any, expected: Any) -> None:
    assert nest.flatten_dict_items(given) == expected


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        (3, TypeError, "must be a dictionary"),
        ({("a", "b"): (1,)}, ValueError, "Key had 2 elements, but value had 1 elements"),
        ({("a", "b"): (1, 2), "a": 3}, ValueError, "not unique: a"),
    ],
)
def test_dictionaries_that_cannot_be_flattened(given: Any, error: Any, words: str) -> None:
    with pytest.raises(error, match=words):
        nest.flatten_dict_items(given)


def test_the_graph_of_a_function() -> None:
    found = func_graph.func_graph_from_py_func(
        "named", lambda x: (x + 1, 2 * x), (tf.TensorSpec([2], tf.int32),), {}
    )
    assert (found.name, len(found.inputs), len(found.outputs)) == ("named", 1, 2)
    assert found.inputs[0].shape == [2]


# ---- the framework -------------------------------------------------------------------------------


def test_numbers_of_errors() -> None:
    assert errors.exception_type_from_error_code(3) is tf.errors.InvalidArgumentError
    assert errors.error_code_from_exception_type(tf.errors.NotFoundError) == 5


def test_conversions_by_a_library_pass_arguments_on() -> None:
    """A function that converts is given `as_ref`, and hands all that it is given to ours."""

    class Parts:
        pass

    def converted(value: Any, *args: Any, **kwargs: Any) -> Any:
        return ops.convert_to_tensor([1.0, 2.0], *args, **kwargs)

    tf.register_tensor_conversion_function(Parts, converted)
    assert (tf.constant([2.0, 3.0]) * Parts()).numpy().tolist() == [2.0, 6.0]


def test_specs_with_bounds() -> None:
    spec = type_spec.BoundedTensorSpec([2], tf.float32, 0.0, [1.0, 2.0])
    assert spec.maximum.tolist() == [1.0, 2.0]
    assert spec == type_spec.BoundedTensorSpec.from_spec(spec)
    assert spec != type_spec.BoundedTensorSpec([2], tf.float32, 0.0, 1.0)
    whole = type_spec.BoundedTensorSpec.from_spec(tf.TensorSpec([2], tf.int32, "x"))
    assert (whole.minimum, whole.name) == (tf.int32.min, "x")
    for other in (copy.deepcopy(spec), pickle.loads(pickle.dumps(spec))):
        assert other == spec
        assert hash(other) == hash(spec)
    numbers = types.SimpleNamespace(shape=(2,), dtype=np.dtype("int64"), name=None)  # of NumPy
    assert type_spec.BoundedTensorSpec.from_spec(numbers).maximum == tf.int64.max
    with pytest.raises(ValueError, match="broadcast"):
        type_spec.BoundedTensorSpec([2], tf.float32, 0.0, [1.0, 2.0, 3.0])


def test_what_operations_are_described_as() -> None:
    pytest.importorskip("google.protobuf")
    assert [a.name for a in descriptions.known_op_def("MatMul").input_arg] == ["a", "b"]
    assert descriptions.known_op_def("NoSuchOperation") is None


def test_another_input_of_an_operation() -> None:
    with tf.Graph().as_default() as graph:
        a, b = tf.constant(2.0), tf.constant(3.0, name="b")
        product = a * b
        product.op._update_input(1, a)
        assert tf.compat.v1.Session().run(product) == 4.0
        with pytest.raises(TypeError, match="not of the form"):
            product.op._update_input(0, tf.constant(1))
        with pytest.raises(ValueError, match=r"looks like an \(invalid\) Operation name"):
            graph.get_tensor_by_name("nothing")
    with pytest.raises(ValueError, match="same graph"), tf.Graph().as_default():
        product.op._update_input(0, tf.constant(1.0))


def test_a_gradient_through_an_input_that_is_younger() -> None:
    """Reverse mode goes by what needs what, not by which operation was made first."""
    with tf.Graph().as_default():
        x = tf.constant(3.0)
        y = tf.square(x) * 2.0
        y.op.inputs[0].op._update_input(0, x * 5.0)
        assert tf.compat.v1.Session().run(tf.gradients(y, x)) == [300.0]


# ---- matrices by rows ----------------------------------------------------------------------------


def test_matrices_by_rows() -> None:
    dense = np.array([[0.0, 2.0 + 1.0j], [3.0, 0.0]])
    m = sparse_csr_matrix_ops.CSRSparseMatrix(dense)
    assert (m.shape, m.dtype) == ((2, 2), tf.complex128)
    assert np.array_equal(m.to_dense(), dense)
    assert np.array_equal(m.hermitian_transpose().to_dense(), dense.conj().T)
    assert sparse_csr_matrix_ops.sparse_matrix_nnz(m.to_sparse_tensor()) == 2
    product = sparse_csr_matrix_ops.matmul(m, m, adjoint_b=True)
    assert np.array_equal(product.to_dense(), dense @ dense.conj().T)
    assert np.array_equal(sparse_csr_matrix_ops.matmul(dense, m), dense @ dense)


def test_matrices_by_rows_by_their_other_name() -> None:
    assert sparse.CSRSparseMatrix is sparse_csr_matrix_ops.CSRSparseMatrix
    assert sparse.matmul is sparse_csr_matrix_ops.matmul


def test_a_function_of_version_1_gives_what_an_operation_gives() -> None:
    """One result by itself, several as a tuple, however they were nested."""
    alone = Defun(tf.float32)(lambda x: [x * 2.0])(3.0)
    several = Defun(tf.float32)(lambda x: {"a": x, "b": [x * 2.0]})(3.0)
    assert alone.numpy() == 6.0
    assert [type(several), *[y.numpy() for y in several]] == [tuple, 3.0, 6.0]


def test_a_function_of_version_1_has_one_gradient() -> None:
    twice = Defun(tf.float32, grad_func=counted_down, python_grad_func=lambda op, dy: dy)
    with pytest.raises(ValueError, match="Gradient defined twice for function double"):
        twice(double._func)(3.0)


# ---- forward mode, states of labels, convolutions, rows, optionals ------------------------------


def test_tangents_of_an_operation() -> None:
    x, y = tf.constant([1.0, 2.0]), tf.constant([[3.0, 4.0]])
    found = forwardprop._jvp_dispatch("Exp", (), [x], [tf.exp(x)], [tf.constant([1.0, 10.0])])
    np.testing.assert_allclose(found, [[2.718282, 73.89056]], rtol=1e-6)
    one, attrs = tf.ones([1, 2]), ("transpose_a", False, "transpose_b", True)
    tangents = [one, tf.constant([[1.0, 2.0]])]
    product = forwardprop._jvp_dispatch("MatMul", attrs, [one, y], [y], tangents)
    assert np.asarray(product[0]).tolist() == [[10.0]]
    twice = forwardprop._jvp_dispatch("Mul", (), [x, x], [x], [tf.ones(2), tf.zeros(2)])
    assert np.asarray(twice[0]).tolist() == [1.0, 2.0]


def test_tangents_of_an_operation_for_many_directions() -> None:
    x = tf.constant([1.0, 2.0])
    rows = forwardprop._jvp_dispatch("Exp", (), [x], [x], [tf.eye(2)], use_batch=True)
    np.testing.assert_allclose(rows[0], np.diag(np.exp([1.0, 2.0])), rtol=1e-6)
    with pytest.raises(ValueError, match=r"expected to be of shape \(None, 2\)"):
        forwardprop._jvp_dispatch("Exp", (), [x], [x], [tf.ones(3)], use_batch=True)


def test_tangents_side_by_side() -> None:
    """Those of the inner accumulator first, of which the outer one may have tangents."""
    x, z = tf.constant([1.0, 2.0]), tf.constant(1.0)
    assert forwardprop_util.pack_tangents([z]) == ((), [])
    with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 10.0])):
        y = x * x
        alone = forwardprop_util.pack_tangents([z, y, x])
        with tf.autodiff.ForwardAccumulator(x, tf.constant([2.0, 3.0])):
            y = x * x
            packed = forwardprop_util.pack_tangents([z, y, x])
    assert alone.indices == (((1, 3), (2, 4)),)
    assert packed.indices == (((1, 3), (2, 4)), ((1, 5), (2, 6), (3, 7)))
    expected = [[4, 12], [2, 3], [2, 40], [1, 10], [4, 60]]
    assert [t.numpy().tolist() for t in packed.tangents] == expected


@pytest.mark.parametrize("in_graph", [False, True])
def test_accumulated_over_elements(in_graph: bool) -> None:
    def found(x: Any) -> list[Any]:
        scan = ctc_ops._scan
        return [
            scan(lambda a, e: a + e, x, 1.0),
            *scan(lambda a, e: (a[0] + e, a[1] * e), x, (0.0, 1.0), reverse=True),
            scan(lambda a, e: a + e[0] * e[1], (x, x + 1), 0.0, inclusive=True),
            scan(lambda a, e: a * 2 + e, x, 0.0, reverse=True, inclusive=True),
            scan(lambda a, e: a * 2 + e, x, 0.0, final_only=True),
        ]

    values = (tf.function(found) if in_graph else found)(tf.constant([1.0, 2.0, 3.0]))
    expected = [[2, 4, 7], [6, 5, 3], [6, 6, 3], [0, 2, 8, 20], [17, 8, 3, 0], 11]
    assert [v.numpy().tolist() for v in values] == expected


def test_states_of_labels() -> None:
    states = tf.math.log(
        [[[0.1, 0.2, 0.3, 0.05, 0.15, 0.1, 0.1]], [[0.2, 0.2, 0.1, 0.15, 0.05, 0.2, 0.1]]]
    )
    labels = tf.constant([[1, 2, 1]])
    expected = [[[0.35, 0.25, 0.3, 0.0]], [[0.35, 0.35, 0.1, 0.0]]]
    unique = tf.nn.ctc_unique_labels(labels)
    of_labels = ctc_ops._state_to_olabel(labels, 4, states)
    np.testing.assert_allclose(tf.exp(of_labels), expected, rtol=1e-6)
    again = ctc_ops._state_to_olabel_unique(labels, 4, states, unique)
    np.testing.assert_allclose(tf.exp(again), expected, rtol=1e-6)
    summed = tf.exp(ctc_ops._sum_states([[0, 1, 0]], states[:, :, 1:4]))
    np.testing.assert_allclose(summed, [[[0.25, 0.3, 0]], [[0.35, 0.1, 0]]], rtol=1e-6)


def test_padding_as_operations_take_it() -> None:
    assert nn_ops.convert_padding("SAME") == ("SAME", [])
    widths = [[0, 0], [1, 2], [3, 4], [0, 0]]
    assert nn_ops.convert_padding(widths) == ("EXPLICIT", [0, 0, 1, 2, 3, 4, 0, 0])
    for wrong, words in [
        ("EXPLICIT", "'EXPLICIT' is not a valid value for `padding`"),
        ([1, 2], "element at index 0 of type <class 'int'>"),
        ([[1, 2, 3]], "element at index 0 of size 3"),
        ([[1, 2]], "it must be of size 4"),
    ]:
        with pytest.raises(ValueError, match=words):
            nn_ops.convert_padding(wrong)


def test_a_convolution_before_there_are_values() -> None:
    made = nn_ops.Convolution(
        tf.TensorShape([1, 4, 4, 1]), tf.TensorShape([2, 2, 1, 1]), "VALID", strides=[2, 2]
    )
    assert (made.num_spatial_dims, made.strides.tolist(), made.dilation_rate.tolist()) == (
        2, [2, 2], [1, 1],
    )  # fmt: skip
    image = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
    assert made(image, tf.ones([2, 2, 1, 1])).numpy().ravel().tolist() == [10, 18, 42, 50]
    apart = nn_ops.Convolution([1, 5, 5, 1], [2, 2, 1, 1], "SAME", dilation_rate=[2, 2])
    found = apart(tf.reshape(tf.range(25.0), [1, 5, 5, 1]), tf.ones([2, 2, 1, 1]))
    assert found.numpy().ravel().tolist()[:6] == [6, 12, 14, 16, 8, 12]
    with pytest.raises(ValueError, match="with 3 channels and filters"):
        nn_ops.Convolution([1, 4, 4, 3], [2, 2, 2, 1], "VALID")
    with pytest.raises(ValueError, match=r"`input.shape.rank` must be >= than"):
        nn_ops.Convolution([1, 4, 3], [2, 2, 3, 1], "VALID")


@pytest.mark.parametrize(
    ("x", "y", "expected"),
    [
        ([2, 1, 3], [5, 1], ([1], [0, 2])),
        ([None, 1, 3], [2, 1, 3], (None, None)),
        (None, [2, 1, 3], (None, None)),
        ([None, 1, 3], [1, 1], ([], [0, 2])),
        ([2, 3], [2, 3], ([], [])),
        ([None, 3], [None, 3], (None, None)),
    ],
)
def test_axes_that_gradients_are_summed_along(x: Any, y: Any, expected: Any) -> None:
    found = gradient_parts.summed_axes(tf.TensorShape(x), tf.TensorShape(y))
    assert found == expected


def test_leading_axes() -> None:
    found = gradient_parts.add_leading_unit_dimensions(tf.constant([[1, 2]]), 2)
    assert found.numpy().tolist() == [[[[1, 2]]]]


def test_rows_through_a_function() -> None:
    lookup = lookups.transformed_rows
    parts = [tf.constant([[1.0, 2], [5, 6]]), tf.constant([[3.0, 4], [7, 8]])]
    rows = lookup(parts, [[3, 0], [1, 2]], max_norm=2.0, transform_fn=lambda r: r * 10)
    expected = [[[13.17009, 15.051535], [8.944272, 17.888544]], [[12, 16], [12.803688, 15.364425]]]
    np.testing.assert_allclose(rows, expected, rtol=1e-6)
    sums = lookup(
        parts, [3, 0, 2], "div", transform_fn=lambda r: tf.reduce_sum(r, 1, keepdims=True)
    )
    assert sums.numpy().tolist() == [[15], [3], [7]]
    flat = lookup(parts[0], [[1], [0]], transform_fn=lambda r: tf.reduce_sum(r, 1))
    assert flat.numpy().tolist() == [[11], [3]]


def test_where_of_numpy() -> None:
    where = numpy_compat.np_where
    assert [x.tolist() for x in (*where(np.array(3)), *where([0, 1]))] == [[0], [1]]
    assert where([True, False], [1, 2], [3, 4]).tolist() == [1, 4]
    assert where([0, 1], None, [1, 2]).tolist() == [1, None]


def test_channels_in_vectors_of_four() -> None:
    x = tf.reshape(tf.range(32.0), [1, 2, 2, 8])
    there = test_util.NHWCToNCHW_VECT_C(x)
    assert there.shape == [1, 2, 2, 2, 4]
    assert there.numpy().ravel().tolist()[:8] == [0, 1, 2, 3, 8, 9, 10, 11]
    np.testing.assert_array_equal(test_util.NCHW_VECT_CToNHWC(there), x)
    assert test_util.NHWCToNCHW_VECT_C([1, 2, 3, 8]) == [1, 2, 2, 3, 4]
    assert test_util.NCHW_VECT_CToNHWC([1, 2, 3, 5, 4]) == [1, 3, 5, 8]
    with pytest.raises(ValueError, match="evenly divisible by 4"):
        test_util.NHWCToNCHW_VECT_C([1, 2, 3, 5])
    with pytest.raises(ValueError, match="must be 4"):
        test_util.NCHW_VECT_CToNHWC([1, 2, 3, 5, 3])


@pytest.mark.parametrize("in_graph", [False, True])
def test_optionals_as_variants(in_graph: bool) -> None:
    o = optionals

    def found(x: Any) -> list[Any]:
        two, one = o.optional_from_value([x, [2, 3]]), o.optional_from_value([x])
        there = [o.optional_has_value(v) for v in (two, o.optional_none())]
        parts = o.optional_get_value(two, [tf.float32, tf.int32], [[], [2]])
        return [*there, *parts, *o.optional_get_value(one, [tf.float32], [[]])]

    values = (tf.function(found) if in_graph else found)(tf.constant(1.0))
    assert [v.numpy().tolist() for v in values] == [True, False, 1.0, [2, 3], 1.0]
    with pytest.raises(errors.InvalidArgumentError, match="does not have a value"):
        o.optional_get_value(o.optional_none(), [tf.float32], [[]])


def test_what_graphs_have_by_these_names() -> None:
    v1, made = tf.compat.v1, functools.partial(getattr, test_ops)
    with tf.Graph().as_default() as graph, v1.Session() as session:
        a, b = v1.get_variable("a", initializer=[1.0, 2.0]), v1.Variable([3.0, 4.0])
        at = v1.placeholder(tf.int32, [])
        chosen = [control_flow_ops.ref_select(i, [a, b]) for i in (1, at)]
        sparse = control_flow_ops._Identity(tf.SparseTensor([[1]], [2.0], [3]))
        session.run(v1.global_variables_initializer())
        first, second = session.run(chosen, {at: 0})
        assert (first.tolist(), second.tolist()) == ([3, 4], [1, 2])
        assert session.run(sparse).values.tolist() == [2]
        session.run(v1.assign(chosen[0], [7.0, 8.0]))
        assert session.run(b).tolist() == [7, 8]
        assert custom_gradient.get_variable_by_name("a") is a
        with pytest.raises(ValueError, match="Unsuccessful at finding variable q"):
            custom_gradient.get_variable_by_name("q")
        grads = gradient_parts.gradients_of(a * a, [a, b])
        assert (session.run(grads[0]).tolist(), grads[1]) == ([2, 4], None)
        branches = cond_v2.fast_cond_v2(at > 0, lambda: a * 2, lambda: a * 3)
        assert session.run(branches, {at: 1}).tolist() == [2, 4]
        two = made("namespace_test_string_output")(1.0)
        assert two.output1.op.type == "Namespace>TestStringOutput"
        handle = made("stub_resource_handle_op")()
        assert made("make_weak_resource_handle")(handle).dtype == tf.resource
        meta = meta_graphs.create_meta_graph_def()
        assert sorted(meta.collection_def) == ["trainable_variables", "variables"]
        assert not meta_graphs.create_meta_graph_def(graph=graph, collection_list=[]).collection_def
        with pytest.raises(TypeError, match="graph must be of type Graph"):
            meta_graphs.create_meta_graph_def(graph=3)


def test_stacks_and_levels_by_these_names() -> None:
    def named(name: str) -> Any:
        return resolver.find("python.ops.data_flow_ops", name)

    stack = named("stack_v2")(-1, tf.float32)
    for value in (1.0, 2.0):
        named("stack_push_v2")(stack, value)
    assert named("stack_pop_v2")(stack, tf.float32).numpy() == 2.0
    levels = array_ops.quantize([-0.4, 0.8], -1.0, 2.0, tf.quint8)[0]
    assert tf.cast(levels, tf.uint8).numpy().tolist() == [51, 153]


def test_no_tape_waits_for_a_gradient() -> None:
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.py_function(lambda v: v * v, [x], tf.float32)
    assert not gradient_parts.TAPES
    assert tape.gradient(y, x).numpy() == 6.0


def test_what_is_known_behind_a_handle() -> None:
    pytest.importorskip("google.protobuf")
    known = handle_data.get_handle_data(tf.Variable([[1.0, 2.0]]).handle)
    (one,) = known.shape_and_type
    assert (known.is_set, [d.size for d in one.shape.dim], one.dtype) == (True, [1, 2], 1)
    empty = handle_data.CppShapeInferenceResult.HandleData()
    assert (empty.is_set, len(empty.shape_and_type)) == (False, 0)
    with pytest.raises(TypeError, match="The handle of a variable is wanted"):
        handle_data.get_handle_data(tf.constant(1.0))  # type: ignore[arg-type]


def test_the_graph_of_models() -> None:
    """The default graph; in eager mode always the same one. Explainers of models look into it."""
    own = backend.get_graph()
    assert own is backend.get_graph()
    assert isinstance(own, func_graph.FuncGraph)
    with tf.Graph().as_default() as graph:
        assert backend.get_graph() is graph


def test_an_operation_is_not_recorded_afterwards() -> None:
    """Programs put the function back where they replaced it; a call would lose a gradient in silence."""
    with pytest.raises(NotImplementedError, match="Relu cannot be recorded afterwards"):
        backprop._record_gradient("Relu", [], (), [])


def test_metrics_of_other_makers() -> None:
    """What libraries of metrics take from TensorFlow's own."""

    def named(name: str) -> Any:
        return resolver.find("python.ops.metrics_impl", name)

    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        total = named("metric_variable")([2], tf.float64, validate_shape=False, name="total")
        column, flat = tf.constant([[1.0], [2.0]]), tf.constant([3.0, 4.0])
        found = named("_remove_squeezable_dimensions")(column, flat, None)
        session.run(tf.compat.v1.local_variables_initializer())
        assert session.run(total).tolist() == [0.0, 0.0]
        assert [session.run(x).tolist() for x in found[:2]] == [[1.0, 2.0], [3.0, 4.0]]
        assert found[2] is None


def test_variables_of_version_1_under_their_former_names() -> None:
    """tf_slim makes its variables by them, which TensorFlow itself no longer has there."""
    for module, name in (("variable_scope", "variable"), ("variables", "VariableV1")):
        assert resolver.find(f"python.ops.{module}", name) is tf.compat.v1.Variable
