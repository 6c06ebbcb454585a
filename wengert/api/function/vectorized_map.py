"""tf.vectorized_map: a function of single examples, computed for a whole batch at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from wengert.core.batch import one_after_other, vectorize
from wengert.core.context import current_graph, thread
from wengert.core.dispatch import apply
from wengert.core.row import EachInput, Row
from wengert.core.tape import WIDTH, Tape
from wengert.errors import SymbolicValueError
from wengert.ops.arrays.creation import shape
from wengert.ops.arrays.identity import IDENTITY_N
from wengert.ops.arrays.joining import concat, stack
from wengert.ops.arrays.shaping import broadcast_to, reshape
from wengert.ops.control.elements import batched_parts, one_of, whole_of
from wengert.ops.control.map import map_fn
from wengert.ops.math.comparison import equal
from wengert.ops.reductions.reductions import reduce_max
from wengert.ops.support.batch_rules import batch_all
from wengert.values import nest
from wengert.values.bound_ops import bound
from wengert.values.convert import convert
from wengert.values.indexed_slices import IndexedSlices
from wengert.values.sizes import key_of
from wengert.values.tensor import dims

if TYPE_CHECKING:
    from wengert.values.tensor import Tensor


def vectorized_map(
    fn: Callable[[Any], Any],
    elems: Any,
    fallback_to_while_loop: bool = True,
    warn: bool = True,
) -> Any:
    """`fn` applied to each slice along the first axis, computed for all slices at once.

    An element with one slice gives it to each call. None among the results stays None.

    >>> x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    >>> tf.vectorized_map(lambda row: tf.reduce_sum(row * row), x).numpy().tolist()
    [5.0, 25.0]
    """
    returned: list[Any] = []
    values = [e if nest.is_composite(e) else convert(e) for e in nest.flatten(elems)]

    def flat(*rows: Tensor) -> list[Any]:
        varying = iter(rows)
        given = iter([next(varying) if one is None else one for one in shared])
        ones = [one_of(v, given) for v in values]
        returned.append(nest.map_structure(_result, fn(nest.pack_sequence_as(elems, ones))))
        made = [r for r in nest.flatten(returned[-1]) if r is not None]
        return [part for r in made for part in batched_parts(r)]

    fulls = [part for v in values for part in batched_parts(v)]
    shared = _shared(fulls)
    mapped = [full for full, one in zip(fulls, shared, strict=True) if one is None]
    found = _as_one_call(lambda: for_each_example(flat, _broadcast(mapped), _complaint), fulls)
    results = iter(found)
    return nest.map_structure(
        lambda one: None if one is None else whole_of(one, results), returned[-1]
    )


def _result(value: Any) -> Any:
    is_whole = nest.is_composite(value) and not isinstance(value, IndexedSlices)
    return value if value is None or is_whole else convert(value)


def _known_size(full: Tensor) -> int | None:
    """The size of the first axis, if it is known."""
    return full.shape[0] if full.shape.rank else None


def _shared(fulls: Sequence[Any]) -> list[Any]:
    """The one slice of each tensor that has one only, for all calls; None for the others, and if there are none."""
    is_one = [_known_size(full) == 1 for full in fulls]
    if all(is_one):
        return [None] * len(fulls)
    return [full[0] if one else None for full, one in zip(fulls, is_one, strict=True)]


def _broadcast(fulls: Sequence[Any]) -> Sequence[Any]:
    """Tensors with as many slices each, of which a run may find that some have one only."""
    known = [n for n in map(_known_size, fulls) if n is not None]
    if len(known) == len(fulls) or _same_size(fulls):
        return fulls
    most = known[0] if known else reduce_max(stack([shape(full)[0] for full in fulls]))
    return [broadcast_to(full, _with_first(most, full)) for full in fulls]


def _with_first(size: Any, full: Tensor) -> Any:
    """The shape with another first size; of a tensor of unknown rank a run knows it."""
    if full.shape.rank is None:
        return concat([[size], shape(full)[1:]], 0)
    return [size, *dims(full)[1:]]


def _same_size(fulls: Sequence[Any]) -> bool:
    """Whether it is known that they have as many slices each."""
    ranked = all(full.shape.rank is not None for full in fulls)
    return len(fulls) == 1 or (ranked and len({key_of(d[0]) for d in map(dims, fulls) if d}) <= 1)


# ---- one call -----------------------------------------------------------------------------------


def _as_one_call(computed: Callable[[], list[Any]], inputs: Sequence[Any]) -> list[Any]:
    """The results of a function, with the gradients that they have in TensorFlow, which traces and calls it.

    If one result has a cotangent, the others have one of zeros. And the gradient of a call is computed from what
    the call has handed out for it: its own gradient is zero at least.
    """
    context = thread.context
    if not context.recorders or context.interpreter is not None:
        return computed()
    tapes = [(r, len(r.records)) for r in context.recorders if isinstance(r, Tape)]
    results = computed()
    rows = {row for tape, before in tapes for row in tape.records[before::WIDTH]}
    hands_out = len(context.recorders) > 1 and any(row.saves_x or row.saves_y for row in rows)
    linked = [x for x in inputs if hands_out and x.dtype.is_differentiable]
    at = [i for i, y in enumerate(results) if y is not None and y.dtype.is_differentiable]
    if linked or len(at) > 1:
        made = apply(_CALLED[len(at)], [*[results[i] for i in at], *linked])
        for i, y in zip(at, made, strict=False):
            results[i] = y
    return results


def _link(g: Any, inputs: Sequence[Any]) -> Any:
    """A gradient that was computed from what a call of these inputs handed out."""
    return g if g is None or not inputs else apply(_LINKED, [g, *inputs])


# A tensor, and inputs of the call that it comes of, by which its gradient is zero.
_LINKED: Final[Row] = Row(
    "Linked",
    lambda _, g, *inputs: g,
    vjp=EachInput(lambda i, gg, y, *xs: gg if i == 0 else _link(bound.zeros_like(xs[i]), xs[1:])),
    jvp=EachInput(lambda i, t, y, *xs: t if i == 0 else bound.zeros_like(y)),
    shape=lambda g, *inputs: g,
    dtype=lambda g, *inputs: g,
    batch=lambda batched, n, xs, attrs: apply(_LINKED, batch_all(batched, n, xs)),
)


class _Called(dict[int, Row]):
    """For a number of results: what is made of them, and of the inputs of the call."""

    def __missing__(self, count: int) -> Row:
        self[count] = IDENTITY_N.replace(
            vjp=EachInput(lambda i, gs, ys, *xs: _link(gs[i], xs[count:]) if i < count else None),
            joint_jvp=lambda ts, ys, xs, attrs: list(ts),
            saves="x",
            batch=None,
        )
        return self[count]


_CALLED: Final = _Called()


def _complaint(fulls: Sequence[Any]) -> str:
    return (
        "vectorized_map needs arguments with the same first dimension, got the shapes "
        f"{[list(dims(f)) for f in fulls]}."
    )


def for_each_example(
    function: Callable[..., list[Any]],
    fulls: Sequence[Any],
    complaint: Callable[[Sequence[Any]], str],
    size: Any = None,
) -> list[Any]:
    """What a function of flat rows gives for each, stacked: at once, or in the loop of a graph.

    Args:
        function: From a row of each tensor to a list of tensors; None stays None.
        fulls: Tensors with the examples in front.
        complaint: The message of the error if there are not as many in each.
        size: How many there are, where that is said.
    """

    def at_once() -> list[Any]:
        count = _common_size(fulls, complaint, size)
        return vectorize(function, count, [_with_size(f, count, complaint(fulls)) for f in fulls])

    graph = current_graph()
    if graph is None:
        try:
            return at_once()
        except SymbolicValueError:
            return (
                one_after_other(function, fulls) if dims(fulls[0])[0] else _of_none(function, fulls)
            )
    found: list[Any] = graph.either(at_once, lambda _: _in_a_loop(function, fulls))
    return found


def _of_none(function: Callable[..., list[Any]], fulls: Sequence[Any]) -> list[Any]:
    """The results for no examples, which are like that of one of zeros."""
    found = function(*[bound.blank(full, dims(full)[1:]) for full in fulls])
    return [None if y is None else bound.blank(y, (0, *dims(y))) for y in found]


def _common_size(fulls: Sequence[Any], complaint: Callable[[Sequence[Any]], str], size: Any) -> Any:
    """How many examples there are; only a run knows whether sizes that differ are one."""
    if not all(map(dims, fulls)):
        raise ValueError(complaint(fulls))
    sizes = {key_of(n): n for n in (*[dims(f)[0] for f in fulls], size) if n is not None}
    known = [n for n in sizes.values() if type(n) is int]
    if len(known) > 1 or not sizes:
        raise ValueError(complaint(fulls))
    return known[0] if known else next(iter(sizes.values()))


def _with_size(full: Tensor, size: Any, message: str) -> Tensor:
    """A tensor of so many examples, which a run checks where it is not known."""
    if key_of(dims(full)[0]) == key_of(size):
        return full
    bound.provided(None, equal(shape(full)[0], size), message)
    return reshape(full, (size, *dims(full)[1:]))


def _in_a_loop(function: Callable[..., list[Any]], fulls: Sequence[Any]) -> list[Any]:
    """In the loop of a graph, where rules for all examples at once would need sizes."""
    with current_graph().looked_at():
        ones = function(*map(_example, fulls))
        kinds = [None if one is None else one.dtype for one in ones]

    def given(rows: Sequence[Any]) -> list[Any]:
        return [one for one in function(*rows) if one is not None]

    wanted = [kind for kind in kinds if kind is not None]
    found = iter(map_fn(given, list(fulls), fn_output_signature=wanted))
    return [None if kind is None else next(found) for kind in kinds]


def _example(full: Tensor) -> Tensor:
    """One that shows shape and dtype, also where it is known that there is none."""
    is_empty = full.shape.rank is not None and full.shape[0] == 0
    one: Tensor = bound.blank(full, dims(full)[1:]) if is_empty else full[0]
    return one
