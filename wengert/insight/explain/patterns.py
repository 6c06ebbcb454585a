"""The known ways to an infinite gradient or a NaN, by name, with their mends."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from wengert.insight.explain.arrays import array_of, in_double
from wengert.insight.explain.branches import safe_branches, safe_number
from wengert.insight.explain.culprit import (
    FUNCTIONS,
    Culprit,
    Verdict,
    is_half,
    of_half,
    operand,
    summand,
    text_of,
    tiny,
    value_at,
    with_argument,
)
from wengert.insight.explain.forms import (
    inverse_power,
    safe_division,
    shifted_power,
    smooth_deviation,
    smooth_norm,
    soft_max,
)
from wengert.insight.explain.logarithms import STABLY, of_exp, of_log
from wengert.insight.explain.question import Question
from wengert.insight.explain.rewriting import (
    Change,
    Mend,
    called,
    called_with,
    filled,
    rewritings,
)
from wengert.insight.explain.trial import CLAMPED, proposed
from wengert.insight.journal import Step
from wengert.insight.program_text import line_text

SPECTRAL: Final = (
    "SelfAdjointEigV2", "Svd", "Eig", "Qr", "MatrixSquareRoot", "SelfAdjointEig",
)  # fmt: skip

SELECTIONS: Final = ("SelectV2", "Select")


def name_the_trouble(q: Question, c: Culprit) -> Verdict:
    """The kind of trouble, why it is one, and the mend."""
    unused = behind_where(q, c)
    if unused is not None:
        return unused
    if c.step.row.name in SPECTRAL:
        return of_spectrum(q)
    rule = _BY_NAME.get(c.step.row.name, _of_overflow)
    return rule(q, c)


# ---- a branch that is not taken -----------------------------------------------------------------


def behind_where(q: Question, c: Culprit) -> Verdict | None:
    """The operation is in a branch of `where` that is not taken: its cotangent is zero."""
    if c.forward or c.came is None or np.any(c.came):
        return None
    found = _where_after(q, c)
    if found is None:
        return None
    name = c.step.row.name
    names = FUNCTIONS.get(name, (name.lower(),))
    lines = list(safe_branches(q.program, found.line, c.step.line, names))
    words = (
        "The branch that is not taken gets the gradient 0, and 0 times infinity is NaN. Make its "
        "argument safe:"
    )
    why = f"{name} is in a branch of tf.where that is not taken at this element."
    mend = proposed(q, c.step.line, words, lines)
    if not mend.lines:  # the last makes all safe that may fail: it is right, if more than need be
        by = "a condition on x itself that is there before that line"
        otherwise = f"{words[:-1]}: tf.where(condition, x, {safe_number(names)}) in place of its argument x, by {by}."
        mend = proposed(q, c.step.line, words, lines[-1:], otherwise=otherwise)
    return "where", why, mend


def _where_after(q: Question, c: Culprit) -> Step | None:
    """The selection that the result of an operation flows into."""
    values = {y._key for y in c.step.results}
    for step in q.history.steps[c.number + 1 :]:
        if any(getattr(x, "_key", None) in values for x in step.inputs):
            if step.row.name in SELECTIONS:
                return step
            values |= {y._key for y in step.results}
    return None


# ---- by operation -------------------------------------------------------------------------------


def _of_sqrt(q: Question, c: Culprit) -> Verdict:
    value = operand(c)
    if c.step.row.name == "Rsqrt" and not (value is not None and value < 0):
        return _of_inverse_root(q, c)
    if c.forward:
        return (
            "sqrt",
            "The square root of a negative number is NaN.",
            with_argument(
                q,
                c,
                FUNCTIONS[c.step.row.name],
                "tf.maximum(x, 0.0)",
                "Keep its argument from being negative:",
            ),
        )
    squares = _is_sum_of_squares(q, c.step)
    text = line_text(c.step.line)
    if squares or "norm" in text:
        new = rewritings(c.step.line, smooth_norm(summand(c)))
        words = "The norm has no derivative at zero. A smooth one has:"
        why = "A norm is the square root of a sum of squares; at zero its rule divides by zero."
        return "norm", why, proposed(q, c.step.line, words, new)
    if "std" in text:
        new = rewritings(c.step.line, smooth_deviation(summand(c)))
        words = "The standard deviation has no derivative where all numbers are equal. A smooth one has:"
        return (
            "sqrt",
            "At zero its rule divides by zero.",
            proposed(q, c.step.line, words, new),
        )
    why = "The slope of a square root is infinite at zero: its rule divides by twice the root."
    names = FUNCTIONS[c.step.row.name]
    words = "Keep its argument away from zero:"
    return "sqrt", why, with_argument(q, c, names, f"x + {summand(c)}", words)


def _of_inverse_root(q: Question, c: Culprit) -> Verdict:
    if operand(c) != 0:
        return _of_overflow(q, c)
    why = "One by the square root of zero is infinite."
    words = "Keep its argument away from zero:"
    return "sqrt", why, with_argument(q, c, ("rsqrt",), f"x + {tiny(c)}", words)


def _is_sum_of_squares(q: Question, step: Step) -> bool:
    number = q.history.made_by.get(step.inputs[0]._key, -1)
    if number < 0:
        return False
    total = q.history.steps[number]
    if total.row.name in ("Add", "AddV2"):
        return all(_is_square(q, x) for x in total.inputs)
    return total.row.name == "Sum" and _is_square(q, total.inputs[0])


def _is_square(q: Question, x: Any) -> bool:
    number = q.history.made_by.get(getattr(x, "_key", None), -1)
    if number < 0:
        return False
    step = q.history.steps[number]
    same = step.row.name == "Mul" and step.inputs[0]._key is step.inputs[1]._key
    return same or step.row.name in ("Square", "Pow", "SquaredDifference", "Mul")


def _of_norm(q: Question, c: Culprit) -> Verdict:
    new = rewritings(c.step.line, smooth_norm(summand(c)))
    words = "The norm has no derivative at zero. A smooth one has:"
    return (
        "norm",
        "At zero the rule of a norm divides by zero.",
        proposed(q, c.step.line, words, new),
    )


def _of_division(q: Question, c: Culprit) -> Verdict:
    soft = rewritings(c.step.line, soft_max)
    if soft:
        return (
            "softmax",
            "Infinity by infinity, or zero by zero, is NaN.",
            proposed(
                q,
                c.step.line,
                f"exp x / sum exp x has a function that does not overflow{STABLY}",
                soft,
            ),
        )
    top, bottom = _quotient(c)
    if bottom is not None and bottom != 0:
        return _of_overflow(q, c)
    why = (
        "Zero by zero is NaN." if top is not None and top == 0 else "A number by zero is infinite."
    )
    words = "Where the divisor is zero, tf.math.divide_no_nan gives zero:"
    new = rewritings(c.step.line, safe_division)
    return "division", why, proposed(q, c.step.line, words, new)


def _quotient(c: Culprit) -> tuple[Any, Any]:
    """The numbers of a division, where they are known."""
    if len(c.step.inputs) == 1:
        return 1.0, operand(c)
    top, bottom = c.step.inputs
    return value_at(top, c.at), value_at(bottom, c.at)


def _of_power(q: Question, c: Culprit) -> Verdict:
    base = value_at(c.step.inputs[0], c.at)
    power = value_at(c.step.inputs[1], c.at) if len(c.step.inputs) > 1 else None
    if c.forward and base is not None and np.isfinite(base) and base != 0 and np.isinf(c.made):
        return _of_overflow(q, c)
    if not c.forward and power is not None and power >= 1:
        return _of_overflow(q, c)
    if power is not None and power < 0 and base is not None and base == 0:
        why = "A power below zero divides by its base, which is zero."
        words = "Where the base is zero, tf.math.divide_no_nan gives zero:"
        new = rewritings(c.step.line, inverse_power)
        return "pow", why, proposed(q, c.step.line, words, new)
    if c.forward and base is not None and base < 0:
        why = "A negative number to a power that is no integer is NaN."
    else:
        why = "A power below one has an infinite slope at zero."
    words = "Keep the base away from zero:"
    if _has_powers_of_negative(c.step):
        return "pow", why, Mend(words)
    new = rewritings(c.step.line, shifted_power(tiny(c)))
    return "pow", why, proposed(q, c.step.line, words, new, CLAMPED)


def _has_powers_of_negative(step: Step) -> bool:
    """Whether some base is below zero and its power a number: a larger base would change it."""
    base = np.asarray(getattr(step.inputs[0], "_array", 0.0))
    power = np.asarray(getattr(step.results[0], "_array", 0.0))
    if base.dtype.kind not in "fiu" or power.dtype.kind not in "fiu":
        return True
    base = np.broadcast_to(base, power.shape)
    return bool(np.any((base < 0) & np.isfinite(power)))


def _of_edge(q: Question, c: Culprit) -> Verdict:
    name = c.step.row.name
    if not c.forward:
        why = f"The slope of {name.lower()} is infinite at the end of its range: it divides by sqrt(1 - x²) or the like."
    elif np.isnan(c.made):
        why = (
            f"{name.lower()} has no value outside of its range: of {text_of(operand(c))} it is NaN."
        )
    else:
        why = f"{name.lower()} is infinite at the end of its range, {text_of(operand(c))}."
    edge = "1e-3" if is_half(c.step) else "1e-6"
    template = (
        f"tf.maximum(x, 1.0 + {edge})"
        if name == "Acosh"
        else f"tf.clip_by_value(x, -1.0 + {edge}, 1.0 - {edge})"
    )
    return "sqrt", why, with_argument(q, c, FUNCTIONS[name], template, "Keep its argument inside:")


def _of_angle(q: Question, c: Culprit) -> Verdict:
    why = "An angle has no derivative at the origin: its rule divides zero by zero."
    which = "its argument" if c.step.row.name == "Angle" else "one of its arguments"
    new = rewritings(c.step.line, _beside_the_origin(tiny(c)))
    words = f"Keep {which} away from zero:"
    return "division", why, proposed(q, c.step.line, words, new)


def _beside_the_origin(tiny: str) -> Change:
    def change(node: ast.expr) -> ast.expr | None:
        if called(node) != "atan2" or not isinstance(node, ast.Call) or len(node.args) < 2:
            return None
        return called_with(node, node.args[0], filled(f"x + {tiny}", x=node.args[1]))

    return change


def of_spectrum(q: Question) -> Verdict:
    """Eigenvalues, or singular values, coincide."""
    why = (
        "Where two eigenvalues or singular values coincide, the vectors have no derivative: the rule divides by "
        "their difference."
    )
    words = (
        "A function of the matrix, f(A), has one: tf.spectral_function(f, A). With "
        'tf.config.set_degenerate("exact") all others are computed exactly, or refused:'
    )
    return "spectrum", why, Mend(words, ('tf.config.set_degenerate("exact")',))


def _of_factor(q: Question, c: Culprit) -> Verdict:
    why = "A matrix has a Cholesky factor if all of its eigenvalues are above zero, and this one has not."
    words = (
        "A covariance with a little more on its diagonal has one: a + 1e-6 * tf.eye(n). The determinant of any "
        "matrix is that of tf.linalg.slogdet, and any symmetric one has tf.linalg.eigh."
    )
    return "spectrum", why, Mend(words)


def _of_overflow(q: Question, c: Culprit) -> Verdict:
    """A number that is too large, if the operands say so; else a place where the operation has no value."""
    if not _is_too_large(c):
        return _of_undefined(c)
    if is_half(c.step):
        return of_half(q, c)
    dtype = c.step.results[0].dtype.name if c.step.results else "the dtype"
    what = "Its rule" if not c.forward else c.step.row.name
    if c.step.row.name == "Mul" and not c.forward:
        what = "A product"
    why = f"{what} gives more than {dtype} can hold."
    return (
        "overflow",
        why,
        Mend("Compute in float64, scale the numbers down, or work with logarithms."),
    )


def _is_too_large(c: Culprit) -> bool:
    """Whether a wider dtype could hold the number; where that cannot be tried, whether large numbers are about."""
    wide = in_double(c.step) if c.forward else in_double(c.step, c.came, c.key)
    if wide is not None and len(c.at) == wide.ndim:
        return bool(np.isfinite(wide[c.at]))
    arrays = [array_of(x) for x in (*c.step.inputs, *c.step.results)]
    sizes = [np.abs(a[np.isfinite(a)]) for a in arrays if a is not None and a.dtype.kind in "fc"]
    return any(bool(((a > _LARGE) | ((a > 0) & (a < 1 / _LARGE))).any()) for a in sizes)


_LARGE: Final = 1e6


def _of_undefined(c: Culprit) -> Verdict:
    name = c.step.row.name
    subject = name if c.forward else f"The derivative of {name}"
    given = [array_of(x) for x in c.step.inputs]
    if c.forward and any(
        a is not None and a.dtype.kind in "fc" and np.isinf(a).any() for a in given
    ):
        why = f"{name} of infinite numbers is NaN there, as zero times infinity is, or infinity less itself."
        return (
            "overflow",
            why,
            Mend("Look at where the infinite numbers come from, and use large finite ones."),
        )
    if c.made is not None and np.isnan(c.made):
        kind, why = "pole", f"{subject} is not defined there: it is NaN."
    else:
        kind, why = "pole", f"{subject} is infinite there: no dtype can hold it."
    return (
        kind,
        why,
        Mend("Keep what it is given away from there, or select other numbers by tf.where."),
    )


def _of_gamma(q: Question, c: Culprit) -> Verdict:
    value = operand(c)
    name = c.step.row.name.lower()
    if value is None or value > 0 or value != np.floor(value):
        return _of_overflow(q, c)
    why = (
        f"{name} has a pole at zero and at each negative integer; its argument is {text_of(value)}."
    )
    return (
        "pole",
        why,
        Mend("Keep its argument away from there: above zero, where only that is meant."),
    )


def _of_reduction(q: Question, c: Culprit) -> Verdict:
    """A mean, or an extreme, of nothing."""
    array = array_of(c.step.inputs[0])
    if array is None or array.size:
        return _of_overflow(q, c)
    what = {"Mean": "mean", "Max": "maximum", "Min": "minimum"}[c.step.row.name]
    value = ": zero by zero" if what == "mean" else ""
    why = f"It is given no elements, and the {what} of nothing is {text_of(c.made)}{value}."
    words = "Look at what selects the elements; where there are none, leave the term out: tf.cond(tf.size(a) > 0, ...)."
    return "empty", why, Mend(words)


def _of_softmax(q: Question, c: Culprit) -> Verdict:
    array = array_of(c.step.inputs[0])
    if array is None or not np.isneginf(array).any():
        return _of_overflow(q, c)
    why = "All of a row is -inf, as where everything is masked: softmax divides zero by zero there."
    words = "Mask with a large negative number such as -1e9, or leave out the rows that have nothing to choose from."
    return "softmax", why, Mend(words)


_BY_NAME: Final[dict[str, Callable[[Question, Culprit], Verdict]]] = {
    "Sqrt": _of_sqrt,
    "Rsqrt": _of_sqrt,
    "EuclideanNorm": _of_norm,
    "Log": of_log,
    "Log1p": of_log,
    "Exp": of_exp,
    "Expm1": of_exp,
    "Sinh": of_exp,
    "Cosh": of_exp,
    "RealDiv": _of_division,
    "Div": _of_division,
    "Reciprocal": _of_division,
    "Inv": _of_division,
    "Pow": _of_power,
    "Acos": _of_edge,
    "Asin": _of_edge,
    "Atanh": _of_edge,
    "Acosh": _of_edge,
    "Erfinv": _of_edge,
    "Atan2": _of_angle,
    "Angle": _of_angle,
    "Digamma": _of_gamma,
    "Lgamma": _of_gamma,
    "Polygamma": _of_gamma,
    "Mean": _of_reduction,
    "Max": _of_reduction,
    "Min": _of_reduction,
    "Softmax": _of_softmax,
    "LogSoftmax": _of_softmax,
    "Cholesky": _of_factor,
}
