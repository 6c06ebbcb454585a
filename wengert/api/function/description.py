"""Traces in words, as TensorFlow prints them: parameters, results, captures."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from wengert.api.function.signatures import Weakly
from wengert.state.variable import Variable
from wengert.values import nest
from wengert.values.dtypes import resource
from wengert.values.type_spec import TensorSpec


def described_type(
    given: Iterable[tuple[str, str, Any]], result: Any, captures: Mapping[Any, Any]
) -> str:
    """The parameters with their kinds, the result, and the captures, a line for each."""
    lines = ["Input Parameters:"]
    lines += [f"  {name} ({kind}): {_or_none(v)}" for name, kind, v in given]
    lines += ["Output Type:", f"  {_or_none(result)}", "Captures:"]
    lines += [f"  {key}: {type_text(v)}" for key, v in captures.items()] or ["  None"]
    return "\n".join(lines)


def _or_none(value: object) -> str:
    return "None" if value is None else str(value) if isinstance(value, str) else type_text(value)


def in_one_line(
    signature: inspect.Signature | None, args: Sequence[Any], kwargs: Mapping[str, Any], result: Any
) -> str:
    """The same as an annotated signature, without the captures."""
    shown: list[str] = []
    before = ""
    for name, kind, value in parameters(signature, args, kwargs):
        if before == "POSITIONAL_ONLY" != kind:
            shown.append("/")
        if kind == "KEYWORD_ONLY" != before:
            shown.append("*")
        shown.append(f"{name}: {type_text(value)}")
        before = kind
    if before == "POSITIONAL_ONLY":
        shown.append("/")
    return f"({', '.join(shown)}) -> {type_text(result)}"


def parameters_text(signature: inspect.Signature, specs: Sequence[Any] | None) -> str:
    """The parameters of a function that has no trace: with what its input signature says of them."""
    rest = iter(specs or ())
    shown: list[str] = []
    for p in signature.parameters.values():
        if p.kind is p.KEYWORD_ONLY and not any(s.startswith("*") for s in shown):
            shown.append("*")
        star = _STARS.get(p.kind.name, "")
        spec = None if star else next(rest, None)
        kind = "" if spec is None else f": {type_text(spec)}"
        default = "" if p.default is p.empty or specs is not None else "=<captured_default_value>"
        shown.append(f"{star}{p.name}{kind}{default}")
    return f"({', '.join(shown)})"


_STARS: Final = {"VAR_POSITIONAL": "*", "VAR_KEYWORD": "**"}


def flat_misfit(
    name: str, names: Sequence[str], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> str:
    """Why arguments are not the tensors of a trace, one after another."""
    head = f"{name}({', '.join(names)})"
    if len(args) > len(names):
        return f"{head} takes {len(names)} positional arguments, got {len(args)}."
    unknown = sorted(set(kwargs) - set(names))
    if unknown:
        return f"{head} got unexpected keyword arguments: {', '.join(unknown)}."
    missing = [n for n in names[len(args) :] if n not in kwargs]
    if missing:
        return f"{head} missing required arguments: {', '.join(missing)}."
    return ""


def binding_error(
    cause: object, args: Sequence[Any], kwargs: Mapping[str, Any], signature: str, more: str = ""
) -> TypeError:
    """The error that arguments do not fit a function."""
    return TypeError(
        f"Binding inputs to tf.function failed due to `{cause}`. Received args: {tuple(args)} and "
        f"kwargs: {dict(kwargs)} for signature: {signature}.{more}"
    )


def parameters(
    signature: inspect.Signature | None, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> Iterator[tuple[str, str, Any]]:
    """The name, the kind and the value of each argument."""
    declared = [] if signature is None else list(signature.parameters.values())
    rest = next((p.name for p in declared if p.kind is p.VAR_POSITIONAL), "")
    single = [p for p in declared if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    for at, value in enumerate(args):
        is_single = at < len(single)
        name = single[at].name if is_single else f"{rest or 'args'}_{at - len(single)}"
        # What stands before `*rest` cannot be given by its name where there is a rest.
        by_name = is_single and not rest and single[at].kind.name == "POSITIONAL_OR_KEYWORD"
        yield name, "POSITIONAL_OR_KEYWORD" if by_name else "POSITIONAL_ONLY", value
    for name, value in kwargs.items():
        yield name, "KEYWORD_ONLY", value


def type_text(value: Any) -> str:
    """What a trace expects in a place."""
    if isinstance(value, TensorSpec):
        return repr(TensorSpec(value.shape, value.dtype))
    if nest.is_composite(value) or isinstance(value, Weakly):
        return repr(value)
    if isinstance(value, Mapping):
        return f"Dict[{', '.join(f'[{k!r}, {type_text(v)}]' for k, v in value.items())}]"
    if nest.is_nested(value):
        kind = "List" if isinstance(value, list) else "Tuple"
        return f"{kind}[{', '.join(map(type_text, nest.parts(value)))}]"
    return f"Literal[{value!r}]"


def capture_spec(value: Any) -> TensorSpec:
    """The spec of a value from outside: of a variable that of its handle."""
    dtype = resource if isinstance(value, Variable) else value.dtype
    return TensorSpec(() if isinstance(value, Variable) else value.shape, dtype)
