"""The one sweep: reverse mode is a loop over a list of records, newest first.

Rules are written with the library's own operations, so other recorders record the sweep like any
computation: that is where higher orders come from.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Container, Iterable, Sequence
from contextlib import nullcontext
from itertools import islice
from sys import getrefcount
from typing import Any, Final

import numpy as np

from wengert.core.compiled import TWINS, in_c, machine
from wengert.core.context import also_listening, call, current_graph, thread
from wengert.core.contract import check_gradients
from wengert.core.row import EachInput, Row, place
from wengert.core.tape import LEAF, MANY, ONE, WIDTH, Records, Tape, inputs_of, ways
from wengert.host.fp_errors import quietly
from wengert.values.bound_ops import bound
from wengert.values.indexed_slices import IndexedSlices
from wengert.values.symbolic import SymbolicTensor
from wengert.values.tensor import Tensor, TensorList, dims, key_of, wrap
from wengert.values.value import Key

Cotangents = dict[Key, Any]
_NOWHERE: Final = nullcontext()


def pull_back(
    tape: Tape,
    targets: Sequence[Any],
    seeds: Sequence[Any],
    sources: Sequence[Any],
    drain: bool,
) -> list[Any]:
    """The cotangents of `sources`, from those of `targets`; None where nothing connects them.

    `drain` empties the tape on the way, so that memory is freed as early as possible.
    """
    positions = tape.positions
    cotangents: Cotangents = {}
    alone: Cotangents = {}  # of values that the tape does not follow: they depend on themselves alone
    for target, seed in zip(targets, seeds, strict=True):
        if target._key in positions:
            _accumulate(cotangents, target._key, seed)
        elif any(target is x for x in sources):
            _accumulate(alone, key_of(target), seed)
    if not cotangents:
        return [alone.get(key_of(x)) for x in sources]
    end = WIDTH + max([positions[key] for key in cotangents])
    wanted = {x._key for x in sources if x._key in positions}
    needed = _needed(tape, wanted, end)
    inner = not {positions[key] for key in wanted} <= {LEAF}
    records = _up_to(tape.records, end, drain)
    overrides = thread.context.sweeping
    if overrides is not None:
        known = [*targets, *sources]
        records = overrides.on_tape(tape, records, known, {t._key for t in targets})
        needed = through(ways(records), wanted) if overrides.rewires else needed
        drain = False
    found = sweep(records, drain, cotangents, needed, wanted, inner)
    if alone:
        found.update(alone)
    return [found.get(x._key) for x in sources]


def pull_back_plainly(
    tape: Tape, target: Any, seed: Any, sources: Sequence[Any], drain: bool
) -> list[Any]:
    """The same from one value that was computed to some that are watched, where no rule is overridden.

    This is the commonest case, and nearly all of its time is in the sweep.
    """
    key = target._key
    end = tape.positions[key] + WIDTH
    asked = [x._key for x in sources]
    wanted = set(asked)
    needed = _needed(tape, wanted, end)
    records = _up_to(tape.records, end, drain)
    found = sweep(records, drain, {key: seed}, needed, wanted, False)
    return [found.get(key) for key in asked]


def _up_to(records: Records, end: int, drain: bool) -> Records:
    """The records before a place; the others are gone then, if the tape is emptied on the way."""
    if len(records) <= end:
        return records
    if not drain:
        return records[:end]
    del records[end:]
    return records


def _needed(tape: Tape, wanted: set[Key], end: int) -> Container[Key]:
    """The values on a path from a source: only their cotangents are computed."""
    if tape.watched.keys() <= wanted:
        return tape.positions
    return through(islice(ways(tape.records), end // WIDTH), wanted)


def through(ways: Iterable[tuple[Sequence[Key], Sequence[Key]]], wanted: set[Key]) -> set[Key]:
    """The wanted values, and all that are computed from them."""
    needed = set(wanted)
    for keys, out in ways:
        if not needed.isdisjoint(keys):
            needed.update(out)
    return needed


@in_c
def sweep(  # noqa: C901  # unrolled for one and two inputs, where the time goes
    records: Records,
    drain: bool,
    cotangents: Cotangents,
    needed: Container[Key],
    wanted: Container[Key],
    inner: bool,
) -> Cotangents:
    """Reverse mode. Returns the cotangents of the wanted values.

    `inner` says whether a wanted value was itself computed on the tape: the cotangent of such a
    value is kept while the sweep passes it on. The loop is written for speed.
    """
    found: Cotangents = {}
    take, get = cotangents.pop, cotangents.get
    graph = current_graph()
    g: Any
    # One record, of eight entries, at a time, backward.
    for y, out, b, a, key_b, key_a, attrs, row in zip(*[reversed(records)] * WIDTH, strict=True):
        if drain:
            del records[-WIDTH:]
        if row.many:
            g = _take_several(cotangents, out, y, found, wanted, row)
        else:
            g = take(out, None)
            if inner and g is not None and out in wanted:
                found[out] = g
        if g is None:
            continue
        if type(g) is IndexedSlices and not row.passes_slices:
            g = bound.to_dense(g)
        if attrs or key_b is MANY or row.vjp is None or graph is not None:
            keys, xs = inputs_of(key_a, key_b, a, b)
            with _NOWHERE if graph is None else graph.rule_scope(y):
                _pull_in_general(row, attrs, keys, xs, y, g, cotangents, needed)
            continue
        # What follows is the general case for one or two inputs, written out.
        rules: Any = row.vjp
        if key_a in needed and rules[0] is not None:
            pulled = rules[0](g, y, a) if key_b is ONE else rules[0](g, y, a, b)
            if pulled is not None:
                if row.sums_back and pulled._array.shape != dims(a):  # a was broadcast
                    pulled = bound.sum_to(pulled, dims(a))
                before = get(key_a)
                cotangents[key_a] = pulled if before is None else bound.add(before, pulled)
        if key_b in needed and rules[1] is not None:
            pulled = rules[1](g, y, a, b)
            if pulled is not None:
                if row.sums_back and pulled._array.shape != dims(b):
                    pulled = bound.sum_to(pulled, dims(b))
                before = get(key_b)
                cotangents[key_b] = pulled if before is None else bound.add(before, pulled)
    for key, g in cotangents.items():
        if key in wanted and key not in found:
            found[key] = g
    return found


def _pull_rules(
    row: Row,
    attrs: dict[str, Any],
    key_a: Any,
    key_b: Any,
    a: Any,
    b: Any,
    y: Any,
    g: Any,
    cotangents: Cotangents,
    needed: Container[Key],
) -> None:
    """The rules of a record, of whatever form."""
    keys, xs = inputs_of(key_a, key_b, a, b)
    _pull_in_general(row, attrs, keys, xs, y, g, cotangents, needed)


def _pull_in_general(
    row: Row,
    attrs: dict[str, Any],
    keys: Sequence[Any],
    xs: Sequence[Any],
    y: Any,
    g: Any,
    cotangents: Cotangents,
    needed: Container[Key],
) -> None:
    """Call the rules of one record and add up what they return."""
    if row.vjp is None:
        found = _joint_of_needed(row, attrs, keys, xs, y, g, needed)
        for key, pulled in zip(keys, found, strict=True):
            if pulled is not None and key in needed:
                _accumulate(cotangents, key, pulled)
        return
    together = row.vjp.together if type(row.vjp) is EachInput else None
    if together is not None and current_graph() is None and all(key in needed for key in keys):
        for key, pulled in zip(keys, together(g, y, xs, **attrs), strict=True):
            _accumulate(cotangents, key, pulled)
        return
    if (
        row.add_part is not None
        and keys[0] in needed
        and _added(row, attrs, g, cotangents, keys[0])
    ):
        return
    for i, key in enumerate(keys):
        rule = row.vjp[i] if key in needed else None
        pulled = None if rule is None else call(rule, g, y, *xs, **attrs)
        if pulled is not None:
            # A variable may have another shape by now than when it was read.
            shape = dims(xs[i] if row.step is None else y)
            if type(pulled) is not IndexedSlices and pulled._array.shape is not shape:
                if row.sums_back:
                    pulled = bound.sum_to(pulled, shape)
                if type(pulled) is SymbolicTensor:
                    pulled.adopt(shape)
            _accumulate(cotangents, key, pulled)


class _Asked(threading.local):
    """The inputs of the rule of loops and branches that a thread calls, and whose gradients are needed."""

    xs: Sequence[Any] = ()
    are: Sequence[bool] = ()


_ASKED: Final = _Asked()


def asked_of(xs: Sequence[Any]) -> Sequence[bool]:
    """Whose gradients are needed, of the inputs that a joint rule was given; all, where nothing is said."""
    return _ASKED.are if _ASKED.xs is xs else [True] * len(xs)


def _joint_of_needed(
    row: Row,
    attrs: dict[str, Any],
    keys: Sequence[Any],
    xs: Sequence[Any],
    y: Any,
    g: Any,
    needed: Container[Key],
) -> list[Any]:
    """The gradients of all inputs. What has bodies is told which are needed: others may cost as much."""
    if row.bodies is None:
        return joint_gradients(row, attrs, xs, y, g)
    before = _ASKED.xs, _ASKED.are
    _ASKED.xs, _ASKED.are = xs, [key in needed for key in keys]
    try:
        return joint_gradients(row, attrs, xs, y, g)
    finally:
        _ASKED.xs, _ASKED.are = before


def _take_several(
    cotangents: Cotangents,
    out: Sequence[Key],
    ys: Sequence[Tensor],
    found: Cotangents,
    wanted: Container[Key],
    row: Row,
) -> list[Any] | None:
    """The cotangents of several results, zeros for those that have none; None if all have none."""
    gs = [cotangents.pop(key, None) for key in out]
    if not row.passes_slices:
        gs = [bound.to_dense(g) if type(g) is IndexedSlices else g for g in gs]
    if all(g is None for g in gs):
        return None
    for key, g in zip(out, gs, strict=True):
        if g is not None and key in wanted:
            found[key] = g
    return gs if not row.fills else [_filled(g, y) for g, y in zip(gs, ys, strict=True)]


def _filled(g: Any, y: Tensor) -> Any:
    if g is None:
        return bound.zeros_like(y) if y.dtype.is_differentiable else None
    return g


def joint_gradients(
    row: Row, attrs: dict[str, Any], xs: Sequence[Any], y: Any, g: Any
) -> list[Any]:
    """The gradients of all inputs, from a rule that gives them at once.

    Such rules keep to TensorFlow's convention for complex gradients: users write them.
    """
    gs, ys = (g, y) if row.many else ([g], [y])
    assert row.joint is not None
    pulled = row.joint([conjugate(g) for g in gs], ys, xs, attrs)
    if row.users and not row.closes:  # a rule that `closes` has been checked within its graph
        where = place(row.joint)
        named = f"'{row.gradient_type}' " if row.gradient_type not in ("", where) else ""
        pulled = check_gradients(f"The gradient {named}of {row.name}", where, xs, pulled)
    return [conjugate(g) for g in pulled]


def pull_through(
    function: Callable[..., Sequence[Any]],
    inputs: Sequence[Any],
    cotangents: Sequence[Any],
    captured: Sequence[Any] = (),
) -> list[Any]:
    """Run a function on a tape of its own, and pull cotangents of its results back through it.

    Back to its inputs, and to captured values. A result without a cotangent counts as zero. Gradients
    of a value that is among them twice add up to its gradient.
    """
    tape = Tape()
    sources = [*inputs, *captured]
    for value in sources:
        tape.watch(value)
    with also_listening(tape):
        results = function(*inputs)
    pairs = [
        (y, g) for y, g in zip(results, cotangents, strict=True) if y is not None and g is not None
    ]
    pulled = pull_back(tape, [y for y, _ in pairs], [g for _, g in pairs], sources, drain=True)
    return _once_each(sources, pulled)


def _once_each(sources: Sequence[Any], gradients: list[Any]) -> list[Any]:
    """The gradients; of a source that is there twice, the whole in the first place, then zeros."""
    seen: set[Key] = set()
    for at, (x, g) in enumerate(zip(sources, gradients, strict=True)):
        if g is not None and x._key in seen:
            gradients[at] = bound.zeros_like(x)
        seen.add(x._key)
    return gradients


def _accumulate(cotangents: Cotangents, key: Key, gradient: Any) -> None:
    before = cotangents.get(key)
    cotangents[key] = gradient if before is None else bound.add(before, gradient)


def _added(row: Row, attrs: dict[str, Any], g: Any, cotangents: Cotangents, key: Key) -> bool:
    """Add the cotangent of a part to that of the whole where it lies, if it is there and nobody else sees it.

    So the gradient of x[:, 0], x[:, 1] and so on is one array of the size of x, not one for each.
    """
    if thread.context.listeners != () or type(g) is not Tensor or not _is_alone(cotangents, key):
        return False
    total = cotangents[key]._array
    if total.base is not None or not total.flags.writeable:
        return False
    assert row.add_part is not None
    quietly(row.add_part, total, g._array, **attrs)
    return True


def _is_alone(cotangents: Cotangents, key: Key) -> bool:
    """Whether there is a cotangent, and nothing else refers to it and to its array."""
    whole = cotangents.get(key)
    if type(whole) is not Tensor or type(whole._array) is not np.ndarray:
        return False
    return _references(cotangents, key) == _fewest_references()


def _references(cotangents: Cotangents, key: Key) -> tuple[int, int]:
    """To a cotangent and its array; Python's versions count those of variables differently."""
    whole = cotangents[key]
    total = whole._array
    return getrefcount(whole), getrefcount(total)


@functools.cache
def _fewest_references() -> tuple[int, int]:
    cotangents: Cotangents = {_NOWHERE: wrap(np.zeros(1))}
    whole = cotangents[_NOWHERE]  # as `_is_alone` has it
    assert type(whole) is Tensor
    return _references(cotangents, _NOWHERE)


def conjugate(g: Any) -> Any:
    """Convert between TensorFlow's complex gradients and the plain Jacobian of the rules."""
    if g is None or type(g) is TensorList or not g.dtype.is_complex:
        return g
    if type(g) is IndexedSlices:
        return g.with_values(bound.conj(g.values))
    return bound.conj(g)


if machine is not None:
    machine.setup(
        bound=bound,
        sweep_in_python=TWINS["sweep"],
        take_several=_take_several,
        pull_in_general=_pull_rules,
        added=_added,
    )
