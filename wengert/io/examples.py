"""Examples taken apart: from texts, the messages tf.train.Example, to tensors."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.formats.examples import features_of
from wengert.io.assembly import Dense, Loose, Placed, Plan, Ragged, Sequence_
from wengert.io.features import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    RaggedFeature,
    SparseFeature,
    VarLenFeature,
)
from wengert.values.convert import convert
from wengert.values.dtypes import string

Plans = dict[str, Plan]


def plans_of(features: Any) -> Plans:
    """How each feature becomes tensors."""
    if not features:
        raise ValueError("Argument `features` cannot be None or empty: features cannot be empty.")
    return {key: _plan(str(key), features[key]) for key in sorted(features)}


def _plan(key: str, feature: Any) -> Plan:
    if not isinstance(feature, _FEATURES):
        raise ValueError(f"Unsupported {type(feature).__name__} {feature} for key '{key}'")
    for part, called in (("dtype", "type"), ("shape", "shape")):
        if getattr(feature, part, "none needed") is None:
            raise ValueError(f"Missing {called} for feature {key}. Received feature={feature}")
    if isinstance(feature, FixedLenFeature):
        return Dense(key, feature.dtype, feature.shape, feature.default_value)
    if isinstance(feature, FixedLenSequenceFeature):
        if not feature.allow_missing:
            raise ValueError(
                "Unsupported: FixedLenSequenceFeature requires allow_missing to be True."
            )
        return Sequence_(key, feature.dtype, feature.shape, feature.default_value)
    if isinstance(feature, VarLenFeature):
        return Loose(key, feature.dtype)
    if isinstance(feature, SparseFeature):
        return Placed(key, feature)
    return Ragged(key, feature)


_FEATURES: Final = (
    FixedLenFeature,
    FixedLenSequenceFeature,
    VarLenFeature,
    SparseFeature,
    RaggedFeature,
)


# ---- examples -----------------------------------------------------------------------------------


def _kernel(_: Any, texts: Any, *, plans: Plans, single: bool) -> list[Any]:
    examples = [features_of(text) for text in np.asarray(texts, object).ravel().tolist()]
    return [array for plan in plans.values() for array in plan.arrays(examples, single)]


def forms_of(xs: Any, attrs: Any) -> list[Any]:
    """Shapes and dtypes of the arrays of all plans."""
    sizes = xs[0]._array.shape
    count = sizes[0] if isinstance(sizes, tuple) and sizes else None
    return [form for plan in attrs["plans"].values() for form in plan.forms(attrs["single"], count)]


PARSE: Final = Row(
    "ParseExampleV2", _kernel, forms=forms_of, many=True, stateful=True, by_value=True
)


def values_of_plans(plans: Plans, arrays: list[Any], single: bool) -> dict[str, Any]:
    """The features by their names, made of the arrays of their plans."""
    rest, found = iter(arrays), {}
    for key, plan in plans.items():
        found[key] = plan.value([next(rest) for _ in plan.forms(single, None)])
    return found


def parse_example(
    serialized: Any, features: Any, example_names: Any = None, name: str | None = None
) -> dict[str, Any]:
    """The features of a vector of examples, as tensors by their names.

    >>> example = tf.train.Example()
    >>> example.features.feature["x"].float_list.value.extend([1.0, 2.0])
    >>> found = tf.io.parse_example(
    ...     [example.SerializeToString()], {"x": tf.io.FixedLenFeature([2], tf.float32)})
    >>> found["x"].numpy().tolist()
    [[1.0, 2.0]]
    """
    plans = plans_of(features)
    texts = convert(serialized, string)
    rank = texts.shape.rank
    if rank is not None and rank > 1:
        raise ValueError(f"serialized must have rank 0 or 1, got shape {texts.shape}.")
    single = rank == 0
    arrays = apply(PARSE, [texts], {"plans": plans, "single": single}, name)
    return values_of_plans(plans, arrays, single)


def parse_single_example(
    serialized: Any, features: Any, example_names: Any = None, name: str | None = None
) -> dict[str, Any]:
    """The features of one example, as tensors by their names.

    >>> example = tf.train.Example()
    >>> example.features.feature["n"].int64_list.value.extend([3, 4, 5])
    >>> found = tf.io.parse_single_example(
    ...     example.SerializeToString(), {"n": tf.io.VarLenFeature(tf.int64)})
    >>> found["n"].values.numpy().tolist()
    [3, 4, 5]
    """
    plans = plans_of(features)
    text = convert(serialized, string)
    if text.shape.rank not in (None, 0):
        raise ValueError(f"Input serialized must be a scalar, got shape {text.shape}.")
    return values_of_plans(
        plans, apply(PARSE, [text], {"plans": plans, "single": True}, name), single=True
    )
