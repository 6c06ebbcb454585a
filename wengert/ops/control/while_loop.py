"""tf.while_loop."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from wengert.core.batch import Batcher
from wengert.core.context import current_graph, thread
from wengert.core.layer import beneath_layers
from wengert.errors import LeakedTensorError, SymbolicValueError
from wengert.graph.function_graph import FunctionGraph
from wengert.graph.tracing import as_output, body_graph, tracing
from wengert.inference.public_functions import typed
from wengert.ops.arrays.identity import identity, stop_gradient
from wengert.ops.control.known_sizes import loop_counted
from wengert.ops.control.tensor_array import TensorArray
from wengert.ops.control.while_op import Loop, check_shapes, kept_where, loop_condition
from wengert.ops.math.comparison import less, logical_and
from wengert.ops.reductions.reductions import reduce_any
from wengert.state.variable import Variable
from wengert.values import nest
from wengert.values.composite import Composite
from wengert.values.convert import convert
from wengert.values.dtypes import bool_, int32
from wengert.values.shapes import TensorShape
from wengert.values.type_spec import TypeSpec

if TYPE_CHECKING:
    from wengert.values.typing import IntLike, Structure


@typed
def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    shape_invariants: Structure = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    maximum_iterations: IntLike | None = None,
    name: str | None = None,
) -> Any:
    """Run `body` as long as `cond` holds; both are called with the loop variables.

    >>> tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 2.0), (0, 1.0))[1].numpy()
    np.float32(8.0)
    """
    if not callable(cond):
        raise TypeError("'cond' must be callable.")
    if not callable(body):
        raise TypeError("'body' must be callable.")
    if parallel_iterations < 1:
        raise TypeError("'parallel_iterations' must be a positive integer.")
    if isinstance(loop_vars, (list, tuple)) and not loop_vars:
        raise ValueError("'loop_vars' must be provided.")
    variables = _Variables(loop_vars)
    batcher = beneath_layers(thread.context.interpreter)
    if isinstance(batcher, Batcher) and batcher.outer is not None and batcher.outer.building:
        return _of_batches(batcher, cond, body, variables, maximum_iterations)
    if current_graph() is None:
        return _in_python(cond, body, variables, maximum_iterations)
    with current_graph().names.scoped(name or "while") as scope:
        results, loop = _in_graph(
            cond, body, variables, shape_invariants, maximum_iterations, scope
        )
        loop.parallel_iterations = parallel_iterations
        return followed(results, back_prop)


def followed(result: Any, back_prop: bool) -> Any:
    """A result, of which graphs need no gradient if none is to be taken; eager mode has them always."""
    if back_prop or current_graph() is None:
        return result
    return nest.map_structure(stop_gradient, result)


class _Variables:
    """The loop variables: how they are passed to functions and returned."""

    def __init__(self, loop_vars: Any) -> None:
        self.given = loop_vars
        self.initial = nest.map_structure(_as_tensor, loop_vars)
        self._alone = not isinstance(loop_vars, (list, tuple))

    def arguments(self, values: Any) -> Sequence[Any]:
        return [values] if self._alone else list(values)

    def returned(self, values: Any) -> Any:
        """What a body returned, in the structure of the variables."""
        return nest.pack_sequence_as(self.initial, nest.flatten(self.checked(values)))

    def checked(self, values: Any, in_parts: bool = True) -> Any:
        """What a body returned, in a structure of its own, if that is like the structure of the variables.

        With `in_parts` what is made of tensors has to be made of the same ones.
        """
        one = isinstance(self.initial, (list, tuple)) and len(self.initial) == 1
        if one and (not isinstance(values, (list, tuple)) or len(values) != 1):
            values = [values]
        try:
            nest.assert_same_structure(
                self.initial, values, check_types=False, expand_composites=in_parts
            )
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"The body of tf.while_loop must return what it is given: {error}"
            ) from None
        return values


def _as_tensor(value: Any) -> Any:
    if isinstance(value, Composite):
        return value
    if isinstance(value, Variable):
        return value.read_value()
    return convert(value)


def _in_python(
    cond: Callable[..., Any], body: Callable[..., Any], variables: _Variables, maximum: Any
) -> Any:
    values = variables.given  # a Python number takes the dtype of what it meets, as in TensorFlow
    runs = 0
    while maximum is None or runs < int(maximum):
        found = cond(*variables.arguments(values))
        goes_on, mask = (
            (bool(found), None)
            if isinstance(found, (bool, int))
            else loop_condition(convert(found, hint=bool_))
        )
        if not goes_on:
            break
        # A parameter of a library may be the first value, and tensors the next ones.
        returned = variables.checked(body(*variables.arguments(values)), in_parts=False)
        before, values = values, returned
        if mask is not None:
            kept, new = (nest.flatten(nest.map_structure(_as_tensor, v)) for v in (before, values))
            values = nest.pack_sequence_as(values, kept_where(mask, new, kept))
        runs += 1
    return nest.map_structure(_copy, nest.map_structure(_as_tensor, values))


def _copy(value: Any) -> Any:
    if isinstance(value, TensorArray):
        return value
    return nest.with_tensors(value, [identity(part) for part in nest.tensors_of(value)])


def _of_batches(
    batcher: Batcher,
    cond: Callable[..., Any],
    body: Callable[..., Any],
    variables: _Variables,
    maximum: Any,
) -> Any:
    """The loop of a vectorized function in a graph: over whole batches, until all are done.

    Where that is impossible, it raises, and the caller runs one example after the other.
    """
    arrays = any(isinstance(v, TensorArray) for v in nest.flatten(variables.initial))
    if thread.context.recorders or arrays:
        raise SymbolicValueError(
            "In a graph a loop inside of a vectorized function is neither differentiated inside "
            "of it nor given a tf.TensorArray: it is done for one example after the other."
        )
    try:
        return _batched_loop(batcher, cond, body, variables, maximum)
    except LeakedTensorError as error:
        raise SymbolicValueError(str(error)) from error


def _batched_loop(
    batcher: Batcher,
    cond: Callable[..., Any],
    body: Callable[..., Any],
    variables: _Variables,
    maximum: Any,
) -> Any:

    def arranged(fulls: Sequence[Any]) -> Any:
        values = [batcher.lift(full) for full in fulls]
        return nest.pack_sequence_as(variables.initial, values)

    def goes_on(*fulls: Any) -> Any:
        with batcher.inside():
            return batcher.full(convert(cond(*variables.arguments(arranged(fulls))), hint=bool_))

    def step(*fulls: Any) -> list[Any]:
        mask = goes_on(*fulls)
        with batcher.inside():
            before = arranged(fulls)
            after = variables.returned(body(*variables.arguments(before)))
            kept = kept_where(
                batcher.lift(mask), [convert(v) for v in nest.flatten(after)], nest.flatten(before)
            )
            return [batcher.full(v) for v in kept]

    fulls = [batcher.full(v) for v in nest.flatten(variables.initial)]
    with batcher.outside():
        found = while_loop(
            lambda *fulls: reduce_any(goes_on(*fulls)), step, fulls, maximum_iterations=maximum
        )
    return arranged(found)


# ---- in a graph -------------------------------------------------------------------------------


def _in_graph(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    variables: _Variables,
    invariants: Structure,
    maximum: Any,
    scope: str,
) -> tuple[Any, Loop]:
    outer = current_graph()
    if maximum is not None and convert(maximum).shape.rank:
        shape = convert(maximum).shape
        raise ValueError(f"'maximum_iterations' must be a scalar. Received shape: {shape}")
    initial = [outer.entered(x) for x in nest.tensors_of(variables.initial)]
    counter = [] if maximum is None else [outer.entered(convert(0)), outer.entered(convert(maximum, int32))]  # fmt: skip
    shapes = _shapes(variables.initial, initial, invariants)

    condition = body_graph("while_cond", outer, scope)
    inputs = _inputs(condition, counter, initial, shapes)
    with tracing(condition):
        values = nest.with_tensors(variables.initial, inputs[len(counter) :])
        go = convert(cond(*variables.arguments(values)))
        if counter:
            go = logical_and(less(inputs[0], inputs[1]), go)
        condition.outputs = [condition.entered(go)]

    graph = body_graph("while_body", outer, scope)
    carried = _inputs(graph, counter, initial, shapes)
    with tracing(graph):
        values = nest.with_tensors(variables.initial, carried[len(counter) :])
        returned = variables.returned(body(*variables.arguments(values)))
        found = [as_output(graph, leaf) for leaf in nest.tensors_of(returned)]
        if counter:
            found = [graph.entered(carried[0] + 1), carried[1], *found]
    _note_shapes(variables.initial, returned)
    names = [x.name for x in (*counter, *initial)]
    check_shapes(carried, found, names)
    loop = Loop(graph, carried, found, condition)
    loop = loop_counted(loop, [*counter, *initial, *loop.constants])
    results = loop.added([*counter, *initial], [], name=scope)
    found = results[len(counter) : len(counter) + len(initial)]
    return nest.with_tensors(variables.initial, found), loop


def _inputs(
    graph: FunctionGraph, counter: Sequence[Any], initial: Sequence[Any], shapes: Sequence[Any]
) -> list[Any]:
    made = [graph.input((), x._array.dtype, "counter") for x in counter]
    for x, shape in zip(initial, shapes, strict=True):
        known = None if shape.rank is None else list(shape)
        made.append(graph.input(known, x._array.dtype, "loop_var"))
    return made


def _shapes(
    structure: Structure, initial: Sequence[Any], invariants: Structure
) -> list[TensorShape]:
    if invariants is None:
        return _own_shapes(structure, initial)
    given = _flat_invariants(structure, invariants)
    if len(given) != len(initial):
        raise ValueError(
            f"shape_invariants has {len(given)} shapes for {len(initial)} loop variables."
        )
    return [_entering(x, said) for x, said in zip(initial, given, strict=True)]


def _entering(x: Any, said: TensorShape) -> TensorShape:
    """The shape of a variable in the loop. One that enters in another than was said may have any, as in TensorFlow 2."""
    if said.is_compatible_with(x.shape):
        return said
    if not said.is_fully_defined():  # what is said is meant for later turns
        return TensorShape(None)
    raise ValueError(
        f"The shape invariant specified for {x.op.name} is not compatible with the initial "
        f"shape of the loop variable. It enters the loop with shape {x.shape}, but the "
        f"specified shape invariant is {said}."
    )


def _own_shapes(structure: Structure, initial: Sequence[Any]) -> list[TensorShape]:
    """The shapes with which the variables enter; of composite values as their specs say."""
    rest = iter(initial)
    found: list[TensorShape] = []
    for leaf in nest.flatten(structure):
        own = [next(rest) for _ in nest.tensors_of(leaf)]
        tensors = leaf._type_spec._parts() if nest.is_composite(leaf) else own
        found += [x.shape for x in tensors]
    return found


def _flat_invariants(structure: Any, invariants: Any) -> list[TensorShape]:
    """The shapes of all tensors, in the order of the leaves."""
    said = said_of_leaves(structure, invariants)
    return [shape for leaf, invariant in said for shape in _invariants_of(leaf, invariant)]


def said_of_leaves(structure: Any, invariants: Any) -> Iterator[tuple[Any, Any]]:
    """The leaves, each with its invariant. A shape may itself look like a structure."""
    if not nest.is_nested(structure):
        yield structure, invariants
        return
    parts = nest.parts(invariants) if isinstance(invariants, Mapping) else invariants
    for part, invariant in zip(nest.parts(structure), parts, strict=True):
        yield from said_of_leaves(part, invariant)


def _invariants_of(leaf: Any, invariant: Any) -> list[TensorShape]:
    """The shapes of the tensors of which a leaf consists."""
    if isinstance(invariant, TypeSpec):
        return [part.shape for part in invariant._parts()]
    if nest.is_composite(leaf):
        spec = leaf._shape_invariant_to_type_spec(TensorShape(invariant))
        return [part.shape for part in spec._parts()]
    if isinstance(leaf, Composite):
        return [TensorShape(())]
    return [TensorShape(invariant)]


def _note_shapes(before: Any, after: Any) -> None:
    """Copy what the body learned of the shape of a TensorArray's elements to the array outside."""
    for a, b in zip(nest.flatten(before), nest.flatten(after), strict=True):
        if isinstance(a, TensorArray) and isinstance(b, TensorArray):
            a._element_shape = b._element_shape
            a._count = a._count if not a._dynamic else None
