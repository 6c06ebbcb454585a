"""The examples in the docstrings run, and everything public has one."""

from __future__ import annotations

import doctest
import functools
import importlib.util
import inspect
import pkgutil
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import wengert as tf

OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
NAMESPACES = [
    tf,
    tf.autodiff,
    tf.bitwise,
    tf.compat.v1,
    tf.compat.v1.image,
    tf.compat.v1.linalg,
    tf.compat.v1.losses,
    tf.compat.v1.nn,
    tf.compat.v1.test,
    tf.compat.v1.train,
    tf.debugging,
    tf.experimental,
    tf.experimental.numpy,
    tf.experimental.numpy.random,
    tf.image,
    tf.initializers,
    tf.io,
    tf.io.gfile,
    tf.linalg,
    tf.lookup,
    tf.lookup.experimental,
    tf.math,
    tf.nest,
    tf.nn,
    tf.optimizers,
    tf.optimizers.schedules,
    tf.quantization,
    tf.test,
    tf.train,
    tf.linalg.experimental,
    tf.nn.experimental,
    tf.random,
    tf.random.experimental,
    tf.math.special,
    tf.signal,
    tf.sparse,
    tf.ragged,
    tf.sets,
    tf.strings,
]


def modules() -> Iterator[Any]:
    yield tf
    for found in pkgutil.walk_packages(tf.__path__, "wengert."):
        if not found.name.endswith("__main__"):
            yield importlib.import_module(found.name)


def examples() -> list[doctest.DocTest]:
    """The docstrings that have examples, each where it was written."""
    finder = doctest.DocTestFinder(exclude_empty=True)
    return [
        test
        for module in modules()
        for test in finder.find(module, extraglobs={"tf": tf, "np": np})
        if test.examples
    ]


@functools.cache  # names that are loaded later would change it
def public() -> dict[str, Any]:
    """Every function that users can name, once."""
    found: dict[int, tuple[str, Any]] = {}
    for space in NAMESPACES:
        for name in dir(space):
            value = getattr(space, name)
            if name.startswith("_") or not inspect.isfunction(value):
                continue
            prefix = space.__name__.replace("wengert", "tf")
            found.setdefault(id(value), (f"{prefix}.{name}", value))
    return dict(found.values())


# What an example needs that is not needed otherwise.
NEEDS = {"wengert.insight.compare.formula.formula": "sympy"} | {
    f"wengert.io.pictures.{name}": "PIL"
    for name in ("decode_and_crop_jpeg", "decode_gif", "decode_image", "decode_jpeg", "decode_png",
                 "encode_jpeg", "extract_jpeg_shape")
}  # fmt: skip


# These start JAX, which has threads: each runs in a process of its own.
APART = ("wengert.distribute.mesh.", "wengert.engines.xla.versions.")


def run_apart(test: doctest.DocTest) -> None:
    code = (
        f"import doctest, sys, wengert as tf, {test.globs['__name__']} as module\n"
        f"finder = doctest.DocTestFinder()\n"
        f"found = [t for t in finder.find(module, extraglobs={{'tf': tf}}) if t.name == {test.name!r}]\n"
        f"sys.exit(doctest.DocTestRunner(optionflags={OPTIONS}).run(found[0]).failed)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stdout + run.stderr


@pytest.mark.parametrize("test", examples(), ids=lambda t: t.name)
def test_example(test: doctest.DocTest, capsys: pytest.CaptureFixture[str]) -> None:
    """The example gives what it shows."""
    if test.name in NEEDS:
        pytest.importorskip(NEEDS[test.name])
    if test.name.startswith(APART):
        if importlib.util.find_spec("jax") is None:
            pytest.skip("JAX is not installed")
        run_apart(test)
        return
    failed, _ = doctest.DocTestRunner(optionflags=OPTIONS).run(test)
    assert not failed, capsys.readouterr().out


@pytest.mark.parametrize("name", public())
def test_public_name_has_an_example(name: str) -> None:
    """A public function shows how it is used."""
    value = public()[name]
    assert ">>> " in (value.__doc__ or ""), f"{name} has no example"


def test_factories_leave_their_functions_findable() -> None:
    """Functions made by `unary` and `binary` belong to the module that declares them."""
    names = {test.name for test in examples()}
    assert {"wengert.ops.math.elementwise.exp", "wengert.ops.math.arithmetic.add"} <= names
