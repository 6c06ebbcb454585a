"""tensorflow.python.util.tf_inspect: Python's inspect, ignoring decorators."""

import functools
import inspect
from collections.abc import Callable
from inspect import *
from typing import Any

from wengert.compat.internals.util import tf_decorator


def getfullargspec(obj: Any) -> inspect.FullArgSpec:  # type: ignore[no-redef]
    """The parameters; of the library's own functions without annotations, as TensorFlow's have none.

    They are those that the outermost decorator gives that gives any.
    """
    decorators, target = tf_decorator.unwrap(obj)
    for decorator in decorators:
        given: inspect.FullArgSpec | None = decorator.decorator_argspec
        if given is not None:
            return given
    own = inspect.unwrap(target)
    found = inspect.getfullargspec(own)
    is_ours = str(getattr(own, "__module__", "")).startswith("wengert")
    return found._replace(annotations={}) if is_ours else found


def getcallargs(*func_and_positional: Any, **named: Any) -> dict[str, Any]:  # type: ignore[no-redef]
    """What each parameter of a function is given in a call."""
    function, *given = func_and_positional
    target = tf_decorator.unwrap(function)[1]
    if inspect.ismethod(target):
        given.insert(0, target.__self__)
    spec = getfullargspec(function)
    found = dict(zip(spec.args, given, strict=False)) | named
    missing = spec.args[len(spec.args) - len(spec.defaults or ()) :]
    for name, value in zip(missing, spec.defaults or (), strict=True):
        found.setdefault(name, value)
    return found


def _of_target(question: Callable[..., Any]) -> Callable[..., Any]:
    """A question that is asked of what is decorated."""

    @functools.wraps(question)
    def asked(object: Any, *args: Any) -> Any:
        return question(tf_decorator.unwrap(object)[1], *args)

    return asked


for _question in (
    inspect.getfile, inspect.getsource, inspect.getsourcefile, inspect.getsourcelines,
    inspect.getmodule, inspect.isbuiltin, inspect.isclass, inspect.isfunction, inspect.isframe,
    inspect.isgenerator, inspect.isgeneratorfunction, inspect.ismethod, inspect.ismodule,
    inspect.isroutine,
):  # fmt: skip
    globals()[_question.__name__] = _of_target(_question)


def isanytargetmethod(object: Any) -> bool:
    """Whether something decorated, or what it decorates, is a method."""
    decorators, target = tf_decorator.unwrap(object)
    between = [getattr(decorator, "decorated_target", None) for decorator in decorators]
    return any(inspect.ismethod(value) for value in (object, *between, target))


_inspect = inspect  # programs take Python's module from here
globals()["getargspec"] = getfullargspec
