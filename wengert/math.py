"""tf.math: elementwise functions, reductions, cumulative and segment operations."""

import typing as _typing
from typing import Any as _Any

from wengert.host.locks import load_module as _load_module
from wengert.ops.arrays.broadcasting import polyval as polyval
from wengert.ops.arrays.gathering import unsorted_segment_sum as unsorted_segment_sum
from wengert.ops.math.arithmetic import accumulate_n as accumulate_n
from wengert.ops.math.arithmetic import add as add
from wengert.ops.math.arithmetic import add_n as add_n
from wengert.ops.math.arithmetic import atan2 as atan2
from wengert.ops.math.arithmetic import divide as divide
from wengert.ops.math.arithmetic import divide_no_nan as divide_no_nan
from wengert.ops.math.arithmetic import floordiv as floordiv
from wengert.ops.math.arithmetic import floormod as floormod
from wengert.ops.math.arithmetic import maximum as maximum
from wengert.ops.math.arithmetic import minimum as minimum
from wengert.ops.math.arithmetic import mul_no_nan as _mul_no_nan
from wengert.ops.math.arithmetic import multiply as multiply
from wengert.ops.math.arithmetic import nextafter as nextafter
from wengert.ops.math.arithmetic import pow as pow
from wengert.ops.math.arithmetic import reciprocal_no_nan as reciprocal_no_nan
from wengert.ops.math.arithmetic import scalar_mul as scalar_mul
from wengert.ops.math.arithmetic import squared_difference as squared_difference
from wengert.ops.math.arithmetic import subtract as subtract
from wengert.ops.math.arithmetic import truediv as truediv
from wengert.ops.math.arithmetic import xdivy as xdivy
from wengert.ops.math.arithmetic import xlog1py as xlog1py
from wengert.ops.math.arithmetic import xlogy as xlogy
from wengert.ops.math.comparison import approximate_equal as approximate_equal
from wengert.ops.math.comparison import equal as equal
from wengert.ops.math.comparison import greater as greater
from wengert.ops.math.comparison import greater_equal as greater_equal
from wengert.ops.math.comparison import less as less
from wengert.ops.math.comparison import less_equal as less_equal
from wengert.ops.math.comparison import logical_and as logical_and
from wengert.ops.math.comparison import logical_or as logical_or
from wengert.ops.math.comparison import logical_xor as logical_xor
from wengert.ops.math.comparison import not_equal as not_equal
from wengert.ops.math.complex import abs as abs
from wengert.ops.math.complex import angle as angle
from wengert.ops.math.complex import conj as conj
from wengert.ops.math.complex import imag as imag
from wengert.ops.math.complex import real as real
from wengert.ops.math.complex import sign as sign
from wengert.ops.math.elementwise import acos as acos
from wengert.ops.math.elementwise import acosh as acosh
from wengert.ops.math.elementwise import asin as asin
from wengert.ops.math.elementwise import asinh as asinh
from wengert.ops.math.elementwise import atan as atan
from wengert.ops.math.elementwise import atanh as atanh
from wengert.ops.math.elementwise import ceil as ceil
from wengert.ops.math.elementwise import cos as cos
from wengert.ops.math.elementwise import cosh as cosh
from wengert.ops.math.elementwise import exp as exp
from wengert.ops.math.elementwise import expm1 as expm1
from wengert.ops.math.elementwise import floor as floor
from wengert.ops.math.elementwise import is_finite as is_finite
from wengert.ops.math.elementwise import is_inf as is_inf
from wengert.ops.math.elementwise import is_nan as is_nan
from wengert.ops.math.elementwise import log as log
from wengert.ops.math.elementwise import log1p as log1p
from wengert.ops.math.elementwise import logical_not as logical_not
from wengert.ops.math.elementwise import negative as negative
from wengert.ops.math.elementwise import reciprocal as reciprocal
from wengert.ops.math.elementwise import rint as rint
from wengert.ops.math.elementwise import round as round
from wengert.ops.math.elementwise import rsqrt as rsqrt
from wengert.ops.math.elementwise import sigmoid as sigmoid
from wengert.ops.math.elementwise import sin as sin
from wengert.ops.math.elementwise import sinh as sinh
from wengert.ops.math.elementwise import sqrt as sqrt
from wengert.ops.math.elementwise import square as square
from wengert.ops.math.elementwise import tan as tan
from wengert.ops.math.elementwise import tanh as tanh
from wengert.ops.nn.activations import erf as erf
from wengert.ops.nn.activations import log_sigmoid as log_sigmoid
from wengert.ops.nn.activations import log_softmax as log_softmax
from wengert.ops.nn.activations import softmax as softmax
from wengert.ops.nn.activations import softplus as softplus
from wengert.ops.nn.activations import softsign as softsign
from wengert.ops.reductions.cumulative import cumprod as cumprod
from wengert.ops.reductions.cumulative import cumsum as cumsum
from wengert.ops.reductions.cumulative import cumulative_logsumexp as cumulative_logsumexp
from wengert.ops.reductions.reductions import argmax as argmax
from wengert.ops.reductions.reductions import argmin as argmin
from wengert.ops.reductions.reductions import count_nonzero as count_nonzero
from wengert.ops.reductions.reductions import is_non_decreasing as is_non_decreasing
from wengert.ops.reductions.reductions import is_strictly_increasing as is_strictly_increasing
from wengert.ops.reductions.reductions import reduce_all as reduce_all
from wengert.ops.reductions.reductions import reduce_any as reduce_any
from wengert.ops.reductions.reductions import reduce_euclidean_norm as reduce_euclidean_norm
from wengert.ops.reductions.reductions import reduce_logsumexp as reduce_logsumexp
from wengert.ops.reductions.reductions import reduce_max as reduce_max
from wengert.ops.reductions.reductions import reduce_mean as reduce_mean
from wengert.ops.reductions.reductions import reduce_min as reduce_min
from wengert.ops.reductions.reductions import reduce_prod as reduce_prod
from wengert.ops.reductions.reductions import reduce_std as reduce_std
from wengert.ops.reductions.reductions import reduce_sum as reduce_sum
from wengert.ops.reductions.reductions import reduce_variance as reduce_variance
from wengert.ops.reductions.reductions import zero_fraction as zero_fraction

multiply_no_nan = _mul_no_nan
mod = floormod

# What is loaded when somebody asks for it, with the module that has it.
_LATER = {
    "bincount": "wengert.ops.reductions.counting",
    "confusion_matrix": "wengert.ops.reductions.counting",
    "segment_max": "wengert.ops.reductions.segments",
    "segment_mean": "wengert.ops.reductions.segments",
    "segment_min": "wengert.ops.reductions.segments",
    "segment_prod": "wengert.ops.reductions.segments",
    "segment_sum": "wengert.ops.reductions.segments",
    "unsorted_segment_max": "wengert.ops.reductions.segments",
    "unsorted_segment_mean": "wengert.ops.reductions.segments",
    "unsorted_segment_min": "wengert.ops.reductions.segments",
    "unsorted_segment_prod": "wengert.ops.reductions.segments",
    "unsorted_segment_sqrt_n": "wengert.ops.reductions.segments",
    "invert_permutation": "wengert.ops.reductions.sequences",
    "approx_max_k": "wengert.ops.reductions.sorting",
    "approx_min_k": "wengert.ops.reductions.sorting",
    "in_top_k": "wengert.ops.reductions.sorting",
    "top_k": "wengert.ops.reductions.sorting",
    "bessel_i0": "wengert.ops.special.bessel",
    "bessel_i0e": "wengert.ops.special.bessel",
    "bessel_i1": "wengert.ops.special.bessel",
    "bessel_i1e": "wengert.ops.special.bessel",
    "betainc": "wengert.ops.special.incomplete_gamma",
    "digamma": "wengert.ops.special.gamma",
    "erfc": "wengert.ops.special.gamma",
    "erfcinv": "wengert.ops.special.gamma",
    "erfinv": "wengert.ops.special.gamma",
    "igamma": "wengert.ops.special.incomplete_gamma",
    "igammac": "wengert.ops.special.incomplete_gamma",
    "l2_normalize": "wengert.ops.linalg.norms",
    "lbeta": "wengert.ops.special.gamma",
    "lgamma": "wengert.ops.special.gamma",
    "ndtri": "wengert.ops.special.gamma",
    "polygamma": "wengert.ops.special.gamma",
    "sobol_sample": "wengert.ops.random.sobol",
    "zeta": "wengert.ops.special.gamma",
}


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER, "special"})


if _typing.TYPE_CHECKING:
    from wengert import math_special as _special
    from wengert.ops.linalg.norms import l2_normalize as l2_normalize
    from wengert.ops.random.sobol import sobol_sample as sobol_sample
    from wengert.ops.reductions.counting import bincount as bincount
    from wengert.ops.reductions.counting import confusion_matrix as confusion_matrix
    from wengert.ops.reductions.segments import segment_max as segment_max
    from wengert.ops.reductions.segments import segment_mean as segment_mean
    from wengert.ops.reductions.segments import segment_min as segment_min
    from wengert.ops.reductions.segments import segment_prod as segment_prod
    from wengert.ops.reductions.segments import segment_sum as segment_sum
    from wengert.ops.reductions.segments import unsorted_segment_max as unsorted_segment_max
    from wengert.ops.reductions.segments import unsorted_segment_mean as unsorted_segment_mean
    from wengert.ops.reductions.segments import unsorted_segment_min as unsorted_segment_min
    from wengert.ops.reductions.segments import unsorted_segment_prod as unsorted_segment_prod
    from wengert.ops.reductions.segments import unsorted_segment_sqrt_n as unsorted_segment_sqrt_n
    from wengert.ops.reductions.sequences import invert_permutation as invert_permutation
    from wengert.ops.reductions.sorting import approx_max_k as approx_max_k
    from wengert.ops.reductions.sorting import approx_min_k as approx_min_k
    from wengert.ops.reductions.sorting import in_top_k as in_top_k
    from wengert.ops.reductions.sorting import top_k as top_k
    from wengert.ops.special.bessel import bessel_i0 as bessel_i0
    from wengert.ops.special.bessel import bessel_i0e as bessel_i0e
    from wengert.ops.special.bessel import bessel_i1 as bessel_i1
    from wengert.ops.special.bessel import bessel_i1e as bessel_i1e
    from wengert.ops.special.gamma import digamma as digamma
    from wengert.ops.special.gamma import erfc as erfc
    from wengert.ops.special.gamma import erfcinv as erfcinv
    from wengert.ops.special.gamma import erfinv as erfinv
    from wengert.ops.special.gamma import lbeta as lbeta
    from wengert.ops.special.gamma import lgamma as lgamma
    from wengert.ops.special.gamma import ndtri as ndtri
    from wengert.ops.special.gamma import polygamma as polygamma
    from wengert.ops.special.gamma import zeta as zeta
    from wengert.ops.special.incomplete_gamma import betainc as betainc
    from wengert.ops.special.incomplete_gamma import igamma as igamma
    from wengert.ops.special.incomplete_gamma import igammac as igammac

    special = _special
else:

    def __getattr__(name: str) -> _Any:
        if name == "special":
            found = _load_module("wengert.math_special")
        elif name in _LATER:
            found = getattr(_load_module(_LATER[name]), name)
        else:
            raise AttributeError(f"module 'wengert.math' has no attribute {name!r}")
        globals()[name] = found
        return found

    __all__ = [name for name in __dir__() if name[0] != "_"]
