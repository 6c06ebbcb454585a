"""tensorflow.python.kernel_tests.nn_ops.xent_op_test_base: the base of tests of softmax's cross entropy."""

from __future__ import annotations

from typing import Any

import numpy as np

import wengert as tf
from wengert.testing import decorators


class XentOpTestBase(tf.test.TestCase):
    """The loss and its derivatives, true ones for labels of any sum, too; children replace _opFwdBwd."""

    # ---- references ----

    def _opFwdBwd(self, labels: Any, logits: Any, axis: int = -1) -> tuple[Any, Any]:
        logits = tf.convert_to_tensor(logits)
        with tf.GradientTape() as tape:
            tape.watch(logits)
            loss = tf.nn.softmax_cross_entropy_with_logits(labels, logits, axis)
        return loss, tape.gradient(loss, logits)

    def _npXent(self, labels: Any, logits: Any, dim: int = -1) -> tuple[Any, Any]:
        shifted = logits - logits.max(axis=dim, keepdims=True)
        log_softmax = shifted - np.log(np.exp(shifted).sum(axis=dim, keepdims=True))
        whole = (labels + np.zeros_like(logits)).sum(axis=dim, keepdims=True)
        return -(labels * log_softmax).sum(axis=dim), np.exp(log_softmax) * whole - labels

    # ---- checks ----

    def _testXent2D(
        self,
        np_labels: Any,
        np_logits: Any,
        with_placeholders: bool = False,
        expected_gradient: Any = None,
    ) -> None:
        np_loss, np_gradient = self._npXent(np_labels, np_logits)
        with self.cached_session() as session:
            if with_placeholders:
                labels, logits = (tf.compat.v1.placeholder(x.dtype) for x in (np_labels, np_logits))
                feed = {labels: np_labels, logits: np_logits}
                loss, gradient = session.run(self._opFwdBwd(labels, logits), feed)
            else:
                loss, gradient = self.evaluate(self._opFwdBwd(np_labels, np_logits))
        self.assertEqual(loss.dtype, np_logits.dtype)
        self.assertAllCloseAccordingToType(loss, np_loss, half_rtol=1e-2, bfloat16_rtol=2e-2)
        expected = np_gradient if expected_gradient is None else expected_gradient
        self.assertAllCloseAccordingToType(gradient, expected, half_rtol=5e-3)

    def _testXentND(self, np_labels: Any, np_logits: Any, dim: int = -1) -> None:
        loss = tf.nn.softmax_cross_entropy_with_logits(np_labels, np_logits, dim)
        expected = self._npXent(np_labels, np_logits, dim)[0]
        self.assertEqual(loss.shape, expected.shape)
        self.assertAllCloseAccordingToType(self.evaluate(loss), expected)

    def _testSingleClass(self, expected_gradient: Any = ((0.0,),) * 4) -> None:
        """The gradients that children expect are those of these labels."""
        labels, logits = np.array([[-1.0], [0.0], [1.0], [1.0]]), np.array([[1.0, -1.0, 0.0, 1.0]])
        for dtype in (tf.float16, tf.bfloat16, tf.float32):
            of = dtype.as_numpy_dtype
            loss, gradient = self._opFwdBwd(labels.astype(of), logits.T.astype(of))
            self.assertAllEqual(loss, np.zeros(4))
            self.assertAllClose(gradient, expected_gradient)

    @decorators.run_deprecated_v1
    def _testLabelsBroadcast(self, uniform_labels_gradient: Any) -> None:
        """Labels of one row, of one element, and of one column; the last as children expect them."""
        ramp = np.arange(1.0, 5.0)
        one = np.array([[0.2, 0.1, 0.0, 0.7]], np.float16)
        self._testXent2D(one, np.stack([ramp - 2, 0 * ramp, -ramp]).astype(np.float16), True)
        self._testXent2D(np.ones((1, 1), np.float16), np.array([[3.0], [-5.0]], np.float16), True)
        column = np.array([[0.0], [2.0], [0.25]], np.float16)
        logits = np.stack([np.ones(4), ramp, ramp]).astype(np.float16)
        self._testXent2D(column, logits, True, uniform_labels_gradient)

    def _testDtype(self, dtype: Any) -> None:
        """A flat row, a steep one and one that overflows if it isn't shifted."""
        of = tf.as_dtype(dtype).as_numpy_dtype
        labels = np.array([[0.0, 1.0, 0.0], [0.5, 0.25, 0.25], [0.0, 0.0, 1.0]], of)
        logits = np.array([[-2.0, -2.0, -2.0], [0.0, 3.0, -1.5], [200.0, 199.0, 198.0]], of)
        self._testXent2D(labels, logits)

    def _smooth(self, seed: int) -> tuple[Any, Any]:
        """Labels and logits whose differences can be trusted."""
        rng = np.random.default_rng(seed)
        return tf.constant(rng.dirichlet(np.ones(4), 3)), tf.constant(rng.normal(size=(3, 4)))

    def _testJacobians(self, function: Any, values: list[Any]) -> None:
        exact, measured = tf.test.compute_gradient(function, values)
        for one, other in zip(exact, measured, strict=True):
            self.assertGreater(np.abs(other).max(), 1e-2)
            self.assertAllClose(one, other, rtol=1e-7, atol=1e-7)

    # ---- tests ----

    def testSingleClass(self) -> None:
        self._testSingleClass()

    def testNpXent(self) -> None:
        logits = np.array([[0.0, np.log(3.0)], [7.0, 7.0]])
        loss, gradient = self._npXent(np.array([[1.0, 0.0], [0.5, 0.5]]), logits)
        self.assertAllClose(loss, np.log([4.0, 2.0]))
        self.assertAllClose(gradient, [[-0.75, 0.75], [0.0, 0.0]])

    def testLabelsBroadcast(self) -> None:
        odds = np.exp(np.arange(4.0))
        share = odds / odds.sum() - 0.25  # the labels of a row sum to four times one of them
        self._testLabelsBroadcast(np.outer([0.0, 8.0, 1.0], share).astype(np.float16))

    @decorators.run_deprecated_v1
    def testShapeMismatch(self) -> None:
        with self.cached_session(), self.assertRaises(ValueError):
            self._opFwdBwd(np.ones((3, 2), np.float32), np.ones((3, 5), np.float32))

    def testHalf(self) -> None:
        self._testDtype(tf.float16)

    def testBfloat16(self) -> None:
        self._testDtype(tf.bfloat16)

    def testFloat(self) -> None:
        self._testDtype(tf.float32)

    def testDouble(self) -> None:
        self._testDtype(tf.float64)

    @decorators.run_deprecated_v1
    def testGradient(self) -> None:
        labels, logits = self._smooth(1)
        with self.cached_session():

            def loss(x: Any) -> Any:
                return tf.nn.softmax_cross_entropy_with_logits(labels, x)

            self._testJacobians(loss, [logits])

    @decorators.run_deprecated_v1
    def testGradientLabelWithV2(self) -> None:
        labels, logits = self._smooth(2)
        with self.cached_session():
            self._testJacobians(tf.nn.softmax_cross_entropy_with_logits, [labels, logits])

    @decorators.run_deprecated_v1
    def testSecondGradient(self) -> None:
        labels, logits = self._smooth(3)
        with self.cached_session():

            def gradient(x: Any) -> Any:
                with tf.GradientTape() as tape:
                    tape.watch(x)
                    loss = tf.nn.softmax_cross_entropy_with_logits(labels, x)
                return tape.gradient(loss, x)

            self._testJacobians(gradient, [logits])

    def test3D(self) -> None:
        rng = np.random.default_rng(4)
        labels, logits = rng.uniform(size=(2, 3, 4)), rng.normal(size=(2, 3, 4))
        for dim in (-1, 0, 1, 2):
            for of in (np.float32, np.float64):
                self._testXentND(labels.astype(of), logits.astype(of), dim)

    def testZeroDimension(self) -> None:
        self._testXentND(np.zeros((0, 3)), np.zeros((0, 3)))
        self._testXentND(np.zeros((2, 0, 4)), np.zeros((2, 0, 4)))
        self._testXentND(np.zeros((2, 4, 0)), np.zeros((2, 4, 0)), dim=1)
