"""Imports go downward only, and happen at the top of a file; folders have a table of contents."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import wengert

PACKAGE = Path(wengert.__file__).parent

# The rooms of the house from the bottom up. A file may import from its own room and from those
# before it. What is in none of them is public: names of the API, and nothing else.
ROOMS = [
    "errors",
    "host",
    "values",
    "formats",
    "core",
    "inference",
    "overrides",
    "graph",
    "state",
    "execution",
    "ops.support",
    "ops.math",
    "ops.arrays",
    "ops.reductions",
    "ops.state",
    "ops.control",
    "ops.linalg",
    "ops",
    "ops.special",
    "ops.random",
    "ops.quantization",
    "ops.sparse",
    "ops.ragged",
    "ops.strings",
    "ops.signal",
    "ops.nn",
    "ops.nn.conv",
    "ops.nn.pool",
    "ops.image",
    "ops.stable",
    "engines.claim_checks",
    "engines.dead_values",
    "engines.numpy_engine",
    "engines.native.runtime",
    "engines.native.frontend",
    "engines.native.mathematics",
    "engines.native.optimize",
    "engines.native.codegen",
    "engines.native.routines",
    "engines.native.program",
    "engines.native.kernels",
    "engines.native",
    "engines.xla",
    "engines",
    "api.gradients",
    "api.initializers",
    "api.session",
    "api.variables",
    "api.autograph",
    "api.function",
    "api.numpy",
    "api",
    "derivatives",
    "scipy",
    "saving",
    "train",
    "lookup",
    "io",
    "data",
    "insight.reports",
    "insight",
    "public",
    "training",
    "cli",
]
FILES = sorted(PACKAGE.rglob("*.py"))
FOLDERS = sorted({path.parent for path in FILES})
MOST_FILES = 26  # in a folder


def room_of(module: str) -> int:
    parts = module.split(".")[1:]
    if parts == ["__main__"]:
        return ROOMS.index("cli")
    named = [".".join(parts[:count]) for count in range(len(parts), 0, -1)]
    return ROOMS.index(next((name for name in named if name in ROOMS), "public"))


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
    own = room_of(module)
    return [m for m in imported(ast.parse(source)) if room_of(m) > own]


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_no_import_goes_up(path: Path) -> None:
    """A file imports from its own room or a lower one."""
    assert upward(path.read_text(encoding="utf-8"), module_of(path)) == []


def test_an_upward_import_is_found() -> None:
    """The guard itself sees a planted fault."""
    assert upward("from wengert.core import tape\n", "wengert.values.tensor") == [
        "wengert.core.tape"
    ]
    assert upward("import wengert.api.gradients.registration\n", "wengert.ops.nn.losses") == [
        "wengert.api.gradients.registration"
    ]
    assert upward("from wengert.ops.nn.losses import l2_loss", "wengert.ops.linalg.norms")


def named_in_strings(tree: ast.AST) -> Iterator[str]:
    """The modules of ours that a file names in strings; of one put together, its beginning."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            name = node.value.rstrip(".")
            if name.startswith("wengert.") and name.replace(".", "").isidentifier():
                yield name


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_no_string_goes_up(path: Path) -> None:
    """A module that is loaded by its name is in the file's own room or a lower one, and is there."""
    module = module_of(path)
    named = list(named_in_strings(ast.parse(path.read_text(encoding="utf-8"))))
    assert [name for name in named if room_of(name) > room_of(module)] == []
    assert [name for name in named if not is_module(name)] == []


def test_an_upward_string_is_found() -> None:
    """The guard itself sees a planted fault."""
    tree = ast.parse('load_module("wengert.api.bind"); load_module(f"wengert.engines.native.{x}")')
    assert list(named_in_strings(tree)) == ["wengert.api.bind", "wengert.engines.native"]


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_own_modules_are_imported_at_the_top(path: Path) -> None:
    """No function imports one of our own modules."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for function in ast.walk(tree):
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            assert list(imported(function)) == []


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda p: str(p.relative_to(PACKAGE.parent)))
def test_a_folder_is_a_room(folder: Path) -> None:
    """Few files; those of the house are listed in the docstring of the folder, each with a line."""
    files = [f.stem for f in folder.glob("*.py") if f.stem != "__init__"]
    assert len(files) <= MOST_FILES or folder == PACKAGE  # there: namespaces of TensorFlow's
    if module_of(folder / "__init__.py").split(".")[1:2] not in (
        [room] for room in ("host", "formats", "values", "core", "inference", "overrides", "graph", "state",
                            "execution", "engines", "ops", "api", "derivatives", "insight", "saving",
                            "training")
    ):  # fmt: skip
        return
    contents = ast.get_docstring(ast.parse((folder / "__init__.py").read_text("utf-8"))) or ""
    named = [line.split()[0] for line in contents.splitlines()[2:] if line[:1].strip()]
    inner = [f.name for f in folder.iterdir() if (f / "__init__.py").exists()]
    assert sorted({*files, *inner} - set(named)) == []
    assert len(named) == len(set(named))


# In kernels with a namespace of which NumPy is one, what is NumPy's own: guarded, or a type.
OF_NUMPY = {"_einsum_kernel", "_pow_kernel", "_matmul_kernel", "_multiplied"}


def test_kernels_use_their_namespace_or_say_that_they_are_numpys() -> None:
    """Who takes xp uses it, and nothing of np; a kernel of NumPy's calls the namespace `_`."""
    seen = 0
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, (ast.FunctionDef, ast.Lambda)):
                continue
            if "xp" not in [a.arg for a in node.args.args[:1]]:
                continue
            seen += 1
            body = [node.body] if isinstance(node, ast.Lambda) else node.body
            names = {n.id for part in body for n in ast.walk(part) if isinstance(n, ast.Name)}
            where = f"{path.relative_to(PACKAGE)}:{node.lineno}"
            assert "xp" in names, where
            assert "np" not in names or getattr(node, "name", "") in OF_NUMPY, where
    assert seen > 100


# Where a class gets what only a higher room can give it: what is bound, and the methods of a value
# that are made of operations on it.
BINDERS = {"api/bind.py", "api/numpy/behavior.py", "ops/ragged/methods.py", "ops/sparse/math.py"}


def test_nothing_is_patched_onto_classes() -> None:
    """No file changes a class or a module that it imports, but those that bind."""
    assert {path for path, _ in patches()} == BINDERS


def patches() -> Iterator[tuple[str, str]]:
    for path in FILES:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        foreign = {
            (alias.asname or alias.name).split(".")[0]
            for node in ast.walk(tree)
            if isinstance(node, (ast.Import, ast.ImportFrom)) and "wengert" in ast.unparse(node)
            for alias in node.names
        } - {"bound", "inference_mode", "Settings"}  # objects that hold what changes
        for node in ast.walk(tree):
            text = ast.unparse(node) if isinstance(node, (ast.Call, ast.Attribute)) else ""
            called = isinstance(node, ast.Call) and text.startswith("setattr(")
            name = ast.unparse(node.args[0]) if called else text.split(".")[0]  # type: ignore[attr-defined]
            stored = isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
            if (called or stored) and (name in foreign or name == "_class"):
                yield path.relative_to(PACKAGE).as_posix(), text


def test_the_machine_names_no_operation() -> None:
    """core/ does not mention the type name of any operation as a string."""
    from wengert.core.table import TABLE

    for path in (PACKAGE / "core").glob("*.py"):
        strings = {
            node.value
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        }
        assert not strings & set(TABLE), path


def test_what_the_machine_speaks_of_is_bound_in_one_file() -> None:
    """No other file assigns an attribute of `bound`."""
    found = [
        path.relative_to(PACKAGE).as_posix()
        for path in FILES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Store)
        and ast.unparse(node.value) == "bound"
    ]
    assert set(found) == {"api/bind.py"}
