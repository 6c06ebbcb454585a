"""Arrays that JAX traces, as NumPy's functions see them: kernels written with NumPy run on them.

NumPy hands a call with such an array to the array (`__array_ufunc__`, `__array_function__`), which
carries it out with jax.numpy. Writing into one replaces its value, so a kernel that fills an array
of the namespace works too. What asks for the numbers themselves raises `NeedsNumbersError`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from functools import partial
from typing import Any, Final

import numpy as np

from wengert.engines.xla.asked import ASKED, NeedsNumbersError
from wengert.engines.xla.backend import jax, jnp, lax, special
from wengert.engines.xla.ufuncs import CHANGES, of_ufunc


class Traced(np.lib.mixins.NDArrayOperatorsMixin):  # type: ignore[misc]
    """An array that JAX traces; or a view of another one, which sees and makes its changes."""

    __slots__ = ("_get", "_parent", "_put", "_seen", "_value", "_version")
    __array_priority__ = 200

    def __init__(self, value: Any, parent: Any = None, get: Any = None, put: Any = None) -> None:
        self._value = value
        self._version = 0
        self._parent = parent
        self._get, self._put = get, put  # from the parent's value; back into it
        self._seen = 0 if parent is None else parent.version

    @property
    def version(self) -> int:
        """A number that changes with the elements."""
        return self._version if self._parent is None else int(self._parent.version)

    @property
    def value(self) -> Any:
        """JAX's array, as it is now."""
        if self._parent is not None and self._seen != self._parent.version:
            self._value = self._get(self._parent.value)
            self._seen = self._parent.version
        return self._value

    def written(self, value: Any) -> Traced:
        """The array, which has other elements from here on."""
        value = jnp.broadcast_to(jnp.asarray(value), self.shape).astype(self.dtype)
        if self._parent is None:
            self._version += 1
        elif self._put is None:
            raise NeedsNumbersError("it writes through a view")
        else:
            self._parent.written(self._put(self._parent.value, value))
            self._seen = self._parent.version
        self._value = value
        return self

    def seen_as(self, get: Callable[[Any], Any], put: Callable[[Any, Any], Any] | None) -> Traced:
        """A view of the array."""
        return Traced(get(self.value), self, get, put)

    @property
    def dtype(self) -> Any:
        """The dtype, NumPy's."""
        return self.value.dtype

    @property
    def shape(self) -> Any:
        """The shape, which is known."""
        return self.value.shape

    @property
    def real(self) -> Any:
        """The real part."""
        return self.seen_as(jnp.real, lambda p, v: lax.complex(v, jnp.imag(p)))

    @real.setter
    def real(self, new: Any) -> None:
        self.real.written(bare(new))

    @property
    def imag(self) -> Any:
        """The imaginary part."""
        return self.seen_as(jnp.imag, lambda p, v: lax.complex(jnp.real(p), v))

    @imag.setter
    def imag(self, new: Any) -> None:
        self.imag.written(bare(new))

    @property
    def T(self) -> Any:  # noqa: N802
        """The axes in reverse."""
        return XP.transpose(self)

    def copy(self, order: str = "C") -> Any:
        """Another array: writing into one leaves the other alone."""
        return Traced(self.value)

    @property
    def size(self) -> int:
        """The number of elements."""
        return int(self.value.size)

    @property
    def flags(self) -> Any:
        """NumPy's flags, of which there are none."""
        raise NeedsNumbersError("it asks how the array lies in memory")

    def argsort(self, axis: int = -1, kind: str | None = None) -> Any:
        """The order of the elements, always a stable one."""
        return Traced(jnp.argsort(self.value, axis=axis))

    def __getattr__(self, name: str) -> Any:
        if name in VIEWS:
            return partial(getattr(XP, name), self)
        found = getattr(self.value, name)
        return _wrapping(found) if callable(found) else found

    def reshape(self, *shape: Any) -> Any:
        """The elements in another shape."""
        return XP.reshape(self, shape[0] if len(shape) == 1 else shape)

    def transpose(self, *order: Any) -> Any:
        """The axes in another order."""
        return XP.transpose(self, *([order[0] if len(order) == 1 else order] if order else []))

    def __len__(self) -> int:
        return int(self.value.shape[0])

    def __iter__(self) -> Iterator[Any]:
        return iter([self[i] for i in range(len(self))])

    def __getitem__(self, key: Any) -> Any:
        at = bare(key)
        if any(
            hasattr(k, "shape") or isinstance(k, list) for k in (at if type(at) is tuple else [at])
        ):
            return Traced(self.value[at])
        return self.seen_as(lambda p: p[at], lambda p, v: p.at[at].set(v))

    def __setitem__(self, key: Any, new: Any) -> None:
        self.written(self.value.at[bare(key)].set(jnp.asarray(bare(new)).astype(self.dtype)))

    def __bool__(self) -> bool:
        if not ASKED.truth or ASKED.check is None:
            raise NeedsNumbersError("its path depends on numbers")
        ASKED.check(self.value)
        return False

    def _refuse(self, *_: Any, **__: Any) -> Any:
        raise NeedsNumbersError("it asks for the numbers")

    __array__ = __int__ = __float__ = __index__ = __complex__ = _refuse
    tolist = item = _refuse

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **settings: Any) -> Any:
        out = settings.pop("out", None)
        if method == "at":
            return _change_at(ufunc, *inputs)
        found = wrapped(of_ufunc(ufunc, method)(*map(bare, inputs), **bare(settings)))
        return found if out is None else _into(out[0], found)

    def __array_function__(self, func: Any, types: Any, args: Any, settings: Any) -> Any:
        out = settings.pop("out", None) if "out" in settings else None
        part = (
            "linalg" if "linalg" in func.__module__ else "fft" if "fft" in func.__module__ else ""
        )
        found = getattr(getattr(XP, part) if part else XP, func.__name__)(*args, **settings)
        return found if out is None else _into(out, found)


def bare(value: Any) -> Any:
    """A value with JAX's arrays in place of these, within lists, tuples and dictionaries, too."""
    if type(value) is Traced:
        return value.value
    if type(value) in (list, tuple):
        return type(value)(map(bare, value))
    if type(value) is dict:
        return {name: bare(v) for name, v in value.items()}
    return value


def wrapped(value: Any) -> Any:
    """The reverse: JAX's arrays as kernels see them."""
    if isinstance(value, jax.Array):
        return Traced(value)
    if isinstance(value, (list, tuple)):
        parts = [wrapped(v) for v in value]
        return parts if isinstance(value, list) else tuple(parts)
    return value


def _same_elements(p: Any, v: Any) -> Any:
    return v.reshape(p.shape)


# What gives a view in NumPy, and how what is written into the view gets back.
VIEWS: Final[dict[str, Callable[..., Any] | None]] = {
    **dict.fromkeys(("reshape", "ravel", "squeeze", "expand_dims"), lambda *_: _same_elements),
    "moveaxis": lambda source, to: lambda p, v: jnp.moveaxis(v, to, source),
    "swapaxes": lambda a, b: lambda p, v: jnp.swapaxes(v, a, b),
    "transpose": lambda order=None: (
        lambda p, v: jnp.transpose(v, None if order is None else np.argsort(order))
    ),
    **dict.fromkeys(("broadcast_to", "diagonal", "flip", "view", "split", "broadcast_arrays")),
}


def _view(name: str) -> Callable[..., Any]:
    function, put_by = getattr(jnp, name, None), VIEWS[name]

    def call(x: Any, *args: Any, **settings: Any) -> Any:
        if type(x) is not Traced:
            return getattr(np, name)(x, *args, **settings)
        given = [tuple(a) if isinstance(a, range) else a for a in args]

        def get(value: Any) -> Any:
            return value.view(*given) if function is None else function(value, *given, **settings)

        found = get(x.value)
        if isinstance(found, (list, tuple)):
            return wrapped(found)
        put = None if put_by is None or settings else put_by(*given)
        return Traced(found, x, get, put)

    return call


def _is_traced(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return any(map(_is_traced, value))
    return type(value) is Traced or isinstance(value, jax.Array)


def _wrapping(function: Callable[..., Any], known: Any = None) -> Callable[..., Any]:
    """A function of jax.numpy on what is traced; `known` is NumPy's, for what is not."""

    def call(*args: Any, **settings: Any) -> Any:
        out = settings.pop("out", None)
        if (
            known is not None
            and not _is_traced(args)
            and not any(map(_is_traced, settings.values()))
        ):
            found = known(*args, **settings)
        else:
            found = wrapped(function(*bare(args), **bare(settings)))
        return found if out is None else _into(out, found)

    return call


def _into(out: Any, found: Any) -> Any:
    if type(out) is not Traced:
        raise NeedsNumbersError("it writes into NumPy's memory")
    return out.written(bare(found))


def _change_at(ufunc: Any, out: Any, places: Any, updates: Any) -> None:
    if type(out) is not Traced:
        raise NeedsNumbersError("it writes into NumPy's memory")
    at = out.value.at[bare(places)]
    if ufunc.__name__ == "subtract":
        out.written(at.add(-jnp.asarray(bare(updates))))
    elif ufunc.__name__ in CHANGES:
        out.written(getattr(at, CHANGES[ufunc.__name__])(bare(updates)))
    else:
        raise NeedsNumbersError(f"np.{ufunc.__name__}.at is NumPy's alone")


# ---- the namespace of kernels -------------------------------------------------------------------


class Ufunc:
    """A function of NumPy's with methods: jax.numpy's function, and the methods on what is traced."""

    def __init__(self, ufunc: Any) -> None:
        self._ufunc = ufunc
        self.__name__ = ufunc.__name__
        self.reduce = _wrapping(partial(self._method, "reduce"), ufunc.reduce)
        self.accumulate = _wrapping(partial(self._method, "accumulate"), ufunc.accumulate)
        self._call = _wrapping(partial(self._method, "__call__"), ufunc)

    def _method(self, method: str, *args: Any, **settings: Any) -> Any:
        return of_ufunc(self._ufunc, method)(*args, **settings)

    def __call__(self, *args: Any, out: Any = None, **settings: Any) -> Any:
        """The function, into `out` if it is given."""
        if len(args) > self._ufunc.nin:
            args, out = args[: self._ufunc.nin], args[self._ufunc.nin]
        found = self._call(*args, **settings)
        return found if out is None else _into(out[0] if type(out) is tuple else out, found)

    def at(self, out: Any, places: Any, updates: Any) -> None:
        """Change elements one after the other."""
        _change_at(self._ufunc, out, places, updates)


_MAKING: Final = frozenset(("zeros", "ones", "full"))  # arrays, to be written into


class Namespace:
    """jax.numpy as kernels see it. An array that it makes can be written into."""

    def __getattr__(self, name: str) -> Any:
        own = getattr(np, name, None)
        if isinstance(own, np.ufunc):
            found: Any = Ufunc(own)
        elif isinstance(own, type) or not callable(own):
            found = own  # dtypes and numbers
        elif name in VIEWS:
            found = _view(name)
        else:
            found = _wrapping(getattr(jnp, name), None if name in _MAKING else own)
        setattr(self, name, found)
        return found

    linalg: Any = None
    fft: Any = None
    # What is computed of shapes and dtypes stays NumPy's.
    ndarray = np.ndarray
    errstate = staticmethod(lambda **_: nullcontext())
    finfo, iinfo, dtype = np.finfo, np.iinfo, np.dtype
    broadcast_shapes, result_type = staticmethod(np.broadcast_shapes), staticmethod(np.result_type)
    shape, ndim, size = staticmethod(np.shape), staticmethod(np.ndim), staticmethod(np.size)
    arange, eye, indices = staticmethod(np.arange), staticmethod(np.eye), staticmethod(np.indices)

    @staticmethod
    def empty(shape: Any, dtype: Any = float) -> Any:
        """An array to be filled."""
        return Traced(jnp.zeros(shape, dtype))

    @staticmethod
    def empty_like(x: Any, dtype: Any = None) -> Any:
        """An array to be filled, in the form of another one."""
        return Traced(jnp.zeros(x.shape, dtype or x.dtype))

    @staticmethod
    def copyto(to: Any, new: Any, where: Any = None) -> None:
        """Write into an array, where it is said."""
        to.written(bare(new) if where is None else jnp.where(bare(where), bare(new), to.value))

    @staticmethod
    def asarray(x: Any, dtype: Any = None) -> Any:
        """The array itself; what is known stays NumPy's."""
        if type(x) is not Traced:
            return np.asarray(x, dtype)
        return x if dtype is None else x.astype(dtype)

    ascontiguousarray = asarray

    @staticmethod
    def argsort(x: Any, axis: int = -1, kind: str | None = None) -> Any:
        """The order of the elements, always a stable one."""
        return wrapped(jnp.argsort(bare(x), axis=axis))


class _Part:
    """A module of jax.numpy, such as its linalg."""

    LinAlgError = np.linalg.LinAlgError

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        return _wrapping(
            getattr(getattr(jnp, self._name), name), getattr(getattr(np, self._name), name)
        )


class _Special:
    """jax.scipy.special under SciPy's names."""

    _NAMES: Final = {"psi": "digamma"}

    def __getattr__(self, name: str) -> Any:
        return _wrapping(getattr(special, self._NAMES.get(name, name)))


XP: Final = Namespace()
XP.linalg, XP.fft = _Part("linalg"), _Part("fft")
SPECIAL: Final = _Special()
