"""tf.check, tf.check_rule and tf.assert_right."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from wengert.core.dispatch import apply
from wengert.core.table import find, names_near
from wengert.derivatives.arguments import check_function
from wengert.insight.check.examination import MODES, Examination
from wengert.insight.check.report import CheckReport
from wengert.insight.check.subject import Subject
from wengert.insight.check.surroundings import variables_kept
from wengert.overrides.registered_gradients import GRADIENTS
from wengert.values.convert import convert


def check(
    f: Callable[..., Any], *xs: Any, order: int = 2, modes: str | Sequence[str] = "all"
) -> CheckReport:
    """Whether the gradients of a function are right: print the answer, or ask it for `right` and `fault`.

    The gradients are compared with complex steps and differences at the given inputs and near them, and
    with themselves: forward mode with reverse mode, batches and compiled functions with operations one
    by one, second derivatives with differences of the first.

    Args:
        f: The function. It gets tensors, also for numbers, arrays and variables.
        *xs: Its inputs, nested as it takes them. Integers, and what is no tensor, are held fixed. Inputs of lower
            precision are looked at in float64 where the function allows.
        order: 2 to look at second derivatives, too, 1 not to.
        modes: "all", or some of "forward", "batch", "function", "compiled".

    Returns:
        A report with `right`, `fault` (a kind, such as "factor" or "transposed"), `inputs` with the same
        for each, and `assert_right()`.

    >>> @tf.custom_gradient
    ... def cube(x):
    ...     return x ** 3, lambda dy: 2.0 * dy * x ** 2
    >>> report = tf.check(cube, [1.0, 2.0])
    >>> report.right, report.fault, report.inputs[0].words[1]
    (False, 'factor', 'everywhere the rule is what it should be, times 0.6666667')
    """
    with variables_kept(f):
        return _examined(Subject(f, xs, "check"), order, modes, special=False)


def assert_right(
    f: Callable[..., Any], *xs: Any, order: int = 2, modes: str | Sequence[str] = "all"
) -> None:
    """For tests: an AssertionError with the report of `tf.check` if a gradient is wrong.

    >>> tf.assert_right(tf.sin, tf.constant([0.5, 1.0]))
    """
    check(f, *xs, order=order, modes=modes).assert_right()


def check_rule(
    rule: Callable[..., Any] | str,
    *xs: Any,
    order: int = 2,
    modes: str | Sequence[str] = "all",
    **attrs: Any,
) -> CheckReport:
    """Whether a rule of your own is right: what `tf.check` says, and what happens at special values.

    Args:
        rule: A function with a custom gradient, an operation that `tf.register_op` or `tf.wrap` made, the name of a
            type of operations, or the function that was registered as its gradient.
        *xs: Inputs of the operation.
        order: As in `tf.check`.
        modes: As in `tf.check`.
        **attrs: The attributes of the operation.

    >>> @tf.register_op("Halved")
    ... def halved(x):
    ...     return x / 2
    >>> @tf.RegisterGradient("Halved")
    ... def _halved_grad(op, grad):
    ...     return 2.0 * grad
    >>> tf.check_rule("Halved", [1.0, 2.0]).inputs[0].words[1]
    'everywhere the rule is what it should be, times 4'
    """
    with variables_kept(rule):
        return _examined(_subject_of_rule(rule, xs, attrs), order, modes, special=True)


def _subject_of_rule(
    rule: Callable[..., Any] | str, xs: Sequence[Any], attrs: dict[str, Any]
) -> Subject:
    name = rule if isinstance(rule, str) else _type_of_gradient(rule)
    if name is None and not isinstance(rule, str):
        check_function(rule, "check_rule")
        with_attrs = functools.wraps(rule)(lambda *given: rule(*given, **attrs))
        subject = Subject(with_attrs, xs, "check_rule")
        subject.called(rule)
    else:
        assert name is not None
        subject = Subject(_operation(name, attrs), xs, "check_rule")
        subject.place = _place_of_rule(name)
        subject.name = name
    return subject


def _type_of_gradient(rule: Any) -> str | None:
    """The type of which a function is the registered gradient."""
    return next((name for name, made in GRADIENTS.items() if made.function is rule), None)


def _operation(name: str, attrs: dict[str, Any]) -> Callable[..., Any]:
    row = find(name)
    if row is None and name in GRADIENTS:
        raise ValueError(
            f"'{name}' is a gradient for overrides, and no operation: give tf.check_rule a function that uses it "
            f'inside `with tf.gradient_override_map({{"...": "{name}"}})`.'
        )
    if row is None:
        raise ValueError(f"There is no type of operations '{name}'.{names_near(name)}")
    return lambda *given: apply(row, [convert(x) for x in given], attrs)


def _place_of_rule(name: str) -> str:
    row = find(name)
    return GRADIENTS[name].place if name in GRADIENTS or row is None else row.declared


def _examined(
    subject: Subject, order: int, modes: str | Sequence[str], special: bool
) -> CheckReport:
    if order not in (1, 2):
        raise ValueError(f"order of tf.{subject.who} is 1 or 2, got {order!r}.")
    chosen = MODES if modes == "all" else [modes] if isinstance(modes, str) else list(modes)
    unknown = [m for m in chosen if m not in MODES]
    if unknown:
        raise ValueError(
            f'modes of tf.{subject.who} are "all" or some of {MODES}, got {unknown[0]!r}.'
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # numbers are tried that no program would use
        return Examination(subject, order, chosen, special).report()
