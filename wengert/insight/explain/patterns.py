"""The known ways to an infinite gradient or a NaN, by name, with their mends."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np

from wengert.host.syntax import expression
from wengert.insight.explain.arrays import array_of, in_double
from wengert.insight.explain.branches import safe_branches, safe_number
from wengert.insight.explain.forms import (
    TINY,
    axis_of,
    inverse_power,
    log_of_softmax,
    log_of_sum,
    log_of_weighted_sum,
    product_with_log,
    safe_division,
    shifted_power,
    sigmoid,
    smooth_deviation,
    smooth_norm,
    soft_max,
    soft_plus,
)
from wengert.insight.explain.question import Question
from wengert.insight.explain.rewriting import (
    Change,
    Mend,
    called,
    called_with,
    expressions,
    filled,
    in_single,
    read_names,
    rewritings,
    rewritten,
)
from wengert.insight.explain.trial import CLAMPED, proposed
from wengert.insight.journal import Step
from wengert.insight.program_text import line_text
from wengert.values.value import Key


class Culprit(NamedTuple):
    """The operation that made the first number that is not finite."""

    number: int
    step: Step
    forward: bool  # its result, or else what its rule gave
    at: Any  # the element
    came: Any  # the cotangent there
    made: Any  # the number
    key: Key | None = None  # the input whose cotangent it is


Verdict = tuple[str, str, Mend]
_STABLY: Final = " (tf.GradientTape(stabilize=True) computes it so):"

SPECTRAL: Final = (
    "SelfAdjointEigV2", "Svd", "Eig", "Qr", "MatrixSquareRoot", "SelfAdjointEig",
)  # fmt: skip
_FUNCTIONS: Final = {
    "Log": ("log",), "Log1p": ("log1p",), "Sqrt": ("sqrt",), "Rsqrt": ("rsqrt",), "Exp": ("exp",),
    "Reciprocal": ("reciprocal",), "Acos": ("acos",), "Asin": ("asin",), "Acosh": ("acosh",),
    "Atanh": ("atanh",), "RealDiv": ("divide", "/"), "Div": ("divide", "/"), "Pow": ("pow", "**"),
    "Xdivy": ("xdivy",), "Digamma": ("digamma",), "Lgamma": ("lgamma",), "Expm1": ("expm1",),
    "Sinh": ("sinh",), "Cosh": ("cosh",), "Atan2": ("atan2",), "EuclideanNorm": ("norm",),
    "Erfinv": ("erfinv",),
}  # fmt: skip


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
    names = _FUNCTIONS.get(name, (name.lower(),))
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
            if step.row.name in ("SelectV2", "Select"):
                return step
            values |= {y._key for y in step.results}
    return None


# ---- by operation -------------------------------------------------------------------------------


def _of_sqrt(q: Question, c: Culprit) -> Verdict:
    value = _operand(c)
    if c.step.row.name == "Rsqrt" and not (value is not None and value < 0):
        return _of_inverse_root(q, c)
    if c.forward:
        return (
            "sqrt",
            "The square root of a negative number is NaN.",
            _argument(
                q,
                c,
                _FUNCTIONS[c.step.row.name],
                "tf.maximum(x, 0.0)",
                "Keep its argument from being negative:",
            ),
        )
    squares = _is_sum_of_squares(q, c.step)
    text = line_text(c.step.line)
    if squares or "norm" in text:
        new = rewritings(c.step.line, smooth_norm(_summand(c)))
        words = "The norm has no derivative at zero. A smooth one has:"
        why = "A norm is the square root of a sum of squares; at zero its rule divides by zero."
        return "norm", why, proposed(q, c.step.line, words, new)
    if "std" in text:
        new = rewritings(c.step.line, smooth_deviation(_summand(c)))
        words = "The standard deviation has no derivative where all numbers are equal. A smooth one has:"
        return (
            "sqrt",
            "At zero its rule divides by zero.",
            proposed(q, c.step.line, words, new),
        )
    why = "The slope of a square root is infinite at zero: its rule divides by twice the root."
    names = _FUNCTIONS[c.step.row.name]
    words = "Keep its argument away from zero:"
    return "sqrt", why, _argument(q, c, names, f"x + {_summand(c)}", words)


def _of_inverse_root(q: Question, c: Culprit) -> Verdict:
    if _operand(c) != 0:
        return _of_overflow(q, c)
    why = "One by the square root of zero is infinite."
    words = "Keep its argument away from zero:"
    return "sqrt", why, _argument(q, c, ("rsqrt",), f"x + {_tiny(c)}", words)


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
    new = rewritings(c.step.line, smooth_norm(_summand(c)))
    words = "The norm has no derivative at zero. A smooth one has:"
    return (
        "norm",
        "At zero the rule of a norm divides by zero.",
        proposed(q, c.step.line, words, new),
    )


def _of_log(q: Question, c: Culprit) -> Verdict:
    if c.step.row.name == "Log1p":
        return _of_log1p(q, c)
    value = _operand(c)
    sums = rewritings(c.step.line, log_of_sum)
    if sums:
        why = "exp has underflown, and the sum of zeros has no logarithm."
        words = f"There is a function that neither overflows nor underflows{_STABLY}"
        return "log", why, proposed(q, c.step.line, words, sums)
    sigmoid_ = _of_log_of_sigmoid(q, c)
    if sigmoid_ is not None:
        return sigmoid_
    products = rewritings(c.step.line, product_with_log)
    if products and _is_times_zero(q, c):
        why = f"log {_text(value)} is infinite, and 0 times infinity is NaN."
        words = f"x log x is 0 at 0 for tf.math.xlogy{_end(products[0])}"
        mend = proposed(q, c.step.line, words, products)
        if mend.lines:
            return "log", why, mend
    soft = rewritten(c.step.line, log_of_softmax) or _log_of_named_softmax(q, c)
    if soft:
        why = "The softmax has underflown to zero."
        words = f"There is a function that does both at once{_STABLY}"
        return "log", why, proposed(q, c.step.line, words, [soft])
    if value is not None and value < 0:
        why = f"The logarithm of a negative number, {_text(value)}, is NaN."
    else:
        why = "The logarithm of zero is minus infinity, and its rule divides by zero."
    words = "Keep its argument away from zero:"
    return "log", why, _argument(q, c, ("log",), f"tf.maximum(x, {_tiny(c)})", words)


def _of_log1p(q: Question, c: Culprit) -> Verdict:
    value = _operand(c)
    why = "log1p x is the logarithm of 1 + x: minus infinity at -1, where its rule divides by zero."
    if value is not None and value < -1:
        why = f"log1p x is the logarithm of 1 + x, and NaN for {_text(value)}, which is below -1."
    edge = "1e-3" if _is_half(c.step) else "1e-6"
    words = "Keep its argument above -1:"
    return "log", why, _argument(q, c, ("log1p",), f"tf.maximum(x, -1.0 + {edge})", words)


def _is_times_zero(q: Question, c: Culprit) -> bool:
    """Whether each logarithm that is infinite is multiplied by zero."""
    made = c.step.results[0]
    for step in q.history.steps[c.number + 1 :]:
        factors = [x for x in step.inputs if getattr(x, "_key", None) is not made._key]
        if step.row.name == "Mul" and len(factors) == 1:
            log, factor = array_of(made), array_of(factors[0])
            if log is None or factor is None:
                return True
            infinite, weights = np.broadcast_arrays(~np.isfinite(log), factor)
            return not np.any(weights[infinite])
    return True


def _of_log_of_sigmoid(q: Question, c: Culprit) -> Verdict | None:
    """The logarithm of a sigmoid, or of one minus it, that has become 0."""
    number = q.history.made_by.get(getattr(c.step.inputs[0], "_key", None), -1)
    step = q.history.steps[number] if number >= 0 else None
    if step is not None and step.row.name == "Sub":
        number = q.history.made_by.get(getattr(step.inputs[1], "_key", None), -1)
        step = q.history.steps[number] if number >= 0 else None
    if step is None or step.row.name != "Sigmoid":
        return None
    why = "The sigmoid is saturated: it is exactly 0 or 1, and the logarithm infinite."
    new = rewritings(c.step.line, _log_of_written_sigmoid)
    words = (
        "tf.math.log_sigmoid(z) is the logarithm of tf.sigmoid(z); of a loss with labels and logits, "
        "tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=z) does all at once"
    )
    return "log", why, proposed(q, c.step.line, f"{words}:", new)


def _log_of_written_sigmoid(node: ast.expr) -> ast.expr | None:
    """log(sigmoid(x)), or log(1 - sigmoid(x)), by one function."""
    if not (isinstance(node, ast.Call) and called(node) == "log" and node.args):
        return None
    inner, template = node.args[0], "tf.math.log_sigmoid(x)"
    if isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.Sub):
        if ast.unparse(inner.left) not in ("1", "1.0"):
            return None
        inner, template = inner.right, "-tf.nn.softplus(x)"
    if isinstance(inner, ast.Call) and called(inner) == "sigmoid" and inner.args:
        return filled(template, x=inner.args[0])
    return None


def _log_of_named_softmax(q: Question, c: Culprit) -> str:
    """The line that takes the logarithm of what another line computed by softmax."""
    place = q.line_of(c.step.inputs[0])
    made = next((n for n in expressions(line_text(place)) if called(n) == "softmax"), None)
    if not isinstance(made, ast.Call):
        return ""
    inner = ", ".join(ast.unparse(a) for a in (*made.args, *made.keywords))
    new = expression(f"tf.nn.log_softmax({inner})")
    return rewritten(c.step.line, lambda n: new if called(n) == "log" else None)


def _end(product: str) -> str:
    """The end of the words for xlogy(a, b): with equal arguments there is another way to it."""
    found = next(n for n in expressions(product) if called(n) == "xlogy")
    same = isinstance(found, ast.Call) and ast.dump(found.args[0]) == ast.dump(found.args[1])
    return _STABLY if same else ":"


_STABLE_FORMS: Final[tuple[tuple[Change, str, str], ...]] = (
    (soft_plus, "exp", "log(1 + exp x)"),
    (log_of_sum, "exp", "log of a sum of exponentials"),
    (soft_max, "softmax", "exp x / sum exp x"),
    (sigmoid, "exp", "1 / (1 + exp(-x))"),
)


def _of_exp(q: Question, c: Culprit) -> Verdict:
    why = f"{c.step.row.name.lower()} {_text(_operand(c))} is more than the dtype can hold."
    for change, kind, form in _STABLE_FORMS:
        words = f"{form} has a function that does not overflow{_STABLY}"
        for at in (c.step.line, *_later_lines(q, c)):
            mend = proposed(q, at, words, rewritings(at, _of_vectors(change, c)))
            if mend.lines:
                return kind, why, mend
    weighted = rewritings(c.step.line, log_of_weighted_sum)
    if weighted:
        words = "The weights go into the exponent, as logarithms:"
        return "exp", why, proposed(q, c.step.line, words, weighted, sure=False)
    shared = _softmax_by_hand(q, c)
    if shared is not None:
        return shared
    if _is_half(c.step):
        return _of_half(q, c)
    words = "Work with the exponent itself, in logarithms, keep it smaller, or compute in float64."
    return "exp", why, Mend(words)


def _of_vectors(change: Change, c: Culprit) -> Change:
    """A softmax over the sum of all is one over the last axis where there is no other."""
    if change is not soft_max or len(getattr(c.step.results[0], "shape", ())) == 1:
        return change

    def of_more(node: ast.expr) -> ast.expr | None:
        sums = [n for n in ast.walk(node) if called(n) == "reduce_sum"]
        has_axis = any(isinstance(n, ast.Call) and axis_of(n) is not None for n in sums)
        return change(node) if has_axis else None

    return of_more


def _softmax_by_hand(q: Question, c: Culprit) -> Verdict | None:
    """e = exp(x); e / sum(e): subtracting the maximum changes nothing but the overflow."""
    keys = {y._key for y in c.step.results}
    later = q.history.steps[c.number + 1 :]
    sums = [s for s in later if s.row.name == "Sum" and s.inputs[0]._key in keys]
    if not sums or not any(s.row.name == "RealDiv" for s in later):
        return None
    why = "exp overflows, and infinity by infinity is NaN: a softmax written by hand."
    words = (
        "Subtract the maximum first: it changes nothing else. tf.nn.softmax does, and "
        "tf.GradientTape(stabilize=True) for this formula."
    )
    axis = _axis_summed(sums[0])
    largest = f"tf.reduce_max(x, {axis}, keepdims=True)" if axis else "tf.reduce_max(x)"
    return "softmax", why, _argument(q, c, ("exp",), f"x - {largest}", words)


def _axis_summed(step: Step) -> str:
    """The axis of a sum, as it is written; empty if it is of all."""
    sums = [n for n in expressions(line_text(step.line)) if called(n) == "reduce_sum"]
    axes = [axis_of(n) for n in sums if isinstance(n, ast.Call)]
    axis = axes[0] if axes else None
    return "" if axis is None or ast.unparse(axis) == "None" else ast.unparse(axis)


def _later_lines(q: Question, c: Culprit) -> list[str]:
    """The lines that use the result."""
    keys = {y._key for y in c.step.results}
    later = q.history.steps[c.number + 1 :]
    return [s.line for s in later if any(getattr(x, "_key", None) in keys for x in s.inputs)][:3]


def _of_division(q: Question, c: Culprit) -> Verdict:
    soft = rewritings(c.step.line, soft_max)
    if soft:
        return (
            "softmax",
            "Infinity by infinity, or zero by zero, is NaN.",
            proposed(
                q,
                c.step.line,
                f"exp x / sum exp x has a function that does not overflow{_STABLY}",
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
        return 1.0, _operand(c)
    top, bottom = c.step.inputs
    return _value_at(top, c.at), _value_at(bottom, c.at)


def _of_power(q: Question, c: Culprit) -> Verdict:
    base = _value_at(c.step.inputs[0], c.at)
    power = _value_at(c.step.inputs[1], c.at) if len(c.step.inputs) > 1 else None
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
    new = rewritings(c.step.line, shifted_power(_tiny(c)))
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
            f"{name.lower()} has no value outside of its range: of {_text(_operand(c))} it is NaN."
        )
    else:
        why = f"{name.lower()} is infinite at the end of its range, {_text(_operand(c))}."
    edge = "1e-3" if _is_half(c.step) else "1e-6"
    template = (
        f"tf.maximum(x, 1.0 + {edge})"
        if name == "Acosh"
        else f"tf.clip_by_value(x, -1.0 + {edge}, 1.0 - {edge})"
    )
    return "sqrt", why, _argument(q, c, _FUNCTIONS[name], template, "Keep its argument inside:")


def _of_angle(q: Question, c: Culprit) -> Verdict:
    why = "An angle has no derivative at the origin: its rule divides zero by zero."
    which = "its argument" if c.step.row.name == "Angle" else "one of its arguments"
    new = rewritings(c.step.line, _beside_the_origin(_tiny(c)))
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


def _is_half(step: Step) -> bool:
    return any(getattr(y, "dtype", None) is not None and y.dtype.size == 2 for y in step.results)


def _of_half(q: Question, c: Culprit) -> Verdict:
    dtype = c.step.results[0].dtype.name
    why = f"{dtype} holds no number above {'65504' if dtype == 'float16' else '3.4e38'}."
    words = (
        "Compute this part in float32, or scale the loss down before the sweep and the gradient up after it "
        "(loss scaling):"
    )
    names = {n for n in q.names_of_dtype(dtype) if n in read_names(line_text(c.step.line))}
    new = in_single(line_text(c.step.line), names, dtype) if names else ""
    return "overflow", why, proposed(q, c.step.line, words, [new])


def _of_overflow(q: Question, c: Culprit) -> Verdict:
    """A number that is too large, if the operands say so; else a place where the operation has no value."""
    if not _is_too_large(c):
        return _of_undefined(c)
    if _is_half(c.step):
        return _of_half(q, c)
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
    value = _operand(c)
    name = c.step.row.name.lower()
    if value is None or value > 0 or value != np.floor(value):
        return _of_overflow(q, c)
    why = f"{name} has a pole at zero and at each negative integer; its argument is {_text(value)}."
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
    why = f"It is given no elements, and the {what} of nothing is {_text(c.made)}{value}."
    words = "Look at what selects the elements; where there are none, leave the term out: tf.cond(tf.size(a) > 0, ...)."
    return "empty", why, Mend(words)


def _of_softmax(q: Question, c: Culprit) -> Verdict:
    array = array_of(c.step.inputs[0])
    if array is None or not np.isneginf(array).any():
        return _of_overflow(q, c)
    why = "All of a row is -inf, as where everything is masked: softmax divides zero by zero there."
    words = "Mask with a large negative number such as -1e9, or leave out the rows that have nothing to choose from."
    return "softmax", why, Mend(words)


# ---- helpers ------------------------------------------------------------------------------------


def _operand(c: Culprit) -> Any:
    return _value_at(c.step.inputs[0], c.at)


def _value_at(x: Any, at: Any) -> Any:
    array = np.asarray(getattr(x, "_array", x))
    if array.dtype.kind not in "fiu":
        return None
    if array.ndim == 0:
        return array[()]
    fits = array.ndim == len(at) and all(i < n for i, n in zip(at, array.shape, strict=True))
    return array[at] if fits else None


def _text(value: Any) -> str:
    return "there" if value is None else f"{value:.6g}"


def _argument(q: Question, c: Culprit, names: tuple[str, ...], template: str, words: str) -> Mend:
    """The line with another argument for the function: the template, with `x` for the argument that it has."""

    def change(node: ast.expr) -> ast.expr | None:
        if called(node) not in names or not isinstance(node, ast.Call) or not node.args:
            return None
        return called_with(node, filled(template, x=node.args[0]))

    if c.step.results[0].dtype.is_complex:  # has no order, and no edge
        return Mend(words)
    return proposed(q, c.step.line, words, rewritings(c.step.line, change), CLAMPED)


def _tiny(c: Culprit) -> str:
    """What keeps a number away from zero in the dtype of an operation: one by it is a number."""
    return "1e-4" if c.step.results[0].dtype.name == "float16" else TINY


def _summand(c: Culprit) -> str:
    """The same for what a root is taken of: one by its root is a number."""
    return "1e-6" if c.step.results[0].dtype.name == "float16" else TINY


_BY_NAME: Final[dict[str, Callable[[Question, Culprit], Verdict]]] = {
    "Sqrt": _of_sqrt,
    "Rsqrt": _of_sqrt,
    "EuclideanNorm": _of_norm,
    "Log": _of_log,
    "Log1p": _of_log,
    "Exp": _of_exp,
    "Expm1": _of_exp,
    "Sinh": _of_exp,
    "Cosh": _of_exp,
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
