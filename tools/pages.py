"""What the site has besides the files of docs/: a hook of mkdocs (see mkdocs.yml).

The API reference is written from the code, the examples and the measurements come from where they
are kept, and links to them, which lead out of docs/ in the repository, lead to their pages here.
"""

from __future__ import annotations

import ast
import re
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path.insert(0, str(HERE))

if TYPE_CHECKING:
    from tools import api
else:
    import api  # beside this file, which mkdocs loads by its path

# Folders outside of docs/, and where their pages are in the site.
MOVED = {"examples/": "examples/", "benchmarks/results/": "measured/"}
# Files outside of docs/, or parts of them, and theirs.
FILES = {
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "LICENSE": "licence.md",
    "README.md#beside-others": "beside-others.md",
}
# What people search for stands here first.
BOOSTED = {
    **{"none-or-nan.md": 4, "how-to.md": 3, "faq.md": 3, "sharp-bits.md": 2, "tutorial.md": 2},
    **{
        "from-jax.md": 2,
        "from-pytorch.md": 2,
        "concepts.md": 2,
        "topics.md": 0.5,
        "operations.md": 0.2,
    },
}

TITLES = {
    "measured": "Measured",
    "native": "Measured: compiled",
    "derivatives": "Measured: derivatives",
}

LEGENDS = {
    "derivatives": """
Medians, in milliseconds; an empty cell is a library that was not asked for it. *share*: Wengert's time divided by that of
what stands beside it; *bar*: the largest share that the project accepts. Results are compared with one another before anything is timed.
[Which derivative do I want?](../derivatives.md) says what is what.
""",
    "measured": """
*ratio*: Wengert's time divided by the other library's; below one, Wengert is faster. *interquartile range*: the
range from the first to the third quartile of the rounds; the number itself is the median. *limit*: the most that the project
allows itself, checked by whoever runs the benchmark. *no tape*: the function alone.

Each library runs in a process of its own, in rounds that take turns, on the machine named at the end. `wengert bench` measures
the same on yours, beside the libraries that you have installed ([install](../install.md#extras)).
""",
    "native": """
Each row is a workload, with its unit; a column is a library, and an empty cell one that was not measured. *ratio*: Wengert's
time divided by that of the library named under *limit*; below one, Wengert is faster. *limit*: the largest ratio that the project
accepts; *holds*: whether it was met. *interquartile ranges*: the range from the first to the third quartile of the rounds. *cold*:
nothing on disk; *warm*: a second process, which finds what the first one compiled.

`wengert bench` measures on your machine, beside the libraries that you have installed ([install](../install.md#extras)).
What led to these numbers is in the [design notes](../design-notes.md).

![The same table as a chart: the time of each library, Wengert's being one](native.png)
""",
}


def on_files(files: Any, config: Any) -> Any:
    from mkdocs.structure.files import File  # the rest of this file does without mkdocs

    for path, text in extra_pages().items():
        files.append(File.generated(config, path, content=text))
    for picture in (ROOT / "benchmarks" / "results").glob("*.png"):
        moved = f"measured/{picture.name}"
        files.append(File.generated(config, moved, abs_src_path=str(picture)))
    for code in sorted(api.PACKAGE.rglob("*.py")):  # as text, which every browser shows
        shown = f"source/{code.relative_to(api.PACKAGE).as_posix()}.txt"
        files.append(File.generated(config, shown, abs_src_path=str(code)))
    return files


def extra_pages() -> dict[str, str]:
    """The pages that are not in docs/, by their path in the site."""
    made = {f"api/{name}": text for name, text in api.pages().items()}
    made["topics.md"] = api.by_topic()
    made["examples/index.md"] = (ROOT / "examples" / "README.md").read_text("utf-8")
    for program in sorted((ROOT / "examples").glob("*.py")):
        made[f"examples/{program.stem}.md"] = example(program)
    for table in (ROOT / "benchmarks" / "results").glob("*.md"):
        title = TITLES.get(table.stem, table.stem)
        legend = LEGENDS.get(table.stem, "")
        made[f"measured/{table.name}"] = f"# {title}\n{legend}\n{table.read_text('utf-8')}"
    return {**made, **from_the_root()}


def example(program: Path) -> str:
    """Its question as the title, what its docstring says, how to run it, and the program."""
    text = program.read_text("utf-8")
    said = ast.get_docstring(ast.parse(text)) or ""
    question, _, prose = said.partition("\n")
    code = text.partition('"""\n')[2].lstrip()
    run = f"`wengert run examples/{program.name}`"
    # Searches should find the question, not each line of the program.
    block = f"``` {{ .python data-search-exclude }}\n{code}```\n"
    return f"# {question.rstrip('.')}\n\n{prose.strip()}\n\n{run}\n\n{block}"


def from_the_root() -> dict[str, str]:
    """What stands beside docs/, with its links as they are there."""
    made = {
        FILES[name]: (ROOT / name).read_text("utf-8")
        for name in ("CHANGELOG.md", "CONTRIBUTING.md")
    }
    licence = (ROOT / "LICENSE").read_text("utf-8")
    made["licence.md"] = f"# Licence\n\n```text\n{licence}```\n"
    readme = (ROOT / "README.md").read_text("utf-8")
    part = readme.partition("\n## Beside others\n")[2].partition("\n## ")[0]
    made["beside-others.md"] = f"# Size and speed beside others\n{part}"
    return {
        path: text.replace("](docs/", "](").replace("](benchmarks/", "](../benchmarks/")
        for path, text in made.items()
    }


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    if page.file.src_uri in BOOSTED:
        page.meta["search"] = {"boost": BOOSTED[page.file.src_uri]}
    if page.file.src_uri.startswith("examples/"):
        return re.sub(r"\]\((\w+)\.py\)", r"](\1.md)", markdown)
    return moved_links(markdown)


def moved_links(markdown: str) -> str:
    """Links that lead out of docs/, to where the site has the same."""
    for file, place in FILES.items():
        markdown = markdown.replace(f"](../{file})", f"]({place})")
    for folder, place in MOVED.items():
        link = rf"\]\(\.\./{folder}([\w.]*?)(\.py|\.md|)\)"
        markdown = re.sub(link, partial(_moved, place), markdown)
    return markdown


def _moved(place: str, link: re.Match[str]) -> str:
    return f"]({place}{link[1].replace('README', '') or 'index'}.md)"
