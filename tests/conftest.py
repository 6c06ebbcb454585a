"""What holds for every test."""

from __future__ import annotations

import functools
import gc
import itertools
import os
import random
import signal
import sys
from collections.abc import Iterator
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

import wengert.keras
from wengert.compat.redirect import is_installed, uninstall
from wengert.core.context import thread
from wengert.core.table import TABLE, complete
from wengert.engines.native.program import load
from wengert.execution.engine_registry import set_engine
from wengert.ops.random.seeds import set_seed
from wengert.overrides.registered_gradients import GRADIENTS
from wengert.values.sizes import inference_mode

# Keras would redirect `import tensorflow` for all tests: test_libraries.py runs it in processes of its own.
wengert.keras.is_installed = lambda: False
os.environ["COLUMNS"] = "80"  # reports are as wide as the terminal
# A job in the background of a shell ignores interrupts; so would the programs that tests interrupt.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

complete()  # what is registered during a test is undone after it; the library's rows are not

# How long an example takes says nothing on a busy machine; what failed must be repeatable.
settings.register_profile(
    "wengert",
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("wengert")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quick", action="store_true", help="a cut through everything, in a minute")
    parser.addoption("--shuffle", type=int, metavar="SEED", help="another order of files and tests")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--quick"):
        _cut(config, items)
    seed = config.getoption("--shuffle")
    if seed is not None:
        _shuffle(random.Random(seed), items)


def pytest_collection_finish() -> None:
    """The tests themselves, 100,000, stay to the end: the collector need not look at them each time."""
    leave_alone_what_there_is()


def leave_alone_what_there_is() -> None:
    """The garbage collector looks at what is made from now on. Not undone: that would be all tests."""
    gc.collect()
    gc.freeze()


def _shuffle(draw: random.Random, items: list[pytest.Item]) -> None:
    """No test may need another one: files in any order, and in each its tests in any order."""
    files: dict[Any, list[pytest.Item]] = {}
    for item in items:
        files.setdefault(item.path, []).append(item)
    order = list(files.values())
    draw.shuffle(order)
    for file in order:
        draw.shuffle(file)
    items[:] = itertools.chain(*order)


def _cut(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Of each test one case, another one in each file that has many, and none slow."""
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("slow") is None and item.get_closest_marker("timing") is None:
            cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
    kept = {id(case[len(case) // 2]) for case in cases.values()}
    config.hook.pytest_deselected(items=[item for item in items if id(item) not in kept])
    items[:] = [item for item in items if id(item) in kept]


@pytest.fixture(autouse=True, scope="session")
def plans_made_anew() -> Iterator[None]:
    """No plan that another run left on disk stands in for the code that a test is about."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(load, "content_of", lambda plan: None)
        yield


@pytest.fixture
def interpreted() -> Iterator[None]:
    """Functions run on the reference engine: bit for bit what eager mode computes.

    The tables of every operation in every mode use it; tests/test_native.py compares the engines.
    """
    set_engine("numpy")
    yield
    set_engine(None)


@functools.cache
def _generators_of(module: ModuleType) -> list[tuple[np.random.Generator, Any]]:
    """What draws the data of a module's tests, with where it stood before the first of them."""
    found = {}
    for value in vars(module).values():
        around = value.__globals__.values() if isinstance(value, FunctionType) else ()
        for drawn_from in (value, *around):
            if isinstance(drawn_from, np.random.Generator):
                found[id(drawn_from)] = drawn_from
    return [(generator, generator.bit_generator.state) for generator in found.values()]


@pytest.fixture(autouse=True)
def the_same_data(request: pytest.FixtureRequest) -> None:
    """A test draws the same numbers alone, among others, and in whichever process it runs."""
    for generator, start in _generators_of(request.module):
        generator.bit_generator.state = start


@pytest.fixture
def collected_afresh() -> None:
    """The collector looks at what the test makes, and not at what others left."""
    leave_alone_what_there_is()


@pytest.fixture(autouse=True)
def nothing_left_behind() -> Iterator[None]:
    """No test leaves a recorder or an interpreter active, an operation registered, a seed set.

    Nor a path, by which a process that a later test starts finds other files.
    """
    rows, gradients = dict(TABLE), dict(GRADIENTS)
    redirected, paths = is_installed(), os.environ.get("PYTHONPATH")
    yield
    set_seed(None)
    if is_installed() and not redirected:  # the classes would go on saying TensorFlow's names
        uninstall()
    context = thread.context
    assert context.recorders == ()
    assert context.interpreter is None
    assert context.listeners == ()
    assert not inference_mode.now
    assert os.environ.get("PYTHONPATH") == paths
    # Its threads, and its complaint at every fork, would be all later tests'.
    assert "jax" not in sys.modules, "what needs JAX runs in a process of its own"
    for table, before in ((TABLE, rows), (GRADIENTS, gradients)):
        for name in set(table) - set(before):
            del table[name]
