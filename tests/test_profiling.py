"""tf.profiler and tf.debugging.experimental: what programs call around their training."""

from __future__ import annotations

import importlib
import warnings
from pathlib import Path

import pytest

import wengert as tf

profiler = tf.profiler.experimental


def test_a_recording_at_a_time(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    options = profiler.ProfilerOptions(host_tracer_level=3)
    assert options._asdict() == {
        "host_tracer_level": 3, "python_tracer_level": 0, "device_tracer_level": 1, "delay_ms": None,
    }  # fmt: skip
    with pytest.raises(tf.errors.UnavailableError, match=r"No profiler is running.*start"):
        profiler.stop()
    profiler.start(str(logs), options)
    with (
        pytest.raises(tf.errors.AlreadyExistsError, match=r"Another profiler is running.*stop"),
        profiler.Profile(str(logs)),
    ):
        pass
    profiler.stop(save=False)
    with profiler.Profile(str(logs), options), profiler.Trace("step", step_num=1, _r=1) as trace:
        trace.set_metadata(loss=1.0)
    with pytest.raises(tf.errors.UnavailableError):
        profiler.stop()
    assert not logs.exists()  # a profile without an entry would pass for a program that did nothing


def test_an_error_ends_a_recording() -> None:
    with pytest.raises(ZeroDivisionError), profiler.Profile("logs"):
        raise ZeroDivisionError
    with profiler.Profile("logs"):
        pass


def test_by_tensorflows_name() -> None:
    tf.compat.install()
    try:
        found = importlib.import_module("tensorflow.profiler.experimental")
        assert found.Profile is profiler.Profile
    finally:
        tf.compat.uninstall()


def test_the_debugger_writes_nothing(tmp_path: Path) -> None:
    debugger = tf.debugging.experimental
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        debugger.enable_dump_debug_info(str(tmp_path / "dump"), tensor_debug_mode="FULL_HEALTH")
        debugger.disable_dump_debug_info()
    (warning,) = said
    assert "enable_check_numerics" in str(warning.message)
    assert warning.filename == __file__
    assert not (tmp_path / "dump").exists()
