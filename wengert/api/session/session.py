"""Sessions: they run graphs and hold the values of their variables."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from wengert.api.gradients.answers import answers
from wengert.api.session.handles import value_of_handle
from wengert.api.session.modes import get_default_graph
from wengert.api.session.partial_runs import PartialRun
from wengert.core.context import activate
from wengert.errors import InvalidArgumentError
from wengert.execution.engine_registry import (
    REFERENCE,
    Runnable,
    Settings,
    compile_plan,
    compiles_sizes,
    engine_of,
)
from wengert.execution.fed_sizes import measured_by_feeds
from wengert.execution.part import part_of
from wengert.execution.plan import Plan
from wengert.graph.graph import Graph, defaults
from wengert.graph.graph_builder import VAR_HANDLE
from wengert.graph.operation import Operation
from wengert.host.context_manager import Change, context_manager, enter
from wengert.host.locks import new_lock
from wengert.state.cell import Cell, new_resource, shared_with
from wengert.values import nest
from wengert.values.convert import as_array
from wengert.values.dtypes import DType, of_numpy, string
from wengert.values.indexed_slices import IndexedSlices
from wengert.values.symbolic import SymbolicTensor, is_certain
from wengert.values.tensor import Tensor
from wengert.values.value import Value

if TYPE_CHECKING:
    from wengert.values.typing import Array, TensorLike


class IndexedSlicesValue(NamedTuple):
    """What a session returns for IndexedSlices."""

    values: Any
    indices: Any
    dense_shape: Any


_EAGER: Final = (
    " What is made in eager mode has its value at once, x.numpy(), and is in no graph. Make it inside "
    "`with tf.Graph().as_default():`, or call tf.compat.v1.disable_eager_execution() first; a whole "
    "program of TensorFlow 1 runs by `wengert run --v1`."
)


class Session:
    """Runs the operations of a graph.

    `run` computes the fetches and what they depend on, nothing else. The variables of the graph
    have their values here; another session has its own.

    >>> with tf.Graph().as_default():
    ...     x = tf.compat.v1.placeholder(tf.float32, name="x")
    ...     y = x * x
    ...     with tf.compat.v1.Session() as sess:
    ...         print(sess.run(y, feed_dict={x: 3.0}), y.eval({x: 4.0}))
    9.0 16.0
    """

    def __init__(self, target: str = "", graph: Graph | None = None, config: object = None) -> None:
        if not isinstance(target, (str, bytes)):
            raise TypeError(
                f"Argument `target` must be a string. Received: {target!r} of {type(target)}"
            )
        if graph is not None and not isinstance(graph, Graph):
            raise TypeError(
                "Argument `graph` must be an instance of `tf.Graph`. "
                f"Received: {graph!r} of {type(graph)}"
            )
        self._graph = graph if graph is not None else get_default_graph()
        self._engine = _engine_asked_for(config)
        self._cells: dict[Operation, Any] = {}
        self._plans: dict[Any, _Run] = {}
        self._parts: dict[str, PartialRun] = {}
        self._closed = False
        self._lock = threading.Lock()
        self._contexts: list[Any] = []
        self.sess_str = target

    @property
    def graph(self) -> Graph:
        """The graph that the session runs."""
        return self._graph

    @property
    def graph_def(self) -> Any:
        """The graph as TensorFlow's message GraphDef, which functions that freeze and write graphs take."""
        return self._graph.as_graph_def()

    # ---- running -----------------------------------------------------------------------------

    def run(
        self,
        fetches: Any,
        feed_dict: Any = None,
        options: object = None,
        run_metadata: object = None,
    ) -> Any:
        """The values of the fetches: a tensor, an operation, a name, or a nested structure."""
        self._check_open()
        feeds = _feeds(self._graph, feed_dict)
        structure = _Fetches(self._graph, fetches)
        elements = structure.elements
        if answers.always:
            return structure.packed(self._looked_at(elements, feeds, feed_dict))
        run = self._run_for(elements, [x for x, _ in feeds])
        return structure.packed(run(self, [value for _, value in feeds]))

    def _looked_at(
        self, elements: Sequence[Any], feeds: Sequence[Any], feed_dict: Any
    ) -> list[Any]:
        """A run that also gives the gradients behind what is fetched, which are explained if need be."""
        asked = [*elements, *answers.met.gradients_behind(elements)]
        before = [(cell, cell.kept()) for cell in self._cells.values()]
        run = self._run_for(asked, [x for x, _ in feeds])
        values = run(self, [value for _, value in feeds])
        after = [(cell, cell.kept()) for cell in self._cells.values()]
        _put_back(before)
        answers.met.by_session(self, zip(asked, values, strict=True), feed_dict)
        _put_back(after)
        found: list[Any] = values[: len(elements)]
        return found

    def _check_open(self) -> None:
        if self._closed:
            raise RuntimeError("Attempted to use a closed Session. Make a new one.")
        if not self._graph.operations:
            raise RuntimeError(
                f"The Session graph is empty. Add operations to the graph before calling run().{_EAGER}"
            )

    def _run_for(self, elements: Sequence[Any], feeds: Sequence[SymbolicTensor]) -> _Run:
        """The plan for some fetches and feeds, made once."""
        graph = self._graph
        engine = self._engine or engine_of(graph, AT_LENGTH)
        key = (engine, Settings.check, tuple(map(id, elements)), tuple(map(id, feeds)))
        found = self._plans.get(key)
        if found is None or found.changes != graph.changes:
            with self._lock:
                found = self._plans[key] = _Run(graph, elements, feeds, engine)
        return found

    def cell(self, op: Operation) -> Any:
        """The state behind the handle of a variable, or of another resource, in this session."""
        cell = self._cells.get(op)
        if cell is None:
            with self._lock:
                other = shared_with(op, self._cells)
                made = new_resource(op) if other is None else self._cells[other]
                cell = self._cells.setdefault(op, made)
        return cell

    def make_callable(
        self, fetches: Any, feed_list: Iterable[Any] | None = None, accept_options: bool = False
    ) -> Callable[..., Any]:
        """A function from feeds to fetches, with the execution plan made now.

        >>> with tf.Graph().as_default():
        ...     x = tf.compat.v1.placeholder(tf.float32)
        ...     square = tf.compat.v1.Session().make_callable(x * x, [x])
        >>> square(3.0)
        np.float32(9.0)
        """
        self._check_open()
        structure = _Fetches(self._graph, fetches)
        feeds = [_feedable(self._graph, x) for x in feed_list or []]
        run = self._run_for(structure.elements, feeds)

        def call(*values: Array) -> Any:
            if len(values) != len(feeds):
                raise ValueError(
                    f"The callable takes {len(feeds)} values, one for each of feed_list, and was "
                    f"given {len(values)}."
                )
            self._check_open()
            given = [_value_for(x, v) for x, v in zip(feeds, values, strict=True)]
            return structure.packed(run(self, given))

        return call

    def partial_run_setup(self, fetches: Any, feeds: Iterable[Any] | None = None) -> str:
        """Say what the parts of a run will fetch and be fed; `partial_run` takes the handle.

        >>> with tf.Graph().as_default():
        ...     a, b = (tf.compat.v1.placeholder(tf.float32, []) for _ in range(2))
        ...     total = a + 1.0
        ...     product = total * b
        ...     with tf.compat.v1.Session() as session:
        ...         handle = session.partial_run_setup([total, product], [a, b])
        ...         first = session.partial_run(handle, total, {a: 2.0})
        ...         print(first, session.partial_run(handle, product, {b: first * 2.0}))
        3.0 18.0
        """
        self._check_open()
        given = [_feedable(self._graph, x) for x in feeds or []]
        handle = f"partial_run_{len(self._parts)}"
        self._parts[handle] = PartialRun(_Fetches(self._graph, fetches).elements, given)
        return handle

    def partial_run(self, handle: str, fetches: Any, feed_dict: Any = None) -> Any:
        """The values of some of the fetches of a run that was set up, with what was fed so far."""
        self._check_open()
        if handle not in self._parts:
            raise InvalidArgumentError(f"There is no partial run {handle!r}: set one up first.")
        structure = _Fetches(self._graph, fetches)
        feeds = _feeds(self._graph, feed_dict)
        return structure.packed(self._parts[handle].part(structure.elements, feeds, self._part))

    def _part(
        self, fetches: Sequence[Any], feeds: Sequence[SymbolicTensor], values: Sequence[Any]
    ) -> list[Any]:
        return self._run_for(fetches, feeds)(self, list(values))

    # ---- as a context ------------------------------------------------------------------------

    @context_manager
    def as_default(self) -> tuple[Session, Callable[[], None]]:
        """Make this the default session, which `tensor.eval()` and `operation.run()` use."""
        _, leave = enter(activate((), self._graph))
        defaults.sessions.append(self)

        def undo() -> None:
            defaults.sessions.remove(self)
            leave()

        return self, undo

    def __enter__(self) -> Session:
        context = self.as_default()
        context.__enter__()
        self._contexts.append(context)
        return self

    def __exit__(self, *error: BaseException) -> None:
        self._contexts.pop().__exit__(*error)
        self.close()

    def close(self) -> None:
        """Release the variables and the execution plans."""
        self._closed = True
        self._cells.clear()
        self._plans.clear()
        self._parts.clear()

    def list_devices(self) -> list[str]:
        """The devices of the session: one CPU."""
        return ["/job:localhost/replica:0/task:0/device:CPU:0"]

    def __repr__(self) -> str:
        return f"<tf.Session of {self._graph!r}{', closed' if self._closed else ''}>"


class InteractiveSession(Session):
    """A session that is the default session from its creation until it is closed."""

    def __init__(self, target: str = "", graph: Graph | None = None, config: object = None) -> None:
        super().__init__(target, graph, config)
        self._installed = self.as_default() if graph is not None else _only_session(self)
        self._installed.__enter__()

    def close(self) -> None:
        """Close the session and uninstall it as the default one."""
        if not self._closed:
            self._installed.__exit__(None, None, None)
        super().close()


@context_manager
def _only_session(session: Session) -> Change:
    defaults.sessions.append(session)
    return None, lambda: defaults.sessions.remove(session)


def get_default_session() -> Session | None:
    """The innermost default session, or None.

    >>> with tf.compat.v1.Session(graph=tf.Graph()) as session:
    ...     tf.compat.v1.get_default_session() is session
    True
    """
    return defaults.sessions[-1] if defaults.sessions else None


# ---- one set of fetches and feeds -------------------------------------------------------------


AT_LENGTH: Final = "at length"  # interpreted, and compiled when it has run often
OFTEN: Final = 200  # runs on few elements, 10 µs for an operation, take as long as compiling it
ELEMENTS: Final = 5000  # that come in for each operation where a run takes twice as long


def _engine_asked_for(config: object) -> str | None:
    """The engine by the options of a session: XLA on or off, or nothing said."""
    level: Any = config
    for name in ("graph_options", "optimizer_options", "global_jit_level"):
        level = getattr(level, "__dict__", {}).get(name)  # asking for an option would set it
    return {-1: REFERENCE, 1: "native", 2: "native"}.get(level)


class _Run:
    """A compiled plan, and what it needs from a session."""

    def __init__(
        self, graph: Graph, elements: Sequence[Any], feeds: Sequence[SymbolicTensor], engine: str
    ) -> None:
        self.changes = graph.changes
        tensors = [e for e in elements if isinstance(e, SymbolicTensor)]
        self._operations = [e for e in elements if isinstance(e, Operation)]
        self._plan = Plan(tensors, feeds, self._operations)
        self._measured = measured_by_feeds(self._plan)
        if self._measured:
            feeds = [*feeds, *[one.tensor for one in self._measured]]
            self._plan = Plan(tensors, feeds, self._operations)
        self._lock = new_lock()
        self._waits = engine == AT_LENGTH and Settings.check is None
        self._left = 0  # runs before it is compiled, if it waits
        # The sizes of a result that is fed are not those that the graph computes.
        self._feeds_results = any(x.op.inputs and not is_certain(x._array.shape) for x in feeds)
        self._compiled = self._compile(REFERENCE if engine == AT_LENGTH else engine)
        self._resources = self._plan.resources
        self._is_tensor = [isinstance(e, SymbolicTensor) for e in elements]
        self._fed_handles = [i for i, x in enumerate(feeds) if x.op.row.name == "VarHandleOp"]

    def _count(self, values: Sequence[Any]) -> None:
        """Count a run; after many the plan is compiled, for this one and the next."""
        with self._lock:
            self._left = self._left - 1 if self._left else self._patience(values) - 1
            is_often = self._waits and not self._left
            self._waits = self._waits and not is_often
        if is_often:
            self._compiled = self._compile("native")

    def _patience(self, values: Sequence[Any]) -> int:
        """The runs before it is compiled. What tells is no time, as a program is to give the same bits again."""
        elements = sum(map(_elements_of, values))
        return max(math.ceil(OFTEN / (1 + elements / (ELEMENTS * (1 + len(self._plan.steps))))), 2)

    def _compile(self, engine: str) -> Runnable:
        self.engine, found = engine, None
        if compiles_sizes(engine) or self._feeds_results:
            try:
                found = part_of(self._plan, self._operations, engine, self._feeds_results)
            except Exception:  # noqa: BLE001  # running the graph itself raises the proper error
                found = None
        return compile_plan(self._plan, engine) if found is None else found

    def __call__(self, session: Session, fed: list[Any]) -> list[Any]:
        for i in self._fed_handles:
            fed[i] = Cell.from_array(fed[i])
        sizes = [one.stand_in(fed) for one in self._measured]
        given = [*fed, *sizes, *[session.cell(op) for op in self._resources]]
        if self._waits:
            self._count(given)
        compiled = self._compiled
        with activate((), None):
            values = compiled(given)
        own = [v if fresh else _own(v) for v, fresh in zip(values, compiled.fresh, strict=True)]
        tensors = iter(own)
        return [next(tensors) if is_tensor else None for is_tensor in self._is_tensor]


def _elements_of(value: Any) -> int:
    """The elements of an array, or of what a variable holds."""
    if type(value) is Cell:
        value = value._array if value.initialized else None
    return value.size if isinstance(value, np.ndarray) else 0


def _own(value: Array) -> Array:
    """A value that the caller may change."""
    if not isinstance(value, np.ndarray):
        return value
    return value.copy() if value.shape else value[()]


class _Fetches:
    """The fetches, flat, and how to arrange their values."""

    def __init__(self, graph: Graph, fetches: Any) -> None:
        self._structure = fetches
        self._leaves = nest.flatten(fetches)
        self.elements: list[Any] = []
        self._rebuild = [self._noted(graph, leaf) for leaf in self._leaves]

    def _noted(self, graph: Graph, leaf: Any) -> Callable[[Iterator[Any]], Any]:
        if isinstance(leaf, IndexedSlices):
            shape = leaf.dense_shape
            parts = [leaf.values, leaf.indices, *([] if shape is None else [shape])]
            self.elements += [_element(graph, p) for p in parts]
            if shape is None:
                return lambda values: IndexedSlicesValue(next(values), next(values), None)
            return lambda values: IndexedSlicesValue(next(values), next(values), next(values))
        if nest.is_composite(leaf):
            self.elements += [_element(graph, p) for p in leaf._parts()]
            return leaf._fetched  # type: ignore[no-any-return]
        self.elements.append(_element(graph, leaf))
        return next

    def packed(self, values: Sequence[Any]) -> Any:
        given = iter(values)
        found = [rebuild(given) for rebuild in self._rebuild]
        if not nest.is_nested(self._structure):
            return found[0]
        return nest.pack_sequence_as(self._structure, found)


def _element(graph: Graph, fetch: Any) -> Any:
    if fetch is None:
        raise TypeError(
            "Argument `fetch` = None has invalid type 'NoneType'. Cannot be None: "
            "a gradient that is None has no value to fetch."
        )
    try:
        element = graph.as_graph_element(fetch)
    except TypeError:
        raise TypeError(
            f"Argument `fetch` = {fetch!r} has invalid type {type(fetch).__name__!r}. Must be a "
            f"string or Tensor. (Can not convert a {type(fetch).__name__} into a Tensor or "
            f"Operation.){_EAGER if isinstance(fetch, Value) else ''}"
        ) from None
    except ValueError as error:
        raise ValueError(
            f"Argument `fetch` = {fetch!r} cannot be interpreted as a Tensor. ({error})"
        ) from None
    except KeyError as error:
        raise ValueError(
            f"Argument `fetch` = {fetch} cannot be interpreted as a Tensor. ({error.args[0]})"
        ) from None
    if not graph.is_fetchable(element):
        name = getattr(element, "op", element).name
        raise ValueError(
            f"Operation {name} has been marked as not fetchable. Typically this happens when it is "
            "defined in another function or code block: return it from there."
        )
    is_handle = type(element) is SymbolicTensor and element.op.row is VAR_HANDLE
    return value_of_handle(element) if is_handle else element


# ---- feeds ------------------------------------------------------------------------------------


def _feeds(graph: Graph, feed_dict: Any) -> list[tuple[SymbolicTensor, Any]]:
    if not feed_dict:
        return []
    if not isinstance(feed_dict, Mapping):
        raise TypeError(f"feed_dict must be a dictionary, got {feed_dict!r}")
    pairs: list[tuple[SymbolicTensor, Any]] = []
    for key, value in feed_dict.items():
        if isinstance(key, tuple):
            for k, v in zip(key, value, strict=True):
                pairs.append((_feedable(graph, k), v))
        elif isinstance(key, IndexedSlices):
            pairs.append((_feedable(graph, key.values), value[0]))
            pairs.append((_feedable(graph, key.indices), value[1]))
        elif nest.is_composite(key):
            fed = zip(key._parts(), key._fed(value), strict=True)
            pairs += [(_feedable(graph, k), v) for k, v in fed]
        else:
            pairs.append((_feedable(graph, key), value))
    return [(x, _value_for(x, v)) for x, v in pairs]


def _feedable(graph: Graph, key: TensorLike) -> SymbolicTensor:
    handle = getattr(key, "handle_in", None)
    if handle is not None:
        return handle(graph)  # type: ignore[no-any-return]
    try:
        found: SymbolicTensor = graph.as_graph_element(key, allow_operation=False)
    except (TypeError, ValueError, KeyError) as error:
        words = error.args[0] if error.args else error
        raise TypeError(f"Cannot interpret feed_dict key as Tensor: {words}") from None
    if not graph.is_feedable(found):
        raise ValueError(f"Tensor {found.name} may not be fed.")
    return found


def _value_for(x: SymbolicTensor, value: Any) -> Array:
    """A fed value as an array of the tensor's dtype and shape."""
    if isinstance(value, SymbolicTensor):
        raise TypeError(
            "The value of a feed cannot be a tf.Tensor object. Acceptable feed values include "
            "Python scalars, strings, lists, numpy ndarrays, or TensorHandles. "
            f"Run {value!r} first, and feed what comes out."
        )
    dtype = of_numpy(x._array.dtype)
    if dtype.is_integer and type(value) in (int, float) and not _fits(value, dtype):
        raise TypeError(
            f"Type of feed value {value} with type {type(value)} is not compatible with Tensor "
            f"type {dtype.name}. Try explicitly setting the type of the feed tensor to a larger "
            "type (e.g. int64)."
        )
    if isinstance(value, Tensor):
        value = np.asarray(value)
    if dtype is not string and hasattr(value, "_session_value"):  # the handle of a value kept
        value = value._session_value()
    array = as_array(_fed(value, dtype), dtype)
    known = x.shape
    if not known.is_compatible_with(array.shape):
        raise ValueError(
            f"Cannot feed value of shape {array.shape} for Tensor {x.name}, which has shape "
            f"{known} (it was made at {x.op.place})."
        )
    return array


def _fed(value: object, dtype: DType) -> object:
    """A fed value as an array; text and objects become numbers, as NumPy reads them."""
    if dtype is string:
        return value
    array = np.asarray(value)
    is_read = array.dtype.kind in "US" or (array.dtype.kind == "O" and array.ndim)
    return array.astype(dtype.numpy_dtype) if is_read else array


def _fits(value: float, dtype: DType) -> bool:
    limits = np.iinfo(dtype.as_numpy_dtype)
    return int(value) == value and limits.min <= value <= limits.max


def _put_back(kept: Sequence[tuple[Any, Any]]) -> None:
    for cell, state in kept:
        cell.put_back(state)
