"""Batches: one function over many examples at once.

Inside `vectorized` a tensor may stand for a whole batch while showing the shape of one example.
An operation on such tensors is carried out once, on all examples, by the row's batching rule:

- elementwise operations need none: ranks are aligned behind the batch axis;
- a rule ``batch(batched, n, xs, attrs)`` is given the full tensors, which of them are batched,
  and the size of the batch; it returns the full result, with the batch in front;
- without either, the operation runs once for each example.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from wengert.core.context import (
    activate,
    announce,
    install,
    note,
    note_access,
    thread,
    with_top,
)
from wengert.core.contract import as_list
from wengert.core.dispatch import apply
from wengert.core.recorder import Interpreter, Recorder
from wengert.core.row import Attrs, Row
from wengert.errors import LeakedTensorError
from wengert.host.context_manager import Change, context_manager, enter
from wengert.values.bound_ops import bound
from wengert.values.symbolic import Form, is_certain
from wengert.values.tensor import Tensor, dims, wrap

_new = object.__new__


class Batched(Tensor):
    """A tensor that stands for each example of a batch."""

    __slots__ = ("_batcher", "_full")

    _full: Tensor
    _batcher: Batcher

    @property
    def _leaked(self) -> str:
        return (
            "a tensor that stands for one example of a batch, outside the function that was being "
            "vectorized. Return it from that function instead."
        )

    @property
    def numpy(self) -> Any:
        """One example of a batch has no value of its own: what asks `hasattr` is told so."""
        raise AttributeError

    def __getattr__(self, name: str) -> Any:
        if name != "numpy":
            return super().__getattr__(name)
        raise AttributeError(f"'Batched' object has no attribute 'numpy': {self._no_value()}")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        raise self._no_value()

    def __bool__(self) -> bool:
        raise self._no_value()

    def __float__(self) -> float:
        raise self._no_value()

    def __int__(self) -> int:
        raise self._no_value()

    def __index__(self) -> int:
        raise self._no_value()

    def __repr__(self) -> str:
        return f"<tf.Tensor: shape={self.shape}, dtype={self.dtype.name}, one of a batch>"

    __str__ = __repr__

    def _no_value(self) -> LeakedTensorError:
        return LeakedTensorError(
            f"{self!r} has no value of its own: inside a vectorized function a tensor stands for "
            "all examples at once. Use tf.where instead of a Python `if`, and do not call numpy()."
        )


class Batcher:
    """Carries out operations on batched tensors. Active within `vectorized`."""

    building: ClassVar[None] = None

    def __init__(self, size: int, batch: object = None) -> None:
        self.size = size
        self.batch = batch or object()  # the same one while its rules run, perhaps later
        self.outer: Interpreter | None = None
        self.outer_recorders: tuple[Recorder, ...] = ()

    def lift(self, full: Tensor) -> Batched:
        """The value that stands for one example of a full tensor."""
        one: Batched = _new(Batched)
        one._array = Form(dims(full)[1:], full._array.dtype)
        one._key = None
        one._full = full
        one._batcher = self
        return one

    def holds(self, value: Any) -> bool:
        """Whether a value is one example of this batch."""
        return type(value) is Batched and value._batcher.batch is self.batch

    def full(self, value: Any) -> Tensor:
        """The tensor of all examples; a value that all share is repeated."""
        if self.holds(value):
            full: Tensor = value._full
            return full
        repeated: Tensor = bound.repeat_example(value, self.size)
        return repeated

    @context_manager
    def active(self) -> Change:
        """Intercept the operations of this thread."""
        self.outer, self.outer_recorders = thread.context.interpreter, thread.context.recorders
        install((), with_top(self))
        return None, lambda: install(self.outer_recorders, self.outer)

    @context_manager
    def inside(self) -> Change:
        """Active in a graph that is built within the batch, such as the body of a loop."""
        before = self.outer, self.outer_recorders
        _, leave = enter(self.active())

        def undo() -> None:
            leave()
            self.outer, self.outer_recorders = before

        return None, undo

    def outside(self, *inner: Recorder) -> activate:
        """The state before this batch began, plus some of the recorders added since."""
        around = self.outer_recorders
        return activate((*around, *inner) if inner else around, self.outer)

    def apply(self, row: Row, inputs: Sequence[Any], attrs: Attrs, name: str | None = None) -> Any:
        """Carry out an operation for all examples at once."""
        if row.closes:  # it hands on what was computed; its rule keeps values of this batch
            return self.announce(row, inputs, attrs, list(row.kernel(np, *inputs)))
        batch = self.batch
        batched = [type(x) is Batched and x._batcher.batch is batch for x in inputs]
        if True not in batched and not row.stateful:
            with self.outside():
                alike = apply(row, inputs, attrs)
            note(row, inputs, attrs, alike)  # here: what a recorder computes may be batched
            return alike
        if row.by_shape and not row.elementwise:  # a size, which all examples have in common
            assert row.batch is not None
            with self.outside():
                return row.batch(batched, self.size, [x._full for x in inputs], attrs)
        given = _given_rule(row) if thread.context.overrides else None  # is for one example
        xs = [x._full if b else x for x, b in zip(inputs, batched, strict=True)]
        with self.outside() if given is None else activate((), self.outer):
            fulls = apply_batched(row, batched, self.size, xs, attrs)
        result: Any = [self.lift(f) for f in fulls] if row.many else self.lift(fulls)
        if given is not None:
            return self.announce(given, inputs, attrs, result)
        note(row, inputs, attrs, result)
        return result

    def accessed(self, variable: Any) -> None:
        """A variable is being read: notify the recorders around the batch."""
        with self.outside():
            note_access(variable)

    def announce(self, row: Row, inputs: Sequence[Any], attrs: Attrs, result: Any) -> Any:
        """Notify the recorders inside and outside of an operation with a joint rule."""
        batched = [self.holds(x) for x in inputs]
        results = result if row.many else [result]
        if not any(batched) and not any(self.holds(y) for y in results):
            with self.outside():
                told = announce(row, inputs, attrs, result)
        else:
            lifted = self._lifted(row, batched)
            fulls = [self.full(y) for y in results]
            xs = [x._full if b else x for x, b in zip(inputs, batched, strict=True)]
            with self.outside():
                seen = announce(lifted, xs, attrs, fulls if row.many else fulls[0])
            ones = [self.lift(y) for y in (seen if row.many else [seen])]
            told = ones if row.many else ones[0]
        note(row, inputs, attrs, told)
        return told

    def _lifted(self, row: Row, batched: list[bool]) -> Row:
        """The row whose rule is the joint rule of `row`, for all examples at once."""

        def joint(gs: Any, ys: Any, xs: Any, attrs: Any) -> list[Any]:
            again = Batcher(self.size, self.batch)  # to which the values belong that the rule keeps
            with again.active():
                one_gs = [None if g is None else again.lift(g) for g in gs]
                one_ys = [again.lift(y) for y in ys]
                one_xs = [again.lift(x) if b else x for x, b in zip(xs, batched, strict=True)]
                pulled = row.joint(one_gs, one_ys, one_xs, attrs) if row.joint else []
                fulls = [None if p is None else again.full(p) for p in as_list(pulled)]
            return [
                f if f is None or b else bound.sum_to(f, dims(f)[1:])
                for f, b in zip(fulls, batched, strict=True)
            ]

        joint.__wrapped__ = row.joint  # type: ignore[attr-defined]  # errors name the user's rule
        return Row(row.name, row.kernel, joint=joint, many=row.many, users=row.users)


def _given_rule(row: Row) -> Row | None:
    """The row with the function that an override in force gives it for a rule, if one does."""
    replaced = thread.context.overrides.get(row.name)
    given: Row | None = None if replaced is None else replaced(row)
    return None if given is None or given.joint is None else given


def apply_batched(
    row: Row, batched: Sequence[bool], size: int, xs: Sequence[Any], attrs: Attrs
) -> Any:
    """Carry out an operation for all examples; the batch is the first axis of what comes back."""
    if type(size) is int and not size:
        return _empty(row, batched, xs, attrs)
    if row.batch is not None:
        return _of_size(row.batch(batched, size, xs, attrs), row, batched, size, xs, attrs)
    if row.elementwise:
        return apply(row, align(batched, xs), attrs)
    return one_by_one(row, batched, size, xs, attrs)


def align(batched: Sequence[bool], xs: Sequence[Any]) -> list[Any]:
    """Insert axes of size one after the batch axis, so that shapes broadcast as for one example."""
    ranks = [len(dims(x)) - b for x, b in zip(xs, batched, strict=True)]
    rank = max(ranks)
    if min(ranks) == rank:
        return list(xs)
    return [with_rank(x, rank) if b else x for x, b in zip(xs, batched, strict=True)]


def with_rank(x: Any, rank: int) -> Any:
    """A batch whose examples get a rank, by axes of size one in front of their own."""
    size, *one = dims(x)
    missing = rank - len(one)
    return bound.reshape(x, (size, *[1] * missing, *one)) if missing else x


def one_by_one(
    row: Row, batched: Sequence[bool], size: int, xs: Sequence[Any], attrs: Attrs
) -> Any:
    """One example after the other; batching rules use it for inputs that they do not cover."""
    size = int(size)  # where it is known at run time alone, only the loop of a graph can do it
    columns = [
        bound.part_examples(x, size) if b else [x] * size for x, b in zip(xs, batched, strict=True)
    ]
    results = [apply(row, inputs, attrs) for inputs in zip(*columns, strict=True)]
    if row.many:
        return [bound.join_examples(list(part)) for part in zip(*results, strict=True)]
    return bound.join_examples(results)


class _Example:
    """What is known of an input for one example: its form, and its value if all have the same."""

    __slots__ = ("_array", "_known")

    def __init__(self, x: Any, is_batched: bool) -> None:
        own = x._array
        self._array = Form(own.shape[1:], own.dtype) if is_batched else own
        self._known = getattr(x, "_known", None if isinstance(own, Form) else own)
        if is_batched:
            self._known = None


def _forms_of_one(row: Row, batched: Sequence[bool], xs: Sequence[Any], attrs: Attrs) -> Any:
    """Shape and dtype of what one example gives, for each result; None if not all are certain."""
    given = [_Example(x, b) for x, b in zip(xs, batched, strict=True)]
    forms = bound.known_forms(row, given, attrs)
    is_known = all(shape is not None and is_certain(shape) for shape, _ in forms)
    return forms if is_known and all(None not in shape for shape, _ in forms) else None


def _of_size(
    found: Any, row: Row, batched: Sequence[bool], size: Any, xs: Sequence[Any], attrs: Attrs
) -> Any:
    """The results with the shapes of the examples' own, which nobody can tell from none of them.

    A rule divides by the number of examples, and that may be zero when a graph runs.
    """
    parts = found if row.many else [found]
    if type(size) is int or row.users or all(is_certain(dims(y)[1:]) for y in parts):
        return found
    forms = _forms_of_one(row, batched, xs, attrs)
    if forms is None:
        return found
    sized = [bound.reshape(y, (size, *form[0])) for y, form in zip(parts, forms, strict=True)]
    return sized if row.many else sized[0]


def _empty(row: Row, batched: Sequence[bool], xs: Sequence[Any], attrs: Attrs) -> Any:
    """No examples: only the shapes of what one would give are needed.

    Where these follow from values, an example of zeros tells, which must then be in the domain.
    """
    forms = None if row.users else _forms_of_one(row, batched, xs, attrs)
    if forms is not None:
        found = [bound.entered(wrap(np.zeros((0, *shape), dtype))) for shape, dtype in forms]
    else:
        one = [bound.blank(x, dims(x)[1:]) if b else x for x, b in zip(xs, batched, strict=True)]
        result = apply(row, one, attrs)
        found = [bound.blank(y, (0, *dims(y))) for y in (result if row.many else [result])]
    return found if row.many else found[0]


def vectorize(function: Callable[..., Sequence[Any]], size: int, fulls: Sequence[Any]) -> list[Any]:
    """Call `function` once for all examples; the results have the batch in front."""
    batcher = Batcher(size)
    with batcher.active():
        results = function(*[batcher.lift(full) for full in fulls])
        with batcher.outside(*thread.context.recorders):
            return [None if r is None else batcher.full(r) for r in results]


def one_after_other(function: Callable[..., Sequence[Any]], fulls: Sequence[Any]) -> list[Any]:
    """The results of `vectorize`, by a call for each example; no results if there are none."""
    found = [function(*rows) for rows in zip(*map(bound.unstack, fulls), strict=True)]
    columns = zip(*found, strict=True)
    return [None if column[0] is None else bound.stack(list(column)) for column in columns]
