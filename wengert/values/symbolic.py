"""Values that a graph will compute: what is known of them before it runs.

A symbolic tensor has a Form where an eager one has an array. A size that is not known stands in the
form's shape as a Size, a shape of unknown rank as an AnyShape. They can be passed around; code that
needs the number gets a SymbolicValueError, and the public function that it serves is deferred until
the graph runs (inference/deferred_calls.py).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final, NoReturn

import numpy as np

from wengert.errors import SymbolicValueError, noted
from wengert.host.user_frames import callers_place
from wengert.values.shapes import TensorShape
from wengert.values.sizes import Size as Size
from wengert.values.sizes import key_of, low, size_of
from wengert.values.tensor import Tensor

_new: Final = object.__new__


class AnyShape:
    """The shape of a symbolic tensor whose rank is known only when the graph runs."""

    __slots__ = ("tensor",)

    def __init__(self, tensor: Any) -> None:
        self.tensor = tensor

    # It stands for a kept shape as well as for the input it was kept of (see `dims`).
    @property
    def _array(self) -> AnyShape:
        return self

    @property
    def shape(self) -> AnyShape:
        """Itself: it stands for the shape of a kept shape, too."""
        return self

    def _unknown(self, *_: Any) -> NoReturn:
        raise SymbolicValueError(
            f"The shape of {self.tensor!r} is not known before the graph runs. "
            "Give it with set_shape, or use tf.shape(tensor) and tf.rank(tensor)."
        )

    __len__ = __iter__ = __getitem__ = __bool__ = _unknown
    __eq__ = __ne__ = __add__ = __radd__ = _unknown
    __index__ = _unknown
    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return "<unknown>"


class Form:
    """What is known of a value in advance; it takes the place of the array."""

    __slots__ = ("dtype", "shape")

    def __init__(self, shape: Any, dtype: Any) -> None:
        self.shape = shape
        self.dtype = dtype

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise TypeError("a symbolic value has no array of its own")


@lru_cache(maxsize=4096)
def known_form(shape: Any, dtype: Any) -> Form:
    """The form of a shape and a dtype, interned so that equal forms are mostly identical."""
    return Form(shape, dtype)


class SymbolicTensor(Tensor):
    """A tensor that an operation of a graph will compute."""

    __slots__ = ("_integers", "_known", "op", "value_index")

    op: Any  # the Operation that computes it
    value_index: int
    _known: Any  # its value, if it is a constant
    _integers: (
        tuple[Any, ...] | None
    )  # its elements as terms, once they were asked for (inference/symbolic_integers.py)

    # ---- what it is --------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """The name, `operation:index`."""
        return f"{self.op.name}:{self.value_index}"

    @property
    def graph(self) -> Any:
        """The graph it belongs to."""
        return self.op.graph

    @property
    def device(self) -> str:
        """The device that was asked for."""
        return str(self.op.device)

    @property
    def shape(self) -> TensorShape:
        """What is known of the shape."""
        return known_shape(self._array.shape)

    @property
    def ndim(self) -> int:
        """The number of axes; an error if it is not known."""
        return len(self._array.shape)

    def set_shape(self, shape: Any) -> None:
        """Add to what is known of the shape; a contradiction is an error."""
        merged = self.shape.merge_with(shape)
        self.op.graph.stated.add(id(self))
        if merged.rank is not None:
            self._array = Form(dims_of(self, merged, self._array.shape), self._array.dtype)

    def adopt(self, shape: Any) -> None:
        """Take over a shape that is certainly the same, but written with other unknown sizes."""
        shape = self.op.graph.own_shape(shape)
        if not identical(self._array.shape, shape):
            self._array = Form(shape, self._array.dtype)

    def consumers(self) -> list[Any]:
        """The operations that use the tensor, one that uses it twice two times."""
        return [op for op in self.graph.get_operations() for x in op.inputs if x is self]

    def eval(self, feed_dict: Any = None, session: Any = None) -> Any:
        """The value, computed by a session: the one given, or the default one."""
        return self.graph.session_for(session, "eval()").run(self, feed_dict)

    # ---- what it does not have ---------------------------------------------------------------

    @property
    def _leaked(self) -> str:
        return (
            f"{self!r}, a tensor of a graph (made at {self.op.place}), where operations run at "
            "once: outside of the `with graph.as_default()` or the tf.function it belongs to."
        )

    @property
    def numpy(self) -> Any:
        """It has none before the graph runs: what asks `hasattr` is told so."""
        raise AttributeError

    def __getattr__(self, name: str) -> Any:
        if name != "numpy":
            return super().__getattr__(name)
        raise noted(
            AttributeError("'SymbolicTensor' object has no attribute 'numpy'"),
            f"{self!r} has no value before the graph runs. Run it with Session.run, or return it "
            "from the tf.function.",
        )

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        if self._known is not None:
            return np.array(self._known, dtype)
        raise self._unknown(
            f"Cannot convert a symbolic tf.Tensor ({self.name}) to a numpy array. This error may "
            "indicate that you're trying to pass a Tensor to a NumPy call, which is not "
            "supported. Use the tf function of the same purpose, or tf.numpy_function."
        )

    def __bool__(self) -> bool:
        raise self._not_allowed(
            "Python `bool`",
            "tf.cond(tensor, lambda: ..., lambda: ...) instead of `if`, tf.while_loop instead of "
            "`while`, tf.logical_and, tf.logical_or and tf.logical_not instead of `and`, `or`, "
            "`not`",
        )

    def __iter__(self) -> Iterator[Tensor]:
        shape = self._array.shape
        if not (isinstance(shape, tuple) and shape and isinstance(shape[0], int)):
            raise self._unknown(
                f"Iterating over a symbolic `tf.Tensor` is not allowed in Graph mode: {self!r} has "
                "no size while the graph is built. Use tf.unstack, tf.map_fn or tf.while_loop."
            )
        return (self[i] for i in range(shape[0]))

    def __len__(self) -> int:
        shape = self._array.shape
        if isinstance(shape, tuple) and not shape:
            raise TypeError("Scalar tensor has no `len()`")
        if isinstance(shape, tuple) and isinstance(shape[0], int):
            return shape[0]
        raise self._unknown(
            f"len is not well defined for a symbolic Tensor ({self.name}). Please call `x.shape` "
            "rather than `len(x)` for shape information; tf.shape(x)[0] is the length when the "
            "graph runs."
        )

    def __int__(self) -> int:
        return int(self._number("int"))

    def __float__(self) -> float:
        return float(self._number("float"))

    def __complex__(self) -> complex:
        return complex(self._number("complex"))

    def __index__(self) -> int:
        number = self._number("integer")
        if not hasattr(number, "__index__"):
            raise TypeError(f"only integer scalar tensors can be converted to a scalar index, got {self!r}")  # fmt: skip
        return number.__index__()  # type: ignore[no-any-return]

    def _number(self, kind: str) -> Any:
        if self._known is None:
            raise self._not_allowed(f"Python `{kind}`", "operations on tensors, or tf.py_function")
        return np.asarray(self._known)[()]

    def _not_allowed(self, what: str, instead: str) -> SymbolicValueError:
        return self._unknown(
            f"Using a symbolic `tf.Tensor` as a {what} is not allowed: {self!r} has no value while "
            f"the graph is built. Use {instead}."
        )

    def _unknown(self, message: str) -> SymbolicValueError:
        return SymbolicValueError(f"{message} (at {callers_place()})")

    def __hash__(self) -> int:
        return id(self)

    def __copy__(self) -> SymbolicTensor:
        return self

    def __deepcopy__(self, memo: Any) -> SymbolicTensor:
        return self

    def __reduce__(self) -> Any:
        raise TypeError(f"{self!r} belongs to a graph and cannot be pickled.")

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)

    def __repr__(self) -> str:
        return f"<tf.Tensor '{self.name}' shape={self.shape} dtype={self.dtype.name}{self._weakness()}>"

    def __str__(self) -> str:
        shape = "" if self.shape.rank is None else f" shape={self.shape},"
        return f'Tensor("{self.name}",{shape} dtype={self.dtype.name}{self._weakness()})'


def new_symbolic(op: Any, index: int, shape: Any, dtype: Any) -> SymbolicTensor:
    """The result of an operation; None in its shape stands for what is not known.

    Terms may come from a graph around: a rule makes zeros of the shape of what it differentiates.
    """
    if is_certain(shape):
        return new_of_form(op, index, known_form(shape, dtype))
    tensor = new_of_form(op, index, None)
    if shape is None:
        shape = AnyShape(tensor)
    elif type(shape) is tuple:
        shape = op.graph.own_shape(shape)
        shape = tuple([s if _is_size(s) else size_of(tensor, i) for i, s in enumerate(shape)])
    tensor._array = Form(shape, dtype)
    return tensor


def _is_size(size: Any) -> bool:
    """Whether something may stand as a size: a term must be proved not to be negative."""
    if type(size) is not Size:
        return size is not None
    least = low(size)
    return least is not None and least >= 0


def new_of_form(op: Any, index: int, form: Any) -> SymbolicTensor:
    """A result of an operation, of which shape and dtype are known."""
    tensor: SymbolicTensor = _new(SymbolicTensor)
    tensor.op = op
    tensor.value_index = index
    tensor._known = tensor._integers = None
    tensor._key = object()
    tensor._array = form
    return tensor


def identical(a: Any, b: Any) -> bool:
    """Whether two shapes are the same for certain."""
    if a is b or not (isinstance(a, tuple) and isinstance(b, tuple)):
        return a is b
    if len(a) != len(b):
        return False
    for p, q in zip(a, b, strict=True):  # noqa: SIM110  # every gradient asks: a generator takes longer
        if p is not q and key_of(p) != key_of(q):
            return False
    return True


def shared_key(size: Any) -> Any:
    """The key by which a size, or a shape of unknown rank, is found in another graph."""
    return size.key if type(size) is Size else id(size)


_UNKNOWN: Final = frozenset((type(None), Size))


def is_certain(shape: Any) -> bool:
    """Whether a shape is known to the last size."""
    return isinstance(shape, tuple) and _UNKNOWN.isdisjoint(map(type, shape))


_OBJECT: Final = np.dtype(object)
_WHOLE: Final = np.dtype(int)


def is_absent(x: SymbolicTensor, value: Any) -> bool:
    """Whether what a run has for a value is a gradient in a branch that was not taken: a zero without a dtype.

    What is computed of such zeros are Python's integers.
    """
    dtype = _WHOLE if type(value) is int else getattr(value, "dtype", None)
    if dtype is _WHOLE:
        return x.dtype.is_differentiable
    return dtype is _OBJECT and x._array.dtype is not _OBJECT


def count_of(shape: Any) -> Any:
    """How many elements a shape has; a term if that is known only at run time."""
    return size_of(shape.tensor, None) if isinstance(shape, AnyShape) else math.prod(shape)


def known_shape(shape: Any) -> TensorShape:
    """The TensorShape of a shape."""
    if not isinstance(shape, tuple):
        return TensorShape(None)
    return TensorShape([None if type(s) is Size else s for s in shape])


def dims_of(tensor: Any, shape: TensorShape, before: Any) -> tuple[Any, ...]:
    """A TensorShape as the machine's tuple; sizes that stay unknown stay the same objects."""
    kept = before if isinstance(before, tuple) else [None] * len(shape)
    return tuple(
        [
            s if s is not None else (old if type(old) is Size else size_of(tensor, i))
            for i, (s, old) in enumerate(zip(shape, kept, strict=True))
        ]
    )
