"""Data types: TensorFlow's names over NumPy's types."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from typing import Any, Final

import numpy as np

from wengert.errors import InvalidArgumentError


class DType:
    """The type of a tensor's elements.

    >>> float32.name, float32.size, float32.is_floating
    ('float32', 4, True)
    >>> float32 == "float32" and float32 == np.float32
    True
    """

    __slots__ = ("_base", "_enum", "_kind", "_numpy", "name", "spoken")

    name: str
    spoken: str
    _enum: int
    _kind: str
    _base: DType | None  # of a reference: what it refers to
    _numpy: np.dtype[Any] | None

    def __new__(
        cls, name: Any, enum: int | None = None, kind: str = "", spoken: str = "",
        base: DType | None = None,
    ) -> DType:  # fmt: skip
        """A new dtype; of a number of TensorFlow's protocol buffers alone, the one there is."""
        if enum is None:
            return as_dtype(name)
        dtype = object.__new__(cls)
        dtype.name, dtype._enum, dtype._kind = name, enum, kind
        dtype.spoken = spoken or name  # the word TensorFlow's messages use
        dtype._base, dtype._numpy = base, None
        return dtype

    def __setattr__(self, name: str, value: Any) -> None:
        if name != "_numpy" and hasattr(self, name):  # there is one object a dtype
            raise AttributeError(f"A dtype does not change: cannot set {name!r} of {self}.")
        object.__setattr__(self, name, value)

    @property
    def numpy_dtype(self) -> np.dtype[Any]:
        """NumPy's dtype."""
        if self._numpy is None:
            self._numpy = _find_numpy_dtype(self.base_dtype.name)
        return self._numpy

    @property
    def storage(self) -> np.dtype[Any]:
        """NumPy's dtype of the integers of which quantized ones are made; otherwise its own."""
        own = self.numpy_dtype
        return own[0] if own.names and self._kind == "q" else own

    @property
    def _is_ref_dtype(self) -> bool:
        return self._base is not None

    @property
    def _as_ref(self) -> DType:
        """What a version 1 variable of this dtype holds."""
        return self if self._base is not None else as_dtype(f"{self.name}_ref")

    @property
    def as_numpy_dtype(self) -> Any:
        """NumPy's type of one number."""
        if self._kind in "srv":
            return object
        return self.numpy_dtype if self._kind == "q" else self.numpy_dtype.type

    @property
    def as_datatype_enum(self) -> int:
        """The number that stands for it in TensorFlow's protocol buffers."""
        return self._enum

    @property
    def is_quantized(self) -> bool:
        """Whether its numbers stand for others, by a scale that is kept elsewhere."""
        return self.name.startswith(("qint", "quint"))

    @property
    def is_floating(self) -> bool:
        """Whether it holds real numbers with a fraction."""
        return self._kind == "f"

    @property
    def is_complex(self) -> bool:
        """Whether it holds complex numbers."""
        return self._kind == "c"

    @property
    def is_differentiable(self) -> bool:
        """Whether a gradient can flow through values of this type."""
        return self._kind in "fcv"

    @property
    def is_integer(self) -> bool:
        """Whether it holds integers."""
        return self._kind in "iu"

    @property
    def is_unsigned(self) -> bool:
        """Whether it holds unsigned integers."""
        return self._kind == "u"

    @property
    def is_bool(self) -> bool:
        """Whether it is boolean."""
        return self._kind == "b"

    @property
    def is_numeric(self) -> bool:
        """Whether it holds numbers."""
        return self._kind in "fciu"

    @property
    def is_numpy_compatible(self) -> bool:
        """Whether NumPy's arrays can hold it: not what refers to a variable, or holds anything."""
        return self._kind not in "rv"

    @property
    def size(self) -> int:
        """Bytes of one number."""
        return 0 if self._kind == "s" else self.numpy_dtype.itemsize

    @property
    def base_dtype(self) -> DType:
        """The dtype itself; of a reference, that to which it refers."""
        return self if self._base is None else self._base

    @property
    def real_dtype(self) -> DType:
        """The dtype of the real part."""
        return {"complex64": float32, "complex128": float64}.get(self.base_dtype.name, self)

    @property
    def min(self) -> Any:
        """The smallest number it holds."""
        return self._limit("min")

    @property
    def max(self) -> Any:
        """The largest number it holds."""
        return self._limit("max")

    @property
    def limits(self) -> tuple[Any, Any]:
        """The range of intensities in an image of this type, without the negative ones."""
        if self.name in ("float32", "float64"):
            return 0, 1
        if self._kind in "iub":
            return 0, self._kind == "b" or self.max
        raise ValueError(f"{self} does not have defined limits.")

    def _limit(self, which: str) -> Any:
        if self._kind in "iu":
            return getattr(_iinfo(self), which)
        if self._kind == "f":
            return self.as_numpy_dtype(getattr(_finfo(self), which))
        raise TypeError(f"Cannot find {which}imum value of {self} with type {self}.")

    def is_compatible_with(self, other: Any) -> bool:
        """Whether it is the same dtype, or a reference to it."""
        there = as_dtype(other)
        return self is there or self is there.base_dtype

    def is_subtype_of(self, other: Any) -> bool:
        """Whether it is the same dtype: none includes another."""
        return self is other

    def most_specific_common_supertype(self, others: Iterable[Any]) -> DType | None:
        """The dtype itself, if the others are the same."""
        return self if all(self is other for other in others) else None

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if other is None or other is int or isinstance(other, DType):  # int: of 32 bits, or 64?
            return False
        try:
            return self is as_dtype(other)
        except TypeError:
            return False

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return f"tf.{self.name}"

    def __str__(self) -> str:
        return f"<dtype: {self.name!r}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return as_dtype, (self.name,)


float16: Final = DType("float16", 19, "f", "half")
bfloat16: Final = DType("bfloat16", 14, "f")
float32: Final = DType("float32", 1, "f", "float")
float64: Final = DType("float64", 2, "f", "double")
complex64: Final = DType("complex64", 8, "c")
complex128: Final = DType("complex128", 18, "c")
int8: Final = DType("int8", 6, "i")
int16: Final = DType("int16", 5, "i")
int32: Final = DType("int32", 3, "i")
int64: Final = DType("int64", 9, "i")
uint8: Final = DType("uint8", 4, "u")
uint16: Final = DType("uint16", 17, "u")
uint32: Final = DType("uint32", 22, "u")
uint64: Final = DType("uint64", 23, "u")
bool_: Final = DType("bool", 10, "b")
string: Final = DType("string", 7, "s")
# What stands for a list of tensors or a dataset.
variant: Final = DType("variant", 21, "v")
resource: Final = DType("resource", 20, "r")
# Formats for storage: they are cast, joined and shaped; arithmetic is done in a wider one.
float8_e5m2: Final = DType("float8_e5m2", 24, "f")
float8_e4m3fn: Final = DType("float8_e4m3fn", 25, "f")
float8_e4m3fnuz: Final = DType("float8_e4m3fnuz", 26, "f")
float8_e4m3b11fnuz: Final = DType("float8_e4m3b11fnuz", 27, "f")
float8_e5m2fnuz: Final = DType("float8_e5m2fnuz", 28, "f")
int4: Final = DType("int4", 29, "i")
uint4: Final = DType("uint4", 30, "u")
# Quantized integers, structured as TensorFlow's arrays of them are: they are cast and bitcast.
qint8: Final = DType("qint8", 11, "q")
quint8: Final = DType("quint8", 12, "q")
qint32: Final = DType("qint32", 13, "q")
qint16: Final = DType("qint16", 15, "q")
quint16: Final = DType("quint16", 16, "q")
QUANTIZED_DTYPES: Final = frozenset((qint8, quint8, qint32, qint16, quint16))
# No array is of these NumPy dtypes.
VARIANT: Final = np.dtype([("tensors", object)])
# What stands for an object that lives outside of the graph: a table, a queue, a generator.
RESOURCE: Final = np.dtype([("resource", object)])
half: Final = float16
double: Final = float64

ALL: Final = (
    float16,
    bfloat16,
    float32,
    float64,
    complex64,
    complex128,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
    bool_,
    string,
)

SMALL: Final = (
    float8_e5m2,
    float8_e4m3fn,
    float8_e4m3fnuz,
    float8_e4m3b11fnuz,
    float8_e5m2fnuz,
    int4,
    uint4,
)
# Those that NumPy lacks. The package that has them is loaded when first needed: it costs start-up time.
_ADDED: Final = {d.name for d in (bfloat16, *SMALL)}

_VALUES: Final = (*ALL, *SMALL, *QUANTIZED_DTYPES, variant, resource)
# What version 1 variables are in TensorFlow's graphs: no tensor here is of them.
REFERENCES: Final = {
    f"{d.name}_ref": DType(f"{d.name}_ref", d.as_datatype_enum + 100, d._kind, base=d)
    for d in _VALUES
}
_BY_NAME: Final = {d.name: d for d in _VALUES} | {
    "half": half,
    "float": float32,
    "double": double,
    **REFERENCES,
}
_PYTHON: Final = {
    float: float32,
    int: int32,
    bool: bool_,
    complex: complex128,
    str: string,
    bytes: string,
    object: string,
}


class _ByNumpy(dict[np.dtype[Any], DType]):
    """The DTypes by their NumPy dtypes, which every operation looks up."""

    def __missing__(self, dtype: np.dtype[Any]) -> DType:
        name = "string" if dtype.kind in "OSU" else dtype.names[0] if dtype.names else dtype.name
        if name not in _BY_NAME:
            raise TypeError(
                f"Cannot convert {dtype} to a TensorFlow DType: "
                "there is no tensor of this NumPy type."
            )
        found = self[dtype] = _BY_NAME[name]
        return found


BY_NUMPY: Final = _ByNumpy({VARIANT: variant, RESOURCE: resource})


def _find_numpy_dtype(name: str) -> np.dtype[Any]:
    if name == "string":
        return np.dtype(object)
    if name == "variant":
        return VARIANT
    if name == "resource":
        return RESOURCE
    if name in _ADDED:
        return np.dtype(getattr(importlib.import_module("ml_dtypes"), name))
    if name.startswith("q"):
        return np.dtype([(name, name[1:])])
    return np.dtype(name)


def _finfo(dtype: DType) -> Any:
    if dtype.name in _ADDED:
        return importlib.import_module("ml_dtypes").finfo(dtype.numpy_dtype)
    return np.finfo(dtype.numpy_dtype)


def _iinfo(dtype: DType) -> Any:
    if dtype.name in _ADDED:
        return importlib.import_module("ml_dtypes").iinfo(dtype.numpy_dtype)
    return np.iinfo(dtype.numpy_dtype)


def of_numpy(dtype: np.dtype[Any]) -> DType:
    """The DType of a NumPy dtype."""
    return BY_NUMPY[dtype]


def as_dtype(type_value: Any) -> DType:
    """The DType that a name, a Python type, a NumPy type or an enum number stands for.

    >>> as_dtype("float64"), as_dtype(np.int8), as_dtype(float)
    (tf.float64, tf.int8, tf.float32)
    """
    if isinstance(type_value, DType):
        return type_value
    if isinstance(type_value, str):
        found = _BY_NAME.get(type_value)
    elif isinstance(type_value, int):
        found = next((d for d in _BY_NAME.values() if d.as_datatype_enum == type_value), None)
    elif isinstance(type_value, type) and type_value in _PYTHON:
        found = _PYTHON[type_value]
    else:
        found = _of_numpy_like(type_value)
    if found is None:
        raise TypeError(
            f"Cannot convert the argument `type_value`: {type_value!r} to a TensorFlow DType."
        )
    return found


def _of_numpy_like(value: Any) -> DType | None:
    """The dtype of what NumPy takes for one, or of what has one."""
    for like in (value, getattr(value, "dtype", None)):
        if like is None or isinstance(like, DType):  # None is float64 for NumPy
            return None
        try:
            return of_numpy(np.dtype(like))
        except (TypeError, ValueError):
            pass
    return None


def real_of(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype of the parts of a complex dtype; a real dtype itself."""
    return np.zeros((), dtype).real.dtype


def complex_of(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The complex dtype whose parts are of this dtype, or the smallest one."""
    return np.result_type(dtype, np.complex64)


def check_same(name: str, first: DType, index: int, other: DType) -> None:
    """Raise TensorFlow's error when two inputs of an operation differ in dtype."""
    if first is other:
        return
    raise InvalidArgumentError(
        f"cannot compute {name} as input #{index}(zero-based) was expected to be a "
        f"{first.spoken} tensor but is a {other.spoken} tensor [Op:{name}]. "
        f"Wengert, like TensorFlow, never converts a tensor's dtype silently: "
        f"write tf.cast(tensor, tf.{first.name}) where you mean it."
    )
