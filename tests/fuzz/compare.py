"""When two outcomes are the same, and what is asked where there is no peer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np

from .modes import EAGER, Outcome, outcome
from .programs import Program

# By dtype: the relative and absolute difference that roundings make in a dozen of operations.
ROUNDINGS: Final = {"float64": 1e-9, "float32": 2e-4}
# How far inputs are moved to see how much a result depends on roundings.
NUDGE: Final = {"float64": 1e-13, "float32": 3e-7}
STEP: Final = 1e-5  # of finite differences


class Difference(NamedTuple):
    what: str  # "result", "gradient of x0", "shape of v1", "refusal", ...
    text: str


def difference(
    got: Outcome, want: Outcome, program: Program, *, kinds: bool = True
) -> Difference | None:
    """The first thing in which two outcomes of a program differ."""
    if got.refusal or want.refusal:
        return _of_refusals(got, want)
    for what in sorted(want.kinds) if kinds else ():
        a, b = got.kinds.get(what, "None"), want.kinds.get(what, "None")
        if a != b and not _are_zeros(got, want, what):
            return Difference(f"kind of {what}", f"{a}, wanted {b}")
    for what in sorted({*got.arrays, *want.arrays}, key=lambda w: (w[0] != "r", w)):
        text = _of_arrays(got.arrays.get(what), want.arrays.get(what), program.dtype)
        if text:
            return Difference(what, text)
    return None


def _of_refusals(got: Outcome, want: Outcome) -> Difference | None:
    if got.refusal and want.refusal:
        return None
    return Difference(
        "refusal", f"{got.refusal or 'computed'}, wanted {want.refusal or 'a result'}"
    )


def _are_zeros(got: Outcome, want: Outcome, what: str) -> bool:
    """A gradient of a gradient may be None or zeros: how a rule was written says which."""
    present = [o.arrays[what] for o in (got, want) if what in o.arrays]
    return what.startswith("second") and not any(np.any(a) for a in present)


def _of_arrays(got: Any, want: Any, dtype: str) -> str:
    if got is None or want is None:  # None for zeros
        return ""
    if got.dtype != want.dtype:
        return f"dtype {got.dtype}, wanted {want.dtype}"
    if got.shape != want.shape:
        return f"shape {got.shape}, wanted {want.shape}"
    if are_close(got, want, ROUNDINGS[dtype]):
        return ""
    return f"{_short(got)}, wanted {_short(want)}"


def are_close(got: Any, want: Any, rounding: float) -> bool:
    finite = np.abs(want[np.isfinite(want)]) if want.dtype.kind in "fc" else np.abs(want)
    scale = 1.0 + finite.max(initial=0.0)
    return bool(np.allclose(got, want, rtol=rounding, atol=rounding * scale, equal_nan=True))


def _short(array: Any) -> str:
    return np.array2string(array.reshape(-1), threshold=6, edgeitems=3, separator=", ")


def without_its_nans(want: Outcome, got: Outcome) -> Outcome:
    """The derivatives of a peer with ours where it alone has NaN: infinity times zero."""
    arrays = dict(want.arrays)
    for what, ours in got.arrays.items():
        theirs = arrays.get(what)
        if what != "result" and theirs is not None and theirs.shape == ours.shape:
            arrays[what] = np.where(np.isnan(theirs), ours, theirs)
    return want._replace(arrays=arrays)


# ---- static shapes ------------------------------------------------------------------------------


def wrong_claim(got: Outcome, eager: Outcome) -> Difference | None:
    """A static shape that is not that of what eager mode computes."""
    for name, claim in got.claims.items():
        actual = eager.shapes.get(name)
        if claim is None or actual is None:
            continue
        fits = len(claim) == len(actual) and all(
            c in (None, a) for c, a in zip(claim, actual, strict=True)
        )
        if not fits:
            return Difference(f"shape of {name}", f"claimed to be {claim}, is {actual}")
    return None


def lost_claim(got: Outcome, peer: Outcome) -> Difference | None:
    """A size that the peer knows beforehand, and we do not."""
    for name, known in peer.claims.items():
        claim = got.claims.get(name)
        if known is None:
            continue
        sizes = claim if claim is not None else (None,) * len(known)
        if any(k is not None and c is None for k, c in zip(known, sizes, strict=False)):
            return Difference(f"lost shape of {name}", f"{claim}, wanted {known}")
    return None


# ---- without a peer -----------------------------------------------------------------------------


def in_float64(program: Program, tf: Any) -> Outcome:
    """The reference of a float32 program: itself in float64, rounded at the end."""
    exact = outcome(program._replace(dtype="float64"), tf, EAGER)
    arrays = {
        name: array.astype(program.dtype) if array.dtype == np.float64 else array
        for name, array in exact.arrays.items()
    }
    return exact._replace(arrays=arrays)


# What has a gradient that is not the derivative, by TensorFlow's conventions: zeta in its first
# parameter, the deviation of a single number.
NOT_DERIVATIVES: Final = (
    "stop_gradient", "custom_gradient", "grad_pass_through", "floor", "%", "round", "cast", "zeta",
    "reduce_std",
)  # fmt: skip


def by_differences(program: Program, tf: Any, eager: Outcome) -> Difference | None:
    """The gradient of a float64 program along a direction, against differences of two steps.

    Where the two steps disagree the program jumps or bends, and nothing can be said.
    """
    text = "\n".join(program.lines())
    if program.dtype != "float64" or eager.refusal or any(w in text for w in NOT_DERIVATIVES):
        return None
    along = {n: _direction(v, at) for at, (n, v) in enumerate(program.values.items())}
    slopes = _slopes(program, tf, along, eager)
    if slopes is None:
        return None
    slope = sum(
        float(np.sum(eager.arrays[f"gradient of {n}"] * t))
        for n, t in along.items() if f"gradient of {n}" in eager.arrays
    )  # fmt: skip
    if np.isclose(slope, slopes, rtol=1e-5, atol=1e-5):
        return None
    return Difference("gradient by differences", f"{slope}, wanted {slopes}")


def _direction(value: Any, seed: int) -> Any:
    return np.random.default_rng(seed).normal(size=value.shape)


def _slopes(program: Program, tf: Any, along: Any, eager: Outcome) -> float | None:
    """The slope, if it is the same on both sides and over half of the step."""
    ends = [_total(program, tf, along, step) for step in (-STEP, -STEP / 2, STEP / 2, STEP)]
    if None in ends:
        return None
    a, b, d, e = ends
    c = _sine(eager)
    left, right, wide, narrow = (c - a) / STEP, (e - c) / STEP, (e - a) / (2 * STEP), (d - b) / STEP
    bends = not np.isclose(left, right, rtol=1e-2, atol=1e-2)
    jumps = not np.allclose(wide, narrow, rtol=1e-7, atol=1e-7)
    return None if bends or jumps else narrow


def _total(program: Program, tf: Any, along: Any, step: float) -> Any:
    moved = {n: v + step * along[n] for n, v in program.values.items()}
    end = outcome(program._replace(values=moved), tf, EAGER, second=False)
    return None if end.refusal else _sine(end)


def _sine(end: Outcome) -> float:
    return float(np.sum(np.sin(end.arrays["result"])))


def is_sensitive(
    program: Program, run: Callable[[Program], Outcome], got: Outcome, want: Outcome
) -> bool:
    """Whether a nudge of the inputs moves the outcome as far as the two outcomes are apart.

    Then the difference is of roundings: a tie that broke, a sum that cancelled.
    """
    apart = [
        what for what, array in got.arrays.items()
        if _of_arrays(array, want.arrays.get(what), program.dtype)
    ]  # fmt: skip
    return bool(apart) and any(
        all(_moves(what, got, want, near) for what in apart)
        for near in (run(_nudged(program, seed)) for seed in range(3))
    )


def _nudged(program: Program, seed: int) -> Program:
    rng, nudge = np.random.default_rng(seed), NUDGE[program.dtype]
    values = {
        name: array * (1 + nudge * rng.choice([-1, 1], size=array.shape))
        for name, array in program.inputs().items()
    }
    return program._replace(values=values)


def _moves(what: str, got: Outcome, want: Outcome, near: Outcome) -> bool:
    a, b, c = got.arrays[what], want.arrays[what], near.arrays.get(what)
    if c is None or c.shape != a.shape:
        return True
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    with np.errstate(all="ignore"):
        apart, moved = (np.abs(np.subtract(a, x, dtype=float)).max(initial=0.0) for x in (b, c))
    return bool(apart <= 20 * moved)
