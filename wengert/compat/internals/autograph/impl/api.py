"""tensorflow.python.autograph.impl.api: conversion, as other libraries ask for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wengert.api.autograph.calls import call
from wengert.api.autograph.entry import do_not_convert as do_not_convert
from wengert.compat.internals.autograph.core import ag_ctx


def tf_convert(
    f: Callable[..., Any],
    ctx: ag_ctx.ControlStatusCtx,
    convert_by_default: bool = True,
    user_requested: bool = False,
) -> Callable[..., Any]:
    """The function, converted unless the context forbids it."""
    wanted = ctx.status is ag_ctx.Status.ENABLED
    unspecified = ctx.status is ag_ctx.Status.UNSPECIFIED
    made: Callable[..., Any] = call(f) if wanted or (unspecified and convert_by_default) else f
    return made


def converted_call(
    f: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any] | None,
    caller_fn_scope: Any = None,
    options: Any = None,
) -> Any:
    """A call of the function, converted."""
    return call(f)(*args, **(kwargs or {}))


def autograph_artifact(entity: Any, extras: Any = None) -> Any:
    """A function that is not converted again."""
    return do_not_convert(entity)


def is_autograph_artifact(entity: Any) -> bool:
    """Whether a function is left as it is."""
    return hasattr(entity, "__wengert_unconverted__")
