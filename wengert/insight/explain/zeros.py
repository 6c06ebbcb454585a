"""Which factor is zero: saturated, dead, masked, constant."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from wengert.insight.explain.arrays import in_double, slope
from wengert.insight.explain.question import Question
from wengert.insight.explain.rewriting import Mend
from wengert.insight.journal import Step
from wengert.insight.program_text import line_text, short
from wengert.values.value import Key

# By the type of the operation: what is said, with the number of its elements, and what helps.
_SAYINGS: Final = {
    "Sigmoid": ("the sigmoid is saturated: its slope y (1 - y) is zero", "Scale its input down, or give "
                "logits to a loss that takes them (tf.nn.sigmoid_cross_entropy_with_logits)."),
    "Tanh": ("tanh is saturated: its slope 1 - y² is zero", "Scale its input down, e.g. by a smaller "
             "initial weight or a normalization."),
    "Relu": ("relu is dead: its input is negative everywhere", "Let some of it be positive (bias, "
             "initialization), or use tf.nn.leaky_relu."),
    "Relu6": ("relu6 is flat: its input is outside of 0 to 6", "Scale its input, or use tf.nn.leaky_relu."),
    "Selu": ("selu is saturated", "Scale its input."),
    "Elu": ("elu is saturated", "Scale its input."),
    "Softmax": ("softmax is saturated: one probability is 1", "Give logits to "
                "tf.nn.softmax_cross_entropy_with_logits, or divide them by a temperature."),
    "Exp": ("exp has underflown to zero", "Work with logarithms: tf.reduce_logsumexp, tf.nn.log_softmax."),
    "Erf": ("erf is saturated", "Scale its input down."),
    "Round": ("rounding is constant almost everywhere", "Straight-through: "
              "x + tf.stop_gradient(tf.round(x) - x)."),
    "Rint": ("rounding is constant almost everywhere", "Straight-through: "
             "x + tf.stop_gradient(tf.math.rint(x) - x)."),
    "Floor": ("floor is constant almost everywhere", "Straight-through: "
              "x + tf.stop_gradient(tf.floor(x) - x)."),
    "Ceil": ("ceil is constant almost everywhere", "Straight-through: "
             "x + tf.stop_gradient(tf.math.ceil(x) - x)."),
    "Sign": ("sign is constant almost everywhere", "Use a smooth one: tf.tanh(10.0 * x)."),
    "Square": ("its input is zero, where a square has no slope", "Start at another point."),
    "Abs": ("its input is zero, where its derivative is set to zero", "Start at another point."),
    "ClipByValue": ("everything is clipped", "Widen the bounds, or pass the gradient through: "
                    "x + tf.stop_gradient(clipped - x)."),
    "SelectV2": ("the branch that depends on it is selected nowhere", "Look at the condition."),
    "Select": ("the branch that depends on it is selected nowhere", "Look at the condition."),
    "Maximum": ("the other argument is larger everywhere", "Look at the other argument."),
    "Minimum": ("the other argument is smaller everywhere", "Look at the other argument."),
    "GatherV2": ("no element of it is gathered", "Look at the indices."),
    "StridedSlice": ("the slice takes none of it", "Look at the slice."),
    "PyFuncResults": ("no operation of tf leads on from it in the Python function", "Compute with operations "
                      "of tf inside tf.py_function, or give the function a derivative: tf.wrap(function, vjp=...)."),
}  # fmt: skip


def name_the_zero(q: Question, step: Step, key: Key, came: Any) -> tuple[str, Mend]:
    """Why an operation passes zero on to an input, and what helps."""
    name = step.row.name
    place = short(step.line)
    if _is_too_small(step, key, came):
        return _of_underflow(step)
    if name in ("Mul", "MatMul", "BatchMatMulV2", "Einsum", "RealDiv"):
        zero = _zero_factor(q, step, key)
        if zero:
            return (
                f"it is multiplied by {zero} ({place}), which is zero.",
                Mend(
                    f"Let {zero.replace('a ', 'this ')} be different from zero: a mask, a weight or an initial value."
                ),
            )
    special = _BY_VALUE.get(name)
    found = None if special is None else special(step, key, place)
    if found is not None:
        return found
    saying = _SAYINGS.get(name)
    if saying is None:
        return f"{name} ({place}) passes zero.", Mend(f"Look at what {name} is given there.")
    return f"{saying[0]} ({place}).", Mend(saying[1])


def _is_too_small(step: Step, key: Key, came: Any) -> bool:
    """Whether the slope is not zero and the product with what comes back is, for lack of digits."""
    wide = None if came is None else in_double(step, came, key)
    if wide is None or not np.any(wide):
        return False
    own = slope(step, key)
    return own is not None and bool(np.any((own != 0) & (wide != 0)))


def _of_underflow(step: Step) -> tuple[str, Mend]:
    dtype = step.results[0].dtype
    why = f"what comes back to {step.row.name} ({short(step.line)}) is not zero, but its product with the slope is too small for {dtype.name}."
    words = "Compute in float64, or keep the product of the slopes away from zero: a normalization, shortcuts around layers."
    if dtype.size == 2:
        words = (
            "Compute this part in float32, or scale the loss up before the sweep and the gradient down after it "
            "(loss scaling)."
        )
    return why, Mend(words)


def _of_softmax(step: Step, key: Key, place: str) -> tuple[str, Mend] | None:
    probabilities = np.asarray(step.results[0]._array, np.float64)
    if probabilities.shape[-1:] == (1,):
        why = f"softmax over one class is 1 whatever it is given ({place})."
        return why, Mend(
            "Use tf.sigmoid for a single number, or softmax along the axis of the classes."
        )
    if not probabilities.size or probabilities.max() >= 1.0:
        return None
    why = f"what comes back to softmax is the same for all, and softmax adds up to one ({place})."
    words = "Let the loss tell the probabilities apart: their sum is one whatever the input is."
    return why, Mend(words)


def _of_selection(step: Step, key: Key, place: str) -> tuple[str, Mend] | None:
    if not _is_selected(step, key):
        is_dropout = "dropout" in line_text(step.line)
        words = "Lower the rate, or draw again: a seed that is given draws the same each time."
        return (f"dropout has dropped all of it ({place}).", Mend(words)) if is_dropout else None
    why = f"what comes back to the elements that tf.where selects is zero ({place})."
    return why, Mend("Look at what is computed from them behind that line.")


def _of_power(step: Step, key: Key, place: str) -> tuple[str, Mend] | None:
    base, exponent = (np.asarray(x._array) for x in step.inputs)
    if not np.any(exponent):
        why = f"its exponent is zero, and the power 1 whatever the base is ({place})."
        return why, Mend("Look at the exponent.")
    if np.any(base):
        return None
    return f"its base is zero ({place}).", Mend("Start at another point.")


_BY_VALUE: Final[dict[str, Callable[[Step, Key, str], tuple[str, Mend] | None]]] = {
    "Softmax": _of_softmax,
    "SelectV2": _of_selection,
    "Select": _of_selection,
    "Pow": _of_power,
}


def _is_selected(step: Step, key: Key) -> bool:
    """Whether a selection takes some of the branch that an input is."""
    condition = np.asarray(step.inputs[0]._array)
    is_first = getattr(step.inputs[1], "_key", None) is key
    return bool(np.any(condition if is_first else ~condition))


def _zero_factor(q: Question, step: Step, key: Key) -> str:
    for x in step.inputs:
        array: Any = getattr(x, "_array", None)
        is_other = getattr(x, "_key", None) is not key or len(step.inputs) == 1
        if is_other and isinstance(np.asarray(array), np.ndarray) and not np.any(np.asarray(array)):
            return q.name(x) or "a factor"
    squares = [x for x in step.inputs if getattr(x, "_key", None) is key]
    return (q.name(squares[0]) or "itself") if len(squares) > 1 else ""
