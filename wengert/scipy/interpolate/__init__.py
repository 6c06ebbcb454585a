"""scipy.interpolate: curves through points, and values between those of a grid.

places       Places on a line, in order, and what is asked for between them
polynomials  Polynomials between places: of given coefficients, or of given values and slopes
splines      Curves of third degree through points, whose slopes are computed
lines        Values between points of a line
grids        Values between those of a grid
"""

from typing import Any

from wengert.scipy.arguments import no_such
from wengert.scipy.interpolate.grids import RegularGridInterpolator as RegularGridInterpolator
from wengert.scipy.interpolate.grids import interpn as interpn
from wengert.scipy.interpolate.lines import interp1d as interp1d
from wengert.scipy.interpolate.polynomials import CubicHermiteSpline as CubicHermiteSpline
from wengert.scipy.interpolate.polynomials import PPoly as PPoly
from wengert.scipy.interpolate.splines import Akima1DInterpolator as Akima1DInterpolator
from wengert.scipy.interpolate.splines import CubicSpline as CubicSpline
from wengert.scipy.interpolate.splines import PchipInterpolator as PchipInterpolator


def __getattr__(name: str) -> Any:
    raise no_such("interpolate", name)
