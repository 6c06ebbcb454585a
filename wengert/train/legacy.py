"""The base of the v1 optimizers: tf.compat.v1.train.Optimizer.

As in TensorFlow, custom optimizers override `_create_slots`, `_prepare`, `_apply_dense` and
`_apply_sparse` (or their `_resource_` forms) and `_finish`. Ours override only `_step`, the
arithmetic of an update on a whole variable or on some of its rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Final

from wengert.ops.arrays.gathering import to_dense
from wengert.ops.math.elementwise import cast
from wengert.saving.trackables.base import arrived
from wengert.state.replicas import current
from wengert.state.variable import Variable
from wengert.train import graph_mode
from wengert.train.dense_or_rows import Part, Rows, merge_rows, part_of
from wengert.train.gradient_inputs import check_dtype, list_variables, no_gradients, pairs, scalar
from wengert.values.convert import convert
from wengert.values.indexed_slices import IndexedSlices
from wengert.values.tensor import Tensor, dims

DENSE: Final = ("_apply_dense",)
SPARSE: Final = ("_apply_sparse", "_apply_sparse_duplicate_indices")


class Optimizer:
    """The base of the optimizers in tf.compat.v1.train.

    In graph mode `minimize` returns an operation, to be run by a session. In eager mode the loss
    is a function without arguments, and the update runs immediately.

    >>> v = tf.Variable(3.0)
    >>> step = tf.Variable(0)
    >>> optimizer = tf.compat.v1.train.GradientDescentOptimizer(0.25)
    >>> optimizer.minimize(lambda: v * v, global_step=step)
    >>> v.numpy(), step.numpy()
    (np.float32(1.5), np.int32(1))
    """

    GATE_NONE: ClassVar[int] = 0
    GATE_OP: ClassVar[int] = 1
    GATE_GRAPH: ClassVar[int] = 2

    # Under which names subclasses of TensorFlow's optimizers read the hyperparameters of a step.
    read_as: ClassVar[dict[str, str]] = {
        "rate": "_learning_rate_tensor",
        "momentum": "_momentum_tensor",
        "decay": "_decay_tensor",
        "epsilon": "_epsilon_tensor",
    }

    # Whether rows without a gradient, and their slots, stay unchanged.
    leaves_rows: bool = True

    def __init__(
        self, use_locking: bool, name: str, use_own_namescope_for_non_slot_vars: bool = False
    ) -> None:
        if not name:
            raise ValueError("Must specify the optimizer name")
        self._use_locking = use_locking
        self._name = name
        self._slots: dict[str, dict[Any, Variable]] = {}
        self._non_slots: dict[tuple[str, Any], Variable] = {}  # by name and graph
        self._now: dict[str, Tensor] = {}

    # ---- public methods ----------------------------------------------------------------------

    def get_name(self) -> str:
        """The name."""
        return self._name

    def minimize(
        self,
        loss: Any,
        global_step: Variable | None = None,
        var_list: Any = None,
        gate_gradients: int = GATE_OP,
        aggregation_method: Any = None,
        colocate_gradients_with_ops: bool = False,
        name: str | None = None,
        grad_loss: Any = None,
    ) -> Any:
        """Compute gradients of a loss and apply them; counts the step in `global_step`."""
        found = self.compute_gradients(
            loss,
            var_list,
            gate_gradients,
            aggregation_method,
            colocate_gradients_with_ops,
            grad_loss,
        )
        if not any(g is not None for g, _ in found):
            raise ValueError(
                "No gradients provided for any variable, check your graph for ops that do not "
                f"support gradients, between variables [{list_variables([v for _, v in found])}] and "
                f"loss {loss}. tf.explain_gradient(loss, variable) says why."
            )
        return self.apply_gradients(found, global_step, name)

    def compute_gradients(
        self,
        loss: Any,
        var_list: Any = None,
        gate_gradients: int = GATE_OP,
        aggregation_method: Any = None,
        colocate_gradients_with_ops: bool = False,
        grad_loss: Any = None,
    ) -> list[tuple[Any, Any]]:
        """Pairs (gradient, variable), to change and then apply.

        >>> v = tf.Variable(3.0)
        >>> optimizer = tf.compat.v1.train.GradientDescentOptimizer(0.25)
        >>> [(gradient, variable)] = optimizer.compute_gradients(lambda: v * v)
        >>> gradient.numpy(), variable is v
        (np.float32(6.0), True)
        """
        if gate_gradients not in (self.GATE_NONE, self.GATE_OP, self.GATE_GRAPH):
            raise ValueError(
                "gate_gradients must be one of: Optimizer.GATE_NONE, Optimizer.GATE_OP, "
                f"Optimizer.GATE_GRAPH. Not {gate_gradients}"
            )
        return graph_mode.gradients(loss, var_list, grad_loss)

    def apply_gradients(
        self,
        grads_and_vars: Any,
        global_step: Variable | None = None,
        name: str | None = None,
        skip_gradients_aggregation: bool = False,
    ) -> Any:
        """Change variables by their gradients; a gradient may be None.

        >>> v = tf.Variable([1.0, 2.0])
        >>> optimizer = tf.compat.v1.train.GradientDescentOptimizer(0.5)
        >>> optimizer.apply_gradients([(tf.constant([2.0, 2.0]), v)])
        >>> v.numpy().tolist()
        [0.0, 1.0]
        """
        given = pairs(grads_and_vars)
        if current.context is not None:
            return current.context.applied(
                given, lambda summed: self.apply_gradients(summed, global_step, name)
            )
        if not given:
            raise ValueError("No variables provided.")
        kept = [(g, v) for g, v in given if g is not None]
        if not kept:
            raise no_gradients([v for _, v in given])
        for gradient, variable in kept:
            check_dtype(gradient, variable)
        self._create_slots([v for _, v in kept])
        with graph_mode.scope(name or self._name) as scope:
            self._prepare()
            updates = [self._update(g, v) for g, v in kept]
            if global_step is None:
                done = self._finish(updates, scope)
            else:
                done = self._counted(self._finish(updates, "update"), global_step, scope)
        graph_mode.note_update(done)
        return done

    def _counted(self, update: Any, global_step: Variable, name: str) -> Any:
        step = graph_mode.in_order([update], lambda: global_step.assign_add(1, read_value=False))
        return graph_mode.group([update, step], name)

    def get_slot(self, var: Variable, name: str) -> Variable | Any:
        """The slot of a variable with that name, or None."""
        return self._slots.get(name, {}).get(var.ref())

    def get_slot_names(self) -> list[str]:
        """The names of the slots."""
        return sorted(self._slots)

    def variables(self) -> list[Variable]:
        """The optimizer's variables, in the order of their names."""
        slots = [v for named in self._slots.values() for v in named.values()]
        graph = graph_mode.session_graph()
        found = [v for v in (*self._non_slots.values(), *slots) if v.graph is graph]
        return sorted(found, key=lambda v: v.name)

    def _trackable_children(self, save_type: str = "checkpoint", **_: Any) -> dict[str, Any]:
        graph = graph_mode.session_graph()
        return {
            name: v for (name, of), v in sorted(self._non_slots.items(), key=str) if of is graph
        }

    def _slots_for_checkpoint(self) -> list[tuple[Variable, str, Variable]]:
        """The variable that each slot stands beside, its name, the slot."""
        return [
            (ref.deref(), name, slot)
            for name, named in sorted(self._slots.items())
            for ref, slot in named.items()
        ]

    # ---- methods to override -----------------------------------------------------------------

    def _create_slots(self, var_list: Sequence[Variable]) -> None:
        """Create the slots of each variable."""

    def _prepare(self) -> None:
        """Compute what the updates of all variables share."""

    def _apply_dense(self, grad: Any, var: Variable) -> Any:
        return self._step(part_of(grad), var)

    def _resource_apply_dense(self, grad: Any, handle: Variable) -> Any:
        return self._step(part_of(grad), handle)

    def _apply_sparse(self, grad: IndexedSlices, var: Variable) -> Any:
        return self._step_rows(grad, var)

    def _apply_sparse_duplicate_indices(self, grad: IndexedSlices, var: Variable) -> Any:
        return self._apply_sparse(merge_rows(grad), var)

    def _resource_apply_sparse(self, grad: Any, handle: Variable, indices: Any) -> Any:
        return self._step_rows(IndexedSlices(grad, indices, dims(handle)), handle)

    def _resource_apply_sparse_duplicate_indices(
        self, grad: Any, handle: Variable, indices: Any
    ) -> Any:
        once = merge_rows(IndexedSlices(grad, indices))
        return self._resource_apply_sparse(once.values, handle, once.indices)

    def _finish(self, update_ops: Sequence[Any], name_scope: str) -> Any:
        return graph_mode.group(update_ops, name_scope)

    def _step(self, part: Part, variable: Variable) -> Any:
        """Update a variable, or some of its rows; returns what the assignments return."""
        raise NotImplementedError(
            f"Optimizer '{type(self).__name__}' must override `_apply_dense(self, grad, var)` "
            "and, for gradients that are IndexedSlices, `_apply_sparse(self, grad, var)`."
        )

    def _step_rows(self, grad: IndexedSlices, variable: Variable) -> Any:
        if self.leaves_rows:
            return self._step(Rows(grad), variable)
        shaped = IndexedSlices(grad.values, grad.indices, dims(variable))
        return self._step(part_of(to_dense(shaped)), variable)

    # ---- helpers for subclasses --------------------------------------------------------------

    def _update(self, gradient: Any, variable: Variable) -> Any:
        constraint = variable.constraint
        if isinstance(gradient, IndexedSlices):
            if constraint is not None:
                raise RuntimeError(
                    "Cannot use a constraint function on a sparse variable. The gradient of "
                    f"variable '{variable.name}', which has a constraint, is an IndexedSlices. "
                    "Apply tf.convert_to_tensor(gradient) instead."
                )
            return self._update_rows(gradient, variable)
        update = self._dense_hook()(gradient, variable)
        if constraint is None:
            return update
        return graph_mode.in_order(
            [update], lambda: variable.assign(constraint(variable), read_value=False)
        )

    def _update_rows(self, gradient: IndexedSlices, variable: Variable) -> Any:
        if self._defines_last(SPARSE):
            shaped = IndexedSlices(gradient.values, gradient.indices, dims(variable))
            return self._apply_sparse_duplicate_indices(shaped, variable)
        return self._resource_apply_sparse_duplicate_indices(
            gradient.values, variable, gradient.indices
        )

    def _dense_hook(self) -> Callable[[Any, Variable], Any]:
        return self._apply_dense if self._defines_last(DENSE) else self._resource_apply_dense

    def _defines_last(self, names: Sequence[str]) -> bool:
        """Whether the methods, not their `_resource_` forms, are those that a subclass overrides.

        Programs for version 1 often have one kind alone. Neither calls the other: a subclass that
        changes gradients in both would change them twice.
        """
        for cls in type(self).__mro__:
            if any(f"_resource{name}" in vars(cls) for name in names):
                return False
            if any(name in vars(cls) for name in names):
                return True
        return False

    def _hyper(self, **values: Any) -> None:
        """Set hyperparameters for this step: numbers, tensors, or functions that return them."""
        self._now = {name: scalar(value) for name, value in values.items()}
        for name, value in self._now.items():
            if name in self.read_as:
                setattr(self, self.read_as[name], value)

    def _value(self, name: str, variable: Variable) -> Tensor:
        """A hyperparameter in the dtype of a variable."""
        return cast(self._now[name], variable.dtype)

    def _constant_slot(self, var: Variable, value: float, slot_name: str, op_name: str) -> Variable:
        filled = graph_mode.filled_like(var, lambda: convert(value, var.dtype))
        return self._get_or_make_slot(var, filled, slot_name, op_name)

    def _zeros_slot(self, var: Variable, slot_name: str, op_name: str) -> Variable:
        return self._constant_slot(var, 0.0, slot_name, op_name)

    def _get_or_make_slot(self, var: Variable, val: Any, slot_name: str, op_name: str) -> Variable:
        named = self._slots.setdefault(slot_name, {})
        if var.ref() not in named:
            before = sum(var.ref() in others for others in self._slots.values())
            named[var.ref()] = graph_mode.new_variable(val, op_name, var, before)
            for waiting in list(self.__dict__.get("_self_pending", ())):  # of checkpoints
                waiting.slot_arrived(self, var, slot_name, named[var.ref()])
        return named[var.ref()]

    def _create_non_slot_variable(
        self, initial_value: Any, name: str, colocate_with: Any = None
    ) -> Variable:
        key = name, graph_mode.session_graph()
        if key not in self._non_slots:
            self._non_slots[key] = graph_mode.new_variable(initial_value, name)
            arrived(self, name, self._non_slots[key])
        return self._non_slots[key]

    def _get_non_slot_variable(self, name: str, graph: Any = None) -> Variable | None:
        return self._non_slots.get((name, graph or graph_mode.session_graph()))

    def _non_slot(self, name: str) -> Variable:
        return self._non_slots[name, graph_mode.session_graph()]

    def _slot(self, variable: Variable, name: str) -> Variable:
        return self._slots[name][variable.ref()]

    def _call_if_callable(self, param: Any) -> Any:
        return param() if callable(param) else param
