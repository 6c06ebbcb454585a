"""tensorflow.python.kernel_tests.sparse_ops.sparse_xent_op_test_base: cross entropy of numbered classes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

import wengert as tf
from wengert.testing import decorators

# One class too large, two right ones, one too small.
_LABELS: Final = (4, 3, 0, -1)
_LOGITS: Final = np.array([[1, 1, 1, 1], [1, 1, 1, 1], [1, 2, 3, 4], [1, 2, 3, 4]], np.float32)

_in_both_modes: Callable[[Callable[..., None]], Callable[..., None]] = (
    decorators.run_in_graph_and_eager_modes
)


def _loss(labels: Any, logits: Any) -> Any:
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)


def _gradient(labels: Any, logits: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(logits)
        loss = _loss(labels, logits)
    return tape.gradient(loss, logits)


class SparseXentOpTestBase(tf.test.TestCase):
    """The loss, its derivatives, and what is refused; children replace _opFwdBwd."""

    # ---- references ----

    def _opFwdBwd(self, labels: Any, logits: Any) -> tuple[Any, Any]:
        logits = tf.convert_to_tensor(logits)
        with tf.GradientTape() as tape:
            tape.watch(logits)
            loss = _loss(labels, logits)
        return loss, tape.gradient(loss, logits)

    def _npXent(self, labels: Any, logits: Any) -> tuple[Any, Any]:
        """The losses in a row, and the gradient row by row."""
        rows = logits.reshape(-1, logits.shape[-1])
        shifted = rows - rows.max(axis=1, keepdims=True)
        log_softmax = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
        hot = np.equal.outer(labels.reshape(-1), np.arange(rows.shape[1]))
        return -log_softmax[hot], np.exp(log_softmax) - hot

    # ---- checks ----

    def _testXent(self, np_labels: Any, np_logits: Any) -> None:
        found = self._opFwdBwd(labels=np_labels, logits=np_logits)
        for one, other in zip(found, self._npXent(np_labels, np_logits), strict=True):
            self.assertEqual(one.dtype, tf.as_dtype(np_logits.dtype))
            self.assertAllCloseAccordingToType(one, other, half_rtol=5e-3, bfloat16_rtol=2e-2)

    def _testDtype(self, dtype: Any) -> None:
        """A flat row, a steep one and one that overflows if it isn't shifted."""
        rows = [[-1.0, -1.0, -1.0], [0.5, 4.0, -2.0], [200.0, 199.0, 198.0]]
        logits = np.array(rows, tf.as_dtype(dtype).as_numpy_dtype)
        for of in (np.int32, np.int64):
            self._testXent(np.array([1, 0, 2], of), logits)

    @decorators.run_gpu_only
    def _testInvalidLabelGPU(self, invalid_label_gradient: Any = np.nan) -> None:
        loss, gradient = self._opFwdBwd(labels=_LABELS, logits=_LOGITS)
        right = slice(1, 3)
        losses, gradients = self._npXent(np.array(_LABELS[right]), _LOGITS[right])
        nothing = np.full((1, 4), invalid_label_gradient)
        self.assertAllClose(loss, [np.nan, *losses, np.nan])
        self.assertAllClose(gradient, np.concatenate([nothing, gradients, nothing]))

    @_in_both_modes
    def _testInvalidLabelCPU(self, expected_regex: str = "Received a label value of") -> None:
        kinds = (tf.errors.InvalidArgumentError, tf.errors.UnknownError)
        for rows in (slice(0, 2), slice(1, 4)):  # too large, too small
            with self.assertRaisesRegex(kinds, expected_regex):
                self.evaluate(_loss(_LABELS[rows], _LOGITS[rows]))

    def _testLabelsPlaceholderScalar(self, expected_error_message: str) -> None:
        with tf.Graph().as_default(), self.session() as session:
            labels = tf.compat.v1.placeholder(tf.int32)
            loss = _loss(labels, tf.constant([[0.5, 2.0]]))
            with self.assertRaisesOpError(expected_error_message):
                session.run(loss, {labels: 1})

    def _testScalarHandling(self, expected_regex: str) -> None:
        with tf.Graph().as_default(), self.session(use_gpu=False) as session:
            labels = tf.compat.v1.placeholder(tf.int32, [None, 1])
            logits = tf.compat.v1.placeholder(tf.float32, [None, 2])
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, expected_regex):
                loss = _loss(tf.squeeze(labels), logits)  # one label loses its axis
                session.run([loss], {labels: [[1]], logits: [[0.5, 2.0]]})

    @_in_both_modes
    def _testHighDim(self, labels: Any, logits: Any) -> None:
        labels, logits = np.array(labels), np.array(logits, np.float32)
        losses, gradients = self._npXent(labels, logits)
        found = self.evaluate(_loss(labels, logits))
        self.assertAllCloseAccordingToType(found, losses.reshape(labels.shape))
        found = self.evaluate(_gradient(labels, tf.constant(logits)))
        self.assertAllCloseAccordingToType(found, gradients.reshape(logits.shape))

    def _testJacobian(self, function: Any) -> None:
        logits = tf.constant(np.random.default_rng(5).normal(size=(4, 3)))
        with self.session():
            (exact,), (measured,) = tf.test.compute_gradient(
                lambda x: function(tf.constant([2, 0, 1, 2]), x), [logits]
            )
        self.assertGreater(np.abs(measured).max(), 1e-2)
        self.assertAllClose(exact, measured, rtol=1e-7, atol=1e-7)

    # ---- tests ----

    def testSingleClass(self) -> None:
        for of in (np.int32, np.int64):
            found = self._opFwdBwd(np.zeros(4, of), np.array([[-3.0], [0.0], [2.0], [9.0]]))
            self.assertAllEqual(found[0], np.zeros(4))
            self.assertAllEqual(found[1], np.zeros((4, 1)))

    def testInvalidLabelGPU(self) -> None:
        self._testInvalidLabelGPU()

    def testInvalidLabelCPU(self) -> None:
        self._testInvalidLabelCPU()

    def testNpXent(self) -> None:
        logits = np.array([[0.0, np.log(3.0)], [7.0, 7.0]])
        loss, gradient = self._npXent(np.array([0, 1]), logits)
        self.assertAllClose(loss, np.log([4.0, 2.0]))
        self.assertAllClose(gradient, [[-0.75, 0.75], [0.5, -0.5]])

    def testShapeMismatch(self) -> None:
        for shape in ((3, 1), ()):
            with self.assertRaisesRegex(ValueError, r"`labels\.shape\.rank` must equal"):
                _loss(np.zeros(shape, np.int32), np.ones((3, 4), np.float32))

    def testScalar(self) -> None:
        with self.assertRaisesRegex(ValueError, "`logits` cannot be a scalar"):
            _loss(tf.constant(1), tf.constant(0.5))

    def testLabelsPlaceholderScalar(self) -> None:
        self._testLabelsPlaceholderScalar(expected_error_message="labels must be 1-D")

    def testVector(self) -> None:
        loss = _loss(tf.constant(1), tf.constant([0.0, np.log(3.0)], tf.float32))
        self.assertAllClose(loss, np.log(4 / 3))

    def testFloat(self) -> None:
        self._testDtype(tf.float32)

    def testDouble(self) -> None:
        self._testDtype(tf.float64)

    def testHalf(self) -> None:
        self._testDtype(tf.float16)

    def testBfloat16(self) -> None:
        self._testDtype(tf.bfloat16)

    def testEmpty(self) -> None:
        self._testXent(np.zeros(0, np.int64), np.zeros((0, 5), np.float32))

    @_in_both_modes
    def testGradient(self) -> None:
        self._testJacobian(_loss)

    @_in_both_modes
    def testSecondGradient(self) -> None:
        self._testJacobian(_gradient)

    def testHighDim(self) -> None:
        self._testHighDim([[1], [2], [0]], [[[3, 1, 2]], [[0, 0, 5]], [[-1, 1, 0]]])

    def testHighDim2(self) -> None:
        self._testHighDim([[1, 0], [0, 1]], [[[3, 1], [2, 2]], [[0, 4], [-1, 1]]])

    def testScalarHandling(self) -> None:
        self._testScalarHandling(expected_regex="labels must be 1-D")
