"""Logarithms, exponentials, and softmax written by hand: what makes them infinite, and what to write instead."""

from __future__ import annotations

import ast
from typing import Final

import numpy as np

from wengert.host.syntax import expression
from wengert.insight.explain.arrays import array_of, in_double
from wengert.insight.explain.culprit import (
    Culprit,
    Verdict,
    is_half,
    of_half,
    operand,
    text_of,
    tiny,
    with_argument,
)
from wengert.insight.explain.forms import (
    axis_of,
    log_of_softmax,
    log_of_sum,
    log_of_weighted_sum,
    product_with_log,
    sigmoid,
    soft_max,
    soft_plus,
)
from wengert.insight.explain.question import Question
from wengert.insight.explain.rewriting import (
    Change,
    Mend,
    called,
    expressions,
    filled,
    rewritings,
    rewritten,
)
from wengert.insight.explain.trial import proposed
from wengert.insight.journal import Step
from wengert.insight.program_text import line_text

STABLY: Final = " (tf.GradientTape(stabilize=True) computes it so):"


def of_log(q: Question, c: Culprit) -> Verdict:
    """The logarithm of zero, of what has become zero, or of a negative number."""
    if c.step.row.name == "Log1p":
        return _of_log1p(q, c)
    value = operand(c)
    sums = rewritings(c.step.line, log_of_sum)
    if sums:
        why = "exp has underflown, and the sum of zeros has no logarithm."
        words = f"There is a function that neither overflows nor underflows{STABLY}"
        return "log", why, proposed(q, c.step.line, words, sums)
    sigmoid_ = _of_log_of_sigmoid(q, c)
    if sigmoid_ is not None:
        return sigmoid_
    products = rewritings(c.step.line, product_with_log)
    if products and _is_times_zero(q, c):
        why = f"log {text_of(value)} is infinite, and 0 times infinity is NaN."
        words = f"x log x is 0 at 0 for tf.math.xlogy{_end(products[0])}"
        mend = proposed(q, c.step.line, words, products)
        if mend.lines:
            return "log", why, mend
    soft = rewritten(c.step.line, log_of_softmax) or _log_of_named_softmax(q, c)
    if soft:
        why = "The softmax has underflown to zero."
        words = f"There is a function that does both at once{STABLY}"
        return "log", why, proposed(q, c.step.line, words, [soft])
    if value is not None and value < 0:
        why = f"The logarithm of a negative number, {text_of(value)}, is NaN."
    else:
        why = "The logarithm of zero is minus infinity, and its rule divides by zero."
    words = "Keep its argument away from zero:"
    return "log", why, with_argument(q, c, ("log",), f"tf.maximum(x, {tiny(c)})", words)


def _of_log1p(q: Question, c: Culprit) -> Verdict:
    value = operand(c)
    why = "log1p x is the logarithm of 1 + x: minus infinity at -1, where its rule divides by zero."
    if value is not None and value < -1:
        why = f"log1p x is the logarithm of 1 + x, and NaN for {text_of(value)}, which is below -1."
    edge = "1e-3" if is_half(c.step) else "1e-6"
    words = "Keep its argument above -1:"
    return "log", why, with_argument(q, c, ("log1p",), f"tf.maximum(x, -1.0 + {edge})", words)


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
    return STABLY if same else ":"


_STABLE_FORMS: Final[tuple[tuple[Change, str, str], ...]] = (
    (soft_plus, "exp", "log(1 + exp x)"),
    (log_of_sum, "exp", "log of a sum of exponentials"),
    (soft_max, "softmax", "exp x / sum exp x"),
    (sigmoid, "exp", "1 / (1 + exp(-x))"),
)


def of_exp(q: Question, c: Culprit) -> Verdict:
    """An exponential that is more than the dtype can hold."""
    why = f"{c.step.row.name.lower()} {text_of(operand(c))} is more than the dtype can hold."
    for change, kind, form in _STABLE_FORMS:
        words = f"{form} has a function that does not overflow{STABLY}"
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
    if is_half(c.step):
        return of_half(q, c)
    wide = in_double(c.step)
    fits = wide is not None and bool(np.isfinite(wide[c.at]))
    words = "Work with the exponent itself, in logarithms"
    words += ", keep it smaller, or compute in float64." if fits else ", or keep it smaller."
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
    return "softmax", why, with_argument(q, c, ("exp",), f"x - {largest}", words)


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
