"""A diagram for programs that draw: Graphviz's DOT, and Mermaid."""

from __future__ import annotations

from typing import Final

from wengert.insight.drawing.diagram import Diagram

_COLOURS: Final = {
    "input": "#eef1f5",
    "forward": "#dbe9fb",
    "backward": "#fde4cf",
    "result": "#d9f2df",
}


def as_dot(diagram: Diagram) -> str:
    """For Graphviz: `dot -Tsvg`."""
    lines = ["digraph {", '  node [shape=box style="rounded,filled" fontname="sans-serif"]']
    for n, box in enumerate(diagram.boxes):
        text = _quoted(f"{box.label}\n{box.note}" if box.note else box.label)
        lines.append(f'  n{n} [label={text} fillcolor="{_COLOURS[box.side]}"]')
    lines += [f"  n{a} -> n{b}" for a, b, _ in diagram.arrows]
    return "\n".join([*lines, "}"]) + "\n"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def as_mermaid(diagram: Diagram) -> str:
    """For Markdown that knows Mermaid."""
    lines = ["flowchart TD"]
    for n, box in enumerate(diagram.boxes):
        text = f"{box.label}<br/>{box.note}" if box.note else box.label
        escaped = text.replace('"', "#quot;")
        lines.append(f'  n{n}["{escaped}"]:::{box.side}')
    lines += [f"  n{a} --> n{b}" for a, b, _ in diagram.arrows]
    lines += [
        f"  classDef {side} fill:{colour},stroke:#5b6b82,color:#1c2330"
        for side, colour in _COLOURS.items()
    ]
    return "\n".join(lines) + "\n"
