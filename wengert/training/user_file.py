"""What can be trained from a file of the user's.

The file has two functions:

- `model()` gives a `tf.Module` that is called with a batch of inputs;
- `data()` gives the pair (inputs, targets), or two of them, to train and to test with.

It may have `loss(outputs, targets)`, a scalar, and `augment(inputs, rng)`. Without a loss, classes
(integers) get the cross-entropy of logits, other targets the mean square.
"""

from __future__ import annotations

import importlib.util
import inspect
import sys
from pathlib import Path
from typing import Any, Final

import numpy as np

from wengert.compat import install
from wengert.errors import InvalidArgumentError
from wengert.training.examples import Data, Examples
from wengert.training.tasks import Task, cross_entropy, mean_square

_TESTED: Final = 0.1  # the share of examples, where a file gives no others


def task_of(path: Path) -> Task:
    """The task of a file, which is run."""
    install()
    module = _module(path)
    for name, use in (("model", "a tf.Module"), ("data", "(inputs, targets)")):
        if not callable(getattr(module, name, None)):
            raise InvalidArgumentError(f"{path} has no function {name}(), which gives {use}.")
        needed = _needed_by(getattr(module, name))
        if needed:
            raise InvalidArgumentError(
                f"{name}() of {path} is called without arguments, and needs {needed}."
            )
    data = _data(module.data(), path, hasattr(module, "loss"))
    is_class = np.issubdtype(data.train.targets.dtype, np.integer)
    return Task(
        str(path),
        lambda _: module.model(),
        lambda _folder, _seed: data,
        getattr(module, "loss", cross_entropy if is_class else mean_square),
        change=getattr(module, "augment", None),
        batch=min(128, len(data.train)),
    )


def _needed_by(function: Any) -> str:
    """The names of the arguments that a function must be given."""
    given = inspect.signature(function).parameters.values()
    plain = [p for p in given if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    return ", ".join([p.name for p in plain if p.default is p.empty])


def _module(path: Path) -> Any:
    sys.path.insert(0, str(path.resolve().parent))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise InvalidArgumentError(f"{path} is no file of Python.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    # Not by its bytecode, which Python takes for that of a file that was changed in the same second.
    exec(compile(path.read_bytes(), str(path), "exec"), module.__dict__)
    return module


def _data(given: Any, path: Path, has_loss: bool) -> Data:
    if _is_pair(given) and all(_is_pair(part) for part in given):
        train, test = (_examples(part, path, has_loss) for part in given)
    else:
        train, test = _parted(_examples(given, path, has_loss))
    return Data(train, test, f"data() of {path}")


def _is_pair(value: Any) -> bool:
    return isinstance(value, tuple) and len(value) == 2


def _examples(given: Any, path: Path, has_loss: bool) -> Examples:
    if not _is_pair(given):
        raise InvalidArgumentError(
            f"data() of {path} gave {type(given).__name__}: (inputs, targets) is wanted, or two such pairs."
        )
    inputs, targets = (_of_width(np.asarray(part)) for part in given)
    if not has_loss:
        _check_targets(targets, path)
    if inputs.shape[:1] == targets.shape[:1] == (0,):
        raise InvalidArgumentError(f"data() of {path} gave no examples.")
    if not inputs.ndim or not targets.ndim or len(inputs) != len(targets):
        raise InvalidArgumentError(
            f"data() of {path} gave inputs of shape {inputs.shape} and targets of shape {targets.shape}: as "
            "many of the one as of the other are wanted, along the first axis."
        )
    return Examples(inputs, targets)


def _check_targets(targets: Any, path: Path) -> None:
    """What the losses that we choose cannot compare."""
    if targets.dtype.kind not in "biuf":
        raise InvalidArgumentError(
            f"data() of {path} gave targets of the dtype {targets.dtype}: numbers are wanted, or a function "
            "loss(outputs, targets) in the file. Of classes by name give the places in the list of names."
        )
    if targets.dtype.kind == "f" and not np.isfinite(targets).all():
        at = int(np.argwhere(~np.isfinite(targets))[0][0])
        raise InvalidArgumentError(
            f"data() of {path} gave targets that are no finite numbers, first in example {at}: leave such "
            "examples out, or write a function loss(outputs, targets) that does."
        )


def _of_width(array: Any) -> Any:
    """Integers as tensors are made of Python's: of 32 bits. Floats get the dtype of the model's variables."""
    return array.astype(np.int32) if array.dtype == np.int64 else array


def _parted(examples: Examples) -> tuple[Examples, Examples]:
    """The last ones are tested with."""
    at = max(1, int(len(examples) * (1.0 - _TESTED)))
    rest = at if at < len(examples) else 0
    train = Examples(examples.inputs[:at], examples.targets[:at])
    return train, Examples(examples.inputs[rest:], examples.targets[rest:])
