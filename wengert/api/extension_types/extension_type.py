"""ExtensionType: a class of values made of tensors, from annotations, and its type spec."""

from __future__ import annotations

import inspect
import sys
import typing
from collections.abc import Callable, Mapping
from types import FrameType
from typing import Any, ClassVar, Final

from wengert.api.extension_types.fields import (
    NO_DEFAULT,
    Field,
    convert_fields,
    replaced,
    tensors_in,
)
from wengert.ops.math.comparison import equal
from wengert.ops.math.elementwise import logical_not
from wengert.ops.reductions.reductions import reduce_all
from wengert.values.composite import Composite
from wengert.values.tensor import Tensor
from wengert.values.type_spec import TypeSpec, spec_of

if sys.version_info >= (3, 11):  # type checkers know the constructors of subclasses by it
    from typing import dataclass_transform
else:

    def dataclass_transform(**_: bool) -> Callable[[type], type]:
        """The class as it is."""
        return lambda cls: cls


LISTED: Final = "_tf_extension_type_listed"
_MAY_CHANGE: Final = "_tf_extension_type_in_constructor"
_RESERVED: Final = ("self", "Spec", "__validate__", "_type_spec", "value_type")


class _Fields:
    """What values of extension types and their specs share: fields that do not change."""

    _tf_extension_type_listed: ClassVar[tuple[Field, ...]] = ()
    _of_specs: ClassVar[bool] = False

    @classmethod
    def _tf_extension_type_fields(cls) -> tuple[Field, ...]:
        """The fields, as programs ask for them."""
        return cls._tf_extension_type_listed

    def __setattr__(self, name: str, value: object) -> None:
        self._check_mutable(name)
        object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        self._check_mutable(name)
        object.__delattr__(self, name)

    def _check_mutable(self, name: str) -> None:
        """Only a constructor changes anything, and only the fields."""
        is_field = any(field.name == name for field in self._tf_extension_type_listed)
        if not (is_field and self.__dict__.get(_MAY_CHANGE)):
            raise AttributeError(
                f"Cannot mutate attribute `{name}` outside the custom constructor of ExtensionType."
            )

    def _convert_fields(self) -> None:
        """Convert what a constructor has set, by the annotations."""
        fields = self._tf_extension_type_listed
        values = {f.name: self.__dict__[f.name] for f in fields if f.name in self.__dict__}
        convert_fields(fields, values, self._of_specs)
        self.__dict__.update(values)

    def _shown(self) -> str:
        shown = ", ".join(
            f"{f.name}={self.__dict__.get(f.name)!r}" for f in self._tf_extension_type_listed
        )
        return f"{type(self).__qualname__}({shown})"


class ExtensionTypeSpec(_Fields, TypeSpec):
    """The type spec of an extension type: its fields, with specs in place of tensors."""

    _of_specs: ClassVar[bool] = True
    _value_type: ClassVar[Any] = None

    @property
    def value_type(self) -> Any:
        """The class of the values."""
        return self._value_type

    def _serialize(self) -> Any:
        return tuple((f.name, self.__dict__[f.name]) for f in self._tf_extension_type_listed)

    @classmethod
    def _deserialize(cls, serialization: Any) -> Any:
        return _made(cls, dict(serialization))

    @property
    def _component_specs(self) -> Any:
        return [part for _, value in self._serialize() for part in tensors_in(value)]

    def _to_components(self, value: Any) -> Any:
        return [
            part
            for field in self._tf_extension_type_listed
            for part in tensors_in(value.__dict__[field.name])
        ]

    def _from_components(self, components: Any) -> Any:
        given = iter(components)
        values = {name: replaced(v, lambda _: next(given)) for name, v in self._serialize()}
        return _made(self._value_type, values)

    @classmethod
    def from_value(cls, value: Any) -> Any:
        """The spec of a value."""
        values = {f.name: value.__dict__[f.name] for f in cls._tf_extension_type_listed}
        return _made(cls, {name: replaced(v, spec_of) for name, v in values.items()})

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={_plain(value)!r}" for name, value in self._serialize())
        return f"{type(self).__qualname__}({shown})"


def _plain(value: object) -> object:
    """The value of a field with its mappings as dictionaries."""
    if isinstance(value, Mapping):
        return {k: _plain(v) for k, v in value.items()}
    return tuple(map(_plain, value)) if type(value) is tuple else value


@dataclass_transform(frozen_default=True)
class ExtensionType(_Fields, Composite):
    """A base class for types made of tensors, declared by annotations.

    Such a value is taken as one by functions, loops, gradients and tf.nest, and public functions
    take it where `tf.experimental.dispatch_for_api` says how.

    >>> class Masked(tf.experimental.ExtensionType):
    ...     values: tf.Tensor
    ...     mask: tf.Tensor
    ...     def total(self):
    ...         return tf.reduce_sum(tf.where(self.mask, self.values, 0.0))
    >>> f = tf.function(lambda m: m.total())
    >>> f(Masked([1.0, 2.0, 3.0], [True, False, True])).numpy()
    np.float32(4.0)
    """

    Spec: ClassVar[Any] = ExtensionTypeSpec
    _spec_kind: ClassVar[Any] = ExtensionTypeSpec  # the base of the specs of subclasses

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if cls.__dict__.get("_tf_extension_type_do_not_transform_this_class", False):
            return
        _check_names(cls)
        found = _fields_of(cls)
        cls._tf_extension_type_listed = found
        cls.Spec = _spec_class(cls, found)
        cls._with_constructor(cls.__dict__.get("__init__"))

    @classmethod
    def _with_constructor(cls, own: Callable[..., Any] | None) -> None:
        """Give the class a constructor from its fields; its own is followed by the conversions."""
        init = own if own is not None else _constructor(cls)

        def constructed(self: Any, *args: object, **kwargs: object) -> None:
            outermost = type(self) is cls
            self.__dict__[_MAY_CHANGE] = True
            try:
                init(self, *args, **kwargs)
            finally:
                if outermost:
                    self.__dict__.pop(_MAY_CHANGE, None)
            if outermost:
                self._convert_fields()
                self.__validate__()

        if own is None:
            constructed.__signature__ = inspect.signature(init)  # type: ignore[attr-defined]
        else:
            constructed.__wrapped__ = own  # type: ignore[attr-defined]
        constructed.__doc__ = init.__doc__
        cls.__init__ = constructed  # type: ignore[method-assign]

    def __validate__(self) -> None:
        """Check the fields after construction; for subclasses."""

    @property
    def _type_spec(self) -> Any:
        return self.Spec.from_value(self)

    @property
    def _differentiated(self) -> Any:
        if self.__composite_gradient__ is not None:
            return super()._differentiated
        return [x for x in self._parts() if x.dtype.is_differentiable]

    def _with_differentiated(self, gradient: Any) -> Any:
        if self.__composite_gradient__ is not None:
            return super()._with_differentiated(gradient)
        given = iter(gradient)
        parts = [next(given) if x.dtype.is_differentiable else x for x in self._parts()]
        return self._with_parts(iter(parts))

    def __eq__(self, other: object) -> Any:
        if type(self) is not type(other):
            return False
        if self._type_spec != other._type_spec:
            return False
        pairs = zip(self._parts(), other._parts(), strict=True)
        return reduce_all([reduce_all(equal(a, b)) for a, b in pairs])

    def __ne__(self, other: object) -> Any:
        same = self.__eq__(other)
        return logical_not(same) if isinstance(same, Tensor) else not same

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return self._shown()


def as_dict(value: Any) -> dict[str, Any]:
    """The fields of an extension type, or of its spec, by name.

    >>> class Point(tf.experimental.ExtensionType):
    ...     x: tf.Tensor
    ...     name: str = "p"
    >>> tf.experimental.extension_type.as_dict(Point(1.0))["name"]
    'p'
    """
    return {f.name: value.__dict__[f.name] for f in value._tf_extension_type_listed}


def _made(cls: Any, values: Mapping[str, Any]) -> Any:
    """An object of a class with these fields, without its constructor."""
    made = cls.__new__(cls)
    made.__dict__.update(values)
    return made


# ---- classes from annotations -------------------------------------------------------------------


def _check_names(cls: type) -> None:
    annotations = inspect.get_annotations(cls)
    for name, value in cls.__dict__.items():
        if name == "Spec":
            if not isinstance(value, type):
                raise ValueError(f"{cls.__qualname__}.Spec must be a nested class; got {value}.")
        elif name not in annotations and not _may_be_without_annotation(name, value):
            raise ValueError(
                f"The field annotations for {cls.__name__} are invalid. Field {name} is missing "
                "a type annotation."
            )
    for name in annotations:
        if (
            name in _RESERVED
            or name.startswith("_tf_extension_type")
            or hasattr(ExtensionType, name)
        ):
            raise ValueError(
                f"The field annotations for {cls.__name__} are invalid. Field {name!r} is reserved."
            )


def _may_be_without_annotation(name: str, value: Any) -> bool:
    if name.startswith(("__", "_abc_", "_tf_extension_type")) or callable(value):
        return True
    return isinstance(value, (property, staticmethod, classmethod)) or hasattr(value, "__get__")


def _fields_of(cls: type) -> tuple[Field, ...]:
    """The fields of the bases, then its own; a field declared again takes the last default."""
    found: dict[str, Field] = {}
    for base in reversed(cls.__mro__[1:]):
        found.update({f.name: f for f in base.__dict__.get(LISTED, ())})
    for name, annotation in _annotations(cls).items():
        field = Field(name, annotation, cls.__dict__.get(name, NO_DEFAULT))
        if field.default is not NO_DEFAULT:
            delattr(cls, name)  # the value of an object is in the object
        found[name] = field
    return tuple(found.values())


def _annotations(cls: type) -> dict[str, object]:
    """The annotations that the class itself has; names in strings are looked up where it stands."""
    own = inspect.get_annotations(cls)
    if not any(isinstance(a, (str, typing.ForwardRef)) or typing.get_args(a) for a in own.values()):
        return own
    holder = type("_", (), {"__annotations__": own, "__module__": cls.__module__})
    frame = _frame_of_statement()
    return typing.get_type_hints(holder, frame.f_globals, {**frame.f_locals, cls.__name__: cls})


def _frame_of_statement() -> FrameType:
    """The frame of the class statement that is being carried out."""
    frame = sys._getframe(1)
    while frame.f_globals is globals() and frame.f_back is not None:
        frame = frame.f_back
    return frame


def _constructor(cls: type) -> Callable[..., None]:
    """A constructor that takes the fields; behind a default those without one by name only."""
    fields: tuple[Field, ...] = getattr(cls, LISTED)
    parameters = [inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
    kind: Any = inspect.Parameter.POSITIONAL_OR_KEYWORD
    was_optional = False
    for field in fields:
        is_optional = field.default is not NO_DEFAULT
        if was_optional and not is_optional:
            kind = inspect.Parameter.KEYWORD_ONLY
        was_optional = was_optional or is_optional
        default = field.default if is_optional else inspect.Parameter.empty
        annotation = field.value_type
        parameters.append(
            inspect.Parameter(field.name, kind, default=default, annotation=annotation)
        )
    signature = inspect.Signature(parameters)

    def init(self: Any, *args: object, **kwargs: object) -> None:
        bound = signature.bind(self, *args, **kwargs)
        bound.apply_defaults()
        self.__dict__.update({f.name: bound.arguments[f.name] for f in fields})

    init.__signature__ = signature  # type: ignore[attr-defined]
    return init


def _spec_class(cls: Any, fields: tuple[Field, ...]) -> Any:
    """The class of type specs; a nested class `Spec` gives it a constructor and methods."""
    own = cls.__dict__.get("Spec")
    inherited = tuple(
        base.Spec
        for base in cls.__bases__
        if issubclass(base, ExtensionType) and "Spec" in vars(base)
    )
    bases = inherited or (cls._spec_kind,)
    if own is not None and not issubclass(own, bases[0]):
        bases = (own, *bases)
    elif own is not None:
        bases = (own,)
    names = {
        "__qualname__": f"{cls.__qualname__}.Spec",
        "__module__": cls.__module__,
        LISTED: tuple(f._replace(default=_default_in_spec(f)) for f in fields),
        "_value_type": cls,
    }
    made: Any = type("Spec", bases, names)
    made.__init__ = _spec_constructor(made, own)
    return made


def _default_in_spec(field: Field) -> Any:
    if field.default is NO_DEFAULT:
        return NO_DEFAULT
    return replaced(field.default, spec_of)


def _spec_constructor(spec: Any, own: Any) -> Any:
    init = vars(own).get("__init__") if own is not None else None
    if init is None:
        init = _constructor(spec)

    def constructed(self: Any, *args: object, **kwargs: object) -> None:
        self.__dict__[_MAY_CHANGE] = True
        try:
            init(self, *args, **kwargs)
        finally:
            self.__dict__.pop(_MAY_CHANGE, None)
        self._convert_fields()

    constructed.__signature__ = inspect.signature(init)  # type: ignore[attr-defined]
    return constructed
