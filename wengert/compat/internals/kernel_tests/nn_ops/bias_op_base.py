"""tensorflow.python.kernel_tests.nn_ops.bias_op_base: the base of tests of bias_add."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

import wengert as tf
from wengert.testing import decorators

_FLOATS: Final = (tf.float16, tf.bfloat16, tf.float32, tf.float64)
# How far a Jacobian in a dtype may be from one by differences in float64.
_CLOSE: Final = {tf.float16: 5e-3, tf.bfloat16: 4e-2, tf.float32: 1e-4, tf.float64: 1e-6}


@decorators.run_all_in_graph_and_eager_modes
class BiasAddTestBase(tf.test.TestCase):
    """A bias is added along the channels, and its gradient is a sum over all other axes."""

    # ---- references ----

    def _npBias(self, inputs: Any, bias: Any) -> Any:
        if bias.shape != inputs.shape[-1:]:
            raise ValueError(f"a bias of shape {bias.shape} for inputs of shape {inputs.shape}")
        return np.add(inputs, bias)

    def _AtLeast3d(self, np_value: Any) -> Any:
        return np_value[(None,) * max(0, 3 - np_value.ndim)]

    def _NHWCToNCHW(self, np_value: Any) -> Any:
        return np.moveaxis(self._AtLeast3d(np_value), -1, 1)

    def _NCHWToNHWC(self, np_value: Any) -> Any:
        return np.moveaxis(np_value, 1, -1)

    def _random_tensor(self, shape: Any, dtype: Any) -> Any:
        return tf.constant(np.random.random_sample(shape), tf.as_dtype(dtype))

    def _expectedException(self) -> type[Exception]:
        return tf.errors.InvalidArgumentError if tf.executing_eagerly() else ValueError

    # ---- checks ----

    def _testBias(self, np_inputs: Any, np_bias: Any, use_gpu: bool = False) -> None:
        with self.cached_session(use_gpu=use_gpu):
            found = self.evaluate(tf.nn.bias_add(np_inputs, np_bias))
        self.assertEqual(found.dtype, np_inputs.dtype)
        self.assertAllCloseAccordingToType(found, self._npBias(np_inputs, np_bias))

    def _testBiasNCHW(self, np_inputs: Any, np_bias: Any, use_gpu: bool) -> None:
        moved = self._NHWCToNCHW(np_inputs)
        with self.cached_session(use_gpu=use_gpu):
            found = self.evaluate(tf.nn.bias_add(moved, np_bias, data_format="NCHW"))
        self.assertEqual(found.shape, moved.shape)
        expected = self._AtLeast3d(self._npBias(np_inputs, np_bias))
        self.assertAllCloseAccordingToType(self._NCHWToNHWC(found), expected)

    def _testAll(self, np_inputs: Any, np_bias: Any) -> None:
        for use_gpu in (False, True):
            self._testBias(np_inputs, np_bias, use_gpu)
            self._testBiasNCHW(np_inputs, np_bias, use_gpu)

    def _computeGradient(
        self, np_input: Any, bias: Any, dtype: Any, data_format: str
    ) -> tuple[list[Any], list[Any]]:
        """The Jacobians by inputs, by bias, and of the bias's gradient by what comes from above.

        They are exact ones in the dtype, and differences in float64.
        """

        def added(x: Any, b: Any) -> Any:
            return tf.nn.bias_add(x, b, data_format=data_format)

        def bias_gradient(above: Any) -> Any:
            b = tf.constant(bias, above.dtype)
            with tf.GradientTape() as tape:
                tape.watch(b)
                y = added(tf.constant(np_input, above.dtype), b)
            return tape.gradient(y, b, above)

        def jacobians(which: int, of: Any) -> list[Any]:
            x, b = tf.constant(np_input, of), tf.constant(bias, of)
            first = tf.test.compute_gradient(added, [x, b])[which]
            return [*first, *tf.test.compute_gradient(bias_gradient, [x])[which]]

        return jacobians(0, dtype), jacobians(1, tf.float64)

    def _testGradient(
        self, np_input: Any, bias: Any, dtype: Any, data_format: str, use_gpu: bool
    ) -> None:
        dtype = tf.as_dtype(dtype)
        if data_format == "NCHW":
            np_input = self._NHWCToNCHW(np_input)
        with self.cached_session(use_gpu=use_gpu):
            exact, measured = self._computeGradient(np_input, bias, dtype, data_format)
        self.assertLen(exact, 3)
        for one, other in zip(exact, measured, strict=True):
            self.assertAllClose(one, other, rtol=_CLOSE[dtype], atol=_CLOSE[dtype])
        channel = np.arange(np_input.size).reshape(np_input.shape)
        axis = 1 if data_format == "NCHW" else -1
        spread = np.moveaxis(channel, axis, -1).reshape(-1, max(1, bias.size))[:, : bias.size]
        expected = np.zeros((np_input.size, bias.size))
        expected[spread, np.arange(bias.size)] = 1  # each element has the bias of its channel
        self.assertAllClose(exact[1].astype(np.float64), expected, atol=_CLOSE[dtype])

    def _testGradients(self, shape: tuple[int, ...], formats: Any, dtypes: Any = _FLOATS) -> None:
        rng = np.random.default_rng(len(shape))
        inputs, bias = rng.normal(size=shape), rng.normal(size=shape[-1])
        for data_format in formats:
            for dtype in dtypes:
                of = dtype.as_numpy_dtype
                self._testGradient(inputs.astype(of), bias.astype(of), dtype, data_format, False)

    # ---- tests ----

    def testNpBias(self) -> None:
        found = self._npBias(np.array([[5, 0], [-2, 7]]), np.array([100, 20]))
        self.assertAllEqual(found, [[105, 20], [98, 27]])
        with self.assertRaises(ValueError):
            self._npBias(np.zeros((2, 3)), np.zeros(2))

    def testInputDims(self) -> None:
        with self.assertRaises(self._expectedException()):
            tf.nn.bias_add([7.0, 8.0, 9.0], [1.0, 2.0, 3.0])

    def testBiasVec(self) -> None:
        with self.assertRaises(self._expectedException()):
            tf.nn.bias_add(np.ones((3, 2), np.float32), np.ones((1, 2), np.float32))

    def testBiasInputsMatch(self) -> None:
        for count in (1, 2, 4):
            with self.assertRaises(self._expectedException()):
                tf.nn.bias_add(np.ones((5, 3), np.float32), np.ones(count, np.float32))

    def testIntTypes(self) -> None:
        for of in (np.int8, np.int16, np.int32, np.int64):
            self._testAll(np.arange(-6, 6, dtype=of).reshape(3, 4), np.array([9, -8, 7, 0], of))

    def testFloatTypes(self) -> None:
        for dtype in _FLOATS:
            of = dtype.as_numpy_dtype
            self._testAll(np.linspace(-2, 2, 15).reshape(5, 3).astype(of), np.ones(3, of) / 4)

    def test4DFloatTypes(self) -> None:
        for of in (np.float16, np.float32, np.float64):
            self._testAll(np.random.rand(3, 2, 5, 4).astype(of), np.random.rand(4).astype(of))

    def test5DFloatTypes(self) -> None:
        for of in (np.float16, np.float32, np.float64):
            self._testAll(np.random.rand(2, 3, 2, 1, 5).astype(of), np.random.rand(5).astype(of))

    def testGradientTensor2D(self) -> None:
        self._testGradients((4, 3), ["NHWC"])

    def testGradientTensor3D(self) -> None:
        self._testGradients((2, 3, 2), ["NHWC", "NCHW"])

    def testGradientTensor4D(self) -> None:
        for shape in ((2, 2, 3, 2), (12, 1, 2, 3), (1, 2, 2, 10)):
            self._testGradients(shape, ["NHWC", "NCHW"])

    def testGradientTensor5D(self) -> None:
        self._testGradients((1, 2, 2, 3, 2), ["NHWC", "NCHW"])

    def test1x1Image(self) -> None:
        self._testGradients((3, 1, 1, 8), ["NHWC", "NCHW"], [tf.float32])

    def testEmpty(self) -> None:
        for shape in ((0, 3), (3, 0), (0, 0), (2, 0, 3), (2, 3, 0), (0, 2, 3)):
            self._testAll(np.zeros(shape), np.ones(shape[-1]))

    def testEmptyGradient(self) -> None:
        for flat in ((0, 3), (3, 0), (0, 0)):
            self._testGradients(flat, ["NHWC"], [tf.float64])
        for shape in ((2, 0, 3), (2, 3, 0), (0, 2, 3)):
            self._testGradients(shape, ["NHWC", "NCHW"], [tf.float64])
