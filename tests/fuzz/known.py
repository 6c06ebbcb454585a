"""Where an outcome of TensorFlow is meant to differ: docs/beyond.md has the reasons at length."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from .programs import Program


class Known(NamedTuple):
    what: str  # a pattern: the kind of difference
    lines: str  # a pattern: a line of the program
    reason: str
    mode: str = ""  # a pattern, too


KNOWN: Final = [
    Known(r"kind", r"vectorized_map|gather|embedding_lookup|repeat", "slices where TensorFlow's own rules add or slice, dense where ours do"),
    Known("second", r"moments|reduce_std|reduce_variance", "second order of moments is missing there"),
    Known("second", r"reduce_prod|cumprod|segment_prod", "products near zeros, second order"),
    Known("second", r"image\.resize", "second order of resizing is missing there"),
    Known("second", r"softmax_cross_entropy_with_logits", "second order leaves out the labels there"),
    Known("second", r"softsign", "second order of softsign is wrong there"),
    Known("second", r"sparse_softmax_cross_entropy", "second order is refused there"),
    Known("second", r"local_response_normalization", "second order is missing there"),
    Known("result|gradient", r"image\.resize", "float64 stays float64: TensorFlow resizes in float32"),
    Known("result|gradient|second", r"nn\.(leaky_relu|gelu|silu|selu)", "constants are float32 there, in float64 too"),
    Known("second", r"max_pool2d", "second order of pools of unknown rank is zero there", "unknown rank"),
]  # fmt: skip


def reason(program: Program, mode: str, what: str) -> str:
    """Why a difference from TensorFlow is expected; "" if it is not."""
    text = "\n".join(program.lines())
    for known in KNOWN:
        fits = re.search(known.what, what) and re.search(known.mode, mode)
        if fits and re.search(known.lines, text):
            return known.reason
    return ""
