"""Overrides: rules in place of an operation's own when a gradient is computed.

Overrides select operations by type, by name, by name scope, or by a predicate. An override of a
name scope replaces the gradient of everything inside by one rule: the operations of the scope
become one, whose inputs come from outside and whose results are used outside.

Tapes and graphs pass their operations as entries, and get entries back.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from copy import copy
from typing import Any, Final, NamedTuple

from wengert.core.context import apply_overrides
from wengert.core.row import Attrs, Row
from wengert.core.scope import Scope
from wengert.core.tape import Records, Tape
from wengert.errors import OverrideError
from wengert.host.spelling import words_near
from wengert.overrides.gradient_ops import Entry, OfTape, Whole, records_of
from wengert.overrides.region import with_region
from wengert.values.value import Key

KINDS: Final = ("type", "name", "scope")


class Override(NamedTuple):
    """What is overridden, and the rule that replaces its own."""

    kind: str  # one of KINDS; "any" for a string without a kind; "predicate"
    what: Any
    rule: Callable[..., Any] | str


class Overrides:
    """The overrides of one gradient, and what they matched."""

    @property
    def rewires(self) -> bool:
        """Whether operations may be connected in other ways than on the tape: a region becomes one."""
        return True

    def __init__(self, given: Any) -> None:
        self._all = [_checked(what, rule) for what, rule in _pairs(given)]
        self.matched: set[int] = set()
        self._seen: set[str] = set()
        self._around = ""  # the scopes around the graph whose operations these overrides see

    def passes(self, op: Any) -> bool:
        """Whether a cotangent can pass through an operation of a graph."""
        return op.row.differentiable or any(
            _is_one(o, op.name, op.row, op) or self._is_within(o, op) for o in self._all
        )

    def holds(self, op: Any) -> bool:
        """Whether an operation of a graph belongs to a name scope that is overridden."""
        return any(self._is_within(o, op) for o in self._all)

    def applied(self, entries: Sequence[Entry], kept: Container[Key], whole: Whole) -> list[Entry]:
        """The entries with other rules; what is in `kept` is used outside of every region."""
        self._note(entries)
        found = [self._within(e) if e.row.overridden is not None else e for e in entries]
        for index, override in enumerate(self._all):
            single = [
                e
                for e in found
                if e.row.overridden is None and _is_one(override, e.name, e.row, e.view)
            ]
            regions = self._regions(override, found)
            if single and regions and override.kind == "any":
                raise OverrideError(
                    f"The override of '{override.what}' means an operation as well as a name "
                    f"scope. Say which: ('type', '{override.what}'), ('name', '{override.what}') "
                    f"or ('scope', '{override.what}')."
                )
            if single or regions:
                self.matched.add(index)
            if single:
                chosen = {id(e) for e in single}
                found = [
                    whole.overridden(e, override.rule) if id(e) in chosen else e for e in found
                ]
            for inside, around in () if single else regions:
                found = with_region(
                    override.what, override.rule, found, inside, around, kept, whole
                )
        return [self._within_graphs(e) if e.row.graphs else e for e in found]

    def _is_within(self, override: Override, op: Any) -> bool:
        """Whether an operation lies in a name scope, by the names in the program or by those in a graph."""
        if override.kind not in ("scope", "any") or op.row.enters:
            return False
        scope = f"{override.what}/"
        return (self._around + op.name).startswith(scope) or (
            op.scope is not None and op.scope.lies_in(scope, self._around)
        )

    def _regions(
        self, override: Override, entries: Sequence[Entry]
    ) -> list[tuple[list[Entry], Scope | None]]:
        """The operations within an overridden name scope, apart for each time that it was entered.

        With each the scope around.
        """
        found: dict[int, tuple[list[Entry], Scope | None]] = {}
        latest = 0
        for e in entries:
            if self._is_within(override, e):
                entry = e.scope and e.scope.called(f"{override.what}/", self._around)
                if entry and not entry.goes_on:
                    latest = id(entry)
                around = entry.around if entry else e.scope
                found.setdefault(latest, ([], around))[0].append(e)
        return list(found.values())

    def _within_graphs(self, entry: Entry) -> Entry:
        """A loop, branches or a function, whose operations have other names inside than out here."""
        inner = self._inside_of(entry)
        inner._look_into(entry.row)
        joint = entry.row.joint
        if inner is self or joint is None:
            return entry

        def joint_inside(gs: Any, ys: Any, xs: Any, attrs: Attrs) -> Any:
            with apply_overrides(inner, must=False):
                return joint(gs, ys, xs, attrs)

        return entry.with_row(entry.row.replace(joint=joint_inside))

    def _inside_of(self, op: Any) -> Overrides:
        """These overrides for the graphs of an operation.

        A graph knows the scopes in which it was traced. Where it is called, or its operation is made
        again, others may be around.
        """
        root = op.row.graphs[0].names.root
        if op.scope is None or not op.scope.endswith(root):
            return self
        around = op.scope[: len(op.scope) - len(root)]
        if not around or all(o.kind not in ("scope", "any") for o in self._all):
            return self
        found = copy(self)
        found._around = around if op.scope.is_whole else self._around + around
        return found

    def _within(self, entry: Entry) -> Entry:
        """The entry of a deferred call: its operations are overridden when it runs."""
        assert entry.row.overridden is not None
        for index, override in enumerate(self._all):
            if _is_one(override, entry.name, entry.row, entry.view):
                self.matched.add(index)
        return entry.with_row(entry.row.overridden(self))

    def _look_into(self, row: Row) -> None:
        """Match operations in loops, branches and functions, even if no cotangent enters them.

        In a second derivative, the first one may have read nothing that they computed.
        """
        for graph in row.graphs:
            found = _operations_from(graph)
            self._note(found)
            for index, override in enumerate(self._all):
                if any(
                    _is_one(override, op.name, op.row, op) or self._is_within(override, op)
                    for op in found
                ):
                    self.matched.add(index)
            for op in found:
                if op.row.graphs:
                    self._inside_of(op)._look_into(op.row)

    def on_tape(
        self, tape: Tape, records: Records, known: Sequence[Any], kept: Container[Key]
    ) -> Records:
        """The records of a tape, with other rules."""
        whole = OfTape(tape, records, known)
        return records_of(self.applied(whole.entries, kept, whole))

    def _note(self, operations: Iterable[Any]) -> None:
        """Collect names and types, for the error message if an override matches nothing."""
        for op in operations:
            self._seen.add(op.row.name)
            full_name = self._around + op.name
            scope, _, name = full_name.rpartition("/")
            if name:
                self._seen.add(full_name)
            while scope:
                self._seen.add(scope)
                scope = scope.rpartition("/")[0]

    def check(self) -> None:
        """Raise if an override matched nothing."""
        for index, override in enumerate(self._all):
            if index not in self.matched:
                raise OverrideError(self._nothing_matched(override))

    def _nothing_matched(self, override: Override) -> str:
        what = override.what if override.kind == "predicate" else str(override.what)
        close = [] if callable(what) else words_near(what, self._seen, most=5, likeness=0.4)
        there = close or sorted(self._seen)[:12]
        return (
            f"The override of {what!r} matched no operation between the targets and the sources. "
            f"{'Near it' if close else 'There'}: {', '.join(there) or 'nothing'}. Operations that "
            "have no gradient of their own are not on a tape: for those use "
            "tf.gradient_override_map where they are made."
        )

    @property
    def key(self) -> Any:
        """A key that is equal for gradients with the same rules."""
        return self._around, *[(o.kind, o.what, o.rule) for o in self._all]


def _operations_from(graph: Any) -> list[Any]:
    """The operations of a function or a body that depend on what it is given."""
    depends = {x._key for x in graph.all_inputs if x.dtype.is_differentiable}
    found = []
    for op in graph.operations:
        if any(x._key in depends for x in op.inputs):
            found.append(op)
            depends.update(y._key for y in op.outputs)
    return found


# ---- arguments --------------------------------------------------------------------------------


def as_overrides(given: Any) -> Overrides | None:
    """The overrides of one call, from a dictionary or a list of pairs (what, rule)."""
    if given is None or isinstance(given, Overrides):
        return given
    return Overrides(given)


def _pairs(given: Any) -> list[tuple[Any, Any]]:
    if isinstance(given, Mapping):
        return list(given.items())
    if isinstance(given, (list, tuple)) and all(
        isinstance(p, tuple) and len(p) == 2 for p in given
    ):
        return list(given)
    raise TypeError(
        "overrides is a dictionary from what is overridden (an operation type, an operation name, "
        "a name scope, ('type' | 'name' | 'scope', name), or a function of an operation) to the "
        f"rule, got {given!r}."
    )


def _checked(what: Any, rule: Any) -> Override:
    if not callable(rule) and not isinstance(rule, str):
        raise TypeError(
            f"The override of {what!r} must be a function (op, *grads) or the name that one was "
            f"registered under, got {rule!r}."
        )
    if isinstance(what, str):
        kind = "scope" if what.endswith("/") else "any"
        return Override(kind, what.rstrip("/"), rule)
    if isinstance(what, tuple) and len(what) == 2 and what[0] in KINDS:
        return Override(what[0], what[1].rstrip("/"), rule)
    if callable(what):
        return Override("predicate", what, rule)
    raise TypeError(
        f"An override is for a string, ('type' | 'name' | 'scope', name) or a function of an "
        f"operation, got {what!r}."
    )


def _is_one(override: Override, name: str, row: Row, view: Any) -> bool:
    kind, what, _ = override
    if kind == "predicate":
        return bool(what(view))
    return (kind in ("type", "any") and row.name == what) or (
        kind in ("name", "any") and name == what
    )
