"""vmap: a function of one example becomes a function of many."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, Final

from wengert.api.function.vectorized_map import for_each_example
from wengert.core.batch import one_after_other, vectorize
from wengert.core.context import current_graph
from wengert.derivatives import structures
from wengert.derivatives.arguments import check_function, plain_int
from wengert.derivatives.reverse import grad
from wengert.inference.public_functions import made_of_function
from wengert.ops.arrays.creation import range_
from wengert.ops.arrays.joining import concat
from wengert.ops.arrays.shaping import transpose
from wengert.overrides.switches import Kinks
from wengert.values import nest
from wengert.values.convert import convert
from wengert.values.tensor import dims


@made_of_function
def vmap(
    f: Callable[..., Any], in_axes: Any = 0, out_axes: Any = 0, axis_size: int | None = None
) -> Callable[..., Any]:
    """A function over an axis of its arguments, computed for all examples at once.

    Args:
        f: The function of one example.
        in_axes: Along which axis the examples of each argument lie; None where all have the same.
            One for all arguments, or a tuple with one for each, which may be nested as the argument.
        out_axes: Where that axis is in the results, in the same way.
        axis_size: How many examples there are, where no argument says it.

    Returns:
        The function of all examples. Arguments given by name are mapped along their first axis.

    >>> w, x = tf.constant([1.0, 2.0]), tf.constant([[1.0, 1.0], [2.0, 0.0], [0.0, 3.0]])
    >>> tf.vmap(lambda w, x: tf.reduce_sum(w * x), in_axes=(None, 0))(w, x).numpy().tolist()
    [3.0, 2.0, 6.0]
    """
    check_function(f, "vmap")
    axis_size = plain_int(axis_size)

    @_named_after(f)
    def mapped(*args: Any, **kwargs: Any) -> Any:
        whole = (args, kwargs)
        axes = _axes_of_arguments(in_axes, args, kwargs)
        leaves = structures.flatten(whole)
        fulls = [
            None if a is None else _front(leaf, a) for leaf, a in zip(leaves, axes, strict=True)
        ]
        rows = [full for full in fulls if full is not None]
        returned: list[Any] = []

        def flat(*parts: Any) -> list[Any]:
            given = iter(parts)
            chosen = [x if f is None else next(given) for x, f in zip(leaves, fulls, strict=True)]
            own_args, own_kwargs = structures.pack(whole, chosen)
            returned.append(f(*own_args, **own_kwargs))
            return [None if y is None else convert(y) for y in structures.flatten(returned[-1])]

        results = for_each_example(flat, rows or _numbers(axis_size), _complaint, axis_size)
        outs = _axes_of(out_axes, returned[-1], "out_axes")
        placed = [_placed(y, a) for y, a in zip(results, outs, strict=True)]
        return structures.pack(returned[-1], placed)

    return mapped


def _named_after(f: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give a function another's name and docstring, but not its defaults, as axes are counted."""

    def named(mapped: Callable[..., Any]) -> Callable[..., Any]:
        functools.update_wrapper(mapped, f, updated=())
        del mapped.__wrapped__  # type: ignore[attr-defined]
        return mapped

    return named


def _axes_of_arguments(in_axes: Any, args: Any, kwargs: Any) -> list[int | None]:
    by_name = [0] * len(structures.flatten(kwargs))
    if isinstance(in_axes, list):
        in_axes = tuple(in_axes)
    if not isinstance(in_axes, tuple):
        return [*_axes_of(in_axes, args, "in_axes"), *by_name]
    if len(in_axes) != len(args):
        raise ValueError(
            f"in_axes of tf.vmap has {len(in_axes)} entries, and the call has {len(args)} "
            "positional arguments."
        )
    found: list[int | None] = []
    for axes, argument in zip(in_axes, args, strict=True):
        found += _axes_of(axes, argument, "in_axes")
    return [*found, *by_name]


def _axes_of(axes: Any, structure: Any, what: str) -> list[int | None]:
    """An axis for each leaf of a structure; one that stands for a part stands for all its leaves."""
    axes = plain_int(axes)
    if axes is None or isinstance(axes, int):
        return [axes] * len(structures.flatten(structure))
    if not nest.is_nested(axes) or not nest.is_nested(structure):
        raise ValueError(f"{what} of tf.vmap does not fit: {axes!r} for {structure!r}.")
    mine, parts = _parts(axes, structure), nest.parts(structure)
    if len(mine) != len(parts):
        raise ValueError(
            f"{what} of tf.vmap has {len(mine)} entries where there are {len(parts)}: {axes!r}."
        )
    found: list[int | None] = []
    for one, part in zip(mine, parts, strict=True):
        found += _axes_of(one, part, what)
    return found


def _parts(axes: Any, structure: Any) -> list[Any]:
    if isinstance(axes, dict) and isinstance(structure, dict) and set(axes) != set(structure):
        raise ValueError(f"tf.vmap: axes for {sorted(axes)}, and arguments {sorted(structure)}.")
    return nest.parts(axes)


def _front(leaf: Any, axis: int) -> Any:
    """The argument with its examples along the first axis."""
    full = convert(leaf)
    if axis == 0 and full.shape.rank is None:
        return full
    rank = len(dims(full))
    if not -rank <= axis < rank:
        raise ValueError(
            f"tf.vmap cannot map over axis {axis} of an argument of shape {list(dims(full))}. An "
            "argument that is the same for all examples has None in in_axes."
        )
    axis %= rank
    return full if axis == 0 else transpose(full, (axis, *range(axis), *range(axis + 1, rank)))


def _complaint(fulls: Sequence[Any]) -> str:
    return (
        f"tf.vmap needs arguments with equally many examples, got {[dims(full)[0] for full in fulls]}, of "
        f"shapes {[list(dims(full)) for full in fulls]} with the examples in front."
    )


def _numbers(axis_size: Any) -> list[Any]:
    """The numbers of the examples, where no argument tells how many there are."""
    if axis_size is None:
        raise ValueError(
            "tf.vmap needs an argument to map over, and in_axes is None for each: give axis_size."
        )
    return [range_(axis_size)]


def _placed(full: Any, axis: int | None) -> Any:
    """A result with its examples along the axis asked for; None: that of the first example."""
    if full is None:
        return None
    if axis is None:
        return full[0]
    if axis == 0 and full.shape.rank is None:
        return full
    rank = len(dims(full))
    if not -rank <= axis < rank:
        raise ValueError(f"out_axes of tf.vmap has {axis} for a result of rank {rank}.")
    axis %= rank
    return full if axis == 0 else transpose(full, (*range(1, axis + 1), 0, *range(axis + 1, rank)))


def per_example_gradients(
    f: Callable[..., Any],
    argnums: int = 0,
    has_aux: bool = False,
    strong_zero: bool | None = None,
    kinks: Kinks | None = None,
) -> Callable[..., Any]:
    """For each example of a batch the gradient of its loss, all of them at once.

    Args:
        f: The loss of one example: `f(parameters, *example)`, one number.
        argnums: Where the parameters are; the other arguments have the examples along their first axis.
        has_aux: Whether `f` returns a pair, whose second part is returned for each example.
        strong_zero: As in `tf.config.gradient_switches`: a cotangent of zero contributes zero.
        kinks: As in `tf.config.gradient_switches`: the derivative of relu and its kin at kinks.

    >>> loss = lambda w, x, y: (tf.reduce_sum(w * x) - y) ** 2
    >>> x, y = tf.constant([[1.0, 0.0], [0.0, 2.0]]), tf.constant([0.0, 1.0])
    >>> tf.per_example_gradients(loss)(tf.constant([1.0, 1.0]), x, y).numpy().tolist()
    [[2.0, 0.0], [0.0, 4.0]]
    """
    check_function(f, "per_example_gradients")
    gradient = grad(f, argnums, has_aux=has_aux, strong_zero=strong_zero, kinks=kinks)

    @_named_after(f)
    def gradients(*args: Any) -> Any:
        at = argnums % max(len(args), 1)
        axes = tuple(None if i == at else 0 for i in range(len(args)))
        return vmap(gradient, in_axes=axes)(*args)

    return gradients


# ---- products -----------------------------------------------------------------------------------

# With this many elements or more, a product is worth operations of its own.
_LARGE: Final = 1 << 16


def for_each(
    one: Callable[..., list[Any]], count: int, units: Sequence[Any], chunk_size: int | None = None
) -> list[Any]:
    """What a function gives for each row of some tensors, stacked: at once, in parts, or one by one."""
    size = sum(math.prod(dims(u)) for u in units) // max(count, 1)
    step = count if chunk_size is None else min(chunk_size, count)
    if count and (step == 1 or size > _LARGE):
        return one_after_other(one, units)
    graph = current_graph()
    if graph is None:
        return _in_parts(one, count, units, step)
    found: list[Any] = graph.either(  # there may be a loop of the graph inside of the batch
        lambda: _in_parts(one, count, units, step), lambda _: one_after_other(one, units)
    )
    return found


def _in_parts(
    one: Callable[..., list[Any]], count: int, units: Sequence[Any], step: int
) -> list[Any]:
    if step == count:
        return vectorize(one, count, units)
    parts = [
        vectorize(one, min(step, count - at), [u[at : at + step] for u in units])
        for at in range(0, count, step)
    ]
    return [concat(list(pieces), 0) for pieces in zip(*parts, strict=True)]
