"""XLA's own versions of rows, by name: where a kernel is NumPy's, or jax.numpy has a better way.

A version has the kernel's form without its namespace, ``version(*arrays, **attrs)``. One that needs
the operation or the state of the trace is ``version(trace, op, inputs)``, registered with `whole`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from wengert.execution.engine_registry import Settings

Version = Callable[..., Any]

VERSIONS: Final[dict[str, Version]] = {}
WHOLE: Final[dict[str, Version]] = {}
# Rows that NumPy computes, called back from compiled code: they need numbers on their way.
CALLED_BACK: Final = frozenset(
    [
        "BesselY0",
        "BesselY1",
        "BetaincGrad",
        "Bitcast",
        "CTCLoss",
        "CTCLossOccupancy",
        "CTCStates",
        "CTCUniqueLabels",
        "DrawBoundingBoxesV2",
        "FixedUnigramCandidateSampler",
        "FractionalPoolBoundaries",
        "IgammaGradA",
        "InvertPermutation",
        "IsotonicRegression",
        "LargestElement",
        "LogUniformCandidateSampler",
        "MatrixLogarithm",
        "Multinomial",
        "RandomGamma",
        "RandomPoissonV2",
        "ResourceScatterDiv",
        "StatelessRandomBinomial",
        "StatelessRandomGammaV3",
        "StatelessRandomPoisson",
        "UnicodeScript",
        "UniformCandidateSampler",
    ]
)
# Rows whose sizes depend on values, which must be known when the plan is compiled.
BY_VALUE: Final = frozenset(
    [
        "BroadcastArgs",
        "CollapseRepeated",
        "ComputeAccidentalHits",
        "DynamicPartition",
        "DynamicStitch",
        "RaggedCut",
        "RaggedPlaces",
        "RaggedRange",
        "RaggedRowIds",
        "RaggedRows",
        "SegmentMax",
        "SegmentMean",
        "SegmentMin",
        "SegmentProd",
        "SegmentRows",
        "SegmentSum",
        "SparseGroups",
        "SparseOrder",
        "SparseSegmentMean",
        "SparseSegmentSqrtN",
        "SparseSegmentSum",
        "SparseToSparseSetOperation",
        "UnravelIndex",
        "Where",
    ]
)
# Rows that XLA refuses: what they take or give are no numbers, or they learn from run to run.
REFUSED: Final = frozenset(
    [
        "AsString",
        "CTCBeamSearchDecoder",
        "CTCGreedyDecoder",
        "LearnedUnigramCandidateSampler",
        "Unique",
        "UniqueWithCounts",
    ]
)
# Rows whose kernels ask for a truth value only to raise an error.
CHECKED: Final[set[str]] = set()


def version(*names: str) -> Callable[[Version], Version]:
    """Register XLA's version of the rows with these names."""

    def register(function: Version) -> Version:
        VERSIONS.update(dict.fromkeys(names, function))
        return function

    return register


def xla_version(*names: str) -> Callable[[Version], Version]:
    """Let the engine "xla" compute operations with these names by a function of jax.numpy.

    It takes the arrays and the attributes, as the kernel does without its namespace. A row that has none is computed by its
    kernel, if that can be traced, else by calls back to it.

    >>> from wengert import extend
    >>> halved = extend.op("Halved", lambda xp, x, by: x * by, vjp=(lambda g, y, x, by: g * by,))
    >>> @extend.xla_version("Halved")
    ... def halved_by_xla(x, *, by):
    ...     return x * by
    >>> tf.function(lambda x: extend.apply(halved, (x,), {"by": 0.5}), engine="xla")(tf.constant(3.0)).numpy()
    np.float32(1.5)
    """
    Settings.changes += 1  # what was compiled is compiled again
    return version(*names)


def whole(*names: str) -> Callable[[Version], Version]:
    """Register a version that takes the trace, the operation and its inputs."""

    def register(function: Version) -> Version:
        WHOLE.update(dict.fromkeys(names, function))
        return function

    return register


# Functions that kernels call, and what stands in their place.
HELPERS: Final[dict[Any, Any]] = {}


def helper(*functions: Any) -> Callable[[Version], Version]:
    """Register XLA's version of functions that kernels call."""

    def register(version: Version) -> Version:
        HELPERS.update(dict.fromkeys(functions, version))
        return version

    return register
