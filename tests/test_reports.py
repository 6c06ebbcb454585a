"""Every report: in a terminal of 80 columns, as a page in a browser, as plain facts."""

from __future__ import annotations

import functools
import importlib
import json
import pkgutil
import re
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wengert as tf
import wengert.insight
from wengert.insight.reports.blocks import Code, Table
from wengert.insight.reports.report import Report
from wengert.insight.reports.terminal import text_of

# ---- one of each, and of some several --------------------------------------------------------


def explained(kind: str) -> Report:
    x = tf.Variable([0.0, 1.0, 4.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        if kind == "None":
            h = tf.sin(x)
            loss = tf.reduce_sum(tf.constant(np.square(h.numpy())))
        elif kind == "NaN":
            distances = tf.sqrt(tf.reduce_sum(tf.square(x - [[0.0, 1.0, 4.0], [1.0, 1.0, 1.0]]), axis=1))  # fmt: skip
            loss = tf.reduce_mean(distances)
        else:
            loss = tf.reduce_sum(tf.nn.relu(x - 10.0) * 2.0)
    answer: Report = tape.explain(loss, x)
    return answer


@tf.custom_gradient
def wrong(x: Any) -> Any:
    s = tf.sigmoid(x)
    return x * s, lambda g: g * s * (1 + x)


def network(x: Any, w: Any) -> Any:
    with tf.name_scope("layer"):
        h = tf.tanh(x @ w)
    return tf.reduce_mean(tf.sqrt(h - 1.0)) + tf.reduce_sum(tf.nn.softmax(h) * tf.constant([1.0, 2.0]))  # fmt: skip


def bell(x: Any) -> Any:
    return tf.exp(tf.sin(x)) / (1.0 + x * x)


SHAPES = tf.ones([4, 3]), tf.ones([3, 2])
SOME = tf.constant([0.3, -1.2, 2.0], tf.float64)
MAKERS: dict[str, Callable[[], Report]] = {
    "explain None": lambda: explained("None"),
    "explain NaN": lambda: explained("NaN"),
    "explain zero": lambda: explained("zero"),
    "check, wrong": lambda: tf.check(wrong, SOME),
    "check, right": lambda: tf.check(lambda a: tf.tanh(a * a), SOME),
    "check_rule": lambda: tf.check_rule(wrong, SOME),
    "compare": lambda: tf.compare(bell, 0.5),
    "formula": lambda: tf.formula(bell, 0.5),
    "source": lambda: tf.source(network, *SHAPES),
    "source, C": lambda: tf.source(network, *SHAPES, target="c"),
    "source, numba": lambda: tf.source(network, *SHAPES, target="numba"),
    "draw": lambda: tf.draw(network, *SHAPES),
    "draw, numbers": lambda: tf.draw(network, *SHAPES, numbers=True),
    "onnx": lambda: tf.draw(lambda x: tf.sin(tf.linalg.inv(x)), tf.eye(2)).onnx(),
}
NEEDS = {"compare": "mpmath", "formula": "sympy"}


@functools.cache
def report(name: str) -> Report:
    if name in NEEDS:
        pytest.importorskip(NEEDS[name])
    return MAKERS[name]()


def subclasses(kind: type) -> Iterator[type]:
    one: type
    for one in kind.__subclasses__():
        yield one
        yield from subclasses(one)


def test_each_kind_of_report_is_here() -> None:
    """Whoever writes another one adds it above."""
    for module in pkgutil.walk_packages(wengert.insight.__path__, "wengert.insight."):
        importlib.import_module(module.name)
    ours = {
        k
        for k in subclasses(Report)
        if k.__module__.startswith("wengert.") and not k.__subclasses__()
    }
    assert ours <= {type(report(name)) for name in MAKERS}
    assert len(ours) >= 7


# ---- in a terminal ---------------------------------------------------------------------------


@pytest.mark.parametrize("columns", [80, 60])
@pytest.mark.parametrize("name", MAKERS)
def test_in_a_terminal(name: str, columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """No line is longer, but those of programs, which can be pasted; no colours where nobody looks."""
    monkeypatch.setenv("COLUMNS", str(columns))
    shown = report(name)
    text = str(shown)
    programs = {line for b in shown.blocks() if isinstance(b, Code) for line in b.lines}
    long = [line for line in text.split("\n") if len(line) > columns]
    assert [x for x in long if x not in programs and re.sub("^  [+ ] ", "", x) not in programs] == []  # fmt: skip
    assert "\x1b" not in text
    title = textwrap.fill(shown.title, columns)
    assert text.startswith(title)
    assert len(text) > 60


def test_colours_where_somebody_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = report("explain None")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[1m" in str(shown)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in str(shown)


@pytest.mark.parametrize("columns", [36, 40, 60, 80, 110])
def test_all_words_of_a_table_are_there(columns: int) -> None:
    """However narrow it is: cells are broken into lines, or stand below."""
    cells = ("a line of a program that is long", "12.5", "what there is to say about it, at length")
    table = Table(("line", "ms", "note"), (cells, ("", "", "one word more")), frozenset([1]))
    text = text_of("", [table], columns)
    assert max(map(len, text.split("\n"))) <= columns
    for word in re.findall(r"\w+", " ".join([*cells, "one word more"])):
        assert word in text
    assert "" not in text.split("\n")


# ---- as facts, and as a page -----------------------------------------------------------------


@pytest.mark.parametrize("name", MAKERS)
def test_facts_and_a_page_that_needs_nothing_else(name: str, tmp_path: Path) -> None:
    shown = report(name)
    assert json.loads(json.dumps(shown.to_dict()))
    page = shown.to_html(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text("utf-8") == page
    assert not re.search(r"(src|href)=|@import|url\((?!#)", page)
    assert "</" in shown._repr_html_()


# Noted by the page itself: errors, whether it is wider than its window, and texts that are hard to read.
PROBE = """<script>
const errors = [];
addEventListener("error", e => errors.push(e.message));
addEventListener("load", () => {
  const parts = c => { const n = (c.match(/[\\d.]+/g) || []).map(Number); return n.length > 3 ? n : [...n, 1]; };
  const light = ([r, g, b]) => [r, g, b].map(v => v / 255).map(v => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
    .reduce((s, v, i) => s + v * [.2126, .7152, .0722][i], 0);
  const behind = e => { for (let at = e; at; at = at.parentElement) {
    const c = parts(getComputedStyle(at).backgroundColor); if (c[3] > .5) return c; } return [255, 255, 255, 1]; };
  const faint = [];
  for (const e of document.querySelectorAll("body, body *")) {
    const own = [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
    if (!own || e.closest("svg, script, style")) continue;
    const [a, b] = [light(parts(getComputedStyle(e).color)), light(behind(e))];
    const contrast = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    if (contrast < 4.5) faint.push([e.tagName, e.textContent.slice(0, 30), contrast]);
  }
  const found = {errors, faint, wide: document.documentElement.scrollWidth - innerWidth, text: document.body.innerText.trim().length,
    dark: matchMedia("(prefers-color-scheme: dark)").matches};
  document.documentElement.dataset.found = encodeURIComponent(JSON.stringify(found));
});
</script>"""


def browser() -> str:
    found = shutil.which("chromium") or shutil.which("google-chrome")
    if found is None:
        pytest.skip("no browser")
    return found


def looked_at(page: str, file: Path, width: int, is_dark: bool) -> tuple[dict[str, Any], str]:
    """What the page notes about itself in a window so wide, and what the browser says."""
    file.write_text(page.replace("<head>", f"<head>{PROBE}", 1), encoding="utf-8")
    scheme = f"--blink-settings=preferredColorScheme={0 if is_dark else 1}"
    told = [
        browser(), "--headless", "--no-sandbox", "--disable-gpu", f"--window-size={width},800", scheme, "--enable-logging=stderr",
        "--dump-dom", file.as_uri(),
    ]  # fmt: skip
    done = subprocess.run(told, capture_output=True, timeout=120)
    shown = done.stdout.decode("utf-8", "replace")
    found = re.search(r'data-found="([^"]*)"', shown)
    assert found is not None, done.stderr.decode("utf-8", "replace")[-2000:]
    noted: dict[str, Any] = json.loads(__import__("urllib.parse").parse.unquote(found[1]))
    said = [line for line in done.stderr.decode("utf-8", "replace").split("\n") if "CONSOLE" in line]  # fmt: skip
    return noted, "\n".join(said)


@pytest.mark.slow
@pytest.mark.parametrize(("width", "is_dark"), [(600, False), (1400, True)], ids=["narrow", "wide, dark"])  # fmt: skip
@pytest.mark.parametrize("name", MAKERS)
def test_in_a_browser(name: str, width: int, is_dark: bool, tmp_path: Path) -> None:
    """It has its text, no errors, nothing beyond the window, and colours that can be read, light and dark."""
    noted, said = looked_at(report(name).to_html(), tmp_path / "page.html", width, is_dark)
    assert noted["errors"] == []
    assert said == ""
    assert noted["wide"] <= 0
    assert noted["faint"] == []
    assert noted["text"] > 30
    assert noted["dark"] == is_dark


@pytest.mark.slow
def test_the_browser_sees_what_is_wrong(tmp_path: Path) -> None:
    """The guard itself sees planted faults."""
    page = (
        "<!doctype html><html><head></head><body><p style='width: 3000px; color: #eee'>hard to read</p>"
        "<script>console.error('said'); missing();</script></body></html>"
    )
    noted, said = looked_at(page, tmp_path / "page.html", 600, False)
    assert noted["wide"] > 2000
    assert len(noted["faint"]) == 1
    assert "missing is not defined" in noted["errors"][0]
    assert "said" in said


@pytest.mark.slow
def test_a_click_shows_numbers(tmp_path: Path) -> None:
    page = report("draw, numbers").to_html()
    click = "choose([...document.querySelectorAll('.shown .bad')].find(b => b.textContent.includes('Sqrt')));"  # fmt: skip
    file = tmp_path / "page.html"
    file.write_text(page.replace("</script>\n</body>", f"{click}\n</script>\n</body>"), "utf-8")
    told = [browser(), "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", file.as_uri()]
    shown = subprocess.run(told, capture_output=True, text=True, check=True, timeout=120).stdout
    panel = shown[shown.index('<dl id="facts">') :]
    assert "<dt>not finite</dt><dd class=\"bad\">8 NaN of 8</dd>" in panel  # fmt: skip
    assert "<dt>gradient</dt>" in panel
