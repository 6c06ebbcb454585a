"""Values that leave a function which is differentiated: a warning says where, unless no gradient is lost."""

from __future__ import annotations

import math
import threading
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import linalg, special

import wengert as tf

X = tf.constant([1.5, 2.0, 0.5])
WAYS: dict[str, Callable[..., Any]] = {
    "grad": lambda f: tf.grad(f)(X),
    "value_and_grad": lambda f: tf.value_and_grad(f)(X),
    "vjp": lambda f: tf.vjp(f, X)[1](tf.constant(1.0)),
    "jvp": lambda f: tf.jvp(f, (X,), (X,)),
    "jacobian": lambda f: tf.jacobian(f)(X),
    "hessian": lambda f: tf.hessian(f)(X),
    "grad of grad": lambda f: tf.grad(lambda x: tf.reduce_sum(tf.grad(f)(x)))(X),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("f", "name"),
    [
        (lambda x: np.sum(np.unique(x)[:1]), r"np\.unique"),
        (lambda x: np.sum(x**2) + np.sum(special.jv(2, x)), "jv"),
        (lambda x: tf.reduce_sum(x) * np.hypot.reduce(x), r"np\.hypot\.reduce"),
        (lambda x: tf.reduce_sum(x * special.logsumexp(x)), "scipy.special.logsumexp"),
        (lambda x: tf.reduce_sum(x) + linalg.norm(x), "scipy.linalg.norm"),
    ],
    ids=["nothing else", "a part", "of a ufunc", "of arrays", "of arrays, too"],
)
def test_functions_that_nothing_follows(way: str, f: Any, name: str) -> None:
    """A part of the gradient is missing: it says which function, at the line that called it."""
    with pytest.warns(tf.errors.GradientWarning, match=f"{name}.* no gradient follows") as found:
        WAYS[way](f)
    assert {w.filename for w in found} == {__file__}


@pytest.mark.parametrize("way", ["grad", "jvp", "jacobian"])
@pytest.mark.parametrize(
    ("f", "how"),
    [
        (lambda x: float(x[0]) ** 2, "float"),
        (lambda x: np.sum(x.numpy() ** 2), "numpy"),
        (lambda x: np.asarray(x)[0], "NumPy"),
    ],
)
def test_numbers_that_are_returned(way: str, f: Any, how: str) -> None:
    match = rf"returned numbers.*{how}.* at {__file__}:\d+"
    with pytest.warns(tf.errors.GradientWarning, match=match):
        assert not np.any(tf.nest.flatten(WAYS[way](f))[-1])


def written_into(x: Any) -> Any:
    array = np.zeros(4)
    array[0] = x[0] ** 2
    array[1:] += x
    return np.sum(array) + np.sum(x)


def a_list(x: Any) -> Any:
    parts = [x[0], x[1] ** 2]
    return np.sum(np.asarray(parts)) + np.sum(x)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("f", "what"),
    [
        (written_into, "An array that is written into"),
        (a_list, "np.array of a list"),
        (lambda x: np.sum(np.array([[x[0], 1.0], [0.0, x[1]]])) + x[0], "np.array of a list"),
        (lambda x: np.sum(np.array((x[0], x[1]))) + x[0], "np.array of a list"),
        (lambda x: np.sum(np.sin([x[0], x[1]])) + x[0], "A function of numbers, or of lists"),
        (lambda x: math.exp(x[0]) * x[1], "A function of numbers, or of lists"),
        (lambda x: np.sum(np.full_like(np.zeros(3), x[0])) + x[0], r"np\.copyto"),
    ],
    ids=["written", "a list", "nested", "a tuple", "a ufunc", "math", "full_like"],
)
def test_what_takes_a_value_unasked(way: str, f: Any, what: str) -> None:
    """The rest of the gradient is right, so nothing else would tell."""
    with pytest.warns(tf.errors.GradientWarning, match=f"{what}.* no gradient follows") as found:
        WAYS[way](f)
    assert {w.filename for w in found} == {__file__}


def looked_at(x: Any) -> Any:
    """What a program looks at, and what has no derivative anyway."""
    (
        np.argmax(x),
        np.argsort(x),
        np.shape(x),
        np.ndim(x),
        np.isnan(x),
        np.any(x > 0),
        np.allclose(x, x),
    )
    (
        np.searchsorted(x, 1.5),
        np.digitize(x, [1.0]),
        np.nonzero(x),
        np.isin(x, [1.0]),
        np.result_type(x),
    )
    text = f"{x} {float(x[0])} {x.numpy().mean()} {np.asarray(x).max()} {x[0]:.2f}"
    text += "%.2f" % x[0]  # noqa: UP031
    print(np.array([x[0], x[1]]))
    kept: list[Any] = [None]
    kept[0] = x[0]
    size = 2.0 if float(x[0]) > 0 and len(text) else 3.0
    return tf.reduce_sum(x**2) * size


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "f",
    [looked_at, lambda x: tf.reduce_sum(tf.ones(x.shape)), lambda x: 3.0, lambda x: np.sum(np.fmod(x, 0.7))],
    ids=["looked at", "of the shape", "a constant", "followed"],
)  # fmt: skip
def test_what_loses_no_gradient(way: str, f: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        WAYS[way](f)


def test_what_others_do_meanwhile() -> None:
    """Another thread's values are not this one's."""
    go, done = threading.Event(), threading.Event()

    def other() -> None:
        go.wait(10)
        np.unique(X), float(X[0])
        done.set()

    def f(x: Any) -> float:
        go.set()
        done.wait(10)
        return 3.0

    thread = threading.Thread(target=other)
    thread.start()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tf.grad(f)(X)
    thread.join()


def test_tapes_are_tensorflows() -> None:
    """A tape says None, as ever, and `explain` why."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with tf.GradientTape() as tape:
            tape.watch(X)
            y = tf.constant(np.sum(np.unique(X)))
        assert tape.gradient(y, X) is None


def test_functions_name_what_they_cannot_trace() -> None:
    with pytest.raises(NotImplementedError, match=r"given to np\.unique"):
        tf.function(lambda x: np.unique(x))(X)
