"""Which arguments of a function are differentiated, as tensors of their own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from typing import Any

import numpy as np

from wengert.derivatives import structures
from wengert.derivatives.leaving import followed
from wengert.ops.arrays.identity import identity
from wengert.state.variable import Variable
from wengert.values.composite import Composite
from wengert.values.convert import convert
from wengert.values.tensor import Tensor

ArgNums = int | Sequence[int] | None
ArgNames = str | Sequence[str] | None


def check_function(f: Any, who: str) -> None:
    """Raise unless what is to be differentiated is a function."""
    if not callable(f):
        raise TypeError(
            f"tf.{who} takes a function and returns one; got {f!r}. For the gradient of an "
            "existing tensor use tf.GradientTape."
        )


def plain_int(value: Any) -> Any:
    """An integer of NumPy as one of Python; anything else as it is."""
    return int(value) if isinstance(value, np.integer) else value


class Arguments:
    """The arguments of one call; `leaves` are the tensors that are differentiated."""

    def __init__(
        self,
        f: Callable[..., Any],
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        argnums: ArgNums = 0,
        argnames: ArgNames = None,
        who: str = "grad",
    ) -> None:
        self._f = f
        self._args = list(args)
        self._kwargs = dict(kwargs)
        argnums = plain_int(argnums)
        if argnames is not None and argnums == 0:  # the default gives way to names
            argnums = None
        self._numbers = _numbers(argnums, len(args), who)
        self._names = _names(argnames, kwargs, who)
        # Whether one argument was asked for, and not a tuple or a dictionary with one.
        self._is_single = (isinstance(argnums, int) and not self._names) or (
            isinstance(argnames, str) and not self._numbers
        )
        self._structure = [
            *[self._args[i] for i in self._numbers],
            *[self._kwargs[name] for name in self._names],
        ]
        self.leaves = [_as_own(leaf, who) for leaf in structures.flatten(self._structure)]

    def call(self, leaves: Sequence[Any] | None = None) -> Any:
        """What the function returns, for these or for other leaves."""
        chosen = structures.pack(self._structure, self.leaves if leaves is None else leaves)
        args, kwargs = list(self._args), dict(self._kwargs)
        for i, value in zip(self._numbers, chosen, strict=False):
            args[i] = value
        kwargs.update(zip(self._names, chosen[len(self._numbers) :], strict=True))
        return followed(lambda: self._f(*args, **kwargs))

    def with_leaves(self, leaves: Sequence[Any]) -> Arguments:
        """The same call with other leaves."""
        other = copy(self)
        other.leaves = list(leaves)
        return other

    def pack(self, values: Sequence[Any]) -> Any:
        """One value for each leaf, nested as the chosen arguments are."""
        found = structures.pack(self._structure, values)
        if self._is_single:
            return found[0]
        by_number = tuple(found[: len(self._numbers)])
        by_name = dict(zip(self._names, found[len(self._numbers) :], strict=True))
        if not self._names:
            return by_number
        return (by_number, by_name) if self._numbers else by_name

    def flatten(self, values: Any, what: str) -> list[Any]:
        """The leaves of a structure that is nested as the chosen arguments are."""
        like = self.pack(self.leaves)
        return structures.flatten_like(like, values, what)


def _numbers(argnums: ArgNums, count: int, who: str) -> list[int]:
    if argnums is None:
        return []
    asked = [argnums] if isinstance(argnums, int) else list(argnums)
    found = []
    for i in map(plain_int, asked):
        if not isinstance(i, int) or isinstance(i, bool):
            raise TypeError(f"argnums of tf.{who} must be integers, got {argnums!r}.")
        if not -count <= i < count:
            raise ValueError(
                f"tf.{who} should differentiate argument {i}, but the call has {count} positional "
                f"argument{'' if count == 1 else 's'}. Keyword arguments are chosen by "
                "argnames."
            )
        found.append(i % count)
    if len(set(found)) < len(found):
        raise ValueError(f"argnums of tf.{who} has an argument twice: {argnums!r}.")
    return found


def _names(argnames: ArgNames, kwargs: Mapping[str, Any], who: str) -> list[str]:
    if argnames is None:
        return []
    names = [argnames] if isinstance(argnames, str) else list(argnames)
    for name in names:
        if name not in kwargs:
            raise ValueError(
                f"tf.{who} should differentiate the argument {name!r}, but the call gives "
                f"{', '.join(map(repr, kwargs)) or 'none'} by name."
            )
    return names


def _as_own(value: Any, who: str) -> Any:
    """A tensor that nothing else uses; a variable is itself."""
    if isinstance(value, (Variable, Composite)):
        return _checked(value, who)
    if isinstance(value, Tensor):
        return identity(_checked(value, who))
    return _checked(convert(value), who)


def _checked(value: Any, who: str) -> Any:
    dtype = value.dtype
    if not dtype.is_differentiable:
        raise TypeError(
            f"tf.{who} differentiates floating and complex arguments, got one of dtype "
            f"{dtype.name}: {value!r}. Cast it, or choose other arguments by argnums."
        )
    return value
