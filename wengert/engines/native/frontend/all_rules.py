"""All rules of lowering: importing a module fills the tables of `lowering` with what it declares."""

from wengert.engines.native.frontend import (
    choices,
    contractions,
    diagonal_rules,
    factor_rules,
    index_rules,
    list_rules,
    loops,
    lowering_rules,
    motion_rules,
    order_rules,
    random_rules,
    scan_rules,
    scatter_rules,
)
from wengert.engines.native.frontend.fourier import operations as fourier_operations
from wengert.engines.native.frontend.images import convolution_rules, window_rules
from wengert.engines.native.frontend.numbers import complex_rules

__all__ = [
    "choices",
    "complex_rules",
    "contractions",
    "convolution_rules",
    "diagonal_rules",
    "factor_rules",
    "fourier_operations",
    "index_rules",
    "list_rules",
    "loops",
    "lowering_rules",
    "motion_rules",
    "order_rules",
    "random_rules",
    "scan_rules",
    "scatter_rules",
    "window_rules",
]
