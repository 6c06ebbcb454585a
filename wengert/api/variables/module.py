"""tf.Module: a container of variables and other modules."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from wengert.api.session.modes import name_scope
from wengert.state.variable import Variable
from wengert.values import nest

Method = TypeVar("Method", bound=Callable[..., Any])


class Module:
    """A base class that collects the variables and submodules among its attributes.

    >>> class Dense(tf.Module):
    ...     def __init__(self, inputs, outputs):
    ...         super().__init__()
    ...         self.w = tf.Variable(tf.ones([inputs, outputs]), name="w")
    ...         self.steps = tf.Variable(0, trainable=False)
    ...     def __call__(self, x):
    ...         return x @ self.w
    >>> layer = Dense(2, 3)
    >>> layer.name, len(layer.variables), [v.name for v in layer.trainable_variables]
    ('dense', 2, ['w:0'])
    """

    def __init__(self, name: str | None = None) -> None:
        name = name if name is not None else _snake_case(type(self).__name__)
        if not name.isidentifier():
            raise ValueError(
                f"{name!r} is not a valid module name. Module names must be valid Python identifiers."
            )
        self._name = name
        with name_scope(name) as scope:
            self._scope = scope

    @property
    def name(self) -> str:
        """The name of the module."""
        return self._name

    @property
    def name_scope(self) -> name_scope:
        """The name scope for what the module creates."""
        return name_scope(self._scope)

    @property
    def variables(self) -> tuple[Variable, ...]:
        """All variables of the module and of its submodules."""
        return tuple(self._flatten(lambda x: isinstance(x, Variable)))

    @property
    def trainable_variables(self) -> tuple[Variable, ...]:
        """The variables that are trainable."""
        return tuple(v for v in self.variables if v.trainable)

    @property
    def non_trainable_variables(self) -> tuple[Variable, ...]:
        """The variables that are not trainable."""
        return tuple(v for v in self.variables if not v.trainable)

    @property
    def submodules(self) -> tuple[Module, ...]:
        """All modules among the attributes, and their submodules."""
        return tuple(self._flatten(lambda x: isinstance(x, Module)))

    def _flatten(self, wanted: Callable[[Any], bool]) -> Iterator[Any]:
        """What is among the attributes, by name, and then among those of the modules found there."""
        seen = {id(self)}
        waiting: list[Module] = [self]
        while waiting:
            module = waiting.pop(0)
            for value in _attributes(module):
                if id(value) in seen:
                    continue
                seen.add(id(value))
                if wanted(value):
                    yield value
                if isinstance(value, Module):
                    waiting.append(value)

    @classmethod
    def with_name_scope(cls, method: Method) -> Method:
        """Decorator: run a method in the name scope of its module.

        >>> class Twice(tf.Module):
        ...     @tf.Module.with_name_scope
        ...     def __call__(self):
        ...         return tf.Variable(2.0, name="two").name
        >>> Twice()()
        'twice/two:0'
        """

        @functools.wraps(method)
        def scoped(self: Any, *args: Any, **kwargs: Any) -> Any:
            with self.name_scope:
                return method(self, *args, **kwargs)

        return scoped  # type: ignore[return-value]


def _attributes(module: Module) -> Iterator[Any]:
    """Variables and modules among the attributes, also in lists and dicts."""
    for _, value in sorted(vars(module).items()):
        for leaf in nest.flatten(value) if isinstance(value, (list, tuple, dict)) else [value]:
            if isinstance(leaf, (Variable, Module)):
                yield leaf


def _snake_case(name: str) -> str:
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name)
    return apart.lower()
