"""Terms for sizes that only a run knows: what is said of them holds for every number."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import wengert as tf
from wengert.errors import SymbolicValueError
from wengert.values import sizes
from wengert.values.sizes import (
    Size,
    evaluate,
    high,
    key_of,
    length,
    low,
    maximum,
    minimum,
    size_of,
)

TENSORS = [object() for _ in range(3)]
SYMBOLS = [size_of(tensor, 0) for tensor in TENSORS]
NUMBERS = (0, 1, 2, 3, 5, 11, 12, 13, 24, 25, 100)
Values = list[int]
Drawn = tuple[Any, Callable[[Values], int]]  # a term, and what it is for numbers


def drawn(rng: random.Random, deep: int) -> Drawn:
    if deep == 0 or rng.random() < 0.15:
        if rng.random() < 0.4:
            constant = rng.randint(-6, 14)
            return constant, lambda v: constant
        i = rng.randrange(len(SYMBOLS))
        return SYMBOLS[i], lambda v: v[i]
    (a, f), (b, g) = drawn(rng, deep - 1), drawn(rng, deep - 1)
    by = rng.choice([1, 2, 3, 4, 5, -2, -3])
    part = slice(  # type: ignore[call-overload]
        *[rng.choice([None, *range(-5, 6)]) for _ in range(2)], rng.choice([None, 1, 2, 3, -1, -2])
    )
    whole = maximum(a, 0)
    choices: list[Drawn] = [
        (a + b, lambda v: f(v) + g(v)),
        (a - b, lambda v: f(v) - g(v)),
        (a * b, lambda v: f(v) * g(v)),
        (minimum(a, b), lambda v: min(f(v), g(v))),
        (maximum(a, b), lambda v: max(f(v), g(v))),
        (a // by, lambda v: f(v) // by),
        (a % by, lambda v: f(v) % by),
        (length(part, whole), lambda v: len(range(*part.indices(max(f(v), 0))))),
    ]
    return rng.choice(choices)


@pytest.mark.parametrize("seed", range(150))
def test_terms_are_what_their_numbers_are(seed: int) -> None:
    """Arithmetic is exact, bounds hold, and what is decided is decided as numbers decide it."""
    rng = random.Random(seed)
    try:
        (a, f), (b, g) = drawn(rng, 3), drawn(rng, 2)
        difference = a - b
    except SymbolicValueError:  # more terms than are worth knowing
        return
    least, most = low(a), high(a)
    decided = {name: getattr(a, name)(b) for name in COMPARISONS} if type(a) is Size else {}
    for _ in range(12):
        values = [rng.choice(NUMBERS) for _ in SYMBOLS]
        number = f(values)
        assert evaluate(a, lambda s, v=values: v[TENSORS.index(s.tensor)]) == number  # type: ignore[misc]
        assert evaluate(difference, lambda s, v=values: v[TENSORS.index(s.tensor)]) == number - g(  # type: ignore[misc]
            values
        )
        assert least is None or least <= number
        assert most is None or most >= number
        for name, answer in decided.items():
            if type(answer) is bool:
                assert answer is getattr(number, name)(g(values))


COMPARISONS = ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__")
N, M, _ = SYMBOLS


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (length(slice(None, 10), N) + length(slice(10, None), N), N),
        (length(slice(1, None), N), length(slice(None, -1), N)),
        (length(slice(-3, None), N), minimum(N, 3)),
        (length(slice(None, None, -1), N), N),
        ((N * M) // M, N),
        ((N // 2) * 2 + N % 2, N),
        (N // 2 // 3, N // 6),
        (minimum(maximum(N, 3), 3), 3),
        (N - minimum(N, 10), maximum(N - 10, 0)),
        ((2 * N + 1) // 2, N),
    ],
)
def test_one_form_of_what_is_equal(a: Any, b: Any) -> None:
    assert key_of(a) == key_of(b)
    assert (a == b) is True


def test_what_is_not_proved_is_not_said() -> None:
    for claim in (N == 5, N == M, N < 5, N > M, N != 0):
        with pytest.raises(SymbolicValueError, match="not known before the graph runs"):
            bool(claim)
    assert (N >= 0) is True
    assert (N + 1 != 0) is True
    assert (N == -1) is False


def test_terms_have_bounds_of_their_length() -> None:
    """A term that grows and grows is not known, rather than slow."""
    term: Any = N
    with pytest.raises(SymbolicValueError):
        for i in range(sizes.MOST):
            term = term * (M + i) + maximum(term - i, M)


# ---- what graphs know -------------------------------------------------------------------------

UNKNOWN = None
KNOWN: list[tuple[Callable[..., Any], list[Any], list[Any]]] = [
    (lambda x: tf.reshape(x, [4, 6]), [None, None], [4, 6]),
    (lambda x: tf.reshape(x, [-1, 6]), [None, None], [None, 6]),
    (lambda x: tf.reshape(x, [tf.shape(x)[0], -1]), [None, 2, 3], [None, 6]),
    (lambda x: tf.reshape(x, tf.shape(x)[::-1]), [None, 3], [3, None]),
    (lambda x: tf.broadcast_to(x, [2, 4, 6]), [None, 6], [2, 4, 6]),
    (lambda x: tf.scatter_nd([[1], [2]], x, [7, 6]), [None, 6], [7, 6]),
    (lambda x: tf.concat([x, tf.ones([4, 2])], 1), [None, None], [4, None]),
    (lambda x: tf.concat([x, tf.ones([4, 2])], 1), [None, 6], [4, 8]),
    (lambda x: tf.concat([x[:10], x[10:]], 0) + x, [None], [None]),
    (lambda x: tf.boolean_mask(x, x[:, 0] > 0.0), [None, 6], [None, 6]),
    (lambda x: tf.gather(x, [[0], [1]], batch_dims=1), [None, 6], [None, 1]),
    (lambda x: tf.math.unsorted_segment_sum(x, [0, 1, 1], 3), [None, 6], [3, 6]),
    (lambda x: tf.math.segment_sum(x, [0, 1, 1]), [None, 6], [None, 6]),
    (lambda x: tf.reverse_sequence(x, [1, 2], 1), [None, 6], [None, 6]),
    (lambda x: tf.tensor_scatter_nd_update(x, [[0]], x[:1]), [None, 6], [None, 6]),
    (lambda x: tf.einsum("ij,kj->ik", x, x), [None, None], [None, None]),
    (lambda x: tf.math.reduce_std(x, 0), [None, 6], [6]),
    (lambda x: tf.image.resize(x, [4, 5]), [None, None, None, 3], [None, 4, 5, 3]),
    (
        lambda x: tf.nn.conv2d(x, tf.ones([3, 3, 2, 4]), 1, "VALID"),
        [None, None, None, 2],
        [None, None, None, 4],
    ),
    (lambda x: tf.pad(x, [[0, 10 - tf.shape(x)[0]]]), [None], [10]),
    (lambda x: tf.random.normal([tf.shape(x)[0], 3]), [None], [None, 3]),
    (lambda x: tf.one_hot(tf.cast(x, tf.int32), 5), [None], [None, 5]),
    (lambda x: tf.math.top_k(x, 2).values, [None, 6], [None, 2]),
    (lambda x: tf.stack([x, tf.ones([4, 6])]), [None, None], [2, 4, 6]),
    (lambda x: x[: tf.shape(x)[0] // 2], [None, 3], [None, 3]),
    (lambda x: x[::30], [None], [None]),
    (lambda x: x[:10], [None], [None]),
    (
        lambda x: tf.while_loop(
            lambda i, y: i < 3, lambda i, y: (i + 1, y * 2.0), (0, tf.reshape(x, [4, 6]))
        )[1],
        [None],
        [4, 6],
    ),
]


@pytest.mark.parametrize("case", range(len(KNOWN)))
def test_shapes_that_follow_are_known(case: int) -> None:
    """And those that only sometimes hold are not: x[:10] has ten elements only if x has."""
    function, given, want = KNOWN[case]
    with tf.Graph().as_default():
        y = function(tf.compat.v1.placeholder(tf.float32, given))
    assert y.shape.as_list() == want


def test_an_unknown_size_is_one_symbol() -> None:
    """The sum of a value and its gradient needs no check and no broadcast."""
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32, [None])
        (g,) = tf.gradients(tf.reduce_sum(tf.sin(x) * 2.0), x)
        total = x + g
    assert key_of(g._array.shape[0]) == key_of(x._array.shape[0]) == key_of(total._array.shape[0])


def test_a_size_is_a_number_when_it_runs() -> None:
    """x[: n // 2] has a size that Python code in the library can hand on."""
    f = tf.function(
        lambda x: tf.zeros([x[: tf.shape(x)[0] // 2]._array.shape[0] + 1]),
        input_signature=[tf.TensorSpec([None])],
    )
    assert [f(tf.ones([n])).shape[0] for n in (0, 5, 12)] == [1, 3, 7]


@pytest.mark.parametrize("inner", [False, True])
def test_a_stated_shape_that_is_wrong_is_the_program_s_mistake(inner: bool) -> None:
    def f(x: Any) -> Any:
        y = tf.boolean_mask(x, x > 0.0) if inner else x
        y.set_shape([3])
        return y * 2.0

    traced = tf.function(f, input_signature=[tf.TensorSpec([None])], jit_compile=False)
    assert traced(tf.ones([3])).shape == [3]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"said to be of shape \(3,\), but"):
        traced(tf.ones([4]))


@pytest.mark.parametrize("jit_compile", [False, None, True])
@pytest.mark.parametrize(
    "made",
    [
        lambda x, n: x,
        lambda x, n: tf.identity(x),
        lambda x, n: tf.cond(n > 0, lambda: x + 0.0, lambda: x * 2.0),
    ],
    ids=["argument", "result", "branch"],
)
def test_a_stated_size_that_is_wrong_is_read_nothing_beyond(made: Any, jit_compile: Any) -> None:
    """Of rows of two the three largest would be those of the next row, and of other memory."""

    def f(x: Any, n: Any) -> Any:
        y = made(x, n)
        y.set_shape([None, 3])
        return tf.math.top_k(y, 3)[0]

    signature = [tf.TensorSpec([None, None]), tf.TensorSpec([], tf.int32)]
    traced = tf.function(f, input_signature=signature, jit_compile=jit_compile)
    for _ in range(3):
        assert traced(tf.ones([4, 3]), 1).shape == [4, 3]
        with pytest.raises(
            tf.errors.InvalidArgumentError, match=r"said to be of shape \(None, 3\), but"
        ):
            traced(tf.ones([4, 2]), 1)


# ---- integers of a dtype ------------------------------------------------------------------------

WRAPPING: dict[str, Callable[[Any], Any]] = {
    "cast to 8 bits": lambda n: tf.cast(tf.cast(n, tf.uint8), tf.int32),
    "cast of a multiple": lambda n: tf.cast(tf.cast(n * 11, tf.uint8), tf.int32),
    "signed": lambda n: tf.abs(tf.cast(tf.cast(n * 11, tf.int8), tf.int32)),
    "negative": lambda n: tf.cast(tf.cast(n - 3, tf.uint8), tf.int32),
    "hash": lambda n: tf.math.floormod(n * 100000007, 13),
    "large": lambda n: tf.math.floormod(n * 1000000 * 50, 7),
}


@pytest.mark.parametrize("spec", [[None], None], ids=["size", "rank"])
@pytest.mark.parametrize("name", WRAPPING)
def test_integers_that_wrap(name: str, spec: Any) -> None:
    """A size that is computed in few bits is what those bits hold."""

    def f(x: Any) -> Any:
        return tf.zeros([WRAPPING[name](tf.shape(x)[0])])

    signature = [tf.TensorSpec(spec, tf.float32)]
    functions = [tf.function(f), tf.function(f, input_signature=signature)]
    for size in (0, 1, 5, 12, 24, 300):
        x = tf.ones([size])
        for function in functions:
            assert function(x).shape == function(x).shape == f(x).shape


@pytest.mark.parametrize("engine", ["numpy", "native"])
def test_a_range_of_known_length_begins_where_it_should(engine: str) -> None:
    """How many numbers there are may be known while the first is not."""

    @tf.function(
        input_signature=[tf.TensorSpec([None])],
        jit_compile={"numpy": False, "native": True}[engine],
    )
    def f(x: Any) -> Any:
        n = tf.shape(x)[0]
        return tf.range(n - 1, n), tf.range(n, n + 5, 2), tf.range(n, n - 3, -1), tf.range(n, n)

    found = [y.numpy().tolist() for y in f(tf.ones([7]))]
    assert found == [[6], [7, 9, 11], [7, 6, 5], []]


def test_repeating_as_often_as_only_a_run_knows() -> None:
    """Slices along any axis, of a size that is known or not."""

    @tf.function(input_signature=[tf.TensorSpec([None, 2])])
    def f(x: Any) -> Any:
        n = tf.shape(x)[0]
        return (
            tf.repeat(x[:1], n, 0),
            tf.repeat(x, n, 1),
            tf.repeat(x, n),
            tf.repeat([[1], [2]], [n, 1], 0),
        )

    x = np.arange(6.0, dtype=np.float32).reshape(3, 2)
    found = [y.numpy() for y in f(x)]
    wanted = [np.repeat(x[:1], 3, 0), np.repeat(x, 3, 1), np.repeat(x, 3), [[1], [1], [1], [2]]]
    for got, want in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(got, want)


def test_sizes_beside_those_that_are_repeated() -> None:
    """What is not repeated keeps its size, however often: layers are built by the last one."""
    seen: list[Any] = []

    @tf.function(input_signature=[tf.TensorSpec([None, 6]), tf.TensorSpec([None], tf.int32)])
    def shapes(x: Any, n: Any) -> Any:
        results = [tf.repeat(x, n, 0), tf.repeat(x, n, -2), tf.repeat(x, n[0], 0), tf.repeat(x, n)]
        results += [tf.sequence_mask(n, 5), tf.sequence_mask(n, n[0]), tf.sequence_mask(n)]
        seen.extend(y.shape.as_list() for y in results)
        return results[0]

    assert shapes(np.ones([2, 6], np.float32), [2, 1]).shape == [3, 6]
    assert seen == [[None, 6]] * 3 + [[None], [None, 5], [None, None], [None, None]]


@pytest.mark.parametrize("dtype", ["int8", "uint16", "uint32", "int32", "int64"])
def test_masks_of_all_kinds_of_lengths(dtype: str) -> None:
    """Also longer ones than a length can be."""
    lengths = np.array([0, 2, 100], dtype)
    for longest in (None, 1, 300):
        size = 100 if longest is None else longest
        wanted = np.arange(size) < lengths[:, None].astype(int)
        np.testing.assert_array_equal(tf.sequence_mask(lengths, longest), wanted)
