"""tf.Module: a container of variables and other modules."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Mapping
from itertools import count
from typing import Any, ClassVar, TypeVar

from wengert.api.session.modes import name_scope
from wengert.state.variable import Variable
from wengert.values import nest

Path = tuple[Any, ...]
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
                f"{name!r} is not a valid module name. Module names must be valid Python identifiers "
                "(e.g. a valid class name)."
            )
        self._name = name
        with name_scope(name) as scope:
            self._name_scope = name_scope.of_module(scope)

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)
        for waiting in list(self.__dict__.get("_self_pending", ())):  # of checkpoints
            waiting.arrived(self, name, value)

    @property
    def name(self) -> str:
        """The name of the module."""
        return self._name

    @property
    def name_scope(self) -> name_scope:
        """The name scope for what the module creates."""
        return self._name_scope

    @property
    def variables(self) -> tuple[Variable, ...]:
        """All variables of the module and of its submodules, and of what consists of tensors."""
        found = self._flatten(predicate=lambda x: isinstance(x, Variable), expand_composites=True)
        return tuple(found)

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
        return tuple(self._flatten(predicate=lambda x: isinstance(x, Module)))

    # Attributes that are looked into by nobody.
    _TF_MODULE_IGNORED_PROPERTIES: ClassVar[frozenset[str]] = frozenset()

    def _flatten(
        self,
        recursive: bool = True,
        predicate: Callable[[Any], bool] | None = None,
        attribute_traversal_key: Callable[[str], Any] | None = None,
        with_path: bool = False,
        expand_composites: bool = False,
    ) -> Iterator[Any]:
        """What is among the attributes, by name, and then in each of the modules found there.

        Lists and dictionaries are looked into. With `with_path` it gives pairs of the path, such as
        ("layers", 0, "w"), and the value.
        """
        for path, value in _found_in(
            self, (), {id(self)}, recursive, attribute_traversal_key, expand_composites
        ):
            if predicate is None or predicate(value):
                yield (path, value) if with_path else value

    def _no_dependency(self, value: Any) -> Any:
        """The value: an attribute becomes no part of a module by being set, but by what it is."""
        return value

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


def _found_in(
    module: Module,
    path: Path,
    seen: set[int],
    recursive: bool,
    order: Callable[[str], Any] | None,
    expand: bool,
) -> Iterator[tuple[Path, Any]]:
    """The leaves of the attributes of a module, and then those of its submodules."""
    attributes = vars(module)
    inner: list[tuple[Path, Module]] = []
    for name in sorted(attributes.keys() - module._TF_MODULE_IGNORED_PROPERTIES, key=order):
        for rest, leaf in _leaves(attributes[name], expand):
            if id(leaf) in seen:
                continue
            seen.add(id(leaf))
            yield (*path, name, *rest), leaf
            if recursive and isinstance(leaf, Module):
                inner.append(((*path, name, *rest), leaf))
    for at, submodule in inner:
        yield from _found_in(submodule, at, seen, recursive, order, expand)


def _leaves(value: Any, expand: bool) -> Iterator[tuple[Path, Any]]:
    """What a structure holds, with the way to it."""
    if isinstance(value, Module) or not nest.is_nested(value):
        parts = nest.flatten(value, expand_composites=True) if expand else [value]
        for leaf in parts:
            yield (), leaf
        return
    keys = sorted(value) if isinstance(value, Mapping) else getattr(value, "_fields", count())
    for key, part in zip(keys, nest.parts(value), strict=False):
        for rest, leaf in _leaves(part, expand):
            yield (key, *rest), leaf


def _snake_case(name: str) -> str:
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name)
    return apart.lower()
