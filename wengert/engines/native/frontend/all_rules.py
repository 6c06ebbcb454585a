"""All rules of lowering: importing a module fills the tables of `lowering` with what it declares."""

from wengert.engines.native.frontend import (
    choices,
    contractions,
    convolution_rules,
    index_rules,
    list_rules,
    loops,
    lowering_rules,
    random_rules,
)

__all__ = [
    "choices",
    "contractions",
    "convolution_rules",
    "index_rules",
    "list_rules",
    "loops",
    "lowering_rules",
    "random_rules",
]
