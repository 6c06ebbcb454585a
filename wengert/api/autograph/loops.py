"""Loops: what `while` and `for` do, on tensors and on everything else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from inspect import unwrap
from typing import Any

from wengert.api.autograph.branches import Block
from wengert.api.autograph.expressions import Place
from wengert.api.autograph.state import ABSENT, State
from wengert.api.autograph.values import (
    Parts,
    are_composites,
    condition,
    has_variable,
    is_missing,
    is_staged,
    kind_of,
    pairs,
    read_variables,
    same_structure,
    trial,
    zeros_for,
)
from wengert.core.context import current_graph
from wengert.host.user_frames import callers_place
from wengert.inference.deferred_calls import call_of
from wengert.ops.arrays.creation import range_
from wengert.ops.arrays.creation import shape as shape_of
from wengert.ops.arrays.gathering import gather
from wengert.ops.control import while_loop as loops
from wengert.ops.control.effects import Assert
from wengert.ops.control.tensor_array import TensorArray
from wengert.ops.math.comparison import less
from wengert.ops.math.elementwise import cast
from wengert.ops.ragged.tensor import RaggedTensor
from wengert.values.composite import Composite
from wengert.values.convert import convert
from wengert.values.dtypes import int32
from wengert.values.shapes import TensorShape, is_as_general
from wengert.values.symbolic import SymbolicTensor
from wengert.values.type_spec import TypeSpec
from wengert.values.value import Value

Options = Callable[[], dict[str, Any]]


def while_loop(
    test: Block,
    body: Block,
    places: Sequence[Place],
    local: Sequence[Place],
    options: Options | None = None,
) -> None:
    """A `while`. The body writes the variables at `places`, and others that are not read again."""
    goes_on = test()
    if is_staged(goes_on):
        _Loop(State(places, local, test, body), options).run(
            lambda _: condition(test(), "while loop"), lambda _: body(), None
        )
        return
    while goes_on:
        body()
        goes_on = test()
        if is_staged(goes_on):
            raise NotImplementedError(
                "The condition of while loop started as non-Tensor, then changed to Tensor. This may "
                "happen either because variables changed type, or when a break or return statement "
                "inside the loop depends on a Tensor condition. Begin with a tensor: `while "
                f"tf.constant(True)`. (at {callers_place()})"
            )


def for_loop(
    items: Any,
    more: Block | None,
    body: Block,
    places: Sequence[Place],
    local: Sequence[Place],
    options: Options | None = None,
) -> None:
    """A `for`. `more` tells whether a jump left the loop."""
    loop = State(places, local, body, more)
    if goes_in_rounds(items):
        has_next, next_item = items._in_rounds()

        def goes_on(_: Any) -> Any:
            there = True if more is None else condition(more(), "for loop")
            return has_next() if there is True else there & has_next()

        widens = getattr(items, "_widens_in_rounds", False)
        _Loop(loop, options, widens).run(goes_on, lambda _: body(next_item()), None)
        return
    found = _items_of(items)
    if found is None:
        _in_python(items, more, body)
        return
    count, item = found

    def test(i: Any) -> Any:
        return True if more is None else condition(more(), "for loop")

    _Loop(loop, options).run(test, lambda i: body(item(i)), count)


def goes_in_rounds(items: Any) -> bool:
    """Whether a loop of the graph goes through these, each of which asks whether there is another one."""
    return current_graph() is not None and getattr(items, "_in_rounds", None) is not None


def _in_python(items: Any, more: Block | None, body: Block) -> None:
    for item in items:
        body(item)
        goes_on = more is None or more()
        if is_staged(goes_on):
            raise NotImplementedError(
                "break and return statements which depend on a TF condition are not supported in "
                "Python for loops. Did you intend to make it a TF loop, over tf.range or a tensor? "
                f"(at {callers_place()})"
            )
        if not goes_on:
            break


def _items_of(items: Any) -> tuple[Any, Callable[[Any], Any]] | None:
    """The number of items and a function from index to item; None if Python goes through them."""
    if current_graph() is None:
        return None
    if isinstance(items, TensorArray):
        return items.size(), items.read
    if isinstance(items, RaggedTensor):
        return cast(items.nrows(), int32), lambda i: items[i]
    if not isinstance(items, Value):
        return None
    tensor = convert(items)
    if tensor.shape.rank == 0:
        raise TypeError(f"Cannot iterate over a scalar tensor: {tensor!r} (at {callers_place()})")
    counted = _counted(tensor)
    if counted is not None:
        return counted
    count = shape_of(tensor)[0]
    if not tensor.dtype.is_differentiable:
        return count, lambda i: gather(tensor, i)
    array = TensorArray(tensor.dtype, size=count).unstack(tensor)
    return count, array.read


def _counted(tensor: Any) -> tuple[Any, Callable[[Any], Any]] | None:
    """The same of a tf.range of unknown length, of which no array is made: the loop counts."""
    made = call_of(tensor.op.row) if type(tensor) is SymbolicTensor else None
    if made is None or made[0] is not unwrap(range_) or not tensor.dtype.is_integer:
        return None
    start, stop, step = _ends(*made[1], **made[2])
    if not isinstance(step, int) or step == 0:
        return None
    given = tensor.op.inputs
    first, last = (
        cast(end.pick(given) if hasattr(end, "pick") else end, tensor.dtype)
        for end in (start, stop)
    )
    sign = 1 if step > 0 else -1
    count = (last - first + (step - sign)) // step
    return cast(count, int32), lambda i: first + cast(i, tensor.dtype) * step


def _ends(
    start: Any, limit: Any = None, delta: object = 1, dtype: object = None, name: object = None
) -> tuple[Any, Any, object]:
    """First, limit and step as tf.range takes them."""
    return (0, start, delta) if limit is None else (start, limit, delta)


class _Loop:
    """A loop on tensors: the body is traced once, the state is carried."""

    def __init__(self, state: State, options: Options | None, widens: bool = False) -> None:
        self._state = state
        self._widens = widens
        self._widened: dict[str, list[Any]] = {}  # shapes that hold every round
        self._options = {} if options is None else options()
        self._before = state.values()
        self._learned: dict[str, list[TensorShape]] = {}  # of what the loop defines
        self._unset = [n for n, v in zip(state.names, self._before, strict=True) if is_missing(v)]

    def run(self, test: Callable[[Any], Any], body: Callable[[Any], Any], count: Any) -> None:
        """The loop, and the state after it. With a count both are given the round's index."""
        try:
            initial = Parts(self._defined(body))
            self._state.set(self._settled(initial, test, body, count))
        except BaseException:
            self._state.begin(self._before)
            raise

    def _settled(
        self, initial: Parts, test: Callable[[Any], Any], body: Callable[[Any], Any], count: Any
    ) -> list[Any]:
        """The state after the loop, traced again as long as a round makes its shapes more general."""
        while True:
            try:
                return self._looped(initial, test, body, count)
            except _Widened:
                self._state.begin(self._before)

    def _looped(
        self, initial: Parts, test: Callable[[Any], Any], body: Callable[[Any], Any], count: Any
    ) -> list[Any]:
        def goes_on(i: Any, *tensors: Any) -> Any:
            self._state.set(initial.with_tensors(tensors))
            if count is None:
                return test(i)
            within = less(i, count)
            found = test(i)
            return within if found is True else within & found

        def step(i: Any, *tensors: Any) -> list[Any]:
            entered = initial.with_tensors(tensors)
            self._state.begin(entered)
            body(i)
            end = Parts(self._state.values())
            self._check(entered, end)
            if self._widens:
                self._widen(entered, end)
            return [i + 1, *end.tensors]

        found = loops.while_loop(
            goes_on,
            step,
            [convert(0), *initial.tensors],
            self._invariants(initial),
            **self._settings(),
        )
        named = [n for n in self._learned if n != "the return value"]
        if named:
            text = f"loop must iterate at least once to initialize {', '.join(named)}"
            Assert(found[0] > 0, [f"{text.replace(chr(39), '')} (at {callers_place()})"])
        return initial.with_tensors(found[1:])

    def _settings(self) -> dict[str, Any]:
        known = ("maximum_iterations", "parallel_iterations", "swap_memory")
        return {k: v for k, v in self._options.items() if k in known}

    def _invariants(self, initial: Parts) -> list[Any] | None:
        """The shapes that tensors keep; those that set_loop_options gives by the value before."""
        given = list(self._options.get("shape_invariants", ()))
        if not given and not self._learned and not self._widened:
            return None
        shapes: list[Any] = [TensorShape(())]
        named = zip(self._state.names, self._before, initial.values, strict=True)
        for spoken, before, value in named:
            wanted = next((s for v, s in given if v is before), None)
            own = _shapes(value)
            learned = self._widened.get(spoken) or self._learned.get(spoken, own)
            shapes += learned if wanted is None else _shapes_said(value, wanted)
        return shapes

    # ---- variables without a value -----------------------------------------------------------

    def _defined(self, body: Callable[[Any], Any]) -> list[Any]:
        """The state with zeros for what the loop itself defines, known from a trial round.

        A variable that is another value after a round is read.
        """
        if not self._unset and not has_variable(self._before):
            return self._before
        after = self._after_trial(body)
        return [
            self._zeros(spoken, before, end) if is_missing(before) else read
            for spoken, before, read, end in zip(
                self._state.names,
                self._before,
                read_variables(self._before, after),
                after,
                strict=True,
            )
        ]

    def _after_trial(self, body: Callable[[Any], Any]) -> list[Any]:
        with trial() as graph:
            known = Parts([None if is_missing(v) else v for v in self._before])
            inputs = [v if isinstance(v, Composite) else graph.input_like(v) for v in known.tensors]
            entered = zip(self._before, known.with_tensors(inputs), strict=True)
            self._state.begin([before if is_missing(before) else e for before, e in entered])
            try:
                body(graph.input_like(convert(0)))
            except NameError as error:
                raise ValueError(self._must_be_defined(error)) from error
            return self._state.values()

    def _must_be_defined(self, error: NameError) -> str:
        return (
            f"{', '.join(self._unset)} must be defined before the loop: {error} "
            f"(at {callers_place()})"
        )

    def _zeros(self, spoken: str, before: object, end: object) -> Any:
        if end is before and end is not ABSENT:
            return end
        if is_missing(end):
            must = "is not allowed to be None" if before is None else "must be defined"
            raise ValueError(f"{spoken} {must} before the loop (at {callers_place()})")
        self._learned[spoken] = [v.shape for v in Parts([end]).tensors if hasattr(v, "shape")]
        return zeros_for(end)

    # ---- checks ------------------------------------------------------------------------------

    def _check(self, entered: list[Any], end: Parts) -> None:
        """Check that a round leaves each variable as it found it: structure, dtype and shape."""
        for spoken, before, after in zip(self._state.names, entered, end.values, strict=True):
            if before is None and after is None:
                continue
            if after is ABSENT or after is None:
                raise ValueError(
                    f"{spoken} is {'None' if after is None else 'undefined'} at the end of the "
                    f"iteration. (at {callers_place()})"
                )
            difference = same_structure(before, after)
            if difference:
                raise TypeError(
                    f"{spoken} does not have the same nested structure after one iteration: "
                    f"{difference} (at {callers_place()})"
                )
            for a, b in pairs(before, after):
                _check_leaf(spoken, a, b, self._widens)

    def _widen(self, entered: list[Any], end: Parts) -> None:
        """Note the shapes that hold before a round and after it; raise if these are other ones."""
        grown = False
        for spoken, before, after in zip(self._state.names, entered, end.values, strict=True):
            known = _shapes(before)
            found = [*map(_of_both, known, _shapes(after))]
            if found != known:
                self._widened[spoken], grown = found, True
        if grown:
            raise _Widened


class _Widened(Exception):  # noqa: N818
    """A round has made the shapes of what its loop carries more general."""


def _shapes(value: Any) -> list[Any]:
    return [getattr(leaf, "shape", None) for leaf in Parts([value]).tensors]


def _shapes_said(value: Any, wanted: Any) -> list[Any]:
    """What set_loop_options says of the tensors in a value, also one by one."""
    said = [s for leaf, s in loops.said_of_leaves(value, wanted) if Parts([leaf]).tensors]
    return [s if isinstance(s, TypeSpec) else TensorShape(s) for s in said]


def _of_both(before: TensorShape | None, after: TensorShape | None) -> TensorShape | None:
    """The most special shape that holds for both."""
    if before is None or after is None or is_as_general(before, after):
        return before
    return before.most_specific_compatible_shape(after)


def _check_leaf(spoken: str, before: Any, after: Any, may_widen: bool) -> None:
    if are_composites(before, after):
        return
    kinds = kind_of(before), kind_of(after)
    if any(isinstance(k, type) for k in kinds):
        if before is not after and before != after:
            raise TypeError(
                f"{spoken} is {before!r} before the loop, but {after!r} after one iteration: a loop "
                f"on tensors carries only tensors. (at {callers_place()})"
            )
    elif kinds[0] is not kinds[1]:
        raise TypeError(
            f"{spoken} has dtype {kinds[0].name} before the loop, but dtype {kinds[1].name} after "
            f"one iteration. Use tf.cast. (at {callers_place()})"
        )
    elif not may_widen and not is_as_general(before.shape, after.shape):
        raise ValueError(
            f"{spoken} has shape {before.shape} before the loop, but shape {after.shape} after one "
            "iteration. Use tf.autograph.experimental.set_loop_options to set shape invariants: "
            f"set_loop_options(shape_invariants=[({spoken.strip(chr(39))}, tf.TensorShape(...))]) "
            f"(at {callers_place()})"
        )
