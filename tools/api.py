"""The API reference, as pages of Markdown, from the public names and their docstrings.

`make docs` writes them into the site (tools/pages.py); they are not kept in the repository.

    python tools/api.py [module ...]

prints them.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator
from typing import Any

import wengert as tf

# The namespaces that users see. tests/test_pages.py holds them against those whose docstrings run.
SPACES = (
    *("tf", "tf.autodiff", "tf.bitwise", "tf.compat", "tf.config", "tf.debugging", "tf.dtypes"),
    *("tf.errors", "tf.experimental", "tf.experimental.dlpack", "tf.extend", "tf.image"),
    *("tf.initializers", "tf.linalg", "tf.math", "tf.math.special", "tf.nest", "tf.nn"),
    *("tf.nn.experimental", "tf.optimizers", "tf.optimizers.schedules", "tf.quantization"),
    *("tf.ragged", "tf.random", "tf.random.experimental", "tf.sets", "tf.signal", "tf.sparse"),
    *("tf.test", "tf.train", "tf.compat.v1", "tf.compat.v1.image", "tf.compat.v1.linalg"),
    *("tf.compat.v1.losses", "tf.compat.v1.nn", "tf.compat.v1.random", "tf.compat.v1.test"),
    "tf.compat.v1.train",
)


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
    lines += ["Written from the code when this site is made: each public name, its parameters, and"]
    lines += ["what its docstring says. All examples run in the tests. `tf` is `wengert`.", ""]
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
    for key, value in entries:
        lines += [f"### {key} {{: #{key} }}", ""]
        lines += list(entry(f"{name}.{key}", value, homes))
    return "\n".join(lines) + "\n"


def entry(name: str, value: Any, homes: dict[int, str]) -> Iterator[str]:
    home = homes[id(value)]
    if home != name:
        space, _, key = home.rpartition(".")
        yield from [f"The same as [{home}]({space}.md#{key}).", ""]
        return
    yield from ["```python", f"{name}{signature(value)}", "```", "", text_of(doc_of(value)), ""]
    if inspect.isclass(value):
        yield from members(name, value)


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
