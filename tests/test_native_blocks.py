"""Large intermediate arrays, computed a block of rows at a time: the same numbers, in less memory."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import wengert as tf
from wengert.engines.native.frontend.arrays import Count, Input, View, transpose, whole
from wengert.engines.native.optimize import blocks, cuts, region

Layer = Callable[[Any], Any]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks for arrays of any size, in as many as there may be."""
    monkeypatch.setenv("WENGERT_CACHE_DIR", "")  # what is kept there was made with the usual sizes
    for name, value in {"LEAST": 16, "BLOCK": 1}.items():
        monkeypatch.setattr(blocks, name, value)
    for name, value in {"ROWS": 1, "WIDTHS": 0}.items():
        monkeypatch.setattr(region, name, value)
    monkeypatch.setattr(region.Region, "pays", lambda *_: True)  # also where it does not


@pytest.fixture(params=["single rows", "with a rest"])
def divided(request: pytest.FixtureRequest, small: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of single rows; or of several, after which some are left over."""
    division = region.Region.division

    def with_rest(items: Any, least: int) -> Any:
        found = division(items, 1 << 40)  # of single rows
        return None if found is None else (found[0], max(found[0] * 3 // 7, 1))

    if request.param == "with a rest":
        monkeypatch.setattr(region.Region, "division", with_rest)


def kinds(plan: Any) -> list[str]:
    return [step["kind"] for step in plan.steps]


# ---- drawn networks ---------------------------------------------------------------------------------


class Network:
    """Layers drawn for a batch of sequences, what becomes of them, and their weights."""

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(seed)
        self._numbers = np.random.default_rng(seed)
        self.batch = self._rng.choice([2, 3, 4, 6, 7, 8, 12])
        self.length, self.width = self._rng.randint(1, 4), self._rng.randint(1, 5)
        self.weights: list[Any] = []
        self._layers = [self._layer() for _ in range(self._rng.randint(1, 4))]
        self._loss = self._rng.choice(LOSSES)
        self._also = self._rng.random() < 0.3  # an activation is a result, too

    def inputs(self) -> list[Any]:
        shape = self.batch, self.length, self.width
        return [self._numbers.normal(size=shape), *self.weights]

    def _weight(self, *shape: int) -> int:
        self.weights.append(self._numbers.normal(size=shape))
        return len(self.weights) - 1

    def _layer(self) -> Callable[[Any, Sequence[Any]], Any]:
        return getattr(self, self._rng.choice(LAYERS))()

    def __call__(self, x: Any, *weights: Any) -> list[Any]:
        middle = x
        for at, layer in enumerate(self._layers):
            x = layer(x, weights)
            middle = x if at == 0 else middle
        return [self._loss(x), *([middle] if self._also else [])]

    # Each keeps the shape of its input.

    def dense(self) -> Any:
        at, b = self._weight(self.width, self.width), self._weight(self.width)
        return lambda x, w: tf.tanh(tf.matmul(x, w[at]) + w[b])

    def recurrent(self) -> Any:
        """The same weights several times: the gradient is a sum of sums."""
        at, b = self._weight(self.width, self.width), self._weight(self.width)
        count = self._rng.randint(2, 4)

        def layer(x: Any, w: Any) -> Any:
            rows = tf.reshape(x, [-1, self.width])
            for _ in range(count):
                rows = tf.tanh(rows @ w[at] + w[b])
            return tf.reshape(rows, tf.shape(x))

        return layer

    def sums_of_products(self) -> Any:
        a, b = self._weight(self.width, self.width), self._weight(self.width, self.width)

        def layer(x: Any, w: Any) -> Any:
            rows = tf.reshape(x, [-1, self.width])
            left, right = tf.sin(rows) - 0.5 * (rows @ w[a]), tf.cos(rows) - 0.3 * (rows @ w[b])
            return tf.reshape(left + right, tf.shape(x))

        return layer

    def masked_weight(self) -> Any:
        at = self._weight(self.width, self.width)
        mask = np.tril(np.ones((self.width, self.width)))
        return lambda x, w: x + tf.matmul(x, tf.sin(w[at]) * mask)

    def flat(self) -> Any:
        size = self.length * self.width
        at = self._weight(size, size)
        return lambda x, w: tf.reshape(
            tf.nn.sigmoid(tf.matmul(tf.reshape(x, [-1, size]), w[at])), tf.shape(x)
        )

    def attention(self) -> Any:
        q, k = self._weight(self.width, self.width), self._weight(self.width, self.width)

        def layer(x: Any, w: Any) -> Any:
            scores = tf.nn.softmax(tf.matmul(x @ w[q], x @ w[k], transpose_b=True))
            return x + tf.matmul(scores, x)

        return layer

    def heads(self) -> Any:
        at = self._weight(self.width, 2 * self.width)
        parts = self.length, 2, self.width

        def layer(x: Any, w: Any) -> Any:
            h = tf.transpose(tf.reshape(x @ w[at], [-1, *parts]), [0, 2, 1, 3])
            mixed = tf.nn.softmax(tf.matmul(h, h, transpose_b=True)) @ h
            return tf.reduce_sum(tf.transpose(mixed, [0, 2, 1, 3]), 2) * 0.5

        return layer

    def heads_of_one(self) -> Any:
        """Heads that lie beside each other: the numbers of a head are far apart."""
        heads = self._rng.choice([2, 3])
        to, back = self._weight(self.width, 3 * heads * 2), self._weight(heads * 2, self.width)

        def layer(x: Any, w: Any) -> Any:
            rows = tf.reshape(x, [-1, self.width])
            parts = tf.reshape(rows @ w[to], [-1, 3, heads, 2])
            q, k, v = (tf.transpose(parts[:, n], [1, 0, 2]) for n in range(3))
            mixed = tf.nn.softmax(tf.matmul(q, k, transpose_b=True)) @ v
            return x + tf.reshape(
                tf.reshape(tf.transpose(mixed, [1, 0, 2]), [-1, heads * 2]) @ w[back], tf.shape(x)
            )

        return layer

    def features_first(self) -> Any:
        a, b = self._weight(4, self.width), self._weight(self.width, 4)

        def layer(x: Any, w: Any) -> Any:
            columns = tf.transpose(tf.reshape(x, [-1, self.width]))
            columns = columns + tf.matmul(w[b], tf.tanh(w[a] @ columns)) * 0.5
            return tf.reshape(tf.transpose(columns), tf.shape(x))

        return layer

    def experts(self) -> Any:
        at = self._weight(3, self.width, self.width)
        return lambda x, w: (
            tf.reduce_sum(
                tf.nn.sigmoid(tf.einsum("bsd,eds->ebs", x, w[at][:, :, : self.length])), 0
            )[..., None]
            * x
            if self.length <= self.width
            else x
        )

    def again(self) -> Any:
        at = self._weight(self.width, self.width)

        def layer(x: Any, w: Any) -> Any:
            return tf.recompute_grad(lambda x, m: tf.tanh(tf.matmul(tf.sin(x), m)) @ m)(x, w[at])

        return layer

    def normalized(self) -> Any:
        def layer(x: Any, w: Any) -> Any:
            mean, variance = tf.nn.moments(x, [-1], keepdims=True)
            return (x - mean) * tf.math.rsqrt(variance + 0.1)

        return layer

    def over_the_batch(self) -> Any:
        def layer(x: Any, w: Any) -> Any:
            mean, variance = tf.nn.moments(x, [0], keepdims=True)
            return (x - mean) * tf.math.rsqrt(variance + 0.5)

        return layer

    def dropped(self) -> Any:
        seed = [self._rng.randint(0, 99), 1]
        return lambda x, w: tf.nn.experimental.stateless_dropout(x, 0.3, seed)

    def shifted(self) -> Any:
        return lambda x, w: tf.concat([x[:, 1:], tf.cos(x[:, :1])], 1)

    def padded(self) -> Any:
        return lambda x, w: tf.tanh(x) + tf.pad(x[:, 1:], [[0, 0], [0, 1], [0, 0]])

    def turned(self) -> Any:
        return lambda x, w: tf.reverse(x, [0]) * 0.5 + x

    def looked_up(self) -> Any:
        at = self._weight(3, self.width)
        return lambda x, w: x + tf.gather(w[at], tf.cast(tf.abs(x[..., 0]) * 2.0, tf.int32) % 3)

    def numbered(self) -> Any:
        n = self.batch
        return lambda x, w: x * tf.reshape(tf.range(1.0, n + 1.0, dtype=x.dtype), [n, 1, 1]) / n

    def gram(self) -> Any:
        return lambda x, w: tf.matmul(x, tf.matmul(x, x, transpose_a=True)) * 0.3


LAYERS = [
    "dense", "recurrent", "recurrent", "sums_of_products", "sums_of_products", "masked_weight", "flat", "attention", "heads", "heads_of_one", "heads_of_one",
    "features_first", "experts", "again", "normalized", "over_the_batch",
    "dropped", "shifted", "padded", "turned", "looked_up", "numbered", "gram",
]  # fmt: skip
LOSSES: list[Layer] = [
    lambda y: tf.reduce_mean(tf.square(y)),
    lambda y: tf.sqrt(tf.reduce_sum(tf.square(y)) + 1.0),
    lambda y: tf.reduce_sum(tf.math.log(tf.reduce_mean(tf.exp(tf.tanh(y)), 0))),
    lambda y: tf.reduce_max(tf.tanh(y)) + tf.reduce_prod(1.0 + 0.1 * tf.tanh(y[..., 0])),
    lambda y: tf.reduce_sum(tf.matmul(tf.reshape(y, [y.shape[0], -1]), tf.reshape(y, [y.shape[0], -1]), transpose_a=True) ** 2) * 0.01,
]  # fmt: skip


def derivatives(network: Network) -> Callable[..., list[Any]]:
    """The results, their gradients, and the gradients of what these are in sum."""

    def f(*xs: Any) -> list[Any]:
        with tf.GradientTape() as outer:
            outer.watch(xs)
            with tf.GradientTape() as inner:
                inner.watch(xs)
                ys = network(*xs)
            gs = inner.gradient(ys[0], xs, unconnected_gradients="zero")
            total = tf.add_n([tf.reduce_sum(g * tf.sin(x)) for g, x in zip(gs, xs, strict=True)])
        return [*ys, *gs, *outer.gradient(total, xs, unconnected_gradients="zero")]

    return f


SEEDS = range(32)


@pytest.mark.usefixtures("divided")
@pytest.mark.parametrize("seed", SEEDS)
def test_drawn_networks(seed: int) -> None:
    network = Network(seed)
    f = derivatives(network)
    xs = [tf.constant(x) for x in network.inputs()]
    wanted = tf.function(f, jit_compile=False)(*xs)
    found = tf.function(f, jit_compile=True)(*xs)
    for y, z in zip(found, wanted, strict=True):
        np.testing.assert_allclose(y, z, rtol=1e-8, atol=1e-9)


@pytest.mark.usefixtures("small")
def test_most_drawn_networks_have_blocks() -> None:
    """What the networks above are drawn for."""
    found = []
    for seed in list(SEEDS)[:12]:
        network = Network(seed)
        xs = [tf.constant(x) for x in network.inputs()]
        found.append(
            "blocks" in kinds(tf.function(derivatives(network), jit_compile=True).plan(*xs))
        )
    assert sum(found) >= 6


# ---- memory and speed ---------------------------------------------------------------------------------


def network_of(layers: int, width: int) -> tuple[Any, list[Any]]:
    weights = [tf.Variable(tf.ones([width, width])) for _ in range(layers)]

    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            y = x
            for w in weights:
                y = tf.tanh(y @ w)
            loss = tf.reduce_mean(tf.square(y))
        return tape.gradient(loss, weights)

    return tf.function(step, jit_compile=True), weights


def test_a_deep_network_keeps_one_block_of_its_activations() -> None:
    step, _ = network_of(12, 128)
    rows = tf.zeros([16384, 128])
    plan = step.plan(rows)
    assert "blocks" in kinds(plan)
    assert plan.memory < 12 * rows.numpy().nbytes / 10


def test_any_number_of_rows() -> None:
    """A prime: the last block is smaller than the others."""
    step, weights = network_of(12, 128)
    rows = tf.constant(np.random.default_rng(0).normal(size=(16381, 128)).astype(np.float32) * 0.01)
    plan = step.plan(rows)
    assert kinds(plan).count("blocks") == 2
    assert plan.memory < 12 * rows.numpy().nbytes / 10
    for w in weights:
        w.assign(np.random.default_rng(1).normal(size=(128, 128)) * 0.1)
    reference = tf.function(step.python_function, jit_compile=False)
    for g, h in zip(step(rows), reference(rows), strict=True):
        np.testing.assert_allclose(g, h, rtol=0, atol=2e-5 * np.abs(h).max())


def test_a_large_score_matrix_is_never_there() -> None:
    @tf.function(jit_compile=True)
    def slopes(q: Any, k: Any, v: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch([q, k, v])
            scores = tf.nn.softmax(tf.matmul(q, k, transpose_b=True) * 0.125)
            y = tf.reduce_sum(tf.square(scores @ v))
        return tape.gradient(y, [q, k, v])

    x = tf.zeros([1, 4, 2048, 64])
    assert slopes.plan(x, x, x).memory < 2048 * 2048 * 4


def heads_of_a_sequence(x: Any, *weights: Any) -> Any:
    """Attention as most write it: heads are taken out of one sequence by reshape and transpose."""
    shape = tf.shape(x)
    q, k, v = (
        tf.transpose(tf.reshape(x @ w, [*x.shape[:2], 4, -1]), [0, 2, 1, 3]) for w in weights[:3]
    )
    mixed = tf.nn.softmax(tf.matmul(q, k, transpose_b=True) * 0.25) @ v
    return x + tf.reshape(tf.transpose(mixed, [0, 2, 1, 3]), shape) @ weights[3]


@pytest.mark.parametrize("batch", [1, 2])
def test_heads_that_lie_beside_each_other(batch: int) -> None:
    @tf.function(jit_compile=True)
    def slopes(x: Any, *weights: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch([x, weights])
            y = tf.reduce_sum(tf.square(heads_of_a_sequence(x, *weights)))
        return tape.gradient(y, [x, *weights])

    numbers = np.random.default_rng(0)
    draw = lambda *shape: tf.constant(numbers.normal(size=shape).astype(np.float32) * 0.1)  # noqa: E731
    xs = [draw(batch, 2048, 64), *[draw(64, 64) for _ in range(4)]]
    assert slopes.plan(*xs).memory < batch * 4 * 2048 * 2048 * 4 / 2
    reference = tf.function(slopes.python_function, jit_compile=False)
    for g, h in zip(slopes(*xs), reference(*xs), strict=True):
        np.testing.assert_allclose(g, h, rtol=0, atol=2e-5 * np.abs(h).max())


def test_what_is_computed_again_is_not_kept() -> None:
    """Layers of attention, each computed again for its gradient."""

    def memory(layer: Any) -> int:
        @tf.function(jit_compile=True)
        def slopes(x: Any, *weights: Any) -> Any:
            with tf.GradientTape() as tape:
                tape.watch(weights)
                y = layer(layer(x, *weights), *weights)
                loss = tf.reduce_sum(tf.square(y))
            return tape.gradient(loss, weights)

        return slopes.plan(tf.zeros([1, 2048, 64]), *[tf.zeros([64, 64])] * 4).memory

    scores = 4 * 2048 * 2048 * 4
    assert memory(heads_of_a_sequence) > 2 * scores
    assert memory(tf.recompute_grad(heads_of_a_sequence)) < scores / 2


def test_layers_that_are_computed_again_are_divided_as_they_are() -> None:
    def memory(around: Any) -> int:
        def layers(x: Any, *weights: Any) -> Any:
            for w in weights:
                x = tf.tanh(x @ w)
            return x

        @tf.function(jit_compile=True)
        def slopes(x: Any, *weights: Any) -> Any:
            with tf.GradientTape() as tape:
                tape.watch(weights)
                y = around(layers)(around(layers)(x, *weights[:3]), *weights[3:])
                loss = tf.reduce_sum(tf.square(y))
            return tape.gradient(loss, weights)

        return slopes.plan(tf.zeros([32768, 128]), *[tf.zeros([128, 128])] * 6).memory

    assert memory(tf.recompute_grad) <= memory(lambda f: f) * 1.1


def test_a_sum_is_added_to_what_comes_after_the_loop() -> None:
    """The gradient of centres: of their products with all rows, and of their own squares."""

    @tf.function(jit_compile=True)
    def slopes(x: Any, c: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch([x, c])
            distances = tf.matmul(x, c, transpose_b=True) * -2.0 + tf.reduce_sum(c * c, 1)
            y = tf.reduce_sum(tf.reduce_logsumexp(-distances, 1))
        return tape.gradient(y, [x, c])

    numbers = np.random.default_rng(0)
    x, c = (
        tf.constant(numbers.normal(size=s).astype(np.float32)) for s in [(20011, 32), (600, 32)]
    )
    assert slopes.plan(x, c).memory < 20011 * 600 * 4 / 4
    reference = tf.function(slopes.python_function, jit_compile=False)
    for g, h in zip(slopes(x, c), reference(x, c), strict=True):
        np.testing.assert_allclose(g, h, rtol=0, atol=1e-4 * np.abs(h).max())


@pytest.mark.parametrize(
    ("shape", "multiplied"),
    [((16384, 128), lambda y, w: y @ w), ((128, 16384), lambda y, w: w @ y)],
    ids=["examples first", "features first"],
)
def test_weights_that_are_used_again_and_again(shape: tuple[int, int], multiplied: Any) -> None:
    """What they contribute is added up in the loop, and no layer is kept for later."""
    x, w = tf.zeros(shape), tf.zeros([128, 128])

    @tf.function(jit_compile=True)
    def slope(x: Any, w: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(w)
            y = x
            for _ in range(12):
                y = tf.tanh(multiplied(y, w))
            loss = tf.reduce_mean(tf.square(y))
        return tape.gradient(loss, w)

    assert slope.plan(x, w).memory < 12 * x.numpy().nbytes / 10


def test_random_numbers_are_drawn_four_at_a_time() -> None:
    """As outside of blocks: a step of the generator gives four."""

    @tf.function(jit_compile=True)
    def f(x: Any, w: Any) -> Any:
        y = tf.nn.experimental.stateless_dropout(x @ w, 0.5, [1, 2])
        return tf.matmul(y, x, transpose_a=True)

    x, w = tf.zeros([32768, 256]), tf.zeros([256, 512])
    (step,) = [s for s in f.plan(x, w).steps if s["kind"] == "blocks"]
    products = 2 * 2 * 32768 * 256 * 512
    assert step["flops"] - products < 32768 * 512 * 80


def test_small_arrays_are_left_as_they_are() -> None:
    step, _ = network_of(4, 128)
    assert "blocks" not in kinds(step.plan(tf.zeros([1000, 128])))


def test_a_plan_says_what_its_blocks_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many products, and their lines."""
    monkeypatch.setenv("WENGERT_CACHE_DIR", "")
    rows = tf.zeros([16384, 128])
    in_blocks = network_of(12, 128)[0].plan(rows)
    monkeypatch.setattr(blocks, "LEAST", 1 << 50)
    at_once = network_of(12, 128)[0].plan(rows)
    (step,) = [s for s in in_blocks.steps if s["kind"] == "blocks"]
    total = sum(s["flops"] for s in at_once.steps)
    assert step["flops"] == pytest.approx(total, rel=0.02)
    assert any("MatMul" in line for line in step["made of"])


# ---- what is around a loop ------------------------------------------------------------------------------


@pytest.mark.usefixtures("small")
def test_variables_are_updated_by_what_the_blocks_add_up() -> None:
    x = np.random.default_rng(0).normal(size=(6, 3))
    found = []
    for compiled in (True, False):
        weights = [tf.Variable(np.full((3, 3), 0.1 * k)) for k in (1, 2, 3)]

        @tf.function(jit_compile=compiled)
        def step(x: Any, weights: Any = weights) -> Any:
            with tf.GradientTape() as tape:
                y = x
                for w in weights:
                    y = tf.tanh(y @ w)
                loss = tf.reduce_mean(tf.square(y))
            for w, g in zip(weights, tape.gradient(loss, weights), strict=True):
                w.assign_sub(0.5 * g)
            return loss, weights[0].read_value()

        losses = [step(tf.constant(x)) for _ in range(4)]
        found.append([*[v for pair in losses for v in pair], *weights])
        if compiled:
            assert "blocks" in kinds(step.plan(tf.constant(x)))
    for a, b in zip(*found, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)


@pytest.mark.usefixtures("small")
def test_in_a_loop_of_the_program() -> None:
    def f(x: Any, w: Any) -> Any:
        for _ in tf.range(3):
            x = tf.tanh(tf.tanh(x @ w) @ w) + 0.1 * tf.matmul(x, x, transpose_a=True)[:1]
        return x

    x, w = (
        tf.constant(np.random.default_rng(k).normal(size=s)) for k, s in enumerate([(6, 3), (3, 3)])
    )
    native, reference = (tf.function(f, jit_compile=c)(x, w) for c in (True, False))
    np.testing.assert_allclose(native, reference, rtol=1e-10)


@pytest.mark.usefixtures("small")
def test_an_index_out_of_range_is_an_error() -> None:
    @tf.function(jit_compile=True)
    def f(x: Any, w: Any, at: Any) -> Any:
        y = tf.tanh(x @ w) + tf.gather(w, at)
        return tf.reduce_sum(tf.matmul(y, y, transpose_a=True))

    x, w = tf.ones([4, 3]), tf.ones([3, 3])
    f(x, w, tf.constant([0, 1, 2, 0]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="indices\\[3\\] = 7"):
        f(x, w, tf.constant([0, 1, 2, 7]))


# ---- which views belong to one block ----------------------------------------------------------------------


def test_aligned_views() -> None:
    base = Input((6, 4), "f8")
    rows = whole(base)
    assert cuts.is_aligned(rows, 0, 3)
    assert not cuts.is_aligned(rows, 0, 4)  # which does not divide the rows
    assert cuts.is_aligned(rows, 1, 2)  # two columns of each row
    assert cuts.shortened(rows, 1, 2, 1) == (0, (2, 1))
    assert cuts.is_aligned(View(base, (2, 3, 2), 1, (12, 4, 2)), 2, 2)
    assert cuts.is_aligned(transpose(rows, (1, 0)), 1, 3)
    assert cuts.is_aligned(View(base, (6, 2), 1, (4, 1)), 0, 6)  # two columns
    assert not cuts.is_aligned(View(base, (6, 2), 3, (4, 1)), 0, 6)  # from one row into the next
    assert not cuts.is_aligned(View(base, (6, 4), 20, (-4, 1)), 0, 3)  # from the last to the first
    assert cuts.is_aligned(View(base, (6, 4), 3, (4, -1)), 0, 3)  # each row backwards
    assert not cuts.is_aligned(View(Count((6,), "i4"), (6, 4), 0, (0, 1)), 0, 3)
