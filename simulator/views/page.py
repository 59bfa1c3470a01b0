"""Pages that stand alone: one HTML file with style and script inside, nothing fetched.

Readable in light and dark, on a phone and on paper; colours are variables of the style, so that drawings follow.
"""

import html

__all__ = ["escape", "make_page"]

_STYLE = """
:root { color-scheme: light dark; --ink: #1b1b1b; --soft: #55585c; --line: #c6c9cc; --paper: #ffffff;
  --panel: #f4f5f6; --accent: #0b5fa5; --strong: #b3261e; --good: #1e6b3a;
  --c0: #0072b2; --c1: #d55e00; --c2: #007a59; --c3: #a8527f; --c4: #8a6100; --c5: #333333; --c6: #4f2a8f; }
@media (prefers-color-scheme: dark) { :root { --ink: #e9e9ea; --soft: #b3b7bb; --line: #4a4e53; --paper: #16181a;
  --panel: #212427; --accent: #6db3f2; --strong: #ff8a80; --good: #7fd69b;
  --c0: #56b4e9; --c1: #ff9d57; --c2: #4fd0a5; --c3: #e79ac0; --c4: #e6b800; --c5: #f2f2f2; --c6: #9f7ef0; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 76rem; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; line-height: 1.25; } h2 { font-size: 1.2rem; margin-top: 2.2rem; } h3 { font-size: 1rem; }
a { color: var(--accent); } p, li { max-width: 46rem; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.row { display: flex; flex-wrap: wrap; gap: 1rem; }
figure { margin: 0 0 1rem; flex: 1 1 28rem; min-width: 0; max-width: 36rem; }
figcaption { color: var(--soft); font-size: .9rem; }
svg { display: block; width: 100%; height: auto; background: var(--paper); }
svg text { fill: var(--ink); font: 13px system-ui, sans-serif; }
.wide { overflow-x: auto; max-width: 100%; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .92rem; }
th, td { padding: .2rem .7rem .2rem 0; border-bottom: 1px solid var(--line); text-align: right; vertical-align: top; }
th:first-child, td:first-child, .left { text-align: left; }
td, th { overflow-wrap: normal; white-space: nowrap; }
pre { background: var(--panel); padding: .8rem; overflow-x: auto; font-size: .85rem; }
summary { cursor: pointer; }
button, input { font: inherit; } button { padding: .4rem .9rem; }
.good { color: var(--good); } .bad { color: var(--strong); font-weight: 600; }
@media (max-width: 600px) { svg text { font-size: 17px; } }
@media print { body { max-width: none; } details > * { display: block; } }
"""


def escape(value: object) -> str:
    """Text as it may stand between tags and in quoted attributes."""
    return html.escape(str(value), quote=True)


def make_page(title: str, body: str, *, style: str = "", script: str = "") -> str:
    """Put a page together; `title` is text, `body` is HTML."""
    code = f"<script>{script}</script>\n" if script else ""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<link rel="icon" href="data:,">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}{style}</style>\n</head>\n<body>\n{body}\n{code}</body>\n</html>\n"
    )
