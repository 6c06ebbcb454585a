"""Symbolic sizes, known only at run time: exact integer terms, compared where bounds prove it.

A Size is a polynomial with integer coefficients in atoms. An atom is the size of an axis of a
tensor (never negative), the positive part of another term, max(d, 0), or a quotient of terms,
rounded down. Minima and maxima are written with positive parts, min(n, 10) as n - max(n - 10, 0):
so x[:10] and x[10:] have n elements together. Equal terms have equal keys. A comparison is decided
where bounds of the difference decide it; the truth value of any other raises a SymbolicValueError,
and the public function that needed it is deferred until the graph runs
(inference/deferred_calls.py).
"""

from __future__ import annotations

import itertools
import math
import operator
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, ClassVar, Final, NoReturn
from weakref import WeakValueDictionary

import numpy as np

from wengert.errors import InvalidArgumentError, SymbolicValueError
from wengert.values.shapes import shape_text

POSITIVE, QUOTIENT = "positive part", "quotient"
# How many levels of nested positive parts and quotients a bound looks into.
DEEP: Final = 2
# The most terms of a Size: a result with more is treated as unknown.
MOST: Final = 8


class Bounds:
    """The least and the greatest value that an integer may have; None where none is known."""

    __slots__ = ("least", "most")

    def __init__(self, least: int | None, most: int | None) -> None:
        self.least = least
        self.most = most

    def __eq__(self, other: object) -> bool:
        return type(other) is Bounds and (self.least, self.most) == (other.least, other.most)

    def __hash__(self) -> int:
        return hash((self.least, self.most))


class Symbol:
    """The size of a tensor's axis, its number of elements (axis None), or an integer element."""

    __slots__ = ("__weakref__", "axis", "bounds", "element", "number", "tensor")
    weight: ClassVar[int] = 1

    def __init__(
        self,
        tensor: Any,
        axis: int | None,
        element: int | None = None,
        bounds: Bounds | None = None,
    ) -> None:
        self.tensor = tensor
        self.axis = axis
        self.element = element
        self.bounds = bounds or Bounds(0 if element is None else None, None)
        self.number = next(_NUMBERS)

    def measure(self, array: Any) -> int:
        """Its value, given the array of the tensor."""
        if self.element is not None:
            return int(np.ravel(array)[self.element])
        size: int = array.size if self.axis is None else array.shape[self.axis]
        return size


class Composed:
    """The positive part of a term, or the quotient of two, rounded down."""

    __slots__ = ("__weakref__", "kind", "number", "parts", "weight")

    def __init__(self, kind: str, *parts: Any) -> None:
        self.kind = kind
        self.parts = parts
        self.weight = sum([part.weight for part in parts if type(part) is Size])
        self.number = next(_NUMBERS)


# Atoms are interned while in use: equal ones are one object, with one number.
_ATOMS: Final[WeakValueDictionary[Any, Any]] = WeakValueDictionary()
_NUMBERS: Final = itertools.count()


Atom = Any  # Symbol | Composed
# Products of atoms and their factors, by the numbers of the atoms.
Terms = dict[tuple[int, ...], tuple[tuple[Atom, ...], int]]


def key_of(size: Any) -> Any:
    """A key that is equal for equal terms."""
    return size.key if type(size) is Size else (size, ())


class Undecided:
    """The truth value of a comparison of sizes that is decided only at run time."""

    __slots__ = ("size",)

    def __init__(self, size: Size) -> None:
        self.size = size

    def __bool__(self) -> bool:
        self.size._unknown()


def certainly(claim: Any) -> bool:
    """Whether a claim about sizes holds, for a caller that raises an error if it does.

    While only the shape of a result is inferred, an undecided claim is no error: the computation
    will check again, with numbers.
    """
    if type(claim) is Undecided and inference_mode.now:
        return False
    return bool(claim)


class _Looking(threading.local):
    """Whether a thread only infers shapes, and computes nothing."""

    now = False


inference_mode: Final = _Looking()


class only_shapes:
    """Inside, only shapes are inferred."""

    __slots__ = ("_before",)

    def __enter__(self) -> None:
        self._before = inference_mode.now
        inference_mode.now = True

    def __exit__(self, *error: object) -> None:
        inference_mode.now = self._before


def shapes_differ(a: Sequence[Any], b: Sequence[Any]) -> bool:
    """Whether two shapes certainly differ, for a caller that raises an error if they do."""
    try:
        return tuple(a) != tuple(b)  # for numbers, the usual case, 1 µs faster
    except SymbolicValueError:
        return len(a) != len(b) or any(certainly(p != q) for p, q in zip(a, b, strict=True))


class Size:
    """An integer that is known only when the graph runs."""

    __slots__ = ("_low", "_symbols", "constant", "key", "terms", "weight")

    def __init__(self, terms: Terms, constant: int) -> None:
        in_order = sorted(terms.items())
        self.terms = tuple([term for _, term in in_order])
        self.constant = constant
        self.key = (constant, tuple([(key, term[1]) for key, term in in_order]))
        # How many axis sizes it contains.
        self.weight: int = sum([atom.weight for atoms, _ in self.terms for atom in atoms])
        self._low: Any = ...
        self._symbols: tuple[Symbol, ...] | None = None

    @property
    def symbol(self) -> Symbol | None:
        """Its symbol, if it is a single one."""
        (atoms, factor), *others = self.terms
        plain = not others and not self.constant and factor == 1 and len(atoms) == 1
        return atoms[0] if plain and type(atoms[0]) is Symbol else None

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        """The symbols it depends on."""
        if self._symbols is None:
            found: dict[Symbol, None] = {}
            for atom in itertools.chain(*[atoms for atoms, _ in self.terms]):
                if type(atom) is Symbol:
                    found[atom] = None
                else:
                    for part in atom.parts:
                        found.update(dict.fromkeys(part.symbols if type(part) is Size else ()))
            self._symbols = tuple(found)
        return self._symbols

    def _unknown(self, *_: Any) -> NoReturn:
        one = self.symbols[0]
        if one.element is not None:
            raise SymbolicValueError(
                f"{one.tensor!r} has no value before the graph runs, and a number is needed. "
                "Use operations on tensors, or tf.py_function."
            )
        if one.axis is None:
            raise SymbolicValueError(
                f"How many elements {one.tensor!r} has is not known before the graph runs. "
                "Use tf.size(tensor) where a number is needed."
            )
        raise SymbolicValueError(
            f"The size of axis {one.axis} of {one.tensor!r} is not known before the graph runs. "
            f"Use tf.shape(tensor)[{one.axis}] where a number is needed."
        )

    __index__ = __int__ = __float__ = __truediv__ = __rtruediv__ = __pow__ = __rpow__ = _unknown

    # ---- arithmetic --------------------------------------------------------------------------

    def _operand(self, value: Any) -> Any:
        """The other operand as a term; None for what handles terms itself, as tensors do."""
        if isinstance(value, (float, np.floating)):
            self._unknown()
        return as_term(value)

    def __add__(self, other: Any) -> Any:
        other = self._operand(other)
        if other is None:
            return NotImplemented
        terms = _terms_of(self)
        for key, (atoms, factor) in _terms_of(other).items():
            _add(terms, key, atoms, factor)
        return _term(terms, self.constant + _constant_of(other))

    def __mul__(self, other: Any) -> Any:
        other = self._operand(other)
        if other is None:
            return NotImplemented
        terms: Terms = {}
        constant = 0
        for (atoms, factor), (more, times) in itertools.product(_products(self), _products(other)):
            if atoms or more:
                product = tuple(sorted((*atoms, *more), key=_number))
                _add(terms, tuple(map(_number, product)), product, factor * times)
            else:
                constant += factor * times
        return _term(terms, constant)

    def __neg__(self) -> Any:
        return self * -1

    def __sub__(self, other: Any) -> Any:
        other = self._operand(other)
        return NotImplemented if other is None else self + other * -1

    def __rsub__(self, other: Any) -> Any:
        return self * -1 + other

    def __floordiv__(self, other: Any) -> Any:
        other = self._operand(other)
        return NotImplemented if other is None else quotient(self, other)

    def __rfloordiv__(self, other: Any) -> Any:
        other = self._operand(other)
        return NotImplemented if other is None else quotient(other, self)

    def __mod__(self, other: Any) -> Any:
        other = self._operand(other)
        return NotImplemented if other is None else self - other * quotient(self, other)

    def __rmod__(self, other: Any) -> Any:
        other = self._operand(other)
        return NotImplemented if other is None else other - self * quotient(other, self)

    __radd__ = __add__
    __rmul__ = __mul__

    # ---- comparisons -------------------------------------------------------------------------

    def _compared(self, other: Any, decide: Callable[[Any, Any], bool | None]) -> Any:
        """The comparison, as far as the bounds of the difference decide it."""
        other = self._operand(other)
        if other is None:
            return NotImplemented
        if key_of(other) == self.key:
            return decide(0, 0)
        difference = self - other
        decided = decide(low(difference), high(difference))
        return Undecided(self) if decided is None else decided

    def __eq__(self, other: Any) -> Any:
        return self._compared(other, _is_zero)

    def __ne__(self, other: Any) -> Any:
        found = self._compared(other, _is_zero)
        return not found if type(found) is bool else found

    def __lt__(self, other: Any) -> Any:
        return self._compared(other, _is_negative)

    def __ge__(self, other: Any) -> Any:
        found = self._compared(other, _is_negative)
        return not found if type(found) is bool else found

    def __gt__(self, other: Any) -> Any:
        return (-self)._compared(_negative(other), _is_negative)

    def __le__(self, other: Any) -> Any:
        found = (-self)._compared(_negative(other), _is_negative)
        return not found if type(found) is bool else found

    def __bool__(self) -> bool:
        return bool(self != 0)

    def __hash__(self) -> int:
        return hash(self.key)

    def __repr__(self) -> str:
        return "?"


def size_of(tensor: Any, axis: int | None) -> Size:
    """The size of an axis that is not known; without an axis, the number of elements."""
    return _alone((id(tensor), axis), Symbol, tensor, axis)


def element_of(tensor: Any, at: int, bounds: Bounds | None = None) -> Any:
    """An element of a tensor of integers, of whose value at most bounds are known; if these are one, a number."""
    if bounds is not None and bounds.least is not None and bounds.least == bounds.most:
        return bounds.least
    return _alone((id(tensor), -1, at), Symbol, tensor, -1, at, bounds)


def bounds_of(size: Any) -> Bounds:
    """What is known of a size, or a number."""
    return Bounds(low(size), high(size))


def _alone(key: Any, kind: Callable[..., Atom], *parts: Any) -> Size:
    """An atom as a term."""
    atom = _ATOMS.get(key)
    if atom is None:
        atom = _ATOMS[key] = kind(*parts)
    return Size({(atom.number,): ((atom,), 1)}, 0)


def _composed(kind: str, *parts: Any) -> Size:
    return _alone((kind, *map(key_of, parts)), Composed, kind, *parts)


def as_term(value: Any) -> Any:
    """A Size or an integer; None for what is neither."""
    if type(value) is Size or type(value) is int:
        return value
    try:
        return operator.index(value)
    except TypeError:
        return None


def _negative(value: Any) -> Any:
    term = as_term(value)
    return None if term is None else -term


def _is_zero(least: int | None, most: int | None) -> bool | None:
    if least == 0 and most == 0:
        return True
    return False if (least is not None and least > 0) or (most is not None and most < 0) else None


def _is_negative(least: int | None, most: int | None) -> bool | None:
    if most is not None and most < 0:
        return True
    return False if least is not None and least >= 0 else None


# ---- making terms -----------------------------------------------------------------------------


def _number(atom: Atom) -> int:
    number: int = atom.number
    return number


def _terms_of(size: Any) -> Terms:
    if type(size) is not Size:
        return {}
    return {tuple(map(_number, atoms)): (atoms, factor) for atoms, factor in size.terms}


def _constant_of(size: Any) -> int:
    return size.constant if type(size) is Size else int(size)


def _products(size: Any) -> list[tuple[tuple[Atom, ...], int]]:
    """The terms, the constant among them."""
    if type(size) is not Size:
        return [((), size)]
    return [*size.terms, ((), size.constant)]


def _add(terms: Terms, key: Any, atoms: tuple[Atom, ...], factor: int) -> None:
    total = factor + (terms[key][1] if key in terms else 0)
    if total:
        terms[key] = atoms, total
    else:
        terms.pop(key, None)


def _term(terms: Terms, constant: int) -> Any:
    if not terms:
        return constant
    size = Size(terms, constant)
    if len(terms) > MOST or size.weight > 2 * MOST:
        size._unknown()
    return size


def minimum(a: Any, b: Any) -> Any:
    """The smaller of two sizes, as a term if it is known only at run time."""
    return a - positive(a - b)


def maximum(a: Any, b: Any) -> Any:
    """The larger of two sizes, as a term if it is known only at run time."""
    return b + positive(a - b)


def positive(size: Any) -> Any:
    """max(size, 0) in normal form: without a common factor, and of one of d and -d."""
    if type(size) is not Size:
        return max(size, 0)
    least, most = low(size), high(size)
    if least is not None and least >= 0:
        return size
    if most is not None and most <= 0:
        return 0
    common = math.gcd(size.constant, *[factor for _, factor in size.terms])
    if common > 1:
        return positive(quotient(size, common)) * common
    if size.terms[0][1] < 0:
        return _composed(POSITIVE, -size) + size
    return _composed(POSITIVE, size)


def _only_atom(size: Any) -> Any:
    if type(size) is not Size or size.constant or len(size.terms) != 1:
        return None
    atoms, factor = size.terms[0]
    return atoms[0] if factor == 1 and len(atoms) == 1 else None


def quotient(a: Any, b: Any) -> Any:
    """a // b, where b is not zero."""
    if type(b) is Size:
        return _by_term(a, b)
    if type(a) is not Size:
        return a // b
    if b < 0:
        return quotient(-a, -b)
    whole = _term({k: (m, f // b) for k, (m, f) in _terms_of(a).items() if not f % b}, a.constant // b)  # fmt: skip
    rest = a - whole * b
    if type(rest) is not Size:
        return whole + rest // b
    least, most = low(rest), high(rest)
    if least is not None and most is not None and least // b == most // b:
        return whole + least // b
    inner = _only_atom(rest)
    if type(inner) is Composed and inner.kind == QUOTIENT and type(inner.parts[1]) is int:
        return whole + quotient(inner.parts[0], inner.parts[1] * b)
    return whole + _composed(QUOTIENT, rest, b)


def _by_term(a: Any, b: Size) -> Any:
    """The quotient by a term: exact where it is one product that divides every term of `a`."""
    if key_of(a) == b.key:
        return 1
    if not b.constant and len(b.terms) == 1:
        atoms, factor = b.terms[0]
        divided = [_without(m, f, atoms, factor) for m, f in _products(a) if f]
        if all(d is not None for d in divided):
            return sum(divided)
    return _composed(QUOTIENT, a, b)


def _without(product: tuple[Atom, ...], factor: int, atoms: tuple[Atom, ...], by: int) -> Any:
    """A product divided by another one; None if there is a remainder."""
    left = list(product)
    for atom in atoms:
        at = next((i for i, x in enumerate(left) if x is atom), None)
        if at is None:
            return None
        del left[at]
    if factor % by:
        return None
    if not left:
        return factor // by
    return _term({tuple(map(_number, left)): (tuple(left), factor // by)}, 0)


# ---- bounds -----------------------------------------------------------------------------------


def low(size: Any, deep: int = DEEP) -> int | None:
    """A number that it is never below; None if none was found."""
    if type(size) is not Size:
        return int(size)
    if deep < DEEP:
        return _lowest(size, deep)
    if size._low is ...:
        size._low = _lowest(size, deep)
    found: int | None = size._low
    return found


def high(size: Any, deep: int = DEEP) -> int | None:
    """A number that it is never above."""
    least = low(-size, deep)
    return None if least is None else -least


def _lowest(size: Size, deep: int) -> int | None:
    found = [_termwise(size, deep)]
    if deep:
        for atoms, factor in size.terms:
            if len(atoms) == 1 and type(atoms[0]) is Composed:
                with suppress(SymbolicValueError):  # too many terms
                    found.append(_through(size, atoms[0], factor, deep - 1))
    known = [f for f in found if f is not None]
    return max(known) if known else None


def _termwise(size: Size, deep: int) -> int | None:
    total = size.constant
    for atoms, factor in size.terms:
        least, most = _range_of(atoms, deep)
        bound = least if factor > 0 else most
        if bound is None:
            return None
        total += factor * bound
    return total


def _range_of(atoms: Sequence[Atom], deep: int) -> tuple[int | None, int | None]:
    """The bounds of a product of atoms."""
    ranges = [_range_of_atom(atom, deep) for atom in atoms]
    if len(ranges) == 1:
        return ranges[0]
    if any(least is None or least < 0 for least, _ in ranges):
        return None, None
    most = [m for _, m in ranges]
    return (
        math.prod([least for least, _ in ranges if least is not None]),
        None if None in most else math.prod([m for m in most if m is not None]),
    )


def _range_of_atom(atom: Atom, deep: int) -> tuple[int | None, int | None]:
    if type(atom) is Symbol:
        return atom.bounds.least, atom.bounds.most
    if not deep:
        return None, None
    least = [low(p, deep - 1) for p in atom.parts]
    most = high(atom.parts[0], deep - 1)
    if atom.kind == POSITIVE:
        return max(least[0] or 0, 0), None if most is None else max(most, 0)
    by = atom.parts[1]
    if type(by) is int:
        return None if least[0] is None else least[0] // by, None if most is None else most // by
    never_negative = all(x is not None and x >= 0 for x in least)
    return (0, most) if never_negative else (None, None)


def _through(size: Size, atom: Composed, factor: int, deep: int) -> int | None:
    """A lower bound, taking a positive part as its term and as 0, a quotient without its remainder.

    n - max(n - 10, 0) is n or 10, whichever is less.
    """
    others = size - Size({(atom.number,): ((atom,), factor)}, 0)
    if atom.kind == QUOTIENT:
        a, b = atom.parts
        if type(b) is not int:
            return None
        # b (a // b) lies between a - b + 1 and a.
        least = low(others * b + (a - b + 1 if factor > 0 else a) * factor, deep)
        return None if least is None else -(-least // b)
    bounds = [low(others, deep), low(others + atom.parts[0] * factor, deep)]
    known = [b for b in bounds if b is not None]
    if factor > 0:
        return max(known) if known else None
    return min(known) if len(known) == 2 else None


# ---- values -----------------------------------------------------------------------------------


def evaluate(
    size: Any,
    leaf: Callable[[Symbol], Any],
    greatest: Callable[[Any, Any], Any] = max,
) -> Any:
    """The value of a term, from the values of its symbols: numbers, tensors or other terms."""
    if type(size) is not Size:
        return size
    total: Any = size.constant
    for atoms, factor in size.terms:
        product: Any = factor
        for atom in atoms:
            product = product * _value(atom, leaf, greatest)
        total = total + product
    return total


def _value(atom: Atom, leaf: Callable[[Symbol], Any], greatest: Callable[[Any, Any], Any]) -> Any:
    if type(atom) is Symbol:
        return leaf(atom)
    return composed(atom.kind, [evaluate(p, leaf, greatest) for p in atom.parts], greatest)


def composed(kind: str, parts: Sequence[Any], greatest: Callable[[Any, Any], Any]) -> Any:
    """The positive part of a value, or the quotient of two."""
    if kind == POSITIVE:
        return greatest(parts[0], 0)
    whole, by = parts
    if type(whole) is type(by) is int and whole == by == 0:
        return 0  # what nobody shares, such as the rows of no examples
    return whole // by


# ---- sizes of parts ---------------------------------------------------------------------------


def common_shape(shapes: Sequence[Any], who: str) -> tuple[Any, ...]:
    """The shape to which shapes broadcast, with None for a size that is not known."""
    rank = max(map(len, shapes))
    padded = [(1,) * (rank - len(s)) + tuple(s) for s in shapes]
    return tuple([_common(column, shapes, who) for column in zip(*padded, strict=True)])


def _common(sizes: Sequence[Any], shapes: Sequence[Any], who: str) -> Any:
    known = {s for s in sizes if type(s) is int and s != 1}
    if len(known) > 1:
        raise InvalidArgumentError(
            f"Dimensions must be equal, but are {' and '.join(map(str, sorted(known)))}: "
            f"Incompatible shapes: {' vs. '.join(map(shape_text, shapes))} [Op:{who}]"
        )
    if known:
        return known.pop()
    unknown = {s.key: s for s in sizes if type(s) is Size}
    if len(unknown) > 1:
        return None
    return next(iter(unknown.values()), 1)


def length(part: slice, size: Any) -> Any:
    """How many elements of an axis a slice takes, as slice.indices says for known sizes."""
    step = 1 if part.step is None else part.step
    if type(size) is int and not any(type(p) is Size for p in (part.start, part.stop)):
        return len(range(*part.indices(size)))
    if step > 0:
        first = 0 if part.start is None else _place(part.start, size, 0, size)
        last = size if part.stop is None else _place(part.stop, size, 0, size)
        return maximum((last - first + (step - 1)) // step, 0)
    first = size - 1 if part.start is None else _place(part.start, size, -1, size - 1)
    last = -1 if part.stop is None else _place(part.stop, size, -1, size - 1)
    return maximum((first - last + (-step - 1)) // -step, 0)


def _place(at: Any, size: Any, first: Any, last: Any) -> Any:
    """An index counted from either end, clamped to bounds."""
    return maximum(at + size, first) if at < 0 else minimum(at, last)
