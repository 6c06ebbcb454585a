"""tensorflow.python.kernel_tests.nn_ops.depthwise_conv_op_base: the base of tests of depthwise convolutions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

import wengert as tf
from wengert.testing import decorators

# The sizes of input, filter and output, the stride, the padding and the dilations.
Config = tuple[list[int], list[int], list[int], int, Any, list[int] | None]

_CLOSE: Final = {tf.float16: 4e-2, tf.bfloat16: 1e-1, tf.float32: 2e-5, tf.float64: 1e-12}
_WIDE: Final = (tf.float32, tf.float64)
_HALVES: Final = (tf.float16, tf.bfloat16)


def _DepthwiseConv2dNumpyBasic(x1: Any, x2: Any, strides: Any) -> Any:
    """Without padding and dilations, channels last: every window times the filter of its channel."""
    rows, columns = x2.shape[:2]
    windows = sliding_window_view(x1, (rows, columns), axis=(1, 2))
    kept = windows[:, :: strides[1], :: strides[2]]
    out = np.einsum("nijcab,abcm->nijcm", kept, x2)
    return out.reshape(*out.shape[:3], -1)


def _DepthwiseConv2dNumpy(
    x1: Any, x2: Any, strides: Any, padding: Any, data_format: str, dilations: Any
) -> Any:
    """With the padding added as zeros and the filter spread out; explicit padding is for four axes."""
    if data_format == "NCHW":
        last = [0, 2, 3, 1]
        moved = [padding[i] for i in last] if isinstance(padding, list) else padding
        along = [strides[i] for i in last]
        y = _DepthwiseConv2dNumpy(x1.transpose(last), x2, along, moved, "NHWC", dilations)
        return y.transpose(0, 3, 1, 2)
    if dilations:
        reach = [(size - 1) * d + 1 for size, d in zip(x2.shape, dilations, strict=False)]
        spread = np.zeros((*reach, *x2.shape[2:]), x2.dtype)
        spread[:: dilations[0], :: dilations[1]] = x2
        x2 = spread
    if padding == "SAME":
        padding = [(0, 0), (0, 0), (0, 0), (0, 0)]
        for axis in (1, 2):
            size, stride, window = x1.shape[axis], strides[axis], x2.shape[axis - 1]
            lacking = max(0, (-(-size // stride) - 1) * stride + window - size)
            padding[axis] = (lacking // 2, lacking - lacking // 2)
    if padding != "VALID":
        x1 = np.pad(x1, padding)
    return _DepthwiseConv2dNumpyBasic(x1, x2, strides)


def ConfigsToTest() -> list[Config]:
    """For values: single pixels, rows, columns, many channels, strides, dilations."""
    return [
        ([2, 4, 3, 24], [1, 1, 24, 2], [2, 4, 3, 48], 1, "SAME", None),
        ([3, 6, 7, 10], [1, 3, 10, 1], [3, 6, 7, 10], 1, "SAME", None),
        ([2, 9, 8, 6], [3, 1, 6, 3], [2, 9, 8, 18], 1, "SAME", None),
        ([2, 20, 11, 3], [5, 5, 3, 1], [2, 20, 11, 3], 1, "SAME", None),
        ([2, 32, 32, 2], [3, 3, 2, 4], [2, 10, 10, 8], 3, "VALID", None),
        ([1, 41, 40, 3], [3, 2, 3, 4], [1, 21, 20, 12], 2, "SAME", None),
        ([3, 23, 24, 1], [5, 4, 1, 2], [3, 23, 24, 2], 1, "SAME", [2, 2]),
        ([2, 21, 19, 2], [4, 5, 2, 2], [2, 12, 11, 4], 1, "VALID", [3, 2]),
    ]


def ConfigsToTestExplicit() -> list[Config]:
    """For values with zeros around the image, as many as are given for each side."""
    return [
        ([2, 4, 3, 12], [1, 1, 12, 2], [2, 7, 8, 24], 1, [[1, 2], [2, 3]], None),
        ([2, 6, 7, 5], [1, 3, 5, 1], [2, 4, 5, 5], 2, [[0, 1], [3, 2]], None),
        ([1, 12, 15, 2], [3, 3, 2, 4], [1, 6, 6, 8], 3, [[4, 4], [2, 1]], None),
        ([2, 10, 9, 3], [4, 3, 3, 2], [2, 12, 9, 6], 1, [[5, 0], [0, 2]], None),
        ([2, 10, 9, 1], [3, 2, 1, 3], [2, 10, 11, 3], 1, [[2, 2], [1, 3]], [2, 2]),
    ]


def CheckGradConfigsToTest() -> list[Config]:
    """For gradients, which take a pass for each element."""
    return [
        ([1, 5, 6, 1], [4, 3, 1, 2], [1, 5, 6, 2], 1, "SAME", None),
        ([2, 5, 4, 1], [2, 2, 1, 2], [2, 2, 2, 2], 2, "VALID", None),
        ([1, 3, 4, 2], [3, 1, 2, 2], [1, 3, 4, 4], 1, "SAME", None),
        ([1, 7, 8, 1], [3, 3, 1, 1], [1, 2, 2, 1], 3, "VALID", None),
        ([1, 6, 5, 1], [3, 2, 1, 2], [1, 6, 5, 2], 1, "SAME", [2, 1]),
        ([2, 1, 3, 2], [1, 2, 2, 1], [2, 1, 3, 2], 1, "SAME", None),
    ]


def CheckGradConfigsToTestExplicit() -> list[Config]:
    """For gradients with zeros around the image."""
    return [
        ([1, 4, 5, 1], [3, 3, 1, 2], [1, 4, 8, 2], 1, [[2, 0], [1, 4]], None),
        ([2, 4, 3, 1], [2, 2, 1, 2], [2, 3, 3, 2], 2, [[2, 0], [0, 3]], None),
        ([1, 3, 3, 2], [3, 1, 2, 2], [1, 4, 6, 4], 1, [[1, 2], [0, 3]], None),
        ([1, 5, 4, 1], [3, 2, 1, 1], [1, 4, 6, 1], 1, [[2, 1], [1, 2]], [2, 1]),
    ]


class DepthwiseConv2DBase(tf.test.TestCase):
    """Values against NumPy's and numbers worked out by hand, gradients against differences."""

    # ---- checks ----

    def _arguments(
        self, padding: Any, stride: int, data_format: str = "NHWC", dilations: Any = None
    ) -> dict[str, Any]:
        around = [[0, 0], *padding, [0, 0]] if isinstance(padding, list) else padding
        strides = [1, stride, stride, 1]
        if data_format == "NCHW":
            strides = [1, 1, stride, stride]
            around = [around[i] for i in (0, 3, 1, 2)] if isinstance(around, list) else around
        made = {"strides": strides, "padding": around, "data_format": data_format}
        return made if dilations is None else {**made, "dilations": dilations}

    def _evaluated(self, compute: Callable[[], Any]) -> Any:
        try:
            return self.evaluate(compute())
        except (tf.errors.UnimplementedError, tf.errors.InvalidArgumentError) as error:
            if "NHWC" in str(error):
                self.skipTest("Only NHWC on this device.")
            raise

    def _VerifyValues(
        self,
        tensor_in_sizes: Any,
        filter_in_sizes: Any,
        stride: int,
        padding: Any,
        data_type: Any,
        use_gpu: bool,
        grouped_conv: bool = False,
        data_format: str = "NHWC",
        dilations: Any = None,
        tolerance: float | None = None,
    ) -> None:
        rng = np.random.default_rng(len(str(tensor_in_sizes)))
        x, w = (rng.uniform(-1, 1, size) for size in (tensor_in_sizes, filter_in_sizes))
        around = [[0, 0], *padding, [0, 0]] if isinstance(padding, list) else padding
        expected = _DepthwiseConv2dNumpy(x, w, [1, stride, stride, 1], around, "NHWC", dilations)
        is_first = data_format == "NCHW"
        given = self._arguments(padding, stride, data_format)
        close = tolerance or _CLOSE[data_type]
        with self.cached_session(use_gpu=use_gpu):
            image = tf.constant(x.transpose(0, 3, 1, 2) if is_first else x, data_type)
            kernel = tf.constant(w, data_type)
            ways = [lambda: tf.nn.depthwise_conv2d(image, kernel, **given, dilations=dilations)]
            if dilations is None:
                native = tf.compat.v1.nn.depthwise_conv2d_native
                ways.append(lambda: native(image, kernel, **given))
            for way in ways:
                found = self._evaluated(way)
                self.assertEqual(found.dtype, data_type.as_numpy_dtype)
                found = found.transpose(0, 2, 3, 1) if is_first else found
                self.assertAllClose(found.astype(float), expected, rtol=close, atol=close)

    def _VerifyHandValues(
        self,
        tensor_in_sizes: Any,
        filter_in_sizes: Any,
        stride: int,
        padding: Any,
        expected: Any,
        use_gpu: bool,
    ) -> None:
        """Of an image and a filter that count from 1."""
        image, kernel = (
            tf.reshape(tf.range(1.0, np.prod(size) + 1.0), size)
            for size in (tensor_in_sizes, filter_in_sizes)
        )
        with self.cached_session(use_gpu=use_gpu):
            given = self._arguments(padding, stride)
            found = self.evaluate(tf.compat.v1.nn.depthwise_conv2d_native(image, kernel, **given))
        self.assertAllClose(np.ravel(found), expected)

    def _ConstructAndTestGradient(
        self,
        input_shape: Any,
        filter_shape: Any,
        output_shape: Any,
        stride: int,
        padding: Any,
        data_type: Any,
        test_input: bool,
        use_gpu: bool,
        grouped_conv: bool = False,
        data_format: str = "NHWC",
        dilations: Any = None,
    ) -> None:
        rng = np.random.default_rng(len(str(input_shape)))
        x, w = (rng.uniform(-1, 1, size) for size in (input_shape, filter_shape))
        if data_format == "NCHW":
            x = x.transpose(0, 3, 1, 2)
            output_shape = [output_shape[i] for i in (0, 3, 1, 2)]
        given = self._arguments(padding, stride, data_format, dilations)

        def jacobian(which: int, of: Any) -> Any:
            other = tf.constant(w if test_input else x, of)

            def convolved(one: Any) -> Any:
                pair = (one, other) if test_input else (other, one)
                y = tf.nn.depthwise_conv2d(*pair, **given)
                self.assertEqual(list(y.shape), list(output_shape))
                return y

            return tf.test.compute_gradient(convolved, [tf.constant(x if test_input else w, of)])[
                which
            ][0]

        with self.cached_session(use_gpu=use_gpu):
            self._evaluated(lambda: tf.nn.depthwise_conv2d(x, w, **given))
            exact, measured = jacobian(0, data_type), jacobian(1, tf.float64)
        close = max(1e-6, _CLOSE[data_type])
        self.assertAllClose(exact.astype(float), measured, rtol=close, atol=close)

    def _values(self, configs: list[Config], dtypes: Any, use_gpu: bool, form: str) -> None:
        for size, kernel, _, stride, padding, dilations in configs:
            for dtype in dtypes:
                with self.subTest(size=size, kernel=kernel, padding=padding, dtype=dtype):
                    self._VerifyValues(
                        size, kernel, stride, padding, dtype, use_gpu, False, form, dilations
                    )

    def _gradients(
        self, configs: list[Config], of_input: bool, use_gpu: bool = False, form: str = "NHWC"
    ) -> None:
        for size, kernel, out, stride, padding, dilations in configs:
            for dtype in _WIDE:
                with self.subTest(size=size, kernel=kernel, padding=padding, dtype=dtype):
                    case = (size, kernel, out, stride, padding, dtype, of_input, use_gpu)
                    how: dict[str, Any] = {"data_format": form, "dilations": dilations}
                    self._ConstructAndTestGradient(*case, **how)

    # ---- tests of values ----

    def testDepthwiseConv2D(self) -> None:
        self._values(ConfigsToTest(), (*_HALVES, *_WIDE), False, "NHWC")

    def testDepthwiseConv2DWithUnknownShape(self) -> None:
        x, w = np.random.rand(2, 5, 6, 3), np.random.rand(2, 3, 3, 2)
        with tf.Graph().as_default(), self.session() as session:
            image, kernel = (tf.compat.v1.placeholder(tf.float64) for _ in range(2))
            y = tf.nn.depthwise_conv2d(image, kernel, [1, 1, 1, 1], "VALID")
            found = session.run(y, {image: x, kernel: w})
            self.assertAllClose(found, _DepthwiseConv2dNumpyBasic(x, w, [1] * 4))

    def testDepthwiseConv2DFormat(self) -> None:
        self._values(ConfigsToTest(), _WIDE, True, "NCHW")

    def testDepthwiseConv2DExplicit(self) -> None:
        for form in ("NHWC", "NCHW"):
            self._values(ConfigsToTestExplicit(), (*_HALVES, *_WIDE), False, form)

    def testConv2D2x2Filter(self) -> None:
        self._VerifyHandValues([1, 2, 3, 1], [2, 2, 1, 2], 1, "VALID", [62, 74, 78, 94], False)
        self._VerifyHandValues([1, 2, 2, 2], [2, 2, 2, 1], 1, "VALID", [84, 120], False)

    # ---- tests of gradients ----

    def testDepthwiseConv2DInputGrad(self) -> None:
        self._gradients(CheckGradConfigsToTest(), True)

    def testDepthwiseConv2DInputGradFormat(self) -> None:
        self._gradients(CheckGradConfigsToTest(), True, form="NCHW")

    def testDepthwiseConv2DInputGradExplicit(self) -> None:
        self._gradients(CheckGradConfigsToTestExplicit(), True)

    def testDepthwiseConv2DFilterGrad(self) -> None:
        self._gradients(CheckGradConfigsToTest(), False)

    def testDepthwiseConv2DFilterGradFormat(self) -> None:
        self._gradients(CheckGradConfigsToTest(), False, form="NCHW")

    def testDepthwiseConv2DFilterGradExplicit(self) -> None:
        self._gradients(CheckGradConfigsToTestExplicit(), False)

    # ---- what needs a GPU ----

    @decorators.run_gpu_only
    def _on_gpu(self, *_: Any) -> None:
        """It skips: none is used here."""

    _CompareForward = _CompareBackpropInput = _CompareBackpropFilter = _on_gpu
    testDepthwiseConv2DCudnn = _on_gpu
    testDepthwiseConv2DInputGradCudnn = _on_gpu
    testDepthwiseConv2DFilterGradCudnn = _on_gpu
    testDepthwiseConv2DInputGradCompare = _on_gpu
    testDepthwiseConv2DInputGradExplicitCompare = _on_gpu
    testDepthwiseConv2DFilterGradCompare = _on_gpu
    testDepthwiseConv2DFilterGradExplicitCompare = _on_gpu
    testDepthwiseConv2DForwardCompare = _on_gpu
    testDepthwiseConv2DForwardExplicitCompare = _on_gpu
