"""The code in README and docs runs, and prints what stands beside it."""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import io
import linecache
import re
import subprocess
import sys
import warnings
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import wengert as tf
from wengert.cli import COMMANDS, main
from wengert.cli.ops import page as operations_page
from wengert.core.table import TABLE

ROOT = Path(__file__).resolve().parent.parent
PAGES = [
    ROOT / "README.md",
    ROOT / "examples" / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
]
# The blocks of these pages follow one another; elsewhere each block runs by itself.
CONTINUED = {"tutorial.md", "from-scratch.md"}
# These run in a process of their own, as what they load has threads; what they need.
APART = {"beyond-one-machine.md": "jax"}


class Block(NamedTuple):
    """A piece of Python in a page; `shown` is the block of text behind it: what comes out."""

    page: Path
    line: int
    code: str
    shown: str | None


def blocks(page: Path) -> list[Block]:
    text = page.read_text("utf-8")
    found = re.finditer(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", text, re.M | re.S)
    return [Block(page, text.count("\n", 0, m.start()) + 1, m[1], m[2]) for m in found]


BLOCKS: list[Any] = [
    pytest.param(block, id=f"{page.name}:{block.line}") for page in PAGES for block in blocks(page)
]


def expected(block: Block) -> list[str]:
    """What the comments behind `print` say, up to an explanation after a comma; or all that is shown."""
    if block.shown is not None:
        return block.shown.splitlines()
    return [
        comment.split(", where")[0]
        for comment in re.findall(r"^ *print\(.*?\)  # (.*)$", block.code, re.M)
    ]


def outcome(block: Block, names: dict[str, Any]) -> list[str]:
    """What a block prints; warnings and an error at its end are shown as Python does."""
    output = io.StringIO()
    lines = block.code.splitlines(keepends=True)
    linecache.cache["program.py"] = (len(block.code), None, lines, "program.py")  # answers read it
    with warnings.catch_warnings(record=True) as warned, contextlib.redirect_stdout(output):
        warnings.simplefilter("always")
        try:
            exec(compile(block.code, "program.py", "exec"), names)
        except Exception as error:
            if block.shown is None:
                raise
            print(f"{type(error).__name__}: {error}")
    for warning in warned:
        print(f"{warning.category.__name__}: {warning.message}", file=output)
    return output.getvalue().splitlines()


def outcome_apart(block: Block) -> list[str]:
    """What a block prints as a program, if what it needs is installed."""
    needed = APART[block.page.name]
    if importlib.util.find_spec(needed) is None:
        pytest.skip(f"{needed} is not installed")
    command = [sys.executable, "-c", block.code]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=True)
    return run.stdout.splitlines()


def namespace(name: str) -> dict[str, Any]:
    """As that of a program; what is defined in it is found where classes look for it."""
    return {"__name__": name}


@functools.cache
def outcomes(page: Path) -> dict[int, list[str]]:
    """Those of a page whose blocks follow one another, by their lines."""
    names = namespace(page.stem)
    return {block.line: outcome(block, names) for block in blocks(page)}


@pytest.mark.parametrize("block", BLOCKS)
def test_a_block_prints_what_stands_beside_it(block: Block) -> None:
    """Dots in a text that is shown stand for anything."""
    if block.page.name in CONTINUED:
        found = outcomes(block.page)[block.line]
    elif block.page.name in APART:
        found = outcome_apart(block)
    else:
        tf.compat.v1.reset_default_graph()  # other tests may have added to it
        found = outcome(block, namespace("block"))
    wanted = expected(block)
    pattern = "\n".join(re.escape(line).replace(r"\.\.\.", ".*") for line in wanted)
    assert re.fullmatch(pattern, "\n".join(found)), found


def test_there_are_blocks() -> None:
    """Each page says what it is about by code that runs, and every block shows what comes of it."""
    assert len(BLOCKS) >= 40
    silent = [b.values[0] for b in BLOCKS if not expected(b.values[0])]
    assert {(b.page.name, b.line) for b in silent if b.page.name not in CONTINUED} == set()


@pytest.mark.parametrize(
    ("code", "shown"),
    [
        ("print(1)  # 2\n", None),
        ("print(1)\n", "2\n"),
        ("raise ValueError('one')\n", "ValueError: two\n"),
        ("pass\n", "ValueError: nothing was raised\n"),
        ("import warnings; warnings.warn('unexpected')\nprint(1)  # 1\n", None),
    ],
)
def test_a_wrong_block_is_seen(code: str, shown: str | None) -> None:
    """The comparison can fail, for output, errors and warnings."""
    with pytest.raises(AssertionError):
        test_a_block_prints_what_stands_beside_it(Block(ROOT / "README.md", 0, code, shown))


# ---- names, commands, links -------------------------------------------------------------------


# What stands in the second column for names that are here as they are there.
HERE = "the same|complete|there|what can be"


def named(page: Path) -> Iterator[str]:
    """What a page says there is: `tf.something`, outside of blocks, and of columns about others."""
    text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.M | re.S)
    text = re.sub(r"\bno `[^`\n]+`", "", text)
    if page.name.startswith("from-"):
        text = re.sub(rf"^\|([^|]*)\|(?! *(?:{HERE}))", "| | ", text, flags=re.M)
    for code in re.findall(r"`([^`\n]+)`", text):
        yield from re.findall(r"(?<![\w.])tf(?:\.[A-Za-z_]\w*)+", code)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_names_exist(page: Path) -> None:
    """Every `tf.name` that a page says is there is there."""
    space = tf.compat.v1 if page.name == "from-tensorflow-1.md" else tf
    assert {name for name in named(page) if not reachable(space, name)} == set()


def test_a_wrong_name_is_seen(tmp_path: Path) -> None:
    """In the text, and in either column where the other says it is the same."""
    page = tmp_path / "from-elsewhere.md"
    page.write_text("`tf.nowhere` no `tf.denied`\n| `tf.a` | `tf.b` |\n| `tf.c` | the same |\n")
    assert list(named(page)) == ["tf.nowhere", "tf.b", "tf.c"]


@pytest.mark.parametrize("page", ["from-tensorflow-1.md", "from-tensorflow-2.md"])
def test_names_that_are_said_to_be_missing_are(page: str) -> None:
    """When they come, the pages are to say so."""
    space = tf.compat.v1 if page == "from-tensorflow-1.md" else tf
    text = (ROOT / "docs" / page).read_text("utf-8")
    rows = re.findall(rf"^\|([^|]*)\|(?! *(?:{HERE}))", text, re.M)
    missing = {name for cell in rows for name in re.findall(r"`(tf\.[\w.]+)`", cell)}
    assert len(missing) > 3
    assert {name for name in missing if reachable(space, name)} == set()


def reachable(space: Any, name: str) -> bool:
    for part in name.split(".")[1:]:
        if not hasattr(space, part):
            return False
        space = getattr(space, part)
    return True


COMMAND_LINES = [
    (page.name, line.split("#")[0].strip())
    for page in [*PAGES, ROOT / "CONTRIBUTING.md"]
    for block in re.findall(r"^```sh\n(.*?)^```", page.read_text("utf-8"), re.M | re.S)
    for line in block.splitlines()
    if line.strip()
]


@pytest.mark.parametrize(("page", "line"), COMMAND_LINES)
def test_commands_exist(page: str, line: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A target of the Makefile, a command of ours with options that it has, or an extra to install."""
    words = [w for w in line.split() if "=" not in w or w.startswith("-")]
    if words[0] == "make":
        targets = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text("utf-8"), re.M)
        assert set(words[1:]) <= set(targets)
    elif words[:2] == ["pip", "install"]:
        extras = re.findall(r"^(\w+) = \[", (ROOT / "pyproject.toml").read_text("utf-8"), re.M)
        assert set(words[2:]) <= {".", *[f"'.[{extra}]'" for extra in extras]}
    else:
        assert words[0] == "wengert"
        assert words[1] in COMMANDS
        with pytest.raises(SystemExit):
            main([words[1], "--help"])
        # What follows the name of a program belongs to the program.
        options = {w for w in takewhile(lambda w: w.startswith("-"), words[2:]) if len(w) > 2}
        assert options <= set(re.findall(r"--[\w-]+", capsys.readouterr().out))


def test_there_are_commands() -> None:
    """Of each kind."""
    assert {line.split()[0] for _, line in COMMAND_LINES} >= {"make", "wengert"}


def test_the_page_of_operations_is_the_table() -> None:
    """What the page lists is what there is; `wengert ops --markdown > docs/operations.md`."""
    rows = [TABLE[name] for name in sorted(TABLE)]
    assert (ROOT / "docs" / "operations.md").read_text("utf-8") == operations_page(rows)


def test_links_between_pages_lead_somewhere() -> None:
    """Relative links name files that exist, and parts of them that exist."""
    for page in PAGES:
        for target, part in re.findall(r"\]\((?!http)([^)#]*)#?([^)]*)\)", page.read_text("utf-8")):
            if target.startswith("api/"):
                continue  # written when the site is made, which checks them
            there = (page.parent / target) if target else page
            assert there.exists(), f"{page.name}: {target}"
            assert not part or part in anchors(there), f"{page.name}: {target}#{part}"


def anchors(page: Path) -> set[str]:
    """The names of the headings, as they are in links."""
    headings = re.findall(r"^#+ (.*)$", page.read_text("utf-8"), re.M)
    return {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in headings}


@pytest.mark.parametrize("name", ["reliability.md", "security.md"])
def test_each_promise_has_the_test_that_it_names(name: str) -> None:
    """`file.py::test`, or `::test` in the file that was named last."""
    text = (ROOT / "docs" / name).read_text("utf-8")
    file = ""
    found = re.findall(r"`((?:test_\w+\.py)?)::(test_\w+)`", text)
    assert len(found) > 5
    for where, test in found:
        file = where or file
        assert f"\ndef {test}(" in (ROOT / "tests" / file).read_text("utf-8"), (file, test)


def test_the_glossary_names_files_that_are_there() -> None:
    """And each word once."""
    rows = [
        line.split(" | ") for line in (ROOT / "docs" / "glossary.md").read_text("utf-8").splitlines()
        if line.startswith("| ") and "`" in line
    ]  # fmt: skip
    files = [row[2].strip(" |`") for row in rows]
    assert len(files) > 20
    assert [file for file in files if not (ROOT / "wengert" / file).exists()] == []
    words = [row[0] for row in rows]
    assert len(words) == len(set(words))
