"""The operations that a gradient passes, in the form in which overrides see them."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from functools import partial
from typing import Any

from wengert.core.context import listening, thread
from wengert.core.contract import as_list
from wengert.core.dispatch import apply
from wengert.core.row import Attrs, Row
from wengert.core.scope import Scope
from wengert.core.tape import MANY, WIDTH, Records, Tape, inputs_of
from wengert.inference.shape_inference import known_forms
from wengert.overrides.row_override import (
    LazyValue,
    RecordedOperation,
    other_row,
    value_of,
    with_rule,
)
from wengert.values.symbolic import SymbolicTensor
from wengert.values.tensor import dims, key_of
from wengert.values.value import Key


class Entry:
    """One operation that a gradient passes."""

    __slots__ = ("attrs", "inputs", "keys", "name", "outputs", "outs", "row", "scope", "view")

    def __init__(
        self,
        row: Row,
        attrs: Attrs,
        keys: Sequence[Key],
        inputs: Sequence[Any],
        outs: Sequence[Key],
        outputs: Any,
        name: str,
        view: Any,
        scope: Scope | None,
    ) -> None:
        self.row, self.attrs = row, attrs
        self.keys, self.inputs = keys, inputs
        self.outs, self.outputs = outs, outputs
        self.name = name  # including its name scopes
        self.view = view  # the operation as users see it
        self.scope = scope  # that the program made it in

    def with_row(self, row: Row) -> Entry:
        """The same operation with another row."""
        return Entry(
            row, self.attrs, self.keys, self.inputs, self.outs, self.outputs, self.name, self.view,
            self.scope,
        )  # fmt: skip

    def __repr__(self) -> str:
        return f"<{self.row.name} {self.name}>"


class Whole:
    """Gives rules access to the inputs and results of operations, all of which a graph has."""

    def __init__(self, followed: Container[Key]) -> None:
        self._followed = followed  # what depends on a source, or on a tape, on a watched value

    def values(self, entry: Entry) -> Sequence[Any]:
        """The inputs of an operation, as values rather than shapes."""
        return entry.inputs

    def results(self, entry: Entry) -> list[Any]:
        """The results of an operation."""
        return as_list(entry.outputs)

    def is_input(self, key: Key, x: Any) -> bool:
        """Whether a value that enters a region is an input of it rather than a constant."""
        return key in self._followed and bool(x.dtype.is_differentiable)

    def overridden(self, entry: Entry, rule: Callable[..., Any] | str) -> Entry:
        """The operation with another rule, and with the values that this reads."""
        row = with_rule(entry.row, rule)
        reads = other_row(rule)
        inputs, outputs = self._for_function(entry) if reads is None else self._for(entry, reads)
        y = outputs if row.many else outputs[0]
        return Entry(
            row, entry.attrs, entry.keys, inputs, entry.outs, y, entry.name, entry.view, entry.scope
        )

    def _for_function(self, entry: Entry) -> tuple[Sequence[Any], list[Any]]:
        """Inputs and results for a function, which may read any of them."""
        return self.values(entry), self.results(entry)

    def _for(self, entry: Entry, other: Row) -> tuple[Sequence[Any], list[Any]]:
        """Inputs and results for the rule of another operation."""
        return self.values(entry), self.results(entry)


class OfTape(Whole):
    """The operations of a tape.

    A tape keeps what the rules of the operations read. Anything else that another rule reads is
    recomputed on demand from what was kept.
    """

    def __init__(self, tape: Tape, records: Records, given: Sequence[Any]) -> None:
        # What was made without a rule is a constant for the rules of others.
        super().__init__(tape.positions.keys() - tape.without_rule)
        self._dtypes: dict[Key, Any] | None = None
        self.entries = [
            self._entry(tape, at, records[at : at + WIDTH]) for at in range(0, len(records), WIDTH)
        ]
        self._made = {key: e for e in self.entries for key in e.outs}
        self._known: dict[Key, Any] = {key_of(x): x for x in given} | tape.watched
        for e in self.entries:
            kept = [
                (k, x) for k, x in zip(e.keys, e.inputs, strict=True) if not isinstance(x, tuple)
            ]
            self._known.update(kept)
            if e.outputs is not None:
                self._known.update(zip(e.outs, as_list(e.outputs), strict=True))

    def values(self, entry: Entry) -> Sequence[Any]:
        """The inputs of an operation, as tensors."""
        return [
            self._value(key) if isinstance(x, tuple) else value_of(x)
            for key, x in zip(entry.keys, entry.inputs, strict=True)
        ]

    def results(self, entry: Entry) -> list[Any]:
        """The results of an operation, as tensors."""
        return [self._value(key) for key in entry.outs]

    def _for_function(self, entry: Entry) -> tuple[Sequence[Any], list[Any]]:
        return self._inputs_when_asked(entry), self._outputs_when_asked(entry)

    def _for(self, entry: Entry, other: Row) -> tuple[Sequence[Any], list[Any]]:
        return (
            self.values(entry) if other.saves_x else entry.inputs,
            self.results(entry) if other.saves_y else as_list(entry.outputs),
        )

    # ---- operations ----------------------------------------------------------------------------

    def _entry(self, tape: Tape, at: int, record: Records) -> Entry:
        row, attrs, key_a, key_b, a, b, out, y = record
        keys, inputs = inputs_of(key_a, key_b, a, b)
        outs = out if row.many else (out,)
        name = row.name
        note = tape.scopes.get(at)
        if note is not None:
            inputs = note.inputs
            y = note.results if row.many else note.results[0]
            name = f"{note.scope or ''}{row.name}"
        # Constants have no key on the tape. Here each gets one of its own, like other values.
        keys = [key_of(x) if key is None else key for key, x in zip(keys, inputs, strict=True)]
        if note is not None and type(note.results[0]) is SymbolicTensor:
            op = note.results[0].op
            return Entry(row, attrs, keys, inputs, outs, y, op.name, op, op.scope)
        scope = None if note is None else note.scope
        entry = Entry(row, attrs, keys, inputs, outs, y, name, None, scope)
        entry.view = RecordedOperation(
            row.name, self._inputs_when_asked(entry), self._outputs_when_asked(entry), attrs, name
        )
        return entry

    def _inputs_when_asked(self, entry: Entry) -> Sequence[Any]:
        return [
            self._unkept(key, x) if isinstance(x, tuple) else x
            for key, x in zip(entry.keys, entry.inputs, strict=True)
        ]

    def _outputs_when_asked(self, entry: Entry) -> list[Any]:
        if entry.outputs is not None:
            return as_list(entry.outputs)
        return [self._unkept(key) for key in entry.outs]

    def _unkept(self, key: Key, shape: Any = None) -> LazyValue:
        return LazyValue(partial(self._value, key), partial(self._dtype, key), shape)

    # ---- values --------------------------------------------------------------------------------

    def _value(self, wanted: Key) -> Any:
        waiting = [wanted]
        while waiting:
            key = waiting[-1]
            if key in self._known:
                waiting.pop()
                continue
            made = self._made[key]
            missing = [k for k, x in zip(made.keys, made.inputs, strict=True)
                       if isinstance(x, tuple) and k not in self._known]  # fmt: skip
            waiting += missing
            if not missing:
                self._compute(made)
        return self._known[wanted]

    def _compute(self, made: Entry) -> None:
        xs = [
            self._known[k] if isinstance(x, tuple) else x
            for k, x in zip(made.keys, made.inputs, strict=True)
        ]
        result = computed_again(made.row, xs, made.attrs, made.outs)
        self._known.update(zip(made.outs, result, strict=True))

    def _dtype(self, wanted: Key) -> Any:
        if self._dtypes is None:
            self._dtypes = self._found_dtypes()
        known = self._dtypes.get(wanted)
        return self._value(wanted)._array.dtype if known is None else known

    def _found_dtypes(self) -> dict[Key, Any]:
        """The dtypes of values, as far as they can be inferred without computing anything."""
        dtypes = {key: x._array.dtype for key, x in self._known.items()}
        for e in self.entries:
            says = e.row.elementwise or (e.row.shape is not None and e.row.forms is None)
            if says and e.outs[0] not in dtypes and dtypes.keys() >= set(e.keys):
                inputs = [
                    LazyValue(_nothing, partial(dtypes.__getitem__, key), dims(x))
                    for key, x in zip(e.keys, e.inputs, strict=True)
                ]
                dtypes[e.outs[0]] = known_forms(e.row, inputs, e.attrs)[0][1]
        return dtypes


def computed_again(row: Row, xs: Sequence[Any], attrs: Attrs, keys: Sequence[Key]) -> list[Any]:
    """Recompute the results of a recorded operation, with the identities that they had.

    Tapes know them by their keys. Forward accumulators are told, as they compute tangents.
    """
    recorders = thread.context.recorders
    with listening():
        result = apply(row, xs, attrs)
    results = as_list(result)
    for value, key in zip(results, keys, strict=True):
        value._key = key
    for recorder in recorders:
        if recorder.computes:
            recorder.record(row, xs, attrs, result)
    return results


def _nothing() -> Any:
    raise TypeError("Only the form is known.")


def records_of(entries: Iterable[Entry]) -> Records:
    """Entries in the form of a tape's records."""
    records: Records = []
    for e in entries:
        out: Any = tuple(e.outs) if e.row.many else e.outs[0]
        records += (e.row, e.attrs, tuple(e.keys), MANY, e.inputs, None, out, e.outputs)
    return records
