"""Reverse mode: grad, value_and_grad, vjp."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wengert.api.gradients.gradient_tape import GradientTape
from wengert.derivatives import structures
from wengert.derivatives.arguments import ArgNames, ArgNums, Arguments, check_function
from wengert.derivatives.plan import Derivative, DerivativePlan, plan_of_gradient, planned
from wengert.derivatives.results import (
    differentiable_result,
    scalar_result,
    seeds_for,
    without_aux,
)
from wengert.inference.public_functions import made_of_function
from wengert.overrides.switches import Kinks, Switches, block_of, within_block
from wengert.state.variable import Variable
from wengert.values.bound_ops import bound
from wengert.values.indexed_slices import IndexedSlices


@made_of_function
def grad(
    f: Callable[..., Any],
    argnums: ArgNums = 0,
    argnames: ArgNames = None,
    has_aux: bool = False,
    strong_zero: bool | None = None,
    kinks: Kinks | None = None,
) -> Derivative:
    """The gradient of a function whose result is one number, as a function of the same arguments.

    Args:
        f: The function. With `has_aux` it returns a pair of the number and anything else.
        argnums: Which positional arguments; one number gives its gradient, a tuple gives a tuple.
        argnames: Which arguments given by name; several give a dictionary.
        has_aux: Whether to return what `f` returns beside the number, after the gradient.
        strong_zero: As in `tf.config.gradient_switches`: a cotangent of zero contributes zero.
        kinks: As in `tf.config.gradient_switches`: the derivative of relu and its kin at kinks.

    Returns:
        The function of the gradient. Arguments may be nested in lists, tuples, dictionaries and
        dataclasses, and so is the gradient; a list of numbers is a list, and no tensor. What the
        result does not depend on has a gradient of zeros.

    >>> tf.grad(lambda x: x * x * x)(2.0).numpy()
    np.float32(12.0)
    >>> tf.grad(tf.grad(lambda x: x * x * x))(2.0).numpy()
    np.float32(12.0)
    >>> g = tf.grad(lambda w, x: tf.reduce_sum(w["a"] * x + w["b"]))({"a": 2.0, "b": 0.0}, tf.constant([1.0, 2.0]))
    >>> g["a"].numpy(), g["b"].numpy()
    (np.float32(3.0), np.float32(2.0))
    """
    check_function(f, "grad")
    own = Switches(strong_zero=strong_zero, kinks=kinks)
    both = value_and_grad_for(f, argnums, argnames, has_aux, "grad", own)

    def gradient(*args: Any, **kwargs: Any) -> Any:
        value, found = both(*args, **kwargs)
        return (found, value[1]) if has_aux else found

    return planned(f, gradient, both.plan)


@made_of_function
def value_and_grad(
    f: Callable[..., Any],
    argnums: ArgNums = 0,
    argnames: ArgNames = None,
    has_aux: bool = False,
    strong_zero: bool | None = None,
    kinks: Kinks | None = None,
) -> Derivative:
    """The same as `grad`, beside the value: a function that returns (value, gradient).

    >>> value, gradient = tf.value_and_grad(lambda x: tf.reduce_sum(x * x))(tf.constant([1.0, 2.0]))
    >>> value.numpy(), gradient.numpy().tolist()
    (np.float32(5.0), [2.0, 4.0])
    """
    check_function(f, "value_and_grad")
    own = Switches(strong_zero=strong_zero, kinks=kinks)
    return value_and_grad_for(f, argnums, argnames, has_aux, "value_and_grad", own)


def value_and_grad_for(
    f: Callable[..., Any],
    argnums: ArgNums,
    argnames: ArgNames,
    has_aux: bool,
    who: str,
    own: Switches,
) -> Derivative:
    """Value and gradient, with errors that name the public function that asked."""

    def both(*args: Any, **kwargs: Any) -> Any:
        given = Arguments(f, args, kwargs, argnums, argnames, who)
        with GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(given.leaves)
            value = given.call()
            target = scalar_result(without_aux(value, has_aux, who)[0], who)
        pulled = tape.gradient(target, given.leaves, unconnected_gradients="zero")
        return value, given.pack([_dense(g, x) for g, x in zip(pulled, given.leaves, strict=True)])

    def plan(*args: Any, **kwargs: Any) -> DerivativePlan:
        given = Arguments(f, args, kwargs, argnums, argnames, who)
        return plan_of_gradient(given, has_aux, who)

    return planned(f, within_block(both, own), plan)


def _dense(gradient: Any, source: Any) -> Any:
    """A gradient as a tensor; of a variable the rows that an optimizer takes."""
    if isinstance(gradient, IndexedSlices) and not isinstance(source, Variable):
        return bound.to_dense(gradient)
    return gradient


def vjp(
    f: Callable[..., Any],
    *primals: Any,
    has_aux: bool = False,
    strong_zero: bool | None = None,
    kinks: Kinks | None = None,
) -> Any:
    """The value of a function, and the function from a cotangent of it to those of its arguments.

    Args:
        f: The function, of positional arguments.
        *primals: Its arguments; each is differentiated.
        has_aux: Whether `f` returns a pair, whose second part is returned as it is.
        strong_zero: As in `tf.config.gradient_switches`: a cotangent of zero contributes zero.
        kinks: As in `tf.config.gradient_switches`: the derivative of relu and its kin at kinks.

    Returns:
        (value, pull) or, with `has_aux`, (value, pull, aux). `pull(cotangent)` takes something
        nested as the value is and gives a tuple with one entry for each argument. It may be called
        any number of times.

    >>> y, pull = tf.vjp(lambda x, y: x * y, tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0]))
    >>> [g.numpy().tolist() for g in pull(tf.constant([1.0, 10.0]))]
    [[3.0, 40.0], [1.0, 20.0]]
    """
    check_function(f, "vjp")
    given = Arguments(f, primals, {}, range(len(primals)), who="vjp")
    own = Switches(strong_zero=strong_zero, kinks=kinks)
    with block_of(own):
        tape = GradientTape(persistent=True, watch_accessed_variables=False)
    with tape, block_of(own):
        tape.watch(given.leaves)
        value, aux = without_aux(given.call(), has_aux, "vjp")
        targets = [differentiable_result(y, "vjp") for y in structures.flatten(value)]
    value = structures.pack(value, targets)

    def pull(cotangent: Any) -> Any:
        seeds = seeds_for(targets, structures.flatten_like(value, cotangent, _NESTED))
        pulled = tape.gradient(
            targets, given.leaves, output_gradients=seeds, unconnected_gradients="zero"
        )
        return given.pack([_dense(g, x) for g, x in zip(pulled, given.leaves, strict=True)])

    return (value, pull, aux) if has_aux else (value, pull)


_NESTED = "A cotangent and the result of the function"
