"""Lists of tensors by TensorFlow's internal functions; what they give is recorded from TensorFlow 2.21."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import wengert as tf
from wengert.compat.internals.ops import list_ops as lists

X = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
EMPTY = lists.empty_tensor_list([], tf.float32)
TWO = lists.tensor_list_push_back(lists.tensor_list_push_back(EMPTY, 1.0), 2.0)
UNKNOWN = lists.tensor_list_reserve(None, 3, tf.float32)
PART = lists.tensor_list_set_item(UNKNOWN, 1, [1.0, 2.0])
FULL = lists.tensor_list_push_back(lists.empty_tensor_list([], tf.float32, 1), 1.0)
SPLIT = lists.tensor_list_split(X, [None, 2], [1, 2])


def get(values: Any, index: Any, dtype: Any = tf.float32, **kwargs: Any) -> Any:
    return lists.tensor_list_get_item(values, index, dtype, **kwargs)


def stack(values: Any, dtype: Any = tf.float32, **kwargs: Any) -> Any:
    return lists.tensor_list_stack(values, dtype, **kwargs)


def gather(values: Any, indices: Any, **kwargs: Any) -> Any:
    return lists.tensor_list_gather(values, indices, tf.float32, **kwargs)


VALUES: dict[str, tuple[Callable[[], Any], Any]] = {
    "pop": (lambda: lists.tensor_list_pop_back(TWO, tf.float32)[1], 2.0),
    "length": (lambda: lists.tensor_list_length(TWO), 2),
    "stack": (lambda: stack(TWO, num_elements=2), [1.0, 2.0]),
    "stack empty": (lambda: stack(EMPTY), []),
    "stack zeros": (lambda: stack(UNKNOWN, element_shape=[2]), [[0.0, 0.0]] * 3),
    "stack part": (lambda: stack(PART), [[0.0, 0.0], [1.0, 2.0], [0.0, 0.0]]),
    "gather": (lambda: gather(TWO, [1, 0, 1]), [2.0, 1.0, 2.0]),
    "gather zeros": (lambda: gather(PART, [0], element_shape=[2]), [[0.0, 0.0]]),
    "get zeros": (lambda: get(UNKNOWN, 0, element_shape=[2]), [0.0, 0.0]),
    "grow": (
        lambda: lists.tensor_list_length(lists.tensor_list_set_item(TWO, 3, 3.0, True)),
        4,
    ),
    "shape": (lambda: lists.tensor_list_element_shape(TWO, tf.int32), []),
    "shape unknown": (lambda: lists.tensor_list_element_shape(UNKNOWN, tf.int32), -1),
    "shape part": (
        lambda: lists.tensor_list_element_shape(
            lists.tensor_list_reserve([None, 2], 3, tf.float32), tf.int64
        ),
        [-1, 2],
    ),
    "scatter": (
        lambda: stack(lists.tensor_list_scatter(X[:2], [2, 0], [2])),
        [[3.0, 4.0], [0.0, 0.0], [1.0, 2.0]],
    ),
    "scatter into": (
        lambda: stack(lists.tensor_list_scatter([[9.0, 9.0]], [0], input_handle=PART)),
        [[9.0, 9.0], [1.0, 2.0], [0.0, 0.0]],
    ),
    "scatter beyond": (
        lambda: lists.tensor_list_length(
            lists.tensor_list_scatter([[9.0, 9.0]], [7], input_handle=PART)
        ),
        8,
    ),
    "resize": (lambda: lists.tensor_list_length(lists.tensor_list_resize(TWO, 5)), 5),
    "split": (lambda: get(SPLIT, 1), [[3.0, 4.0], [5.0, 6.0]]),
    "concat": (
        lambda: lists.tensor_list_concat(SPLIT, tf.float32, [None, 2]),
        [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]],
    ),
}


@pytest.mark.parametrize("name", VALUES)
def test_values(name: str) -> None:
    compute, expected = VALUES[name]
    assert compute().numpy().tolist() == expected


ERRORS: dict[str, tuple[Callable[[], Any], str]] = {
    "pop": (lambda: lists.tensor_list_pop_back(EMPTY, tf.float32), "pop from an empty list"),
    "push dtype": (lambda: lists.tensor_list_push_back(TWO, 1), "op elements int32 but list"),
    "push shape": (lambda: lists.tensor_list_push_back(TWO, [1.0]), "incompatible shape"),
    "push full": (lambda: lists.tensor_list_push_back(FULL, 1.0), "full list list size: 1"),
    "stack count": (lambda: stack(TWO, num_elements=3), "list with 3 elements but got"),
    "stack shape": (lambda: stack(TWO, element_shape=[2]), "shapes during merge"),
    "stack dtype": (lambda: stack(TWO, tf.int32), "op elements int32 but list elements float"),
    "stack unknown": (lambda: stack(UNKNOWN), "only contains uninitialized tensors"),
    "gather": (lambda: gather(TWO, [2]), "list only has 2 elements"),
    "gather negative": (lambda: gather(TWO, [-1]), "list only has 2 elements"),
    "gather unknown": (lambda: gather(PART, [0]), "gather uninitialized tensors"),
    "get": (lambda: get(TWO, 5), "access element 5 in a list with 2 elements"),
    "get negative": (lambda: get(TWO, -1), "access element -1 in a list with 2"),
    "get dtype": (lambda: get(TWO, 0, tf.int32), "op elements int32 but list elements float"),
    "get unknown": (lambda: get(UNKNOWN, 0), "element_shape is not fully defined"),
    "set": (lambda: lists.tensor_list_set_item(TWO, 5, 3.0), "modify element 5 in a list with 2"),
    "set shape": (lambda: lists.tensor_list_set_item(TWO, 0, [3.0]), "at a list index"),
    "from": (lambda: lists.tensor_list_from_tensor(X, [3]), "Specified a list with shape"),
    "from scalar": (lambda: lists.tensor_list_from_tensor(1.0, []), "at least a vector"),
    "scatter": (lambda: lists.tensor_list_scatter(X, [-1, 0, 1], [2]), "non-negative"),
    "scatter rows": (lambda: lists.tensor_list_scatter(X, [0, 1], [2]), "Expected: 2 Actual: 3"),
    "resize": (lambda: lists.tensor_list_resize(TWO, -1), "size to be non-negative"),
    "split": (lambda: lists.tensor_list_split(X, [None, 2], [1, 1]), "Values used: 2"),
    "concat": (lambda: lists.tensor_list_concat(TWO, tf.float32), "found scalars"),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name: str) -> None:
    """A list knows what its elements must be."""
    compute, message = ERRORS[name]
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        compute()


def numbered(y: Any) -> Any:
    return tf.reshape(tf.cast(tf.range(1, 1 + tf.size(y)), tf.float32), tf.shape(y))


GRADIENTS: dict[str, tuple[Callable[[Any], Any], list[list[float]]]] = {
    "pop": (
        lambda x: lists.tensor_list_pop_back(lists.tensor_list_from_tensor(x, [2]), tf.float32)[1],
        [[0.0, 0.0], [0.0, 0.0], [1.0, 2.0]],
    ),
    "popped": (
        lambda x: stack(
            lists.tensor_list_pop_back(lists.tensor_list_from_tensor(x, [2]), tf.float32)[0]
        ),
        [[1.0, 2.0], [3.0, 4.0], [0.0, 0.0]],
    ),
    "scatter": (
        lambda x: stack(lists.tensor_list_scatter(x, [2, 0, 1], [2])),
        [[5.0, 6.0], [1.0, 2.0], [3.0, 4.0]],
    ),
    "split": (
        lambda x: lists.tensor_list_concat(
            lists.tensor_list_split(x, [None, 2], [1, 2]), tf.float32
        ),
        [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]],
    ),
    "push": (
        lambda x: stack(
            lists.tensor_list_push_back(lists.tensor_list_from_tensor(x, [2]), x[0] * x[1])
        ),
        [[22.0, 34.0], [10.0, 20.0], [5.0, 6.0]],
    ),
    "cut": (
        lambda x: stack(lists.tensor_list_resize(lists.tensor_list_from_tensor(x, [2]), 2)),
        [[1.0, 2.0], [3.0, 4.0], [0.0, 0.0]],
    ),
    # TensorFlow drops the first of two cotangents of an element that is gathered twice: [5, 6].
    "gather": (
        lambda x: gather(lists.tensor_list_from_tensor(x, [2]), [2, 0, 2]),
        [[3.0, 4.0], [0.0, 0.0], [6.0, 8.0]],
    ),
}


@pytest.mark.parametrize("in_function", [False, True])
@pytest.mark.parametrize("name", GRADIENTS)
def test_gradients(name: str, in_function: bool) -> None:
    compute, expected = GRADIENTS[name]
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = tf.function(compute)(X) if in_function else compute(X)
    assert tape.gradient(y, X, numbered(y)).numpy().tolist() == expected


def test_rules() -> None:
    """To second order, forward, in batches, in functions and compiled."""

    def everything(x: Any) -> Any:
        rows = tf.reshape(x, [3, 1])
        whole = lists.tensor_list_from_tensor(rows, [1])
        more = lists.tensor_list_push_back(whole, x[:1] * x[1:2])
        spread = lists.tensor_list_scatter(rows, [1, 0, 4], [1])
        parts = lists.tensor_list_split(x, [None], [2, 1])
        made = [
            lists.tensor_list_gather(more, [3, 0, 3], tf.float64),
            stack(lists.tensor_list_resize(more, 2), tf.float64),
            stack(spread, tf.float64),
            lists.tensor_list_concat(parts, tf.float64),
            lists.tensor_list_pop_back(more, tf.float64)[1],
        ]
        return tf.concat([tf.reshape(y, [-1]) for y in made], 0) ** 3

    report = tf.check(everything, tf.constant([1.0, 2.0, 3.0], tf.float64))
    assert report.right, str(report)


def test_a_list_in_a_loop() -> None:
    """Loops carry lists; gradients flow through every element."""

    @tf.function
    def powers(x: Any) -> Any:
        begin = lists.empty_tensor_list([], tf.float32)

        def body(i: Any, values: Any) -> Any:
            return i + 1, lists.tensor_list_push_back(values, x * tf.cast(i, tf.float32))

        _, values = tf.while_loop(lambda i, values: i < 4, body, [0, begin])
        values, last = lists.tensor_list_pop_back(
            lists.tensor_list_set_item(values, 0, x * x), tf.float32
        )
        return stack(values), last

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        values, last = powers(x)
        y = tf.reduce_sum(values * values) * last
    assert values.numpy().tolist() == [4.0, 2.0, 4.0]
    assert tape.gradient(y, x).numpy() == 420.0
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.constant(2.0)
        values, last = powers(x)
        y = tf.reduce_sum(values * values) * last
        assert session.run(tf.gradients(y, x)) == [420.0]
