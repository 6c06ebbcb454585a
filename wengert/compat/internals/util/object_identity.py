"""tensorflow.python.util.object_identity: sets and dictionaries of objects by identity."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator, MutableMapping, MutableSet
from typing import Any


class _Wrapper:
    """Stands for an object: equal to what stands for the same one."""

    __slots__ = ("__weakref__", "_wrapped")

    def __init__(self, wrapped: Any) -> None:
        self._wrapped = wrapped

    @property
    def unwrapped(self) -> Any:
        return self._wrapped

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Wrapper):
            raise TypeError(
                "Cannot compare wrapped object with unwrapped object. Expect the object to be "
                f"`_ObjectIdentityWrapper`. Got: {other}"
            )
        return self.unwrapped is other.unwrapped

    def __lt__(self, other: Any) -> bool:
        return id(self.unwrapped) < id(other.unwrapped)

    def __hash__(self) -> int:
        return id(self.unwrapped)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} wrapping {self.unwrapped!r}>"


class Reference(_Wrapper):
    """Stands for an object where it must be hashed."""

    __slots__ = ()

    def deref(self) -> Any:
        """The object."""
        return self._wrapped


class _Weak(_Wrapper):
    __slots__ = ()

    def __init__(self, wrapped: Any) -> None:
        super().__init__(weakref.ref(wrapped))

    @property
    def unwrapped(self) -> Any:
        return self._wrapped()


class ObjectIdentityDictionary(MutableMapping[Any, Any]):
    """A dictionary whose keys are compared by identity."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._storage: dict[_Wrapper, Any] = {}
        self.update(dict(*args, **kwargs))

    def _key(self, key: Any) -> _Wrapper:
        return _Wrapper(key)

    def __getitem__(self, key: Any) -> Any:
        return self._storage[self._key(key)]

    def __setitem__(self, key: Any, value: Any) -> None:
        self._storage[self._key(key)] = value

    def __delitem__(self, key: Any) -> None:
        del self._storage[self._key(key)]

    def __len__(self) -> int:
        return len(self._storage)

    def __iter__(self) -> Iterator[Any]:
        return (key.unwrapped for key in list(self._storage))


class ObjectIdentityWeakKeyDictionary(ObjectIdentityDictionary):
    """The same without keeping its keys alive."""

    def _key(self, key: Any) -> _Wrapper:
        return _Weak(key)

    def __iter__(self) -> Iterator[Any]:
        for key in list(self._storage):
            if key.unwrapped is None:
                del self._storage[key]
            else:
                yield key.unwrapped

    def __len__(self) -> int:
        return len(list(iter(self)))


class ObjectIdentitySet(MutableSet[Any]):
    """A set whose elements are compared by identity."""

    def __init__(self, *args: Iterable[Any]) -> None:
        self._storage = {self._key(value) for value in (args[0] if args else ())}

    def _key(self, value: Any) -> _Wrapper:
        return _Wrapper(value)

    def __contains__(self, value: object) -> bool:
        return self._key(value) in self._storage

    def __iter__(self) -> Iterator[Any]:
        return iter([key.unwrapped for key in self._storage])

    def __len__(self) -> int:
        return len(self._storage)

    def add(self, value: Any) -> None:
        self._storage.add(self._key(value))

    def discard(self, value: Any) -> None:
        self._storage.discard(self._key(value))

    def update(self, values: Iterable[Any]) -> None:
        for value in values:
            self.add(value)

    def clear(self) -> None:
        self._storage.clear()


class ObjectIdentityWeakSet(ObjectIdentitySet):
    """The same without keeping its elements alive."""

    def _key(self, value: Any) -> _Wrapper:
        return _Weak(value)

    def __iter__(self) -> Iterator[Any]:
        return iter([key.unwrapped for key in self._storage if key.unwrapped is not None])

    def __len__(self) -> int:
        return len(list(iter(self)))
