"""Deferred calls: put off until the graph runs, as they need what is unknown before.

Most public functions look at shapes: a reshape computes its -1, a reduction its axes. If a shape is
not known when the graph is built, the whole call becomes one node. When the graph runs, and
everything is known, the node makes the call itself; its gradient makes it on a tape.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from typing import Any, ClassVar, Final, NamedTuple

import numpy as np

from wengert.core.context import (
    activate,
    apply_overrides,
    call,
    current_graph,
    graph_around,
    note,
    override_rows,
    thread,
)
from wengert.core.dispatch import apply
from wengert.core.reverse import conjugate, pull_through
from wengert.core.row import Attrs, Row
from wengert.errors import LeakedTensorError, SymbolicValueError
from wengert.inference.example_calls import for_each
from wengert.inference.shape_inference import (
    GUESSES,
    MISFIT,
    ONES,
    Guess,
    infer_zeros,
    last_resorts,
    ranks_apart,
    ranks_in_common,
)
from wengert.inference.stated_shapes import in_agreement, stated_shape
from wengert.inference.symbolic_integers import integer, integers_of
from wengert.values import nest
from wengert.values.bound_ops import bound
from wengert.values.convert import convert
from wengert.values.indexed_slices import IndexedSlices
from wengert.values.sizes import Size, Symbol, composed, maximum, only_shapes
from wengert.values.symbolic import AnyShape, SymbolicTensor, count_of, is_absent, is_certain
from wengert.values.tensor import Tensor, wrap
from wengert.values.value import Value


def put_off(
    graph: Any, function: Callable[..., Any], args: Any, kwargs: Any, error: SymbolicValueError
) -> Any:
    """A node that makes the call when the graph runs."""
    later = _Call(graph, function, args, kwargs)
    if not later.inputs:  # it uses nothing of the graph: the result is known now
        with activate((), None):
            found = function(*args, **kwargs)
        return nest.map_structure(graph.entered, found)
    outcome = _outcome(later)
    if outcome is None:
        raise error
    return _added(graph, later, outcome)


def put_off_like(
    graph: Any, function: Callable[..., Sequence[Any]], args: Any, asked: list[Any]
) -> list[Any]:
    """A node for a call that returns, for each of some values, one like it, or None."""
    name = getattr(function, "__name__", "Call").title().replace("_", "")
    forms = [x._array for x in asked if x is not None]
    outcome = _Outcome(name, asked, [(graph.own_shape(f.shape), f.dtype) for f in forms])
    made: list[Any] = _added(graph, _Call(graph, _like(function), (args, asked), {}), outcome)
    return made


def _like(function: Callable[..., Sequence[Any]]) -> Callable[..., list[Any]]:
    """The same function, with zeros or None where some values say so."""

    def like_asked(args: Any, asked: Sequence[Any]) -> list[Any]:
        found = zip(function(*args), asked, strict=True)
        return [None if x is None else bound.zeros_like(x) if y is None else y for y, x in found]

    like_asked.of = function  # type: ignore[attr-defined]  # for what looks at the node
    return like_asked


def _added(graph: Any, later: _Call, outcome: _Outcome) -> Any:
    rules = thread.context.overrides | graph.overrides
    op = graph.add(later.row(outcome, rules), later.inputs, {}, outcome.kind, outcome.known)
    graph.told(op)
    return outcome.packed(op.outputs)


class _Outcome:
    """What a call returns: a structure, with None where there will be no value."""

    def __init__(self, kind: str, result: Any, known: list[Any]) -> None:
        self.kind = kind
        self.known = known
        self._structure = result
        self._there = [leaf is not None for leaf in _leaves(result)]

    def values(self, result: Any) -> list[Any]:
        """The values as eager tensors; None where a run returned less than expected."""
        return [v for v, there in zip(_leaves(result), self._there, strict=True) if there]

    def packed(self, tensors: Sequence[Any]) -> Any:
        given = iter(tensors)
        found = iter([next(given) if there else None for there in self._there])
        leaves = [
            leaf._with_parts(found) if _has_parts(leaf) else next(found)
            for leaf in nest.flatten(self._structure)
        ]
        return nest.pack_sequence_as(self._structure, leaves)


def tensors_in(result: Any) -> list[Any]:
    """What a node that makes a call gives: the tensors of a result, also of composite values in it."""
    return [leaf for leaf in _leaves(result) if leaf is not None]


def _leaves(structure: Any) -> list[Any]:
    found: list[Any] = []
    for leaf in nest.flatten(structure):
        if _has_parts(leaf):
            found += leaf._parts()
        else:
            found.append(bound.to_dense(leaf) if isinstance(leaf, IndexedSlices) else leaf)
    return found


def _has_parts(value: Any) -> bool:
    """Whether a value is composed of several tensors; not IndexedSlices, which become dense."""
    return nest.is_composite(value) and not isinstance(value, IndexedSlices)


class _Call:
    """A function with arguments, in which some tensors and sizes are not known yet."""

    def __init__(self, graph: Any, function: Callable[..., Any], args: Any, kwargs: Any) -> None:
        self.graph = graph
        self.function = function
        self.args = args
        self.kwargs = kwargs
        self.inputs: list[Any] = []
        self.shapes: list[tuple[int, ...]] = []  # of arrays and lists among the arguments
        self._places: dict[int, int] = {}
        self._args = self._noted(args)
        self._kwargs = self._noted(kwargs)

    def _noted(self, value: Any) -> Any:
        """The arguments, with a placeholder for each value that is known only at run time."""
        if isinstance(value, IndexedSlices):
            parts = [value.values, value.indices, value._dense_shape]
            return Slices(*[self._noted(p) for p in parts])
        if _has_parts(value):
            return Parts(value, [self._noted(p) for p in value._parts()])
        if isinstance(value, Value):
            return Place(self._at(convert(value)))
        if isinstance(value, Size):
            return Term(_said(value, self._at))
        if isinstance(value, AnyShape):
            return Place(self._at(value.tensor), whole_shape=True)
        if isinstance(value, slice):
            return slice(*[self._noted(p) for p in (value.start, value.stop, value.step)])
        if nest.is_nested(value) and len(value):
            self.shapes.append((len(value),))
            return nest.map_parts(self._noted, value)
        if isinstance(value, np.ndarray):
            self.shapes.append(value.shape)
        return value

    def _at(self, value: Any) -> int:
        tensor = self.graph.entered(value)
        if id(tensor) not in self._places:
            self._places[id(tensor)] = len(self.inputs)
            self.inputs.append(tensor)
        return self._places[id(tensor)]

    # ---- making the call ---------------------------------------------------------------------

    def run_on(self, values: Sequence[Any]) -> Any:
        """Make the call on eager tensors."""
        args = filled(self._args, values)
        kwargs = filled(self._kwargs, values)
        try:
            return call(self.function, *args, **kwargs)
        except LeakedTensorError as error:
            return for_each(self.function, args, kwargs, error)

    def row(self, outcome: _Outcome, rules: dict[str, Any], overrides: Any = None) -> Row:
        """The node's row, with the overrides in force at the call, and those of a gradient."""

        def made(values: Sequence[Any]) -> list[Any]:
            with override_rows(rules):
                return outcome.values(self.run_on(values))

        def kernel(_: Any, *arrays: Any) -> list[Any]:
            if all(map(is_absent, self.inputs, arrays)):
                return [arrays[0]] * len(outcome.known)
            with activate((), None):
                result = self.run_on([wrap(a) for a in arrays])
            return [v._array for v in outcome.values(result)]

        def joint(gs: Any, ys: Any, xs: Any, attrs: Attrs) -> list[Any]:
            plain_call = None if rules or overrides else self
            gradient = _PulledBack(lambda *values: made(values), overrides, plain_call)
            plain = [conjugate(g) for g in gs]
            if current_graph() is not None:
                return [conjugate(g) for g in gradient.later(plain, xs)]
            with only_shapes() if graph_around() is not None else nullcontext():
                # In a batch within a graph: what sizes must be, the call itself has checked.
                return [conjugate(g) for g in gradient.now(plain, xs)]

        return Row(
            outcome.kind,
            kernel,
            joint=joint,
            inline=DeferredCall(self, made, not rules and overrides is None),
            many=True,
            overridden=lambda overrides: self.row(outcome, rules, overrides),
        )


class DeferredCall:
    """Makes a deferred call where it stands; `call` is for what writes graphs."""

    def __init__(
        self, call: _Call, made: Callable[[Sequence[Any]], list[Any]], is_plain: bool
    ) -> None:
        self.call = call
        self.is_plain = is_plain  # without overrides
        self._made = made

    def __call__(self, inputs: Sequence[Any], attrs: Attrs) -> list[Any]:
        """Make the call on these inputs."""
        return self._made(inputs)


def call_of(row: Row) -> tuple[Callable[..., Any], Any, Any] | None:
    """The function of a deferred call and its arguments, with a `Place` for each input; or None."""
    if not isinstance(row.inline, DeferredCall):
        return None
    found = row.inline.call
    return found.function, found._args, found._kwargs


def name_of(function: Callable[..., Any]) -> tuple[str, str]:
    """The module and the name of what is called where a public function is."""
    called = inspect.unwrap(function)
    return called.__module__, called.__qualname__


class Call(NamedTuple):
    """A deferred call with arguments by position alone, and without overrides."""

    function: Callable[..., Any]
    args: Any

    @property
    def name(self) -> tuple[str, str]:
        """The module and the name of the function."""
        return name_of(self.function)


class GradientCall(NamedTuple):
    """The gradient of such a call: the places of cotangents, and of what the call takes."""

    call: Call
    gs: Sequence[Place]
    xs: Sequence[Place]


def plain_call_of(row: Row) -> Call | None:
    """The call that a node makes; None if it has overrides, or arguments that have no position."""
    inline = row.inline
    if not isinstance(inline, DeferredCall) or not inline.is_plain:
        return None
    return _by_position(inline.call)


def _by_position(call: _Call) -> Call | None:
    """A call with its arguments by name, too, in their positions, unless one before them is missing."""
    if not call._kwargs:
        return Call(call.function, call._args)
    try:
        given = inspect.signature(call.function).bind(*call._args, **call._kwargs)
    except TypeError:
        return None
    return None if given.kwargs else Call(call.function, given.args)


def gradient_call_of(row: Row) -> GradientCall | None:
    """The call whose gradient a node computes; None where that is not so simple."""
    found = plain_call_of(row)
    pulled = None if found is None else _pulled_call(found.function)
    call = None if pulled is None else _by_position(pulled)
    if found is None or call is None:
        return None
    gs, xs = found.args[0]
    if any(type(place) is not Place for place in (*gs, *xs)):
        return None
    return GradientCall(call, gs, xs)


def call_pulled_back(function: Any) -> tuple[Callable[..., Any], Any, Any] | None:
    """The call, as `call_of` gives it, of which a function computes the gradient; or None."""
    call = _pulled_call(function)
    return None if call is None else (call.function, call._args, call._kwargs)


def _pulled_call(function: Any) -> _Call | None:
    owner = getattr(getattr(function, "of", None), "__self__", None)
    return owner.call if isinstance(owner, _PulledBack) else None


def told_call(function: Callable[..., Any], args: Any, kwargs: Any) -> _Call:
    """A call that was read: its arguments have placeholders already."""
    told = _Call(None, function, (), {})
    told._args, told._kwargs = args, kwargs
    return told


def _pulled_back(call: _Call) -> _PulledBack:
    """The gradient of a call that was read."""
    return _PulledBack(lambda *values: tensors_in(call.run_on(values)), None, call)


def gradient_function(call: _Call) -> Callable[..., list[Any]]:
    """What computes the gradient of a call: of cotangents and of what it takes, like some values."""
    return _like(_pulled_back(call).now)


def gradient_node(call: _Call, places: Any, asked: list[Any]) -> list[Any]:
    """The same as a node of the current graph."""
    found = put_off_like(current_graph(), _pulled_back(call).now, places, asked)
    return [g for g in found if g is not None]


class _PulledBack:
    """The gradient of a call: the call is made on a tape."""

    def __init__(
        self,
        made: Callable[..., list[Any]],
        overrides: Any = None,
        call: _Call | None = None,
    ) -> None:
        self._call = made
        self._overrides = overrides
        self.call = call  # what `made` calls, unless there are overrides

    def now(self, gs: Sequence[Any], xs: Sequence[Any]) -> list[Any]:
        with apply_overrides(self._overrides, must=False):
            return pull_through(self._call, xs, gs)

    def later(self, gs: Sequence[Any], xs: Sequence[Any]) -> list[Any]:
        """A node that computes the gradients when the graph runs."""
        pairs = zip(xs, self._connected(xs), strict=True)
        return put_off_like(
            current_graph(), self.now, (gs, xs), [x if t else None for x, t in pairs]
        )

    def _connected(self, xs: Sequence[Any]) -> list[bool]:
        """Which inputs have a gradient."""
        few = all(_is_little(x) for x in xs)
        for guess in GUESSES if few else _SMALL:
            values = Guessed(guess)
            try:
                with activate((), None):
                    inputs = [wrap(values.value_of(x)) for x in xs]
                    seeds = [bound.zeros_like(y) for y in self._call(*inputs)]
                    return [g is not None for g in pull_through(self._call, inputs, seeds)]
            except MISFIT:
                continue
        return [x.dtype.is_differentiable for x in xs]


# Guesses with which calls are made, not only inferred, where the usual ones would make large arrays.
_SMALL: Final = (Guess(4, 1, 0), Guess(6, 2, 1))


def _is_little(x: Any) -> bool:
    """Whether the usual guesses make a small array of a tensor, whose calls can be made on trial."""
    return all(math.prod(guess.shape(x._array.shape)) <= 1 << 14 for guess in GUESSES)


class Place:
    """The placeholder of an input: the tensor itself, or its shape."""

    __slots__ = ("index", "whole_shape")

    def __init__(self, index: int, whole_shape: bool = False) -> None:
        self.index = index
        self.whole_shape = whole_shape

    def pick(self, values: Sequence[Any]) -> Any:
        """The input among those of a run."""
        value = values[self.index]
        return value._array.shape if self.whole_shape else value


class Term:
    """The placeholder of a size that is computed from inputs: said in plain numbers and words."""

    __slots__ = ("said",)

    def __init__(self, said: Any) -> None:
        self.said = said

    def pick(self, values: Sequence[Any]) -> Any:
        """The size, from the inputs of a run."""
        return _value_of(self.said, values)


def _said(size: Any, place_of: Callable[[Any], int]) -> Any:
    """A term: a constant and products, each a factor and atoms."""
    if type(size) is not Size:
        return int(size)
    terms = [[n, [_said_of(atom, place_of) for atom in atoms]] for atoms, n in size.terms]
    return [size.constant, terms]


def _said_of(atom: Any, place_of: Callable[[Any], int]) -> list[Any]:
    if type(atom) is Symbol:
        return ["input", place_of(atom.tensor), atom.axis, atom.element]
    return [atom.kind, *[_said(part, place_of) for part in atom.parts]]


def _value_of(said: Any, values: Sequence[Any]) -> Any:
    """The value of a term from those of inputs, or a term of another graph."""
    if isinstance(said, int):
        return said
    total, terms = said
    for product, atoms in terms:
        for kind, *parts in atoms:
            if kind == "input":
                at, axis, element = parts
                factor = _of_symbol(Symbol(values[at], axis, element), values[at])
            else:
                factor = composed(kind, [_value_of(part, values) for part in parts], maximum)
            product = product * factor
        total = total + product
    return total


def _of_symbol(symbol: Symbol, value: Any) -> Any:
    """The value of a symbol, from its tensor's value, or from a tensor of another graph."""
    if type(value) is not SymbolicTensor:
        return symbol.measure(value._array)
    if symbol.element is not None:
        integers = integers_of(value)
        return integer(value) if integers is None else integers.ravel()[symbol.element]
    shape = value._array.shape
    return count_of(shape) if symbol.axis is None else shape[symbol.axis]


class Slices:
    """The placeholder of IndexedSlices."""

    __slots__ = ("parts",)

    def __init__(self, *parts: Any) -> None:
        self.parts = parts


class Parts:
    """The placeholder of a value that is composed of tensors."""

    __slots__ = ("like", "parts")

    def __init__(self, like: Any, parts: list[Any]) -> None:
        self.like = like
        self.parts = parts


def filled(value: Any, values: Sequence[Any]) -> Any:
    """Arguments with the inputs of a run in place of placeholders."""
    if type(value) in (Place, Term):
        return value.pick(values)
    if type(value) is Slices:
        return IndexedSlices(*[filled(p, values) for p in value.parts])
    if type(value) is Parts:
        return value.like._with_parts(iter([filled(p, values) for p in value.parts]))
    if isinstance(value, slice):
        return slice(*[filled(p, values) for p in (value.start, value.stop, value.step)])
    if nest.is_nested(value) and len(value):
        return nest.map_parts(lambda part: filled(part, values), value)
    return value


# ---- the form of the result -------------------------------------------------------------------


class _Foreseeing:
    """An interpreter of operations on guesses: runs them, or only infers the forms of results.

    It remembers the last operation, after which the call is named.
    """

    building: ClassVar[None] = None

    def __init__(self) -> None:
        self.kind = ""
        self.draws = False

    def apply(self, row: Row, inputs: Sequence[Any], attrs: Attrs, name: str | None = None) -> Any:
        self.kind = row.name
        self.draws |= row.stateful
        result = self._result(row, inputs, attrs)
        note(row, inputs, attrs, result)
        return result

    def _result(self, row: Row, inputs: Sequence[Any], attrs: Attrs) -> Any:
        known = None if row.many else infer_zeros(row, [x._array for x in inputs], attrs)
        if known is not None:
            return wrap(known)
        with activate((), None):
            return apply(row, inputs, attrs)

    def announce(self, row: Row, inputs: Sequence[Any], attrs: Attrs, result: Any) -> Any:
        self.kind = row.name
        note(row, inputs, attrs, result)
        return result

    def accessed(self, variable: Any) -> None:
        pass


def _outcome(call: _Call) -> _Outcome | None:
    """What the call will return: proved if possible, otherwise inferred from guesses."""
    found = _proved(call) or _guessed(call)
    if found is not None and len(found.known) == 1:
        ((shape, dtype),) = found.known
        stated = stated_shape(call.function, call.args, call.kwargs)
        found.known = [(in_agreement(stated, shape), dtype)]
    return found


def _proved(call: _Call) -> _Outcome | None:
    """The shapes of the results in symbolic sizes: the call is made on the graph's own tensors.

    What that adds to the graph is removed again. Attributes may be symbolic sizes meanwhile.
    """
    graph = call.graph
    count = len(graph.operations)
    with graph.looked_at(), activate((), graph):
        try:
            result = call.function(*call.args, **call.kwargs)
            leaves = [graph.entered(convert(x)) for x in _leaves(result) if x is not None]
        except (*MISFIT, AttributeError):  # a size does not support all that a number does
            return None
        added = graph.operations[count:]
    if any(op.row.stateful for op in added):
        return None  # its gradient would draw other numbers
    gone = {id(op) for op in added}
    known = [(_lasting(leaf._array.shape, gone), leaf._array.dtype) for leaf in leaves]
    kind = added[-1].type if added else _kind_of(call)
    return _Outcome(kind, result, known)


def _lasting(shape: Any, gone: set[int]) -> Any:
    """A shape without sizes that depend on removed operations."""
    if isinstance(shape, AnyShape):
        return None if id(shape.tensor.op) in gone else shape
    return tuple([None if _follows_from(size, gone) else size for size in shape])


def _follows_from(size: Any, gone: set[int]) -> bool:
    return type(size) is Size and any(id(s.tensor.op) in gone for s in size.symbols)


def _guessed(call: _Call) -> _Outcome | None:
    """Make the call on guesses: what the outcomes agree on is the dtype, and the rank."""
    outcomes: list[list[Any]] = []
    ones: list[list[Any]] = []
    structures: list[Any] = []
    foreseeing = _Foreseeing()
    for one in _tries(call):
        if one.last_resort and (outcomes or ones):
            break
        values = Guessed(one.guess, one.others)
        try:
            with activate((), foreseeing), only_shapes():
                result = call.run_on([wrap(values.value_of(x)) for x in call.inputs])
        except MISFIT:
            continue
        leaves = [convert(leaf)._array for leaf in _leaves(result) if leaf is not None]
        if structures and len(leaves) != len((outcomes or ones)[0]):
            return None  # the number of results depends on what is unknown
        structures.append(result)
        (outcomes if one.is_usual else ones).append(leaves)
    if foreseeing.draws:
        return None  # its gradient would draw other numbers
    kind = foreseeing.kind or _kind_of(call)
    if not structures:
        return _unforeseen(call)
    structure = _in_common(structures)
    if not outcomes:
        return _Outcome(kind, structure, [(None, np.asarray(leaf).dtype) for leaf in ones[0]])
    ranks_known = all(map(_tells_ranks, call.inputs))
    forms = ranks_in_common(outcomes, len(outcomes) == len(GUESSES) or ranks_known, ones)
    return _Outcome(kind, structure, forms)


def _tells_ranks(x: Any) -> bool:
    """Whether guesses of an input reveal ranks: not if it is integers that may be a shape."""
    shape, dtype = x._array.shape, x._array.dtype
    return isinstance(shape, tuple) and (dtype.kind not in "iu" or is_certain(shape))


def _in_common(structures: list[Any]) -> Any:
    """The first structure, with composite values stripped of what holds for one guess only."""

    def common(first: Any, *others: Any) -> Any:
        return first._in_common(others) if hasattr(first, "_in_common") else first

    first, *others = map(nest.flatten, structures)
    leaves = [common(*leaf) for leaf in zip(first, *others, strict=True)]
    return nest.pack_sequence_as(structures[0], leaves)


def _kind_of(call: _Call) -> str:
    return getattr(call.function, "__name__", "Call").strip("_<>")


class _Try(NamedTuple):
    """A guess to make, and other guesses for single inputs."""

    guess: Guess
    others: dict[int, Guess]
    last_resort: bool = False  # only if all others failed

    @property
    def is_usual(self) -> bool:
        return self.guess in GUESSES and not self.others


# Of another size than the others, so that it shows, too, what depends on a guess.
BATCH: Final = Guess(36, 3, GUESSES[1].value)
# Of more axes than programs count off: the shape of few, without its last two, is always empty.
MANY_AXES: Final = Guess(1, 9, 0)


def _tries(call: _Call) -> Iterator[_Try]:
    """First all ranks alike, then different ones, then last resorts."""
    for guess in (*GUESSES, ONES):
        yield _Try(guess, {})
    shapes = [x._array.shape for x in call.inputs]

    def of_each(guesses: Sequence[Guess]) -> dict[int, Guess]:
        return {id(x): guess for x, guess in zip(call.inputs, guesses, strict=True)}

    if any(isinstance(shape, AnyShape) for shape in shapes):
        yield _Try(BATCH, {})  # of matrices, to which others may broadcast
    if not all(map(_tells_ranks, call.inputs)):
        yield _Try(MANY_AXES, {})
    for apart in ranks_apart(shapes):
        yield _Try(GUESSES[1], of_each(apart))
    for resort in last_resorts(shapes, call.shapes):
        yield _Try(resort[0], of_each(resort), last_resort=True)


def _unforeseen(call: _Call) -> _Outcome | None:
    """Only the dtype is assumed: that of the first floating-point input."""
    dtypes = [x._array.dtype for x in call.inputs]
    if not dtypes:
        return None
    dtype = next((d for d in dtypes if d.kind in "fcV"), dtypes[0])
    name = _kind_of(call).title().replace("_", "")
    # A function may itself state the form of its result for a dtype, and for what it is given.
    says = getattr(call.function, "foreseen", None)
    return _Outcome(name, *(says(dtype, call.args) if says else (Tensor, [(None, dtype)])))


def _counts_values(op: Any) -> bool:
    """Whether a size of a result depends on the values of the inputs."""
    return op.row.by_value or has_sizes_by_value(op)


def has_sizes_by_value(op: Any) -> bool:
    """Whether sizes of results are not known, though those of the inputs are: they follow from values."""
    inputs, outputs = ([x._array.shape for x in xs] for xs in (op.inputs, op.outputs))
    return bool(inputs) and all(map(is_certain, inputs)) and not all(map(is_certain, outputs))


class Guessed:
    """Values of symbolic tensors under a guess.

    Integers, which may be sizes, are computed from the guessed shapes if they depend on nothing
    else.
    """

    def __init__(self, guess: Guess, others: dict[int, Guess] | None = None) -> None:
        self._guess = guess
        self._others = others or {}
        self._found: dict[int, Any] = {}

    def value_of(self, tensor: SymbolicTensor) -> Any:
        """The value of a tensor under the guess."""
        if type(tensor) is not SymbolicTensor:
            return tensor._array
        if tensor._known is not None:
            return tensor._known
        shape, dtype = tensor._array.shape, tensor._array.dtype
        has_own = id(tensor) in self._others and isinstance(shape, AnyShape)
        if dtype.kind not in "iu" or has_own:
            return self._guessed(tensor)
        return self._integers(tensor)

    def _is_certain(self, tensor: SymbolicTensor) -> bool:
        """Whether a value depends on no guess."""
        if type(tensor) is not SymbolicTensor or tensor._known is not None:
            return True
        op = tensor.op
        inputs = op.inputs
        return bool(inputs) and not op.row.stateful and all(map(self._is_certain, inputs))

    def _guessed(self, tensor: SymbolicTensor) -> Any:
        return self._others.get(id(tensor), self._guess).array(tensor._array)

    def _integers(self, tensor: SymbolicTensor) -> Any:
        key = id(tensor)
        if key not in self._found:
            op = tensor.op
            try:
                # A size that depends on values must not come out the same in all guesses.
                guessed = _counts_values(op) and not all(map(self._is_certain, op.inputs))
                if op.row.users or op.row.stateful or op.row.only_in_graphs or guessed:
                    raise SymbolicValueError(f"{op!r} runs with the graph, and not before.")
                results = op.row.kernel(np, *[self.value_of(x) for x in op.inputs], **op.attrs)
                self._found[key] = results[tensor.value_index] if op.row.many else results
            except MISFIT:
                self._found[key] = self._guessed(tensor)
        return self._found[key]
