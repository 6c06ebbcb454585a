"""Tensors and variables that are divided over four devices, and replicas there: the same numbers as on one."""

from __future__ import annotations

import functools
import subprocess
import sys
from collections.abc import Mapping

import pytest
from mesh_programs import PROGRAMS
from replica_programs import PROGRAMS as REPLICA_PROGRAMS
from test_xla_rows import environment, needs_jax, results_of


@functools.cache
def results(file: str) -> Mapping[str, str]:
    """What went wrong in each program."""
    found, complaints = results_of(file, 300)
    assert not complaints, complaints
    return found


@needs_jax
@pytest.mark.slow
@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name: str) -> None:
    assert results("mesh_programs.py")[name] == ""


@needs_jax
@pytest.mark.slow
@pytest.mark.parametrize("name", REPLICA_PROGRAMS)
def test_replicas(name: str) -> None:
    assert results("replica_programs.py")[name] == ""


def test_without_jax_it_says_what_to_install() -> None:
    code = (
        "import sys; sys.modules['jax'] = None\n"
        "import wengert as tf\n"
        "try:\n"
        "    tf.distribute.Mesh({'data': 2})\n"
        "except ImportError as error:\n"
        "    print(error)\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], env=environment(), capture_output=True, text=True, check=True
    )
    assert "pip install 'wengert[xla]'" in run.stdout
    assert len(run.stdout.splitlines()) == 1


def test_a_processor_is_divided_before_jax_is_there() -> None:
    """Without JAX as well: its devices have names, and strategies run on them."""
    code = (
        "import wengert as tf\n"
        "cpu, = tf.config.list_physical_devices('CPU')\n"
        "two = [tf.config.LogicalDeviceConfiguration()] * 2\n"
        "tf.config.set_logical_device_configuration(cpu, two)\n"
        "print([d.name for d in tf.config.list_logical_devices()])\n"
        "import sys; assert 'jax' not in sys.modules\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], env=environment(), capture_output=True, text=True, check=True
    )
    assert run.stdout == "['/device:CPU:0', '/device:CPU:1']\n"
