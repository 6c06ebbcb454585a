"""All differences between eager and graph mode that matter to optimizers, in one place.

There are three modes: eager; a graph for a session, where an update is an operation and control
dependencies determine the order; and a tf.function, where changes of variables run in program
order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from wengert.api.gradients.gradient_tape import GradientTape
from wengert.api.gradients.graph_gradients import gradients as gradients_in_graph
from wengert.api.session.modes import executing_eagerly, init_scope
from wengert.api.variables import graph_variable
from wengert.api.variables.graph_variable import GraphKeys
from wengert.api.variables.variable_scope import get_variable_scope
from wengert.core.context import current_graph
from wengert.ops.arrays.creation import fill, shape
from wengert.ops.control import effects
from wengert.state.variable import Variable, around_functions
from wengert.values import nest
from wengert.values.tensor import dims

__all__ = [
    "executing_eagerly",
    "filled_like",
    "global_variables",
    "gradients",
    "group",
    "in_order",
    "in_session_graph",
    "initial_value",
    "new_variable",
    "note_average",
    "note_update",
    "scope",
    "session_graph",
    "slot_name",
    "trainable_variables",
]


def session_graph() -> Any:
    """The graph that a session will run, even from inside functions; None in eager mode."""
    return around_functions(current_graph())


def in_session_graph() -> bool:
    """Whether an update is an operation that a session has to run."""
    graph = current_graph()
    return graph is not None and not graph.is_function


# ---- gradients --------------------------------------------------------------------------------


def gradients(loss: Any, variables: Any = None, grad_loss: Any = None) -> list[tuple[Any, Any]]:
    """Pairs (gradient of the loss, variable); by default of all trainable variables."""
    if callable(loss):
        return _of_function(loss, variables, grad_loss)
    if executing_eagerly():
        raise RuntimeError(
            "`loss` passed to Optimizer.compute_gradients should be a function when eager "
            "execution is enabled. Pass a function without arguments that computes it, for "
            "example `optimizer.minimize(lambda: model(x))`, or use tf.GradientTape and "
            "`apply_gradients`."
        )
    wanted = trainable_variables() if variables is None else _checked(variables)
    if not wanted:
        raise ValueError(
            "No variables to optimize. `var_list` is empty, and so is the graph's collection of "
            "trainable variables: make them with tf.Variable(...) in the graph of the loss."
        )
    if not loss.dtype.is_floating:
        raise ValueError(
            f"Invalid type {loss.dtype!r} for {loss.name}, expected: [tf.float32, tf.float64, "
            "tf.float16, tf.bfloat16]. A loss is a number that can be made smaller step by step."
        )
    return list(zip(gradients_in_graph(loss, wanted, grad_loss), wanted, strict=True))


def _of_function(loss: Callable[[], Any], variables: Any, grad_loss: Any) -> list[tuple[Any, Any]]:
    with GradientTape() as tape:
        wanted = None if variables is None else _checked(variables)
        tape.watch([] if wanted is None else wanted)
        value = loss()
    if wanted is None:
        wanted = list(tape.watched_variables())
    return list(zip(tape.gradient(value, wanted, grad_loss), wanted, strict=True))


def _checked(variables: Any) -> list[Any]:
    if not isinstance(variables, (Variable, list, tuple)):
        variables = list(variables)
    found = [nest.itself(v) for v in nest.flatten(variables)]
    for i, variable in enumerate(found):
        if not isinstance(variable, Variable):
            raise TypeError(
                f"Argument is not a tf.Variable: element {i} of `var_list` is {variable!r}. "
                "Optimizers change variables: make it one with tf.Variable(value)."
            )
    return found


def trainable_variables() -> list[Variable]:
    """The trainable variables of the graph. In eager mode there is no list of them."""
    return _collected(GraphKeys.TRAINABLE_VARIABLES)


def global_variables() -> list[Variable]:
    """All variables of the graph, except for the local ones."""
    return _collected(GraphKeys.GLOBAL_VARIABLES)


def _collected(name: str) -> list[Variable]:
    graph = session_graph()
    return [] if graph is None else graph.get_collection(name)


# ---- variables that an optimizer creates ------------------------------------------------------


def initial_value(variable: Variable) -> Any:
    """The initial value of a variable, for another one that starts with the same value."""
    if isinstance(variable, graph_variable.GraphVariable):
        return variable.initialized_value
    with init_scope():
        return variable.read_value()


def filled_like(variable: Variable, number: Callable[[], Any]) -> Callable[[], Any]:
    """A function that returns the initial value of a slot filled with one number."""

    def initial() -> Any:
        filling = number()
        if variable.graph is None or variable.shape.is_fully_defined():
            return fill(dims(variable), filling)
        return fill(shape(initial_value(variable)()), filling)

    return initial


def slot_name(variable: Any, name: str, count: int) -> str:
    """The name of the slot that an optimizer creates for a variable, after `count` others."""
    base = f"{variable.name.partition(':')[0]}/{name}"
    return f"{base}_{count}" if count else base


def new_variable(initial: Any, name: str, beside: Any = None, count: int = 0) -> Variable:
    """A variable that is not trainable, named by itself or as a slot of another one."""
    graph = session_graph()
    if beside is None or graph is None:
        named = name if beside is None else slot_name(beside, name, count)
        return Variable(initial, trainable=False, name=named)
    prefix = get_variable_scope().name
    base = slot_name(beside, name, 0)
    with init_scope(), graph.names.scoped(None):
        # The graph appends a number if the name is taken.
        full = f"{prefix}/{base}" if prefix else base
        return Variable(initial, trainable=False, name=full)


# ---- order ------------------------------------------------------------------------------------


def scope(name: str) -> AbstractContextManager[str]:
    """The name scope of an update; it yields the name for the operation that groups it."""
    graph = current_graph()
    return nullcontext(name) if graph is None else graph.names.scoped(name)


def group(updates: Iterable[Any], name: str | None = None) -> Any:
    """One operation that runs all of these; None in eager mode, where they have run already.

    Updates are results of assignments and of `group`, possibly in nested lists.
    """
    if executing_eagerly():
        return None
    return effects.group(*_operations(updates), name=name)


def note_update(update: Any) -> None:
    """Add a training operation to its graph's collection."""
    if in_session_graph():
        current_graph().add_to_collection(GraphKeys.TRAIN_OP, update)


def note_average(variable: Variable) -> None:
    """Add a variable that has an average to its graph's collection."""
    graph = session_graph()
    known = [] if graph is None else graph.get_collection_ref(GraphKeys.MOVING_AVERAGE_VARIABLES)
    if not any(variable is v for v in known):
        known.append(variable)


def in_order(before: Iterable[Any], make: Callable[[], Any]) -> Any:
    """The result of `make`, whose operations run after the updates `before`."""
    if not in_session_graph():
        return make()
    with current_graph().control_dependencies(_operations(before)):
        return make()


def _operations(updates: Iterable[Any]) -> Sequence[Any]:
    """The operations of updates. In a function assignments return variables, and run in order."""
    found = nest.flatten(list(updates))
    return [u for u in found if u is not None and not (isinstance(u, Variable) and u.graph is None)]
