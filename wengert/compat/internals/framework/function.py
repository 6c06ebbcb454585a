"""tensorflow.python.framework.function: Defun, the functions of TensorFlow 1."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from wengert.api.function.function import function
from wengert.api.gradients.custom_gradient import custom_gradient
from wengert.api.session.modes import name_scope
from wengert.ops.arrays.identity import identity, identity_n
from wengert.values import nest
from wengert.values.convert import convert
from wengert.values.dtypes import DType, as_dtype

_NUMBERS: Final[Iterator[int]] = itertools.count()


class Defun:
    """A function with the dtypes of its arguments, and optionally a custom gradient.

    `python_grad_func(op, *dys)` is a gradient function as for RegisterGradient;
    `grad_func(*inputs, *dys)` is another Defun.
    """

    def __init__(self, *input_types: Any, **options: Any) -> None:
        self._types = [as_dtype(t) for t in input_types]
        self._options = options

    def __call__(self, func: Callable[..., Any]) -> Defined:
        """The function, as an operation of a graph."""
        if not callable(func):
            raise ValueError(f"Function {func} must be a callable.")
        signature = inspect.signature(func)
        _check_plain(func, signature)
        _check_count(func, signature, len(self._types))
        return Defined(func, self._types, self._options)


def _check_plain(func: Any, signature: inspect.Signature) -> None:
    """Check that there are neither defaults nor arguments by name."""
    kinds = list(signature.parameters.values())
    if any(p.default is not p.empty or p.kind is p.VAR_KEYWORD for p in kinds):
        raise ValueError(
            "Functions with argument defaults or keywords arguments are not supported. "
            f"{func} has the signature {signature}."
        )


def _check_count(func: Any, signature: inspect.Signature, count: int) -> None:
    plain = [p for p in signature.parameters.values() if p.kind is not p.VAR_POSITIONAL]
    any_number = len(plain) < len(signature.parameters)
    if count and (count < len(plain) or (count > len(plain) and not any_number)):
        raise ValueError(
            "The number of tf.function input types is not compatible with the allowed arguments "
            f"of {func}: there are {count} types for {signature}."
        )


class Defined:
    """A function that is called with tensors of known dtypes."""

    def __init__(
        self, func: Callable[..., Any], types: Sequence[DType], options: dict[str, Any]
    ) -> None:
        self._types = list(types)
        self._count = len(inspect.signature(func).parameters)
        self._gradient = options.get("grad_func")
        self._python_gradient = options.get("python_grad_func")
        own = f"{getattr(func, '__name__', 'lambda').strip('<>')}_{next(_NUMBERS)}"
        self.name: str = options.get("func_name") or own
        self._func = func
        self._call = self._with_gradient(function(self._checked))

    @property
    def declared_input_types(self) -> tuple[DType, ...]:
        """The dtypes of the arguments."""
        return tuple(self._types)

    @property
    def grad_func_name(self) -> str | None:
        """The name of the function that computes its gradients."""
        return None if self._gradient is None else self._gradient.name

    @property
    def python_grad_func(self) -> Any:
        """The gradient function."""
        return self._python_gradient

    def instantiate(self, input_types: Sequence[Any]) -> Defined:
        """The function for arguments of these dtypes."""
        return Defined(
            self._func,
            [as_dtype(t) for t in input_types],
            {"grad_func": self._gradient, "python_grad_func": self._python_gradient},
        )

    def add_to_graph(self, g: Any) -> None:
        """Nothing to do but to check: a graph has what it calls."""
        if self._gradient is not None and self._python_gradient is not None:
            raise ValueError(
                f"Gradient defined twice for function {self.name}: give grad_func or "
                "python_grad_func."
            )

    def __call__(self, *args: Any, **options: Any) -> Any:
        """The results for these tensors."""
        if self._types and len(args) != len(self._types):
            raise ValueError(f"Expected {len(self._types)} arguments, got {len(args)}.")
        if not self._types and not args and self._count:
            raise ValueError(f"Expected {self._count} arguments, got 0.")
        self.add_to_graph(None)
        types: Sequence[DType | None] = self._types or [None] * len(args)
        given = [convert(x, t) for x, t in zip(args, types, strict=True)]
        name = options.get("name")
        if name is None:
            return self._call(*given)
        with name_scope(name) as scope:  # the last operation has the name of the call
            found = self._call(*given)
            if nest.is_nested(found):
                return nest.pack_sequence_as(found, identity_n(nest.flatten(found), name=scope))
            return identity(found, name=scope)

    def _checked(self, *args: Any) -> Any:
        result = self._func(*args)
        if any(y is None for y in nest.flatten(result)):
            raise ValueError(f"Function {self.name} can not return None.")
        found = nest.flatten(result)  # an operation's results: one is by itself
        return found[0] if len(found) == 1 else tuple(found)

    def _with_gradient(self, traced: Callable[..., Any]) -> Callable[..., Any]:
        if self._python_gradient is None and self._gradient is None:
            return traced

        @custom_gradient
        def with_gradient(*args: Any) -> Any:
            result = traced(*args)
            return result, lambda *dys: self._back(args, result, dys)

        return with_gradient

    def _back(self, args: tuple[Any, ...], result: Any, dys: tuple[Any, ...]) -> Any:
        if self._python_gradient is not None:
            return self._python_gradient(_Call(args, result), *dys)
        assert self._gradient is not None
        return self._gradient(*args, *dys)


class _Call:
    """What a gradient function gets in place of an operation."""

    def __init__(self, inputs: Any, outputs: Any) -> None:
        self.inputs = list(inputs)
        self.outputs = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
