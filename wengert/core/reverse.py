"""The one sweep: reverse mode is a loop over a list of records, newest first.

Rules are written with the library's own operations, so whoever else is listening records the sweep
like any other computation: that is where higher orders come from.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Any

from wengert.core.contract import check_gradients
from wengert.core.indexed_slices import IndexedSlices
from wengert.core.operation import Row, place
from wengert.core.tape import LEAF, Record, Tape
from wengert.core.tensor import Key, Tensor
from wengert.core.words import words

Cotangents = dict[Key, Any]


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
    for target, seed in zip(targets, seeds, strict=True):
        if target._key in positions:
            _accumulate(cotangents, target._key, seed)
    if not cotangents:
        return [None] * len(sources)
    start = 1 + max(positions[key] for key in cotangents)
    wanted = {x._key for x in sources if x._key in positions}
    needed = _needed(tape, wanted, start)
    inner = any(positions[key] != LEAF for key in wanted)
    if drain:
        records = tape.records
        del records[start:]
    else:
        records = tape.records[:start]
    found = sweep(records, cotangents, needed, wanted, inner)
    return [found.get(x._key) for x in sources]


def _needed(tape: Tape, wanted: set[Key], start: int) -> Container[Key]:
    """The values on a way from a source: only their cotangents are computed."""
    if tape.watched <= wanted:
        return tape.positions
    needed = set(wanted)
    for row, _, keys, _, out, _ in tape.records[:start]:
        if not needed.isdisjoint(keys):
            needed.update(out if row.many else (out,))
    return needed


def sweep(
    records: list[Record],
    cotangents: Cotangents,
    needed: Container[Key],
    wanted: Container[Key],
    inner: bool,
) -> Cotangents:
    """Reverse mode. Returns the cotangents of the wanted values.

    `inner` says whether a wanted value was itself computed on the tape: the cotangent of such a
    value is kept while the sweep passes it on. The list is empty afterwards. The loop is written
    for speed: it counts by hand, and calls rules without unpacking where it can.
    """
    found: Cotangents = {}
    take = cotangents.pop
    g: Any
    while records:
        row, attrs, keys, xs, out, y = records.pop()
        if row.many:
            g = _take_several(cotangents, out, y, found, wanted)
        else:
            g = take(out, None)
            if inner and g is not None and out in wanted:
                found[out] = g
        if g is None:
            continue
        if type(g) is IndexedSlices and not row.passes_slices:
            g = words.to_dense(g)
        rules: Any = row.vjp
        if rules is None:
            _pull_jointly(row, attrs, keys, xs, y, g, cotangents, needed)
            continue
        i = -1
        for key in keys:
            i += 1
            if key not in needed:
                continue
            rule = rules[i]
            if rule is None:
                continue
            if attrs:
                gradient = rule(g, y, *xs, **attrs)
            elif len(keys) == 2:
                gradient = rule(g, y, xs[0], xs[1])
            else:
                gradient = rule(g, y, *xs)
            if gradient is None:
                continue
            if row.sums_back:
                shape = xs[i]
                if type(shape) is not tuple:  # the name must not keep the value alive
                    shape = shape._array.shape
                if gradient._array.shape != shape:  # the input was broadcast
                    gradient = words.sum_to(gradient, shape)
            before = cotangents.get(key)
            cotangents[key] = gradient if before is None else words.add(before, gradient)
    for key, g in cotangents.items():
        if key in wanted and key not in found:
            found[key] = g
    return found


def _take_several(
    cotangents: Cotangents,
    out: Sequence[Key],
    ys: Sequence[Tensor],
    found: Cotangents,
    wanted: Container[Key],
) -> list[Any] | None:
    """The cotangents of several results, zeros for those that have none; None if all have none."""
    gs = [cotangents.pop(key, None) for key in out]
    if all(g is None for g in gs):
        return None
    for key, g in zip(out, gs, strict=True):
        if g is not None and key in wanted:
            found[key] = g
    return [_filled(g, y) for g, y in zip(gs, ys, strict=True)]


def _filled(g: Any, y: Tensor) -> Any:
    if g is None:
        return words.zeros_like(y) if y.dtype.is_differentiable else None
    return words.to_dense(g) if type(g) is IndexedSlices else g


def _pull_jointly(
    row: Row,
    attrs: dict[str, Any],
    keys: Sequence[Any],
    xs: Sequence[Any],
    y: Any,
    g: Any,
    cotangents: Cotangents,
    needed: Container[Key],
) -> None:
    for key, gradient in zip(keys, joint_gradients(row, attrs, xs, y, g), strict=True):
        if gradient is not None and key in needed:
            _accumulate(cotangents, key, gradient)


def joint_gradients(
    row: Row, attrs: dict[str, Any], xs: Sequence[Any], y: Any, g: Any
) -> list[Any]:
    """The gradients of all inputs, from a rule that gives them at once."""
    gs, ys = (g, y) if row.many else ([g], [y])
    assert row.joint is not None
    return check_gradients(
        f"The gradient of {row.name}",
        place(row.joint),
        xs,
        row.joint(gs, ys, xs, attrs),
    )


def _accumulate(cotangents: Cotangents, key: Key, gradient: Any) -> None:
    before = cotangents.get(key)
    cotangents[key] = gradient if before is None else words.add(before, gradient)


def conjugated(g: Any) -> Any:
    """Between TensorFlow's convention for complex gradients and the plain Jacobian of the rules."""
    if g is None or not g.dtype.is_complex:
        return g
    if type(g) is IndexedSlices:
        return g.with_values(words.conj(g.values))
    return words.conj(g)
