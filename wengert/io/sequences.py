"""Examples of sequences taken apart: from texts, the messages tf.train.SequenceExample, to tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.errors import InvalidArgumentError
from wengert.formats.examples import Feature, sequences_of
from wengert.io.assembly import INT64, Forms, of_kind
from wengert.io.examples import Plans, forms_of, plans_of, values_of_plans
from wengert.io.features import FixedLenSequenceFeature, RaggedFeature, VarLenFeature
from wengert.ops.ragged.tensor import RaggedTensor
from wengert.ops.sparse.tensor import SparseTensor
from wengert.values.convert import convert
from wengert.values.dtypes import as_dtype, string

Steps = list[list[Any]]  # of each example the values of each step


class _Listed:
    """How a list of features becomes tensors."""

    needed = False  # whether an example without it is an error

    def __init__(self, key: str, feature: Any) -> None:
        self.key = key
        self.feature = feature
        self.dtype = as_dtype(feature.dtype)
        self.kind = self.dtype.numpy_dtype

    def forms(self, single: bool) -> Forms:
        """Shape and dtype of each array."""
        raise NotImplementedError

    def of_steps(self, steps: Steps, single: bool) -> list[Any]:
        """The arrays of a batch, or of one example."""
        raise NotImplementedError

    def value(self, tensors: list[Any]) -> Any:
        """What the user gets."""
        return tensors[0]

    def arrays(self, examples: Sequence[dict[bytes, list[Feature]]], single: bool) -> list[Any]:
        """The arrays of a batch, or of one example."""
        return self.of_steps([self._steps(e, at) for at, e in enumerate(examples)], single)

    def _steps(self, example: dict[bytes, list[Feature]], at: int) -> list[Any]:
        found = example.get(self.key.encode())
        if found is None and self.needed:
            raise InvalidArgumentError(
                f"Name: <unknown>, Feature list '{self.key}' is required but could not be found in "
                f"example {at}.  Did you mean to include it in feature_list_dense_missing_assumed_empty?"
            )
        none = np.empty(0, self.kind)
        rows = [of_kind(feature, self.key, self.dtype, at) for feature in found or ()]
        return [none if row is None else row for row in rows]

    def _flat(self, steps: Steps) -> Any:
        return np.concatenate([np.empty(0, self.kind), *[s for example in steps for s in example]])


class _Loose(_Listed):
    """Any number of values in each step, as a sparse tensor."""

    def forms(self, single: bool) -> Forms:
        rank = 2 if single else 3
        return [((None, rank), INT64), ((None,), self.kind), ((rank,), INT64)]

    def of_steps(self, steps: Steps, single: bool) -> list[Any]:
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

    def value(self, tensors: list[Any]) -> Any:
        return SparseTensor._of(*tensors)


class _Ragged(_Listed):
    """Any number of values in each step, as a ragged tensor."""

    def __init__(self, key: str, feature: Any) -> None:
        super().__init__(key if feature.value_key is None else feature.value_key, feature)
        if feature.partitions:
            raise NotImplementedError(
                f"The ragged feature {key} of a sequence has partitions: parse them by themselves."
            )
        self.splits = as_dtype(feature.row_splits_dtype).numpy_dtype

    def forms(self, single: bool) -> Forms:
        return [((None,), self.kind), *[((None,), self.splits)] * (1 if single else 2)]

    def of_steps(self, steps: Steps, single: bool) -> list[Any]:
        inner = [len(step) for example in steps for step in example]
        levels = [inner] if single else [[len(example) for example in steps], inner]
        ends = [np.cumsum([0, *lengths]).astype(self.splits) for lengths in levels]
        return [self._flat(steps), *ends]

    def value(self, tensors: list[Any]) -> Any:
        values, *ends = tensors
        for splits in ends[::-1]:
            values = RaggedTensor._of(values, splits)
        return values


class _Dense(_Listed):
    """Steps of one shape; batches are padded, and come with the number of steps of each example."""

    def __init__(self, key: str, feature: Any) -> None:
        super().__init__(key, feature)
        self.needed = not feature.allow_missing
        self.shape = tuple(feature.shape)

    def forms(self, single: bool) -> Forms:
        if single:
            return [((None, *self.shape), self.kind)]
        return [((None, None, *self.shape), self.kind), ((None,), INT64)]

    def of_steps(self, steps: Steps, single: bool) -> list[Any]:
        longest = max(map(len, steps), default=0)
        nothing: Any = b"" if self.kind.kind == "O" else 0
        made = np.full((len(steps), longest, *self.shape), nothing, self.kind)
        for i, example in enumerate(steps):
            for j, step in enumerate(example):
                made[i, j] = self._shaped(step, j)
        return [made[0]] if single else [made, np.array([len(e) for e in steps], np.int64)]

    def _shaped(self, step: Any, at: int) -> Any:
        if len(step) != int(np.prod(self.shape)):
            raise InvalidArgumentError(
                f"Name: <unknown>, Key: {self.key}, Index: {at}.  Number of values != expected.  "
                f"values size: {len(step)} but output shape: {list(self.shape)}"
            )
        return step.reshape(self.shape)[()]


_LISTED: Final = {
    VarLenFeature: _Loose,
    RaggedFeature: _Ragged,
    FixedLenSequenceFeature: _Dense,
}


def _listed(key: str, feature: Any) -> _Listed:
    if type(feature) not in _LISTED:
        raise ValueError(f"Invalid feature {key}:{feature} of a sequence.")
    return _LISTED[type(feature)](key, feature)


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
        *forms_of(xs, attrs),
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
    lists = {key: _listed(key, sequences[key]) for key in sorted(sequences or {})}
    attrs = {"plans": plans, "lists": lists, "single": single}
    arrays = apply(PARSE_SEQUENCE, [texts], attrs, name)
    count = sum(len(plan.forms(single, None)) for plan in plans.values())
    rest, found, lengths = iter(arrays[count:]), {}, {}
    for key, plan in lists.items():
        parts = [next(rest) for _ in plan.forms(single)]
        found[key] = plan.value(parts)
        if len(parts) == 2 and isinstance(plan, _Dense):
            lengths[key] = parts[1]
    return values_of_plans(plans, arrays[:count], single), found, lengths


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
