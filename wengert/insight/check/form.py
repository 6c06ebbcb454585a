"""What the tape says of a rule that does not keep to its form: a shape, a dtype, a number of gradients."""

from __future__ import annotations

from collections.abc import Sequence

from wengert.errors import GradientDTypeError, GradientShapeError, NoGradientError
from wengert.insight.check.naming import Named
from wengert.insight.check.subject import Subject


def name_form(error: Exception, subject: Subject) -> tuple[Named, list[int]]:
    """The fault, and the inputs that have it."""
    every = list(range(len(subject.inputs)))
    index = getattr(error, "index", None)
    hit = [index] if index in every else every
    if isinstance(error, GradientDTypeError):
        return Named("dtype", str(error)), hit
    if isinstance(error, NoGradientError):
        return Named("none", str(error)), hit
    if isinstance(error, GradientShapeError) and error.shape is not None and len(hit) == 1:
        return _of_shape(error, subject, hit[0]), hit
    return Named("shape", str(error)), hit


def _of_shape(error: GradientShapeError, subject: Subject, index: int) -> Named:
    given = tuple(error.shape.as_list()) if error.shape.is_fully_defined() else ()
    wanted = subject.arrays[index].shape
    axes = sum_of_shapes(given, wanted) if _is_of_result(given, subject) else ""
    if axes:
        said = (
            f"the gradient has the shape {list(given)} of the result: sum it over the axes {axes}"
        )
        return Named("missing-sum", said)
    if len(wanted) > 1 and given == wanted[:-2] + wanted[:-3:-1]:
        said = f"the gradient has the shape {list(given)}, that of the transpose"
        return Named("transposed", said)
    return Named("shape", str(error))


def _is_of_result(shape: tuple[int, ...], subject: Subject) -> bool:
    """Whether a shape is that of a result: what is to be summed back was broadcast."""
    values = subject.values(subject.arrays) if shape else []
    return any(y.shape[-len(shape) :] == shape for y in values)


def sum_of_shapes(given: Sequence[int], wanted: Sequence[int]) -> str:
    """Over which axes a gradient of one shape is to be summed to have another; '' if that is not it."""
    more = len(given) - len(wanted)
    if more < 0 or tuple(given) == tuple(wanted):
        return ""
    axes = list(range(more))
    for axis, (a, b) in enumerate(zip(given[more:], wanted, strict=True)):
        if a != b and b != 1:
            return ""
        axes += [axis + more] if a != b else []
    return ", ".join(map(str, axes))
