"""Examples: features by their names, each a list of texts, of floats or of whole numbers."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from wengert.errors import DataLossError, InvalidArgumentError
from wengert.formats.wire import Fields

_KEY, _VALUE = 1, 2  # of an entry of a map
_FEATURES, _LISTS = 1, 2  # of an example; the context comes first in one of sequences
_BYTES, _FLOATS, _INTEGERS = 1, 2, 3  # of a feature
_KINDS: Final = {_BYTES: "string", _FLOATS: "float32", _INTEGERS: "int64"}


class Feature(NamedTuple):
    """The values of a feature, and the name of their dtype; none where no list is set."""

    kind: str | None
    values: Any


def features_of(data: bytes) -> dict[bytes, Feature]:
    """The features of an example."""
    return _features(_read(data).message(_FEATURES))


def sequences_of(data: bytes) -> tuple[dict[bytes, Feature], dict[bytes, list[Feature]]]:
    """The features of the context of an example of sequences, and its lists of features."""
    message = _read(data)
    lists = {
        bytes(entry.data(_KEY)): [_feature(f) for f in entry.message(_VALUE).messages(1)]
        for entry in message.message(_LISTS).messages(1)
    }
    return _features(message.message(_FEATURES)), lists


def _read(data: bytes) -> Fields:
    try:
        return Fields(data)
    except DataLossError as error:
        raise InvalidArgumentError(
            f"Could not parse example input, value: {data!r}: {error}"
        ) from None


def _features(message: Fields) -> dict[bytes, Feature]:
    try:
        return {bytes(e.data(_KEY)): _feature(e.message(_VALUE)) for e in message.messages(1)}
    except DataLossError as error:
        raise InvalidArgumentError(f"Could not parse example input: {error}") from None


def _feature(message: Fields) -> Feature:
    numbers = message.numbers()
    if not numbers:
        return Feature(None, ())
    field = numbers[-1]
    values = message.message(field)
    if field == _BYTES:
        return Feature("string", [bytes(text) for text in values.all_data(1)])
    if field == _FLOATS:
        return Feature("float32", values.array(1, "<f4"))
    integers = np.array(values.integers(1), np.uint64).astype(np.int64)
    return Feature(_KINDS.get(field), integers)
