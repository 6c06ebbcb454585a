"""tf.gradients: symbolic differentiation of tensors in a graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from wengert.api.gradients.answers import answers
from wengert.api.gradients.complaints import complain_of_dtype, complain_of_shapes
from wengert.api.gradients.unconnected import (
    UnconnectedGradients,
    as_policy,
    fill_unconnected,
    gradient_by_itself,
)
from wengert.core.context import activate, apply_overrides, current_graph, thread
from wengert.core.contract import as_list, same_shape
from wengert.core.reverse import conjugate
from wengert.execution.replay import replay_between
from wengert.graph.graph import Graph
from wengert.graph.graph_reverse import operations_between, pull_back_through_graph
from wengert.host.locks import load_module
from wengert.ops.arrays.creation import range_, shape
from wengert.ops.arrays.creation import size as size_of
from wengert.ops.arrays.joining import concat, stack
from wengert.ops.arrays.shaping import reshape
from wengert.ops.math.elementwise import ones_like
from wengert.overrides.anomaly import sound_start
from wengert.overrides.switches import (
    IntSources,
    Kinks,
    OnNonscalar,
    Switches,
    switches_in_force,
    with_switches,
)
from wengert.state.variable import Variable
from wengert.values import nest
from wengert.values.bound_ops import bound
from wengert.values.convert import convert
from wengert.values.indexed_slices import IndexedSlices
from wengert.values.symbolic import SymbolicTensor, is_certain
from wengert.values.tensor import dims
from wengert.values.value import Value

if TYPE_CHECKING:
    from wengert.values.tensor import Tensor
    from wengert.values.typing import Nested, TensorLike, Tensors


class AggregationMethod:
    """How gradients of the same tensor are summed. There is one way; all names are accepted."""

    ADD_N = 0
    DEFAULT = ADD_N
    EXPERIMENTAL_TREE = 1
    EXPERIMENTAL_ACCUMULATE_N = 2


def gradients(
    ys: Nested[TensorLike],
    xs: Nested[TensorLike],
    grad_ys: Nested[TensorLike | None] = None,
    name: str = "gradients",
    gate_gradients: object = False,
    aggregation_method: object = None,
    stop_gradients: Tensors | None = None,
    unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
    overrides: Any = None,
    *,
    strong_zero: bool | None = None,
    on_nonscalar: OnNonscalar | None = None,
    kinks: Kinks | None = None,
    int_sources: IntSources | None = None,
    colocated: bool = False,
) -> list[Any]:
    """The gradients of the sum of `ys` with respect to each of `xs`, as tensors of the graph.

    `overrides` gives operations other rules for this one gradient, by type, name, name scope or
    predicate. See `tf.gradient_override_map`. The next four choose other conventions than
    TensorFlow's: see `tf.config.gradient_switches`. `colocated` notes of each operation of the
    gradient that it belongs with the one that it is for.

    >>> with tf.Graph().as_default():
    ...     x = tf.constant(3.0)
    ...     (g,) = tf.gradients(x * x, x)
    ...     print(tf.compat.v1.Session().run(g))
    6.0
    """
    policy = as_policy(unconnected_gradients)
    if aggregation_method not in (None, 0, 1, 2):
        raise ValueError(f"Invalid aggregation_method specified {aggregation_method}.")
    switches = switches_in_force(strong_zero, on_nonscalar, kinks, int_sources)
    targets, given = as_list(ys), as_list(xs)
    sources = nest.differentiated(given)
    graph = graph_of([*targets, *sources])
    with activate(thread.context.recorders, graph), graph.names.scoped(name):
        elements = [element_of(graph, y) for y in targets]
        sources = [source_of(graph, x) for x in sources]
        stopped = [
            source_of(graph, x) for x in as_list([] if stop_gradients is None else stop_gradients)
        ]
        seeds = _seeds(elements, grad_ys)
        if switches.anomaly and grad_ys is not None:
            seeds = [sound_start(s, f"grad_ys[{i}]") for i, s in enumerate(seeds)]
        weights = None if grad_ys is None else as_list(grad_ys)
        complain_of_shapes(elements, weights, "grad_ys", switches)
        if switches.int_sources is not None:  # TensorFlow says nothing here
            _complain_of_dtypes(elements, sources, switches)
        rules = with_switches(overrides, switches)
        with apply_overrides(rules), graph.noting_gradients(colocated):
            pulled = _pulled(elements, seeds, sources, stopped)
        found = [fill_unconnected(g, x, policy) for g, x in zip(pulled, sources, strict=True)]
    if answers.always:
        answers.met.in_graph(ys, sources, found, rules)
    result: list[Any] = nest.with_gradients(given, found)
    return result


def _pulled(
    ys: Sequence[Any], seeds: Sequence[Any], xs: Sequence[Any], stopped: Sequence[Any]
) -> list[Any]:
    """The gradients, in TensorFlow's convention; integers have none but by themselves."""
    aims = [(y, s) for y, s in zip(ys, seeds, strict=True) if y.dtype.is_differentiable]
    asked = [x for x in xs if x.dtype.is_differentiable]
    pulled = pull_back_through_graph(
        [y for y, _ in aims], [s for _, s in aims], asked, stopped, outward=True
    )
    found = iter(pulled)
    origins = [_variable_behind(y) for y in ys]
    return [
        conjugate(next(found))
        if x.dtype.is_differentiable
        else gradient_by_itself(x, origins, seeds)
        for x in xs
    ]


def _variable_behind(y: Any) -> Any:
    """The variable of which a tensor is the value; else the tensor itself."""
    return y.op.inputs[0] if y.op.row.name == "ReadVariableOp" else y


def _complain_of_dtypes(targets: Sequence[Any], sources: Sequence[Any], switches: Switches) -> None:
    for what, values in (("target", targets), ("source", sources)):
        for value in values:
            if not value.dtype.is_differentiable:
                complain_of_dtype(f"{what} tensor", value, "tf.gradients", switches)


def hessians(
    ys: Tensors,
    xs: Tensors,
    gate_gradients: bool = False,
    aggregation_method: object = None,
    name: str = "hessians",
) -> list[Any]:
    """The Hessians of the sum of `ys`: for each x a tensor of shape x.shape + x.shape.

    >>> with tf.Graph().as_default():
    ...     x = tf.constant([1.0, 2.0])
    ...     (h,) = tf.hessians(tf.reduce_sum(x ** 3), x)
    ...     print(tf.compat.v1.Session().run(h).tolist())
    [[6.0, 0.0], [0.0, 12.0]]
    """
    sources = as_list(xs)
    graph = graph_of([*as_list(ys), *sources])
    with activate(thread.context.recorders, graph), graph.names.scoped(name):
        return [_hessian(g, x) for g, x in zip(gradients(ys, sources), sources, strict=True)]


def _hessian(gradient: Tensor | None, x: Tensor) -> Tensor:
    """The derivatives of each element of a gradient, by the tensor that it is for."""
    if gradient is None:
        raise ValueError(f"The target of tf.hessians does not depend on {x!r}.")
    rows = gradients_of_each(reshape(bound.to_dense(gradient), (-1,)), x)
    if is_certain(dims(x)):
        return reshape(rows, (*dims(x), *dims(x)))
    return reshape(rows, concat([shape(x), shape(x)], 0))


def gradients_of_each(ys: Any, x: Any) -> Tensor:
    """The gradient of each element of a vector with respect to a tensor of its graph, stacked."""
    if is_certain(dims(ys)):
        (size,) = dims(ys)
        return stack([gradients(ys[i], x, unconnected_gradients="zero")[0] for i in range(size)])
    between = operations_between([ys], {x._key}, set())

    def row(i: Tensor) -> Tensor:
        # A loop's body is a graph of its own: what leads to the element is built again inside.
        inside = current_graph().entered(x)
        element = replay_between(between, {id(x): inside}, ys)[i]
        result: Tensor = gradients(element, inside, unconnected_gradients="zero")[0]
        return result

    map_fn = load_module("wengert.ops.control.map").map_fn
    result: Tensor = map_fn(row, range_(size_of(ys)), fn_output_signature=x.dtype)
    return result


def graph_of(values: Sequence[Any]) -> Graph:
    """The graph in which a gradient is taken: that of the values, or the one being built."""
    graphs = [v.graph for v in values if isinstance(v, SymbolicTensor)]
    graphs += [v.graph for v in values if isinstance(v, Variable) and v.graph is not None]
    active = current_graph()
    if active is None and not graphs:
        raise RuntimeError(
            "tf.gradients is not supported when eager execution is enabled. "
            "Use tf.GradientTape instead."
        )
    if active is not None and active.is_function:
        return active  # type: ignore[no-any-return]
    return graphs[0] if graphs else active  # type: ignore[no-any-return]


def element_of(graph: Graph, y: Tensor) -> SymbolicTensor:
    """A target as a tensor of the graph."""
    if isinstance(y, IndexedSlices):
        y = y.values
    return graph.entered(convert(y))


def source_of(graph: Graph, x: TensorLike) -> Tensor:
    """What a gradient is asked for: a tensor, or a variable by its handle.

    A tensor made of a number now has no connection with the targets: the gradient is None, as in TensorFlow.
    """
    if isinstance(x, IndexedSlices):
        x = x.values
    return graph.entered(x if isinstance(x, Value) else convert(x))


def _seeds(ys: Sequence[Any], given: Nested[TensorLike | None]) -> list[Any]:
    if given is None:
        return [_ones(y, i) for i, y in enumerate(ys)]
    listed = as_list(given)
    if len(listed) != len(ys):
        raise ValueError(
            f"Length mismatch. Received {len(listed)} grad_ys for {len(ys)} ys: give one for "
            "each, None where it is all ones."
        )
    return [_seed(y, g, i) for i, (y, g) in enumerate(zip(ys, listed, strict=True))]


def _ones(y: Tensor, index: int) -> Tensor:
    if y.dtype.is_complex:
        raise TypeError(
            f"Gradients of complex tensors ({y!r}) must set grad_ys (y.dtype = {y.dtype.name})"
        )
    return ones_like(y, name=f"grad_ys_{index}")


def _above_one(x: Any) -> tuple[Any, ...]:
    return tuple([size for size in dims(x) if size != 1])


def _seed(y: Any, given: Any, index: int) -> Tensor:
    if given is None:
        return _ones(y, index)
    rows = isinstance(given, IndexedSlices) and given._dense_shape is None
    as_given = rows and y.op.row.passes_slices  # it goes on, of whatever shape the whole is
    seed = given if as_given else convert(bound.to_dense(given), hint=y.dtype)
    if seed.dtype is not y.dtype:
        raise TypeError(
            f"Gradient type {seed.dtype.name} generated for real or integer-valued tensor {y!r} "
            f"with type {y.dtype.name} must have the same type."
        )
    if not as_given and not same_shape(dims(seed), dims(y)):
        if not same_shape(_above_one(seed), _above_one(y)):
            raise ValueError(
                f"grad_ys[{index}] has shape {seed.shape}, but the target {y!r} has shape {y.shape}."
            )
        seed = reshape(seed, shape(y))  # a list of one gradient, for the gradient itself
    result: Tensor = conjugate(seed)
    return result
