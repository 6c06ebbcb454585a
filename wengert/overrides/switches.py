"""Switches: conventions of derivatives, for one tape, one call, a block of code or the program.

Each is None where nothing was said: then what is said around it holds, and TensorFlow's convention
where nobody said anything. They are in force where a tape, an accumulator or `tf.gradients` is made, by
replacing the rows of the operations that a derivative passes: on a tape and in a graph when the sweep
begins, forward when an operation is recorded.

The setting of a block stands among the rows' overrides, under a name that no operation has:
so traces of functions are cached by it, and what runs later has it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Container, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Final, Literal, NamedTuple, TypeVar, cast, get_args

from wengert.core.context import apply_overrides, override_rows, thread
from wengert.core.forward import Accumulator, push_forward
from wengert.core.row import Attrs, Row
from wengert.core.tape import MANY, WIDTH, Records, Tape
from wengert.host.context_manager import context_manager, enter
from wengert.host.user_frames import Place, callers_place, line_of, noted_place
from wengert.overrides.anomaly import pushed_soundly, with_checks
from wengert.overrides.gradient_ops import Entry, OfTape, Whole
from wengert.overrides.kinks import Ties, counted_by, kinks_of
from wengert.overrides.override import Overrides, as_overrides
from wengert.overrides.strong_zero import with_strong_zeros
from wengert.values.value import Key

Function = TypeVar("Function", bound=Callable[..., Any])

OnNonscalar = Literal["sum", "warn", "raise"]
Kinks = Literal["tensorflow", "mean", "zero", "raise"]
IntSources = Literal["warn", "raise"]

_CHOICES: Final[dict[str, tuple[object, ...]]] = {
    "strong_zero": (True, False),
    "on_nonscalar": get_args(OnNonscalar),
    "kinks": get_args(Kinks),
    "int_sources": get_args(IntSources),
    "anomaly": (True, False),
}


class Switches(NamedTuple):
    """The conventions; None where nothing was said."""

    strong_zero: bool | None = None
    on_nonscalar: OnNonscalar | None = None
    kinks: Kinks | None = None
    int_sources: IntSources | None = None
    anomaly: bool | None = None  # raise where a cotangent is not finite

    def over(self, others: Switches) -> Switches:
        """These, and the others where these say nothing."""
        said = {name: value for name, value in self._asdict().items() if value is not None}
        return others._replace(**said)

    @property
    def changes_rules(self) -> bool:
        """Whether operations have other rules."""
        return bool(self.strong_zero) or self.kinks is not None or bool(self.anomaly)

    def row(self, row: Row, place: Place = "", overrides: SwitchedOverrides | None = None) -> Row:
        """The row with these conventions."""
        if row.graphs or row.overridden is not None:  # its derivative is taken of what it runs
            return _inward(row, overrides or SwitchedOverrides(None, self))
        with_kinks = None if self.kinks is None else kinks_of(row.name)
        if with_kinks is not None and self.kinks is not None:
            row = with_kinks(row, self.kinks, line_of(place) or callers_place())
        row = with_strong_zeros(row) if self.strong_zero else row
        return with_checks(row, place) if self.anomaly else row


NOTHING_SAID: Final = Switches()


def checked(switches: Switches) -> Switches:
    """The switches; an error that lists the choices, if one has a value that it has not."""
    for name, value in zip(Switches._fields, switches, strict=True):
        if value is not None and not (isinstance(value, (str, bool)) and value in _CHOICES[name]):
            choices = ", ".join(map(repr, _CHOICES[name]))
            raise ValueError(f"{name} must be one of {choices}, got {value!r}.")
    return NOTHING_SAID if switches == NOTHING_SAID else switches  # which is asked for by identity


# ---- what is in force -------------------------------------------------------------------------

_BLOCK: Final = ""  # the name that no operation has


class _Program:
    switches = NOTHING_SAID


def switches_around() -> Switches:
    """Those of the block, and of the program."""
    found: Switches = thread.context.overrides.get(_BLOCK, _Program.switches)
    return found


def switches_in_force(
    strong_zero: bool | None,
    on_nonscalar: OnNonscalar | None,
    kinks: Kinks | None,
    int_sources: IntSources | None,
) -> Switches:
    """What a call says, and what is said around it."""
    around = switches_around()
    if strong_zero is None and on_nonscalar is None and kinks is None and int_sources is None:
        return around
    return checked(Switches(strong_zero, on_nonscalar, kinks, int_sources)).over(around)


@context_manager
def gradient_switches(
    strong_zero: bool | None = None,
    on_nonscalar: OnNonscalar | None = None,
    kinks: Kinks | None = None,
    int_sources: IntSources | None = None,
) -> tuple[Ties, Callable[[], None]]:
    """Conventions of derivatives for a block of code: of all tapes and accumulators made inside.

    Blocks nest; what an inner one does not say is as around it. A tape's own arguments come
    first. Functions that are called inside are traced for these conventions. Taylor mode
    (`tf.hessian_diag`, `tf.laplacian`, `tf.taylor`) keeps to TensorFlow's.

    Args:
        strong_zero: Whether a cotangent, or a tangent, that is exactly zero contributes exactly zero,
            also where the derivative is infinite: no 0 * inf = NaN from a branch that `tf.where` did
            not choose.
        on_nonscalar: What `tape.gradient` and `tf.gradients` do with a target that is no scalar and has
            no `output_gradients`: "sum" its elements, as TensorFlow does, "warn", or "raise".
        kinks: The derivative where there are two, of maximum, abs, relu and their kin:
            "tensorflow", the "mean" of both sides, "zero", or "raise".
        int_sources: For sources and targets of integers "warn", as TensorFlow does, or "raise".

    Returns:
        A context whose value counts the ties met inside, if `kinks` is given: `count`, `by_operation`.

    >>> x = tf.constant([0.0, 4.0])
    >>> f = lambda x: tf.reduce_sum(tf.where(x > 0.0, tf.math.log(x), 0.0))
    >>> with tf.config.gradient_switches(strong_zero=True):
    ...     print(tf.grad(f)(x).numpy())
    [0.   0.25]
    >>> with tf.config.gradient_switches(kinks="mean") as ties:
    ...     print(tf.grad(lambda x: tf.reduce_sum(tf.nn.relu(x)))(x).numpy(), ties.count)
    [0.5 1. ] 1
    """
    switches = switches_in_force(strong_zero, on_nonscalar, kinks, int_sources)
    ties = Ties()
    counting = counted_by(ties)
    counting.__enter__()
    _, leave = enter(override_rows({_BLOCK: switches}))

    def undo() -> None:
        leave()
        counting.__exit__(None, None, None)

    return ties, undo


def set_gradient_switches(
    strong_zero: bool | None = None,
    on_nonscalar: OnNonscalar | None = None,
    kinks: Kinks | None = None,
    int_sources: IntSources | None = None,
) -> None:
    """Conventions of derivatives for the program, where no block and no tape says otherwise.

    What is not given becomes TensorFlow's convention again. A function that was traced before keeps
    what held then. The arguments are those of `tf.config.gradient_switches`.

    >>> tf.config.set_gradient_switches(strong_zero=True)
    >>> tf.grad(lambda x: tf.where(x > 0.0, tf.math.log(x), 0.0))(0.0).numpy()
    np.float32(0.0)
    >>> tf.config.set_gradient_switches()
    """
    _Program.switches = checked(Switches(strong_zero, on_nonscalar, kinks, int_sources))


def block_of(switches: Switches) -> AbstractContextManager[None]:
    """What is taken inside is by these, and otherwise by those around."""
    if switches == NOTHING_SAID:
        return nullcontext()
    return override_rows({_BLOCK: checked(switches).over(switches_around())})


def within_block(function: Function, switches: Switches) -> Function:
    """The function, with these switches in force while it runs."""
    if checked(switches) == NOTHING_SAID:
        return function

    @functools.wraps(function)
    def switched(*args: Any, **kwargs: Any) -> Any:
        with block_of(switches):
            return function(*args, **kwargs)

    return cast(Function, switched)


# ---- reverse mode -----------------------------------------------------------------------------


@context_manager
def anomaly() -> tuple[None, Callable[[], None]]:
    """Raise an error where the first number of a gradient is not finite, with both its lines.

    It holds for tapes and forward accumulators that begin inside, for `tf.gradients`, and for functions
    called inside, to every order; and for the cotangents and tangents that are given to begin with. A gradient that was finite remains as it was, and takes at most twice the time.

    >>> x = tf.constant([0.0, 1.0])
    >>> with tf.debugging.anomaly(), tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = tf.sqrt(x)
    ...     tape.gradient(y, x)
    Traceback (most recent call last):
        ...
    wengert.errors.AnomalyError: The gradient became infinite in the rule of Sqrt ...
    """
    return enter(override_rows({_BLOCK: Switches(anomaly=True).over(switches_around())}))


class SwitchedTape(Tape):
    """A tape that also notes the user's lines: of operations with kinks, or of all."""

    __slots__ = ("_notes_all", "places")

    def __init__(self, watches_variables: bool = False, notes_all: bool = False) -> None:
        super().__init__(watches_variables)
        self._notes_all = notes_all
        self.places: dict[int, Place] = {}  # by the position of the record

    def record(self, row: Row, inputs: Sequence[Any], attrs: Attrs, result: Any) -> None:
        """Note an operation, and where it was called."""
        before = len(self.records)
        Tape.record(self, row, inputs, attrs, result)
        if len(self.records) > before and (self._notes_all or kinks_of(row.name) is not None):
            self.places[before] = noted_place()


def new_tape(switches: Switches, watches_variables: bool) -> Tape:
    """A tape for derivatives with these conventions."""
    if switches.kinks is None and not switches.anomaly:
        return Tape(watches_variables)
    return SwitchedTape(watches_variables, bool(switches.anomaly))


class SwitchedOverrides(Overrides):
    """The overrides of one gradient, and other conventions."""

    def __init__(self, given: Any, switches: Switches) -> None:
        super().__init__({})
        if given is not None:
            self._all = given._all
        self.switches = switches

    @property
    def key(self) -> Any:
        """A key that is equal for gradients with the same rules."""
        return super().key, self.switches

    @property
    def rewires(self) -> bool:
        """Other rules leave the operations of a tape connected as they are."""
        return bool(self._all)

    def applied(self, entries: Sequence[Entry], kept: Container[Key], whole: Whole) -> list[Entry]:
        """The entries with other rules."""
        found = super().applied(entries, kept, whole) if self._all else entries
        return [self._switched(e, whole) for e in found]

    def _switched(self, entry: Entry, whole: Whole) -> Entry:
        place = getattr(entry.view, "place", "")
        made = entry.with_row(self.switches.row(entry.row, place, self))
        row, before = made.row, entry.row
        if row.saves_x != before.saves_x or row.saves_y != before.saves_y:
            made.inputs, made.outputs = whole.values(entry), whole.results(entry)[0]
        return made

    def on_tape(
        self, tape: Tape, records: Records, known: Sequence[Any], kept: Container[Key]
    ) -> Records:
        """The records of a tape, with other rules."""
        if self._all:
            return super().on_tape(tape, records, known, kept)
        place_of = getattr(tape, "places", {}).get
        switched, whole = list(records), None
        for at in range(0, len(records), WIDTH):
            row = records[at]
            made = self.switches.row(row, place_of(at, ""), self)
            if made.saves_x != row.saves_x or made.saves_y != row.saves_y:
                whole = whole or OfTape(tape, records, known)
                entry = whole.entries[at // WIDTH]
                keys, inputs = tuple(entry.keys), whole.values(entry)
                switched[at + 2 : at + 6] = keys, MANY, inputs, None
                switched[at + 7] = whole.results(entry)[0]
            switched[at] = made
        return switched


def with_switches(overrides: Any, switches: Switches) -> Overrides | None:
    """The overrides of one call together with its switches; None where there is nothing."""
    given = as_overrides(overrides)
    if switches is NOTHING_SAID or not switches.changes_rules:
        return given
    return SwitchedOverrides(given, switches)


# ---- forward mode -----------------------------------------------------------------------------


class SwitchedAccumulator(Accumulator):
    """Computes tangents by other conventions."""

    __slots__ = ("_switches", "ties")

    def __init__(self, switches: Switches) -> None:
        super().__init__()
        self._switches = switches
        self.ties = Ties()

    def record(self, row: Row, inputs: Sequence[Any], attrs: Attrs, result: Any) -> None:
        """Compute the tangents of the results of an operation."""
        with counted_by(self.ties):
            super().record(self._switches.row(row), inputs, attrs, result)

    def _pushed(
        self, row: Row, ts: Sequence[Any], xs: Sequence[Any], attrs: Attrs, y: Any, count: int
    ) -> Sequence[Any]:
        pushed = super()._pushed(row, ts, xs, attrs, y, count)
        return pushed_soundly(pushed, ts, row) if self._switches.anomaly else pushed


def new_accumulator(switches: Switches) -> Accumulator:
    """An accumulator for derivatives with these conventions."""
    return SwitchedAccumulator(switches) if switches.changes_rules else Accumulator()


def inner_accumulator() -> Accumulator:
    """One for the inside of an operation whose tangents are being computed."""
    return new_accumulator(switches_inside())


def switches_inside() -> Switches:
    """The switches of the derivative that is being taken of an operation with an inside."""
    sweeping = thread.context.sweeping
    return sweeping.switches if isinstance(sweeping, SwitchedOverrides) else NOTHING_SAID


def _inward(row: Row, overrides: SwitchedOverrides) -> Row:
    """A row that runs graphs or functions: the switches are in force when their derivative is taken."""
    inner = row if row.overridden is None else row.overridden(overrides)

    def joint_jvp(ts: Sequence[Any], ys: Any, xs: Sequence[Any], attrs: Attrs) -> Any:
        with apply_overrides(overrides, must=False):
            return push_forward(inner, ts, xs, attrs, ys if row.many else ys[0])

    return inner.replace(joint_jvp=joint_jvp, sums_back=inner.sums_back)
