"""Datasets from tensors, ranges, Python's generators, chance and files."""

from __future__ import annotations

import functools
import glob
from collections.abc import Callable
from typing import Any

import numpy as np

from wengert.data.elements import (
    Layout,
    leaves,
    normal,
    parts_of,
    spec_of_value,
    specs_of,
    unbatched_spec,
)
from wengert.data.methods.made import made, number
from wengert.data.seeds import dataset_seeds
from wengert.data.stages import sources as stages
from wengert.data.stages.order import shuffle as shuffled
from wengert.errors import InvalidArgumentError
from wengert.ops.control.elements import kind_of
from wengert.ops.support.static_value import get_static_value
from wengert.values.convert import convert
from wengert.values.dtypes import as_dtype, int64, string
from wengert.values.type_spec import TensorSpec, TypeSpec


def from_tensors(tensors: Any, name: str | None = None) -> Any:
    """A dataset of one element, which is given.

    >>> list(tf.data.Dataset.from_tensors([1, 2]).as_numpy_iterator())
    [array([1, 2], dtype=int32)]
    """
    value = normal(tensors)
    layout = Layout(spec_of_value(value))
    return made(stages.tensors, parts_of(value), {"layout": layout}, layout.spec, "Tensor")


def from_tensor_slices(tensors: Any, name: str | None = None) -> Any:
    """A dataset of the slices along the first axis.

    >>> dataset = tf.data.Dataset.from_tensor_slices(([1, 2], {"a": ["x", "y"]}))
    >>> for number, names in dataset:
    ...     print(number.numpy(), names["a"].numpy())
    1 b'x'
    2 b'y'
    """
    if (datasets := _datasets(tensors)) is not None:
        return _each(datasets)
    value = normal(tensors)
    if not leaves(value):
        raise ValueError("Invalid `tensors`. `tensors` should not be empty.")
    layout = Layout(spec_of_value(value))
    sizes: dict[int, None] = {}  # in the order of the tensors
    for leaf in leaves(value):
        for part in kind_of(leaf).tensors(leaf):
            if part.shape.rank == 0:
                raise ValueError(
                    "Unbatching a tensor is only supported for rank >= 1: from_tensor_slices takes "
                    "the slices along axis 0, and a scalar has none."
                )
            if part.shape.rank is not None and part.shape[0] is not None:
                sizes.setdefault(part.shape[0])
    if len(sizes) > 1:
        first, other = list(sizes)[:2]
        raise ValueError(
            f"Dimensions {first} and {other} are not compatible: the tensors have different sizes along "
            "axis 0."
        )
    of_one = Layout(unbatched_spec(layout.spec))
    attrs = {"layout": layout, "of_one": of_one}
    return made(stages.slices, parts_of(value), attrs, of_one.spec, "TensorSlice")


def _datasets(value: Any) -> list[Any] | None:
    """The datasets that a list holds, and nothing else."""
    if not isinstance(value, list) or not value:
        return None
    return value if all(hasattr(x, "_variant_tensor") for x in value) else None


def _each(datasets: list[Any]) -> Any:
    """The dataset whose elements are these datasets."""
    alone = [from_tensors(dataset) for dataset in datasets]
    return functools.reduce(lambda found, one: found.concatenate(one), alone)


def range_(*args: Any, output_type: Any = int64, name: str | None = None) -> Any:
    """A dataset of numbers in steps, as Python's range gives them.

    >>> list(tf.data.Dataset.range(2, 8, 3).as_numpy_iterator())
    [np.int64(2), np.int64(5)]
    """
    if not 1 <= len(args) <= 3:
        raise ValueError(
            f"Invalid `args`. The length of `args` should be between 1 and 3 but was {len(args)}."
        )
    start, stop, step = (0, *args, 1) if len(args) == 1 else (*args, 1)[:3]
    dtype = as_dtype(output_type)
    inputs = [number(v, what) for v, what in ((start, "start"), (stop, "stop"), (step, "step"))]
    return made(
        stages.numbers, inputs, {"dtype": dtype.numpy_dtype}, TensorSpec([], dtype), "Range"
    )


def counter(start: Any = 0, step: Any = 1, dtype: Any = int64, name: str | None = None) -> Any:
    """A dataset that counts without an end.

    >>> list(tf.data.Dataset.counter(5, 2).take(2).as_numpy_iterator())
    [np.int64(5), np.int64(7)]
    """
    whole = np.iinfo(np.int64)
    return range_(start, whole.max if step > 0 else whole.min, step, output_type=dtype)


def random(
    seed: Any = None, rerandomize_each_iteration: bool | None = None, name: str | None = None
) -> Any:
    """A dataset of random numbers below 2**32, TensorFlow's for the same seed.

    >>> list(tf.data.Dataset.random(seed=4).take(1).as_numpy_iterator())
    [np.int64(3128586565)]
    """
    first, second = dataset_seeds(seed)
    attrs = {"again": bool(rerandomize_each_iteration)}
    inputs = [number(first), number(second)]
    return made(stages.chance, inputs, attrs, TensorSpec([], int64), "Random")


# ---- Python's generators ------------------------------------------------------------------------


def from_generator(
    generator: Callable[..., Any],
    output_types: Any = None,
    output_shapes: Any = None,
    args: Any = None,
    output_signature: Any = None,
    name: str | None = None,
) -> Any:
    """A dataset of what a generator yields; a pass calls `generator` anew.

    >>> def halves():
    ...     yield 1.0
    ...     yield 0.5
    >>> dataset = tf.data.Dataset.from_generator(
    ...     halves, output_signature=tf.TensorSpec(shape=(), dtype=tf.float32))
    >>> list(dataset.as_numpy_iterator())
    [np.float32(1.0), np.float32(0.5)]
    """
    if not callable(generator):
        raise TypeError(
            "`generator` must be a Python callable that supports the iteration protocol: give the "
            f"function, not what it returns; got {generator!r}."
        )
    layout = Layout(_promised(output_types, output_shapes, output_signature))
    attrs = {"function": generator, "layout": layout}
    inputs = [convert(a) for a in args or ()]
    return made(stages.from_python, inputs, attrs, layout.spec, "FlatMap")


def _promised(types: Any, shapes: Any, signature: Any) -> Any:
    """The specs that a program gives for a generator."""
    if signature is not None:
        if types is not None or shapes is not None:
            which = "output_types" if types is not None else "output_shapes"
            raise TypeError(
                f"The `{which}` argument can not be used together with the `output_signature` argument."
            )
        signature = _tuples(signature)
        for spec in leaves(signature):
            if not isinstance(spec, TypeSpec):
                raise TypeError(
                    "`output_signature` must contain objects that are subclass of `tf.TypeSpec` but "
                    f"found {type(spec)} which is not."
                )
        return signature
    if types is None:
        raise TypeError(
            "To specify the output signature you need to provide either the `output_signature` "
            "argument or the `output_types` argument."
        )
    return specs_of(_tuples(types), shapes)


def _tuples(value: Any) -> Any:
    """Lists as tuples, which is how they are meant where specs are nested."""
    if isinstance(value, list):
        return tuple(_tuples(v) for v in value)
    if isinstance(value, tuple) and not hasattr(value, "_fields"):
        return tuple(_tuples(v) for v in value)
    if isinstance(value, dict):
        return type(value)((k, _tuples(v)) for k, v in value.items())
    return value


# ---- files --------------------------------------------------------------------------------------


def list_files(
    file_pattern: Any, shuffle: bool | None = None, seed: Any = None, name: str | None = None
) -> Any:
    """A dataset of the names of the files that match patterns, in an order by chance unless told not.

    >>> tf.data.Dataset.list_files("/nowhere/*.txt")
    Traceback (most recent call last):
    ...
    wengert.errors.InvalidArgumentError: No files matched pattern: /nowhere/*.txt
    """
    patterns = [
        p.decode() if isinstance(p, bytes) else str(p)
        for p in np.reshape(np.asarray(get_static_value(convert(file_pattern, string)), object), -1)
    ]
    found = sorted({path for pattern in patterns for path in glob.glob(pattern)})
    if not found:
        raise InvalidArgumentError(f"No files matched pattern: {', '.join(patterns)}")
    dataset = from_tensor_slices(np.array([p.encode() for p in found], object))
    if shuffle is None or shuffle:
        first, second = dataset_seeds(seed)
        inputs = [number(len(found)), number(first), number(second)]
        dataset = made(
            shuffled,
            [dataset._variant_tensor, *inputs],
            {"again": True},
            dataset.element_spec,
            "Shuffle",
        )
    return dataset
