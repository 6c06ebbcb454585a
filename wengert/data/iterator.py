"""Iterators: one element of a dataset after the other, eagerly, in functions and in sessions."""

from __future__ import annotations

import json
from collections.abc import Iterator as PythonIterator
from typing import Any, Final

import numpy as np

from wengert.core.context import activate, current_graph
from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.data.elements import Layout, mapped, specs_of
from wengert.data.optional import GET_VALUE_FORMS, Optional, optional_of
from wengert.data.pipeline import BY_HANDLE, RESOURCE_FORM, VARIANT_FORM, Pass, Pipeline
from wengert.engines.numpy_engine import NumpyPlan
from wengert.errors import InvalidArgumentError, OutOfRangeError
from wengert.execution.plan import Plan
from wengert.state.cell import new_resource, resource
from wengert.values import dtypes
from wengert.values.composite import Composite
from wengert.values.convert import convert
from wengert.values.dtypes import bool_, string
from wengert.values.known_places import known_as
from wengert.values.tensor import Tensor, wrap
from wengert.values.type_spec import TensorSpec, TypeSpec

# ---- rows ---------------------------------------------------------------------------------------


def _next(_: Any, running: Pass, *, layout: Layout) -> list[Any]:
    return layout.arrays(running.next())


NEXT: Final = Row(
    "IteratorGetNext",
    _next,
    forms=GET_VALUE_FORMS,
    many=True,
    stateful=True,
    effects=True,
    users=True,
)


def _next_or_none(_: Any, running: Pass, *, layout: Layout) -> Any:
    return optional_of(running.next() if running.has_next() else None)


NEXT_OPTIONAL: Final = Row(
    "IteratorGetNextAsOptional",
    _next_or_none,
    forms=lambda xs, attrs: [VARIANT_FORM],
    stateful=True,
    effects=True,
    users=True,
)
HAS_NEXT: Final = Row(
    "IteratorHasNext",
    lambda _, running: np.array(running.has_next()),
    forms=lambda xs, attrs: [((), bool_.numpy_dtype)],
    stateful=True,
    effects=True,
    users=True,
)
BEGIN: Final = Row(
    "OneShotIterator",
    lambda _, pipeline: Pass(pipeline),
    forms=lambda xs, attrs: [RESOURCE_FORM],
    stateful=True,
)


def _none_here(_: Any, **__: Any) -> Any:
    raise TypeError("An iterator stands in a graph; a session brings its elements.")


HANDLE: Final = Row("IteratorV2", _none_here, forms=lambda xs, attrs: [RESOURCE_FORM])
resource("IteratorV2", lambda op: Pass(name=op.name))


ONCE: Final = Row("SessionsOneShotIterator", _none_here, forms=lambda xs, attrs: [RESOURCE_FORM])
resource("SessionsOneShotIterator", lambda op: Pass(_in_a_session(op.attrs["pipeline"]), op.name))


def _in_a_session(variant_tensor: Any) -> Pipeline:
    """The pipeline that a tensor of a graph stands for; it depends on nothing that is fed."""
    plan = Plan([variant_tensor], [])
    with activate((), None):
        found: Pipeline = NumpyPlan(plan)([new_resource(op) for op in plan.resources])[0]
    return found


def _initialized(_: Any, running: Pass, pipeline: Pipeline) -> list[Any]:
    running.begin(pipeline)
    return []


INITIALIZE: Final = Row(
    "MakeIterator", _initialized, forms=lambda xs, attrs: [], many=True, stateful=True, effects=True
)


def _handled(_: Any, running: Pass) -> Any:
    handle = f"{running.name}/{id(running)}"
    BY_HANDLE[handle] = running
    return np.array(handle.encode(), object)


TO_HANDLE: Final = Row(
    "IteratorToStringHandle",
    _handled,
    forms=lambda xs, attrs: [((), string.numpy_dtype)],
    stateful=True,
)


def _of_handle(_: Any, handle: Any) -> Any:
    found = BY_HANDLE.get(np.asarray(handle, object).item().decode())
    if found is None:
        raise InvalidArgumentError(
            f"{handle} is the handle of no iterator that is there: run iterator.string_handle()."
        )
    return found


FROM_HANDLE: Final = Row(
    "IteratorFromStringHandleV2", _of_handle, forms=lambda xs, attrs: [RESOURCE_FORM], stateful=True
)

_STATE: Final = "ITERATOR_STATE"


# ---- what users see -----------------------------------------------------------------------------


class IteratorBase(Composite):
    """The elements of a dataset, one after the other.

    >>> iterator = iter(tf.data.Dataset.range(2))
    >>> iterator.get_next().numpy(), next(iterator).numpy(), next(iterator, "no more")
    (np.int64(0), np.int64(1), 'no more')
    """

    __slots__ = ("__weakref__", "_handle", "_layout")

    def __init__(self, handle: Tensor, layout: Layout) -> None:
        self._handle = handle
        self._layout = layout

    @property
    def element_spec(self) -> Any:
        """The specs of the elements, nested as they are."""
        return self._layout.spec

    _element_spec = element_spec

    @property
    def _iterator_resource(self) -> Tensor:
        return self._handle

    def get_next(self, name: str | None = None) -> Any:
        """The next element; after the last, an `tf.errors.OutOfRangeError`."""
        if current_graph() is None and type(self._handle) is Tensor:
            return self._layout.value(self._handle._array.next())
        made = apply(NEXT, [self._handle], {"layout": self._layout}, name or "IteratorGetNext")
        return self._layout.nested(made)

    def get_next_as_optional(self) -> Optional:
        """The next element as an Optional, which has no value after the last."""
        made = apply(NEXT_OPTIONAL, [self._handle], {"layout": self._layout})
        return Optional(made, self._layout.spec)

    def __next__(self) -> Any:
        try:
            return self.get_next()
        except OutOfRangeError:
            raise StopIteration from None

    next = __next__  # as TensorFlow's iterators have it, from Python 2

    def __iter__(self) -> PythonIterator[Any]:
        return self

    def _in_rounds(self) -> tuple[Any, Any]:
        """For loops on tensors: whether there is another element, and the element."""
        return lambda: apply(HAS_NEXT, [self._handle]), self.get_next

    # ---- as a value made of tensors ----------------------------------------------------------

    @property
    def _type_spec(self) -> IteratorSpec:
        return IteratorSpec(self.element_spec)

    # ---- where it is, for checkpoints --------------------------------------------------------

    def kept(self) -> Any:
        """Where it is, to be put back with `put_back`."""
        return self._handle._array.kept()

    def put_back(self, kept: Any) -> None:
        """Go on from where it was."""
        self._handle._array.put_back(kept)

    def _serialize_to_tensors(self) -> dict[str, Any]:
        given, seeds = self.kept()
        return {_STATE: convert(json.dumps([given, seeds]))}

    def _restore_from_tensors(self, restored_tensors: dict[str, Any]) -> None:
        given, seeds = json.loads(np.asarray(restored_tensors[_STATE]).item())
        self.put_back((given, [tuple(seed) for seed in seeds]))

    def __repr__(self) -> str:
        return f"<wengert.data.Iterator element_spec={self.element_spec}>"


class OwnedIterator(IteratorBase):
    """The iterator that `iter(dataset)` returns."""

    __slots__ = ()

    @property
    def _dataset(self) -> Pipeline:
        found: Pipeline = self._handle._array.pipeline
        return found


class IteratorSpec(TypeSpec):
    """The type spec of iterators.

    >>> iter(tf.data.Dataset.range(2))._type_spec
    IteratorSpec(TensorSpec(shape=(), dtype=tf.int64, name=None))
    """

    __slots__ = ("_element_spec",)

    def __init__(self, element_spec: Any) -> None:
        self._element_spec = element_spec

    @classmethod
    def from_value(cls, value: IteratorBase) -> IteratorSpec:
        """The spec of an iterator."""
        return cls(value.element_spec)

    @property
    def value_type(self) -> Any:
        """The class of iterators."""
        return OwnedIterator

    @property
    def element_spec(self) -> Any:
        """The specs of the elements."""
        return self._element_spec

    def _serialize(self) -> Any:
        return (self._element_spec,)

    @property
    def _component_specs(self) -> Any:
        return [TensorSpec([], dtypes.resource)]

    def _to_components(self, value: Any) -> Any:
        return [value._handle]

    def _from_components(self, components: Any) -> Any:
        (handle,) = components
        return OwnedIterator(handle, Layout(self._element_spec))

    def __repr__(self) -> str:
        return f"IteratorSpec({self._element_spec})"


def begun(pipeline: Tensor, layout: Layout) -> OwnedIterator:
    """An iterator at the beginning of a dataset."""
    if current_graph() is None:
        return OwnedIterator(wrap(Pass(pipeline._array)), layout)
    return OwnedIterator(apply(BEGIN, [pipeline]), layout)


class NumpyIterator:
    """The elements of a dataset as NumPy arrays."""

    def __init__(self, iterator: OwnedIterator, in_numpy: Any) -> None:
        self._iterator = iterator
        self._in_numpy = in_numpy

    def __iter__(self) -> NumpyIterator:
        return self

    def __next__(self) -> Any:
        return self._in_numpy(next(self._iterator))


# ---- iterators of version 1 ---------------------------------------------------------------------


class Iterator(IteratorBase):
    """An iterator of a graph, whose elements a session brings.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     dataset = tf.data.Dataset.range(2)
    ...     element = tf.compat.v1.data.make_one_shot_iterator(dataset).get_next()
    ...     session.run(element), session.run(element)
    (np.int64(0), np.int64(1))
    """

    __slots__ = ("_initializer",)

    def __init__(self, handle: Tensor, layout: Layout, initializer: Any = None) -> None:
        super().__init__(handle, layout)
        self._initializer = initializer

    @property
    def initializer(self) -> Any:
        """The operation that begins anew."""
        if self._initializer is None:
            raise ValueError(
                "The iterator does not have an initializer. This means it was likely created using "
                "`tf.data.Dataset.make_one_shot_iterator()`. For an initializable iterator, use "
                "`tf.data.Dataset.make_initializable_iterator()` instead."
            )
        return self._initializer

    @property
    def output_types(self) -> Any:
        """The dtypes of the components."""
        return legacy(self.element_spec, "dtype")

    @property
    def output_shapes(self) -> Any:
        """The shapes of the components."""
        return legacy(self.element_spec, "shape")

    @property
    def output_classes(self) -> Any:
        """The classes of the components."""
        return legacy(self.element_spec, "value_type")

    def make_initializer(self, dataset: Any, name: str | None = None) -> Any:
        """An operation that begins a pass through a dataset."""
        specs = self._layout.spec, dataset.element_spec
        if not Layout(specs[0]).takes(specs[1]):
            raise TypeError(
                f"Expected output types {specs[0]!r} but got dataset with output types {specs[1]!r}."
            )
        apply(INITIALIZE, [self._handle, dataset._variant_tensor], {}, name)
        return current_graph().operations[-1]

    def string_handle(self, name: str | None = None) -> Tensor:
        """A string that stands for the iterator, to be fed to `from_string_handle`."""
        made: Tensor = apply(TO_HANDLE, [self._handle], {}, name)
        return made

    @staticmethod
    def from_structure(
        output_types: Any,
        output_shapes: Any = None,
        shared_name: str | None = None,
        output_classes: Any = None,
    ) -> Iterator:
        """An iterator for datasets of these types, which `make_initializer` begins."""
        layout = Layout(specs_of(output_types, output_shapes))
        return Iterator(current_graph().add(HANDLE, (), {}, "Iterator").outputs[0], layout)

    @staticmethod
    def from_string_handle(
        string_handle: Any,
        output_types: Any,
        output_shapes: Any = None,
        output_classes: Any = None,
    ) -> Iterator:
        """The iterator that a string stands for."""
        layout = Layout(specs_of(output_types, output_shapes))
        return Iterator(apply(FROM_HANDLE, [convert(string_handle, string)]), layout)


def legacy(spec: Any, what: str) -> Any:
    """The dtypes, shapes or classes of nested specs."""
    return mapped(lambda leaf: getattr(leaf, what), spec)


def one_shot(dataset: Any) -> Any:
    """An iterator that goes once through a dataset; in a graph, each session its own."""
    if current_graph() is None:
        return begun(dataset._variant_tensor, dataset._layout)
    graph = current_graph()
    attrs = {"pipeline": dataset._variant_tensor}
    handle = graph.add(ONCE, (), attrs, "OneShotIterator").outputs[0]
    return Iterator(handle, dataset._layout)


def initializable(dataset: Any, shared_name: str | None = None) -> Any:
    """An iterator whose `initializer` begins a pass through a dataset."""
    graph = current_graph()
    if graph is None:
        raise RuntimeError(
            "dataset.make_initializable_iterator is not supported when eager execution is enabled. "
            "Use `for element in dataset` instead."
        )
    made = Iterator(graph.add(HANDLE, (), {}, "Iterator").outputs[0], dataset._layout)
    made._initializer = made.make_initializer(dataset)
    return made


known_as(OwnedIterator, "data.ops.iterator_ops.OwnedIterator")
known_as(Iterator, "data.ops.iterator_ops.Iterator")
