"""The API reference, as pages of Markdown, from the public names and their docstrings; and the functions by topic.

`make docs` writes them into the site (tools/pages.py); they are not kept in the repository.

    python tools/api.py [module ...]

prints them.
"""

from __future__ import annotations

import ast
import functools
import inspect
import re
import sys
import textwrap
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import wengert as tf
from wengert.cli import formula
from wengert.core.row import Row
from wengert.core.table import complete

PACKAGE = Path(tf.__file__).resolve().parent

# The namespaces that users see. tests/test_pages.py holds them against those whose docstrings run.
SPACES = (
    *(
        "tf",
        "tf.autodiff",
        "tf.autograph",
        "tf.autograph.experimental",
        "tf.bitwise",
        "tf.compat",
        "tf.config",
        "tf.debugging",
        "tf.debugging.experimental",
        "tf.dtypes",
    ),
    *("tf.errors", "tf.experimental", "tf.experimental.dlpack", "tf.extend", "tf.image"),
    *("tf.experimental.numpy", "tf.experimental.numpy.random"),
    *("tf.initializers", "tf.linalg", "tf.math", "tf.math.special", "tf.nest", "tf.nn"),
    *(
        "tf.linalg.experimental",
        "tf.nn.experimental",
        "tf.optimizers",
        "tf.optimizers.schedules",
        "tf.profiler.experimental",
        "tf.quantization",
    ),
    *("tf.ragged", "tf.random", "tf.random.experimental", "tf.sets", "tf.signal", "tf.sparse"),
    *("tf.data", "tf.data.experimental", "tf.io", "tf.io.gfile", "tf.lookup"),
    *("tf.lookup.experimental", "tf.saved_model", "tf.strings", "tf.summary"),
    *("tf.test", "tf.train", "tf.compat.v1", "tf.compat.v1.image", "tf.compat.v1.linalg"),
    *("tf.compat.v1.losses", "tf.compat.v1.nn", "tf.compat.v1.random", "tf.compat.v1.test"),
    "tf.compat.v1.train",
)


# What functions are about, by the modules in which they are written; the first that fits.
TOPICS = {
    "Gradients": ("api.gradients", "derivatives", "core", "overrides", "insight"),
    "Tensors, variables, dtypes": ("values", "api.variables", "state", "ops.state", "ops.support"),
    "Functions, graphs, sessions": ("api.function", "graph", "api.session", "execution"),
    "Control flow and checks": ("ops.control",),
    "NumPy: tf.experimental.numpy": ("api.numpy",),
    "Arrays: making, shaping, indexing": ("ops.arrays",),
    "Mathematics": ("ops.math",),
    "Special functions": ("ops.special",),
    "Reductions, sums along axes, sorting": ("ops.reductions",),
    "Linear algebra": ("ops.linalg", "linear_operators"),
    "Neural networks": ("ops.nn",),
    "Images": ("ops.image",),
    "Signals": ("ops.signal",),
    "Random numbers": ("ops.random",),
    "Sparse tensors": ("ops.sparse",),
    "Ragged tensors": ("ops.ragged",),
    "Quantization": ("ops.quantization",),
    "Initializers": ("api.initializers",),
    "Training": ("train",),
    "Data, files, saving": ("data", "io", "lookup", "saving", "saved_model", "summary", "formats"),
    "Strings": ("ops.strings",),
    "Testing": ("testing",),
    "Answers": ("insight",),
    "TensorFlow 1": ("compat",),
}
OTHER = "Everything else"
# A page with more names than this has them by topic.
MANY = 40
# What most people look for stands before the others of its topic.
FIRST = ("GradientTape", "custom_gradient", "constant", "Variable", "function")

# Parameters that mean the same everywhere. (What a function's own words explain is not said again.)
PARAMETERS = {
    "axis": "the axis, or where several can be meant a list; negative ones count from the end",
    "keepdims": "keep reduced axes, with size one",
    "dtype": "the dtype of the result",
    "seed": "makes random numbers repeatable; the stateless functions take two integers",
    "shape": "the shape, as a list or a tensor",
    "perm": "the order of the axes; reversed, if None",
    "data_format": "where the channels are: `NHWC` and its like at the end, `NCHW` behind the batch",
    "padding": "`VALID`: whole windows only; `SAME`: as many results as steps; or explicit pairs",
    "strides": "the step of the window along each axis",
    "dilations": "the distance between the elements that a filter meets",
    "ksize": "the size of the window along each axis",
    "validate_indices": "accepted; indices are always checked",
    "transpose_a": "transpose the first matrix before",
    "transpose_b": "transpose the second matrix before",
    "adjoint_a": "transpose and conjugate the first matrix before",
    "adjoint_b": "transpose and conjugate the second matrix before",
    "logits": "before softmax or sigmoid: any real numbers",
    "num_segments": "how many segments the result has",
    "segment_ids": "for each row the segment to which it belongs",
    "unconnected_gradients": '`"none"` or `"zero"`: the gradient where nothing connects',
    "parallel_iterations": "accepted; iterations follow one another",
    "back_prop": "accepted; what is not differentiated costs nothing",
    "swap_memory": "accepted; there is one memory",
    "learning_rate": "a number, or a schedule",
    "clipnorm": "each gradient is scaled down to this norm",
    "clipvalue": "each gradient is clipped to plus and minus this value",
    "global_clipnorm": "all gradients are scaled down together to this norm",
    "trainable": "whether tapes watch it without being asked",
    "stddev": "the standard deviation",
}


def modules() -> dict[str, Any]:
    """Every public namespace by its name."""
    return {name: _found(name.split(".")[1:]) for name in SPACES}


def _found(path: list[str]) -> Any:
    space: Any = tf
    for part in path:
        space = getattr(space, part)
    return space


def names(module: Any) -> list[tuple[str, Any]]:
    found = [n for n in sorted(dir(module)) if not n.startswith("_")]
    return [(n, getattr(module, n)) for n in found]


def pages() -> dict[str, str]:
    """The pages by file name."""
    homes: dict[int, str] = {}
    spaces = modules()
    for name, module in spaces.items():
        for key, value in documented(module):
            homes.setdefault(id(value), f"{name}.{key}")
    made = {f"{name}.md": page(name, module, homes) for name, module in spaces.items()}
    made = {file: text for file, text in made.items() if text}
    return {"index.md": _index(made), **made}


def documented(module: Any) -> list[tuple[str, Any]]:
    return [(key, value) for key, value in names(module) if callable(value)]


def _index(made: dict[str, str]) -> str:
    lines = ["# API reference", ""]
    lines += [
        "Generated from the code: each public name, its parameters, its docstring, the errors that it raises"
    ]
    lines += ["itself, and its source. All examples run in the tests. `tf` is `wengert`."]
    lines += ["[Functions by topic](../topics.md) has the formulas of gradients.", ""]
    lines += ["`name=` names the operation in graphs and errors, wherever it occurs.", ""]
    lines += ["| namespace | names |", "| --- | --- |"]
    for file, text in made.items():
        count = len(re.findall(r"^### ", text, re.M))
        lines.append(f"| [{file.removesuffix('.md')}]({file}) | {count} |")
    return "\n".join(lines) + "\n"


def page(name: str, module: Any, homes: dict[int, str]) -> str:
    """One namespace; empty if it has nothing of its own."""
    entries = documented(module)
    if not entries:
        return ""
    lines = [f"# {name}", ""]
    lines += [text_of(inspect.getdoc(module) or ""), ""]
    for title, found in _grouped(entries).items():
        lines += [f"## {title}", ""] if title else []
        for key, value in found:
            lines += [f"### {key} {{: #{key} }}", ""]
            lines += list(entry(f"{name}.{key}", value, homes))
    return "\n".join(lines) + "\n"


def _grouped(entries: list[tuple[str, Any]]) -> dict[str, list[tuple[str, Any]]]:
    """By topic, where there are many."""
    if len(entries) <= MANY:
        return {"": entries}
    entries = sorted(entries, key=lambda e: (e[0] not in FIRST, e[0].lower()))
    by_topic = {title: [e for e in entries if topic(e[1]) == title] for title in (*TOPICS, OTHER)}
    return {title: found for title, found in by_topic.items() if found}


def topic(value: Any) -> str:
    place = (getattr(inspect.unwrap(value), "__module__", None) or "").removeprefix("wengert.")
    for title, prefixes in TOPICS.items():
        if any(place == p or place.startswith(f"{p}.") for p in prefixes):
            return title
    return OTHER


def entry(name: str, value: Any, homes: dict[int, str]) -> Iterator[str]:
    home = homes[id(value)]
    if home != name:
        space, _, key = home.rpartition(".")
        yield from [f"The same as [{home}]({space}.md#{key}).", ""]
        return
    yield from ["```python", f"{name}{signature(value)}", "```", "", text_of(doc_of(value)), ""]
    yield from parameters(value)
    if inspect.isclass(value):
        yield from members(name, value)
    yield from _small_print(value)


def parameters(value: Any) -> Iterator[str]:
    """Those whose meaning is the same everywhere."""
    found = re.findall(r"(\w+)(?=[=,)])", signature(value))
    known = [p for p in dict.fromkeys(found) if PARAMETERS.get(p) and f"`{p}`" not in doc_of(value)]
    yield from [f"- `{p}`: {PARAMETERS[p]}" for p in known]
    if known:
        yield ""


def _small_print(value: Any) -> Iterator[str]:
    """The errors that are raised in the function itself, and where it is written."""
    place = source(value)
    if place is None:
        return
    errors = f"Raises {', '.join(f'`{e}`' for e in raised(value))}. " if raised(value) else ""
    file, line = place
    link = f"[wengert/{file}:{line}](../source/{file}.txt)"
    yield from [f"<small>{errors}Source: {link}</small>", ""]


def source(value: Any) -> tuple[str, int] | None:
    """The file below wengert/, and the line."""
    bare = inspect.unwrap(value)
    (row,) = own[:1] if (own := _closed_over(bare)) else (None,)
    try:
        if row is not None and row.declared:
            file, _, at = row.declared.rpartition(":")
            return Path(file).resolve().relative_to(PACKAGE).as_posix(), int(at)
        path = inspect.getsourcefile(bare)
        at_line = inspect.getsourcelines(bare)[1]
        return Path(path or "").resolve().relative_to(PACKAGE).as_posix(), max(at_line, 1)
    except (TypeError, OSError, ValueError):  # written elsewhere, or in C
        return None


@functools.cache
def raised(value: Any) -> list[str]:
    """The names of the errors in `raise` statements of a function."""
    bare = inspect.unwrap(value)
    if not inspect.isfunction(bare):
        return []
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(bare)))
    except (OSError, SyntaxError):
        return []
    thrown = [n.exc for n in ast.walk(tree) if isinstance(n, ast.Raise) and n.exc is not None]
    called = [ast.unparse(e.func) for e in thrown if isinstance(e, ast.Call)]
    return sorted({c.rpartition(".")[2] for c in called if re.search(r"(Error|Warning)$", c)})


# ---- functions by topic ------------------------------------------------------------------------


def by_topic() -> str:
    """All functions that compute something, with what they are and the gradient."""
    complete()
    names_of: dict[int, tuple[str, Any]] = {}
    for space, module in modules().items():
        for key, value in documented(module):
            if not inspect.isclass(value) and not space.startswith(("tf.compat", "tf.extend")):
                names_of.setdefault(id(value), (f"{space}.{key}", value))
    lines = ["# Functions by topic", ""]
    lines += [
        "In *gradient*, g is the gradient of the result f; x, y, z are the inputs, and a formula for each is separated"
    ]
    lines += [
        "by a semicolon. *Rule*: the operation has one that is no formula of elements. *None*: there is no gradient. Where"
    ]
    lines += [
        "nothing is said, the function is made of others and has their gradients. Formulas are read off the code, as"
    ]
    lines += [
        "`wengert ops` prints them; all [operations](operations.md) have a row of their own.",
        "",
    ]
    for title in TOPICS:
        found = sorted(pair for pair in names_of.values() if topic(pair[1]) == title)
        if title in ("Testing", "TensorFlow 1") or not found:
            continue
        lines += [
            f"## {title}",
            "",
            "| function | | operation | gradient |",
            "| --- | --- | --- | --- |",
        ]
        lines += [_topic_row(name, value) for name, value in found]
        lines.append("")
    return "\n".join(lines)


def _topic_row(name: str, value: Any) -> str:
    rows = rows_of(value)
    space, _, key = name.rpartition(".")
    what = _escaped(doc_of(value).partition("\n\n")[0].partition(". ")[0].replace("\n", " "))
    operations = ", ".join(f"`{row.name}`" for row in rows[:3])
    cells = (
        f"[`{name}`](api/{space}.md#{key})",
        what.rstrip("."),
        operations,
        _gradient(name, rows),
    )
    return f"| {' | '.join(c.replace('|', chr(92) + '|') for c in cells)} |"


# What has integers as results, of an operation that has others, too.
_PLACES = {"tf.argsort", "tf.histogram_fixed_width"}


def _gradient(name: str, rows: list[Row]) -> str:
    if not rows:
        return ""
    if name in _PLACES or not any(row.differentiable for row in rows):
        return "none"
    if len(rows) == 1 and rows[0].elementwise and not rows[0].many:
        written = formula.derivatives(rows[0])
        if written and all(len(w) < 90 for w in written):
            return "; ".join(f"`{w}`" for w in written)
    return "rule"


def _closed_over(function: Any) -> list[Row]:
    """The rows that a function was made for."""
    cells = getattr(function, "__closure__", None) or ()
    return [c.cell_contents for c in cells if _filled(c) and isinstance(c.cell_contents, Row)]


def _filled(cell: Any) -> bool:
    try:
        _ = cell.cell_contents
    except ValueError:
        return False
    return True


def rows_of(value: Any, depth: int = 4) -> list[Row]:
    """The operations that a function names, itself or by the private functions of its module."""
    function = inspect.unwrap(value)
    if not inspect.isfunction(function):
        return []
    found = _closed_over(function)
    for name in _names_in(function.__code__):
        used = function.__globals__.get(name)
        if isinstance(used, Row):
            found.append(used)
        elif depth and inspect.isfunction(used) and name.startswith("_"):
            found += rows_of(used, depth - 1) if used.__module__ == function.__module__ else []
    return list(dict.fromkeys(found))


def _names_in(code: types.CodeType) -> Iterator[str]:
    yield from code.co_names
    for part in code.co_consts:
        if isinstance(part, types.CodeType):
            yield from _names_in(part)


def members(name: str, cls: type) -> Iterator[str]:
    """The public methods and properties that our classes define; those without words in one line."""
    silent = []
    for key in sorted(n for n in dir(cls) if not n.startswith("_")):
        found = inspect.getattr_static(cls, key)
        bare = found.__func__ if isinstance(found, (classmethod, staticmethod)) else found
        is_ours = inspect.isfunction(bare) and bare.__module__.startswith("wengert")
        if not (is_ours or isinstance(found, property)):
            continue
        if not doc_of(bare):
            silent.append(f"`{key}`")
            continue
        parameters = signature(getattr(cls, key)) if is_ours else ""
        yield from [f"**`{key}{parameters}`**", "", text_of(doc_of(bare)), ""]
    if silent:
        yield from [f"Also: {', '.join(silent)}.", ""]


def signature(value: Any) -> str:
    """Parameters and defaults, without annotations, which would take more room than the rest."""
    try:
        found = inspect.signature(value)
    except (TypeError, ValueError):
        return ""
    bare = [
        p.replace(annotation=inspect.Parameter.empty)
        for p in found.parameters.values()
        if not p.name.startswith("_") and p.name != "self"
    ]
    try:
        shown = str(found.replace(parameters=bare, return_annotation=inspect.Signature.empty))
    except ValueError:
        return ""
    return re.sub(r"<(?:function |class '|)([\w.]+)[^>]*>", r"\1", shown)


def doc_of(value: Any) -> str:
    """What is written at the object itself, not at a class it inherits from."""
    own = value.__doc__ if not inspect.isclass(value) else vars(value).get("__doc__")
    return inspect.cleandoc(own or "")


def text_of(doc: str) -> str:
    """A docstring as Markdown: examples become blocks of code."""
    parts = []
    for paragraph in re.split(r"\n\s*\n", doc):
        before, prompt, example = _cut(paragraph)
        if before:
            parts.append(_escaped(before))
        if prompt:
            parts.append(f"```pycon\n{inspect.cleandoc(example)}\n```")
    return "\n\n".join(parts)


def _cut(paragraph: str) -> tuple[str, bool, str]:
    """The words of a paragraph, and the example that follows them."""
    found = re.search(r"^\s*>>> ", paragraph, re.M)
    if found is None:
        return paragraph, False, ""
    return paragraph[: found.start()].rstrip(), True, paragraph[found.start() :]


def _escaped(words: str) -> str:
    """Angle brackets are not tags; what stands in backquotes is left alone."""
    pieces = re.split(r"(``?[^`]+``?)", words)
    return "".join(p if p.startswith("`") else p.replace("<", "&lt;") for p in pieces)


if __name__ == "__main__":
    wanted = set(sys.argv[1:])
    for file, text in pages().items():
        if not wanted or file.removesuffix(".md") in wanted:
            print(text)
