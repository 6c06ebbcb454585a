"""A report as HTML that needs nothing from elsewhere: light and dark, narrow and wide."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import Final

from wengert.insight.reports.blocks import Block, Code, Heading, Table, Words

_STYLE: Final = """
.wengert { font: 15px/1.5 system-ui, sans-serif; max-width: 62rem; color: #1c2330; }
.wengert h1 { font-size: 1.25rem; line-height: 1.35; } .wengert h2 { font-size: 1.05rem; }
.wengert pre, .wengert td.code { font-family: ui-monospace, monospace; font-size: 13px; }
.wengert pre { background: #f4f6f9; padding: .7rem .9rem; border-radius: 6px; overflow-x: auto; }
.wengert pre .added { background: #d9f2df; display: inline-block; min-width: 100%; }
.wengert .scroll { overflow-x: auto; margin: .8rem 0; }
.wengert table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
.wengert th, .wengert td { text-align: left; padding: .25rem .9rem .25rem 0; vertical-align: top; }
.wengert th { border-bottom: 1px solid #c9d1dc; } .wengert td { border-bottom: 1px solid #e8ecf1; }
.wengert td:not(:last-child), .wengert .right { white-space: nowrap; } .wengert .right { text-align: right; }
.wengert-page { margin: 1.5rem 0; } .wengert-page .wengert { margin: 0 auto; padding: 0 1.2rem; }
.wengert svg { max-width: 100%; height: auto; }
@media (prefers-color-scheme: dark) {
  .wengert { color: #d8dee9; } .wengert pre { background: #1f2530; }
  .wengert pre .added { background: #1e4028; }
  .wengert th { border-color: #4a5365; } .wengert td { border-color: #2d3442; }
  body.wengert-page { background: #141922; }
}
"""


def part_of(title: str, blocks: Sequence[Block]) -> str:
    """For a notebook: a part of a page, with its own style."""
    inner = "\n".join(_parts(title, blocks))
    return f'<style>{_STYLE}</style>\n<div class="wengert">\n{inner}\n</div>'


def page_of(title: str, blocks: Sequence[Block]) -> str:
    """A whole page."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n</head>\n"
        f'<body class="wengert-page">\n{part_of(title, blocks)}\n</body>\n</html>\n'
    )


def _parts(title: str, blocks: Sequence[Block]) -> Iterator[str]:
    if title:
        yield f"<h1>{escape(title)}</h1>"
    for block in blocks:
        if isinstance(block, Words):
            yield from (f"<p>{escape(words)}</p>" for words in block.text.split("\n") if words)
        elif isinstance(block, Heading):
            yield f"<h2>{escape(block.text)}</h2>"
        elif isinstance(block, Code):
            yield _code(block)
        elif isinstance(block, Table):
            yield _table(block)
        else:
            yield f'<div class="scroll">{block.svg}</div>'


def _code(block: Code) -> str:
    margin = "  " if block.added else ""
    lines = [
        f'<span class="added">+ {escape(line)}</span>'
        if n in block.added
        else f"{margin}{escape(line)}"
        for n, line in enumerate(block.lines)
    ]
    return "<pre>" + "\n".join(lines) + "</pre>"


def _table(block: Table) -> str:
    def cells(row: Sequence[str], tag: str) -> str:
        return "".join(
            f"<{tag}{' class=right' if at in block.right else ''}>{escape(cell)}</{tag}>"
            for at, cell in enumerate(row)
        )

    head = f"<tr>{cells(block.header, 'th')}</tr>\n" if any(block.header) else ""
    body = "\n".join(f"<tr>{cells(row, 'td')}</tr>" for row in block.rows)
    return f'<div class="scroll"><table>\n{head}{body}\n</table></div>'
