"""Items with subscripts that are variables, under branches and loops on tensors; Python's functions on datasets."""

from __future__ import annotations

import signal
from collections.abc import Callable
from typing import Any

import pytest

import wengert as tf


def of_a_list(x: Any) -> Any:
    parts = tf.unstack(x)
    for i in range(len(parts)):
        if parts[i] > 0.0:
            parts[i] = parts[i] * 2.0
    return tf.stack(parts)


def of_a_dictionary(x: Any) -> Any:
    states = {"a": x, "b": -x}
    for key in states:
        if states[key][0] > 0.0:
            states[key] = states[key] * 3.0
    return states["a"] + states["b"] * 10.0


def of_lists_in_a_list(x: Any) -> Any:
    m = [[x, x], [x, x]]
    for i in range(2):
        for j in range(2):
            if x[0] > 0.0:
                m[i][j] = m[i][j] + float(i + 2 * j)
    return m[0][1] + m[1][1] * 10.0


def in_a_loop(x: Any) -> Any:
    states, i = [x, -x], 1
    for _ in tf.range(3):
        states[i] = states[i] * 2.0
    return states[0] + states[1]


def by_keys_that_the_block_changes(x: Any) -> Any:
    """All items may be written."""
    states = [x, x + 1.0, x + 2.0]
    if x[0] > 0.0:
        for i in range(1, 3):
            states[i] = states[i] * states[i - 1]
    return tf.stack(states)


def in_a_loop_over_layers(x: Any) -> Any:
    """The states of a network of several layers, step by step."""
    states = [tf.zeros_like(x) for _ in range(3)]
    for t in tf.range(4):
        now = x * tf.cast(t, x.dtype)
        for k in range(len(states)):
            states[k] = tf.tanh(states[k] + now)
            now = states[k]
    return states[0] + states[1] + states[2]


def by_an_expression(x: Any) -> Any:
    states, n = [x, x], 1
    while tf.reduce_sum(states[n - 1]) < 10.0:
        states[n - 1] = states[n - 1] * 2.0 + 1.0
    return states[0]


def from_the_end(x: Any) -> Any:
    states = [x, x]
    if x[0] > 0.0:
        states[-1] = x * 3.0
    return states[1]


def by_a_tuple(x: Any) -> Any:
    table = {(0, 1): x, (1, 0): -x}
    for i in range(2):
        if x[0] > 0.0:
            table[i, 1 - i] = table[i, 1 - i] * 2.0
    return table[0, 1] - table[1, 0]


class Holder:
    def __init__(self, x: Any) -> None:
        self.states = {"q": [x, x]}


def of_an_attribute(x: Any) -> Any:
    holder, name, i = Holder(x), "q", 0
    if x[0] > 0.0:
        holder.states[name][i] = x * 5.0
    else:
        holder.states[name][i] = x * 7.0
    return holder.states["q"][0]


def new_ones(x: Any) -> Any:
    """What a block adds is not the program's state: it is there when the function is traced."""
    seen: dict[str, float] = {}
    for key in ("a", "b"):
        if x[0] > 0.0:
            seen[key] = 1.0
    return x * float(len(seen))


ITEMS = [of_a_list, of_a_dictionary, of_lists_in_a_list, in_a_loop, by_keys_that_the_block_changes,
         in_a_loop_over_layers, by_an_expression, from_the_end, by_a_tuple, of_an_attribute, new_ones]  # fmt: skip


@pytest.mark.parametrize("program", ITEMS)
@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("compiled", [False, True])
def test_items(program: Callable[[Any], Any], sign: float, compiled: bool) -> None:
    """Values and gradients are those of eager mode."""
    if program is new_ones and sign < 0.0:
        pytest.skip("a branch that is not taken is traced, too")

    def both(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = program(x)
        return y, tape.gradient(y, x)

    x = tf.constant([1.0, -0.5], tf.float64) * sign
    for found, wanted in zip(tf.function(both, jit_compile=compiled)(x), both(x), strict=True):
        assert found.numpy().ravel().tolist() == pytest.approx(wanted.numpy().ravel().tolist())


# ---- functions of Python's on datasets -----------------------------------------------------------


def numbered(data: Any) -> Any:
    total = 0.0
    for i, a in enumerate(data):
        total += a * tf.cast(i, tf.float32)
    return total


def numbered_from(data: Any) -> Any:
    total = 0.0
    for i, a in enumerate(data, start=3):
        if i > 4:
            break
        total += a * tf.cast(i, tf.float32)
    return total


def in_pairs(data: Any) -> Any:
    total = 0.0
    for a, b in zip(data, data):  # noqa: B905
        total += a * b
    return total


def in_nested_pairs(data: Any) -> Any:
    total = 0.0
    for (a, b), c in zip(zip(data, data), data):  # noqa: B905
        total += a * b - c
    return total


def mapped(data: Any) -> Any:
    total = 0.0
    for a in map(lambda v: v * 2.0 if v > 1.5 else v, data):  # noqa: C417
        total += a
    return total


def mapped_in_pairs(data: Any) -> Any:
    total = 0.0
    for a in map(lambda v, w: v * w, data, data):
        total += a
    return total


def filtered(data: Any) -> Any:
    total = 0.0
    for a in filter(lambda v: v > 1.5, data):
        total += a
    return total


def of_lists(data: Any) -> Any:
    """They are Python's where there is no dataset."""
    total = 0.0
    for i, (a, b) in enumerate(zip([1.0, 2.0], map(float, filter(None, [3, 0, 4])))):  # noqa: B905
        total += i * a * b
    for a in data:
        total += a
    return total


def of_equal_length(data: Any) -> Any:
    return zip(data, data, strict=True)


def test_zip_of_equal_length() -> None:
    """Whether one of the datasets is longer shows too late, and the loop would end without a word."""
    data = tf.data.Dataset.range(3)
    with pytest.raises(ValueError, match="strict zip not supported by Dataset"):
        tf.function(of_equal_length)(data)


ON_DATASETS = [numbered, numbered_from, in_pairs, in_nested_pairs, mapped, mapped_in_pairs, filtered,
               of_lists]  # fmt: skip


def endless(*_: object) -> None:
    raise TimeoutError("the trace does not end")


@pytest.mark.parametrize("program", ON_DATASETS)
def test_functions_on_datasets(program: Callable[[Any], Any]) -> None:
    data = tf.data.Dataset.from_tensor_slices([1.0, 2.0, 3.0])
    before = signal.signal(signal.SIGALRM, endless)
    signal.alarm(60)
    try:
        assert float(tf.function(program)(data)) == pytest.approx(float(program(data)))
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def test_a_branch_that_returns_in_a_try_fails_where_it_can_be_caught() -> None:
    """Programs ask so whether a size is known while a function is traced."""
    caught: list[Exception] = []

    def excess(x: Any) -> Any:
        try:
            size = tf.size(x)
            if size > 2:
                return size - 2
        except ValueError as error:
            caught.append(error)
        return None

    def otherwise_nothing(x: Any) -> Any:
        if tf.size(x) > 2:
            return x
        return None

    x = tf.constant([1.0, 2.0, 3.0])
    assert excess(x).numpy() == 1
    assert caught == []
    assert tf.function(excess)(x) is None
    assert "the else branch must also have a return statement" in str(caught[0])
    with pytest.raises(ValueError, match="return value is None at the end of the else branch"):
        tf.function(otherwise_nothing)(x)
