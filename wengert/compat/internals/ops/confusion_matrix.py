"""tensorflow.python.ops.confusion_matrix: its names that are not public."""

from __future__ import annotations

from typing import Any

from wengert.ops.arrays.shaping import squeeze
from wengert.values.convert import convert


def remove_squeezable_dimensions(
    labels: Any, predictions: Any, expected_rank_diff: int = 0, name: str | None = None
) -> tuple[Any, Any]:
    """Remove a last axis of size 1 that only one of the two has."""
    labels, predictions = convert(labels), convert(predictions)
    ranks = predictions.shape.rank, labels.shape.rank
    if None not in ranks:
        more = ranks[0] - ranks[1]
        if more == expected_rank_diff + 1 and predictions.shape[-1] == 1:
            predictions = squeeze(predictions, [-1])
        elif more == expected_rank_diff - 1 and labels.shape[-1] == 1:
            labels = squeeze(labels, [-1])
    return labels, predictions
