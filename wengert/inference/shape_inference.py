"""What is known of an operation's results before it runs: their dtypes and shapes.

A row may have a shape rule, which handles symbolic sizes, too. An elementwise row broadcasts.
Otherwise the kernel is tried on arrays of zeros: if all sizes are known, that gives the shape. If
some are not, it is tried on guesses, which reveal the dtype and the rank, and never a size.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from wengert.core.row import Attrs, Row
from wengert.errors import OpError, SymbolicValueError
from wengert.host.fp_errors import quietly
from wengert.values.sizes import Size, common_shape, only_shapes
from wengert.values.symbolic import AnyShape, Form, is_certain, known_shape

if TYPE_CHECKING:
    from wengert.values.shapes import Dims

# The shape (None: unknown rank; a size of None: unknown) and the NumPy dtype of one result.
Known = tuple[Any, Any]


class Guess(NamedTuple):
    """One assumption about everything that is unknown."""

    size: int
    rank: int
    value: int

    def shape(self, shape: Any) -> tuple[int, ...]:
        """A shape with the guess in place of what is unknown."""
        if isinstance(shape, AnyShape):
            return (self.size,) * self.rank
        return tuple([self.size if type(s) is Size else s for s in shape])

    def array(self, form: Form, place: int = 0) -> Any:
        """An array of the form; cheap however large, unless it is written to.

        The inputs of an operation have different values, increasing with `place`.
        """
        one = np.array(b"", object) if form.dtype.kind == "O" else np.zeros((), form.dtype)
        if self.value and not (form.dtype.hasobject or form.dtype.names):
            one = one + one.dtype.type(self.value + place)
        return np.broadcast_to(one, self.shape(form.shape))

    def mixed(self, form: Form) -> Any:
        """An array of different values, if this is a guess of values."""
        array = self.array(form)
        if not self.value or form.dtype.hasobject or form.dtype.names:
            return array
        return ((np.arange(array.size) + 1) % 3).reshape(array.shape).astype(form.dtype)


# They differ in everything, which reveals what depends on a guess. The sizes have many divisors, so
# that reshapes and splits of an unknown axis succeed.
GUESSES: Final = (Guess(12, 1, 0), Guess(24, 2, 1))
# Reveals whether the rank depends on a size being one.
ONES: Final = Guess(1, 1, 0)


def known_forms(row: Row, inputs: Sequence[Any], attrs: Attrs) -> list[Known]:
    """What is known of each result."""
    if row.forms is not None:
        return row.forms(inputs, attrs)  # type: ignore[no-any-return]
    forms = [x._array for x in inputs]
    if row.elementwise and row.shape is None:
        return [(_broadcast(row, [f.shape for f in forms]), _dtype(row, forms, attrs))]
    shapes = _by_rule(row, inputs, attrs)
    if shapes is None:
        return _tried(row, inputs, attrs)
    dtypes = [f.dtype for f in forms]
    found = dtypes[0] if row.dtype is None else row.dtype(*dtypes, **attrs)
    each = found if isinstance(found, list) else [found] * len(shapes)
    return list(zip(shapes, each, strict=True))


def _by_rule(row: Row, inputs: Sequence[Any], attrs: Attrs) -> list[Any] | None:
    """The shapes of the results by the row's shape rule; None if it has none, or that fails."""
    if row.shape is None:
        return None
    try:
        with only_shapes():
            found = row.shape(*[x._array.shape for x in inputs], **attrs)
    except SymbolicValueError:
        return None
    return list(found) if row.many else [found]


def form_of(x: Any) -> Known:
    """What is known of a tensor, for another graph: without symbolic sizes of this one."""
    shape = known_shape(x._array.shape)
    return None if shape.rank is None else tuple(shape), x._array.dtype


def common_form(forms: Sequence[Known]) -> Known:
    """What several results have in common."""
    shapes = [shape for shape, _ in forms]
    if any(s is None for s in shapes) or len(set(map(len, shapes))) > 1:
        return None, forms[0][1]
    sizes = zip(*shapes, strict=True)
    return tuple([s[0] if len(set(s)) == 1 else None for s in sizes]), forms[0][1]


# ---- elementwise ------------------------------------------------------------------------------


def _broadcast(row: Row, shapes: Sequence[Any]) -> Any:
    first = shapes[0]
    if all(s is first for s in shapes):
        return first
    if any(isinstance(s, AnyShape) for s in shapes):
        wide = [s for s in shapes if isinstance(s, AnyShape) or s]
        return wide[0] if all(s is wide[0] for s in wide) else None
    return common_shape(shapes, row.name)


_DTYPES: Final[dict[Any, Any]] = {}


def _dtype(row: Row, forms: Sequence[Form], attrs: Attrs) -> Any:
    """The dtype of an elementwise result, from a trial on scalars."""
    key = None if attrs else (row.kernel, *[f.dtype for f in forms])
    if key in _DTYPES:
        return _DTYPES[key]
    ones = [GUESSES[1].array(Form((1,), f.dtype)) for f in forms]
    found = _run(row, ones, attrs).dtype
    if key is not None:
        _DTYPES[key] = found
    return found


# ---- by trial ---------------------------------------------------------------------------------

# What kernels raise where guesses of sizes, ranks or values are inconsistent, or of more axes than there
# is an implementation for. Anything else is a bug.
MISFIT: Final = (OpError, ValueError, TypeError, IndexError, ZeroDivisionError, NotImplementedError)


def _tried(row: Row, inputs: Sequence[Any], attrs: Attrs) -> list[Known]:
    forms = [x._array for x in inputs]
    certain = all(_is_settled(row, x) for x in inputs) and not sizes_in(attrs)
    outcomes, error = [], None
    for guess in GUESSES:
        try:
            outcomes.append(_results(row, [guess] * len(inputs), inputs, attrs))
        except MISFIT as failure:
            error = error or failure
        if certain and outcomes:  # what fails for zeros may work for other values
            break
    if not outcomes:
        if certain and error is not None and not row.users:  # a user's code raises it at run time
            raise error
        for guesses in last_resorts([f.shape for f in forms]):
            try:
                results = _results(row, guesses, inputs, attrs)
            except MISFIT:
                continue
            return [(None, np.asarray(r).dtype) for r in results]
        return [(None, forms[0].dtype if forms else np.dtype(np.float32))]
    if len(set(map(len, outcomes))) > 1:
        _ask_for_sizes(forms)
    if certain:
        return [(np.shape(r), np.asarray(r).dtype) for r in outcomes[0]]
    ranks_known = not any(isinstance(f.shape, AnyShape) for f in forms)
    sizes_known = all(is_certain(f.shape) for f in forms)
    others = [] if sizes_known else _with_other_guesses(row, inputs, attrs)
    return ranks_in_common(outcomes, len(outcomes) == len(GUESSES) or ranks_known, others)


def _is_settled(row: Row, x: Any) -> bool:
    """Whether a result does not depend on a guess of this input."""
    if getattr(x, "_known", None) is not None:
        return True
    return is_certain(x._array.shape) and not row.by_value


# Large sizes for what wants many, by the number of axes that have them: few elements in all.
_MANY: Final = ((1, 1 << 18), (2, 512), (3, 64))


def last_resorts(shapes: Sequence[Any], elsewhere: Sequence[Dims] = ()) -> Iterator[list[Guess]]:
    """Guesses, one for each input, for when the usual ones failed.

    First unknown sizes are taken from those that occur elsewhere, then they are large, then unknown
    ranks differ.
    """
    known = {s for shape in (*shapes, *elsewhere) if not isinstance(shape, AnyShape) for s in shape}
    for size in sorted(s for s in known if type(s) is int):
        for rank in range(1, 6):  # up to images of three axes
            yield [Guess(size, rank, 0)] * len(shapes)
    ranked = [shape for shape in shapes if not isinstance(shape, AnyShape)]
    open_axes = max((sum(type(s) is Size for s in shape) for shape in ranked), default=0)
    for rank, size in _MANY:
        if open_axes <= rank:
            yield [Guess(size, rank, 0)] * len(shapes)
    unknown = [isinstance(shape, AnyShape) for shape in shapes]
    if 1 <= sum(unknown) <= 3:
        for ranks in itertools.product(range(6), repeat=sum(unknown)):
            chosen = iter(ranks)
            yield [Guess(2, next(chosen) if u else 1, 1) for u in unknown]


def _results(
    row: Row, guesses: Sequence[Guess], inputs: Sequence[Any], attrs: Attrs
) -> Sequence[Any]:
    pairs = zip(guesses, inputs, strict=True)
    arrays = [_guessed(row, guess, x, i) for i, (guess, x) in enumerate(pairs)]
    tried = _run(row, arrays, with_sizes(attrs, guesses[0].size if guesses else 0))
    return tried if row.many else [tried]


def _guessed(row: Row, guess: Guess, x: Any, place: int) -> Any:
    known = getattr(x, "_known", None)
    if known is not None:
        return known
    return guess.mixed(x._array) if row.by_value else guess.array(x._array, place)


def _with_other_guesses(row: Row, inputs: Sequence[Any], attrs: Attrs) -> list[Sequence[Any]]:
    """The outcomes if all unknown sizes are one, and if unknown ranks differ, where that is possible."""
    found = []
    for guesses in ([ONES] * len(inputs), *ranks_apart([x._array.shape for x in inputs])):
        with suppress(*MISFIT):
            found.append(_results(row, guesses, inputs, attrs))
    return found


def ranks_apart(shapes: Sequence[Any]) -> Iterator[list[Guess]]:
    """Guesses, one for each of two or three inputs of unknown rank, of which the ranks differ."""
    size, _, value = GUESSES[1]
    if 2 <= sum(isinstance(shape, AnyShape) for shape in shapes) <= 3:
        for first, others in ((2, 1), (1, 2)):
            ranks = itertools.chain([first], itertools.repeat(others))
            yield [
                Guess(size, next(ranks), value) if isinstance(shape, AnyShape) else GUESSES[1]
                for shape in shapes
            ]


def _ask_for_sizes(forms: Sequence[Form]) -> None:
    """Raise, as the number of results depends on an unknown size."""
    for form in forms:
        if isinstance(form.shape, AnyShape):
            form.shape._unknown()
        for size in form.shape:
            if type(size) is Size:
                size._unknown()


def ranks_in_common(
    outcomes: Sequence[Sequence[Any]], ranks_known: bool, ones: Sequence[Sequence[Any]] = ()
) -> list[Known]:
    """What trials on guesses reveal: dtypes, and ranks that are the same in all of them.

    The outcomes for sizes of one reveal whether a rank depends on a size.
    """
    found: list[Known] = []
    for at, results in enumerate(zip(*outcomes, strict=False)):
        ranks = {np.ndim(r) for r in (*results, *[o[at] for o in ones])}
        shape = (None,) * ranks.pop() if ranks_known and len(ranks) == 1 else None
        found.append((shape, np.asarray(results[0]).dtype))
    return found


# Above this many elements a guess is not computed if its shape can be inferred.
_LARGE: Final = 1000


def infer_zeros(row: Row, arrays: Sequence[Any], attrs: Attrs) -> Any:
    """Zeros, cheap however large, of the form of the result, if the row has a shape rule.

    A guess of 24 for each of five unknown sizes is no reason to convolve eight million elements.
    """
    if not arrays or getattr(arrays[0].dtype, "kind", "") not in tuple("fcV"):
        return None
    if max(a.size for a in arrays) < _LARGE:
        return None
    if row.elementwise:
        dtype = _dtype(row, [Form(a.shape, a.dtype) for a in arrays], attrs)
        shape = np.broadcast_shapes(*[a.shape for a in arrays])
    elif row.shape is None or row.many or row.by_value or row.dtype is not None:
        return None
    else:
        dtype, shape = arrays[0].dtype, row.shape(*[a.shape for a in arrays], **attrs)
    return np.broadcast_to(np.zeros((), dtype), shape)


def _run(row: Row, arrays: Sequence[Any], attrs: Attrs) -> Any:
    known = infer_zeros(row, arrays, attrs)
    if known is not None:
        return known
    return quietly(row.kernel, np, *arrays, **attrs)


# ---- sizes among attributes -------------------------------------------------------------------


def check_certain(attrs: Attrs) -> None:
    """Attributes must be known when the graph is built: otherwise raise what a Size raises."""
    for size in sizes_in(attrs):
        size._unknown()


def sizes_in(value: Any) -> list[Any]:
    """The symbolic sizes in an attribute."""
    kind = type(value)
    if kind is Size or kind is AnyShape:
        return [value]
    if kind is tuple or kind is list:
        return list(itertools.chain(*[sizes_in(part) for part in value]))
    if kind is dict:
        return sizes_in(list(value.values()))
    if kind is slice:
        return sizes_in((value.start, value.stop, value.step))
    if kind is np.ndarray and value.dtype == object:
        return sizes_in(value.ravel().tolist())
    return []


def with_sizes(value: Any, size: int) -> Any:
    """The attributes for a trial, with every symbolic size replaced by the guess."""
    kind = type(value)
    if kind is Size:
        return size
    if kind is tuple or kind is list:
        return kind([with_sizes(part, size) for part in value])
    if kind is dict:
        return {name: with_sizes(part, size) for name, part in value.items()}
    if kind is slice:
        return slice(*[with_sizes(p, size) for p in (value.start, value.stop, value.step)])
    return value
