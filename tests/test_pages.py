"""What tools/api.py and tools/pages.py make of the code for the site."""

from __future__ import annotations

import importlib.util
import inspect
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from test_doctests import NAMESPACES

import wengert as tf

ROOT = Path(__file__).resolve().parent.parent


def loaded(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


api = loaded("api")
PAGES = api.pages()


def test_every_namespace_has_its_page() -> None:
    """Those whose docstrings run in the tests are those that are documented."""
    documented = list(api.modules().values())
    assert [m.__name__ for m in NAMESPACES if m not in documented] == []


@pytest.mark.parametrize("space", api.SPACES)
def test_every_public_name_is_on_its_page(space: str) -> None:
    """As a heading, with its parameters or a link to where they are."""
    module = api.modules()[space]
    wanted = [n for n in dir(module) if not n.startswith("_") and callable(getattr(module, n))]
    page = PAGES.get(f"{space}.md", "")
    assert sorted(re.findall(r"^### (\w+) ", page, re.M)) == sorted(wanted)
    assert len(re.findall(r"^```python$|^The same as \[", page, re.M)) == len(wanted)


def test_links_lead_to_headings() -> None:
    """A name that stands in two namespaces is described in one."""
    links = {m for page in PAGES.values() for m in re.findall(r"\]\(([\w.]+\.md)#(\w+)\)", page)}
    assert len(links) > 50
    for file, name in links:
        assert f"### {name} {{: #{name} }}\n\n```python" in PAGES[file], (file, name)


def test_what_is_said_of_a_function() -> None:
    """Its parameters with defaults, its words, its example as a block."""
    page = PAGES["tf.math.md"] if "### cumulative_logsumexp " in PAGES["tf.math.md"] else ""
    (entry,) = re.findall(r"^### cumulative_logsumexp .*?(?=^### )", page, re.M | re.S)
    assert "tf.math.cumulative_logsumexp(x, axis=0, exclusive=False, reverse=False" in entry
    doc = inspect.getdoc(tf.math.cumulative_logsumexp) or ""
    assert doc.splitlines()[0] in entry
    assert "```pycon\n>>> " in entry


def test_methods_of_a_class() -> None:
    """With words those that have some, by name those that have none."""
    page = PAGES["tf.md"]
    (entry,) = re.findall(r"^### GradientTape .*?(?=^### )", page, re.M | re.S)
    assert "tf.GradientTape(persistent=False, watch_accessed_variables=True, " in entry
    assert "**`gradient(target, sources, output_gradients=None" in entry
    assert "unconnected_gradients=UnconnectedGradients.NONE" in entry


def test_long_pages_are_grouped() -> None:
    """By what functions are about; each has one topic, and few have none."""
    headings = re.findall(r"^## (.*)$", PAGES["tf.md"], re.M)
    assert set(headings) < {*api.TOPICS, api.OTHER}
    assert "Gradients" in headings
    assert api.OTHER not in headings
    assert api.topic(tf.linalg.svd) == "Linear algebra"


def test_what_stands_below_a_function() -> None:
    """What its parameters mean, the errors that it raises, where it is written."""
    entry = "\n".join(api.entry("tf.concat", tf.concat, {id(tf.concat): "tf.concat"}))
    assert "- `axis`: " in entry
    assert "[wengert/ops/arrays/joining.py:" in entry
    assert "Raises `InvalidArgumentError`, `ValueError`" in entry


def test_sources_are_where_they_are_said_to_be() -> None:
    """A file of the package, and a line that names the function or its operation."""
    said = {m for page in PAGES.values() for m in re.findall(r"\(\.\./source/(.*?)\.txt\)", page)}
    assert len(said) > 100
    assert [file for file in said if not (api.PACKAGE / file).exists()] == []
    file, line = api.source(tf.sin)
    assert "sin" in (api.PACKAGE / file).read_text("utf-8").splitlines()[line - 1]
    file, line = api.source(tf.linalg.svd)
    assert any(
        "svd" in t
        for t in (api.PACKAGE / file).read_text("utf-8").splitlines()[line - 1 : line + 3]
    )


def test_functions_by_topic() -> None:
    """Each with a link to a heading, and the formula of its gradient where it has one."""
    page = api.by_topic()
    links = re.findall(r"^\| \[`(tf\.[\w.]+)`\]\(api/([\w.]+\.md)#(\w+)\)", page, re.M)
    assert len(links) > 400
    for name, file, key in links:
        assert f"### {key} {{: #{key} }}" in PAGES[file], name
    (sine,) = re.findall(r"^\| \[`tf\.sin`\].*$", page, re.M)
    assert "| `Sin` | `g * cos(x)` |" in sine
    (places,) = re.findall(r"^\| \[`tf\.argsort`\].*$", page, re.M)
    assert places.endswith("| none |")
    (product,) = re.findall(r"^\| \[`tf\.matmul`\].*$", page, re.M)
    assert product.endswith("| rule |")


@pytest.mark.parametrize(
    ("doc", "page"),
    [
        ("Words.\n\n>>> 1 + 1\n2", "Words.\n\n```pycon\n>>> 1 + 1\n2\n```"),
        ("Words:\n>>> 1 + 1\n2", "Words:\n\n```pycon\n>>> 1 + 1\n2\n```"),
        ("If a < b, `x<y>` too.", "If a &lt; b, `x<y>` too."),
    ],
)
def test_docstrings_become_markdown(doc: str, page: str) -> None:
    """Examples are blocks, and angle brackets are not tags."""
    assert api.text_of(doc) == page


def test_no_address_of_an_object_is_shown() -> None:
    """A default that has no readable form would change with every build."""
    text = "".join(re.sub(r"^(>>>|\.\.\.|<).*$", "", page, flags=re.M) for page in PAGES.values())
    assert " at 0x" not in text


def test_links_out_of_docs_lead_to_their_pages() -> None:
    """In the repository they lead to files, in the site to what is made of them."""
    pages = loaded("pages")
    made = pages.extra_pages()
    moved = pages.moved_links(
        "[a](../examples/digits.py) [b](../examples/README.md) "
        "[c](../benchmarks/results/native.md) [d](faq.md)"
    )
    targets = re.findall(r"\]\((.*?)\)", moved)
    assert targets == ["examples/digits.md", "examples/index.md", "measured/native.md", "faq.md"]
    assert set(targets[:3]) <= set(made)
    for file, place in pages.FILES.items():
        assert pages.moved_links(f"[x](../{file})") == f"[x]({place})"
        assert len(made[place]) > 500
    assert set(pages.BOOSTED) <= {*made, *[file.name for file in (ROOT / "docs").glob("*.md")]}
    assert "import tensorflow as tf" in made["examples/digits.md"]
    assert made["examples/digits.md"].startswith("# How is a small network trained?\n")
    for program in (ROOT / "examples").glob("*.py"):  # all of it but the docstring
        code = program.read_text("utf-8").partition('"""\n')[2].strip()
        assert code in made[f"examples/{program.stem}.md"]


def test_every_page_is_in_the_navigation_and_search_works_from_the_disk() -> None:
    """Whoever adds a page is told."""
    settings = (ROOT / "mkdocs.yml").read_text("utf-8")
    for file in [*(ROOT / "docs").glob("*.md")]:
        assert f": {file.name}\n" in settings, file.name
    assert re.search(r"^  - offline\b", settings, re.M)
    # The plugin would add one that is fetched from elsewhere, if it saw none of this name.
    assert re.search(r"^  polyfills: \[iframe-worker\.js\]", settings, re.M)
    assert (ROOT / "docs" / "iframe-worker.js").exists()
    separator = re.search(r"separator: '(.*)'", settings)
    assert separator is not None
    assert re.split(separator[1], "torch.func.vmap per_example") == [
        "torch",
        "func",
        "vmap",
        "per",
        "example",
    ]


def test_the_citation_has_the_version_of_the_package() -> None:
    """Which is said in pyproject.toml."""
    (version,) = re.findall(r"^version: (.*)$", (ROOT / "CITATION.cff").read_text("utf-8"), re.M)
    assert f'\nversion = "{version}"\n' in (ROOT / "pyproject.toml").read_text("utf-8")
    assert f"{{{version}}}" in (ROOT / "docs" / "project.md").read_text("utf-8")


# ---- pictures ----------------------------------------------------------------------------------

GALLERY = ROOT / "docs" / "gallery"


@pytest.mark.slow
def test_pictures_are_what_their_programs_draw() -> None:
    """Up to less than a dot; `python tools/gallery.py` draws them anew."""
    drawn = loaded("gallery").pictures()
    assert set(drawn) == {file.stem for file in GALLERY.glob("*.svg")}
    assert len(drawn) >= 5
    for name, text in drawn.items():
        kept = (GALLERY / f"{name}.svg").read_text("utf-8")
        assert difference(text, kept) < 1.0, name


def difference(drawn: str, kept: str) -> float:
    """The largest difference of two numbers; infinite if anything else differs. Pixels are not compared."""
    number, pixels = r"-?\d+\.\d", r"base64,[^\"]*"
    drawn, kept = re.sub(pixels, "", drawn), re.sub(pixels, "", kept)
    # A contour has as many pieces as cells that it passes, which a last digit can change.
    contour = r'<path d="[^"]*" fill="none" stroke="#b8c0d4"/>'
    drawn, kept = re.sub(contour, "", drawn), re.sub(contour, "", kept)
    if re.sub(number, "", drawn) != re.sub(number, "", kept):
        return float("inf")
    pairs = zip(re.findall(number, drawn), re.findall(number, kept), strict=True)
    return max(abs(float(a) - float(b)) for a, b in pairs)


def test_a_wrong_picture_is_seen() -> None:
    """A line elsewhere, and another label."""
    kept = (GALLERY / "forward.svg").read_text("utf-8")
    assert difference(kept, kept) == 0.0
    assert difference(kept.replace("M52.0 ", "M60.0 ", 1), kept) == 8.0
    assert difference(kept.replace("tanh", "sinh"), kept) == float("inf")
