"""What is checked: a function, as one from the arrays that vary to the arrays that have derivatives."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from wengert.api.gradients.forward_accumulator import ForwardAccumulator
from wengert.api.gradients.gradient_tape import GradientTape
from wengert.api.gradients.user_gradient import signature_of
from wengert.core.row import place
from wengert.derivatives import structures
from wengert.derivatives.trail import Trail
from wengert.errors import (
    GradientCountError,
    GradientDTypeError,
    GradientShapeError,
    InvalidArgumentError,
    NoGradientError,
)
from wengert.insight.check.coordinates import joined, largest
from wengert.insight.program_text import short
from wengert.state.variable import Variable
from wengert.values import nest
from wengert.values.bound_ops import bound
from wengert.values.composite import Composite
from wengert.values.convert import convert
from wengert.values.dtypes import of_numpy
from wengert.values.indexed_slices import IndexedSlices
from wengert.values.tensor import Tensor, wrap

if TYPE_CHECKING:
    from wengert.values.typing import Array

# What the tape says of a rule that does not keep to its form: a fault, and no failure.
OF_FORM: Final = (GradientShapeError, GradientDTypeError, GradientCountError, NoGradientError)
_WIDE: Final = {"f": np.dtype(np.float64), "V": np.dtype(np.float64), "c": np.dtype(np.complex128)}


class Input(NamedTuple):
    """An input that varies."""

    number: int
    name: str
    array: Array  # as it was given

    @property
    def label(self) -> str:
        """Its name, dtype and shape."""
        shape = ",".join(map(str, self.array.shape))
        return f"{self.name} {of_numpy(self.array.dtype).name}[{shape}]"


class _NoResultError(TypeError):
    """A function returned None."""


class Subject:
    """A function and its inputs; integers, strings and the like are held fixed."""

    def __init__(self, f: Callable[..., Any], xs: Sequence[Any], who: str) -> None:
        if not callable(f):
            raise TypeError(
                f"tf.{who} takes a function of tensors and its inputs, got {f!r}. "
                f"Write tf.{who}(f, x), not tf.{who}(f(x))."
            )
        if not xs:
            raise ValueError(
                f"tf.{who} needs the inputs near which the gradient is looked at: tf.{who}(f, x)."
            )
        self.who = who
        self.f = f
        self.called(f)
        self._structure = [_one_tensor(x) for x in xs]
        self._leaves = [_leaf(x, who) for x in structures.flatten(self._structure)]
        names = list(_names(f, self._structure))
        varied = [i for i, x in enumerate(self._leaves) if _is_differentiable(x)]
        if not varied:
            raise TypeError(
                f"tf.{who} looks at floating and complex inputs, and none of {self.name} is one: "
                f"{', '.join(map(_described, self._leaves))}. Write 2.0 in place of 2, or cast."
            )
        self._varied = varied
        self.inputs = [Input(n, names[i], self._leaves[i]) for n, i in enumerate(varied)]
        given = [x.array for x in self.inputs]
        wide = [a.astype(_WIDE[a.dtype.kind]) for a in given]
        # Numbers and arrays beside one another have dtypes that go together only when they are widened.
        refused, too_wide = self._refusal(given), self._refusal(wide)
        if refused is not None and too_wide is not None:
            self._complain(refused)
        self.takes_given = refused is None
        self._check_results(wide if too_wide is None else given)
        self.arrays, self.why_narrow = self._widest(given, wide)

    def called(self, function: Callable[..., Any]) -> None:
        """Name the function as another one, of which it is a part."""
        self.name = getattr(function, "__name__", None) or type(function).__name__
        ours = getattr(function, "__module__", "").startswith("wengert.")
        self.place = "" if ours else short(place(function))

    def dtypes_within(self) -> set[Any]:
        """The dtypes of the floats that the function computes between its inputs and its results."""
        trail = Trail()
        try:
            with trail.active():
                self.values(self.arrays)
        except Exception:  # noqa: BLE001  # the function's own: it is told where it is looked at
            return set()
        return {
            y._array.dtype for e in trail.events for y in e.results if y._array.dtype.kind in "fcV"
        }

    @property
    def called_at(self) -> str:
        """Its name, and the file and line if it is not ours."""
        return f"{self.name} ({self.place})" if self.place else self.name

    # ---- calls -------------------------------------------------------------------------------

    def call(self, varied: Sequence[Any]) -> list[Any]:
        """The results that have derivatives, of tensors in the places that vary."""
        return [y for y in self._results(varied) if y.dtype.is_differentiable]

    def _results(self, varied: Sequence[Any]) -> list[Any]:
        leaves = [wrap(x) if isinstance(x, np.ndarray) else x for x in self._leaves]
        for i, x in zip(self._varied, varied, strict=True):
            leaves[i] = x
        returned = self.f(*structures.pack(self._structure, leaves))
        found = []
        for y in structures.flatten(returned):
            if y is None:
                raise _NoResultError(
                    f"tf.{self.who} needs a function that returns tensors, and {self.name} "
                    f"({self.place}) returned {_word(returned)}: is there a `return`?"
                )
            found.append(bound.to_dense(y) if isinstance(y, IndexedSlices) else convert(y))
        return found

    def values(self, arrays: Sequence[Array]) -> list[Array]:
        """The results for arrays. What is computed of them may not be written to them."""
        return [np.array(y) for y in self.call([wrap(np.array(a)) for a in arrays])]

    def flat(self, *arrays: Array) -> list[Array]:
        """All results as one vector of reals, in a list, as differences want it."""
        return [joined(self.values(arrays))]

    # ---- what was given ----------------------------------------------------------------------

    def _refusal(self, arrays: Sequence[Array]) -> Exception | None:
        """The error that the function raises for such inputs."""
        try:
            self._results([wrap(np.array(a)) for a in arrays])
        except Exception as error:  # noqa: BLE001  # whatever the function does not take
            return error
        return None

    def _complain(self, error: Exception) -> None:
        if isinstance(error, _NoResultError):
            raise TypeError(str(error))
        said = ", ".join(x.label for x in self.inputs)
        raise InvalidArgumentError(
            f"tf.{self.who} called {self.called_at} with {said}, and it raised "
            f"{type(error).__name__}: {error} Give inputs for which it runs."
        ) from error

    def _check_results(self, arrays: Sequence[Array]) -> None:
        found = self._results([wrap(np.array(a)) for a in arrays])
        if not any(y.dtype.is_differentiable for y in found):
            kinds = ", ".join(y.dtype.name for y in found) or "nothing"
            raise TypeError(
                f"tf.{self.who} needs a floating or complex result, and {self.called_at} "
                f"gives {kinds}, which has no derivative."
            )

    def _widest(self, given: list[Array], wide: list[Array]) -> tuple[list[Array], str]:
        """The inputs in double precision where the function takes that; else why it does not."""
        if all(a.dtype == b.dtype for a, b in zip(wide, given, strict=True)):
            return wide, ""
        error = self._refusal(wide)
        if error is not None:
            return given, f"{type(error).__name__}: {str(error).splitlines()[0][:120]}"
        narrow = [y.dtype for y in self.values(wide) if y.dtype != _WIDE.get(y.dtype.kind)]
        if narrow:
            return given, f"its result is {of_numpy(narrow[0]).name} all the same"
        return wide, ""

    @property
    def is_widened(self) -> bool:
        """Whether double precision is looked at, and less was given."""
        return any(a.dtype != x.array.dtype for a, x in zip(self.arrays, self.inputs, strict=True))


def _one_tensor(x: Any) -> Any:
    """A list of numbers as an array, as it is wherever a tensor is asked for; others are structures."""
    plain = isinstance(x, (list, tuple)) and bool(x)
    leaves = nest.flatten(x) if plain else []
    if plain and all(isinstance(leaf, (float, int, complex)) for leaf in leaves):
        return np.array(convert(x))
    return x


def _leaf(x: Any, who: str) -> Any:
    """An input as an array, if it is one of numbers."""
    if isinstance(x, (Tensor, Variable)):
        return np.array(convert(x))
    if isinstance(x, Composite):
        raise TypeError(
            f"tf.{who} looks at tensors, got {type(x).__name__}: give its values, and put it together "
            "in the function."
        )
    if isinstance(x, (float, complex)):
        return np.array(convert(x))
    return np.array(x) if isinstance(x, (np.ndarray, np.generic)) else x


def _is_differentiable(x: Any) -> bool:
    return isinstance(x, np.ndarray) and of_numpy(x.dtype).is_differentiable


def _described(x: Any) -> str:
    return f"{x.dtype}{list(x.shape)}" if isinstance(x, np.ndarray) else repr(x)


def _word(returned: Any) -> str:
    return "None" if returned is None else f"{returned!r}"


def _names(f: Callable[..., Any], xs: Sequence[Any]) -> Iterator[str]:
    """What the function calls each leaf of its arguments."""
    signature = signature_of(f)
    named = [] if signature is None else list(signature.parameters.values())
    for number, x in enumerate(xs):
        own = named[number].name if number < len(named) else ""
        if number >= len(named) or named[number].kind is named[number].VAR_POSITIONAL:
            own = f"argument {number}"
        size = len(structures.flatten([x]))
        nested = nest.is_nested(x) or size != 1
        yield from [f"{own}[{part}]" for part in range(size)] if nested else [own]


# ---- derivatives --------------------------------------------------------------------------------


class Pass:
    """The function was run on a tape: gradients for as many cotangents as are asked for."""

    def __init__(self, subject: Subject, arrays: Sequence[Array]) -> None:
        self._subject = subject
        self.held = [np.array(a) for a in arrays]
        self.before = [a.copy() for a in self.held]
        self.wrote_to_cotangents = False
        self.xs = [wrap(a) for a in self.held]
        with GradientTape(persistent=True, watch_accessed_variables=False) as self._tape:
            self._tape.watch(self.xs)
            self.ys = subject.call(self.xs)
        self.values = [np.array(y) for y in self.ys]

    def pulled(self, cotangents: Sequence[Array]) -> list[Array | None]:
        """The gradient of each input, None where there is none."""
        held = [np.array(w) for w in cotangents]
        found = self._gradients([wrap(w) for w in held])
        pairs = zip(held, cotangents, strict=True)
        self.wrote_to_cotangents |= any(a.tobytes() != np.asarray(b).tobytes() for a, b in pairs)
        return [None if g is None else np.array(bound.to_dense(g)) for g in found]

    def _gradients(self, cotangents: Sequence[Any]) -> list[Any]:
        try:
            return self._tape.gradient(self.ys, self.xs, output_gradients=list(cotangents))
        except OF_FORM:
            raise
        except Exception as error:
            raise InvalidArgumentError(
                f"tf.{self._subject.who}: the gradient of {self._subject.called_at} raised {type(error).__name__}: {error} "
                "Mend that first: there is nothing to compare."
            ) from error

    def changed(self) -> list[int]:
        """The inputs to which somebody wrote."""
        pairs = zip(self.held, self.before, strict=True)
        return [i for i, (a, b) in enumerate(pairs) if a.tobytes() != b.tobytes()]


def gradients_of(
    call: Callable[[Sequence[Any]], list[Any]], xs: Sequence[Any], ws: Sequence[Any]
) -> list[Any]:
    """The gradients as tensors, zeros where there is none; on other tapes they are recorded."""
    with GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(list(xs))
        ys = call(xs)
    found = tape.gradient(ys, list(xs), output_gradients=list(ws), unconnected_gradients="zero")
    return [bound.to_dense(g) for g in found]


def pushed(
    subject: Subject, arrays: Sequence[Array], tangents: Sequence[Array]
) -> list[Array | None]:
    """The tangents of the results, in forward mode."""
    xs = [wrap(np.array(a)) for a in arrays]
    with ForwardAccumulator(xs, [wrap(np.array(t)) for t in tangents]) as accumulator:
        ys = subject.call(xs)
    return [None if t is None else np.array(t) for t in map(accumulator.jvp, ys)]


def size_of(values: Sequence[Array], arrays: Sequence[Array]) -> float:
    """How large a derivative may be expected to be: the results by the inputs, or by one."""
    return largest(joined(values)) / max(largest(joined(arrays)), 1.0)
