"""tf.compat.v1.wrap_function: code of version 1 as a function of version 2, with its variables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from wengert.api.function.function import ConcreteFunction, Function
from wengert.execution.plan import Plan
from wengert.execution.replay import replay_part
from wengert.graph.operation import Operation
from wengert.state.creators import variable_creator_scope
from wengert.values import nest
from wengert.values.type_spec import TensorSpec


class UnliftableError(Exception):
    """What is fetched depends on a placeholder that is not fed."""


class _Held:
    """The variables that a function makes: the same ones, however often it is traced."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self.variables: list[Any] = []

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        made = iter(list(self.variables))

        def held(next_creator: Callable[..., Any], **given: Any) -> Any:
            found = next(made, None)
            if found is None:
                found = next_creator(**given)
                self.variables.append(found)
            return found

        with variable_creator_scope(held):
            return self._function(*args, **kwargs)


class WrappedFunction:
    """A graph as a function; `prune` makes functions of its parts."""

    def __init__(self, concrete: ConcreteFunction, variables: Sequence[Any] = ()) -> None:
        self._concrete = concrete
        self._variables = list(variables)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the graph."""
        return self._concrete(*args, **kwargs)

    @property
    def graph(self) -> Any:
        """The graph."""
        return self._concrete.graph

    @property
    def inputs(self) -> list[Any]:
        """The placeholders: of the arguments, then of what was captured."""
        return self._concrete.inputs

    @property
    def outputs(self) -> list[Any]:
        """The tensors of the results."""
        return self._concrete.outputs

    @property
    def variables(self) -> list[Any]:
        """The variables that the function made, or uses."""
        return self._variables or list(self._concrete.variables)

    @property
    def trainable_variables(self) -> list[Any]:
        """Those of them that are trained."""
        return [v for v in self.variables if v.trainable]

    @property
    def captured_inputs(self) -> list[Any]:
        """What was captured."""
        return self._concrete.captured_inputs

    @property
    def structured_input_signature(self) -> Any:
        """The arguments, with a spec in place of each tensor."""
        return self._concrete.structured_input_signature

    @property
    def structured_outputs(self) -> Any:
        """The results, with the graph's tensors in their places."""
        return self._concrete.structured_outputs

    def prune(
        self, feeds: Any, fetches: Any, name: str | None = None, input_signature: Any = None
    ) -> WrappedFunction:
        """A function of some tensors of the graph (`feeds`, or their names), which gives others.

        >>> whole = tf.compat.v1.wrap_function(
        ...     lambda x: tf.square(x, name="square") + 1.0, [tf.TensorSpec([], tf.float32)]
        ... )
        >>> whole.prune("square:0", whole.outputs[0])(tf.constant(5.0)).numpy()
        np.float32(6.0)
        """
        given = [self._element(x) for x in nest.flatten(feeds)]
        wanted = [self._element(x) for x in nest.flatten(fetches)]
        operations = [x for x in wanted if isinstance(x, Operation)]
        tensors = [x for x in wanted if not isinstance(x, Operation)]
        fed = {id(x) for x in given}
        captured = [
            (placeholder, value)
            for placeholder, value in zip(
                self._captured_placeholders(), self.graph.captured, strict=True
            )
            if id(placeholder) not in fed
        ]
        all_fed = [*given, *(placeholder for placeholder, _ in captured)]
        _check_lifted(tensors, all_fed, operations)

        def part(*values: Any) -> Any:
            around = [value for _, value in captured]
            found = iter(replay_part(tensors, all_fed, [*values, *around], operations))
            results = [None if isinstance(x, Operation) else next(found) for x in wanted]
            return nest.pack_sequence_as(fetches, results)

        specs = input_signature or [TensorSpec(x.shape, x.dtype, x.op.name) for x in given]
        function = Function(part, name=name or "pruned")
        return WrappedFunction(function.get_concrete_function(*specs), self._variables)

    def _captured_placeholders(self) -> list[Any]:
        count = len(self.graph.captured)
        return self.inputs[len(self.inputs) - count :]

    def _element(self, x: Any) -> Any:
        return self.graph.as_graph_element(x)


def _check_lifted(tensors: list[Any], fed: list[Any], operations: list[Any]) -> None:
    known = {id(x) for x in fed}
    for op in Plan(tensors, fed, operations).order:
        if op.type == "Placeholder" and id(op.outputs[0]) not in known:
            shown = ", ".join(repr(x) for x in tensors)
            raise UnliftableError(
                f"Unable to lift tensor {shown} because it depends transitively on placeholder {op!r}, "
                "which is not fed."
            )


def wrap_function(
    fn: Callable[..., Any], signature: Sequence[Any], name: str | None = None
) -> WrappedFunction:
    """Code of version 1, traced once; the variables that it makes are the function's own.

    >>> def scaled(x):
    ...     return x * tf.compat.v1.get_variable("scale", initializer=3.0)
    >>> wrapped = tf.compat.v1.wrap_function(scaled, [tf.TensorSpec([], tf.float32)])
    >>> wrapped(tf.constant(2.0)).numpy(), [v.name for v in wrapped.variables]
    (np.float32(6.0), ['scale:0'])
    """
    held = _Held(fn)
    concrete = Function(
        held, name=name or getattr(fn, "__name__", "wrapped")
    ).get_concrete_function(*signature)
    return WrappedFunction(concrete, held.variables)
