"""tf.random: TensorFlow's numbers, its rules for seeds, gradients, complaints."""

from __future__ import annotations

import json
import threading
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import scipy.special
from random_cases import PROGRAMS, RECORDS

import wengert as tf
from wengert.compat.v1 import initializers as old_initializers
from wengert.compat.v1 import random as old_random
from wengert.compat.v1.functions import nn_random
from wengert.ops.random import distributions
from wengert.ops.random.rows import UNIFORM
from wengert.ops.random.stateful import draw
from wengert.ops.support.large_kernels import Often

V1 = SimpleNamespace(initializers=old_initializers, **old_random.V1_NAMES)
WANTED: dict[str, Any] = json.loads(RECORDS.read_text("utf-8"))

# Normal numbers go through the logarithm, sine and cosine of the machine, orthogonal matrices
# through its linear algebra; everything else is exact.
NEAR = {"float64": 1e-13, "float32": 2e-6, "float16": 1e-3, "bfloat16": 1e-2}


def named(kind: str) -> Any:
    return pytest.mark.parametrize("name", PROGRAMS[kind])


def assert_recorded(kind: str, name: str) -> None:
    """The library makes of a program what TensorFlow made of it."""
    got = [np.asarray(t) for t in PROGRAMS[kind][name](tf, V1)]
    wanted = WANTED[kind][name]
    assert [[g.dtype.name, list(g.shape)] for g in got] == [w[:2] for w in wanted]
    for g, (dtype, _, elements) in zip(got, wanted, strict=True):
        if dtype not in NEAR:
            assert g.reshape(-1).tolist() == elements
            continue
        near = 1e-9 if name == "gamma gradient" else NEAR[dtype]
        np.testing.assert_allclose(g.reshape(-1).astype(np.float64), elements, rtol=near, atol=near)


@named("stateless")
def test_stateless_numbers_are_tensorflows(name: str) -> None:
    """Functions of a seed."""
    assert_recorded("stateless", name)


@named("stateful")
def test_stateful_numbers_are_tensorflows(name: str) -> None:
    """Functions of the seeds that were set, and of what ran before."""
    assert_recorded("stateful", name)


@named("generators")
def test_numbers_of_generators_are_tensorflows(name: str) -> None:
    """Objects with a state."""
    assert_recorded("generators", name)


@named("initializers")
def test_numbers_of_initializers_are_tensorflows(name: str) -> None:
    """First values of weights."""
    assert_recorded("initializers", name)


IN_FUNCTIONS = json.loads((RECORDS.parent / "random_in_functions.json").read_text("utf-8"))


@pytest.mark.parametrize("case", IN_FUNCTIONS["cases"], ids=lambda case: case["name"])
def test_numbers_in_functions_and_graphs_are_tensorflows(case: Any) -> None:
    """Seeds are derived for each function and each graph; `set_seed` lets functions begin anew."""
    names: dict[str, Any] = {"tf": tf, "np": np}
    tf.random.set_seed(None)
    exec(case["program"], names)
    assert len(names["out"]) == len(case["out"])
    for got, wanted in zip(names["out"], case["out"], strict=True):
        np.testing.assert_allclose(np.asarray(got), wanted, rtol=2e-6, atol=2e-6)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_uniform_numbers_are_exactly_tensorflows(dtype: str) -> None:
    """Not only nearly: there is no function in them that a machine may round differently."""
    recorded = WANTED["stateless"][f"uniform {dtype}"][0][2]
    got = tf.random.stateless_uniform([9], [1, 2], dtype=dtype).numpy()
    assert got.astype(np.float64).tolist() == recorded


# ---- seeds ------------------------------------------------------------------------------------


def test_without_a_seed_chance_decides() -> None:
    """Two calls differ, and so do two operations with no seed at all."""
    assert tf.random.uniform([4]).numpy().tolist() != tf.random.uniform([4]).numpy().tolist()
    assert old_random.get_seed(None) == (None, None)


def test_a_seed_can_be_taken_away() -> None:
    """After set_seed(None) an operation's own seed stands beside the default one."""
    tf.random.set_seed(3)
    tf.random.set_seed(None)
    assert old_random.get_seed(4) == (87654321, 4)


def test_seeds_may_be_of_any_integer_type() -> None:
    """NumPy's integers and scalar tensors, too."""
    made = []
    for seed in (3, np.int64(3), tf.constant(3)):
        tf.random.set_seed(seed)
        made.append(tf.random.uniform([2], seed=np.int32(5)).numpy().tolist())
    assert made[0] == made[1] == made[2]


def test_what_is_no_seed() -> None:
    """A word is none."""
    with pytest.raises(TypeError, match="A seed must be an integer, got 'abc'"):
        tf.random.set_seed("abc")


def test_threads_draw_disjoint_parts_of_a_stream() -> None:
    """Together, threads draw what one would."""
    tf.random.set_seed(1)
    alone = {tf.random.uniform([], seed=2).numpy().item() for _ in range(80)}
    tf.random.set_seed(1)
    together: set[float] = set()

    def work() -> None:
        together.update(tf.random.uniform([], seed=2).numpy().item() for _ in range(20))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert together == alone


# ---- gradients --------------------------------------------------------------------------------


def test_gradients_of_bounds_and_moments() -> None:
    """low + (high - low) u and mean + stddev n: the gradients are 1 - u, u, 1 and n."""
    a, b = tf.constant(2.0), tf.constant([3.0, 5.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([a, b])
        uniform = tf.random.stateless_uniform([4, 2], [1, 2], a, b)
        normal = tf.random.stateless_normal([4, 2], [1, 2], a, b)
    u = tf.random.stateless_uniform([4, 2], [1, 2]).numpy()
    n = tf.random.stateless_normal([4, 2], [1, 2]).numpy()
    for y, wanted in ((uniform, [(1 - u).sum(), u.sum(0)]), (normal, [8.0, n.sum(0)])):
        for got, want in zip(tape.gradient(y, [a, b]), wanted, strict=True):
            np.testing.assert_allclose(got.numpy(), want, rtol=1e-5)


def test_gradient_of_stateful_moments() -> None:
    """The same for operations that draw."""
    mean = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(mean)
        y = tf.random.normal([5, 2], mean) + tf.random.truncated_normal([5, 2], mean)
    assert tape.gradient(y, mean).numpy().tolist() == [10.0, 10.0]


@pytest.mark.parametrize("alpha", [0.1, 0.3, 1.0, 7.0, 200.0, 5e4])
def test_gamma_gradient_follows_the_quantile(alpha: float) -> None:
    """A number moves with alpha as the quantile does that it is."""
    x = tf.random.stateless_gamma([50], [1, 2], alpha, dtype=tf.float64).numpy()
    place = scipy.special.gammainc(alpha, x)
    step = 1e-3 * alpha
    near, far = (
        scipy.special.gammaincinv(alpha + k * step, place)
        - scipy.special.gammaincinv(alpha - k * step, place)
        for k in (1, 2)
    )
    want = (8 * near - far) / (12 * step)
    a = tf.fill([50], tf.constant(alpha, tf.float64))
    with tf.GradientTape() as tape:
        tape.watch(a)
        y = tf.random.stateless_gamma([50], [1, 2], a, dtype=tf.float64)
    np.testing.assert_allclose(tape.gradient(y, a).numpy(), want, rtol=1e-5)


def test_gamma_gradient_in_forward_mode() -> None:
    """The tangent agrees with the gradient, in both forms of the operation."""
    a = tf.constant([0.5, 3.0], tf.float64)
    t = tf.constant([2.0, -1.0], tf.float64)
    for stateful in (False, True):
        tf.random.set_seed(1)
        with tf.autodiff.ForwardAccumulator(a, t) as acc, tf.GradientTape() as tape:
            tape.watch(a)
            if stateful:
                y = tf.random.gamma([6], a, dtype=tf.float64)
            else:
                y = tf.random.stateless_gamma([6, 2], [1, 2], a, dtype=tf.float64)
        pushed = tf.reduce_sum(acc.jvp(y)).numpy()
        pulled = tf.reduce_sum(tape.gradient(y, a) * t).numpy()
        np.testing.assert_allclose(pushed, pulled, rtol=1e-12)


def test_second_derivative_of_gamma() -> None:
    """A draw moves with alpha so that it keeps its quantile, also at second order."""
    a = tf.constant([0.8, 3.0], tf.float64)
    with tf.GradientTape() as outer:
        outer.watch(a)
        with tf.GradientTape() as inner:
            inner.watch(a)
            y = tf.random.stateless_gamma([1, 2], [1, 2], a, dtype=tf.float64)
        first = inner.gradient(y, a)
    second = outer.gradient(first, a).numpy()
    at, step = a.numpy(), 1e-3
    quantile = scipy.special.gammainc(at, y.numpy()[0])
    moved = [scipy.special.gammaincinv(at + k * step, quantile) for k in (-2, -1, 0, 1, 2)]
    want = (-moved[0] + 16 * moved[1] - 30 * moved[2] + 16 * moved[3] - moved[4]) / (12 * step**2)
    np.testing.assert_allclose(second, want, rtol=1e-6)


def test_dropout_gradient() -> None:
    """Where an element was kept the gradient is the scale, elsewhere zero; and it reaches rate."""
    x, rate = tf.constant([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), tf.constant(0.5)
    with tf.GradientTape() as tape:
        tape.watch([x, rate])
        y = tf.nn.dropout(x, rate, seed=2)
    gx, gr = tape.gradient(y, [x, rate])
    kept = y.numpy() != 0
    assert set(kept) == {True, False}
    assert gx.numpy().tolist() == np.where(kept, 2.0, 0.0).tolist()
    assert gr.numpy() == np.sum(x.numpy()[kept] * 4.0)


def test_vectorized_examples_draw_numbers_of_their_own() -> None:
    """In a vectorized function every example has other numbers."""
    xs = tf.zeros([4, 30])
    tf.random.set_seed(1)
    for make in (
        lambda x: x + tf.random.normal([30]),
        lambda x: x + tf.random.gamma([30], 2.0),
        lambda x: x + tf.random.shuffle(tf.range(30.0)),
        lambda x: tf.nn.dropout(x + 1.0, 0.5),
    ):
        rows = tf.vectorized_map(make, xs).numpy()
        assert rows.shape == (4, 30)
        assert len({tuple(row) for row in rows.tolist()}) == 4
    same = tf.vectorized_map(lambda x: x + tf.random.stateless_normal([30], [1, 2]), xs).numpy()
    assert len({tuple(row) for row in same.tolist()}) == 1


# ---- complaints -------------------------------------------------------------------------------

R = tf.random
COMPLAINTS = [
    (lambda: R.uniform([-1]), ValueError, r"Dimension -1 must be >= 0 [Op:RandomUniform]"),
    (lambda: R.uniform(5), ValueError, "shape must be a vector of {int32,int64}, got shape []"),
    (lambda: R.uniform([1], dtype="uint8"), ValueError, "Argument `dtype` got invalid value"),
    (lambda: R.uniform([1], dtype="int32"), ValueError, "Must specify maxval for integer dtype"),
    (lambda: R.uniform([1], 5, 5, "int32"), ValueError, "Need minval < maxval, got 5 >= 5"),
    (lambda: R.uniform([1], [5], 9, "int32"), ValueError, "minval must be 0-D, got shape [1]"),
    (lambda: R.normal([1], dtype="int32"), TypeError, "Cannot convert 0.0 to EagerTensor"),
    (lambda: R.categorical([1.0], 1), ValueError, "logits should be a matrix, got shape [1]"),
    (lambda: R.categorical([[1.0]], -1), ValueError, "num_samples should be non-negative, got -1"),
    (lambda: R.categorical([[]], 1), ValueError, "num_classes should be positive, got 0"),
    (lambda: R.categorical([[1]], 1), ValueError, "Value for attr 'T' of int32"),
    (lambda: R.categorical([[1.0]], 1, "int8"), ValueError, "Argument `dtype` got invalid value"),
    (lambda: R.stateless_uniform([1], 3), ValueError, "seed must have shape [2], not []"),
    (lambda: R.stateless_uniform([1], [1.0, 2.0]), ValueError, "Value for attr 'Tseed' of float"),
    (
        lambda: R.stateless_uniform([1], [1, 2], None, 5, "int32"),
        ValueError,
        "must be both None or not None. Got `minval`=None and `maxval`=5.",
    ),
    (
        lambda: R.stateless_uniform([1], [1, 2], 0, 5, "uint32"),
        ValueError,
        "Please don't use unsigned integers in this case.",
    ),
    (lambda: R.stateless_uniform([1], [1, 2], alg="x"), ValueError, "got unsupported value x."),
    (lambda: R.stateless_uniform([1], [1, 2], alg=7), ValueError, "got unsupported value 7."),
    (lambda: R.stateless_uniform([1], [1, 2], alg=1.5), TypeError, "Can't convert argument `alg`"),  # type: ignore[arg-type]
    (lambda: R.stateless_uniform([1], [1, 2], alg="threefry"), ValueError, "use Philox"),
    (
        lambda: R.stateless_normal([1], [1, 2], 0, 1, "int32"),
        ValueError,
        "Value for attr 'dtype' of int32 is not in the list of allowed values: half, bfloat16",
    ),
    (
        lambda: R.stateless_gamma([3], [1, 2], [1.0, 2.0]),
        ValueError,
        "Shape passed in must end with broadcasted shape.",
    ),
    (lambda: tf.nn.dropout([1.0], 1.0), ValueError, "in the range [0, 1). Received: rate=1.0"),
    (lambda: tf.nn.dropout([1], 0.5), ValueError, "`x.dtype` must be a floating point tensor"),
    (lambda: tf.nn.dropout([1.0], "a"), ValueError, "must be a scalar or scalar tensor"),
    (
        lambda: tf.nn.dropout([1.0], tf.constant(0.5, tf.float64)),
        ValueError,
        "`x.dtype` must be compatible with `rate.dtype`.",
    ),
    (lambda: nn_random.dropout([1.0]), ValueError, "`rate` must be provided. Received: rate=None"),
    (lambda: nn_random.dropout([1.0], "a"), ValueError, "`keep_prob` must be a floating point"),
    (lambda: nn_random.dropout([1.0], 0.5, rate=0.5), ValueError, "both 'rate' and 'keep_prob'"),
]


@pytest.mark.parametrize(("call", "kind", "words"), COMPLAINTS, ids=[c[2] for c in COMPLAINTS])
def test_complaints(call: Any, kind: type[Exception], words: str) -> None:
    """TensorFlow's first sentence, and an exception that those who caught TensorFlow's catch."""
    with pytest.raises(kind) as caught:
        call()
    assert words in str(caught.value)


def test_a_failing_kernel_is_explained() -> None:
    """The stream stands among the inputs that a complaint shows."""
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"resource\[\].*Op:RandomUniform"):
        draw(UNIFORM.stateful, 1, shape=(2,), dtype=tf.string)


# ---- the rest ---------------------------------------------------------------------------------


def test_shuffle_keeps_rows() -> None:
    """Rows stay together; a scalar and an empty tensor are left as they are."""
    rows = tf.random.shuffle([[1, 2], [3, 4], [5, 6]], seed=1).numpy().tolist()
    assert sorted(rows) == [[1, 2], [3, 4], [5, 6]]
    assert tf.random.shuffle(3.0).numpy() == 3.0
    assert tf.random.shuffle(tf.zeros([0, 2])).shape == (0, 2)


def test_old_dropout_keeps() -> None:
    """keep_prob is what rate leaves."""
    x = tf.ones([200])
    a = nn_random.dropout(x, keep_prob=0.25, seed=1)
    tf.random.set_seed(None)
    b = nn_random.dropout(x, rate=0.75, seed=1)
    assert a.numpy().tolist() == b.numpy().tolist()
    assert set(a.numpy()) == {0.0, 4.0}


def test_general_dropout_asks_for_numbers() -> None:
    """The sampler is called with the shape of the noise and the dtype of x."""
    asked = []

    def sampler(shape: Any, dtype: Any) -> Any:
        asked.append((tuple(shape), dtype))
        return tf.constant([[0.1], [0.9]], dtype)

    y = tf.nn.experimental.general_dropout(tf.ones([2, 3], tf.float64), 0.5, sampler, [None, 1])
    assert asked == [((2, 1), tf.float64)]
    assert y.numpy().tolist() == [[0.0] * 3, [2.0] * 3]


def test_gamma_shapes() -> None:
    """The shape stands in front of that of alpha and beta; the stateless one contains it."""
    assert tf.random.gamma([], [1.0, 2.0]).shape == (2,)
    assert tf.random.gamma([3], [1.0, 2.0], [[1.0], [2.0]]).shape == (3, 2, 2)
    assert tf.random.stateless_gamma([3, 2, 2], [1, 2], [1.0, 2.0], [[1.0], [2.0]]).shape == (
        3,
        2,
        2,
    )
    assert tf.random.stateless_poisson([0, 2], [1, 2], [1.0, 2.0]).shape == (0, 2)


def test_names_are_tensorflows() -> None:
    """The experimental names are the others."""
    assert tf.random.experimental.stateless_split is tf.random.split
    assert tf.random.experimental.stateless_fold_in is tf.random.fold_in
    assert tf.random.experimental.Generator is tf.random.Generator
    assert V1.random_normal is tf.random.normal


DRAWS: dict[str, Any] = {
    "uniform": lambda shape: tf.random.uniform(shape),
    "gamma": lambda shape: tf.random.gamma(shape, 2.0),
    "poisson": lambda shape: tf.random.poisson(shape, 2.0),
    "stateless_uniform": lambda shape: tf.random.stateless_uniform(shape, [1, 2]),
    "stateless_uniform of bounds": lambda shape: tf.random.stateless_uniform(
        shape, [1, 2], tf.zeros([1, 1]), tf.ones([1, 1])
    ),
    "stateless_normal": lambda shape: tf.random.stateless_normal(shape, [1, 2]),
    "stateless_truncated_normal": lambda shape: tf.random.stateless_truncated_normal(shape, [1, 2]),
    "stateless_gamma": lambda shape: tf.random.stateless_gamma(shape, [1, 2], 2.0),
    "stateless_poisson": lambda shape: tf.random.stateless_poisson(
        shape, [1, 2], tf.constant([2.0])
    ),
    "stateless_binomial": lambda shape: tf.random.stateless_binomial(
        shape, [1, 2], tf.constant([5.0]), tf.constant([0.5])
    ),
    "Generator.uniform": lambda shape: tf.random.get_global_generator().uniform(shape),
    "Generator.normal": lambda shape: tf.random.get_global_generator().normal(shape),
}


@pytest.mark.parametrize("written", [lambda n: (n, 1), lambda n: tf.stack([n, 1])])
@pytest.mark.parametrize("name", DRAWS)
def test_a_size_that_is_known_stays_known(name: str, written: Any) -> None:
    """Of a shape that is written with a size which is known only at the call."""
    shapes = []

    @tf.function
    def f(n: Any) -> Any:
        x = DRAWS[name](written(tf.cast(n, tf.int32)))
        shapes.append(x.shape.as_list())
        return x

    assert f(tf.constant(3, tf.int64)).shape == (3, 1)
    assert f(tf.constant(2, tf.int64)).shape == (2, 1)
    assert set(map(tuple, shapes)) == {(None, 1)}


def test_means_that_make_samples_larger_leave_their_size_open() -> None:
    @tf.function
    def f(n: Any, mean: Any) -> Any:
        x = tf.random.stateless_normal((n, 1), [1, 2], mean)
        assert x.shape.as_list() in ([None, None], [None, 4])
        return x

    assert f(tf.constant(3), tf.zeros(4)).shape == (3, 4)


@pytest.mark.parametrize("draw", [tf.random.normal, tf.random.uniform])
@pytest.mark.parametrize("count", [9, 64, 100, 1001])
def test_many_small_draws_are_those_of_one(
    monkeypatch: pytest.MonkeyPatch, draw: Any, count: int
) -> None:
    """A kernel takes over where many samples were drawn a few at a time: nobody can tell when."""
    found = []
    for elements in (1 << 60, 0):
        monkeypatch.setattr(distributions, "_often", Often(elements))
        tf.random.set_seed(5)
        found.append(np.concatenate([draw([count]) for _ in range(20)]))
    np.testing.assert_array_equal(*found)
