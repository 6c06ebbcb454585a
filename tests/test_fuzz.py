"""The random programs of tests/fuzz: some of them, those that failed once, and whether faults are found."""

from __future__ import annotations

import itertools
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fuzz import work
from fuzz.compare import difference
from fuzz.hunt import Hunt, pasted
from fuzz.known import reason
from fuzz.minimise import minimised
from fuzz.modes import EAGER, MODES, outcome
from fuzz.programs import Program, Step, drawn
from fuzz.steps import LINES, cast, whole_numbers

import wengert as tf

HERE = Path(__file__).parent
SEEDS = range(1000, 1040)


def made(lines: list[str], dtype: str = "float64", **values: Any) -> Program:
    """The program of these lines, which make v0, v1, ..."""
    steps = tuple(Step(f"v{i}", line) for i, line in enumerate(lines))
    arrays = {name: np.asarray(value, float) for name, value in values.items()}
    return Program(0, dtype, arrays, steps, steps[-1].name)


# ---- programs -----------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("group", range(4))
def test_programs(group: int) -> None:
    hunt = Hunt(tf)
    found = [f.text() for seed in SEEDS[group::4] for f in hunt.failures(seed)]
    assert found == []
    assert hunt.counts["programs"] > 8


# What was found, and mended.
MENDED = {
    "the dtype of a real part of a guess of a thousand": made(
        ["tf.math.real(tf.signal.fft(tf.complex(x0, x0)))"], x0=np.ones([2, 1, 3])
    ),
    "the second derivative of a modulus": made(
        ["tf.abs(tf.complex(x0, x0) + 0.5)"], "float32", x0=np.ones([1, 1, 1])
    ),
    "weights of a transform of unknown size": made(["tf.signal.idct(x0)"], x0=[0.3, 0.5, -1.0]),
    "rows as long as a guess": made(
        ["tf.RaggedTensor.from_tensor(x0).to_tensor()"], x0=np.ones([2, 3])
    ),
    "rows without padding, none known": made(
        ["tf.RaggedTensor.from_tensor(x0, padding=0.0).to_tensor()"], x0=[[1.0, 4.0], [2.0, 3.0]]
    ),
    "slices of empty rows": made(["tf.gather(x0, tf.where(x0[:, 0] > 0.0)[:, 0])", "tf.sin(v0)[:, 1:]"], x0=np.ones([3, 1])),
    "products of nothing": made(["tf.sparse.sparse_dense_matmul(tf.sparse.from_dense(x0), tf.transpose(x0))"], x0=np.ones([0, 2])),
    "as many rows as there are places, of unknown length": made(["tf.gather_nd(x0, [[2], [1]])", "tf.reduce_sum(tf.RaggedTensor.from_tensor(v0), 1)"], x0=np.ones([3, 2])),
    "a bias of nothing": made(["tf.nn.bias_add(x0, x0[0])"], x0=np.ones([1, 0])),
    "places of an empty tensor": made(
        ["tf.broadcast_to(x0, [2, 0])", "tf.sparse.to_dense(tf.sparse.from_dense(v0))"],
        "float32", x0=np.ones([0]),
    ),
}  # fmt: skip


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("which", MENDED)
def test_what_was_mended(which: str, mode: str) -> None:
    assert Hunt(tf).fault(MENDED[which], MODES[mode]) is None


# Seeds that failed, by themselves: the whole program, in all modes.
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", [6, 31, 400, 554, 5071, 6232, 6269, 6389])
def test_seeds_that_failed(seed: int) -> None:
    assert [f.text() for f in Hunt(tf).failures(seed, list(MODES.values()))] == []


@pytest.mark.parametrize("line", LINES, ids=lambda line: line.__name__)
def test_every_line_is_drawn(line: Any) -> None:
    """None of them is always refused. Whole numbers come of casts alone."""
    lines = [line, cast] if line is whole_numbers else [line]
    assert any(drawn(seed, lines, tf).steps for seed in range(20))


# ---- faults -------------------------------------------------------------------------------------


class Wrong:
    """A library in which one name means something else."""

    def __init__(self, name: str, function: Any, library: Any = tf) -> None:
        self._name, self._function, self._library = name, function, library

    def __getattr__(self, name: str) -> Any:
        return self._function if name == self._name else getattr(self._library, name)


@tf.custom_gradient
def tanh_with_one_percent(x: Any) -> Any:
    y = tf.tanh(x)
    return y, lambda g: 1.01 * g * (1.0 - y * y)


LONG = made(
    ["tf.sin(x0)", "v0 * x1", "tf.tanh(v1)", "tf.reduce_sum(v2, 0)", "tf.exp(v3 * 0.1)"],
    x0=np.linspace(-1.0, 1.0, 12).reshape(4, 3), x1=np.linspace(0.2, 0.7, 3),
)  # fmt: skip


@pytest.mark.parametrize("peer", [None, tf])
def test_a_rule_that_is_one_percent_off_is_found_and_minimised(peer: Any) -> None:
    hunt = Hunt(Wrong("tanh", tanh_with_one_percent), peer)
    what = hunt.fault(LONG, EAGER)
    assert what is not None
    assert what.what.startswith("gradient")
    least = minimised(LONG, lambda p: hunt.fault(p, EAGER) is not None)
    assert [step.text for step in least.steps] == ["tf.tanh(x0)"]
    assert sum(v.size for v in least.values.values()) == 1


def test_a_wrong_static_shape_is_found() -> None:
    from wengert.ops.arrays.slicing import STRIDED_SLICE

    program = made(["tf.cos(x0)", "v0[:10]", "tf.sin(v1)"], x0=np.arange(5.0))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(STRIDED_SLICE, "shape", lambda shape, *, key: (key[0].stop,))
        what = Hunt(tf).fault(program, MODES["unknown sizes"])
        least = minimised(program, lambda p: Hunt(tf).fault(p, MODES["unknown sizes"]) is not None)
    assert what is not None
    assert any(word in what.text for word in ("claimed to be (10,)", "StridedSlice computed"))
    assert [step.text for step in least.steps] == ["x0[:10]"]


def test_what_is_refused_in_one_mode_is_found() -> None:
    def only_eager(x: Any) -> Any:
        return tf.constant(x.numpy()) if hasattr(x, "numpy") else tf.undefined  # type: ignore[attr-defined]

    hunt = Hunt(Wrong("cos", only_eager))
    program = made(["tf.cos(x0)"], x0=[1.0])
    what = hunt.fault(program, MODES["function"])
    assert what is not None
    assert what.what == "refusal"


def test_roundings_are_no_difference() -> None:
    """A sum that cancels: what is left are the roundings, and another order has others."""
    hunt = Hunt(Wrong("reduce_sum", lambda x: tf.reduce_sum(x[::-1])), tf)
    program = made(["tf.reduce_sum(x0)", "v0 * 1e12"], x0=[0.1, 0.2, 0.3, 1e3, -0.6, -1e3])
    assert hunt.fault(program, EAGER) is None
    assert hunt.counts["differences of roundings"] == 1


def test_at_a_bend_there_is_no_slope() -> None:
    """A gradient is one of those on both sides; the difference is between them."""
    bent = made(["tf.nn.leaky_relu(x0, 0.25)"], x0=[1.0, 0.0])
    assert Hunt(tf).fault(bent, EAGER) is None
    straight = made(["tf.nn.leaky_relu(x0, 0.25)"], x0=[1.0, 0.1])
    hunt = Hunt(Wrong("nn", Wrong("leaky_relu", lambda x, alpha: tf.stop_gradient(x), tf.nn)))
    assert hunt.fault(straight, EAGER) is not None


def test_a_known_difference_is_of_one_kind_lines_and_mode() -> None:
    pool = made(["tf.nn.max_pool2d(x0, 2, 1, 'SAME')"], x0=np.ones([1, 2, 2, 1]))
    assert reason(pool, "unknown rank", "second of x0")
    assert not reason(pool, "unknown sizes", "second of x0")
    assert not reason(pool, "unknown rank", "gradient of x0")
    assert not reason(LONG, "unknown rank", "second of x0")


def test_a_known_difference_is_no_failure() -> None:
    """It is counted; the same of another function is a failure."""
    for name, found in (("softsign", False), ("elu", True)):
        right = getattr(tf.nn, name)
        peer = Wrong("nn", Wrong(name, doubled_in_second_order(right), tf.nn))
        hunt = Hunt(tf, peer)
        fault = hunt.fault(made([f"tf.nn.{name}(x0)"], x0=[0.5, -0.3]), EAGER)
        assert (fault is not None) == found
        assert hunt.counts["known differences"] == (not found)


def doubled_in_second_order(function: Any) -> Any:
    @tf.custom_gradient
    def rule(x: Any, g: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        first = tape.gradient(y, x) * g
        return first, lambda again: (again * 2.0, again * 2.0)

    @tf.custom_gradient
    def doubled(x: Any) -> Any:
        return function(x), lambda g: rule(x, g)

    return doubled


def test_another_dtype_or_shape_is_a_difference() -> None:
    one = outcome(made(["tf.sin(x0)"], x0=[1.0]), tf, EAGER)
    other = outcome(made(["tf.sin(x0)"], "float32", x0=[1.0]), tf, EAGER)
    longer = outcome(made(["tf.sin(x0)"], x0=[1.0, 1.0]), tf, EAGER)
    assert "dtype" in str(difference(other, one, LONG))
    assert "shape" in str(difference(longer, one, LONG))


# ---- what is printed ----------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["variables", "unknown sizes", "session"])
def test_a_failure_can_be_pasted(mode: str, tmp_path: Path) -> None:
    program = tmp_path / "pasted.py"
    program.write_text(pasted(LONG, MODES[mode]), encoding="utf-8")
    run = subprocess.run(
        [sys.executable, str(program)], capture_output=True, text=True, cwd=HERE.parent, check=True,
        env={"PYTHONPATH": str(HERE.parent), "PATH": ""},
    )  # fmt: skip
    assert run.stdout.count("array") + run.stdout.count("tf.Tensor") >= 2


@pytest.mark.slow
def test_the_command_counts() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "tests.fuzz", "--seconds", "3", "--peer", "none"],
        capture_output=True, text=True, cwd=HERE.parent, check=True,
    )  # fmt: skip
    assert "compared with float64 and finite differences" in run.stdout
    assert int(run.stdout.split(" runs")[0].split()[-1]) > 0


def test_a_seed_that_ends_its_process_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is asked once more without the peer: then it is not the peer's doing."""
    monkeypatch.setattr(work, "_in_a_process", lambda asked: iter(()))
    (first,) = itertools.islice(work.found(work.Asked(7, time.time() + 60.0, None, False)), 1)
    assert first.failures == [("process", "# seed 7 ends the process\n")]


def test_a_process_that_the_peer_ends_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    def process(asked: work.Asked) -> Any:
        if asked.peer == "none":
            yield work.Found(asked.seed, [], Counter())

    monkeypatch.setattr(work, "_in_a_process", process)
    seeds = itertools.islice(work.found(work.Asked(7, time.time() + 60.0, None, False)), 2)
    assert [(f.seed, f.failures, f.counts[work.ENDED_BY_PEER]) for f in seeds] == [
        (7, [], 1),
        (8, [], 1),
    ]
