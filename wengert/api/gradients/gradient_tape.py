"""tf.GradientTape: reverse-mode differentiation."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from typing import TYPE_CHECKING, Any, Final, TypeVar, overload

import numpy as np

from wengert.api.gradients.answers import answers, is_asked_in
from wengert.api.gradients.complaints import complain_of_dtype, complain_of_shapes
from wengert.api.gradients.hooks import Hooked, with_hooks
from wengert.api.gradients.parts import pull_back_to
from wengert.api.gradients.stabilizing import stabilize as stabilized
from wengert.api.gradients.unconnected import (
    UnconnectedGradients,
    as_policy,
    fill_unconnected,
    gradient_by_itself,
)
from wengert.core.batch import one_after_other, vectorize
from wengert.core.context import (
    also_listening,
    apply_overrides,
    current_graph,
    start,
    stop,
    thread,
)
from wengert.core.contract import same_shape
from wengert.core.reverse import conjugate, pull_back, pull_back_plainly
from wengert.core.tape import LEAF, Tape
from wengert.errors import GradientWarning, SymbolicValueError, TapeError
from wengert.host.context_manager import Change, context_manager, enter
from wengert.host.locks import load_module
from wengert.host.memory_size import bytes_of
from wengert.host.user_frames import Place, callers_depth, callers_frame, line_of, noted_place
from wengert.ops.arrays.creation import range_, shape, size, zeros
from wengert.ops.arrays.gathering import one_hot
from wengert.ops.arrays.joining import concat, stack
from wengert.ops.arrays.shaping import broadcast_to, reshape, transpose
from wengert.ops.math.elementwise import ones_like
from wengert.ops.reductions.reductions import reduce_prod
from wengert.overrides.anomaly import sound_start
from wengert.overrides.kinks import Ties, counted_by
from wengert.overrides.switches import (
    NOTHING_SAID,
    IntSources,
    Kinks,
    OnNonscalar,
    new_tape,
    switches_in_force,
    with_switches,
)
from wengert.state.variable import Variable
from wengert.values import dtypes, nest
from wengert.values.bound_ops import bound
from wengert.values.convert import convert
from wengert.values.indexed_slices import IndexedSlices
from wengert.values.on_device import form_of
from wengert.values.symbolic import is_certain
from wengert.values.tensor import Tensor, dims, key_of, wrap
from wengert.values.value import Key

if TYPE_CHECKING:
    from types import FrameType

    from wengert.api.gradients.memory_report import MemoryReport
    from wengert.values.typing import Nested, TensorLike, Tensors
    from wengert.values.value import Value


Source = TypeVar("Source", bound="Value")
_AS_IT_IS: Final = nullcontext()
_REPORT: Final = "wengert.api.gradients.memory_report"
_NONE: Final = UnconnectedGradients.NONE
_NOT_PLAIN: Final = object()
_ONES: Final = {kind: kind(1) for kind in (np.float16, np.float32, np.float64)}


class GradientTape:
    """Records operations, so that their results can be differentiated afterwards (reverse mode).

    Trainable variables are watched automatically, tensors when `watch` is called. Gradients are
    operations like any other: an outer tape records them, which gives higher-order derivatives.

    >>> x = tf.constant(3.0)
    >>> with tf.GradientTape() as outer:
    ...     outer.watch(x)
    ...     with tf.GradientTape() as inner:
    ...         inner.watch(x)
    ...         y = x * x * x
    ...     dy = inner.gradient(y, x)
    >>> dy.numpy(), outer.gradient(dy, x).numpy()
    (np.float32(27.0), np.float32(18.0))

    `strong_zero`, `on_nonscalar`, `kinks` and `int_sources` choose other conventions than TensorFlow's for
    the derivatives by this tape: see `tf.config.gradient_switches`.

    >>> x = tf.constant(0.0)
    >>> with tf.GradientTape(strong_zero=True) as tape:
    ...     tape.watch(x)
    ...     y = tf.where(x > 0.0, tf.math.log(x), 0.0)
    >>> tape.gradient(y, x).numpy()
    np.float32(0.0)

    With `stabilize=True` formulas of the block that overflow or lose digits are computed by equal ones
    that do not: see `tf.debugging.stabilize`.

    >>> x = tf.constant(1000.0)
    >>> with tf.GradientTape(stabilize=True) as tape:
    ...     tape.watch(x)
    ...     y = tf.math.log(1.0 + tf.exp(x))
    >>> y.numpy(), tape.gradient(y, x).numpy()
    (np.float32(1000.0), np.float32(1.0))
    """

    # What most tapes keep as it is here; there are many tapes, of few operations each.
    _ties: Ties | None = None
    _tape: Tape | None = None
    _recording = False
    _used_at: Place = ""
    _watched_variables: tuple[Variable, ...] = ()
    _hooked: dict[Key, Hooked] | None = None
    _journal: Any = None  # of what happens in the block, where somebody will ask
    _destabilize: Callable[[], None] | None = None  # ends what `stabilize` began
    # The tape, and the thread's context, in which it records until that is stopped there.
    _entered: tuple[Tape, Any] | None = None

    def __init__(
        self,
        persistent: bool = False,
        watch_accessed_variables: bool = True,
        memory_budget: str | int | None = None,
        source_lines: bool = False,
        *,
        strong_zero: bool | None = None,
        on_nonscalar: OnNonscalar | None = None,
        kinks: Kinks | None = None,
        int_sources: IntSources | None = None,
        stabilize: bool = False,
    ) -> None:
        self._stabilize = stabilize
        self._switches = switches_in_force(strong_zero, on_nonscalar, kinks, int_sources)
        self._persistent = persistent
        self._watch_accessed_variables = watch_accessed_variables
        self._source_lines = source_lines
        self._budget = (
            None if memory_budget is None else bytes_of(memory_budget, "memory_budget of a tape")
        )

    # ---- recording ---------------------------------------------------------------------------

    def __enter__(self) -> GradientTape:
        if self._journal is None and (self._source_lines or answers.always or is_asked_in(1)):
            self._journal = answers.new_journal()
        if self._journal is not None and not self._recording:
            self._journal.begin()
        self._start()
        if self._stabilize:
            _, self._destabilize = enter(stabilized())
        return self

    def __exit__(self, *_: object) -> None:
        if self._destabilize is not None:
            self._destabilize()
            self._destabilize = None
        if self._recording:
            self._stop()
        if self._entered is not None:  # where another thread took the gradient meanwhile
            self._leave()
        if self._journal is not None:
            self._journal.end()

    def __del__(self) -> None:
        if self._entered is not None:  # where an interrupt came as the block ended
            self._leave()

    def _leave(self) -> None:
        """Record no more in the thread that entered, if it is this one."""
        if self._entered is not None and self._entered[1] is thread.context:
            stop(self._entered[0])
            self._entered = None

    def _push_tape(self) -> None:
        """Enter it, as programs do that know TensorFlow's tape from within."""
        self.__enter__()

    def _pop_tape(self) -> None:
        self.__exit__(None, None, None)

    def _start(self) -> None:
        if self._recording:
            raise ValueError(
                "Tape is still recording, This can happen if you try to re-enter an "
                "already-active tape. Leave its `with` block first, or use a second tape."
            )
        if self._tape is None:
            self._tape = self._new_tape()
            if self._journal is not None:
                self._journal.follow(self._tape)
        self._entered = self._tape, thread.context
        start(self._tape)
        self._recording = True
        if self._journal is not None:
            self._journal.note_recording(True)

    def _new_tape(self) -> Tape:
        if self._budget is not None:
            kind = load_module("wengert.api.gradients.budget_tape").BudgetTape
            kept: Tape = kind(self._watch_accessed_variables, self._budget)
            return kept
        if self._source_lines:
            noted: Tape = load_module(_REPORT).TapeWithLines(self._watch_accessed_variables)
            return noted
        return new_tape(self._switches, self._watch_accessed_variables)

    def memory_report(self) -> MemoryReport:
        """What the tape holds, largest first: print it.

        With `GradientTape(source_lines=True)` it says by which lines of the program the values were
        computed; a tape does not note that otherwise, as it takes a third of the time of a small
        operation.

        >>> x = tf.ones([1000])
        >>> with tf.GradientTape() as tape:
        ...     tape.watch(x)
        ...     y = tf.reduce_sum(tf.exp(x) * x)
        >>> report = tape.memory_report()
        >>> report.total
        8000
        """
        report: MemoryReport = load_module(_REPORT).report_of(self._started("memory_report"))
        return report

    def _stop(self) -> None:
        if not self._recording or self._tape is None:
            raise ValueError("Tape is not recording.")
        self._leave()
        self._recording = False
        if self._journal is not None:
            self._journal.note_recording(False)

    def watch(self, tensor: Tensors) -> None:
        """Watch a tensor, a variable or a nested structure of them."""
        if type(tensor) is Tensor and self._tape is not None and form_of(tensor).dtype.kind in "fc":
            self._tape.watch(tensor)
            return
        leaves = nest.differentiated(tensor)
        for value in leaves:
            if not isinstance(value, (Tensor, Variable)):
                raise ValueError(
                    f"Passed in object {value} of type '{type(value).__name__}', not tf.Tensor or "
                    "tf.Variable or ExtensionType. Make a tensor of it first: "
                    "x = tf.convert_to_tensor(x)."
                )
        tape = self._started("watch")
        for value in leaves:
            if not value.dtype.is_differentiable:
                self._complain("watched tensor", value, "watch")
            if isinstance(value, Variable):
                tape.watch_variable(value)
            elif value.dtype.is_differentiable:
                tape.watch(value)

    def _complain(self, what: str, value: Value, method: str = "gradient") -> None:
        complain_of_dtype(what, value, f"GradientTape.{method}", self._switches)

    def _started(self, method: str) -> Tape:
        if self._tape is None:
            if self._used_at:
                raise self._used()
            raise TapeError(
                f"GradientTape.{method} was called on a tape that has not recorded anything: "
                "it works inside `with tf.GradientTape() as tape:`."
            )
        return self._tape

    @context_manager
    def stop_recording(self) -> Change:
        """Do not record what happens inside.

        >>> x = tf.constant(2.0)
        >>> with tf.GradientTape() as tape:
        ...     tape.watch(x)
        ...     with tape.stop_recording():
        ...         unseen = x * x
        ...     y = x * 3.0
        >>> print(tape.gradient(unseen, x))
        None
        """
        if not self._recording:
            raise TapeError(
                "Trying to stop recording a tape which is not recording. "
                "It records inside its `with` block."
            )
        self._stop()
        return None, self._start

    def reset(self) -> None:
        """Forget everything recorded and watched, and go on recording."""
        self._stop()
        self._tape = None
        if self._journal is not None:
            self._journal.note_reset()
        self._start()

    def watched_variables(self) -> tuple[Variable, ...]:
        """The watched variables, in the order in which they were created."""
        if self._tape is not None:
            followed = self._tape.accessed_variables.values()
            self._watched_variables = (
                tuple(sorted(followed, key=lambda v: v._number)) if followed else ()
            )
        return self._watched_variables

    # ---- differentiating ---------------------------------------------------------------------

    # The gradient for a source is None where nothing connects them, unless the policy says zeros;
    # `Tensor | Any` spares callers who know better a check.

    @overload
    def gradient(
        self,
        target: Tensors,
        sources: Value,
        output_gradients: Nested[TensorLike | None] = ...,
        unconnected_gradients: UnconnectedGradients | str = ...,
        overrides: Any = ...,
    ) -> Tensor | Any: ...
    @overload
    def gradient(
        self,
        target: Tensors,
        sources: list[Source],
        output_gradients: Nested[TensorLike | None] = ...,
        unconnected_gradients: UnconnectedGradients | str = ...,
        overrides: Any = ...,
    ) -> list[Tensor | Any]: ...
    @overload
    def gradient(
        self,
        target: Tensors,
        sources: tuple[Source, ...],
        output_gradients: Nested[TensorLike | None] = ...,
        unconnected_gradients: UnconnectedGradients | str = ...,
        overrides: Any = ...,
    ) -> tuple[Tensor | Any, ...]: ...
    @overload
    def gradient(
        self,
        target: Tensors,
        sources: Tensors,
        output_gradients: Nested[TensorLike | None] = ...,
        unconnected_gradients: UnconnectedGradients | str = ...,
        overrides: Any = ...,
    ) -> Any: ...
    def gradient(
        self,
        target: Tensors,
        sources: Tensors,
        output_gradients: Nested[TensorLike | None] = None,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
        overrides: Any = None,
    ) -> Any:
        """The gradient of the target with respect to the sources, in the structure of the sources.

        For several targets, or one that is not a scalar, it is the gradient of the sum of all
        their elements, weighted by `output_gradients`. For each derivative separately, use
        `jacobian`.

        A source may be a part of what the tape watches, such as `x[2:5]`, also one that is not on
        the way to the target: its gradient is then that part of the gradient of `x`. It must be a slice, a
        reshape or a transpose that NumPy gives as a view, or one taken while the tape recorded.

        `overrides` gives operations other rules for this one gradient, by type, name, name scope
        or predicate: `{"Relu": lambda op, grad: ...}`. See `tf.gradient_override_map`.

        >>> x = tf.Variable([1.0, 2.0])
        >>> with tf.GradientTape() as tape:
        ...     y = x * x
        >>> tape.gradient(y, x).numpy().tolist()
        [2.0, 4.0]
        """
        if output_gradients is None and overrides is None:
            policy = as_policy(unconnected_gradients)
            found = self._plain_gradient(target, sources)
            if found is not _NOT_PLAIN:
                return found if policy is _NONE else _filled(found, sources, policy)
        return self._any_gradient(
            target, sources, output_gradients, unconnected_gradients, overrides
        )

    def _any_gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any,
        unconnected_gradients: UnconnectedGradients | str,
        overrides: Any,
    ) -> Any:
        policy = as_policy(unconnected_gradients)
        tape = self._to_differentiate()
        targets = _targets(target)
        seeds = _seeds(targets, output_gradients)
        if self._switches.anomaly:
            seeds = [sound_start(s, f"output_gradients[{i}]") for i, s in enumerate(seeds)]
        asked = self._sources(sources)
        if self._switches.on_nonscalar is not None:
            weights = None if output_gradients is None else nest.differentiated(output_gradients)
            complain_of_shapes(targets, weights, "output_gradients", self._switches)
        used = [(t, s) for t, s in zip(targets, seeds, strict=True) if self._can_be_target(t)]
        self._close()
        with _scope_of_gradients(), self._by(overrides, tape):
            swept, behind = (
                (tape, asked) if not self._hooked else self._with_hooks(tape, self._hooked, asked)
            )
            pulled = pull_back_to(
                swept,
                [t for t, _ in used],
                [conjugate(s) for _, s in used],
                behind,
                drain=self._drains,
            )
            found = [
                conjugate(g) if x.dtype.is_differentiable else gradient_by_itself(x, targets, seeds)
                for g, x in zip(pulled, asked, strict=True)
            ]
            gradients = [fill_unconnected(g, x, policy) for g, x in zip(found, asked, strict=True)]
        if answers.always:
            frame = callers_frame()
            answers.met.by_tape(
                gradients,
                frame,
                lambda: self._explained(target, sources, frame, output_gradients, overrides),
            )
        return nest.with_gradients(sources, gradients)

    def _plain_gradient(self, target: Any, sources: Any) -> Any:
        """The gradient of a real tensor by watched values, where nothing else has a say.

        What follows the checks is what `gradient` does, without what it does for others. A variable that the
        tape has not met has none.
        """
        tape, context = self._tape, thread.context
        if (
            type(tape) is not Tape
            or type(target) is not Tensor
            or context.listeners is None  # an interpreter has a say, recorders hear of it all
            or (self._recording and self._persistent)
            or context.sweeping is not None
            or self._switches is not NOTHING_SAID
            or self._hooked
            or answers.always
            or tape.late is not None
        ):
            return _NOT_PLAIN
        positions = tape.positions
        asked = sources if type(sources) is list else [sources]
        form = form_of(target)
        if positions.get(target._key, LEAF) == LEAF or form.dtype.kind != "f":
            return _NOT_PLAIN
        for x in asked:
            if type(x) is Tensor:
                is_plain = form_of(x).dtype.kind == "f" and positions.get(x._key) == LEAF
            else:
                is_real = type(x) is Variable and x.dtype.is_floating
                is_plain = is_real and positions.get(x._key, LEAF) == LEAF
            if not is_plain:
                return _NOT_PLAIN
        seed = wrap(_ones_of(form))
        self._close()
        found = pull_back_plainly(tape, target, seed, asked, self._drains)
        return found if asked is sources else found[0]

    def _sources(self, sources: Tensors) -> list[Any]:
        flat = _checked(nest.differentiated(sources), "source")
        for x in flat:
            if not x.dtype.is_differentiable:
                self._complain("source tensor", x)
        return flat

    def _can_be_target(self, target: Tensor) -> bool:
        if target.dtype.is_differentiable:
            return True
        self._complain("target tensor", target)
        return False

    def _to_differentiate(self) -> Tape:
        if self._tape is None:
            raise self._used()
        if self._recording and self._persistent:
            warnings.warn(
                "Calling GradientTape.gradient on a persistent tape inside its context is "
                "significantly less efficient than calling it outside the context (it causes the "
                "gradient ops to be recorded on the tape, leading to increased CPU and memory "
                "usage). Only call it inside if you want higher-order derivatives from this tape.",
                GradientWarning,
                stacklevel=callers_depth(),
            )
        self._tape.name_late()
        return self._tape

    def _by(self, overrides: Any, tape: Tape) -> AbstractContextManager[None]:
        """Derivatives taken inside use these overrides and the tape's switches."""
        rules = with_switches(overrides, self._switches)
        if rules is not None:
            tape.restore_all()  # overrides may match operations by the values they read
        if rules is None and self._switches.kinks is None:
            return _AS_IT_IS
        taken = apply_overrides(rules)
        return taken if self._switches.kinks is None else _counting(taken, self.ties)

    @property
    def ties(self) -> Ties:
        """The ties that derivatives by this tape met, where `kinks` is given.

        >>> x = tf.constant([0.0, 2.0, 0.0])
        >>> with tf.GradientTape(kinks="mean") as tape:
        ...     tape.watch(x)
        ...     y = tf.reduce_sum(tf.nn.relu(x))
        >>> tape.gradient(y, x).numpy(), tape.ties.count
        (array([0.5, 1. , 0.5], dtype=float32), 2)
        """
        self._ties = self._ties or Ties()
        return self._ties

    @property
    def _drains(self) -> bool:
        """Whether a gradient empties the tape; one with a journal may be asked for it again, to explain it."""
        return not self._persistent and self._journal is None

    def _used(self) -> TapeError:
        way_out = "This one has not recorded anything: enter it with `with tape:` first."
        if self._used_at:
            way_out = (
                f"This one was used at {line_of(self._used_at)}. Create it with `persistent=True`, or ask "
                "for all sources in one call."
            )
        return TapeError(
            "A non-persistent GradientTape can only be used to compute one set of gradients (or "
            f"jacobians). {way_out}"
        )

    def _close(self) -> None:
        """A non-persistent tape records nothing while it is used, and is empty afterwards."""
        if not self._persistent:
            if self._tape is not None and self._tape.accessed_variables:
                self.watched_variables()
            self._used_at = noted_place()
            if self._recording:
                self._stop()
            self._tape = None

    def value_and_gradient(self, target: Tensors, sources: Tensors, **options: Any) -> Any:
        """The target and its gradient, as `gradient` gives it.

        >>> x = tf.constant(3.0)
        >>> with tf.GradientTape() as tape:
        ...     tape.watch(x)
        ...     y = x * x
        >>> [float(v) for v in tape.value_and_gradient(y, x)]
        [9.0, 6.0]
        """
        return target, self.gradient(target, sources, **options)

    def hook(self, tensor: Value, fn: Callable[[Any], Any]) -> None:
        """Let a function see the cotangent of a value on its way, and change it.

        `gradient` calls `fn(cotangent)` once, with the sum of what all uses of the value contribute. What it
        returns takes the place of the cotangent; None leaves it. Of a value of several hooks the first
        that was added is called first. To only have a cotangent, ask for it: any intermediate value can be a
        source.

        >>> x = tf.constant([3.0, 4.0])
        >>> with tf.GradientTape() as tape:
        ...     tape.watch(x)
        ...     h = x * x
        ...     tape.hook(h, lambda g: tf.clip_by_norm(g, 1.0))
        ...     y = tf.reduce_sum(10.0 * h)
        >>> tape.gradient(y, x).numpy()
        array([4.2426405, 5.656854 ], dtype=float32)
        """
        tape = self._started("hook")
        if not callable(fn):
            raise TypeError(f"tape.hook takes a value and a function, got {type(fn).__name__}.")
        if isinstance(tensor, Variable):
            tape.accessed(tensor)  # as when the block reads it
        if getattr(tensor, "_key", None) not in tape.positions:
            raise TapeError(
                "tape.hook wants a value that the tape follows: a watched one, or one computed from "
                "such. tape.explain(value, source) says why it does not follow it."
            )
        key = key_of(tensor)
        self._hooked = self._hooked or {}
        self._hooked.setdefault(key, Hooked(tensor, [])).hooks.append(fn)

    def _with_hooks(
        self, tape: Tape, hooked: dict[Key, Hooked], sources: Sequence[Any]
    ) -> tuple[Tape, list[Any]]:
        tape.restore_all()
        return with_hooks(tape, hooked, sources)

    def explain(
        self,
        target: Any,
        sources: Any,
        output_gradients: Nested[TensorLike | None] = None,
        overrides: Any = None,
    ) -> Any:
        """Why the gradient of the target is None, zero or not finite: print the answer.

        It takes what `gradient` takes, and may be asked before `gradient` or after it. Where the tape begins in a function that names
        `explain`, it notes the lines of the program from its beginning; elsewhere `GradientTape(source_lines=True)`
        or `wengert run --explain` makes it do so. For several sources there is a list of answers.

        >>> x = tf.constant(3.0)
        >>> with tf.GradientTape(source_lines=True) as tape:
        ...     tape.watch(x)
        ...     y = tf.stop_gradient(x * x)
        >>> tape.explain(y, x).kind
        'stop-gradient'
        """
        return self._explained(target, sources, callers_frame(), output_gradients, overrides)

    def _explained(
        self, target: Any, sources: Any, frame: FrameType, weights: Any, overrides: Any
    ) -> Any:
        rules = with_switches(overrides, self._switches)
        seeds = None if weights is None else _seeds(_targets(target), weights)
        return answers.explain(self, target, sources, frame, rules, seeds)

    def source(self, y: Nested[Value], xs: Tensors, target: str = "numpy") -> Any:
        """What was computed in the block, and its gradient, as a program that needs NumPy alone.

        The `xs` are its arguments. Print it, call it, or save its `whole()`. The tape must have begun
        in a function that names `source`, or with `source_lines=True`. `target` is "numpy", "numba" or "c":
        see `tf.source`.

        >>> x = tf.Variable([1.0, 2.0])
        >>> with tf.GradientTape(source_lines=True) as tape:
        ...     loss = tf.reduce_sum(x * x)
        >>> program = tape.source(loss, x)
        >>> program([3.0, 4.0])
        (np.float32(25.0), array([6., 8.], dtype=float32))
        """
        return answers.source(self, y, xs, callers_frame(), target)

    def draw(self, target: Nested[Value], sources: Tensors, numbers: bool = False) -> Any:
        """The graph of what was computed in the block, and of its gradient, to look at; see `tf.draw`.

        The tape must have been made with `source_lines=True`. With `numbers` each operation has what it gave, and what
        came back to it.

        >>> x = tf.Variable([1.0, 2.0])
        >>> with tf.GradientTape(source_lines=True) as tape:
        ...     loss = tf.reduce_sum(x * x)
        >>> picture = tape.draw(loss, x, numbers=True)
        >>> [box.facts["value"] for box in picture.diagram.boxes if box.side == "result"]
        ['5', '[2, 4]']
        """
        return answers.draw(self, target, sources, callers_frame(), numbers)

    # ---- second order ------------------------------------------------------------------------

    def hessian(self, target: Value, sources: Tensors) -> Any:
        """The second derivatives of one number: of shape `source.shape + source.shape`.

        For several sources it is nested twice as they are: by the first derivative, and by the second. No
        second tape is needed: this one records its own gradient.

        >>> x = tf.constant([3.0, 5.0])
        >>> with tf.GradientTape() as tape:
        ...     tape.watch(x)
        ...     y = x[0] * x[0] * x[1]
        >>> tape.hessian(y, x).numpy().tolist()
        [[10.0, 6.0], [6.0, 0.0]]
        """
        tape = self._to_differentiate()
        asked = self._sources(sources)
        self._close()
        with _scope_of_gradients(), self._by(None, tape):
            first = _own_gradient(tape, target, asked, "hessian")
            rows = [
                nest.with_gradients(
                    sources,
                    [
                        _jacobian_or_zeros(h, g, x, UnconnectedGradients.ZERO)
                        for h, x in zip(_rows(tape, g, asked, at_once=True), asked, strict=True)
                    ],
                )
                for g in first
            ]
        return nest.with_gradients(sources, rows)

    def hvp(self, target: Value, sources: Tensors, vectors: Tensors) -> Any:
        """The product of the Hessian of one number with vectors, nested as the sources are.

        >>> x = tf.constant([3.0, 5.0])
        >>> with tf.GradientTape() as tape:
        ...     tape.watch(x)
        ...     y = x[0] * x[0] * x[1]
        >>> tape.hvp(y, x, tf.constant([1.0, 0.0])).numpy().tolist()
        [10.0, 6.0]
        """
        tape = self._to_differentiate()
        asked = self._sources(sources)
        self._close()
        with _scope_of_gradients(), self._by(None, tape):
            first = _own_gradient(tape, target, asked, "hvp")
            seeds = [conjugate(seed) for seed in _seeds(first, vectors)]
            pulled = pull_back(tape, first, seeds, asked, drain=False)
            found = [
                fill_unconnected(conjugate(g), x, UnconnectedGradients.ZERO)
                for g, x in zip(pulled, asked, strict=True)
            ]
        return nest.with_gradients(sources, found)

    # ---- jacobians ---------------------------------------------------------------------------

    def jacobian(
        self,
        target: Value,
        sources: Tensors,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
        overrides: Any = None,
    ) -> Any:
        """The Jacobian of the target, of shape `target.shape + source.shape`.

        >>> x = tf.constant([1.0, 2.0])
        >>> with tf.GradientTape() as tape:
        ...     tape.watch(x)
        ...     y = x * x
        >>> tape.jacobian(y, x).numpy().tolist()
        [[2.0, 0.0], [0.0, 4.0]]
        """
        policy = as_policy(unconnected_gradients)
        tape = self._to_differentiate()
        self._check_persistent("jacobian", experimental_use_pfor)
        (y,) = _single(target, "target")
        asked = self._sources(sources)
        self._close()
        with _scope_of_gradients(), self._by(overrides, tape):
            if not self._can_be_target(y):
                rows: list[Any] = [None] * len(asked)
            else:
                rows = _rows(tape, y, asked, experimental_use_pfor)
            jacobians = [
                _jacobian_or_zeros(g, y, x, policy) for g, x in zip(rows, asked, strict=True)
            ]
        return nest.with_gradients(sources, jacobians)

    def _check_persistent(self, method: str, experimental_use_pfor: bool) -> None:
        """Row after row is possible eagerly if the tape may be asked again."""
        if current_graph() is None and not self._persistent and not experimental_use_pfor:
            raise TapeError(
                f"GradientTape must be created with persistent=True to compute the {method} with "
                "eager execution enabled and with experimental_use_pfor set to False."
            )

    def batch_jacobian(
        self,
        target: Value,
        source: Value,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
        overrides: Any = None,
    ) -> Tensor | Any:
        """The per-example Jacobian of a batch: target[i] with respect to source[i].

        It assumes that target[i] depends on source[i] alone.

        >>> x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
        >>> with tf.GradientTape() as tape:
        ...     tape.watch(x)
        ...     y = x * x
        >>> tape.batch_jacobian(y, x).numpy().tolist()
        [[[2.0, 0.0], [0.0, 4.0]], [[6.0, 0.0], [0.0, 8.0]]]
        """
        policy = as_policy(unconnected_gradients)
        tape = self._to_differentiate()
        self._check_persistent("batch_jacobian", experimental_use_pfor)
        if parallel_iterations is not None and not self._persistent:
            raise TapeError(
                "GradientTape must be created with persistent=True to compute the batch_jacobian "
                "with parallel_iterations."
            )
        (y,), (x,) = [
            _single(value, role, "batch_jacobian")
            for value, role in ((target, "target"), (source, "source"))
        ]
        _check_examples(y, x)
        if not (is_certain(dims(y)) and is_certain(dims(x))):
            self._close()
            with _scope_of_gradients(), self._by(overrides, tape):
                return _batch_jacobian_in_a_loop(tape, y, x, policy)
        n, *one = dims(y)
        size = math.prod(one)
        self._close()
        with _scope_of_gradients(), self._by(overrides, tape):
            if size == 0:
                return zeros((n, *one, *dims(x)[1:]), x.dtype)
            # Row i asks for element i of every example at once: the examples do not mix.
            seeds = unit_vectors(zeros(tuple(one), y.dtype))
            spread = bound.broadcast_to(reshape(seeds, (size, 1, *one)), (size, n, *one))
            (rows,) = _each_row(tape, y, spread, [x], experimental_use_pfor)
            if rows is None:  # zeros under each policy, as there
                none = policy is UnconnectedGradients.NONE
                return zeros((n, *one, *dims(x)[1:]), y.dtype if none else x.dtype)
            behind = transpose(rows, (1, 0, *range(2, len(dims(rows)))))
            return reshape(behind, (n, *one, *dims(x)[1:]))


def _check_examples(y: Tensor, x: Tensor) -> None:
    """Whether two values may be of the same number of examples, as far as that is known."""
    first = [value.shape.with_rank_at_least(2)[:1] for value in (y, x)]
    if not first[0].is_compatible_with(first[1]):
        raise ValueError(
            f"Need first dimension of target shape ({y.shape}) and source shape ({x.shape}) to match."
        )


@contextmanager
def _counting(taken: AbstractContextManager[None], ties: Ties) -> Iterator[None]:
    with taken, counted_by(ties):
        yield


def _scope_of_gradients() -> AbstractContextManager[Any]:
    """What a gradient adds to a graph belongs to none of the scopes that it goes back through."""
    graph = current_graph()
    if graph is None:
        return _AS_IT_IS
    scope: AbstractContextManager[Any] = graph.names.scoped("gradient_tape/")
    return scope


# ---- arguments --------------------------------------------------------------------------------


def _targets(target: Tensors) -> list[Any]:
    if target is None:
        raise TypeError(
            "Argument `target` should be a list or nested structure of Tensors, Variables or "
            "CompositeTensors to be differentiated, but received None."
        )
    return _checked(nest.differentiated(target), "target")


def _checked(values: list[Any], role: str) -> list[Any]:
    for value in values:
        if not isinstance(value, (Tensor, Variable)):
            raise _not_differentiable(value, role)
    return values


def _not_differentiable(value: object, role: str) -> TypeError:
    return TypeError(
        f"A {role} of a gradient must be a tensor or a variable, got {value!r} of type "
        f"'{type(value).__name__}'. A value that left the tape (by .numpy(), float() or NumPy) "
        "has no gradient."
    )


def _filled(found: Any, sources: Any, policy: UnconnectedGradients) -> Any:
    """The gradient by one value, or by those of a list, with what the policy puts in place of None."""
    if type(sources) is not list:
        return fill_unconnected(found, sources, policy)
    return [fill_unconnected(g, x, policy) for g, x in zip(found, sources, strict=True)]


def _single(value: Any, role: str, who: str = "jacobian") -> list[Any]:
    flat = _checked(nest.differentiated(value), role)
    if len(flat) != 1:
        raise ValueError(f"{who} needs one {role}, got {len(flat)}: call it for each of them.")
    return flat


def _seeds(targets: Sequence[Any], output_gradients: Nested[TensorLike | None]) -> list[Any]:
    if output_gradients is None:
        return [_all_ones(t) for t in targets]
    given = nest.differentiated(nest.map_structure(bound.to_dense, output_gradients))
    if len(given) != len(targets):
        raise ValueError(
            f"output_gradients has {len(given)} elements for {len(targets)} targets: give one for "
            "each, None where it is all ones."
        )
    return [_seed(i, t, g) for i, (t, g) in enumerate(zip(targets, given, strict=True))]


def _all_ones(target: Tensor) -> Tensor:
    if target.dtype is dtypes.string:  # nothing flows from it
        return target
    if type(target) is Tensor and thread.context.listeners is not None:
        return wrap(_ones_of(form_of(target)))  # not even a tape around this one has to know
    return ones_like(target)


def _ones_of(form: Any) -> Any:
    """Ones of the shape and the dtype of an array."""
    one = _ONES.get(type(form))
    if one is not None:
        return one
    if isinstance(form, np.generic):
        return type(form)(1)
    ones = np.empty(form.shape, form.dtype)
    ones.fill(1)
    return ones


def _seed(index: int, target: Tensor, given: TensorLike | None) -> Tensor:
    if given is None:
        return _all_ones(target)
    seed = convert(given, hint=target.dtype)
    if seed.dtype is not target.dtype or not same_shape(dims(seed), dims(target)):
        raise ValueError(
            f"output_gradients[{index}] must have the dtype and shape of its target, "
            f"{target.dtype.name}{list(target._array.shape)}, got "
            f"{seed.dtype.name}{list(dims(seed))}."
        )
    return seed


def _own_gradient(tape: Tape, target: Value, sources: Sequence[Any], who: str) -> list[Any]:
    """The gradient of one number by each source, recorded on the tape itself."""
    (y,) = _single(target, "target")
    if is_certain(dims(y)) and math.prod(dims(y)) != 1:
        raise ValueError(
            f"GradientTape.{who} needs a target that is one number, got the shape {list(dims(y))}. "
            "Sum it with tf.reduce_sum, or take the Hessian of each of its elements."
        )
    with also_listening(tape):
        pulled = pull_back(tape, [y], [_all_ones(y)], sources, drain=False)
        return [
            conjugate(bound.zeros_like(x) if g is None else bound.to_dense(g))
            for g, x in zip(pulled, sources, strict=True)
        ]


# ---- rows of a Jacobian -----------------------------------------------------------------------


def _rows(tape: Tape, y: Tensor, sources: Sequence[Any], at_once: bool) -> list[Any]:
    """For each source the gradients of the elements of y, stacked."""
    if is_certain(dims(y)):
        # In a batch no rule can wait for a size that is known only at run time; in a loop all can.
        with suppress(SymbolicValueError):
            return _each_row(tape, y, unit_vectors(y), sources, at_once)
    count = size(y)
    return _in_a_loop(
        tape, y, count, lambda i: reshape(one_hot(i, count, dtype=y.dtype), shape(y)), sources
    )


def _in_a_loop(
    tape: Tape, y: Tensor, count: Tensor, seed: Callable[[Any], Any], sources: Sequence[Any]
) -> list[Any]:
    """The rows if their number is known only at run time: one by one, in a loop of the graph."""

    def one(seed: Tensor) -> list[Any]:
        pulled = pull_back_to(tape, [y], [seed], sources, drain=False)
        return [conjugate(bound.to_dense(g)) for g in pulled if g is not None]

    connected = pull_back_to(tape, [y], [bound.zeros_like(y)], sources, drain=False)
    there = [x.dtype for x, g in zip(sources, connected, strict=True) if g is not None]
    if not there:
        return [None] * len(sources)
    map_fn = load_module("wengert.ops.control.map").map_fn
    found = iter(map_fn(lambda i: one(seed(i)), range_(count), fn_output_signature=there))
    return [None if g is None else next(found) for g in connected]


def _batch_jacobian_in_a_loop(tape: Tape, y: Any, x: Any, policy: UnconnectedGradients) -> Any:
    """Row i asks for element i of every example at once."""
    one, per = shape(y)[1:], shape(x)[1:]
    count = reduce_prod(one)

    def seed(i: Any) -> Any:
        return broadcast_to(reshape(one_hot(i, count, dtype=y.dtype), one), shape(y))

    (rows,) = _in_a_loop(tape, y, count, seed, [x])
    wanted = concat([shape(y)[:1], one, per], 0)
    if rows is None:
        return None if policy is UnconnectedGradients.NONE else zeros(wanted, x.dtype)
    apart = reshape(rows, stack([count, shape(y)[0], reduce_prod(per)]))
    return reshape(transpose(apart, (1, 0, 2)), wanted)


def unit_vectors(y: Tensor) -> Tensor:
    """The unit vectors of the shape of a tensor, along a new first axis."""
    shape = y._array.shape
    size = math.prod(shape)
    return convert(np.eye(size, dtype=y._array.dtype).reshape(size, *shape))


def _each_row(
    tape: Tape, y: Tensor, seeds: Tensor, sources: Sequence[Any], at_once: bool
) -> list[Any]:
    """For each source the gradients of all rows, stacked."""

    def one(seed: Tensor) -> list[Any]:
        pulled = pull_back_to(tape, [y], [seed], sources, drain=False)
        return [bound.to_dense(g) if isinstance(g, IndexedSlices) else g for g in pulled]

    count = dims(seeds)[0]
    # One after the other, no rows would not say of what shape they are.
    found = (
        one_after_other(one, [seeds]) if count and not at_once else vectorize(one, count, [seeds])
    )
    return [conjugate(g) for g in found]


def _jacobian_or_zeros(
    g: Tensor | None, y: Tensor, x: Value, policy: UnconnectedGradients
) -> Tensor | None:
    if not x.dtype.is_differentiable:
        g = None
    if g is None and policy is UnconnectedGradients.NONE:
        return None
    known = is_certain(dims(y)) and is_certain(dims(x))
    wanted = (*dims(y), *dims(x)) if known else concat([shape(y), shape(x)], 0)
    return zeros(wanted, x.dtype) if g is None else reshape(g, wanted)
