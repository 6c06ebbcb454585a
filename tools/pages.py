"""What the site has besides the files of docs/: a hook of mkdocs (see mkdocs.yml).

The API reference is written from the code, the examples and the measurements come from where they
are kept, and links to them, which lead out of docs/ in the repository, lead to their pages here.
"""

from __future__ import annotations

import re
import sys
from functools import partial
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path.insert(0, str(HERE))

import api  # noqa: E402  # beside this file, which mkdocs loads by its path

# Folders outside of docs/, and where their pages are in the site.
MOVED = {"examples/": "examples/", "benchmarks/results/": "measured/"}


def on_files(files: Any, config: Any) -> Any:
    from mkdocs.structure.files import File  # the rest of this file does without mkdocs

    for path, text in extra_pages().items():
        files.append(File.generated(config, path, content=text))
    for picture in (ROOT / "benchmarks" / "results").glob("*.png"):
        moved = f"measured/{picture.name}"
        files.append(File.generated(config, moved, abs_src_path=str(picture)))
    return files


def extra_pages() -> dict[str, str]:
    """The pages that are not in docs/, by their path in the site."""
    made = {f"api/{name}": text for name, text in api.pages().items()}
    made["examples/index.md"] = (ROOT / "examples" / "README.md").read_text("utf-8")
    for program in sorted((ROOT / "examples").glob("*.py")):
        code = program.read_text("utf-8")
        made[f"examples/{program.stem}.md"] = f"# {program.name}\n\n```python\n{code}```\n"
    for table in (ROOT / "benchmarks" / "results").glob("*.md"):
        title = {"measured": "Measured", "native": "Measured: compiled"}.get(table.stem, table.stem)
        made[f"measured/{table.name}"] = f"# {title}\n\n{table.read_text('utf-8')}"
    return made


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    if page.file.src_uri.startswith("examples/"):
        return re.sub(r"\]\((\w+)\.py\)", r"](\1.md)", markdown)
    return moved_links(markdown)


def moved_links(markdown: str) -> str:
    """Links that lead out of docs/, to where the site has the same."""
    for folder, place in MOVED.items():
        link = rf"\]\(\.\./{folder}([\w.]*?)(\.py|\.md|)\)"
        markdown = re.sub(link, partial(_moved, place), markdown)
    return markdown


def _moved(place: str, link: re.Match[str]) -> str:
    return f"]({place}{link[1].replace('README', '') or 'index'}.md)"
