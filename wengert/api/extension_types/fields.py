"""Fields of extension types: their annotations, and what values they take.

A field has two forms: in a value it holds a tensor, in the value's type spec the spec of one. Both
are converted here, by the annotation, and so is what stands within tuples and mappings.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple, TypeGuard

from wengert.values.composite import Composite
from wengert.values.convert import convert
from wengert.values.dtypes import DType, as_dtype
from wengert.values.shapes import TensorShape
from wengert.values.type_spec import TensorSpec, TypeSpec
from wengert.values.value import Value

NO_DEFAULT: Any = type(
    "NoDefault", (), {"__repr__": lambda self: "ExtensionTypeField.NO_DEFAULT"}
)()
RESERVED: Final = (
    "self",
    "Spec",
    "_type_spec",
    "_shape_invariant_to_type_spec",
    "_consumers",
    "value_type",
    "is_compatible_with",
    "most_specific_compatible_type",
    "_with_tensor_ranks_only",
    "_to_components",
    "_from_components",
    "_component_specs",
    "_to_tensor_list",
    "_from_tensor_list",
    "_from_compatible_tensor_list",
    "_flat_tensor_specs",
    "_serialize",
    "_deserialize",
    "_to_legacy_output_types",
    "_to_legacy_output_shapes",
    "_to_legacy_output_classes",
    "_keras_mask",
)
_KEY: Any = type("_Key", (), {"__repr__": lambda self: "<key>"})()  # its place in messages
_PLAIN = (int, float, str, bytes, bool, type(None))


class _Field(NamedTuple):
    name: str
    value_type: Any
    default: Any = NO_DEFAULT


class Field(_Field):
    """The name of a field, its annotation, and its default, which both are checked."""

    __slots__ = ()
    NO_DEFAULT = NO_DEFAULT

    def __new__(cls, name: str, value_type: object, default: object = NO_DEFAULT) -> Field:  # noqa: D102
        check_annotation(name, value_type)
        if default is not NO_DEFAULT:
            path = (f"default value for {name}",)
            default = _convert(value_type, default, path, False)
        return super().__new__(cls, name, value_type, default)

    def __repr__(self) -> str:
        return (
            f"ExtensionTypeField(name={self.name!r}, value_type={self.value_type!r}, "
            f"default={self.default!r})"
        )

    @staticmethod
    def is_reserved_name(name: str) -> bool:
        """Whether a field cannot have this name, as extension types use it."""
        return name in RESERVED or name.lower().startswith("_tf_extension_type")


class ImmutableDict(Mapping[Any, Any]):
    """A mapping that does not change; its items are attributes as well."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        object.__setattr__(self, "_items", dict(*args, **kwargs))

    def __getitem__(self, key: Any) -> Any:
        return self._items[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name not in self._items:
            raise AttributeError(f"{name!r} is no key of {self!r}.")
        return self[name]

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("An ImmutableDict cannot be changed.")

    def __hash__(self) -> int:
        return hash(tuple(self.items()))

    def __repr__(self) -> str:
        return f"ImmutableDict({dict(self)!r})"


# ---- annotations --------------------------------------------------------------------------------


def check_annotation(field: str, annotation: object) -> None:
    """Raise a TypeError for an annotation that a field cannot have."""
    if annotation in (Ellipsis, None, *_PLAIN, TensorShape, DType):
        return
    if isinstance(annotation, TypeSpec) or _is_class_of_tensors(annotation):
        return
    origin, inner = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (list, typing.List):  # noqa: UP006
        raise TypeError(
            f"In field {field!r}: Unsupported type annotation {annotation!r}: a list can be changed. "
            "Use Tuple[T, ...]."
        )
    if not _is_generic(origin):
        shown = repr(annotation.__name__ if isinstance(annotation, type) else annotation)
        raise TypeError(f"In field {field!r}: Unsupported type annotation {shown}")
    for part in inner:
        check_annotation(field, part)


def _is_generic(origin: object) -> bool:
    if origin is None:
        return False
    if origin is tuple or origin is typing.Union or origin is types.UnionType:
        return True
    return isinstance(origin, type) and issubclass(origin, Mapping)


def _is_class_of_tensors(annotation: object) -> TypeGuard[type]:
    return isinstance(annotation, type) and issubclass(annotation, (Value, Composite))


def convert_fields(
    fields: Iterable[Field], values: dict[str, object], as_spec: bool = False
) -> None:
    """Convert the values of fields by their annotations; each field must have one."""
    listed = list(fields)
    names = {field.name for field in listed}
    if missing := names - set(values):
        raise ValueError(f"Missing required fields: {missing}")
    if unexpected := set(values) - names:
        raise ValueError(f"Got unexpected fields: {unexpected}")
    for field in listed:
        values[field.name] = _convert(field.value_type, values[field.name], (field.name,), as_spec)


# ---- conversions --------------------------------------------------------------------------------


def _convert(wanted: object, value: object, path: tuple[object, ...], as_spec: bool) -> Any:
    if wanted is None or wanted in _PLAIN:
        return _plain(type(None) if wanted is None else wanted, value, path)
    if wanted is TensorShape:
        return _made_of(TensorShape, "tf.TensorShape", value, path)
    if wanted is DType:
        return _made_of(as_dtype, "tf.DType", value, path)
    if isinstance(wanted, TypeSpec):
        return _of_spec(wanted, value, path, as_spec)
    if _is_class_of_tensors(wanted):
        return _of_class(wanted, value, path, as_spec)
    origin, inner = typing.get_origin(wanted), typing.get_args(wanted)
    if origin is tuple:
        return _tuple(inner, value, path, as_spec)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return _mapping(inner, value, path, as_spec)
    return _union(wanted, inner, value, path, as_spec)


def _made_of(make: Callable[[Any], Any], name: str, value: object, path: tuple[object, ...]) -> Any:
    try:
        return make(value)
    except (TypeError, ValueError) as error:
        raise _misfit(path, repr(name), value) from error


def _plain(wanted: type, value: object, path: tuple[object, ...]) -> Any:
    if not isinstance(value, wanted):
        raise _misfit(path, repr(wanted.__name__), value)
    return value


def _of_spec(wanted: TypeSpec, value: object, path: tuple[object, ...], as_spec: bool) -> Any:
    if as_spec:
        if not (isinstance(value, TypeSpec) and wanted.is_compatible_with(value)):
            raise _misfit(path, repr(wanted), value)
        return value
    if isinstance(wanted, TensorSpec):
        value = _tensor(value, path, wanted.dtype)
    if not wanted.is_compatible_with(value):
        raise _misfit(path, repr(wanted), value)
    return value


def _of_class(wanted: type, value: object, path: tuple[object, ...], as_spec: bool) -> Any:
    is_tensor = issubclass(wanted, Value)
    if as_spec:
        kind = getattr(value, "value_type", None)
        fits = isinstance(value, TensorSpec) if is_tensor else _is_subclass(kind, wanted)
        if not fits:
            kind = "a TensorSpec" if is_tensor else f"a spec of {wanted.__name__}"
            raise _misfit(path, kind, value)
        return value
    if isinstance(value, wanted):
        return value
    if not is_tensor:
        raise _misfit(path, repr(wanted.__name__), value)
    return _tensor(value, path)


def _is_subclass(kind: object, wanted: type) -> bool:
    return isinstance(kind, type) and issubclass(kind, wanted)


def _tensor(value: object, path: tuple[object, ...], dtype: DType | None = None) -> Any:
    if isinstance(value, TensorSpec):  # an object of specs stands for a value while it is described
        return value
    if isinstance(value, (TypeSpec, Composite)):
        raise _misfit(path, "a Tensor", value)
    try:
        return convert(value, dtype)
    except (TypeError, ValueError) as error:
        raise _misfit(path, "a Tensor", value) from error


def _tuple(
    inner: tuple[object, ...], value: object, path: tuple[object, ...], as_spec: bool
) -> Any:
    if not isinstance(value, (list, tuple)):
        raise _misfit(path, "tuple", value)
    if len(inner) == 2 and inner[1] is Ellipsis:
        kinds = [inner[0]] * len(value)
    elif len(inner) != len(value):
        raise _misfit(path, f"tuple with length {len(inner)}", value)
    else:
        kinds = list(inner)
    pairs = zip(kinds, value, strict=True)
    return tuple(_convert(k, v, (*path, i), as_spec) for i, (k, v) in enumerate(pairs))


def _mapping(
    inner: tuple[object, ...], value: object, path: tuple[object, ...], as_spec: bool
) -> Any:
    if not isinstance(value, Mapping):
        raise _misfit(path, "mapping", value)
    of_key, of_value = inner
    return ImmutableDict(
        {
            _convert(of_key, k, (*path, _KEY), False): _convert(of_value, v, (*path, k), as_spec)
            for k, v in value.items()
        }
    )


def _union(
    wanted: object,
    inner: tuple[object, ...],
    value: object,
    path: tuple[object, ...],
    as_spec: bool,
) -> Any:
    """The first of the types that takes the value."""
    for kind in inner:
        try:
            return _convert(kind, value, path, as_spec)
        except (TypeError, ValueError):
            continue
    raise _misfit(path, repr(wanted), value)


def _misfit(path: tuple[object, ...], wanted: str, value: object) -> TypeError:
    place = str(path[0]) + "".join(f"[{p!r}]" for p in path[1:])
    return TypeError(f"{place}: expected {wanted}, got {type(value).__name__!r}")


# ---- the tensors in fields ----------------------------------------------------------------------


def tensors_in(value: object) -> Iterator[Any]:
    """What is a tensor or made of tensors in the value of a field, or the specs in that of a spec."""
    if isinstance(value, (Value, Composite)):
        yield value
    elif isinstance(value, (tuple, Mapping)) and not isinstance(value, TensorShape):
        for part in value.values() if isinstance(value, Mapping) else value:
            yield from tensors_in(part)


def replaced(value: object, with_: Callable[[Any], Any]) -> Any:
    """The value of a field with something else in place of each of its tensors."""
    if isinstance(value, (Value, Composite)):
        return with_(value)
    if isinstance(value, Mapping):
        return ImmutableDict({k: replaced(v, with_) for k, v in value.items()})
    if isinstance(value, tuple) and not isinstance(value, TensorShape):
        return tuple(replaced(v, with_) for v in value)
    return value
