"""Imports go downward only, and happen at the top of a file."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import wengert

PACKAGE = Path(wengert.__file__).parent

# From the bottom up. A file may import from its own layer and from those before it; the files of
# the machine are each a layer of their own, in this order.
CORE = [
    "context_manager",
    "operation",
    "dtypes",
    "shapes",
    "nest",
    "callers",
    "memory",
    "locks",
    "quiet",
    "words",
    "registry",
    "value",
    "tensor",
    "sizes",
    "here",
    "symbolic",
    "integers",
    "forms",
    "convert",
    "indexed_slices",
    "contract",
    "dispatch",
    "variable",
    "tape",
    "replaced",
    "entries",
    "regions",
    "overrides",
    "reverse",
    "forward",
    "batch",
    "names",
    "node",
    "deferred",
    "building",
    "graph",
    "function_graph",
    "differentiate",
]
LAYERS = [
    "errors",
    *(f"core.{name}" for name in CORE),
    "engines",
    "ops",
    "api",
    "train",
    "public",
    "cli",
]
FILES = sorted(PACKAGE.rglob("*.py"))


def layer_of(module: str) -> int:
    parts = module.split(".")[1:]
    if not parts:
        return LAYERS.index("public")
    if parts[0] == "core":
        return LAYERS.index(f"core.{parts[1]}") if len(parts) > 1 else 0
    if parts[0] in ("errors", "engines", "ops", "api", "train", "cli"):
        return LAYERS.index(parts[0])
    if parts[0] == "__main__":
        return LAYERS.index("cli")
    return LAYERS.index("public")


def module_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(without_types(tree)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("wengert"):
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if is_module(inner) else str(node.module)
        elif isinstance(node, ast.Import):
            yield from (a.name for a in node.names if a.name.startswith("wengert"))


def without_types(tree: ast.AST) -> ast.AST:
    """The tree without what only the type checker reads."""

    class Dropper(ast.NodeTransformer):
        def visit_If(self, node: ast.If) -> Any:
            return None if ast.unparse(node.test) == "TYPE_CHECKING" else self.generic_visit(node)

    return Dropper().visit(tree)


def is_module(name: str) -> bool:
    path = PACKAGE.parent.joinpath(*name.split("."))
    return path.with_suffix(".py").exists() or path.joinpath("__init__.py").exists()


def upward(source: str, module: str) -> list[str]:
    """The imports of a file that go up, as text."""
    own = layer_of(module)
    return [m for m in imported(ast.parse(source)) if layer_of(m) > own]


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_no_import_goes_up(path: Path) -> None:
    """A file imports from its own layer or a lower one."""
    assert upward(path.read_text(encoding="utf-8"), module_of(path)) == []


def test_an_upward_import_is_found() -> None:
    """The guard itself sees a planted fault."""
    assert upward("from wengert.core import tape\n", "wengert.core.tensor") == ["wengert.core.tape"]
    assert upward("import wengert.api.registration\n", "wengert.ops.nn") == [
        "wengert.api.registration"
    ]


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_own_modules_are_imported_at_the_top(path: Path) -> None:
    """No function imports one of our own modules."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for function in ast.walk(tree):
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            assert list(imported(function)) == []


def test_the_machine_names_no_operation() -> None:
    """core/ does not mention the type name of any operation as a string."""
    from wengert.core.registry import TABLE

    for path in (PACKAGE / "core").glob("*.py"):
        strings = {
            node.value
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        }
        assert not strings & set(TABLE), path
