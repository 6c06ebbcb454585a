"""Examples taken apart: from texts, the messages tf.train.Example and SequenceExample, to tensors."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.errors import InvalidArgumentError
from wengert.formats.examples import Feature, features_of, sequences_of
from wengert.io.assembly import INT64, Dense, Loose, Placed, Plan, Ragged, Sequence_, of_kind
from wengert.io.features import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    RaggedFeature,
    SparseFeature,
    VarLenFeature,
)
from wengert.ops.ragged.tensor import RaggedTensor
from wengert.ops.sparse.tensor import SparseTensor
from wengert.values.convert import convert
from wengert.values.dtypes import as_dtype, string

Plans = dict[str, Plan]


def plans_of(features: Any) -> Plans:
    """How each feature becomes tensors."""
    if not features:
        raise ValueError("Argument `features` cannot be None or empty.")
    return {key: _plan(str(key), features[key]) for key in sorted(features)}


def _plan(key: str, feature: Any) -> Plan:
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
    if isinstance(feature, RaggedFeature):
        return Ragged(key, feature)
    raise ValueError(f"Invalid feature {key}:{feature}.")


# ---- examples -----------------------------------------------------------------------------------


def _kernel(_: Any, texts: Any, *, plans: Plans, single: bool) -> list[Any]:
    examples = [features_of(text) for text in np.asarray(texts, object).ravel().tolist()]
    return [array for plan in plans.values() for array in plan.arrays(examples, single)]


def _forms(xs: Any, attrs: Any) -> list[Any]:
    sizes = xs[0]._array.shape
    count = sizes[0] if isinstance(sizes, tuple) and sizes else None
    return [form for plan in attrs["plans"].values() for form in plan.forms(attrs["single"], count)]


PARSE: Final = Row("ParseExampleV2", _kernel, forms=_forms, many=True, stateful=True, by_value=True)


def _values(plans: Plans, arrays: list[Any], single: bool) -> dict[str, Any]:
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
    return _values(plans, arrays, single)


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
    return _values(plans, apply(PARSE, [text], {"plans": plans, "single": True}, name), single=True)


# ---- examples of sequences ----------------------------------------------------------------------


class _Listed:
    """How a list of features becomes tensors."""

    def __init__(self, key: str, feature: Any) -> None:
        self.key = key
        self.feature = feature
        self.dtype = as_dtype(feature.dtype)
        self.kind = self.dtype.numpy_dtype
        if isinstance(feature, RaggedFeature):
            self.key = key if feature.value_key is None else feature.value_key
            if feature.partitions:
                raise NotImplementedError(
                    f"The ragged feature {key} of a sequence has partitions: parse them by themselves."
                )
            self.splits = as_dtype(feature.row_splits_dtype).numpy_dtype
        elif isinstance(feature, FixedLenSequenceFeature):
            self.shape = tuple(feature.shape)
        elif not isinstance(feature, VarLenFeature):
            raise ValueError(f"Invalid feature {key}:{feature} of a sequence.")

    def forms(self, single: bool) -> list[Any]:
        rank = 2 if single else 3
        if isinstance(self.feature, VarLenFeature):
            return [((None, rank), INT64), ((None,), self.kind), ((rank,), INT64)]
        if isinstance(self.feature, RaggedFeature):
            return [((None,), self.kind), *[((None,), self.splits)] * (rank - 1)]
        lead = (None,) * (rank - 1)
        return [((*lead, *self.shape), self.kind), *([] if single else [((None,), INT64)])]

    def arrays(self, examples: list[dict[bytes, list[Feature]]], single: bool) -> list[Any]:
        steps = [self._steps(example, at) for at, example in enumerate(examples)]
        if isinstance(self.feature, VarLenFeature):
            return self._sparse(steps, single)
        if isinstance(self.feature, RaggedFeature):
            inner = [len(step) for example in steps for step in example]
            levels = [inner] if single else [[len(example) for example in steps], inner]
            ends = [np.cumsum([0, *lengths]).astype(self.splits) for lengths in levels]
            return [self._flat(steps), *ends]
        return self._dense(steps, single)

    def _steps(self, example: dict[bytes, list[Feature]], at: int) -> list[Any]:
        found = example.get(self.key.encode())
        if found is None:
            fixed = isinstance(self.feature, FixedLenSequenceFeature)
            if fixed and not self.feature.allow_missing:
                raise InvalidArgumentError(
                    f"Name: <unknown>, Feature list '{self.key}' is required but could not be found in "
                    f"example {at}.  Did you mean to include it in feature_list_dense_missing_assumed_empty?"
                )
            return []
        none = np.empty(0, self.kind)
        rows = [of_kind(feature, self.key, self.dtype, at) for feature in found]
        return [none if row is None else row for row in rows]

    def _flat(self, steps: list[list[Any]]) -> Any:
        return np.concatenate([np.empty(0, self.kind), *[s for example in steps for s in example]])

    def _sparse(self, steps: list[list[Any]], single: bool) -> list[Any]:
        places = [
            (i, j, k)
            for i, example in enumerate(steps)
            for j, step in enumerate(example)
            for k in range(len(step))
        ]
        longest = max((len(step) for example in steps for step in example), default=0)
        sizes = np.array([len(steps), max(map(len, steps), default=0), longest], np.int64)
        indices = np.array(places, np.int64).reshape(-1, 3)
        cut = 1 if single else 0
        return [indices[:, cut:], self._flat(steps), sizes[cut:]]

    def _dense(self, steps: list[list[Any]], single: bool) -> list[Any]:
        longest = max(map(len, steps), default=0)
        nothing: Any = b"" if self.kind.kind == "O" else 0
        made = np.full((len(steps), longest, *self.shape), nothing, self.kind)
        for i, example in enumerate(steps):
            for j, step in enumerate(example):
                if len(step) != int(np.prod(self.shape)):
                    raise InvalidArgumentError(
                        f"Name: <unknown>, Key: {self.key}, Index: {j}.  Number of values != expected.  "
                        f"values size: {len(step)} but output shape: {list(self.shape)}"
                    )
                made[i, j] = step.reshape(self.shape)[()]
        return [made[0]] if single else [made, np.array([len(e) for e in steps], np.int64)]

    def value(self, tensors: list[Any]) -> Any:
        if isinstance(self.feature, VarLenFeature):
            return SparseTensor._of(*tensors)
        if isinstance(self.feature, RaggedFeature):
            values, *ends = tensors
            for splits in ends[::-1]:
                values = RaggedTensor._of(values, splits)
            return values
        return tensors[0]


def _sequence_kernel(
    _: Any, texts: Any, *, plans: Plans, lists: dict[str, _Listed], single: bool
) -> list[Any]:
    found = [sequences_of(text) for text in np.asarray(texts, object).ravel().tolist()]
    contexts, sequences = [c for c, _ in found], [s for _, s in found]
    made = [array for plan in plans.values() for array in plan.arrays(contexts, single)]
    return made + [a for plan in lists.values() for a in plan.arrays(sequences, single)]


PARSE_SEQUENCE: Final = Row(
    "ParseSequenceExampleV2",
    _sequence_kernel,
    forms=lambda xs, attrs: [
        *_forms(xs, attrs),
        *[form for plan in attrs["lists"].values() for form in plan.forms(attrs["single"])],
    ],
    many=True,
    stateful=True,
    by_value=True,
)


def _parsed_sequences(
    serialized: Any, context: Any, sequences: Any, single: bool, name: str | None
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    if not context and not sequences:
        raise ValueError("Missing features: context_features or sequence_features must be given.")
    texts = convert(serialized, string)
    if texts.shape.rank not in (None, 0 if single else 1):
        raise ValueError(f"serialized has shape {texts.shape}: one example has rank 0, several 1.")
    plans = plans_of(context) if context else {}
    lists = {key: _Listed(key, sequences[key]) for key in sorted(sequences or {})}
    attrs = {"plans": plans, "lists": lists, "single": single}
    arrays = apply(PARSE_SEQUENCE, [texts], attrs, name)
    count = sum(len(plan.forms(single, None)) for plan in plans.values())
    rest, found, lengths = iter(arrays[count:]), {}, {}
    for key, plan in lists.items():
        parts = [next(rest) for _ in plan.forms(single)]
        found[key] = plan.value(parts)
        if len(parts) == 2 and isinstance(plan.feature, FixedLenSequenceFeature):
            lengths[key] = parts[1]
    return _values(plans, arrays[:count], single), found, lengths


def parse_sequence_example(
    serialized: Any,
    context_features: Any = None,
    sequence_features: Any = None,
    example_names: Any = None,
    name: str | None = None,
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """The context and the sequences of a vector of examples, and the lengths of dense sequences.

    >>> example = tf.train.SequenceExample()
    >>> steps = example.feature_lists.feature_list["n"].feature
    >>> steps.add().int64_list.value.extend([1, 2])
    >>> _, found, lengths = tf.io.parse_sequence_example(
    ...     [example.SerializeToString()],
    ...     sequence_features={"n": tf.io.FixedLenSequenceFeature([2], tf.int64)})
    >>> found["n"].numpy().tolist(), lengths["n"].numpy().tolist()
    ([[[1, 2]]], [1])
    """
    return _parsed_sequences(serialized, context_features, sequence_features, False, name)


def parse_single_sequence_example(
    serialized: Any,
    context_features: Any = None,
    sequence_features: Any = None,
    example_name: Any = None,
    name: str | None = None,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The context and the sequences of one example.

    >>> example = tf.train.SequenceExample()
    >>> steps = example.feature_lists.feature_list["words"].feature
    >>> for word in (b"dy", b"dx"):
    ...     steps.add().bytes_list.value.append(word)
    >>> _, found = tf.io.parse_single_sequence_example(
    ...     example.SerializeToString(),
    ...     sequence_features={"words": tf.io.FixedLenSequenceFeature([], tf.string)})
    >>> found["words"].numpy().tolist()
    [b'dy', b'dx']
    """
    context, found, _ = _parsed_sequences(
        serialized, context_features, sequence_features, True, name
    )
    return context, found
