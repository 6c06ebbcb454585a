"""Bases of tests of the gradients of image operations, as TensorFlow's tests of them inherit from."""
# the tests are methods of unittest's cases, whose assertions say more

from __future__ import annotations

import importlib
import itertools
import unittest
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import numpy as np

from wengert.api.gradients.gradient_checker import compute_gradient
from wengert.api.gradients.gradient_tape import GradientTape
from wengert.compat.v1 import image as v1_image
from wengert.errors import GradientWarning
from wengert.ops.image.color import hsv_to_rgb, rgb_to_hsv
from wengert.ops.image.crop import crop_and_resize
from wengert.ops.image.resize import SCALED, resize
from wengert.ops.image.resize import resized as resized_by
from wengert.testing.cases import TestCase
from wengert.testing.decorators import run_all_in_graph_and_eager_modes, run_gpu_only
from wengert.values.convert import convert
from wengert.values.dtypes import bfloat16

Function = Callable[..., Any]
# Whether the pixels at the corners stay there, whether a pixel is where its centre is.
_ALIGNED = ((True, False), (False, True), (False, False))


def max_error(function: Function, values: list[Any], delta: float = 1e-3) -> float:
    """The largest difference between the Jacobian and differences."""
    exact, measured = compute_gradient(function, values, delta)
    pairs = zip(exact, measured, strict=True)
    return max(float(np.abs(a - b).max(initial=0.0)) for a, b in pairs)


def _rounding(dtype: Any) -> float:
    """How far a few roundings lead, by the size of the dtype."""
    return float(2.0 ** {2: -6, 4: -18, 8: -20}[np.dtype(dtype).itemsize])


def _with_parameters() -> Any:
    """The class whose tests take parameters, if absl is there; tests that use it import it, too."""
    try:
        return importlib.import_module("absl.testing.parameterized").TestCase
    except ModuleNotFoundError:
        return unittest.TestCase


_Parameterized: Any = _with_parameters()


class _Resize(TestCase):
    """A resize by one method: its shape and its gradient, in each way to align pixels."""

    method: ClassVar[str] = ""
    TYPES: ClassVar[list[Any]] = [np.float32, np.float64]
    tolerance: ClassVar[float] = 1e-3

    def _function(self, size: Any, align_corners: bool = False, centers: bool = False) -> Function:
        resize_as: Function = getattr(v1_image, self.method)
        return lambda x: resize_as(x, size, align_corners, half_pixel_centers=centers)

    def _check(self, before: list[int], size: list[int]) -> None:
        x = np.random.default_rng(0).normal(size=before)
        for of in self.TYPES:
            for aligned, centers in _ALIGNED:
                resized = self._function(size, aligned, centers)
                y = resized(convert(x.astype(of)))
                self.assertEqual(y.shape.as_list(), [before[0], *size, before[3]])
                exact = compute_gradient(resized, [x.astype(of)])[0][0]
                measured = compute_gradient(resized, [x.astype(np.float32)], 1e-2)[1][0]
                close = max(self.tolerance, _rounding(of))
                self.assertAllClose(exact.astype(float), measured, rtol=close, atol=close)

    def testShapeIsCorrectAfterOp(self) -> None:
        """The size that was asked for."""
        self._check([1, 2, 2, 1], [4, 6])

    def testGradFromResizeToLargerInBothDims(self) -> None:
        """To more rows and columns."""
        self._check([1, 2, 3, 2], [4, 6])

    def testGradFromResizeToSmallerInBothDims(self) -> None:
        """To fewer rows and columns."""
        self._check([1, 4, 6, 1], [2, 3])


def _no_gradient(self: Any) -> None:
    """Integers have none, and the tape says so."""
    x = convert(np.arange(24, dtype=np.uint8).reshape(1, 4, 6, 1))
    with self.assertWarnsRegex(GradientWarning, "must be floating"):
        with GradientTape() as tape:
            tape.watch(x)
            y = getattr(v1_image, self.method)(x, [2, 3])
        self.assertIsNone(tape.gradient(y, x))


@run_gpu_only
def _on_gpu(self: Any, *_: Any) -> None:
    """It skips: no GPU is used here."""


class ResizeNearestNeighborOpTestBase(_Resize):
    """The nearest pixel."""

    method: ClassVar[str] = "resize_nearest_neighbor"
    TYPES: ClassVar[list[Any]] = [np.float16, np.float32, np.float64, bfloat16.as_numpy_dtype]

    testCompareGpuVsCpu = _on_gpu


class ResizeBicubicOpTestBase(_Resize, _Parameterized):  # type: ignore[misc]
    """By cubics through sixteen pixels."""

    method: ClassVar[str] = "resize_bicubic"
    TYPES: ClassVar[list[Any]] = [np.float32]
    tolerance: ClassVar[float] = 2e-3
    testGradOnUnsupportedType0 = _no_gradient


class ResizeBilinearOpTestBase(TestCase, _Parameterized):  # type: ignore[misc]
    """Between the four nearest pixels."""

    method: ClassVar[str] = "resize_bilinear"
    testGradOnUnsupportedType0 = _no_gradient

    def _itGen(
        self, smaller_shape: Any, larger_shape: Any
    ) -> Iterator[tuple[Any, Any, bool, bool]]:
        """To more pixels, to fewer and to as many, in each way to align them."""
        small, large = smaller_shape, larger_shape
        for how in _ALIGNED:
            for before, after in ((small, large), (large, small), (large, large)):
                yield before, after, *how

    def _getJacobians(
        self,
        in_shape: Any,
        out_shape: Any,
        align_corners: bool = False,
        half_pixel_centers: bool = False,
        dtype: Any = np.float32,
        use_gpu: bool = False,
        force_gpu: bool = False,
    ) -> Any:
        x = np.random.default_rng(0).integers(-8, 8, in_shape).astype(dtype)

        def resized(v: Any) -> Any:
            size = out_shape[1:3]
            y = v1_image.resize_bilinear(v, size, align_corners, None, half_pixel_centers)
            self.assertEqual(y.shape.as_list(), list(out_shape))
            return y

        with self.cached_session(use_gpu=use_gpu):
            return compute_gradient(resized, [x])

    def _check(self, batch_size: int, channel_count: int) -> None:
        shapes = ([batch_size, *size, channel_count] for size in ((2, 3), (5, 4)))
        for case in self._itGen(*shapes):
            exact, measured = self._getJacobians(*case)
            self.assertAllClose(exact, measured, rtol=5e-3, atol=5e-3)

    def testGradients0(self) -> None:
        """One image of one channel."""
        self._check(1, 1)

    def testGradients1(self) -> None:
        """Images of several channels."""
        self._check(2, 3)

    def testGradients2(self) -> None:
        """More images than channels."""
        self._check(3, 2)

    def testTypes(self) -> None:
        """Every dtype against differences in float64."""
        shapes = [1, 5, 4, 1], [1, 3, 2, 1]
        measured = self._getJacobians(*shapes, dtype=np.float64)[1]
        for dtype in (np.float16, bfloat16.as_numpy_dtype, np.float32, np.float64):
            (exact,) = self._getJacobians(*shapes, dtype=dtype)[0]
            close = _rounding(dtype)
            self.assertAllClose(exact.astype(float), measured[0], rtol=close, atol=close)

    _gpuVsCpuCase = testCompareGpuVsCpuFloat64 = _on_gpu
    testCompareGpuVsCpu0 = testCompareGpuVsCpu1 = testCompareGpuVsCpu2 = _on_gpu


class ScaleAndTranslateOpTestBase(TestCase):
    """Resizes by every kernel, which scale and shift what a pixel stands for."""

    def testGrads(self) -> None:
        """With antialiasing and without."""
        x = np.arange(24, dtype=np.float32).reshape(1, 4, 6, 1) / 10.0
        kernels = ("lanczos3", "lanczos5", "gaussian", "bilinear", "bicubic", "mitchellcubic")
        for kernel, antialias in itertools.product(kernels, (True, False)):

            def resized(v: Any, kernel: str = kernel, antialias: bool = antialias) -> Any:
                return resize(v, [3, 4], kernel, antialias=antialias)

            self.assertLess(max_error(resized, [x], 1e-2), 2e-3)

    def testIdentityGrads(self) -> None:
        """The same size: every pixel counts once."""
        x = convert(np.random.default_rng(0).normal(size=(1, 5, 4, 2)).astype(np.float32))
        same = {"scale": (1.0, 1.0), "translation": (0.0, 0.0)}
        for kernel in ("lanczos1", "lanczos3", "triangle", "box", "keyscubic"):
            with GradientTape() as tape:
                tape.watch(x)
                y = resized_by(SCALED, x, (5, 4), kernel_type=kernel, antialias=True, **same)
            self.assertAllClose(y, x, rtol=1e-5, atol=1e-5)
            self.assertAllClose(tape.gradient(y, x), np.ones(x.shape), rtol=1e-5, atol=1e-5)


class CropAndResizeOpTestBase(TestCase):
    """Boxes of images, resized."""

    def testShapeIsCorrectAfterOp(self) -> None:
        """A crop for each box."""
        x = np.zeros((2, 7, 8, 3), np.float32)
        boxes = np.array([[0, 0, 1, 1], [0.1, 0.2, 0.7, 0.8]], np.float32)
        crops = crop_and_resize(x, boxes, [1, 0], [4, 5])
        self.assertEqual(crops.shape.as_list(), [2, 4, 5, 3])

    def _randomUniformAvoidAnchors(
        self, low: float, high: float, anchors: Any, radius: float, num_samples: int
    ) -> list[float]:
        """Numbers in a range, none of them as near as the radius to one of the anchors."""
        drawn: list[float] = []
        while len(drawn) < num_samples:
            x = np.random.uniform(low, high)
            if np.all(np.abs(x - np.asarray(anchors)) > radius):
                drawn.append(x)
        return drawn

    def testGradRandomBoxes(self) -> None:
        """With respect to the image and to the boxes; these away from the edges of pixels."""
        rng = np.random.default_rng(0)
        for count, channels in itertools.product((1, 3), (1, 2)):
            x = rng.normal(size=(2, 5, 6, channels)).astype(np.float32)
            low, high = rng.uniform(0.05, 0.4, (count, 2)), rng.uniform(0.6, 0.95, (count, 2))
            boxes = np.concatenate([low, high], 1).astype(np.float32)
            which = rng.integers(0, 2, count).astype(np.int32)

            def of_image(v: Any, boxes: Any = boxes, which: Any = which) -> Any:
                return crop_and_resize(v, boxes, which, [3, 4])

            def of_boxes(b: Any, x: Any = x, which: Any = which) -> Any:
                return crop_and_resize(x, b, which, [3, 4])

            self.assertLess(max_error(of_image, [x], 1e-2), 2e-3)
            exact, measured = compute_gradient(of_boxes, [boxes], 1e-3)
            close = np.isclose(exact[0], measured[0], rtol=5e-2, atol=5e-2)
            self.assertGreater(close.mean(), 0.95)  # a sample may cross the edge of a pixel


@run_all_in_graph_and_eager_modes
class RGBToHSVOpTestBase(TestCase):
    """Colours as hue, saturation and value."""

    def testShapeIsCorrectAfterOp(self) -> None:
        """The shape stays."""
        self.assertEqual(
            rgb_to_hsv(np.zeros((3, 20, 20, 3), np.float32)).shape.as_list(), [3, 20, 20, 3]
        )

    def testRGBToHSVGradSimpleCase(self) -> None:
        """Where no two channels are equal."""
        self.assertLess(max_error(rgb_to_hsv, [np.array([[0.7, 0.2, 0.4]], np.float32)]), 2e-3)

    def testRGBToHSVGradRandomCase(self) -> None:
        """At random colours, there and back."""
        x = np.random.default_rng(0).uniform(size=(1, 5, 4, 3)).astype(np.float64)
        self.assertAllClose(hsv_to_rgb(rgb_to_hsv(x)), x)
        self.assertLess(max_error(rgb_to_hsv, [x], 1e-6), 1e-4)

    def testRGBToHSVGradSpecialCaseRGreatest(self) -> None:
        """Red above green above blue, where the formulas are short."""
        r, g, b = 0.9, 0.6, 0.1
        (exact,), _ = compute_gradient(rgb_to_hsv, [np.array([[r, g, b]])])
        d = 6 * (r - b) ** 2
        hue = [-(g - b) / d, (r - b) / d, (g - r) / d]
        self.assertAllClose(exact, [hue, [b / r**2, 0, -1 / r], [1, 0, 0]])
