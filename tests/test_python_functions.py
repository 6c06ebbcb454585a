"""tf.numpy_function and tf.py_function: what they give, take and raise, in every mode."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import wengert as tf

v1 = tf.compat.v1

Build = Callable[[], Any]


def in_session(build: Build) -> Any:
    with tf.Graph().as_default(), v1.Session() as session:
        return session.run(build())


def plain(found: Any) -> Any:
    """What was computed as Python values."""
    if isinstance(found, list):
        return [plain(v) for v in found]
    return found.to_list() if hasattr(found, "to_list") else np.asarray(found).tolist()


MODES: dict[str, Callable[[Build], Any]] = {
    "eager": lambda build: build(),
    "function": lambda build: tf.function(build)(),
    "compiled": lambda build: tf.function(build, jit_compile=True)(),
    "session": in_session,
}
GRAPHS = [mode for mode in MODES if mode != "eager"]
every_mode = pytest.mark.parametrize("mode", MODES)
in_graphs = pytest.mark.parametrize("mode", GRAPHS)


class OwnError(Exception):
    """A user's."""


def raising(error: Exception) -> Callable[..., Any]:
    def function(*_: Any) -> Any:
        raise error

    return function


# ---- numpy_function -----------------------------------------------------------------------------


def set_first(a: Any) -> Any:
    a[0] = 0.0
    return a


def doubled(a: Any) -> Any:
    a *= 2
    return a


def in_order(a: Any) -> Any:
    a.sort()
    return a


WRITERS = [(set_first, [0.0, 1.0, 2.0]), (doubled, [6.0, 2.0, 4.0]), (in_order, [1.0, 2.0, 3.0])]
by_numpy = pytest.mark.parametrize("call", [tf.numpy_function, v1.py_func])


@every_mode
@by_numpy
@pytest.mark.parametrize(("writer", "expected"), WRITERS)
def test_a_function_may_write_to_its_arrays(
    mode: str, call: Any, writer: Any, expected: list[float]
) -> None:
    """And the tensors that it was given stay as they are."""

    def build() -> Any:
        x = tf.constant([3.0, 1.0, 2.0]) + 0.0
        written = call(writer, [x], tf.float32)
        return [written, x + 0.0 * tf.reduce_sum(written)]

    assert plain(MODES[mode](build)) == [expected, [3.0, 1.0, 2.0]]


@by_numpy
def test_a_function_may_write_to_the_elements_of_a_dataset(call: Any) -> None:
    data = tf.data.Dataset.from_tensor_slices([[3.0, 1.0]]).cache()
    written = data.map(lambda x: call(set_first, [x], tf.float32))
    assert [v.numpy().tolist() for v in written] == [[0.0, 1.0]]
    assert [v.numpy().tolist() for v in data] == [[3.0, 1.0]]


def test_a_variable_stays_as_it_is() -> None:
    v = tf.Variable([3.0, 1.0])
    assert tf.numpy_function(set_first, [v], tf.float32).numpy().tolist() == [0.0, 1.0]
    assert v.numpy().tolist() == [3.0, 1.0]


@in_graphs
def test_single_values_come_as_such_in_graphs(mode: str) -> None:
    """A number of NumPy's, and the bytes of a string."""
    seen: list[Any] = []

    def note(*values: Any) -> Any:
        seen.extend(values)
        return np.float32(0.0)

    MODES[mode](lambda: tf.numpy_function(note, [tf.constant(2.0), True], tf.float32))
    assert [type(v) for v in seen] == [np.float32, np.bool_]
    MODES["function"](lambda: tf.numpy_function(note, [tf.constant("a")], tf.float32))
    assert seen[2] == b"a"


def test_eagerly_inputs_are_arrays() -> None:
    """NumPy's of what was given: a Python number is a float64."""
    seen: list[Any] = []

    def note(*values: Any) -> Any:
        seen.extend(values)
        return 0.0

    tf.numpy_function(note, [2.0, [1, 2], tf.constant(1.0), tf.constant("a")], tf.float32)
    assert [(type(v), v.dtype.name) for v in seen] == [
        (np.ndarray, name) for name in ("float64", "int64", "float32", "object")
    ]


RETURNED: list[tuple[Any, Any]] = [
    (1.5, ("float32", 1.5)),
    (3, ("int32", 3)),
    (np.array([1.5]), ("float64", [1.5])),
    ("a", ("string", b"a")),
    (tf.constant([5.0]), ("float32", [5.0])),
    ([1.5], ("float32", 1.5)),
    ((1.5, 2), [("float32", 1.5), ("int32", 2)]),
    ({"a": 1.5}, ("float32", 1.5)),
    ((), []),
    (None, None),
]


@by_numpy
@pytest.mark.parametrize("wanted", [tf.float32, [tf.float32], [tf.int64, tf.int64]])
@pytest.mark.parametrize(("returned", "expected"), RETURNED)
def test_eagerly_results_are_what_they_are(
    call: Any, wanted: Any, returned: Any, expected: Any
) -> None:
    """Whatever Tout says: a tensor, or a list of several."""

    def told(found: Any) -> Any:
        if found is None or isinstance(found, list):
            return found and [told(v) for v in found]
        return found.dtype.name, plain(found)

    found = call(lambda a: returned, [tf.constant(1.0)], wanted)
    assert told(found) == expected


def test_eagerly_operations_inside_are_seen_by_a_tape() -> None:
    """As the function is called like any other."""
    v = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = tf.numpy_function(lambda a: a * v, [tf.constant(2.0)], tf.float32)
    assert tape.gradient(y, v).numpy() == 2.0


ERRORS = [
    KeyError("k"),
    IndexError("i"),
    ZeroDivisionError("z"),
    RuntimeError("r"),
    AssertionError("a"),
    TypeError("t"),
    ValueError("v"),
    StopIteration("s"),
    OwnError("o"),
    tf.errors.OutOfRangeError(None, None, "r"),
]


@by_numpy
@pytest.mark.parametrize("error", ERRORS, ids=lambda e: type(e).__name__)
def test_eagerly_errors_come_as_they_are(call: Any, error: Exception) -> None:
    with pytest.raises(type(error)) as found:
        call(raising(error), [tf.constant(1.0)], tf.float32)
    assert found.value is error


NAMES = {
    "TypeError": tf.errors.InvalidArgumentError,
    "ValueError": tf.errors.InvalidArgumentError,
    "StopIteration": tf.errors.OutOfRangeError,
}
OF_OPERATIONS = [(tf.numpy_function, mode) for mode in GRAPHS] + [
    (tf.py_function, mode) for mode in MODES
]


@pytest.mark.parametrize(("call", "mode"), OF_OPERATIONS)
@pytest.mark.parametrize("error", ERRORS, ids=lambda e: type(e).__name__)
def test_errors_of_an_operation_say_what_they_were(call: Any, mode: str, error: Exception) -> None:
    """Those of operations that failed inside are no exception: no loop takes them for its end."""
    name = type(error).__name__
    with pytest.raises(tf.errors.OpError, match=name) as found:
        MODES[mode](lambda: call(raising(error), [tf.constant(1.0)], tf.float32))
    assert type(found.value) is NAMES.get(name, tf.errors.UnknownError)


@in_graphs
@pytest.mark.parametrize(
    ("returned", "said"),
    [
        ([1.5, 2.5], "returns 2 values, but expects to see 1 values"),
        ([], "returns 0 values, but expects to see 1 values"),
        (1.5, "0-th value returned by <lambda> is double, but expects float"),
    ],
)
def test_in_graphs_results_must_be_as_wanted(mode: str, returned: Any, said: str) -> None:
    """A list is several results."""
    with pytest.raises(tf.errors.InvalidArgumentError, match=said):
        MODES[mode](lambda: tf.numpy_function(lambda: returned, [], tf.float32))


# ---- py_function --------------------------------------------------------------------------------

ROWS = tf.RaggedTensorSpec([None, None], tf.float32)
CELLS = tf.SparseTensorSpec([2, 2], tf.float32)
PAIR = tf.TensorSpec([2], tf.float32)


def ragged() -> Any:
    return tf.ragged.constant([[1.0, 2.0], [3.0]])


def sparse() -> Any:
    return tf.sparse.from_dense([[1.0, 0.0], [0.0, 2.0]])


def dense(cells: Any) -> Any:
    return tf.sparse.to_dense(cells)


VALUES: dict[str, tuple[Build, Any]] = {
    "a spec": (lambda: tf.py_function(lambda a: a * 2.0, [[1.0, 2.0]], PAIR), [2.0, 4.0]),
    "a list of one": (lambda: tf.py_function(lambda a: a, [[1.0, 2.0]], [PAIR]), [[1.0, 2.0]]),
    "no shape is checked": (
        lambda: tf.py_function(lambda: [[1.0]], [], tf.TensorSpec([3], tf.float32)),
        [1.0],
    ),
    "rows": (lambda: tf.py_function(ragged, [], ROWS), [[1.0, 2.0], [3.0]]),
    "rows and a tensor": (
        lambda: tf.py_function(lambda: (ragged(), 5), [], (ROWS, tf.float32)),
        [[[1.0, 2.0], [3.0]], 5.0],
    ),
    "cells": (lambda: dense(tf.py_function(sparse, [], CELLS)), [[1.0, 0.0], [0.0, 2.0]]),
    "of rows": (lambda: tf.py_function(tf.reduce_sum, [ragged()], tf.float32), 6.0),
    "of rows and a tensor": (
        lambda: tf.py_function(lambda r, x: tf.reduce_sum(r) + x, [ragged(), 1.0], tf.float32),
        7.0,
    ),
    "rows of rows": (
        lambda: tf.py_function(lambda r: r * 2.0, [ragged()], ROWS),
        [[2.0, 4.0], [6.0]],
    ),
    "of cells": (lambda: tf.py_function(tf.sparse.reduce_sum, [sparse()], tf.float32), 3.0),
    "of slices": (
        lambda: tf.py_function(
            lambda s: s.values, [tf.IndexedSlices(tf.constant([5.0]), tf.constant([1]))], PAIR
        ),
        [5.0],
    ),
    "decorated": (lambda: tf.py_function(Tout=ROWS)(lambda r: r)(ragged()), [[1.0, 2.0], [3.0]]),
    "more than wanted": (
        lambda: tf.py_function(lambda: (1.0, 2.0, 3.0), [], [tf.float32] * 2),
        [1.0, 2.0],
    ),
    "the first of several": (lambda: tf.py_function(lambda: [1.5, 2.5], [], tf.float32), 1.5),
    "converted": (lambda: tf.py_function(lambda: np.array([1.0, 2.0]), [], PAIR), [1.0, 2.0]),
}


@every_mode
@pytest.mark.parametrize("name", VALUES)
def test_values(mode: str, name: str) -> None:
    """Specs say of what composite values are made; what is composite comes as it is."""
    build, expected = VALUES[name]
    assert plain(MODES[mode](build)) == expected


def test_datasets_know_the_rows() -> None:
    data = tf.data.Dataset.from_tensors(ragged())
    made = data.map(lambda r: tf.py_function(lambda a: a + 1.0, [r], ROWS))
    assert made.element_spec == ROWS
    assert [r.to_list() for r in made] == [[[2.0, 3.0], [4.0]]]


REFUSED: dict[str, tuple[Build, str]] = {
    "fewer": (
        lambda: tf.py_function(lambda: (1.0,), [], [tf.float32] * 2),
        "returns 1 values, but expects to see 2 values",
    ),
    "fewer, of composite ones": (
        lambda: tf.py_function(lambda: [ragged()], [], [ROWS, tf.float32]),
        "returns 2 values, but expects to see 3 values",
    ),
    "none": (lambda: tf.py_function(lambda: None, [], tf.float32), "returns 0 values"),
    "a string": (lambda: tf.py_function(lambda: "a", [], tf.float32), "TypeError: Cannot convert"),
    "a float": (lambda: tf.py_function(lambda: 1.5, [], tf.int32), "TypeError: Cannot convert"),
    "an object": (lambda: tf.py_function(object, [], tf.float32), "ValueError: Attempt to convert"),
    "another dtype": (
        lambda: tf.py_function(lambda: tf.constant(1.0), [], tf.float64),
        "ValueError: Tensor conversion requested dtype float64",
    ),
    "rows for a tensor": (lambda: tf.py_function(ragged, [], tf.float32), "Attempt to convert"),
    "a tensor for rows": (
        lambda: tf.py_function(lambda: 1.0, [], ROWS),
        "ValueError: <lambda> returned 1.0, which does not match RaggedTensorSpec",
    ),
    "rows of another dtype": (
        lambda: tf.py_function(ragged, [], tf.RaggedTensorSpec([None, None], tf.int32)),
        "does not match RaggedTensorSpec",
    ),
}


@every_mode
@pytest.mark.parametrize("name", REFUSED)
def test_results_must_be_as_wanted(mode: str, name: str) -> None:
    """Also what cannot be converted is an error of the operation."""
    build, said = REFUSED[name]
    with pytest.raises(tf.errors.InvalidArgumentError, match=said):
        MODES[mode](build)


@pytest.mark.parametrize("wanted", [{"a": PAIR}, (PAIR, (PAIR, PAIR))])
def test_what_is_wanted_is_a_list_at_most(wanted: Any) -> None:
    with pytest.raises(TypeError, match="Cannot convert the argument `type_value`"):
        tf.py_function(lambda: 1.0, [], wanted)


# ---- gradients of py_function ---------------------------------------------------------------------


def gradients_of(function: Callable[..., Any], read: Any = None) -> Any:
    """Of the sum of what it gives for two inputs: by these, and by what it reads besides."""
    x, other = tf.constant([1.0, 2.0]), tf.constant([5.0, 6.0])
    sources = [x, other] if read is None else [x, other, read]
    with tf.GradientTape() as tape:
        tape.watch([x, other])
        y = tf.py_function(function, [x, other], tf.float32)
        total = tf.reduce_sum(y)
    return ["None" if g is None else tf.convert_to_tensor(g) for g in tape.gradient(total, sources)]


TAPES: dict[str, Callable[[Build], Any]] = {
    mode: run for mode, run in MODES.items() if mode != "session"
}
in_tapes = pytest.mark.parametrize("mode", TAPES)


def slope_of_cube(a: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(a)
        y = a**3
    return tape.gradient(y, a)


WAYS: dict[str, tuple[Callable[..., Any], list[list[float]]]] = {
    "both": (lambda a, b: a * b, [[5.0, 6.0], [1.0, 2.0]]),
    "an unused input": (lambda a, b: a * 2.0, [[2.0, 2.0], [0.0, 0.0]]),
    "no way": (lambda a, b: a.numpy() * 2.0, [[0.0, 0.0], [0.0, 0.0]]),
    "a constant": (lambda a, b: 5.0, [[0.0, 0.0], [0.0, 0.0]]),
    "the input": (lambda a, b: a, [[1.0, 1.0], [0.0, 0.0]]),
    "some rows": (lambda a, b: tf.gather(a, [0, 0]), [[2.0, 0.0], [0.0, 0.0]]),
    "a tape inside": (lambda a, b: slope_of_cube(a), [[6.0, 12.0], [0.0, 0.0]]),
}


@in_tapes
@pytest.mark.parametrize("name", WAYS)
def test_each_input_has_a_gradient(mode: str, name: str) -> None:
    """Of zeros where the results do not depend on it."""
    function, expected = WAYS[name]
    assert plain(TAPES[mode](lambda: gradients_of(function))) == expected


@pytest.mark.parametrize("name", WAYS)
def test_each_input_has_a_gradient_in_a_session(name: str) -> None:
    function, expected = WAYS[name]

    def build() -> Any:
        x, other = tf.constant([1.0, 2.0]), tf.constant([5.0, 6.0])
        y = tf.py_function(function, [x, other], tf.float32)
        return tf.gradients(y, [x, other])

    assert plain(in_session(build)) == expected


@tf.custom_gradient
def scaled(a: Any) -> Any:
    v = STATE[0]
    return a * v, lambda dy, variables: (dy * 7.0, [tf.ones([])])


STATE = [tf.Variable(3.0)]

READERS: dict[str, tuple[Callable[..., Any], list[float]]] = {
    "an operation": (lambda a, b: a * STATE[0], [3.0, 3.0]),
    "a function": (lambda a, b: tf.function(lambda c: c * STATE[0])(a), [3.0, 3.0]),
    "a custom gradient": (lambda a, b: scaled(a), [7.0, 7.0]),
    "alone": (lambda a, b: STATE[0] * 2.0, [0.0, 0.0]),
    "itself": (lambda a, b: STATE[0], [0.0, 0.0]),
}


@in_tapes
@pytest.mark.parametrize("name", READERS)
def test_no_gradient_reaches_a_variable_that_is_read(mode: str, name: str) -> None:
    """The function may be called long after; only its inputs are known."""
    function, expected = READERS[name]
    found: list[Any] = []

    def build() -> Any:
        x, other, *of_read = gradients_of(function, STATE[0])
        found[:] = of_read
        return [x, other]

    assert plain(TAPES[mode](build)) == [expected, [0.0, 0.0]]
    assert found == ["None"]


def test_no_gradient_reaches_a_tensor_that_is_read() -> None:
    """Nor the input's own tensor, where the function reads it by another way."""
    x, y = tf.constant(2.0), tf.constant(5.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, y])
        z = tf.py_function(lambda a: a * x * y, [x], tf.float32)
        only_read = tf.py_function(lambda a: y, [x], tf.float32)
    assert tape.gradient(z, x).numpy() == 10.0
    assert tape.gradient(z, y) is None
    assert tape.gradient(only_read, y) is None


def test_a_variable_that_is_given_has_its_gradient() -> None:
    v = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = tf.py_function(lambda a, w: a * w, [tf.constant(2.0), v], tf.float32)
    assert tape.watched_variables() == (v,)
    assert tape.gradient(y, v).numpy() == 2.0


def test_eagerly_the_function_is_called_once() -> None:
    """The gradient is that of the call that there was, whatever it drew."""
    calls: list[float] = []

    def drawn(a: Any) -> Any:
        calls.append(float(len(calls) + 1))
        return a * calls[-1]

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.py_function(drawn, [x], tf.float32)
    assert (y.numpy(), tape.gradient(y, x).numpy(), calls) == (2.0, 1.0, [1.0])


def test_integers_have_none() -> None:
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.py_function(lambda a: tf.cast(a, tf.int32), [x], tf.int32)
        z = tf.cast(y, tf.float32)
    assert tape.gradient(z, x) is None


@in_tapes
def test_gradients_of_composite_values(mode: str) -> None:
    """They reach what an input is made of, and come from what a result is made of."""

    def build() -> Any:
        x = tf.constant([1.0, 2.0, 3.0])
        with tf.GradientTape() as tape:
            tape.watch(x)
            rows = tf.RaggedTensor.from_row_splits(x, [0, 2, 3])
            squares = tf.py_function(lambda r: r * r, [rows], ROWS)
            y = tf.reduce_sum(squares.flat_values)
        return tape.gradient(y, x)

    assert plain(TAPES[mode](build)) == [2.0, 4.0, 6.0]


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda a: a * a, [2.0, 0.0]),
        (lambda a: a.numpy() * 2.0, [0.0, 0.0]),
        (lambda a: tf.function(lambda c: c * STATE[0])(a), [3.0, 0.0]),
    ],
)
def test_tangents(function: Any, expected: list[float]) -> None:
    """Those of the input come through, and those of a variable that is read do not."""
    x = tf.constant([1.0, 2.0])
    with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 0.0])) as of_input:
        y = tf.py_function(function, [x], tf.float32)
    with tf.autodiff.ForwardAccumulator(STATE[0], tf.constant(1.0)) as of_read:
        z = tf.py_function(function, [x], tf.float32)
    assert of_input.jvp(y).numpy().tolist() == expected
    assert of_read.jvp(z) is None


def test_rules_for_a_scope_inside() -> None:
    """Eagerly, operations within a name scope of the function belong to it."""

    def function(a: Any) -> Any:
        with tf.name_scope("inner"):
            return a * a

    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.py_function(function, [x], tf.float32)
    rules = {"inner": lambda region, grad: [grad * 100.0 for _ in region.inputs]}
    assert tape.gradient(y, x, overrides=rules).numpy() == 100.0


@pytest.mark.parametrize("run", [lambda build: build(), lambda build: tf.function(build)()])
def test_of_single_examples(run: Any) -> None:
    """Within a vectorized function, too, where it reads what all examples share."""
    shared, v = tf.constant([5.0, 6.0]), tf.Variable(3.0)

    def slope(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.py_function(lambda a: a * a * shared[0] * v, [x], tf.float32)
        return tape.gradient(y, x)

    def written(x: Any) -> Any:
        return tf.numpy_function(lambda a: a * 2, [x], tf.float32)

    xs = tf.constant([1.0, 2.0])
    assert plain(run(lambda: tf.vectorized_map(slope, xs))) == [30.0, 60.0]
    assert plain(run(lambda: tf.vectorized_map(written, xs))) == [2.0, 4.0]


def test_a_call_on_tensors_alone_is_short() -> None:
    """Specs are for values made of tensors: to make them would take longer than all the rest."""
    x, calls = tf.constant([1.0, 2.0]), 0

    def count(_frame: object, event: str, _of: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    tf.py_function(lambda v: v, [x], tf.float32)
    sys.setprofile(count)
    try:
        tf.py_function(lambda v: v, [x], tf.float32)
    finally:
        sys.setprofile(None)
    assert calls < 60
