"""Forward mode: jvp, linearize, linear_transpose."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from wengert.api.gradients.forward_accumulator import ForwardAccumulator
from wengert.api.gradients.gradient_tape import GradientTape
from wengert.derivatives import structures
from wengert.derivatives.arguments import Arguments, check_function
from wengert.derivatives.results import differentiable_result, seeds_for, without_aux
from wengert.derivatives.reverse import vjp
from wengert.ops.math.elementwise import zeros_like
from wengert.overrides.switches import Kinks, Switches, block_of
from wengert.values.convert import convert


def jvp(
    f: Callable[..., Any],
    primals: Sequence[Any],
    tangents: Sequence[Any],
    has_aux: bool = False,
    strong_zero: bool | None = None,
    kinks: Kinks | None = None,
) -> Any:
    """The value of a function and its derivative along a direction, in one pass.

    Args:
        f: The function, of positional arguments.
        primals: Its arguments, a tuple or a list with one entry for each.
        tangents: The direction, nested as the arguments are. None stands for zeros.
        has_aux: Whether `f` returns a pair, whose second part is returned as it is.
        strong_zero: As in `tf.config.gradient_switches`: a tangent of zero contributes zero.
        kinks: As in `tf.config.gradient_switches`: the derivative of relu and its kin at kinks.

    Returns:
        (value, tangent), or (value, tangent, aux).

    >>> y, t = tf.jvp(lambda x: x * x, (tf.constant([1.0, 2.0]),), (tf.constant([1.0, 0.0]),))
    >>> y.numpy().tolist(), t.numpy().tolist()
    ([1.0, 4.0], [2.0, 0.0])
    """
    check_function(f, "jvp")
    _check_sequences(primals, tangents)
    given = Arguments(f, primals, {}, range(len(primals)), who="jvp")
    directions = given.flatten(tuple(tangents), "The tangents and the primals")
    tangents = seeds_for(given.leaves, directions)
    own = Switches(strong_zero=strong_zero, kinks=kinks)
    with block_of(own), ForwardAccumulator(given.leaves, tangents) as accumulator:
        value, aux = without_aux(given.call(), has_aux, "jvp")
        results = [differentiable_result(y, "jvp") for y in structures.flatten(value)]
    found = [accumulator.jvp(y, unconnected_gradients="zero") for y in results]
    pair = structures.pack(value, results), structures.pack(value, found)
    return (*pair, aux) if has_aux else pair


def _check_sequences(primals: Any, tangents: Any) -> None:
    for name, value in (("primals", primals), ("tangents", tangents)):
        if not isinstance(value, (tuple, list)):
            raise TypeError(
                f"{name} of tf.jvp are a tuple with one entry for each argument of the function, "
                f"got {type(value).__name__}. For one argument: (x,)."
            )
    if len(primals) != len(tangents):
        raise ValueError(
            f"tf.jvp needs a tangent for each primal, got {len(primals)} primals and "
            f"{len(tangents)} tangents."
        )


def linearize(
    f: Callable[..., Any],
    *primals: Any,
    strong_zero: bool | None = None,
    kinks: Kinks | None = None,
) -> Any:
    """The value of a function, and its derivative there as a linear function of a direction.

    What the derivative needs is computed once. `jvp` is cheaper for one direction, this for several.
    `strong_zero` and `kinks` are those of `tf.config.gradient_switches`.

    Returns:
        (value, push): `push(*tangents)` takes a tangent for each argument and gives that of the value.

    >>> y, push = tf.linearize(lambda x: tf.sin(x) * x, tf.constant([0.0, 1.0]))
    >>> push(tf.constant([1.0, 1.0])).numpy().round(4)
    array([0.    , 1.3818], dtype=float32)
    """
    check_function(f, "linearize")
    with block_of(Switches(strong_zero=strong_zero, kinks=kinks)):
        value, pull = vjp(f, *primals)
        return value, _transposed_pull(value, pull, primals)


def _transposed_pull(value: Any, pull: Callable[[Any], Any], primals: Sequence[Any]) -> Any:
    """The transpose of the pull-back, which is linear in the cotangent: the pushforward."""
    starts = [zeros_like(y) for y in structures.flatten(value)]
    tape = GradientTape(persistent=True, watch_accessed_variables=False)
    with tape:
        tape.watch(starts)
        pulled = structures.flatten(pull(structures.pack(value, starts)))

    def push(*tangents: Any) -> Any:
        like = tuple(primals)
        given = structures.flatten_like(like, tuple(tangents), "The tangents and the primals")
        found = tape.gradient(
            pulled, starts, output_gradients=seeds_for(pulled, given), unconnected_gradients="zero"
        )
        return structures.pack(value, found)

    return push


def linear_transpose(f: Callable[..., Any], *like: Any) -> Callable[[Any], Any]:
    """The transpose of a linear function: of x -> A x the function y -> Aᵀ y.

    Args:
        f: A linear function of positional arguments. That it is linear is taken for granted.
        *like: Arguments of the shapes and dtypes that it takes; their values do not matter.

    Returns:
        The function from something like the result to a tuple of things like the arguments.

    >>> transpose = tf.linear_transpose(lambda x: x[:2] * 3.0, tf.zeros([3]))
    >>> [g.numpy().tolist() for g in transpose(tf.constant([1.0, 2.0]))]
    [[3.0, 6.0, 0.0]]
    """
    check_function(f, "linear_transpose")
    zeros = [structures.map_leaves(lambda x: zeros_like(convert(x)), argument) for argument in like]
    pull: Callable[[Any], Any] = vjp(f, *zeros)[1]
    return pull
