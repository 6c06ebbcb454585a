"""Input signatures: what a traced function is given, and when two calls can share a trace."""

from __future__ import annotations

import copy
import inspect
import itertools
import weakref
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from wengert.api.function.stand_ins import StandIn, VariableForm, VariableSpec, form_of
from wengert.api.function.trace_type import TraceType, stand_in_of, trace_type_of
from wengert.errors import InvalidArgumentError
from wengert.state.variable import Variable
from wengert.values import nest
from wengert.values.convert import convert
from wengert.values.tensor import Tensor
from wengert.values.type_spec import TensorSpec, TypeSpec, spec_of

if TYPE_CHECKING:
    from wengert.values.typing import TensorLike


class Weakly:
    """A weakly referenced argument: a trace depends on it without keeping it alive."""

    __slots__ = ("_hash", "_is_itself", "ref")

    def __init__(self, value: Any) -> None:
        self.ref = weakref.ref(value)
        self._is_itself = False
        try:
            self._hash = hash(value)
        except TypeError:
            self._hash, self._is_itself = id(value), True

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Weakly):
            return NotImplemented
        a, b = self.ref(), other.ref()
        if a is None or b is None or a is b:
            return a is b and a is not None
        return not self._is_itself and type(a) is type(b) and bool(a == b)

    def __repr__(self) -> str:
        return f"an object of {self.ref().__class__.__name__}"


class Inputs:
    """The tensors among the arguments of a call, and the arguments around them.

    `given` says of each leaf of the arguments whether it is a tensor or made of tensors; `specs` has
    the type spec of each of these. A signature may say more general ones than the values have.
    Variables are told apart by their form alone, unless `by_form` is false.
    """

    def __init__(
        self,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        signature: Sequence[Any] = (),
        by_form: bool = True,
    ) -> None:
        self.args, self.kwargs = args, kwargs
        self.leaves = nest.flatten((args, kwargs))
        self.given = [_is_tensor(v) or nest.is_composite(v) for v in self.leaves]
        values = [_converted(v) for v, given in zip(self.leaves, self.given, strict=True) if given]
        parts = nest.tensors_of(values)
        self.tensors = [p if isinstance(p, TensorSpec) else convert(p) for p in parts]
        self.specs = [s for s in signature if s is not None] or [spec_of(v) for v in values]
        variables = [v for v in self.leaves if type(v) in (Variable, StandIn)] if by_form else []
        # Each once, though it may be an argument in several places.
        self.variables = list({id(v): v for v in variables}.values())
        places = {id(v): place for place, v in enumerate(self.variables)}
        self._keys = [
            "tensor"
            if given
            else form_of(v, places[id(v)])
            if id(v) in places
            else _key_of_value(v)
            for v, given in zip(self.leaves, self.given, strict=True)
        ]

    @property
    def key(self) -> Any:
        """What a trace depends on, besides the specs of tensors."""
        return tuple(self._keys), _structure_key((self.args, self.kwargs))

    @property
    def objects(self) -> list[Any]:
        """The arguments that a trace must not keep alive."""
        return [v for v, key in zip(self.leaves, self._keys, strict=True) if type(key) is Weakly]

    def outlined(self) -> Inputs:
        """The same without the data of tensors and the arguments that must not be kept alive."""
        found = copy.copy(self)
        specs = iter(self.specs)
        found.leaves = [
            next(specs) if given else _outline_of(v, key)
            for v, given, key in zip(self.leaves, self.given, self._keys, strict=True)
        ]
        found.tensors, found.variables = [], []
        args, kwargs = nest.pack_sequence_as((self.args, self.kwargs), found.leaves)
        found.args, found.kwargs = tuple(args), kwargs
        return found

    def difference(self, before: Inputs) -> str:
        """In words, which argument differs from the previous call."""
        if len(self._keys) != len(before._keys):
            return "The number of arguments differs."
        specs, others = iter(self.specs), iter(before.specs)
        for at, (key, other) in enumerate(zip(self._keys, before._keys, strict=True)):
            new, old = (_described(k, s) for k, s in ((key, specs), (other, others)))
            if new != old or key != other:
                return f"Last argument {at} was {new}, before {old}."
        return "The last call is nested otherwise, or was made under other gradient_override_maps."

    def with_tensors(
        self, specs: Sequence[TypeSpec], tensors: Sequence[Any], stand_ins: Sequence[Variable]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments, of these specs, with these tensors in them, and stand-ins for variables."""
        rest = iter(tensors)
        return self.with_values([spec._with_parts(rest) for spec in specs], stand_ins)

    def with_values(
        self, values: Sequence[Any], stand_ins: Sequence[Variable] = ()
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The positional and keyword arguments, with these in place of what is made of tensors."""
        rest = iter(values)
        for_variables = {id(v): s for v, s in zip(self.variables, stand_ins, strict=False)}
        leaves = [
            next(rest) if given else for_variables.get(id(v), _within_trace(v, key))
            for v, given, key in zip(self.leaves, self.given, self._keys, strict=True)
        ]
        args, kwargs = nest.pack_sequence_as((self.args, self.kwargs), leaves)
        return tuple(args), kwargs


def _within_trace(value: Any, key: Any) -> Any:
    """What a function sees of an argument that is no tensor while it is traced."""
    if isinstance(key, TraceType):
        return stand_in_of(key, value)
    return value.ref() if type(value) is Weakly else value


def _outline_of(value: Any, key: Any) -> Any:
    if type(key) is VariableForm:
        return VariableSpec(key.shape, key.dtype, key.trainable, key.place)
    return key if type(key) is Weakly else value


def tensor_specs(specs: Sequence[TypeSpec]) -> list[TensorSpec]:
    """The specs of the tensors of which the values of some specs are made."""
    return [part for spec in specs for part in spec._parts()]


def _is_tensor(value: TensorLike | None) -> bool:
    return isinstance(value, (Tensor, TensorSpec, np.ndarray, np.generic))


def _converted(value: Any) -> Any:
    return convert(value) if isinstance(value, (np.ndarray, np.generic)) else value


def _key_of_value(value: TensorLike | None) -> Any:
    """What a trace depends on in an argument that is not a tensor: its value, or its identity."""
    if isinstance(value, (int, float, complex, str, bytes, bool, type(None))):
        return type(value), value
    said = trace_type_of(value)
    if said is not None:
        return said
    try:
        return Weakly(value)
    except TypeError:  # a kind of object that cannot be referred to weakly
        return (type(value), value) if _is_hashable(value) else ("object", id(value))


def _is_hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _described(key: Any, specs: Iterator[TypeSpec]) -> str:
    """The value that a call passed in one place."""
    return repr(next(specs)) if key == "tensor" else repr(key[1] if type(key) is tuple else key)


def _structure_key(structure: Any) -> Any:
    """The nesting of arguments, in comparable form."""
    if not nest.is_nested(structure):
        return None
    names = tuple(structure) if isinstance(structure, Mapping) else nest.kind_of(structure)
    return names, tuple([_structure_key(part) for part in nest.parts(structure)])


def check_constraints(signature: inspect.Signature, specs: Sequence[Any]) -> None:
    """Raise TypeError unless an input signature says what each parameter without a default is."""
    parameters = list(signature.parameters.values())
    if parameters and parameters[0].name == "self":
        del parameters[0]
    many = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    single = [p for p in parameters if p.kind not in many]
    open_ended = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    if len(specs) > len(single) and not open_ended:
        extra = len(specs) - len(single)
        raise TypeError(f"input_signature contains {extra} extra type constraints.")
    for p in single[len(specs) :]:
        if p.default is p.empty and p.kind is p.KEYWORD_ONLY:
            raise TypeError(
                f"Since input_signature is defined, keyword-only parameter `{p.name}` must have a "
                "default value"
            )
        if p.default is p.empty:
            raise TypeError(f"input_signature missing type constraint for {p.name}")


def match_signature(
    name: str,
    signature: Sequence[Any],
    args: Sequence[Any],
    kwargs: dict[str, Any],
    by_form: bool = True,
) -> Inputs:
    """The arguments, converted to the tensors that an input signature asks for."""
    given = [*args, *kwargs.values()]
    if len(given) < len(signature):
        raise TypeError(
            f"{name} takes {len(signature)} arguments as specified by the input signature, but "
            f"was given {len(given)}"
        )
    wanted = [*signature, *[None] * (len(given) - len(signature))]
    found = [_as_specified(s, v) for s, v in zip(wanted, given, strict=True)]
    as_asked = dict(zip(kwargs, found[len(args) :], strict=True))
    return Inputs(tuple(found[: len(args)]), as_asked, nest.flatten(tuple(signature)), by_form)


def _as_specified(spec: Any, value: Any) -> Any:
    if spec is None:
        return value
    if isinstance(spec, TypeSpec):
        return _checked(spec, value)
    if not nest.is_nested(value) or len(nest.parts(value)) != len(nest.parts(spec)):
        raise TypeError(f"Can not cast {value!r} to {spec!r}: it is not nested so")
    pairs = zip(nest.parts(spec), nest.parts(value), strict=True)
    parts = iter([_as_specified(s, v) for s, v in pairs])
    return nest.map_parts(lambda _: next(parts), spec)


def _checked(spec: TypeSpec, value: TensorLike) -> Any:
    """A value, as a tensor where the spec is a tensor's; a TypeError unless it fits."""
    if isinstance(spec, TensorSpec) and not isinstance(value, TypeSpec):
        value = convert(value, hint=spec.dtype)
    if not spec.is_compatible_with(value):
        wanted = TensorSpec(spec.shape, spec.dtype) if type(spec) is TensorSpec else spec
        raise TypeError(f"Can not cast {_spec_text(value)} to {wanted!r}")
    return value


def _spec_text(value: Any) -> str:
    try:
        return repr(spec_of(value))
    except TypeError:
        return repr(value)


# ---- calls of one trace -------------------------------------------------------------------------


def bound_to_trace(
    name: str,
    signature: inspect.Signature | None,
    traced: Inputs,
    specs: Sequence[TensorSpec],
    args: Sequence[Any],
    kwargs: dict[str, Any],
) -> tuple[list[Any], list[Variable]]:
    """The tensors and variables for a call of one trace, whose other arguments are fixed.

    A TypeError says why they do not fit, in a few words: the caller says the rest.
    """
    variables: list[Variable] = []
    leaves = nest.flatten((args, kwargs), expand_composites=True)
    has_variables = any(type(old) is VariableSpec for old in traced.leaves)
    if kwargs or has_variables or len(leaves) != len(specs):  # else they are its tensors alone
        args, kwargs = _filled(signature, traced, specs, args, kwargs)
        leaves = nest.flatten((args, kwargs))
        if len(leaves) != len(traced.given):
            raise TypeError(f"it takes {len(specs)} tensors, but was given {len(leaves)}")
        variables = _variables_for(traced, leaves)
        leaves = nest.tensors_of(_given_to(traced, leaves))
    pairs = enumerate(zip(specs, leaves, strict=True))
    return [_fitting(name, i, s, v) for i, (s, v) in pairs], variables


def _filled(
    signature: inspect.Signature | None,
    traced: Inputs,
    specs: Sequence[TensorSpec],
    args: Sequence[Any],
    kwargs: dict[str, Any],
) -> tuple[Sequence[Any], dict[str, Any]]:
    """The arguments in their places; those that are missing as they were when it was traced."""
    if signature is None:
        return args, kwargs
    named = {k for k, v in signature.parameters.items() if v.kind is not v.VAR_KEYWORD}
    if kwargs and len(args) + len(kwargs) == len(specs) and not set(kwargs) <= named:
        return _by_spec(specs, args, kwargs), {}
    before = signature.bind(*traced.args, **traced.kwargs)
    before.arguments.update(signature.bind_partial(*args, **kwargs).arguments)
    return before.args, before.kwargs


def _by_spec(
    specs: Sequence[TensorSpec], args: Sequence[Any], kwargs: dict[str, Any]
) -> Sequence[Any]:
    """Tensors in the order of the specs, by whose names some are given."""
    rest = [spec.name for spec in specs[len(args) :]]
    unknown = sorted(set(kwargs) - {name for name in rest if name})
    if unknown:
        raise TypeError(f"got an unexpected keyword argument {unknown[0]!r}")
    return [*args, *[kwargs[str(name)] for name in rest]]


def _variables_for(traced: Inputs, leaves: Sequence[Any]) -> list[Variable]:
    """The variables among the arguments, each once, in the places that the trace has for them."""
    found: dict[int, Variable] = {}
    for new, old in zip(leaves, traced.leaves, strict=True):
        if type(old) is VariableSpec:
            assert old.alias_id is not None
            form = old.shape, old.dtype, old.trainable
            fits = isinstance(new, Variable) and (new.shape, new.dtype, new.trainable) == form
            if not fits or found.setdefault(old.alias_id, new) is not new:
                raise TypeError(f"Can not cast {new!r} to {old!r}")
    return [found[place] for place in sorted(found)]


def _given_to(traced: Inputs, leaves: Sequence[Any]) -> list[Any]:
    """Those of the arguments that are made of tensors; the others must be what they were."""
    found = []
    for new, old, given in zip(leaves, traced.leaves, traced.given, strict=True):
        if type(old) is VariableSpec:
            continue
        if given:
            found.append(_checked(old, new) if nest.is_composite(old) else new)
        elif new is not old and _key_of_value(new) != (
            old if type(old) is Weakly else _key_of_value(old)
        ):
            raise TypeError(f"Can not cast {new!r} to Literal[{old!r}]")
    missing = [v for v in found if isinstance(v, TypeSpec)]
    if missing:
        raise TypeError(f"missing a required argument: {missing[0]!r}")
    return found


def _fitting(name: str, index: int, spec: TensorSpec, value: Any) -> Any:
    tensor = convert(value, hint=spec.dtype)
    if tensor.dtype is not spec.dtype:
        raise InvalidArgumentError(
            f"cannot compute {name} as input #{index}(zero-based) was expected to be a "
            f"{spec.dtype.spoken} tensor but is a {tensor.dtype.spoken} tensor [Op:{name}]"
        )
    return _checked(spec, tensor)


# ---- names of arguments -------------------------------------------------------------------------


def named(
    specs: Sequence[TypeSpec], signature: inspect.Signature | None, inputs: Inputs
) -> list[TensorSpec]:
    """The specs of the tensors with the names of the parameters, where they have none of their own."""
    flat = tensor_specs(specs)
    if signature is None:
        return flat
    of_leaves = zip(_names(signature, inputs), inputs.given, strict=True)
    found: list[TensorSpec] = []
    for name, spec in zip([n for n, given in of_leaves if given], specs, strict=True):
        parts = spec._parts()
        names = [f"{name}_{i}" for i, _ in enumerate(parts)] if nest.is_composite(spec) else [name]
        found += [
            TensorSpec(p.shape, p.dtype, p.name or n) for p, n in zip(parts, names, strict=True)
        ]
    return found


def _names(signature: inspect.Signature, inputs: Inputs) -> list[str]:
    """For each leaf of the arguments the parameter, and its place within that."""
    positional: list[str] = []
    for p in signature.parameters.values():
        if p.kind is p.VAR_POSITIONAL:
            rest = len(inputs.args) - len(positional)
            positional += [f"{p.name}_{i}" for i in range(rest)]
        elif p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD):
            positional.append(p.name)
    found = []
    for name, value in zip(positional, inputs.args, strict=False):
        found += _names_within(name, value)
    for name in sorted(inputs.kwargs):
        found += _names_within(name, inputs.kwargs[name])
    return found


def _names_within(name: str, value: Any) -> list[str]:
    if not nest.is_nested(value):
        return [name]
    keys = sorted(value) if isinstance(value, Mapping) else itertools.count()
    found = []
    for key, part in zip(keys, nest.parts(value), strict=False):
        found += _names_within(f"{name}_{key}", part)
    return found
