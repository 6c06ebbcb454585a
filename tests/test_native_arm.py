"""Machine code for 64-bit ARM, wherever the tests run: that it is made, and what its loops are of."""

from __future__ import annotations

import functools
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Final

import emitted_for_arm
import pytest

pytestmark = pytest.mark.slow

# One that starts many instructions at once, and one of which LLVM knows little.
PROCESSORS: Final = ("neoverse-n1", "generic")
FULL: Final = {"f4": "4s", "f8": "2d"}


@functools.cache
def emitted(processor: str) -> dict[str, str]:
    """Assembly, of another process: this one goes on writing code for its own machine."""
    file = emitted_for_arm.__file__
    path = os.pathsep.join([str(Path(file).parents[1]), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, file, processor],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )
    if done.returncode == emitted_for_arm.LACKING:
        pytest.skip("this LLVM does not know ARM")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def loops(assembly: str) -> list[list[str]]:
    """The instructions of each loop that has no other one in it."""
    lines = assembly.splitlines()
    labels = {line.partition(":")[0]: i for i, line in enumerate(lines) if line.startswith(".LBB")}
    jumps = [
        (labels.get(m[0], i), i) for i, x in enumerate(lines) if (m := re.findall(r"\.LBB\w+$", x))
    ]
    found = [(begin, end) for begin, end in jumps if begin < end]
    return [
        [x.strip() for x in lines[begin + 1 : end + 1]]
        for begin, end in found
        if not any(begin <= b and e <= end and (b, e) != (begin, end) for b, e in found)
    ]


def multiplying(assembly: str, kind: str) -> list[str]:
    """The loop that multiplies and adds most often; all of that is of full vectors."""
    found = max(loops(assembly), key=lambda loop: len(multiplications(loop)))
    assert all(re.match(rf"fml[as]\tv\d+\.{FULL[kind]},", x) for x in multiplications(found))
    return found


def multiplications(loop: list[str]) -> list[str]:
    return [x for x in loop if re.match(r"fn?m(add|sub|l[as])\b", x)]


def on_stack(loop: list[str]) -> list[str]:
    return [x for x in loop if re.search(r"\[sp\b", x)]


@pytest.mark.parametrize("processor", PROCESSORS)
@pytest.mark.parametrize("kind", ["f4", "f8"])
def test_exponentials(processor: str, kind: str) -> None:
    """Computed by multiplications, in registers, without a call."""
    loop = multiplying(emitted(processor)[f"exp {kind}"], kind)
    assert len(multiplications(loop)) >= 9  # of a polynomial, on one vector at least
    assert on_stack(loop) == []
    assert not any(re.match(r"blr?\b", x) for x in loop)


@pytest.mark.parametrize("processor", PROCESSORS)
@pytest.mark.parametrize("kind", ["f4", "f8"])
@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("product {} 64", 24),
        ("product {} 1024", 24),
        ("convolution {}", 48),
        ("fewer products {}", 24),
    ],
)
def test_sums_stay_in_registers(processor: str, kind: str, name: str, count: int) -> None:
    loop = multiplying(emitted(processor)[name.format(kind)], kind)
    # All 24 sums; what is read is a few vectors of one side, and the numbers of the other.
    assert len(multiplications(loop)) == count
    assert len({x.split(",")[0] for x in multiplications(loop)}) == 24
    assert on_stack(loop) == []
    assert not any(re.match(r"st", x) for x in loop)


@pytest.mark.parametrize("processor", PROCESSORS)
@pytest.mark.parametrize("kind", ["f4", "f8"])
@pytest.mark.parametrize("name", ["open {}", "eager product {}"])
def test_sums_of_any_sizes_stay_in_registers(processor: str, kind: str, name: str) -> None:
    """The sums do; of the distances between rows, which are known only then, some may not."""
    loop = multiplying(emitted(processor)[name.format(kind)], kind)
    assert len(multiplications(loop)) == 24
    assert len({x.split(",")[0] for x in multiplications(loop)}) == 24
    assert not any(re.match(r"(st|ld)\w*\s+q\d+, \[(sp|x29)", x) for x in loop)


def test_checksums() -> None:
    """By the processor's instruction, four streams of bytes at once."""
    found = [[x.split()[0] for x in loop] for loop in loops(emitted(PROCESSORS[0])["checksum"])]
    assert max(loop.count("crc32cx") for loop in found) >= 4
    assert any("crc32cb" in loop for loop in found)


def test_runtime() -> None:
    """Threads that wait, and sleep by the number that the system call has on ARM."""
    text = emitted(PROCESSORS[0])["runtime"]
    for name in ("worker", "steps", "entry", "copy", "product_f4", "product_f8"):
        assert f"\n{name}:" in text
    assert re.search(r"\byield\b", text)
    assert re.search(r"mov\tw\d+, #98\n(\t.*\n){1,12}\tbl\tsyscall", text)
