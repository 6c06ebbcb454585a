"""Kernels that take one element after the other: the numbers of NumPy's kernels, special ones included."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import wengert as tf
from wengert.engines.native.runtime.processor import is_supported
from wengert.ops.arrays.slicing import _folded, _folded_often
from wengert.ops.linalg.qr_lu import _lu_kernel
from wengert.ops.reductions.counting import _count_kernel
from wengert.ops.reductions.sequences import _invert_kernel
from wengert.ops.reductions.unique import _counted_kernel
from wengert.ops.sparse.edit_distance import _distance_kernel
from wengert.ops.special.bessel import _of_low_order
from wengert.ops.support import large_kernels
from wengert.ops.support.large_kernels import LargeKernel

pytestmark = pytest.mark.skipif(not is_supported(), reason="nothing compiles here")

KINDS = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"]


@pytest.fixture(autouse=True)
def native_again() -> Iterator[None]:
    yield
    tf.config.set_engine(None)


def alike(
    run: Callable[[], Any], kernel: LargeKernel[Any], monkeypatch: Any, rtol: float = 0.0
) -> None:
    """Both engines give the same arrays, and the first one by this kernel."""
    found = []
    own = kernel._kernels[-1]  # the engine's: others may have been registered since

    def watched(*args: Any) -> Any:
        found.append(own(*args))
        return found[-1]

    monkeypatch.setattr(kernel, "_kernels", [watched])
    tf.config.set_engine(None)
    got = run()
    assert found
    assert all(f is not None for f in found)
    tf.config.set_engine("numpy")
    want = run()
    many = isinstance(got, (list, tuple))
    for a, b in zip(got if many else [got], want if many else [want], strict=True):
        a, b = np.asarray(a), np.asarray(b)
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        np.testing.assert_allclose(a, b, rtol=rtol)
        if not rtol and a.dtype.kind == "f":
            assert (np.signbit(a) == np.signbit(b)).all()


# ---- counts and unique elements ---------------------------------------------------------------


@pytest.mark.parametrize("kind", ["i4", "i8", "f4", "f8"])
@pytest.mark.parametrize("shape", [(5000,), (300, 17), (2, 40000), (150_000,)])
@pytest.mark.parametrize("how", ["weights", "number", "binary"])
def test_counts(kind: str, shape: Any, how: str, monkeypatch: Any) -> None:
    rng = np.random.default_rng(0)
    values = rng.integers(0, 40, shape).astype(rng.choice(["i4", "i8"]))
    given = np.array(3) if how != "weights" else rng.normal(size=shape) * 100
    size, binary = int(rng.integers(20, 60)), how == "binary"

    def run() -> Any:
        return _count_kernel(np, values, given.astype(kind), size=size, binary=binary)

    alike(run, large_kernels.count_kernel, monkeypatch)


def test_a_negative_number_is_not_counted() -> None:
    values = np.arange(5000, dtype=np.int32)
    values[4000] = -1
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be non-negative"):
        tf.math.bincount(values, minlength=9, maxlength=9)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("index", [tf.int32, tf.int64])
def test_unique_elements(kind: str, index: Any, monkeypatch: Any) -> None:
    rng = np.random.default_rng(1)
    x = rng.integers(0, 100, 5000).astype(kind)
    if kind[0] == "f":
        for special in (np.nan, 0.0, -0.0, np.inf, -np.inf):
            x[rng.random(5000) < 0.02] = special
    kernel = large_kernels.unique_kernel
    alike(lambda: _counted_kernel(np, x, out_idx=index), kernel, monkeypatch)


def test_elements_that_are_all_different() -> None:
    for x in (np.full(100_000, np.nan), np.arange(100_000)):
        y, idx = tf.unique(x)
        assert len(y) == len(x)
        assert (idx.numpy() == np.arange(len(x))).all()


# ---- distances --------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["i4", "u1", "f4", "S"])
@pytest.mark.parametrize(("pairs", "length"), [(200, 9), (3, 300), (40, 1)])
def test_edit_distances(kind: str, pairs: int, length: int, monkeypatch: Any) -> None:
    rng = np.random.default_rng(length)
    given: list[Any] = []
    for _ in range(2):
        ends = rng.integers(0, length + 1, pairs)
        places = np.array([(i, j) for i, end in enumerate(ends) for j in range(end)])
        values = rng.integers(0, 4, len(places)).astype(kind)
        if kind == "f4":
            values[rng.random(len(values)) < 0.1] = np.nan  # equals nothing
            values[rng.random(len(values)) < 0.1] = -0.0  # equals 0.0
        mixed = rng.permutation(len(places)) if kind == "u1" else slice(None)
        strings = values.astype(object) if kind == "S" else values
        given += [places[mixed].reshape(-1, 2), strings[mixed]]

    def run() -> Any:
        return _distance_kernel(np, *given, shape=(pairs,), normalize=False)

    alike(run, large_kernels.edit_distance_kernel, monkeypatch)


# ---- boxes ------------------------------------------------------------------------------------


def boxes_of(rng: Any, count: int, kind: str, special: bool) -> tuple[Any, Any]:
    corners = rng.random((count, 2))
    ends = corners + rng.normal(size=(count, 2)) * 0.2  # some are turned over
    boxes = np.concatenate([corners, ends], 1).astype(kind)
    scores = rng.random(count).round(2).astype(np.float32)  # some are equal
    if special:
        for value in (np.nan, np.inf, 0.0):
            boxes[rng.random((count, 4)) < 0.01] = value
        for value in (np.nan, np.inf, -np.inf):
            scores[rng.random(count) < 0.03] = value
    return boxes, scores


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("function", ["plain", "scored", "soft", "padded", "overlaps", "combined"])
def test_boxes_that_are_kept(function: str, seed: int, monkeypatch: Any) -> None:
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 300))
    kind = "f8" if seed % 2 and function in ("plain", "overlaps") else "f4"
    boxes, scores = boxes_of(rng, count, kind, seed % 3 == 0 and function != "soft")
    if function == "soft":  # a tie of scores may be decided by their last digit
        scores = (rng.permutation(count) / count).astype(np.float32)
    limit, most = int(rng.integers(1, count + 5)), float(rng.choice([0.0, 0.1, 0.5, 1.0]))
    bounds = limit, most, float(rng.choice([-np.inf, 0.3]))
    overlaps = rng.random((count, count)).round(2).astype(kind)
    pair, both = np.stack([boxes, boxes[::-1]]), np.stack([scores, scores])
    image = tf.image
    run = {
        "plain": lambda: image.non_max_suppression(boxes, scores, *bounds),
        "scored": lambda: image.non_max_suppression_with_scores(boxes, scores, *bounds),
        "soft": lambda: image.non_max_suppression_with_scores(boxes, scores, *bounds, 0.5),
        "padded": lambda: image.non_max_suppression_padded(pair, both, *bounds, True),
        "overlaps": lambda: image.non_max_suppression_overlaps(overlaps, scores, *bounds),
        "combined": lambda: image.combined_non_max_suppression(
            pair[:, :, None], np.stack([both, both[:, ::-1]], -1), bounds[0], 20, *bounds[1:]
        ),
    }[function]
    rtol = 1e-5 if function == "soft" else 0.0
    alike(run, large_kernels.suppression_kernel, monkeypatch, rtol)


# ---- draws ------------------------------------------------------------------------------------


@pytest.mark.parametrize("rate", [0.0, 0.5, 9.99, 10.0, 50.0, 1e5, -1.0, np.nan, np.inf])
def test_poisson_samples(rate: float, monkeypatch: Any) -> None:
    def run() -> Any:
        return tf.random.stateless_poisson([1000], [1, 2**40], rate, tf.float64)

    alike(run, large_kernels.poisson_kernel, monkeypatch)


@pytest.mark.parametrize("trials", [0.0, 1.0, 12.0, 300.0, 1e6, np.inf, np.nan])
@pytest.mark.parametrize("chance", [0.0, 1e-3, 0.3, 0.5, 0.97, 1.0, np.nan])
def test_binomial_samples(trials: float, chance: float, monkeypatch: Any) -> None:
    def run() -> Any:
        return tf.random.stateless_binomial([500], [1, 2**40], trials, chance, tf.float64)

    alike(run, large_kernels.binomial_kernel, monkeypatch)


def test_binomial_samples_of_several_kinds(monkeypatch: Any) -> None:
    trials = np.array([[3.0], [50.0], [-1.0]])
    chances = np.array([0.01, 0.2, 0.6, 0.999])

    def run() -> Any:
        return tf.random.stateless_binomial([40, 3, 4], [5, 6], trials, chances, tf.int64)

    alike(run, large_kernels.binomial_kernel, monkeypatch)


def test_poisson_samples_of_several_rates(monkeypatch: Any) -> None:
    rates = np.random.default_rng(0).random((3, 50)) * 30

    def run() -> Any:
        return tf.random.stateless_poisson([20, 3, 50], [5, 6], rates, tf.int32)

    alike(run, large_kernels.poisson_kernel, monkeypatch)


def test_shuffles(monkeypatch: Any) -> None:
    x = np.arange(1000)

    def run() -> Any:
        return tf.random.experimental.stateless_shuffle(x, [1, 2])

    alike(run, large_kernels.shuffle_kernel, monkeypatch)


# ---- what else became faster ------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["i4", "i8"])
@pytest.mark.parametrize("batch", [(), (3,), (2, 2)])
@pytest.mark.parametrize("turned", [False, True])
def test_products_of_integers(kind: str, batch: Any, turned: bool, monkeypatch: Any) -> None:
    rng, far = np.random.default_rng(0), 2**31 - 1
    a, b = (rng.integers(-far, far, (*batch, *s)).astype(kind) for s in ((61, 53), (53, 70)))
    right = np.ascontiguousarray(b.swapaxes(-1, -2)) if turned else b

    def run() -> Any:
        return tf.matmul(a, right, transpose_b=turned)

    alike(run, large_kernels.matmul_kernel, monkeypatch)
    np.testing.assert_array_equal(run(), a @ b)


@pytest.mark.parametrize("kind", [tf.float16, tf.bfloat16])
@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "divide", "maximum", "less"])
def test_numbers_of_two_bytes(kind: Any, name: str, monkeypatch: Any) -> None:
    rng = np.random.default_rng(0)
    x, y = (tf.cast(rng.normal(size=(300, 40)) * 9, kind) for _ in range(2))
    alike(lambda: getattr(tf, name)(x, y), large_kernels.elementwise_kernel, monkeypatch)
    alike(lambda: tf.cast(x, tf.float32), large_kernels.cast_kernel, monkeypatch)
    alike(lambda: tf.cast(tf.cast(x, tf.float32), kind), large_kernels.cast_kernel, monkeypatch)


@pytest.mark.parametrize("skipped", [0, 1])
@pytest.mark.parametrize("size", range(1, 7))
def test_mirrored_padding_is_folded_back(size: int, skipped: int) -> None:
    rng = np.random.default_rng(0)
    for before in range(size - skipped + 1):
        for after in range(size - skipped + 1):
            g = rng.integers(0, 99, (before + size + after, 2)).astype(float)
            want = _folded_often(g, (before, after), size, skipped)
            np.testing.assert_array_equal(_folded(g, (before, after), size, skipped), want)


@pytest.mark.parametrize("name", ["iv", "ive", "jv"])
@pytest.mark.parametrize("order", [0, 1, 2])
def test_bessel_functions_of_low_orders(name: str, order: int) -> None:
    special = pytest.importorskip("scipy.special")
    x = np.concatenate([np.linspace(-40, 40, 4001), [1e-9, -1e-5, 0.0, -0.0, 500.0]])
    found, want = _of_low_order(name, order, x), getattr(special, name)(order, x)
    np.testing.assert_allclose(found, want, rtol=4e-13, atol=3e-15 if name == "jv" else 1e-300)


@pytest.mark.parametrize("kind", ["f4", "f8"])
@pytest.mark.parametrize("name", ["i0", "i0e", "i1", "i1e"])
def test_modified_bessel_functions(kind: str, name: str) -> None:
    special = pytest.importorskip("scipy.special")
    x = np.linspace(-85 if kind == "f4" else -700, 85 if kind == "f4" else 700, 1 << 17)
    x = np.concatenate([x, np.geomspace(1e-30, 1, 999), [0.0, -0.0, 8.0, np.nan]]).astype(kind)
    found = getattr(tf.math, f"bessel_{name}")(x).numpy()
    want = getattr(special, name)(x.astype(np.float64)).astype(kind)
    np.testing.assert_allclose(found, want, rtol=(12 if kind == "f8" else 1) * np.finfo(kind).eps)


# ---- permutations -----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["i4", "i8"])
def test_inverse_permutations(kind: str, monkeypatch: Any) -> None:
    order = np.random.default_rng(0).permutation(5000).astype(kind)
    alike(lambda: _invert_kernel(np, order), large_kernels.inverse_kernel, monkeypatch)


@pytest.mark.parametrize(
    ("wrong", "message"), [(-1, "not between"), (5000, "not between"), (7, "duplicated")]
)
@pytest.mark.parametrize("kind", [np.int32, np.int64])
def test_what_is_no_permutation(wrong: int, message: str, kind: Any) -> None:
    order = np.arange(5000, dtype=kind)
    order[4321] = wrong
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        tf.math.invert_permutation(order)


# ---- elimination ------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("shape", [(400, 1, 1), (7, 9, 4, 4), (90, 13, 13), (40, 33, 33)])
def test_factors_of_many_matrices(kind: Any, shape: Any, monkeypatch: Any) -> None:
    """Bit by bit, with equal pivots, columns of zeros, infinities and NaN."""
    rng = np.random.default_rng(0)
    a = rng.normal(size=shape).astype(kind)
    tied = rng.integers(-2, 3, shape).astype(kind)
    special = a.copy()
    for value in (0.0, -0.0, np.inf, np.nan):
        special[rng.random(shape) < 0.02] = value
    for given in (a, tied, special):

        def run(given: Any = given) -> Any:
            return _lu_kernel(np, given, index_type=tf.int32)

        with np.errstate(all="ignore"):
            alike(run, large_kernels.lu_kernel, monkeypatch)
