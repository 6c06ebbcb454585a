"""Operations with TensorFlow's arguments, for gradient functions that were written for it, and for files.

What an operation keeps as an attribute, such as the axis of a sum, may be an input there. `argument_forms.txt`
says for which: the inputs in order (a number for one of ours, a star for all, `name=attribute` for a constant),
a bar, and attributes that have another name there.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Attrs
from wengert.core.table import row_of
from wengert.overrides.told_attributes import as_told, told_attributes
from wengert.values.convert import convert
from wengert.values.shapes import as_given

# Results that an operation has there, where a gradient function gets a cotangent for each. None here has the others.
_RESULTS: Final = {
    "FusedBatchNormV3": 6,
    "SoftmaxCrossEntropyWithLogits": 2,
    "SparseSoftmaxCrossEntropyWithLogits": 2,
    "Svd": 3,
}
# Attributes that are elements of the result.
_ELEMENTS: Final = ("constant", "off", "on", "padding")
_LONG: Final = ("a_shape",)  # attributes that are of 64 bits there


class Form(NamedTuple):
    """How an operation is written: its inputs, and attributes by their names there."""

    inputs: list[str]
    attrs: dict[str, str]

    def words(self, count: int) -> list[str]:
        """The inputs of an operation that has so many here: a number for each of these."""
        every = map(str, range(count))
        return [w for word in self.inputs for w in (every if word == "*" else [word])]


@functools.cache
def argument_forms() -> dict[str, Form]:
    """The operations whose arguments are others in TensorFlow."""
    found = {}
    for line in Path(__file__).with_suffix(".txt").read_text("utf-8").splitlines():
        head, _, attrs = line.partition("|")
        name, *inputs = head.split()
        found[name] = Form(inputs, dict(word.split("=") for word in attrs.split()))
    return found


def with_arguments(op: Any, kind: str, count: int, attrs: Attrs) -> Any:
    """An operation of so many inputs as TensorFlow's gradient functions see it."""
    form = argument_forms().get(kind)
    if form is None and kind not in _RESULTS:
        return op
    form = form or Form(["*"], {})
    if kind == "BroadcastTo" and count > 1:  # to the shape of another tensor
        return op
    words = form.words(count)
    if kind == "OneHot" and count > 1:  # of values that are tensors
        words = ["0", "depth=depth", "1", "2"]
    told = told_attributes(op, kind, attrs)
    if any(word.partition("=")[2] not in told for word in words if "=" in word):
        return op
    return Told(op, words, told, form.attrs)


def without_arguments(op: Any) -> Any:
    """The operation with the inputs that it has here."""
    return op.op if type(op) is Told else op


def called(function: Callable[..., Any], op: Any, gs: Sequence[Any], count: int) -> Any:
    """The gradients of the inputs, of which there are so many here, by a user's function."""
    lacking = _RESULTS.get(op.type, 0) - len(gs)
    if lacking > 0 and not _takes(function, 1 + len(gs)):
        gs = [*gs, *[None] * lacking]
    found = function(op, *gs)
    if not isinstance(found, (list, tuple)) or len(found) == count:
        return found
    if type(op) is Told and len(found) == len(op.inputs):
        return op.of_own_inputs(found)
    return found if any(g is not None for g in found[count:]) else found[:count]


def _takes(function: Callable[..., Any], count: int) -> bool:
    """Whether a function can be called with so many arguments."""
    try:
        inspect.signature(function).bind(*range(count))
    except TypeError:
        return False
    except ValueError:  # it does not say
        return True
    return True


def _slope(op: Any) -> Any:
    """The second result of a softmax cross entropy there: the derivative with respect to the logits."""
    x, t = op.inputs
    last = len(x.shape) - 1
    total = apply(row_of("Sum"), (t,), {"axis": (last,), "keepdims": True})
    return apply(row_of("Softmax"), (x,), {"axis": last}) * total - t


def _empty(op: Any) -> Any:
    """Another result, which has no elements."""
    return convert(np.zeros(0, op.outputs[0].dtype.numpy_dtype))


# Second results that gradient functions read; None here has them.
_SLOPES: Final[dict[str, Callable[[Any], Any]]] = {
    "SoftmaxCrossEntropyWithLogits": _slope,
    "SparseSoftmaxCrossEntropyWithLogits": lambda op: apply(
        row_of("SparseSoftmaxCrossEntropySlope"), op.inputs
    ),
}


class Told:
    """An operation with inputs for attributes, and with the results that it has there."""

    __slots__ = ("_names", "attrs", "op", "words")

    def __init__(self, op: Any, words: list[str], attrs: Attrs, names: dict[str, str]) -> None:
        self.op, self.words, self.attrs, self._names = op, words, attrs, names

    @property
    def inputs(self) -> Sequence[Any]:
        """The inputs, with constants among them."""
        return _MadeWhenRead([functools.partial(self.input_of, word) for word in self.words])

    @property
    def outputs(self) -> Sequence[Any]:
        """The results, also those that are none here: a slope is computed, others are empty."""
        own = self.op.outputs
        more = _RESULTS.get(self.op.type, 0) - len(own)
        if more <= 0:
            return own  # type: ignore[no-any-return]
        make = _SLOPES.get(self.op.type, _empty)
        return _MadeWhenRead(
            [
                *[functools.partial(own.__getitem__, k) for k in range(len(own))],
                *[lambda: make(self.op)] * more,
            ]
        )

    def of_own_inputs(self, gradients: Sequence[Any]) -> list[Any]:
        """Of gradients for the inputs there those of the inputs here, in their order."""
        pairs = zip(self.words, gradients, strict=True)
        own = {int(word): g for word, g in pairs if word.isdigit()}
        return [own[k] for k in sorted(own)]

    def of_all_inputs(self, gradients: Sequence[Any]) -> list[Any]:
        """From gradients for the inputs here to those for the inputs there, of which some have none."""
        return [gradients[int(word)] if word.isdigit() else None for word in self.words]

    def input_of(self, word: str) -> Any:
        """An input, by what the form says of it."""
        if word.isdigit():
            return self.op.inputs[int(word)]
        attr = word.partition("=")[2]
        value = as_given(self.attrs[attr])
        if value is None:  # all axes
            value = range(len(self.op.inputs[0].shape))
        dtype = self.op.outputs[0].dtype if attr in _ELEMENTS else None
        try:
            array = np.asarray(value, None if dtype is None else dtype.numpy_dtype)
        except (TypeError, ValueError):  # sizes that are known at run time
            return convert(list(value))
        if (array.dtype.kind in "iu" or not array.size) and dtype is None:
            array = array.astype(np.int64 if attr in _LONG else np.int32)
        return convert(array)

    def get_attr(self, name: str) -> Any:
        """The value of an attribute, by its name there or here."""
        wanted = self._names.get(name, name)
        if wanted not in self.attrs:
            return self.op.get_attr(wanted)
        value = self.attrs[wanted]
        return as_told(value if wanted == name else as_given(value))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.op, name)

    def __repr__(self) -> str:
        return repr(self.op)


class _MadeWhenRead(Sequence[Any]):
    """Values of which those that are read are made."""

    def __init__(self, makers: Sequence[Callable[[], Any]]) -> None:
        self._makers = makers

    def __len__(self) -> int:
        return len(self._makers)

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            return [make() for make in self._makers[at]]
        return self._makers[at]()
