"""The XLA engine on whole programs, beside NumPy; how it is chosen, and what is said without JAX."""

from __future__ import annotations

import functools
import subprocess
import sys
from collections.abc import Mapping

import pytest
from test_xla_rows import environment, needs_jax, results_of
from xla_loop_programs import PROGRAMS as LOOP_PROGRAMS
from xla_programs import PROGRAMS

import wengert as tf


@functools.cache
def results(programs: str) -> Mapping[str, str]:
    """What went wrong in each program."""
    return results_of(programs, 600)[0]


@needs_jax
@pytest.mark.slow
@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name: str) -> None:
    assert results("xla_programs.py")[name] == ""


@needs_jax
@pytest.mark.slow
@pytest.mark.parametrize("name", LOOP_PROGRAMS)
def test_program_with_loops(name: str) -> None:
    assert results("xla_loop_programs.py")[name] == ""


def test_an_engine_is_chosen_by_its_name() -> None:
    f = tf.function(lambda x: x + 1.0, engine="numpy")
    assert f.get_concrete_function(tf.TensorSpec([2])).plan().engine == "NumpyPlan"
    with pytest.raises(ValueError, match="no engine 'xlaa': choose one of numpy, native, xla"):
        tf.function(lambda x: x, engine="xlaa")


def test_without_jax_it_says_what_to_install() -> None:
    code = (
        "import sys; sys.modules['jax'] = None\n"
        "import wengert as tf\n"
        "try:\n"
        "    tf.function(lambda x: x + 1.0, engine='xla')(tf.constant(1.0))\n"
        "except ImportError as error:\n"
        "    print(error)\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], env=environment(), capture_output=True, text=True, check=True
    )
    assert "The engine 'xla', meshes and several processes need JAX" in run.stdout
    assert "pip install 'wengert[xla]'" in run.stdout
