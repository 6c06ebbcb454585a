"""What a wrong gradient has to do with the right one: a factor, a transpose, a conjugate, a missing term."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from wengert.insight.check.coordinates import largest, place_in
from wengert.insight.check.trial import Block

if TYPE_CHECKING:
    from wengert.values.typing import Array

FITS: Final = 1e-6  # relative: a fault is found with all digits, and named with some


class Named(NamedTuple):
    """A fault by its kind, and in words."""

    kind: str
    words: str


class Evidence(NamedTuple):
    """What is known of one input: a block for each point, and the numbers there."""

    name: str
    blocks: Sequence[Block]
    inputs: Sequence[Array]  # the input at each point
    results: Sequence[Array]  # at the first point
    elsewhere: Callable[[], Sequence[tuple[Block, Array]]]  # points farther away
    moved: Callable[[], Sequence[tuple[Block, Array]]]  # points with the numbers in other places

    def pooled(self) -> tuple[Array, Array]:
        """The rule and the differences at all points, where both are known."""
        pairs = [(b.rule[good(b)], b.seen[good(b)]) for b in self.blocks]
        return np.concatenate([r for r, _ in pairs]), np.concatenate([s for _, s in pairs])

    @property
    def is_complete(self) -> bool:
        """Whether the matrices are the whole Jacobians."""
        return all(
            b.rule.shape[1] == len(b.units) and _are_units(b.cotangents) for b in self.blocks
        )


def good(block: Block) -> Array:
    """Where both sides are known, away from kinks."""
    with np.errstate(invalid="ignore"):
        sure = np.isfinite(block.errors) & (block.errors < 1e-3 * block.scale)
    return np.asarray(np.isfinite(block.rule) & sure & ~block.kinks)


def _are_units(rows: Array) -> bool:
    return bool(np.array_equal(rows, np.eye(*rows.shape)))


def same(a: Array, b: Array) -> bool:
    """Whether two arrays are the same, relative to the largest element."""
    return bool(largest(np.asarray(a) - b) <= FITS * max(largest(b), 1e-300))


def name_fault(e: Evidence) -> Named:
    """The kind of a fault, by what the two Jacobians have in common."""
    for ask in (
        _nothing,
        _not_finite,
        _some_factor,
        _conjugate,
        _elsewhere_right,
        _in_other_places,
        _some_elements,
        _not_summed,
    ):
        found = ask(e)
        if found is not None:
            return found
    return _something_missing(e)


# ---- nothing, or no number ----------------------------------------------------------------------


def _nothing(e: Evidence) -> Named | None:
    if all(b.is_none for b in e.blocks):
        return Named("none", "the gradient is None, and the result depends on it")
    if not any(b.rule.any() for b in e.blocks):
        return Named(
            "missing-term", "the gradient is zero, and the slope is not: all of it is missing"
        )
    if not any(b.seen.any() for b in e.blocks):
        words = "the function is flat, and the rule gives a slope, as a straight-through estimator does on purpose"
        return Named("missing-term", words)
    return None


def _not_finite(e: Evidence) -> Named | None:
    for b in e.blocks:
        bad = b.wrong & ~np.isfinite(b.rule)
        if bad.any():
            what = "NaN" if np.isnan(b.rule[bad]).any() else "infinite"
            share = "" if bad.sum() == b.rule.size else f" in {bad.sum()} of {b.rule.size} places"
            return Named("not-finite", f"the gradient is {what}{share}, and the slope is finite")
    return None


# ---- a factor -----------------------------------------------------------------------------------


def _some_factor(e: Evidence) -> Named | None:
    rule, seen = e.pooled()
    factor = fitting_factor(rule, seen)
    if factor is None or abs(factor) < FITS or abs(factor - 1) < FITS:
        return None
    found = _elsewhere_right(e)
    if found is not None:
        return found
    if abs(factor + 1) < FITS:
        return Named("sign", "the sign is wrong: the rule is minus what it should be")
    word = factor_in_words(factor, e)
    return Named("factor", f"everywhere the rule is what it should be, times {word}")


def fitting_factor(rule: Array, seen: Array) -> float | None:
    """The number by which one array is a multiple of another, if it is."""
    square = float(np.vdot(seen, seen))
    if not square or rule.size < 2:
        return None
    factor = float(np.vdot(seen, rule)) / square
    return factor if same(rule, factor * seen) else None


def factor_in_words(factor: float, e: Evidence) -> str:
    """2, 1/3 (3 is the size of an axis), or the number itself."""
    sign = "-" if factor < 0 else ""
    for number, word in _known_numbers(e):
        for value, text in ((number, word), (1 / number, f"1/{word}")):
            if abs(abs(factor) - value) <= FITS * value:
                return f"{sign}{text}{_as_size(number, e)}"
    return f"{factor:.7g}"


def _known_numbers(e: Evidence) -> list[tuple[float, str]]:
    x, y = e.inputs[0], e.results[0]
    whole = {2, 3, 4, x.size, y.size, *x.shape, *y.shape} - {0, 1}
    others = {"pi": np.pi, "(2 pi)": 2 * np.pi, "sqrt(2)": np.sqrt(2), "log(2)": np.log(2)}
    return [*[(n, str(n)) for n in sorted(whole)], *[(v, word) for word, v in others.items()]]


def _as_size(number: float, e: Evidence) -> str:
    """What has that size, in brackets."""
    for array, word in ((e.inputs[0], "the input"), (e.results[0], "the result")):
        if array.ndim and array.size == number:
            return f" ({number} is the size of {word})"
        if number in array.shape:
            return f" ({number} is the size of axis {array.shape.index(int(number))} of {word})"
    return ""


# ---- complex numbers ----------------------------------------------------------------------------


def _conjugate(e: Evidence) -> Named | None:
    signs = _signs(e.inputs[0].dtype.kind == "c", e.blocks[0].seen.shape[1])
    tall = np.concatenate(
        [_signs(y.dtype.kind == "c", y.size * (2 if y.dtype.kind == "c" else 1)) for y in e.results]
    )
    if not e.is_complete or (signs.min() > 0 and tall.min() > 0):
        return None
    across = tall[:, None]
    for words, factors in (
        ("the gradient is the conjugate of what it should be", signs[None, :]),
        ("the cotangent is conjugated once too often, or too little", across),
        (
            "a conjugate is missing: the gradient is dy times the conjugate of the derivative",
            across * signs,
        ),
    ):
        if all(
            same(np.where(good(b), b.rule, 0), np.where(good(b), factors * b.seen, 0))
            for b in e.blocks
        ):
            return Named("conjugate", words)
    return None


def _signs(is_complex: bool, size: int) -> Array:
    """Minus one for imaginary parts."""
    return np.where(np.arange(size) % 2, -1.0, 1.0) if is_complex else np.ones(size)


# ---- other places -------------------------------------------------------------------------------


def _in_other_places(e: Evidence) -> Named | None:
    if not e.is_complete or not all(good(b).all() for b in e.blocks):
        return None
    if all(same(np.sort(b.rule, None), np.sort(b.seen, None)) for b in e.blocks):
        return Named("transposed", _of_places(e))
    return None


def _of_places(e: Evidence) -> str:
    said = "the same numbers in other places: "
    shape = e.inputs[0].shape
    kinds = e.inputs[0].dtype.kind
    for a in range(len(shape)):
        for b in range(a + 1, len(shape)):
            if (
                shape[a] == shape[b]
                and kinds != "c"
                and all(_swapped(block, shape, a, b) for block in e.blocks)
            ):
                return f"{said}axes {a} and {b} of the gradient are interchanged"
    return f"{said}a transpose is missing or too many, or an index is wrong"


def _swapped(block: Block, shape: tuple[int, ...], a: int, b: int) -> bool:
    moved = block.rule.reshape(-1, *shape).swapaxes(a + 1, b + 1)
    return same(moved.reshape(block.rule.shape), block.seen)


# ---- some elements ------------------------------------------------------------------------------


def _some_elements(e: Evidence) -> Named | None:
    wrong, right = _sorted_out(zip(e.blocks, e.inputs, strict=True))
    if wrong and right:
        more = _sorted_out(e.moved()) if _at(wrong).isdisjoint(_at(right)) else ([], [])
        return Named("elements", _which(e, [*wrong, *more[0]], [*right, *more[1]]))
    return _some_results(e)


Elements = list[tuple["Array", int]]  # an input, and which of its elements


def _sorted_out(points: Iterable[tuple[Block, Array]]) -> tuple[Elements, Elements]:
    """The elements for which the rule is wrong, and those for which it is right."""
    wrong: Elements = []
    right: Elements = []
    for b, x in points:
        for column, element in enumerate(b.units):
            if b.wrong[:, column].any():
                wrong.append((x, element))
            elif _is_sound(b, column):
                right.append((x, element))
    return wrong, right


def _at(elements: Elements) -> set[int]:
    return {k for _, k in elements}


def _is_sound(b: Block, column: int) -> bool:
    """Whether the rule is right for a slope that is not zero."""
    seen = np.where(np.isfinite(b.errors[:, column]), b.seen[:, column], 0)
    return largest(seen) > 1e-4 * b.scale and not b.kinks[:, column].any()


def _some_results(e: Evidence) -> Named | None:
    """Whole rows are right: the rule is wrong for some elements of the result."""
    if not all(_are_units(b.cotangents) for b in e.blocks) or _loses_rows(e):
        return None
    b = e.blocks[0]
    wrong = b.wrong.any(1)
    right = ~wrong & (np.max(np.abs(b.seen), axis=1, initial=0) > 1e-4 * b.scale)
    if not (wrong.any() and right.any()) or any((o.wrong.any(1) & right).any() for o in e.blocks):
        return None
    return Named("elements", f"wrong only in {_listed(_results_at(e, wrong))}")


def _results_at(e: Evidence, rows: Array) -> list[str]:
    names = []
    for number, y in enumerate(e.results):
        own = "output" if len(e.results) == 1 else f"output {number}"
        names += [
            f"{own}{place_in(y, k)}" for k in range(y.size * (2 if y.dtype.kind == "c" else 1))
        ]
    return [names[k] for k in np.flatnonzero(rows)]


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")


def _which(e: Evidence, wrong: Elements, right: Elements) -> str:
    """Which elements are wrong: by their places, and by what their numbers have in common."""
    x = e.inputs[0]
    places = sorted({k for _, k in wrong})
    always = not set(places) & {k for _, k in right}
    said = (
        f"wrong only for {_listed([e.name + place_in(x, k) for k in places])}"
        if always
        else "wrong for some numbers only"
    )
    by_place = _by_place(x, places, {k for _, k in right}) if always else ""
    common = by_place or _by_value(e, wrong, right)
    return f"{said}: {common}" if common else said


def _by_value(e: Evidence, wrong: Elements, right: Elements) -> str:
    if any(x.dtype.kind == "c" for x in e.inputs):
        return ""
    bad, well = ([float(x.reshape(-1)[k]) for x, k in some] for some in (wrong, right))
    return value_in_words(bad, well, e.name)


def value_in_words(bad: Sequence[float], well: Sequence[float], name: str) -> str:
    """What tells one set of numbers from another: a sign, or a bound."""
    if max(bad) <= 0 <= min(well):
        return f"where {name} is negative"
    if max(well) <= 0 <= min(bad):
        return f"where {name} is positive"
    for said, of in (("", lambda v: v), ("the size of ", abs)):
        low, high = [of(v) for v in bad], [of(v) for v in well]
        if max(low) < min(high):
            return f"where {said}{name} is below a bound between {max(low):.4g} and {min(high):.4g}"
        if max(high) < min(low):
            return f"where {said}{name} is above a bound between {max(high):.4g} and {min(low):.4g}"
    return ""


def _by_place(x: Array, wrong: Sequence[int], right: set[int]) -> str:
    """Whether the wrong elements are those at one index of an axis."""
    if x.dtype.kind == "c" or not x.ndim:
        return ""
    bad = np.array(np.unravel_index(list(wrong), x.shape))
    well = np.array(np.unravel_index(sorted(right), x.shape))
    for axis in range(x.ndim):
        at = set(bad[axis].tolist())
        if len(at) == 1 and not at & set(well[axis].tolist()):
            return f"all at index {at.pop()} of axis {axis}"
    return ""


def _elsewhere_right(e: Evidence) -> Named | None:
    """Wrong at all points, and right farther away: then it is wrong for some numbers only."""
    if e.inputs[0].size != 1 or not all(b.is_wrong for b in e.blocks):
        return None
    right = [
        (b, x)
        for b, x in e.elsewhere()
        if not b.is_wrong and any(_is_sound(b, k) for k in range(len(b.units)))
    ]
    if not right or e.inputs[0].dtype.kind == "c":
        return None
    bad = [float(x.reshape(-1)[0]) for x in e.inputs]
    well = [float(x.reshape(-1)[0]) for _, x in right]
    common = value_in_words(bad, well, e.name)
    return Named("elements", f"wrong for some numbers only: {common}") if common else None


# ---- sums ---------------------------------------------------------------------------------------


def _loses_rows(e: Evidence) -> bool:
    """Whether some results contribute nothing, and the others what they should."""
    b = e.blocks[0]
    if b.rule.shape[0] <= b.rule.shape[1] or not _are_units(b.cotangents):
        return False
    lost = b.wrong.any(1) & ~b.rule.any(1)
    return bool(lost.any() and b.rule.any() and not (b.wrong.any(1) & ~lost).any())


def _not_summed(e: Evidence) -> Named | None:
    if not _loses_rows(e):
        return None
    b = e.blocks[0]
    lost = _results_at(e, b.wrong.any(1))
    return Named(
        "missing-sum",
        f"a sum is missing: {_listed(lost)} contribute{'s' if len(lost) == 1 else ''} nothing to the gradient",
    )


# ---- by exclusion -------------------------------------------------------------------------------


def _something_missing(e: Evidence) -> Named:
    rule, seen = e.pooled()
    rest = largest(seen - rule) / max(largest(seen), 1e-300)
    return Named(
        "missing-term",
        f"no factor, and no other order: a term is missing, too many or another one. What is left over is {rest:.2g} "
        "of the largest slope",
    )
