"""The bases of TensorFlow's tests, by its own names for them: they hold here, and see planted faults."""

from __future__ import annotations

import importlib
import io
import unittest
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
import pytest

import wengert as tf
from wengert.core.row import Row
from wengert.core.table import TABLE


class Base(NamedTuple):
    """A class to inherit from, how many tests it has, how many of them skip, what they are about."""

    module: str
    name: str
    ran: int
    skipped: int
    operation: str


# One more than the names that begin with "test": that of sessions, which always skips.
BASES = [
    Base("kernel_tests.nn_ops.bias_op_base", "BiasAddTestBase", 16, 1, "BiasAdd"),
    Base("kernel_tests.nn_ops.xent_op_test_base", "XentOpTestBase", 14, 1,
         "LogSoftmax"),
    Base("kernel_tests.sparse_ops.sparse_xent_op_test_base", "SparseXentOpTestBase", 19, 2,
         "SparseSoftmaxCrossEntropyWithLogits"),
    Base("kernel_tests.nn_ops.depthwise_conv_op_base", "DepthwiseConv2DBase", 21, 10,
         "DepthwiseConv2dNative"),
    Base("ops.image_grad_test_base", "ResizeNearestNeighborOpTestBase", 5, 2,
         "ResizeNearestNeighbor"),
    Base("ops.image_grad_test_base", "ResizeBilinearOpTestBase", 10, 5, "ResizeBilinear"),
    Base("ops.image_grad_test_base", "ResizeBicubicOpTestBase", 5, 1, "ResizeBicubic"),
    Base("ops.image_grad_test_base", "ScaleAndTranslateOpTestBase", 3, 1, "ScaleAndTranslate"),
    Base("ops.image_grad_test_base", "CropAndResizeOpTestBase", 3, 1, "CropAndResize"),
    Base("ops.image_grad_test_base", "RGBToHSVOpTestBase", 5, 1, "RGBToHSV"),
]  # fmt: skip


@pytest.fixture(autouse=True)
def redirected() -> Iterator[None]:
    tf.compat.install()
    yield
    tf.compat.uninstall()


def module(name: str) -> Any:
    return importlib.import_module(f"tensorflow.python.{name}")


def outcome(base: Base) -> unittest.TestResult:
    """What the tests of a class that adds nothing of its own come to."""
    derived = type("Derived", (getattr(module(base.module), base.name),), {})
    tests = unittest.defaultTestLoader.loadTestsFromTestCase(derived)
    return unittest.TextTestRunner(stream=io.StringIO()).run(tests)


@contextmanager
def fault(operation: str) -> Iterator[None]:
    """Within the block the operation's results are a little larger than they should be."""
    row: Row = TABLE[operation]
    right = row.kernel

    def wrong(*args: Any, **attrs: Any) -> Any:
        result = np.asarray(right(*args, **attrs))
        return (result * 1.25 + 1).astype(result.dtype)

    object.__setattr__(row, "kernel", wrong)
    try:
        yield
    finally:
        object.__setattr__(row, "kernel", right)


@pytest.mark.parametrize("base", BASES, ids=lambda b: b.name)
def test_a_base_holds(base: Base) -> None:
    """Every test that does not need a GPU runs and passes."""
    found = outcome(base)
    assert found.failures == []
    assert found.errors == []
    assert (found.testsRun, len(found.skipped)) == (base.ran, base.skipped)


@pytest.mark.parametrize("base", BASES, ids=lambda b: b.name)
def test_a_base_sees_a_fault(base: Base) -> None:
    """In one of its tests at least."""
    with fault(base.operation):
        found = outcome(base)
    assert found.failures
    assert found.errors == []


def test_the_runs_of_loops() -> None:
    """Tensors of two structures in a row, compared one by one."""
    case = module("ops.parallel_for.test_util").PForTestCase()
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    assert len(case._run_targets({"a": x}, [x + 1.0])) == 2
    case._test_loop_fn(lambda i: (tf.gather(x, i) * 2.0, i), 2)
    with pytest.raises(AssertionError, match="Not close"):
        case.run_and_assert_equal((x, x), (x, x + 1.0))


def test_a_graph_with_its_constants_computed() -> None:
    """What depends on an input stays, what is drawn at random too; and the graph gives the same."""
    optimized = module("kernel_tests.signal.test_util").grappler_optimize
    with tf.Graph().as_default() as graph:
        window = tf.signal.hann_window(6)
        fed = tf.compat.v1.placeholder(tf.float32, [6], name="fed")
        y = tf.add(fed, tf.sin(window), name="y")
        noise = tf.random.normal([6]) * tf.sqrt(4.0)
    assert [node.op for node in optimized(graph, [window]).node] == ["Const"]
    part = optimized(graph, [y])
    assert sorted(node.op for node in part.node if node.op != "Const") in (
        ["Add", "Placeholder"],
        ["AddV2", "Placeholder"],
    )
    assert len(part.node) == 3
    assert "RandomStandardNormal" in [node.op for node in optimized(graph, noise).node]
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        of = tf.import_graph_def(part, return_elements=["fed:0", "y:0"], name="")
        found = session.run(of[1], {of[0]: np.ones(6)})
    np.testing.assert_allclose(found, 1 + np.sin(np.sin(np.pi * np.arange(6) / 6) ** 2), rtol=1e-6)
    with pytest.raises(ValueError, match="Nothing is fetched"):
        optimized(tf.Graph())


class Normal:
    """The moments of the standard normal distribution."""

    def moment(self, k: int) -> float:
        return 0.0 if k % 2 else float(np.prod(np.arange(k - 1, 0, -2)))


def test_statistics_of_random_numbers() -> None:
    """Right numbers pass, those that are a little off do not."""
    util = module("kernel_tests.random.util")
    rng = np.random.default_rng(0)
    x, u = rng.normal(size=20000), rng.uniform(size=20000)
    for samples in (x, x.reshape(100, 200), np.float32(x)):
        assert np.max(util.test_moment_matching(samples, 4, Normal(), stride=2)) < 4
    assert np.max(util.test_moment_matching(x * 1.1, 4, Normal())) > 4
    assert util.anderson_darling(x) < 2.5 < util.anderson_darling(x + 0.1)
    assert util.chi_squared(u, 10) < 25 < util.chi_squared(u**1.2, 10)
    np.testing.assert_allclose(util.normal_cdf(np.array([0.0, 1.0])), [0.5, 0.841344746])


def quantiles(count: int, low: float, high: float) -> Any:
    """Numbers of a normal distribution between two bounds, evenly by their probability."""
    cdf: Callable[[Any], Any] = module("kernel_tests.random.util").normal_cdf
    ends = cdf(np.array([low, high]))
    return tf.math.ndtri(np.linspace(*ends, count + 2)[1:-1]).numpy()


def test_truncated_normal_numbers() -> None:
    """Bounds, mean, median and variance: each is asserted."""
    check = module("kernel_tests.random.util").test_truncated_normal
    case = tf.test.TestCase()
    count = 200001

    def run(y: Any, *how: Any) -> None:
        check(case.assertEqual, case.assertAllClose, count, y, *how)

    y = quantiles(count, -2.0, 2.0)
    run(y)
    run(3.0 * quantiles(count, -1.0, 2.0) + 5.0, 5.0, 3.0, 2.0, 11.0)
    for wrong in (y + 0.002, y * 0.99, y * 1.01, np.where(np.abs(y) < 0.01, 0.01, y)):
        with pytest.raises(AssertionError):
            run(wrong)
