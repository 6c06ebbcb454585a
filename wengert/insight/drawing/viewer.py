"""A diagram as a page that needs nothing from elsewhere: pan, zoom, click, and scopes that open."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from typing import Final

from wengert.insight.drawing.diagram import Diagram
from wengert.insight.drawing.svg import as_svg

_PAGE: Final = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; --paper: #fafbfc; --panel: #fff; --text: #1c2330; --faint: #5b6b82; --line: #d5dbe3;
  --chosen: #dbe9fb; }}
@media (prefers-color-scheme: dark) {{ :root {{ --paper: #141922; --panel: #1b212c; --text: #d8dee9; --faint: #97a4b7;
  --line: #343d4d; --chosen: #1d3d66; }} }}
body {{ margin: 0; font: 14px/1.45 system-ui, sans-serif; color: var(--text); background: var(--paper); }}
header {{ position: fixed; top: 0; left: 0; right: 0; padding: .5rem .8rem; background: var(--panel);
  border-bottom: 1px solid var(--line); display: flex; gap: .4rem; align-items: center; flex-wrap: wrap; }}
header strong {{ margin-right: auto; }}
button {{ font: inherit; padding: .15rem .6rem; color: inherit; background: none; border: 1px solid var(--line);
  border-radius: 6px; cursor: pointer; }}
button[aria-pressed=true] {{ background: var(--chosen); }} #whole {{ margin-left: .6rem; }}
#facts {{ position: fixed; right: .8rem; top: 3.6rem; width: 21rem; max-width: 45vw; max-height: calc(100vh - 5rem);
  overflow: auto; margin: 0; background: var(--panel); border: 1px solid var(--line); border-radius: 8px;
  padding: .6rem .8rem; overflow-wrap: anywhere; box-sizing: border-box; }}
#facts:empty {{ display: none; }} #facts dt {{ color: var(--faint); font-size: 12px; }} #facts dd {{ margin: 0 0 .3rem; }}
#facts .code, #facts .value, #facts .gradient {{ font: 12.5px/1.5 ui-monospace, monospace; }}
#facts .bad {{ color: #d43c3c; }}
.view {{ display: none; position: fixed; inset: 3.2rem 0 0 0; overflow: hidden; cursor: grab; touch-action: none; }}
.view.shown {{ display: block; }} .view svg {{ width: 100%; height: 100%; }}
.box {{ cursor: pointer; }} .box:focus {{ outline: none; }}
.view .box:focus rect, .view .box.chosen rect {{ stroke: #2f7fe0; stroke-width: 3.5; }}
</style>
</head>
<body>
{views}
<header><strong>{title}</strong>{buttons}<button id="whole">Fit</button></header>
<dl id="facts"></dl>
<script>
const facts = {facts};
const views = [...document.querySelectorAll(".view")], panel = document.getElementById("facts");
let shown = 0;
const sizes = views.map(v => {{ const b = v.querySelector("svg").viewBox.baseVal; return [b.width, b.height]; }});
function fit(n) {{ set(n, 0, 0, sizes[n][0], sizes[n][1]); }}
function set(n, x, y, w, h) {{ views[n].querySelector("svg").setAttribute("viewBox", `${{x}} ${{y}} ${{w}} ${{h}}`); }}
function show(n) {{
  shown = n; panel.replaceChildren();
  views.forEach((v, i) => v.classList.toggle("shown", i === n));
  document.querySelectorAll("[data-view]").forEach((b, i) => b.setAttribute("aria-pressed", i === n));
}}
function choose(box) {{
  document.querySelectorAll(".chosen").forEach(b => b.classList.remove("chosen"));
  box.classList.add("chosen"); panel.replaceChildren();
  for (const [key, value] of Object.entries(facts[shown][box.dataset.box])) if (value) {{
    const dt = document.createElement("dt"), dd = document.createElement("dd");
    dt.textContent = key; dd.textContent = value; panel.append(dt, dd);
    dd.className = key.includes("not finite") ? "bad" : key;
  }}
}}
document.querySelectorAll("[data-view]").forEach((b, i) => b.onclick = () => show(i));
document.getElementById("whole").onclick = () => fit(shown);
views.forEach((view, n) => {{
  const svg = view.querySelector("svg"); let from = null;
  const scale = () => svg.viewBox.baseVal.width / svg.clientWidth;
  svg.removeAttribute("width"); svg.removeAttribute("height");
  view.onwheel = e => {{
    e.preventDefault();
    const b = svg.viewBox.baseVal, f = Math.exp(e.deltaY / 500), r = svg.getBoundingClientRect();
    const k = Math.max(b.width / r.width, b.height / r.height);
    const px = b.x + b.width / 2 + (e.clientX - r.left - r.width / 2) * k;
    const py = b.y + b.height / 2 + (e.clientY - r.top - r.height / 2) * k;
    set(n, px - (px - b.x) * f, py - (py - b.y) * f, b.width * f, b.height * f);
  }};
  view.onpointerdown = e => {{
    const b = svg.viewBox.baseVal; from = [e.clientX, e.clientY, b.x, b.y, false];
  }};
  view.onpointermove = e => {{
    if (!from) return;
    const b = svg.viewBox.baseVal, r = svg.getBoundingClientRect();
    const k = Math.max(b.width / r.width, b.height / r.height);
    if (Math.hypot(e.clientX - from[0], e.clientY - from[1]) > 4) from[4] = true;
    if (from[4]) set(n, from[2] - (e.clientX - from[0]) * k, from[3] - (e.clientY - from[1]) * k, b.width, b.height);
  }};
  view.onpointerup = e => {{
    const box = e.target.closest("[data-box]");
    if (from && !from[4] && box) choose(box);
    from = null;
  }};
  view.onkeydown = e => {{ const box = e.target.closest("[data-box]"); if (e.key === "Enter" && box) choose(box); }};
  fit(n);
}});
show({first});
</script>
</body>
</html>
"""


def as_page(title: str, views: Sequence[tuple[str, Diagram]], first: int) -> str:
    """The diagrams, of which one is shown at a time, by their names."""
    names = [escape(name) for name, _ in views]
    facts = [[box.facts for box in diagram.boxes] for _, diagram in views]
    return _PAGE.format(
        title=escape(title),
        views="\n".join(
            f'<div class="view">{as_svg(d, page=f"view{n}")}</div>'
            for n, (_, d) in enumerate(views)
        ),
        buttons="".join(f'<button data-view="{n}">{name}</button>' for n, name in enumerate(names)),
        facts=json.dumps(facts).replace("</", "<\\/"),
        first=first,
    )
