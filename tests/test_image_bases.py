"""The bases of tests of image gradients hold for our operations."""

from __future__ import annotations

from wengert.compat.internals.ops import image_grad_test_base as base


class NearestNeighborTest(base.ResizeNearestNeighborOpTestBase):
    """The nearest pixel."""


class BilinearTest(base.ResizeBilinearOpTestBase):
    """Between pixels."""


class BicubicTest(base.ResizeBicubicOpTestBase):
    """By cubics."""


class ScaleAndTranslateTest(base.ScaleAndTranslateOpTestBase):
    """Scaled and shifted."""


class CropAndResizeTest(base.CropAndResizeOpTestBase):
    """Boxes."""


class RGBToHSVTest(base.RGBToHSVOpTestBase):
    """Colours."""
