"""Neighbouring words as one: n-grams."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.core.table import op
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays.creation import shape
from wengert.ops.arrays.joining import concat
from wengert.ops.arrays.shaping import reshape
from wengert.ops.ragged.answers import answers
from wengert.ops.ragged.conversions import from_tensor
from wengert.ops.ragged.tensor import RaggedTensor
from wengert.ops.strings.texts import OBJECT, text_of

if TYPE_CHECKING:
    from wengert.core.row import Attrs
    from wengert.values.tensor import Tensor
    from wengert.values.typing import Array, Namespace


def _kernel(_: Namespace, values: Array, splits: Array, **attrs: Any) -> list[Array]:
    words, ends = values.tolist(), splits.tolist()
    rows = [list(_of_row(words[a:b], **attrs)) for a, b in pairwise(ends)]
    found = np.empty(sum(map(len, rows)), object)
    found[:] = [gram for row in rows for gram in row]
    return [found, np.cumsum([0, *map(len, rows)], dtype=splits.dtype)]


def _of_row(
    words: list[bytes],
    *,
    widths: Sequence[int],
    separator: bytes,
    pads: tuple[bytes, bytes],
    padding: int,
    keep_short: bool,
) -> Iterator[bytes]:
    """The n-grams of one row, the widths one after the other."""
    none_yet = True
    for width in widths:
        most = width - 1 if padding < 0 else min(padding, width - 1)
        padded = [pads[0]] * most + words + [pads[1]] * most
        for at in range(len(padded) - width + 1):
            none_yet = False
            yield separator.join(padded[at : at + width])
    if keep_short and none_yet and words:
        most = max(padding, 0)
        yield separator.join([pads[0]] * most + words + [pads[1]] * most)


def _forms(inputs: Sequence[Tensor], attrs: Attrs) -> list[Any]:
    return [((None,), OBJECT), (inputs[1]._array.shape, inputs[1]._array.dtype)]


NGRAMS: Row = op("StringNGrams", _kernel, many=True, forms=_forms, by_value=True)


@deferrable
def ngrams(
    data: Any,
    ngram_width: Any,
    separator: str = " ",
    pad_values: Any = None,
    padding_width: int | None = None,
    preserve_short_sequences: bool = False,
    name: str | None = None,
) -> Any:
    """Words that stand side by side, as one; those of a row are along the last axis.

    >>> tf.strings.ngrams(["d", "y", "by", "d", "x"], 2).numpy().tolist()
    [b'd y', b'y by', b'by d', b'd x']
    """
    attrs = _attrs(
        ngram_width, separator, pad_values, padding_width, preserve_short_sequences
    )  # fmt: skip
    x = text_of(data, "data")
    rank = x.shape.rank
    if rank is None:
        raise ValueError("Rank of data must be known.")
    if rank == 0:
        raise ValueError("Data must have rank>0")
    if rank == 1:
        starts = np.array([0], np.int64)
        return _ngrams(RaggedTensor.from_row_starts(x, starts, validate=False), attrs).values
    found = _ngrams(from_tensor(x, ragged_rank=rank - 1), attrs)
    return reshape(found.flat_values, concat([shape(x)[:-1], [-1]], 0))


@answers(ngrams)
def _ngrams_of_ragged(
    data: RaggedTensor,
    ngram_width: Any,
    separator: str = " ",
    pad_values: Any = None,
    padding_width: int | None = None,
    preserve_short_sequences: bool = False,
    name: str | None = None,
) -> Any:
    return _ngrams(
        data, _attrs(ngram_width, separator, pad_values, padding_width, preserve_short_sequences)
    )


def _ngrams(rows: RaggedTensor, attrs: Attrs) -> RaggedTensor:
    if rows.ragged_rank > 1:
        return rows.with_values(_ngrams(rows.values, attrs))
    values, splits = apply(NGRAMS, (rows.values, rows.row_splits), attrs)
    return RaggedTensor._of(values, splits)


def _attrs(widths: Any, separator: str, pads: Any, padding: int | None, keep_short: bool) -> Attrs:
    if padding is not None and padding < 1:
        raise ValueError(f"padding_width must be greater than 0. Got {padding}")
    if padding is not None and pads is None:
        raise ValueError("pad_values must be provided if padding_width is set.")
    both = pads if isinstance(pads, (list, tuple)) else (pads or "", pads or "")
    if len(both) != 2 or not all(isinstance(pad, str) for pad in both):
        raise TypeError(f"pad_values must be a string, tuple of strings, or None. Got: {pads!r}.")
    listed = list(widths) if isinstance(widths, (list, tuple)) else [widths]
    if any(width < 1 for width in listed):
        raise ValueError(f"All ngram_widths must be greater than 0. Got {widths}")
    by_itself = 0 if pads is None else -1
    return {
        "widths": tuple(int(width) for width in listed),
        "separator": separator.encode(),
        "pads": (both[0].encode(), both[1].encode()),
        "padding": by_itself if padding is None else padding,
        "keep_short": bool(keep_short),
    }
