"""Elements that are drawn by chance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from wengert.data.methods.batches import batch, unbatch
from wengert.data.methods.functions import filter_, map_, scan
from wengert.data.methods.order import chosen, repeat, zip_
from wengert.data.methods.sources import from_tensors, random
from wengert.ops.arrays.gathering import gather, one_hot
from wengert.ops.arrays.shaping import expand_dims, squeeze, tile
from wengert.ops.math.arithmetic import divide
from wengert.ops.math.elementwise import cast, log
from wengert.ops.random.stateful import uniform
from wengert.ops.random.stateless import stateless_categorical
from wengert.ops.reductions.reductions import reduce_max, reduce_min, reduce_sum
from wengert.ops.support.static_value import get_static_value
from wengert.values.convert import convert
from wengert.values.dtypes import float32, int64
from wengert.values.symbolic import SymbolicTensor


def sample_from_datasets(
    datasets: Sequence[Any],
    weights: Any = None,
    seed: Any = None,
    stop_on_empty_dataset: bool = False,
    rerandomize_each_iteration: bool | None = None,
) -> Any:
    """Elements of several datasets, each from one drawn by chance, with weights if they are given.

    >>> zeros, ones = (tf.data.Dataset.from_tensors(i).repeat(3) for i in (0, 1))
    >>> drawn = tf.data.Dataset.sample_from_datasets([zeros, ones], [0.5, 0.5], seed=3)
    >>> sorted(drawn.as_numpy_iterator()) == [0, 0, 0, 1, 1, 1]
    True
    """
    if not datasets:
        raise ValueError("Invalid `datasets`. `datasets` should not be empty.")
    of_dataset = hasattr(weights, "_variant_tensor")
    if not of_dataset:
        datasets, weights = _with_weights(datasets, weights)
    if len(datasets) == 1:
        return datasets[0]
    pairs = random(seed, rerandomize_each_iteration).batch(2, drop_remainder=True)
    if of_dataset:
        shares = map_(weights, lambda *share: convert(share))  # a row, which is the only one
        choices = map_(zip_((shares, pairs)), _draw)
    else:
        row = expand_dims(convert(weights), 0)
        choices = map_(pairs, lambda pair: _draw(row, pair))
    return chosen(datasets, choices, stop_on_empty_dataset)


def _with_weights(datasets: Sequence[Any], weights: Any) -> tuple[Sequence[Any], Any]:
    """The datasets that may be drawn, and the weight of each."""
    if weights is None:
        return datasets, [1.0 / len(datasets)] * len(datasets)
    found = get_static_value(convert(weights))
    if found is None:
        return datasets, weights
    if found.shape != (len(datasets),):
        raise ValueError(
            "Invalid `weights`. `weights` should have the same length as `datasets` but got weights of "
            f"shape {found.shape} for {len(datasets)} datasets."
        )
    if (found > 0).all():
        return datasets, weights
    drawn = [d for d, weight in zip(datasets, found, strict=True) if weight > 0]
    return drawn or [datasets[0].take(0)], found[found > 0]


def _draw(row: Any, pair: Any) -> Any:
    return squeeze(stateless_categorical(log(row), 1, seed=pair), [0, 1])


def rejection_resample(
    self: Any,
    class_func: Callable[..., Any],
    target_dist: Any,
    initial_dist: Any = None,
    seed: Any = None,
    name: str | None = None,
) -> Any:
    """Pairs of a class and an element, drawn so that the classes are distributed as wanted.

    Without an initial distribution it is estimated from the elements that were seen. TensorFlow's
    draws for the same seed.

    >>> dataset = tf.data.Dataset.from_tensor_slices([0, 1] * 20)
    >>> drawn = dataset.rejection_resample(lambda x: x, [1.0, 0.0], [0.5, 0.5], seed=1)
    >>> {int(kind) for kind, _ in drawn}
    {0}
    """
    wanted = convert(target_dist, float32)
    in_pairs = map_(self, lambda *x: (class_func(*x), _in_one(x)))
    if initial_dist is None:
        shares = _estimated(map_(self, class_func), wanted)
        unchanged = None
    else:
        given = convert(initial_dist, float32)
        shares = repeat(from_tensors(given))
        known = None if isinstance(wanted / given, SymbolicTensor) else (wanted / given).numpy()
        unchanged = None if known is None else float(known.min())
    if unchanged == 1.0:
        return in_pairs
    chances = map_(shares, lambda initial: _chances(initial, wanted))
    drawn = _accepted(in_pairs, map_(chances, lambda chance, _: chance), seed)
    if unchanged == 0.0:
        return drawn
    weights = map_(chances, lambda _, mixed: [(mixed, 1.0 - mixed)])
    return sample_from_datasets([in_pairs, drawn], weights, seed, stop_on_empty_dataset=True)


def _in_one(arguments: tuple[Any, ...]) -> Any:
    """The element that a function was given as arguments."""
    return arguments[0] if len(arguments) == 1 else arguments


def _chances(initial: Any, wanted: Any) -> tuple[Any, Any]:
    """How likely an element of each class is accepted, and the share that is taken as it comes."""
    ratio = wanted / (initial + np.finfo(np.float32).tiny)
    least, most = reduce_min(ratio), reduce_max(ratio)
    return (ratio - least) / (most - least), least


_SEEN = 10  # of each class, before the first element
_AT_ONCE = 32  # elements between two estimates


def _estimated(classes: Any, wanted: Any) -> Any:
    """The shares of the classes among the elements so far, for each element."""
    count = wanted.shape[0]

    def estimate(seen: Any, group: Any) -> tuple[Any, Any]:
        seen = seen + reduce_sum(one_hot(group, count, dtype=int64), 0)
        share = cast(divide(seen, reduce_sum(seen)), float32)
        return seen, tile(expand_dims(share, 0), [_AT_ONCE, 1])

    begin = convert(np.full(count, _SEEN, np.int64))
    return unbatch(scan(batch(classes, _AT_ONCE), begin, estimate))


def _accepted(in_pairs: Any, chances: Any, seed: Any) -> Any:
    """The pairs that a draw accepts, with the chance of their class."""
    rows = map_(zip_((chances, in_pairs)), lambda chance, pair: (pair, gather(chance, pair[0])))
    kept = filter_(rows, lambda _, chance: uniform([], seed=seed) < chance)
    return map_(kept, lambda pair, _: pair)
