"""One code for all sizes: what is compiled for one batch serves the others.

Each program is a function of unknown sizes. At every size it must give what NumPy gives; and what is
compiled is counted.
"""

from __future__ import annotations

import operator
import os
import pickle
import random
import subprocess
import sys
from collections.abc import Callable, Sequence
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
import pytest

import wengert as tf
from wengert.engines.native.runtime import llvm, units
from wengert.execution import by_size, open_forms
from wengert.values import open_size
from wengert.values.open_size import OpenSize, of_both, opened

RNG = np.random.default_rng(7)
SIZES = (2, 3, 5, 13, 14, 15, 16, 17, 31, 33, 64, 65, 100, 127, 183, 200, 257)


# ---- the numbers ------------------------------------------------------------------------------

OPERATIONS = [operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod]


def drawn(rng: random.Random, depth: int, x: Any, y: Any) -> Callable[[Any, Any], Any]:
    """A term of two sizes."""
    if not depth:
        number = rng.randrange(1, 100)
        return rng.choice([lambda a, b: a, lambda a, b: b, lambda a, b: number])
    of = rng.choice(OPERATIONS)
    left, right = (drawn(rng, depth - 1, x, y) for _ in range(2))
    if rng.random() < 0.1:
        return lambda a, b: -left(a, b)
    if rng.random() < 0.1:
        return lambda a, b: sum(divmod(left(a, b), abs(int(right(3, 5))) + 1))
    return lambda a, b: of(left(a, b), right(a, b))


def test_terms_are_computed_of_numbers_and_of_marks() -> None:
    """What is computed of open sizes is what is computed of their numbers, and of their marks."""
    rng = random.Random(0)
    tried = 0
    for _ in range(3000):
        x, y = rng.randrange(1, 500), rng.randrange(1, 500)
        term = drawn(rng, 4, x, y)
        try:
            number, mark = term(x, y), term(12287, 28671)
        except ZeroDivisionError:
            continue
        tried += 1
        found = term(OpenSize(x, 12287), OpenSize(y, 28671))
        assert found == number
        assert open_size.mark_of(found) in (mark, number)  # the number where the mark is no term
        assert (type(found) is OpenSize) == (open_size.mark_of(found) != number)
    assert tried > 1000


def test_open_numbers_are_numbers() -> None:
    n = OpenSize(6, 12287)
    assert n == 6
    assert hash(n) == hash(6)
    assert list(range(n)) == [0, 1, 2, 3, 4, 5]
    assert n + 0.5 == 6.5
    assert 3.0 / n == 0.5
    assert np.int64(2) * n == 12
    assert f"{n}" == str(n) == repr(n) == "6"
    assert type(pickle.loads(pickle.dumps(n))) is OpenSize
    assert type(opened(3, 3)) is int
    assert type(of_both(lambda k: k // k, n)) is OpenSize
    assert of_both(lambda a, b: a * b, 2, 3) == 6


def test_names_in_a_text() -> None:
    """A mark is a name; another number with the same mark has another name."""
    n = OpenSize(6, 12287)
    with open_size.named() as numbers:
        assert f"{n} {-n} {n * 2} {OpenSize(7, 12287)} {n}" == (
            "%z12287 %zm12287 %z24574 %z12287.1 %z12287"
        )
        with open_size.named() as inner:
            assert f"{OpenSize(9, 12287)}" == "%z12287"
        assert inner == {"%z12287": 9}
        assert open_size.number_of("%z12287") == 6
    assert numbers == {"%z12287": 6, "%zm12287": -6, "%z24574": 12, "%z12287.1": 7}
    assert f"{n}" == "6"


def test_marks_are_not_much_larger_than_sizes() -> None:
    """What is made of the marks takes memory; each size has a mark of its own, which is no size."""
    rng = random.Random(1)
    for _ in range(500):
        sizes = [rng.randrange(2, 4 ** rng.randrange(1, 7)) for _ in range(rng.randrange(1, 5))]
        with tf.Graph().as_default():
            place: Any = tf.compat.v1.placeholder(tf.float32, [None] * len(sizes))
        array = np.broadcast_to(np.float32(0), sizes)
        (marks,) = open_forms.marks_of([place], [array])
        assert all(n < mark <= 4 * n for n, mark in zip(sizes, marks, strict=True))
        assert len(set(marks)) == len(set(sizes))
        assert open_forms.stand_in(array, marks).shape == marks


# ---- programs ---------------------------------------------------------------------------------


def weights(*shape: int) -> Any:
    return tf.constant(RNG.normal(size=shape).astype("f") / 4)


def gradients(f: Callable[..., Any]) -> Callable[..., Any]:
    """What a function gives, and the gradient of its sum."""

    def both(*xs: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(xs)
            y = f(*xs)
            total = tf.reduce_sum(tf.sin(y))
        return y, tape.gradient(total, xs)

    return both


W1, W2, KERNEL, TABLE = weights(20, 48), weights(48, 11), weights(3, 3, 3, 8), weights(40, 9)


def layers(x: Any) -> Any:
    h = tf.nn.relu(x @ W1 + tf.reduce_mean(x))
    return tf.nn.log_softmax(tf.nn.gelu(h) @ W2)


def attention(x: Any) -> Any:
    """All positions look at all positions: sizes are rows, columns, and what is summed."""
    q, k, v = x @ W1, tf.sin(x @ W1), x * 2.0
    return tf.nn.softmax(q @ tf.transpose(k) / 7.0) @ v


def batches(x: Any) -> Any:
    n = tf.shape(x)[0]
    y = tf.transpose(tf.reshape(x, [n, 4, 5]), [1, 0, 2])
    return tf.reshape(tf.transpose(y @ tf.transpose(y, [0, 2, 1]), [1, 0, 2]), [n, -1])


def columns(x: Any) -> Any:
    y = x - tf.reduce_mean(x, 0)
    return tf.nn.softmax(y, 0) * tf.reduce_max(tf.abs(y), 0) + tf.reduce_logsumexp(y)


def recurrent(x: Any) -> Any:
    h = tf.zeros([tf.shape(x)[0], 5])
    for k in range(3):
        h = tf.tanh(x[:, 5 * k : 5 * k + 5] + h * 0.5)
    return tf.concat([h, x], 1)


def parts(x: Any) -> Any:
    n = tf.shape(x)[0]
    halves = x[: n // 2] + tf.reverse(x, [0])[: n // 2]
    return tf.concat([halves, x[::2] * 2.0, tf.pad(x[1:] * x[:-1], [[0, 1], [0, 0]])], 0)


def looped(x: Any) -> Any:
    return tf.scan(lambda a, row: tf.sin(a) + row * 0.5, x, tf.zeros([20]))


def chosen(x: Any) -> Any:
    return tf.cond(tf.reduce_sum(x) > 0, lambda: tf.exp(-x * x), lambda: x @ W1)[:, :20] * x


def sorted_rows(x: Any) -> Any:
    return tf.sort(x, 0) * tf.cumsum(x, 0) + tf.cast(tf.argsort(x, 0), x.dtype)


def looked_up(x: Any) -> Any:
    at = tf.cast(tf.abs(x[:, :6]) * 10.0, tf.int32) % 40
    places = tf.cast(tf.range(tf.shape(x)[0]), "float32")[:, None, None]
    return tf.gather(TABLE, at) * tf.one_hot(at, 9) + places + x[:, :1, None]


def images(x: Any) -> Any:
    """Windows of an image, whose number of rows is unknown."""
    image = tf.reshape(x, [-1, 2, 10, 1]) * tf.ones([1, 1, 1, 3])
    y = tf.nn.relu(tf.nn.conv2d(image, KERNEL, 1, "SAME") + 0.1)
    return tf.nn.max_pool2d(y, 2, 2, "VALID")


def statistics(x: Any) -> Any:
    """Means over everything, and constants that are made of the number of rows."""
    n = tf.cast(tf.shape(x)[0], x.dtype)
    mean, variance = tf.nn.moments(x, [0, 1])
    return (x - mean) / tf.sqrt(variance + 1.0) + tf.fill(tf.shape(x), 1.0 / n) * n**0.5


def made_of_sizes(x: Any) -> Any:
    """Constants of the sizes of the call: they are made once more for the sizes that nobody has."""
    n = tf.shape(x)[0]
    below = tf.linalg.band_part(tf.ones([n, n]), -1, 0)
    noise = tf.random.stateless_normal(tf.shape(x), [1, 2])
    return below @ x + noise * x + tf.eye(n)[:, :1] * tf.range(20.0)


PROGRAMS = [
    layers, attention, batches, columns, recurrent, parts, looped, chosen, sorted_rows, looked_up,
    images, statistics, made_of_sizes,
]  # fmt: skip
# Of those that compile nothing for another size, once they have been compiled for a few.
SHARED = [layers, attention, batches, columns, recurrent, statistics]


def given(n: int, dtype: str = "float32") -> Any:
    return tf.constant(np.random.default_rng(n).normal(size=(n, 20)).astype(dtype))


def opened_function(f: Callable[..., Any], dtype: str = "float32") -> Any:
    spec = tf.TensorSpec([None, 20], dtype)
    return tf.function(gradients(f), input_signature=[spec], jit_compile=True)


def agree(f: Any, program: Callable[..., Any], x: Any) -> None:
    """Two runs at once give what NumPy gives."""
    wanted = tf.nest.flatten(tf.function(gradients(program), jit_compile=False)(x))
    for _ in range(2):
        for y, z in zip(tf.nest.flatten(f(x)), wanted, strict=True):
            scale = np.max(np.abs(z), initial=1.0)
            np.testing.assert_allclose(y, z, rtol=3e-5, atol=3e-5 * scale)


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts of units that were compiled; none was before, and the cache is off."""
    monkeypatch.setenv("WENGERT_CACHE_DIR", "")
    monkeypatch.setattr(units, "_loaded", WeakValueDictionary())
    monkeypatch.setattr(by_size, "AT_ONCE", 1000)
    found: list[str] = []
    usual = llvm.compile_each

    def counted(texts: Sequence[str]) -> list[bytes]:
        found.extend(texts)
        return usual(texts)

    monkeypatch.setattr(units, "compile_each", counted)
    return found


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_every_size(program: Callable[..., Any], compiled: list[str]) -> None:
    """At every size, one after the other, each of a form of its own or like another."""
    f = opened_function(program)
    for n in SIZES:
        agree(f, program, given(n))
    assert compiled
    assert any("%size0" in text for text in compiled)


@pytest.mark.parametrize("program", SHARED, ids=lambda f: f.__name__)
def test_nothing_is_compiled_for_another_batch(
    program: Callable[..., Any], compiled: list[str]
) -> None:
    f = opened_function(program)
    for n in (400, 260):
        agree(f, program, given(n))
    before = len(compiled)
    for n in (261, 270, 283, 299, 333, 384, 399):
        agree(f, program, given(n))
    assert compiled[before:] == []


def test_what_is_not_shared_is_counted(
    compiled: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Were sizes written into the code, each batch would be compiled."""
    monkeypatch.setattr(OpenSize, "__str__", int.__repr__)
    f = opened_function(layers)
    for n in (400, 260):
        agree(f, layers, given(n))
    before = len(compiled)
    agree(f, layers, given(261))
    assert len(compiled) > before


def test_marks_that_are_the_same(compiled: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Results do not depend on the marks of different sizes being different."""
    monkeypatch.setattr(open_forms, "_mark", lambda size, taken: 96)
    specs = [tf.TensorSpec([None, None]), tf.TensorSpec([None, None])]

    def product(x: Any, y: Any) -> Any:
        return tf.nn.relu(x @ y) + tf.reduce_mean(x, 1, keepdims=True)

    f = tf.function(gradients(product), input_signature=specs, jit_compile=True)
    for m, k, n in [(96, 96, 96), (64, 96, 33), (33, 64, 96), (7, 5, 3), (3, 5, 7), (40, 40, 8)]:
        x, y = (tf.constant(RNG.normal(size=s).astype("f")) for s in ((m, k), (k, n)))
        wanted = tf.nest.flatten(tf.function(gradients(product), jit_compile=False)(x, y))
        for a, b in zip(tf.nest.flatten(f(x, y)), wanted, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("turned", [(False, False), (True, False), (False, True), (True, True)])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_products_of_all_forms(turned: tuple[bool, bool], dtype: str, compiled: list[str]) -> None:
    """Rows, columns and the inner axis are open, each matrix turned or not, several at a time."""
    specs = [tf.TensorSpec([None, None, None], dtype)] * 2

    def product(x: Any, y: Any) -> Any:
        found = tf.matmul(x, y, transpose_a=turned[0], transpose_b=turned[1])
        return tf.nn.relu(found) * 0.5, tf.reduce_sum(found, [0, 1])

    f = tf.function(product, input_signature=specs, jit_compile=True)
    rng = random.Random(len(dtype) + turned[0])
    for _ in range(12):
        many, m, k, n = rng.randrange(1, 4), *(rng.randrange(2, 90) for _ in range(3))
        shapes = (k, m) if turned[0] else (m, k), (n, k) if turned[1] else (k, n)
        x, y = (tf.constant(RNG.normal(size=(many, *s)).astype(dtype)) for s in shapes)
        found, wanted = f(x, y), product(x, y)
        for a, b in zip(found, wanted, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-3)


def test_sizes_in_a_fixed_relation(compiled: list[str]) -> None:
    """Where the sizes of two arguments hang together, as one and one more, results are right, too."""
    specs = [tf.TensorSpec([None]), tf.TensorSpec([None])]
    f = tf.function(lambda x, y: tf.sin(x[1:]) * y, input_signature=specs, jit_compile=True)
    for n in (5, 40, 41):
        x, y = tf.range(n + 1.0), tf.ones([n])
        np.testing.assert_allclose(f(x, y), np.sin(np.arange(1, n + 1)), rtol=1e-4, atol=1e-5)


def test_variables_and_results_are_those_of_the_call(compiled: list[str]) -> None:
    """A training step for batches of all sizes: the same numbers as with NumPy."""
    w = tf.Variable(W2)
    spec = tf.TensorSpec([None, 48])

    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(x @ w - 1.0))
        w.assign_sub(0.1 * tape.gradient(loss, w))
        return loss

    outcomes = []
    for jit in (True, False):
        w.assign(W2)
        f = tf.function(step, input_signature=[spec], jit_compile=jit)
        losses = [float(f(tf.tile(W1 * float(k), [k, 1])[: 19 * k])) for k in range(1, 4)]
        outcomes.append([*losses, *w.numpy().ravel()])
    np.testing.assert_allclose(*outcomes, rtol=1e-4, atol=1e-6)


ANOTHER = """
import sys
import numpy as np
import wengert as tf
from wengert.engines.native.runtime import llvm_calls
w = tf.constant(np.linspace(-1, 1, 20 * 30).reshape(20, 30).astype("f"))
@tf.function(input_signature=[tf.TensorSpec([None, 20])], jit_compile=True)
def f(x):
    return tf.reduce_sum(tf.nn.relu(x @ w), 0)
for n in map(int, sys.argv[1:]):
    x = np.ones((n, 20), "f")
    np.testing.assert_allclose(f(x), np.maximum(x @ w.numpy(), 0).sum(0), rtol=1e-4)
print(bool(llvm_calls.calls.cache_info().currsize))
"""


def test_another_process_compiles_nothing_for_another_batch(tmp_path: Any) -> None:
    """The code that one process keeps serves another one for a batch that neither has seen."""
    folder = {**os.environ, "WENGERT_CACHE_DIR": str(tmp_path / "kept")}

    def run(*sizes: int) -> str:
        command = [sys.executable, "-c", ANOTHER, *map(str, sizes)]
        return subprocess.run(
            command, env=folder, check=True, capture_output=True, text=True
        ).stdout

    assert run(300, 350) == "True\n"
    before = sorted(p.name for p in (tmp_path / "kept").glob("*.o"))
    run(310, 320)
    assert sorted(p.name for p in (tmp_path / "kept").glob("*.o")) == before


# ---- in graphs ----------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [None, [None], [None, 2]], ids=str)
@pytest.mark.parametrize("compiled", [True, False])
def test_a_variable_has_another_shape_at_each_reading(shape: Any, compiled: bool) -> None:
    """Nothing says that it has the sizes of before an assignment."""
    start, given = (np.ones([n, 2][: 2 if shape == [None, 2] else 1], "f4") for n in (2, 3))
    v = tf.Variable(start, shape=tf.TensorShape(shape))

    @tf.function(jit_compile=compiled)
    def f(x: Any) -> Any:
        before = v + 1.0
        v.assign(x)
        now = v * 2.0
        v.assign(tf.concat([now, now], 0))
        return before, now, v.read_value(), tf.size(v)

    for held in (start, np.concatenate([given, given]) * 2):
        before, now, twice, size = f(given)
        np.testing.assert_array_equal(before, held + 1)
        np.testing.assert_array_equal(now, given * 2)
        np.testing.assert_array_equal(twice, np.concatenate([given, given]) * 2)
        assert int(size) == 2 * given.size


def test_a_variable_of_another_shape_at_each_call(monkeypatch: pytest.MonkeyPatch) -> None:
    """No call tells its sizes: the graph was made for them within itself, until Python's stack was full."""
    made: list[Any] = []

    class Noted(by_size._Sized):
        def __init__(self, *args: Any) -> None:
            made.append(args)
            super().__init__(*args)

    monkeypatch.setattr(by_size, "_Sized", Noted)
    x = tf.Variable([[1.0, 2.0]], shape=[None, 2])

    @tf.function
    def squares(scale: Any) -> Any:
        with tf.GradientTape() as tape:
            total = scale * tf.reduce_sum(tf.matmul(x, x, transpose_b=True) ** 2)
        return total, tape.gradient(total, x)

    for rows in (1, 3, 2):
        x.assign(tf.ones([rows, 2]))
        total, slope = squares(0.5)
        assert float(total) == 2.0 * rows**2
        assert slope.numpy().tolist() == [[4.0 * rows] * 2] * rows
        assert len(made) <= 1


@pytest.mark.parametrize("compiled", [True, False])
def test_its_gradient_has_the_shape_of_what_was_read(compiled: bool) -> None:
    v = tf.Variable([[1.0]], shape=[None, None])

    @tf.function(jit_compile=compiled)
    def f(x: Any) -> Any:
        v.assign(x)
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(v * tf.sin(v))
        return tape.gradient(y, v)

    for shape in ([2, 3], [1, 2], [2, 1]):
        x = np.random.default_rng(1).normal(size=shape).astype("f4")
        np.testing.assert_allclose(f(x), np.sin(x) + x * np.cos(x), rtol=1e-5)


def test_what_needs_a_rank_or_a_size_finds_it_later() -> None:
    norm = tf.compat.v1.nn.fused_batch_norm
    f = tf.function(
        lambda x: norm(x, tf.ones([3]), tf.zeros([3])), input_signature=[tf.TensorSpec(None)]
    )
    for shape in ([2, 4, 4, 3], [2, 1, 2, 2, 3]):
        x = tf.constant(np.random.default_rng(0).normal(size=shape), tf.float32)
        for a, b in zip(f(x), norm(x, tf.ones([3]), tf.zeros([3])), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)
    g = tf.function(
        lambda x: tf.random.categorical(x, 5), input_signature=[tf.TensorSpec([None, None])]
    )
    assert g(tf.zeros([2, 3])).shape == [2, 5]


@pytest.mark.parametrize("off", [1, 2, 4])
def test_the_rank_of_what_is_made_of_the_first_sizes(off: int) -> None:
    """It is not known where that of the tensor is not, however many axes are left out."""
    known: list[Any] = []

    @tf.function(input_signature=[tf.TensorSpec(None)])
    def made(x: Any) -> Any:
        batch = tf.shape(x)[:-off]
        found = [
            tf.eye(2, batch_shape=batch),
            tf.fill(batch, 1.0),
            tf.ones(tf.concat([batch, [3]], 0)),
            tf.one_hot(tf.zeros(batch, tf.int32), 3),
            tf.zeros(tf.shape(x)[off:]),
        ]
        known.append([y.shape.rank for y in found])
        return found

    shape = (2, 3, 4, 1, 2)
    first, last = shape[:-off], shape[off:]
    assert [tuple(y.shape) for y in made(tf.zeros(shape))] == [
        (*first, 2, 2), first, (*first, 3), (*first, 3), last,
    ]  # fmt: skip
    assert known == [[None] * 5]


def test_the_rank_of_a_shape_that_is_broadcast() -> None:
    """It is known where those of both shapes are; sizes are not."""
    seen = []

    @tf.function(input_signature=[tf.TensorSpec([None, 1, 3]), tf.TensorSpec([None, 1])])
    def f(x: Any, y: Any) -> Any:
        z = tf.zeros(tf.broadcast_dynamic_shape(tf.shape(x), tf.shape(y)))
        seen.append(z.shape.rank)
        return z

    assert f(tf.ones([2, 1, 3]), tf.ones([4, 1])).shape == [2, 4, 3]
    assert seen == [3]


@pytest.mark.parametrize("how", ["sum", "max", "min", "prod", "mean", "sqrt_n"])
def test_segments_of_what_has_no_known_rank(how: str) -> None:
    """Whose indices have none either: the ranks of the two differ."""
    segments = getattr(tf.math, f"unsorted_segment_{how}")

    def f(x: Any) -> Any:
        y = segments(x, tf.cast(x[:, 0] > 0.0, tf.int32), 2)
        return y, tf.reshape(tf.range(tf.size(y)), tf.shape(y))

    for jit_compile in (False, True):
        g = tf.function(f, jit_compile=jit_compile, input_signature=[tf.TensorSpec(None)])
        for shape in ((5, 3), (4, 1)):
            x = tf.random.stateless_normal(shape, [1, 2])
            for found, wanted in zip(g(x), f(x), strict=True):
                np.testing.assert_allclose(found.numpy(), wanted.numpy(), rtol=1e-6)
