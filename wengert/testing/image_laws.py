"""Bases of tests of the gradients of image operations, as TensorFlow's tests of them inherit from."""
# the tests are methods of unittest's cases, whose assertions say more

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from wengert.api.gradients.gradient_checker import compute_gradient
from wengert.ops.image.color import hsv_to_rgb, rgb_to_hsv
from wengert.ops.image.crop import crop_and_resize
from wengert.ops.image.resize import resize
from wengert.testing.cases import TestCase
from wengert.values.convert import convert

Function = Callable[..., Any]


def max_error(function: Function, values: list[Any], delta: float = 1e-3) -> float:
    """The largest difference between the Jacobian and differences."""
    exact, measured = compute_gradient(function, values, delta)
    pairs = zip(exact, measured, strict=True)
    return max(float(np.abs(a - b).max(initial=0.0)) for a, b in pairs)


class _Resize(TestCase):
    """A resize by one method: its shape and its gradient, with antialiasing and without."""

    method: ClassVar[str] = ""
    tolerance: ClassVar[float] = 1e-3

    def _check(self, before: list[int], size: list[int]) -> None:
        x = np.arange(np.prod(before), dtype=np.float32).reshape(before) / 10.0
        for antialias in (False, True):

            def resized(v: Any, antialias: bool = antialias) -> Any:
                return resize(v, size, self.method, antialias=antialias)

            self.assertEqual(resized(convert(x)).shape.as_list(), [before[0], *size, before[3]])
            self.assertLess(max_error(resized, [x], 1e-2), self.tolerance)

    def testShapeIsCorrectAfterOp(self) -> None:
        """The size that was asked for."""
        self._check([1, 2, 2, 1], [4, 6])

    def testGradFromResizeToLargerInBothDims(self) -> None:
        """To more rows and columns."""
        self._check([1, 2, 3, 2], [4, 6])

    def testGradFromResizeToSmallerInBothDims(self) -> None:
        """To fewer rows and columns."""
        self._check([1, 4, 6, 1], [2, 3])


class ResizeNearestNeighborOpTestBase(_Resize):
    """The nearest pixel."""

    method: ClassVar[str] = "nearest"


class ResizeBilinearOpTestBase(_Resize):
    """Between the four nearest pixels."""

    method: ClassVar[str] = "bilinear"


class ResizeBicubicOpTestBase(_Resize):
    """By cubics through sixteen pixels."""

    method: ClassVar[str] = "bicubic"
    tolerance: ClassVar[float] = 2e-3


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


class CropAndResizeOpTestBase(TestCase):
    """Boxes of images, resized."""

    def testShapeIsCorrectAfterOp(self) -> None:
        """A crop for each box."""
        x = np.zeros((2, 7, 8, 3), np.float32)
        boxes = np.array([[0, 0, 1, 1], [0.1, 0.2, 0.7, 0.8]], np.float32)
        crops = crop_and_resize(x, boxes, [1, 0], [4, 5])
        self.assertEqual(crops.shape.as_list(), [2, 4, 5, 3])

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
