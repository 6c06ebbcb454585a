"""The bases of tests of image gradients hold for our operations."""

from __future__ import annotations

from wengert.testing import image_laws as base


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
