"""CTC beam search: the likeliest sequences of labels, over all alignments that stay among the best.

Sequences are nodes of a tree. Each keeps the log probabilities that it ends in its label and that it ends in a
blank; the last class is the blank. After Graves and others, "Connectionist temporal classification" (2006).
"""

from __future__ import annotations

import bisect
import itertools
import math
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Attrs, Row
from wengert.core.table import op
from wengert.errors import InvalidArgumentError
from wengert.inference.public_functions import nameable
from wengert.ops.nn.ctc_decoding import check_lengths, path_forms
from wengert.ops.sparse.tensor import SparseTensor
from wengert.ops.support.declare import in_single
from wengert.ops.support.scipy_lazy import scipy_special
from wengert.values import dtypes
from wengert.values.convert import convert
from wengert.values.shapes import shape_text
from wengert.values.symbolic import AnyShape
from wengert.values.tensor import Tensor

if TYPE_CHECKING:
    from wengert.values.typing import Array, Namespace, TensorLike

_NEVER: Final = -math.inf
_ROOT: Final = -1  # the label of the empty sequence


class _Node:
    """A sequence: its last label, and what was the sequence before that."""

    __slots__ = ("before", "blank", "children", "label", "last", "parent", "total")

    def __init__(self, label: int, parent: _Node | None) -> None:
        self.label, self.parent = label, parent
        self.children: dict[int, _Node] = {}
        self.last = self.blank = self.total = _NEVER  # ends in the label, in a blank, in either
        self.before = (_NEVER, _NEVER)  # blank and total, a step earlier

    def forget(self) -> None:
        """Leave the beam; the sequence may come back."""
        self.last = self.blank = self.total = _NEVER

    def sequence(self, merge_repeated: bool) -> list[int]:
        labels: list[int] = []
        node, next_label = self, _ROOT
        while node.parent is not None:
            if not merge_repeated or node.label != next_label:
                labels.append(node.label)
            next_label = node.label
            node = node.parent
        return labels[::-1]


class _Beam:
    """The best sequences, in order; of equal ones the earlier first."""

    def __init__(self, width: int) -> None:
        self.width = width
        self._entries: list[tuple[float, int, _Node]] = []
        self._numbers = itertools.count()

    def nodes(self) -> list[_Node]:
        return [node for _, _, node in self._entries]

    def bound(self) -> float:
        """What a sequence must exceed to enter."""
        return _NEVER if len(self._entries) < self.width else -self._entries[-1][0]

    def add(self, node: _Node) -> None:
        bisect.insort(self._entries, (-node.total, next(self._numbers), node))
        if len(self._entries) > self.width:
            self._entries.pop()[2].forget()


def _searched(scores: Array, width: int) -> list[_Node]:
    """The best sequences for log probabilities of (steps, classes)."""
    root = _Node(_ROOT, None)
    root.blank = root.total = 0.0
    beam = _Beam(width)
    beam.add(root)
    for step in scores:
        kept = beam.nodes()
        beam = _Beam(width)
        for node in kept:
            node.before = node.blank, node.total
        for node in kept:
            _stay(node, step)
            beam.add(node)
        for node in kept:
            if node.before[1] > beam.bound():
                _grow(node, step, beam)
    return beam.nodes()


def _stay(node: _Node, step: Array) -> None:
    """The same sequence after a step more: a blank, or its last label once more or for the first time."""
    if node.parent is not None:
        if node.parent.total > _NEVER:  # else it left the beam
            came = node.parent.before[0 if node.label == node.parent.label else 1]
            node.last = float(np.logaddexp(node.last, came))
        node.last += float(step[node.label])
    node.blank = node.before[1] + float(step[-1])
    node.total = float(np.logaddexp(node.blank, node.last))


def _grow(node: _Node, step: Array, beam: _Beam) -> None:
    """Sequences with a label more, if they are among the best."""
    totals = step[:-1] + node.before[1]
    if node.label != _ROOT:  # the same label again takes a blank in between
        totals[node.label] = step[node.label] + node.before[0]
    for label in sorted({*np.flatnonzero(totals > beam.bound()).tolist(), *node.children}):
        child = node.children.get(label)
        if child is not None and child.total > _NEVER:
            continue
        if totals[label] > beam.bound():
            child = child or node.children.setdefault(label, _Node(label, node))
            child.last = child.total = float(totals[label])
            child.blank = _NEVER
            beam.add(child)
        elif child is not None:  # it left the beam in this step, and is not grown either
            child.before = (_NEVER, _NEVER)


def _kernel(
    _: Namespace, inputs: Array, lengths: Array, *, width: int, paths: int, merge: bool
) -> list[Any]:
    """Indices of all paths, values of all paths, shapes of all paths, log probabilities."""
    _check_shapes(inputs, lengths)
    scores = scipy_special().log_softmax(inputs.astype(np.float64), axis=2)
    found = [_searched(scores[:n, b], width)[:paths] for b, n in enumerate(lengths.tolist())]
    if any(len(best) < paths for best in found):
        raise InvalidArgumentError(
            "Less leaves in the beam search than requested. [Op:CTCBeamSearchDecoder]"
        )
    decoded = [_sparse([best[k].sequence(merge) for best in found]) for k in range(paths)]
    totals = [[node.total for node in best] for best in found]
    chances = np.array(totals, inputs.dtype).reshape(len(found), paths)
    return [*itertools.chain(*zip(*decoded, strict=True)), chances]


def _check_shapes(inputs: Array, lengths: Array) -> None:
    if inputs.ndim != 3:
        raise InvalidArgumentError(
            "inputs is not a 3-Tensor: its axes are [time, batch, class], got "
            f"{shape_text(inputs.shape)} [Op:CTCBeamSearchDecoder]"
        )
    check_lengths("CTCBeamSearchDecoder", inputs.shape, lengths)


def _sparse(rows: list[list[int]]) -> tuple[Any, Any, Any]:
    places = [(b, i) for b, row in enumerate(rows) for i in range(len(row))]
    longest = max(map(len, rows), default=0)
    return (
        np.array(places, np.int64).reshape(-1, 2),
        np.array(list(itertools.chain(*rows)), np.int64),
        np.array([len(rows), longest], np.int64),
    )


def _forms(xs: list[Any], attrs: Attrs) -> list[Any]:
    count = attrs["paths"]
    scores = xs[0]._array
    batch = None if isinstance(scores.shape, AnyShape) else scores.shape[1]
    return [*path_forms(count), ((batch, count), scores.dtype)]


BEAM_SEARCH: Row = op("CTCBeamSearchDecoder", _kernel, many=True, forms=_forms)


def search(
    inputs: TensorLike, sequence_length: TensorLike, width: int, paths: int, merge: bool
) -> tuple[list[SparseTensor], Tensor]:
    """The decoded paths and their log probabilities."""
    scores, lengths = in_single(inputs, np.float64), convert(sequence_length, dtypes.int32)
    _check_attrs(width, paths)
    attrs = {"width": int(width), "paths": int(paths), "merge": bool(merge)}
    *pieces, chances = apply(BEAM_SEARCH, (scores, lengths), attrs)
    parts = (pieces[k::paths] for k in range(paths))
    return [SparseTensor._of(*part) for part in parts], chances


def _check_attrs(width: int, paths: int) -> None:
    if paths > width >= 1:
        raise InvalidArgumentError(
            f"requested more paths than the beam width: {paths} of {width} [Op:CTCBeamSearchDecoder]"
        )
    for name, value in (("beam_width", width), ("top_paths", paths)):
        if value < 1:
            raise InvalidArgumentError(
                f"Value for attr '{name}' of {value} must be at least minimum 1 "
                "[Op:CTCBeamSearchDecoder]"
            )


@nameable
def ctc_beam_search_decoder(
    inputs: TensorLike, sequence_length: TensorLike, beam_width: int = 100, top_paths: int = 1
) -> tuple[list[SparseTensor], Tensor]:
    """The likeliest sequences of labels, `top_paths` of them, and their log probabilities.

    `inputs` are logits of (steps, batch, classes); the last class is the blank.

    >>> logits = tf.math.log([[[0.3, 0.1, 0.6]], [[0.3, 0.1, 0.6]]])
    >>> (decoded,), chance = tf.nn.ctc_beam_search_decoder(logits, [2])
    >>> decoded.values.numpy().tolist(), tf.exp(chance).numpy().round(2).tolist()
    ([0], [[0.44999998807907104]])
    """
    return search(inputs, sequence_length, beam_width, top_paths, False)
