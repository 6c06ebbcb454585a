"""Variables: values that can be replaced."""

from __future__ import annotations

import copy
import itertools
from abc import ABCMeta
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from wengert.core.compiled import machine
from wengert.core.context import activate, current_graph, note_access, thread
from wengert.errors import InvalidArgumentError, NoInitialValueError
from wengert.host.locks import new_lock
from wengert.host.malloc import LARGE
from wengert.state.creators import created, creators
from wengert.state.replicas import current, replication
from wengert.state.slice_info import SaveSliceInfo
from wengert.values.bound_ops import bound
from wengert.values.convert import convert, register_converter
from wengert.values.dtypes import DType, as_dtype
from wengert.values.exits import exit_watchers, left
from wengert.values.on_device import fetched_of
from wengert.values.shapes import TensorShape, shape_text
from wengert.values.symbolic import identical, known_shape
from wengert.values.tensor import Tensor, dims, wrap
from wengert.values.value import Key, Value, shown_value

if TYPE_CHECKING:
    from wengert.values.typing import DTypeLike, ShapeLike, TensorLike


def _refuse_in_place(sign: str, instead: str = "") -> Any:
    instead = instead or f"variable.assign(variable {sign} value)"

    def operator(self: Any, value: Any) -> Any:
        raise RuntimeError(
            f"`variable {sign}= value` with `tf.Variable`s is not supported. Use `{instead}` to "
            f"modify the variable, or `out = variable {sign} value` if you need to get a new "
            "output Tensor."
        )

    return operator


# Numbers variables in the order of creation, in which tapes list them.
_NUMBERS: Final = itertools.count()


class Made(ABCMeta):
    """The class of variables: a call asks the creators in force.

    An ABCMeta, as TensorFlow's is: libraries derive from a variable and an abstract class at once.
    Whether a value is a variable is asked at every operation, and stays Python's own question.
    """

    __instancecheck__ = type.__instancecheck__
    __subclasscheck__ = type.__subclasscheck__

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        """A new variable."""
        if not creators.stack:
            return super().__call__(*args, **kwargs)
        graph = around_functions(current_graph())
        kind = cls if graph is None else graph.variable_class or cls
        return created(super().__call__, kind.__init__, args, kwargs)  # type: ignore[misc]


def check_constraint(constraint: Any) -> None:
    """Check that what is to keep a variable in bounds can be called."""
    if constraint is not None and not callable(constraint):
        raise ValueError(
            "Argument `constraint` must be None or a callable. "
            f"Got a {type(constraint)}: {constraint}"
        )


def check_initial_shape(have: TensorShape, shape: ShapeLike | None) -> None:
    """Check that an initial value is of the shape that was given, if one was."""
    if shape is not None and not have.is_compatible_with(shape):
        raise ValueError(
            f"In this `tf.Variable` creation, the initial value's shape ({have}) is "
            f"not compatible with the explicitly supplied `shape` argument ({shape})."
        )


class Variable(Value, metaclass=Made):
    """A value that `assign` replaces and tapes watch automatically.

    A variable can be used like a tensor. A tape records every trainable variable that is read.

    >>> v = tf.Variable(3.0)
    >>> with tf.GradientTape() as tape:
    ...     y = v * v
    >>> tape.gradient(y, v).numpy()
    np.float32(6.0)
    >>> v.assign_sub(1.0).numpy()
    np.float32(2.0)
    """

    __slots__ = (
        "__dict__",  # libraries hang attributes of their own on variables
        "_handle_name",
        "_lock",
        "_number",
        "_shape",
        "aggregation",
        "constraint",
        "synchronization",
        "trainable",
    )

    # It is initialized already: a program that runs initializers runs nothing.
    initializer: Any = None
    SaveSliceInfo = SaveSliceInfo
    _save_slice_info: Any = None  # of a part of a larger variable
    _lock: Any
    _number: int

    def __init__(
        self,
        initial_value: TensorLike | Callable[[], Any] | None = None,
        trainable: bool | None = None,
        validate_shape: bool = True,
        caching_device: object = None,
        name: str | None = None,
        variable_def: object = None,
        dtype: DTypeLike | None = None,
        import_scope: object = None,
        constraint: Callable[[Any], Any] | None = None,
        synchronization: object = None,
        aggregation: object = None,
        shape: ShapeLike | None = None,
        experimental_enable_variable_lifting: bool = True,
    ) -> None:
        if initial_value is None:
            raise NoInitialValueError(
                "The `initial_value` arg to `tf.Variable` must be specified except when you are not "
                "providing a `variable_def`. You provided neither."
            )
        check_constraint(constraint)
        wanted = None if dtype is None else as_dtype(dtype)
        graph = current_graph()
        is_local = graph is not None and not experimental_enable_variable_lifting
        tensor = (_here if is_local else _initial)(initial_value, wanted)
        self._array: Any = tensor._array if not is_local else _room(tensor)
        self._key: Key | None = Key()
        scope = thread.context.scope if graph is None else graph.names.scope
        self._handle_name = f"{scope or ''}{name or 'Variable'}:0"
        self._shape = TensorShape(tensor.shape if shape is None else shape)
        check_initial_shape(tensor.shape, shape)
        self.trainable = is_trained(trainable, synchronization)
        self.constraint = constraint
        self.synchronization, self.aggregation = replication(synchronization, aggregation)
        if is_local:  # of the function: each of its calls begins anew
            self.assign(tensor)
        elif graph is not None:
            graph.made_variable(self)

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        """A variable of the graph, in a graph to be run by a session."""
        graph = around_functions(current_graph())
        kind = None if graph is None else graph.variable_class
        made = object.__new__(cls if kind is None or issubclass(cls, kind) else kind)
        made._number = next(_NUMBERS)
        made._lock = new_lock()
        return made

    # ---- properties --------------------------------------------------------------------------

    @property
    def _trainable(self) -> bool:
        """`trainable`, by the name under which libraries change it: TensorFlow's cannot be set."""
        return self.trainable

    @_trainable.setter
    def _trainable(self, value: bool) -> None:
        self.trainable = value

    @property
    def _unique_id(self) -> str:
        """What optimizers and libraries know it by."""
        return f"{self.name.rpartition(':')[0]}_{self._number}"

    @property
    def name(self) -> str:
        """The name, followed by `:0`."""
        return self._handle_name

    @property
    def _shared_name(self) -> str:
        return self._handle_name.partition(":")[0]

    @property
    def _distribute_strategy(self) -> None:
        """None: there is one replica."""

    @property
    def shape(self) -> TensorShape:
        """The shapes that may be assigned; None for sizes that may vary."""
        return self._shape

    @property
    def initial_value(self) -> Any:
        """Raises: an eager variable does not keep its initial value."""
        raise RuntimeError("This property is not supported when eager execution is enabled.")

    @property
    def handle(self) -> Any:
        """The handle that operations on the variable take: the variable itself."""
        return self

    def get_shape(self) -> TensorShape:
        """The same as `shape`."""
        return self._shape

    @property
    def graph(self) -> Any:
        """The graph that the variable belongs to; None for an eager variable."""
        return None

    def _set_save_slice_info(self, save_slice_info: Any) -> None:
        self._save_slice_info = save_slice_info

    def _get_save_slice_info(self) -> Any:
        return self._save_slice_info

    @property
    def _in_graph_mode(self) -> bool:
        """Whether it belongs to a graph, for programs that know TensorFlow's variables from within."""
        return False

    @staticmethod
    def from_proto(variable_def: object, import_scope: str | None = None) -> Variable:
        """The variable that a VariableDef describes, whose nodes are in the current graph."""
        made: Variable = Variable(variable_def=variable_def, import_scope=import_scope)
        return made

    def to_proto(self, export_scope: str | None = None) -> Any:
        """Raises: only a variable of a graph has a VariableDef."""
        raise RuntimeError(
            "This operation is not supported when eager execution is enabled: to_proto() describes "
            "a variable of a graph by its nodes."
        )

    def set_shape(self, shape: Any) -> None:
        """Restrict the shapes that may be assigned."""
        self._shape = self._shape.merge_with(shape)

    def is_initialized(self, name: str | None = None) -> bool:
        """Whether it has a value: always, outside of graphs."""
        return True

    # ---- its value ---------------------------------------------------------------------------

    def __getattr__(self, name: str) -> Any:
        return fetched_of(self, name)

    def read_value(self) -> Tensor:
        """The current value, as a tensor that later assignments do not change."""
        note_access(self)
        tensor: Tensor = bound.read(self)
        return tensor

    def value(self) -> Tensor:
        """The value, as a tensor."""
        return self.read_value()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        if exit_watchers:
            left(self, "NumPy")
        return self.read_value().__array__(dtype, copy)

    def load(self, value: TensorLike, session: Any = None) -> None:
        """Set the value, as `assign` does; in a graph, in a session."""
        self.assign(value)

    def assign(
        self,
        value: TensorLike,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Variable | Any:
        """Replace the value; returns the variable."""
        if current.context is not None:
            return current.context.assigned(self, "assign", value, read_value)
        tensor = convert(value, hint=self.dtype)
        self._check(tensor)
        if current_graph() is not None:
            return self._assigned_later("assign", tensor, read_value)
        with self._lock:
            self._array = _held(tensor)
        return self if read_value else None

    def assign_add(
        self,
        delta: TensorLike,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Variable | Any:
        """Add to the value; returns the variable."""
        if current.context is not None:
            return current.context.assigned(self, "assign_add", delta, read_value)
        change = self._change(delta, "AssignAdd")
        if current_graph() is not None:
            return self._assigned_later("assign_add", change, read_value)
        with self._lock:
            if not self._overwritten("AddV2", change):
                self._array = _held(self._now() + change)
        return self if read_value else None

    def assign_sub(
        self,
        delta: TensorLike,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Variable | Any:
        """Subtract from the value; returns the variable."""
        if current.context is not None:
            return current.context.assigned(self, "assign_sub", delta, read_value)
        change = self._change(delta, "AssignSub")
        if current_graph() is not None:
            return self._assigned_later("assign_sub", change, read_value)
        with self._lock:
            if not self._overwritten("Sub", change):
                self._array = _held(self._now() - change)
        return self if read_value else None

    if TYPE_CHECKING:  # attached by api/bind.py

        def _scatter(
            self, sparse_delta: Any, use_locking: bool = False, name: str | None = None
        ) -> Any: ...
        def _scatter_nd(
            self, indices: TensorLike, updates: TensorLike, name: str | None = None
        ) -> Any: ...
        def _gather(self, indices: Any, name: str | None = None) -> Tensor: ...
        def _count(self, limit: int, name: str | None = None) -> Tensor: ...

        scatter_add = scatter_sub = scatter_mul = scatter_div = _scatter
        scatter_update = scatter_max = scatter_min = batch_scatter_update = _scatter
        scatter_nd_add = scatter_nd_sub = scatter_nd_update = _scatter_nd
        scatter_nd_max = scatter_nd_min = _scatter_nd
        sparse_read = gather_nd = _gather
        count_up_to = _count

    def _assigned_later(self, method: str, tensor: Tensor, read_value: bool) -> Variable | None:
        bound.assign_later(self, method, tensor)
        return self if read_value else None

    def _overwritten(self, row: str, change: Tensor) -> bool:
        """Whether a large value was changed where it lies, because nothing else refers to it."""
        array = change._array
        return array.size >= LARGE and bound.update(row, self, array) is not None

    def _now(self) -> Tensor:
        return wrap(self._array)  # outside every tape: an assignment is not differentiated

    def _change(self, delta: Any, verb: str) -> Tensor:
        """The tensor to add or subtract: of the variable's shape, as there is no broadcasting."""
        if type(delta) is Tensor:  # the usual case at once
            given, held = delta._array, self._array
            if given.dtype is held.dtype and given.dtype.kind == "f" and given.shape == held.shape:
                return delta
        tensor = convert(delta, hint=self.dtype)
        dtype = self._check_dtype(tensor)
        if not dtype.is_numeric:
            raise InvalidArgumentError(
                f"{verb} is not defined for variable '{self._handle_name}' of dtype {dtype.name} "
                f"[Op:{verb}VariableOp]"
            )
        shape = self._array.shape
        if identical(dims(tensor), shape):
            return tensor
        if not tensor.shape.is_compatible_with(known_shape(shape)):
            raise InvalidArgumentError(
                f"Cannot update variable with shape {shape_text(shape)} using a Tensor with "
                f"shape {shape_text(tensor._array.shape)}, shapes must be equal. [Op:{verb}VariableOp]"
            )
        return tensor

    def _check(self, tensor: Tensor) -> None:
        self._check_dtype(tensor)
        if not self._shape.is_compatible_with(tensor.shape):
            raise ValueError(
                f"Cannot assign value to variable ' {self._handle_name}': Shape mismatch."  # their blanks
                f"The variable shape {self._shape}, and the assigned value shape "
                f"{tensor.shape} are incompatible."
            )

    def _check_dtype(self, tensor: Tensor) -> DType:
        dtype = self.dtype
        if tensor.dtype is not dtype:
            raise ValueError(
                f"Tensor conversion requested dtype {dtype.name} for Tensor with dtype "
                f"{tensor.dtype.name}: cannot assign it to variable '{self._handle_name}'. "
                f"Use tf.cast(value, tf.{dtype.name})."
            )
        return dtype

    # In Python `v += x` would bind the name v to a new tensor and leave the variable unchanged.
    __iadd__ = _refuse_in_place("+", "variable.assign_add(value)")
    __isub__ = _refuse_in_place("-", "variable.assign_sub(value)")
    __imul__ = _refuse_in_place("*")
    __itruediv__ = _refuse_in_place("/")
    __ipow__ = _refuse_in_place("**")

    # ---- in checkpoints ----------------------------------------------------------------------

    def _serialize_to_tensors(self) -> dict[str, Any]:
        return {"VARIABLE_VALUE": self.read_value()}

    def _restore_from_tensors(self, restored_tensors: dict[str, Any]) -> Any:
        with activate((), None):
            return self.assign(restored_tensors["VARIABLE_VALUE"])

    # ---- as an object ------------------------------------------------------------------------

    def __iter__(self) -> Any:
        return iter(self.read_value())

    def __deepcopy__(self, memo: Any) -> Variable:
        return _remake(
            copy.copy(self._array),
            self.trainable,
            self._handle_name[:-2],
            self._shape,
            self.constraint,
            self.synchronization,
            self.aggregation,
        )

    def __reduce__(self) -> Any:
        parts = (
            np.array(self._array),
            self.trainable,
            self._handle_name[:-2],
            self._shape,
            None,
            self.synchronization,
            self.aggregation,
        )
        return _remake, parts

    def __hash__(self) -> int:
        text = "Variable is unhashable. Instead, use variable.ref() as the key."
        raise TypeError(f"{text} (Variable: {self!r})")

    def __repr__(self) -> str:
        return (
            f"<tf.Variable '{self._handle_name}' shape={self._shape} dtype={self.dtype.name}, "
            f"numpy={shown_value(self._array)}>"
        )


if machine is not None:
    machine.setup(Variable=Variable)


def around_functions(graph: Any) -> Any:
    """The graph around all functions that are being traced; None in eager mode."""
    while graph is not None and graph.is_function:
        graph = graph.outer_graph
    return graph


def _held(tensor: Tensor) -> Any:
    """The array of a tensor for a variable to hold, which is never one of NumPy's scalars."""
    array = tensor._array
    return array if type(array) is np.ndarray and not exit_watchers else np.asarray(tensor)


def _initial(value: Any, dtype: DType | None) -> Tensor:
    """The initial value of a variable. In a function it is computed outside of the function."""
    if current_graph() is None:
        return _here(value, dtype)
    if isinstance(value, Tensor):
        return convert(bound.evaluate(value), dtype)
    with activate((), None):
        return _here(value, dtype)


def _here(value: Any, dtype: DType | None) -> Tensor:
    """The initial value where it is asked for: of a variable of a function alone, a tensor of its graph."""
    return convert(value() if callable(value) else value, dtype)


def _room(tensor: Tensor) -> Any:
    """An array of its form, for a value that only a run of the graph knows."""
    return np.zeros([size or 0 for size in tensor.shape.as_list()], tensor.dtype.numpy_dtype)


def _remake(
    array: Any,
    trainable: bool,
    name: str,
    shape: Any,
    constraint: Any,
    synchronization: Any = None,
    aggregation: Any = None,
) -> Variable:
    made = Variable(
        array,
        trainable=trainable,
        shape=shape,
        constraint=constraint,
        synchronization=synchronization,
        aggregation=aggregation,
    )
    made._handle_name = f"{name}:0"
    return made


def is_trained(trainable: Any, synchronization: Any) -> bool:
    """What was said; else all are but those that replicas keep apart until they are read."""
    if trainable is not None:
        return bool(trainable)
    return getattr(synchronization, "name", None) != "ON_READ"


def _read(variable: Any, dtype: DType | None, hint: DType | None) -> Tensor:
    return convert(variable.read_value(), dtype)


register_converter(Variable, _read)
